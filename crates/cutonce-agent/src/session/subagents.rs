//! Subagents: what a session does for those it starts, and what is different in a subagent's own session (SA-1, PM-64,
//! PM-82, PM-140).

use super::SessionState;
use crate::subagent::{SharedRule, SpawnContext, SubagentReport};
use cutonce_core::conversation::SharedMessage;
use cutonce_core::mode::{self, Mode};
use cutonce_core::permission::rules::RuleBehavior;
use cutonce_core::prompts;
use cutonce_core::protocol::event::{AgentOutcome, AgentRef};
use cutonce_core::protocol::submission::ChangedBy;
use cutonce_core::subagent::background_result_message;
use cutonce_core::turn::{TurnEvent, UserInput};
use std::sync::Arc;

impl SessionState {
    /// The mode that decides the next call. A subagent reads it from what the main session shares, at every decision,
    /// so plan mode applies to it at once and until it ends (PM-64).
    pub(super) fn mode_as_of_now(&mut self) -> Mode {
        self.take_shared_rules();
        let Some(handle) = &mut self.subagent else { return self.mode.mode() };
        let (now, stays) = self.context.standing.current();
        let wanted = handle.mode.mode_for_decision(now, stays);
        if wanted != self.mode.mode() {
            self.mode_event(mode::ModeEvent::Set { to: wanted, by: ChangedBy::Host });
        }
        // A change that failed gives no rights (PM-100).
        if wanted.is_read_only() { wanted } else { self.mode.mode() }
    }

    /// Takes over the rules that any session of the tree added (PR-7).
    fn take_shared_rules(&mut self) {
        let said = self.context.standing.rules_since(self.permissions.shared_known);
        let denies = said.iter().any(|rule| rule.behavior == RuleBehavior::Deny);
        for rule in said {
            self.permissions.shared_known += 1;
            if rule.removed {
                self.permissions.rules.remove_for_session(rule.behavior, &rule.text);
            } else {
                // It was parsed where it was added.
                let _ = self.permissions.rules.add_for_session(rule.behavior, &rule.text);
            }
        }
        if denies {
            self.hide_secrets();
        }
    }

    pub(super) fn share_rule(&mut self, rule: &str) -> Result<(), cutonce_core::permission::rules::RuleError> {
        self.share(RuleBehavior::Allow, rule)
    }

    /// Adds a rule for the session and all its subagents, from the next decision of each on.
    pub(super) fn share(
        &mut self,
        behavior: RuleBehavior,
        rule: &str,
    ) -> Result<(), cutonce_core::permission::rules::RuleError> {
        self.take_shared_rules();
        self.permissions.rules.clone().add_for_session(behavior, rule)?;
        self.context.standing.share_rule(SharedRule { behavior, text: rule.to_string(), removed: false });
        self.take_shared_rules();
        Ok(())
    }

    /// Removes a rule for all of them; false if it was not a rule of the session.
    pub(super) fn unshare(&mut self, behavior: RuleBehavior, rule: &str) -> bool {
        self.take_shared_rules();
        let was = self.permissions.rules.clone().remove_for_session(behavior, rule);
        if was {
            self.context.standing.share_rule(SharedRule { behavior, text: rule.to_string(), removed: true });
            self.take_shared_rules();
        }
        was
    }

    /// Stops all subagents (AG-4); they can be resumed.
    pub(super) fn stop_agents(&self) {
        if let Some(agents) = &self.context.agents {
            agents.stop_all();
        }
    }

    pub(super) fn agent_started(&mut self, agent: &AgentRef) {
        self.advance_phase(&agent.name);
    }

    /// Adds its usage to this session's; the answer of one in the background becomes a message (SA-1).
    pub(super) fn agent_ended(&mut self, ending: SubagentReport) {
        let SubagentReport { agent, description, background, end } = ending;
        self.model.usage.agent(end.usage, &end.totals, !self.turn.idle());
        self.report_totals();
        if !background || self.review_ended(&agent, &end) {
            return;
        }
        let how = match &end.outcome {
            AgentOutcome::Done => "has ended".to_string(),
            AgentOutcome::Stopped => "was stopped; it can be resumed".to_string(),
            AgentOutcome::Failed(why) => format!("failed: {why}"),
        };
        let text = background_result_message(&agent.id, &agent.name, &description, &how, end.text.trim());
        let text = self.context.shared.redactor.redact(&text).into_owned();
        match end.outcome {
            // The user stopped it, so it starts no turn.
            AgentOutcome::Stopped => self.memory.reminders.push(("agent".into(), text)),
            AgentOutcome::Done | AgentOutcome::Failed(_) => {
                self.pending.push_back(TurnEvent::Input(UserInput::meta(prompts::wrap_reminder(&text))));
            }
        }
    }

    /// Remembers what subagents that the current calls start begin with.
    pub(super) fn set_spawn_context(&self) {
        let Some(agents) = &self.context.agents else { return };
        let before = self.conversation.messages.len().saturating_sub(1);
        agents.set_context(self.spawn_context(self.conversation.messages[..before].into()));
    }

    /// What a subagent that is started now begins with; `context` is the conversation that it sees.
    pub(super) fn spawn_context(&self, context: Arc<[SharedMessage]>) -> SpawnContext {
        SpawnContext {
            context,
            answer: self.calls.answer.clone(),
            connected: self.model.connected.clone(),
            rules: self.permissions.rules.clone(),
            lasting_rules: self.lasting_rules(),
            budget: self.context.max_budget.map(|max| (max - self.model.usage.cost()).max(0.0)),
            tools: self.tools.by_name.values().cloned().collect(),
        }
    }
}
