//! Answers to an ask that do not come from the user. A hook (HO-7) and auto mode's classifier (PM-120) may answer
//! asks that only the mode caused; never those caused by a user's rule, a protected path, a secret, or unknown
//! writes. Only this module lets software approve an ask, and it starts from an ask, never from a denial.

use super::rules::RuleSet;
use super::shell_call::writes_protected;
use super::{
    Access, AllowedCall, CallFacts, Decision, PartFacts, PathLocation, PathScope, PermissionAsk, ShellFacts, Why,
    reads_secret,
};
use crate::mode::Mode;

/// The cause of an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskCause {
    /// Only the mode's table.
    Mode,
    /// An ask rule.
    Rule,
    /// A write to a protected path, or to a file that makes other programs run code (PR-4).
    ProtectedPath,
    /// A read of keys or credentials (SB-2).
    SecretRead,
    /// The command's writes are not fully known.
    UnknownWrites,
    /// A write outside the files of the approved plan (PC-20).
    OutOfScope,
    /// A hook wants the user to be asked.
    Hook,
    /// The classifier wants the user to be asked, for this reason.
    Classifier(String),
}

/// The cause of an ask that the mode's table produced.
pub(super) fn ask_cause(rules: &RuleSet, facts: &CallFacts) -> AskCause {
    match &facts.access {
        Access::Write(target) if matches!(target.place, PathLocation::Protected | PathLocation::Trigger) => {
            AskCause::ProtectedPath
        }
        Access::Shell(shell)
            if shell.parts.iter().any(|part| writes_protected(rules, part) || writes_trigger(part)) =>
        {
            AskCause::ProtectedPath
        }
        access if reads_secret(rules, access) => AskCause::SecretRead,
        Access::Shell(shell) if has_unknown_writes(shell) => AskCause::UnknownWrites,
        Access::Internal
        | Access::Read(_)
        | Access::Write(_)
        | Access::Shell(_)
        | Access::Kill { .. }
        | Access::Fetch { .. }
        | Access::Agent { .. }
        | Access::Skill { .. }
        | Access::Mcp { .. }
        | Access::Question => AskCause::Mode,
    }
}

fn writes_trigger(part: &PartFacts) -> bool {
    part.writes.iter().chain(&part.redirects).chain(&part.mentioned).any(|reach| match reach {
        PathScope::Exact(target) | PathScope::Below(target) => target.place == PathLocation::Trigger,
        PathScope::Unknown => false,
    })
}

fn has_unknown_writes(shell: &ShellFacts) -> bool {
    let writes = shell.parts.iter().flat_map(|part| part.writes.iter().chain(&part.redirects));
    shell.unparsed.is_some() || writes.into_iter().any(|reach| *reach == PathScope::Unknown)
}

impl PermissionAsk {
    /// True if a hook or the classifier may answer in place of the user.
    pub fn may_answer_automatically(&self) -> bool {
        match &self.cause {
            AskCause::Mode => true,
            AskCause::Rule
            | AskCause::ProtectedPath
            | AskCause::SecretRead
            | AskCause::UnknownWrites
            | AskCause::OutOfScope
            | AskCause::Hook
            | AskCause::Classifier(_) => false,
        }
    }

    /// The classifier wants the user to decide. Its reason stays with the ask and with the recorded answer.
    pub fn escalate_to_user(mut self, said: &str) -> PermissionAsk {
        self.why.reason = format!("{}; auto mode leaves it to you: {said}", self.why.reason);
        self.cause = AskCause::Classifier(said.to_string());
        self
    }

    /// Text for the transcript: who answered, and the classifier's earlier reason.
    pub fn describe_answer(&self, who: &str) -> String {
        match &self.cause {
            AskCause::Classifier(said) => format!("{who}; auto mode had asked: {said}"),
            AskCause::Mode
            | AskCause::Rule
            | AskCause::ProtectedPath
            | AskCause::SecretRead
            | AskCause::UnknownWrites
            | AskCause::OutOfScope
            | AskCause::Hook => who.to_string(),
        }
    }
}

impl Decision {
    /// A hook wants the user to be asked: an allowed call asks. Denials stay denials.
    pub fn require_user(self, facts: CallFacts, reason: &str) -> Decision {
        match self {
            Decision::Allow(_) => {
                let why = Why::from_reason(format!("a hook asks: {reason}"));
                Decision::Ask(Box::new(PermissionAsk { facts, why, cause: AskCause::Hook, suggestions: vec![] }))
            }
            Decision::Ask(mut ask) => {
                ask.why.reason = format!("{}; a hook asks: {reason}", ask.why.reason);
                // From now on only the user may answer.
                ask.cause = AskCause::Hook;
                Decision::Ask(ask)
            }
            denied @ Decision::Deny(_) => denied,
        }
    }

    /// A hook says allow. This only answers an ask that hooks may answer, outside plan mode (PM-61).
    pub fn apply_hook_allow(self, mode: Mode, reason: &str) -> Decision {
        match self {
            Decision::Ask(ask) if !mode.is_read_only() && ask.may_answer_automatically() => {
                let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
                Decision::Allow(ask.approve(format!("a hook allowed it{reason}")))
            }
            other => other,
        }
    }
}

impl AllowedCall {
    /// The classifier allowed the call (PM-120). Returns the ask if the classifier may not answer it.
    pub fn from_classifier(ask: PermissionAsk, reason: &str) -> Result<AllowedCall, Box<PermissionAsk>> {
        if ask.may_answer_automatically() {
            Ok(ask.approve(format!("auto mode: {reason}")))
        } else {
            Err(Box::new(ask))
        }
    }
}
