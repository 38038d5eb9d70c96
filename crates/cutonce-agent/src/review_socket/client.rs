//! The reviewer's end: finds all sessions of this user that offer a socket, and follows them.

use super::place::{connect, own_folder};
use super::{MAX_NEWS, SocketAnswer, read_line, send_line};
use crate::team::mailbox::folder_watch::FolderWatch;
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::protocol::review_request::{ReviewerMessage, SessionNews};
use cutonce_core::sync::LockUnpoisoned;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::BufReader;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Notify, mpsc, oneshot};

/// How long a lost connection rests before it is tried again.
const RECONNECT_AFTER: Duration = Duration::from_millis(500);

/// News of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionUpdate {
    /// The session's id.
    pub session: String,
    /// `None`: the session ended.
    pub news: Option<SessionNews>,
}

/// All sessions of this user that wait, or have waited, for an answer.
#[derive(Clone, Default)]
pub struct LocalSessions {
    sessions: Arc<Mutex<HashMap<String, mpsc::UnboundedSender<SocketMessage>>>>,
    /// A connection ended; its session may still run.
    lost: Arc<Notify>,
}

struct SocketMessage {
    by: Answerer,
    message: ReviewerMessage,
    taken: oneshot::Sender<Result<(), String>>,
}

impl LocalSessions {
    /// Follows the sessions of this cutonce home, on the current tokio runtime, until the receiver is dropped.
    pub fn follow(home: &Path) -> io::Result<(LocalSessions, mpsc::UnboundedReceiver<SessionUpdate>)> {
        let folder = own_folder(home)?;
        let (updates, received) = mpsc::unbounded_channel();
        let sessions = LocalSessions::default();
        let mut watch = FolderWatch::new(&folder);
        let finds = sessions.clone();
        tokio::spawn(async move {
            while !updates.is_closed() {
                finds.connect_new(&folder, &updates).await;
                tokio::select! {
                    () = watch.wait_for_change() => {}
                    () = finds.lost.notified() => {}
                    () = updates.closed() => {}
                }
            }
        });
        Ok((sessions, received))
    }

    /// Sends an answer or an order to a session. The error is a sentence for the user.
    pub async fn send(&self, session: &str, by: Answerer, message: ReviewerMessage) -> Result<(), String> {
        let gone = || "The session has ended; its plan waits until it is resumed.".to_string();
        let outgoing = self.sessions.lock_unpoisoned().get(session).cloned().ok_or_else(gone)?;
        let (taken, result) = oneshot::channel();
        outgoing.send(SocketMessage { by, message, taken }).map_err(|_| gone())?;
        result.await.unwrap_or_else(|_| Err(gone()))
    }

    async fn connect_new(&self, folder: &Path, updates: &mpsc::UnboundedSender<SessionUpdate>) {
        for path in sockets(folder) {
            let Some(session) = path.file_stem().and_then(|name| name.to_str()).map(str::to_string) else { continue };
            if self.sessions.lock_unpoisoned().contains_key(&session) {
                continue;
            }
            match connect(&path).await {
                Ok(stream) => {
                    let (outgoing, received) = mpsc::unbounded_channel();
                    self.sessions.lock_unpoisoned().insert(session.clone(), outgoing);
                    let (read, write) = stream.into_split();
                    let (sessions, updates, lost) = (self.sessions.clone(), updates.clone(), self.lost.clone());
                    tokio::spawn(async move {
                        let link = SocketConnection { session, updates, waiting: HashMap::new(), next_id: 0 };
                        let session = link.run(read, write, received).await;
                        sessions.lock_unpoisoned().remove(&session);
                        remove_stale(&path).await;
                        // A session that continues without us is found again.
                        tokio::time::sleep(RECONNECT_AFTER).await;
                        lost.notify_one();
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => remove_stale(&path).await,
                Err(error) => tracing::warn!("{}: {error}", path.display()),
            }
        }
    }
}

/// Removes a socket if the process that listened was killed.
async fn remove_stale(path: &Path) {
    if connect(path).await.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
        let _ = std::fs::remove_file(path);
    }
}

fn sockets(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "sock")).collect()
}

/// The connection to one session.
struct SocketConnection {
    session: String,
    updates: mpsc::UnboundedSender<SessionUpdate>,
    /// Answers whose result has not come yet.
    waiting: HashMap<u64, oneshot::Sender<Result<(), String>>>,
    next_id: u64,
}

impl SocketConnection {
    /// Follows the session until it ends; returns its id.
    async fn run(
        mut self,
        read: OwnedReadHalf,
        mut write: OwnedWriteHalf,
        mut outgoing: mpsc::UnboundedReceiver<SocketMessage>,
    ) -> String {
        let (news, mut lines) = mpsc::channel(64);
        let reader = tokio::spawn(async move {
            let mut read = BufReader::new(read);
            while let Ok(Some(line)) = read_line::<SessionNews>(&mut read, MAX_NEWS).await {
                if news.send(line).await.is_err() {
                    return;
                }
            }
        });
        loop {
            tokio::select! {
                news = lines.recv() => match news {
                    Some(SessionNews::Taken { id, error }) => {
                        if let Some(taken) = self.waiting.remove(&id) {
                            let _ = taken.send(error.map_or(Ok(()), Err));
                        }
                    }
                    Some(news) => self.tell(Some(news)),
                    None => break,
                },
                Some(SocketMessage { by, message, taken }) = outgoing.recv() => {
                    self.next_id += 1;
                    self.waiting.insert(self.next_id, taken);
                    if send_line(&mut write, &SocketAnswer { id: self.next_id, by, message }).await.is_err() {
                        break;
                    }
                }
            }
            if self.updates.is_closed() {
                break;
            }
        }
        reader.abort();
        self.tell(None);
        self.session
    }

    fn tell(&self, news: Option<SessionNews>) {
        let _ = self.updates.send(SessionUpdate { session: self.session.clone(), news });
    }
}
