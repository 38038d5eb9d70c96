//! Restores the plan's text from the transcript if the plan file is gone (PM-48).

use crate::mode::ReminderKind;
use crate::transcript::EntryBody;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredPlan {
    pub text: String,
    pub from: RestoredFrom,
}

/// Source of a restored plan, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RestoredFrom {
    FileSnapshot,
    ExitPlanMode,
    PlanContent,
    PlanFileReference,
}

impl std::fmt::Display for RestoredFrom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            RestoredFrom::FileSnapshot => "its last snapshot in the transcript",
            RestoredFrom::ExitPlanMode => "the last submission in the transcript",
            RestoredFrom::PlanContent => "the message that began its implementation",
            RestoredFrom::PlanFileReference => "a reminder in the transcript",
        })
    }
}

/// Key of the plan among the file snapshots (PM-47).
const SNAPSHOT_KEY: &str = "plan";

/// Returns the last plan from the best available source. Entries are oldest first.
pub fn restore_plan<'a>(entries: impl IntoIterator<Item = &'a EntryBody>) -> Option<RestoredPlan> {
    let mut best: Option<RestoredPlan> = None;
    for body in entries {
        // A plan from before belongs to another conversation (PM-49).
        if matches!(body, EntryBody::Clear { .. }) {
            best = None;
        }
        let Some(found) = plan_in_entry(body) else { continue };
        if best.as_ref().is_none_or(|best| found.from <= best.from) {
            best = Some(found);
        }
    }
    best
}

fn plan_in_entry(body: &EntryBody) -> Option<RestoredPlan> {
    let (text, from) = match body {
        EntryBody::FileSnapshot { key, content: Some(text), .. } if key == SNAPSHOT_KEY => {
            (text.as_str(), RestoredFrom::FileSnapshot)
        }
        EntryBody::Tool { name, input, .. } if name == super::EXIT_PLAN_MODE => {
            (input.get("plan").and_then(Value::as_str)?, RestoredFrom::ExitPlanMode)
        }
        EntryBody::User { plan_content: Some(text), .. } | EntryBody::Clear { plan_content: Some(text) } => {
            (text.as_str(), RestoredFrom::PlanContent)
        }
        EntryBody::Reminder { kind, text, .. } if kind == ReminderKind::PlanFileReference.name() => {
            (crate::plan::reminder::plan_in_reference(text)?, RestoredFrom::PlanFileReference)
        }
        EntryBody::FileSnapshot { .. }
        | EntryBody::Tool { .. }
        | EntryBody::User { .. }
        | EntryBody::Clear { .. }
        | EntryBody::Reminder { .. }
        | EntryBody::Session { .. }
        | EntryBody::Assistant { .. }
        | EntryBody::Mode { .. }
        | EntryBody::Plan { .. }
        | EntryBody::Scope { .. }
        | EntryBody::Contract { .. }
        | EntryBody::Evidence { .. }
        | EntryBody::Ask { .. }
        | EntryBody::Compaction { .. }
        | EntryBody::Rewind { .. }
        | EntryBody::Usage { .. }
        | EntryBody::Error { .. } => return None,
    };
    super::has_content(text).then(|| RestoredPlan { text: text.to_string(), from })
}
