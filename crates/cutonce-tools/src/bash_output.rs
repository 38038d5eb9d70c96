//! BashOutput (TL-8): what a background command printed since the last look.

use crate::tool::{CallContext, Here, Outcome, Tool};
use async_trait::async_trait;
use cutonce_core::permission::{Access, Rights};
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub struct BashOutput;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BashOutputInput {
    /// As Bash named it: bash_1.
    bash_id: String,
    /// A regular expression: only lines that match.
    #[serde(default)]
    filter: Option<String>,
}

#[async_trait]
impl Tool for BashOutput {
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
    fn touches(&self, input: &BashOutputInput, here: &Here) -> Result<Access, String> {
        matcher(input)?;
        match here.shells.task(&input.bash_id) {
            Some(_) => Ok(Access::Internal),
            None => Err(unknown("bash_id", &input.bash_id, here)),
        }
    }
    fn summary(&self, input: &BashOutputInput) -> String {
        input.bash_id.clone()
    }
    async fn run(&self, input: BashOutputInput, _rights: Rights, here: &Here, _call: &CallContext) -> Outcome {
        let Some(task) = here.shells.task(&input.bash_id) else {
            return Outcome::error(unknown("bash_id", &input.bash_id, here));
        };
        // The state first: what was printed before that end is then in the text.
        let state = task.state();
        let text = match (task.unseen(), matcher(&input)) {
            (_, Err(error)) => return Outcome::error(error),
            (None, _) => "(nothing new)".to_string(),
            (Some(text), Ok(None)) => text.trim_end().to_string(),
            (Some(text), Ok(Some(filter))) => matching(&text, &filter),
        };
        Outcome::text(format!("{}: {state}\n\n{text}", task.id)).with_display(json!({ "state": state.to_string() }))
    }
}

/// AG-6: which field, what was expected, what came.
pub(crate) fn unknown(field: &str, id: &str, here: &Here) -> String {
    format!("Invalid input: `{field}`: expected the id of a background command, got {id:?} ({})", here.shells.known())
}

fn matcher(input: &BashOutputInput) -> Result<Option<RegexMatcher>, String> {
    let Some(filter) = &input.filter else { return Ok(None) };
    let matcher = RegexMatcher::new(filter)
        .map_err(|error| format!("Invalid input: `filter`: expected a regular expression, got {filter:?}: {error}"))?;
    Ok(Some(matcher))
}

fn matching(text: &str, filter: &RegexMatcher) -> String {
    let matches = |line: &&str| filter.is_match(line.as_bytes()).unwrap_or(false);
    let lines: Vec<&str> = text.lines().filter(matches).collect();
    if lines.is_empty() { "(nothing new matches the filter)".into() } else { lines.join("\n") }
}
