//! Calls of a teammate that need a yes where nobody sits before it (TM-1): the lead's user is asked, sees exactly what would run and
//! of whom, and the answer goes back through the mailbox. The teammate takes it as the answer of a person: its own mode decides
//! anew, so that plan mode still denies what it denies (PM-61).

use super::Hall;
use super::asks::{Open, OpenAsk, waits};
use super::options::Approver;
use crate::team::past::CALL;
use cutonce_core::event::{AskKind, AskView, EventKind, Level};
use cutonce_core::mail::{Content, PermissionRequest, PermissionResponse, Put};
use cutonce_core::permission::AskedBy;
use cutonce_core::submission::{Answer, PermissionAnswer, TeamNews};
use cutonce_core::transcript::Body;
use cutonce_core::turn::Happened;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What a teammate's model reads where the lead has no user.
const NOBODY: &str = "Nobody is at the team lead to allow it. Go on without it, or tell the lead which rule (--allowedTools) would allow it.";

impl Hall {
    /// The teammate's side: from now on its asks go to the lead.
    pub(super) fn relay_asks(&self) {
        if let (Approver::Lead, Some(table)) = (self.approver, &self.team) {
            tokio::spawn(crate::team::relay(table.seat.clone(), self.hub.subscribe()));
        }
    }

    /// The teammate's side: an answer came.
    pub(super) fn lead_allowed(&mut self, from_lead: bool, response: PermissionResponse) {
        let Some(table) = &self.team else { return };
        let heard = crate::team::seat_relayed(&table.seat).hear(from_lead, &response);
        match heard {
            Ok(()) => self.answer(&response.request_id, response.answer),
            Err(why) => self.notice(Level::Warning, &format!("An answer to a call changed nothing: {why}.")),
        }
    }

    /// The lead's side. On disk before the message may leave the mailbox (TM-2).
    pub(super) fn call_requested(&mut self, position: &str, request: PermissionRequest) -> Option<Happened> {
        let table = self.team.as_mut()?;
        if table.settled.contains(&request.request_id) {
            return self.no_more_of(position);
        }
        match table.wanted.put(request.clone()) {
            Put::Again => {}
            Put::New => {
                if !self.keep_call(&request) {
                    return None;
                }
                self.show_team_call(&request);
            }
            Put::TooMany => {
                let words = "Too many of its calls wait already; it was not asked for.";
                self.send_answer(&request, no(words));
            }
        }
        self.no_more_of(position)
    }

    pub(super) fn keep_call(&mut self, request: &PermissionRequest) -> bool {
        let (content, path) = (serde_json::to_string(request).ok(), request.request_id.clone());
        self.append(Body::FileSnapshot { key: CALL.into(), path, content, sha256: None });
        self.append(Body::Ask { ask_id: request.request_id.clone(), kind: CALL.into(), answer: None });
        self.sync()
    }

    /// After a restart: what waits is shown again.
    pub(super) fn show_team_calls(&mut self) {
        let open = self.team.as_ref().map(|table| table.wanted.open().to_vec()).unwrap_or_default();
        open.iter().for_each(|request| self.show_team_call(request));
    }

    fn show_team_call(&mut self, request: &PermissionRequest) {
        if self.approver != Approver::Present || self.closing {
            return self.send_answer(request, no(NOBODY));
        }
        let view = view(request);
        self.asks.push(OpenAsk::of_team(&view.ask_id, Open::TeamCall));
        let (kind, what) = waits(&view);
        self.hub.emit(EventKind::Ask(Arc::new(view)));
        self.notify_hooks(kind, what);
    }

    /// Nobody is here who could answer: the teammates go on without.
    pub(super) fn refuse_team_calls(&mut self) {
        if self.approver == Approver::Present && !self.closing {
            return;
        }
        let open = self.team.as_ref().map(|table| table.wanted.open().to_vec()).unwrap_or_default();
        for request in open {
            self.asks.remove(&request.request_id);
            self.send_answer(&request, no(NOBODY));
        }
    }

    /// The lead's user answered; whatever is no answer is a no.
    pub(super) fn team_call_answered(&mut self, request_id: &str, answer: Answer) {
        let answer = match answer {
            Answer::Permission(_) | Answer::Host(_) => answer,
            Answer::Unusable { why } => no(&format!("The answer could not be used: {why}")),
            Answer::Questions(_) | Answer::Plan(_) => no("The answer could not be used."),
        };
        let request = self.team.as_ref().and_then(|table| table.wanted.find(request_id)).cloned();
        if let Some(request) = request {
            self.send_answer(&request, answer);
        }
    }

    fn send_answer(&self, request: &PermissionRequest, answer: Answer) {
        let Some(table) = &self.team else { return };
        let Some(joined) = table.seat.joined() else {
            // A lead that was resumed a moment ago: see `TeamNews::Changed`.
            let (request_id, sent) = (request.request_id.clone(), Err("the team is not there yet".into()));
            return table.seat.news(TeamNews::PermissionAnswered { request_id, answer, sent });
        };
        let (seat, to, request_id) = (table.seat.clone(), request.from.clone(), request.request_id.clone());
        seat.answering.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move {
            let response = PermissionResponse { request_id: request_id.clone(), answer: answer.clone() };
            let id = format!("answer-{request_id}");
            let sent = joined.order(&to, id, Content::PermissionResponse(response)).await;
            seat.answering.fetch_sub(1, Ordering::Relaxed);
            let sent = sent.map_err(|error| error.to_string());
            seat.news(TeamNews::PermissionAnswered { request_id, answer, sent });
        });
    }

    /// The answer is in the teammate's mailbox; until then a crash leaves the request open.
    pub(super) fn team_call_settled(&mut self, request_id: &str, answer: Answer, sent: Result<(), String>) {
        let Some(table) = &mut self.team else { return };
        if let Err(why) = sent {
            if table.wanted.find(request_id).is_some() {
                self.asks.push(OpenAsk::of_team(request_id, Open::TeamCall));
            }
            return self.notice(Level::Error, &format!("The answer could not be sent: {why}. The call still waits."));
        }
        if table.wanted.take(request_id).is_some() {
            self.close_team_call(request_id, Some(answer));
        }
    }

    pub(super) fn team_calls_withdrawn(&mut self, from: &str, request_id: Option<&str>) {
        let Some(table) = &mut self.team else { return };
        for request in table.wanted.withdraw(from, request_id) {
            self.close_team_call(&request.request_id, None);
        }
    }

    /// There is no team any more.
    pub(super) fn withdraw_team_calls(&mut self) {
        let Some(table) = &mut self.team else { return };
        for request in std::mem::take(&mut table.wanted).open() {
            self.close_team_call(&request.request_id, None);
        }
    }

    fn close_team_call(&mut self, request_id: &str, answer: Option<Answer>) {
        self.close_team_ask(CALL, request_id, answer, "the teammate does not wait for it any more");
    }
}

fn no(words: &str) -> Answer {
    Answer::Permission(PermissionAnswer::Deny { message: words.into(), interrupt: false })
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
            by: if request.why.rule.is_some() { AskedBy::Rule } else { AskedBy::Mode },
            why: request.why.clone(),
            suggestions: request.suggestions.clone(),
            preview: request.preview.clone(),
            from: Some(request.from.clone()),
        },
    }
}
