//! Publishes the transcript of a session that has a remote (FL-1, FL-4).
//!
//! It runs on a thread of its own and reads only the transcript file, so it can't slow the session down. What a
//! partition or a restart left out is uploaded later, from the file.

use crate::cli::args::RunFlags;
use crate::commands::program_run::root_commit;
use crate::commands::remote_link;
use crate::review_uplink::ReviewUplink;
use crate::start::SessionDirs;
use anyhow::Context;
use cutonce_agent::Session;
use cutonce_agent::storage::ProjectSessions;
use cutonce_agent::storage::paths::{valid_id, write_private};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::text::sanitize::sanitize;
use cutonce_fleet::remote_record::remotes_dir;
use cutonce_fleet::session_log::{SessionPlace, SessionUpload, StoredSession, UploadError};
use cutonce_fleet::{FleetError, FleetLink};
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, mpsc};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often the file is looked at.
const POLL: Duration = Duration::from_millis(300);
/// How long a failed server is left alone.
const PAUSE: Duration = Duration::from_secs(3);
/// How long the end of the program waits for the rest.
const LAST_UPLOAD: Duration = Duration::from_secs(5);

/// Uplinks of this process, to be finished at its end.
static RUNNING: Mutex<Vec<UplinkHandle>> = Mutex::new(Vec::new());

struct UplinkHandle {
    stop: CancellationToken,
    done: mpsc::Receiver<()>,
}

/// The remote of a session: the flag, or the setting. Without any remote on this machine nothing is read.
pub fn remote_of(run: &RunFlags, home: &Path) -> Option<String> {
    if run.session.remote.is_some() || !remotes_dir(home).is_dir() {
        return run.session.remote.clone();
    }
    remote_link::settings(run.settings.as_deref()).ok()?.remote
}

/// Publishes the transcript from now on.
pub fn start(remote: String, run: &RunFlags, place: &SessionDirs, session: &Session) {
    let settings = remote_link::settings(run.settings.as_deref()).unwrap_or_default();
    let (stop, (ended, done)) = (CancellationToken::new(), mpsc::channel());
    let uplink = SessionUplink {
        remote,
        review: ReviewUplink::new(session, place.cwd.display().to_string(), &settings),
        home: place.home.clone(),
        cwd: place.cwd.clone(),
        id: session.id().into(),
        transcript: session.transcript().into(),
        stop: stop.clone(),
    };
    let run = move || {
        if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
            runtime.block_on(async {
                let collected = async {
                    uplink.review.collect().await;
                    std::future::pending::<()>().await;
                };
                tokio::select! {
                    () = uplink.run() => {}
                    () = collected => {}
                }
            });
        }
        let _ = ended.send(());
    };
    match std::thread::Builder::new().name("uplink".into()).spawn(run) {
        Ok(_) => RUNNING.lock_unpoisoned().push(UplinkHandle { stop, done }),
        Err(error) => tracing::warn!("the session is not published: {error}"),
    }
}

/// Uploads what is left, for a bounded time. Called at the end of the program.
pub async fn finish() {
    let running = std::mem::take(&mut *RUNNING.lock_unpoisoned());
    if running.is_empty() {
        return;
    }
    running.iter().for_each(|uplink| uplink.stop.cancel());
    let wait = move || {
        let deadline = std::time::Instant::now() + LAST_UPLOAD;
        for uplink in running {
            let _ = uplink.done.recv_timeout(deadline.saturating_duration_since(std::time::Instant::now()));
        }
    };
    // The program's thread stays free, so that a signal does not end the upload early.
    let _ = tokio::task::spawn_blocking(wait).await;
}

struct SessionUplink {
    remote: String,
    home: PathBuf,
    cwd: PathBuf,
    id: String,
    transcript: PathBuf,
    review: ReviewUplink,
    stop: CancellationToken,
}

impl SessionUplink {
    async fn run(&self) {
        loop {
            match self.publish().await {
                Ok(()) => return,
                Err(UploadError::Overtaken) => {
                    eprintln!("cutonce: {}", UploadError::Overtaken);
                    return;
                }
                Err(error) => tracing::warn!("{error}; trying again"),
            }
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }

    /// Publishes until the session ends; fails if the server does.
    async fn publish(&self) -> Result<(), UploadError> {
        let link = connect_as_member(&self.home, &self.remote).await?;
        let upload = self.upload(&link);
        tokio::pin!(upload);
        tokio::select! {
            done = &mut upload => return done,
            ended = self.review.run(&link) => ended?,
        }
        upload.await
    }

    async fn upload(&self, link: &FleetLink) -> Result<(), UploadError> {
        let place = SessionPlace { folder: self.cwd.display().to_string(), root_commit: root_commit(&self.cwd).await };
        let mut upload = SessionUpload::open(link, &self.id, &self.transcript, Some(place)).await?;
        loop {
            let stops = self.stop.is_cancelled();
            while upload.push(link, async || Ok(None)).await? {}
            self.review.all_events.publish(link, &self.id).await?;
            if stops && !upload.is_behind() {
                return Ok(());
            }
            tokio::select! {
                () = self.stop.cancelled(), if !self.stop.is_cancelled() => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }
}

/// `--resume ID --remote NAME`: brings the session of another machine here, if it is newer (FL-4).
pub async fn fetch_resumed(run: &RunFlags, place: &SessionDirs) -> anyhow::Result<()> {
    let Some(id) = run.session.resume.as_deref().filter(|id| valid_id(id)) else { return Ok(()) };
    let local = ProjectSessions::new(&place.home, &place.cwd).transcript(id);
    let is_here = local.exists()
        || cutonce_agent::storage::find_session(&ProjectSessions::new(&place.home, &place.cwd), id).is_ok();
    // By the setting alone, only a session that is not here is looked for elsewhere.
    if run.session.remote.is_none() && is_here {
        return Ok(());
    }
    let Some(remote) = remote_of(run, &place.home) else { return Ok(()) };
    let link = match connect_as_member(&place.home, &remote).await {
        Ok(link) => link,
        Err(error) if is_here => {
            eprintln!("cutonce: {}; continuing with the session as it is here", sanitize(&error.to_string()));
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let Some(stored) = link.read_session(id).await? else { return Ok(()) };
    remote_link::tell_faults(&link);
    if !local.exists() {
        confirm_place(&stored, &place.cwd).await?;
    }
    take_over(&stored, &local)
}

async fn connect_as_member(home: &Path, remote: &str) -> Result<FleetLink, FleetError> {
    let link = FleetLink::connect(home, remote).await?;
    link.require_member()?;
    Ok(link)
}

/// Writes the newer transcript. Two machines that both continued a session are not merged.
fn take_over(stored: &StoredSession, local: &Path) -> anyhow::Result<()> {
    let theirs = stored.bytes();
    let ours = if local.exists() { std::fs::read(local)? } else { Vec::new() };
    if ours.starts_with(&theirs) {
        return Ok(());
    }
    if !theirs.starts_with(&ours) {
        anyhow::bail!(
            "the session {} was continued here and on another machine; continue one of them with --fork-session",
            local.file_stem().unwrap_or_default().to_string_lossy()
        );
    }
    write_private(local, &theirs).with_context(|| format!("can't write {}", local.display()))
}

/// The folder must be a clone of the same repository, else the user is asked.
async fn confirm_place(stored: &StoredSession, cwd: &Path) -> anyhow::Result<()> {
    let theirs = stored.place.as_ref().and_then(|place| place.root_commit.as_deref());
    // Two folders without a repository have nothing in common.
    if theirs.is_some() && theirs == root_commit(cwd).await.as_deref() {
        return Ok(());
    }
    let folder = stored.place.as_ref().map_or("another folder", |place| place.folder.as_str());
    let what = format!("the session ran in {}, and this folder is no clone of that repository", sanitize(folder));
    if !std::io::stdin().is_terminal() {
        anyhow::bail!("{what}; start in a clone of it");
    }
    eprintln!("cutonce: {what}. Continue here anyway? [y/N]");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    anyhow::ensure!(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"), "not continued");
    Ok(())
}
