//! Front ends: each one shows a session to a user or a program, and sends input back. This file chooses one
//! from the flags.

#[cfg(feature = "acp")]
pub mod acp;
mod end_guard;
pub mod plain;
pub mod print;
pub mod stop_signals;
pub mod stream_json;
pub mod teammate;
pub mod terminal;

use crate::cli::args::{InputFormat, OutputFormat, RunFlags};
use crate::cli::usage::{UsageError, require_persistence};
use crate::start;
use cutonce_agent::Approver;
use std::io::IsTerminal;

/// Starts the front end that the flags and the terminal call for.
pub async fn run(run: RunFlags) -> anyhow::Result<u8> {
    #[cfg(feature = "nats")]
    if run.session.resume.is_some() {
        let place = start::SessionDirs { home: start::home_dir()?, cwd: start::current_dir()? };
        crate::session_uplink::fetch_resumed(&run, &place).await?;
    }
    if run.input_format == InputFormat::StreamJson {
        return stream_json::run(run).await;
    }
    let headless = run.print || run.output_format != OutputFormat::Text || run.input_format != InputFormat::Text;
    if headless {
        return print::run_prompt(run, "prompt").await;
    }
    let run = require_persistence(run)?;
    if run.team.is_some() && !is_terminal() && !run.plain {
        let started = start::open_session(&run, start::FrontendOptions { approver: Approver::Absent }).await?;
        return teammate::run(started).await;
    }
    if !is_terminal() && !run.plain {
        return Err(UsageError(
            "no terminal: use -p \"prompt\" to print an answer, or --plain for a line-based conversation".into(),
        )
        .into());
    }
    if terminal::is_usable(&run) {
        return terminal::run(run, None).await;
    }
    plain::start_plain(run).await
}

/// True if both stdin and stdout are a terminal.
pub fn is_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}
