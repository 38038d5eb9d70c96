//! The Agent tool (SA-1): its input and its result.

use super::SubagentSpawner;
use super::run::{StartedSubagent, SubagentTask, brief_line};
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights};
use cutonce_core::protocol::event::{AgentEnd, AgentOutcome, AgentRef};
use cutonce_core::subagent::{AGENT_TOOL, GENERAL_PURPOSE, agent_tool_description};
use cutonce_tools::env::{CallContext, ToolEnv};
use cutonce_tools::tool::{Tool, ToolError, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

pub(super) struct AgentTool {
    agents: Arc<SubagentSpawner>,
    description: String,
}

impl AgentTool {
    pub fn new(agents: Arc<SubagentSpawner>) -> AgentTool {
        let description = agent_tool_description(&agents.tree.catalog);
        AgentTool { agents, description }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentInput {
    /// The task in three to five words.
    description: String,
    prompt: String,
    /// The kind.
    subagent_type: Option<String>,
    /// Another model than the agent's own: an alias or id.
    model: Option<String>,
    #[serde(default)]
    run_in_background: bool,
    resume: Option<String>,
}

#[async_trait]
impl Tool for AgentTool {
    type Input = AgentInput;

    fn name(&self) -> &'static str {
        AGENT_TOOL
    }
    fn description(&self) -> &str {
        &self.description
    }
    /// Starting an agent changes nothing; each of its calls is decided separately.
    fn read_only(&self, _input: &AgentInput) -> bool {
        true
    }
    fn access(&self, input: &AgentInput, _here: &ToolEnv) -> Result<Access, ToolError> {
        for (field, text) in [("description", &input.description), ("prompt", &input.prompt)] {
            if text.trim().is_empty() {
                return Err(format!("Invalid input: `{field}`: expected text, got an empty string").into());
            }
        }
        let kind = input.subagent_type.as_deref().unwrap_or(GENERAL_PURPOSE);
        let definition =
            self.agents.find_definition(kind, input.resume.as_deref()).map_err(|error| error.to_string())?;
        Ok(Access::Agent { kind: definition.name.clone() })
    }
    fn summary(&self, input: &AgentInput) -> String {
        let kind = input.subagent_type.as_deref().unwrap_or(GENERAL_PURPOSE);
        format!("{kind}: {}", brief_line(&input.description))
    }
    async fn run(&self, input: AgentInput, _rights: CallRights, _here: &ToolEnv, call: &CallContext) -> ToolOutcome {
        let kind = input.subagent_type.unwrap_or_else(|| GENERAL_PURPOSE.into());
        let resume = input.resume.filter(|id| !id.trim().is_empty());
        let beside = |kind: &str| {
            self.agents.find_definition(kind, resume.as_deref()).is_ok_and(|agent| agent.options.background)
        };
        let task = SubagentTask {
            background: input.run_in_background || beside(&kind),
            call_id: call.call_id.clone(),
            kind,
            description: brief_line(&input.description),
            prompt: input.prompt,
            model: input.model.filter(|model| !model.trim().is_empty()),
            resume,
        };
        let background = task.background;
        let StartedSubagent { agent, stop, ended } = match self.agents.start(task) {
            Ok(started) => started,
            Err(why) => return ToolOutcome::error(why),
        };
        if background {
            let text = format!(
                "Started in the background. agentId: {}\nContinue with other work; its answer arrives as a message when it has ended. Do not wait for it or check on it.",
                agent.id
            );
            return ToolOutcome::text(text).with_display(json!({"agentId": agent.id, "status": "async_launched"}));
        }
        tokio::pin!(ended);
        let end = tokio::select! {
            end = &mut ended => end,
            () = call.cancel.cancelled() => {
                stop.cancel();
                ended.await
            }
        };
        end.map_or_else(
            |_| ToolOutcome::error("The agent failed with an internal error."),
            |end| tool_result(&agent, &end),
        )
    }
}

/// The result for the model, and the structured form for hosts.
fn tool_result(agent: &AgentRef, end: &AgentEnd) -> ToolOutcome {
    let again = format!("agentId: {} (resume it with this id if there is more to do)", agent.id);
    let said = match end.text.trim() {
        "" => "(no output)",
        text => text,
    };
    let (status, outcome) = match &end.outcome {
        AgentOutcome::Done => ("completed", ToolOutcome::text(format!("{said}\n\n{again}"))),
        AgentOutcome::Stopped => (
            "stopped",
            ToolOutcome::error(format!("The agent was stopped before it finished. Its last output: {said}\n\n{again}")),
        ),
        AgentOutcome::Failed(why) => {
            ("failed", ToolOutcome::error(format!("The agent failed: {why}. Its last output: {said}\n\n{again}")))
        }
    };
    outcome.with_display(json!({
        "status": status,
        "agentId": agent.id,
        "agentType": agent.name,
        "content": [{"type": "text", "text": end.text}],
        "totalToolUseCount": end.tools,
        "totalTokens": end.usage.context_tokens(),
        "totalDurationMs": end.elapsed_ms,
        "usage": end.usage,
        "totalCostUsd": end.totals.cost(),
    }))
}
