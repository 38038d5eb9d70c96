//! Restores the planning phase of a resumed session (PM-140). The phase itself is only in events, but the transcript
//! records what changed it.

use crate::storage::TranscriptReader;
use cutonce_core::plan::{PhaseEvent, PlanPhase, RevisionOutcome};
use cutonce_core::settings::plan::PlanWorkflow;
use cutonce_core::transcript::{EntryBody, EntryKind};
use serde_json::Value;
use std::path::Path;

/// Restored state that events report only when it changes.
#[derive(Debug, Clone, Default)]
pub struct ResumedState {
    /// The todo list (UI-14).
    pub todos: Vec<cutonce_core::protocol::event::TodoItem>,
    /// The planning phase, if in plan mode (PM-140).
    pub phase: Option<PlanPhase>,
}

/// Steps through everything since the last mode change or clear. An unanswered submission counts as review; asking
/// again advances it.
pub(super) fn restore_phase(transcript: &Path, slug: Option<&str>, workflow: PlanWorkflow) -> PlanPhase {
    let Ok(mut reader) = TranscriptReader::open(transcript) else { return PlanPhase::default() };
    let begins = |kind| matches!(kind, EntryKind::Mode | EntryKind::Clear);
    let start = (0..reader.len()).rev().find(|at| begins(reader.kind(*at))).map_or(0, |at| at + 1);
    let plan = slug.map(|slug| format!("{slug}.md"));
    let mut skeleton = workflow == PlanWorkflow::Interview;
    let mut phase = PlanPhase::default();
    for at in start..reader.len() {
        if !matches!(reader.kind(at), EntryKind::Tool | EntryKind::Plan) {
            continue;
        }
        let Ok(Some(entry)) = reader.entry(at) else { continue };
        let event = match entry.body {
            EntryBody::Plan { outcome, .. } if outcome == RevisionOutcome::Submitted.name() => {
                Some(PhaseEvent::Submitted)
            }
            EntryBody::Plan { .. } => Some(PhaseEvent::Rejected),
            EntryBody::Tool { name, input, is_error: false, .. } if wrote_plan(&name, &input, plan.as_deref()) => {
                match std::mem::take(&mut skeleton) {
                    true => Some(PhaseEvent::SkeletonWritten),
                    false => Some(PhaseEvent::PlanWritten),
                }
            }
            EntryBody::Tool { name, input, is_error: false, .. } => PhaseEvent::of_call(&name, &input),
            _ => None,
        };
        phase = event.map_or(phase, |event| phase.step(event));
    }
    if phase == PlanPhase::Exit { phase.step(PhaseEvent::Rejected) } else { phase }
}

fn wrote_plan(name: &str, input: &Value, plan: Option<&str>) -> bool {
    let path = input.get("file_path").and_then(Value::as_str).and_then(|path| Path::new(path).file_name()?.to_str());
    matches!(name, "Write" | "Edit" | "MultiEdit") && path.is_some() && path == plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// The phase restored from a transcript with these entries.
    fn phase_after(entries: &[&str], workflow: PlanWorkflow) -> PlanPhase {
        let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile().unwrap();
        for (n, entry) in entries.iter().enumerate() {
            let id = |n: usize| format!("01900000-0000-7000-8000-{n:012}");
            let parent = if n == 0 { "null".into() } else { format!("\"{}\"", id(n - 1)) };
            let head = format!("\"id\":\"{}\",\"parent\":{parent},\"at\":\"2026-11-16T10:00:00Z\"", id(n));
            let (kind, rest) = entry.split_once(',').unwrap();
            writeln!(file, "{kind},{head},{rest}").unwrap();
        }
        restore_phase(file.path(), Some("calm-sea"), workflow)
    }

    const ENTERED: &str = r#"{"type":"mode","from":"default","to":"plan","by":"user"}"#;
    const WROTE: &str = r#"{"type":"tool","callId":"a","name":"Write","input":{"file_path":"/p/calm-sea.md","content":""},"output":[],"isError":false,"decision":{"behavior":"allow","reason":"r"}}"#;
    const AGENT: &str = r#"{"type":"tool","callId":"b","name":"Agent","input":{"subagent_type":"Plan"},"output":[],"isError":false,"decision":{"behavior":"allow","reason":"r"}}"#;
    const READ: &str = r#"{"type":"tool","callId":"c","name":"Read","input":{"file_path":"/a"},"output":[],"isError":false,"decision":{"behavior":"allow","reason":"r"}}"#;
    const SUBMITTED: &str = r#"{"type":"plan","slug":"calm-sea","revision":1,"sha256":"00","outcome":"submitted"}"#;
    const SENT_BACK: &str = r#"{"type":"plan","slug":"calm-sea","revision":1,"sha256":"00","outcome":"rejected"}"#;

    #[test]
    fn pm_140_last_change_decides_the_phase() {
        let check =
            |entries: &[&str], phase| assert_eq!(phase_after(entries, PlanWorkflow::Phases), phase, "{entries:?}");
        check(&[ENTERED], PlanPhase::Understand);
        check(&[ENTERED, AGENT], PlanPhase::Design);
        check(&[ENTERED, AGENT, READ], PlanPhase::Review);
        check(&[ENTERED, AGENT, WROTE], PlanPhase::Write);
        check(&[ENTERED, WROTE, AGENT], PlanPhase::Design);
        check(&[ENTERED, WROTE, SUBMITTED], PlanPhase::Review);
        check(&[ENTERED, WROTE, SENT_BACK], PlanPhase::Review);
        check(&[ENTERED, WROTE, SENT_BACK, WROTE], PlanPhase::Write);
        // An earlier visit to plan mode, or what a clear removed, is ignored.
        check(&[ENTERED, WROTE, ENTERED], PlanPhase::Understand);
        check(&[ENTERED, WROTE, r#"{"type":"clear","planContent":null}"#], PlanPhase::Understand);
        check(&[ENTERED, &WROTE.replace("calm-sea", "another")], PlanPhase::Understand);
        check(&[ENTERED, &WROTE.replace("false", "true")], PlanPhase::Understand);
        assert_eq!(phase_after(&[ENTERED, WROTE], PlanWorkflow::Interview), PlanPhase::Understand);
        assert_eq!(phase_after(&[ENTERED, WROTE, WROTE], PlanWorkflow::Interview), PlanPhase::Write);
    }
}
