//! The transcript: one JSON object per line, append-only (SE-1, SE-6). docs/reference/transcript.md describes the
//! format.
//!
//! A line starts with `{"type":…,"id":…,"parent":…,"at":…`, in this order, so that a reader can skim a
//! large file without parsing it. Readers here accept any order.

pub mod chain;
pub mod header;
pub mod replay;

pub use chain::{ChainLink, chain_indexes};
pub use header::{EntryHeader, EntryKind};
pub use replay::{
    PLAN_ASK, ReplayedSession, cleared_message, compacted_message, reminder_message, replay_session, user_message,
};

use crate::conversation::{ContentBlock, Image, ResultPart, StopReason, TokenUsage};
use crate::mode::Mode;
use crate::plan::RevisionOutcome;
use crate::plan::progress::{ApprovedContract, Evidence};
use crate::plan::scope::PlanScope;
use crate::protocol::event::{AgentRef, DecisionRecord};
use crate::protocol::submission::{AskAnswer, ChangedBy};
use crate::protocol::usage_totals::UsageTotals;
use crate::turn::UserInput;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptEntry {
    /// Entry id, a UUIDv7.
    pub id: String,
    /// The previous entry of this conversation; a fork or rewind points further back.
    pub parent: Option<String>,
    /// Time in RFC 3339.
    pub at: String,
    pub body: EntryBody,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum EntryBody {
    /// A process opened the session: at the start and at each resume.
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
        /// Set in the transcript of a subagent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<SidechainInfo>,
    },
    User {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
        /// Made by the program, not typed by the user.
        #[serde(default, skip_serializing_if = "is_false")]
        meta: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan_content: Option<String>,
    },
    Assistant {
        model: String,
        blocks: Vec<ContentBlock>,
        usage: TokenUsage,
        stop: StopReason,
    },
    Tool {
        call_id: String,
        name: String,
        input: Value,
        output: Vec<ResultPart>,
        is_error: bool,
        decision: DecisionRecord,
        /// Files as the model knows them after this call (TL-3), for a resume.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        seen: Vec<SeenFileMark>,
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
        by: ChangedBy,
    },
    /// Content of a file: `before` a change (SE-5; the bytes are in the version store under their hash,
    /// null if there was no file), or of the plan (PM-47; inline).
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
    /// The scope of the plan that is being implemented changed: the user added a file (PC-20, PC-24).
    Scope {
        scope: Option<PlanScope>,
    },
    /// The implementation of an approved plan starts or is amended; null when it ends (PC-11, PC-36).
    Contract {
        approved: Option<Box<ApprovedContract>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<PlanScope>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget_usd: Option<f64>,
        /// True if this replaces the contract before it, and the evidence stays (PC-40).
        #[serde(default, skip_serializing_if = "is_false")]
        amends: bool,
    },
    /// What the program observed while an approved plan is implemented (PC-30).
    Evidence {
        evidence: Evidence,
    },
    Ask {
        ask_id: String,
        kind: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<AskAnswer>,
    },
    /// The summary replaces the conversation so far. `kept`: content that survives verbatim (todos, files in
    /// use, user messages), ready to be sent.
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
    /// What the session has used so far (DU-3); the last entry has the total.
    Usage {
        totals: UsageTotals,
    },
    Error {
        message: String,
    },
}

impl EntryBody {
    /// The entry of a message that joins the conversation.
    pub fn from_input(input: &UserInput) -> EntryBody {
        let (text, images) = (input.text.clone(), input.images.clone());
        EntryBody::User { text, images, meta: input.meta, plan_content: input.implements.clone() }
    }
    /// The entry of a conversation that starts over.
    pub fn cleared() -> EntryBody {
        EntryBody::Clear { plan_content: None }
    }
    /// Name and revision of the plan that was approved here.
    pub fn approved_revision(&self) -> Option<(&str, u32)> {
        match self {
            EntryBody::Plan { slug, revision, outcome, .. } if outcome == RevisionOutcome::Approved.name() => {
                Some((slug, *revision))
            }
            _ => None,
        }
    }
    /// The approved plan that a message asked to implement (PM-81).
    pub fn approved_text(&self) -> Option<&str> {
        match self {
            EntryBody::User { plan_content, .. } => plan_content.as_deref(),
            _ => None,
        }
    }
}

/// How a file was when the model saw it: the hash of the whole content, or the metadata if only a part was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFileMark {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<String>,
}

/// Identifies the subagent of a sidechain transcript (SA-1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SidechainInfo {
    #[serde(flatten)]
    pub agent: AgentRef,
    /// The session it belongs to.
    pub session: String,
    pub description: String,
    /// The last entry of that session that the agent sees (forkContext); the conversation up to there
    /// precedes its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saw: Option<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl TranscriptEntry {
    /// Serializes the entry as one line without newlines: the header first, then the fields of the body.
    pub fn to_line(&self) -> String {
        let kind = EntryKind::of_body(&self.body).name();
        // Every key of a body is a string, so this can't fail; if it ever does, the line reports the error.
        let body = serde_json::to_string(&self.body)
            .unwrap_or_else(|error| format!("{{\"type\":{kind:?},\"unwritable\":{:?}}}", error.to_string()));
        let tag = format!("{{\"type\":\"{kind}\"");
        let fields = body.strip_prefix(tag.as_str()).unwrap_or("}");
        let parent = self.parent.as_deref().map_or_else(|| "null".to_string(), json_string);
        let (id, at) = (json_string(&self.id), json_string(&self.at));
        format!("{tag},\"id\":{id},\"parent\":{parent},\"at\":{at}{fields}")
    }

    /// Parses one line with fields in any order. The error is the reason to skip the line (SE-2).
    pub fn parse(line: &[u8]) -> Result<TranscriptEntry, SkipReason> {
        let header = EntryHeader::parse(line)?;
        if header.kind == EntryKind::Unknown {
            return Err(SkipReason::UnknownType(header.kind_name.into_owned()));
        }
        let body: EntryBody = serde_json::from_slice(line).map_err(|error| SkipReason::Field(error.to_string()))?;
        Ok(TranscriptEntry {
            id: header.id.into_owned(),
            parent: header.parent.map(|parent| parent.into_owned()),
            at: header.at.into_owned(),
            body,
        })
    }
}

/// Reason why a line was skipped (SE-2).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkipReason {
    #[error("not UTF-8")]
    NotUtf8,
    #[error("zero bytes, as after a machine crash")]
    Zeros,
    #[error("torn: the line is incomplete")]
    Torn,
    #[error("not a JSON object: {0}")]
    NotJson(String),
    #[error("unknown entry type `{0}`")]
    UnknownType(String),
    #[error("a field is invalid: {0}")]
    Field(String),
    #[error("longer than {0} bytes")]
    TooLong(usize),
    #[error("damaged: the checksum does not match the content")]
    Damaged,
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests;
