//! Plan submissions: checked, shown to an approver, answered and carried out (PM-70 to PM-88). cutonce-core's
//! `approval` decides what an answer means; what is not clearly an approval is none.

use super::SessionState;
use super::asks::{OpenAsk, OpenSubject};
use super::call_runner::CallRef;
use super::events::SessionEvent;
use super::parts::Approver;
use crate::plan::workspace_diff::WorkspaceChanges;
use crate::plan::{PlanStamp, read_contract};
use cutonce_core::hooks::{HookAnswer, HookEvent, HookPayload};
use cutonce_core::mode;
use cutonce_core::permission::{DeniedCall, Why};
use cutonce_core::plan::approval::{
    self, AmendedRevision, ApprovedPlan, ChoiceKey, NoAnswer, PlanAnswer, PlanExitResult, PlanSubmission, PlanVerdict,
    SubmitOutcome,
};
use cutonce_core::plan::contract::{PlanContract, PlanStep};
use cutonce_core::plan::progress::StepState;
use cutonce_core::plan::report::PlanReport;
use cutonce_core::plan::scope::ScopeMethod;
use cutonce_core::plan::{CostEstimate, PhaseEvent, PlanContent, PlanEvent, PlanFreshness, RevisionOutcome as Settled};
use cutonce_core::protocol::event::{AskKind, AskView, EndReason, EventKind, NoticeLevel};
use cutonce_core::protocol::submission::{AskAnswer as Any, ChangedBy};
use cutonce_core::settings::plan::{PlanLint, ScopeMode};
use cutonce_core::transcript::{EntryBody, PLAN_ASK};
use cutonce_core::turn::{TurnEvent, UserInput};
use cutonce_tools::files::unified_diff;
use cutonce_tools::shell::changes::scope_method;
use cutonce_tools::tool::ToolOutcome;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long a submission waits for the list of changed files (PM-87).
const LOOK: Duration = Duration::from_millis(400);
/// Kind of the reminder that a message answers a waiting plan.
const FEEDBACK_REMINDER: &str = "plan_feedback";

/// Maximum number of files that are named; more are counted.
const MOST_NAMED: usize = 50;

/// A plan on its way to an approver.
pub(crate) struct PlanPresentation {
    pub request: approval::PlanExitRequest,
    /// The text of the last submission, for the diff.
    pub previous: Option<String>,
    /// What the user had written when the plan changed meanwhile (PM-84).
    pub draft: Option<PlanAnswer>,
    /// The planned files as they are (PC-13).
    pub stamp: Option<PlanStamp>,
}

/// What a task found out about a plan before it is submitted.
pub(crate) struct CheckedPlan {
    /// Files that changed since plan mode was entered.
    changed: Vec<String>,
    contract: Option<PlanContract>,
    /// The planned files as they are (PC-13).
    stamp: Option<PlanStamp>,
    /// How they differ from the last submission of this text.
    freshness: Option<PlanFreshness>,
    /// How commands will be kept in the scope (PC-22).
    scope_method: Option<ScopeMethod>,
    /// Reports of the project's earlier plans, for the estimate (PC-12).
    history: Vec<PlanReport>,
}

/// The decision and the user's feedback, for hooks.
fn decided(verdict: &PlanVerdict) -> Option<(&'static str, Option<String>)> {
    match verdict {
        PlanVerdict::Approved(approved) => Some(("approved", approved.notes.clone())),
        PlanVerdict::KeepPlanning { feedback, .. } => Some(("rejected", feedback.clone())),
        PlanVerdict::Leave { .. } => Some(("left", None)),
        PlanVerdict::NotApproved { .. } => Some(("unanswered", None)),
        PlanVerdict::AskAgain { .. } | PlanVerdict::Ignored { .. } => None,
    }
}

/// The input of ExitPlanMode as approvers and hosts see it (PM-70, PC-38).
fn exit_input(request: &approval::PlanExitRequest) -> serde_json::Value {
    let mut input = json!({"plan": request.plan, "planFilePath": request.plan_file_path});
    if let Some(contract) = &request.contract {
        input["contract"] = json!(contract);
    }
    input
}

/// True for a step that the implementation would do; in an amendment some are done already.
fn is_to_do(step: &PlanStep) -> bool {
    matches!(step.state, None | Some(StepState::Open | StepState::Changed | StepState::Failed))
}

fn told(changes: &WorkspaceChanges, root: &Path) -> Vec<String> {
    changes.lines(root, MOST_NAMED).into_iter().chain(changes.unseen_lines(root)).collect()
}

impl SessionState {
    /// ExitPlanMode was called: finds out in a task which files changed, then submits. `n` is `None` for a request that
    /// a crash left open (PM-85).
    pub(super) fn submit_plan(&mut self, n: Option<usize>, draft: Option<PlanAnswer>) {
        if let (true, Some(n)) = (self.is_teammate(), n) {
            return self.submit_to_lead(n);
        }
        let (events, snapshot) = (self.events.clone(), self.planner.snapshot.clone());
        let call = n.map(|n| self.calls.reference(n));
        let root = self.context.env.workspace.root.clone();
        let (lint, found) = (self.context.shared.settings.plan.lint, self.planner.found());
        let file = self.planner.file.clone();
        let home = self.context.env.workspace.cutonce_home.clone();
        let scope_off = self.context.shared.settings.plan.scope == ScopeMode::Off;
        let mut except: Vec<_> = self.planner.file.iter().map(|file| file.path().to_path_buf()).collect();
        except.push(home.clone());
        tokio::spawn(async move {
            let changed = match snapshot {
                Some(snapshot) => match tokio::time::timeout(LOOK, snapshot.start_comparison(except)).await {
                    Ok(Some(changes)) => told(&changes, &root),
                    Ok(None) | Err(_) => vec!["(the workspace is too large to have been checked in time)".into()],
                },
                None => Vec::new(),
            };
            let read = move || {
                let contract = found.text().and_then(|plan| read_contract(&root, plan, lint));
                let stamp = contract.as_ref().map(|contract| PlanStamp::new(&root, contract));
                let freshness = match (&contract, found.text(), &file) {
                    (Some(contract), Some(plan), Some(file)) => file.revisions().freshness(&root, plan, contract),
                    _ => None,
                };
                let has_files = contract.as_ref().is_some_and(PlanContract::has_files) && !scope_off;
                let scope_method = has_files.then(|| scope_method(&home).0);
                let history =
                    file.filter(|_| contract.is_some()).map(|file| file.project_reports()).unwrap_or_default();
                (contract, stamp, freshness, scope_method, history)
            };
            let (contract, stamp, freshness, scope_method, history) =
                tokio::task::spawn_blocking(read).await.unwrap_or_default();
            let checked = CheckedPlan { changed, contract, stamp, freshness, scope_method, history };
            let _ = events.send(SessionEvent::PlanChecked { call, checked, draft: draft.map(Box::new) });
        });
    }

    pub(super) fn plan_checked(&mut self, call: Option<CallRef>, checked: CheckedPlan, draft: Option<PlanAnswer>) {
        // Interrupted meanwhile: the call has its result already.
        if call.is_some_and(|call| !self.calls.is_open(call)) {
            return;
        }
        let n = call.map(|call| call.n);
        if n.is_some() && self.calls.cancel.is_cancelled() {
            // PM-80: interrupted while the workspace was compared. No approver is asked any more.
            return self.not_approved(n, &NoAnswer::Interrupted, &self.planner.path());
        }
        let found = self.planner.found();
        let (previous, running) = (self.last_submission(), self.context.env.shells.running_tasks());
        let contract = self.contract_of(&found, checked.contract);
        let steps = contract.as_ref().map_or(0, |contract| contract.steps.iter().filter(|step| is_to_do(step)).count());
        let submission = PlanSubmission {
            ask_id: crate::new_id(),
            content: found.clone(),
            path: self.planner.path(),
            revision: found.text().map_or(0, |plan| self.next_revision(plan)),
            layer: self.planner.layer,
            changed_files: checked.changed,
            contract,
            freshness: checked.freshness,
            scope_method: checked.scope_method,
            estimate: CostEstimate::new(&checked.history, steps),
            amends: self.amended_by(&found),
            // A request that a crash left open goes to the user as it is.
            fix_findings: n.is_some() && draft.is_none() && self.context.shared.settings.plan.lint == PlanLint::Fix,
            shells: running.into_iter().map(|task| format!("{}: {}", task.id, task.command)).collect(),
            contacted_hosts: self.context.env.shells.plan_sandbox().map_or(Vec::new(), |held| held.contacted_hosts()),
        };
        match self.planner.approval.submit(&self.mode, submission) {
            SubmitOutcome::Refused { result } => self.plan_result(n, ToolOutcome::error(result)),
            SubmitOutcome::EndTurn { result, notice } => {
                self.plan_result(n, ToolOutcome::error(result));
                self.notice(NoticeLevel::Warning, &notice);
                self.end_with_batch(EndReason::Completed);
            }
            SubmitOutcome::Ask(request) => {
                self.run_plan_hook(n, PlanPresentation { request: *request, previous, draft, stamp: checked.stamp })
            }
        }
    }

    /// The contract of this plan; it is read again if the file changed meanwhile.
    fn contract_of(&self, found: &PlanContent, read: Option<PlanContract>) -> Option<PlanContract> {
        let (text, sha256) = (found.text()?, found.sha256()?);
        let contract = match read {
            Some(contract) if contract.sha256 == sha256 => Some(contract),
            Some(_) | None => {
                read_contract(&self.context.env.workspace.root, text, self.context.shared.settings.plan.lint)
            }
        };
        contract.map(|contract| self.with_known_steps(contract, text))
    }

    /// A plan that was parked or rejected is reviewed again without the model (PC-41).
    pub(super) fn submit_again(&mut self, slug: Option<String>) {
        if !self.turn.idle() || self.is_teammate() {
            let text = "The plan can't be submitted now: the agent is working, or its lead must approve plans.";
            return self.notice(NoticeLevel::Warning, text);
        }
        if let Err(error) = slug.map_or(Ok(()), |slug| self.switch_plan(&slug)) {
            return self.notice(NoticeLevel::Warning, &format!("The plan can't be submitted: {error}"));
        }
        if self.planner.found().text().is_none() {
            return self.notice(NoticeLevel::Warning, "There is no plan to submit yet.");
        }
        if !self.mode.is_planning() {
            self.mode_event(mode::ModeEvent::Set { to: mode::Mode::Plan, by: ChangedBy::User });
        }
        if self.mode.is_planning() {
            self.planner.approval.note_user_message();
            self.submit_plan(None, None);
        }
    }

    fn last_submission(&self) -> Option<String> {
        if let Some((_, text)) = self.amended_revision() {
            return Some(text);
        }
        let revisions = self.planner.file.as_ref()?.revisions();
        revisions.text(revisions.index().last()?.number).ok()
    }

    /// The revision that is being implemented, with its text: an amendment is compared with it (PC-40).
    pub(super) fn amended_revision(&self) -> Option<(u32, String)> {
        let file = self.planner.file.as_ref()?;
        let plan = self.planner.work.as_ref()?.progress.plan();
        let number = Some(plan.revision).filter(|number| *number > 0 && plan.slug == file.slug())?;
        Some((number, file.revisions().text(number).ok()?))
    }

    /// What this plan changes in the revision that is being implemented.
    fn amended_by(&self, found: &PlanContent) -> Option<AmendedRevision> {
        let (revision, approved) = self.amended_revision()?;
        Some(AmendedRevision {
            revision,
            diff: unified_diff(&self.planner.path(), Some(approved.as_bytes()), found.text()?.as_bytes()),
        })
    }

    fn next_revision(&self, plan: &str) -> u32 {
        self.planner.file.as_ref().map_or(1, |file| file.revisions().index().number_for(plan, &self.context.id))
    }

    /// PlanSubmitted: a hook may send a plan back before an approver sees it; none can approve it.
    fn run_plan_hook(&mut self, n: Option<usize>, plan: PlanPresentation) {
        let request = &plan.request;
        let moment = HookPayload::PlanSubmitted {
            plan: request.plan.clone(),
            plan_file_path: request.plan_file_path.clone(),
            sha256: request.sha256.clone(),
            revision: request.revision,
        };
        if !self.hooks.wants(&moment) {
            return self.show_plan(n, plan);
        }
        let (fire, events, cancel) = (self.fire_hooks(moment), self.events.clone(), self.calls.cancel.clone());
        let (call, plan) = (n.map(|n| self.calls.reference(n)), Box::new(plan));
        tokio::spawn(async move {
            let reply = cancel.run_until_cancelled(fire).await;
            let _ = events.send(SessionEvent::PlanHooked { call, plan, reply });
        });
    }

    pub(super) fn plan_hooked(&mut self, call: Option<CallRef>, plan: PlanPresentation, reply: Option<HookAnswer>) {
        if call.is_some_and(|call| !self.calls.is_open(call)) {
            return;
        }
        let (n, path) = (call.map(|call| call.n), plan.request.plan_file_path.clone());
        let Some(reply) = reply else {
            self.planner.approval.withdraw();
            return self.not_approved(n, &NoAnswer::Interrupted, &path);
        };
        self.report_hook_reply(HookEvent::PlanSubmitted, &reply);
        // The user changed the mode meanwhile: that withdrew the request (PM-80).
        if self.planner.approval.open_request().is_none() {
            let message = approval::withdrawn_result(self.mode.mode());
            return self.plan_sent_back(n, "the mode was changed meanwhile", message);
        }
        match reply.block.or(reply.stop) {
            Some(reason) => {
                self.planner.approval.send_back();
                let message = format!(
                    "The user's hook rejected the plan before the user saw it: {reason}\n\nRevise the plan at {path} and submit it again."
                );
                self.plan_sent_back(n, "a hook sent the plan back", message);
            }
            None => self.show_plan(n, plan),
        }
    }

    fn plan_sent_back(&mut self, n: Option<usize>, reason: &str, message: String) {
        match n {
            Some(n) => self.deny_call(n, DeniedCall { why: Why::from_reason(reason), message }),
            None => self.notice(NoticeLevel::Warning, &message),
        }
    }

    fn show_plan(&mut self, n: Option<usize>, plan: PlanPresentation) {
        let PlanPresentation { request, previous, draft, stamp } = plan;
        if let Some(plan) = &request.plan {
            if let Some(n) = n {
                self.calls.set_input(n, exit_input(&request));
            }
            if let Err(error) = self.planner.file.as_ref().map_or(Ok(()), |file| file.submit(plan).map(|_| ())) {
                self.notice(NoticeLevel::Warning, &format!("The plan's revision could not be saved: {error}"));
            }
            if let (Some(file), Some(stamp)) = (&self.planner.file, &stamp)
                && let Err(error) =
                    file.revisions().write_stamp(request.revision, stamp, &self.context.env.workspace.root)
            {
                self.notice(NoticeLevel::Warning, &error.to_string());
            }
            self.record_plan(request.revision, request.sha256.clone().unwrap_or_default(), "submitted");
        }
        self.keep_plan();
        self.phase(PhaseEvent::Submitted);
        // Open until it is answered: a later run asks again, also after a run without an approver (PM-76, PM-85).
        if self.context.approver != Approver::CantAsk {
            self.append(EntryBody::Ask { ask_id: request.ask_id.clone(), kind: PLAN_ASK.into(), answer: None });
        }
        self.plan_event(PlanEvent::ExitRequest(Box::new(request.clone())));
        match self.context.approver {
            Approver::Present => self.ask_approvers(n, request, previous, draft),
            // The run ends with the submission; the session stays in plan mode (PM-76).
            Approver::Absent | Approver::Lead => {
                self.planner.approval.withdraw();
                self.plan_result(n, ToolOutcome::text(approval::no_approver_result(&request.plan_file_path)));
                self.end_with_batch(EndReason::Completed);
            }
            Approver::CantAsk => {
                self.planner.approval.send_back();
                let message = approval::no_approver_result(&request.plan_file_path);
                self.plan_sent_back(n, "this session has no approver", message);
            }
        }
    }

    fn ask_approvers(
        &mut self,
        n: Option<usize>,
        request: approval::PlanExitRequest,
        previous: Option<String>,
        draft: Option<PlanAnswer>,
    ) {
        let view = AskView {
            agent: None,
            ask_id: request.ask_id.clone(),
            call_id: n.map(|n| self.calls.id(n)).unwrap_or_default(),
            tool: cutonce_core::plan::EXIT_PLAN_MODE.into(),
            input: exit_input(&request),
            kind: AskKind::Plan { request: Box::new(request.clone()), previous, draft },
        };
        // A request that still waits for an earlier submission is replaced by this one.
        for ask in self.asks.take_plans() {
            self.close_ask(ask.id, None);
        }
        let (id, subject) = (request.ask_id.clone(), OpenSubject::Plan(Box::new(request)));
        self.asks.push(OpenAsk { id, n, subject });
        self.emit(EventKind::Ask(Arc::new(view)));
        self.notify_waiting("plan", "A plan waits for your approval.".into());
    }

    pub(super) fn plan_answered(&mut self, ask: OpenAsk, answer: PlanAnswer) {
        if self.applies_unchecked(&answer) {
            self.keep_answerer();
            return self.check_rehearsal(ask, answer);
        }
        let Some((ask, answer)) = self.continue_answer(ask, answer) else { return };
        let found = self.planner.found();
        let root = &self.context.env.workspace.root;
        let edited = answer.plan.as_deref().and_then(|plan| read_contract(root, plan, PlanLint::Off));
        let verdict = self.planner.approval.answer(&self.mode, answer.clone(), &found, edited);
        let approves = matches!(verdict, PlanVerdict::Approved(_));
        let stale = approves.then(|| self.stale_files_of(&ask)).flatten();
        let verdict = match stale {
            Some(stale) => PlanVerdict::AskAgain { why: stale.text(), answer: answer.clone() },
            None => verdict,
        };
        if let PlanVerdict::Ignored { why } = &verdict {
            self.notice(NoticeLevel::Info, &format!("The answer was ignored: {why}."));
            if self.planner.approval.open_request().is_some() {
                self.asks.push(ask);
            }
            return;
        }
        let closed = Any::Plan(answer);
        self.append(EntryBody::Ask { ask_id: ask.id.clone(), kind: PLAN_ASK.into(), answer: Some(closed.clone()) });
        self.close_ask(ask.id.clone(), Some(closed));
        let told = decided(&verdict);
        let OpenSubject::Plan(request) = &ask.subject else { return };
        let (plan_file_path, sha256) = (request.plan_file_path.clone(), request.sha256.clone());
        self.carry_out(ask, verdict);
        self.end_rehearsals("the plan was answered");
        if let Some((decision, feedback)) = told {
            let mode = self.mode.mode();
            self.notify_hooks(HookPayload::PlanDecided { decision, mode, feedback, plan_file_path, sha256 });
        }
    }

    /// The planned files that changed while the plan waited for its approval (PC-13).
    fn stale_files_of(&self, ask: &OpenAsk) -> Option<PlanFreshness> {
        let OpenSubject::Plan(request) = &ask.subject else { return None };
        let (contract, plan) = (request.contract.as_ref()?, request.plan.as_deref()?);
        let revisions = self.planner.file.as_ref()?.revisions();
        revisions.freshness(&self.context.env.workspace.root, plan, contract).filter(PlanFreshness::is_stale)
    }

    fn carry_out(&mut self, ask: OpenAsk, verdict: PlanVerdict) {
        let OpenSubject::Plan(request) = &ask.subject else { return };
        let (n, revision, path) = (ask.n, request.revision, request.plan_file_path.clone());
        match verdict {
            PlanVerdict::Approved(approved) => self.approved(n, revision, &path, approved),
            PlanVerdict::KeepPlanning { feedback, comments, plan } => {
                let edited = self.save_edit(plan.as_deref(), &path);
                self.settle(revision, Settled::Rejected, None);
                let text = match self.planner.feedback_follows {
                    true => approval::message_feedback(&path),
                    false => {
                        approval::keep_planning_result(feedback.as_deref(), &comments, edited, self.can_ask(), &path)
                    }
                };
                self.plan_event(PlanEvent::Denied { feedback, comments, by: self.answerer() });
                self.phase(PhaseEvent::Rejected);
                self.kept_planning(n, text);
            }
            PlanVerdict::Leave { mode, comments, plan } => {
                self.save_edit(plan.as_deref(), &path);
                self.settle(revision, Settled::Left, plan.as_deref());
                self.mode_event(mode::ModeEvent::Leave { to: Some(mode), by: ChangedBy::User });
                let result = ToolOutcome::text(approval::left_result(&path, &comments));
                if n.is_some() {
                    self.plan_result(n, result);
                }
                self.end_with_batch(EndReason::Completed);
            }
            PlanVerdict::AskAgain { why, answer } => {
                let told = format!("Not approved: {why}. The plan is shown again.");
                self.notice(NoticeLevel::Warning, &told);
                self.refuse_answer(told);
                self.submit_plan(n, Some(answer));
            }
            PlanVerdict::NotApproved { why, .. } => {
                self.refuse_answer(approval::not_approved_result(&why, &path));
                self.not_approved(n, &why, &path);
            }
            PlanVerdict::Ignored { .. } => {}
        }
    }

    /// Carries out an approval. An edit of the plan is on disk first, or nothing is approved (PM-77, PM-84).
    fn approved(&mut self, n: Option<usize>, revision: u32, path: &str, approved: ApprovedPlan) {
        if let (true, Some(text)) = (approved.edited, &approved.plan)
            && let Err(error) = self.planner.file.as_ref().map_or(Ok(()), |file| file.write(text))
        {
            let told = approval::unsaved_edit_error(path, &error.to_string());
            self.notice(NoticeLevel::Error, &told);
            self.refuse_answer(told);
            return self.submit_plan(n, None);
        }
        let _ = self.context.env.disk.remember_shown(Path::new(path));
        self.keep_plan();
        approved.plan.iter().for_each(|plan| self.classifier.context.approved(plan));
        let slug = self.planner.file.as_ref().map(|file| file.slug().to_string()).unwrap_or_default();
        let number = match &approved.plan {
            Some(plan) if approved.edited => self.next_revision(plan),
            Some(_) | None => revision,
        };
        self.start_implementation(&approved.terms, (&slug, number), BTreeMap::new());
        self.mode_event(mode::ModeEvent::Approved { mode: approved.mode, by: ChangedBy::User });
        if self.mode.is_planning() {
            self.end_implementation();
            return self.not_approved(n, &NoAnswer::Failed("the mode could not be changed".into()), path);
        }
        self.apply_terms(&approved, &slug, number);
        self.model.selection.switch_with_next_request();
        self.settle(revision, Settled::Approved, approved.plan.as_deref().filter(|_| approved.edited));
        let (choice, mode, edited, by) = (approved.choice, approved.mode, approved.edited, self.answerer());
        self.plan_event(PlanEvent::Approved { choice, mode, edited, by });
        if self.apply_rehearsal(n, &approved) {
            return;
        }
        let text = approval::approved_result(&approved, path, self.at_hand());
        let display =
            serde_json::to_value(PlanExitResult::approved(&approved, path, self.at_hand())).unwrap_or_default();
        if approved.clear {
            let text = approval::implement_message(&approved, path);
            self.planner.restart = Some(UserInput { implements: approved.plan.clone(), ..UserInput::meta(text) });
        }
        match (n, approved.clear) {
            (Some(_), clear) => {
                self.plan_result(n, ToolOutcome::text(text).with_display(display));
                if clear {
                    self.end_with_batch(EndReason::Completed);
                }
            }
            // The request survived a crash and nothing runs: the conversation starts over at once, or the text starts a
            // turn.
            (None, true) => {}
            (None, false) => self.pending.push_back(TurnEvent::Input(UserInput::meta(text))),
        }
    }

    /// Model and effort of the implementation (PC-12); parked steps become a plan of their own (PC-11).
    fn apply_terms(&mut self, approved: &ApprovedPlan, slug: &str, revision: u32) {
        let terms = &approved.terms;
        if let Some(model) = &terms.model {
            self.model.selection.choose(model.clone());
        }
        if let Some(effort) = terms.effort {
            self.model.selection.set_effort(Some(effort));
        }
        let plan = approved.plan.as_deref().unwrap_or_default();
        let Some(text) = terms.parked_plan(plan, slug, revision) else { return };
        match self.planner.files.reserve("parked steps").and_then(|file| file.write(&text).map(|()| file)) {
            Ok(file) => {
                let text = format!("The parked steps are a plan of their own: {}.", file.slug());
                self.notice(NoticeLevel::Info, &text);
            }
            Err(error) => {
                self.notice(NoticeLevel::Warning, &format!("The parked steps could not be saved as a plan: {error}"));
            }
        }
    }

    fn kept_planning(&mut self, n: Option<usize>, text: String) {
        match n {
            Some(n) => {
                let why = Why::from_reason("the user keeps planning");
                self.deny_call(n, DeniedCall { why, message: text });
            }
            // The user's own message follows and starts the turn.
            None if self.planner.feedback_follows => {
                self.memory.reminders.push((FEEDBACK_REMINDER.into(), text));
            }
            None => self.pending.push_back(TurnEvent::Input(UserInput::meta(text))),
        }
    }

    /// Ends the turn without an approval; the mode stays and nothing is lost (PM-80).
    pub(super) fn not_approved(&mut self, n: Option<usize>, why: &NoAnswer, path: &str) {
        self.phase(PhaseEvent::Rejected);
        let message = approval::not_approved_result(why, path);
        match n {
            Some(n) => {
                let why = Why::from_reason("not approved");
                self.deny_call(n, DeniedCall { why, message });
                self.end_with_batch(EndReason::Interrupted { in_tools: true });
            }
            None => self.notice(NoticeLevel::Info, &message),
        }
    }

    /// Esc in the review: the user decides later (PM-80). The turn ends, and the request stays open.
    pub(super) fn postpone_plan(&mut self, ask_id: &str) {
        let Some(n) = self.asks.detach_plan(ask_id) else { return };
        self.plan_result(Some(n), ToolOutcome::text(approval::postponed_result()));
        self.end_with_batch(EndReason::Completed);
    }

    /// A message of the user while a plan waits is the answer "keep planning" (PM-80).
    pub(super) fn answer_review_with_message(&mut self, text: &str) {
        // A run that can't ask did not open the request of an earlier one again.
        if std::mem::take(&mut self.planner.reopen) && self.asks.plan_id().is_none() {
            let why = "the user sent a message".into();
            return self.record_plan_closed(String::new(), why);
        }
        if let Some(ask_id) = self.asks.plan_id() {
            let feedback = Some(text.to_string());
            let answer = PlanAnswer { feedback, ..PlanAnswer::new(ask_id.clone(), ChoiceKey::KeepPlanning) };
            self.planner.feedback_follows = true;
            self.answer(&ask_id, Any::Plan(answer));
            self.planner.feedback_follows = false;
        }
    }

    /// Closes the requests that wait, unapproved, because of something that the user did.
    pub(super) fn close_reviews(&mut self, why: &str) {
        self.planner.approval.withdraw();
        self.end_rehearsals(why);
        for ask in self.asks.take_plans() {
            self.record_plan_closed(ask.id.clone(), why.into());
            self.close_ask(ask.id, None);
        }
    }

    /// Notes in the transcript that no plan waits any more.
    pub(super) fn record_plan_closed(&mut self, ask_id: String, why: String) {
        self.append(EntryBody::Ask { ask_id, kind: PLAN_ASK.into(), answer: Some(Any::Unusable { why }) });
    }

    /// Withdraws the open request because the user changed the mode (PM-80).
    pub(super) fn withdraw_plan(&mut self) {
        self.planner.approval.withdraw();
        self.end_rehearsals("the mode was changed");
        let message = approval::withdrawn_result(self.mode.mode());
        for ask in self.asks.take_plans() {
            self.close_ask(ask.id, None);
            if let Some(n) = ask.n {
                let why = Why::from_reason("the mode was changed meanwhile");
                self.deny_call(n, DeniedCall { why, message: message.clone() });
            }
        }
    }

    fn save_edit(&mut self, edit: Option<&str>, path: &str) -> bool {
        let Some(text) = edit else { return false };
        match self.planner.file.as_ref().map_or(Ok(()), |file| file.write(text)) {
            Ok(()) => {
                let _ = self.context.env.disk.remember_shown(Path::new(path));
                true
            }
            Err(error) => {
                self.notice(NoticeLevel::Error, &approval::unsaved_edit_error(path, &error.to_string()));
                false
            }
        }
    }

    fn settle(&mut self, revision: u32, outcome: Settled, edited: Option<&str>) {
        let Some(file) = self.planner.file.clone().filter(|_| revision > 0) else { return };
        match file.record_outcome(revision, outcome, edited) {
            Ok(settled) => self.record_plan(settled.number, settled.sha256, outcome.name()),
            Err(error) => self.notice(NoticeLevel::Warning, &format!("The plan's outcome could not be saved: {error}")),
        }
    }

    fn record_plan(&mut self, revision: u32, sha256: String, outcome: &str) {
        let Some(slug) = self.planner.file.as_ref().map(|file| file.slug().to_string()) else { return };
        self.append(EntryBody::Plan { slug, revision, sha256, outcome: outcome.into() });
    }

    pub(super) fn plan_result(&mut self, n: Option<usize>, outcome: ToolOutcome) {
        match n {
            Some(n) => self.complete_call(n, outcome),
            None => {
                if let Some(cutonce_core::conversation::ResultPart::Text { text }) = outcome.content.first() {
                    self.notice(NoticeLevel::Info, text);
                }
            }
        }
    }
}
