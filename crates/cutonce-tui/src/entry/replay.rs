//! The end of an earlier conversation, from its transcript: a session that comes back is not an empty screen.

use super::log::Record;
use super::{Kind, tool};
use crate::markdown;
use crate::theme::Theme;
use cutonce_agent::store::Reader;
use cutonce_core::approval::Answer;
use cutonce_core::conversation::Block;
use cutonce_core::event::Finished;
use cutonce_core::plan::EXIT;
use cutonce_core::submission;
use cutonce_core::transcript::Body;
use ratatui::text::{Line, Span};
use std::path::Path;
use std::sync::Arc;

/// Entries that are shown again.
const SHOWN: usize = 60;

/// What comes back: lines for the scrollback, and all of it for Ctrl+O (UI-4).
#[derive(Debug, Default)]
pub struct Replayed {
    pub lines: Vec<(Kind, Vec<Line<'static>>)>,
    pub records: Vec<Record>,
    /// The answer to a plan whose result has not come yet.
    answer: Option<Answer>,
}

/// The last entries.
pub fn tail(transcript: &Path, width: usize, theme: &Theme) -> Replayed {
    let mut found = Replayed::default();
    let Ok(mut reader) = Reader::open(transcript) else { return found };
    for at in reader.len().saturating_sub(SHOWN)..reader.len() {
        let Ok(Some(entry)) = reader.entry(at) else { continue };
        found.add(entry.body, width, theme);
    }
    found
}

impl Replayed {
    fn add(&mut self, body: Body, width: usize, theme: &Theme) {
        match body {
            Body::User { text, meta: false, .. } => {
                self.lines.push((Kind::User, super::user(&text, width, theme)));
                self.records.push(Record::User(text));
            }
            Body::Assistant { blocks, .. } => {
                for block in blocks {
                    match block {
                        Block::Text { text } if !text.trim().is_empty() => {
                            self.lines.push((Kind::Text, said(&text, width, theme)));
                            self.records.push(Record::Text(text));
                        }
                        Block::Thinking { text, .. } if !text.trim().is_empty() => {
                            self.records.push(Record::Thinking(text))
                        }
                        Block::Text { .. } | Block::Thinking { .. } | Block::ToolUse(_) | Block::Image(_) => {}
                    }
                }
            }
            Body::Tool { call_id, name, input, output, is_error, decision } => {
                let (duration_ms, display) = (0, None);
                let done = Finished { call_id, name, input, content: output, is_error, decision, duration_ms, display };
                self.tool(done, width, theme);
            }
            Body::Compaction { .. } => self.note("(the conversation was compacted)", theme),
            Body::Clear { .. } => self.note("(the context was cleared)", theme),
            Body::Ask { answer, .. } => {
                if let Some(submission::Answer::Plan(answer)) = answer {
                    self.answer = Some(answer);
                }
            }
            Body::User { .. }
            | Body::Session { .. }
            | Body::Reminder { .. }
            | Body::Mode { .. }
            | Body::FileSnapshot { .. }
            | Body::Plan { .. }
            | Body::Rewind { .. }
            | Body::Error { .. } => {}
        }
    }

    fn note(&mut self, words: &str, theme: &Theme) {
        self.lines.push((Kind::Notice, vec![Line::styled(format!("  {words}"), theme.dim)]));
    }

    /// A plan that was decided on stands there as it did (PM-142).
    fn tool(&mut self, done: Finished, width: usize, theme: &Theme) {
        let plan = done.input.get("plan").and_then(|plan| plan.as_str()).filter(|_| done.name == EXIT);
        let answer = self.answer.take_if(|_| done.name == EXIT);
        match (plan, answer) {
            (Some(plan), Some(answer)) => {
                let lines = super::plan::decided(plan, &answer, !done.is_error, width, theme);
                self.lines.push((Kind::Plan, lines));
            }
            (_, _) if done.name == "TodoWrite" => {}
            (_, _) => self.lines.push((Kind::Tool, tool::finished(&done, None, width, theme))),
        }
        let summary = tool::summary_of(&done.input);
        self.records.push(Record::Tool { done: Arc::new(done), summary, who: None });
    }
}

fn said(text: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = markdown::render(text, width.saturating_sub(2).max(8), theme);
    for (n, line) in lines.iter_mut().enumerate() {
        line.spans.insert(0, Span::raw(if n == 0 { format!("{} ", super::MARK) } else { "  ".into() }));
    }
    lines
}
