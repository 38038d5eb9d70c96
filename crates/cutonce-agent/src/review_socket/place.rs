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

/// True if the peer is a process of this user, and not one that this session started: the model must not approve its
/// own plan.
pub(super) fn is_trusted(stream: &UnixStream) -> bool {
    let Ok(peer) = stream.peer_cred() else { return false };
    peer.uid() == own_uid() && !peer.pid().is_some_and(|pid| has_ancestor(pid, &[std::process::id()]))
}

/// True if one of these processes started this one, directly or not, and if that can't be found out: a process that
/// sends its answer and ends at once must not pass.
#[cfg(target_os = "linux")]
pub(super) fn has_ancestor(pid: i32, ancestors: &[u32]) -> bool {
    let mut lost_before = None;
    for _ in 0..MAX_WALKS {
        match walk_up(pid, ancestors) {
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
    /// One of the processes is an ancestor.
    Met,
    /// None is, up to the first process.
    Apart,
    /// Nothing is known about this process.
    Lost(i32),
}

#[cfg(target_os = "linux")]
fn walk_up(pid: i32, ancestors: &[u32]) -> AncestorWalk {
    let mut pid = pid;
    for _ in 0..MAX_ANCESTORS {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return AncestorWalk::Lost(pid) };
        // The name, in parentheses, may contain anything.
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse().ok());
        match parent {
            Some(parent) if ancestors.iter().any(|ancestor| i32::try_from(*ancestor) == Ok(parent)) => {
                return AncestorWalk::Met;
            }
            Some(parent) if parent > 1 => pid = parent,
            Some(_) => return AncestorWalk::Apart,
            None => return AncestorWalk::Lost(pid),
        }
    }
    AncestorWalk::Met
}

#[cfg(not(target_os = "linux"))]
pub(super) fn has_ancestor(_pid: i32, _ancestors: &[u32]) -> bool {
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    /// The model must not approve its own plan by a process far down, or by one that is gone already.
    #[test]
    fn rv_5_descendants_are_found_at_any_depth() {
        let own = [std::process::id()];
        let script = r#"if [ "$1" -gt 0 ]; then bash -c "$0" "$0" $(($1 - 1)); true; else echo $$; read -r; fi"#;
        let mut deep = Command::new("bash")
            .args(["-c", script, script, "80"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(deep.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let pid: i32 = line.trim().parse().unwrap();
        assert!(has_ancestor(pid, &own) && !has_ancestor(pid, &[u32::MAX]));
        drop(deep.stdin.take());
        deep.wait().unwrap();
        assert!(has_ancestor(pid, &own), "a process that is gone");
        let parent = std::os::unix::process::parent_id();
        assert!(!has_ancestor(i32::try_from(parent).unwrap(), &own), "who started us is not ours");
    }
}
