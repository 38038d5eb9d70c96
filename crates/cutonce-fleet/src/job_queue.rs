//! Submitting, taking and ending jobs (FL-3, FL-5). A worker confirms a job only after its result is stored.

use crate::envelope::EnvelopeFault;
use crate::job::{FleetJob, JobBoard, JobEvent, JobKind, JobResult, JobSpec, JobState};
use crate::link::FirstWrite;
use crate::record_reader::RawRecord;
use crate::retry::while_server_fails;
use crate::streams::{FleetStream, WORKERS, worker_consumer};
use crate::{FleetError, FleetLink};
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the queue carries: the job itself is in the jobs stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedJob {
    pub id: String,
    pub generation: u32,
}

/// The workers' side of the queue.
pub struct JobQueue {
    consumer: Consumer<pull::Config>,
}

/// A job of this worker, until it is confirmed, given back, or without a sign of life for the redelivery time.
pub struct TakenJob {
    message: Message,
    raw: RawRecord,
    pub queued: QueuedJob,
}

impl FleetLink {
    /// Stores a job and queues it. Submitting the same id again changes nothing.
    pub async fn submit_job(&self, spec: &JobSpec) -> Result<(), FleetError> {
        let member = self.require_member()?;
        if !member.role.may_submit() {
            let role = member.role.name();
            return Err(FleetError::Refused(format!("members with the role {role} can't submit jobs")));
        }
        let event = JobEvent::Submitted { spec: Box::new(spec.clone()) };
        self.publish(FleetStream::Jobs, &format!("{}.event", spec.id), &format!("{}-submitted", spec.id), &event)
            .await?;
        self.enqueue(&QueuedJob { id: spec.id.clone(), generation: 1 }).await
    }

    async fn enqueue(&self, queued: &QueuedJob) -> Result<(), FleetError> {
        let id = format!("{}-{}", queued.id, queued.generation);
        self.publish(FleetStream::Queue, "job", &id, queued).await
    }

    /// Stores an event of a job.
    pub async fn publish_job_event(&self, job: &str, event: &JobEvent) -> Result<(), FleetError> {
        self.publish(FleetStream::Jobs, &format!("{job}.event"), &cutonce_agent::new_id(), event).await
    }

    /// Stores the result, unless the job already has one. Returns whether it is this one.
    pub async fn end_job(&self, job: &str, generation: u32, result: &JobResult) -> Result<bool, FleetError> {
        let ended = JobEvent::Ended { generation, result: Box::new(result.clone()) };
        let rest = format!("{job}.result.{generation}");
        let stored = matches!(self.publish_first(FleetStream::Jobs, &rest, &ended).await?, FirstWrite::Stored);
        // A result of a worker that was locked out meanwhile counts for no member: the job must stay in the queue.
        self.require_current_member().await?;
        Ok(stored)
    }

    /// All jobs.
    pub async fn job_board(&self) -> Result<JobBoard, FleetError> {
        let mut board = JobBoard::default();
        self.update_board(&mut board).await?;
        Ok(board)
    }

    /// Applies what came since the last update.
    pub async fn update_board(&self, board: &mut JobBoard) -> Result<(), FleetError> {
        let records = self.replay_from::<JobEvent>(FleetStream::Jobs, ">", board.last_sequence + 1).await?;
        let members = self.members();
        for record in &records {
            board.apply(record, &members);
        }
        Ok(())
    }

    /// One job, without reading the others.
    pub async fn read_job(&self, id: &str) -> Result<Option<FleetJob>, FleetError> {
        let mut board = JobBoard::default();
        let records = self.replay::<JobEvent>(FleetStream::Jobs, &format!("{id}.>")).await?;
        let members = self.members();
        for record in &records {
            board.apply(record, &members);
        }
        Ok(board.get(id).cloned())
    }

    /// Queues a failed, cancelled or rejected job again.
    pub async fn retry_job(&self, id: &str) -> Result<FleetJob, FleetError> {
        let before = self.read_job(id).await?.map(|job| job.generation);
        self.publish_job_event(id, &JobEvent::Retried).await?;
        let job = self.read_job(id).await?.filter(|job| Some(job.generation) != before);
        let refused =
            || FleetError::Refused(format!("job {id} can't be retried: it is not failed, cancelled or rejected"));
        let job = job.ok_or_else(refused)?;
        self.enqueue(&QueuedJob { id: id.to_string(), generation: job.generation }).await?;
        Ok(job)
    }

    /// Queues the implementation of an approved planning job. Its id follows from the first job, so that several
    /// members may do this and one job results.
    pub async fn queue_follower(&self, job: &FleetJob) -> Result<String, FleetError> {
        let id = format!("{}-implement", job.spec.id);
        let (text, sha256) =
            job.result.as_ref().map(|result| (result.text.clone(), result.sha256.clone())).unwrap_or_default();
        let spec = JobSpec {
            id: id.clone(),
            kind: JobKind::Implementation,
            text,
            sha256,
            task: None,
            then_implement: false,
            follows: Some(job.spec.id.clone()),
            ..job.spec.clone()
        };
        self.submit_job(&spec).await?;
        Ok(id)
    }

    /// Queues jobs whose submitter stored them, but died before it queued them. While anything is in the queue, each
    /// job of this state may be there.
    pub async fn queue_lost_jobs(&self, board: &JobBoard) -> Result<(), FleetError> {
        let queued: Vec<&FleetJob> = board.jobs().filter(|job| job.state == JobState::Queued).collect();
        if queued.is_empty() || self.stream(FleetStream::Queue).await?.cached_info().state.messages > 0 {
            return Ok(());
        }
        for FleetJob { spec, generation, .. } in queued {
            // The queue was read after the board: a worker may have had the job meanwhile.
            let now = self.read_job(&spec.id).await?;
            if now.is_some_and(|now| now.state == JobState::Queued && now.generation == *generation) {
                tracing::warn!("job {} was not in the queue; queued again", spec.id);
                self.enqueue(&QueuedJob { id: spec.id.clone(), generation: *generation }).await?;
            }
        }
        Ok(())
    }

    /// Opens the queue as a worker.
    pub async fn open_queue(&self, redelivery: Duration) -> Result<JobQueue, FleetError> {
        while_server_fails!(self.connection(), self.try_open_queue(redelivery).await)
    }

    async fn try_open_queue(&self, redelivery: Duration) -> Result<JobQueue, FleetError> {
        let stream = self.stream(FleetStream::Queue).await?;
        let created = match stream.create_consumer(worker_consumer(redelivery)).await {
            Ok(consumer) => Ok(consumer),
            // Another worker may have created it at the same moment.
            Err(error) => stream.get_consumer(WORKERS).await.map_err(|_| error.to_string()),
        };
        created.map(|consumer| JobQueue { consumer }).map_err(|why| self.server_error("open the queue", &why))
    }

    /// Whether no job waits, and no worker has one.
    pub async fn is_queue_empty(&self, queue: &JobQueue) -> Result<bool, FleetError> {
        let mut consumer = queue.consumer.clone();
        let info = consumer.info().await.map_err(|error| self.server_error("read the queue", &error))?;
        Ok(info.num_pending == 0 && info.num_ack_pending == 0)
    }

    /// Waits up to `patience` for a job. What is no job of a member is removed from the queue and reported.
    pub async fn take_job(&self, queue: &JobQueue, patience: Duration) -> Result<Option<TakenJob>, FleetError> {
        let failed = |error: &dyn std::fmt::Display| self.server_error("take a job", error);
        let batch = queue.consumer.batch().max_messages(1).expires(patience).messages().await;
        let mut batch = batch.map_err(|error| failed(&error))?;
        let Some(next) = batch.next().await else { return Ok(None) };
        let message = next.map_err(|error| failed(&error))?;
        let raw = RawRecord::new(&message).map_err(|why| failed(&why))?;
        let decoded = self.decode_arrived::<QueuedJob>(&raw).await?;
        // A worker that was locked out lacks the key; the job is for the others.
        if let Err(error) = self.require_member() {
            message.ack_with(AckKind::Nak(None)).await.map_err(|error| failed(&error))?;
            return Err(error);
        }
        match decoded {
            Ok(record) => Ok(Some(TakenJob { message, queued: record.body, raw })),
            Err(fault) => {
                self.report(FleetStream::Queue, &raw, fault);
                message.ack_with(AckKind::Term).await.map_err(|error| failed(&error))?;
                Ok(None)
            }
        }
    }

    /// Removes a message from the queue that repeats the one which this job was started by, and reports it.
    pub async fn drop_repetition(&self, taken: &TakenJob) -> Result<(), String> {
        self.report(FleetStream::Queue, &taken.raw, EnvelopeFault::Replayed);
        taken.message.ack_with(AckKind::Term).await.map_err(|error| error.to_string())
    }
}

impl TakenJob {
    /// Sequence of the message in the queue.
    pub fn sequence(&self) -> u64 {
        self.raw.sequence
    }
    /// Tells the queue that the job is being worked on.
    pub async fn keep(&self) -> Result<(), String> {
        self.message.ack_with(AckKind::Progress).await.map_err(|error| error.to_string())
    }
    /// Removes the job from the queue; its result is stored.
    pub async fn confirm(&self) -> Result<(), String> {
        self.message.double_ack().await.map_err(|error| error.to_string())
    }
    /// Gives the job to another worker, after a while.
    pub async fn give_back(&self, delay: Option<Duration>) -> Result<(), String> {
        self.message.ack_with(AckKind::Nak(delay)).await.map_err(|error| error.to_string())
    }
}
