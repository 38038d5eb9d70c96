//! The teammate's side of its plan (PM-130 to PM-133): it submits to the lead and waits, and the lead's answer changes
//! its mode. cutonce-core's `team` decides which answer is valid; this module carries it out and records it. The lead's
//! side is in `approvals_for_team`.

use super::SessionState;
use super::call_runner::CallRef;
use super::events::SessionEvent;
use crate::team::approval_history::TEAM_PLAN;
use cutonce_core::mode::{self, Mode};
use cutonce_core::plan::approval::{self, ChoiceKey, PlanAnswer, PlanExitResult};
use cutonce_core::plan::{self, PhaseEvent, PlanContent};
use cutonce_core::protocol::event::{EndReason, NoticeLevel};
use cutonce_core::protocol::submission::{AskAnswer, ChangedBy};
use cutonce_core::team::{
    self, ControlMessage, LEAD_NAME, LeadAnswer, LeadMode, MessageKind, PlanApprovalRequest, PlanApprovalResponse,
    TeamMessage, TeamRequest, TeamResponse,
};
use cutonce_core::transcript::EntryBody;
use cutonce_core::turn::TurnEvent;
use cutonce_tools::tool::ToolOutcome;
use serde_json::json;
use std::path::Path;

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
            (false, _) => self.ask_for_lead_mode(n),
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
        self.record_team_request(&TeamRequest::Plan(request.clone()));
        self.phase(PhaseEvent::Submitted);
        if let Some(team) = &mut self.team {
            team.lead_answer.open_for(&request.request_id, &request.sha256);
        }
        let (events, call) = (self.events.clone(), self.calls.reference(n));
        let request_id = request.request_id.clone();
        tokio::spawn(async move {
            let control = ControlMessage::Request(TeamRequest::Plan(request));
            let sent =
                joined.send_control(LEAD_NAME, request_id.clone(), control).await.map_err(|error| error.to_string());
            let _ = events.send(SessionEvent::Team(TeamReport::Sent { call, request_id, sent }));
        });
    }

    /// PM-133: by its own choice, but for no more than the lead has at this moment.
    fn ask_for_lead_mode(&mut self, n: usize) {
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
            if let Some(team) = &mut self.team {
                team.lead_answer.withdraw();
            }
            self.record_lead_answer(request_id);
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
        // Requested before the call is done, so that the calls after it in the batch are skipped.
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
        let (Some(joined), Some(team)) = (self.joined(), &self.team) else { return };
        let request = team.lead_answer.open_request_id().and_then(|id| team.handle.pending().find(id).cloned());
        let Some(TeamRequest::Plan(request)) = request else { return };
        tokio::spawn(async move {
            let (id, control) = (request.request_id.clone(), ControlMessage::Request(TeamRequest::Plan(request)));
            joined.send_control(LEAD_NAME, id, control).await.unwrap_or_else(|error| tracing::warn!("{error}"));
        });
    }

    /// The lead answered a request of this teammate.
    pub(super) fn lead_responded(
        &mut self,
        message: &TeamMessage,
        position: &str,
        response: TeamResponse,
        lead: Option<LeadMode>,
    ) -> Option<TurnEvent> {
        match response {
            TeamResponse::Plan(response) => self.lead_answered(message, position, response, lead),
            TeamResponse::Call(response) => {
                self.lead_answered_call(message.from == LEAD_NAME, response);
                self.acknowledge(position)
            }
        }
    }

    /// PM-132: the lead answered. The mode changes first, then the feedback joins the conversation, then the request is
    /// closed: a crash in between leaves the message in the mailbox, and it is carried out again.
    fn lead_answered(
        &mut self,
        message: &TeamMessage,
        position: &str,
        response: PlanApprovalResponse,
        lead: Option<LeadMode>,
    ) -> Option<TurnEvent> {
        let lead = lead.unwrap_or(LeadMode { mode: Mode::Default, gives: Mode::Default });
        let (path, now) = (self.planner.path(), self.planner.found().sha256());
        let request_id = response.request_id.clone();
        let team = self.team.as_mut()?;
        let text = match team.lead_answer.evaluate_answer(message.from == LEAD_NAME, response, now.as_deref(), lead) {
            LeadAnswer::Ignored { why } => {
                self.notice(NoticeLevel::Warning, &format!("An answer to a plan changed nothing: {why}."));
                return self.acknowledge(position);
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
                self.approved_by_lead(mode, &path, feedback.as_deref(), plan.as_deref())
            }
        };
        let text = team::wrap_in_message_tag(&message.from, &message.id, &text);
        Some(self.message_input(message, position, text, Some(request_id)))
    }

    fn approved_by_lead(&mut self, mode: Mode, path: &str, feedback: Option<&str>, plan: Option<&str>) -> String {
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
        if let Some(team) = &mut self.team {
            team.lead_answers = answers;
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
    pub(super) fn record_lead_answer(&mut self, request_id: &str) {
        let answer = Some(AskAnswer::Plan(PlanAnswer::new(request_id, ChoiceKey::Default)));
        self.append(EntryBody::Ask { ask_id: request_id.into(), kind: TEAM_PLAN.into(), answer });
    }

    /// PM-2: a lead in plan mode changes nothing through its teammates: they enter plan mode too, and leave by PM-133.
    pub(super) fn join_planning(&mut self, message: &TeamMessage) {
        if message.kind == MessageKind::PlanningWords && message.from == LEAD_NAME && !self.mode.is_planning() {
            self.mode_event(mode::ModeEvent::Set { to: Mode::READ_ONLY, by: ChangedBy::Host });
        }
    }

    /// Shares the lead's mode: it limits that of teammates (PM-132, PM-133).
    pub(super) fn publish_mode(&self) {
        if let Some(team) = &self.team {
            let mode = self.mode.mode();
            let gives = if mode == Mode::Plan { self.mode.mode_after_leaving().0 } else { mode };
            team.handle.set_mode(LeadMode { mode, gives });
        }
    }

    /// True if the event would leave plan mode, which a teammate that must plan leaves only by its lead's answer
    /// (PM-131).
    pub(super) fn needs_lead_answer(&self, event: &mode::ModeEvent) -> bool {
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
        let free = self.team.as_ref().is_none_or(|team| team.lead_answers);
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
