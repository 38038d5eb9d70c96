//! The Agent tool (SA-1): what the model gives, and what it gets back.

use super::Agents;
use super::run::{Started, Task, brief};
use async_trait::async_trait;
use cutonce_core::agent::{GENERAL, TOOL, description};
use cutonce_core::event::{AgentEnd, AgentHow, AgentRef};
use cutonce_core::permission::{Access, Rights};
use cutonce_tools::tool::{CallContext, Here, Outcome, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

pub(super) struct AgentTool {
    agents: Arc<Agents>,
    description: String,
}

impl AgentTool {
    pub fn new(agents: Arc<Agents>) -> AgentTool {
        let description = description(&agents.tree.catalog);
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
        TOOL
    }
    fn description(&self) -> &str {
        &self.description
    }
    /// Starting one changes nothing; what it does is decided call by call.
    fn read_only(&self, _input: &AgentInput) -> bool {
        true
    }
    fn touches(&self, input: &AgentInput, _here: &Here) -> Result<Access, String> {
        for (field, text) in [("description", &input.description), ("prompt", &input.prompt)] {
            if text.trim().is_empty() {
                return Err(format!("Invalid input: `{field}`: expected words, got an empty text"));
            }
        }
        let kind = input.subagent_type.as_deref().unwrap_or(GENERAL);
        let definition = self.agents.kind(kind, input.resume.as_deref())?;
        Ok(Access::Agent { kind: definition.name.clone() })
    }
    fn summary(&self, input: &AgentInput) -> String {
        let kind = input.subagent_type.as_deref().unwrap_or(GENERAL);
        format!("{kind}: {}", brief(&input.description))
    }
    async fn run(&self, input: AgentInput, _rights: Rights, _here: &Here, call: &CallContext) -> Outcome {
        let kind = input.subagent_type.unwrap_or_else(|| GENERAL.into());
        let resume = input.resume.filter(|id| !id.trim().is_empty());
        let beside = |kind: &str| self.agents.kind(kind, resume.as_deref()).is_ok_and(|agent| agent.more.background);
        let task = Task {
            background: input.run_in_background || beside(&kind),
            call_id: call.call_id.clone(),
            kind,
            description: brief(&input.description),
            prompt: input.prompt,
            model: input.model.filter(|model| !model.trim().is_empty()),
            resume,
        };
        let background = task.background;
        let Started { agent, stop, ended } = match self.agents.start(task) {
            Ok(started) => started,
            Err(why) => return Outcome::error(why),
        };
        if background {
            let text = format!(
                "Started in the background. agentId: {}\nGo on with other work; its answer comes as a message when it has ended. Do not wait for it or look after it.",
                agent.id
            );
            return Outcome::text(text).with_display(json!({"agentId": agent.id, "status": "async_launched"}));
        }
        tokio::pin!(ended);
        let end = tokio::select! {
            end = &mut ended => end,
            () = call.cancel.cancelled() => {
                stop.cancel();
                ended.await
            }
        };
        end.map_or_else(|_| Outcome::error("The agent failed inside."), |end| result(&agent, &end))
    }
}

/// What the model is told, and the structured form for hosts.
fn result(agent: &AgentRef, end: &AgentEnd) -> Outcome {
    let again = format!("agentId: {} (resume it with this id if there is more to do)", agent.id);
    let said = match end.text.trim() {
        "" => "It said nothing.",
        text => text,
    };
    let (status, outcome) = match &end.how {
        AgentHow::Done => ("completed", Outcome::text(format!("{said}\n\n{again}"))),
        AgentHow::Stopped => (
            "stopped",
            Outcome::error(format!("The agent was stopped before it was done. Its last words: {said}\n\n{again}")),
        ),
        AgentHow::Failed(why) => {
            ("failed", Outcome::error(format!("The agent failed: {why}. Its last words: {said}\n\n{again}")))
        }
    };
    outcome.with_display(json!({
        "status": status,
        "agentId": agent.id,
        "agentType": agent.name,
        "content": [{"type": "text", "text": end.text}],
        "totalToolUseCount": end.tools,
        "totalTokens": end.usage.context(),
        "totalDurationMs": end.elapsed_ms,
        "usage": end.usage,
        "totalCostUsd": end.cost,
    }))
}
