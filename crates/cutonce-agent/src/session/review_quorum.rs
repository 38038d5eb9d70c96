//! Plans that need several approvers (FL-2): the local user and members of the remote. The local approval waits until
//! enough others agree; one request for changes from any member ends the round.

use super::SessionState;
use super::approval_asks::OpenSubject;
use super::asks::OpenAsk;
use cutonce_core::plan::approval::{ChoiceKey, PlanAnswer};
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::protocol::event::NoticeLevel;
use cutonce_core::protocol::submission::AskAnswer;
use std::collections::BTreeSet;

/// Approvals of the plan that waits.
#[derive(Debug, Default)]
pub(crate) struct PlanVotes {
    ask_id: String,
    members: BTreeSet<String>,
    /// The local user's approval and where it was given; it is carried out when enough members agree.
    local: Option<(PlanAnswer, Answerer)>,
}

impl PlanVotes {
    /// Forgets the votes of an earlier request.
    fn of(&mut self, ask_id: &str) -> &mut PlanVotes {
        if self.ask_id != ask_id {
            *self = PlanVotes { ask_id: ask_id.to_string(), ..PlanVotes::default() };
        }
        self
    }
    fn count(&self) -> usize {
        self.members.len() + usize::from(self.local.is_some())
    }
}

impl SessionState {
    fn quorum(&self) -> usize {
        self.context.shared.settings.plan.quorum.max(1) as usize
    }

    /// Keeps an approval of the local user that needs more approvers; returns what can be carried out now.
    pub(super) fn await_quorum(&mut self, ask: OpenAsk, answer: PlanAnswer) -> Option<(OpenAsk, PlanAnswer)> {
        let quorum = self.quorum();
        let approves = !matches!(answer.choice, ChoiceKey::KeepPlanning | ChoiceKey::Leave);
        if quorum == 1 || !approves || !matches!(ask.subject, OpenSubject::Plan(_)) {
            return Some((ask, answer));
        }
        let by = self.answerer();
        let votes = self.planner.votes.of(&ask.id);
        votes.local = Some((answer.clone(), by));
        let count = votes.count();
        if count >= quorum {
            return Some((ask, answer));
        }
        self.asks.push(ask);
        self.keep_answer();
        self.notice(NoticeLevel::Info, &waits_text(count, quorum));
        None
    }

    /// These members of the remote approve the plan that waits.
    pub(super) fn plan_votes(&mut self, ask_id: &str, members: BTreeSet<String>) {
        if self.asks.plan_id().as_deref() != Some(ask_id) {
            return;
        }
        let quorum = self.quorum();
        let votes = self.planner.votes.of(ask_id);
        votes.members = members;
        let (count, local) = (votes.count(), votes.local.clone());
        match local {
            Some((answer, by)) if count >= quorum => self.answer_as(by, ask_id, AskAnswer::Plan(answer)),
            _ => self.notice(NoticeLevel::Info, &waits_text(count, quorum)),
        }
    }
}

fn waits_text(count: usize, quorum: usize) -> String {
    format!("The plan has {count} of {quorum} approvals; it waits for the others.")
}
