//! Hostile commands under every layer, as root and as an ordinary user, judged from outside (SB-2, PM-2, PM-3); and
//! useful ones, which must work. The commands run in a process of their own, in a mount namespace of its own.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod probes;
mod world;

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use world::{SECRET, Under, World};

/// Set for the tests that other tests start.
const STARTED: &str = "CUTONCE_TEST_STARTED_APART";

/// Somebody who owns nothing else.
const USER: u32 = 4242;

#[test]
fn sb_2_hostile_commands_change_nothing_as_root() {
    again("attacks", None);
}
#[test]
fn sb_2_hostile_commands_change_nothing_as_an_ordinary_user() {
    again("attacks", Some(USER));
}
#[test]
fn pm_62_useful_commands_work_as_root() {
    again("uses", None);
}
#[test]
fn pm_62_useful_commands_work_as_an_ordinary_user() {
    again("uses", Some(USER));
}

/// Run one of the tests below in a process of its own.
fn again(test: &str, user: Option<u32>) {
    let root = unsafe { libc::geteuid() } == 0;
    if !root && user.is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = dir.path().join("hostile");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let mut command = Command::new(&program);
    command.args(["--exact", test, "--nocapture"]).current_dir("/").env("RUST_BACKTRACE", "0").env(STARTED, "1");
    if root {
        unsafe {
            command.pre_exec(move || {
                let private = libc::MS_REC | libc::MS_PRIVATE;
                let (root, none) = (c"/".as_ptr(), std::ptr::null());
                let apart = libc::unshare(libc::CLONE_NEWNS) == 0
                    && libc::mount(none, root, none, private, std::ptr::null()) == 0;
                let user = user.unwrap_or(0);
                let become_user = user == 0
                    || libc::setgroups(0, std::ptr::null()) == 0 && libc::setgid(user) == 0 && libc::setuid(user) == 0;
                if apart && become_user { Ok(()) } else { Err(std::io::Error::last_os_error()) }
            });
        }
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// Not a test of its own: started by the tests above.
#[tokio::test]
async fn attacks() {
    if std::env::var_os(STARTED).is_none() {
        return;
    }
    let prelude = "import ctypes,os,socket,struct,sys\nL=ctypes.CDLL(None,use_errno=True)\n";
    let python = |code: &str| format!("python3 - <<'E'\n{prelude}{code}\nE");
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

/// As above.
#[tokio::test]
async fn uses() {
    if std::env::var_os(STARTED).is_none() {
        return;
    }
    let mut failed = Vec::new();
    for under in Under::ALL {
        let mut world = World::new();
        let with_modes = matches!(under, Under::Namespaces | Under::Scratch).then_some(probes::USEFUL_WITH_MODES);
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
