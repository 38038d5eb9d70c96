//! Plans between a teammate and its lead (PM-130 to PM-134): the teammate submits and waits, the lead's user or model
//! answers. cutonce-core's `mail` decides who may answer what; this module carries it out and records it.

use super::SessionState;
use super::asks::{OpenAsk, OpenSubject};
use super::call_runner::CallRef;
use super::events::SessionEvent;
use crate::team::approval_history as history;
use cutonce_core::mode::{self, Mode};
use cutonce_core::plan::approval::{self, ChoiceKey, PlanAnswer, PlanExitResult};
use cutonce_core::plan::{self, PhaseEvent, PlanContent};
use cutonce_core::protocol::event::{AskKind, AskView, EndReason, EventKind, NoticeLevel};
use cutonce_core::protocol::submission::{AskAnswer, ChangedBy, TeamUpdate};
use cutonce_core::team::{
    self, AnsweredBy, LEAD_NAME, LeadAnswer, LeadMode, MessageContent, MessageKind, PlanApprovalRequest,
    PlanApprovalResponse, RequestArrival, TeamMessage,
};
use cutonce_core::transcript::EntryBody;
use cutonce_core::turn::TurnEvent;
use cutonce_tools::tool::ToolOutcome;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A report of a task that works on a plan between teammate and lead.
pub(crate) enum TeamReport {
    /// The request is in the lead's mailbox, or why it is not.
    Sent { call: CallRef, request_id: String, sent: Result<(), String> },
    /// What the lead may do now.
    Lead { call: CallRef, lead: Result<LeadMode, String> },
}

impl SessionState {
    /// A teammate's ExitPlanMode (PM-130): never a dialog.
    pub(super) fn submit_to_lead(&mut self, n: usize) {
        let found = self.planner.found();
        // PM-72: one that must plan submits from any mode.
        if !self.mode.is_planning() && !self.must_plan() {
            return self.complete_call(n, ToolOutcome::error(approval::not_in_plan_mode_error()));
        }
        if let PlanContent::Unreadable(why) = &found {
            let text = approval::unreadable_plan_error(&self.planner.path(), why);
            return self.complete_call(n, ToolOutcome::error(text));
        }
        match (self.must_plan(), found) {
            (true, PlanContent::Text(text)) => self.ask_lead(n, text),
            (true, _) => self.complete_call(n, ToolOutcome::error(team::no_plan_file_error(&self.planner.path()))),
            (false, _) => self.look_at_lead(n),
        }
    }

    /// PM-131: the request is on disk before it is sent, so that a crash can't make it unknown.
    fn ask_lead(&mut self, n: usize, text: String) {
        let Some(joined) = self.joined() else { return };
        let request = PlanApprovalRequest {
            from: joined.me.clone(),
            timestamp: crate::timestamp(),
            plan_file_path: self.planner.path(),
            sha256: plan::sha256_hex(&text),
            plan_content: text,
            request_id: crate::new_id(),
        };
        self.calls.set_input(n, json!({"plan": request.plan_content, "planFilePath": request.plan_file_path}));
        if let Err(error) =
            self.planner.file.as_ref().map_or(Ok(()), |file| file.submit(&request.plan_content).map(|_| ()))
        {
            self.notice(NoticeLevel::Warning, &format!("The plan's revision could not be saved: {error}"));
        }
        self.keep_plan();
        self.keep_request(&request);
        self.phase(PhaseEvent::Submitted);
        if let Some(table) = &mut self.team {
            table.waiting.open_for(&request.request_id, &request.sha256);
        }
        let (events, call) = (self.events.clone(), self.calls.reference(n));
        let request_id = request.request_id.clone();
        tokio::spawn(async move {
            let content = MessageContent::PlanApprovalRequest(request);
            let sent =
                joined.send_control(LEAD_NAME, request_id.clone(), content).await.map_err(|error| error.to_string());
            let _ = events.send(SessionEvent::Team(TeamReport::Sent { call, request_id, sent }));
        });
    }

    /// The request in the transcript: what it says, and that it is open.
    fn keep_request(&mut self, request: &PlanApprovalRequest) {
        let content = serde_json::to_string(request).ok();
        let (path, sha256) = (request.request_id.clone(), Some(request.sha256.clone()));
        self.append(EntryBody::FileSnapshot { key: history::PLAN_REQUEST.into(), path, content, sha256 });
        self.append(EntryBody::Ask {
            ask_id: request.request_id.clone(),
            kind: history::PLAN_ASK.into(),
            answer: None,
        });
        self.sync();
    }

    /// PM-133: by its own choice, but for no more than the lead has at this moment.
    fn look_at_lead(&mut self, n: usize) {
        let Some(joined) = self.joined() else { return };
        let (events, call) = (self.events.clone(), self.calls.reference(n));
        tokio::spawn(async move {
            let lead = joined.lead_mode().await;
            let _ = events.send(SessionEvent::Team(TeamReport::Lead { call, lead }));
        });
    }

    pub(super) fn team_report(&mut self, report: TeamReport) {
        match report {
            TeamReport::Sent { call, request_id, sent } => self.request_sent(call, &request_id, sent),
            TeamReport::Lead { call, lead } => self.leave_by_choice(call, lead),
        }
    }

    fn request_sent(&mut self, call: CallRef, request_id: &str, sent: Result<(), String>) {
        if let Err(why) = sent {
            if let Some(table) = &mut self.team {
                table.waiting.withdraw();
            }
            self.settled_by_lead(request_id);
            let text = format!("The plan could not be sent to the lead: {why}. Plan mode is still on; try again.");
            return self.complete_open(call, ToolOutcome::error(text));
        }
        let path = self.planner.path();
        let result = PlanExitResult {
            plan: self.planner.found().text().map(str::to_string),
            is_agent: true,
            file_path: Some(path.clone()),
            awaiting_leader_approval: Some(true),
            request_id: Some(request_id.into()),
            ..PlanExitResult::default()
        };
        // UserInput before the call is done, so that the calls after it in the batch are skipped.
        self.end_with_batch(EndReason::Completed);
        let outcome = ToolOutcome::text(team::wait_for_lead_result(&path, request_id));
        self.complete_open(call, outcome.with_display(serde_json::to_value(result).unwrap_or_default()));
    }

    /// Completes a call unless its batch is over.
    fn complete_open(&mut self, call: CallRef, outcome: ToolOutcome) {
        if self.calls.is_open(call) {
            self.complete_call(call.n, outcome);
        }
    }

    fn leave_by_choice(&mut self, call: CallRef, lead: Result<LeadMode, String>) {
        if !self.calls.is_open(call) {
            return;
        }
        let n = call.n;
        if self.calls.cancel.is_cancelled() {
            return self.complete_call(n, ToolOutcome::error(team::lead_still_plans_result("it was interrupted")));
        }
        let mode = match &lead {
            Ok(lead) => self.mode.mode_after_leaving().0.at_most(lead.mode),
            Err(_) => Mode::Plan,
        };
        if mode == Mode::Plan {
            let why = lead.err().map_or("the lead itself is in plan mode".into(), |why| {
                format!("the lead's permissions are unknown ({why})")
            });
            return self.complete_call(n, ToolOutcome::error(team::lead_still_plans_result(&why)));
        }
        self.keep_plan();
        self.mode_event(mode::ModeEvent::Approved { mode, by: ChangedBy::Host });
        let outcome = match self.mode.is_planning() {
            true => ToolOutcome::error(team::lead_still_plans_result("the mode could not be changed")),
            false => ToolOutcome::text(team::left_plan_mode_result(self.mode.mode(), &self.planner.path())),
        };
        self.complete_call(n, outcome);
    }

    /// The process came back while its plan waited: it is unknown whether the lead got the request, so it is sent again
    /// under the same id (TM-2).
    pub(super) fn ask_lead_again(&mut self) {
        let (Some(joined), Some(table)) = (self.joined(), &self.team) else { return };
        let request = table.waiting.open_request_id().and_then(|id| table.seat.requests.lock().find(id).cloned());
        let Some(request) = request else { return };
        tokio::spawn(async move {
            let (id, content) = (request.request_id.clone(), MessageContent::PlanApprovalRequest(request));
            joined.send_control(LEAD_NAME, id, content).await.unwrap_or_else(|error| tracing::warn!("{error}"));
        });
    }

    /// PM-132: the lead answered. The mode changes first, then the words join the conversation, then the request is
    /// closed: a crash in between leaves the message in the mailbox, and it is carried out again.
    pub(super) fn lead_answered(
        &mut self,
        message: &TeamMessage,
        position: &str,
        response: PlanApprovalResponse,
        lead: Option<LeadMode>,
    ) -> Option<TurnEvent> {
        let lead = lead.unwrap_or(LeadMode { mode: Mode::Default, gives: Mode::Default });
        let (path, now) = (self.planner.path(), self.planner.found().sha256());
        let request_id = response.request_id.clone();
        let table = self.team.as_mut()?;
        let text = match table.waiting.evaluate_answer(message.from == LEAD_NAME, response, now.as_deref(), lead) {
            LeadAnswer::Ignored { why } => {
                self.notice(NoticeLevel::Warning, &format!("An answer to a plan changed nothing: {why}."));
                return self.no_more_of(position);
            }
            LeadAnswer::Stale => team::stale_approval_message(&path),
            LeadAnswer::Rejected { feedback, plan } => {
                let edited = plan.is_some_and(|plan| self.write_plan(&plan, &path));
                self.phase(PhaseEvent::Rejected);
                if !self.mode.is_planning() {
                    self.mode_event(mode::ModeEvent::Set { to: Mode::Plan, by: ChangedBy::Host });
                }
                team::lead_rejected_message(&path, feedback.as_deref(), edited)
            }
            LeadAnswer::Approved { mode, feedback, plan } => {
                self.freed(mode, &path, feedback.as_deref(), plan.as_deref())
            }
        };
        let text = team::wrap_in_message_tag(&message.from, &message.id, &text);
        Some(self.joins(message, position, text, Some(request_id)))
    }

    fn freed(&mut self, mode: Mode, path: &str, feedback: Option<&str>, plan: Option<&str>) -> String {
        if plan.is_some_and(|plan| !self.write_plan(plan, path)) {
            return team::lead_rejected_message(
                path,
                Some("The plan was edited, but the edit could not be saved; submit it again."),
                false,
            );
        }
        let _ = self.context.env.disk.remember_shown(Path::new(path));
        self.keep_plan();
        if self.mode.is_planning() {
            self.set_lead_answers(true);
            self.mode_event(mode::ModeEvent::Approved { mode, by: ChangedBy::Host });
            self.set_lead_answers(false);
        }
        match self.mode.is_planning() {
            true => {
                team::lead_rejected_message(path, Some("It was approved, but the mode could not be changed."), false)
            }
            false => team::lead_approved_message(self.mode.mode(), path, feedback, plan),
        }
    }

    fn set_lead_answers(&mut self, answers: bool) {
        if let Some(table) = &mut self.team {
            table.lead_answers = answers;
        }
    }

    fn write_plan(&mut self, text: &str, path: &str) -> bool {
        match self.planner.file.as_ref().map_or(Ok(()), |file| file.write(text)) {
            Ok(()) => self.context.env.disk.remember_shown(Path::new(path)).is_ok(),
            Err(error) => {
                self.notice(NoticeLevel::Error, &approval::unsaved_edit_error(path, &error.to_string()));
                false
            }
        }
    }

    /// A teammate's request has its answer, or is void.
    pub(super) fn settled_by_lead(&mut self, request_id: &str) {
        let answer = Some(AskAnswer::Plan(PlanAnswer::new(request_id, ChoiceKey::Default)));
        self.append(EntryBody::Ask { ask_id: request_id.into(), kind: history::PLAN_ASK.into(), answer });
    }

    /// A teammate asks (PM-131): on the desk, before the user, and in the conversation of the lead's model (PM-134).
    pub(super) fn requested(
        &mut self,
        message: &TeamMessage,
        position: &str,
        request: PlanApprovalRequest,
    ) -> Option<TurnEvent> {
        let table = self.team.as_ref()?;
        if table.settled.contains(&request.request_id) {
            return self.no_more_of(position);
        }
        let asked = table.seat.requests.lock().add_request(request.clone());
        match asked {
            RequestArrival::Duplicate => {}
            RequestArrival::New => self.keep_and_show(&request),
            RequestArrival::Replaced(before) => {
                self.close_team_plan(&before, None);
                self.keep_and_show(&request);
            }
        }
        Some(self.joins(message, position, team::render_for_model(message), None))
    }

    fn keep_and_show(&mut self, request: &PlanApprovalRequest) {
        self.keep_request(request);
        self.show_request(request);
    }

    /// After a restart: what waits is shown again.
    pub(super) fn show_requests(&mut self) {
        let Some(table) = self.team.as_ref().filter(|_| !self.is_teammate()) else { return };
        let open = table.seat.requests.lock().requests().to_vec();
        open.iter().for_each(|request| self.show_request(request));
    }

    fn show_request(&mut self, request: &PlanApprovalRequest) {
        let Some(table) = &self.team else { return };
        let shown = approval::PlanExitRequest::for_teammate(request, table.seat.mode().gives);
        let view = AskView {
            agent: None,
            ask_id: request.request_id.clone(),
            call_id: String::new(),
            tool: plan::EXIT_PLAN_MODE.into(),
            input: json!({"plan": request.plan_content, "planFilePath": request.plan_file_path, "from": request.from}),
            kind: AskKind::Plan { request: Box::new(shown.clone()), previous: None, draft: None },
        };
        let subject = OpenSubject::TeamPlan(Box::new(shown));
        self.asks.push(OpenAsk::of_team(&request.request_id, subject));
        self.emit(EventKind::Ask(Arc::new(view)));
    }

    /// The lead's user answered (PM-134).
    pub(super) fn team_plan_answered(&mut self, ask: OpenAsk, answer: PlanAnswer) {
        let (OpenSubject::TeamPlan(request), Some(table)) = (&ask.subject, &self.team) else { return };
        let response = match approval::response_to_teammate(request, answer.clone()) {
            Ok(response) => response,
            Err(why) => {
                self.notice(NoticeLevel::Warning, &format!("Not answered: {why}. The question stays open."));
                return self.asks.push(ask);
            }
        };
        let seat = table.seat.clone();
        seat.answering.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move {
            let sent = seat.answer_plan(AnsweredBy::User, response, AskAnswer::Plan(answer)).await;
            seat.answering.fetch_sub(1, Ordering::Relaxed);
            seat.send_news(match sent {
                Ok(_) => TeamUpdate::Changed,
                Err(why) => TeamUpdate::Problem { text: format!("The answer to the plan was not sent: {why}") },
            });
        });
        // Open for the faces until it is sent.
        self.asks.push(ask);
    }

    /// The answer is in the teammate's mailbox.
    pub(super) fn request_answered(
        &mut self,
        request_id: &str,
        from: &str,
        by: AnsweredBy,
        answer: AskAnswer,
        approved: bool,
    ) {
        self.close_team_plan(request_id, Some(answer));
        if by == AnsweredBy::User {
            self.memory.reminders.push(("team".into(), team::answered_by_user_message(from, request_id, approved)));
        }
    }

    pub(super) fn request_not_answered(&mut self, request: PlanApprovalRequest, why: &str) {
        if let Some(table) = &self.team {
            table.seat.requests.lock().add_request(request);
        }
        self.notice(NoticeLevel::Error, &format!("The answer could not be sent: {why}. The plan still waits."));
    }

    /// What a teammate asked is over for the user; `void`: the reason if there was no answer.
    pub(super) fn close_team_ask(&mut self, kind: &str, request_id: &str, answer: Option<AskAnswer>, void: &str) {
        let kept = answer.clone().or(Some(AskAnswer::Unusable { why: void.into() }));
        self.append(EntryBody::Ask { ask_id: request_id.into(), kind: kind.into(), answer: kept });
        if let Some(table) = &mut self.team {
            table.settled.insert(request_id.into());
        }
        self.asks.remove(request_id);
        self.close_ask(request_id.into(), answer);
    }

    fn close_team_plan(&mut self, request_id: &str, answer: Option<AskAnswer>) {
        self.close_team_ask(history::PLAN_ASK, request_id, answer, "the teammate submitted another plan");
    }

    /// The conversation was put back, the team was not: what waits and what has its answer is written again, so that a
    /// restart finds it (TM-2).
    pub(super) fn team_stays(&mut self) {
        let Some(table) = self.team.as_ref().filter(|_| !self.is_teammate()) else { return };
        let settled: Vec<String> = table.settled.iter().cloned().collect();
        let (plans, calls) = (table.seat.requests.lock().requests().to_vec(), table.wanted.requests().to_vec());
        for ask_id in settled {
            let answer =
                Some(AskAnswer::Unusable { why: "it was answered before the conversation was restored".into() });
            self.append(EntryBody::Ask { ask_id, kind: history::PLAN_ASK.into(), answer });
        }
        plans.iter().for_each(|request| self.keep_request(request));
        calls.iter().for_each(|request| {
            self.keep_call(request);
        });
    }

    /// There is no team any more.
    pub(super) fn withdraw_team_reviews(&mut self) {
        for id in self.asks.team_plans() {
            self.close_team_plan(&id, None);
        }
    }

    /// A message about the approval of a plan; any other message has no meaning for this session.
    pub(super) fn approval_mail(
        &mut self,
        message: &TeamMessage,
        position: &str,
        content: MessageContent,
        lead: Option<LeadMode>,
    ) -> Option<TurnEvent> {
        let is_lead = self.joined().is_some_and(|joined| joined.is_lead());
        match content {
            MessageContent::PlanApprovalRequest(request) if is_lead => self.requested(message, position, request),
            MessageContent::PlanApprovalResponse(response) if !is_lead => {
                self.lead_answered(message, position, response, lead)
            }
            _ => {
                self.notice(NoticeLevel::Warning, &format!("Ignored an unexpected message from {}.", message.from));
                self.no_more_of(position)
            }
        }
    }

    /// PM-2: a lead in plan mode changes nothing through its teammates: they enter plan mode too, and leave by PM-133.
    pub(super) fn join_planning(&mut self, message: &TeamMessage) {
        if message.kind == MessageKind::PlanningWords && message.from == LEAD_NAME && !self.mode.is_planning() {
            self.mode_event(mode::ModeEvent::Set { to: Mode::READ_ONLY, by: ChangedBy::Host });
        }
    }

    /// Shares the lead's mode: it limits that of teammates (PM-132, PM-133).
    pub(super) fn tell_mode(&self) {
        if let Some(table) = &self.team {
            let mode = self.mode.mode();
            let gives = if mode == Mode::Plan { self.mode.mode_after_leaving().0 } else { mode };
            table.seat.set_mode(LeadMode { mode, gives });
        }
    }

    /// True if the event would leave plan mode, which a teammate that must plan leaves only by its lead's answer
    /// (PM-131).
    pub(super) fn held_by_lead(&self, event: &mode::ModeEvent) -> bool {
        let leaves = match event {
            mode::ModeEvent::Set { to, .. } => *to != Mode::Plan,
            mode::ModeEvent::Cycle | mode::ModeEvent::Leave { .. } | mode::ModeEvent::Approved { .. } => true,
            mode::ModeEvent::UserTurn
            | mode::ModeEvent::ReminderSent(_)
            | mode::ModeEvent::Compacted
            | mode::ModeEvent::Cleared
            | mode::ModeEvent::AutoChanged(_)
            | mode::ModeEvent::Resumed(_)
            | mode::ModeEvent::PlanNamed(_)
            | mode::ModeEvent::ScopeSet(_) => false,
        };
        let free = self.team.as_ref().is_none_or(|table| table.lead_answers);
        leaves && !free && self.mode.is_planning() && self.must_plan()
    }

    pub(super) fn must_plan(&self) -> bool {
        let joined = self.joined();
        joined.as_ref().and_then(|joined| joined.member.as_ref()).is_some_and(|member| member.planning_required)
    }

    /// True while the teammate plans, or may not stop planning without its lead.
    pub(super) fn awaits_lead(&self) -> bool {
        self.mode.is_planning() || self.must_plan()
    }
}
