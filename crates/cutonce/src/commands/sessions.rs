//! `cutonce sessions`: lists the sessions that can be resumed (CL-1, SE-3).

use crate::cli::args;
use crate::output;
use crate::start;
use cutonce_agent::storage::{self, ListedSession, SessionScope};
use cutonce_core::exit_code;
use cutonce_core::text::sanitize::sanitize;
use cutonce_tui::render::text::fit;
use std::io::Write;

/// Maximum number of sessions to list; keeps old homes with many sessions fast.
const MAX_LISTED: usize = 1_000;
/// Below this width the branch is left out.
const MIN_WIDE: usize = 110;

pub async fn run(args: args::SessionsArgs) -> anyhow::Result<u8> {
    #[cfg(feature = "nats")]
    if let Some(remote) = &args.remote {
        return super::session_watch::run(remote, args.search.as_deref(), args.json).await;
    }
    let home = start::home_dir()?;
    let cwd = start::current_dir()?;
    let listed = storage::list_sessions(
        &storage::ProjectSessions::new(home, cwd),
        if args.all { SessionScope::All } else { SessionScope::Project },
        MAX_LISTED,
    )?;
    let wanted = listed.into_iter().filter(|session| match &args.search {
        Some(words) => matches_search(session, words),
        None => true,
    });
    let mut out = std::io::stdout().lock();
    let (mut none, width) = (true, output::list_width());
    for session in wanted {
        none = false;
        if args.json {
            writeln!(out, "{}", session_json(&session))?;
        } else {
            writeln!(out, "{}", session_line(&session, width))?;
        }
    }
    if none && !args.json {
        match &args.search {
            Some(words) => {
                eprintln!("No session matches {words:?}. `cutonce sessions` lists all sessions of this folder.")
            }
            None => eprintln!("No sessions in this folder. `cutonce sessions --all` lists those of all folders."),
        }
    }
    Ok(exit_code::SUCCESS)
}

/// True if the id, first message, plan title, plan name or branch contains the text.
pub fn matches_search(session: &ListedSession, words: &str) -> bool {
    let words = words.to_lowercase();
    let told = [
        Some(&session.id),
        session.first_message.as_ref(),
        session.title.as_ref(),
        session.slug.as_ref(),
        session.branch.as_ref(),
    ];
    told.into_iter().flatten().any(|text| text.to_lowercase().contains(&words))
}

fn session_json(session: &ListedSession) -> serde_json::Value {
    serde_json::json!({
        "id": session.id, "firstMessage": session.first_message, "lastAt": session.last_at, "cwd": session.cwd,
        "branch": session.branch, "mode": session.mode, "slug": session.slug, "planTitle": session.title,
        "entries": session.entries, "bytes": session.bytes, "path": session.path,
    })
}

/// One session in at most `width` columns. A narrow terminal shows neither branch nor year.
fn session_line(session: &ListedSession, width: usize) -> String {
    let first = session.title.as_deref().or(session.first_message.as_deref()).unwrap_or("(empty)");
    let first: String = sanitize(first.lines().next().unwrap_or_default()).chars().take(60).collect();
    let at: String = session.last_at.as_deref().unwrap_or("?").chars().take(16).collect();
    let at = at.replace('T', " ");
    let branch = sanitize(session.branch.as_deref().unwrap_or("-"));
    let line = match width {
        0..MIN_WIDE => format!("{}  {}  {first}", session.id, at.get(5..).unwrap_or(&at)),
        _ => format!("{}  {at}  {branch:<12}  {first}", session.id),
    };
    fit(&line, width).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cl_1_session_lines_fit_the_terminal() {
        let session = ListedSession {
            id: "0".repeat(36),
            first_message: Some("Move the sessions to signed cookies and keep old clients".into()),
            last_at: Some("2026-11-17T00:12:13Z".into()),
            branch: Some("a-rather-long-branch".into()),
            path: "/t.jsonl".into(),
            cwd: None,
            cwds: Vec::new(),
            modified: std::time::SystemTime::UNIX_EPOCH,
            mode: None,
            slug: None,
            title: None,
            entries: 3,
            exact: true,
            bytes: 9,
        };
        let (narrow, wide) = (session_line(&session, 80), session_line(&session, usize::MAX));
        assert!(narrow.chars().count() <= 80 && narrow.contains("  11-17 00:12  Move the"), "{narrow}");
        assert!(
            wide.ends_with(
                "  2026-11-17 00:12  a-rather-long-branch  Move the sessions to signed cookies and keep old clients"
            ),
            "{wide}"
        );
    }
}
