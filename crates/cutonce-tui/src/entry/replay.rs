//! The end of an earlier conversation, from its transcript: a session that comes back is not an empty screen.

use super::log::Record;
use super::places::Places;
use super::{Kind, Page, tool};
use crate::diff;
use crate::theme::Theme;
use cutonce_agent::store::Reader;
use cutonce_agent::store::place::own_dir;
use cutonce_core::approval::Answer;
use cutonce_core::conversation::{Block, ResultPart, ToolUse};
use cutonce_core::event::{DecisionRecord, Finished};
use cutonce_core::permission::Why;
use cutonce_core::plan::EXIT;
use cutonce_core::rule::Behavior;
use cutonce_core::submission;
use cutonce_core::transcript::Body;
use ratatui::text::{Line, Span};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Entries that are shown again.
pub const SHOWN: usize = 60;
/// A file larger than this is not compared again.
const LARGEST: usize = 1 << 20;

/// What comes back: lines for the scrollback, and all of it for Ctrl+O (UI-4).
#[derive(Debug, Default)]
pub struct Replayed {
    pub lines: Vec<(Kind, Vec<Line<'static>>)>,
    pub records: Vec<Record>,
    /// Tokens of the context at the last answer.
    pub context: Option<u64>,
    /// The answer to a plan whose result has not come yet.
    answer: Option<Answer>,
    /// What a file held before the call whose result comes next: its path and the hash of its content.
    before: Option<(String, Option<String>)>,
    /// Calls that have no result so far.
    open: Vec<ToolUse>,
}

/// What it needs to know to show things as they were.
struct Shown<'a> {
    places: &'a Places,
    versions: PathBuf,
    page: &'a Page<'a>,
}

/// The last entries.
pub fn tail(transcript: &Path, most: usize, places: &Places, page: &Page<'_>) -> Replayed {
    let shown = Shown { places, versions: own_dir(transcript).join("versions"), page };
    let mut found = Replayed::default();
    let Ok(mut reader) = Reader::open(transcript) else { return found };
    for at in reader.len().saturating_sub(most)..reader.len() {
        let Ok(Some(entry)) = reader.entry(at) else { continue };
        found.add(entry.body, &shown);
    }
    // A plan that waits is asked about again (PM-85).
    found.open.retain(|call| call.name != EXIT);
    found.never_answered(&shown);
    found
}

impl Replayed {
    fn add(&mut self, body: Body, shown: &Shown<'_>) {
        let (width, theme) = (shown.page.width, shown.page.theme);
        match body {
            Body::User { text, meta: false, .. } => {
                self.never_answered(shown);
                self.lines.push((Kind::User, super::user(&text, width, theme)));
                self.records.push(Record::User(text));
            }
            Body::Assistant { blocks, usage, .. } => {
                self.context = Some(usage.context());
                self.never_answered(shown);
                for block in blocks {
                    match block {
                        Block::Text { text } if !text.trim().is_empty() => {
                            self.lines.push((Kind::Text, said(&text, shown.page)));
                            self.records.push(Record::Text(text));
                        }
                        Block::Thinking { text, .. } if !text.trim().is_empty() => {
                            self.records.push(Record::Thinking(text))
                        }
                        Block::ToolUse(call) => self.open.push(call),
                        Block::Text { .. } | Block::Thinking { .. } | Block::Image(_) => {}
                    }
                }
            }
            Body::Tool { call_id, name, input, output, is_error, decision } => {
                self.open.retain(|open| open.id != call_id);
                let before = self.before.take();
                let display = before.filter(|_| !is_error).and_then(|before| shown.diff(&name, &input, before));
                let duration_ms = 0;
                let done = Finished { call_id, name, input, content: output, is_error, decision, duration_ms, display };
                self.tool(done, shown);
            }
            Body::FileSnapshot { key, path, sha256, .. } if key == "before" => self.before = Some((path, sha256)),
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

    /// The program ended before these were allowed, answered or done: they were no more than asked for.
    fn never_answered(&mut self, shown: &Shown<'_>) {
        for ToolUse { id, name, input } in std::mem::take(&mut self.open) {
            let text = "No result: the program ended first.".to_string();
            let why = Why { reason: "the program ended first".into(), rule: None, source: None };
            let done = Finished {
                call_id: id,
                name,
                input: input.to_json(),
                content: vec![ResultPart::Text { text }],
                is_error: true,
                decision: DecisionRecord { behavior: Behavior::Deny, why },
                duration_ms: 0,
                display: None,
            };
            self.tool(done, shown);
        }
    }

    fn note(&mut self, words: &str, theme: &Theme) {
        self.lines.push((Kind::Notice, vec![Line::styled(format!("  {words}"), theme.dim)]));
    }

    /// A plan that was decided on stands there as it did (PM-142).
    fn tool(&mut self, done: Finished, shown: &Shown<'_>) {
        let (width, theme) = (shown.page.width, shown.page.theme);
        let plan = done.input.get("plan").and_then(|plan| plan.as_str()).filter(|_| done.name == EXIT);
        let answer = self.answer.take_if(|_| done.name == EXIT);
        match (plan, answer) {
            (Some(plan), Some(answer)) => {
                let lines = super::plan::decided(plan, &answer, !done.is_error, shown.page);
                self.lines.push((Kind::Plan, lines));
            }
            (_, _) if done.name == "TodoWrite" && !done.is_error => {}
            (_, _) => {
                let told = shown.places.told(&done.name, &tool::summary_of(&done.input));
                self.lines.push((Kind::Tool, tool::finished(&done, Some(&told), width, theme)));
            }
        }
        let summary = tool::summary_of(&done.input);
        self.records.push(Record::Tool { done: Arc::new(done), summary, who: None });
    }
}

impl Shown<'_> {
    /// The diff of a change that was made, from what the file held before and what the call asked for (UI-4).
    fn diff(&self, name: &str, input: &Value, (path, hash): (String, Option<String>)) -> Option<Value> {
        let field = |name: &str| input.get(name).and_then(Value::as_str);
        let named = field("file_path")?;
        if !Path::new(&path).ends_with(named.trim_start_matches("./")) {
            return None;
        }
        let old = match &hash {
            // The hash becomes a file name.
            Some(hash) if hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                String::from_utf8(std::fs::read(self.versions.join(hash)).ok()?).ok()?
            }
            Some(_) => return None,
            None => String::new(),
        };
        let new = match name {
            "Write" => field("content")?.to_string(),
            "Edit" if input.get("replace_all").and_then(Value::as_bool) == Some(true) => {
                old.replace(field("old_string")?, field("new_string")?)
            }
            "Edit" => old.replacen(field("old_string")?, field("new_string")?, 1),
            _ => return None,
        };
        (old.len().max(new.len()) <= LARGEST).then(|| {
            let counts = diff::counts(&old, &new);
            json!({"diff": diff::text(&old, &new), "added": counts.added, "removed": counts.removed})
        })
    }
}

fn said(text: &str, page: &Page<'_>) -> Vec<Line<'static>> {
    let mut lines = page.markdown(text, page.width.saturating_sub(2).max(8));
    for (n, line) in lines.iter_mut().enumerate() {
        line.spans.insert(0, Span::raw(if n == 0 { format!("{} ", super::MARK) } else { "  ".into() }));
    }
    lines
}
