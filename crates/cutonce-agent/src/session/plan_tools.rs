//! EnterPlanMode and ExitPlanMode as the model sees them (PM-30 to PM-34, PM-70, PM-89). What they do is done by the
//! session, in `plan`; they never run by themselves.

use super::SessionState;
use super::parts::{Approver, is_offered, may_name_tool};
use crate::internal_call::InternalCall;
use cutonce_core::call::CallEvent;
use cutonce_core::conversation::{ContentBlock, ToolInput};
use cutonce_core::mode;
use cutonce_core::model_request::ToolSpec;
use cutonce_core::permission::Why;
use cutonce_core::permission::rules::RuleSet;
use cutonce_core::plan::approval::{self, ImplementationTools};
use cutonce_core::plan::{self, PhaseEvent, PlanningTools, reminder};
use cutonce_core::prompts::ASK_TOOL;
use cutonce_core::protocol::event::EndReason;
use cutonce_core::protocol::host::HostAnswer;
use cutonce_core::protocol::submission::{AskAnswer, PermissionAnswer};
use cutonce_core::settings::plan::{PlanEagerness, PlanEntry};
use cutonce_core::subagent::{AGENT_TOOL, EXPLORE_AGENT, PLAN_AGENT};
use cutonce_core::transcript;
use cutonce_tools::tool::{AnyTool, ToolCall, ToolError, ToolOutcome};
use serde_json::{Value, json};
use std::sync::Arc;

struct PlanTool {
    name: &'static str,
    description: String,
}

/// ExitPlanMode, and EnterPlanMode if it is offered (PM-32). The list is fixed at the start (PM-66).
pub(crate) fn plan_tools(eagerness: PlanEagerness, enter_offered: bool, tools: PlanningTools) -> Vec<Arc<dyn AnyTool>> {
    let enter = PlanTool { name: plan::ENTER_PLAN_MODE, description: plan::enter_description(eagerness, tools) };
    let exit = PlanTool { name: plan::EXIT_PLAN_MODE, description: plan::exit_description(tools) };
    let enter: Option<Arc<dyn AnyTool>> = enter_offered.then(|| Arc::new(enter) as Arc<dyn AnyTool>);
    enter.into_iter().chain([Arc::new(exit) as Arc<dyn AnyTool>]).collect()
}

impl AnyTool for PlanTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: self.name.into(), description: self.description.clone(), schema: plan::empty_input_schema() }
    }
    fn name(&self) -> &str {
        self.name
    }
    fn parse(self: Arc<Self>, input: Value) -> Result<Box<dyn ToolCall>, ToolError> {
        plan::check_no_input(self.name, &input)?;
        // Never the result: the session performs plan tools itself.
        let outcome = ToolOutcome::error("The mode was not changed.");
        Ok(Box::new(InternalCall { read_only: self.name == plan::ENTER_PLAN_MODE, summary: "", outcome }))
    }
}

impl SessionState {
    /// The answer as front ends see it: ExitPlanMode shows the plan that it submits (PM-70). If an earlier call of the
    /// same answer may still change the plan, it names the file only.
    pub(super) fn blocks_for_front_ends(&self, blocks: &[ContentBlock]) -> Arc<[ContentBlock]> {
        if self.subagent.is_some() || !self.mode.is_planning() {
            return blocks.into();
        }
        let mut first = true;
        let shown = |block: &ContentBlock| {
            let mut block = block.clone();
            if let ContentBlock::ToolUse(call) = &mut block {
                let alone = std::mem::take(&mut first);
                if call.name == plan::EXIT_PLAN_MODE
                    && matches!(&call.input, ToolInput::Json(Value::Object(given)) if given.is_empty())
                {
                    let mut input = json!({"planFilePath": self.planner.path()});
                    if let Some(text) = self.planner.found().text().filter(|_| alone) {
                        input["plan"] = text.into();
                    }
                    call.input = ToolInput::Json(input);
                }
            }
            block
        };
        blocks.iter().map(shown).collect()
    }

    /// EnterPlanMode and ExitPlanMode: the session performs them itself.
    pub(super) fn run_in_session(&mut self, n: usize, why: &Why) {
        self.record_decision(n, why);
        let (name, ..) = self.calls.facts(n);
        let enter = name == plan::ENTER_PLAN_MODE;
        match (enter, self.context.shared.settings.plan.entry) {
            (true, PlanEntry::Ask) if !self.mode.is_planning() => self.ask_to_enter(n),
            (true, PlanEntry::Ask | PlanEntry::Allow | PlanEntry::Never) => self.enter_plan(n),
            (false, _) => self.submit_plan(Some(n), None),
        }
    }

    /// ExitPlanMode takes no plan: it belongs into the plan file (PM-70).
    pub(super) fn check_exit_input(&self, tool: &str, input: &Value) -> Result<(), String> {
        let is_exit = tool == plan::EXIT_PLAN_MODE;
        let error = if is_exit { plan::plan_in_exit_input(input, &self.planner.path()) } else { None };
        error.map_or(Ok(()), Err)
    }

    /// The answer to EnterPlanMode and ExitPlanMode in a subagent, which is offered neither.
    pub(super) fn answer_in_agent(&self, tool: &str) -> Option<ToolOutcome> {
        self.subagent.as_ref()?;
        match tool {
            plan::ENTER_PLAN_MODE => Some(ToolOutcome::error(plan::ENTER_IN_AGENT_ERROR)),
            plan::EXIT_PLAN_MODE => Some(ToolOutcome::text(approval::subagent_result())),
            _ => None,
        }
    }

    /// What the model can use once a plan is approved (PM-77).
    pub(super) fn at_hand(&self) -> ImplementationTools {
        let denied = |tool: &str| self.permissions.rules.denies_tool(tool);
        ImplementationTools {
            todos: self.tools.by_name.contains_key("TodoWrite") && !denied("TodoWrite"),
            agents: self.context.agents.is_some() && !denied(AGENT_TOOL),
        }
    }

    /// The answer to the ask of EnterPlanMode.
    pub(super) fn enter_answered(&mut self, n: usize, answer: AskAnswer) {
        let (message, interrupt) = match answer {
            AskAnswer::Permission(PermissionAnswer::Allow { .. }) | AskAnswer::Host(HostAnswer::Allow { .. }) => {
                return self.enter_plan(n);
            }
            AskAnswer::Host(HostAnswer::Deny { message, interrupt }) => (message, interrupt),
            AskAnswer::Permission(PermissionAnswer::Deny { .. }) => (String::new(), false),
            AskAnswer::Questions(_) | AskAnswer::Plan(_) | AskAnswer::Unusable { .. } => {
                return self.step_call(n, CallEvent::unusable_answer());
            }
        };
        let text = format!("{} {message}", plan::enter_declined());
        self.complete_call(n, ToolOutcome::text(text.trim()));
        if interrupt {
            self.end_with_batch(EndReason::Interrupted { in_tools: true });
        }
    }

    /// The phase after a subagent of this name started (PM-140).
    pub(super) fn advance_phase(&mut self, agent: &str) {
        if let Some(event) = PhaseEvent::of_agent(agent) {
            self.phase(event);
        }
    }

    /// The plan mode reminder of a subagent: a short form, once, and again after a compaction (PM-90).
    pub(super) fn remind_agent(&mut self) {
        self.mode_as_of_now();
        if !self.mode.is_planning() || self.mode.reminder_count() > 0 {
            return;
        }
        let exists = self.planner.found().text().is_some();
        let reminder = reminder::subagent_reminder(&self.planner.path(), exists);
        self.append(reminder.to_entry());
        self.conversation.push(transcript::reminder_message(&reminder.text));
        self.mode_event(mode::ModeEvent::ReminderSent(reminder.kind));
    }
}

/// What planning can use here (PM-90).
pub(super) fn planning_tools(
    tools: &[Arc<dyn AnyTool>],
    rules: &RuleSet,
    approver: Approver,
    agents: Option<&crate::subagent::SubagentSpawner>,
) -> PlanningTools {
    let offers_agents = is_offered(AGENT_TOOL, tools, rules);
    let agent = |name: &str| offers_agents && agents.is_some_and(|agents| agents.catalog().get(name).is_some());
    PlanningTools {
        questions: may_name_tool(ASK_TOOL, tools, rules, approver),
        write: is_offered("Write", tools, rules),
        edit: is_offered("Edit", tools, rules),
        explore_agents: agent(EXPLORE_AGENT),
        plan_agents: agent(PLAN_AGENT),
    }
}
