//! `cutonce sessions`: what there is to go on with (CL-1, SE-3).

use crate::cli;
use crate::start;
use std::io::Write;

pub fn run(args: &cli::Sessions) -> anyhow::Result<u8> {
    let home = start::home()?;
    let cwd = std::env::current_dir()?;
    let listed = cutonce_agent::store::list(&home, (!args.all).then_some(cwd.as_path()))?;
    let wanted = listed.into_iter().filter(|session| match &args.search {
        Some(words) => session.matches(words),
        None => true,
    });
    let mut out = std::io::stdout().lock();
    let mut none = true;
    for session in wanted {
        none = false;
        if args.json {
            serde_json::to_writer(&mut out, &session)?;
            writeln!(out)?;
        } else {
            writeln!(out, "{}", line(&session))?;
        }
    }
    if none && !args.json {
        eprintln!("No session here yet. `cutonce sessions --all` lists those of all folders.");
    }
    Ok(0)
}

fn line(session: &cutonce_agent::store::Listed) -> String {
    let first = session.first_message.as_deref().unwrap_or("(nothing said)");
    let first: String = cutonce_core::harmless::harmless(first.lines().next().unwrap_or_default()).chars().take(60).collect();
    let branch = session.branch.as_deref().unwrap_or("-");
    format!("{}  {}  {branch:<12}  {first}", session.id, session.last_at)
}
