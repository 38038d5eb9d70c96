//! A session's handle on its team, shared by the session and its tools. Every main session has one; it is empty until
//! a team is created, joined or resumed.

use super::join::TeammateConfig;
use super::record::{Member, TeamRecord, team_folder};
use super::teammate_process::{self, RunningTeammate};
use super::teammate_template::TeammateTemplate;
use super::{TeamError, text_message};
use crate::hooks::HookSet;
use crate::team::mailbox::{self, MailError, Mailbox};
use cutonce_core::mode::Mode;
use cutonce_core::protocol::event::Teammate;
use cutonce_core::protocol::submission::{Submission, TeamUpdate};
use cutonce_core::protocol::usage_totals::UsageTotals;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::team::{
    ControlMessage, LEAD_NAME, LeadMode, LeadScope, MessageKind, PendingRequests, RelayedAsks, TeamKey, TeamMessage,
    TeammateState, WorkEvidence,
};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::{self, UnboundedSender, WeakUnboundedSender};
use tokio_util::sync::CancellationToken;

/// Pauses before a report to the lead is sent again.
const FIRST_RETRY: Duration = Duration::from_millis(200);
const LONGEST_RETRY: Duration = Duration::from_secs(30);

/// Fails closed: hooks of a host can't run in another process, so calls they would deny must not run there.
const HOST_HOOKS: &str = "the host's hooks only work in its own process, so a teammate can't run in a separate process here; start it without `ownProcess`";

/// A session's membership in a team.
pub(crate) struct Membership {
    pub team: String,
    pub id: String,
    /// The session's own member name.
    pub me: String,
    pub mailbox: Arc<dyn Mailbox>,
    /// Teammate: its configuration from the lead. `None` for the lead.
    pub member: Option<Member>,
    pub others: Vec<String>,
    /// Teammate: the lead's scope when it joined (PC-23).
    pub scope: Option<LeadScope>,
    /// Shared keys: the lead shares one with each member; a member stores its own under its name.
    keys: Mutex<BTreeMap<String, TeamKey>>,
}

impl Membership {
    pub(super) fn for_teammate(
        team: &str,
        card: TeammateConfig,
        key: TeamKey,
        mailbox: Arc<dyn Mailbox>,
    ) -> Arc<Membership> {
        let me = card.member.name.clone();
        let keys = Mutex::new(BTreeMap::from([(me.clone(), key)]));
        let (id, others, scope) = (card.team_id, card.others, card.scope);
        Arc::new(Membership { team: team.into(), id, me, mailbox, member: Some(card.member), others, scope, keys })
    }
    pub(crate) fn is_lead(&self) -> bool {
        self.member.is_none()
    }
    /// The key that the lead shares with this member.
    pub fn member_key(&self, member: &str) -> Option<TeamKey> {
        self.keys.lock_unpoisoned().get(member).cloned()
    }
    /// Seals the message if sender and receiver share a key.
    fn seal(&self, message: TeamMessage) -> TeamMessage {
        let member = if message.from == LEAD_NAME { &message.to } else { &message.from };
        let between = message.from == LEAD_NAME || message.to == LEAD_NAME;
        match self.member_key(member).filter(|_| between) {
            Some(key) => key.seal(message),
            None => message,
        }
    }
    pub async fn send(&self, message: TeamMessage) -> Result<(), MailError> {
        self.mailbox.send(&self.seal(message)).await
    }
    pub async fn send_text(&self, to: &str, text: String, kind: MessageKind) -> Result<(), MailError> {
        self.send(TeamMessage { kind, ..text_message(&self.team, &self.me, to, crate::new_id(), text) }).await
    }
    pub async fn send_control(&self, to: &str, id: String, control: ControlMessage) -> Result<(), MailError> {
        let text = control.to_text().map_err(|error| MailError::Refused(error.to_string()))?;
        let kind = MessageKind::Control;
        self.send(TeamMessage { kind, ..text_message(&self.team, &self.me, to, id, text) }).await
    }
}

pub(crate) struct TeamHandle {
    pub(crate) template: TeammateTemplate,
    session: Mutex<Option<WeakUnboundedSender<Submission>>>,
    /// The session's hooks; those of a host also apply to teammates (HO-7).
    hooks: Mutex<Arc<HookSet>>,
    session_id: String,
    state: Mutex<Option<TeamState>>,
    /// Requests of teammates: the user answers them, and the model's tool those about plans.
    pub requests: Mutex<PendingRequests>,
    /// Number of user answers being sent; the session waits for them before it ends.
    pub(crate) answering: AtomicUsize,
    /// A teammate's asks that were relayed to the lead.
    pub(crate) relayed: Mutex<RelayedAsks>,
    /// This session's own mode.
    mode: Mutex<LeadMode>,
    /// The lead's scope, and the one that was sent to the members last (PC-23).
    scope: Mutex<Option<LeadScope>>,
    told_scope: tokio::sync::Mutex<Option<LeadScope>>,
    /// Teammate: evidence for the lead's plan that was not sent yet, oldest first.
    evidence: Mutex<Vec<WorkEvidence>>,
    sending: tokio::sync::Mutex<()>,
    /// Serializes publishing, so that the latest state is published last.
    publishing: tokio::sync::Mutex<()>,
    /// Teammate: its current state.
    teammate_state: Mutex<TeammateState>,
    /// What this teammate used and its lead does not know yet.
    unreported_usage: Mutex<UsageTotals>,
    /// Teammate: the state last sent to the lead.
    reported_state: tokio::sync::Mutex<Option<TeammateState>>,
}

/// State that exists while there is a team.
struct TeamState {
    membership: Arc<Membership>,
    record: Option<TeamRecord>,
    running: BTreeMap<String, RunningTeammate>,
    states: BTreeMap<String, TeammateState>,
    done: UnboundedSender<String>,
    stop: CancellationToken,
}

impl Drop for TeamState {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl TeamHandle {
    pub fn new(template: TeammateTemplate, session_id: &str, joined: Option<Arc<Membership>>) -> Arc<TeamHandle> {
        let handle = TeamHandle {
            template,
            session: Mutex::default(),
            hooks: Mutex::default(),
            session_id: session_id.into(),
            state: Mutex::default(),
            requests: Mutex::default(),
            answering: AtomicUsize::new(0),
            relayed: Mutex::default(),
            mode: Mutex::new(LeadMode { mode: Mode::Default, gives: Mode::Default }),
            scope: Mutex::default(),
            told_scope: tokio::sync::Mutex::default(),
            evidence: Mutex::default(),
            sending: tokio::sync::Mutex::default(),
            publishing: tokio::sync::Mutex::default(),
            teammate_state: Mutex::new(TeammateState::Working),
            unreported_usage: Mutex::default(),
            reported_state: tokio::sync::Mutex::default(),
        };
        // The receiver is dropped: `attach` creates the real channel.
        *handle.state.lock_unpoisoned() =
            joined.map(|joined| TeamState::new(joined, None, mpsc::unbounded_channel().0));
        Arc::new(handle)
    }

    pub fn membership(&self) -> Option<Arc<Membership>> {
        self.state.lock_unpoisoned().as_ref().map(|at| at.membership.clone())
    }

    /// Connects the running session, which receives the team's messages from now on.
    pub(crate) fn attach(&self, session: WeakUnboundedSender<Submission>, hooks: Arc<HookSet>) {
        *self.session.lock_unpoisoned() = Some(session);
        *self.hooks.lock_unpoisoned() = hooks;
        let joined = self.state.lock_unpoisoned().take().map(|at| at.membership.clone());
        if let Some(joined) = joined {
            self.start_forwarding(joined, None);
        }
    }

    fn start_forwarding(&self, joined: Arc<Membership>, record: Option<TeamRecord>) {
        let Some(session) = self.session.lock_unpoisoned().clone() else { return };
        let (done, heard) = mpsc::unbounded_channel();
        let at = TeamState::new(joined.clone(), record, done);
        tokio::spawn(super::message_forwarding::forward_messages(joined, session, heard, at.stop.clone()));
        *self.state.lock_unpoisoned() = Some(at);
    }

    /// Everything up to this position is in the transcript.
    pub(crate) fn mark_done(&self, position: String) {
        if let Some(at) = &*self.state.lock_unpoisoned() {
            let _ = at.done.send(position);
        }
    }

    pub(crate) fn send_news(&self, news: TeamUpdate) {
        self.submit(Submission::Team(news));
    }
    /// Sends a submission to the session; ignored if it has ended.
    pub(crate) fn submit(&self, submission: Submission) {
        if let Some(session) = self.session.lock_unpoisoned().as_ref().and_then(WeakUnboundedSender::upgrade) {
            let _ = session.send(submission);
        }
    }

    pub fn mode(&self) -> LeadMode {
        *self.mode.lock_unpoisoned()
    }

    /// Sets the session's mode and publishes it to the members. Until then they may only use a mode that was allowed
    /// a moment ago.
    pub(crate) fn set_mode(self: &Arc<Self>, mode: LeadMode) {
        *self.mode.lock_unpoisoned() = mode;
        if self.record().is_some() {
            let handle = self.clone();
            tokio::spawn(async move {
                if let Err(error) = handle.publish().await {
                    handle.send_news(TeamUpdate::Problem {
                        text: format!("Could not publish the mode to the team: {error}"),
                    });
                }
            });
        }
    }

    /// Publishes the current member data and mode. The last writer is always right.
    async fn publish(&self) -> Result<(), MailError> {
        let _turn = self.publishing.lock().await;
        let (Some(joined), Some(record)) = (self.membership(), self.record()) else { return Ok(()) };
        let scope = self.scope.lock_unpoisoned().clone();
        record.publish(&self.template.config.dirs.home, &*joined.mailbox, || self.mode(), scope.as_ref()).await
    }

    /// Sets the scope of the lead's plan and shares it with the members (PC-23).
    pub(crate) fn set_scope(self: &Arc<Self>, scope: Option<LeadScope>) {
        let before = std::mem::replace(&mut *self.scope.lock_unpoisoned(), scope.clone());
        if before == scope || self.record().is_none() {
            return;
        }
        let handle = self.clone();
        tokio::spawn(async move {
            if let Err(error) = handle.share_scope().await {
                let text = format!("Could not share the scope with the team: {error}");
                handle.send_news(TeamUpdate::Problem { text });
            }
        });
    }

    /// Shares the scope unless the members know it. A message that follows reaches them after it.
    pub(crate) async fn share_scope(&self) -> Result<(), MailError> {
        let mut told = self.told_scope.lock().await;
        let scope = self.scope.lock_unpoisoned().clone();
        let (Some(joined), Some(record)) = (self.membership(), self.record()) else { return Ok(()) };
        if *told == scope {
            return Ok(());
        }
        self.publish().await?;
        for member in &record.members {
            let content = ControlMessage::LeadScope { scope: scope.clone() };
            joined.send_control(&member.name, crate::new_id(), content).await?;
        }
        *told = scope;
        Ok(())
    }

    /// Reports evidence of a teammate to the lead, in order.
    pub(crate) fn report_evidence(self: &Arc<Self>, evidence: WorkEvidence) {
        self.evidence.lock_unpoisoned().push(evidence);
        let handle = self.clone();
        tokio::spawn(async move { handle.send_evidence().await });
    }

    /// False if some of it has to be sent again.
    async fn send_evidence(&self) -> bool {
        let _turn = self.sending.lock().await;
        let evidence = std::mem::take(&mut *self.evidence.lock_unpoisoned());
        let Some(joined) = self.membership().filter(|_| !evidence.is_empty()) else { return true };
        let mut unsent = evidence.into_iter();
        while let Some(evidence) = unsent.next() {
            let content = ControlMessage::WorkEvidence { evidence: Box::new(evidence.clone()) };
            if let Err(error) = joined.send_control(LEAD_NAME, crate::new_id(), content).await {
                tracing::warn!("{error}");
                // The next report of the state sends the rest first.
                self.evidence.lock_unpoisoned().splice(0..0, std::iter::once(evidence).chain(unsent));
                return false;
            }
        }
        true
    }

    /// Reports a teammate's state to the lead, one report at a time and always the current state. An outdated
    /// "working" would make the lead wait forever.
    pub(crate) fn report_state(self: &Arc<Self>, state: TeammateState, used: &UsageTotals) {
        *self.teammate_state.lock_unpoisoned() = state;
        self.unreported_usage.lock_unpoisoned().add_all(used);
        let handle = self.clone();
        tokio::spawn(async move {
            let mut pause = FIRST_RETRY;
            // A full mailbox has room again later. A lead that reads «idle» has the evidence of the work before.
            while !(handle.send_evidence().await && handle.send_state().await) {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_RETRY);
            }
        });
    }

    /// False if the state has to be sent again.
    async fn send_state(&self) -> bool {
        let mut reported = self.reported_state.lock().await;
        let state = *self.teammate_state.lock_unpoisoned();
        let used = std::mem::take(&mut *self.unreported_usage.lock_unpoisoned());
        let is_news = *reported != Some(state) || used != UsageTotals::default();
        let Some(joined) = self.membership().filter(|_| is_news) else { return true };
        let status = ControlMessage::TeammateStatus { state, used: used.clone() };
        let sent = joined.send_control(LEAD_NAME, crate::new_id(), status).await;
        match &sent {
            Ok(()) => *reported = Some(state),
            Err(error) => {
                self.unreported_usage.lock_unpoisoned().add_all(&used);
                tracing::warn!("{error}");
            }
        }
        sent.is_ok()
    }

    pub fn record(&self) -> Option<TeamRecord> {
        self.state.lock_unpoisoned().as_ref().and_then(|at| at.record.clone())
    }

    pub fn list_teammates(&self) -> Option<(String, Vec<Teammate>)> {
        let table = self.state.lock_unpoisoned();
        let at = table.as_ref()?;
        let record = at.record.as_ref()?;
        let teammate = |member: &Member| Teammate {
            name: member.name.clone(),
            state: at.states.get(&member.name).copied().unwrap_or(TeammateState::Working),
            own_process: member.own_process,
            planning_required: member.planning_required,
        };
        Some((record.name.clone(), record.members.iter().map(teammate).collect()))
    }

    pub(crate) fn set_state(&self, name: &str, state: TeammateState) {
        if let Some(at) = &mut *self.state.lock_unpoisoned() {
            at.states.insert(name.to_string(), state);
        }
    }

    /// Creates the team or adds members. Each finds its task in its mailbox (TM-1).
    pub async fn create_team(self: &Arc<Self>, team: &str, members: Vec<(Member, String)>) -> Result<(), TeamError> {
        let home = &self.template.config.dirs.home;
        let mut record = match self.record() {
            Some(record) if record.name == team => record,
            Some(record) => {
                return Err(format!("you already lead the team {}; end it with TeamDelete first", record.name).into());
            }
            None => match TeamRecord::load(home, team)? {
                Some(record) if record.lead_session == self.session_id => record,
                Some(_) => {
                    return Err(format!(
                        "the team {team} already exists and is led by another session; choose another name"
                    )
                    .into());
                }
                None => TeamRecord {
                    id: crate::new_id(),
                    name: team.into(),
                    lead_session: self.session_id.clone(),
                    members: vec![],
                    pending_tasks: BTreeMap::new(),
                },
            },
        };
        for (member, task) in &members {
            self.check_can_start(member)?;
            if record.member(&member.name).is_some() {
                return Err(format!("the team already has a member {}", member.name).into());
            }
            record.members.push(member.clone());
            record.pending_tasks.insert(member.name.clone(), task.clone());
        }
        // One durable step: whatever is interrupted from here on, a resumed lead completes it.
        record.save(home)?;
        if let Err(error) = self.become_lead(record.clone()).await {
            self.remove_members(&record, &members);
            return Err(error.into());
        }
        let Some(joined) = self.membership() else { return Err("the team could not be joined".into()) };
        let mut failed = Vec::new();
        for (member, _) in &members {
            if let Err(why) = self.start_with_task(&joined, member).await {
                failed.push(format!("could not start {}: {why}", member.name));
                self.remove_members(&record, std::slice::from_ref(&(member.clone(), String::new())));
            }
        }
        self.send_news(TeamUpdate::Changed);
        if failed.is_empty() { Ok(()) } else { Err(failed.join("; ").into()) }
    }

    /// Starts a member. A task that may not be in its mailbox yet is sent first.
    async fn start_with_task(&self, joined: &Membership, member: &Member) -> Result<(), TeamError> {
        if let Some(record) = self.record()
            && let Some(task) = record.pending_tasks.get(&member.name)
        {
            let id = record.task_message_id(&member.name);
            joined.send(text_message(&joined.team, &joined.me, &member.name, id, task.clone())).await?;
            self.task_sent(&member.name)?;
        }
        self.start_teammate(&joined.team, member).await
    }

    fn task_sent(&self, member: &str) -> Result<(), MailError> {
        let mut table = self.state.lock_unpoisoned();
        let Some(record) = table.as_mut().and_then(|at| at.record.as_mut()) else { return Ok(()) };
        record.pending_tasks.remove(member);
        record.save(&self.template.config.dirs.home)
    }

    /// Removes members that could not be started, and the team if none is left.
    fn remove_members(&self, record: &TeamRecord, members: &[(Member, String)]) {
        let home = &self.template.config.dirs.home;
        let mut left = self.record().unwrap_or_else(|| record.clone());
        left.members.retain(|member| !members.iter().any(|(gone, _)| gone.name == member.name));
        left.pending_tasks.retain(|name, _| !members.iter().any(|(gone, _)| gone.name == *name));
        let done = if left.members.is_empty() { left.remove(home) } else { left.save(home) };
        done.unwrap_or_else(|error| tracing::warn!("{error}"));
        let mut table = self.state.lock_unpoisoned();
        match left.members.is_empty() {
            true => *table = None,
            false => table.iter_mut().for_each(|at| at.record = Some(left.clone())),
        }
    }

    /// Becomes the lead: opens the mailbox, creates keys and publishes member data.
    async fn become_lead(self: &Arc<Self>, record: TeamRecord) -> Result<(), MailError> {
        let home = &self.template.config.dirs.home;
        let keys =
            record.members.iter().map(|member| Ok((member.name.clone(), record.member_key(home, &member.name)?)));
        let keys: BTreeMap<String, TeamKey> = keys.collect::<Result<_, MailError>>()?;
        match self.membership() {
            Some(joined) => {
                *joined.keys.lock_unpoisoned() = keys;
                if let Some(at) = &mut *self.state.lock_unpoisoned() {
                    at.record = Some(record);
                }
            }
            None => {
                let folder = team_folder(home, &record.name).unwrap_or_default();
                let mailbox = mailbox::open_mailbox(self.template.mailbox.as_deref(), &folder, &record.name).await?;
                let (team, id) = (record.name.clone(), record.id.clone());
                let (me, keys) = (LEAD_NAME.to_string(), Mutex::new(keys));
                let (others, scope) = (Vec::new(), None);
                let joined = Membership { team, id, me, mailbox, member: None, others, scope, keys };
                self.start_forwarding(Arc::new(joined), Some(record));
            }
        }
        self.publish().await
    }

    fn check_can_start(&self, member: &Member) -> Result<(), TeamError> {
        let program = member.own_process && !member.started_by_user;
        match program && !self.hooks.lock_unpoisoned().host_hooks().is_empty() {
            true => Err(HOST_HOOKS.into()),
            false => Ok(()),
        }
    }

    async fn start_teammate(&self, team: &str, member: &Member) -> Result<(), TeamError> {
        if member.started_by_user {
            self.set_state(&member.name, TeammateState::Idle);
            return Ok(());
        }
        let Some(lead) = self.session.lock_unpoisoned().clone() else { return Err(TeamError::SessionEnded) };
        self.check_can_start(member)?;
        // Set before the start, because the teammate may be idle again before this returns.
        self.set_state(&member.name, TeammateState::Working);
        let running = match member.own_process {
            true => teammate_process::start_own_process(&self.template, team, member, lead)?,
            false => {
                let hooks = self.hooks.lock_unpoisoned().host_hooks();
                teammate_process::start_in_process(self.template.in_process_config(team, member, hooks), member, lead)
                    .await?
            }
        };
        if let Some(at) = &mut *self.state.lock_unpoisoned() {
            at.running.insert(member.name.clone(), running);
        }
        Ok(())
    }

    /// Resumes leading the team, and its members (TM-2).
    pub(crate) fn resume_team(self: &Arc<Self>, record: TeamRecord) {
        let handle = self.clone();
        tokio::spawn(async move {
            let members = record.members.clone();
            let team = record.name.clone();
            if let Err(error) = handle.become_lead(record).await {
                return handle
                    .send_news(TeamUpdate::Problem { text: format!("Could not resume the team {team}: {error}") });
            }
            let Some(joined) = handle.membership() else { return };
            for member in members {
                if let Err(why) = handle.start_with_task(&joined, &member).await {
                    let text = format!("Could not start the teammate {}: {why}", member.name);
                    handle.send_news(TeamUpdate::Problem { text });
                }
            }
            handle.send_news(TeamUpdate::Changed);
        });
    }

    /// Ends all teammates and deletes the mailboxes; transcripts stay.
    pub async fn delete_team(&self) -> Result<String, TeamError> {
        let (Some(joined), Some(record)) = (self.membership(), self.record()) else {
            return Err(TeamError::NoTeam);
        };
        for member in &record.members {
            let order = joined.send_control(&member.name, crate::new_id(), ControlMessage::Shutdown).await;
            order?;
        }
        let running =
            self.state.lock_unpoisoned().as_mut().map(|at| std::mem::take(&mut at.running)).unwrap_or_default();
        for running in running.values() {
            running.end().await;
        }
        *self.state.lock_unpoisoned() = None;
        joined.mailbox.remove().await?;
        record.remove(&self.template.config.dirs.home)?;
        self.send_news(TeamUpdate::Changed);
        Ok(record.name)
    }

    /// Ends the teammates with the session, until it is resumed.
    pub(crate) async fn end_teammates(&self) {
        let running =
            self.state.lock_unpoisoned().as_mut().map(|at| std::mem::take(&mut at.running)).unwrap_or_default();
        futures_util::future::join_all(running.values().map(RunningTeammate::end_with_lead)).await;
    }
}

impl TeamState {
    fn new(joined: Arc<Membership>, record: Option<TeamRecord>, done: UnboundedSender<String>) -> TeamState {
        TeamState {
            membership: joined,
            record,
            running: BTreeMap::new(),
            states: BTreeMap::new(),
            done,
            stop: CancellationToken::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::team::MessageContent;

    async fn join_as_ann(folder: &std::path::Path) -> (Arc<Membership>, Arc<TeamHandle>) {
        let mailbox = mailbox::open_mailbox(None, folder, "red").await.unwrap();
        let [team, id, me] = ["red", "t-1", "ann"].map(String::from);
        let (others, scope, keys) = (Vec::new(), None, Mutex::default());
        let joined = Arc::new(Membership { team, id, me, mailbox, member: None, others, scope, keys });
        let handle = TeamHandle::new(TeammateTemplate::default(), "s-1", Some(joined.clone()));
        (joined, handle)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn du_3_status_reports_carry_all_usage() {
        let folder = tempfile::tempdir().unwrap();
        let (joined, handle) = join_as_ann(folder.path()).await;
        let mut used = UsageTotals::default();
        used.add("m", Default::default(), 1.0);
        for _ in 0..20 {
            handle.report_state(TeammateState::Idle, &used);
        }
        let mut lead = joined.mailbox.read(LEAD_NAME).await.unwrap();
        let mut sum = UsageTotals::default();
        // Reports may be merged, but nothing is lost.
        while sum.cost() < 20.0 {
            match cutonce_core::team::parse_content(&lead.next().await.unwrap().message) {
                MessageContent::Control(ControlMessage::TeammateStatus { used, .. }) => sum.add_all(&used),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(sum.cost(), 20.0);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn tm_1_state_reports_arrive_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let (joined, handle) = join_as_ann(folder.path()).await;
        for _ in 0..50 {
            handle.report_state(TeammateState::Working, &UsageTotals::default());
            handle.report_state(TeammateState::Idle, &UsageTotals::default());
        }
        handle.report_state(TeammateState::Ended, &UsageTotals::default());
        let mut lead = joined.mailbox.read(LEAD_NAME).await.unwrap();
        let state = |message: &TeamMessage| match cutonce_core::team::parse_content(message) {
            MessageContent::Control(ControlMessage::TeammateStatus { state, .. }) => Some(state),
            _ => None,
        };
        while state(&lead.next().await.unwrap().message) != Some(TeammateState::Ended) {}
        joined.send_text(LEAD_NAME, "that was all".into(), MessageKind::Words).await.unwrap();
        assert_eq!(state(&lead.next().await.unwrap().message), None, "something came after the end");
    }
}
