//! A submission on its way: checked, shown to whoever can approve, answered, and carried out (PM-70 to PM-88). Which answer
//! means what is decided in cutonce-core's `approval`; whatever is not clearly an approval is none.

use super::Hall;
use super::asks::{Open, OpenAsk};
use super::calls::Report;
use super::hooks::Shown;
use super::options::Approver;
use crate::changes::Changes;
use cutonce_core::approval::{self, Answer, Approved, ExitResult, NoAnswer, Submission, Submitted, Verdict};
use cutonce_core::event::{AskKind, AskView, EndReason, EventKind, Level};
use cutonce_core::hook::Moment;
use cutonce_core::mode;
use cutonce_core::permission::{Denied, Why};
use cutonce_core::plan::{Found, Outcome as Settled, PhaseEvent, PlanEvent};
use cutonce_core::submission::{Answer as Any, By};
use cutonce_core::transcript::Body;
use cutonce_core::turn::{Happened, Said};
use cutonce_tools::tool::Outcome;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long a submission waits for the list of changed files before it is shown without it (PM-87).
const LOOK: Duration = Duration::from_millis(400);

/// Named one by one up to here; then counted.
const MOST_NAMED: usize = 50;

/// What hooks hear of it: the decision and the user's words.
fn decided(verdict: &Verdict) -> Option<(&'static str, Option<String>)> {
    match verdict {
        Verdict::Approved(approved) => Some(("approved", approved.notes.clone())),
        Verdict::KeepPlanning { feedback, .. } => Some(("rejected", feedback.clone())),
        Verdict::Leave { .. } => Some(("left", None)),
        Verdict::NotApproved { .. } => Some(("unanswered", None)),
        Verdict::AskAgain { .. } | Verdict::Ignored { .. } => None,
    }
}

fn told(changes: &Changes, root: &Path) -> Vec<String> {
    changes.lines(root, MOST_NAMED).into_iter().chain(changes.unseen_lines(root)).collect()
}

impl Hall {
    /// ExitPlanMode was called: look which files changed, without holding anything up, then submit. `n` is None for a
    /// request that a crash left open (PM-85).
    pub(super) fn submit_plan(&mut self, n: Option<usize>, draft: Option<Answer>) {
        if let (true, Some(n)) = (self.is_teammate(), n) {
            return self.submit_to_lead(n);
        }
        let (report, snapshot) = (self.done.0.clone(), self.planner.snapshot.clone());
        let root = self.here.workspace.root.clone();
        let mut except: Vec<_> = self.planner.file.iter().map(|file| file.path().to_path_buf()).collect();
        except.push(self.here.workspace.cutonce_home.clone());
        tokio::spawn(async move {
            let changed = match snapshot {
                Some(snapshot) => match tokio::time::timeout(LOOK, snapshot.compare(except)).await {
                    Ok(Some(changes)) => told(&changes, &root),
                    Ok(None) | Err(_) => vec!["(the workspace is too large to have been checked in time)".into()],
                },
                None => Vec::new(),
            };
            let _ = report.send(Report::PlanChecked { n, changed, draft: draft.map(Box::new) });
        });
    }

    pub(super) fn plan_checked(&mut self, n: Option<usize>, changed: Vec<String>, draft: Option<Answer>) {
        // Interrupted meanwhile: the call has its result already.
        if n.is_some_and(|n| self.has_result(n)) {
            return;
        }
        if n.is_some() && self.batch_cancel().is_cancelled() {
            // PM-80: interrupted while the workspace was looked at. Nobody is asked any more.
            return self.not_approved(n, &NoAnswer::Interrupted, &self.planner.path());
        }
        let found = self.planner.found();
        let previous = self.last_submission();
        let submission = Submission {
            ask_id: crate::new_id(),
            found: found.clone(),
            path: self.planner.path(),
            revision: if found.text().is_some() { self.next_revision(&found) } else { 0 },
            layer: self.planner.layer,
            changed_files: changed,
            shells: self
                .here
                .shells
                .running()
                .into_iter()
                .map(|task| format!("{}: {}", task.id, task.command))
                .collect(),
        };
        match self.planner.approval.submit(&self.mode, submission) {
            Submitted::Refused { result } => self.plan_result(n, Outcome::error(result)),
            Submitted::EndTurn { result, notice } => {
                self.plan_result(n, Outcome::error(result));
                self.notice(Level::Warning, &notice);
                self.end_asked(EndReason::Completed);
            }
            Submitted::Ask(request) => self.before_plan(n, Shown { request: *request, previous, draft }),
        }
    }

    fn last_submission(&self) -> Option<String> {
        let revisions = self.planner.file.as_ref()?.revisions();
        let number = revisions.index().last()?.number;
        revisions.text(number).ok()
    }

    fn next_revision(&self, found: &Found) -> u32 {
        let Some(file) = &self.planner.file else { return 1 };
        let index = file.revisions().index();
        match index.last() {
            Some(last) if Some(&last.sha256) == found.sha256().as_ref() => last.number,
            Some(last) => last.number + 1,
            None => 1,
        }
    }

    pub(super) fn show_plan(
        &mut self,
        n: Option<usize>,
        request: approval::Request,
        previous: Option<String>,
        draft: Option<Answer>,
    ) {
        if let Some(plan) = &request.plan {
            if let Some(n) = n {
                self.fill_input(n, json!({"plan": plan, "planFilePath": request.plan_file_path}));
            }
            if let Err(error) = self.planner.file.as_ref().map_or(Ok(()), |file| file.submit(plan).map(|_| ())) {
                self.notice(Level::Warning, &format!("The revision of the plan could not be kept: {error}"));
            }
            self.record_plan(request.revision, request.sha256.clone().unwrap_or_default(), "submitted");
        }
        self.keep_plan();
        self.phase(PhaseEvent::Submitted);
        self.append(Body::Ask { ask_id: request.ask_id.clone(), kind: "plan".into(), answer: None });
        self.plan_event(PlanEvent::ExitRequest(Box::new(request.clone())));
        match self.approver {
            Approver::Present => self.ask_approvers(n, request, previous, draft),
            // The run ends at the submission, the session stays in plan mode (PM-76).
            Approver::Nobody | Approver::Lead => {
                self.planner.approval.withdraw();
                self.plan_result(n, Outcome::text(approval::no_approver(&request.plan_file_path)));
                self.end_asked(EndReason::Completed);
            }
            Approver::CantAsk => {
                self.planner.approval.send_back();
                let message = approval::no_approver(&request.plan_file_path);
                let why = Why { reason: "nobody can approve a plan here".into(), rule: None, source: None };
                match n {
                    Some(n) => self.deny_call(n, Denied { why, message }),
                    None => self.notice(Level::Warning, &message),
                }
            }
        }
    }

    fn ask_approvers(
        &mut self,
        n: Option<usize>,
        request: approval::Request,
        previous: Option<String>,
        draft: Option<Answer>,
    ) {
        let view = AskView {
            agent: None,
            ask_id: request.ask_id.clone(),
            call_id: n.map(|n| self.call_id(n)).unwrap_or_default(),
            tool: cutonce_core::plan::EXIT.into(),
            input: json!({"plan": request.plan, "planFilePath": request.plan_file_path}),
            kind: AskKind::Plan { request: Box::new(request.clone()), previous, draft },
        };
        self.asks.push(OpenAsk {
            id: request.ask_id.clone(),
            n,
            call: None,
            open: Open::Plan(Box::new(request)),
            planning: true,
        });
        self.hub.emit(EventKind::Ask(Arc::new(view)));
        self.notify_hooks("plan", "A plan waits for your approval.".into());
    }

    pub(super) fn plan_answered(&mut self, ask: OpenAsk, answer: Answer) {
        let found = self.planner.found();
        let verdict = self.planner.approval.answer(&self.mode, answer.clone(), &found);
        if let Verdict::Ignored { why } = &verdict {
            self.notice(Level::Info, &format!("The answer was ignored: {why}."));
            if self.planner.approval.open().is_some() {
                self.asks.push(ask);
            }
            return;
        }
        let closed = Any::Plan(answer);
        self.append(Body::Ask { ask_id: ask.id.clone(), kind: "plan".into(), answer: Some(closed.clone()) });
        self.hub.emit(EventKind::AskClosed { ask_id: ask.id.clone(), answer: Some(closed) });
        let told = decided(&verdict);
        let Open::Plan(request) = &ask.open else { return };
        let (plan_file_path, sha256) = (request.plan_file_path.clone(), request.sha256.clone());
        self.carry_out(ask, verdict);
        if let Some((decision, feedback)) = told {
            let mode = self.mode.mode();
            self.tell_hooks(Moment::PlanDecided { decision, mode, feedback, plan_file_path, sha256 });
        }
    }

    fn carry_out(&mut self, ask: OpenAsk, verdict: Verdict) {
        let Open::Plan(request) = &ask.open else { return };
        let (n, revision, path) = (ask.n, request.revision, request.plan_file_path.clone());
        match verdict {
            Verdict::Approved(approved) => self.approved(n, revision, &path, approved),
            Verdict::KeepPlanning { feedback, comments, plan } => {
                let edited = self.save_edit(plan.as_deref(), &path);
                self.settle(revision, Settled::Rejected, None);
                let text = approval::keep_planning(feedback.as_deref(), &comments, edited, &path);
                self.plan_event(PlanEvent::Denied { feedback, comments });
                self.phase(PhaseEvent::Rejected);
                self.kept_planning(n, text);
            }
            Verdict::Leave { comments, plan, .. } => {
                self.save_edit(plan.as_deref(), &path);
                self.settle(revision, Settled::Left, plan.as_deref());
                self.mode_event(mode::Event::Leave { by: By::User });
                let result = Outcome::text(approval::left(&path, &comments));
                if n.is_some() {
                    self.plan_result(n, result);
                }
                self.end_asked(EndReason::Completed);
            }
            Verdict::AskAgain { why, answer } => {
                self.notice(Level::Warning, &format!("Not approved: {why}. The plan is shown again."));
                self.submit_plan(n, Some(answer));
            }
            Verdict::NotApproved { why, .. } => self.not_approved(n, &why, &path),
            Verdict::Ignored { .. } => {}
        }
    }

    /// What was approved is what runs (PM-84): an edit is on disk before anything else, or nothing is approved (PM-77).
    fn approved(&mut self, n: Option<usize>, revision: u32, path: &str, approved: Approved) {
        if let (true, Some(text)) = (approved.edited, &approved.plan)
            && let Err(error) = self.planner.file.as_ref().map_or(Ok(()), |file| file.write(text))
        {
            self.notice(Level::Error, &approval::unsaved(path, &error.to_string()));
            return self.submit_plan(n, None);
        }
        let _ = self.here.disk.remember_shown(Path::new(path));
        self.keep_plan();
        approved.plan.iter().for_each(|plan| self.heard.approved(plan));
        self.mode_event(mode::Event::Approved { mode: approved.mode, by: By::User });
        if self.mode.in_plan() {
            return self.not_approved(n, &NoAnswer::Failed("the mode could not be changed".into()), path);
        }
        self.settle(revision, Settled::Approved, approved.plan.as_deref().filter(|_| approved.edited));
        self.plan_event(PlanEvent::Approved { choice: approved.choice, mode: approved.mode, edited: approved.edited });
        let text = approval::approved(&approved, path, self.at_hand());
        let display = serde_json::to_value(ExitResult::approved(&approved, path, self.at_hand())).unwrap_or_default();
        if approved.clear {
            let said = Said { plan: approved.plan.clone(), ..Said::meta(approval::implement(&approved, path)) };
            self.planner.restart = Some(said);
        }
        match (n, approved.clear) {
            (Some(_), clear) => {
                self.plan_result(n, Outcome::text(text).with_display(display));
                if clear {
                    self.end_asked(EndReason::Completed);
                }
            }
            // Nothing runs: the request had survived a crash, so the conversation starts over at once, or its words
            // begin a turn.
            (None, true) => {}
            (None, false) => self.pending.push_back(Happened::Said(Said::meta(text))),
        }
    }

    fn kept_planning(&mut self, n: Option<usize>, text: String) {
        match n {
            Some(n) => {
                let why = Why { reason: "the user keeps planning".into(), rule: None, source: None };
                self.deny_call(n, Denied { why, message: text });
            }
            None => self.pending.push_back(Happened::Said(Said::meta(text))),
        }
    }

    /// PM-80: the mode stays, nothing is lost, the turn ends.
    pub(super) fn not_approved(&mut self, n: Option<usize>, why: &NoAnswer, path: &str) {
        self.phase(PhaseEvent::Rejected);
        let message = approval::not_approved(why, path);
        match n {
            Some(n) => {
                let why = Why { reason: "not approved".into(), rule: None, source: None };
                self.deny_call(n, Denied { why, message });
                self.end_asked(EndReason::Interrupted { in_tools: true });
            }
            None => self.notice(Level::Info, &message),
        }
    }

    /// The mode was changed by hand: the request is void, and the user's mode stands (PM-80).
    pub(super) fn withdraw_plan(&mut self) {
        self.planner.approval.withdraw();
        let message = approval::withdrawn(self.mode.mode());
        for ask in self.asks.take_plans() {
            self.hub.emit(EventKind::AskClosed { ask_id: ask.id, answer: None });
            if let Some(n) = ask.n {
                let why = Why { reason: "the mode was changed meanwhile".into(), rule: None, source: None };
                self.deny_call(n, Denied { why, message: message.clone() });
            }
        }
    }

    fn save_edit(&mut self, edit: Option<&str>, path: &str) -> bool {
        let Some(text) = edit else { return false };
        match self.planner.file.as_ref().map_or(Ok(()), |file| file.write(text)) {
            Ok(()) => {
                let _ = self.here.disk.remember_shown(Path::new(path));
                true
            }
            Err(error) => {
                self.notice(Level::Error, &approval::unsaved(path, &error.to_string()));
                false
            }
        }
    }

    fn settle(&mut self, revision: u32, outcome: Settled, edited: Option<&str>) {
        let Some(file) = self.planner.file.clone().filter(|_| revision > 0) else { return };
        match file.settle(revision, outcome, edited) {
            Ok(settled) => self.record_plan(settled.number, settled.sha256, outcome.name()),
            Err(error) => self.notice(Level::Warning, &format!("The outcome of the plan could not be kept: {error}")),
        }
    }

    fn record_plan(&mut self, revision: u32, sha256: String, outcome: &str) {
        let Some(slug) = self.planner.file.as_ref().map(|file| file.slug().to_string()) else { return };
        self.append(Body::Plan { slug, revision, sha256, outcome: outcome.into() });
    }

    fn plan_result(&mut self, n: Option<usize>, outcome: Outcome) {
        match n {
            Some(n) => self.finish(n, outcome, Duration::ZERO),
            None => {
                if let Some(cutonce_core::conversation::ResultPart::Text { text }) = outcome.content.first() {
                    self.notice(Level::Info, text);
                }
            }
        }
    }
}
