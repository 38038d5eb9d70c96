//! The plan of a session: its file's name, what its text says, the versions that were submitted, the phase of the work.
//! Files are read and written elsewhere; what they hold comes in as data.

mod directory;
mod event;
mod name;
mod phase;
mod restore;
mod revision;
mod tools;

pub use directory::{DirectoryError, check_directory};
pub use event::PlanEvent;
pub use name::{agent_file, file_name, free_task_name, free_word_name, is_name, task_name, word_name};
pub use phase::{Phase, PhaseEvent};
pub use restore::{Restored, RestoredFrom, restore};
pub use revision::{Index, Outcome, Revision, Status};
pub use tools::{
    ENTER, ENTER_IN_AGENT, EXIT, enter_declined, enter_description, enter_offered, enter_result, exit_description,
    is_barrier, no_input, no_input_schema,
};

use sha2::{Digest, Sha256};

/// What the plan file holds, as somebody just read it (PM-43).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// No file, or nothing in it but blanks.
    Nothing,
    Plan(String),
    /// It is there but can't be read, or is no UTF-8; and why.
    Unreadable(String),
}

impl Found {
    /// Of the file's bytes; `None` where there is no file.
    pub fn of(bytes: Option<Vec<u8>>) -> Found {
        match bytes.map(String::from_utf8) {
            None => Found::Nothing,
            Some(Ok(text)) if exists(&text) => Found::Plan(text),
            Some(Ok(_)) => Found::Nothing,
            Some(Err(error)) => Found::Unreadable(format!("not UTF-8 after byte {}", error.utf8_error().valid_up_to())),
        }
    }
    /// For display and for everything but ExitPlanMode an unreadable plan is no plan.
    pub fn text(&self) -> Option<&str> {
        match self {
            Found::Plan(text) => Some(text),
            Found::Nothing | Found::Unreadable(_) => None,
        }
    }
    pub fn sha256(&self) -> Option<String> {
        self.text().map(sha256)
    }
}

/// A plan exists when it has a non-blank character (PM-43).
pub fn exists(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && c != '\u{feff}')
}

/// The hash that an approval is bound to (PM-84), in hex.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a list of plans calls it: the first heading, else the first line that says something.
pub fn title(text: &str) -> Option<String> {
    let mut fence: Option<&str> = None;
    let mut first = None;
    for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, Some(mark)) => fence = Some(mark),
            (Some(_), _) => {}
            (None, None) => match heading(line) {
                Some(words) => return Some(short(words)),
                None if first.is_none() && !line.is_empty() => first = Some(short(line)),
                None => {}
            },
        }
    }
    first
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let marks = line.len() - rest.len();
    let words = rest.trim().trim_end_matches('#').trim();
    ((1..=6).contains(&marks) && rest.starts_with([' ', '\t']) && !words.is_empty()).then_some(words)
}

/// Titles are for lists: one line of at most 80 characters that control nothing (TL-10) and hide nothing (PM-87).
fn short(line: &str) -> String {
    let line = crate::harmless::visible(line);
    let clean = line.chars().filter(|c| !c.is_control());
    let mut title: String = clean.clone().take(80).collect();
    if clean.count() > 80 {
        title.pop();
        title.push('…');
    }
    title
}

#[cfg(test)]
mod tests;
