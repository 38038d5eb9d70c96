//! Calls of a teammate that need a permission (TM-1): the lead's user is asked, sees what would run and for which
//! teammate, and the answer goes back through the mailbox. The teammate treats it as a user's answer: its own mode
//! decides again, so plan mode still denies what it denies (PM-61).

use super::SessionState;
use super::asks::{OpenAsk, OpenSubject, waiting_notice};
use super::parts::Approver;
use crate::team::approval_history::CALL_REQUEST;
use cutonce_core::permission::AskCause;
use cutonce_core::protocol::event::{AskKind, AskView, EventKind, NoticeLevel};
use cutonce_core::protocol::submission::{AskAnswer, PermissionAnswer, TeamUpdate};
use cutonce_core::team::{AddRequestOutcome, MessageContent, PermissionRequest, PermissionResponse};
use cutonce_core::transcript::EntryBody;
use cutonce_core::turn::TurnEvent;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The answer to a teammate's model if the lead has no user.
const NO_ONE_TO_ASK: &str = "The team lead's session can't ask its user. Continue without it, or tell the lead which rule (--allowedTools) would allow it.";

impl SessionState {
    /// The teammate's side: sends its asks to the lead from now on.
    pub(super) fn relay_asks(&self) {
        if let (Approver::Lead, Some(table)) = (self.context.approver, &self.team) {
            tokio::spawn(crate::team::relay_asks(table.seat.clone(), self.context.hub.subscribe()));
        }
    }

    /// The teammate's side: takes the lead's answer.
    pub(super) fn lead_allowed(&mut self, from_lead: bool, response: PermissionResponse) {
        let Some(table) = &self.team else { return };
        let heard = crate::team::relayed_asks(&table.seat).accept_answer(from_lead, &response);
        match heard {
            Ok(()) => self.answer(&response.request_id, response.answer),
            Err(why) => self.notice(NoticeLevel::Warning, &format!("An answer to a call changed nothing: {why}.")),
        }
    }

    /// The lead's side: records the request before its message may leave the mailbox (TM-2).
    pub(super) fn call_requested(&mut self, position: &str, request: PermissionRequest) -> Option<TurnEvent> {
        let table = self.team.as_mut()?;
        if table.settled.contains(&request.request_id) {
            return self.no_more_of(position);
        }
        match table.wanted.add_request(request.clone()) {
            AddRequestOutcome::Duplicate => {}
            AddRequestOutcome::New => {
                if !self.keep_call(&request) {
                    return None;
                }
                self.show_team_call(&request);
            }
            AddRequestOutcome::TooMany => {
                let words = "Too many calls of this teammate already wait; this one was denied.";
                self.send_answer(&request, no(words));
            }
        }
        self.no_more_of(position)
    }

    pub(super) fn keep_call(&mut self, request: &PermissionRequest) -> bool {
        let (content, path) = (serde_json::to_string(request).ok(), request.request_id.clone());
        self.append(EntryBody::FileSnapshot { key: CALL_REQUEST.into(), path, content, sha256: None });
        self.append(EntryBody::Ask { ask_id: request.request_id.clone(), kind: CALL_REQUEST.into(), answer: None });
        self.sync()
    }

    /// After a restart: shows open requests again.
    pub(super) fn show_team_calls(&mut self) {
        let open = self.team.as_ref().map(|table| table.wanted.requests().to_vec()).unwrap_or_default();
        open.iter().for_each(|request| self.show_team_call(request));
    }

    fn show_team_call(&mut self, request: &PermissionRequest) {
        if self.context.approver != Approver::Present || self.closing.requested {
            return self.send_answer(request, no(NO_ONE_TO_ASK));
        }
        let view = view(request);
        self.asks.push(OpenAsk::of_team(&view.ask_id, OpenSubject::TeamCall));
        let (kind, what) = waiting_notice(&view);
        self.emit(EventKind::Ask(Arc::new(view)));
        self.notify_waiting(kind, what);
    }

    /// Refuses open requests if no user can answer.
    pub(super) fn refuse_team_calls(&mut self) {
        if self.context.approver == Approver::Present && !self.closing.requested {
            return;
        }
        let open = self.team.as_ref().map(|table| table.wanted.requests().to_vec()).unwrap_or_default();
        for request in open {
            self.asks.remove(&request.request_id);
            self.send_answer(&request, no(NO_ONE_TO_ASK));
        }
    }

    /// The lead's user answered; an unusable answer is a refusal.
    pub(super) fn team_call_answered(&mut self, request_id: &str, answer: AskAnswer) {
        let answer = match answer {
            AskAnswer::Permission(_) | AskAnswer::Host(_) => answer,
            AskAnswer::Unusable { why } => no(&format!("The answer could not be used: {why}")),
            _ => no("The answer could not be used."),
        };
        let request = self.team.as_ref().and_then(|table| table.wanted.find(request_id)).cloned();
        if let Some(request) = request {
            self.extend_scope_by(&answer);
            self.send_answer(&request, answer);
        }
    }

    fn send_answer(&self, request: &PermissionRequest, answer: AskAnswer) {
        let Some(table) = &self.team else { return };
        let Some(joined) = table.seat.membership() else {
            // A lead that was resumed a moment ago: see `TeamNews::Changed`.
            let (request_id, sent) = (request.request_id.clone(), Err("the team is not there yet".into()));
            return table.seat.send_news(TeamUpdate::PermissionAnswered { request_id, answer, sent });
        };
        let (seat, to, request_id) = (table.seat.clone(), request.from.clone(), request.request_id.clone());
        seat.answering.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move {
            let response = PermissionResponse { request_id: request_id.clone(), answer: answer.clone() };
            let id = format!("answer-{request_id}");
            let sent = joined.send_control(&to, id, MessageContent::PermissionResponse(response)).await;
            seat.answering.fetch_sub(1, Ordering::Relaxed);
            let sent = sent.map_err(|error| error.to_string());
            seat.send_news(TeamUpdate::PermissionAnswered { request_id, answer, sent });
        });
    }

    /// Settles the request once the answer is in the teammate's mailbox; until then a crash leaves it open.
    pub(super) fn team_call_settled(&mut self, request_id: &str, answer: AskAnswer, sent: Result<(), String>) {
        let Some(table) = &mut self.team else { return };
        if let Err(why) = sent {
            if table.wanted.find(request_id).is_some() {
                self.asks.push(OpenAsk::of_team(request_id, OpenSubject::TeamCall));
            }
            return self
                .notice(NoticeLevel::Error, &format!("The answer could not be sent: {why}. The call still waits."));
        }
        if table.wanted.take_request(request_id).is_some() {
            self.close_team_call(request_id, Some(answer));
        }
    }

    pub(super) fn team_calls_withdrawn(&mut self, from: &str, request_id: Option<&str>) {
        let Some(table) = &mut self.team else { return };
        for request in table.wanted.withdraw(from, request_id) {
            self.close_team_call(&request.request_id, None);
        }
    }

    /// Closes all requests: the team is gone.
    pub(super) fn withdraw_team_calls(&mut self) {
        let Some(table) = &mut self.team else { return };
        for request in std::mem::take(&mut table.wanted).requests() {
            self.close_team_call(&request.request_id, None);
        }
    }

    fn close_team_call(&mut self, request_id: &str, answer: Option<AskAnswer>) {
        self.close_team_ask(CALL_REQUEST, request_id, answer, "the teammate does not wait for it any more");
    }
}

fn no(words: &str) -> AskAnswer {
    AskAnswer::Permission(PermissionAnswer::Deny { message: words.into(), interrupt: false })
}

fn view(request: &PermissionRequest) -> AskView {
    AskView {
        agent: request.agent.clone().map(Arc::new),
        ask_id: request.request_id.clone(),
        // A call of another session: hosts know no call of this id, and need none.
        call_id: request.request_id.clone(),
        tool: request.tool.clone(),
        input: request.input.clone(),
        kind: AskKind::Permission {
            by: if request.why.rule.is_some() { AskCause::Rule } else { AskCause::Mode },
            why: request.why.clone(),
            suggestions: request.suggestions.clone(),
            preview: request.preview.clone(),
            from: Some(request.from.clone()),
        },
    }
}
