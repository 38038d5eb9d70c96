//! The end of an earlier conversation, from its transcript: a session that comes back is not an empty screen, and all of what
//! is shown again can be looked at (UI-4).

use super::log::{Log, Record};
use super::{Kind, tool};
use crate::markdown;
use crate::theme::Theme;
use cutonce_agent::store::Reader;
use cutonce_core::conversation::Block;
use cutonce_core::event::Finished;
use cutonce_core::transcript::Body;
use ratatui::text::{Line, Span};
use std::path::Path;
use std::sync::Arc;

/// Entries that are shown again.
const SHOWN: usize = 60;

/// The last entries as lines, each with its kind; `log` gets them whole.
pub fn tail(transcript: &Path, width: usize, theme: &Theme, log: &mut Log) -> Vec<(Kind, Vec<Line<'static>>)> {
    let Ok(mut reader) = Reader::open(transcript) else { return Vec::new() };
    let first = reader.len().saturating_sub(SHOWN);
    log.older(first);
    let mut found = Vec::new();
    for at in first..reader.len() {
        let Ok(Some(entry)) = reader.entry(at) else { continue };
        found.extend(shown(entry.body, width, theme, log));
    }
    found
}

fn shown(body: Body, width: usize, theme: &Theme, log: &mut Log) -> Vec<(Kind, Vec<Line<'static>>)> {
    match body {
        Body::User { text, meta: false, .. } => {
            let lines = super::user(&text, width, theme);
            log.push(Record::User(text));
            vec![(Kind::User, lines)]
        }
        Body::Assistant { blocks, .. } => blocks
            .into_iter()
            .filter_map(|block| match block {
                Block::Text { text } if !text.trim().is_empty() => {
                    let lines = said(&text, width, theme);
                    log.push(Record::Text(text));
                    Some((Kind::Text, lines))
                }
                Block::Thinking { text, .. } if !text.trim().is_empty() => {
                    log.push(Record::Thinking(text));
                    None
                }
                Block::Text { .. } | Block::Thinking { .. } | Block::ToolUse(_) | Block::Image(_) => None,
            })
            .collect(),
        Body::Tool { call_id, name, input, output, is_error, decision } => {
            let done =
                Finished { call_id, name, input, content: output, is_error, decision, duration_ms: 0, display: None };
            let lines = tool::finished(&done, None, width, theme);
            let summary = tool::summary_of(&done.input);
            log.push(Record::Tool { done: Arc::new(done), summary });
            vec![(Kind::Tool, lines)]
        }
        Body::Compaction { .. } => {
            vec![(Kind::Notice, vec![Line::styled("  (the conversation was compacted)", theme.dim)])]
        }
        Body::Clear { .. } => vec![(Kind::Notice, vec![Line::styled("  (the context was cleared)", theme.dim)])],
        Body::User { .. }
        | Body::Session { .. }
        | Body::Reminder { .. }
        | Body::Mode { .. }
        | Body::FileSnapshot { .. }
        | Body::Plan { .. }
        | Body::Ask { .. }
        | Body::Rewind { .. }
        | Body::Error { .. } => Vec::new(),
    }
}

fn said(text: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = markdown::render(text, width.saturating_sub(2).max(8), theme);
    for (n, line) in lines.iter_mut().enumerate() {
        line.spans.insert(0, Span::raw(if n == 0 { format!("{} ", super::MARK) } else { "  ".into() }));
    }
    lines
}
