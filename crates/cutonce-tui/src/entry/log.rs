//! All of the conversation for Ctrl+O (UI-4): what tools got and printed, what the model thought. Bounded: the oldest goes
//! first, and the transcript has it all.

use crate::overlay::coloured::language;
use crate::overlay::pager::{Body, FAILED, Item};
use crate::text;
use cutonce_core::event::Finished;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes that are kept.
const KEPT: usize = 6 << 20;

#[derive(Debug)]
pub enum Record {
    User(String),
    Text(String),
    Thinking(String),
    /// `who`: the subagent that called it.
    Tool {
        done: Arc<Finished>,
        summary: String,
        who: Option<String>,
    },
    /// A subagent's words.
    Agent {
        who: String,
        text: String,
    },
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

    /// Did the person say anything?
    pub fn has_words(&self) -> bool {
        self.dropped > 0 || self.records.iter().any(|record| matches!(record, Record::User(_)))
    }

    pub fn items(&self) -> Vec<Item> {
        let dropped = (self.dropped > 0).then(|| Item {
            title: String::new(),
            body: Body::Plain(format!("{} older ones are in the transcript only.", self.dropped).into()),
        });
        dropped.into_iter().chain(self.records.iter().flat_map(items_of)).collect()
    }
}

fn items_of(record: &Record) -> Vec<Item> {
    let one = |title: &str, body: Body| vec![Item { title: title.into(), body }];
    match record {
        Record::User(said) => one("you", Body::Plain(said.as_str().into())),
        Record::Text(said) => one("agent", Body::Markdown(said.as_str().into())),
        Record::Thinking(said) => one("thinking", Body::Plain(said.as_str().into())),
        Record::Notice(said) => one("notice", Body::Plain(said.as_str().into())),
        Record::Tool { done, summary, who } => tool(done, summary, who.as_deref()),
        Record::Agent { who, text } => one(&text::one_line(who), Body::Markdown(text.as_str().into())),
    }
}

/// What it got and why it was let through, then its diff or what it printed.
fn tool(done: &Finished, summary: &str, who: Option<&str>) -> Vec<Item> {
    let mark = if done.is_error { FAILED } else { "" };
    let who = who.map(|who| format!("{who} › ")).unwrap_or_default();
    let title = text::one_line(text::bounded(&format!("{mark}{who}{} {summary}", done.name), 300).as_ref());
    let why = &done.decision.why;
    let rule = why.rule.as_ref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    let input = serde_json::to_string_pretty(&done.input).unwrap_or_default();
    let about = format!("{input}\n{:?}: {}{rule}", done.decision.behavior, why.reason);
    let unified = done.display.as_ref().and_then(|display| display.get("diff")).and_then(Value::as_str);
    let path = done.input.get("file_path").and_then(Value::as_str).unwrap_or_default();
    let came = match unified {
        Some(unified) => Body::Diff { language: language(path), text: unified.into() },
        None if done.name == "Read" && !done.is_error => {
            Body::Code { language: language(path), text: super::tool::said(done).into() }
        }
        None => Body::Plain(super::tool::said(done).into()),
    };
    vec![
        Item { title, body: Body::Code { language: "json".into(), text: about.into() } },
        Item { title: String::new(), body: came },
    ]
}

fn size(record: &Record) -> usize {
    match record {
        Record::User(text) | Record::Text(text) | Record::Thinking(text) | Record::Notice(text) => text.len() + 64,
        Record::Agent { who, text } => who.len() + text.len() + 64,
        Record::Tool { done, summary, .. } => {
            let content: usize = super::tool::said(done).len();
            let shown = done.display.as_ref().map_or(0, |display| display.to_string().len());
            summary.len() + content + done.input.to_string().len() + shown + 128
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_12_ten_thousand_entries_stay_within_bounds() {
        let mut log = Log::default();
        for n in 0..10_000 {
            log.push(Record::Text(format!("{n} {}", "x".repeat(2_000))));
        }
        assert!(log.bytes <= KEPT && log.dropped > 0);
        let items = log.items();
        assert!(items[0].body.text().contains("older ones"));
        assert!(items.last().unwrap().body.text().starts_with("9999 "));
    }
}
