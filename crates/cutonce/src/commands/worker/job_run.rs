//! One run of a job (FL-3): prepares the folder, resumes from the stream if another worker died, runs this program as a
//! child, publishes its transcript, and collects the result.

use super::push::require_push_allowed;
use super::work_folder::WorkFolder;
use super::{JobOutcome, Worker, failed_result};
use crate::commands::approval::text_hash;
use crate::commands::program_run::{ProgramOutput, root_commit, run_to_end};
use anyhow::Context;
use cutonce_agent::storage::ProjectSessions;
use cutonce_agent::storage::paths::write_private;
use cutonce_core::exit_code::DRIFTED;
use cutonce_core::text::truncate::{first_line, with_ellipsis};
use cutonce_fleet::blob::BlobRef;
use cutonce_fleet::job::{FleetJob, JobBoard, JobEvent, JobKind, JobResult, JobState};
use cutonce_fleet::job_queue::TakenJob;
use cutonce_fleet::session_log::{SessionPlace, SessionUpload, UploadError};
use cutonce_fleet::streams::FleetStream;
use cutonce_fleet::{FleetError, FleetLink};
use cutonce_sandbox::{ProcessExit, SpawnSpec};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How often the transcript is looked at.
const POLL: Duration = Duration::from_millis(200);
/// How long the last upload may take.
const LAST_UPLOAD: Duration = Duration::from_secs(60);
/// A resumed session begins with this message.
const CONTINUE: &str = "The machine that ran this session is gone; you continue on another one, in a fresh clone with the \
changes so far. Files may differ from what you remember: look before you edit. Continue with the task.";

impl Worker {
    /// Runs a job to its end, in whatever way it ends.
    pub(super) async fn run_job(&self, taken: &TakenJob, job: &FleetJob, run: &str) -> JobOutcome {
        let work = self.prepare_and_run(job);
        tokio::select! {
            biased;
            () = self.stop.cancelled() => JobOutcome::Stopped("the worker was stopped".into()),
            why = self.wait_for_end_from_outside(job, run) => why,
            () = self.heartbeats(taken) => JobOutcome::Stopped("the worker ends".into()),
            outcome = work => outcome.unwrap_or_else(|error| match is_server_error(&error) {
                true => JobOutcome::Unreachable(format!("{error:#}")),
                false => JobOutcome::Ended(Box::new(failed_result(job, format!("{error:#}")))),
            }),
        }
    }

    /// Tells the queue regularly that the job is alive. A failure is only logged: the server may come back.
    async fn heartbeats(&self, taken: &TakenJob) {
        let pause = Duration::from_secs(self.settings.heartbeat_seconds.into());
        loop {
            tokio::time::sleep(pause).await;
            if let Err(why) = taken.keep().await {
                tracing::warn!("no heartbeat sent: {why}");
            }
        }
    }

    /// Waits until the job is cancelled, has a result, or another worker started it.
    async fn wait_for_end_from_outside(&self, job: &FleetJob, run: &str) -> JobOutcome {
        let (id, mut board, mut has_begun) = (&job.spec.id, JobBoard::default(), false);
        loop {
            if let Ok(mut events) = self.link.follow::<JobEvent>(FleetStream::Jobs, &format!("{id}.>"), 1).await {
                while let Ok(record) = events.next().await {
                    board.apply(&record, &self.link.members());
                    let Some(now) = board.get(id) else { continue };
                    // What happened before this run does not matter.
                    has_begun |= now.run.as_deref() == Some(run);
                    if !has_begun {
                        continue;
                    }
                    if now.generation != job.generation || now.state.is_over() || now.result.is_some() {
                        return JobOutcome::Dropped(format!("stopped: it is {}", now.state.name()));
                    }
                    if now.run.as_deref() != Some(run) {
                        return JobOutcome::Overtaken;
                    }
                }
            }
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
    }

    async fn prepare_and_run(&self, job: &FleetJob) -> anyhow::Result<JobOutcome> {
        require_push_allowed(&self.settings, job)?;
        let run = JobRun::prepare(&self.link, job).await?;
        let mut upload = run.open_upload(&self.link).await?;
        let child = run_to_end(run.command(self).await?, None);
        let child_ended = CancellationToken::new();
        let [idle, most] = [self.settings.idle_minutes, self.settings.job_minutes]
            .map(|minutes| Duration::from_secs(60 * u64::from(minutes.max(1))));
        // One future for all uploads: one that is dropped half-way would leave the stream ahead of what is known here.
        let publish = run.publish(&self.link, &mut upload, &child_ended);
        tokio::pin!(child, publish);
        let output = tokio::select! {
            output = &mut child => Ok(output?),
            ended = &mut publish => Err(ended),
            ran = wait_for_hang(&run.transcript, idle, most) => {
                anyhow::bail!("the model or a command hung: the job was ended after {} minutes", ran.as_secs() / 60);
            }
        };
        child_ended.cancel();
        let (output, published) = match output {
            Ok(output) => (Some(output), tokio::time::timeout(LAST_UPLOAD, publish).await),
            Err(published) => (None, Ok(published)),
        };
        match (output, published) {
            (_, Ok(Err(UploadError::Overtaken))) => Ok(JobOutcome::Overtaken),
            (_, Ok(Err(error))) => Err(error.into()),
            (_, Err(_)) => Ok(JobOutcome::Unreachable("the transcript could not be published in time".into())),
            (Some(output), Ok(Ok(()))) => {
                run.collect(&self.link, output).await.map(|result| JobOutcome::Ended(Box::new(result)))
            }
            (None, Ok(Ok(()))) => anyhow::bail!("the upload ended before the job"),
        }
    }
}

/// Whether the server failed, which says nothing about the job.
fn is_server_error(error: &anyhow::Error) -> bool {
    let server = |error: &FleetError| matches!(error, FleetError::Server { .. });
    let upload = |error: &UploadError| matches!(error, UploadError::Fleet(error) if server(error));
    error.downcast_ref::<FleetError>().is_some_and(server) || error.downcast_ref::<UploadError>().is_some_and(upload)
}

/// A job with its folder.
struct JobRun<'a> {
    job: &'a FleetJob,
    folder: WorkFolder,
    transcript: PathBuf,
    /// Another worker began this session.
    resumed: bool,
    /// The session has its task. A worker may die before that.
    has_task: bool,
    last_checkpoint: tokio::sync::Mutex<Option<(Vec<u8>, BlobRef)>>,
}

impl<'a> JobRun<'a> {
    async fn prepare(link: &FleetLink, job: &'a FleetJob) -> anyhow::Result<JobRun<'a>> {
        let folder = WorkFolder::create(link, &job.spec.id, &job.spec.repo).await?;
        let transcript = ProjectSessions::new(&folder.home, &folder.repo).transcript(&session_id(job));
        let stored = link.read_job_session(&session_id(job)).await?.filter(|_| job.spec.kind != JobKind::Rehearsal);
        let resumed = stored.is_some();
        let has_task = stored.as_ref().is_some_and(|stored| stored.lines.iter().any(|line| is_user_entry(line)));
        if let Some(stored) = stored {
            write_private(&transcript, &stored.bytes())?;
            if let Some(changes) = &stored.changes {
                folder.apply_checkpoint(&link.get_blob(changes).await?).await?;
            }
        }
        Ok(JobRun { job, folder, transcript, resumed, has_task, last_checkpoint: Default::default() })
    }

    async fn open_upload(&self, link: &FleetLink) -> Result<SessionUpload, UploadError> {
        let root_commit = root_commit(&self.folder.repo).await;
        let place = SessionPlace { folder: self.job.spec.repo.shown().to_string(), root_commit };
        SessionUpload::open(link, &session_id(self.job), &self.transcript, Some(place)).await
    }

    /// The child process: this program, with the job's home.
    async fn command(&self, worker: &Worker) -> anyhow::Result<SpawnSpec> {
        let program = std::env::current_exe().context("this program can't be found")?;
        let mut env: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        env.retain(|(name, _)| name != "CUTONCE_HOME");
        env.push(("CUTONCE_HOME".into(), self.folder.home.clone().into()));
        Ok(SpawnSpec::new(program, &self.folder.repo, env).args(self.arguments(worker).await?))
    }

    async fn arguments(&self, worker: &Worker) -> anyhow::Result<Vec<OsString>> {
        let spec = &self.job.spec;
        let session = session_id(self.job);
        let mut args: Vec<OsString> = Vec::new();
        let file = match &spec.text {
            Some(text) => Some(self.approved_file(&worker.link.get_text(text).await?)?),
            None => None,
        };
        match spec.kind {
            JobKind::Planning => args.push("plan".into()),
            JobKind::Implementation if self.has_task => args.push("-p".into()),
            JobKind::Implementation => args.extend(["implement".into(), "-p".into()]),
            JobKind::Rehearsal => args.extend(["rehearse".into(), "--json".into()]),
        }
        args.extend(model_arguments(self.job, worker));
        if spec.kind == JobKind::Rehearsal {
            args.extend(file.map(OsString::from));
            return Ok(args);
        }
        args.extend(["--output-format".into(), "json".into()]);
        args.extend([if self.resumed { "--resume".into() } else { "--session-id".into() }, session.into()]);
        args.extend(worker.flag.iter().flat_map(|flag| ["--settings".into(), OsString::from(flag)]));
        if spec.kind == JobKind::Implementation {
            args.extend(["--permission-mode".into(), "acceptEdits".into()]);
        }
        let task = spec.task.clone().map(OsString::from);
        let first = if self.has_task { Some(CONTINUE.into()) } else { task.or(file.map(OsString::from)) };
        if let (false, Some(sha256)) = (self.has_task, &spec.sha256) {
            args.extend(["--allow-stale".into(), "--sha256".into(), sha256.into()]);
        }
        args.push("--".into());
        args.extend(first);
        Ok(args)
    }

    /// Writes the approved text, after checking that it is the approved one.
    fn approved_file(&self, text: &str) -> anyhow::Result<PathBuf> {
        let is = text_hash(text);
        if self.job.spec.sha256.as_deref() != Some(is.as_str()) {
            anyhow::bail!("the text differs from the approved one: its SHA-256 is {is}");
        }
        self.folder.write("approved.md", text.as_bytes())
    }

    /// Publishes the transcript until the job ended and everything is stored. The file keeps what a failing server
    /// did not take; only what can't become better ends this early.
    async fn publish(
        &self,
        link: &FleetLink,
        upload: &mut SessionUpload,
        child_ended: &CancellationToken,
    ) -> Result<(), UploadError> {
        loop {
            let is_last = child_ended.is_cancelled();
            match upload.push(link, async || self.checkpoint(link).await.map(Some)).await {
                Ok(true) => continue,
                Ok(false) if is_last => return Ok(()),
                Ok(false) => {}
                Err(UploadError::Overtaken) => return Err(UploadError::Overtaken),
                Err(error @ UploadError::Checkpoint(_)) if is_last => return Err(error),
                Err(error) => tracing::warn!("{error}"),
            }
            tokio::select! {
                () = child_ended.cancelled(), if !is_last => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }

    /// Stores the work so far, if it changed. Each record names it, so that none depends on an earlier one.
    async fn checkpoint(&self, link: &FleetLink) -> Result<BlobRef, UploadError> {
        let bytes = self.folder.checkpoint().await.map_err(|error| UploadError::Checkpoint(format!("{error:#}")))?;
        let mut last = self.last_checkpoint.lock().await;
        if let Some((known, stored)) = &*last
            && *known == bytes
        {
            return Ok(stored.clone());
        }
        let stored = link.put_blob(&bytes).await?;
        *last = Some((bytes, stored.clone()));
        Ok(stored)
    }

    async fn collect(&self, link: &FleetLink, output: ProgramOutput) -> anyhow::Result<JobResult> {
        let frame: Value = last_json(&output.stdout).unwrap_or_default();
        let failed = frame["is_error"].as_bool().unwrap_or(false);
        let drifted = output.exit == ProcessExit::Exited(DRIFTED.into());
        let text = |name: &str| frame[name].as_str().map(str::to_string);
        let summary = match (output.is_success() && !failed, drifted) {
            (true, _) => result_line(text("result").as_deref().unwrap_or("done")),
            (false, true) => "done, but it differs from the approved text; see the report".to_string(),
            (false, false) => failure(&output, &frame),
        };
        let is_done = (output.is_success() && !failed) || drifted;
        let written = text("plan").filter(|_| self.job.spec.kind == JobKind::Planning);
        let state = match (is_done, self.job.spec.kind) {
            (false, _) => JobState::Failed,
            (true, JobKind::Planning) => JobState::Waiting,
            (true, _) => JobState::Done,
        };
        let patch = match self.job.spec.kind {
            JobKind::Implementation => Some(link.put_blob(&self.folder.changes().await?).await?),
            JobKind::Rehearsal => match text("diff") {
                Some(diff) => Some(link.put_blob(diff.as_bytes()).await?),
                None => None,
            },
            JobKind::Planning => None,
        };
        let (mut state, mut summary, mut pushed) = (state, summary, None);
        let wanted = self.job.spec.push.as_ref().filter(|_| state == JobState::Done);
        if wanted.is_some() && drifted {
            summary.push_str("; not pushed");
        } else if let Some(branch) = wanted {
            match self.folder.push(self.job, branch).await {
                Ok(branch) => pushed = Some(branch),
                // The work is done and can be fetched, but what was asked for did not happen.
                Err(error) => (state, summary) = (JobState::Failed, format!("done, but not pushed: {error:#}")),
            }
        }
        Ok(JobResult {
            state,
            summary,
            pushed,
            session: session_id(self.job),
            attempt: self.job.attempts + 1,
            sha256: written.as_deref().map(text_hash),
            text: match written {
                Some(written) => Some(link.put_text(&written).await?),
                None => None,
            },
            text_name: text("slug"),
            patch,
            base: Some(self.folder.base.clone()),
            report: Some(link.put_blob(serde_json::to_string_pretty(&frame)?.as_bytes()).await?),
            dead: false,
        })
    }
}

/// Waits until the job wrote nothing for the time `idle`, or runs for the time `most`. Returns how long it ran.
async fn wait_for_hang(transcript: &Path, idle: Duration, most: Duration) -> Duration {
    let started = Instant::now();
    let size = || transcript.metadata().map_or(0, |meta| meta.len());
    let (mut last_entry, mut known) = (started, size());
    loop {
        tokio::time::sleep_until((last_entry + idle).min(started + most)).await;
        let now = size();
        if now == known || started.elapsed() >= most {
            return started.elapsed();
        }
        (last_entry, known) = (Instant::now(), now);
    }
}

fn is_user_entry(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|entry| entry["type"] == "user")
}

/// The session of a job; another round of the same job is another session.
fn session_id(job: &FleetJob) -> String {
    match job.generation {
        1 => job.spec.id.clone(),
        round => format!("{}-{round}", job.spec.id),
    }
}

fn model_arguments(job: &FleetJob, worker: &Worker) -> Vec<OsString> {
    let mut args = Vec::new();
    args.extend(job.spec.model.iter().flat_map(|model| ["--model".into(), OsString::from(model)]));
    let budget = match (job.spec.budget_usd, worker.settings.budget_usd) {
        (Some(asked), Some(most)) => Some(asked.min(most)),
        (asked, most) => asked.or(most),
    };
    args.extend(budget.into_iter().flat_map(|usd| ["--max-budget-usd".into(), OsString::from(usd.to_string())]));
    args
}

/// The last line of the output that is a JSON object.
fn last_json(stdout: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(stdout);
    if let Ok(whole @ Value::Object(_)) = serde_json::from_str(text.trim()) {
        return Some(whole);
    }
    text.lines().rev().find_map(|line| serde_json::from_str::<Value>(line).ok().filter(Value::is_object))
}

fn failure(output: &ProgramOutput, frame: &Value) -> String {
    let told = frame["errors"].as_array().and_then(|errors| errors.first()).and_then(Value::as_str);
    let told = told.or_else(|| frame["result"].as_str()).filter(|text| !text.is_empty());
    let how = match output.exit {
        ProcessExit::Exited(code) => format!("code {code}"),
        ProcessExit::Signalled(signal) => format!("signal {signal}"),
    };
    format!("failed ({how}): {}", result_line(told.unwrap_or(&output.last_error())))
}

/// What a list of jobs shows of a result.
fn result_line(text: &str) -> String {
    with_ellipsis(first_line(text).to_string(), 300)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[tokio::test]
    async fn fl_3_hung_job_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let transcript = folder.path().join("t.jsonl");
        let (short, long) = (Duration::from_millis(20), Duration::from_secs(3600));
        assert!(wait_for_hang(&transcript, short, long).await < long, "it writes nothing");
        let mut file = std::fs::File::create(&transcript).unwrap();
        let writes = async {
            loop {
                writeln!(file, "entry").unwrap();
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            () = writes => {}
            ran = wait_for_hang(&transcript, short, 5 * short) => assert!(ran >= 5 * short, "entries keep it alive"),
        }
    }
}
