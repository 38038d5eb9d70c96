//! The team in the session (TM-1, TM-2): a message joins the conversation at the next request or starts a turn, and
//! leaves the mailbox only when it is in the transcript. What teammates ask for is in `approvals_for_team`.

use super::SessionState;
use super::parts::Approver;
use crate::team::{Membership, TeamHandle, TeamHistory};
use cutonce_core::conversation::{self, ContentBlock};
use cutonce_core::protocol::event::{EventKind, NoticeLevel, TeamEvent};
use cutonce_core::protocol::submission::{Submission, TeamUpdate};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::team::{
    self, ControlMessage, LEAD_NAME, LeadMode, MessageContent, PendingLeadAnswer, PermissionResponse, ReceivedMessage,
    TeamMessage, TeammateState,
};
use cutonce_core::turn::{TurnEvent, UserInput};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The team part of what a session is opened with.
pub(crate) struct TeamStart {
    pub(crate) handle: Arc<TeamHandle>,
    pub past: TeamHistory,
    /// The team that this session led before.
    pub record: Option<crate::team::TeamRecord>,
}

/// The team state of a session.
pub(super) struct SessionTeam {
    pub(crate) handle: Arc<TeamHandle>,
    /// Teammate: the answer that its plan waits for.
    pub lead_answer: PendingLeadAnswer,
    /// Ids of messages that are in the transcript, or about to be.
    seen: HashSet<String>,
    /// Requests that have their answer, or are void.
    pub answered: HashSet<String>,
    /// Messages in order of arrival: position, and whether it is processed.
    arrived: VecDeque<(String, bool)>,
    /// Set while the lead's answer is carried out: it may leave plan mode.
    pub(crate) lead_answers: bool,
    record: Option<crate::team::TeamRecord>,
}

impl SessionTeam {
    pub(super) fn new(start: TeamStart) -> SessionTeam {
        let TeamStart { handle, past, record } = start;
        let TeamHistory { seen, answered, requests, lead_answer } = past;
        *handle.pending() = requests;
        let (arrived, lead_answers) = (VecDeque::new(), false);
        SessionTeam { handle, lead_answer, seen, answered, arrived, lead_answers, record }
    }

    /// Marks a message as processed, and acknowledges all before the first that is not.
    fn mark_processed(&mut self, position: &str) {
        if let Some(entry) = self.arrived.iter_mut().find(|(at, dealt)| at == position && !dealt) {
            entry.1 = true;
        }
        let mut last = None;
        while self.arrived.front().is_some_and(|(_, dealt)| *dealt) {
            last = self.arrived.pop_front();
        }
        if let Some((position, _)) = last {
            self.handle.mark_done(position);
        }
    }
}

/// The message to a teammate whose process was restarted.
const GO_ON: &str = "The program was restarted in the middle of your work. Check what is done, then continue.";

impl SessionState {
    /// After a restart: a lead leads again, a teammate that was cut off continues (TM-2).
    pub(super) fn team_opened(&mut self) {
        // Before the members start: they join with it.
        self.publish_scope();
        let Some(team) = &mut self.team else { return };
        if let Some(record) = team.record.take() {
            team.handle.resume_team(record);
        }
        self.publish_mode();
        if let Some(joined) = self.joined().filter(|joined| !joined.is_lead()) {
            self.take_lead_scope(joined.scope.clone());
        }
        self.show_team_requests();
        self.relay_asks();
        let cut_off = self.cut_off();
        if self.waits_for_lead() {
            self.ask_lead_again();
        } else if cut_off {
            self.pending.push_back(TurnEvent::Input(UserInput::meta(GO_ON)));
        } else if !self.conversation.messages.is_empty() {
            self.team_state(false);
        }
    }

    /// True if the program ended during a turn that must continue: any turn of a teammate, and of a lead the answer to
    /// a message of its team.
    fn cut_off(&self) -> bool {
        use conversation::Message::{Assistant, Tool, User};
        let mail = |block: &ContentBlock| matches!(block, ContentBlock::Text { text } if text.starts_with(team::MESSAGE_TAG_START));
        match self.conversation.messages.last().map(|message| &**message) {
            Some(User { content }) => self.is_teammate() || content.iter().any(mail),
            Some(Tool(_)) => self.is_teammate(),
            Some(Assistant { .. }) | None => false,
        }
    }

    pub(super) fn joined(&self) -> Option<Arc<Membership>> {
        self.team.as_ref().and_then(|team| team.handle.membership())
    }
    pub(super) fn is_teammate(&self) -> bool {
        self.joined().is_some_and(|joined| !joined.is_lead())
    }
    pub(super) fn waits_for_lead(&self) -> bool {
        let open = self.team.as_ref().is_some_and(|team| team.lead_answer.open_request_id().is_some());
        open && self.is_teammate() && self.awaits_lead()
    }
    /// True while teammates work: a closing lead waits for their messages.
    pub(super) fn team_works(&self) -> bool {
        let Some(team) = &self.team else { return false };
        if team.handle.answering.load(Ordering::Relaxed) > 0 {
            return true;
        }
        team.handle
            .list_teammates()
            .is_some_and(|(_, members)| members.iter().any(|member| member.state == TeammateState::Working))
    }

    /// Waits for teammates' work in this process when the session ends.
    pub(super) async fn wait_for_teammates(&self) {
        if let Some(team) = &self.team {
            team.handle.end_teammates().await;
        }
    }

    pub(super) fn team_news(&mut self, news: TeamUpdate) {
        match news {
            TeamUpdate::Mail { message, position, lead } => {
                let event = self.mail(*message, position, lead);
                self.pending.extend(event);
            }
            TeamUpdate::Answered { request, by, response, answer, sent } => {
                self.team_request_answered(*request, by, &response, *answer, sent);
            }
            TeamUpdate::State { name, state } => self.set_teammate_state(&name, state),
            TeamUpdate::Changed => {
                self.emit_roster();
                self.refuse_team_calls();
            }
            TeamUpdate::Problem { text } => self.notice(NoticeLevel::Warning, &text),
        }
    }

    /// Processes a message. One that is not authentic, or known already, is acknowledged at once.
    fn mail(&mut self, message: TeamMessage, position: String, lead: Option<LeadMode>) -> Option<TurnEvent> {
        let joined = self.joined()?;
        let team = self.team.as_mut()?;
        team.arrived.push_back((position.clone(), false));
        if team.seen.contains(&message.id) {
            team.mark_processed(&position);
            return None;
        }
        let key = joined.member_key(if joined.is_lead() { &message.from } else { &joined.me });
        if let Err(why) = team::check_authenticity(&joined.team, &joined.me, &message, |_| key.as_ref()) {
            let from = cutonce_core::text::sanitize::sanitize(&message.from).into_owned();
            self.notice(NoticeLevel::Warning, &format!("Ignored a message that claims to be from {from}: {why}."));
            return self.acknowledge(&position);
        }
        match team::parse_content(&message) {
            MessageContent::Text => {
                self.join_planning(&message);
                Some(self.message_input(&message, &position, team::render_for_model(&message), None))
            }
            MessageContent::Control(control) if joined.is_lead() => self.mail_to_lead(&message, &position, control),
            MessageContent::Control(control) => self.mail_to_teammate(&message, &position, control, lead),
            MessageContent::Invalid { why } => {
                self.notice(NoticeLevel::Warning, &format!("A message of {} could not be read: {why}.", message.from));
                self.acknowledge(&position)
            }
        }
    }

    fn mail_to_lead(&mut self, message: &TeamMessage, position: &str, control: ControlMessage) -> Option<TurnEvent> {
        match control {
            ControlMessage::Request(request) => return self.team_requested(message, position, request),
            ControlMessage::PermissionWithdrawn { request_id } => {
                self.team_calls_withdrawn(&message.from, request_id.as_deref());
            }
            ControlMessage::TeammateStatus { state, used } => {
                self.model.usage.add_totals(&used);
                self.report_totals();
                self.set_teammate_state(&message.from, state);
            }
            ControlMessage::WorkEvidence { evidence } => self.team_evidence(*evidence),
            ControlMessage::Response(_) | ControlMessage::LeadScope { .. } | ControlMessage::Shutdown => {
                self.unexpected_mail(message);
            }
        }
        self.acknowledge(position)
    }

    fn mail_to_teammate(
        &mut self,
        message: &TeamMessage,
        position: &str,
        control: ControlMessage,
        lead: Option<LeadMode>,
    ) -> Option<TurnEvent> {
        match control {
            ControlMessage::Response(response) => return self.lead_responded(message, position, response, lead),
            ControlMessage::LeadScope { scope } if message.from == LEAD_NAME => self.take_lead_scope(scope),
            ControlMessage::Shutdown => {
                self.closing.requested = true;
                // Stops the current turn, as a user's interrupt would.
                self.team.iter().for_each(|team| team.handle.submit(Submission::Interrupt));
            }
            ControlMessage::Request(_)
            | ControlMessage::PermissionWithdrawn { .. }
            | ControlMessage::TeammateStatus { .. }
            | ControlMessage::WorkEvidence { .. }
            | ControlMessage::LeadScope { .. } => self.unexpected_mail(message),
        }
        self.acknowledge(position)
    }

    fn unexpected_mail(&self, message: &TeamMessage) {
        self.notice(NoticeLevel::Warning, &format!("Ignored an unexpected message from {}.", message.from));
    }

    /// The teammate's side: sends its asks to the lead from now on.
    fn relay_asks(&self) {
        if let (Approver::Lead, Some(team)) = (self.context.approver, &self.team) {
            tokio::spawn(crate::team::relay_asks(team.handle.clone(), self.context.hub.subscribe()));
        }
    }

    /// The teammate's side: takes the lead's answer to a call.
    pub(super) fn lead_answered_call(&mut self, from_lead: bool, response: PermissionResponse) {
        let Some(team) = &self.team else { return };
        let accepted = team.handle.relayed.lock_unpoisoned().accept_answer(from_lead, &response);
        match accepted {
            Ok(()) => self.answer(&response.request_id, *response.answer),
            Err(why) => self.notice(NoticeLevel::Warning, &format!("An answer to a call changed nothing: {why}.")),
        }
    }

    /// The message joins the conversation at the next request.
    pub(super) fn message_input(
        &mut self,
        message: &TeamMessage,
        position: &str,
        text: String,
        settles: Option<String>,
    ) -> TurnEvent {
        if let Some(team) = &mut self.team {
            team.seen.insert(message.id.clone());
        }
        let (from, to) = (message.from.clone(), message.to.clone());
        self.emit(EventKind::Team(TeamEvent::Message { from, to, text: team::render_for_user(message) }));
        let mail = ReceivedMessage { id: message.id.clone(), position: position.into(), closes_request: settles };
        TurnEvent::Input(UserInput { mail: Some(mail), ..UserInput::meta(text) })
    }

    pub(super) fn acknowledge(&mut self, position: &str) -> Option<TurnEvent> {
        if let Some(team) = &mut self.team {
            team.mark_processed(position);
        }
        None
    }

    /// The message is in the transcript: now it may leave the mailbox (TM-2).
    pub(super) fn mail_recorded(&mut self, mail: &ReceivedMessage, entry: &str) {
        if entry.is_empty() || !self.sync() {
            return;
        }
        if let Some(request_id) = &mail.closes_request {
            self.record_lead_answer(request_id);
        }
        self.acknowledge(&mail.position);
    }

    fn set_teammate_state(&mut self, name: &str, state: TeammateState) {
        if let Some(team) = &self.team {
            team.handle.set_state(name, state);
            if state == TeammateState::Ended {
                self.team_calls_withdrawn(name, None);
            }
            self.emit_roster();
        }
    }

    fn emit_roster(&mut self) {
        let Some(team) = &self.team else { return };
        let (team, members) = team.handle.list_teammates().unwrap_or_default();
        if members.is_empty() {
            self.close_team_requests();
        }
        self.emit(EventKind::Team(TeamEvent::Roster { team, members }));
    }

    /// Reports a teammate's state to its lead when a turn begins or ends.
    pub(super) fn team_state(&mut self, working: bool) {
        if !self.is_teammate() {
            return;
        }
        let state = match (working, self.waits_for_lead()) {
            (true, _) => TeammateState::Working,
            (false, true) => TeammateState::AwaitingApproval,
            (false, false) => TeammateState::Idle,
        };
        let used = self.model.usage.take_unreported();
        if let Some(team) = &self.team {
            team.handle.report_state(state, &used);
        }
    }
}
