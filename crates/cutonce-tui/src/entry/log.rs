//! All of the conversation for Ctrl+O (UI-4): what tools got and printed, what the model thought. Bounded: the oldest goes
//! first, and the transcript has it all.

use crate::diff;
use crate::markdown;
use crate::text;
use crate::theme::Theme;
use cutonce_core::event::Finished;
use ratatui::text::Line;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes that are kept, and of one text.
const KEPT: usize = 6 << 20;
const ONE: usize = 200 << 10;

#[derive(Debug)]
pub enum Record {
    User(String),
    Text(String),
    Thinking(String),
    Tool { done: Arc<Finished>, summary: String },
    Notice(String),
}

#[derive(Debug, Default)]
pub struct Log {
    records: VecDeque<Record>,
    bytes: usize,
    dropped: usize,
}

impl Log {
    pub fn push(&mut self, record: Record) {
        self.bytes += size(&record);
        self.records.push_back(record);
        while self.bytes > KEPT
            && let Some(oldest) = self.records.pop_front()
        {
            self.bytes -= size(&oldest);
            self.dropped += 1;
        }
    }

    pub fn clear(&mut self) {
        *self = Log::default();
    }

    pub fn lines(&self, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        if self.dropped > 0 {
            let words = format!(
                "{} are in the transcript only",
                text::counted(self.dropped, "older entry").replace("entrys", "entries")
            );
            lines.push(Line::styled(words, theme.dim));
        }
        for record in &self.records {
            lines.push(Line::raw(""));
            match record {
                Record::User(said) => lines.extend(super::marked("> ", said, width, usize::MAX, theme.user, theme)),
                Record::Text(said) => lines.extend(markdown::render(text::bounded(said, ONE).as_ref(), width, theme)),
                Record::Thinking(said) => {
                    lines.extend(super::marked(
                        "✻ ",
                        text::bounded(said, ONE).as_ref(),
                        width,
                        usize::MAX,
                        theme.dim,
                        theme,
                    ));
                }
                Record::Notice(said) => lines.extend(super::marked("  ", said, width, usize::MAX, theme.dim, theme)),
                Record::Tool { done, summary } => lines.extend(tool(done, summary, width, theme)),
            }
        }
        lines
    }
}

fn tool(done: &Finished, summary: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = super::tool::finished(done, Some(summary), width, theme);
    lines.truncate(1);
    let input = serde_json::to_string_pretty(&done.input).unwrap_or_default();
    lines.extend(super::marked("  ", text::bounded(&input, ONE).as_ref(), width, usize::MAX, theme.dim, theme));
    let why = &done.decision.why;
    let rule = why.rule.as_ref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    lines.extend(super::marked(
        "  ",
        &format!("{:?}: {}{rule}", done.decision.behavior, why.reason),
        width,
        20,
        theme.dim,
        theme,
    ));
    let unified = done.display.as_ref().and_then(|display| display.get("diff")).and_then(serde_json::Value::as_str);
    match unified {
        Some(unified) => lines.extend(diff::unified(unified, width, theme, usize::MAX)),
        None => {
            let said = super::tool::said(done);
            lines.extend(super::marked("  ", text::bounded(&said, ONE).as_ref(), width, usize::MAX, theme.text, theme));
        }
    }
    lines
}

fn size(record: &Record) -> usize {
    match record {
        Record::User(text) | Record::Text(text) | Record::Thinking(text) | Record::Notice(text) => text.len() + 64,
        Record::Tool { done, summary } => {
            let content: usize = super::tool::said(done).len();
            let shown = done.display.as_ref().map_or(0, |display| display.to_string().len());
            summary.len() + content + done.input.to_string().len() + shown + 128
        }
    }
}
