//! The shells of a session: the working folder kept between calls, and background tasks (TL-8).

mod capture;
pub(super) mod git;
mod last_line;
mod start;
mod stream;
mod task;

use crate::tool::ToolError;
pub(crate) use capture::CommandOutput;
use cutonce_core::sync::LockUnpoisoned;
use start::BashStart;
pub(crate) use start::RunningBash;
pub(crate) use stream::OutputStream;
pub(crate) use task::BackgroundTask;
pub use task::{TaskState, TaskView};

use crate::disk::FileAccess;
use crate::shell::changes::{CallScope, ComparedPlace, ScopeSandbox, ScopedCommand, WorkspaceComparison};
use crate::shell::confine::{
    AutoRunSandbox, ConfinedCommand, PlanSandbox, PlanSandboxOptions, SandboxUnavailable, StartRequest,
    WorkspaceSandbox, may_create_protected, private_folder,
};
use crate::shell::protected_record::{ProtectedRecord, ProtectedWatch};
use crate::spill::{OptionalRedactor, StreamRedactor};
use crate::workspace::Workspace;
use cutonce_core::permission::ShellConfinement;
use cutonce_sandbox::{ResourceLimits, SandboxProfile, find_program};
use last_line::{LastLine, OnPrint};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use task::OnEnd;

/// Maximum number of commands running in the background.
const MAX_RUNNING: usize = 32;

/// How long to wait for killed processes to be gone.
pub(crate) const KILL_TIMEOUT: Duration = Duration::from_secs(5);

const NO_SHELL: &str = "The command was not started: the shell is switched off in plan mode.";
const NO_WORKSPACE_SANDBOX: &str = "The command was not started: `sandbox.shell` is on, and this machine can't confine commands to the \
                           workspace-write sandbox. Tell the user: `cutonce doctor` says why.";

fn not_confined(why: &SandboxUnavailable) -> ToolError {
    format!("The command was not started, because the sandbox can't confine it: {why}. `cutonce doctor` says more.")
        .into()
}

fn not_recorded(why: &std::io::Error) -> ToolError {
    format!("The command was not started: cutonce's home could not store which protected files exist: {why}.").into()
}

fn no_comparison(why: &std::io::Error) -> ToolError {
    format!(
        "The command was not started: the approved plan has a scope, and this machine can neither keep commands in it nor compare the workspace: {why}. The user can set `plan.scope` to \"off\"; `cutonce doctor` says more."
    )
    .into()
}

/// The shells of a session. Dropping it kills everything that runs in the background.
pub struct SessionShells {
    env: Vec<(OsString, OsString)>,
    timeout: Duration,
    on_end: Mutex<Option<OnEnd>>,
    on_print: Mutex<Option<OnPrint>>,
    redact: OptionalRedactor,
    /// `None`: the root of the workspace.
    folder: Mutex<Option<PathBuf>>,
    tasks: Mutex<Vec<Arc<BackgroundTask>>>,
    outputs: AtomicUsize,
    /// Start of the current plan mode visit (PM-60).
    plan_visit_start: Mutex<Option<SystemTime>>,
    /// Sandbox for commands in plan mode; without it no confined command may run. The options are for the next attempt
    /// to create it (SB-3).
    plan_sandbox: Mutex<Option<Arc<PlanSandbox>>>,
    plan_sandbox_options: Mutex<PlanSandboxOptions>,
    /// Sandbox for commands in other modes, if the user enabled it (SB-4).
    workspace_sandbox: Mutex<Option<Arc<WorkspaceSandbox>>>,
    /// Sandbox for commands that run without asking; `None` until the first one, or if this machine has none.
    auto_run_sandbox: Mutex<Option<Arc<AutoRunSandbox>>>,
    /// Layers of commands under the scope of a plan; `None` until the first one (PC-21).
    scope_sandbox: Mutex<Option<Arc<ScopeSandbox>>>,
    has_layers: bool,
    /// Compares the workspace where there are no layers (PC-22).
    comparison: Arc<WorkspaceComparison>,
    /// Protected names in the workspace (SB-4).
    protected: Arc<ProtectedRecord>,
    /// Limits of confined commands (SB-7).
    limits: ResourceLimits,
    /// Wakes foreground commands that the user puts into the background (DU-7).
    to_background: tokio::sync::Notify,
}

impl SessionShells {
    /// Creates the shells. `env` is the whole environment of commands: `cutonce_sandbox::env::scrubbed`.
    pub fn new(env: Vec<(OsString, OsString)>) -> Self {
        Self {
            env: git::reject_bare_repositories(env),
            timeout: Duration::from_millis(120_000),
            on_end: Mutex::new(None),
            on_print: Mutex::new(None),
            redact: None,
            folder: Mutex::new(None),
            tasks: Mutex::new(Vec::new()),
            outputs: AtomicUsize::new(0),
            plan_visit_start: Mutex::new(None),
            plan_sandbox: Mutex::new(None),
            plan_sandbox_options: Mutex::new(PlanSandboxOptions::default()),
            workspace_sandbox: Mutex::new(None),
            auto_run_sandbox: Mutex::new(None),
            scope_sandbox: Mutex::new(None),
            has_layers: true,
            comparison: Arc::default(),
            protected: Arc::default(),
            limits: ResourceLimits::default(),
            to_background: tokio::sync::Notify::new(),
        }
    }
    /// Sets the timeout of commands whose call gives none (`shell.timeoutMs`).
    pub fn default_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
    /// Compares the workspace for commands under a scope even where the kernel has layers (PC-22).
    pub fn without_layers(mut self) -> Self {
        self.has_layers = false;
        self
    }
    /// Sets the limits of confined commands.
    pub fn with_limits(mut self, limits: ResourceLimits) -> Self {
        self.limits = limits;
        self
    }
    /// Sets the callback for ended background tasks.
    pub fn on_end(self, tell: impl Fn(TaskView) + Send + Sync + 'static) -> Self {
        self.set_on_end(tell);
        self
    }
    /// Sets the callback for ended background tasks on existing shells.
    pub fn set_on_end(&self, tell: impl Fn(TaskView) + Send + Sync + 'static) {
        *self.on_end.lock_unpoisoned() = Some(Arc::new(tell));
    }

    /// Sets the callback for a background task's id and last output line; calls are throttled.
    pub fn set_on_print(&self, tell: impl Fn(&str, &str) + Send + Sync + 'static) {
        *self.on_print.lock_unpoisoned() = Some(Arc::new(tell));
    }

    /// Sets the redactor for stored long outputs.
    pub fn with_redactor(mut self, redact: Arc<dyn StreamRedactor>) -> Self {
        self.redact = Some(redact);
        self
    }
    /// Returns the redactor, for others that store long text.
    pub fn redactor(&self) -> OptionalRedactor {
        self.redact.clone()
    }

    /// Creates shells for a subagent: the same environment, but its own working folder and background tasks.
    pub fn for_subagent(&self) -> Self {
        let mut shells = Self::new(self.env.clone()).default_timeout(self.timeout).with_limits(self.limits);
        shells.redact = self.redact.clone();
        (shells.has_layers, shells.comparison) = (self.has_layers, self.comparison.clone());
        shells.protected = self.protected.clone();
        *shells.on_end.lock_unpoisoned() = self.on_end.lock_unpoisoned().clone();
        shells
    }

    /// Notes that plan mode was entered: everything running now was started before.
    pub fn enter_plan_mode(&self) {
        *self.plan_visit_start.lock_unpoisoned() = Some(SystemTime::now());
        if let Some(sandbox) = &*self.plan_sandbox.lock_unpoisoned() {
            sandbox.start_visit();
        }
    }
    /// Sets the plan mode sandbox. Sessions may share one; it is removed with the last of them.
    pub fn set_plan_sandbox(&self, sandbox: impl Into<Arc<PlanSandbox>>) {
        *self.plan_sandbox.lock_unpoisoned() = Some(sandbox.into());
    }
    /// Creates the plan mode sandbox; the error says why it can't. The next command in plan mode tries again.
    pub fn create_plan_sandbox(&self, options: PlanSandboxOptions) -> Result<Arc<PlanSandbox>, SandboxUnavailable> {
        *self.plan_sandbox_options.lock_unpoisoned() = options;
        self.existing_or_new_plan_sandbox()
    }
    fn existing_or_new_plan_sandbox(&self) -> Result<Arc<PlanSandbox>, SandboxUnavailable> {
        let mut sandbox = self.plan_sandbox.lock_unpoisoned();
        if let Some(sandbox) = &*sandbox {
            return Ok(sandbox.clone());
        }
        let made = Arc::new(PlanSandbox::new(self.plan_sandbox_options.lock_unpoisoned().clone())?);
        *sandbox = Some(made.clone());
        Ok(made)
    }
    /// Returns the plan mode sandbox, if any, for a subagent.
    pub fn plan_sandbox(&self) -> Option<Arc<PlanSandbox>> {
        self.plan_sandbox.lock_unpoisoned().clone()
    }
    /// Sets the sandbox for confined commands in other modes.
    pub fn set_workspace_sandbox(&self, workshop: WorkspaceSandbox) {
        *self.workspace_sandbox.lock_unpoisoned() = Some(Arc::new(workshop));
    }
    /// True if the task was started since plan mode was last entered.
    pub fn started_since_entry(&self, task: &TaskView) -> bool {
        self.plan_visit_start.lock_unpoisoned().is_some_and(|began| task.since >= began)
    }

    /// Returns the running background tasks.
    pub fn running_tasks(&self) -> Vec<TaskView> {
        let views = self.tasks.lock_unpoisoned().iter().map(|task| task.view()).collect::<Vec<_>>();
        views.into_iter().filter(|view| view.state == TaskState::Running).collect()
    }
    /// Kills everything in the background.
    pub fn kill_all(&self) {
        self.tasks.lock_unpoisoned().iter().for_each(|task| task.kill());
    }
    /// Kills one background command and everything it started; the error says why it can't.
    pub fn kill_task(&self, id: &str) -> Result<(), ToolError> {
        let Some(task) = self.task(id) else {
            let shown: String = id.chars().filter(|c| !c.is_control()).take(60).collect();
            return Err(format!("There is no task {shown:?}; {}.", self.list_tasks()).into());
        };
        if task.state() != TaskState::Running {
            return Err(format!("{id} has ended already: {}.", task.state()).into());
        }
        task.kill();
        Ok(())
    }
    /// Ends the session: like `kill_all`, then waits until they are gone and removes the private folder. Not
    /// earlier: dying processes may still create files there. Not later: the program may exit right after this.
    pub async fn end_all(&self) {
        self.kill_all();
        let tasks = self.tasks.lock_unpoisoned().clone();
        for task in tasks {
            let _ = tokio::time::timeout(KILL_TIMEOUT, task.wait_for_end()).await;
        }
        *self.plan_sandbox.lock_unpoisoned() = None;
        *self.workspace_sandbox.lock_unpoisoned() = None;
        *self.scope_sandbox.lock_unpoisoned() = None;
    }
    /// Returns the folder in which the next command starts.
    pub fn working_folder(&self, workspace: &Workspace) -> PathBuf {
        self.folder.lock_unpoisoned().clone().unwrap_or_else(|| workspace.root.clone())
    }

    /// Returns the PATH of commands.
    pub(crate) fn program_path(&self) -> &OsStr {
        self.env.iter().find(|(name, _)| name == "PATH").map_or(OsStr::new(""), |(_, path)| path)
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    pub(crate) fn task(&self, id: &str) -> Option<Arc<BackgroundTask>> {
        self.tasks.lock_unpoisoned().iter().find(|task| task.id == id).cloned()
    }

    /// Lists the known tasks for an unknown id: `bash_1 (running), bash_2 (exited with code 0)`.
    pub(crate) fn list_tasks(&self) -> String {
        let tasks = self.tasks.lock_unpoisoned();
        match tasks.as_slice() {
            [] => "no command was started in the background".into(),
            tasks => {
                let known: Vec<_> = tasks.iter().map(|task| format!("{} ({})", task.id, task.state())).collect();
                format!("known: {}", known.join(", "))
            }
        }
    }

    /// Returns a name for the file of a long output.
    pub(crate) fn next_output_name(&self) -> String {
        format!("bash-output-{}", self.outputs.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Starts a command to wait for, on a layer if there is a scope. It reports its final folder: pass that to
    /// `store_folder`.
    pub(crate) async fn start_command(
        &self,
        command: &str,
        held: ShellConfinement,
        workspace: &Workspace,
        scope: Option<CallScope>,
    ) -> Result<(RunningBash, Option<ScopedCommand>), ToolError> {
        let start = StartRequest { command, background: false, limits: self.limits };
        let (start, layer) = self.prepare_start(&start, held, workspace, scope).await?;
        Ok((start.spawn_bash(command, Some(workspace))?, layer))
    }

    /// Starts a command in the background. Its layer is compared when it ends, and nothing outside the scope is
    /// applied: then no one waits to be asked.
    pub(crate) async fn start_task(
        &self,
        command: &str,
        held: ShellConfinement,
        workspace: &Workspace,
        (scope, disk): (Option<CallScope>, &FileAccess),
    ) -> Result<Arc<BackgroundTask>, ToolError> {
        if self.running_tasks().len() >= MAX_RUNNING {
            return Err(format!("{MAX_RUNNING} commands run in the background already: end some first.").into());
        }
        let start = StartRequest { command, background: true, limits: self.limits };
        let scope = scope.map(|scope| CallScope { review: None, ..scope });
        let (start, layer) = self.prepare_start(&start, held, workspace, scope).await?;
        let bash = start.spawn_bash(command, None)?;
        Ok(self.adopt(command, (bash, layer), (workspace, disk)))
    }

    /// Makes a running bash a background task.
    pub(crate) fn adopt(
        &self,
        command: &str,
        bash: (RunningBash, Option<ScopedCommand>),
        (workspace, disk): (&Workspace, &FileAccess),
    ) -> Arc<BackgroundTask> {
        let mut tasks = self.tasks.lock_unpoisoned();
        let id = format!("bash_{}", tasks.len() + 1);
        let last = LastLine::new(id.clone(), self.on_print.lock_unpoisoned().clone());
        let ends = (self.on_end.lock_unpoisoned().clone(), self.redact.clone());
        let place = (workspace.session_folder.clone(), disk.clone());
        let task = BackgroundTask::take_over((id, command.into()), place, bash, last, ends);
        tasks.push(task.clone());
        task
    }

    /// Moves all commands that run in the foreground now to the background (DU-7).
    pub fn move_to_background(&self) {
        self.to_background.notify_waiters();
    }

    /// Ends when the user moves the foreground commands to the background.
    pub(crate) async fn background_requested(&self) {
        self.to_background.notified().await;
    }

    /// Prepares a start. A confined command runs in the sandbox or not at all (SB-3).
    async fn prepare_start(
        &self,
        start: &StartRequest<'_>,
        held: ShellConfinement,
        workspace: &Workspace,
        scope: Option<CallScope>,
    ) -> Result<(BashStart, Option<ScopedCommand>), ToolError> {
        let bash = find_program("bash", &self.env)
            .ok_or("The command was not started: there is no bash on the PATH. Tell the user to install it.")?;
        let folder = self.working_folder(workspace);
        let protected = match may_create_protected(held, start.command) {
            true => {
                let watch = self.protected.watch(workspace.clone()).await;
                Some(watch.map_err(|why| not_recorded(&why))?)
            }
            false => None,
        };
        let confined = self.confine(start, held, workspace, protected.as_ref())?;
        let reads_only = matches!(held, ShellConfinement::PlanSandbox | ShellConfinement::PlanReadOnly);
        let network = self.plan_sandbox().filter(|_| reads_only).and_then(|sandbox| sandbox.network());
        let ((profile, env, tmp), scoped) = match scope {
            Some(scope) => {
                self.under_scope(confined, workspace, (scope.for_command(start.command), start.command)).await?
            }
            None => (confined, None),
        };
        Ok((BashStart { bash, env, folder, profile, tmp, network, protected, limits: self.limits }, scoped))
    }

    /// Puts a command on a layer, or records the workspace before it runs (PC-21, PC-22). One that can't write runs as
    /// it is.
    async fn under_scope(
        &self,
        confined: ConfinedCommand,
        workspace: &Workspace,
        (scope, command): (CallScope, &str),
    ) -> Result<(ConfinedCommand, Option<ScopedCommand>), ToolError> {
        if matches!(confined.0, SandboxProfile::ReadOnly(_) | SandboxProfile::Layered(_)) {
            return Ok((confined, None));
        }
        let (root, home) = (&workspace.root, workspace.home.as_deref());
        let sandbox = self.has_layers.then(|| self.existing_or_new_scope_sandbox(workspace));
        if let Some(Ok(sandbox)) = sandbox {
            let (confined, layer) = sandbox
                .layer(confined, root, home, (scope, command), self.limits)
                .await
                .map_err(|why| not_confined(&why))?;
            return Ok((confined, layer.map(ScopedCommand::OnLayer)));
        }
        let place = ComparedPlace {
            root: root.clone(),
            cutonce_home: workspace.cutonce_home.clone(),
            session_folder: workspace.session_folder.clone(),
        };
        let compared = self.comparison.begin(place, &confined.1, scope).await.map_err(|why| no_comparison(&why))?;
        Ok((confined, Some(ScopedCommand::Compared(compared))))
    }

    fn existing_or_new_scope_sandbox(&self, workspace: &Workspace) -> Result<Arc<ScopeSandbox>, SandboxUnavailable> {
        let mut sandbox = self.scope_sandbox.lock_unpoisoned();
        if let Some(sandbox) = &*sandbox {
            return Ok(sandbox.clone());
        }
        let tmp = private_folder()?;
        let made = Arc::new(ScopeSandbox::new(&workspace.cutonce_home, tmp)?);
        *sandbox = Some(made.clone());
        Ok(made)
    }

    /// Chooses the profile of a command.
    fn confine(
        &self,
        start: &StartRequest<'_>,
        held: ShellConfinement,
        workspace: &Workspace,
        watch: Option<&ProtectedWatch>,
    ) -> Result<ConfinedCommand, ToolError> {
        let other_names = watch.map_or(&[][..], |watch| watch.other_names());
        Ok(match held {
            ShellConfinement::ParsedReadOnly => (SandboxProfile::Unconfined, self.env.clone(), None),
            ShellConfinement::PlanSandbox | ShellConfinement::PlanReadOnly => {
                let sandbox = self.existing_or_new_plan_sandbox().map_err(|why| not_confined(&why))?;
                let profile = sandbox.profile(start, workspace).map_err(|why| not_confined(&why))?;
                (profile, sandbox.env(&self.env), Some(sandbox.tmp()))
            }
            ShellConfinement::WorkspaceSandbox => {
                let workshop = self.workspace_sandbox.lock_unpoisoned().clone();
                let workshop = workshop.ok_or(NO_WORKSPACE_SANDBOX)?;
                let known = watch.map(|watch| watch.known()).unwrap_or_default();
                let protected: Vec<PathBuf> = known.into_iter().chain(other_names.iter().cloned()).collect();
                let profile = workshop.profile(self.limits, workspace, &protected).map_err(|why| not_confined(&why))?;
                (profile, workshop.env(&self.env), Some(workshop.tmp()))
            }
            ShellConfinement::AutoReadOnly | ShellConfinement::AutoWorkspace => {
                self.confine_auto_run(start, held, workspace, other_names).map_err(|why| not_confined(&why))?
            }
            ShellConfinement::Disabled => return Err(NO_SHELL.into()),
        })
    }

    /// Confines a command that runs without asking. On a machine without a sandbox only the parser does.
    fn confine_auto_run(
        &self,
        start: &StartRequest<'_>,
        held: ShellConfinement,
        workspace: &Workspace,
        other_names: &[PathBuf],
    ) -> Result<ConfinedCommand, SandboxUnavailable> {
        let mut known = self.auto_run_sandbox.lock_unpoisoned();
        if known.is_none() {
            *known = AutoRunSandbox::new()?.map(Arc::new);
        }
        let sandbox = known.clone();
        drop(known);
        let profile =
            sandbox.as_ref().map_or(Ok(None), |sandbox| sandbox.profile(held, start, workspace, other_names))?;
        Ok(match (profile, sandbox) {
            (Some(profile), Some(sandbox)) => (profile, sandbox.env(&self.env), Some(sandbox.tmp())),
            _ => (SandboxProfile::Unconfined, git::without_repository_programs(self.env.clone()), None),
        })
    }

    /// Returns to the root if the working folder no longer exists; the text says so.
    pub(crate) fn check_folder(&self, workspace: &Workspace) -> Option<String> {
        let mut kept = self.folder.lock_unpoisoned();
        let gone = kept.take_if(|folder| !folder.is_dir())?;
        let root = workspace.root.display();
        Some(format!("The working folder {} is gone; this ran in {root}.", gone.display()))
    }

    /// Stores the folder in which a command ended; returns a note about it.
    pub(crate) fn store_folder(&self, ended_in: Option<PathBuf>, workspace: &Workspace) -> Option<String> {
        let before = self.working_folder(workspace);
        let ended_in = ended_in.filter(|folder| *folder != before)?;
        // A command can write to the pipe itself: a made-up name must not pass for another folder.
        let ended_in = ended_in.canonicalize().unwrap_or(ended_in);
        if ended_in == before {
            return None;
        }
        let root = workspace.root.display();
        let inside = workspace.folders().iter().any(|folder| ended_in.starts_with(folder));
        let mut kept = self.folder.lock_unpoisoned();
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

impl Drop for SessionShells {
    fn drop(&mut self) {
        self.kill_all();
    }
}
