//! History of messages sent from this folder, newest last, stored on disk; with search (UI-3).

use crate::render::text;
use crate::render::theme::Theme;
use ratatui::text::{Line, Span};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// Number of bytes read from the end of the file.
const MAX_READ: u64 = 1 << 20;
/// Longer messages are not stored.
const MAX_MESSAGE: usize = 64 << 10;

#[derive(Debug, Default)]
pub struct MessageHistory {
    file: Option<PathBuf>,
    /// Messages, loaded on first use: most sessions never need them.
    messages: Option<Vec<String>>,
    /// Position of up and down, counted from the end; 0 is the text being written.
    position: usize,
    draft_text: String,
}

/// State of the Ctrl+R search.
#[derive(Debug)]
pub struct HistorySearch {
    pub query: String,
    /// Number of newer matches that the user skipped.
    pub skip: usize,
    pub found: bool,
    /// Text before the search began.
    pub text_before: String,
}

impl HistorySearch {
    pub fn new(before: &str) -> HistorySearch {
        HistorySearch { query: String::new(), skip: 0, found: true, text_before: before.to_string() }
    }
    pub fn render(&self, theme: &Theme) -> Line<'static> {
        let none = if self.found { "" } else { "  nothing found" };
        let words = text::one_line(&self.query);
        Line::from(vec![
            Span::styled("  search sent messages: ", theme.dim),
            Span::styled(words, theme.strong),
            Span::styled(format!("{none}   ctrl+r older · enter takes it · esc back"), theme.dim),
        ])
    }
}

impl MessageHistory {
    /// Uses a file with one JSON string per line.
    pub fn new(file: PathBuf) -> MessageHistory {
        MessageHistory { file: Some(file), ..MessageHistory::default() }
    }

    /// Adds a sent message. Write errors are ignored.
    pub fn add_sent(&mut self, text: &str) {
        self.reset_position();
        if text.trim().is_empty() || text.len() > MAX_MESSAGE {
            return;
        }
        if self.load_messages().last().is_some_and(|last| last == text) {
            return;
        }
        self.messages.get_or_insert_default().push(text.to_string());
        let Some(file) = &self.file else { return };
        if let Some(folder) = file.parent() {
            let _ = cutonce_agent::storage::paths::create_private_dir(folder);
        }
        let line = serde_json::Value::from(text).to_string() + "\n";
        let opened = cutonce_agent::storage::paths::private_options().append(true).create(true).open(file);
        let _ = opened.and_then(|mut file| file.write_all(line.as_bytes()));
    }

    pub fn reset_position(&mut self) {
        self.position = 0;
    }

    pub fn earlier(&mut self, writing: &str) -> Option<String> {
        if self.position == 0 {
            self.draft_text = writing.to_string();
        }
        let place = self.position + 1;
        let found = self.load_messages().iter().rev().nth(place - 1).cloned()?;
        self.position = place;
        Some(found)
    }

    pub fn later(&mut self) -> Option<String> {
        self.position = self.position.checked_sub(1)?;
        match self.position {
            0 => Some(std::mem::take(&mut self.draft_text)),
            place => self.load_messages().iter().rev().nth(place - 1).cloned(),
        }
    }

    /// Finds the newest message that contains the text, after skipping some. Duplicates are ignored.
    pub fn find(&mut self, words: &str, skip: usize) -> Option<String> {
        if words.is_empty() {
            return None;
        }
        let words = words.to_lowercase();
        let mut seen: Vec<&String> = Vec::new();
        for text in self.load_messages().iter().rev().filter(|text| text.to_lowercase().contains(&words)) {
            if !seen.contains(&text) {
                seen.push(text);
            }
        }
        seen.get(skip).map(|text| text.to_string())
    }

    fn load_messages(&mut self) -> &[String] {
        if self.messages.is_none() {
            self.messages = Some(self.file.as_ref().and_then(|file| read_messages(file).ok()).unwrap_or_default());
        }
        self.messages.as_deref().unwrap_or_default()
    }
}

fn read_messages(file: &PathBuf) -> std::io::Result<Vec<String>> {
    let mut file = std::fs::File::open(file)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(MAX_READ)))?;
    let mut bytes = Vec::new();
    file.take(MAX_READ).read_to_end(&mut bytes)?;
    let lines = bytes.split(|byte| *byte == b'\n');
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_3_sent_messages_can_be_recalled_and_searched() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("history/p.jsonl");
        let mut recall = MessageHistory::new(file.clone());
        for text in ["fix the tests", "two\nlines", "two\nlines", "Fix the docs"] {
            recall.add_sent(text);
        }
        let mut again = MessageHistory::new(file.clone());
        assert_eq!(again.earlier("draft").as_deref(), Some("Fix the docs"));
        assert_eq!(again.earlier("").as_deref(), Some("two\nlines"));
        assert_eq!(again.earlier("").as_deref(), Some("fix the tests"));
        assert_eq!(again.earlier(""), None);
        assert_eq!(again.later().as_deref(), Some("two\nlines"));
        assert_eq!(again.later().as_deref(), Some("Fix the docs"));
        assert_eq!(again.later().as_deref(), Some("draft"));
        assert_eq!(again.later(), None);
        assert_eq!(again.find("fix", 0).as_deref(), Some("Fix the docs"));
        assert_eq!(again.find("fix", 1).as_deref(), Some("fix the tests"));
        assert_eq!(again.find("fix", 2), None);
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(file).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
    }
}
