//! The shells of a session: the working folder that is kept between calls, and background tasks (TL-8).

mod capture;
mod git;
pub mod held;
mod last;
mod start;
mod stream;
mod task;

pub(crate) use capture::Output;
pub(crate) use start::Bash;
use start::Start;
pub(crate) use stream::Stream;
pub(crate) use task::Task;
pub use task::{TaskState, TaskView};

use crate::spill::{Redact, Redacting};
use crate::workspace::Workspace;
use cutonce_core::permission::Held;
use cutonce_sandbox::{Profile, find_program};
use held::Word;
pub use held::{Sandbox, Workshop};
use last::{Last, OnPrint};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime};
use task::{OnEnd, lock};

/// At most this many run in the background at the same time.
const MOST_RUNNING: usize = 32;

/// How long killed processes may take to be gone before we stop waiting for them.
pub(crate) const DYING: Duration = Duration::from_secs(5);

const NO_SANDBOX: &str = "The command was not started: plan mode holds commands in a sandbox, and there is none here.";
const NO_WORKSHOP: &str = "The command was not started: `sandbox.shell` is on, and this machine can't hold commands in the \
                           workspace-write sandbox. Tell the user: `cutonce doctor` says why.";

/// Dropping it kills everything that runs in the background.
pub struct Shells {
    env: Vec<(OsString, OsString)>,
    timeout: Duration,
    on_end: Mutex<Option<OnEnd>>,
    on_print: Mutex<Option<OnPrint>>,
    redact: Redacting,
    /// None: the root of the workspace.
    folder: Mutex<Option<PathBuf>>,
    tasks: Mutex<Vec<Arc<Task>>>,
    outputs: AtomicUsize,
    /// When the present stay in plan mode began (PM-60).
    stay: Mutex<Option<SystemTime>>,
    /// What holds commands in plan mode; without it none may run held.
    sandbox: Mutex<Option<Arc<Sandbox>>>,
    /// What holds commands in other modes, where the user wants that (SB-4).
    workshop: Mutex<Option<Arc<Workshop>>>,
    /// What holds commands to the mode's word that they only read, or change the workspace only; None where nothing can.
    word: OnceLock<Option<Word>>,
}

impl Shells {
    /// `env` is the whole environment of commands: `cutonce_sandbox::env::scrubbed`.
    pub fn new(env: Vec<(OsString, OsString)>) -> Self {
        Self {
            env: git::without_bare_repositories(env),
            timeout: Duration::from_millis(120_000),
            on_end: Mutex::new(None),
            on_print: Mutex::new(None),
            redact: None,
            folder: Mutex::new(None),
            tasks: Mutex::new(Vec::new()),
            outputs: AtomicUsize::new(0),
            stay: Mutex::new(None),
            sandbox: Mutex::new(None),
            workshop: Mutex::new(None),
            word: OnceLock::new(),
        }
    }
    /// How long a command may run whose call does not say it (`shell.timeoutMs`).
    pub fn default_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
    /// Called with each background task that has ended.
    pub fn on_end(self, tell: impl Fn(TaskView) + Send + Sync + 'static) -> Self {
        self.tell_ends(tell);
        self
    }
    /// The same for shells that are there already.
    pub fn tell_ends(&self, tell: impl Fn(TaskView) + Send + Sync + 'static) {
        *lock(&self.on_end) = Some(Arc::new(tell));
    }

    /// Called with a background task's id and what it printed last, not too often.
    pub fn tell_prints(&self, tell: impl Fn(&str, &str) + Send + Sync + 'static) {
        *lock(&self.on_print) = Some(Arc::new(tell));
    }

    /// What is kept of long outputs goes through this.
    pub fn redacting(mut self, redact: Arc<dyn Redact>) -> Self {
        self.redact = Some(redact);
        self
    }
    /// The same for others that keep what is long.
    pub fn redact(&self) -> Redacting {
        self.redact.clone()
    }

    /// For a subagent: the same environment, and a working folder and background tasks of its own.
    pub fn another(&self) -> Self {
        let mut shells = Self::new(self.env.clone()).default_timeout(self.timeout);
        shells.redact = self.redact.clone();
        *lock(&shells.on_end) = lock(&self.on_end).clone();
        shells
    }

    /// Plan mode was entered: what runs now was started before.
    pub fn stay_began(&self) {
        *lock(&self.stay) = Some(SystemTime::now());
        if let Some(sandbox) = &*lock(&self.sandbox) {
            sandbox.entered();
        }
    }
    /// From now on held commands run in this. Several sessions may share one; it is gone with the last of them.
    pub fn set_sandbox(&self, sandbox: impl Into<Arc<Sandbox>>) {
        *lock(&self.sandbox) = Some(sandbox.into());
    }
    /// What holds commands in plan mode, if there is something: for a subagent.
    pub fn sandbox(&self) -> Option<Arc<Sandbox>> {
        lock(&self.sandbox).clone()
    }
    /// From now on commands that are held in other modes run in this.
    pub fn set_workshop(&self, workshop: Workshop) {
        *lock(&self.workshop) = Some(Arc::new(workshop));
    }
    /// Was it started since plan mode was last entered?
    pub fn in_this_stay(&self, task: &TaskView) -> bool {
        lock(&self.stay).is_some_and(|began| task.since >= began)
    }

    /// The background tasks that run now.
    pub fn running(&self) -> Vec<TaskView> {
        let views = lock(&self.tasks).iter().map(|task| task.view()).collect::<Vec<_>>();
        views.into_iter().filter(|view| view.state == TaskState::Running).collect()
    }
    /// Kill everything in the background, at once.
    pub fn kill_all(&self) {
        lock(&self.tasks).iter().for_each(|task| task.kill());
    }
    /// Kill one command in the background and all it started; why not, where it can't be.
    pub fn stop(&self, id: &str) -> Result<(), String> {
        let Some(task) = self.task(id) else {
            let shown: String = id.chars().filter(|c| !c.is_control()).take(60).collect();
            return Err(format!("There is no task {shown:?}; {}.", self.known()));
        };
        if task.state() != TaskState::Running {
            return Err(format!("{id} has ended already: {}.", task.state()));
        }
        task.kill();
        Ok(())
    }
    /// The session is over: as [`Shells::kill_all`], wait until they are gone, and remove the private folder. Not before:
    /// whoever still dies may make files there. Not later: the program may end at any moment after this.
    pub async fn end_all(&self) {
        self.kill_all();
        let tasks = lock(&self.tasks).clone();
        for task in tasks {
            let _ = tokio::time::timeout(DYING, task.ended()).await;
        }
        *lock(&self.sandbox) = None;
        *lock(&self.workshop) = None;
    }
    /// The folder in which the next command starts.
    pub fn folder(&self, workspace: &Workspace) -> PathBuf {
        lock(&self.folder).clone().unwrap_or_else(|| workspace.root.clone())
    }

    /// Where commands look for programs.
    pub(crate) fn path(&self) -> &OsStr {
        self.env.iter().find(|(name, _)| name == "PATH").map_or(OsStr::new(""), |(_, path)| path)
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    pub(crate) fn task(&self, id: &str) -> Option<Arc<Task>> {
        lock(&self.tasks).iter().find(|task| task.id == id).cloned()
    }

    /// `bash_1 (running), bash_2 (exited with code 0)`, for an id that is none of them.
    pub(crate) fn known(&self) -> String {
        let tasks = lock(&self.tasks);
        match tasks.as_slice() {
            [] => "no command was started in the background".into(),
            tasks => {
                let known: Vec<_> = tasks.iter().map(|task| format!("{} ({})", task.id, task.state())).collect();
                format!("known: {}", known.join(", "))
            }
        }
    }

    /// A name for the file of a long output.
    pub(crate) fn next_output(&self) -> String {
        format!("bash-output-{}", self.outputs.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Start a command whose end is waited for. It says where it ended: hand that to `settle`.
    pub(crate) fn start(&self, command: &str, held: Held, workspace: &Workspace) -> Result<Bash, String> {
        self.starting(command, held, workspace)?.run(command, Some(workspace))
    }

    pub(crate) fn start_task(&self, command: &str, held: Held, workspace: &Workspace) -> Result<Arc<Task>, String> {
        if self.running().len() >= MOST_RUNNING {
            return Err(format!(
                "{MOST_RUNNING} commands run in the background already: end some with KillShell first."
            ));
        }
        let bash = self.starting(command, held, workspace)?.run(command, None)?;
        let mut tasks = lock(&self.tasks);
        let id = format!("bash_{}", tasks.len() + 1);
        let last = Last::new(id.clone(), lock(&self.on_print).clone());
        let ends = (lock(&self.on_end).clone(), self.redact.clone());
        let task = Task::begin((id, command.into()), workspace.own.clone(), bash, last, ends);
        tasks.push(task.clone());
        Ok(task)
    }

    /// A held command runs in the sandbox or not at all (SB-3).
    fn starting(&self, command: &str, held: Held, workspace: &Workspace) -> Result<Start, String> {
        let bash = find_program("bash", &self.env)
            .ok_or("The command was not started: there is no bash on the PATH. Tell the user to install it.")?;
        let folder = self.folder(workspace);
        match held {
            Held::Parsed => {
                let env = self.env.clone();
                Ok(Start { bash, env, folder, profile: Profile::Open, scratch: false, tmp: None })
            }
            Held::Sandbox => {
                let sandbox = lock(&self.sandbox).clone();
                let sandbox = sandbox.ok_or(NO_SANDBOX)?;
                let (profile, scratch) = sandbox.profile(command, workspace);
                let tmp = Some(sandbox.tmp());
                Ok(Start { bash, env: sandbox.env(&self.env), folder, profile, scratch, tmp })
            }
            Held::Workspace => {
                let workshop = lock(&self.workshop).clone();
                let workshop = workshop.ok_or(NO_WORKSHOP)?;
                let (profile, tmp) = (workshop.profile(workspace), Some(workshop.tmp()));
                Ok(Start { bash, env: workshop.env(&self.env), folder, profile, scratch: false, tmp })
            }
            Held::Reads | Held::Files => {
                let word = self.word.get_or_init(Word::new).as_ref();
                let held = word.and_then(|word| Some((word.profile(held, workspace)?, word)));
                let Some((profile, word)) = held else { return self.starting(command, Held::Parsed, workspace) };
                Ok(Start { bash, env: word.env(&self.env), folder, profile, scratch: false, tmp: Some(word.tmp()) })
            }
            Held::Off => Err(NO_SANDBOX.into()),
        }
    }

    /// The kept folder may be gone since the last command: back to the root then, and say so.
    pub(crate) fn check_folder(&self, workspace: &Workspace) -> Option<String> {
        let mut kept = lock(&self.folder);
        let gone = kept.take_if(|folder| !folder.is_dir())?;
        let root = workspace.root.display();
        Some(format!("The working folder {} is gone; this ran in {root}.", gone.display()))
    }

    /// Keep the folder in which a command ended; what to say about it.
    pub(crate) fn settle(&self, ended_in: Option<PathBuf>, workspace: &Workspace) -> Option<String> {
        let before = self.folder(workspace);
        let ended_in = ended_in.filter(|folder| *folder != before)?;
        // A command can write to the pipe itself: a name that it made up must not pass for another folder than it leads to.
        let ended_in = ended_in.canonicalize().unwrap_or(ended_in);
        if ended_in == before {
            return None;
        }
        let root = workspace.root.display();
        let inside = workspace.folders().iter().any(|folder| ended_in.starts_with(folder));
        let mut kept = lock(&self.folder);
        if !inside {
            *kept = None;
            let outside = ended_in.display();
            return Some(format!("{outside} is outside the workspace: the working folder is {root} again."));
        }
        if !ended_in.is_dir() {
            *kept = None;
            return Some(format!("{} is gone: the working folder is {root} again.", ended_in.display()));
        }
        let note = format!("The working folder is now {}.", ended_in.display());
        *kept = Some(ended_in);
        Some(note)
    }
}

impl Drop for Shells {
    fn drop(&mut self) {
        self.kill_all();
    }
}
