//! Runs hostile commands under every layer, as root and as an ordinary user, and checks the damage from outside
//! (SB-2, PM-2, PM-3). Also runs useful commands, which must work. Each run has its own process and mount namespace.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod probes;
mod world;

use std::ffi::CString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use world::{SECRET, Under, World};

/// Marks a process in which a test runs its work apart from the other tests.
const STARTED: &str = "CUTONCE_TEST_STARTED_APART";

/// Runs every statement of a probe, also those after one that is refused.
const EACH_STATEMENT: &str = r#"import ast,ctypes,os,socket,struct,sys
L=ctypes.CDLL(None,use_errno=True)
for each in ast.parse(sys.stdin.read()).body:
    try: exec(compile(ast.Module([each],[]),"probe","exec"))
    except Exception as error: print(type(error).__name__)
"#;

/// A user id that owns nothing else.
const USER: u32 = 4242;

#[test]
fn sb_2_hostile_commands_change_nothing_as_root() {
    run_apart("sb_2_hostile_commands_change_nothing_as_root", None, || block_on(attacks()));
}
#[test]
fn sb_2_hostile_commands_change_nothing_as_user() {
    run_apart("sb_2_hostile_commands_change_nothing_as_user", Some(USER), || block_on(attacks()));
}
#[test]
fn pm_62_useful_commands_work_as_root() {
    run_apart("pm_62_useful_commands_work_as_root", None, || block_on(uses()));
}
#[test]
fn pm_62_useful_commands_work_as_user() {
    run_apart("pm_62_useful_commands_work_as_user", Some(USER), || block_on(uses()));
}

/// Does the work of a test in its own process, which runs only that test again.
fn run_apart(test: &str, user: Option<u32>, work: impl FnOnce()) {
    if std::env::var_os(STARTED).is_some() {
        return work();
    }
    // SAFETY: `geteuid` takes no arguments, accesses no memory and can't fail.
    let root = unsafe { libc::geteuid() } == 0;
    if !root && user.is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = dir.path().join("hostile");
    // Another process writes the copy: if this one did, a process that another test forks meanwhile would hold the file
    // open for writing, and the kernel would refuse to start it.
    let copied = Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&program).status().unwrap();
    assert!(copied.success());
    let mut command = Command::new(&program);
    command.args(["--exact", test, "--nocapture"]).current_dir("/").env("RUST_BACKTRACE", "0").env(STARTED, "1");
    let toolchain = (root && user.is_some()).then(|| offer_toolchain(dir.path(), &mut command));
    if root {
        // SAFETY: the closure runs in the forked child and makes only async-signal-safe calls on constants.
        unsafe {
            command.pre_exec(move || {
                let private = libc::MS_REC | libc::MS_PRIVATE;
                let (root, none) = (c"/".as_ptr(), std::ptr::null());
                let apart = libc::unshare(libc::CLONE_NEWNS) == 0
                    && libc::mount(none, root, none, private, std::ptr::null()) == 0;
                let offered = toolchain.as_ref().is_none_or(|(from, to)| {
                    libc::mount(from.as_ptr(), to.as_ptr(), none, libc::MS_BIND | libc::MS_REC, std::ptr::null()) == 0
                });
                let user = user.unwrap_or(0);
                let become_user = user == 0
                    || libc::setgroups(0, std::ptr::null()) == 0 && libc::setgid(user) == 0 && libc::setuid(user) == 0;
                if apart && offered && become_user { Ok(()) } else { Err(std::io::Error::last_os_error()) }
            });
        }
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// Makes the Rust toolchain reachable for a user who can't enter root's home: returns the folder to mount and where.
fn offer_toolchain(dir: &Path, command: &mut Command) -> (CString, CString) {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap().stdout;
    let mounted = dir.join("toolchain");
    std::fs::create_dir(&mounted).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([mounted.join("bin")].into_iter().chain(std::env::split_paths(&path))).unwrap();
    command.env("PATH", path).env_remove("CARGO_HOME").env_remove("RUSTUP_HOME");
    (CString::new(sysroot.trim_ascii_end()).unwrap(), CString::new(mounted.into_os_string().into_vec()).unwrap())
}

#[test]
fn sb_3_failed_trial_is_repeated() {
    run_apart("sb_3_failed_trial_is_repeated", Some(USER), trials);
}

fn block_on(work: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work);
}

fn trials() {
    let set = |most: u64| {
        let limit = libc::rlimit { rlim_cur: most, rlim_max: 1024 };
        // SAFETY: `limit` outlives the call.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }, 0);
    };
    // No descriptor is left for a pipe.
    set(3);
    let failed = cutonce_sandbox::sandbox_support();
    assert!(failed.trial_failed && !failed.can_confine() && !failed.is_missing(), "{failed:?}");
    set(1024);
    let support = cutonce_sandbox::sandbox_support();
    assert!(support.can_confine() && !support.trial_failed, "{support:?}");
}

async fn attacks() {
    let python = |code: &str| format!("python3 -c '{EACH_STATEMENT}' <<'E'\n{code}\nE");
    let calls = probes::CALLS.iter().map(|(name, code)| (*name, python(code)));
    let all: Vec<(&str, String)> =
        probes::SHELL.iter().map(|(name, text)| (*name, text.to_string())).chain(calls).collect();
    let mut failed = Vec::new();
    for under in Under::ALL {
        let mut world = World::new();
        for (name, script) in &all {
            let (text, _) = world.run(under, script).await;
            let mut damage = world.damage();
            if text.contains(SECRET) {
                damage.push(format!("printed a secret: {text}"));
            }
            if !damage.is_empty() {
                failed.push(format!("{under:?}, {name}: {}", damage.join("; ")));
                world = World::new();
            }
        }
    }
    assert!(failed.is_empty(), "{} got through:\n{}", failed.len(), failed.join("\n"));
}

async fn uses() {
    let mut failed = Vec::new();
    for under in Under::ALL {
        let mut world = World::new();
        let with_modes =
            matches!(under, Under::Namespaces | Under::Scratch | Under::Mounts).then_some(probes::USEFUL_WITH_MODES);
        let on_scratch = (under == Under::Scratch).then_some(probes::ON_SCRATCH);
        let more = with_modes.into_iter().chain(on_scratch).flatten();
        for (script, want) in probes::USEFUL.iter().chain(more) {
            let (text, ended) = world.run(under, script).await;
            let damage = world.damage();
            if !text.contains(want) || !damage.is_empty() {
                failed.push(format!("{under:?}, {script}: {ended:?} {text} {}", damage.join("; ")));
            }
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}
