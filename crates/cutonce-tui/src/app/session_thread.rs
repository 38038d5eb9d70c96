//! Runs sessions on their own thread, so that opening or running one never blocks keys and drawing.

use crate::{OpenSessionError, OpenSessionRequest, SessionOpener};
use cutonce_agent::builder::{self, SessionSelector};
use tokio::sync::mpsc;

pub type OpenResult = Result<builder::OpenedSession, OpenSessionError>;

pub struct SessionThread {
    opener: Option<SessionOpener>,
    requests: Option<mpsc::UnboundedSender<OpenSessionRequest>>,
    requested: bool,
    /// Model chosen while no session was open.
    pub model: Option<String>,
    /// The last requested session.
    last_request: Option<(SessionSelector, bool)>,
}

impl SessionThread {
    pub fn new(open: SessionOpener) -> SessionThread {
        SessionThread { opener: Some(open), requests: None, requested: false, model: None, last_request: None }
    }

    /// Starts the session thread and opens the first session, if it is known.
    pub fn spawn(&mut self, first: Option<(SessionSelector, bool)>) -> mpsc::UnboundedReceiver<OpenResult> {
        let (jobs, mut asked) = mpsc::unbounded_channel::<OpenSessionRequest>();
        let (sender, opened) = mpsc::unbounded_channel();
        self.requests = Some(jobs);
        if let Some((which, fork)) = first {
            self.request_open(which, fork);
        }
        let Some(open) = self.opener.take() else { return opened };
        let failed = sender.clone();
        let work = move || {
            let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(sender.send(Err(thread_error(&error)))),
            };
            runtime.block_on(async {
                while let Some(job) = asked.recv().await {
                    let _ = sender.send(open(job).await);
                }
            });
            // Running tasks must not delay the exit of the program.
            runtime.shutdown_background();
        };
        if let Err(error) = std::thread::Builder::new().name("session".into()).spawn(work) {
            let _ = failed.send(Err(thread_error(&error)));
        }
        opened
    }

    /// Help text that explains how to open a session.
    pub fn no_session_help(&self) -> &'static str {
        match self.last_request {
            None | Some((SessionSelector::New | SessionSelector::NewWithId(_), _)) => {
                "No session yet. /setup chooses a provider and stores a key; /model PROVIDER/NAME starts one, for example \
                 /model ollama/qwen3. Press Ctrl+C twice to quit."
            }
            Some(_) => "No session. /resume picks one (ctrl+f forks it), /clear starts a new one, ctrl+c twice quits.",
        }
    }

    /// True if a session is open or being opened.
    pub fn is_requested(&self) -> bool {
        self.requested
    }

    /// Requests the same session again, with another model.
    pub fn retry_open(&mut self, model: String) {
        self.model = Some(model);
        let (which, fork) = self.last_request.clone().unwrap_or((SessionSelector::New, false));
        self.request_open(which, fork);
    }

    pub fn request_open(&mut self, which: SessionSelector, fork: bool) {
        self.requested = true;
        self.last_request = Some((which.clone(), fork));
        let job = OpenSessionRequest { selector: which, fork, model: self.model.clone() };
        if let Some(jobs) = &self.requests {
            let _ = jobs.send(job);
        }
    }
}

fn thread_error(error: &std::io::Error) -> OpenSessionError {
    OpenSessionError { message: format!("can't open a session: {error}"), needs_setup: false }
}
