//! Plan mode in the session: performs what the mode machine says, keeps the plan file, sends the reminders (PM-12 to PM-18,
//! PM-40 to PM-50, PM-90 to PM-100). What happens to a submission is in `approval`; the rules are all in cutonce-core.

use super::{Driver, Hall};
use crate::changes::Snapshot;
use crate::plan_files::{PlanError, PlanFile, PlanFiles};
use cutonce_core::approval::{self, Approval, Approved, ChoiceKey, Layer};
use cutonce_core::command::{self, Command};
use cutonce_core::event::{EventKind, Level, PlanAtEnd};
use cutonce_core::mode::{self, Mode};
use cutonce_core::permission::{Access, Held, Place, is_secret};
use cutonce_core::plan::{self, Found, Phase, PhaseEvent, PlanEvent};
use cutonce_core::reminder::{self, Instructions};
use cutonce_core::settings::plan::{Entry, PlanShell, Workflow};
use cutonce_core::submission::By;
use cutonce_core::transcript::{self, Body};
use cutonce_core::turn::{Happened, Said};
use cutonce_tools::shell_tools::may_read_secret;
use cutonce_tools::shells::{Sandbox, Workshop};
use cutonce_tools::tool::Outcome;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// What a session knows of planning.
pub(crate) struct Planner {
    pub files: PlanFiles,
    /// Made when it is first needed, the same for the whole session (PM-41).
    pub file: Option<PlanFile>,
    pub instructions: Instructions,
    pub entry: Entry,
    pub(crate) workflow: Workflow,
    /// What holds the shell in plan mode (PM-62), and how the request names it (PM-87).
    pub held: Held,
    pub layer: Layer,
    /// `plan.shell`, `plan.scratch`, `sandbox.denyRead`.
    pub shell: Option<PlanShell>,
    /// When an earlier process entered plan mode, if it is still on (PM-87).
    pub entered: Option<SystemTime>,
    pub scratch: bool,
    pub(crate) deny_read: Vec<PathBuf>,
    /// `sandbox.shell` is on (SB-4); the value is `sandbox.network`.
    pub(crate) workshop: Option<bool>,
    pub(super) approval: Approval,
    pub(crate) phase: Phase,
    /// The last text whose hash was told, and the last one that the transcript holds (PM-47).
    told: Option<String>,
    kept: Option<String>,
    pub(super) snapshot: Option<Arc<Snapshot>>,
    /// The conversation starts over with this when the turn has ended (PM-81).
    pub(super) restart: Option<Said>,
}

impl Planner {
    pub fn new(files: PlanFiles, instructions: Instructions, entry: Entry) -> Self {
        let workflow = instructions.workflow;
        Self {
            files,
            file: None,
            instructions,
            entry,
            workflow,
            held: Held::Parsed,
            layer: Layer::Readonly,
            shell: None,
            entered: None,
            scratch: true,
            deny_read: Vec::new(),
            workshop: None,
            approval: Approval::default(),
            phase: Phase::default(),
            told: None,
            kept: None,
            snapshot: None,
            restart: None,
        }
    }
    /// For an agent: the same settings, nothing of this session's plan.
    pub(crate) fn for_agent(&self) -> Planner {
        let mut planner = Planner::new(self.files.clone(), self.instructions.clone(), self.entry);
        (planner.shell, planner.scratch, planner.deny_read) = (self.shell, self.scratch, self.deny_read.clone());
        planner.workshop = self.workshop;
        planner
    }
    pub(super) fn found(&self) -> Found {
        self.file.as_ref().map_or(Found::Nothing, PlanFile::read)
    }
    pub(super) fn path(&self) -> String {
        self.file.as_ref().map(|file| file.path().display().to_string()).unwrap_or_default()
    }
    fn slug(&self) -> Option<String> {
        self.file.as_ref().map(|file| file.slug().to_string())
    }
}

impl Hall {
    /// Every way in and out of a mode comes through here (PM-15). A change that can't be carried out leaves the old mode
    /// and says why (PM-100).
    pub(super) fn mode_event(&mut self, event: mode::Event) {
        if self.held_by_lead(&event) {
            return self.notice(Level::Warning, "The mode is still plan: the team lead must approve the plan first.");
        }
        let (state, effects) = mode::step(self.mode.clone(), event);
        if effects.contains(&mode::Effect::PlanEntered)
            && let Err(error) = self.name_plan()
        {
            let text = format!("The mode is still {}: there can be no plan file: {error}", self.mode.mode());
            return self.notice(Level::Error, &text);
        }
        for effect in &effects {
            if let mode::Effect::Record { from, to, by } = effect
                && let Err(error) = self.store.append(Body::Mode { from: *from, to: *to, by: *by })
            {
                return self.notice(Level::Error, &format!("The mode is still {from}: {error}"));
            }
        }
        // The machine may not know the name yet: it was made above.
        self.mode = match (self.planner.slug(), state.slug()) {
            (Some(slug), known) if known != Some(&slug) => mode::step(state, mode::Event::Named(slug)).0,
            _ => state,
        };
        let changed = effects.iter().any(|effect| matches!(effect, mode::Effect::Record { .. }));
        // From here on it decides, for the agents too (PM-16, PM-64).
        if self.seat.is_none() {
            self.standing.set(&self.mode, self.planner.file.clone());
        }
        effects.into_iter().for_each(|effect| self.mode_effect(effect));
        if changed {
            self.tell_mode();
        }
    }

    pub(super) fn mode_effect(&mut self, effect: mode::Effect) {
        match effect {
            mode::Effect::Record { from, to, by } => self.hub.emit(EventKind::ModeChanged { from, to, by }),
            mode::Effect::PlanEntered => self.plan_entered(),
            mode::Effect::PlanLeft => {
                self.planner.snapshot = None;
                self.hide_secrets();
            }
            mode::Effect::WithdrawApproval => self.withdraw_plan(),
            // They stay where they are and only do not count: nothing can be lost (PM-123).
            mode::Effect::SetRulesAside => self.set_rules_aside(),
            mode::Effect::GiveRulesBack => self.rules.set_judged(false),
            mode::Effect::Notice { text, .. } => self.notice(Level::Warning, &text),
            mode::Effect::Refused { why } => {
                self.notice(Level::Warning, &format!("The mode is still {}: {why}.", self.mode.mode()));
            }
        }
    }

    /// The plan's name, reserved before the mode changes, and in the transcript (PM-41).
    fn name_plan(&mut self) -> Result<(), PlanError> {
        if let Some(seat) = &self.seat {
            self.planner.file = self.standing.plan_of(&seat.me.id);
            return Ok(());
        }
        if self.planner.file.is_some() {
            return Ok(());
        }
        let request = self.said.last().cloned().unwrap_or_default();
        let file = self.planner.files.reserve(&request)?;
        let slug = Some(file.slug().to_string());
        self.planner.file = Some(file);
        self.append_session(slug);
        Ok(())
    }

    fn append_session(&mut self, slug: Option<String>) {
        let body = crate::start::session_entry(&self.store, &self.here.workspace.root, slug);
        self.append(body);
    }

    /// The session came back in plan mode: the same holds as before, since the moment it was entered.
    pub(super) fn plan_resumed(&mut self) {
        self.hold_shell();
        self.look_at_workspace(self.planner.entered.unwrap_or_else(SystemTime::now));
    }

    fn look_at_workspace(&mut self, entered: SystemTime) {
        // The main session looks; an agent submits nothing.
        if self.seat.is_some() {
            return;
        }
        self.planner.snapshot = Some(Arc::new(Snapshot::start(self.here.workspace.folders(), entered)));
    }

    fn plan_entered(&mut self) {
        self.hold_shell();
        self.hide_secrets();
        self.look_at_workspace(SystemTime::now());
        self.here.shells.stay_began();
        let running = self.here.shells.running();
        if !running.is_empty() {
            let named: Vec<String> = running.iter().map(|task| format!("{} ({})", task.id, task.command)).collect();
            self.notice(Level::Warning, &format!("Started before plan mode and still running: {}.", named.join(", ")));
        }
        let plan_exists = self.planner.found().text().is_some();
        self.plan_event(PlanEvent::Enter { plan_file_path: self.planner.path(), plan_exists });
        self.phase(PhaseEvent::Entered);
    }

    /// `/plan` and `/mode` (PM-20 to PM-26): what comes of them is decided in cutonce-core.
    pub(super) fn command(&mut self, command: Command, editor: Option<&str>) -> Option<Happened> {
        let found = self.planner.found();
        let outcome = command::outcome(command, &self.mode, &found, editor);
        let wanted = outcome.event.as_ref().and_then(|event| match event {
            mode::Event::Set { to, .. } => Some(*to),
            _ => None,
        });
        let held = outcome.event.as_ref().is_some_and(|event| self.held_by_lead(event));
        if let Some(event) = outcome.event {
            self.mode_event(event);
        }
        // The change failed and the user was told why (PM-100).
        if held || wanted.is_some_and(|to| self.mode.mode() != to) {
            return None;
        }
        if let Some(words) = outcome.say {
            self.notice(Level::Info, &words);
        }
        if let Some(show) = outcome.show {
            self.hub.emit(EventKind::CurrentPlan { path: self.planner.path(), plan: show.plan, hint: show.hint });
        }
        if outcome.open {
            self.hub.emit(EventKind::OpenPlan { path: self.planner.path() });
        }
        outcome.send.and_then(|words| self.comes_in(Said::words(words, Vec::new())))
    }

    /// The plan is the first message of the conversation (PM-81): it was approved by whoever asked for this.
    pub(super) fn implement(&mut self, plan: String, path: &str) -> Happened {
        let approved = Approved {
            choice: ChoiceKey::Restore,
            mode: self.mode.mode(),
            plan: Some(plan.clone()),
            edited: false,
            notes: None,
            comments: Vec::new(),
            clear: true,
        };
        let text = approval::implement(&approved, path);
        let event = PlanEvent::Implement { plan_file_path: path.to_string(), plan_content: plan.clone() };
        self.plan_event(event);
        Happened::Said(Said { plan: Some(plan), ..Said::meta(text) })
    }

    pub(super) fn plan_at_end(&self) -> Option<PlanAtEnd> {
        let slug = self.planner.slug().filter(|_| self.mode.in_plan())?;
        Some(PlanAtEnd { path: self.planner.path(), slug, found: self.planner.found() })
    }

    pub(super) fn plan_event(&self, event: PlanEvent) {
        self.hub.emit(EventKind::Plan(event));
    }

    pub(super) fn phase(&mut self, event: PhaseEvent) {
        if self.seat.is_some() {
            return;
        }
        let entered = event == PhaseEvent::Entered;
        let phase = self.planner.phase.step(event);
        if phase != self.planner.phase || entered {
            self.planner.phase = phase;
            self.plan_event(PlanEvent::Phase { phase });
        }
    }

    /// PM-62: the kernel where it can, else the parser; found out when plan mode is first entered.
    fn hold_shell(&mut self) {
        if self.planner.held == Held::Sandbox {
            return;
        }
        let wanted = self.planner.shell.unwrap_or(PlanShell::Sandbox);
        (self.planner.held, self.planner.layer) = match wanted {
            PlanShell::Off => (Held::Off, Layer::Off),
            PlanShell::Readonly => (Held::Parsed, Layer::Readonly),
            PlanShell::Sandbox => self.sandbox().unwrap_or((Held::Parsed, Layer::Readonly)),
        };
    }

    fn sandbox(&mut self) -> Option<(Held, Layer)> {
        let layer = cutonce_sandbox::available();
        if !layer.holds() {
            let text = format!("Plan mode: {} ({}).", layer.text(), layer.why());
            self.notice(Level::Warning, &text);
            return None;
        }
        if let Some(sandbox) = self.seat.as_ref().and_then(|seat| seat.main.shells.sandbox()) {
            let layer = if sandbox.has_scratch() { Layer::Scratch } else { Layer::Sandbox };
            self.planner.file.iter().for_each(|file| sandbox.also_readable(file.path()));
            self.here.shells.set_sandbox(sandbox);
            return Some((Held::Sandbox, layer));
        }
        let plan = self.planner.file.as_ref().map(|file| file.path().to_path_buf());
        match Sandbox::new(self.planner.scratch, self.planner.deny_read.clone(), plan) {
            Ok(sandbox) => {
                let layer = if sandbox.has_scratch() { Layer::Scratch } else { Layer::Sandbox };
                self.here.shells.set_sandbox(sandbox);
                Some((Held::Sandbox, layer))
            }
            Err(error) => {
                self.notice(
                    Level::Warning,
                    &format!("Plan mode: no folder for the sandbox ({error}); only commands proven read-only run."),
                );
                None
            }
        }
    }

    /// SB-4: in the modes that work, commands are held where the user wants it; bypassPermissions is bypassed here too.
    fn held_at_work(&self) -> Held {
        match self.mode.mode() {
            Mode::Default | Mode::AcceptEdits | Mode::Auto if self.planner.workshop.is_some() => Held::Workspace,
            Mode::Default | Mode::AcceptEdits | Mode::Auto | Mode::BypassPermissions | Mode::Plan => Held::Parsed,
        }
    }

    /// `sandbox.shell`: if it can't be held the commands are refused when they start, never run unconfined (SB-3).
    pub(super) fn open_workshop(&self) {
        let Some(network) = self.planner.workshop else { return };
        let layer = cutonce_sandbox::available();
        let opened = match layer.holds() {
            true => Workshop::new(self.planner.deny_read.clone(), network).map_err(|error| error.to_string()),
            false => Err(format!("{} ({})", layer.text(), layer.why())),
        };
        match opened {
            Ok(workshop) => self.here.shells.set_workshop(workshop),
            Err(why) => self.notice(
                Level::Warning,
                &format!("`sandbox.shell` is on, but commands can't be held: {why}. None will run outside plan mode."),
            ),
        }
    }

    /// Read and Grep never show what a deny rule names, nor, in plan mode, what SB-2 hides.
    pub(super) fn hide_secrets(&self) {
        let (rules, planning) = (self.rules.clone(), self.mode.in_plan());
        let home = self.here.workspace.cutonce_home.clone();
        let open: Vec<PathBuf> = self.planner.file.iter().map(|file| file.path().to_path_buf()).collect();
        open.iter().for_each(|plan| self.here.disk.keep_from_editor(plan));
        let (own, deny) = (self.here.workspace.own.clone(), self.planner.deny_read.clone());
        let skills = self.skill_folders.clone();
        self.here.disk.hide(Some(Arc::new(move |path: &Path| {
            if open.iter().any(|open| open == path) || path.starts_with(&own) {
                return false;
            }
            let ours = || path.starts_with(&home) && !skills.iter().any(|skill| path.starts_with(skill));
            let secret = || is_secret(path) || ours() || deny.iter().any(|deny| path.starts_with(deny));
            rules.denies_read(path) || (planning && secret())
        })));
    }

    /// What only the session can say about a call: that it writes exactly the plan file (PM-44), and what holds the shell.
    pub(super) fn refine(&self, access: Access) -> Access {
        match access {
            Access::Write(mut target) => {
                if self.planner.file.as_ref().is_some_and(|file| file.is(&target)) {
                    target.place = Place::PlanFile;
                }
                Access::Write(target)
            }
            Access::Read(mut targets) => {
                let plan = self.planner.file.as_ref().map(PlanFile::path);
                for target in &mut targets {
                    if Some(target.path.as_path()) == plan {
                        target.place = Place::PlanFile;
                    } else if self.skill_folders.iter().any(|skill| target.path.starts_with(skill)) {
                        target.place = Place::Own;
                    }
                }
                Access::Read(targets)
            }
            Access::Shell(mut shell) => {
                shell.held = if self.mode.in_plan() { self.planner.held } else { self.held_at_work() };
                // Elsewhere the kernel keeps them closed.
                shell.secret = self.mode.in_plan() && shell.held == Held::Parsed && may_read_secret(&shell, &self.here);
                Access::Shell(shell)
            }
            other => other,
        }
    }

    /// A call changed the plan file: tell its hash (PM-143).
    pub(super) fn plan_touched(&mut self, touched: &[PathBuf]) {
        let ours = self.planner.file.as_ref().map(PlanFile::path);
        if !touched.iter().any(|path| Some(path.as_path()) == ours) {
            return;
        }
        if let Some(sha256) = self.planner.found().sha256()
            && self.planner.told.as_ref() != Some(&sha256)
        {
            self.planner.told = Some(sha256.clone());
            self.plan_event(PlanEvent::File { sha256 });
            self.phase(PhaseEvent::PlanWritten);
        }
    }

    /// The plan belongs to the session's record (PM-47): its text goes into the transcript if it changed.
    pub(super) fn keep_plan(&mut self) {
        let found = self.planner.found();
        let (Some(text), Some(sha256)) = (found.text(), found.sha256()) else { return };
        if self.planner.kept.as_ref() == Some(&sha256) {
            return;
        }
        self.planner.kept = Some(sha256.clone());
        let (path, content) = (self.planner.path(), Some(text.to_string()));
        self.append(Body::FileSnapshot { key: "plan".into(), path, content, sha256: Some(sha256) });
    }

    /// EnterPlanMode was let through: enter, and say so (PM-33).
    pub(super) fn enter_plan(&mut self, n: usize) {
        let already = self.mode.in_plan();
        self.mode_event(mode::Event::Set { to: Mode::Plan, by: By::Model });
        let outcome = if self.mode.in_plan() {
            Outcome::text(plan::enter_result(self.planner.workflow, already))
        } else {
            Outcome::error("Plan mode could not be entered; the user was told why. Go on without it.")
        };
        self.finish(n, outcome, Duration::ZERO);
    }
}

impl Driver {
    /// Reminders that are due go out with this request (PM-91 to PM-94).
    pub(super) fn remind(&mut self) {
        if self.hall.seat.is_some() {
            return self.remind_agent();
        }
        let state = &self.hall.mode;
        let any = state.in_plan()
            || state.needs_exit_reminder()
            || state.needs_plan_reference()
            || state.needs_auto_exit_reminder();
        if !any {
            return;
        }
        let (path, found) = (self.hall.planner.path(), self.hall.planner.found());
        let context = reminder::Context { path: &path, found: &found, instructions: &self.hall.planner.instructions };
        let due = reminder::due(state, &context);
        for reminder in due.reminders {
            self.hall.append(reminder.entry());
            self.talk.push(transcript::reminder_message(&reminder.text));
            // Plan text that was shown to the model counts as read (PM-44).
            if reminder.kind == reminder::ReminderKind::PlanFileReference {
                let _ = self.hall.here.disk.remember_shown(Path::new(&path));
            }
            self.hall.mode_event(mode::Event::ReminderSent(reminder.kind));
        }
        for trouble in due.trouble {
            self.hall.notice(Level::Warning, &trouble);
        }
    }

    /// PM-81: the conversation starts over with the plan; the earlier part stays in the transcript.
    pub(super) fn restart_with_plan(&mut self) {
        let Some(said) = self.hall.planner.restart.take() else { return };
        self.clear();
        let plan_content = said.plan.clone().unwrap_or_default();
        self.hall.plan_event(PlanEvent::Implement { plan_file_path: self.hall.planner.path(), plan_content });
        self.hall.pending.push_back(Happened::Said(said));
    }
}
