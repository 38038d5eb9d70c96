//! `cutonce worker`: takes jobs of a remote and runs them in clones of its own (FL-3).
//!
//! A job is a child process of this program, so a crash or a hung model ends with it. The transcript goes to the stream
//! while the child writes it. The worker acknowledges a job only after its result is stored.

mod job_run;
mod push;
mod work_folder;

use super::jobs::queue_missing_followers;
use super::remote_link::{connect, settings, tell_faults};
use crate::cli::fleet_args::WorkerArgs;
use crate::frontends::stop_signals::StopSignals;
use cutonce_core::exit_code;
use cutonce_core::settings::FleetSettings;
use cutonce_core::text::sanitize::sanitize;
use cutonce_fleet::job::{FleetJob, JobBoard, JobEvent, JobResult, JobState};
use cutonce_fleet::job_queue::{JobQueue, QueuedJob, TakenJob};
use cutonce_fleet::{FleetError, FleetLink};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long one request to the queue waits.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a worker waits after the server failed.
const SERVER_PAUSE: Duration = Duration::from_secs(2);
/// When a job that exceeds a limit is offered again.
const LIMIT_PAUSE: Duration = Duration::from_secs(2);

pub async fn run(args: WorkerArgs) -> anyhow::Result<u8> {
    let mut fleet = settings(args.settings.as_deref())?.fleet;
    fleet.jobs = args.jobs.unwrap_or(fleet.jobs).max(1);
    fleet.redelivery_seconds = fleet.redelivery_seconds.max(1);
    fleet.heartbeat_seconds = fleet.heartbeat_seconds.clamp(1, fleet.redelivery_seconds);
    let mut signals = StopSignals::new()?;
    let link = Arc::new(connect(args.remote.as_deref()).await?);
    let member = link.require_member()?;
    if !member.role.may_work() {
        anyhow::bail!("members with the role {} can't take jobs; ask for an invitation as worker", member.role.name());
    }
    let queue = link.open_queue(Duration::from_secs(fleet.redelivery_seconds.into())).await?;
    work_folder::remove_leftovers();
    log(&format!("worker {} takes jobs of {}", member.id, link.name()));
    let (stop, board) = (CancellationToken::new(), Default::default());
    let worker = Arc::new(Worker { link, settings: fleet, stop, flag: args.settings, board });
    let work = worker.work(&queue, &mut signals, args.exit_when_idle);
    tokio::select! {
        ended = work => ended,
        never = log_connection(&worker.link) => match never {},
    }
}

/// Logs when the servers are lost and found. The client itself connects again.
async fn log_connection(link: &FleetLink) -> std::convert::Infallible {
    let mut was_connected = true;
    loop {
        tokio::time::sleep(SERVER_PAUSE).await;
        let is_connected = link.is_connected();
        if is_connected != was_connected {
            log(if is_connected { "connected again" } else { "no server answers; trying again" });
        }
        was_connected = is_connected;
    }
}

fn log(text: &str) {
    eprintln!("cutonce: {}", sanitize(text));
    tracing::info!("{text}");
}

struct Worker {
    link: Arc<FleetLink>,
    settings: FleetSettings,
    /// Ends running jobs at once.
    stop: CancellationToken,
    /// Settings from the command line, for the jobs too.
    flag: Option<String>,
    /// All jobs, as far as they were read. Each look reads only what is new.
    board: tokio::sync::Mutex<JobBoard>,
}

impl Worker {
    /// Takes jobs until a signal. The first one lets running jobs end, the second gives them back.
    async fn work(self: &Arc<Self>, queue: &JobQueue, signals: &mut StopSignals, once: bool) -> anyhow::Result<u8> {
        let mut running = JoinSet::new();
        let mut draining = None;
        loop {
            let has_room = draining.is_none() && running.len() < self.settings.jobs as usize;
            if running.is_empty() && draining.is_some() {
                return Ok(draining.unwrap_or(exit_code::SUCCESS));
            }
            tokio::select! {
                biased;
                code = signals.next() => {
                    if draining.replace(code).is_some() {
                        log("stopping; running jobs go back to the queue");
                        self.stop.cancel();
                    } else {
                        log("no more jobs are taken; a second signal stops the running ones");
                    }
                }
                ended = running.join_next(), if !running.is_empty() => {
                    if let Some(Err(error)) = ended {
                        log(&format!("a job ended badly: {error}"));
                    }
                    tell_faults(&self.link);
                }
                taken = self.link.take_job(queue, PATIENCE), if has_room => match taken {
                    Ok(Some(job)) => {
                        let worker = self.clone();
                        running.spawn(async move { worker.handle(job).await });
                    }
                    Ok(None) => {
                        self.tidy_up().await;
                        if let Err(error @ FleetError::Refused(_)) = self.link.require_current_member().await {
                            return Err(error.into());
                        }
                        if once && running.is_empty() && self.link.is_queue_empty(queue).await.unwrap_or(false) {
                            return Ok(exit_code::SUCCESS);
                        }
                    }
                    Err(error @ FleetError::Refused(_)) => return Err(error.into()),
                    Err(error) => {
                        log(&error.to_string());
                        tokio::time::sleep(SERVER_PAUSE).await;
                    }
                },
            }
        }
    }

    /// What a worker does while nothing waits.
    async fn tidy_up(&self) {
        tell_faults(&self.link);
        self.queue_what_others_left().await.unwrap_or_else(|error| log(&format!("{error:#}")));
    }

    /// Queues jobs whose submitter or approver was interrupted.
    async fn queue_what_others_left(&self) -> anyhow::Result<()> {
        let mut board = self.board.lock().await;
        self.link.update_board(&mut board).await?;
        queue_missing_followers(&self.link, &mut board).await?;
        Ok(self.link.queue_lost_jobs(&board).await?)
    }

    /// Runs a job and confirms it. If the server fails, the queue delivers it again.
    async fn handle(&self, taken: TakenJob) {
        if let Err(error) = self.try_handle(&taken).await {
            log(&format!("job {}: {error:#}", taken.queued.id));
        }
    }

    async fn try_handle(&self, taken: &TakenJob) -> anyhow::Result<()> {
        let failed = |why: String| anyhow::anyhow!(why);
        let QueuedJob { id, generation } = &taken.queued;
        let Some(job) = self.link.read_job(id).await? else {
            log(&format!("job {id} is no longer on the server"));
            return taken.confirm().await.map_err(failed);
        };
        if job.queued.is_some_and(|known| known != taken.sequence()) && job.generation == *generation {
            return self.link.drop_repetition(taken).await.map_err(failed);
        }
        if !job.is_open(*generation, taken.sequence()) {
            // It has a result, was cancelled or queued again: nothing is left to do.
            return taken.confirm().await.map_err(failed);
        }
        if job.attempts >= self.settings.attempts.max(1) {
            let why = format!("{} workers died or gave up; it is on the dead-letter list", job.attempts);
            log(&format!("job {id}: {why}"));
            let result = JobResult { dead: true, ..failed_result(&job, why) };
            self.link.end_job(id, *generation, &result).await?;
            return taken.confirm().await.map_err(failed);
        }
        let Some(run) = self.start(taken, &job).await? else {
            return taken.give_back(Some(LIMIT_PAUSE)).await.map_err(failed);
        };
        log(&format!("job {id} ({}) starts, attempt {}", job.spec.kind.name(), job.attempts + 1));
        match self.run_job(taken, &job, &run).await {
            JobOutcome::Ended(result) => {
                let first = self.link.end_job(id, *generation, &result).await?;
                let note = if first { "" } else { "; another worker was faster, this result is dropped" };
                log(&format!("job {id}: {}{note}", result.summary));
                taken.confirm().await.map_err(failed)
            }
            JobOutcome::Dropped(why) => {
                log(&format!("job {id}: {why}"));
                taken.confirm().await.map_err(failed)
            }
            // The job did not fail: this attempt does not count, if the server can be told.
            JobOutcome::Unreachable(why) => {
                log(&format!("job {id}: {why}; it is delivered again"));
                self.return_job(taken, run, why).await
            }
            // If the other worker dies too, the queue delivers the job again.
            JobOutcome::Overtaken => {
                log(&format!("job {id}: another worker continues it"));
                Ok(())
            }
            JobOutcome::Stopped(why) => self.return_job(taken, run, why).await,
        }
    }

    /// Gives the job to another worker, unless one has it already.
    async fn return_job(&self, taken: &TakenJob, run: String, why: String) -> anyhow::Result<()> {
        let QueuedJob { id, generation } = &taken.queued;
        let event = JobEvent::Returned { generation: *generation, run: run.clone(), why };
        self.link.publish_job_event(id, &event).await?;
        match self.link.read_job(id).await? {
            Some(job) if job.run.as_ref() == Some(&run) => {
                taken.give_back(None).await.map_err(|why| anyhow::anyhow!(why))
            }
            _ => Ok(()),
        }
    }

    /// Announces the start and returns the name of the run; `None` if limits or another worker do not allow it now.
    /// Starts count in the order of the stream, so that two workers never use the same place.
    async fn start(&self, taken: &TakenJob, job: &FleetJob) -> anyhow::Result<Option<String>> {
        let (generation, id, run) = (job.generation, &job.spec.id, cutonce_agent::new_id());
        let limited = self.settings.jobs_per_user > 0 || self.settings.jobs_per_repository > 0;
        if limited {
            let mut board = self.board.lock().await;
            self.link.update_board(&mut board).await?;
            if self.exceeds_limits(&board, job, u64::MAX) {
                return Ok(None);
            }
        }
        let started = JobEvent::Started { generation, run: run.clone(), queued: taken.sequence() };
        self.link.publish_job_event(id, &started).await?;
        let now = self.link.read_job(id).await?.filter(|now| now.run.as_ref() == Some(&run));
        let Some(now) = now else { return Ok(None) };
        if !limited {
            return Ok(Some(run));
        }
        let mut board = self.board.lock().await;
        self.link.update_board(&mut board).await?;
        if self.exceeds_limits(&board, job, now.started_sequence) {
            let why = "a limit was reached".to_string();
            self.link.publish_job_event(id, &JobEvent::Returned { generation, run, why }).await?;
            return Ok(None);
        }
        Ok(Some(run))
    }

    fn exceeds_limits(&self, board: &JobBoard, job: &FleetJob, before: u64) -> bool {
        let other = |one: &FleetJob| one.spec.id != job.spec.id;
        let by_user = board.running_before(before, |one| other(one) && one.submitter == job.submitter);
        let by_repo = board.running_before(before, |one| other(one) && one.spec.repo.shown() == job.spec.repo.shown());
        let over = |limit: u32, count: usize| limit > 0 && count >= limit as usize;
        over(self.settings.jobs_per_user, by_user) || over(self.settings.jobs_per_repository, by_repo)
    }
}

/// How a run of a job ended.
enum JobOutcome {
    Ended(Box<JobResult>),
    /// The job was cancelled, or has a result: there is nothing to report.
    Dropped(String),
    /// Another worker continues the session.
    Overtaken,
    /// The server failed; the queue delivers the job again.
    Unreachable(String),
    /// This worker stops; another one continues.
    Stopped(String),
}

fn failed_result(job: &FleetJob, summary: String) -> JobResult {
    JobResult::new(JobState::Failed, summary, job.spec.id.clone(), job.attempts + 1)
}
