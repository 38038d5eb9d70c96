//! How a running review page is found, and how a new token for it is made (RV-5): a socket per server, for this user
//! only.

use super::place::{connect, is_trusted, own_folder, short_path};
use super::{read_line, send_line};
use serde::{Deserialize, Serialize};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::BufReader;
use tokio::net::UnixListener;

const MAX_LINE: u64 = 4_096;
/// A server that does not answer within this time is treated as gone.
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

/// Where a review page is, with a token that works once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageAddress {
    /// The address with the token.
    pub url: String,
    /// The port on loopback.
    pub port: u16,
    /// The token.
    pub token: String,
}

impl PageAddress {
    /// The address of a page at this host, which has the port.
    pub fn new(host: &str, port: u16, token: String) -> PageAddress {
        PageAddress { url: format!("http://{host}/#{token}"), port, token }
    }

    /// The address of one request.
    pub fn of_request(&self, session: &str, ask_id: &str) -> String {
        let page = self.url.split('#').next().unwrap_or_default();
        format!("{page}review/{session}/{ask_id}#{}", self.token)
    }

    /// True if only processes of this machine can use the token.
    pub fn is_on_loopback(&self) -> bool {
        self.url.starts_with(&format!("http://127.0.0.1:{}/", self.port))
    }
}

/// Gives out addresses to this user's other processes until it is dropped.
pub struct AddressSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl Drop for AddressSocket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

impl AddressSocket {
    /// Listens for processes that want a new token of the server on this port.
    pub fn new(home: &Path, port: u16) -> io::Result<AddressSocket> {
        let path = own_folder(home)?.join(format!("{port}.serve"));
        let _ = std::fs::remove_file(&path);
        let listener = short_path(&path, |path| UnixListener::bind(path))?;
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600))?;
        Ok(AddressSocket { listener, path })
    }

    /// Answers the next process, unless a session started it: the model must not approve its own plan.
    pub async fn answer_next(&self, make: impl Fn() -> PageAddress) -> io::Result<()> {
        let (stream, _) = self.listener.accept().await?;
        if !is_trusted(&stream) {
            tracing::warn!("refused a token to a process that is not a reviewer of this user");
            return Ok(());
        }
        let (_, mut write) = stream.into_split();
        // A process that is gone needs no answer.
        let _ = send_line(&mut write, &make()).await;
        Ok(())
    }
}

/// A new address of a running server: the one on this port, or any. `None` if there is none.
pub async fn request_address(home: &Path, port: Option<u16>) -> Option<PageAddress> {
    let folder = super::place::socket_folder(home);
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let wanted = |path: &PathBuf| match port {
        Some(port) => path.file_name().is_some_and(|name| *name == *format!("{port}.serve")),
        None => path.extension().is_some_and(|extension| extension == "serve"),
    };
    for path in entries.filter(wanted) {
        match connect(&path).await {
            Ok(stream) => {
                let mut lines = BufReader::new(stream);
                let read = tokio::time::timeout(ANSWER_LIMIT, read_line::<PageAddress>(&mut lines, MAX_LINE));
                if let Ok(Ok(Some(address))) = read.await {
                    return Some(address);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                let _ = std::fs::remove_file(&path);
            }
            Err(error) => tracing::debug!("{}: {error}", path.display()),
        }
    }
    None
}
