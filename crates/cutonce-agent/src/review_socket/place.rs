//! Where the sockets are, and who may use them.

use crate::storage::paths::{create_private_dir, valid_id};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::{UnixListener, UnixStream};

/// The longest path that fits a socket address everywhere.
const MAX_SOCKET_PATH: usize = 100;

/// The session that offers a socket.
pub(crate) struct SocketPlace {
    pub home: PathBuf,
    pub session: Arc<str>,
    pub project: String,
}

/// Removes the socket's file when dropped.
pub(super) struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The folder of all sockets of this user's sessions.
pub fn socket_folder(home: &Path) -> PathBuf {
    home.join("run")
}

/// Creates the folder; an error if it is not ours alone.
pub(super) fn own_folder(home: &Path) -> io::Result<PathBuf> {
    let folder = socket_folder(home);
    create_private_dir(&folder)?;
    let about = std::fs::symlink_metadata(&folder)?;
    if !about.is_dir() || about.uid() != own_uid() {
        return Err(io::Error::other(format!("{} is not a folder of this user", folder.display())));
    }
    if about.permissions().mode() & 0o077 != 0 {
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700))?;
    }
    Ok(folder)
}

impl SocketPlace {
    /// Listens. The file gets its name when it is ready, so that no process removes it as a stale one.
    pub(super) fn listen(&self) -> io::Result<(UnixListener, SocketFile)> {
        if !valid_id(&self.session) {
            return Err(io::Error::other("the session's id can't be a file name"));
        }
        let folder = own_folder(&self.home)?;
        let unready = folder.join(format!(".{}", self.session));
        let _ = std::fs::remove_file(&unready);
        let listener = short_path(&unready, |path| UnixListener::bind(path))?;
        let file = SocketFile(folder.join(format!("{}.sock", self.session)));
        std::fs::set_permissions(&unready, PermissionsExt::from_mode(0o600))?;
        std::fs::rename(&unready, &file.0)?;
        Ok((listener, file))
    }
}

/// Connects to a session's socket; an error if another user answers there.
pub(super) async fn connect(path: &Path) -> io::Result<UnixStream> {
    let stream = short_path(path, |path| {
        let stream = std::os::unix::net::UnixStream::connect(path)?;
        stream.set_nonblocking(true)?;
        UnixStream::from_std(stream)
    })?;
    match stream.peer_cred()?.uid() == own_uid() {
        true => Ok(stream),
        false => Err(io::Error::other("the socket belongs to another user")),
    }
}

/// True if the peer is a process of this user, and not one that a session started: the model must not approve its own
/// plan, nor that of another session.
pub(super) fn is_trusted(stream: &UnixStream) -> bool {
    let Ok(peer) = stream.peer_cred() else { return false };
    peer.uid() == own_uid() && !peer.pid().is_some_and(is_of_session)
}

/// Names of the processes that start commands: a session, and the supervisor of each command. A command can't leave
/// its supervisor as long as that runs.
#[cfg(target_os = "linux")]
const STARTERS: [&str; 2] = ["cutonce", "cutonce-watch"];

/// True if a session started this process, directly or not, and if that can't be found out: a process that sends its
/// answer and ends at once must not pass. Sessions that started us too do not count.
#[cfg(target_os = "linux")]
pub(super) fn is_of_session(pid: i32) -> bool {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    let above_us: Vec<i32> = std::iter::successors(Some(own), |pid| ProcessStat::read(*pid).map(|stat| stat.parent))
        .skip(1)
        .take(MAX_ANCESTORS)
        .collect();
    let starts = |pid: i32, name: &str| pid == own || (STARTERS.contains(&name) && !above_us.contains(&pid));
    let mut lost_before = None;
    for _ in 0..MAX_WALKS {
        match walk_up(pid, &starts) {
            AncestorWalk::Met => return true,
            AncestorWalk::Apart => return false,
            AncestorWalk::Lost(at) if at == pid => return true,
            // Processes of other users can be invisible. One that ended would not be a parent any more.
            AncestorWalk::Lost(at) if lost_before == Some(at) => return false,
            AncestorWalk::Lost(at) => lost_before = Some(at),
        }
    }
    true
}

/// How often the parents are read, if they change meanwhile.
#[cfg(target_os = "linux")]
const MAX_WALKS: usize = 8;
/// A process with more ancestors hides something.
#[cfg(target_os = "linux")]
const MAX_ANCESTORS: usize = 1_000;

#[cfg(target_os = "linux")]
#[derive(Debug, PartialEq, Eq)]
enum AncestorWalk {
    /// A session is an ancestor.
    Met,
    /// None is, up to the first process.
    Apart,
    /// Nothing is known about this process.
    Lost(i32),
}

#[cfg(target_os = "linux")]
fn walk_up(pid: i32, starts: &impl Fn(i32, &str) -> bool) -> AncestorWalk {
    let mut at = pid;
    for _ in 0..MAX_ANCESTORS {
        match ProcessStat::read(at) {
            None => return AncestorWalk::Lost(at),
            Some(stat) if at != pid && starts(at, &stat.name) => return AncestorWalk::Met,
            Some(stat) if stat.parent > 1 => at = stat.parent,
            Some(_) => return AncestorWalk::Apart,
        }
    }
    AncestorWalk::Met
}

/// What the kernel says about a process.
#[cfg(target_os = "linux")]
struct ProcessStat {
    name: String,
    parent: i32,
}

#[cfg(target_os = "linux")]
impl ProcessStat {
    fn read(pid: i32) -> Option<ProcessStat> {
        let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        // The name, in parentheses, may contain anything.
        let (start, rest) = stat.rsplit_once(')')?;
        let name = start.split_once('(')?.1.to_string();
        Some(ProcessStat { name, parent: rest.split_whitespace().nth(1)?.parse().ok()? })
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_of_session(_pid: i32) -> bool {
    false
}

pub(super) fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Runs `with` on a path that fits a socket address: a long one is reached through its open folder.
pub(super) fn short_path<T>(path: &Path, with: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    if path.as_os_str().len() <= MAX_SOCKET_PATH {
        return with(path);
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    use std::os::fd::AsRawFd;
    let open = std::fs::File::open(folder)?;
    with(&Path::new("/proc/self/fd").join(open.as_raw_fd().to_string()).join(name))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    /// Starts bash with a chain of processes below it; returns it with the id of the last one.
    fn start_chain(program: &std::path::Path) -> (std::process::Child, i32) {
        let script = r#"if [ "$1" -gt 0 ]; then bash -c "$0" "$0" $(($1 - 1)); true; else echo $$; read -r; fi"#;
        let mut first = Command::new(program)
            .args(["-c", script, script, "40"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(first.stdout.take().unwrap()).read_line(&mut line).unwrap();
        (first, line.trim().parse().unwrap())
    }

    /// The model must not approve its own plan by a process far down, or by one that is gone already.
    #[test]
    fn rv_5_descendants_are_found_at_any_depth() {
        let (mut first, deep) = start_chain("bash".as_ref());
        assert!(is_of_session(deep));
        drop(first.stdin.take());
        first.wait().unwrap();
        assert!(is_of_session(deep), "a process that is gone");
        let parent = std::os::unix::process::parent_id();
        assert!(!is_of_session(i32::try_from(parent).unwrap()), "who started us is not ours");
    }

    /// Commands of one session must not answer the plan of another.
    #[test]
    fn rv_5_commands_of_other_sessions_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("cutonce");
        std::os::unix::fs::symlink("/bin/bash", &session).unwrap();
        let (mut first, deep) = start_chain(&session);
        let none_is_ours = |pid: i32, name: &str| pid != 0 && STARTERS.contains(&name);
        assert_eq!(walk_up(deep, &none_is_ours), AncestorWalk::Met);
        let id = i32::try_from(first.id()).unwrap();
        assert_ne!(walk_up(id, &none_is_ours), AncestorWalk::Met, "a program of ours is not below a session");
        drop(first.stdin.take());
        first.wait().unwrap();
    }
}
