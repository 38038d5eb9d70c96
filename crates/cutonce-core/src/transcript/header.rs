//! What every line starts with. A header is read without parsing the rest, so that a large file is skimmed in one pass.

use super::{Body, Skip};
use serde::Deserialize;
use std::borrow::Cow;

/// The closed set of entry types (SE-6), and one for what a newer or foreign program wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    Session,
    User,
    Assistant,
    Tool,
    Reminder,
    Mode,
    FileSnapshot,
    Plan,
    Ask,
    Compaction,
    Clear,
    Rewind,
    Error,
    Unknown,
}

impl Kind {
    const NAMED: [Kind; 13] = [
        Kind::Session,
        Kind::User,
        Kind::Assistant,
        Kind::Tool,
        Kind::Reminder,
        Kind::Mode,
        Kind::FileSnapshot,
        Kind::Plan,
        Kind::Ask,
        Kind::Compaction,
        Kind::Clear,
        Kind::Rewind,
        Kind::Error,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Session => "session",
            Kind::User => "user",
            Kind::Assistant => "assistant",
            Kind::Tool => "tool",
            Kind::Reminder => "reminder",
            Kind::Mode => "mode",
            Kind::FileSnapshot => "file_snapshot",
            Kind::Plan => "plan",
            Kind::Ask => "ask",
            Kind::Compaction => "compaction",
            Kind::Clear => "clear",
            Kind::Rewind => "rewind",
            Kind::Error => "error",
            Kind::Unknown => "unknown",
        }
    }

    pub fn parse(name: &str) -> Kind {
        Kind::NAMED.into_iter().find(|kind| kind.name() == name).unwrap_or(Kind::Unknown)
    }

    pub fn of(body: &Body) -> Kind {
        match body {
            Body::Session { .. } => Kind::Session,
            Body::User { .. } => Kind::User,
            Body::Assistant { .. } => Kind::Assistant,
            Body::Tool { .. } => Kind::Tool,
            Body::Reminder { .. } => Kind::Reminder,
            Body::Mode { .. } => Kind::Mode,
            Body::FileSnapshot { .. } => Kind::FileSnapshot,
            Body::Plan { .. } => Kind::Plan,
            Body::Ask { .. } => Kind::Ask,
            Body::Compaction { .. } => Kind::Compaction,
            Body::Clear { .. } => Kind::Clear,
            Body::Rewind { .. } => Kind::Rewind,
            Body::Error { .. } => Kind::Error,
        }
    }
}

/// The fields that every entry has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header<'a> {
    pub kind: Kind,
    /// The type as written: tells what `Kind::Unknown` was.
    pub kind_name: Cow<'a, str>,
    pub id: Cow<'a, str>,
    pub parent: Option<Cow<'a, str>>,
    pub at: Cow<'a, str>,
    /// For a tool entry in our own layout: the tool's name.
    pub tool: Option<&'a str>,
}

impl<'a> Header<'a> {
    /// Skim a header in our own layout from the first bytes of a line; `None` says nothing about the line.
    pub fn skim(start: &'a [u8]) -> Option<Header<'a>> {
        let mut at = Cursor(start);
        at.expect(b"{\"type\":")?;
        let kind_name = at.plain_string()?;
        at.expect(b",\"id\":")?;
        let id = at.plain_string()?;
        at.expect(b",\"parent\":")?;
        let parent = if at.expect(b"null").is_some() { None } else { Some(at.plain_string()?) };
        at.expect(b",\"at\":")?;
        let time = at.plain_string()?;
        let kind = Kind::parse(kind_name);
        let tool = if kind == Kind::Tool { at.tool_name() } else { None };
        Some(Header {
            kind,
            kind_name: kind_name.into(),
            id: id.into(),
            parent: parent.map(Cow::from),
            at: time.into(),
            tool,
        })
    }

    /// Read the header of a whole line in any layout. The rest of the line must be JSON, but is not kept.
    pub fn parse(line: &'a [u8]) -> Result<Header<'a>, Skip> {
        if !line.is_empty() && line.iter().all(|byte| *byte == 0) {
            return Err(Skip::Zeros);
        }
        let text = std::str::from_utf8(line).map_err(|_| Skip::NotUtf8)?;
        let raw: Raw<'a> = serde_json::from_str(text).map_err(|error| match error.classify() {
            serde_json::error::Category::Eof => Skip::Torn,
            serde_json::error::Category::Data => Skip::Field(error.to_string()),
            serde_json::error::Category::Syntax | serde_json::error::Category::Io => Skip::NotJson(error.to_string()),
        })?;
        Ok(Header {
            kind: Kind::parse(&raw.kind),
            kind_name: raw.kind,
            id: raw.id,
            parent: raw.parent.map(|Borrowed(parent)| parent),
            at: raw.at,
            tool: None,
        })
    }
}

#[derive(Deserialize)]
struct Raw<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    parent: Option<Borrowed<'a>>,
    #[serde(borrow)]
    at: Cow<'a, str>,
}

/// Inside an `Option` serde would copy a `Cow`; this keeps it borrowed.
#[derive(Deserialize)]
struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn expect(&mut self, literal: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(literal)?;
        Some(())
    }

    /// A JSON string without escapes.
    fn plain_string(&mut self) -> Option<&'a str> {
        self.expect(b"\"")?;
        let end = self.0.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))?;
        let (text, rest) = self.0.split_at(end);
        self.0 = rest;
        self.expect(b"\"")?;
        std::str::from_utf8(text).ok()
    }

    fn tool_name(&mut self) -> Option<&'a str> {
        self.expect(b",\"callId\":")?;
        self.plain_string()?;
        self.expect(b",\"name\":")?;
        self.plain_string()
    }
}
