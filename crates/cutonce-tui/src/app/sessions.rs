//! Sessions live on a thread of their own: whatever opening one or its work costs, keys are read and drawn here.

use crate::{Job, Open};
use cutonce_agent::start::{self, Which};
use tokio::sync::mpsc;

pub type Opened = Result<start::Opened, String>;

pub struct Home {
    open: Option<Open>,
    jobs: Option<mpsc::UnboundedSender<Job>>,
    asked: bool,
    /// Chosen while there was no session that could be told.
    pub model: Option<String>,
    /// The session asked for last is a new one.
    new: bool,
}

impl Home {
    pub fn new(open: Open) -> Home {
        Home { open: Some(open), jobs: None, asked: false, model: None, new: true }
    }

    /// Begins the thread; a first job, if it is known which session.
    pub fn start(&mut self, first: Option<(Which, bool)>) -> mpsc::UnboundedReceiver<Opened> {
        let (jobs, mut asked) = mpsc::unbounded_channel::<Job>();
        let (sender, opened) = mpsc::unbounded_channel();
        self.jobs = Some(jobs);
        if let Some((which, fork)) = first {
            self.open(which, fork);
        }
        let Some(open) = self.open.take() else { return opened };
        let failed = sender.clone();
        let work = move || {
            let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(sender.send(Err(format!("no session can be opened: {error}")))),
            };
            runtime.block_on(async {
                while let Some(job) = asked.recv().await {
                    let _ = sender.send(open(job).await);
                }
            });
            // What still runs must not hold the end of the program.
            runtime.shutdown_background();
        };
        if let Err(error) = std::thread::Builder::new().name("session".into()).spawn(work) {
            let _ = failed.send(Err(format!("no session can be opened: {error}")));
        }
        opened
    }

    /// There is no session: what leads to one.
    pub fn way_out(&self) -> &'static str {
        match self.new {
            true => {
                "There is no session yet: /model PROVIDER/NAME opens one, such as /model ollama/qwen3. `cutonce doctor` says what is \
                 there, `cutonce demo` shows it at work without a key. Ctrl+C twice leaves."
            }
            false => {
                "There is no session: /resume picks one (ctrl+f there: a copy), /clear begins a new one, ctrl+c twice leaves."
            }
        }
    }

    /// A session is being opened, or was.
    pub fn busy(&self) -> bool {
        self.asked
    }

    pub fn open(&mut self, which: Which, fork: bool) {
        self.asked = true;
        self.new = matches!(which, Which::New | Which::NewWithId(_));
        let job = Job { which, fork, model: self.model.clone() };
        if let Some(jobs) = &self.jobs {
            let _ = jobs.send(job);
        }
    }
}
