//! How a run without an approver ends (PM-76): `-p` and `cutonce plan`.

use crate::plan::Found;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headless {
    pub text: String,
    pub exit_code: i32,
}

/// The turn is over in plan mode, by a submission or without one; the session stays in plan mode either way.
pub fn headless(found: &Found, path: &str) -> Headless {
    match found {
        Found::Plan(text) => Headless { text: text.clone(), exit_code: 0 },
        Found::Nothing => Headless { text: format!("No plan was written ({path})."), exit_code: 1 },
        Found::Unreadable(why) => Headless { text: format!("The plan file {path} can't be read: {why}"), exit_code: 1 },
    }
}
