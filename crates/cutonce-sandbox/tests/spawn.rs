//! Tests real processes: their environment, how they end, and that nothing of them is left.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use cutonce_sandbox::{ProcessExit, RunningProcess, SpawnError, SpawnSpec, StdinMode, StdoutMode, find_program};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};

fn env() -> Vec<(OsString, OsString)> {
    vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())]
}
fn bash(script: &str) -> SpawnSpec {
    let bash = find_program("bash", &env()).expect("bash is installed");
    SpawnSpec::new(bash, "/", env()).args(["--norc", "--noprofile", "-c", script])
}
async fn all(script: &str) -> (String, ProcessExit) {
    finish(bash(script).start().unwrap()).await
}
async fn finish(mut running: RunningProcess) -> (String, ProcessExit) {
    let mut text = String::new();
    let mut stdout = running.stdout.take().unwrap();
    stdout.read_to_string(&mut text).await.unwrap();
    (text, running.wait().await.unwrap())
}
fn is_there(pid: &str) -> bool {
    Path::new("/proc").join(pid).exists()
}

/// A handle on a process that stays valid when its id is reused.
struct Watched(OwnedFd);

impl Watched {
    fn new(pid: &str) -> Self {
        // SAFETY: `pidfd_open` takes plain numbers.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid.parse::<i32>().unwrap(), 0) } as i32;
        assert!(fd >= 0, "process {pid} exists: {}", std::io::Error::last_os_error());
        // SAFETY: the kernel just returned this descriptor, checked above, and no other owner exists.
        Self(unsafe { OwnedFd::from_raw_fd(fd) })
    }
    /// Blocks until the process has ended, at most 20 seconds.
    fn ends(&self) -> bool {
        let mut event = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        loop {
            // SAFETY: `event` is one `pollfd` that outlives the call.
            match unsafe { libc::poll(&mut event, 1, 20_000) } {
                -1 if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
                ready => return ready == 1,
            }
        }
    }
}

#[tokio::test]
async fn tl_8_program_reports_its_code_or_signal() {
    assert_eq!(all("exit 0").await.1, ProcessExit::Exited(0));
    assert_eq!(all("exit 37").await.1, ProcessExit::Exited(37));
    assert_eq!(all("kill -TERM $$").await.1, ProcessExit::Signalled(15));
    assert_eq!(all("kill -SEGV $$").await.1, ProcessExit::Signalled(11));
    assert_eq!(all("kill -KILL $$").await.1, ProcessExit::Signalled(9));
}

/// HO-6: an interpreter in a virtual environment finds its files by the path it was started with.
#[tokio::test]
async fn ho_6_program_gets_its_start_path() {
    let folder = tempfile::tempdir().unwrap();
    let linked = folder.path().join("linked");
    std::os::unix::fs::symlink(find_program("bash", &env()).unwrap(), &linked).unwrap();
    let say = || SpawnSpec::new(&linked, "/", env()).args(["-c", "echo $0"]);
    assert_eq!(finish(say().start().unwrap()).await.0.trim_end(), linked.to_str().unwrap());
    assert_eq!(finish(say().argv0("bash").start().unwrap()).await.0, "bash\n");
}

#[tokio::test]
async fn tl_8_output_is_merged_in_order_or_separate() {
    let script = "echo 1; echo 2 >&2; echo 3";
    assert_eq!(all(script).await.0, "1\n2\n3\n");
    let mut apart = bash(script).output(StdoutMode::Separate).start().unwrap();
    let mut errors = String::new();
    apart.stderr.take().unwrap().read_to_string(&mut errors).await.unwrap();
    assert_eq!((finish(apart).await.0.as_str(), errors.as_str()), ("1\n3\n", "2\n"));
}

#[tokio::test]
async fn tl_8_stdin_is_empty_or_piped() {
    assert_eq!(all("cat; echo end").await.0, "end\n");
    let mut running = bash("cat; echo end").input(StdinMode::Piped).start().unwrap();
    let mut stdin = running.stdin.take().unwrap();
    stdin.write_all(b"words\n").await.unwrap();
    drop(stdin);
    assert_eq!(finish(running).await.0, "words\nend\n");
}

#[tokio::test]
async fn tl_8_own_session_without_terminal() {
    let (text, ended) =
        all("(: < /dev/tty) 2>/dev/null && echo tty; read -r _ _ _ _ _ sid _ < /proc/$$/stat; [ $sid = $$ ]").await;
    assert_eq!((text.as_str(), ended), ("", ProcessExit::Exited(0)));
}

#[tokio::test]
async fn mo_4_environment_is_exactly_as_given() {
    let mut env = env();
    env.push(("ONLY".into(), "this".into()));
    let program = find_program("env", &env).unwrap();
    let (text, _) = finish(SpawnSpec::new(program, "/", env).start().unwrap()).await;
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["ONLY=this", "PATH=/usr/local/bin:/usr/bin:/bin"]);
}

#[tokio::test]
async fn tl_8_only_passed_descriptors_are_inherited() {
    let inherited = tempfile::tempfile().unwrap();
    // SAFETY: `fcntl` with `F_SETFD` takes plain numbers; the descriptor is open.
    unsafe { libc::fcntl(inherited.as_raw_fd(), libc::F_SETFD, 0) };
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut spawn = bash("echo through >&$0; [ -e /proc/$$/fd/$1 ] && echo leak");
    let passed = spawn.pass_fd(writer.into());
    let spawn = spawn.args([passed.to_string(), inherited.as_raw_fd().to_string()]);
    assert_eq!(finish(spawn.start().unwrap()).await.0, "");
    let mut through = String::new();
    reader.read_to_string(&mut through).unwrap();
    assert_eq!(through, "through\n");
}

#[tokio::test]
async fn tl_8_signals_are_neither_ignored_nor_blocked() {
    // SAFETY: `SIG_IGN` installs no handler.
    unsafe { libc::signal(libc::SIGUSR1, libc::SIG_IGN) };
    let (text, _) = finish(
        SpawnSpec::new(find_program("cat", &env()).unwrap(), "/", env()).args(["/proc/self/status"]).start().unwrap(),
    )
    .await;
    let of = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_string();
    // The C library uses signals 32 and 33.
    let of = |name: &str| u64::from_str_radix(&of(name), 16).unwrap() & !(0b11 << 31);
    assert_eq!((of("SigBlk:"), of("SigIgn:")), (0, 0));
}

#[tokio::test]
async fn tl_8_failed_start_says_why() {
    let gone = PathBuf::from("/no/such/folder");
    let error = SpawnSpec::new("/bin/true", &gone, env()).start().unwrap_err();
    assert!(matches!(&error, SpawnError::FolderMissing(path) if *path == gone), "{error}");
    let error = SpawnSpec::new("/no/such/program", "/", env()).start().unwrap_err();
    assert!(matches!(error, SpawnError::ProgramMissing(_)), "{error}");
    let error = SpawnSpec::new("/etc/passwd", "/", env()).start().unwrap_err();
    assert!(matches!(error, SpawnError::Failed { .. }), "{error}");
}

/// Ways in which a command leaves a process behind; each prints the id of that process.
const LEFTOVERS: &[(&str, &str)] = &[
    ("background", "sleep 1000 & echo $!"),
    ("no hangup", "nohup sleep 1000 >/dev/null 2>&1 & echo $!"),
    ("own session", "setsid sleep 1000 & echo $!"),
    (
        "own session, forked twice",
        "(setsid bash -c 'echo $BASHPID; exec sleep 1000' &) ; read -r _ < <(sleep 0.05; echo)",
    ),
    ("disowned", "sleep 1000 & disown; echo $!"),
    (
        "deaf to signals",
        "bash -c 'trap \"\" TERM HUP INT; echo $BASHPID; while :; do sleep 1000; done' & read -r _ < <(sleep 0.05; echo)",
    ),
    ("stopped", "sleep 1000 & echo $!; kill -STOP $!"),
];

#[tokio::test]
async fn tl_8_leftovers_end_with_the_command() {
    for (name, script) in LEFTOVERS {
        let (text, ended) = all(script).await;
        let pid = text.trim();
        assert!(pid.parse::<u32>().is_ok(), "{name}: printed {text:?}");
        assert!(!is_there(pid), "{name}: {pid} still exists");
        assert!(matches!(ended, ProcessExit::Exited(_)), "{name}: {ended:?}");
    }
}

#[tokio::test]
async fn tl_8_a_chain_of_forks_is_caught() {
    // Each link forks the next and exits, so no process id stays valid for long.
    let (_, ended) = all("link() { (link) & }; (link) & exit 3").await;
    assert_eq!(ended, ProcessExit::Exited(3));
}

#[tokio::test]
async fn ag_4_kill_ends_the_process_tree() {
    let mut running = bash("setsid sleep 1000 & echo $!; sleep 1000").start().unwrap();
    let mut lines = tokio::io::BufReader::new(running.stdout.take().unwrap()).lines();
    let pid = lines.next_line().await.unwrap().unwrap();
    let left = Watched::new(&pid);
    running.kill();
    assert_eq!(running.wait().await.unwrap(), ProcessExit::Signalled(9));
    assert!(left.ends() && !is_there(&pid));
}

#[tokio::test]
async fn ag_4_dropping_process_or_lifeline_kills() {
    for take in [false, true] {
        let mut running = bash("setsid sleep 1000 & echo $!; sleep 1000").start().unwrap();
        let mut lines = tokio::io::BufReader::new(running.stdout.take().unwrap()).lines();
        let left = Watched::new(&lines.next_line().await.unwrap().unwrap());
        if take {
            drop(running.take_lifeline());
            assert!(left.ends());
            assert_eq!(running.wait().await.unwrap(), ProcessExit::Signalled(9));
        } else {
            drop(running);
            assert!(left.ends());
        }
    }
}

#[tokio::test]
async fn ag_4_commands_do_not_inherit_other_lifelines() {
    let mut first = bash("echo $$; sleep 1000").start().unwrap();
    let mut lines = tokio::io::BufReader::new(first.stdout.take().unwrap()).lines();
    let pid = Watched::new(&lines.next_line().await.unwrap().unwrap());
    let _second = bash("sleep 1000").start().unwrap();
    first.kill();
    assert!(pid.ends());
}

const PARENT: &str = "CUTONCE_TEST_IS_THE_PARENT";

/// The work of the program that the test kills.
async fn run_as_parent() {
    let mut running =
        bash("echo pid $$; setsid bash -c 'echo pid $BASHPID; exec sleep 1000' & sleep 1000").start().unwrap();
    let mut lines = tokio::io::BufReader::new(running.stdout.take().unwrap()).lines();
    println!("pid {}", running.id().unwrap());
    while let Some(line) = lines.next_line().await.unwrap() {
        println!("{line}");
    }
}

#[tokio::test]
async fn tl_8_nothing_survives_our_sigkill() {
    // The test starts itself as the program that it kills.
    if std::env::var_os(PARENT).is_some() {
        return run_as_parent().await;
    }
    let mut parent = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tl_8_nothing_survives_our_sigkill", "--nocapture"])
        .env(PARENT, "1")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(parent.stdout.take().unwrap()).lines().map(Result::unwrap);
    let ids = lines.filter_map(|line| line.split_once("pid ").map(|(_, pid)| pid.to_string()));
    let family: Vec<Watched> = ids.take(3).map(|pid| Watched::new(&pid)).collect();
    assert_eq!(family.len(), 3, "supervisor, command, detached leftover");
    parent.kill().unwrap();
    assert_eq!(parent.wait().unwrap().signal(), Some(9));
    assert!(family.iter().all(Watched::ends));
}
