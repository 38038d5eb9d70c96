//! The team in the session (TM-1, TM-2): a message joins the conversation at the next request or starts a turn, and its mailbox
//! is told only when it is in the transcript. Plans between lead and teammate are in `team_plan`.

use super::{Driver, Hall};
use crate::team::{Joined, Past, Seat, seat_desk};
use cutonce_core::conversation::{self, Block};
use cutonce_core::event::{EventKind, Level, TeamEvent};
use cutonce_core::mail::{
    self, Content, Delivered, LEAD, LeadMode, Message, MessageKind, TeammateState, Waiting, Wanted,
};
use cutonce_core::mode::{self, Mode};
use cutonce_core::submission::{By, Submission, TeamNews};
use cutonce_core::turn::{Happened, Said};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What a session is opened with.
pub(crate) struct TeamStart {
    pub(crate) seat: Arc<Seat>,
    pub past: Past,
    /// The team that this session led before.
    pub record: Option<crate::team::Record>,
}

/// What the session itself knows of its team.
pub(super) struct Table {
    pub(crate) seat: Arc<Seat>,
    pub waiting: Waiting,
    /// Messages that are in the transcript, or on their way into it.
    seen: HashSet<String>,
    /// Requests that have their answer.
    pub settled: HashSet<String>,
    /// Calls of teammates that wait for the user's word.
    pub wanted: Wanted,
    /// Messages in the order they came: position, and is it dealt with?
    arrived: VecDeque<(String, bool)>,
    /// The lead's answer is being carried out: it may lead out of plan mode.
    pub(crate) lead_answers: bool,
    record: Option<crate::team::Record>,
}

impl Table {
    pub(super) fn new(start: TeamStart) -> Table {
        let TeamStart { seat, past, record } = start;
        *seat_desk(&seat) = past.desk;
        let (waiting, seen, settled, wanted) = (past.waiting, past.seen, past.settled, past.wanted);
        Table { seat, waiting, seen, settled, wanted, arrived: VecDeque::new(), lead_answers: false, record }
    }

    /// Everything before the first message that is not dealt with is done.
    fn dealt_with(&mut self, position: &str) {
        if let Some(entry) = self.arrived.iter_mut().find(|(at, dealt)| at == position && !dealt) {
            entry.1 = true;
        }
        let mut last = None;
        while self.arrived.front().is_some_and(|(_, dealt)| *dealt) {
            last = self.arrived.pop_front();
        }
        if let Some((position, _)) = last {
            self.seat.done(position);
        }
    }
}

/// What a teammate that was cut off is told.
const GO_ON: &str = "The program was restarted in the middle of your work. Look at what is done, and go on.";

impl Driver {
    /// The session is open: a lead leads again, a teammate that was cut off goes on (TM-2).
    pub(super) fn team_opened(&mut self) {
        let Some(table) = &mut self.hall.team else { return };
        if let Some(record) = table.record.take() {
            table.seat.resume(record);
        }
        self.hall.tell_mode();
        self.hall.show_requests();
        self.hall.show_team_calls();
        self.hall.relay_asks();
        let cut_off = self.cut_off();
        if self.hall.waits_for_lead() {
            self.hall.ask_lead_again();
        } else if cut_off {
            self.hall.pending.push_back(Happened::Said(Said::meta(GO_ON)));
        } else if !self.talk.conversation.is_empty() {
            self.hall.team_state(false);
        }
    }
}

impl Driver {
    /// Did the program end while a turn ran? A teammate then goes on by itself; a lead only where a message of its team waits
    /// for an answer: the rest is for its user to say.
    fn cut_off(&self) -> bool {
        use conversation::Message::{Assistant, Tool, User};
        let mail = |block: &Block| matches!(block, Block::Text { text } if text.starts_with(mail::OPENING));
        match self.talk.conversation.last().map(|message| &**message) {
            Some(User { content }) => self.hall.is_teammate() || content.iter().any(mail),
            Some(Tool(_)) => self.hall.is_teammate(),
            Some(Assistant { .. }) | None => false,
        }
    }
}

impl Hall {
    pub(super) fn joined(&self) -> Option<Arc<Joined>> {
        self.team.as_ref().and_then(|table| table.seat.joined())
    }
    pub(super) fn is_teammate(&self) -> bool {
        self.joined().is_some_and(|joined| !joined.is_lead())
    }
    pub(super) fn waits_for_lead(&self) -> bool {
        let open = self.team.as_ref().is_some_and(|table| table.waiting.open().is_some());
        open && self.is_teammate() && (self.mode.in_plan() || self.must_plan())
    }
    /// Teammates still work: a lead that is to end waits for what they will say.
    pub(super) fn team_works(&self) -> bool {
        let Some(table) = &self.team else { return false };
        if table.seat.answering.load(Ordering::Relaxed) > 0 {
            return true;
        }
        table
            .seat
            .roster()
            .is_some_and(|(_, members)| members.iter().any(|member| member.state == TeammateState::Working))
    }

    /// The session is over: nothing that works for it is cut off in the middle.
    pub(super) async fn team_rests(&self) {
        if let Some(table) = &self.team {
            table.seat.rest().await;
        }
    }

    pub(super) fn team_news(&mut self, news: TeamNews) -> Option<Happened> {
        match news {
            TeamNews::Mail { message, position, lead } => return self.mail(*message, position, lead),
            TeamNews::Answered { request_id, from, by, answer, approved } => {
                self.request_answered(&request_id, &from, by, answer, approved);
            }
            TeamNews::NotAnswered { request, why } => self.request_not_answered(*request, &why),
            TeamNews::PermissionAnswered { request_id, answer, sent } => {
                self.team_call_settled(&request_id, answer, sent);
            }
            TeamNews::State { name, state } => self.teammate_is(&name, state),
            TeamNews::Changed => {
                self.tell_roster();
                self.refuse_team_calls();
            }
            TeamNews::Trouble { text } => self.notice(Level::Warning, &text),
        }
        None
    }

    /// A message came. What is not authentic, or was here before, is done with at once.
    fn mail(&mut self, message: Message, position: String, lead: Option<LeadMode>) -> Option<Happened> {
        let joined = self.joined()?;
        let table = self.team.as_mut()?;
        table.arrived.push_back((position.clone(), false));
        if table.seen.contains(&message.id) {
            table.dealt_with(&position);
            return None;
        }
        let key = joined.key(if joined.is_lead() { &message.from } else { &joined.me });
        if let Err(why) = mail::authentic(&joined.team, &joined.me, &message, |_| key.as_ref()) {
            let from = cutonce_core::harmless::harmless(&message.from).into_owned();
            self.notice(Level::Warning, &format!("A message as from {from} was not believed: {why}."));
            return self.no_more_of(&position);
        }
        match mail::content(&message) {
            Content::Words => {
                self.plan_with_lead(&message);
                Some(self.joins(&message, &position, mail::shown(&message), None))
            }
            Content::PlanApprovalRequest(request) if joined.is_lead() => self.requested(&message, &position, request),
            Content::PlanApprovalResponse(response) if !joined.is_lead() => {
                self.lead_answered(&message, &position, response, lead)
            }
            Content::PermissionRequest(request) if joined.is_lead() => self.call_requested(&position, *request),
            Content::PermissionWithdrawn { request_id } if joined.is_lead() => {
                self.team_calls_withdrawn(&message.from, request_id.as_deref());
                self.no_more_of(&position)
            }
            Content::PermissionResponse(response) if !joined.is_lead() => {
                self.lead_allowed(message.from == LEAD, response);
                self.no_more_of(&position)
            }
            Content::TeammateStatus { state } if joined.is_lead() => {
                self.teammate_is(&message.from, state);
                self.no_more_of(&position)
            }
            Content::Shutdown if !joined.is_lead() => {
                self.no_more_of(&position);
                self.closing = true;
                // As from a person: it stops whatever is on.
                self.team.iter().for_each(|table| table.seat.submit(Submission::Interrupt));
                None
            }
            Content::PlanApprovalRequest(_)
            | Content::PlanApprovalResponse(_)
            | Content::PermissionRequest(_)
            | Content::PermissionResponse(_)
            | Content::PermissionWithdrawn { .. }
            | Content::TeammateStatus { .. }
            | Content::Shutdown => {
                self.notice(
                    Level::Warning,
                    &format!("A message of {} made no sense here and was ignored.", message.from),
                );
                self.no_more_of(&position)
            }
            Content::Broken { why } => {
                self.notice(Level::Warning, &format!("A message of {} could not be read: {why}.", message.from));
                self.no_more_of(&position)
            }
        }
    }

    /// PM-2: a lead that plans changes nothing through its teammates. The way out is that of PM-133.
    fn plan_with_lead(&mut self, message: &Message) {
        if message.kind == MessageKind::PlanningWords && message.from == LEAD && !self.mode.in_plan() {
            self.mode_event(mode::Event::Set { to: Mode::Plan, by: By::Host });
        }
    }

    /// It goes into the conversation as soon as it can.
    pub(super) fn joins(
        &mut self,
        message: &Message,
        position: &str,
        text: String,
        settles: Option<String>,
    ) -> Happened {
        if let Some(table) = &mut self.team {
            table.seen.insert(message.id.clone());
        }
        let (from, to) = (message.from.clone(), message.to.clone());
        self.hub.emit(EventKind::Team(TeamEvent::Message { from, to, text: mail::told(message) }));
        let mail = Delivered { id: message.id.clone(), position: position.into(), settles };
        Happened::Said(Said { mail: Some(mail), ..Said::meta(text) })
    }

    pub(super) fn no_more_of(&mut self, position: &str) -> Option<Happened> {
        if let Some(table) = &mut self.team {
            table.dealt_with(position);
        }
        None
    }

    /// The message is in the transcript: only now it may leave the mailbox (TM-2).
    pub(super) fn mail_recorded(&mut self, mail: &Delivered, entry: &str) {
        if entry.is_empty() || !self.sync() {
            return;
        }
        if let Some(request_id) = &mail.settles {
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
        let (team, members) = table.seat.roster().unwrap_or_default();
        if members.is_empty() {
            self.withdraw_team_plans();
            self.withdraw_team_calls();
        }
        self.hub.emit(EventKind::Team(TeamEvent::Roster { team, members }));
    }

    /// A turn began or ended: the lead of a teammate is told what it does.
    pub(super) fn team_state(&mut self, working: bool) {
        if !self.is_teammate() {
            return;
        }
        let state = match (working, self.waits_for_lead()) {
            (true, _) => TeammateState::Working,
            (false, true) => TeammateState::AwaitingApproval,
            (false, false) => TeammateState::Idle,
        };
        if let Some(table) = &self.team {
            table.seat.tell_state(state);
        }
    }

    /// What teammates may have depends on the lead's mode (PM-132, PM-133).
    pub(super) fn tell_mode(&self) {
        if let Some(table) = &self.team {
            let mode = self.mode.mode();
            let gives = if mode == Mode::Plan { self.mode.way_back().0 } else { mode };
            table.seat.set_mode(LeadMode { mode, gives });
        }
    }

    /// A teammate that must plan leaves plan mode by its lead's answer only (PM-131).
    pub(super) fn held_by_lead(&self, event: &mode::Event) -> bool {
        let leaves = match event {
            mode::Event::Set { to, .. } => *to != Mode::Plan,
            mode::Event::Cycle | mode::Event::Leave { .. } | mode::Event::Approved { .. } => true,
            mode::Event::HumanTurn
            | mode::Event::ReminderSent(_)
            | mode::Event::Compacted
            | mode::Event::Cleared
            | mode::Event::AutoChanged(_)
            | mode::Event::Resumed(_)
            | mode::Event::Named(_) => false,
        };
        let free = self.team.as_ref().is_none_or(|table| table.lead_answers);
        leaves && !free && self.mode.in_plan() && self.must_plan()
    }

    pub(super) fn must_plan(&self) -> bool {
        let joined = self.joined();
        joined.as_ref().and_then(|joined| joined.member.as_ref()).is_some_and(|member| member.plan_mode_required)
    }
}
