//! Who answered an ask, for everyone who could have answered it (PM-75, RV-3).

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// An approver as others see it: where the user answered, or who did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Answerer(Cow<'static, str>);

impl Answerer {
    /// The terminal program, or its plain form.
    pub const TERMINAL: Answerer = Answerer(Cow::Borrowed("terminal"));
    /// A program that drives the session.
    pub const HOST: Answerer = Answerer(Cow::Borrowed("host"));
    /// An editor that speaks ACP.
    pub const EDITOR: Answerer = Answerer(Cow::Borrowed("editor"));
    /// The review page.
    pub const BROWSER: Answerer = Answerer(Cow::Borrowed("browser"));

    /// A person or machine with a name of its own.
    pub fn named(name: impl Into<String>) -> Answerer {
        Answerer(Cow::Owned(name.into()))
    }

    pub fn name(&self) -> &str {
        &self.0
    }

    /// The session's own user, wherever the answer was given.
    pub fn is_local(&self) -> bool {
        [Answerer::TERMINAL, Answerer::HOST, Answerer::EDITOR, Answerer::BROWSER].contains(self)
    }

    /// For example «in the browser».
    pub fn describe(&self) -> String {
        match self.name() {
            "host" => "by the host".into(),
            place @ ("terminal" | "editor" | "browser") => format!("in the {place}"),
            name => format!("by {name}"),
        }
    }
}

impl Default for Answerer {
    fn default() -> Self {
        Answerer::HOST
    }
}
