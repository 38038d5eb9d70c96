//! Plans between a teammate and its lead (PM-130 to PM-134): the teammate submits and waits, the lead's user or model answers.
//! Who may answer what is decided in cutonce-core's `mail`; here it is carried out and recorded.

use super::Hall;
use super::asks::{Open, OpenAsk};
use super::calls::Report;
use crate::team::{past, seat_desk};
use cutonce_core::approval::{self, Answer as PlanAnswer, ChoiceKey, ExitResult};
use cutonce_core::event::{AskKind, AskView, EndReason, EventKind, Level};
use cutonce_core::mail::{
    self, Asked, Content, Given, Heard, LEAD, LeadMode, Message, PlanApprovalRequest, PlanApprovalResponse,
};
use cutonce_core::mode::{self, Mode};
use cutonce_core::plan::{self, Found, PhaseEvent};
use cutonce_core::submission::{Answer, By, TeamNews};
use cutonce_core::transcript::Body;
use cutonce_core::turn::Happened;
use cutonce_tools::tool::Outcome;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What work for a plan between teammate and lead reports.
pub(crate) enum TeamReport {
    /// The request is in the lead's mailbox, or why it is not.
    Sent { n: usize, request_id: String, sent: Result<(), String> },
    /// What the lead may do now.
    Lead { n: usize, lead: Result<LeadMode, String> },
}

impl Hall {
    /// A teammate's ExitPlanMode (PM-130): never a dialog.
    pub(super) fn submit_to_lead(&mut self, n: usize) {
        let found = self.planner.found();
        // PM-72: one that must plan submits from any mode.
        if !self.mode.in_plan() && !self.must_plan() {
            return self.finish(n, Outcome::error(approval::not_in_plan_mode()), Duration::ZERO);
        }
        if let Found::Unreadable(why) = &found {
            let text = approval::unreadable(&self.planner.path(), why);
            return self.finish(n, Outcome::error(text), Duration::ZERO);
        }
        match (self.must_plan(), found) {
            (true, Found::Plan(text)) => self.ask_lead(n, text),
            (true, _) => self.finish(n, Outcome::error(mail::no_plan_file(&self.planner.path())), Duration::ZERO),
            (false, _) => self.look_at_lead(n),
        }
    }

    /// PM-131: the request is on disk before it is sent, so that a crash can't make it unknown.
    fn ask_lead(&mut self, n: usize, text: String) {
        let Some(joined) = self.joined() else { return };
        let request = PlanApprovalRequest {
            from: joined.me.clone(),
            timestamp: crate::team::now(),
            plan_file_path: self.planner.path(),
            sha256: plan::sha256(&text),
            plan_content: text,
            request_id: crate::new_id(),
        };
        self.fill_input(n, json!({"plan": request.plan_content, "planFilePath": request.plan_file_path}));
        if let Err(error) =
            self.planner.file.as_ref().map_or(Ok(()), |file| file.submit(&request.plan_content).map(|_| ()))
        {
            self.notice(Level::Warning, &format!("The revision of the plan could not be kept: {error}"));
        }
        self.keep_plan();
        self.keep_request(&request);
        self.phase(PhaseEvent::Submitted);
        if let Some(table) = &mut self.team {
            table.waiting.submit(&request.request_id, &request.sha256);
        }
        let (report, request_id) = (self.done.0.clone(), request.request_id.clone());
        tokio::spawn(async move {
            let content = Content::PlanApprovalRequest(request);
            let sent = joined.order(LEAD, request_id.clone(), content).await.map_err(|error| error.to_string());
            let _ = report.send(Report::Team(TeamReport::Sent { n, request_id, sent }));
        });
    }

    /// The request in the transcript: what it says, and that it is open.
    fn keep_request(&mut self, request: &PlanApprovalRequest) {
        let content = serde_json::to_string(request).ok();
        let (path, sha256) = (request.request_id.clone(), Some(request.sha256.clone()));
        self.append(Body::FileSnapshot { key: past::REQUEST.into(), path, content, sha256 });
        self.append(Body::Ask { ask_id: request.request_id.clone(), kind: past::ASK.into(), answer: None });
        self.sync();
    }

    /// PM-133: by its own choice, but for no more than the lead has at this moment.
    fn look_at_lead(&mut self, n: usize) {
        let Some(joined) = self.joined() else { return };
        let report = self.done.0.clone();
        tokio::spawn(async move {
            let lead = joined.lead_mode().await;
            let _ = report.send(Report::Team(TeamReport::Lead { n, lead }));
        });
    }

    pub(super) fn team_report(&mut self, report: TeamReport) {
        match report {
            TeamReport::Sent { n, request_id, sent } => self.request_sent(n, &request_id, sent),
            TeamReport::Lead { n, lead } => self.leave_by_choice(n, lead),
        }
    }

    fn request_sent(&mut self, n: usize, request_id: &str, sent: Result<(), String>) {
        if let Err(why) = sent {
            if let Some(table) = &mut self.team {
                table.waiting.withdraw();
            }
            self.settled_by_lead(request_id);
            let text = format!("The plan could not be sent to the lead: {why}. Plan mode is still on; try again.");
            return self.finish(n, Outcome::error(text), Duration::ZERO);
        }
        let path = self.planner.path();
        let result = ExitResult {
            plan: self.planner.found().text().map(str::to_string),
            is_agent: true,
            file_path: Some(path.clone()),
            awaiting_leader_approval: Some(true),
            request_id: Some(request_id.into()),
            ..ExitResult::default()
        };
        // Said before the call is done, so that the calls after it in the batch are skipped.
        self.end_asked(EndReason::Completed);
        let outcome = Outcome::text(mail::wait_for_lead(&path, request_id));
        self.finish(n, outcome.with_display(serde_json::to_value(result).unwrap_or_default()), Duration::ZERO);
    }

    fn leave_by_choice(&mut self, n: usize, lead: Result<LeadMode, String>) {
        if self.has_result(n) {
            return;
        }
        if self.batch_cancel().is_cancelled() {
            return self.finish(n, Outcome::error(mail::not_yet_free("it was interrupted")), Duration::ZERO);
        }
        let mode = match &lead {
            Ok(lead) => self.mode.way_back().0.at_most(lead.mode),
            Err(_) => Mode::Plan,
        };
        if mode == Mode::Plan {
            let why = lead.err().map_or("the lead itself is in plan mode".into(), |why| {
                format!("nobody knows what the lead may do ({why})")
            });
            return self.finish(n, Outcome::error(mail::not_yet_free(&why)), Duration::ZERO);
        }
        self.keep_plan();
        self.mode_event(mode::Event::Approved { mode, by: By::Host });
        let outcome = match self.mode.in_plan() {
            true => Outcome::error(mail::not_yet_free("the mode could not be changed")),
            false => Outcome::text(mail::free(self.mode.mode(), &self.planner.path())),
        };
        self.finish(n, outcome, Duration::ZERO);
    }

    /// The process came back while its plan waited: whether the lead got the request nobody knows, so it is sent again under
    /// the same id (TM-2).
    pub(super) fn ask_lead_again(&mut self) {
        let (Some(joined), Some(table)) = (self.joined(), &self.team) else { return };
        let request = table.waiting.open().and_then(|id| seat_desk(&table.seat).find(id).cloned());
        let Some(request) = request else { return };
        tokio::spawn(async move {
            let (id, content) = (request.request_id.clone(), Content::PlanApprovalRequest(request));
            joined.order(LEAD, id, content).await.unwrap_or_else(|error| tracing::warn!("{error}"));
        });
    }

    /// PM-132: the lead answered. The mode changes first, then the words join the conversation, then the request is closed: a
    /// crash in between leaves the message in the mailbox, and it is carried out again.
    pub(super) fn lead_answered(
        &mut self,
        message: &Message,
        position: &str,
        response: PlanApprovalResponse,
        lead: Option<LeadMode>,
    ) -> Option<Happened> {
        let lead = lead.unwrap_or(LeadMode { mode: Mode::Default, gives: Mode::Default });
        let (path, now) = (self.planner.path(), self.planner.found().sha256());
        let request_id = response.request_id.clone();
        let table = self.team.as_mut()?;
        let text = match table.waiting.hear(message.from == LEAD, response, now.as_deref(), lead) {
            Heard::Ignored { why } => {
                self.notice(Level::Warning, &format!("An answer to a plan changed nothing: {why}."));
                return self.no_more_of(position);
            }
            Heard::Stale => mail::stale(&path),
            Heard::Rejected { feedback, plan } => {
                let edited = plan.is_some_and(|plan| self.write_plan(&plan, &path));
                self.phase(PhaseEvent::Rejected);
                if !self.mode.in_plan() {
                    self.mode_event(mode::Event::Set { to: Mode::Plan, by: By::Host });
                }
                mail::rejected(&path, feedback.as_deref(), edited)
            }
            Heard::Approved { mode, feedback, plan } => self.freed(mode, &path, feedback.as_deref(), plan.as_deref()),
        };
        let text = mail::framed(&message.from, &message.id, &text);
        Some(self.joins(message, position, text, Some(request_id)))
    }

    fn freed(&mut self, mode: Mode, path: &str, feedback: Option<&str>, plan: Option<&str>) -> String {
        if plan.is_some_and(|plan| !self.write_plan(plan, path)) {
            return mail::rejected(
                path,
                Some("The plan was edited, but the edit could not be saved; submit it again."),
                false,
            );
        }
        let _ = self.here.disk.remember_shown(Path::new(path));
        self.keep_plan();
        if self.mode.in_plan() {
            self.set_lead_answers(true);
            self.mode_event(mode::Event::Approved { mode, by: By::Host });
            self.set_lead_answers(false);
        }
        match self.mode.in_plan() {
            true => mail::rejected(path, Some("It was approved, but the mode could not be changed."), false),
            false => mail::approved(self.mode.mode(), path, feedback, plan),
        }
    }

    fn set_lead_answers(&mut self, answers: bool) {
        if let Some(table) = &mut self.team {
            table.lead_answers = answers;
        }
    }

    fn write_plan(&mut self, text: &str, path: &str) -> bool {
        match self.planner.file.as_ref().map_or(Ok(()), |file| file.write(text)) {
            Ok(()) => self.here.disk.remember_shown(Path::new(path)).is_ok(),
            Err(error) => {
                self.notice(Level::Error, &approval::unsaved(path, &error.to_string()));
                false
            }
        }
    }

    /// A teammate's request has its answer, or is void.
    pub(super) fn settled_by_lead(&mut self, request_id: &str) {
        let answer = Some(Answer::Plan(PlanAnswer::new(request_id, ChoiceKey::Default)));
        self.append(Body::Ask { ask_id: request_id.into(), kind: past::ASK.into(), answer });
    }

    /// A teammate asks (PM-131): on the desk, before the user, and in the conversation of the lead's model (PM-134).
    pub(super) fn requested(
        &mut self,
        message: &Message,
        position: &str,
        request: PlanApprovalRequest,
    ) -> Option<Happened> {
        let table = self.team.as_ref()?;
        if table.settled.contains(&request.request_id) {
            return self.no_more_of(position);
        }
        let asked = seat_desk(&table.seat).asked(request.clone());
        match asked {
            Asked::Again => {}
            Asked::New => self.keep_and_show(&request),
            Asked::Instead(before) => {
                self.close_team_plan(&before, None);
                self.keep_and_show(&request);
            }
        }
        Some(self.joins(message, position, mail::shown(message), None))
    }

    fn keep_and_show(&mut self, request: &PlanApprovalRequest) {
        self.keep_request(request);
        self.show_request(request);
    }

    /// After a restart: what waits is shown again.
    pub(super) fn show_requests(&mut self) {
        let Some(table) = self.team.as_ref().filter(|_| !self.is_teammate()) else { return };
        let open = seat_desk(&table.seat).open().to_vec();
        open.iter().for_each(|request| self.show_request(request));
    }

    fn show_request(&mut self, request: &PlanApprovalRequest) {
        let Some(table) = &self.team else { return };
        let shown = approval::Request::of_teammate(request, table.seat.mode().gives);
        let view = AskView {
            agent: None,
            ask_id: request.request_id.clone(),
            call_id: String::new(),
            tool: plan::EXIT.into(),
            input: json!({"plan": request.plan_content, "planFilePath": request.plan_file_path, "from": request.from}),
            kind: AskKind::Plan { request: Box::new(shown.clone()), previous: None, draft: None },
        };
        let open = Open::TeamPlan(Box::new(shown));
        self.asks.push(OpenAsk::of_team(&request.request_id, open));
        self.hub.emit(EventKind::Ask(Arc::new(view)));
    }

    /// The lead's user answered (PM-134).
    pub(super) fn team_plan_answered(&mut self, ask: OpenAsk, answer: PlanAnswer) {
        let (Open::TeamPlan(request), Some(table)) = (&ask.open, &self.team) else { return };
        let response = match approval::to_teammate(request, answer.clone()) {
            Ok(response) => response,
            Err(why) => {
                self.notice(Level::Warning, &format!("Not answered: {why}. The question stays open."));
                return self.asks.push(ask);
            }
        };
        let seat = table.seat.clone();
        seat.answering.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move {
            let sent = seat.answer(Given::User, response, Answer::Plan(answer)).await;
            seat.answering.fetch_sub(1, Ordering::Relaxed);
            seat.news(match sent {
                Ok(_) => TeamNews::Changed,
                Err(why) => TeamNews::Trouble { text: format!("The answer to the plan was not sent: {why}") },
            });
        });
        // Open for the faces until it is sent.
        self.asks.push(ask);
    }

    /// The answer is in the teammate's mailbox.
    pub(super) fn request_answered(&mut self, request_id: &str, from: &str, by: Given, answer: Answer, approved: bool) {
        self.close_team_plan(request_id, Some(answer));
        if by == Given::User {
            self.reminders.push(("team".into(), mail::answered_by_user(from, request_id, approved)));
        }
    }

    pub(super) fn request_not_answered(&mut self, request: PlanApprovalRequest, why: &str) {
        if let Some(table) = &self.team {
            seat_desk(&table.seat).asked(request);
        }
        self.notice(Level::Error, &format!("The answer could not be sent: {why}. The plan still waits."));
    }

    /// What a teammate asked is over for the user; `void`: why, where nobody answered.
    pub(super) fn close_team_ask(&mut self, kind: &str, request_id: &str, answer: Option<Answer>, void: &str) {
        let kept = answer.clone().or(Some(Answer::Unusable { why: void.into() }));
        self.append(Body::Ask { ask_id: request_id.into(), kind: kind.into(), answer: kept });
        if let Some(table) = &mut self.team {
            table.settled.insert(request_id.into());
        }
        self.asks.remove(request_id);
        self.hub.emit(EventKind::AskClosed { ask_id: request_id.into(), answer });
    }

    fn close_team_plan(&mut self, request_id: &str, answer: Option<Answer>) {
        self.close_team_ask(past::ASK, request_id, answer, "the teammate submitted another plan");
    }

    /// The conversation was put back, the team was not: what waits and what has its answer is written again, so that a restart
    /// finds it (TM-2).
    pub(super) fn team_stays(&mut self) {
        let Some(table) = self.team.as_ref().filter(|_| !self.is_teammate()) else { return };
        let settled: Vec<String> = table.settled.iter().cloned().collect();
        let (plans, calls) = (seat_desk(&table.seat).open().to_vec(), table.wanted.open().to_vec());
        for ask_id in settled {
            let answer = Some(Answer::Unusable { why: "it was over before the conversation was put back".into() });
            self.append(Body::Ask { ask_id, kind: past::ASK.into(), answer });
        }
        plans.iter().for_each(|request| self.keep_request(request));
        calls.iter().for_each(|request| {
            self.keep_call(request);
        });
    }

    /// There is no team any more.
    pub(super) fn withdraw_team_plans(&mut self) {
        for id in self.asks.team_plans() {
            self.close_team_plan(&id, None);
        }
    }
}
