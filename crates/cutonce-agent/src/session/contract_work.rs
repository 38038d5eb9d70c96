//! The implementation of an approved plan (PC-11 to PC-37): scope, evidence, reminders, checks at the end, report. What
//! they mean is decided in cutonce-core's plan room; the transcript has everything, so a resume continues here.

use super::SessionState;
use super::parts::Approver;
use crate::plan::{PlanRevisions, PlanStamp};
use crate::storage::implementation_entries;
use crate::storage::rewind::{FileSnapshot, RewindPoint};
use crate::storage::versions::content_hash;
use cutonce_core::conversation::{ResultPart, ToolInput, ToolUse};
use cutonce_core::mode;
use cutonce_core::permission::{Access, CallFacts, Decision, PathLocation, PathTarget, suggest_additions};
use cutonce_core::plan::approval::ApprovalTerms;
use cutonce_core::plan::contract::PlanContract;
use cutonce_core::plan::implementation::{Implementation, replay_implementation};
use cutonce_core::plan::progress::{CheckRunner, Evidence, PlanProgress};
use cutonce_core::plan::report::PlanReport;
use cutonce_core::plan::scope::{PlanScope, ScopeVerdict, ScopedPath, UserOrder};
use cutonce_core::plan::{PlanEvent, StaleFile, progress::StepState};
use cutonce_core::protocol::event::{EndReason, EventKind, NoticeLevel};
use cutonce_core::settings::plan::{PlanVerify, ScopeMode};
use cutonce_core::transcript::{self, EntryBody};
use cutonce_core::turn::TurnEvent;
use cutonce_tools::disk::ReportedChange;
use cutonce_tools::files::{IgnoreRules, freeze_rules};
use cutonce_tools::shell::confine::WorkspaceSandbox;
use cutonce_tools::tool::ToolOutcome;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How often the model is reminded of open steps at the end of a turn (PC-33).
const MAX_END_REMINDERS: usize = 2;
/// Kind of the reminder of open steps in the transcript.
const STEPS_REMINDER: &str = "plan_steps";
/// Bytes of a check's output that front ends get: its end.
const MAX_CHECK_OUTPUT: usize = 16 << 10;

/// An approved plan that this session implements.
pub(crate) struct ImplementationWork {
    pub(super) progress: PlanProgress,
    budget_usd: Option<f64>,
    /// Files that were being changed when an earlier process ended, with the hash of their old content.
    unproven_writes: Vec<(PathBuf, Option<String>)>,
    /// Cost of the session and time of the turn up to the last entry about them.
    cost_before: f64,
    time_before: Duration,
    /// Requests since the last reminder of open steps (PC-34).
    requests: u32,
    /// The checks at the end of this turn ran (PC-31).
    verified: bool,
    /// The user refused a call of the plan in this turn: the model is not urged to go on, and no check asks again
    /// (PC-33).
    refused: bool,
    reported: Option<PlanReport>,
    /// Files that changed under open steps, until the user is asked (PC-13).
    pub(super) stale: Vec<StaleFile>,
    /// No one could be asked about them: the next message of the user accepts them.
    pub(super) told_stale: bool,
}

impl ImplementationWork {
    fn new(progress: PlanProgress, budget_usd: Option<f64>, cost_before: f64) -> ImplementationWork {
        ImplementationWork {
            progress,
            budget_usd,
            unproven_writes: Vec::new(),
            cost_before,
            time_before: Duration::ZERO,
            requests: 0,
            verified: false,
            refused: false,
            reported: None,
            stale: Vec::new(),
            told_stale: false,
        }
    }

    /// The implementation in the transcript of an earlier process.
    pub(crate) fn restore(entries: &[EntryBody], root: &Path) -> Option<ImplementationWork> {
        let Implementation { progress, budget_usd, unproven_writes } =
            replay_implementation(entries, &root.to_string_lossy())?;
        let unproven_writes = unproven_writes.into_iter().map(|(path, hash)| (path.into(), hash)).collect();
        Some(ImplementationWork { unproven_writes, ..ImplementationWork::new(progress, budget_usd, 0.0) })
    }

    /// What the session had cost when an earlier process last recorded it; what came after is the plan's (PC-36).
    pub(crate) fn set_recorded_cost(&mut self, cost: f64) {
        self.cost_before = cost;
    }
}

impl SessionState {
    /// An approval starts the implementation. Written before the mode changes, so that no kill loses the scope.
    /// `known`: the planned files when the plan was read, if that was before now.
    pub(super) fn start_implementation(
        &mut self,
        terms: &ApprovalTerms,
        (slug, revision): (&str, u32),
        known: BTreeMap<String, Option<String>>,
    ) {
        // With a user there, a plan that shows nothing needs no report. Without one, the exit code must say so (PC-35).
        let alone = self.context.approver == Approver::Absent;
        let approved = terms.approved_contract(slug, revision).filter(|plan| alone || plan.can_be_followed());
        let Some(mut approved) = approved else { return self.end_implementation() };
        approved.stamp = PlanStamp::new(&self.context.env.workspace.root, &approved.contract).files;
        self.stamp_contents(approved.stamp.keys().cloned());
        approved.stamp.extend(known);
        let mut scope = approved.scope(terms.scope.unwrap_or(self.context.shared.settings.plan.scope));
        scope.iter_mut().for_each(|scope| self.freeze_ignore_rules(scope));
        // From here on, what the session costs is the plan's, also after a kill.
        self.record_usage();
        self.append(EntryBody::Contract {
            approved: Some(Box::new(approved.clone())),
            scope: scope.clone(),
            budget_usd: terms.budget_usd,
            amends: self.planner.work.is_some(),
        });
        let root = self.context.env.workspace.root.to_string_lossy().into_owned();
        let cost = self.model.usage.cost();
        // A plan that is approved while one is implemented amends it: the evidence stays (PC-40).
        let progress = match self.planner.work.take() {
            Some(mut work) => {
                work.progress.amend(approved);
                work.progress
            }
            None => PlanProgress::new(approved, root),
        };
        self.planner.work = Some(ImplementationWork::new(progress, terms.budget_usd, cost));
        self.mode_event(mode::ModeEvent::ScopeSet(scope));
        self.follow_implementation();
    }

    /// The contract of a submitted plan with the steps that are locked or unchanged, if it amends the one that is
    /// implemented (PC-40).
    pub(super) fn with_known_steps(&self, mut contract: PlanContract, text: &str) -> PlanContract {
        if let Some(work) = &self.planner.work {
            let approved = self.amended_revision().map(|(_, text)| text);
            work.progress.mark_known(&mut contract, approved.as_deref().map(|approved| (approved, text)));
        }
        contract
    }

    /// `/plan amend`: tells the model what an amendment keeps; false if no plan is implemented (PC-40).
    pub(super) fn begin_amendment(&mut self) -> bool {
        let Some(work) = &self.planner.work else { return false };
        let done = work.progress.states().into_iter().filter(|(_, state)| *state == StepState::Checked);
        let done: Vec<String> = done.map(|(id, _)| id).collect();
        let done = if done.is_empty() { "none".to_string() } else { done.join(", ") };
        let text = format!("{} Steps that are done: {done}.", include_str!("amend.md").trim_end());
        self.memory.reminders.push(("plan_amend".into(), text));
        true
    }

    /// Name of the plan that is being implemented.
    pub(super) fn implemented_plan(&self) -> Option<String> {
        self.planner.work.as_ref().map(|work| work.progress.plan().slug.clone())
    }

    /// No plan is implemented any more: nothing restricts the next writes.
    pub(super) fn end_implementation(&mut self) {
        if self.planner.work.take().is_none() {
            return;
        }
        self.append(EntryBody::Contract { approved: None, scope: None, budget_usd: None, amends: false });
        self.mode_event(mode::ModeEvent::ScopeSet(None));
        self.follow_implementation();
        self.show_steps();
    }

    /// Collects evidence while a plan is implemented; also after a resume and a rewind.
    pub(super) fn follow_implementation(&mut self) {
        // Subagents share disk and evidence with the main session.
        if self.subagent.is_some() {
            return;
        }
        let standing = self.context.standing.clone();
        let for_lead = self.has_lead_scope();
        let Some(work) = self.planner.work.as_mut().filter(|_| !for_lead) else {
            if for_lead {
                standing.collect_evidence(Some(self.events.clone()));
                return self.listen_for_changes();
            }
            self.context.env.disk.set_on_change(None);
            standing.collect_evidence(None);
            standing.watch_files(Vec::new());
            return standing.budget.set_budget(None, 0.0);
        };
        standing.collect_evidence(Some(self.events.clone()));
        standing.budget.set_budget(work.budget_usd, work.progress.spent_of_budget());
        // Under a scope the layer shows what a command changed.
        let watches = self.mode.whole_scope().is_none();
        let planned = work.progress.plan().stamp.keys().filter(|_| watches);
        standing.watch_files(planned.cloned().collect());
        let unproven = std::mem::take(&mut work.unproven_writes);
        self.listen_for_changes();
        for (path, before) in unproven {
            let after = std::fs::read(&path).ok().map(|bytes| content_hash(&bytes));
            let path = path.to_string_lossy().into_owned();
            self.observe(Evidence::wrote(path, before, after));
        }
        self.show_steps();
    }

    fn listen_for_changes(&self) {
        let listener = self.context.standing.clone();
        self.context.env.disk.set_on_change(Some(Arc::new(move |changes| {
            for (n, change) in changes.iter().enumerate() {
                let ReportedChange { path, before, after, modes } = change.clone();
                let path = path.to_string_lossy().into_owned();
                listener.observed(Evidence::Wrote { path, before, after, exempt: false, modes, together: n > 0 });
            }
        })));
    }

    /// Reads the implementation of a plan again from the entries that stay (PC-36). Files that stay changed are
    /// evidence.
    pub(super) fn read_implementation(&mut self, point: &RewindPoint, files: bool) {
        let entries = implementation_entries(self.transcript.store.path()).unwrap_or_default();
        self.planner.work = ImplementationWork::restore(&entries, &self.context.env.workspace.root);
        self.planner.work.iter_mut().for_each(|work| work.set_recorded_cost(self.model.usage.cost()));
        let scope = mode::replay_mode(self.mode.setup(), &entries).0.scope().cloned();
        self.mode_event(mode::ModeEvent::ScopeSet(scope));
        self.follow_implementation();
        self.show_steps();
        for FileSnapshot { path, sha256 } in point.files.iter().filter(|_| !files) {
            let after = std::fs::read(path).ok().map(|bytes| content_hash(&bytes));
            self.observe(Evidence::wrote(path.clone(), sha256.clone(), after));
        }
    }

    /// Records a piece of evidence and reports the steps that it changes (PC-30, PC-32).
    pub(super) fn observe(&mut self, evidence: Evidence) {
        let for_lead = self.has_lead_scope();
        if self.planner.work.is_none() && !for_lead {
            return;
        }
        let Some(evidence) = self.placed(evidence) else { return };
        if for_lead {
            return self.send_evidence(evidence);
        }
        self.append(EntryBody::Evidence { evidence: evidence.clone() });
        let Some(work) = &mut self.planner.work else { return };
        let changed = work.progress.observe(evidence);
        let steps: Vec<_> = changed.iter().filter_map(|(id, _)| work.progress.step_progress(id)).collect();
        if !steps.is_empty() {
            self.show_steps();
        }
        steps.into_iter().for_each(|step| self.plan_event(PlanEvent::Step(step)));
    }

    /// Shows front ends the steps with their states (PC-32); none if no plan is implemented.
    fn show_steps(&self) {
        let steps = self.planner.work.as_ref().map(|work| work.progress.live_steps());
        self.emit(EventKind::Steps(steps.unwrap_or_default()));
    }

    /// The evidence with a path relative to the workspace; `None` if it says nothing about the plan.
    fn placed(&self, evidence: Evidence) -> Option<Evidence> {
        let Evidence::Wrote { path, before, after, modes, together, .. } = evidence else { return Some(evidence) };
        let target = Path::new(&path);
        let is_plan = self.planner.file.as_ref().is_some_and(|file| file.path() == target);
        if (before == after && modes.is_none()) || is_plan || self.is_temporary(target) {
            return None;
        }
        let exempt = self.ignore_rules(self.mode.whole_scope()).is_ignored(target);
        Some(Evidence::Wrote { path: self.relative(target), before, after, exempt, modes, together })
    }

    /// An amendment keeps the rules from the first approval: what the plan changed since must not widen its scope.
    fn freeze_ignore_rules(&self, scope: &mut PlanScope) {
        let known = self.planner.work.as_ref().and_then(|_| self.mode.whole_scope());
        scope.ignore_rules.extend(known.iter().flat_map(|known| known.ignore_rules.clone()));
        freeze_rules(&self.context.env.workspace.root, scope);
    }

    fn ignore_rules(&self, scope: Option<&PlanScope>) -> IgnoreRules {
        IgnoreRules::new(&self.context.env.workspace.root, scope)
    }

    /// The path relative to the workspace, or as it is outside.
    fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.context.env.workspace.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    fn is_temporary(&self, path: &Path) -> bool {
        let folders = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()];
        !path.starts_with(&self.context.env.workspace.root) && folders.iter().any(|folder| path.starts_with(folder))
    }

    /// Applies the scope of the approved plan to the decision about a write (PC-20). Returns the path if it is outside.
    pub(super) fn within_scope(
        &self,
        mode: mode::Mode,
        facts: &CallFacts,
        decision: Decision,
    ) -> (Decision, Option<String>) {
        let (Some(scope), Access::Write(target)) = (self.context.standing.scope(), &facts.access) else {
            return (decision, None);
        };
        let verdict = self.scope_verdict(&scope, target);
        let outside = (verdict == ScopeVerdict::Outside).then(|| self.relative(&target.path));
        let ordered = outside.as_ref().is_some_and(|path| self.user_order().names(path));
        let asks = if ordered && scope.mode == ScopeMode::Enforce { ScopeMode::Ask } else { scope.mode };
        let mut decision = decision.within_scope(mode, facts, asks, verdict);
        if let (Decision::Ask(ask), Some(path)) = (&mut decision, &outside) {
            ask.suggestions = vec![suggest_additions(std::slice::from_ref(path))];
        }
        (decision, outside)
    }

    /// The files that the user's last message names (PC-24); none if no user is there.
    pub(super) fn user_order(&self) -> UserOrder {
        let message = self.memory.user_messages.last().filter(|_| self.context.approver == Approver::Present);
        message.map(|message| UserOrder::new(message)).unwrap_or_default()
    }

    fn scope_verdict(&self, scope: &PlanScope, target: &PathTarget) -> ScopeVerdict {
        let root = &self.context.env.workspace.root;
        let relative = target.path.strip_prefix(root).ok().map(|path| path.to_string_lossy());
        scope.verdict(ScopedPath {
            path: relative.as_deref(),
            is_plan_file: target.place == PathLocation::PlanFile,
            is_ignored: self.ignore_rules(Some(scope)).is_ignored(&target.path),
            is_temporary: target.place == PathLocation::Own || self.is_temporary(&target.path),
        })
    }

    /// The user adds a file to the contract (PC-24). A subagent hands it to the main session.
    pub(super) fn extend_scope(&mut self, path: &str) {
        if self.subagent.is_some() {
            return self.context.standing.extend_scope(path);
        }
        if self.has_lead_scope() {
            return self.extend_lead_scope(path);
        }
        let (Some(mut scope), Some(work)) = (self.mode.scope().cloned(), &mut self.planner.work) else { return };
        work.progress.accept(path);
        scope.add(path);
        freeze_rules(&self.context.env.workspace.root, &mut scope);
        self.append(EntryBody::Scope { scope: Some(scope.clone()) });
        self.mode_event(mode::ModeEvent::ScopeSet(Some(scope)));
    }

    /// A command of the model ended: if it is a check of the plan, that is evidence (PC-31).
    pub(super) fn command_ended(&mut self, command: &str, outcome: &ToolOutcome) {
        let by = if self.calls.by_program { CheckRunner::Program } else { CheckRunner::Model };
        let Some(display) = outcome.display.as_ref().filter(|display| display.get("exitCode").is_some()) else {
            return;
        };
        let (exit_code, stopped) = ended(display);
        // In another folder it is another command, unless it goes to the workspace itself.
        let moves = command.trim_start().strip_prefix("cd ").unwrap_or_default();
        let folder = display["folder"].as_str().filter(|_| !moves.trim_start_matches(['"', '\'']).starts_with('/'));
        let command = folder.map_or(command.to_string(), |folder| format!("cd {folder} && {command}"));
        let output = self.shown_output(outcome);
        let evidence = Evidence::Ran { command, exit_code, stopped, by, at: crate::timestamp(), output };
        match &self.subagent {
            // The main session knows the checks.
            Some(_) => self.context.standing.observed(evidence),
            None => self.check_ran(evidence),
        }
    }

    /// Tells front ends what a check that the program ran printed (RH-2).
    pub(super) fn report_check(&self, command: String, outcome: &ToolOutcome) {
        let (exit_code, stopped) = outcome.display.as_ref().map(ended).unwrap_or_default();
        self.plan_event(PlanEvent::Check { command, exit_code, stopped, output: self.shown_output(outcome) });
    }

    /// The end of what a command printed, without secrets.
    fn shown_output(&self, outcome: &ToolOutcome) -> String {
        let texts = outcome.content.iter().filter_map(|part| match part {
            ResultPart::Text { text } => Some(text.as_str()),
            ResultPart::Image(_) => None,
        });
        let output = texts.collect::<Vec<_>>().join("\n");
        let output = self.context.shared.redactor.redact(&output);
        let start = output.ceil_char_boundary(output.len().saturating_sub(MAX_CHECK_OUTPUT));
        output[start..].to_string()
    }

    /// Takes a command as evidence if it is a check.
    pub(super) fn check_ran(&mut self, evidence: Evidence) {
        let Evidence::Ran { command, .. } = &evidence else { return self.observe(evidence) };
        let is_check = self.planner.work.as_ref().is_some_and(|work| work.progress.is_check(command));
        if is_check || self.has_lead_scope() {
            self.observe(evidence);
        }
    }

    /// The user refused a call. One outside the plan says nothing about its steps.
    pub(super) fn call_refused(&mut self, n: usize) {
        let outside = self.calls.is_out_of_scope(n);
        if let Some(work) = self.planner.work.as_mut().filter(|_| !outside) {
            work.refused = true;
        }
    }

    /// In this turn the model is not urged to do what is open, and no check runs.
    pub(super) fn hold_open_steps(&mut self) {
        if let Some(work) = &mut self.planner.work {
            work.refused = true;
        }
    }

    /// A write outside the plan was denied (PC-20).
    pub(super) fn outside_denied(&mut self, path: String) {
        match &self.subagent {
            Some(_) => self.context.standing.observed(Evidence::Denied { path }),
            None => self.observe(Evidence::Denied { path }),
        }
    }

    /// Adds the reminder of open steps to this request if it is due (PC-34).
    pub(super) fn remind_steps(&mut self) {
        let every = self.context.shared.settings.plan.remind_every;
        let Some(work) = self.planner.work.as_mut().filter(|_| !self.mode.is_planning()) else { return };
        work.requests += 1;
        if every == 0 || work.requests <= every {
            return;
        }
        work.requests = 1;
        let Some(text) = work.progress.reminder() else { return };
        self.append(EntryBody::Reminder {
            kind: STEPS_REMINDER.into(),
            form: None,
            path: None,
            exists: None,
            text: text.clone(),
        });
        self.conversation.push(transcript::reminder_message(&text));
    }

    /// The model forgot the conversation: the next request reminds it of open steps.
    pub(super) fn remind_steps_soon(&mut self) {
        if let Some(work) = &mut self.planner.work {
            work.requests = u32::MAX - 1;
        }
    }

    /// What the plan wants before the turn ends: a reminder of open steps (PC-33), then its checks (PC-31). False if
    /// the turn may end.
    pub(super) fn steps_hold_end(&mut self) -> bool {
        // Teammates that work may be on these steps.
        if self.mode.is_planning() || self.team_works() {
            return false;
        }
        let may_continue = !self.turn.at_limit();
        let verify = self.context.shared.settings.plan.verify;
        let Some(work) = &mut self.planner.work else { return false };
        if work.refused {
            return false;
        }
        let remind = may_continue && work.progress.has_unwritten_steps() && !work.verified;
        if remind && work.progress.end_reminders() < MAX_END_REMINDERS {
            let Some(message) = work.progress.end_of_turn_reminder() else { return false };
            self.observe(Evidence::Reminded);
            self.pending.push_back(TurnEvent::EndRefused { message });
            return true;
        }
        if std::mem::replace(&mut work.verified, true) || verify == PlanVerify::Off {
            return false;
        }
        let checks = work.progress.pending_checks();
        !checks.is_empty() && self.run_checks(checks)
    }

    /// The program runs these checks, decided like commands of the model.
    fn run_checks(&mut self, checks: Vec<String>) -> bool {
        self.open_check_sandbox();
        let workspace = &self.context.env.workspace;
        let elsewhere = self.context.env.shells.working_folder(workspace) != workspace.root;
        let root = if elsewhere { format!("cd \"{}\" && ", workspace.root.display()) } else { String::new() };
        let calls = checks.into_iter().map(|check| format!("{root}{check}")).enumerate().map(|(at, command)| ToolUse {
            id: format!("plan-check-{}", at + 1),
            name: "Bash".into(),
            input: ToolInput::Json(json!({"command": command})),
        });
        let calls = self.lay_out_checks(calls.collect());
        self.pending.push_back(TurnEvent::ChecksDue { calls });
        true
    }

    /// `plan.verify` may want the user to be asked about each check.
    pub(super) fn check_decision(&self, facts: &CallFacts, decision: Decision) -> Decision {
        match self.calls.by_program && self.context.shared.settings.plan.verify == PlanVerify::Ask {
            true => decision.ask_about_check(facts),
            false => decision,
        }
    }

    /// Checks run in the workspace sandbox where the kernel has one (PC-31).
    fn open_check_sandbox(&mut self) {
        let settings = &self.context.shared.settings.sandbox;
        if settings.shell || self.planner.confines_checks {
            return;
        }
        let can_confine = cutonce_sandbox::sandbox_support().can_confine();
        let made = can_confine.then(|| WorkspaceSandbox::new(self.planner.deny_read.clone(), settings.network));
        if let Some(Ok(sandbox)) = made {
            self.context.env.shells.set_workspace_sandbox(sandbox);
            self.planner.confines_checks = true;
        }
    }

    /// The user decided to continue: open steps and checks count again.
    pub(super) fn release_open_steps(&mut self) {
        if let Some(work) = &mut self.planner.work {
            work.refused = false;
        }
    }

    /// A turn begins: it has its own time, and its end runs the checks again.
    pub(super) fn implementation_turn_began(&mut self) {
        let Some(work) = &mut self.planner.work else { return };
        (work.time_before, work.verified, work.refused) = (Duration::ZERO, false, false);
    }

    /// Budget of the implementation and what it has spent; `None` without a budget, or if all is done.
    pub(super) fn plan_budget(&self) -> Option<(f64, f64)> {
        let work = self.planner.work.as_ref().filter(|work| !work.progress.open_work().is_empty())?;
        Some((work.budget_usd?, work.progress.spent_of_budget()))
    }

    /// Reports the state of the implementation when a turn ends (PC-35). A user's interrupt ends it without a report.
    pub(super) fn report_implementation(&mut self, reason: &EndReason) -> Option<PlanReport> {
        self.record_spending();
        // A plan that starts in a cleared conversation has not begun yet (PM-81).
        let waits = self.mode.is_planning() || self.planner.restart.is_some();
        if waits || matches!(reason, EndReason::Interrupted { .. }) {
            return None;
        }
        let text = self.model.usage.text().to_string();
        let work = self.planner.work.as_mut()?;
        let (cost, seconds) = work.progress.spent();
        let report = PlanReport::new(&work.progress, &text, cost, seconds);
        let over = work.progress.open_work().is_empty();
        let same = |known: &PlanReport| (&known.steps, &known.claims) == (&report.steps, &report.claims);
        if work.reported.as_ref().is_some_and(same) {
            return None;
        }
        work.reported = Some(report.clone());
        self.keep_report(&report);
        self.plan_event(PlanEvent::Report(Box::new(report.clone())));
        if over {
            self.end_implementation();
        }
        Some(report)
    }

    /// A killed process could not record what its last turn cost.
    pub(super) fn record_earlier_spending(&mut self) {
        let cost = self.model.usage.cost();
        if self.planner.work.as_ref().is_some_and(|work| cost > work.cost_before) {
            self.record_spending();
        }
    }

    pub(super) fn record_spending(&mut self) {
        let cost = self.model.usage.cost();
        let elapsed = self.model.usage.elapsed();
        let Some(work) = &mut self.planner.work else { return };
        let micro_usd = ((cost - work.cost_before).max(0.0) * 1e6).round() as u64;
        let millis = elapsed.saturating_sub(work.time_before).as_millis() as u64;
        (work.cost_before, work.time_before) = (cost, elapsed);
        self.observe(Evidence::Spent { micro_usd, millis });
    }

    /// Stores the report next to the plan's revisions.
    fn keep_report(&self, report: &PlanReport) {
        if report.plan.revision == 0 {
            return;
        }
        let revisions = PlanRevisions::for_plan(self.planner.files.home(), &report.plan.slug);
        if let Err(error) = revisions.write_report(report) {
            self.notice(NoticeLevel::Warning, &format!("The plan's report could not be saved: {error}"));
        }
    }
}

/// The exit code of a command, or what stopped it.
fn ended(display: &Value) -> (Option<i32>, Option<String>) {
    let code = display["exitCode"].as_i64().and_then(|code| i32::try_from(code).ok());
    (code, display["stopped"].as_str().map(str::to_string))
}
