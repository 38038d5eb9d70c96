//! A long transcript, as after weeks of work: turns with answers, calls and their results (SE-6).

use anyhow::{Context, Result};
use cutonce_core::conversation::{ContentBlock, ResultPart, StopReason, TokenUsage, ToolInput, ToolUse};
use cutonce_core::permission::Why;
use cutonce_core::permission::rules::RuleBehavior;
use cutonce_core::protocol::event::DecisionRecord;
use cutonce_core::transcript::{EntryBody, TranscriptEntry};
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Whether the conversation was compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Past {
    /// One compaction, a few turns before the end.
    Compacted,
    /// No compaction: every turn is still part of the conversation.
    Whole,
}

/// Turns that follow the compaction.
const TURNS_AFTER: u64 = 40;
/// Approximate bytes per turn; they only decide when the compaction comes.
const TURN_BYTES: u64 = 9_000;

/// Writes a transcript of at least `bytes` at `path`.
pub fn write(path: &Path, session: &str, cwd: &Path, past: Past, bytes: u64) -> Result<()> {
    let mut out = Lines::begin(path, session, cwd)?;
    let (mut random, mut compacted) = (fastrand::Rng::with_seed(7), past == Past::Whole);
    while out.bytes < bytes {
        if !compacted && out.bytes + TURNS_AFTER * TURN_BYTES > bytes {
            compacted = true;
            let kept = "The person's first message:\n\nPlease fix the parser.".to_string();
            out.entry(EntryBody::Compaction {
                summary: "The parser was fixed in many small steps. ".repeat(50),
                kept,
            })?;
        }
        turn(&mut out, &mut random)?;
    }
    out.out.flush()?;
    Ok(())
}

/// Writes a transcript with at least this many entries, all part of the conversation.
pub fn write_entries(path: &Path, session: &str, cwd: &Path, entries: u64) -> Result<()> {
    let (mut out, mut random) = (Lines::begin(path, session, cwd)?, fastrand::Rng::with_seed(7));
    while out.count < entries {
        turn(&mut out, &mut random)?;
    }
    out.out.flush()?;
    Ok(())
}

/// A message, an answer with a call, its result, a closing answer.
fn turn(out: &mut Lines, random: &mut fastrand::Rng) -> Result<()> {
    let text = format!("Please look at part {} of the parser and fix what is \"wrong\" there.", out.count);
    out.entry(EntryBody::User { text, images: vec![], meta: false, plan_content: None })?;
    let call = format!("toolu_{:012}", out.count);
    let input = json!({"file_path": format!("src/part_{}.rs", random.u16(..))});
    let blocks = vec![
        ContentBlock::Thinking { text: "The error is in the branch that reads escapes. ".repeat(6), opaque: None },
        ContentBlock::Text { text: "I read that part first.".into() },
        ContentBlock::ToolUse(ToolUse { id: call.clone(), name: "Read".into(), input: ToolInput::Json(input.clone()) }),
    ];
    out.answer(blocks, StopReason::ToolUse)?;
    let lines = random.usize(20..260);
    let text: String = (1..=lines).map(|line| format!("{line:6}\tlet value = parse(\"{line}\")?;\n")).collect();
    out.entry(EntryBody::Tool {
        call_id: call,
        name: "Read".into(),
        input,
        output: vec![ResultPart::Text { text }],
        is_error: false,
        decision: DecisionRecord { behavior: RuleBehavior::Allow, why: Why::from_reason("reads in the workspace") },
        seen: vec![],
    })?;
    let text = "That part takes the escape twice; the second time must go. ".repeat(8);
    out.answer(vec![ContentBlock::Text { text }], StopReason::EndTurn)
}

struct Lines {
    out: BufWriter<File>,
    bytes: u64,
    count: u64,
    parent: Option<String>,
}

impl Lines {
    /// A new file with the first entry of every transcript.
    fn begin(path: &Path, session: &str, cwd: &Path) -> Result<Lines> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        let file = file.with_context(|| format!("making {}", path.display()))?;
        let mut out = Lines { out: BufWriter::with_capacity(1 << 20, file), bytes: 0, count: 0, parent: None };
        out.entry(EntryBody::Session {
            session_id: session.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            cwd: cwd.display().to_string(),
            branch: Some("main".into()),
            slug: None,
            forked_from: None,
            agent: None,
        })?;
        Ok(out)
    }
    fn answer(&mut self, blocks: Vec<ContentBlock>, stop: StopReason) -> Result<()> {
        // Small counts, so that the conversation fits the window and is not summarized before the first
        // request.
        let usage = TokenUsage { input_tokens: 900, output_tokens: 100, ..TokenUsage::default() };
        self.entry(EntryBody::Assistant { model: "scripted".into(), blocks, usage, stop })
    }
    fn entry(&mut self, body: EntryBody) -> Result<()> {
        self.count += 1;
        let id = format!("019a0000-0000-7000-8000-{:012x}", self.count);
        let minute = self.count / 60 % 60;
        let at = format!("2026-11-15T10:{minute:02}:{:02}.000Z", self.count % 60);
        let entry = TranscriptEntry { id: id.clone(), parent: self.parent.replace(id), at, body };
        let line = entry.to_line();
        self.bytes += line.len() as u64 + 1;
        Ok(writeln!(self.out, "{line}")?)
    }
}
