//! Waiting for something to happen in a folder without asking again and again: inotify on Linux. Where there is none (other
//! systems, or the user's watches are used up) the folder is looked at twice a second.

use std::path::Path;
use std::time::Duration;

const LOOK_AGAIN: Duration = Duration::from_millis(500);

pub(crate) struct Watch {
    #[cfg(target_os = "linux")]
    fd: Option<tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>>,
}

#[cfg(target_os = "linux")]
impl Watch {
    /// To be made before the folder is read, so that nothing comes in between.
    pub fn new(folder: &Path) -> Watch {
        use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
        use tokio::io::unix::AsyncFd;
        let open = || -> std::io::Result<_> {
            let fd = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
            add_watch(&fd, folder, WatchFlags::MODIFY | WatchFlags::CREATE | WatchFlags::MOVED_TO)?;
            // SAFETY: the descriptor is owned by what is registered, so it is open and the same until that is dropped.
            let registered = unsafe { AsyncFd::register_with_interest(fd, tokio::io::Interest::READABLE) };
            registered.map_err(std::io::Error::other)
        };
        let fd = open().inspect_err(|error| tracing::warn!("{}: looked at again and again: {error}", folder.display()));
        Watch { fd: fd.ok() }
    }

    /// Something happened since the last call, or might have.
    pub async fn changed(&mut self) {
        let Some(fd) = &mut self.fd else { return tokio::time::sleep(LOOK_AGAIN).await };
        let Ok(mut ready) = fd.readable().await else { return tokio::time::sleep(LOOK_AGAIN).await };
        let mut events = [0; 4096];
        let read = |fd: &std::os::fd::OwnedFd| rustix::io::read(fd, &mut events).unwrap_or(0);
        let mut all = read;
        while all(ready.get_inner()) > 0 {}
        ready.clear_ready();
    }
}

#[cfg(not(target_os = "linux"))]
impl Watch {
    pub fn new(_folder: &Path) -> Watch {
        Watch {}
    }
    pub async fn changed(&mut self) {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}
