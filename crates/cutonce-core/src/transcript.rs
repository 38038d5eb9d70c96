//! The transcript: one JSON object a line, append-only (SE-1, SE-6). docs/transcript.md tells an outside reader the same.
//!
//! A line starts with `{"type":…,"id":…,"parent":…,"at":…`, in this order, so that a reader can skim a
//! large file without parsing it; readers here still accept any order.

pub mod chain;
pub mod header;
pub mod replay;

pub use chain::{Link, chain};
pub use header::{Header, Kind};
pub use replay::{Replayed, cleared_message, compacted_message, reminder_message, replay, user_message};

use crate::conversation::{Block, Image, ResultPart, Stop, Usage};
use crate::event::{AgentRef, DecisionRecord};
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
        /// This is the transcript of a subagent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Sidechain>,
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

/// Whose transcript a sidechain is (SA-1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sidechain {
    #[serde(flatten)]
    pub agent: AgentRef,
    /// The session it belongs to.
    pub session: String,
    pub description: String,
    /// The last entry of that session which it saw (forkContext); the conversation up to there comes before its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saw: Option<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Entry {
    /// The line of this entry, without its newline: the header first, then the fields of the body. No newline inside.
    pub fn to_line(&self) -> String {
        let kind = Kind::of(&self.body).name();
        // Every key of a body is a string, so this can't fail; if it ever does, the line says so instead of vanishing.
        let body = serde_json::to_string(&self.body)
            .unwrap_or_else(|error| format!("{{\"type\":{kind:?},\"unwritable\":{:?}}}", error.to_string()));
        let tag = format!("{{\"type\":\"{kind}\"");
        let fields = body.strip_prefix(tag.as_str()).unwrap_or("}");
        let parent = self.parent.as_deref().map_or_else(|| "null".to_string(), json_string);
        let (id, at) = (json_string(&self.id), json_string(&self.at));
        format!("{tag},\"id\":{id},\"parent\":{parent},\"at\":{at}{fields}")
    }

    /// Read one line, its fields in any order. What can't be read is skipped with the reason (SE-2).
    pub fn parse(line: &[u8]) -> Result<Entry, Skip> {
        let header = Header::parse(line)?;
        if header.kind == Kind::Unknown {
            return Err(Skip::UnknownType(header.kind_name.into_owned()));
        }
        let body: Body = serde_json::from_slice(line).map_err(|error| Skip::Field(error.to_string()))?;
        Ok(Entry {
            id: header.id.into_owned(),
            parent: header.parent.map(|parent| parent.into_owned()),
            at: header.at.into_owned(),
            body,
        })
    }
}

/// Why a line was skipped (SE-2).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Skip {
    #[error("not UTF-8")]
    NotUtf8,
    #[error("zero bytes, as a crash of the machine leaves them")]
    Zeros,
    #[error("torn: the line ends in the middle")]
    Torn,
    #[error("no JSON object: {0}")]
    NotJson(String),
    #[error("unknown entry type `{0}`")]
    UnknownType(String),
    #[error("a field does not fit: {0}")]
    Field(String),
    #[error("longer than {0} bytes")]
    TooLong(usize),
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests;
