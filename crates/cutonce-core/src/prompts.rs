//! Texts for the model that are the same in every session, and how they are put together (AG-7, AG-8).
//! The words are in prompts/*.md.

use crate::conversation::{Block, Message, Shared};
use crate::event::{Todo, TodoStatus};
use std::fmt::Write;

const SYSTEM: &str = include_str!("prompts/system.md");
const COMPACT: &str = include_str!("prompts/compact.md");
const REMINDER: &str = "<system-reminder>";
const CONTINUED: &str = include_str!("prompts/continued.md");

/// What the model is told about where it runs; fixed at the start, so that the prefix stays the same bytes.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    pub cwd: String,
    pub added: Vec<String>,
    pub platform: String,
    /// `2026-11-15`
    pub date: String,
    /// The branch, if this is a git repository.
    pub branch: Option<String>,
}

/// The system prompt: our own text or the one given instead of it, where we are, project instructions, the appended text.
pub fn system(instead: Option<&str>, append: Option<&str>, around: &Surroundings, instructions: &str) -> String {
    let mut text = instead.unwrap_or(SYSTEM).trim().to_string();
    text.push_str("\n\n# Here\n");
    let _ = writeln!(text, "Working folder: {}", around.cwd);
    for folder in &around.added {
        let _ = writeln!(text, "Also: {folder}");
    }
    let git = around.branch.as_ref().map_or("not a git repository".into(), |branch| format!("git branch {branch}"));
    let _ = writeln!(text, "{git}; {}; {}", around.platform, around.date);
    if !instructions.is_empty() {
        let _ = write!(text, "\n# Project instructions\n{}\n", instructions.trim());
    }
    if let Some(append) = append.filter(|append| !append.trim().is_empty()) {
        let _ = write!(text, "\n{}\n", append.trim());
    }
    text.trim_start().to_string()
}

/// The request for a summary.
pub fn compact(focus: Option<&str>) -> String {
    match focus.map(str::trim).filter(|focus| !focus.is_empty()) {
        Some(focus) => format!("{COMPACT}\nThe user asks you to keep above all: {focus}\n"),
        None => COMPACT.to_string(),
    }
}

/// What survives a compaction beside the summary (AG-8), in the words it had.
#[derive(Debug, Clone, Default)]
pub struct Kept<'a> {
    /// The person's messages, oldest first.
    pub said: Vec<&'a str>,
    pub todos: &'a [Todo],
    /// Files read or changed, latest first.
    pub files: Vec<String>,
}

/// At most this much of the person's own words is carried along; the latest ones win.
const SAID_LIMIT: usize = 24_000;
const FILES_LIMIT: usize = 20;

pub fn kept(kept: &Kept<'_>) -> String {
    let mut text = String::new();
    let said = latest_within(&kept.said, SAID_LIMIT);
    if !said.is_empty() {
        text.push_str("# The user's messages so far, oldest first\n");
        for message in said {
            let _ = writeln!(text, "<message>\n{}\n</message>", message.trim());
        }
    }
    let open: Vec<_> = kept.todos.iter().filter(|todo| todo.status != TodoStatus::Completed).collect();
    if !open.is_empty() {
        text.push_str("# Open todos\n");
        for todo in open {
            let now = if todo.status == TodoStatus::InProgress { " (in progress)" } else { "" };
            let _ = writeln!(text, "- {}{now}", todo.content);
        }
    }
    if !kept.files.is_empty() {
        text.push_str("# Files in work, latest first (read again before editing)\n");
        for file in kept.files.iter().take(FILES_LIMIT) {
            let _ = writeln!(text, "- {file}");
        }
    }
    text
}

fn latest_within<'a>(said: &[&'a str], limit: usize) -> Vec<&'a str> {
    let mut left = limit;
    let mut taken: Vec<&str> = Vec::new();
    for message in said.iter().rev() {
        if message.len() > left && !taken.is_empty() {
            break;
        }
        let cut = floor_char(message, left.max(1_000).min(message.len()));
        taken.push(&message[..cut]);
        left = left.saturating_sub(message.len());
    }
    taken.reverse();
    taken
}

fn floor_char(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The one message a compacted conversation starts with.
pub fn continued(summary: &str, kept: &str) -> String {
    let kept = if kept.trim().is_empty() { String::new() } else { format!("\n\n{}", kept.trim()) };
    format!("{}\n\n# Summary\n{}{kept}", reminder(CONTINUED), summary.trim())
}

/// A message from cutonce to the model, never the user's words.
pub fn reminder(text: &str) -> String {
    format!("<system-reminder>\n{}\n</system-reminder>", text.trim())
}

/// The person's own words in a conversation, those kept by an earlier compaction included.
pub fn said_in(conversation: &[Shared]) -> Vec<String> {
    let mut said = Vec::new();
    for message in conversation {
        let Message::User { content } = &**message else { continue };
        for block in content {
            match block {
                Block::Text { text } if text.starts_with(REMINDER) => said.extend(kept_in(text)),
                Block::Text { text } if text.starts_with(crate::mail::OPENING) => {}
                Block::Text { text } => said.push(text.clone()),
                Block::Thinking { .. } | Block::ToolUse(_) | Block::Image(_) => {}
            }
        }
    }
    said
}

fn kept_in(continued: &str) -> impl Iterator<Item = String> {
    let parts = continued.split("<message>\n").skip(1);
    parts.filter_map(|part| part.split_once("\n</message>")).map(|(said, _)| said.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ag_8_what_the_user_said_and_open_todos_survive() {
        let todo = |content: &str, status| Todo { content: content.into(), status, active_form: String::new() };
        let todos = [todo("done thing", TodoStatus::Completed), todo("open thing", TodoStatus::InProgress)];
        let text = kept(&Kept { said: vec!["first wish", "second wish"], todos: &todos, files: vec!["a.rs".into()] });
        for part in ["first wish", "second wish", "open thing (in progress)", "a.rs"] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
        assert!(!text.contains("done thing"));
    }

    #[test]
    fn ag_8_words_survive_a_second_compaction() {
        let kept = kept(&Kept { said: vec!["zebra", "more"], ..Kept::default() });
        let conversation =
            [continued("sum", &kept).as_str(), "and now", &reminder("psst")].map(Message::user).map(Shared::new);
        assert_eq!(said_in(&conversation), ["zebra", "more", "and now"]);
    }

    #[test]
    fn ag_8_the_latest_words_win_when_there_are_too_many() {
        let long = "x".repeat(SAID_LIMIT);
        let text = kept(&Kept { said: vec![&long, "the latest"], ..Kept::default() });
        assert!(text.contains("the latest") && text.len() < SAID_LIMIT);
    }

    #[test]
    fn ag_7_the_system_prompt_is_the_same_bytes_for_the_same_surroundings() {
        let around = Surroundings { cwd: "/p".into(), date: "2026-11-15".into(), ..Surroundings::default() };
        assert_eq!(system(None, None, &around, "be kind"), system(None, None, &around, "be kind"));
        assert!(system(Some("Own prompt."), Some("Last words."), &around, "").starts_with("Own prompt."));
    }
}
