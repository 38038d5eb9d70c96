//! A session's place in a team: what its tools and the session itself share. Every main session has a seat; there is a team at
//! it once one was made, joined or found again.

use super::join::Card;
use super::process::{self, Running};
use super::record::{Member, Record, folder};
use super::template::Template;
use super::{control, words};
use crate::hooks::Hooks;
use crate::mailbox::{self, MailError, Mailbox};
use cutonce_core::event::Teammate;
use cutonce_core::mail::{
    Content, Desk, Given, Key, LEAD, LeadMode, Message, MessageKind, PlanApprovalResponse, Relayed, TeammateState,
};
use cutonce_core::mode::Mode;
use cutonce_core::submission::{Answer, Submission, TeamNews};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc::{self, UnboundedSender, WeakUnboundedSender};
use tokio_util::sync::CancellationToken;

/// Fails closed: what a host's hooks would deny must not run where they can't be asked.
const HOST_HOOKS: &str = "the host's hooks hold in its own process only, so a teammate can't have a process of its own here; start it without `ownProcess`";

/// A session in a team.
pub(crate) struct Joined {
    pub team: String,
    pub id: String,
    /// Its own name.
    pub me: String,
    pub mailbox: Arc<dyn Mailbox>,
    /// Of a teammate: what the lead said about it.
    pub member: Option<Member>,
    pub others: Vec<String>,
    /// With whom a key is shared: the lead with each member, a member with the lead (under its own name).
    keys: Mutex<BTreeMap<String, Key>>,
}

impl Joined {
    pub(super) fn teammate(team: &str, card: Card, key: Key, mailbox: Arc<dyn Mailbox>) -> Arc<Joined> {
        let me = card.member.name.clone();
        let keys = Mutex::new(BTreeMap::from([(me.clone(), key)]));
        let (id, others) = (card.team_id, card.others);
        Arc::new(Joined { team: team.into(), id, me, mailbox, member: Some(card.member), others, keys })
    }
    pub(crate) fn is_lead(&self) -> bool {
        self.member.is_none()
    }
    /// The key that the lead shares with this member.
    pub fn key(&self, member: &str) -> Option<Key> {
        lock(&self.keys).get(member).cloned()
    }
    /// Sealed, where sender and reader share a key.
    fn sealed(&self, message: Message) -> Message {
        let member = if message.from == LEAD { &message.to } else { &message.from };
        let between = message.from == LEAD || message.to == LEAD;
        match self.key(member).filter(|_| between) {
            Some(key) => key.seal(message),
            None => message,
        }
    }
    pub async fn send(&self, message: Message) -> Result<(), MailError> {
        self.mailbox.send(&self.sealed(message)).await
    }
    pub async fn say(&self, to: &str, text: String, kind: MessageKind) -> Result<(), MailError> {
        self.send(Message { kind, ..words(&self.team, &self.me, to, crate::new_id(), text) }).await
    }
    pub async fn order(&self, to: &str, id: String, content: Content) -> Result<(), MailError> {
        match control(&self.team, &self.me, to, id, content) {
            Some(message) => self.send(message).await,
            None => Err(MailError::Refused("it says nothing".into())),
        }
    }
}

pub(crate) struct Seat {
    pub(crate) template: Template,
    session: Mutex<Option<WeakUnboundedSender<Submission>>>,
    /// The session's: a host's count for teammates, too (HO-7).
    hooks: Mutex<Arc<Hooks>>,
    session_id: String,
    table: Mutex<Option<At>>,
    /// Requests of teammates: answered by the model through its tool, or by the user through the session.
    pub desk: Mutex<Desk>,
    /// Answers of the user on their way: the session does not end before they are sent.
    pub(crate) answering: AtomicUsize,
    /// A teammate's asks that went to the lead.
    pub(crate) relayed: Mutex<Relayed>,
    /// This session's own modes.
    mode: Mutex<LeadMode>,
    /// One at a time: what was published last is what holds.
    publishing: tokio::sync::Mutex<()>,
    /// Of a teammate: what it does now.
    state: Mutex<TeammateState>,
    /// What its lead was told of that last.
    told: tokio::sync::Mutex<Option<TeammateState>>,
}

/// What is at the seat while there is a team.
struct At {
    joined: Arc<Joined>,
    record: Option<Record>,
    running: BTreeMap<String, Running>,
    states: BTreeMap<String, TeammateState>,
    done: UnboundedSender<String>,
    stop: CancellationToken,
}

impl Drop for At {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Seat {
    pub fn new(template: Template, session_id: &str, joined: Option<Arc<Joined>>) -> Arc<Seat> {
        let seat = Seat {
            template,
            session: Mutex::default(),
            hooks: Mutex::default(),
            session_id: session_id.into(),
            table: Mutex::default(),
            desk: Mutex::default(),
            answering: AtomicUsize::new(0),
            relayed: Mutex::default(),
            mode: Mutex::new(LeadMode { mode: Mode::Default, gives: Mode::Default }),
            publishing: tokio::sync::Mutex::default(),
            state: Mutex::new(TeammateState::Working),
            told: tokio::sync::Mutex::default(),
        };
        // Nobody listens yet: see `attach`.
        *lock(&seat.table) = joined.map(|joined| At::new(joined, None, mpsc::unbounded_channel().0));
        Arc::new(seat)
    }

    pub fn joined(&self) -> Option<Arc<Joined>> {
        lock(&self.table).as_ref().map(|at| at.joined.clone())
    }

    /// The session runs: its team's messages come to it from now on.
    pub(crate) fn attach(&self, session: WeakUnboundedSender<Submission>, hooks: Arc<Hooks>) {
        *lock(&self.session) = Some(session);
        *lock(&self.hooks) = hooks;
        let joined = lock(&self.table).take().map(|at| at.joined.clone());
        if let Some(joined) = joined {
            self.sit(joined, None);
        }
    }

    fn sit(&self, joined: Arc<Joined>, record: Option<Record>) {
        let Some(session) = lock(&self.session).clone() else { return };
        let (done, heard) = mpsc::unbounded_channel();
        let at = At::new(joined.clone(), record, done);
        tokio::spawn(super::pump::pump(joined, session, heard, at.stop.clone()));
        *lock(&self.table) = Some(at);
    }

    /// Everything up to here is in the transcript.
    pub(crate) fn done(&self, position: String) {
        if let Some(at) = &*lock(&self.table) {
            let _ = at.done.send(position);
        }
    }

    pub(crate) fn news(&self, news: TeamNews) {
        self.submit(Submission::Team(news));
    }
    /// A session that is over ignores it.
    pub(crate) fn submit(&self, submission: Submission) {
        if let Some(session) = lock(&self.session).as_ref().and_then(WeakUnboundedSender::upgrade) {
            let _ = session.send(submission);
        }
    }

    pub fn mode(&self) -> LeadMode {
        *lock(&self.mode)
    }

    /// The session's mode changed. The members are told; what they are not told of yet can only be a mode that was theirs to
    /// have a moment ago.
    pub(crate) fn set_mode(self: &Arc<Self>, mode: LeadMode) {
        *lock(&self.mode) = mode;
        if self.record().is_some() {
            let seat = self.clone();
            tokio::spawn(async move {
                if let Err(error) = seat.publish().await {
                    seat.news(TeamNews::Trouble { text: format!("The team was not told of the mode: {error}") });
                }
            });
        }
    }

    /// All that members look up: what they are, and what the lead may. Always as of now, so the last one to write is right.
    async fn publish(&self) -> Result<(), MailError> {
        let _turn = self.publishing.lock().await;
        let (Some(joined), Some(record)) = (self.joined(), self.record()) else { return Ok(()) };
        record.publish(&self.template.start.home, &*joined.mailbox, || self.mode()).await
    }

    /// A turn of this teammate began or ended. The lead is told one at a time and always as of now, so that an earlier state never
    /// comes after a later one: a lead that hears «working» last waits for ever.
    pub(crate) fn tell_state(self: &Arc<Self>, state: TeammateState) {
        *lock(&self.state) = state;
        let seat = self.clone();
        tokio::spawn(async move {
            let mut told = seat.told.lock().await;
            let state = *lock(&seat.state);
            let Some(joined) = seat.joined().filter(|_| *told != Some(state)) else { return };
            match joined.order(LEAD, crate::new_id(), Content::TeammateStatus { state }).await {
                Ok(()) => *told = Some(state),
                Err(error) => tracing::warn!("{error}"),
            }
        });
    }

    pub fn record(&self) -> Option<Record> {
        lock(&self.table).as_ref().and_then(|at| at.record.clone())
    }

    pub fn roster(&self) -> Option<(String, Vec<Teammate>)> {
        let table = lock(&self.table);
        let at = table.as_ref()?;
        let record = at.record.as_ref()?;
        let teammate = |member: &Member| Teammate {
            name: member.name.clone(),
            state: at.states.get(&member.name).copied().unwrap_or(TeammateState::Working),
            own_process: member.own_process,
            plan_mode_required: member.plan_mode_required,
        };
        Some((record.name.clone(), record.members.iter().map(teammate).collect()))
    }

    pub(crate) fn set_state(&self, name: &str, state: TeammateState) {
        if let Some(at) = &mut *lock(&self.table) {
            at.states.insert(name.to_string(), state);
        }
    }

    /// Make the team, or add members to it; each finds its task in its mailbox (TM-1).
    pub async fn create(self: &Arc<Self>, team: &str, members: Vec<(Member, String)>) -> Result<(), String> {
        let told = |error: MailError| error.to_string();
        let home = &self.template.start.home;
        let mut record = match self.record() {
            Some(record) if record.name == team => record,
            Some(record) => return Err(format!("you lead the team {} already; TeamDelete ends it", record.name)),
            None => match Record::load(home, team).map_err(told)? {
                Some(record) if record.lead_session == self.session_id => record,
                Some(_) => {
                    return Err(format!("there is a team {team} already, led by another session; choose another name"));
                }
                None => Record {
                    id: crate::new_id(),
                    name: team.into(),
                    lead_session: self.session_id.clone(),
                    members: vec![],
                },
            },
        };
        for (member, _) in &members {
            self.can_start(member)?;
            if record.member(&member.name).is_some() {
                return Err(format!("the team has a member {} already", member.name));
            }
            record.members.push(member.clone());
        }
        record.save(home).map_err(told)?;
        if let Err(error) = self.lead(record.clone()).await {
            self.take_back(&record, &members);
            return Err(error.to_string());
        }
        let Some(joined) = self.joined() else { return Err("the team could not be joined".into()) };
        let mut failed = Vec::new();
        for (member, task) in &members {
            if let Err(why) = self.begin(&joined, member, task).await {
                failed.push(format!("{} could not be started: {why}", member.name));
                self.take_back(&record, std::slice::from_ref(&(member.clone(), String::new())));
            }
        }
        self.news(TeamNews::Changed);
        if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
    }

    async fn begin(&self, joined: &Joined, member: &Member, task: &str) -> Result<(), String> {
        let said = joined.say(&member.name, task.to_string(), MessageKind::Words).await;
        said.map_err(|error| error.to_string())?;
        self.start(&joined.team, member).await
    }

    /// These could not be had: nothing of them stays, and a team of nobody is none.
    fn take_back(&self, record: &Record, members: &[(Member, String)]) {
        let home = &self.template.start.home;
        let mut left = self.record().unwrap_or_else(|| record.clone());
        left.members.retain(|member| !members.iter().any(|(gone, _)| gone.name == member.name));
        let done = if left.members.is_empty() { left.remove(home) } else { left.save(home) };
        done.unwrap_or_else(|error| tracing::warn!("{error}"));
        let mut table = lock(&self.table);
        match left.members.is_empty() {
            true => *table = None,
            false => table.iter_mut().for_each(|at| at.record = Some(left.clone())),
        }
    }

    /// Take the lead: mailbox, keys, and what members look up.
    async fn lead(self: &Arc<Self>, record: Record) -> Result<(), MailError> {
        let home = &self.template.start.home;
        let keys = record.members.iter().map(|member| Ok((member.name.clone(), record.key(home, &member.name)?)));
        let keys: BTreeMap<String, Key> = keys.collect::<Result<_, MailError>>()?;
        match self.joined() {
            Some(joined) => {
                *lock(&joined.keys) = keys;
                if let Some(at) = &mut *lock(&self.table) {
                    at.record = Some(record);
                }
            }
            None => {
                let folder = folder(home, &record.name).unwrap_or_default();
                let mailbox = mailbox::open(self.template.mailbox.as_deref(), &folder, &record.name).await?;
                let (team, id) = (record.name.clone(), record.id.clone());
                let (me, keys) = (LEAD.to_string(), Mutex::new(keys));
                let joined = Joined { team, id, me, mailbox, member: None, others: Vec::new(), keys };
                self.sit(Arc::new(joined), Some(record));
            }
        }
        self.publish().await
    }

    fn can_start(&self, member: &Member) -> Result<(), String> {
        let program = member.own_process && !member.started_by_user;
        match program && !lock(&self.hooks).of_hosts().is_empty() {
            true => Err(HOST_HOOKS.into()),
            false => Ok(()),
        }
    }

    async fn start(&self, team: &str, member: &Member) -> Result<(), String> {
        if member.started_by_user {
            self.set_state(&member.name, TeammateState::Idle);
            return Ok(());
        }
        let Some(lead) = lock(&self.session).clone() else { return Err("the session is over".into()) };
        self.can_start(member)?;
        // Before it runs: it may be idle again before this returns.
        self.set_state(&member.name, TeammateState::Working);
        let running = match member.own_process {
            true => process::program(&self.template, team, member, lead)?,
            false => {
                let hooks = lock(&self.hooks).of_hosts();
                process::here(self.template.here(team, member, hooks), member, lead).await?
            }
        };
        if let Some(at) = &mut *lock(&self.table) {
            at.running.insert(member.name.clone(), running);
        }
        Ok(())
    }

    /// The session was resumed: it leads again, and its members go on (TM-2).
    pub(crate) fn resume(self: &Arc<Self>, record: Record) {
        let seat = self.clone();
        tokio::spawn(async move {
            let members = record.members.clone();
            let team = record.name.clone();
            if let Err(error) = seat.lead(record).await {
                return seat.news(TeamNews::Trouble { text: format!("The team {team} can't be led again: {error}") });
            }
            for member in members {
                if let Err(why) = seat.start(&team, &member).await {
                    let text = format!("The teammate {} could not be started: {why}", member.name);
                    seat.news(TeamNews::Trouble { text });
                }
            }
            seat.news(TeamNews::Changed);
        });
    }

    /// The team is over: everybody ends, mailboxes go, transcripts stay.
    pub async fn delete(&self) -> Result<String, String> {
        let (Some(joined), Some(record)) = (self.joined(), self.record()) else {
            return Err("there is no team".into());
        };
        for member in &record.members {
            let order = joined.order(&member.name, crate::new_id(), Content::Shutdown).await;
            order.map_err(|error| error.to_string())?;
        }
        let running = lock(&self.table).as_mut().map(|at| std::mem::take(&mut at.running)).unwrap_or_default();
        for running in running.values() {
            running.end().await;
        }
        *lock(&self.table) = None;
        *lock(&self.desk) = Desk::default();
        joined.mailbox.remove().await.map_err(|error| error.to_string())?;
        record.remove(&self.template.start.home).map_err(|error| error.to_string())?;
        self.news(TeamNews::Changed);
        Ok(record.name)
    }

    /// The session is over; its teammates with it, until it is resumed.
    pub(crate) async fn rest(&self) {
        let running = lock(&self.table).as_mut().map(|at| std::mem::take(&mut at.running)).unwrap_or_default();
        futures_util::future::join_all(running.values().map(Running::rest)).await;
    }

    /// Answer a teammate's plan (PM-132, PM-134). The session is told when the answer is in the teammate's mailbox; until then
    /// a crash leaves the request open.
    pub async fn answer(&self, by: Given, response: PlanApprovalResponse, answer: Answer) -> Result<String, String> {
        let Some(joined) = self.joined() else { return Err("there is no team".into()) };
        let (request, response) = lock(&self.desk).answer(by, self.mode(), response)?;
        let approved = response.approved;
        let id = format!("answer-{}", request.request_id);
        match joined.order(&request.from, id, Content::PlanApprovalResponse(response)).await {
            Ok(()) => {
                let (request_id, from) = (request.request_id, request.from);
                self.news(TeamNews::Answered { request_id, from: from.clone(), by, answer, approved });
                Ok(from)
            }
            Err(error) => {
                let why = error.to_string();
                self.news(TeamNews::NotAnswered { request: Box::new(request), why: why.clone() });
                Err(why)
            }
        }
    }
}

impl At {
    fn new(joined: Arc<Joined>, record: Option<Record>, done: UnboundedSender<String>) -> At {
        At { joined, record, running: BTreeMap::new(), states: BTreeMap::new(), done, stop: CancellationToken::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn tm_1_a_lead_never_hears_an_earlier_state_after_a_later_one() {
        let folder = tempfile::tempdir().unwrap();
        let mailbox = mailbox::open(None, folder.path(), "red").await.unwrap();
        let [team, id, me] = ["red", "t-1", "ann"].map(String::from);
        let (others, keys) = (Vec::new(), Mutex::default());
        let joined = Arc::new(Joined { team, id, me, mailbox: mailbox.clone(), member: None, others, keys });
        let seat = Seat::new(Template::default(), "s-1", Some(joined.clone()));
        for _ in 0..50 {
            seat.tell_state(TeammateState::Working);
            seat.tell_state(TeammateState::Idle);
        }
        seat.tell_state(TeammateState::Ended);
        let mut lead = mailbox.read(LEAD).await.unwrap();
        let state = |message: &Message| match cutonce_core::mail::content(message) {
            Content::TeammateStatus { state } => Some(state),
            _ => None,
        };
        while state(&lead.next().await.unwrap().message) != Some(TeammateState::Ended) {}
        joined.say(LEAD, "that was all".into(), MessageKind::Words).await.unwrap();
        assert_eq!(state(&lead.next().await.unwrap().message), None, "something came after the end");
    }
}
