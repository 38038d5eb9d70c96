//! What a custom command may change for its turn (UI-9): allow rules and a model; both end with the turn.

use super::SessionState;
use cutonce_core::permission::rules::{RuleBehavior, RuleSet};
use cutonce_core::protocol::event::NoticeLevel;

/// The overrides of the current turn.
#[derive(Debug, Default)]
pub(super) struct ActiveOverrides {
    rules: Vec<String>,
    /// The main model before.
    model: Option<String>,
}

impl SessionState {
    /// The rules only save asking: they don't lift what plan mode or a deny rule forbids (PM-61).
    pub(super) fn apply_overrides(&mut self, allow: &[String], model: Option<String>) {
        for rule in allow {
            match self.permissions.rules.add_for_session(RuleBehavior::Allow, rule) {
                Ok(()) => self.permissions.overrides.rules.push(rule.clone()),
                Err(error) => {
                    self.notice(NoticeLevel::Warning, &format!("The command's rule {rule} is ignored: {error}"))
                }
            }
        }
        if let Some(model) = model {
            let before = self.model.selection.main().to_string();
            self.permissions.overrides.model.get_or_insert(before);
            self.model.selection.choose(model);
        }
    }

    /// The rules without this turn's overrides: a subagent in the background outlives the turn.
    pub(super) fn lasting_rules(&self) -> RuleSet {
        let mut rules = self.permissions.rules.clone();
        for rule in &self.permissions.overrides.rules {
            rules.remove_for_session(RuleBehavior::Allow, rule);
        }
        rules
    }

    pub(super) fn drop_overrides(&mut self) {
        for rule in std::mem::take(&mut self.permissions.overrides.rules) {
            self.permissions.rules.remove_for_session(RuleBehavior::Allow, &rule);
        }
        if let Some(model) = self.permissions.overrides.model.take() {
            self.model.selection.choose(model);
        }
    }
}
