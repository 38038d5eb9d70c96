//! What a command of the user's own may do in its turn (UI-9): rules that allow, and a model; both end with the turn.

use super::Hall;
use cutonce_core::event::Level;
use cutonce_core::rule::{Behavior, Rules};

#[derive(Debug, Default)]
pub(super) struct Lent {
    rules: Vec<String>,
    /// The main model before.
    model: Option<String>,
}

impl Hall {
    /// Rules only spare the asking: what plan mode or a deny rule forbids they don't lift (PM-61).
    pub(super) fn for_this_turn(&mut self, allow: &[String], model: Option<String>) {
        for rule in allow {
            match self.rules.add_for_session(Behavior::Allow, rule) {
                Ok(()) => self.lent.rules.push(rule.clone()),
                Err(error) => self.notice(Level::Warning, &format!("The command's rule {rule} is ignored: {error}")),
            }
        }
        if let Some(model) = model {
            let before = self.models.main().to_string();
            self.lent.model.get_or_insert(before);
            self.models.choose(model);
        }
    }

    /// The rules without what is lent: an agent in the background outlives the turn that it was lent for.
    pub(super) fn lasting_rules(&self) -> Rules {
        let mut rules = self.rules.clone();
        for rule in &self.lent.rules {
            rules.remove_for_session(Behavior::Allow, rule);
        }
        rules
    }

    pub(super) fn turn_is_over(&mut self) {
        for rule in std::mem::take(&mut self.lent.rules) {
            self.rules.remove_for_session(Behavior::Allow, &rule);
        }
        if let Some(model) = self.lent.model.take() {
            self.models.choose(model);
        }
    }
}
