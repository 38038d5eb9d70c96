//! Requests of teammates that wait for this session, their lead: plans (PM-131 to PM-134) and calls (TM-1). Both are
//! recorded before their message leaves the mailbox, shown to the user as asks, and closed when the answer is in the
//! teammate's mailbox. The lead's model may answer plans too.
//!
//! The teammate treats the answer to a call as a user's answer: its own mode decides again, so plan mode still denies
//! what it denies (PM-61).

use super::SessionState;
use super::asks::{OpenAsk, OpenSubject, waiting_notice};
use super::parts::Approver;
use crate::team::approval_history::{TEAM_PLAN, entry_kind, request_entries};
use cutonce_core::permission::AskCause;
use cutonce_core::plan;
use cutonce_core::plan::approval::{self, PlanAnswer, PlanExitRequest};
use cutonce_core::protocol::event::{AskKind, AskView, EventKind, NoticeLevel};
use cutonce_core::protocol::submission::{AskAnswer, PermissionAnswer, TeamUpdate};
use cutonce_core::team::{
    self, AnsweredBy, PermissionRequest, PermissionResponse, PlanApprovalRequest, RequestArrival, TeamMessage,
    TeamRequest, TeamResponse,
};
use cutonce_core::transcript::EntryBody;
use cutonce_core::turn::TurnEvent;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The answer to a teammate's model if the lead has no user.
const NO_ONE_TO_ASK: &str = "The team lead's session can't ask its user. Continue without it, or tell the lead which rule (--allowedTools) would allow it.";
const NEWER_PLAN: &str = "the teammate submitted another plan";
const TOO_MANY_CALLS: &str = "Too many calls of this teammate already wait; this one was denied.";

impl SessionState {
    /// A teammate asks. The request is recorded before its message may leave the mailbox (TM-2); a plan also joins the
    /// conversation of the lead's model (PM-134).
    pub(super) fn team_requested(
        &mut self,
        message: &TeamMessage,
        position: &str,
        request: TeamRequest,
    ) -> Option<TurnEvent> {
        let team = self.team.as_ref()?;
        if team.answered.contains(request.id()) {
            return self.acknowledge(position);
        }
        let arrival = team.handle.pending().add(request.clone());
        match arrival {
            RequestArrival::Duplicate => {}
            RequestArrival::TooMany => self.refuse_unlisted(&request),
            RequestArrival::New | RequestArrival::Replaced(_) => {
                if let RequestArrival::Replaced(before) = arrival {
                    self.close_team_request(&before, Err(NEWER_PLAN));
                }
                if !self.record_team_request(&request) {
                    return None;
                }
                self.show_team_request(&request);
            }
        }
        match request.is_plan() {
            true => Some(self.message_input(message, position, team::render_for_model(message), None)),
            false => self.acknowledge(position),
        }
    }

    /// Writes what is asked, and that it is open; false if that is not on disk.
    pub(super) fn record_team_request(&mut self, request: &TeamRequest) -> bool {
        request_entries(request).into_iter().for_each(|entry| {
            self.append(entry);
        });
        self.sync()
    }

    /// Shows what waits, after a restart.
    pub(super) fn show_team_requests(&mut self) {
        self.open_team_requests().iter().for_each(|request| self.show_team_request(request));
    }

    /// What waits for this session as a lead. A teammate's own plan is no request to itself.
    fn open_team_requests(&self) -> Vec<TeamRequest> {
        let team = self.team.as_ref().filter(|_| !self.is_teammate());
        team.map(|team| team.handle.pending().requests().to_vec()).unwrap_or_default()
    }

    fn show_team_request(&mut self, request: &TeamRequest) {
        let Some(team) = &self.team else { return };
        let (subject, view) = match request {
            TeamRequest::Plan(plan) => {
                let shown = PlanExitRequest::for_teammate(plan, team.handle.mode().gives);
                (OpenSubject::TeamPlan(Box::new(shown.clone())), plan_view(plan, shown))
            }
            TeamRequest::Call(_) if !self.user_answers_calls() => return self.refuse_team_calls(),
            TeamRequest::Call(call) => (OpenSubject::TeamCall, call_view(call)),
        };
        self.asks.push(OpenAsk::of_team(request.id(), subject));
        let (kind, what) = waiting_notice(&view);
        self.emit(EventKind::Ask(Arc::new(view)));
        self.notify_waiting(kind, what);
    }

    fn user_answers_calls(&self) -> bool {
        self.context.approver == Approver::Present && !self.closing.requested
    }

    /// Refuses open calls if no user can answer them.
    pub(super) fn refuse_team_calls(&mut self) {
        if self.user_answers_calls() {
            return;
        }
        for request in self.open_team_requests().iter().filter(|request| !request.is_plan()) {
            self.asks.remove(request.id());
            self.send_answer(call_response(request.id(), no(NO_ONE_TO_ASK)), no(NO_ONE_TO_ASK));
        }
    }

    /// Refuses a call that is not in the list of open requests.
    fn refuse_unlisted(&self, request: &TeamRequest) {
        let Some(joined) = self.joined() else { return };
        let (to, response) = (request.sender().to_string(), call_response(request.id(), no(TOO_MANY_CALLS)));
        tokio::spawn(async move {
            joined.send_response(&to, response).await.unwrap_or_else(|error| tracing::warn!("{error}"));
        });
    }

    /// The lead's user answered a plan (PM-134).
    pub(super) fn team_plan_answered(&mut self, ask: OpenAsk, answer: PlanAnswer) {
        let OpenSubject::TeamPlan(request) = &ask.subject else { return };
        match approval::response_to_teammate(request, answer.clone()) {
            Ok(response) => self.send_answer(TeamResponse::Plan(response), AskAnswer::Plan(answer)),
            Err(why) => {
                self.notice(NoticeLevel::Warning, &format!("Not answered: {why}. The question stays open."));
            }
        }
        // Open until the answer is sent.
        self.asks.push(ask);
    }

    /// The lead's user answered a call; an unusable answer is a refusal.
    pub(super) fn team_call_answered(&mut self, ask: OpenAsk, answer: AskAnswer) {
        let answer = match answer {
            AskAnswer::Permission(_) | AskAnswer::Host(_) => answer,
            AskAnswer::Unusable { why } => no(&format!("The answer could not be used: {why}")),
            _ => no("The answer could not be used."),
        };
        self.extend_scope_by(&answer);
        self.send_answer(call_response(&ask.id, answer.clone()), answer);
        self.asks.push(ask);
    }

    /// Sends the user's answer. The session does not end before it is in the mailbox, or failed.
    fn send_answer(&self, response: TeamResponse, answer: AskAnswer) {
        let Some(team) = &self.team else { return };
        let handle = team.handle.clone();
        handle.answering.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move {
            let sent = handle.answer_request(AnsweredBy::User, response, answer).await;
            handle.answering.fetch_sub(1, Ordering::Relaxed);
            handle.send_news(match sent {
                Ok(_) => TeamUpdate::Changed,
                Err(why) => TeamUpdate::Problem { text: format!("The answer was not sent: {why}. It still waits.") },
            });
        });
    }

    /// The answer is in the teammate's mailbox, or could not be sent.
    pub(super) fn team_request_answered(
        &mut self,
        request: TeamRequest,
        by: AnsweredBy,
        response: &TeamResponse,
        answer: AskAnswer,
        sent: Result<(), String>,
    ) {
        if sent.is_err() {
            let open = self.team.as_ref().is_some_and(|team| team.handle.pending().put_back(request.clone()));
            if !open {
                self.close_team_request(&request, Err(NEWER_PLAN));
            }
            return;
        }
        self.close_team_request(&request, Ok(answer));
        if let (AnsweredBy::User, TeamResponse::Plan(response)) = (by, response) {
            let text = team::answered_by_user_message(request.sender(), request.id(), response.approved);
            self.memory.reminders.push(("team".into(), text));
        }
    }

    /// A teammate withdraws a call, or all of its calls.
    pub(super) fn team_calls_withdrawn(&mut self, from: &str, request_id: Option<&str>) {
        let Some(team) = &self.team else { return };
        let withdrawn = team.handle.pending().withdraw_calls(from, request_id);
        let void = "the teammate does not wait for it any more";
        withdrawn.iter().for_each(|request| self.close_team_request(request, Err(void)));
    }

    /// Closes all requests: the team is gone.
    pub(super) fn close_team_requests(&mut self) {
        let Some(team) = self.team.as_ref().filter(|_| !self.is_teammate()) else { return };
        let open = team.handle.pending().take_all();
        open.iter().for_each(|request| self.close_team_request(request, Err("the team is gone")));
    }

    /// Records that a request is over, by its answer or by the reason why it is void, and closes its ask.
    fn close_team_request(&mut self, request: &TeamRequest, end: Result<AskAnswer, &str>) {
        let id = request.id().to_string();
        let answer = end.as_ref().ok().cloned();
        let recorded = Some(end.unwrap_or_else(|void| AskAnswer::Unusable { why: void.into() }));
        self.append(EntryBody::Ask { ask_id: id.clone(), kind: entry_kind(request).into(), answer: recorded });
        if let Some(team) = &mut self.team {
            team.answered.insert(id.clone());
        }
        self.asks.remove(&id);
        self.close_ask(id, answer);
    }

    /// The conversation was put back, the team was not: what waits and what has its answer is written again, so that a
    /// restart finds it (TM-2).
    pub(super) fn record_team_again(&mut self) {
        let Some(team) = self.team.as_ref().filter(|_| !self.is_teammate()) else { return };
        let answered: Vec<String> = team.answered.iter().cloned().collect();
        for ask_id in answered {
            let answer =
                Some(AskAnswer::Unusable { why: "it was answered before the conversation was restored".into() });
            self.append(EntryBody::Ask { ask_id, kind: TEAM_PLAN.into(), answer });
        }
        for request in self.open_team_requests() {
            self.record_team_request(&request);
        }
    }
}

fn no(words: &str) -> AskAnswer {
    AskAnswer::Permission(PermissionAnswer::Deny { message: words.into(), interrupt: false })
}

fn call_response(request_id: &str, answer: AskAnswer) -> TeamResponse {
    TeamResponse::Call(PermissionResponse { request_id: request_id.into(), answer: Box::new(answer) })
}

fn plan_view(request: &PlanApprovalRequest, shown: PlanExitRequest) -> AskView {
    AskView {
        agent: None,
        ask_id: request.request_id.clone(),
        call_id: String::new(),
        tool: plan::EXIT_PLAN_MODE.into(),
        input: json!({"plan": request.plan_content, "planFilePath": request.plan_file_path, "from": request.from}),
        kind: AskKind::Plan { request: Box::new(shown), previous: None, draft: None },
    }
}

fn call_view(request: &PermissionRequest) -> AskView {
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
