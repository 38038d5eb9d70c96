//! The team in the session (TM-1, TM-2): a message joins the conversation at the next request or starts a turn, and
//! leaves the mailbox only when it is in the transcript. Plans between lead and teammate are in `plan_with_lead`.

use super::SessionState;
use crate::team::{Membership, TeamHandle, TeamHistory};
use cutonce_core::conversation::{self, ContentBlock};
use cutonce_core::protocol::event::{EventKind, NoticeLevel, TeamEvent};
use cutonce_core::protocol::submission::{Submission, TeamUpdate};
use cutonce_core::team::{
    self, LEAD_NAME, LeadMode, MessageContent, PendingCallApprovals, PendingLeadAnswer, ReceivedMessage, TeamMessage,
    TeammateState,
};
use cutonce_core::turn::{TurnEvent, UserInput};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The team part of what a session is opened with.
pub(crate) struct TeamStart {
    pub(crate) seat: Arc<TeamHandle>,
    pub past: TeamHistory,
    /// The team that this session led before.
    pub record: Option<crate::team::TeamRecord>,
}

/// The team state of a session.
pub(super) struct Table {
    pub(crate) seat: Arc<TeamHandle>,
    pub waiting: PendingLeadAnswer,
    /// Ids of messages that are in the transcript, or about to be.
    seen: HashSet<String>,
    /// Requests that were answered.
    pub settled: HashSet<String>,
    /// Calls of teammates that wait for the user.
    pub wanted: PendingCallApprovals,
    /// Messages in order of arrival: position, and whether it is processed.
    arrived: VecDeque<(String, bool)>,
    /// Set while the lead's answer is carried out: it may leave plan mode.
    pub(crate) lead_answers: bool,
    record: Option<crate::team::TeamRecord>,
}

impl Table {
    pub(super) fn new(start: TeamStart) -> Table {
        let TeamStart { seat, past, record } = start;
        let TeamHistory { seen, answered, call_approvals, lead_answer, .. } = seat.requests.restore(past);
        let (waiting, settled, wanted) = (lead_answer, answered, call_approvals);
        Table { seat, waiting, seen, settled, wanted, arrived: VecDeque::new(), lead_answers: false, record }
    }

    /// Marks a message as processed, and acknowledges all before the first that is not.
    fn dealt_with(&mut self, position: &str) {
        if let Some(entry) = self.arrived.iter_mut().find(|(at, dealt)| at == position && !dealt) {
            entry.1 = true;
        }
        let mut last = None;
        while self.arrived.front().is_some_and(|(_, dealt)| *dealt) {
            last = self.arrived.pop_front();
        }
        if let Some((position, _)) = last {
            self.seat.mark_done(position);
        }
    }
}

/// The message to a teammate whose process was restarted.
const GO_ON: &str = "The program was restarted in the middle of your work. Check what is done, then continue.";

impl SessionState {
    /// After a restart: a lead leads again, a teammate that was cut off continues (TM-2).
    pub(super) fn team_opened(&mut self) {
        // Before the members start: they join with it.
        self.tell_scope();
        let Some(table) = &mut self.team else { return };
        if let Some(record) = table.record.take() {
            table.seat.resume_team(record);
        }
        self.tell_mode();
        if let Some(joined) = self.joined().filter(|joined| !joined.is_lead()) {
            self.take_lead_scope(joined.scope.clone());
        }
        self.show_requests();
        self.show_team_calls();
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
        self.team.as_ref().and_then(|table| table.seat.membership())
    }
    pub(super) fn is_teammate(&self) -> bool {
        self.joined().is_some_and(|joined| !joined.is_lead())
    }
    pub(super) fn waits_for_lead(&self) -> bool {
        let open = self.team.as_ref().is_some_and(|table| table.waiting.open_request_id().is_some());
        open && self.is_teammate() && self.awaits_lead()
    }
    /// True while teammates work: a closing lead waits for their messages.
    pub(super) fn team_works(&self) -> bool {
        let Some(table) = &self.team else { return false };
        if table.seat.answering.load(Ordering::Relaxed) > 0 {
            return true;
        }
        table
            .seat
            .list_teammates()
            .is_some_and(|(_, members)| members.iter().any(|member| member.state == TeammateState::Working))
    }

    /// Waits for teammates' work in this process when the session ends.
    pub(super) async fn team_rests(&self) {
        if let Some(table) = &self.team {
            table.seat.end_teammates().await;
        }
    }

    pub(super) fn team_news(&mut self, news: TeamUpdate) {
        match news {
            TeamUpdate::Mail { message, position, lead } => {
                let event = self.mail(*message, position, lead);
                self.pending.extend(event);
            }
            TeamUpdate::Answered { request_id, from, by, answer, approved } => {
                self.request_answered(&request_id, &from, by, answer, approved);
            }
            TeamUpdate::NotAnswered { request, why } => self.request_not_answered(*request, &why),
            TeamUpdate::PermissionAnswered { request_id, answer, sent } => {
                self.team_call_settled(&request_id, answer, sent);
            }
            TeamUpdate::State { name, state } => self.teammate_is(&name, state),
            TeamUpdate::Changed => {
                self.tell_roster();
                self.refuse_team_calls();
            }
            TeamUpdate::Problem { text } => self.notice(NoticeLevel::Warning, &text),
        }
    }

    /// Processes a message. One that is not authentic, or known already, is acknowledged at once.
    fn mail(&mut self, message: TeamMessage, position: String, lead: Option<LeadMode>) -> Option<TurnEvent> {
        let joined = self.joined()?;
        let table = self.team.as_mut()?;
        table.arrived.push_back((position.clone(), false));
        if table.seen.contains(&message.id) {
            table.dealt_with(&position);
            return None;
        }
        let key = joined.member_key(if joined.is_lead() { &message.from } else { &joined.me });
        if let Err(why) = team::check_authenticity(&joined.team, &joined.me, &message, |_| key.as_ref()) {
            let from = cutonce_core::text::sanitize::sanitize(&message.from).into_owned();
            self.notice(NoticeLevel::Warning, &format!("Ignored a message that claims to be from {from}: {why}."));
            return self.no_more_of(&position);
        }
        match team::parse_content(&message) {
            MessageContent::Text => {
                self.join_planning(&message);
                Some(self.joins(&message, &position, team::render_for_model(&message), None))
            }
            MessageContent::PermissionRequest(request) if joined.is_lead() => self.call_requested(&position, *request),
            MessageContent::PermissionWithdrawn { request_id } if joined.is_lead() => {
                self.team_calls_withdrawn(&message.from, request_id.as_deref());
                self.no_more_of(&position)
            }
            MessageContent::PermissionResponse(response) if !joined.is_lead() => {
                self.lead_allowed(message.from == LEAD_NAME, response);
                self.no_more_of(&position)
            }
            MessageContent::TeammateStatus { state, used } if joined.is_lead() => {
                self.model.usage.add_totals(&used);
                self.teammate_is(&message.from, state);
                self.no_more_of(&position)
            }
            MessageContent::LeadScope { scope } if !joined.is_lead() && message.from == LEAD_NAME => {
                self.take_lead_scope(scope);
                self.no_more_of(&position)
            }
            MessageContent::WorkEvidence { evidence } if joined.is_lead() => {
                self.team_evidence(*evidence);
                self.no_more_of(&position)
            }
            MessageContent::Shutdown if !joined.is_lead() => {
                self.no_more_of(&position);
                self.closing.requested = true;
                // Stops the current turn, as a user's interrupt would.
                self.team.iter().for_each(|table| table.seat.submit(Submission::Interrupt));
                None
            }
            MessageContent::Invalid { why } => {
                self.notice(NoticeLevel::Warning, &format!("A message of {} could not be read: {why}.", message.from));
                self.no_more_of(&position)
            }
            content => self.approval_mail(&message, &position, content, lead),
        }
    }

    /// The message joins the conversation at the next request.
    pub(super) fn joins(
        &mut self,
        message: &TeamMessage,
        position: &str,
        text: String,
        settles: Option<String>,
    ) -> TurnEvent {
        if let Some(table) = &mut self.team {
            table.seen.insert(message.id.clone());
        }
        let (from, to) = (message.from.clone(), message.to.clone());
        self.emit(EventKind::Team(TeamEvent::Message { from, to, text: team::render_for_user(message) }));
        let mail = ReceivedMessage { id: message.id.clone(), position: position.into(), closes_request: settles };
        TurnEvent::Input(UserInput { mail: Some(mail), ..UserInput::meta(text) })
    }

    pub(super) fn no_more_of(&mut self, position: &str) -> Option<TurnEvent> {
        if let Some(table) = &mut self.team {
            table.dealt_with(position);
        }
        None
    }

    /// The message is in the transcript: now it may leave the mailbox (TM-2).
    pub(super) fn mail_recorded(&mut self, mail: &ReceivedMessage, entry: &str) {
        if entry.is_empty() || !self.sync() {
            return;
        }
        if let Some(request_id) = &mail.closes_request {
            self.settled_by_lead(request_id);
        }
        self.no_more_of(&mail.position);
    }

    fn teammate_is(&mut self, name: &str, state: TeammateState) {
        if let Some(table) = &self.team {
            table.seat.set_state(name, state);
            if state == TeammateState::Ended {
                self.team_calls_withdrawn(name, None);
            }
            self.tell_roster();
        }
    }

    fn tell_roster(&mut self) {
        let Some(table) = &self.team else { return };
        let (team, members) = table.seat.list_teammates().unwrap_or_default();
        if members.is_empty() {
            self.withdraw_team_reviews();
            self.withdraw_team_calls();
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
        if let Some(table) = &self.team {
            table.seat.report_state(state, &used);
        }
    }
}
