//! The `-p` front end: one prompt, the answer on stdout, an exit code (CL-1, CL-3). `stream_json` handles streams of
//! prompts.

mod approval_result;
mod first_message;
pub(crate) mod progress_line;

use crate::cli::args::{InputFormat, OutputFormat, RunFlags};
use crate::cli::usage::UsageError;
use crate::frontends::stop_signals::{RunEnd, STOPPED_AT_START, StopSignals, stdout_closed};
use crate::frontends::stream_json::frames::{FrameBuilder, failed_start_frame};
use crate::frontends::{plain, stream_json};
use crate::start::{self, StartedSession};
use cutonce_agent::{Approver, EventStream};
use cutonce_core::exit_code::{DRIFTED, FAILED, SUCCESS};
use cutonce_core::protocol::event::{EndReason, Event, EventKind, NoticeLevel, TurnSummary};
use cutonce_core::protocol::submission::{ImplementRequest, Submission};
use cutonce_core::text::number::count_noun;
use cutonce_core::text::sanitize::sanitize;
use progress_line::HeadlessProgress;
use std::io::{IsTerminal, Read, Write};

pub struct PrintOptions {
    pub output: OutputFormat,
    pub partial: bool,
    pub verbose: bool,
    /// The run was started to get a plan (`cutonce plan`): without one it failed (PM-76).
    pub wants_planning: bool,
    /// The run implements a plan: drift is a result of its own (PC-35).
    pub implements: bool,
}

/// The first input of a run.
pub enum FirstInput {
    /// A prompt that the user typed.
    Message(String),
    /// A prompt from standard input: others can have written it, so it calls no slash command.
    FromStdin(String),
    /// A prompt with piped input. Piped text comes from others, so `@` references in it are not expanded
    /// (HO-6).
    Piped { prompt: String, piped: String },
    /// A plan that the user approved by running `cutonce implement`.
    Implement(ImplementRequest),
}

/// Runs one prompt from the flags and stdin (CL-1). `wanted` names it in the error if it is missing.
pub async fn run_prompt(run: RunFlags, wanted: &str) -> anyhow::Result<u8> {
    let options = print_options(&run);
    run_prompt_with(run, wanted, options).await
}

/// Runs one prompt to get a plan (`cutonce plan`).
pub async fn run_planning(run: RunFlags, wanted: &str) -> anyhow::Result<u8> {
    let options = PrintOptions { wants_planning: true, ..print_options(&run) };
    run_prompt_with(run, wanted, options).await
}

async fn run_prompt_with(run: RunFlags, wanted: &str, options: PrintOptions) -> anyhow::Result<u8> {
    if run.input_format == InputFormat::StreamJson {
        return stream_json::run(run).await;
    }
    let opening = async {
        let prompt = prompt_with_stdin(run.prompt.as_deref(), wanted).await?;
        let started = start::open_session(&run, start::FrontendOptions { approver: Approver::Absent }).await?;
        Ok((started, prompt))
    };
    self::run(opening, options).await
}

/// Maximum size of a prompt on stdin.
const MAX_PIPED: u64 = 10 << 20;

/// Reads stdin if it is piped, in a thread: a pipe that stays open must not delay a signal (DU-1).
async fn read_piped() -> anyhow::Result<Vec<u8>> {
    let read = || {
        let mut piped = Vec::new();
        let stdin = std::io::stdin();
        if !stdin.is_terminal() {
            stdin.lock().take(MAX_PIPED + 1).read_to_end(&mut piped)?;
        }
        Ok(piped)
    };
    tokio::task::spawn_blocking(read).await?
}

/// Combines the prompt argument with stdin, if stdin is piped (CL-1).
async fn prompt_with_stdin(prompt: Option<&str>, wanted: &str) -> anyhow::Result<FirstInput> {
    let piped = read_piped().await?;
    if piped.len() as u64 > MAX_PIPED {
        anyhow::bail!("standard input is larger than 10 MB; name the file in the prompt so that the agent can read it");
    }
    let piped = String::from_utf8_lossy(&piped);
    let prompt = prompt.filter(|prompt| !prompt.trim().is_empty()).map(str::to_string);
    let piped = Some(piped.trim_end()).filter(|piped| !piped.trim().is_empty()).map(str::to_string);
    match (prompt, piped) {
        (Some(prompt), Some(piped)) => Ok(FirstInput::Piped { prompt, piped }),
        (Some(prompt), None) => Ok(FirstInput::Message(prompt)),
        (None, Some(piped)) => Ok(FirstInput::FromStdin(piped)),
        (None, None) => Err(UsageError(format!("no {wanted}: pass it as an argument or on standard input")).into()),
    }
}

/// Opens the session, runs it to its end and returns the exit code. A signal ends the run in every state (DU-1).
pub async fn run(
    opening: impl Future<Output = anyhow::Result<(StartedSession, FirstInput)>>,
    options: PrintOptions,
) -> anyhow::Result<u8> {
    let mut signals = StopSignals::new()?;
    let (started, first) = match signals.or_stop(opening).await {
        Ok(opened) => opened?,
        Err(code) => return report_stopped_start(options.output, code),
    };
    let frames = FrameBuilder::new(&started, options.partial);
    let StartedSession { session, events, offered, .. } = started;
    session.submit(first_message::to_submission(first, &offered)?);
    session.submit(Submission::Close);
    let progress = HeadlessProgress::new(options.output == OutputFormat::Text && !options.verbose);
    let end = RunEnd::default();
    let mut run = PrintRun { options, frames, code: SUCCESS, progress, end, reader_gone: false };
    run.end.set_turn_runs(true);
    run.run_to_end(session, events, signals).await
}

/// Reports a signal that came before there was a session.
fn report_stopped_start(output: OutputFormat, code: u8) -> anyhow::Result<u8> {
    match output {
        OutputFormat::Text => eprintln!("cutonce: interrupted before the session started"),
        OutputFormat::Json | OutputFormat::StreamJson => print_line(&failed_start_frame("", STOPPED_AT_START))?,
    }
    Ok(code)
}

pub fn print_options(run: &RunFlags) -> PrintOptions {
    let (output, partial, verbose) = (run.output_format, run.include_partial_messages, run.verbose);
    PrintOptions { output, partial, verbose, wants_planning: false, implements: false }
}

struct PrintRun {
    options: PrintOptions,
    frames: FrameBuilder,
    code: u8,
    /// Shown on a terminal while the run works.
    progress: Option<HeadlessProgress>,
    end: RunEnd,
    /// Nothing reads our frames any more.
    reader_gone: bool,
}

impl PrintRun {
    async fn run_to_end(
        &mut self,
        session: cutonce_agent::Session,
        mut events: EventStream,
        mut signals: StopSignals,
    ) -> anyhow::Result<u8> {
        // A program that reads frames and is gone takes its run with it; the reader of a text may leave early.
        let watched = self.options.output == OutputFormat::StreamJson;
        let mut reader_gone = std::pin::pin!(stdout_closed());
        loop {
            tokio::select! {
                biased;
                code = signals.next() => if self.shut_down(&session, code) { return Ok(self.code) },
                () = &mut reader_gone, if watched && !self.reader_gone => {
                    self.reader_gone = true;
                    self.shut_down(&session, FAILED);
                }
                event = events.next() => match event {
                    None => return Ok(self.code),
                    Some(event) => self.handle_event(&event)?,
                },
                () = self.end.reached() => return Ok(self.code),
                () = tokio::time::sleep(progress_line::TICK), if self.progress.is_some() => {
                    self.progress.iter_mut().for_each(HeadlessProgress::draw);
                },
            }
        }
    }

    /// Ends the session (DU-1). Returns true at the second signal: then the turn's end is not waited for either.
    fn shut_down(&mut self, session: &cutonce_agent::Session, code: u8) -> bool {
        let again = self.end.is_stopped();
        self.code = code;
        self.end.stop();
        session.submit(Submission::Shutdown);
        again
    }

    fn handle_event(&mut self, event: &Event) -> anyhow::Result<()> {
        if self.options.verbose && self.options.output != OutputFormat::StreamJson {
            plain::log_event(event);
        }
        self.progress.iter_mut().for_each(|line| line.on_event(event));
        let mut frames = self.frames.event_frames(event);
        if let (EventKind::TurnEnded(ended), Some(result)) = (&event.kind, frames.last_mut())
            && let Some(why) = self.missing_text_error(ended)
        {
            result["is_error"] = true.into();
            result["errors"] = vec![why].into();
        }
        if self.options.output == OutputFormat::StreamJson && !self.reader_gone {
            for frame in &frames {
                print_line(frame)?;
            }
        }
        match &event.kind {
            EventKind::TurnStarted => self.end.set_turn_runs(true),
            EventKind::TurnEnded(ended) => {
                self.turn_ended(ended, frames.last())?;
                self.end.set_turn_runs(false);
            }
            EventKind::Notice { level: NoticeLevel::Warning | NoticeLevel::Error, text } if !self.options.verbose => {
                self.progress.iter_mut().for_each(HeadlessProgress::erase);
                eprintln!("cutonce: {}", sanitize(text));
            }
            _ => {}
        }
        Ok(())
    }

    fn turn_ended(&mut self, ended: &TurnSummary, result: Option<&serde_json::Value>) -> anyhow::Result<()> {
        match (self.options.output, result) {
            (OutputFormat::Json, Some(result)) => print_line(result)?,
            (OutputFormat::Text, _) => print_text(ended)?,
            (OutputFormat::Json | OutputFormat::StreamJson, _) => {}
        }
        let failed = failure_text(&ended.reason).or_else(|| self.missing_text_error(ended));
        if let Some(why) = &failed
            && self.options.output == OutputFormat::Text
        {
            eprintln!("cutonce: {}", sanitize(why));
        }
        self.report_written(ended);
        let as_text = self.options.output == OutputFormat::Text && !self.options.verbose;
        if let Some(report) = ended.report.as_ref().filter(|_| as_text) {
            eprint!("{}", sanitize(&report.text()));
        }
        if !self.end.is_stopped() {
            let drifted = self.options.implements && ended.report.as_ref().is_some_and(|report| report.drift);
            let stopped = matches!(ended.reason, EndReason::Failed { .. } | EndReason::Interrupted { .. });
            self.code = match failed.is_some() {
                true if stopped || !drifted => FAILED,
                _ if drifted => DRIFTED,
                _ => SUCCESS,
            };
        }
        Ok(())
    }
}

/// Prints the plan if there is one (PM-76), else the last answer.
fn print_text(ended: &TurnSummary) -> std::io::Result<()> {
    let written = approval_result::written_text(ended);
    let text = written.map_or(ended.text.as_str(), |(text, _)| text).trim_end();
    if text.is_empty() {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    if !out.is_terminal() {
        // A file gets the bytes unchanged (TL-10), in pieces, so that a slow reader takes only what it reads.
        for piece in text.as_bytes().chunks(PIECE) {
            out.write_all(piece)?;
            out.flush()?;
        }
        writeln!(out)?;
        return out.flush();
    }
    // A terminal would execute control sequences, and a user does not scroll through a million lines.
    let (shown, left_out) = crate::output::first_page(text);
    writeln!(out, "{}", sanitize(shown))?;
    out.flush()?;
    if left_out > 0 {
        let whole = written.map_or(String::new(), |(_, path)| format!(" The whole plan is in {}.", sanitize(path)));
        eprintln!("cutonce: {left_out} more lines are not shown.{whole} Redirect the output to get all of it.");
    }
    Ok(())
}

/// Bytes that are written to a file or pipe at once.
const PIECE: usize = 64 << 10;

/// Explains what failed and what to do; `None` for a completed turn.
fn failure_text(reason: &EndReason) -> Option<String> {
    match reason {
        EndReason::Completed => None,
        EndReason::Interrupted { .. } => Some("interrupted; continue with --continue".into()),
        EndReason::MaxTurns(n) => {
            let requests = count_noun(*n as usize, "request");
            Some(format!("stopped after {requests} (--max-turns); continue with --continue or raise the limit"))
        }
        EndReason::MaxBudget => {
            Some("stopped: the budget (--max-budget-usd) is used up; continue with --continue".into())
        }
        EndReason::Failed { message, .. } => Some(message.clone()),
    }
}

fn print_line(value: &serde_json::Value) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, value)?;
    out.write_all(b"\n")?;
    out.flush()
}
