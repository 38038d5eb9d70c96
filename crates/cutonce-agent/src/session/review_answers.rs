//! Answers from outside of the process (RV-3): the first one wins, later ones hear who answered.

use super::SessionState;
use super::asks::OpenSubject;
use crate::plan::read_contract;
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::protocol::event::{EventKind, NoticeLevel};
use cutonce_core::protocol::review_request::{ReviewerAnswer, describe_closed};
use cutonce_core::protocol::submission::{AskAnswer, OnDone, Submission};
use cutonce_core::settings::plan::PlanLint;
use std::collections::VecDeque;

/// How many closed asks are remembered, for answers that come late.
const MOST_REMEMBERED: usize = 64;

/// Who answers, and who answered.
#[derive(Default)]
pub(super) struct AnswerLog {
    /// Who gives the answer that is being carried out; `None`: the session's own front end.
    current: Option<Answerer>,
    /// Why the answer that is being carried out approves nothing.
    refused: Option<String>,
    /// The answer that is being carried out is kept until others agree (FL-2).
    is_kept: bool,
    /// Who answered asks of teammates, until the answer is in their mailbox.
    of_team: Vec<(String, Answerer)>,
    /// Closed asks, with a sentence about each.
    closed: VecDeque<(String, String)>,
}

impl SessionState {
    /// Who gives the answer that is being carried out.
    pub(super) fn answerer(&self) -> Answerer {
        self.asks.1.current.clone().unwrap_or_else(|| self.context.shared.answerer.clone())
    }

    /// Tells everyone that an ask is closed, and by whom.
    pub(super) fn close_ask(&mut self, ask_id: String, answer: Option<AskAnswer>) {
        let log = &mut self.asks.1;
        let of_team = log.of_team.extract_if(.., |(id, _)| *id == ask_id).next().map(|(_, by)| by);
        let by = answer.is_some().then(|| of_team.unwrap_or_else(|| self.answerer()));
        let log = &mut self.asks.1;
        if log.closed.len() >= MOST_REMEMBERED {
            log.closed.pop_front();
        }
        log.closed.push_back((ask_id.clone(), describe_closed(by.as_ref(), answer.as_ref())));
        self.emit(EventKind::AskClosed { ask_id, answer, by });
    }

    /// Takes an answer from outside, if it is the first one and if its author saw what waits.
    pub(super) fn answer_from(&mut self, outside: ReviewerAnswer, by: Answerer, on_done: &OnDone) {
        let of_agent = self.context.agents.as_ref().and_then(|agents| agents.session_with_ask(&outside.ask_id));
        if let Some(agent) = of_agent {
            let (answer, on_done) = (Box::new(outside), on_done.clone());
            return agent.submit(Submission::AnswerFrom { answer, by, on_done });
        }
        let taken = self.check_outside(&outside).and_then(|()| self.carry_out_outside(outside, by));
        (on_done.0)(taken);
    }

    fn check_outside(&self, outside: &ReviewerAnswer) -> Result<(), String> {
        let Some(ask) = self.asks.0.iter().find(|ask| ask.id == outside.ask_id) else {
            let closed = self.asks.1.closed.iter().rev().find(|(id, _)| *id == outside.ask_id);
            return Err(closed.map_or_else(
                || "This request is not open any more; it was answered or withdrawn.".into(),
                |(_, told)| told.clone(),
            ));
        };
        if !ask.subject.accepts(&outside.answer) || matches!(outside.answer, AskAnswer::Unusable { .. }) {
            return Err("The answer does not fit the request; the request stays open.".into());
        }
        let (OpenSubject::Plan(request) | OpenSubject::TeamPlan(request)) = &ask.subject else { return Ok(()) };
        if outside.sha256 != request.sha256 {
            return Err("The plan changed since this page showed it; look at it again, then answer.".into());
        }
        let AskAnswer::Plan(answer) = &outside.answer else { return Ok(()) };
        let root = &self.context.env.workspace.root;
        let edited = answer.plan.as_deref().and_then(|plan| read_contract(root, plan, PlanLint::Off));
        request.check_answer(answer, edited).map_err(|why| format!("Not approved: {why}. The plan still waits."))
    }

    fn carry_out_outside(&mut self, outside: ReviewerAnswer, by: Answerer) -> Result<(), String> {
        let ReviewerAnswer { ask_id, answer, .. } = outside;
        let told = describe_closed(Some(&by), Some(&answer));
        let of_team = self.asks.0.iter().any(|ask| ask.id == ask_id && ask.subject.is_of_team());
        if of_team {
            self.asks.1.of_team.push((ask_id.clone(), by.clone()));
        }
        self.asks.1.is_kept = false;
        self.answer_as(by, &ask_id, answer);
        if let Some(why) = self.asks.1.refused.take() {
            return Err(why);
        }
        // An approval that waits for others is no decision yet.
        if !self.asks.1.is_kept {
            self.notice(NoticeLevel::Info, &told);
        }
        Ok(())
    }

    /// Carries out an answer that was given elsewhere.
    pub(super) fn answer_as(&mut self, by: Answerer, ask_id: &str, answer: AskAnswer) {
        self.asks.1.current = Some(by);
        self.answer(ask_id, answer);
        self.asks.1.current = None;
    }

    /// The answer that is being carried out waits for others.
    pub(super) fn keep_answer(&mut self) {
        self.asks.1.is_kept = true;
    }

    /// The answer that is being carried out approves nothing, for this reason.
    pub(super) fn refuse_answer(&mut self, why: impl Into<String>) {
        self.asks.1.refused = self.asks.1.current.is_some().then(|| why.into());
    }
}
