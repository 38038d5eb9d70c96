//! Starts the terminal front end: when to use it, and how it opens sessions.

use crate::cli::args::{RunFlags, SessionFlags};
use crate::frontends::end_guard;
use crate::frontends::print::FirstInput;
use crate::start::{self, SessionDirs};
use cutonce_agent::Approver;
use cutonce_core::exit_code::{HUNG_UP, INTERRUPTED, TERMINATED};
use std::io::IsTerminal;

/// True if stdin and stdout are a capable terminal and `--plain` was not given.
pub fn is_usable(run: &RunFlags) -> bool {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    !run.plain && !dumb && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

pub async fn run(mut run: RunFlags, first: Option<FirstInput>) -> anyhow::Result<u8> {
    let no_earlier_session = start::nothing_to_continue(&run)?;
    run.session.r#continue &= !no_earlier_session;
    let place = SessionDirs { home: start::home_dir()?, cwd: start::current_dir()? };
    run_terminal(run, first, place, None, no_earlier_session).await
}

/// Runs in other folders, with a guide that explains the screen (ON-2).
pub async fn run_in(
    run: RunFlags,
    first: Option<FirstInput>,
    place: SessionDirs,
    guide: Option<cutonce_tui::Guide>,
) -> anyhow::Result<u8> {
    run_terminal(run, first, place, guide, false).await
}

async fn run_terminal(
    run: RunFlags,
    first: Option<FirstInput>,
    place: SessionDirs,
    guide: Option<cutonce_tui::Guide>,
    no_earlier_session: bool,
) -> anyhow::Result<u8> {
    let (home, cwd) = (place.home, place.cwd);
    // `--resume` without an id, or with a text that matches several sessions, opens the picker (UI-15).
    let picks = start::session_to_pick(&run)?;
    let which = if picks.is_some() { None } else { Some(start::select_session(&run)?) };
    let first = first.or(run.prompt.clone().map(FirstInput::Message)).map(|first| match first {
        FirstInput::Message(words) | FirstInput::FromStdin(words) => cutonce_tui::FirstSubmission::Message(words),
        FirstInput::Piped { prompt, piped } => cutonce_tui::FirstSubmission::Message(format!("{prompt}\n\n{piped}")),
        FirstInput::Implement(chosen) => cutonce_tui::FirstSubmission::Implement(chosen),
    });
    let flags = cutonce_tui::CommandLineRules {
        allow: crate::cli::args::split_rules(&run.permissions.allowed_tools),
        deny: crate::cli::args::split_rules(&run.permissions.disallowed_tools),
    };
    let options = cutonce_tui::TuiOptions {
        command_line_rules: flags,
        env: std::env::vars_os().collect(),
        version: env!("CARGO_PKG_VERSION"),
        fork: run.session.fork_session,
        opener: session_opener(run, SessionDirs { home: home.clone(), cwd: cwd.clone() }, no_earlier_session),
        selector: which,
        picker_search: picks.unwrap_or_default(),
        first_submission: first,
        doctor: crate::commands::doctor::report_text,
        setup: crate::commands::setup::choose_model,
        guide,
        home,
        cwd,
    };
    end_guard::watch(&[(libc::SIGTERM, TERMINATED), (libc::SIGHUP, HUNG_UP), (libc::SIGINT, INTERRUPTED)])?;
    Ok(cutonce_tui::run(options).await?)
}

/// Returns a function that opens sessions with the flags of the command line; the session itself is chosen
/// later. `no_earlier_session` means that `--continue` found no session.
pub fn session_opener(run: RunFlags, place: SessionDirs, no_earlier_session: bool) -> cutonce_tui::SessionOpener {
    let no_earlier_session = std::cell::Cell::new(no_earlier_session);
    #[cfg(feature = "nats")]
    let session = SessionFlags { remote: run.session.remote.clone(), ..SessionFlags::default() };
    #[cfg(not(feature = "nats"))]
    let session = SessionFlags::default();
    let run = std::sync::Arc::new(RunFlags { session, ..run });
    let place = std::sync::Arc::new(place);
    Box::new(move |job: cutonce_tui::OpenSessionRequest| {
        let start = start::session_start(&run, Approver::Present, &place);
        #[cfg(feature = "nats")]
        let (run, place) = (run.clone(), place.clone());
        let no_earlier_session = no_earlier_session.take();
        Box::pin(async move {
            let mut start = start.map_err(|error| open_error(format!("{error:#}"), false))?;
            (start.resume.selector, start.resume.fork) = (job.selector, job.fork);
            start.model.main = job.model.or(start.model.main);
            let opened = start.open().await;
            let mut opened = opened.map_err(|error| match error.is_missing_key() {
                true => open_error(first_sentence(&error.to_string()), true),
                false => open_error(error.to_string(), false),
            })?;
            #[cfg(feature = "nats")]
            start::publish_session(&run, &place, &opened.session);
            opened.notices.extend(no_earlier_session.then(|| start::NOTHING_TO_CONTINUE.to_string()));
            Ok(opened)
        })
    })
}

/// The terminal names /setup and /model instead of flags and variables.
fn first_sentence(text: &str) -> String {
    text.split_once(". ").map_or(text.to_string(), |(first, _)| format!("{first}."))
}

fn open_error(message: String, needs_setup: bool) -> cutonce_tui::OpenSessionError {
    cutonce_tui::OpenSessionError { message, needs_setup }
}
