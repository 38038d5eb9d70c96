//! The way out by approval (section 7 of the contract): one open request, the first answer counts, stale ones don't,
//! and only an explicit approval approves.
//!
//! `submit` opens a request, `answer` settles it, `close` and `withdraw` end it unapproved. Nothing here changes the
//! mode: an approval becomes `mode::Event::Approved`, and that looks at the state once more.

mod answer;
mod headless;
mod request;
mod result;
mod teammate;

pub use answer::{Answer, Approved, Comment, NoAnswer, QuotedComment, Verdict};
pub use headless::{Headless, headless};
pub use request::{Choice, ChoiceKey, Layer, QUESTION, Request, Submission};
pub use result::{
    AT_HAND, AtHand, ExitResult, approved, for_agent, implement, keep_planning, left, no_approver, not_approved,
    not_in_plan_mode, resubmitted, unreadable, unsaved, withdrawn,
};

pub use teammate::to_teammate;

use crate::mode::State;
use crate::plan::Found;

/// What waits for an answer, and what was last refused. It is not stored: after a crash the open `ask` entry of the
/// transcript leads to a new submission of the plan as it is then (PM-85).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Approval {
    open: Option<Request>,
    rejected: Option<Rejected>,
}

/// The plan as it was on disk when it was last sent back, by the user or before it reached one, until the next user message (PM-86).
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rejected {
    sha256: Option<String>,
}

/// What becomes of an ExitPlanMode call.
#[derive(Debug, Clone, PartialEq)]
pub enum Submitted {
    /// To all approvers (PM-75).
    Ask(Box<Request>),
    /// An error as the call's result; nobody is asked.
    Refused { result: String },
    /// The same plan again, right after it was rejected: the turn ends (PM-86).
    EndTurn { result: String, notice: String },
}

impl Approval {
    pub fn open(&self) -> Option<&Request> {
        self.open.as_ref()
    }

    /// The main session's model called ExitPlanMode, or a session came back with a request that was open (PM-85).
    pub fn submit(&mut self, state: &State, submission: Submission) -> Submitted {
        if !state.in_plan() {
            return Submitted::Refused { result: not_in_plan_mode().into() };
        }
        if let Found::Unreadable(why) = &submission.found {
            return Submitted::Refused { result: unreadable(&submission.path, why) };
        }
        let sha256 = submission.found.sha256();
        if self.rejected.as_ref().is_some_and(|rejected| rejected.sha256 == sha256) {
            let (result, notice) = resubmitted();
            return Submitted::EndTurn { result: result.into(), notice: notice.into() };
        }
        let request = Request::new(state, submission);
        self.open = Some(request.clone());
        Submitted::Ask(Box::new(request))
    }

    /// Somebody answered. `found` is the plan file as it is now (PM-84).
    pub fn answer(&mut self, state: &State, answer: Answer, found: &Found) -> Verdict {
        let Some(request) = self.open.take() else {
            return Verdict::Ignored { why: "no plan waits for an answer: it was answered or withdrawn before".into() };
        };
        if answer.ask_id != request.ask_id {
            self.open = Some(request);
            return Verdict::Ignored { why: "the answer is for another request".into() };
        }
        // The session withdraws a request when the mode changes; this holds even if it did not.
        if !state.in_plan() || state.stay() != request.stay {
            return Verdict::Ignored { why: "the mode was changed while the plan waited; the request is void".into() };
        }
        let verdict = answer::judge(state, &request, answer, found);
        if let Verdict::KeepPlanning { plan, .. } = &verdict {
            let sha256 = plan.as_deref().map(crate::plan::sha256).or_else(|| found.sha256());
            self.rejected = Some(Rejected { sha256 });
        }
        verdict
    }

    /// It ends without an answer (PM-80): the mode stays, the turn ends, the plan can be submitted again.
    pub fn close(&mut self, why: NoAnswer) -> Option<Verdict> {
        self.open.take().map(|_| Verdict::NotApproved { why, answer: None })
    }

    /// It goes back before any approver saw it: a hook objected, or nobody can approve here. The same plan once more ends the turn,
    /// as after a rejection (PM-86).
    pub fn send_back(&mut self) {
        if let Some(request) = self.open.take() {
            self.rejected = Some(Rejected { sha256: request.sha256 });
        }
    }

    /// The mode changed: later answers do nothing. Returns the request whose approvers are to be told.
    pub fn withdraw(&mut self) -> Option<Request> {
        self.open.take()
    }

    /// An edit could not be saved, so nothing was approved (PM-77): the same request is open again.
    pub fn reopen(&mut self, request: Request) {
        self.open = Some(request);
    }

    /// The person said something: the same plan may be submitted once more.
    pub fn user_message(&mut self) {
        self.rejected = None;
    }
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;
