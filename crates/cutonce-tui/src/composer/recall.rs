//! What was sent before from this folder, newest last, on disk; and the search in it (UI-3).

use crate::text;
use crate::theme::Theme;
use ratatui::text::{Line, Span};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// As much of the file's end as is read.
const READ: u64 = 1 << 20;
/// A longer message is not remembered.
const LONGEST: usize = 64 << 10;

#[derive(Debug, Default)]
pub struct Recall {
    file: Option<PathBuf>,
    /// Read when it is first needed: most sessions never ask.
    sent: Option<Vec<String>>,
    /// Where up and down are, from the end; 0 is the text that is being written.
    place: usize,
    writing: String,
}

/// Ctrl+R.
#[derive(Debug)]
pub struct Search {
    pub words: String,
    /// Newer finds that were passed over.
    pub skip: usize,
    pub found: bool,
    /// The text before the search began.
    pub before: String,
}

impl Search {
    pub fn new(before: &str) -> Search {
        Search { words: String::new(), skip: 0, found: true, before: before.to_string() }
    }
    pub fn line(&self, theme: &Theme) -> Line<'static> {
        let none = if self.found { "" } else { "  nothing found" };
        let words = text::one_line(&self.words);
        Line::from(vec![
            Span::styled("  search sent messages: ", theme.dim),
            Span::styled(words, theme.strong),
            Span::styled(format!("{none}   ctrl+r older · enter takes it · esc back"), theme.dim),
        ])
    }
}

impl Recall {
    /// `file` holds one JSON string a line.
    pub fn new(file: PathBuf) -> Recall {
        Recall { file: Some(file), ..Recall::default() }
    }

    /// A failure to write it down loses a convenience, nothing else.
    pub fn sent(&mut self, text: &str) {
        self.forget_place();
        if text.trim().is_empty() || text.len() > LONGEST {
            return;
        }
        if self.all().last().is_some_and(|last| last == text) {
            return;
        }
        self.sent.get_or_insert_default().push(text.to_string());
        let Some(file) = &self.file else { return };
        if let Some(folder) = file.parent() {
            let _ = cutonce_agent::store::place::create_private_dir(folder);
        }
        let line = serde_json::Value::from(text).to_string() + "\n";
        let opened = cutonce_agent::store::place::private().append(true).create(true).open(file);
        let _ = opened.and_then(|mut file| file.write_all(line.as_bytes()));
    }

    pub fn forget_place(&mut self) {
        self.place = 0;
    }

    pub fn earlier(&mut self, writing: &str) -> Option<String> {
        if self.place == 0 {
            self.writing = writing.to_string();
        }
        let place = self.place + 1;
        let found = self.all().iter().rev().nth(place - 1).cloned()?;
        self.place = place;
        Some(found)
    }

    pub fn later(&mut self) -> Option<String> {
        self.place = self.place.checked_sub(1)?;
        match self.place {
            0 => Some(std::mem::take(&mut self.writing)),
            place => self.all().iter().rev().nth(place - 1).cloned(),
        }
    }

    /// The newest that holds the words, after skipping some; each text once.
    pub fn find(&mut self, words: &str, skip: usize) -> Option<String> {
        if words.is_empty() {
            return None;
        }
        let words = words.to_lowercase();
        let mut seen: Vec<&String> = Vec::new();
        for text in self.all().iter().rev().filter(|text| text.to_lowercase().contains(&words)) {
            if !seen.contains(&text) {
                seen.push(text);
            }
        }
        seen.get(skip).map(|text| text.to_string())
    }

    fn all(&mut self) -> &[String] {
        if self.sent.is_none() {
            self.sent = Some(self.file.as_ref().and_then(|file| read(file).ok()).unwrap_or_default());
        }
        self.sent.as_deref().unwrap_or_default()
    }
}

fn read(file: &PathBuf) -> std::io::Result<Vec<String>> {
    let mut file = std::fs::File::open(file)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(READ)))?;
    let mut bytes = Vec::new();
    file.take(READ).read_to_end(&mut bytes)?;
    let lines = bytes.split(|byte| *byte == b'\n');
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_3_earlier_messages_of_the_project_come_back_and_can_be_searched() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("history/p.jsonl");
        let mut recall = Recall::new(file.clone());
        for text in ["fix the tests", "two\nlines", "two\nlines", "Fix the docs"] {
            recall.sent(text);
        }
        let mut again = Recall::new(file.clone());
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
