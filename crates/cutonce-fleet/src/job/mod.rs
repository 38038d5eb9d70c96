//! Jobs as plain data, and their life as a fold over records (FL-3, FL-5). Every member computes the same state from
//! the same stream; a record of a member that may not write it changes nothing.

use crate::blob::{BlobRef, StoredText};
use crate::link::FleetRecord;
use crate::member_keys::MemberId;
use crate::member_list::MemberList;
use cutonce_agent::storage::paths::valid_id;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Events kept per job; a job that is returned for ever must not grow.
const MAX_EVENTS: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JobKind {
    #[serde(rename = "plan")]
    Planning,
    #[serde(rename = "rehearse")]
    Rehearsal,
    #[serde(rename = "implement")]
    Implementation,
}

impl JobKind {
    pub fn name(self) -> &'static str {
        match self {
            JobKind::Planning => "plan",
            JobKind::Rehearsal => "rehearse",
            JobKind::Implementation => "implement",
        }
    }
}

/// Where a worker gets the repository from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RepoSource {
    /// An address that git can clone; the worker uses its own credentials.
    Url(String),
    /// A git bundle in the object store.
    Bundle { shown: String, blob: BlobRef },
}

impl RepoSource {
    /// Whether git takes this text as an address: no option, no program for a transport, and no plain path.
    pub fn is_address(text: &str) -> bool {
        let is_plain = !text.starts_with('-') && !text.contains("::") && !text.chars().any(char::is_control);
        is_plain && text.contains(':')
    }
    pub fn shown(&self) -> &str {
        match self {
            RepoSource::Url(url) => url,
            RepoSource::Bundle { shown, .. } => shown,
        }
    }
}

/// What a worker must know to do a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobSpec {
    pub id: String,
    pub kind: JobKind,
    pub repo: RepoSource,
    /// The task of a planning job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The approved text of a rehearsal or implementation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<StoredText>,
    /// Hash of the approved text. The worker refuses any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Implement after the approval.
    #[serde(default)]
    pub then_implement: bool,
    /// Approvers that a planning job needs.
    #[serde(default = "one")]
    pub quorum: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// The branch that the worker pushes the result to, if its settings allow it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push: Option<String>,
    /// The job whose approval queued this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<String>,
}

fn one() -> u32 {
    1
}

impl JobSpec {
    /// A planning job that needs one approval.
    pub fn planning(id: String, repo: RepoSource, task: String) -> JobSpec {
        JobSpec {
            id,
            kind: JobKind::Planning,
            repo,
            task: Some(task),
            text: None,
            sha256: None,
            then_implement: false,
            quorum: 1,
            model: None,
            budget_usd: None,
            push: None,
            follows: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    Queued,
    Running,
    Waiting,
    Done,
    Failed,
    Cancelled,
}

impl JobState {
    pub fn name(self) -> &'static str {
        match self {
            JobState::Queued => "queued",
            JobState::Running => "running",
            JobState::Waiting => "waiting",
            JobState::Done => "done",
            JobState::Failed => "failed",
            JobState::Cancelled => "cancelled",
        }
    }
    pub fn is_over(self) -> bool {
        matches!(self, JobState::Done | JobState::Failed | JobState::Cancelled)
    }
}

/// The one result of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobResult {
    /// Done, failed, or waiting for a reviewer.
    pub state: JobState,
    /// One line: what came out, or why it failed.
    pub summary: String,
    /// The session, for `--resume ID --remote NAME`.
    pub session: String,
    pub attempt: u32,
    /// The submitted text of a planning job, with its name and hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<StoredText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The changes as a patch against `base`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<BlobRef>,
    /// The commit that the job started from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The result frame of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<BlobRef>,
    /// What was pushed, because the job asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pushed: Option<PushedBranch>,
    /// The job failed too often and is on the dead-letter list.
    #[serde(default)]
    pub dead: bool,
}

impl JobResult {
    /// A result without content.
    pub fn new(state: JobState, summary: String, session: String, attempt: u32) -> JobResult {
        JobResult {
            state,
            summary,
            session,
            attempt,
            text: None,
            text_name: None,
            sha256: None,
            patch: None,
            base: None,
            report: None,
            pushed: None,
            dead: false,
        }
    }
}

/// A branch of the repository that a worker pushed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushedBranch {
    pub branch: String,
    pub commit: String,
}

/// One record of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "camelCase")]
pub enum JobEvent {
    Submitted {
        spec: Box<JobSpec>,
    },
    /// A worker begins.
    Started {
        generation: u32,
        /// Names this run: a worker that was thought dead must not end the run of another one.
        #[serde(default)]
        run: String,
        /// Sequence of the job in the queue. Another message about the same job is a repetition.
        #[serde(default)]
        queued: u64,
    },
    /// A worker gives the job back.
    Returned {
        generation: u32,
        #[serde(default)]
        run: String,
        why: String,
    },
    Ended {
        generation: u32,
        result: Box<JobResult>,
    },
    /// A reviewer's answer to a planning job that waits. `approve: false` asks for changes.
    Answered {
        approve: bool,
        sha256: Option<String>,
        feedback: Option<String>,
    },
    Cancelled,
    Retried,
}

impl JobEvent {
    fn name(&self) -> &'static str {
        match self {
            JobEvent::Submitted { .. } => "submitted",
            JobEvent::Started { .. } => "started",
            JobEvent::Returned { .. } => "returned",
            JobEvent::Ended { .. } => "ended",
            JobEvent::Answered { .. } => "answered",
            JobEvent::Cancelled => "cancelled",
            JobEvent::Retried => "retried",
        }
    }
}

/// One line in the history of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobHistoryLine {
    pub at: String,
    pub by: String,
    pub event: &'static str,
    #[serde(skip_serializing_if = "Value::is_null")]
    pub detail: Value,
}

/// How reviewers decided on a planning job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JobDecision {
    pub approved: bool,
    pub by: Vec<String>,
    pub feedback: Option<String>,
}

/// One approval of a planning job.
#[derive(Debug, Clone)]
struct JobApproval {
    label: String,
    /// Several machines of one person are one approver.
    person: String,
}

/// A job as the fold of its records.
#[derive(Debug, Clone)]
pub struct FleetJob {
    pub spec: JobSpec,
    pub submitter: MemberId,
    pub submitter_label: String,
    pub state: JobState,
    pub worker: Option<String>,
    pub worker_id: Option<MemberId>,
    pub attempts: u32,
    pub generation: u32,
    pub submitted: u64,
    pub ended: Option<u64>,
    pub result: Option<JobResult>,
    pub decision: Option<JobDecision>,
    pub history: Vec<JobHistoryLine>,
    /// Approvals so far.
    approvals: BTreeMap<MemberId, JobApproval>,
    /// The stream sequence of its current start, for limits.
    pub started_sequence: u64,
    /// The newest run.
    pub run: Option<String>,
    /// Where the queue has it; known since its first start.
    pub queued: Option<u64>,
}

/// All jobs of a group.
#[derive(Debug, Clone, Default)]
pub struct JobBoard {
    jobs: BTreeMap<String, FleetJob>,
    /// Ids of the records that were applied.
    seen: HashSet<String>,
    /// The last record that was applied.
    pub last_sequence: u64,
}

impl JobBoard {
    pub fn get(&self, id: &str) -> Option<&FleetJob> {
        self.jobs.get(id)
    }
    /// All jobs, oldest first, by the server's time: an id begins with the clock of the machine that chose it.
    pub fn jobs(&self) -> impl Iterator<Item = &FleetJob> {
        let mut jobs: Vec<&FleetJob> = self.jobs.values().collect();
        jobs.sort_by_key(|job| job.submitted);
        jobs.into_iter()
    }
    /// Finds a job by its id or the start of it.
    pub fn find(&self, id: &str) -> Vec<&FleetJob> {
        match self.get(id) {
            Some(job) => vec![job],
            None if id.len() >= 4 => self.jobs.values().filter(|job| job.spec.id.starts_with(id)).collect(),
            None => Vec::new(),
        }
    }

    /// Applies a record. Returns whether it changed anything. `members` must be at least as new as the record.
    pub fn apply(&mut self, record: &FleetRecord<JobEvent>, members: &MemberList) -> bool {
        self.last_sequence = self.last_sequence.max(record.sequence);
        // A server that repeats a record changes nothing, however much later it does.
        if !self.seen.insert(record.id.clone()) {
            return false;
        }
        // …jobs.ID.event, …jobs.ID.result.GENERATION
        let Some(id) = record.subject.split('.').nth(4).map(str::to_string) else { return false };
        let role = record.author.role;
        if let JobEvent::Submitted { spec } = &record.body {
            // The id becomes a name of folders, sessions and subjects.
            if spec.id != id || !valid_id(&id) || !role.may_submit() || self.jobs.contains_key(&id) {
                return false;
            }
            let mut job = FleetJob::new((**spec).clone(), record);
            job.note(record);
            self.jobs.insert(id, job);
            return true;
        }
        let Some(job) = self.jobs.get_mut(&id) else { return false };
        let changed = match &record.body {
            JobEvent::Submitted { .. } => false,
            JobEvent::Started { generation, run, queued } => {
                role.may_work() && *generation == job.generation && job.start(record, run, *queued)
            }
            JobEvent::Returned { generation, run, .. } => {
                role.may_work() && *generation == job.generation && job.give_back(record, run)
            }
            JobEvent::Ended { generation, result } => {
                role.may_work() && *generation == job.generation && job.end(record, result)
            }
            JobEvent::Answered { approve, sha256, feedback } => {
                let allowed = if *approve { role.may_approve() } else { role.may_comment() };
                let is_active = |id: &MemberId| members.get(id).is_none_or(|one| one.is_active_at(record.published));
                allowed && job.answer(record, *approve, sha256.as_deref(), feedback.clone(), is_active)
            }
            JobEvent::Cancelled => role.may_submit() && job.cancel(record),
            JobEvent::Retried => role.may_submit() && job.retry(),
        };
        if changed {
            job.note(record);
        }
        changed
    }

    /// Running jobs that started before this one and share something with it.
    pub fn running_before(&self, sequence: u64, same: impl Fn(&FleetJob) -> bool) -> usize {
        let runs = |job: &&FleetJob| job.state == JobState::Running && job.started_sequence < sequence;
        self.jobs.values().filter(runs).filter(|job| same(job)).count()
    }

    /// Approved planning jobs whose implementation is not queued yet.
    pub fn missing_followers(&self) -> Vec<&FleetJob> {
        let followed: BTreeSet<&str> = self.jobs.values().filter_map(|job| job.spec.follows.as_deref()).collect();
        let wants = |job: &&FleetJob| {
            let approved = job.decision.as_ref().is_some_and(|decision| decision.approved);
            job.spec.then_implement && approved && !followed.contains(job.spec.id.as_str())
        };
        self.jobs.values().filter(wants).collect()
    }
}

impl FleetJob {
    fn new(spec: JobSpec, record: &FleetRecord<JobEvent>) -> FleetJob {
        FleetJob {
            spec,
            submitter: record.author.id.clone(),
            submitter_label: record.author.card.label.clone(),
            state: JobState::Queued,
            worker: None,
            worker_id: None,
            attempts: 0,
            generation: 1,
            submitted: record.published,
            ended: None,
            result: None,
            decision: None,
            history: Vec::new(),
            approvals: BTreeMap::new(),
            started_sequence: 0,
            run: None,
            queued: None,
        }
    }

    /// Whether a worker may take the job by this message of the queue: it has no result, and the message is not a
    /// repetition of the one that started it.
    pub fn is_open(&self, generation: u32, queued: u64) -> bool {
        let is_over = self.state.is_over() || self.result.is_some();
        !is_over && self.generation == generation && self.queued.is_none_or(|known| known == queued)
    }

    fn start(&mut self, record: &FleetRecord<JobEvent>, run: &str, queued: u64) -> bool {
        if !self.is_open(self.generation, queued) {
            return false;
        }
        (self.run, self.queued) = (Some(run.to_string()), Some(queued));
        self.state = JobState::Running;
        self.attempts += 1;
        self.worker = Some(record.author.card.label.clone());
        self.worker_id = Some(record.author.id.clone());
        self.started_sequence = record.sequence;
        true
    }

    fn give_back(&mut self, record: &FleetRecord<JobEvent>, run: &str) -> bool {
        let is_its_own = self.worker_id.as_ref() == Some(&record.author.id) && self.run.as_deref() == Some(run);
        if self.state != JobState::Running || !is_its_own {
            return false;
        }
        self.state = JobState::Queued;
        // A job that was given back in good order has used no attempt.
        self.attempts = self.attempts.saturating_sub(1);
        true
    }

    fn end(&mut self, record: &FleetRecord<JobEvent>, result: &JobResult) -> bool {
        if self.state.is_over() || self.result.is_some() {
            return false;
        }
        self.state = result.state;
        self.worker = Some(record.author.card.label.clone());
        self.ended = Some(record.published);
        self.result = Some(result.clone());
        true
    }

    /// The first request for changes ends the round; approvals of different members are counted (FL-2).
    fn answer(
        &mut self,
        record: &FleetRecord<JobEvent>,
        approve: bool,
        sha256: Option<&str>,
        feedback: Option<String>,
        is_active: impl Fn(&MemberId) -> bool,
    ) -> bool {
        let shown = self.result.as_ref().and_then(|result| result.sha256.as_deref());
        // An answer is bound to the text that its author saw.
        if self.state != JobState::Waiting || sha256 != shown {
            return false;
        }
        let label = record.author.card.label.clone();
        if !approve {
            self.decision = Some(JobDecision { approved: false, by: vec![label], feedback });
        } else {
            let approval = JobApproval { label, person: record.author.person().to_string() };
            self.approvals.insert(record.author.id.clone(), approval);
            // A lost laptop may have approved before it was locked out; replaced keys belong to the same person.
            self.approvals.retain(|id, _| is_active(id));
            if self.approvals() < self.spec.quorum.max(1) as usize {
                return true;
            }
            let by = self.approvals.values().map(|approval| approval.label.clone()).collect();
            self.decision = Some(JobDecision { approved: true, by, feedback });
        }
        self.state = JobState::Done;
        self.ended = Some(record.published);
        true
    }

    /// Different approvers so far.
    pub fn approvals(&self) -> usize {
        self.approvals.values().map(|approval| approval.person.as_str()).collect::<BTreeSet<_>>().len()
    }

    fn cancel(&mut self, record: &FleetRecord<JobEvent>) -> bool {
        if self.state.is_over() {
            return false;
        }
        self.state = JobState::Cancelled;
        self.ended = Some(record.published);
        true
    }

    fn retry(&mut self) -> bool {
        let rejected = self.decision.as_ref().is_some_and(|decision| !decision.approved);
        if !matches!(self.state, JobState::Failed | JobState::Cancelled) && !rejected {
            return false;
        }
        self.generation += 1;
        (self.state, self.attempts, self.ended) = (JobState::Queued, 0, None);
        (self.result, self.decision) = (None, None);
        (self.run, self.queued) = (None, None);
        self.approvals.clear();
        true
    }

    fn note(&mut self, record: &FleetRecord<JobEvent>) {
        if self.history.len() == MAX_EVENTS {
            self.history.remove(1);
        }
        let detail = match &record.body {
            JobEvent::Started { .. } => serde_json::json!({ "attempt": self.attempts }),
            JobEvent::Returned { why, .. } => serde_json::json!({ "why": why }),
            JobEvent::Ended { result, .. } => serde_json::json!({ "summary": result.summary }),
            JobEvent::Answered { approve, feedback, .. } => {
                serde_json::json!({ "approve": approve, "feedback": feedback })
            }
            _ => Value::Null,
        };
        let (at, by) = (time_text(record.published), record.author.card.label.clone());
        self.history.push(JobHistoryLine { at, by, event: record.body.name(), detail });
    }

    /// The row of `cutonce jobs --json` (FL-5).
    pub fn row(&self) -> Value {
        serde_json::json!({
            "id": self.spec.id,
            "kind": self.spec.kind.name(),
            "state": self.state.name(),
            "repo": self.spec.repo.shown(),
            "worker": self.worker,
            "attempts": self.attempts,
            "submitted": time_text(self.submitted),
            "ended": self.ended.map(time_text),
        })
    }

    /// The object of `cutonce jobs show ID --json`.
    pub fn details(&self) -> Value {
        let mut row = self.row();
        let result = self.result.as_ref().map(|result| {
            serde_json::json!({
                "state": result.state.name(),
                "summary": result.summary,
                "session": result.session,
                "sha256": result.sha256,
                "name": result.text_name,
                "patch": result.patch.as_ref().map(|patch| patch.size),
                "base": result.base,
                "pushed": result.pushed,
                "dead": result.dead,
            })
        });
        row["result"] = result.unwrap_or(Value::Null);
        row["decision"] = serde_json::to_value(&self.decision).unwrap_or_default();
        row["events"] = serde_json::to_value(&self.history).unwrap_or_default();
        row["by"] = self.submitter_label.clone().into();
        row["task"] = self.spec.task.clone().into();
        row["follows"] = self.spec.follows.clone().into();
        row
    }
}

/// A time of the server as text.
pub fn time_text(ms: u64) -> String {
    let at = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    at.unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}

#[cfg(test)]
mod tests;
