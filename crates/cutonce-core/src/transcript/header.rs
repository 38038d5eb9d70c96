//! The header of a transcript line. It is read without parsing the rest, so that a large file is skimmed in
//! one pass.

use super::{EntryBody, SkipReason};
use serde::Deserialize;
use std::borrow::Cow;

/// Entry types (SE-6), and one for entries of a newer or foreign program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum EntryKind {
    Session,
    User,
    Assistant,
    Tool,
    Reminder,
    Mode,
    FileSnapshot,
    Plan,
    Scope,
    Contract,
    Evidence,
    Ask,
    Compaction,
    Clear,
    Rewind,
    Usage,
    Error,
    Unknown,
}

impl EntryKind {
    const NAMED: [EntryKind; 17] = [
        EntryKind::Session,
        EntryKind::User,
        EntryKind::Assistant,
        EntryKind::Tool,
        EntryKind::Reminder,
        EntryKind::Mode,
        EntryKind::FileSnapshot,
        EntryKind::Plan,
        EntryKind::Scope,
        EntryKind::Contract,
        EntryKind::Evidence,
        EntryKind::Ask,
        EntryKind::Compaction,
        EntryKind::Clear,
        EntryKind::Rewind,
        EntryKind::Usage,
        EntryKind::Error,
    ];

    pub fn name(self) -> &'static str {
        match self {
            EntryKind::Session => "session",
            EntryKind::User => "user",
            EntryKind::Assistant => "assistant",
            EntryKind::Tool => "tool",
            EntryKind::Reminder => "reminder",
            EntryKind::Mode => "mode",
            EntryKind::FileSnapshot => "file_snapshot",
            EntryKind::Plan => "plan",
            EntryKind::Scope => "scope",
            EntryKind::Contract => "contract",
            EntryKind::Evidence => "evidence",
            EntryKind::Ask => "ask",
            EntryKind::Compaction => "compaction",
            EntryKind::Clear => "clear",
            EntryKind::Rewind => "rewind",
            EntryKind::Usage => "usage",
            EntryKind::Error => "error",
            EntryKind::Unknown => "unknown",
        }
    }

    pub fn parse(name: &str) -> EntryKind {
        EntryKind::NAMED.into_iter().find(|kind| kind.name() == name).unwrap_or(EntryKind::Unknown)
    }

    /// Kinds whose last entry defines the state of a session.
    pub const STATE: [EntryKind; 3] = [EntryKind::Mode, EntryKind::Plan, EntryKind::Usage];

    /// True for entries that can be a message of the conversation, or replace it.
    pub fn in_conversation(self) -> bool {
        match self {
            EntryKind::User
            | EntryKind::Assistant
            | EntryKind::Tool
            | EntryKind::Reminder
            | EntryKind::Compaction
            | EntryKind::Clear => true,
            EntryKind::Session
            | EntryKind::Mode
            | EntryKind::FileSnapshot
            | EntryKind::Plan
            | EntryKind::Contract
            | EntryKind::Evidence
            | EntryKind::Scope
            | EntryKind::Ask
            | EntryKind::Rewind
            | EntryKind::Usage
            | EntryKind::Error
            | EntryKind::Unknown => false,
        }
    }

    /// True for entries that a rewind needs: its points, and the files between them.
    pub fn matters_for_rewind(self) -> bool {
        matches!(self, EntryKind::User | EntryKind::Plan | EntryKind::FileSnapshot)
    }

    pub fn of_body(body: &EntryBody) -> EntryKind {
        match body {
            EntryBody::Session { .. } => EntryKind::Session,
            EntryBody::User { .. } => EntryKind::User,
            EntryBody::Assistant { .. } => EntryKind::Assistant,
            EntryBody::Tool { .. } => EntryKind::Tool,
            EntryBody::Reminder { .. } => EntryKind::Reminder,
            EntryBody::Mode { .. } => EntryKind::Mode,
            EntryBody::FileSnapshot { .. } => EntryKind::FileSnapshot,
            EntryBody::Plan { .. } => EntryKind::Plan,
            EntryBody::Scope { .. } => EntryKind::Scope,
            EntryBody::Contract { .. } => EntryKind::Contract,
            EntryBody::Evidence { .. } => EntryKind::Evidence,
            EntryBody::Ask { .. } => EntryKind::Ask,
            EntryBody::Compaction { .. } => EntryKind::Compaction,
            EntryBody::Clear { .. } => EntryKind::Clear,
            EntryBody::Rewind { .. } => EntryKind::Rewind,
            EntryBody::Usage { .. } => EntryKind::Usage,
            EntryBody::Error { .. } => EntryKind::Error,
        }
    }
}

/// The fields that every entry has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryHeader<'a> {
    pub kind: EntryKind,
    /// The type as written, also for unknown types.
    pub kind_name: Cow<'a, str>,
    pub id: Cow<'a, str>,
    pub parent: Option<Cow<'a, str>>,
    pub at: Cow<'a, str>,
    /// The tool's name, for a tool entry in our own layout.
    pub tool: Option<&'a str>,
}

impl<'a> EntryHeader<'a> {
    /// Skims a header in our own layout from the first bytes of a line; `None` if the layout differs.
    pub fn skim(start: &'a [u8]) -> Option<EntryHeader<'a>> {
        let mut at = HeaderCursor(start);
        at.expect_bytes(b"{\"type\":")?;
        let kind_name = at.plain_string()?;
        at.expect_bytes(b",\"id\":")?;
        let id = at.plain_string()?;
        at.expect_bytes(b",\"parent\":")?;
        let parent = if at.expect_bytes(b"null").is_some() { None } else { Some(at.plain_string()?) };
        at.expect_bytes(b",\"at\":")?;
        let time = at.plain_string()?;
        let kind = EntryKind::parse(kind_name);
        let tool = if kind == EntryKind::Tool { at.tool_name() } else { None };
        Some(EntryHeader {
            kind,
            kind_name: kind_name.into(),
            id: id.into(),
            parent: parent.map(Cow::from),
            at: time.into(),
            tool,
        })
    }

    /// Parses the header of a whole line in any layout. The rest of the line must be JSON, but is not kept.
    pub fn parse(line: &'a [u8]) -> Result<EntryHeader<'a>, SkipReason> {
        if !line.is_empty() && line.iter().all(|byte| *byte == 0) {
            return Err(SkipReason::Zeros);
        }
        let text = std::str::from_utf8(line).map_err(|_| SkipReason::NotUtf8)?;
        let raw: RawHeader<'a> = serde_json::from_str(text).map_err(|error| match error.classify() {
            serde_json::error::Category::Eof => SkipReason::Torn,
            serde_json::error::Category::Data => SkipReason::Field(error.to_string()),
            serde_json::error::Category::Syntax | serde_json::error::Category::Io => {
                SkipReason::NotJson(error.to_string())
            }
        })?;
        Ok(EntryHeader {
            kind: EntryKind::parse(&raw.kind),
            kind_name: raw.kind,
            id: raw.id,
            parent: raw.parent.map(|BorrowedText(parent)| parent),
            at: raw.at,
            tool: None,
        })
    }
}

#[derive(Deserialize)]
struct RawHeader<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    parent: Option<BorrowedText<'a>>,
    #[serde(borrow)]
    at: Cow<'a, str>,
}

/// Keeps a `Cow` borrowed; inside an `Option`, serde would copy it.
#[derive(Deserialize)]
struct BorrowedText<'a>(#[serde(borrow)] Cow<'a, str>);

struct HeaderCursor<'a>(&'a [u8]);

impl<'a> HeaderCursor<'a> {
    fn expect_bytes(&mut self, literal: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(literal)?;
        Some(())
    }

    /// Reads a JSON string without escapes.
    fn plain_string(&mut self) -> Option<&'a str> {
        self.expect_bytes(b"\"")?;
        let end = self.0.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))?;
        let (text, rest) = self.0.split_at(end);
        self.0 = rest;
        self.expect_bytes(b"\"")?;
        std::str::from_utf8(text).ok()
    }

    fn tool_name(&mut self) -> Option<&'a str> {
        self.expect_bytes(b",\"callId\":")?;
        self.plain_string()?;
        self.expect_bytes(b",\"name\":")?;
        self.plain_string()
    }
}
