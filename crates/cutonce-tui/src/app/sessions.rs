//! Sessions live on a thread of their own: whatever opening one or its work costs, keys are read and drawn here.

use crate::Open;
use cutonce_agent::start::{self, Which};
use tokio::sync::mpsc;

pub type Opened = Result<start::Opened, String>;
pub type Job = (Which, bool);

pub struct Home {
    open: Option<Open>,
    jobs: Option<mpsc::UnboundedSender<Job>>,
    asked: bool,
}

impl Home {
    pub fn new(open: Open) -> Home {
        Home { open: Some(open), jobs: None, asked: false }
    }

    /// Begins the thread; a first job, if it is known which session.
    pub fn start(&mut self, first: Option<Job>) -> mpsc::UnboundedReceiver<Opened> {
        let (jobs, mut asked) = mpsc::unbounded_channel::<Job>();
        let (sender, opened) = mpsc::unbounded_channel();
        if let Some(job) = first {
            self.asked = true;
            let _ = jobs.send(job);
        }
        self.jobs = Some(jobs);
        let Some(open) = self.open.take() else { return opened };
        let failed = sender.clone();
        let work = move || {
            let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(sender.send(Err(format!("no session can be opened: {error}")))),
            };
            runtime.block_on(async {
                while let Some((which, fork)) = asked.recv().await {
                    let _ = sender.send(open(which, fork).await);
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

    /// A session is being opened, or was.
    pub fn busy(&self) -> bool {
        self.asked
    }

    pub fn open(&mut self, job: Job) {
        self.asked = true;
        if let Some(jobs) = &self.jobs {
            let _ = jobs.send(job);
        }
    }
}
