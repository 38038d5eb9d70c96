//! The conversation with one running server: files in, diagnostics out.

use super::definition::LanguageServerDefinition;
use super::diagnostics::FileDiagnostic;
use super::documents::OpenDocuments;
use super::error::ServerFailure;
use super::framing::{FloodMeter, frame, read_frame};
use super::messages::{self, PUBLISH, PULL, STATUS, ServerMessage};
use crate::file_url::{file_url, path_of_url};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

/// How long a server may take to answer the first request.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the server may work on an edit before the next one is sent, even if no call waits any longer.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long it may work on a file that it sees for the first time.
const FIRST_PATIENCE: Duration = Duration::from_secs(20);
/// Servers send diagnostics in several messages; after this time without one they are complete.
const QUIET: Duration = Duration::from_millis(200);
/// How long to wait before asking again if a server was busy.
const RETRY: Duration = Duration::from_millis(100);
/// After this many edits in a row without an answer in time, edits no longer wait for the server.
const MAX_LATE: u32 = 5;
/// Open files about which a server is asked after an edit.
const MAX_PULLS: usize = 8;
/// Messages that wait to be handled.
const BACKLOG: usize = 4;

/// An edit that a server checks.
pub(super) struct EditCheck {
    pub path: PathBuf,
    /// The text before the edit; `None` if the file is new.
    pub before: Option<String>,
    pub after: String,
    /// Until when the edit waits.
    pub deadline: Instant,
    pub reply: oneshot::Sender<Vec<(PathBuf, FileDiagnostic)>>,
}

/// A conversation with a server.
pub(super) struct Connection {
    definition: Arc<LanguageServerDefinition>,
    root: PathBuf,
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    incoming: mpsc::Receiver<Result<Vec<u8>, ServerFailure>>,
    /// Read and write; they end with the conversation.
    _tasks: JoinSet<()>,
    last_id: i64,
    /// The answer to the first request.
    greeting: Option<Result<Value, Value>>,
    /// True if the server answers requests for diagnostics; else it sends them by itself.
    pulls: bool,
    /// True while the server loads the project: what it says is incomplete.
    loading: bool,
    documents: OpenDocuments,
    pending_pulls: HashMap<i64, PathBuf>,
    /// A file to ask about again, because the server was busy.
    retry: Option<(Instant, PathBuf)>,
    late: u32,
    /// True once it sent a message.
    pub spoke: bool,
    /// True if an edit may wait for an answer.
    ready: Arc<AtomicBool>,
}

impl Connection {
    pub fn new(
        definition: Arc<LanguageServerDefinition>,
        root: PathBuf,
        (stdin, stdout): (pipe::Sender, pipe::Receiver),
        ready: Arc<AtomicBool>,
    ) -> Connection {
        let (outgoing, sent) = mpsc::unbounded_channel();
        let (received, incoming) = mpsc::channel(BACKLOG);
        let mut tasks = JoinSet::new();
        tasks.spawn(write_messages(stdin, sent));
        tasks.spawn(read_messages(stdout, received));
        Connection {
            definition,
            root,
            outgoing,
            incoming,
            _tasks: tasks,
            last_id: 0,
            greeting: None,
            pulls: false,
            loading: false,
            documents: OpenDocuments::default(),
            pending_pulls: HashMap::new(),
            retry: None,
            late: 0,
            spoke: false,
            ready,
        }
    }

    /// Makes the server ready for files.
    pub async fn initialize(&mut self) -> Result<(), ServerFailure> {
        self.send(&messages::request(0, "initialize", messages::initialize(&self.definition, &self.root)));
        let limit = Instant::now() + START_TIMEOUT;
        while self.greeting.is_none() {
            let next = timeout_at(limit, self.incoming.recv()).await;
            self.handle(next.map_err(|_| ServerFailure::NoAnswer(START_TIMEOUT.as_secs()))?)?;
        }
        let result = match self.greeting.take() {
            Some(Ok(result)) if result.is_object() => result,
            _ => return Err(ServerFailure::Nonsense("no valid answer to `initialize`".into())),
        };
        let offered = result.pointer("/capabilities/diagnosticProvider");
        self.pulls |= offered.is_some_and(Value::is_object);
        self.loading = result.pointer("/serverInfo/name").and_then(Value::as_str) == Some("rust-analyzer");
        self.send(&messages::notification("initialized", json!({})));
        let settings = json!({"settings": self.definition.options});
        self.send(&messages::notification("workspace/didChangeConfiguration", settings));
        Ok(())
    }

    /// True if the server is expected to report something, so that edits wait for it.
    pub fn check_ready(&self) -> bool {
        self.ready.store(!self.loading, Ordering::Relaxed);
        !self.loading
    }

    /// Waits for the next message and handles it. Cancel-safe.
    pub async fn next(&mut self) -> Result<(), ServerFailure> {
        let next = self.incoming.recv().await;
        self.handle(next)
    }

    /// Shows an edit to the server and replies with what is new.
    pub async fn check(&mut self, check: EditCheck) -> Result<(), ServerFailure> {
        let EditCheck { path, before, after, deadline, reply } = check;
        let was_late = deadline <= Instant::now();
        let limit = || deadline.max(Instant::now() + PATIENCE);
        match before {
            _ if self.documents.is_open(&path) => self.change(&path, &after),
            None => {
                self.send(&messages::created(&path));
                self.open(&path, &after);
            }
            Some(before) => {
                self.open(&path, &before);
                self.wait_for_known(&path, deadline).await?;
                self.change(&path, &after);
            }
        }
        let answered = self.wait_for_diagnostics(&path, limit()).await?;
        let found = self.documents.new_diagnostics();
        // What could not be reported stays new: the next edit reports it.
        if answered && reply.send(found).is_ok() {
            self.documents.accept_all();
            self.late = 0;
        } else if !was_late {
            self.late += 1;
        }
        if self.late >= MAX_LATE { Err(ServerFailure::Slow(MAX_LATE)) } else { Ok(()) }
    }

    fn open(&mut self, path: &Path, text: &str) {
        let (version, over) = self.documents.edit(path, text);
        self.send(&messages::opened(path, version, text));
        if let Some(over) = over {
            self.send(&messages::closed(&over));
        }
    }

    fn change(&mut self, path: &Path, text: &str) {
        let (version, _) = self.documents.edit(path, text);
        messages::changed(path, version, text).iter().for_each(|message| self.send(message));
    }

    /// Waits for what is wrong with a file before its first edit. That may take long: the edit does not wait for it.
    async fn wait_for_known(&mut self, path: &Path, deadline: Instant) -> Result<(), ServerFailure> {
        if !self.wait_for_diagnostics(path, deadline).await? {
            self.ready.store(false, Ordering::Relaxed);
            self.wait_for_diagnostics(path, Instant::now() + FIRST_PATIENCE).await?;
        }
        self.documents.accept(path);
        Ok(())
    }

    /// Waits until the server has said what it has to say about this file; false if it did not until `limit`.
    async fn wait_for_diagnostics(&mut self, path: &Path, limit: Instant) -> Result<bool, ServerFailure> {
        if self.pulls {
            self.pull_open_files();
        }
        loop {
            let answered = self.documents.answered(path);
            let complete = match answered {
                Some(_) if self.pulls && self.pending_pulls.is_empty() => return Ok(true),
                Some(at) => (at + QUIET).min(limit),
                None => limit,
            };
            let now = Instant::now();
            if now >= complete {
                return Ok(answered.is_some());
            }
            if let Some((_, path)) = self.retry.take_if(|(at, _)| *at <= now) {
                self.pull(&path);
            }
            let wake = self.retry.as_ref().map_or(complete, |(at, _)| complete.min(*at));
            if let Ok(next) = timeout_at(wake, self.incoming.recv()).await {
                self.handle(next)?;
            }
        }
    }

    /// Asks about the open files: an edit may break others.
    fn pull_open_files(&mut self) {
        self.pending_pulls.clear();
        self.retry = None;
        for path in self.documents.paths().iter().take(MAX_PULLS) {
            self.pull(path);
        }
    }

    fn pull(&mut self, path: &Path) {
        self.last_id += 1;
        self.pending_pulls.insert(self.last_id, path.to_path_buf());
        let params = json!({"textDocument": {"uri": file_url(path)}});
        self.send(&messages::request(self.last_id, PULL, params));
    }

    fn send(&self, message: &Value) {
        // A closed channel shows when reading.
        let _ = self.outgoing.send(frame(message));
    }

    fn handle(&mut self, received: Option<Result<Vec<u8>, ServerFailure>>) -> Result<(), ServerFailure> {
        let bytes = received.unwrap_or(Err(ServerFailure::Closed))?;
        let message: ServerMessage = serde_json::from_slice(&bytes)
            .map_err(|_| ServerFailure::Nonsense("a message that can't be read".into()))?;
        self.spoke = true;
        match (&message.method, &message.id) {
            (Some(method), Some(id)) => self.answer(method, id, &message.params),
            (Some(method), None) => self.notified(method, &message.params),
            (None, Some(id)) => {
                let id = id.as_i64();
                self.responded(id, message);
            }
            (None, None) => {}
        }
        Ok(())
    }

    fn answer(&mut self, method: &str, id: &Value, params: &Value) {
        self.pulls |= method == "client/registerCapability" && messages::registers_pull(params);
        let reply = match messages::answer(method, params, &self.definition, &self.root) {
            Some(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            None => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "cutonce does not support this"}})
            }
        };
        self.send(&reply);
    }

    fn notified(&mut self, method: &str, params: &Value) {
        match method {
            PUBLISH => {
                let Some(path) = params.get("uri").and_then(Value::as_str).and_then(path_of_url) else { return };
                let version = params.get("version").and_then(Value::as_i64);
                let list = params.get("diagnostics").map(FileDiagnostic::read_list).unwrap_or_default();
                self.documents.pushed(&path, version, list);
            }
            STATUS => self.loading = params.get("quiescent").and_then(Value::as_bool) == Some(false),
            _ => {}
        }
    }

    fn responded(&mut self, id: Option<i64>, message: ServerMessage) {
        let result = match message.error {
            Some(error) => Err(error),
            None => Ok(message.result),
        };
        if id == Some(0) {
            self.greeting = Some(result);
            return;
        }
        let Some(path) = id.and_then(|id| self.pending_pulls.remove(&id)) else { return };
        match result {
            Ok(result) => self.documents.pulled(&path, result.get("items").map(FileDiagnostic::read_list)),
            Err(_) => self.retry = Some((Instant::now() + RETRY, path)),
        }
    }
}

/// Writes in a task of its own: a server that does not read must not keep us from reading.
async fn write_messages(mut stdin: pipe::Sender, mut messages: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(message) = messages.recv().await {
        if stdin.write_all(&message).await.is_err() {
            return;
        }
    }
}

async fn read_messages(stdout: pipe::Receiver, received: mpsc::Sender<Result<Vec<u8>, ServerFailure>>) {
    let (mut reader, mut meter) = (BufReader::new(stdout), FloodMeter::new());
    loop {
        let next = match read_frame(&mut reader).await {
            Ok(Some(bytes)) => meter.add(bytes.len()).map(|()| bytes),
            Ok(None) => Err(ServerFailure::Closed),
            Err(failure) => Err(failure),
        };
        let ends = next.is_err();
        if received.send(next).await.is_err() || ends {
            return;
        }
    }
}
