//! Language servers (DU-11): after an edit, the problems that it caused reach the model with the edit's result.
//!
//! A server is started with the first edit of a file that it checks, in the background, only in trusted folders, and
//! confined by the kernel: it reads the workspace and writes nothing but a private folder. An edit waits two seconds at
//! most. A server that hangs, crashes, floods or talks nonsense is switched off with one notice.

mod connection;
mod definition;
mod diagnostics;
mod documents;
mod error;
mod framing;
mod messages;
mod process;
mod server_task;

pub(crate) use definition::definitions;
pub use definition::{FoundServer, find_servers};

use crate::event_hub::EventHub;
use connection::EditCheck;
use cutonce_core::protocol::event::{EventKind, NoticeLevel};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_sandbox::ResourceLimits;
use cutonce_tools::workspace::Workspace;
use definition::LanguageServerDefinition;
use process::LaunchOptions;
use server_task::ServerTask;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// How long an edit waits for diagnostics.
const EDIT_WAIT: Duration = Duration::from_secs(2);
/// Larger files are not checked.
const MAX_TEXT: u64 = 1 << 20;
/// Servers of one session; each project root has its own.
const MAX_SERVERS: usize = 6;
/// How long the end of the session waits for servers to be gone.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// The language servers of a session, shared with its subagents.
pub(crate) struct LanguageServers {
    definitions: Vec<Arc<LanguageServerDefinition>>,
    launch: Arc<LaunchOptions>,
    running: Mutex<HashMap<(String, PathBuf), ServerHandle>>,
    hub: Arc<OnceLock<Arc<EventHub>>>,
    closed: CancellationToken,
}

struct ServerHandle {
    checks: mpsc::UnboundedSender<EditCheck>,
    ready: Arc<AtomicBool>,
    task: Option<JoinHandle<()>>,
}

/// What language servers are made from.
pub(crate) struct LanguageServerOptions {
    pub definitions: Vec<LanguageServerDefinition>,
    pub workspace: Workspace,
    pub env: Vec<(OsString, OsString)>,
    pub deny_read: Vec<PathBuf>,
    pub limits: ResourceLimits,
}

/// A file that is about to be edited.
pub(crate) struct WatchedEdit {
    servers: Arc<LanguageServers>,
    server: Arc<LanguageServerDefinition>,
    root: PathBuf,
    path: PathBuf,
    before: Option<String>,
}

impl LanguageServers {
    /// Starts nothing yet.
    pub fn new(options: LanguageServerOptions) -> LanguageServers {
        let LanguageServerOptions { definitions, workspace, env, deny_read, limits } = options;
        LanguageServers {
            definitions: definitions.into_iter().map(Arc::new).collect(),
            launch: Arc::new(LaunchOptions { workspace, env, deny_read, limits, sandbox: Mutex::new(None) }),
            running: Mutex::default(),
            hub: Arc::default(),
            closed: CancellationToken::new(),
        }
    }

    /// Sets where notices go.
    pub fn report_to(&self, hub: Arc<EventHub>) {
        let _ = self.hub.set(hub);
    }

    /// Reads the file before an edit; `None` if no server checks it.
    pub async fn watch_edit(self: &Arc<Self>, path: &Path) -> Option<WatchedEdit> {
        let server = self.definitions.iter().find(|server| server.matches(path))?.clone();
        let folders = self.launch.workspace.folders();
        let folder =
            folders.iter().filter(|folder| path.starts_with(folder)).max_by_key(|folder| folder.as_os_str().len())?;
        let before = match read_text(path).await {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(_) => return None,
        };
        let root = server.root(path, folder);
        Some(WatchedEdit { servers: self.clone(), server, root, path: path.to_path_buf(), before })
    }

    /// Sends an edit to its server, which is started if needed. False if no call has to wait for the answer: an
    /// earlier edit started the server, and it is not ready yet.
    fn submit(&self, server: &Arc<LanguageServerDefinition>, root: &Path, check: EditCheck) -> bool {
        let mut running = self.running.lock_unpoisoned();
        let key = (server.name.clone(), root.to_path_buf());
        if let Some(handle) = running.get(&key) {
            return handle.checks.send(check).is_ok() && handle.ready.load(Ordering::Relaxed);
        }
        if running.len() >= MAX_SERVERS || self.closed.is_cancelled() {
            return false;
        }
        let (checks, inbox) = mpsc::unbounded_channel();
        let ready = Arc::new(AtomicBool::new(false));
        let hub = self.hub.clone();
        let task = ServerTask {
            definition: server.clone(),
            root: root.to_path_buf(),
            launch: self.launch.clone(),
            ready: ready.clone(),
            closed: self.closed.clone(),
            notice: Arc::new(move |text| {
                if let Some(hub) = hub.get() {
                    hub.emit(EventKind::Notice { level: NoticeLevel::Warning, text: text.to_string() });
                }
            }),
        };
        let sent = checks.send(check).is_ok();
        let task = Some(tokio::spawn(task.run(inbox)));
        running.insert(key, ServerHandle { checks, ready, task });
        sent
    }

    /// Ends all servers; none is left when this returns.
    pub async fn close(&self) {
        self.closed.cancel();
        let tasks: Vec<_> =
            self.running.lock_unpoisoned().values_mut().filter_map(|server| server.task.take()).collect();
        for task in tasks {
            let _ = tokio::time::timeout(CLOSE_TIMEOUT, task).await;
        }
        *self.launch.sandbox.lock_unpoisoned() = None;
    }
}

impl WatchedEdit {
    /// After the edit: waits a moment for the problems that it caused. `None` if there are none or they come too late.
    pub async fn diagnostics(self) -> Option<String> {
        let WatchedEdit { servers, server, root, path, before } = self;
        let after = read_text(&path).await.ok()?;
        if before.as_ref() == Some(&after) {
            return None;
        }
        let deadline = Instant::now() + EDIT_WAIT;
        let (reply, found) = oneshot::channel();
        let check = EditCheck { path: path.clone(), before, after, deadline, reply };
        if !servers.submit(&server, &root, check) {
            return None;
        }
        let found = timeout_at(deadline, found).await.ok()?.ok()?;
        let workspace = &servers.launch.workspace;
        diagnostics::report(&server.name, &path, |path| workspace.display_path(path), found)
    }
}

async fn read_text(path: &Path) -> io::Result<String> {
    let about = tokio::fs::metadata(path).await?;
    if !about.is_file() || about.len() > MAX_TEXT {
        return Err(io::Error::other("not a text file of usual size"));
    }
    tokio::fs::read_to_string(path).await
}
