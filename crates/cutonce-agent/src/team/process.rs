//! Teammates that this process keeps running: sessions of its own, and programs of their own. A program that dies is started
//! again and goes on where its transcript ends (TM-2).

use super::record::Member;
use super::template::Template;
use crate::session::Session;
use crate::start::Start;
use cutonce_core::mail::TeammateState;
use cutonce_core::submission::{Submission, TeamNews};
use cutonce_sandbox::{Ended, Output, Spawn};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::sync::mpsc::WeakUnboundedSender;
use tokio_util::sync::CancellationToken;

/// Started again this often in a row; one that dies at once would otherwise do so for ever.
const LIVES: u32 = 3;
/// A life that lasted this long was no failed start.
const LASTED: Duration = Duration::from_secs(60);
/// How long a program may take to end by itself.
const GRACE: Duration = Duration::from_secs(5);
/// What is kept of its output, to say why it died.
const TAIL: usize = 2000;

/// Something that runs; dropped, it ends.
pub enum Running {
    Here { session: Session, over: Over },
    Program { stop: CancellationToken, over: Over },
}

/// Becomes true when it has ended.
type Over = tokio::sync::watch::Receiver<bool>;

impl Running {
    /// End it, keeping everything: it may take a moment.
    pub async fn end(&self) {
        match self {
            Running::Here { session, over } => {
                session.submit(Submission::Interrupt);
                session.submit(Submission::Close);
                let _ = tokio::time::timeout(GRACE, over.clone().wait_for(|over| *over)).await;
            }
            Running::Program { stop, over } => {
                let mut over = over.clone();
                let _ = tokio::time::timeout(GRACE, over.wait_for(|over| *over)).await;
                stop.cancel();
                let _ = over.wait_for(|over| *over).await;
            }
        }
    }
}

impl Running {
    /// The lead's session is over. One in this process must not be cut off by the end of the process: it has commands to end and
    /// folders to put away (AG-4). It goes on when the lead is resumed (TM-2).
    pub async fn rest(&self) {
        let over = match self {
            Running::Here { session, over } => {
                session.submit(Submission::Interrupt);
                session.submit(Submission::Close);
                over
            }
            Running::Program { stop, over } => {
                stop.cancel();
                over
            }
        };
        let _ = tokio::time::timeout(GRACE, over.clone().wait_for(|over| *over)).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        match self {
            Running::Here { session, .. } => session.submit(Submission::Close),
            Running::Program { stop, .. } => stop.cancel(),
        }
    }
}

/// In this process.
pub async fn here(start: Start, member: &Member, lead: WeakUnboundedSender<Submission>) -> Result<Running, String> {
    let opened = start.open().await.map_err(|error| error.to_string())?;
    let (mut events, name) = (opened.events, member.name.clone());
    let (ended, over) = tokio::sync::watch::channel(false);
    tokio::spawn(async move {
        while events.next().await.is_some() {}
        tell(&lead, TeamNews::State { name, state: TeammateState::Ended });
        let _ = ended.send(true);
    });
    Ok(Running::Here { session: opened.session, over })
}

/// As a program of its own.
pub fn program(
    template: &Template,
    team: &str,
    member: &Member,
    lead: WeakUnboundedSender<Submission>,
) -> Result<Running, String> {
    let start = &template.start;
    let Some(program) = start.program.clone() else {
        return Err("this program can't start teammates in processes of their own".into());
    };
    let mut env = start.env.clone();
    env.retain(|(name, _)| name != "CUTONCE_HOME");
    env.push(("CUTONCE_HOME".into(), start.home.clone().into()));
    let words = template.words(team, member);
    let cwd = start.cwd.clone();
    let spawn = move || Spawn::new(&program, &cwd, env.clone()).args(words.clone()).output(Output::Merged);
    let (stop, (ended, over)) = (CancellationToken::new(), tokio::sync::watch::channel(false));
    let (name, token) = (member.name.clone(), stop.clone());
    tokio::spawn(async move {
        lives(spawn, &name, &lead, &token).await;
        tell(&lead, TeamNews::State { name, state: TeammateState::Ended });
        let _ = ended.send(true);
    });
    Ok(Running::Program { stop, over })
}

async fn lives(
    spawn: impl Fn() -> Spawn,
    name: &str,
    lead: &WeakUnboundedSender<Submission>,
    stop: &CancellationToken,
) {
    let mut left = LIVES;
    loop {
        let began = std::time::Instant::now();
        let (ended, said) = match life(spawn(), stop).await {
            Ok(life) => life,
            Err(why) => return trouble(lead, format!("The teammate {name} could not be started: {why}")),
        };
        if stop.is_cancelled() || ended == Ended::Exited(0) {
            return;
        }
        left = if began.elapsed() > LASTED { LIVES } else { left - 1 };
        let how = match ended {
            Ended::Exited(code) => format!("with code {code}"),
            Ended::Signalled(signal) => format!("by signal {signal}"),
        };
        let next = if left > 0 { "It is started again." } else { "It is not started again." };
        trouble(lead, format!("The teammate {name} ended {how}. {next} {}", said.trim()));
        if left == 0 {
            return;
        }
    }
}

/// One run, and the end of what it printed.
async fn life(spawn: Spawn, stop: &CancellationToken) -> Result<(Ended, String), String> {
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
        let over = said.len().saturating_sub(TAIL);
        said.drain(..over);
    }
    let ended = tokio::select! {
        ended = running.wait() => ended,
        () = stop.cancelled() => { running.kill(); running.wait().await }
    };
    Ok((ended.map_err(|error| error.to_string())?, String::from_utf8_lossy(&said).into_owned()))
}

fn trouble(lead: &WeakUnboundedSender<Submission>, text: String) {
    tell(lead, TeamNews::Trouble { text });
}

fn tell(lead: &WeakUnboundedSender<Submission>, news: TeamNews) {
    if let Some(lead) = lead.upgrade() {
        let _ = lead.send(Submission::Team(news));
    }
}
