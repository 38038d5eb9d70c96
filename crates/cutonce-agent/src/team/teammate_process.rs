//! Running teammates: sessions in this process, or separate processes. A process that dies is restarted and resumes
//! from its transcript (TM-2).

use super::TeamError;
use super::record::Member;
use super::teammate_template::TeammateTemplate;
use crate::builder::SessionBuilder;
use crate::session::Session;
use cutonce_core::protocol::submission::{Submission, TeamUpdate};
use cutonce_core::team::TeammateState;
use cutonce_sandbox::{ProcessExit, SpawnSpec, StdoutMode};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::sync::mpsc::WeakUnboundedSender;
use tokio_util::sync::CancellationToken;

/// Maximum number of consecutive restarts, for processes that die right after the start.
const MAX_RESTARTS: u32 = 3;
/// A process that ran this long resets the restart counter.
const STABLE_AFTER: Duration = Duration::from_secs(60);
/// How long a process may take to exit by itself.
const GRACE: Duration = Duration::from_secs(5);
/// How many bytes of output to keep, to report why it died.
const OUTPUT_TAIL: usize = 2000;

/// A running teammate; ends when dropped.
pub enum RunningTeammate {
    InProcess { session: Session, over: EndedReceiver },
    OwnProcess { stop: CancellationToken, over: EndedReceiver },
}

/// Becomes true when the teammate has ended.
type EndedReceiver = tokio::sync::watch::Receiver<bool>;

impl RunningTeammate {
    /// Ends the teammate; may take a few seconds. Its transcript stays.
    pub async fn end(&self) {
        match self {
            RunningTeammate::InProcess { session, over } => {
                session.submit(Submission::Interrupt);
                session.submit(Submission::Close);
                let _ = tokio::time::timeout(GRACE, over.clone().wait_for(|over| *over)).await;
            }
            RunningTeammate::OwnProcess { stop, over } => {
                let mut over = over.clone();
                let _ = tokio::time::timeout(GRACE, over.wait_for(|over| *over)).await;
                stop.cancel();
                let _ = over.wait_for(|over| *over).await;
            }
        }
    }
}

impl RunningTeammate {
    /// Ends the teammate with the lead's session. One in this process must finish first, because it has commands to
    /// stop and folders to clean up (AG-4). Resuming the lead resumes it (TM-2).
    pub async fn end_with_lead(&self) {
        let over = match self {
            RunningTeammate::InProcess { session, over } => {
                session.submit(Submission::Interrupt);
                session.submit(Submission::Close);
                over
            }
            RunningTeammate::OwnProcess { stop, over } => {
                stop.cancel();
                over
            }
        };
        let _ = tokio::time::timeout(GRACE, over.clone().wait_for(|over| *over)).await;
    }
}

impl Drop for RunningTeammate {
    fn drop(&mut self) {
        match self {
            RunningTeammate::InProcess { session, .. } => session.submit(Submission::Close),
            RunningTeammate::OwnProcess { stop, .. } => stop.cancel(),
        }
    }
}

/// Starts a teammate in this process.
pub async fn start_in_process(
    start: SessionBuilder,
    member: &Member,
    lead: WeakUnboundedSender<Submission>,
) -> Result<RunningTeammate, TeamError> {
    let opened = start.open().await.map_err(|error| error.to_string())?;
    let (mut events, name) = (opened.events, member.name.clone());
    let (ended, over) = tokio::sync::watch::channel(false);
    tokio::spawn(async move {
        while events.next().await.is_some() {}
        send_news(&lead, TeamUpdate::State { name, state: TeammateState::Ended });
        let _ = ended.send(true);
    });
    Ok(RunningTeammate::InProcess { session: opened.session, over })
}

/// Starts a teammate in its own process.
pub fn start_own_process(
    template: &TeammateTemplate,
    team: &str,
    member: &Member,
    lead: WeakUnboundedSender<Submission>,
) -> Result<RunningTeammate, TeamError> {
    let start = &template.config;
    let Some(program) = start.team.program.clone() else {
        return Err("this program can't start teammates in their own process".into());
    };
    let mut env = start.env.clone();
    env.retain(|(name, _)| name != "CUTONCE_HOME");
    env.push(("CUTONCE_HOME".into(), start.dirs.home.clone().into()));
    let words = template.command_line(team, member);
    let cwd = start.dirs.cwd.clone();
    let spawn = move || SpawnSpec::new(&program, &cwd, env.clone()).args(words.clone()).output(StdoutMode::Merged);
    let (stop, (ended, over)) = (CancellationToken::new(), tokio::sync::watch::channel(false));
    let (name, token) = (member.name.clone(), stop.clone());
    tokio::spawn(async move {
        run_with_restarts(spawn, &name, &lead, &token).await;
        send_news(&lead, TeamUpdate::State { name, state: TeammateState::Ended });
        let _ = ended.send(true);
    });
    Ok(RunningTeammate::OwnProcess { stop, over })
}

async fn run_with_restarts(
    spawn: impl Fn() -> SpawnSpec,
    name: &str,
    lead: &WeakUnboundedSender<Submission>,
    stop: &CancellationToken,
) {
    let mut left = MAX_RESTARTS;
    loop {
        let began = std::time::Instant::now();
        let (ended, said) = match run_once(spawn(), stop).await {
            Ok(life) => life,
            Err(why) => return send_trouble(lead, format!("Could not start the teammate {name}: {why}")),
        };
        if stop.is_cancelled() || ended == ProcessExit::Exited(0) {
            return;
        }
        left = if began.elapsed() > STABLE_AFTER { MAX_RESTARTS } else { left - 1 };
        let how = match ended {
            ProcessExit::Exited(code) => format!("with code {code}"),
            ProcessExit::Signalled(signal) => format!("by signal {signal}"),
        };
        let next = if left > 0 { "Restarting it." } else { "It failed too often and is not restarted." };
        send_trouble(lead, format!("The teammate {name} ended {how}. {next} {}", said.trim()));
        if left == 0 {
            return;
        }
    }
}

/// Runs the process once and returns the end of its output.
async fn run_once(spawn: SpawnSpec, stop: &CancellationToken) -> Result<(ProcessExit, String), TeamError> {
    let mut running = spawn.start().map_err(|error| error.to_string())?;
    let mut out = running.stdout.take();
    let (mut said, mut chunk) = (Vec::new(), [0; 4096]);
    while let Some(stream) = &mut out {
        let read = tokio::select! {
            read = stream.read(&mut chunk) => read.unwrap_or(0),
            () = stop.cancelled() => { running.kill(); break }
        };
        if read == 0 {
            break;
        }
        said.extend_from_slice(&chunk[..read]);
        let over = said.len().saturating_sub(OUTPUT_TAIL);
        said.drain(..over);
    }
    let ended = tokio::select! {
        ended = running.wait() => ended,
        () = stop.cancelled() => { running.kill(); running.wait().await }
    };
    Ok((ended.map_err(|error| error.to_string())?, String::from_utf8_lossy(&said).into_owned()))
}

fn send_trouble(lead: &WeakUnboundedSender<Submission>, text: String) {
    send_news(lead, TeamUpdate::Problem { text });
}

fn send_news(lead: &WeakUnboundedSender<Submission>, news: TeamUpdate) {
    if let Some(lead) = lead.upgrade() {
        let _ = lead.send(Submission::Team(news));
    }
}
