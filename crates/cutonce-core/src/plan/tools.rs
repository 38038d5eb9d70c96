//! Descriptions and results of EnterPlanMode and ExitPlanMode (PM-30 to PM-34, PM-89), and when EnterPlanMode
//! is offered. The session builds the tools; the texts are in plan/texts/*.md.

use crate::call::CallRole;
use crate::permission::Access;
use crate::settings::plan::{PlanEagerness, PlanEntry, PlanWorkflow};
use crate::text::template::fill_template;
use serde_json::{Value, json};

pub const ENTER_PLAN_MODE: &str = "EnterPlanMode";
pub const EXIT_PLAN_MODE: &str = "ExitPlanMode";

/// True for tools that are barriers in a batch (PM-18): they wait for the calls before them, and later calls
/// are decided under the new mode.
pub fn is_barrier(tool: &str) -> bool {
    tool == ENTER_PLAN_MODE || tool == EXIT_PLAN_MODE
}

impl CallRole {
    /// How the session performs a call of `tool` once it is allowed.
    pub fn for_call(tool: &str, access: &Access) -> CallRole {
        match access {
            _ if is_barrier(tool) => CallRole::SessionTool,
            Access::Question => CallRole::Questions,
            _ => CallRole::Tool,
        }
    }
    /// True if the session performs calls of `tool` itself. Such a tool takes no input, and is a barrier in its batch.
    pub fn is_session_tool(tool: &str) -> bool {
        is_barrier(tool)
    }
}

/// Error for EnterPlanMode in a subagent (PM-31).
pub const ENTER_IN_AGENT_ERROR: &str = "EnterPlanMode tool cannot be used in agent contexts";

/// Tools and agents that planning can use in this session; texts for the model name no others (PM-90).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanningTools {
    /// AskUserQuestion is offered and a user can answer.
    pub questions: bool,
    pub write: bool,
    pub edit: bool,
    pub explore_agents: bool,
    pub plan_agents: bool,
}

impl PlanningTools {
    pub const ALL: PlanningTools =
        PlanningTools { questions: true, write: true, edit: true, explore_agents: true, plan_agents: true };
    pub const NONE: PlanningTools =
        PlanningTools { questions: false, write: false, edit: false, explore_agents: false, plan_agents: false };

    /// True if a text about the plan file may name this tool.
    pub(super) fn writes_with(self, tool: &str) -> bool {
        match tool {
            "Write" => self.write,
            "Edit" => self.edit,
            _ => false,
        }
    }
}

/// Description of EnterPlanMode (PM-34).
pub fn enter_description(eagerness: PlanEagerness, tools: PlanningTools) -> String {
    let text = match eagerness {
        PlanEagerness::Eager => include_str!("texts/enter_plan_mode_eager.md"),
        PlanEagerness::Reserved => include_str!("texts/enter_plan_mode_reserved.md"),
    };
    let explore = if tools.explore_agents { " (use an Explore agent)" } else { "" };
    let ask = if tools.questions { " with AskUserQuestion" } else { "" };
    fill_template(text.trim_end(), &[("explore", explore), ("ask", ask)])
}

/// Description of ExitPlanMode (PM-89).
pub fn exit_description(tools: PlanningTools) -> String {
    let questions = if tools.questions { include_str!("texts/exit_questions.md").trim_end() } else { "" };
    let questions = if questions.is_empty() { String::new() } else { format!("\n{questions}") };
    fill_template(include_str!("texts/exit_plan_mode.md").trim_end(), &[("questions", &questions)])
}

/// Error for an ExitPlanMode call that carries the plan, which belongs into the plan file (PM-70).
pub fn plan_in_exit_input(input: &Value, path: &str) -> Option<String> {
    input.get("plan")?;
    Some(fill_template(include_str!("texts/plan_in_input.md").trim_end(), &[("path", path)]))
}

/// What an EnterPlanMode call did, as a sentence for the user (PM-142). `result` is its text for the model.
pub fn describe_enter(result: &str) -> &'static str {
    if result.starts_with(enter_declined()) {
        "You declined plan mode"
    } else if result.starts_with(enter_result(PlanWorkflow::Phases, true)) {
        "Plan mode was already on"
    } else {
        "Entered plan mode"
    }
}

/// Result of EnterPlanMode (PM-33). The workflow itself follows as a reminder with the next request.
pub fn enter_result(workflow: PlanWorkflow, already: bool) -> &'static str {
    match (already, workflow) {
        (true, _) => include_str!("texts/enter_result_already.md").trim_end(),
        (false, PlanWorkflow::Phases) => include_str!("texts/enter_result.md").trim_end(),
        (false, PlanWorkflow::Interview) => include_str!("texts/enter_result_interview.md").trim_end(),
    }
}

/// Result if `plan.entry` is "ask" and the user declined (PM-4).
pub fn enter_declined() -> &'static str {
    include_str!("texts/enter_declined.md").trim_end()
}

/// True if EnterPlanMode is offered; fixed at the start of the session (PM-4, PM-32). `approver`: an approver
/// exists;
/// `away`: the host declared that its user is not at an approval UI.
pub fn is_enter_offered(entry: PlanEntry, approver: bool, away: bool) -> bool {
    match entry {
        PlanEntry::Allow | PlanEntry::Ask => approver && !away,
        PlanEntry::Never => false,
    }
}

/// Schema of the strict empty object (PM-30, PM-70).
pub fn empty_input_schema() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}

/// Checks that the input is empty; the error names the first field (PM-30).
pub fn check_no_input(tool: &str, input: &Value) -> Result<(), String> {
    match input {
        Value::Object(fields) => match fields.keys().next() {
            None => Ok(()),
            Some(field) => Err(format!("{tool}: unknown field `{field}`; expected no fields: call it with {{}}")),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(format!("{tool}: expected an empty object {{}}, got {input}"))
        }
    }
}
