//! `cutonce sessions`: what there is to go on with (CL-1, SE-3).

use crate::cli;
use crate::start;
use cutonce_agent::store::{self, Listed, Scope};
use cutonce_core::harmless::harmless;
use std::io::Write;

/// More than anybody reads; keeps a home with years of sessions quick.
const MOST: usize = 1_000;

pub fn run(args: &cli::Sessions) -> anyhow::Result<u8> {
    let home = start::home()?;
    let cwd = start::cwd()?;
    let listed =
        store::list(&store::Sessions::new(home, cwd), if args.all { Scope::All } else { Scope::Project }, MOST)?;
    let wanted = listed.into_iter().filter(|session| match &args.search {
        Some(words) => matches(session, words),
        None => true,
    });
    let mut out = std::io::stdout().lock();
    let mut none = true;
    for session in wanted {
        none = false;
        if args.json {
            writeln!(out, "{}", as_json(&session))?;
        } else {
            writeln!(out, "{}", line(&session))?;
        }
    }
    if none && !args.json {
        match &args.search {
            Some(words) => eprintln!("No session fits {words:?}. `cutonce sessions` lists all of this folder."),
            None => eprintln!("No session here yet. `cutonce sessions --all` lists those of all folders."),
        }
    }
    Ok(0)
}

/// Does anything that a list shows of it hold these words?
pub fn matches(session: &Listed, words: &str) -> bool {
    let words = words.to_lowercase();
    let told = [
        Some(&session.id),
        session.first_message.as_ref(),
        session.plan_title.as_ref(),
        session.slug.as_ref(),
        session.branch.as_ref(),
    ];
    told.into_iter().flatten().any(|text| text.to_lowercase().contains(&words))
}

fn as_json(session: &Listed) -> serde_json::Value {
    serde_json::json!({
        "id": session.id, "firstMessage": session.first_message, "lastAt": session.last_at, "cwd": session.cwd,
        "branch": session.branch, "mode": session.mode, "slug": session.slug, "planTitle": session.plan_title,
        "entries": session.entries, "bytes": session.bytes, "path": session.path,
    })
}

fn line(session: &Listed) -> String {
    let first = session.plan_title.as_deref().or(session.first_message.as_deref()).unwrap_or("(nothing said)");
    let first: String = harmless(first.lines().next().unwrap_or_default()).chars().take(60).collect();
    let at: String = session.last_at.as_deref().unwrap_or("?").chars().take(16).collect();
    format!("{}  {}  {:<12}  {first}", session.id, at.replace('T', " "), session.branch.as_deref().unwrap_or("-"))
}
