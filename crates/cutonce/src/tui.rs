//! Hands over to the terminal face: when it fits, and how it opens sessions.

use crate::cli::Run;
use crate::headless::First;
use crate::start::{self, Place};
use cutonce_agent::Approver;
use std::io::IsTerminal;

/// A terminal that can be drawn on, and nobody asked for lines.
pub fn fits(run: &Run) -> bool {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    !run.plain && !dumb && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

pub async fn run(mut run: Run, first: Option<First>) -> anyhow::Result<u8> {
    let anew = start::begins_anew(&run)?;
    run.r#continue &= !anew;
    let (home, cwd) = (start::home()?, start::cwd()?);
    // `--resume` without an id, or with words that several fit: the person picks (UI-15).
    let picks = start::to_pick(&run)?;
    let which = if picks.is_some() { None } else { Some(start::which(&run)?) };
    let first = first.or(run.prompt.clone().map(First::Say)).map(|first| match first {
        First::Say(words) => cutonce_tui::First::Say(words),
        First::Piped { prompt, piped } => cutonce_tui::First::Say(format!("{prompt}\n\n{piped}")),
        First::Implement { plan, path } => cutonce_tui::First::Implement { plan, path },
    });
    let flags = cutonce_tui::Flags {
        allow: crate::cli::split_rules(&run.allowed_tools),
        deny: crate::cli::split_rules(&run.disallowed_tools),
    };
    let face = cutonce_tui::Face {
        flags,
        env: std::env::vars_os().collect(),
        version: env!("CARGO_PKG_VERSION"),
        fork: run.fork_session,
        open: opener(run, Place { home: home.clone(), cwd: cwd.clone() }, anew),
        which,
        words: picks.unwrap_or_default(),
        first,
        doctor: crate::doctor::text,
        home,
        cwd,
    };
    Ok(cutonce_tui::run(face).await?)
}

/// Opens sessions as the command line says, but which one is chosen later.
/// `anew`: the first was to go on with another, and there is none.
pub fn opener(run: Run, place: Place, anew: bool) -> cutonce_tui::Open {
    let anew = std::cell::Cell::new(anew);
    let run = Run { resume: None, r#continue: false, fork_session: false, session_id: None, ..run };
    Box::new(move |job: cutonce_tui::Job| {
        let start = start::start_of(&run, Approver::Present, &place);
        let anew = anew.take();
        Box::pin(async move {
            let mut start = start.map_err(|error| format!("{error:#}"))?;
            (start.which, start.fork) = (job.which, job.fork);
            start.model = job.model.or(start.model);
            let mut opened = start.open().await.map_err(|error| error.to_string())?;
            opened.notices.extend(anew.then(|| start::NOTHING_HERE.to_string()));
            Ok(opened)
        })
    })
}
