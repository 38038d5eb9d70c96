//! `-p`: one prompt, the answer on standard output, an exit code (CL-1, CL-3). Streams of prompts are the business of `sdk`.

use crate::cli::OutputFormat;
use crate::frames::Frames;
use crate::start::Started;
use cutonce_agent::Events;
use cutonce_core::approval;
use cutonce_core::event::{EndReason, Ended, Event, EventKind, Level};
use cutonce_core::harmless::harmless;
use cutonce_core::submission::Submission;
use std::io::{IsTerminal, Write};
use tokio::signal::unix::{Signal, SignalKind, signal};

pub struct Headless {
    pub output: OutputFormat,
    pub partial: bool,
    pub verbose: bool,
}

/// What the run begins with.
pub enum First {
    Say(String),
    /// With what was piped in: text of others, in which nothing is looked up (HO-6).
    Piped {
        prompt: String,
        piped: String,
    },
    /// A plan that was approved by running the command.
    Implement {
        plan: String,
        path: String,
    },
}

/// What the process returns (CL-3).
pub const DONE: u8 = 0;
pub const FAILED: u8 = 1;
pub const INTERRUPTED: u8 = 130;
pub const TERMINATED: u8 = 143;

/// Run to the end and give the exit code.
pub async fn run(started: Started, prompt: Option<First>, face: Headless) -> anyhow::Result<u8> {
    let frames = Frames::new(&started, face.partial);
    let Started { session, events, offered, .. } = started;
    match prompt {
        Some(First::Say(text)) => session.say(crate::start::after_first(offered.first, text)),
        Some(First::Piped { prompt, piped }) => {
            let text = crate::start::after_first(offered.first, format!("{prompt}\n\n{piped}"));
            let (typed, allow) = (Some(prompt), Vec::new());
            session.submit(Submission::Prompt { text, images: Vec::new(), allow, model: None, typed });
        }
        Some(First::Implement { plan, path }) => session.submit(Submission::Implement { plan, path }),
        None => {}
    }
    session.submit(Submission::Close);
    let mut run = Run { face, frames, code: DONE };
    let signals = Signals::new()?;
    run.drive(session, events, signals).await
}

pub struct Signals {
    pub int: Signal,
    pub term: Signal,
}

impl Signals {
    pub fn new() -> std::io::Result<Self> {
        Ok(Self { int: signal(SignalKind::interrupt())?, term: signal(SignalKind::terminate())? })
    }
}

struct Run {
    face: Headless,
    frames: Frames,
    code: u8,
}

impl Run {
    async fn drive(
        &mut self,
        session: cutonce_agent::Session,
        mut events: Events,
        mut signals: Signals,
    ) -> anyhow::Result<u8> {
        loop {
            tokio::select! {
                biased;
                _ = signals.int.recv() => { self.code = INTERRUPTED; session.submit(Submission::Leave); }
                _ = signals.term.recv() => { self.code = TERMINATED; session.submit(Submission::Leave); }
                event = events.next() => match event {
                    None => return Ok(self.code),
                    Some(event) => self.show(&event)?,
                },
            }
        }
    }

    fn show(&mut self, event: &Event) -> anyhow::Result<()> {
        if self.face.verbose && self.face.output != OutputFormat::StreamJson {
            crate::plain::log(event);
        }
        let mut frames = self.frames.of(event);
        if let (EventKind::TurnEnded(ended), Some(result)) = (&event.kind, frames.last_mut())
            && let Some(why) = self.no_plan(ended)
        {
            result["is_error"] = true.into();
            result["errors"] = vec![why].into();
        }
        if self.face.output == OutputFormat::StreamJson {
            for frame in &frames {
                print_line(frame)?;
            }
        }
        match &event.kind {
            EventKind::TurnEnded(ended) => self.ended(ended, frames.last())?,
            EventKind::Notice { level: Level::Warning | Level::Error, text } if !self.face.verbose => {
                eprintln!("cutonce: {}", harmless(text));
            }
            _ => {}
        }
        Ok(())
    }

    fn ended(&mut self, ended: &Ended, result: Option<&serde_json::Value>) -> anyhow::Result<()> {
        match (self.face.output, result) {
            (OutputFormat::Json, Some(result)) => print_line(result)?,
            (OutputFormat::Text, _) => print_text(ended)?,
            (OutputFormat::Json | OutputFormat::StreamJson, _) => {}
        }
        let failed = explain(&ended.reason).or_else(|| self.no_plan(ended));
        if let Some(why) = &failed
            && self.face.output == OutputFormat::Text
        {
            eprintln!("cutonce: {}", harmless(why));
        }
        if self.code == DONE || self.code == FAILED {
            self.code = if failed.is_some() { FAILED } else { DONE };
        }
        Ok(())
    }

    /// PM-76: a run in plan mode that ends without any plan has failed.
    fn no_plan(&self, ended: &Ended) -> Option<String> {
        let plan = ended.plan.as_ref()?;
        let said = approval::headless(&plan.found, &plan.path);
        (said.exit_code != 0).then_some(said.text)
    }
}

/// The plan where there is one (PM-76), else what the model said last.
fn print_text(ended: &Ended) -> std::io::Result<()> {
    let plan = ended.plan.as_ref().and_then(|plan| plan.found.text());
    let text = plan.unwrap_or(&ended.text).trim_end();
    if !text.is_empty() {
        let mut out = std::io::stdout().lock();
        // A terminal obeys what a file gets as it is (TL-10).
        let text = if out.is_terminal() { harmless(text) } else { text.into() };
        writeln!(out, "{text}")?;
        out.flush()?;
    }
    Ok(())
}

/// What failed and what to do, or None for a turn that completed.
fn explain(reason: &EndReason) -> Option<String> {
    match reason {
        EndReason::Completed => None,
        EndReason::Interrupted { .. } => Some("interrupted; go on with --continue".into()),
        EndReason::MaxTurns(n) => {
            Some(format!("stopped after {n} requests (--max-turns); go on with --continue or a higher limit"))
        }
        EndReason::MaxBudget => Some("stopped: the budget (--max-budget-usd) is used up; go on with --continue".into()),
        EndReason::Failed { message, .. } => Some(message.clone()),
    }
}

fn print_line(value: &serde_json::Value) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, value)?;
    out.write_all(b"\n")?;
    out.flush()
}
