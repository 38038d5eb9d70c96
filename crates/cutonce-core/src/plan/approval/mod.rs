//! Plan approval (section 7 of the contract): one open request, the first answer wins, stale answers are
//! ignored, and only an explicit approval approves.
//!
//! `submit` opens a request, `answer` decides it, `close` and `withdraw` end it unapproved. Nothing here
//! changes the mode: an approval becomes a mode event, and the mode machine checks the state again.

mod answer;
mod headless;
mod request;
mod result;
mod review_terms;
mod teammate;
mod terms;

pub use answer::{ApprovedPlan, LineComment, NoAnswer, PlanAnswer, PlanVerdict, QuotedComment};
pub use headless::{HeadlessResult, describe_plan, headless_result};
pub use request::{
    AmendedRevision, ChoiceKey, EXIT_QUESTION, EnforcementLevel, PlanChoice, PlanExitRequest, PlanSubmission,
};
pub use result::{
    ALL_IMPLEMENTATION_TOOLS, ImplementationTools, PlanExitResult, applied_result, approved_result, implement_message,
    keep_planning_result, left_result, message_feedback, no_approver_result, not_approved_result,
    not_in_plan_mode_error, postponed_result, resubmitted_messages, subagent_result, unreadable_plan_error,
    unsaved_edit_error, with_findings_result, withdrawn_result,
};

pub use review_terms::{
    ContractSummary, OFFERED_BUDGETS, RejectedTerm, ReviewTerms, is_locked, is_settled, price_text,
};
pub use teammate::response_to_teammate;
pub use terms::{ApprovalTerms, InvalidTerms};

use crate::mode::ModeState;
use crate::plan::PlanContent;
use crate::plan::contract::PlanContract;

/// The open approval request and the plan rejected last. Not stored: after a crash, the open `ask` entry of
/// the transcript leads to a new submission of the plan as it is then (PM-85).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlanApprovalState {
    open_request: Option<PlanExitRequest>,
    rejected: Option<RejectedPlan>,
    /// The model got the findings of its last submission (PC-6).
    findings_sent: bool,
}

/// The plan on disk when it was last rejected, by the user or before a user saw it. Kept until the next user
/// message (PM-86).
#[derive(Debug, Clone, PartialEq, Eq)]
struct RejectedPlan {
    sha256: Option<String>,
}

/// Outcome of an ExitPlanMode call.
#[derive(Debug, Clone, PartialEq)]
pub enum SubmitOutcome {
    /// Ask all approvers (PM-75).
    Ask(Box<PlanExitRequest>),
    /// The call's result is an error; no approver is asked.
    Refused { result: String },
    /// The model resubmitted the plan that was just rejected: the turn ends (PM-86).
    EndTurn { result: String, notice: String },
}

impl PlanApprovalState {
    pub fn open_request(&self) -> Option<&PlanExitRequest> {
        self.open_request.as_ref()
    }

    /// Opens a request after the main model called ExitPlanMode or a session resumed with an open request
    /// (PM-85).
    pub fn submit(&mut self, state: &ModeState, submission: PlanSubmission) -> SubmitOutcome {
        if !state.is_planning() {
            return SubmitOutcome::Refused { result: not_in_plan_mode_error().into() };
        }
        if let PlanContent::Unreadable(why) = &submission.content {
            return SubmitOutcome::Refused { result: unreadable_plan_error(&submission.path, why) };
        }
        let sha256 = submission.content.sha256();
        if self.rejected.as_ref().is_some_and(|rejected| rejected.sha256 == sha256) {
            let (result, notice) = resubmitted_messages();
            return SubmitOutcome::EndTurn { result: result.into(), notice: notice.into() };
        }
        if submission.fix_findings
            && !std::mem::take(&mut self.findings_sent)
            && let Some(contract) = submission.contract.as_ref().filter(|contract| !contract.findings.is_empty())
        {
            self.findings_sent = true;
            return SubmitOutcome::Refused { result: with_findings_result(&submission.path, &contract.findings) };
        }
        self.findings_sent = false;
        let request = PlanExitRequest::new(state, submission);
        self.open_request = Some(request.clone());
        SubmitOutcome::Ask(Box::new(request))
    }

    /// Applies an approver's answer. `found` is the plan file as it is now (PM-84), `edited` the contract of the plan
    /// in the answer, if that has one.
    pub fn answer(
        &mut self,
        state: &ModeState,
        answer: PlanAnswer,
        found: &PlanContent,
        edited: Option<PlanContract>,
    ) -> PlanVerdict {
        let Some(request) = self.open_request.take() else {
            return PlanVerdict::Ignored {
                why: "no plan is waiting for an answer: it was already answered or withdrawn".into(),
            };
        };
        if answer.ask_id != request.ask_id {
            self.open_request = Some(request);
            return PlanVerdict::Ignored { why: "the answer is for another request".into() };
        }
        // The session withdraws a request when the mode changes; check again in case it did not.
        if !state.is_planning() || state.visit_number() != request.stay {
            return PlanVerdict::Ignored {
                why: "the mode changed while the plan was waiting; the request is withdrawn".into(),
            };
        }
        let verdict = answer::judge_answer(state, &request, answer, found, edited);
        if let PlanVerdict::KeepPlanning { plan, .. } = &verdict {
            let sha256 = plan.as_deref().map(crate::plan::sha256_hex).or_else(|| found.sha256());
            self.rejected = Some(RejectedPlan { sha256 });
        }
        verdict
    }

    /// Closes the request without an answer (PM-80): the mode stays, the turn ends, the plan can be submitted
    /// again.
    pub fn close_unanswered(&mut self, why: NoAnswer) -> Option<PlanVerdict> {
        self.open_request.take().map(|_| PlanVerdict::NotApproved { why, answer: None })
    }

    /// Rejects the plan before an approver saw it: a hook objected, or there is no approver. Submitting the
    /// same plan again ends the turn, as after a rejection (PM-86).
    pub fn send_back(&mut self) {
        if let Some(request) = self.open_request.take() {
            self.rejected = Some(RejectedPlan { sha256: request.sha256 });
        }
    }

    /// Withdraws the request because the mode changed; later answers are ignored. Returns it so that
    /// approvers can be notified.
    pub fn withdraw(&mut self) -> Option<PlanExitRequest> {
        self.open_request.take()
    }

    /// The user sent a message, so the same plan may be submitted again.
    pub fn note_user_message(&mut self) {
        self.rejected = None;
    }
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;
