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
    /// The last requested session is a new one.
    requested_new: bool,
}

impl SessionThread {
    pub fn new(open: SessionOpener) -> SessionThread {
        SessionThread { opener: Some(open), requests: None, requested: false, model: None, requested_new: true }
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
        match self.requested_new {
            true => {
                "No session yet. Start one with /model PROVIDER/NAME, for example /model ollama/qwen3. `cutonce doctor` shows what is \
                 available, `cutonce demo` runs without a key. Press Ctrl+C twice to quit."
            }
            false => "No session. /resume picks one (ctrl+f forks it), /clear starts a new one, ctrl+c twice quits.",
        }
    }

    /// True if a session is open or being opened.
    pub fn is_requested(&self) -> bool {
        self.requested
    }

    pub fn request_open(&mut self, which: SessionSelector, fork: bool) {
        self.requested = true;
        self.requested_new = matches!(which, SessionSelector::New | SessionSelector::NewWithId(_));
        let job = OpenSessionRequest { selector: which, fork, model: self.model.clone() };
        if let Some(jobs) = &self.requests {
            let _ = jobs.send(job);
        }
    }
}

fn thread_error(error: &std::io::Error) -> OpenSessionError {
    OpenSessionError(format!("can't open a session: {error}"))
}
