//! The plan's text out of the transcript, for a session whose plan file is gone (PM-48).

use crate::mode::ReminderKind;
use crate::transcript::Body;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    pub text: String,
    pub from: RestoredFrom,
}

/// Where it was found; the best source comes first.
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

/// The key of the plan among the file snapshots (PM-47).
const SNAPSHOT_KEY: &str = "plan";

/// Entries oldest first. Of the best source that is there, the last one.
pub fn restore<'a>(entries: impl IntoIterator<Item = &'a Body>) -> Option<Restored> {
    let mut best: Option<Restored> = None;
    for found in entries.into_iter().filter_map(plan_in) {
        if best.as_ref().is_none_or(|best| found.from <= best.from) {
            best = Some(found);
        }
    }
    best
}

fn plan_in(body: &Body) -> Option<Restored> {
    let (text, from) = match body {
        Body::FileSnapshot { key, content: Some(text), .. } if key == SNAPSHOT_KEY => {
            (text.as_str(), RestoredFrom::FileSnapshot)
        }
        Body::Tool { name, input, .. } if name == super::EXIT => {
            (input.get("plan").and_then(Value::as_str)?, RestoredFrom::ExitPlanMode)
        }
        Body::User { plan_content: Some(text), .. } | Body::Clear { plan_content: Some(text) } => {
            (text.as_str(), RestoredFrom::PlanContent)
        }
        Body::Reminder { kind, text, .. } if kind == ReminderKind::PlanFileReference.name() => {
            (crate::reminder::referenced_plan(text)?, RestoredFrom::PlanFileReference)
        }
        Body::FileSnapshot { .. }
        | Body::Tool { .. }
        | Body::User { .. }
        | Body::Clear { .. }
        | Body::Reminder { .. }
        | Body::Session { .. }
        | Body::Assistant { .. }
        | Body::Mode { .. }
        | Body::Plan { .. }
        | Body::Ask { .. }
        | Body::Compaction { .. }
        | Body::Rewind { .. }
        | Body::Error { .. } => return None,
    };
    super::exists(text).then(|| Restored { text: text.to_string(), from })
}
