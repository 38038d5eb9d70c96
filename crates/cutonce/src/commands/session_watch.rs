//! `cutonce sessions --remote NAME ID`: shows what happens in a session elsewhere, as it happens (FL-1).

use super::remote_link::{connect, tell_faults};
use crate::cli::usage::UsageError;
use cutonce_agent::storage::paths::valid_id;
use cutonce_core::exit_code;
use cutonce_core::text::sanitize::{one_line, sanitize};
use cutonce_fleet::job::time_text;
use cutonce_fleet::session_log::may_report;
use serde_json::Value;

/// Prints the events of a session until it is closed.
pub async fn run(remote: &str, session: Option<&str>, as_json: bool) -> anyhow::Result<u8> {
    let Some(session) = session.filter(|id| valid_id(id)) else {
        return Err(UsageError("which session? Give its id: `cutonce sessions` shows it where it runs".into()).into());
    };
    let link = connect(Some(remote)).await?;
    link.require_member()?;
    let mut news = link.follow_session_events(session).await?;
    let mut next = 0;
    loop {
        let record = news.next().await?;
        tell_faults(&link);
        if !may_report(record.author.role) {
            continue;
        }
        // A resumed session counts from the beginning.
        if record.body.from > next {
            eprintln!(
                "cutonce: {} events are missing; the transcript has what they were about",
                record.body.from - next
            );
        }
        next = record.body.from + record.body.events.len() as u64;
        for event in &record.body.events {
            println!("{}", if as_json { event.to_string() } else { event_line(event) });
            if event["type"] == "closed" {
                return Ok(exit_code::SUCCESS);
            }
        }
    }
}

/// One line: time, type, and what else the event says.
fn event_line(event: &Value) -> String {
    let time = event["time"].as_u64().map(time_text).unwrap_or_default();
    let kind = event["type"].as_str().unwrap_or("event");
    let fields = event.as_object().into_iter().flatten();
    let told = fields.filter(|(name, value)| !matches!(name.as_str(), "type" | "time") && !value.is_null());
    let told: Vec<String> = told
        .map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name}: {text}"),
            None => format!("{name}: {value}"),
        })
        .collect();
    format!("{time}  {:<16} {}", sanitize(kind), one_line(&sanitize(&told.join(", "))))
}
