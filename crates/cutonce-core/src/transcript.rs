//! The transcript: one JSON object a line, append-only (SE-1, SE-6). docs/transcript.md tells an outside reader the same.
//!
//! A line starts with `{"type":…,"id":…,"parent":…,"at":…`, in this order, so that a reader can skim a
//! large file without parsing it; readers here still accept any order.

use crate::conversation::{Block, Image, ResultPart, Stop, Usage};
use crate::event::DecisionRecord;
use crate::mode::Mode;
use crate::submission::{Answer, By};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// UUIDv7.
    pub id: String,
    /// The entry before it in this conversation; a fork or rewind points further back.
    pub parent: Option<String>,
    /// RFC 3339.
    pub at: String,
    pub body: Body,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Body {
    /// A process opened the session: at its start and at each resume.
    Session {
        session_id: String,
        version: String,
        cwd: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        slug: Option<String>,
        /// The session this one was forked from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        forked_from: Option<String>,
    },
    User {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
        /// Made by the program, not typed by the person.
        #[serde(default, skip_serializing_if = "is_false")]
        meta: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan_content: Option<String>,
    },
    Assistant {
        model: String,
        blocks: Vec<Block>,
        usage: Usage,
        stop: Stop,
    },
    Tool {
        call_id: String,
        name: String,
        input: Value,
        output: Vec<ResultPart>,
        is_error: bool,
        decision: DecisionRecord,
    },
    Reminder {
        kind: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        form: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exists: Option<bool>,
        text: String,
    },
    Mode {
        from: Mode,
        to: Mode,
        by: By,
    },
    /// A file's content at a moment: `before` a change (SE-5; the bytes are in the version store under
    /// their hash, null where there was no file), or of the plan (PM-47; inline).
    FileSnapshot {
        key: String,
        path: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sha256: Option<String>,
    },
    Plan {
        slug: String,
        revision: u32,
        sha256: String,
        outcome: String,
    },
    Ask {
        ask_id: String,
        kind: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<Answer>,
    },
    /// The conversation before `kept` is replaced by the summary. `kept`: what survives in the model's words
    /// and the user's (todos, files in work, the user's messages), ready to be sent.
    Compaction {
        summary: String,
        kept: String,
    },
    Clear {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan_content: Option<String>,
    },
    Rewind {
        to: String,
        files: Vec<String>,
    },
    Error {
        message: String,
    },
}

fn is_false(value: &bool) -> bool {
    !value
}
