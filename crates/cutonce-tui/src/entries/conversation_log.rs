//! The whole conversation for Ctrl+O (UI-4), with tool input, tool output and thinking. Its size is bounded: the oldest
//! records are dropped, and the transcript still has them.

use crate::overlays::highlighted_item::language_of_file;
use crate::overlays::pager::{FAILED_MARK, PagerContent, PagerItem};
use crate::render::text;
use cutonce_core::protocol::event::FinishedCall;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// Maximum bytes of all records.
const MAX_BYTES: usize = 6 << 20;

#[derive(Debug)]
pub enum LogRecord {
    User(String),
    Text(String),
    Thinking(String),
    /// A finished call; `who` is the subagent that made it.
    Tool {
        done: Arc<FinishedCall>,
        summary: String,
        who: Option<String>,
    },
    /// Text of a subagent.
    Agent {
        who: String,
        text: String,
    },
    Notice(String),
}

#[derive(Debug, Default)]
pub struct ConversationLog {
    records: VecDeque<LogRecord>,
    bytes: usize,
    dropped: usize,
}

impl ConversationLog {
    pub fn push(&mut self, record: LogRecord) {
        self.bytes += record_size(&record);
        self.records.push_back(record);
        while self.bytes > MAX_BYTES
            && let Some(oldest) = self.records.pop_front()
        {
            self.bytes -= record_size(&oldest);
            self.dropped += 1;
        }
    }

    pub fn clear(&mut self) {
        *self = ConversationLog::default();
    }

    /// True if the user has sent a message.
    pub fn has_user_message(&self) -> bool {
        self.dropped > 0 || self.records.iter().any(|record| matches!(record, LogRecord::User(_)))
    }

    /// The user's first message that is still in the log.
    pub fn first_user_message(&self) -> Option<&str> {
        self.records.iter().find_map(|record| match record {
            LogRecord::User(said) => Some(said.as_str()),
            _ => None,
        })
    }

    /// The agent's last text.
    pub fn last_answer(&self) -> Option<&str> {
        self.records.iter().rev().find_map(|record| match record {
            LogRecord::Text(said) => Some(said.as_str()),
            _ => None,
        })
    }

    pub fn items(&self) -> Vec<PagerItem> {
        let dropped = (self.dropped > 0).then(|| PagerItem {
            title: String::new(),
            body: PagerContent::Plain(format!("{} older entries are only in the transcript.", self.dropped).into()),
        });
        dropped.into_iter().chain(self.records.iter().flat_map(record_items)).collect()
    }
}

fn record_items(record: &LogRecord) -> Vec<PagerItem> {
    let one = |title: &str, body: PagerContent| vec![PagerItem { title: title.into(), body }];
    match record {
        LogRecord::User(said) => one("you", PagerContent::Plain(said.as_str().into())),
        LogRecord::Text(said) => one("agent", PagerContent::Markdown(said.as_str().into())),
        LogRecord::Thinking(said) => one("thinking", PagerContent::Plain(said.as_str().into())),
        LogRecord::Notice(said) => one("notice", PagerContent::Plain(said.as_str().into())),
        LogRecord::Tool { done, summary, who } => tool_items(done, summary, who.as_deref()),
        LogRecord::Agent { who, text } => one(&text::one_line(who), PagerContent::Markdown(text.as_str().into())),
    }
}

/// Input and permission decision of a call, then its diff or output.
fn tool_items(done: &FinishedCall, summary: &str, who: Option<&str>) -> Vec<PagerItem> {
    let mark = if done.is_error { FAILED_MARK } else { "" };
    let who = who.map(|who| format!("{who} › ")).unwrap_or_default();
    let title = text::one_line(text::truncate_chars(&format!("{mark}{who}{} {summary}", done.name), 300).as_ref());
    let why = &done.decision.why;
    let rule = why.rule.as_ref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    let input = serde_json::to_string_pretty(&done.input).unwrap_or_default();
    let about = format!("{input}\n{:?}: {}{rule}", done.decision.behavior, why.reason);
    let unified = done.display.as_ref().and_then(|display| display.get("diff")).and_then(Value::as_str);
    let path = done.input.get("file_path").and_then(Value::as_str).unwrap_or_default();
    let came = match unified {
        Some(unified) => PagerContent::Diff { language: language_of_file(path), text: unified.into() },
        None if done.name == "Read" && !done.is_error => {
            PagerContent::Code { language: language_of_file(path), text: super::tool_call::result_text(done).into() }
        }
        None => PagerContent::Plain(super::tool_call::result_text(done).into()),
    };
    vec![
        PagerItem { title, body: PagerContent::Code { language: "json".into(), text: about.into() } },
        PagerItem { title: String::new(), body: came },
    ]
}

fn record_size(record: &LogRecord) -> usize {
    match record {
        LogRecord::User(text) | LogRecord::Text(text) | LogRecord::Thinking(text) | LogRecord::Notice(text) => {
            text.len() + 64
        }
        LogRecord::Agent { who, text } => who.len() + text.len() + 64,
        LogRecord::Tool { done, summary, .. } => {
            let content: usize = super::tool_call::result_text(done).len();
            let shown = done.display.as_ref().map_or(0, |display| display.to_string().len());
            summary.len() + content + done.input.to_string().len() + shown + 128
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_12_log_size_stays_bounded() {
        let mut log = ConversationLog::default();
        for n in 0..10_000 {
            log.push(LogRecord::Text(format!("{n} {}", "x".repeat(2_000))));
        }
        assert!(log.bytes <= MAX_BYTES && log.dropped > 0);
        let items = log.items();
        assert!(items[0].body.text().contains("older entries"));
        assert!(items.last().unwrap().body.text().starts_with("9999 "));
    }
}
