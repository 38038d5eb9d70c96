//! Waits for changes in a folder with inotify on Linux. Without inotify (other systems, or no watches left), it polls
//! twice a second.

use std::path::Path;
use std::time::Duration;

const POLL_INTERVAL: Duration = Duration::from_millis(500);

pub(crate) struct FolderWatch {
    #[cfg(target_os = "linux")]
    fd: Option<tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>>,
}

#[cfg(target_os = "linux")]
impl FolderWatch {
    /// Create it before reading the folder, so that no change is missed.
    pub fn new(folder: &Path) -> FolderWatch {
        use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
        use tokio::io::unix::AsyncFd;
        let open = || -> std::io::Result<_> {
            let fd = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
            add_watch(&fd, folder, WatchFlags::MODIFY | WatchFlags::CREATE | WatchFlags::MOVED_TO)?;
            // SAFETY: the registered value owns the descriptor, so it stays open and unchanged until it is dropped.
            let registered = unsafe { AsyncFd::register_with_interest(fd, tokio::io::Interest::READABLE) };
            registered.map_err(std::io::Error::other)
        };
        let fd =
            open().inspect_err(|error| tracing::warn!("{}: no inotify, polling instead: {error}", folder.display()));
        FolderWatch { fd: fd.ok() }
    }

    /// Waits until the folder may have changed since the last call.
    pub async fn wait_for_change(&mut self) {
        let Some(fd) = &mut self.fd else { return tokio::time::sleep(POLL_INTERVAL).await };
        let Ok(mut ready) = fd.readable().await else { return tokio::time::sleep(POLL_INTERVAL).await };
        let mut events = [0; 4096];
        let read = |fd: &std::os::fd::OwnedFd| rustix::io::read(fd, &mut events).unwrap_or(0);
        let mut all = read;
        while all(ready.get_inner()) > 0 {}
        ready.clear_ready();
    }
}

#[cfg(not(target_os = "linux"))]
impl FolderWatch {
    pub fn new(_folder: &Path) -> FolderWatch {
        FolderWatch {}
    }
    pub async fn wait_for_change(&mut self) {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
