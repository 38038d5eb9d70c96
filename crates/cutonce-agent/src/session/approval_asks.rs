//! Asks about plans: what kinds of asks there are, which answers fit, and what an answered or withdrawn ask about a
//! plan, or about entering plan mode, means.

use super::SessionState;
use super::asks::{Asks, OpenAsk, view};
use super::changes_outside::OutsideAnswer;
use super::elicitations::OpenElicitation;
use super::parts::Approver;
use cutonce_core::plan;
use cutonce_core::plan::approval::{self, NoAnswer};
use cutonce_core::protocol::event::{AskKind, AskView, EndReason, TurnSummary};
use cutonce_core::protocol::submission::AskAnswer;
use cutonce_core::transcript::{EntryBody, PLAN_ASK};
use cutonce_tools::tool::ToolOutcome;

/// What is asked.
pub(super) enum OpenSubject {
    /// Whether a call may run; the question itself is in the call's state.
    Permission,
    /// The questions of AskUserQuestion.
    Questions,
    EnterPlan,
    /// Whether the changes of a command outside the approved plan are applied (PC-21).
    OutsidePlan(OutsideAnswer),
    Plan(Box<approval::PlanExitRequest>),
    /// Whether an implementation that used its budget up continues (PC-12).
    Budget,
    /// A question of an MCP server (DU-10).
    Elicitation(OpenElicitation),
    /// Whether an implementation continues although planned files changed (PC-13).
    Stale,
    /// A teammate's plan, for the lead's user (PM-134).
    TeamPlan(Box<approval::PlanExitRequest>),
    /// A teammate's call, for the lead's user.
    TeamCall,
}

impl OpenSubject {
    /// The name of this kind of ask in the transcript.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            OpenSubject::Permission => "permission",
            OpenSubject::Questions => "questions",
            OpenSubject::EnterPlan => "enter_plan",
            OpenSubject::OutsidePlan(_) => "outside_plan",
            OpenSubject::Plan(_) => PLAN_ASK,
            OpenSubject::Budget => "budget",
            OpenSubject::Elicitation(_) => "elicitation",
            OpenSubject::Stale => "stale_plan",
            OpenSubject::TeamPlan(_) => crate::team::approval_history::TEAM_PLAN,
            OpenSubject::TeamCall => crate::team::approval_history::TEAM_CALL,
        }
    }
    pub(super) fn accepts(&self, answer: &AskAnswer) -> bool {
        use OpenSubject::{
            Budget, Elicitation, EnterPlan, OutsidePlan, Permission, Plan, Questions, Stale, TeamCall, TeamPlan,
        };
        match (self, answer) {
            (TeamPlan(_), AskAnswer::Plan(_)) => true,
            // Anything else leaves a teammate's plan open.
            (TeamPlan(_), _) => false,
            (_, AskAnswer::Unusable { .. }) => true,
            (Permission | EnterPlan | OutsidePlan(_) | TeamCall, AskAnswer::Permission(_)) => true,
            (Questions | Budget | Stale | Elicitation(_), AskAnswer::Questions(_)) | (Plan(_), AskAnswer::Plan(_)) => {
                true
            }
            (
                Permission | Questions | EnterPlan | OutsidePlan(_) | TeamCall | Budget | Stale | Elicitation(_),
                AskAnswer::Host(_),
            ) => true,
            (_, AskAnswer::Permission(_) | AskAnswer::Questions(_) | AskAnswer::Plan(_) | AskAnswer::Host(_)) => false,
        }
    }
    /// True if a turn that must stop waits for the answer.
    pub(super) fn holds_turn(&self) -> bool {
        matches!(self, OpenSubject::Budget | OpenSubject::Stale)
    }
    /// True if a teammate asks: the ask does not belong to this session's turn.
    pub(super) fn is_of_team(&self) -> bool {
        matches!(self, OpenSubject::TeamPlan(_) | OpenSubject::TeamCall)
    }
}

impl Asks {
    /// The id of this session's plan that waits.
    pub fn plan_id(&self) -> Option<String> {
        self.0.iter().find(|ask| matches!(ask.subject, OpenSubject::Plan(_))).map(|ask| ask.id.clone())
    }
    /// Separates a plan from its call, which gets a result while the plan waits; returns the call.
    pub fn detach_plan(&mut self, id: &str) -> Option<usize> {
        let plan = |ask: &&mut OpenAsk| ask.id == id && matches!(ask.subject, OpenSubject::Plan(_));
        self.0.iter_mut().find(plan)?.n.take()
    }
    /// Removes and returns the questions about the plan that is implemented.
    pub fn take_implementation_asks(&mut self) -> Vec<OpenAsk> {
        self.0.extract_if(.., |ask| ask.subject.holds_turn()).collect()
    }
    /// Removes and returns the plan requests of this session.
    pub fn take_plans(&mut self) -> Vec<OpenAsk> {
        self.0.extract_if(.., |ask| matches!(ask.subject, OpenSubject::Plan(_))).collect()
    }
}

/// The kind and the text of the notification about an ask.
pub(super) fn waiting_notice(view: &AskView) -> (&'static str, String) {
    match &view.kind {
        AskKind::Permission { .. } => {
            let of = view.describe_asker().map(|who| format!(" of {who}")).unwrap_or_default();
            ("permission", format!("{}{of} waits for your permission.", view.tool))
        }
        AskKind::Questions(_) => ("question", "A question waits for your answer.".into()),
        AskKind::EnterPlan => ("enter_plan", "The model wants to enter plan mode.".into()),
        AskKind::Plan { .. } => ("plan", "A plan waits for your approval.".into()),
    }
}

impl SessionState {
    /// Takes the answer to a plan of this session or of a teammate; returns every other answer.
    pub(super) fn review_answered(&mut self, ask: OpenAsk, answer: AskAnswer) -> Option<(OpenAsk, AskAnswer)> {
        match (answer, &ask.subject) {
            (AskAnswer::Plan(answer), OpenSubject::TeamPlan(_)) => self.team_plan_answered(ask, answer),
            (AskAnswer::Plan(answer), _) => {
                let (ask, answer) = self.await_quorum(ask, answer)?;
                self.plan_answered(ask, answer);
            }
            (answer, _) => return Some((ask, answer)),
        }
        None
    }

    /// Takes a recorded answer to EnterPlanMode or about changes outside the plan, and an unusable one to a plan;
    /// returns every other answer.
    pub(super) fn session_tool_answered(&mut self, ask: OpenAsk, answer: AskAnswer) -> Option<(OpenAsk, AskAnswer)> {
        if let OpenSubject::Elicitation(open) = ask.subject {
            self.elicitation_answered(open, answer);
            return None;
        }
        match (&ask.subject, answer, ask.n) {
            (OpenSubject::Budget, answer, _) => self.budget_answered(&answer),
            (OpenSubject::Stale, answer, _) => self.stale_answered(&answer),
            (OpenSubject::OutsidePlan(reply), answer, _) => {
                self.extend_scope_by(&answer);
                reply.send(&answer);
            }
            (OpenSubject::EnterPlan, answer, Some(n)) => self.enter_answered(n, answer),
            (OpenSubject::Plan(request), AskAnswer::Unusable { why }, n) => {
                self.planner.approval.close_unanswered(NoAnswer::Unreadable(why.clone()));
                self.not_approved(n, &NoAnswer::Unreadable(why), &request.plan_file_path);
            }
            (_, answer, _) => return Some((ask, answer)),
        }
        None
    }

    /// PM-4: the settings want the user to be asked before the model enters plan mode.
    pub(super) fn ask_to_enter(&mut self, n: usize) {
        if self.context.approver != Approver::Present || !self.closing.inbox_open {
            return self.complete_call(n, ToolOutcome::text(plan::enter_declined()));
        }
        let view = view(&self.calls.id(n), plan::ENTER_PLAN_MODE, &serde_json::json!({}), AskKind::EnterPlan);
        self.open_ask(n, OpenSubject::EnterPlan, view);
    }

    /// A question to the user is open (PM-140).
    pub(super) fn question_asked(&mut self) {
        self.phase(plan::PhaseEvent::QuestionAsked);
    }

    /// Records that a plan does not wait any more; other asks need no entry.
    pub(super) fn record_review_closed(&mut self, ask: &OpenAsk, reason: &str) {
        if matches!(ask.subject, OpenSubject::Plan(_)) {
            self.record_plan_closed(ask.id.clone(), reason.into());
        }
    }

    /// Withdraws an ask of EnterPlanMode or ExitPlanMode and returns the call's result; `None` for other asks.
    pub(super) fn withdraw_review(&mut self, subject: &OpenSubject, reason: &str) -> Option<String> {
        match subject {
            OpenSubject::Plan(request) => {
                self.planner.approval.close_unanswered(NoAnswer::Interrupted);
                // Nothing waits any more: back to the review phase (PM-140).
                self.phase(plan::PhaseEvent::Rejected);
                Some(approval::not_approved_result(&NoAnswer::Failed(reason.into()), &request.plan_file_path))
            }
            OpenSubject::EnterPlan => Some(format!("Not run: {reason} before it was allowed.")),
            OpenSubject::Permission
            | OpenSubject::Questions
            | OpenSubject::OutsidePlan(_)
            | OpenSubject::TeamPlan(_)
            | OpenSubject::Budget
            | OpenSubject::Elicitation(_)
            | OpenSubject::Stale
            | OpenSubject::TeamCall => None,
        }
    }

    /// Repeats the entry of a plan that waits: a resume reads from the compaction on (PM-85).
    pub(super) fn record_open_review(&mut self) {
        if let Some(ask_id) = self.asks.plan_id() {
            self.append(EntryBody::Ask { ask_id, kind: PLAN_ASK.into(), answer: None });
        }
    }

    /// The summary of the turn that ends now, with the plan if plan mode is on (PM-76).
    pub(super) fn summarize_turn(&mut self, reason: EndReason, requests: u32) -> TurnSummary {
        TurnSummary { plan: self.plan_at_end(), ..self.model.usage.end(reason, requests) }
    }
}
