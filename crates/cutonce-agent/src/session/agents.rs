//! What agents mean for the session that starts them, and for a session that is an agent's (SA-1, PM-64, PM-82, PM-140).

use super::options::Approver;
use super::{Driver, Hall};
use crate::agents::{self, Ending, Moment, SharedRule};
use cutonce_core::agent::{PLAN, notification};
use cutonce_core::approval::{self, AtHand};
use cutonce_core::conversation::ToolUse;
use cutonce_core::event::{AgentHow, AgentRef};
use cutonce_core::mode::{self, Mode};
use cutonce_core::plan::{self, PhaseEvent};
use cutonce_core::prompts;
use cutonce_core::reminder;
use cutonce_core::rule::Behavior;
use cutonce_core::submission::{By, Submission};
use cutonce_core::transcript;
use cutonce_core::turn::{Happened, Said};
use cutonce_tools::tool::Outcome;

impl Hall {
    /// The mode that decides the next call. A session's own; an agent's is read from the one place that the main session
    /// writes, at every decision, so that plan mode binds it at once and until it ends (PM-64).
    pub(super) fn mode_as_of_now(&mut self) -> Mode {
        self.take_shared_rules();
        let Some(seat) = &mut self.seat else { return self.mode.mode() };
        let (now, stays) = self.standing.now();
        let wanted = seat.mode.decide(now, stays);
        if wanted != self.mode.mode() {
            self.mode_event(mode::Event::Set { to: wanted, by: By::Host });
        }
        // A change that could not be carried out (PM-100) gives no rights.
        if wanted == Mode::Plan { wanted } else { self.mode.mode() }
    }

    /// Rules for the session count for all of the tree, whoever was asked (PR-7).
    fn take_shared_rules(&mut self) {
        let said = self.standing.rules_since(self.rules_known);
        let denies = said.iter().any(|rule| rule.behavior == Behavior::Deny);
        for rule in said {
            self.rules_known += 1;
            if rule.gone {
                self.rules.remove_for_session(rule.behavior, &rule.text);
            } else {
                // It was understood where it was given.
                let _ = self.rules.add_for_session(rule.behavior, &rule.text);
            }
        }
        if denies {
            self.hide_secrets();
        }
    }

    pub(super) fn share_rule(&mut self, rule: &str) -> Result<(), cutonce_core::rule::RuleError> {
        self.share(Behavior::Allow, rule)
    }

    /// A rule for the session and all its agents, from the next decision of each on.
    pub(super) fn share(&mut self, behavior: Behavior, rule: &str) -> Result<(), cutonce_core::rule::RuleError> {
        self.take_shared_rules();
        self.rules.clone().add_for_session(behavior, rule)?;
        self.standing.share(SharedRule { behavior, text: rule.to_string(), gone: false });
        self.take_shared_rules();
        Ok(())
    }

    /// Taken back for all of them; false: it was none of the session's.
    pub(super) fn unshare(&mut self, behavior: Behavior, rule: &str) -> bool {
        self.take_shared_rules();
        let was = self.rules.clone().remove_for_session(behavior, rule);
        if was {
            self.standing.share(SharedRule { behavior, text: rule.to_string(), gone: true });
            self.take_shared_rules();
        }
        was
    }

    /// EnterPlanMode and ExitPlanMode of an agent: it was offered neither, and gets an answer all the same.
    pub(super) fn plan_tool_of_agent(&self, tool: &str) -> Option<Outcome> {
        self.seat.as_ref()?;
        match tool {
            plan::ENTER => Some(Outcome::error(plan::ENTER_IN_AGENT)),
            plan::EXIT => Some(Outcome::text(approval::for_agent())),
            _ => None,
        }
    }

    /// What the model can use once a plan is approved (PM-77).
    pub(super) fn at_hand(&self) -> AtHand {
        AtHand { todos: self.tools.contains_key("TodoWrite"), agents: self.agents.is_some() }
    }

    /// The whole tree stops (AG-4); what was stopped can be resumed.
    pub(super) fn stop_agents(&self) {
        if let Some(agents) = &self.agents {
            agents.stop();
        }
    }

    pub(super) fn agent_started(&mut self, agent: &AgentRef) {
        if agent.name == PLAN && self.mode.in_plan() {
            self.phase(PhaseEvent::PlanAgentStarted);
        }
    }

    /// Its tokens and money are this session's; one in the background tells its answer (SA-1).
    pub(super) fn agent_ended(&mut self, ending: Ending) {
        let Ending { agent, description, background, end } = ending;
        self.tally.agent(end.usage, end.cost, !self.turn.idle());
        if agent.name == PLAN && self.mode.in_plan() {
            let running = self.agents.as_ref().map_or(0, |agents| agents.running(PLAN));
            self.phase(PhaseEvent::PlanAgentEnded { running });
        }
        if !background {
            return;
        }
        let how = match &end.how {
            AgentHow::Done => "has ended".to_string(),
            AgentHow::Stopped => "was stopped; it can be resumed".to_string(),
            AgentHow::Failed(why) => format!("failed: {why}"),
        };
        let text = notification(&agent.id, &agent.name, &description, &how, end.text.trim());
        let text = self.redactor.redact(&text).into_owned();
        match end.how {
            // The person stopped it, and does not want it to begin a turn.
            AgentHow::Stopped => self.reminders.push(("agent".into(), text)),
            AgentHow::Done | AgentHow::Failed(_) => {
                self.pending.push_back(Happened::Said(Said::meta(prompts::reminder(&text))));
            }
        }
    }
}

impl Driver {
    /// What agents that these calls start begin with.
    pub(super) fn note_moment(&self, calls: &[ToolUse]) {
        let Some(agents) = &self.hall.agents else { return };
        if !calls.iter().any(|call| agents::is_call(&call.name)) {
            return;
        }
        let before = self.talk.conversation.len().saturating_sub(1);
        agents.set_moment(Moment {
            context: self.talk.conversation[..before].into(),
            answer: self.hall.batch.answer.clone(),
            connected: self.talk.connected.clone(),
            rules: self.hall.rules.clone(),
            lasting_rules: self.hall.lasting_rules(),
            budget: self.hall.max_budget.map(|max| (max - self.hall.tally.cost).max(0.0)),
            tools: self.hall.tools.values().cloned().collect(),
        });
    }

    /// An agent's reminder of plan mode: its own short form, once, and again after a compaction (PM-90).
    pub(super) fn remind_agent(&mut self) {
        self.hall.mode_as_of_now();
        if !self.hall.mode.in_plan() || self.hall.mode.reminders() > 0 {
            return;
        }
        let exists = self.hall.planner.found().text().is_some();
        let reminder = reminder::subagent(&self.hall.planner.path(), exists);
        self.hall.append(reminder.entry());
        self.talk.push(transcript::reminder_message(&reminder.text));
        self.hall.mode_event(mode::Event::ReminderSent(reminder.kind));
    }

    /// Where no person would begin the next turn, this one goes on until the agents in the background have ended.
    pub(super) async fn await_agents(&mut self, happened: Happened) -> Happened {
        let last = matches!(&happened, Happened::Answered { calls, over_budget: false } if calls.is_empty());
        if !last || !matches!(self.hall.approver, Approver::Nobody | Approver::Lead) {
            return happened;
        }
        loop {
            let running = self.hall.agents.as_ref().is_some_and(|agents| agents.any_in_background());
            let report = match self.hall.done.1.try_recv() {
                Ok(report) => report,
                Err(_) if !running => return happened,
                Err(_) => tokio::select! {
                    Some(report) = self.hall.done.1.recv() => report,
                    submission = self.hall.inbox.recv(), if self.hall.inbox_open => {
                        match submission {
                            None => self.hall.inbox_open = false,
                            Some(Submission::Interrupt) => {
                                self.hall.stop_agents();
                                return Happened::Interrupted;
                            }
                            Some(submission) => self.hall.while_requesting(submission),
                        }
                        continue;
                    }
                },
            };
            self.hall.report(report);
            if let Some(at) = self.hall.pending.iter().position(|happened| matches!(happened, Happened::Said(_)))
                && let Some(said) = self.hall.pending.remove(at)
            {
                // Queued: it joins at the next request, which follows because something is queued (AG-5).
                self.hall.turn.step(said);
                return happened;
            }
        }
    }
}
