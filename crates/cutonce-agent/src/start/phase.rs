//! How far the planning was when a session in plan mode comes back (PM-140): the phase is only in events, but what moved it is in
//! the transcript.

use crate::store::Reader;
use cutonce_core::agent::PLAN;
use cutonce_core::plan::Phase;
use cutonce_core::transcript::{Body, Kind};
use serde_json::Value;
use std::path::Path;

/// From the last entries back to when plan mode was entered: whatever moved it last decides. A submission that nobody answered
/// is back in review; if it is asked again, that moves it on.
pub(super) fn left_in(transcript: &Path, slug: Option<&str>) -> Phase {
    let Ok(mut reader) = Reader::open(transcript) else { return Phase::Explore };
    let plan = slug.map(|slug| format!("{slug}.md"));
    let mut designed = false;
    for at in (0..reader.len()).rev() {
        let kind = reader.kind(at);
        if kind == Kind::Plan {
            return Phase::Review;
        }
        if kind == Kind::Mode {
            break;
        }
        if kind == Kind::Tool
            && let Ok(Some(entry)) = reader.entry(at)
            && let Body::Tool { name, input, is_error, .. } = entry.body
        {
            if !is_error && wrote(&name, &input, plan.as_deref()) {
                return Phase::Finalize;
            }
            designed |= name == "Agent" && input.get("subagent_type").and_then(Value::as_str) == Some(PLAN);
        }
    }
    if designed { Phase::Review } else { Phase::Explore }
}

fn wrote(name: &str, input: &Value, plan: Option<&str>) -> bool {
    let path = input.get("file_path").and_then(Value::as_str).and_then(|path| Path::new(path).file_name()?.to_str());
    matches!(name, "Write" | "Edit" | "MultiEdit") && path.is_some() && path == plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// A transcript of these entries, one after the other.
    fn phase_after(entries: &[&str]) -> Phase {
        let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile().unwrap();
        for (n, entry) in entries.iter().enumerate() {
            let id = |n: usize| format!("01900000-0000-7000-8000-{n:012}");
            let parent = if n == 0 { "null".into() } else { format!("\"{}\"", id(n - 1)) };
            let head = format!("\"id\":\"{}\",\"parent\":{parent},\"at\":\"2026-11-16T10:00:00Z\"", id(n));
            let (kind, rest) = entry.split_once(',').unwrap();
            writeln!(file, "{kind},{head},{rest}").unwrap();
        }
        left_in(file.path(), Some("calm-sea"))
    }

    const ENTERED: &str = r#"{"type":"mode","from":"default","to":"plan","by":"user"}"#;
    const WROTE: &str = r#"{"type":"tool","callId":"a","name":"Write","input":{"file_path":"/p/calm-sea.md","content":""},"output":[],"isError":false,"decision":{"behavior":"allow","reason":"r"}}"#;
    const AGENT: &str = r#"{"type":"tool","callId":"b","name":"Agent","input":{"subagent_type":"Plan"},"output":[],"isError":false,"decision":{"behavior":"allow","reason":"r"}}"#;
    const SENT_BACK: &str = r#"{"type":"plan","slug":"calm-sea","revision":1,"sha256":"00","outcome":"rejected"}"#;

    #[test]
    fn pm_140_the_phase_is_what_moved_it_last() {
        let check = |entries: &[&str], phase| assert_eq!(phase_after(entries), phase, "{entries:?}");
        check(&[ENTERED], Phase::Explore);
        check(&[ENTERED, AGENT], Phase::Review);
        check(&[ENTERED, AGENT, WROTE], Phase::Finalize);
        check(&[ENTERED, WROTE, AGENT], Phase::Finalize);
        check(&[ENTERED, WROTE, SENT_BACK], Phase::Review);
        check(&[ENTERED, WROTE, SENT_BACK, WROTE], Phase::Finalize);
        // An earlier stay says nothing.
        check(&[ENTERED, WROTE, ENTERED], Phase::Explore);
        check(&[ENTERED, &WROTE.replace("calm-sea", "another")], Phase::Explore);
        check(&[ENTERED, &WROTE.replace("false", "true")], Phase::Explore);
    }
}
