//! The plan of a session: file name, content, submitted revisions and phase. Files are read and written
//! elsewhere; their content is passed in as data.

pub mod approval;
pub mod command;
pub mod contract;
mod directory;
mod estimate;
mod event;
mod freshness;
pub mod implementation;
mod installers;
mod naming;
mod phase;
pub mod progress;
pub mod rehearsal;
pub mod reminder;
pub mod report;
mod restore;
mod revision;
pub mod scope;
pub mod scope_git;
mod tools;

pub use directory::{PlansDirectoryError, check_plans_directory};
pub use estimate::CostEstimate;
pub use event::{LiveStep, PlanEvent, StepProgress};
pub use freshness::{FreshnessState, PlanFreshness, StaleFile};
pub use installers::installer;
pub use naming::{
    agent_plan_file_name, free_task_name, free_word_name, is_plan_name, plan_file_name, task_name, word_name,
};
pub use phase::{PhaseEvent, PlanPhase};
pub use restore::{RestoredFrom, RestoredPlan, restore_plan};
pub use revision::{PlanStatus, Revision, RevisionIndex, RevisionOutcome};
pub use tools::{
    ENTER_IN_AGENT_ERROR, ENTER_PLAN_MODE, EXIT_PLAN_MODE, PlanningTools, check_no_input, describe_enter,
    empty_input_schema, enter_declined, enter_description, enter_result, exit_description, is_barrier,
    is_enter_offered, plan_in_exit_input,
};

use sha2::{Digest, Sha256};

/// Content of the plan file (PM-43).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanContent {
    /// No file, or only whitespace.
    Missing,
    Text(String),
    /// The file can't be read or is not UTF-8; with the reason.
    Unreadable(String),
}

impl PlanContent {
    /// Reads the file's bytes; `None` if there is no file.
    pub fn from_bytes(bytes: Option<Vec<u8>>) -> PlanContent {
        match bytes.map(String::from_utf8) {
            None => PlanContent::Missing,
            Some(Ok(text)) if has_content(&text) => PlanContent::Text(text),
            Some(Ok(_)) => PlanContent::Missing,
            Some(Err(error)) => {
                PlanContent::Unreadable(format!("not UTF-8 after byte {}", error.utf8_error().valid_up_to()))
            }
        }
    }
    /// The plan's text. Except for ExitPlanMode, an unreadable plan is no plan.
    pub fn text(&self) -> Option<&str> {
        match self {
            PlanContent::Text(text) => Some(text),
            PlanContent::Missing | PlanContent::Unreadable(_) => None,
        }
    }
    pub fn sha256(&self) -> Option<String> {
        self.text().map(sha256_hex)
    }
}

/// True if the text has a non-blank character (PM-43).
pub fn has_content(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && c != '\u{feff}')
}

/// SHA-256 in hex; approvals are bound to it (PM-84).
pub fn sha256_hex(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Title for lists of plans: the first heading, else the first non-empty line.
pub fn plan_title(text: &str) -> Option<String> {
    let mut fence: Option<&str> = None;
    let mut first = None;
    for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, Some(mark)) => fence = Some(mark),
            (Some(_), _) => {}
            (None, None) => match heading_text(line) {
                Some(words) => return Some(shorten_title(words)),
                None if first.is_none() && !line.is_empty() => first = Some(shorten_title(line)),
                None => {}
            },
        }
    }
    first
}

fn heading_text(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let marks = line.len() - rest.len();
    let words = rest.trim().trim_end_matches('#').trim();
    ((1..=6).contains(&marks) && rest.starts_with([' ', '\t']) && !words.is_empty()).then_some(words)
}

/// Shortens a title to 80 characters without control characters (TL-10) and without hiding anything (PM-87).
fn shorten_title(line: &str) -> String {
    let line = crate::text::sanitize::reveal_hidden(line);
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
