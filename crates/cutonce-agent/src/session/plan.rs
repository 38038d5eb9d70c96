//! Plan mode in the session: performs the effects of the mode machine, keeps the plan file, sends reminders (PM-12 to
//! PM-18, PM-40 to PM-50, PM-90 to PM-100). Submissions are in `approval`; the rules are all in cutonce-core.

use super::plan_rehearsal::Rehearsals;
use super::{ImplementationWork, SessionState};
use crate::plan::workspace_diff::WorkspaceSnapshot;
use crate::plan::{PlanError, PlanFile, PlanFiles, read_contract};
use cutonce_core::mode::{self, Mode};
use cutonce_core::permission::rules::RuleBehavior;
use cutonce_core::permission::{Access, PathLocation, ShellConfinement, is_secret};
use cutonce_core::plan::approval::{self, ApprovalTerms, ApprovedPlan, ChoiceKey, EnforcementLevel, PlanApprovalState};
use cutonce_core::plan::command::{self, ModeCommand, PlanCommand};
use cutonce_core::plan::reminder::{self, PlanInstructions};
use cutonce_core::plan::{self, PhaseEvent, PlanContent, PlanEvent, PlanPhase};
use cutonce_core::protocol::event::{EventKind, NoticeLevel, PlanAtEnd};
use cutonce_core::protocol::submission::{ChangedBy, ImplementRequest, RuleDestination, TaskAttachments};
use cutonce_core::settings::plan::{PlanLint, PlanShell, PlanWorkflow};
use cutonce_core::subagent::PLAN_AGENT;
use cutonce_core::transcript::{self, EntryBody};
use cutonce_core::turn::{TurnEvent, UserInput};
use cutonce_tools::secret_files::linked_stores;
use cutonce_tools::shell::bash::secrets::may_read_secret;
use cutonce_tools::shell::confine::{PlanSandboxOptions, WorkspaceSandbox};
use cutonce_tools::tool::ToolOutcome;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The plan state of a session.
pub(crate) struct Planner {
    pub files: PlanFiles,
    /// Created when it is first needed; the same for the whole session (PM-41).
    pub file: Option<PlanFile>,
    pub instructions: PlanInstructions,
    /// How the shell is confined in plan mode (PM-62), and how the request names that (PM-87).
    pub held: ShellConfinement,
    pub layer: EnforcementLevel,
    /// When an earlier process entered plan mode, if it is still on (PM-87).
    pub entered: Option<SystemTime>,
    /// `sandbox.denyRead`, as absolute paths.
    pub(crate) deny_read: Vec<PathBuf>,
    pub(super) approval: PlanApprovalState,
    /// Approvals so far, if the plan needs several (FL-2).
    pub(super) votes: super::review_quorum::PlanVotes,
    pub(crate) phase: PlanPhase,
    /// Hashes of the last text that was reported, and of the last one in the transcript (PM-47).
    told: Option<String>,
    kept: Option<String>,
    pub(super) snapshot: Option<Arc<WorkspaceSnapshot>>,
    /// The conversation starts over with this message when the turn has ended (PM-81).
    pub(super) restart: Option<UserInput>,
    /// There is a workspace sandbox for checks, although `sandbox.shell` is off (PC-31).
    pub(super) confines_checks: bool,
    /// The approved plan that is being implemented (PC-11).
    pub(crate) work: Option<ImplementationWork>,
    /// The session was resumed with an open plan request (PM-85).
    pub(crate) reopen: bool,
    /// The answer to the plan is a message that is recorded next (PM-80).
    pub(super) feedback_follows: bool,
    /// Rehearsals of the plan that waits (RH-1).
    pub(super) rehearsals: Rehearsals,
}

impl Planner {
    pub fn new(files: PlanFiles, instructions: PlanInstructions, deny_read: Vec<PathBuf>) -> Self {
        Self {
            files,
            file: None,
            instructions,
            held: ShellConfinement::AutoReadOnly,
            layer: EnforcementLevel::Readonly,
            entered: None,
            deny_read,
            approval: PlanApprovalState::default(),
            phase: PlanPhase::default(),
            told: None,
            kept: None,
            snapshot: None,
            restart: None,
            confines_checks: false,
            votes: Default::default(),
            work: None,
            reopen: false,
            feedback_follows: false,
            rehearsals: Rehearsals::default(),
        }
    }
    /// For a subagent: the same settings, without this session's plan.
    pub(crate) fn for_agent(&self) -> Planner {
        Planner::new(self.files.clone(), self.instructions.clone(), self.deny_read.clone())
    }
    /// Another plan starts: nothing of the earlier one applies.
    fn forget_plan(&mut self) {
        (self.file, self.told, self.kept) = (None, None, None);
        (self.approval, self.reopen) = (PlanApprovalState::default(), false);
    }
    pub(super) fn found(&self) -> PlanContent {
        self.file.as_ref().map_or(PlanContent::Missing, PlanFile::read)
    }
    pub(super) fn path(&self) -> String {
        self.file.as_ref().map(|file| file.path().display().to_string()).unwrap_or_default()
    }
    pub(super) fn slug(&self) -> Option<String> {
        self.file.as_ref().map(|file| file.slug().to_string())
    }
}

impl SessionState {
    /// The only way to change the mode (PM-15). A change that can't be carried out leaves the old mode, with a notice
    /// that says why (PM-100).
    pub(super) fn mode_event(&mut self, event: mode::ModeEvent) {
        if self.needs_lead_answer(&event) {
            return self
                .notice(NoticeLevel::Warning, "The mode is still plan: the team lead must approve the plan first.");
        }
        let (state, effects) = mode::step(self.mode.clone(), event);
        if effects.contains(&mode::ModeEffect::PlanEntered)
            && let Err(error) = self.name_on_entry()
        {
            let text = format!("The mode is still {}: the plan file could not be created: {error}", self.mode.mode());
            return self.notice(NoticeLevel::Error, &text);
        }
        for effect in &effects {
            if let mode::ModeEffect::RecordChange { from, to, by } = effect
                && let Err(error) = self.transcript.store.append(EntryBody::Mode { from: *from, to: *to, by: *by })
            {
                return self.notice(NoticeLevel::Error, &format!("The mode is still {from}: {error}"));
            }
        }
        // The plan was named above; the machine may not know the name yet.
        self.mode = match (self.planner.slug(), state.slug()) {
            (Some(slug), known) if known != Some(&slug) => mode::step(state, mode::ModeEvent::PlanNamed(slug)).0,
            _ => state,
        };
        let changed = effects.iter().any(|effect| matches!(effect, mode::ModeEffect::RecordChange { .. }));
        // The new mode decides from here on, for subagents too (PM-16, PM-64).
        if self.subagent.is_none() {
            self.context.standing.set(&self.mode, self.planner.file.clone());
        }
        effects.into_iter().for_each(|effect| self.mode_effect(effect));
        if changed {
            self.publish_mode();
        }
        self.publish_scope();
    }

    pub(super) fn mode_effect(&mut self, effect: mode::ModeEffect) {
        match effect {
            mode::ModeEffect::RecordChange { from, to, by } => self.emit(EventKind::ModeChanged { from, to, by }),
            mode::ModeEffect::PlanEntered => self.plan_entered(),
            mode::ModeEffect::PlanLeft => {
                self.planner.snapshot = None;
                self.hide_secrets();
            }
            mode::ModeEffect::WithdrawApproval => self.withdraw_plan(),
            // The rules stay in place and are only suspended, so none can be lost (PM-123).
            mode::ModeEffect::SuspendRules => self.set_rules_aside(),
            mode::ModeEffect::RestoreRules => self.permissions.rules.set_suspended(false),
            mode::ModeEffect::Notice { text, .. } => self.notice(NoticeLevel::Warning, &text),
            mode::ModeEffect::Refused { why } => {
                self.notice(NoticeLevel::Warning, &format!("The mode is still {}: {why}.", self.mode.mode()));
            }
        }
    }

    /// Reserves the plan's name before the mode changes (PM-41). A name of the kind `task` needs the first message of
    /// the stay, so it is reserved with the first request (PM-51).
    fn name_on_entry(&mut self) -> Result<(), PlanError> {
        if let Some(handle) = &self.subagent {
            self.planner.file = self.context.standing.file_for_agent(&handle.me.id);
            return Ok(());
        }
        if self.planner.file.is_some() || self.planner.files.named_by_task() {
            return Ok(());
        }
        self.reserve_plan()
    }

    /// Reserves a name and writes it to the transcript.
    fn reserve_plan(&mut self) -> Result<(), PlanError> {
        let request = self.memory.user_messages.last().cloned().unwrap_or_default();
        let file = self.planner.files.reserve(&request)?;
        let slug = Some(file.slug().to_string());
        self.planner.file = Some(file);
        self.append_session(slug);
        Ok(())
    }

    /// Names the plan if plan mode is on and it has no name yet; the error says why it can't have one.
    fn ensure_plan_named(&mut self) -> Result<(), PlanError> {
        if !self.mode.is_planning() || self.planner.file.is_some() {
            return Ok(());
        }
        self.reserve_plan()?;
        self.plan_named();
        Ok(())
    }

    /// The plan got its file after plan mode was entered: everything that depends on the path follows.
    fn plan_named(&mut self) {
        if let Some(file) = self.planner.file.clone() {
            self.mode_event(mode::ModeEvent::PlanNamed(file.slug().to_string()));
            self.context.env.shells.plan_sandbox().iter().for_each(|sandbox| sandbox.add_readable(file.path()));
        }
        self.context.standing.set(&self.mode, self.planner.file.clone());
        self.hide_secrets();
        self.report_plan_entered();
    }

    fn report_plan_entered(&mut self) {
        if self.planner.file.is_some() {
            let plan_exists = self.planner.found().text().is_some();
            self.plan_event(PlanEvent::Enter { plan_file_path: self.planner.path(), plan_exists });
        }
    }

    /// `/clear` by the user: the old plan stays on disk, this conversation has none (PM-49).
    pub(super) fn clear_by_user(&mut self) {
        self.close_reviews("the conversation was cleared");
        self.end_implementation();
        self.planner.forget_plan();
        self.clear();
        if !self.mode.is_planning() {
            return;
        }
        match self.name_on_entry() {
            Ok(()) => self.plan_named(),
            // The next request tries again.
            Err(error) => self.notice(NoticeLevel::Error, &format!("The plan file could not be created: {error}")),
        }
        self.phase(PhaseEvent::Entered);
    }

    /// After a clear the transcript names the plan again, if the session keeps it (PM-81).
    pub(super) fn keep_name(&mut self) {
        if let Some(slug) = self.planner.slug() {
            self.append_session(Some(slug));
        }
    }

    fn append_session(&mut self, slug: Option<String>) {
        let body = crate::builder::session_entry(&self.transcript.store, &self.context.env.workspace.root, slug);
        self.append(body);
    }

    /// The session was resumed in plan mode: confinement and workspace comparison continue from the entry.
    pub(super) fn plan_resumed(&mut self) {
        self.hold_shell();
        self.look_at_workspace(self.planner.entered.unwrap_or_else(SystemTime::now));
    }

    fn look_at_workspace(&mut self, entered: SystemTime) {
        // Only the main session compares; a subagent submits nothing.
        if self.subagent.is_some() {
            return;
        }
        self.planner.snapshot = Some(Arc::new(WorkspaceSnapshot::start(self.context.env.workspace.folders(), entered)));
    }

    fn plan_entered(&mut self) {
        self.hold_shell();
        self.hide_secrets();
        self.look_at_workspace(SystemTime::now());
        self.context.env.shells.enter_plan_mode();
        let running = self.context.env.shells.running_tasks();
        if !running.is_empty() {
            let named: Vec<String> = running.iter().map(|task| format!("{} ({})", task.id, task.command)).collect();
            self.notice(
                NoticeLevel::Warning,
                &format!("Started before plan mode and still running: {}.", named.join(", ")),
            );
        }
        self.report_plan_entered();
        self.phase(PhaseEvent::Entered);
    }

    /// `/plan` and `/mode` (PM-20 to PM-26): cutonce-core decides what they do.
    pub(super) fn command(&mut self, command: ModeCommand, editor: Option<&str>, attached: TaskAttachments) {
        if command == ModeCommand::Plan(PlanCommand::Amend) && !self.begin_amendment() {
            let text = "No approved plan is being implemented. `/plan` starts a new one.";
            return self.notice(NoticeLevel::Warning, text);
        }
        let found = self.planner.found();
        let outcome = command::evaluate_command(command, &self.mode, &found, editor);
        let wanted = outcome.event.as_ref().and_then(|event| match event {
            mode::ModeEvent::Set { to, .. } => Some(*to),
            _ => None,
        });
        let held = outcome.event.as_ref().is_some_and(|event| self.needs_lead_answer(event));
        if let Some(event) = outcome.event {
            self.mode_event(event);
        }
        // The change failed, and a notice said why (PM-100).
        if held || wanted.is_some_and(|to| self.mode.mode() != to) {
            return;
        }
        if let Some(words) = outcome.reply {
            self.notice(NoticeLevel::Info, &words);
        }
        if let Some(show) = outcome.show_plan {
            self.emit(EventKind::CurrentPlan { path: self.planner.path(), plan: show.plan, hint: show.hint });
        }
        if outcome.open_editor {
            self.emit(EventKind::OpenPlan { path: self.planner.path() });
        }
        if let Some(text) = outcome.send_message {
            let TaskAttachments { images, typed } = attached;
            self.accept_input(UserInput { typed, ..UserInput::from_user(text, images) });
        }
        if let Some(act) = outcome.act {
            self.act_on_plan(act);
        }
    }

    /// Makes another plan the session's own; a plan of another session is copied (PM-49, PC-41).
    pub(super) fn switch_plan(&mut self, slug: &str) -> Result<(), PlanError> {
        if self.planner.slug().as_deref() == Some(slug) {
            return Ok(());
        }
        if crate::plan::find_plan(self.planner.files.home(), slug).is_none() {
            return Err(PlanError::Unknown(slug.to_string()));
        }
        let file = match self.planner.files.reopen(slug) {
            Err(PlanError::OtherSession { .. }) => self.planner.files.fork(slug, "")?.0,
            other => other?,
        };
        self.close_reviews("another plan is reviewed");
        self.planner.forget_plan();
        let slug = file.slug().to_string();
        self.planner.file = Some(file);
        self.append_session(Some(slug));
        self.plan_named();
        Ok(())
    }

    /// Starts the conversation with a plan that the sender approved (PM-81).
    pub(super) fn implement(&mut self, chosen: ImplementRequest) {
        let ImplementRequest { text: plan, path, revision, stamp } = chosen;
        let root = &self.context.env.workspace.root;
        let terms = ApprovalTerms { contract: read_contract(root, &plan, PlanLint::Off), ..ApprovalTerms::default() };
        let (slug, number) = revision.unwrap_or_else(|| (file_name(&path), 0));
        self.start_implementation(&terms, (&slug, number), stamp);
        let approved = ApprovedPlan {
            choice: ChoiceKey::Restore,
            mode: self.mode.mode(),
            plan: Some(plan.clone()),
            edited: false,
            notes: None,
            comments: Vec::new(),
            clear: true,
            terms,
            rehearsal: None,
        };
        let text = approval::implement_message(&approved, &path);
        let event = PlanEvent::Implement { plan_file_path: path, plan_content: plan.clone() };
        self.plan_event(event);
        self.pending.push_back(TurnEvent::Input(UserInput { implements: Some(plan), ..UserInput::meta(text) }));
    }

    pub(super) fn plan_at_end(&self) -> Option<PlanAtEnd> {
        let slug = self.planner.slug().filter(|_| self.mode.is_planning())?;
        let (content, root) = (self.planner.found(), &self.context.env.workspace.root);
        let contract =
            content.text().and_then(|plan| read_contract(root, plan, self.context.shared.settings.plan.lint));
        Some(PlanAtEnd { path: self.planner.path(), slug, content, contract })
    }

    pub(super) fn plan_event(&self, event: PlanEvent) {
        self.emit(EventKind::Plan(event));
    }

    pub(super) fn phase(&mut self, event: PhaseEvent) {
        if self.subagent.is_some() || !self.mode.is_planning() {
            return;
        }
        let entered = event == PhaseEvent::Entered;
        let phase = self.planner.phase.step(event);
        if phase != self.planner.phase || entered {
            self.planner.phase = phase;
            self.plan_event(PlanEvent::Phase { phase });
        }
    }

    /// PM-62: confines the shell by the kernel if this machine has a sandbox, else by the parser. If the sandbox can't
    /// be made now, commands are refused with the reason until it can (SB-3).
    fn hold_shell(&mut self) {
        if self.context.env.shells.plan_sandbox().is_some() {
            return;
        }
        let support = cutonce_sandbox::sandbox_support();
        let shell = self.context.shared.settings.plan.shell;
        (self.planner.held, self.planner.layer) = match (shell, support.is_missing()) {
            (Some(PlanShell::Off), _) => (ShellConfinement::Disabled, EnforcementLevel::Off),
            (Some(PlanShell::Sandbox), _) | (None, false) => (ShellConfinement::PlanSandbox, EnforcementLevel::Sandbox),
            (Some(PlanShell::Readonly), false) => (ShellConfinement::PlanReadOnly, EnforcementLevel::ReadonlySandbox),
            (Some(PlanShell::Readonly) | None, true) => (ShellConfinement::AutoReadOnly, EnforcementLevel::Readonly),
        };
        match self.planner.held {
            ShellConfinement::PlanSandbox | ShellConfinement::PlanReadOnly => self.create_plan_sandbox(),
            ShellConfinement::AutoReadOnly if shell.is_none() => {
                let text = format!("Plan mode: {} ({}).", support.describe(), support.missing_reasons());
                self.notice(NoticeLevel::Warning, &text);
            }
            _ => {}
        }
    }

    /// Creates the sandbox of plan mode, or shares the main session's.
    fn create_plan_sandbox(&mut self) {
        let (shells, settings) = (&self.context.env.shells, &self.context.shared.settings.plan);
        let shared = self.subagent.as_ref().and_then(|handle| handle.main.shells.plan_sandbox());
        let created = match shared {
            Some(sandbox) => {
                self.planner.file.iter().for_each(|file| sandbox.add_readable(file.path()));
                shells.set_plan_sandbox(sandbox.clone());
                Ok(sandbox)
            }
            None => shells.create_plan_sandbox(PlanSandboxOptions {
                scratch: settings.scratch,
                deny_read: self.planner.deny_read.clone(),
                readable: self.planner.file.as_ref().map(|file| file.path().to_path_buf()),
                network: settings.network.clone(),
            }),
        };
        match created {
            Ok(sandbox) => {
                if self.planner.held == ShellConfinement::PlanSandbox && sandbox.has_throwaway_layer() {
                    self.planner.layer = EnforcementLevel::Scratch;
                }
                let wants_network = self.subagent.is_none() && !settings.network.hosts.is_empty();
                if wants_network && !sandbox.has_network() {
                    let text = "Plan mode: commands have no network: `plan.network` needs user namespaces.";
                    self.notice(NoticeLevel::Warning, text);
                }
            }
            Err(why) => {
                let text = format!(
                    "Plan mode: commands are refused until the sandbox can confine them: {why}. `cutonce doctor` says more."
                );
                self.notice(NoticeLevel::Warning, &text);
            }
        }
    }

    /// SB-4: the confinement outside plan mode, if the user wants it; bypassPermissions skips it.
    fn held_at_work(&self) -> ShellConfinement {
        match self.mode.mode() {
            Mode::Default | Mode::AcceptEdits | Mode::Auto if self.context.shared.settings.sandbox.shell => {
                ShellConfinement::WorkspaceSandbox
            }
            Mode::Default | Mode::AcceptEdits | Mode::Auto | Mode::BypassPermissions | Mode::Plan => {
                ShellConfinement::ParsedReadOnly
            }
        }
    }

    /// `sandbox.shell`: if commands can't be confined they are refused, never run unconfined (SB-3).
    pub(super) fn open_workspace_sandbox(&self) {
        let settings = &self.context.shared.settings.sandbox;
        if !settings.shell {
            return;
        }
        let layer = cutonce_sandbox::sandbox_support();
        let opened = match layer.can_confine() {
            true => WorkspaceSandbox::new(self.planner.deny_read.clone(), settings.network)
                .map_err(|error| error.to_string()),
            false => Err(format!("{} ({})", layer.describe(), layer.missing_reasons())),
        };
        match opened {
            Ok(workshop) => self.context.env.shells.set_workspace_sandbox(workshop),
            Err(why) => self.notice(
                NoticeLevel::Warning,
                &format!(
                    "`sandbox.shell` is on, but commands can't be confined: {why}. None will run outside plan mode."
                ),
            ),
        }
    }

    /// The answer to an ask names a mode. It can't end plan mode, because the user saw no plan (PM-61, PM-80).
    pub(super) fn set_mode_by_answer(&mut self, mode: Mode) {
        if !self.mode.is_planning() {
            return self.mode_event(mode::ModeEvent::Set { to: mode, by: ChangedBy::Host });
        }
        if mode != Mode::Plan {
            let text = format!(
                "The mode stays plan: an answer to a tool call can't change it to {mode}. \
                 Send set_permission_mode, or answer ExitPlanMode."
            );
            self.notice(NoticeLevel::Warning, &text);
        }
    }

    /// Stores a rule in a settings file. If that fails, or would write into the project in plan mode (PM-61), the rule
    /// applies to this session only.
    pub(super) fn store_rule(&self, where_to: RuleDestination, behavior: RuleBehavior, rule: &str) {
        let in_project = matches!(where_to, RuleDestination::Project | RuleDestination::Local);
        let stored = match in_project && self.mode.is_planning() {
            true => Err("plan mode writes no settings of the project".to_string()),
            false => self.context.shared.places.save_rule(where_to, behavior, rule).map_err(|error| error.to_string()),
        };
        if let Err(why) = stored {
            let text = format!("The rule {rule} applies to this session only: {why}");
            self.notice(NoticeLevel::Warning, &text);
        }
    }

    /// Hides from Read and Grep what deny rules name and, in plan mode, what SB-2 names.
    pub(super) fn hide_secrets(&self) {
        let (rules, planning) = (self.permissions.rules.clone(), self.mode.is_planning());
        let home = self.context.env.workspace.cutonce_home.clone();
        let open: Vec<PathBuf> = self.planner.file.iter().map(|file| file.path().to_path_buf()).collect();
        open.iter().for_each(|plan| self.context.env.disk.keep_from_editor(plan));
        let workspace = &self.context.env.workspace;
        let (own, user_home) = (workspace.session_folder.clone(), workspace.home.clone());
        let linked = if planning { linked_stores(user_home.as_deref()) } else { Vec::new() };
        let deny: Vec<PathBuf> = self.planner.deny_read.iter().cloned().chain(linked).collect();
        let skills = self.context.shared.skill_folders.clone();
        self.context.env.disk.set_hidden(Some(Arc::new(move |path: &Path| {
            if open.iter().any(|open| open == path) || path.starts_with(&own) {
                return false;
            }
            let ours = || path.starts_with(&home) && !skills.iter().any(|skill| path.starts_with(skill));
            let named = || is_secret(path, user_home.as_deref());
            let secret = || named() || ours() || deny.iter().any(|deny| path.starts_with(deny));
            rules.denies_read(path) || (planning && secret())
        })));
    }

    /// Adds what only the session knows about a call: that it writes exactly the plan file (PM-44), and how the shell
    /// is confined.
    pub(super) fn refine(&self, access: Access) -> Access {
        match access {
            Access::Write(mut target) => {
                if self.planner.file.as_ref().is_some_and(|file| file.matches_target(&target)) {
                    target.place = PathLocation::PlanFile;
                }
                Access::Write(target)
            }
            Access::Read(mut targets) => {
                let plan = self.planner.file.as_ref().map(PlanFile::path);
                for target in &mut targets {
                    if Some(target.path.as_path()) == plan {
                        target.place = PathLocation::PlanFile;
                    } else if self.context.shared.skill_folders.iter().any(|skill| target.path.starts_with(skill)) {
                        target.place = PathLocation::Own;
                    }
                }
                Access::Read(targets)
            }
            Access::Shell(mut shell) => {
                shell.confinement = match self.mode.is_planning() {
                    true => self.planner.held,
                    false if self.calls.by_program && self.planner.confines_checks => {
                        ShellConfinement::WorkspaceSandbox
                    }
                    false => self.held_at_work(),
                };
                // Elsewhere the kernel protects secrets.
                shell.may_read_secrets = self.mode.is_planning()
                    && shell.confinement == ShellConfinement::AutoReadOnly
                    && may_read_secret(&shell, &self.context.env);
                Access::Shell(shell)
            }
            other => other,
        }
    }

    /// Reports the new hash if a call changed the plan file (PM-143).
    pub(super) fn note_written(&mut self, touched: &[PathBuf]) {
        let ours = self.planner.file.as_ref().map(PlanFile::path);
        if !touched.iter().any(|path| Some(path.as_path()) == ours) {
            return;
        }
        if let Some(sha256) = self.planner.found().sha256()
            && self.planner.told.as_ref() != Some(&sha256)
        {
            let first = self.planner.told.replace(sha256.clone()).is_none() && self.planner.kept.is_none();
            self.plan_event(PlanEvent::File { sha256 });
            let skeleton = first && self.planner.instructions.workflow == PlanWorkflow::Interview;
            self.phase(if skeleton { PhaseEvent::SkeletonWritten } else { PhaseEvent::PlanWritten });
        }
    }

    /// A file other than the plan was read. While a Plan agent works, the design is not done (PM-140).
    pub(super) fn file_read(&mut self, tool: &str, touched: &[PathBuf]) {
        let plan = self.planner.file.as_ref().map(PlanFile::path);
        let designing = || self.context.agents.as_ref().is_some_and(|agents| agents.count_running(PLAN_AGENT) > 0);
        if tool == "Read" && !touched.iter().any(|path| Some(path.as_path()) == plan) && !designing() {
            self.phase(PhaseEvent::FileRead);
        }
    }

    /// Writes the plan's text to the transcript if it changed (PM-47).
    pub(super) fn keep_plan(&mut self) {
        let found = self.planner.found();
        let (Some(text), Some(sha256)) = (found.text(), found.sha256()) else { return };
        if self.planner.kept.as_ref() == Some(&sha256) {
            return;
        }
        self.planner.kept = Some(sha256.clone());
        let (path, content) = (self.planner.path(), Some(text.to_string()));
        self.append(EntryBody::FileSnapshot { key: "plan".into(), path, content, sha256: Some(sha256) });
    }

    /// True if the model can ask the user questions.
    pub(super) fn can_ask(&self) -> bool {
        self.planner.instructions.tools.questions
    }

    /// Carries out EnterPlanMode (PM-33).
    pub(super) fn enter_plan(&mut self, n: usize) {
        let already = self.mode.is_planning();
        self.mode_event(mode::ModeEvent::Set { to: Mode::Plan, by: ChangedBy::Model });
        self.model.selection.switch_with_next_request();
        let outcome = if self.mode.is_planning() {
            ToolOutcome::text(plan::enter_result(self.planner.instructions.workflow, already))
        } else {
            ToolOutcome::error("Plan mode could not be entered; the user knows why. Continue without it.")
        };
        self.complete_call(n, outcome);
    }
}

impl SessionState {
    /// Adds the reminders that are due to this request (PM-91 to PM-94).
    pub(super) fn remind(&mut self) {
        if self.subagent.is_some() {
            return self.remind_agent();
        }
        self.remind_steps();
        let state = &self.mode;
        let any = state.is_planning()
            || state.needs_exit_reminder()
            || state.needs_plan_reference()
            || state.needs_auto_exit_reminder();
        if !any {
            return;
        }
        let named = self.ensure_plan_named();
        let state = &self.mode;
        let found = match named {
            Ok(()) => self.planner.found(),
            Err(error) => PlanContent::Unreadable(error.to_string()),
        };
        let path = self.planner.path();
        let context =
            reminder::ReminderContext { path: &path, content: &found, instructions: &self.planner.instructions };
        let due = reminder::due_reminders(state, &context);
        for reminder in due.reminders {
            self.append(reminder.to_entry());
            self.conversation.push(transcript::reminder_message(&reminder.text));
            // Plan text in a reminder counts as read by the model (PM-44).
            if reminder.kind == reminder::ReminderKind::PlanFileReference {
                let _ = self.context.env.disk.remember_shown(Path::new(&path));
            }
            self.mode_event(mode::ModeEvent::ReminderSent(reminder.kind));
        }
        for trouble in due.problems {
            self.notice(NoticeLevel::Warning, &trouble);
        }
    }

    /// PM-81: starts the conversation over with the plan; the earlier part stays in the transcript.
    pub(super) fn restart_with_plan(&mut self) {
        let Some(input) = self.planner.restart.take() else { return };
        self.clear();
        let plan_content = input.implements.clone().unwrap_or_default();
        self.plan_event(PlanEvent::Implement { plan_file_path: self.planner.path(), plan_content });
        self.pending.push_back(TurnEvent::Input(input));
    }
}

/// The name of a plan that is a file of the user.
fn file_name(path: &str) -> String {
    Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}
