//! What EnterPlanMode and ExitPlanMode say of themselves (PM-30 to PM-34, PM-89), and when the first one is offered.
//! The tools are built where the session is; the words are in reminders/*.md.

use crate::settings::plan::{Eagerness, Entry, Workflow};
use serde_json::{Value, json};

pub const ENTER: &str = "EnterPlanMode";
pub const EXIT: &str = "ExitPlanMode";

/// PM-18: they wait for the calls before them in a batch, and the calls after them are decided under the new mode.
pub fn is_barrier(tool: &str) -> bool {
    tool == ENTER || tool == EXIT
}

/// PM-31.
pub const ENTER_IN_AGENT: &str = "EnterPlanMode tool cannot be used in agent contexts";

/// PM-34.
pub fn enter_description(eagerness: Eagerness) -> &'static str {
    match eagerness {
        Eagerness::Eager => include_str!("../reminders/enter_plan_mode_eager.md"),
        Eagerness::Reserved => include_str!("../reminders/enter_plan_mode_reserved.md"),
    }
}

/// PM-89.
pub fn exit_description() -> &'static str {
    include_str!("../reminders/exit_plan_mode.md")
}

/// PM-33. The workflow itself comes as a reminder with the next request.
pub fn enter_result(workflow: Workflow, already: bool) -> &'static str {
    match (already, workflow) {
        (true, _) => include_str!("../reminders/enter_result_already.md").trim_end(),
        (false, Workflow::Phases) => include_str!("../reminders/enter_result.md").trim_end(),
        (false, Workflow::Interview) => include_str!("../reminders/enter_result_interview.md").trim_end(),
    }
}

/// PM-4: `plan.entry` is "ask", and the user said no.
pub fn enter_declined() -> &'static str {
    include_str!("../reminders/enter_declined.md").trim_end()
}

/// PM-4, PM-32: fixed at the start of the session. `approver`: somebody could approve the exit;
/// `away`: the host declared that its user is not at an approval UI.
pub fn enter_offered(entry: Entry, approver: bool, away: bool) -> bool {
    match entry {
        Entry::Allow | Entry::Ask => approver && !away,
        Entry::Never => false,
    }
}

/// The strict empty object (PM-30, PM-70).
pub fn no_input_schema() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}

/// PM-30: any field is an error that names it.
pub fn no_input(tool: &str, input: &Value) -> Result<(), String> {
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
