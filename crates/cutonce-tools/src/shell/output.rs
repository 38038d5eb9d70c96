//! BashOutput (TL-8): shows new output of a background command.

use crate::env::{CallContext, ToolEnv};
use crate::tool::{Tool, ToolError, ToolOutcome};
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights};
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub struct BashOutputTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BashOutputInput {
    /// As its start named it: bash_1.
    bash_id: String,
    /// A regular expression: only lines that match.
    #[serde(default)]
    filter: Option<String>,
}

#[async_trait]
impl Tool for BashOutputTool {
    type Input = BashOutputInput;

    fn name(&self) -> &'static str {
        "BashOutput"
    }
    fn description(&self) -> &str {
        include_str!("bash_output.md")
    }
    fn read_only(&self, _input: &BashOutputInput) -> bool {
        true
    }
    fn access(&self, input: &BashOutputInput, here: &ToolEnv) -> Result<Access, ToolError> {
        filter_matcher(input)?;
        match here.shells.task(&input.bash_id) {
            Some(_) => Ok(Access::Internal),
            None => Err(unknown_task("bash_id", &input.bash_id, here).into()),
        }
    }
    fn summary(&self, input: &BashOutputInput) -> String {
        input.bash_id.clone()
    }
    async fn run(
        &self,
        input: BashOutputInput,
        _rights: CallRights,
        here: &ToolEnv,
        call: &CallContext,
    ) -> ToolOutcome {
        let Some(task) = here.shells.task(&input.bash_id) else {
            return ToolOutcome::error(unknown_task("bash_id", &input.bash_id, here));
        };
        // In plan mode there is no scope, and nothing is applied.
        if let Some(scope) = &call.scope {
            task.compare(Some(scope), false).await;
        }
        // Read the state first: then the text contains everything printed before the end.
        let state = task.state();
        let text = match (task.take_new_output(), filter_matcher(&input)) {
            (_, Err(error)) => return ToolOutcome::error(error),
            (None, _) => "(nothing new)".to_string(),
            (Some(text), Ok(None)) => text.trim_end().to_string(),
            (Some(text), Ok(Some(filter))) => matching_lines(&text, &filter),
        };
        ToolOutcome::text(format!("{}: {state}\n\n{text}", task.id)).with_display(json!({ "state": state.to_string() }))
    }
}

/// AG-6: names the field, the expected and the actual value.
pub(crate) fn unknown_task(field: &str, id: &str, here: &ToolEnv) -> String {
    format!(
        "Invalid input: `{field}`: expected the id of a background command, got {id:?} ({})",
        here.shells.list_tasks()
    )
}

fn filter_matcher(input: &BashOutputInput) -> Result<Option<RegexMatcher>, ToolError> {
    let Some(filter) = &input.filter else { return Ok(None) };
    let matcher = RegexMatcher::new(filter)
        .map_err(|error| format!("Invalid input: `filter`: expected a regular expression, got {filter:?}: {error}"))?;
    Ok(Some(matcher))
}

fn matching_lines(text: &str, filter: &RegexMatcher) -> String {
    let matches = |line: &&str| filter.is_match(line.as_bytes()).unwrap_or(false);
    let lines: Vec<&str> = text.lines().filter(matches).collect();
    if lines.is_empty() { "(nothing new matches the filter)".into() } else { lines.join("\n") }
}
