//! Who may answer an ask besides a person. A hook (HO-7) and auto mode's classifier (PM-120) may answer what only the mode asks for;
//! never a rule of the user, a protected place, a secret, or a command of which nobody can say what it touches. This is the only
//! place where something that is no person turns an ask into a right, and it can only start from an ask: a denial is none.

use super::plan::reads_secret;
use super::shell_call::writes_protected;
use super::{Access, Allowed, Ask, Decision, Facts, Place, Reach, ShellFacts, Why};
use crate::mode::Mode;
use crate::rule::Rules;

/// Why a call asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskedBy {
    /// Nothing but the mode.
    Mode,
    /// A rule says that this always asks.
    Rule,
    /// It writes to a protected place (PR-4).
    Protected,
    /// It reads what holds keys (SB-2).
    Secret,
    /// Nobody can say what all it writes.
    Unknown,
    /// A hook wants a person to be asked.
    Hook,
    /// The classifier wants a person to be asked, and says why.
    Classifier(String),
}

/// Why the mode's table asks for this call.
pub(super) fn asked_by(rules: &Rules, facts: &Facts) -> AskedBy {
    match &facts.access {
        Access::Write(target) if target.place == Place::Protected => AskedBy::Protected,
        Access::Shell(shell) if shell.parts.iter().any(|part| writes_protected(rules, part)) => AskedBy::Protected,
        access if reads_secret(access) => AskedBy::Secret,
        Access::Shell(shell) if is_unknown(shell) => AskedBy::Unknown,
        Access::Internal
        | Access::Read(_)
        | Access::Write(_)
        | Access::Shell(_)
        | Access::Kill { .. }
        | Access::Fetch { .. }
        | Access::Agent { .. }
        | Access::Skill { .. }
        | Access::Mcp { .. }
        | Access::Question => AskedBy::Mode,
    }
}

fn is_unknown(shell: &ShellFacts) -> bool {
    let writes = shell.parts.iter().flat_map(|part| part.writes.iter().chain(&part.redirects));
    shell.unparsed.is_some() || writes.into_iter().any(|reach| *reach == Reach::Unknown)
}

impl Ask {
    /// May something that is no person answer it?
    pub fn is_open(&self) -> bool {
        match &self.by {
            AskedBy::Mode => true,
            AskedBy::Rule
            | AskedBy::Protected
            | AskedBy::Secret
            | AskedBy::Unknown
            | AskedBy::Hook
            | AskedBy::Classifier(_) => false,
        }
    }

    /// The classifier leaves it to a person; what it said stays with the ask and the record of its answer.
    pub fn left_to_a_person(mut self, said: &str) -> Ask {
        self.why.reason = format!("{}; auto mode leaves it to you: {said}", self.why.reason);
        self.by = AskedBy::Classifier(said.to_string());
        self
    }

    /// Who answered, for the record, and what the classifier had said.
    pub fn answered(&self, who: &str) -> String {
        match &self.by {
            AskedBy::Classifier(said) => format!("{who}; auto mode had asked: {said}"),
            AskedBy::Mode | AskedBy::Rule | AskedBy::Protected | AskedBy::Secret | AskedBy::Unknown | AskedBy::Hook => {
                who.to_string()
            }
        }
    }
}

impl Decision {
    /// A hook wants a person to be asked: what would run asks. Nothing else changes.
    pub fn asking(self, facts: Facts, reason: &str) -> Decision {
        match self {
            Decision::Allow(_) => {
                let why = Why::of(format!("a hook asks: {reason}"));
                Decision::Ask(Box::new(Ask { facts, why, by: AskedBy::Hook, suggestions: vec![] }))
            }
            Decision::Ask(mut ask) => {
                ask.why.reason = format!("{}; a hook asks: {reason}", ask.why.reason);
                // From here on a person answers.
                ask.by = AskedBy::Hook;
                Decision::Ask(ask)
            }
            denied @ Decision::Deny(_) => denied,
        }
    }

    /// A hook says allow: that answers an open ask outside plan mode, and nothing else (PM-61).
    pub fn allowed_by_hook(self, mode: Mode, reason: &str) -> Decision {
        match self {
            Decision::Ask(ask) if mode != Mode::Plan && ask.is_open() => {
                let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
                Decision::Allow(ask.approve(format!("a hook allowed it{reason}")))
            }
            other => other,
        }
    }
}

impl Allowed {
    /// The classifier let it through (PM-120).
    pub fn by_classifier(ask: Ask, reason: &str) -> Result<Allowed, Box<Ask>> {
        if ask.is_open() { Ok(ask.approve(format!("auto mode: {reason}"))) } else { Err(Box::new(ask)) }
    }
}
