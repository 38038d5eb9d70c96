//! What subagents do, as frames: their answers and results carry the call that started them as `parent_tool_use_id` (SA-1).

use super::Frames;
use cutonce_core::conversation::Block;
use cutonce_core::event::{AgentDoes, AgentEvent, AgentHow, EventKind};
use cutonce_core::plan::PlanEvent;
use serde_json::{Value, json};

impl Frames {
    pub(super) fn agent(&mut self, event: &AgentEvent, at: u64) -> Vec<Value> {
        let agent = &event.agent;
        let about = |mut fields: Value| {
            fields["task_id"] = agent.id.clone().into();
            fields["tool_use_id"] = agent.call_id.clone().into();
            fields
        };
        match &event.what {
            AgentDoes::Started(start) => vec![self.system(
                "task_started",
                about(json!({"description": start.description, "task_type": "local_agent", "agent_type": agent.name,
                    "model": start.model, "background": start.background, "resumed": start.resumed})),
            )],
            AgentDoes::Progress(now) => vec![self.system(
                "task_progress",
                about(json!({"description": now.doing, "usage": {"total_tokens": now.tokens,
                    "tool_uses": now.tools, "duration_ms": now.elapsed_ms}})),
            )],
            AgentDoes::Says(kind) => {
                let mut frames = self.said(kind, at);
                for frame in &mut frames {
                    frame["parent_tool_use_id"] = agent.call_id.clone().into();
                    frame["agent_id"] = agent.id.clone().into();
                }
                frames
            }
            AgentDoes::Ended(end) => {
                let (status, summary) = match &end.how {
                    AgentHow::Done => ("completed", end.text.clone()),
                    AgentHow::Stopped => ("stopped", end.text.clone()),
                    AgentHow::Failed(why) => ("failed", why.clone()),
                };
                let file = self.own.join("agents").join(format!("{}.jsonl", agent.id));
                let usage = json!({"total_tokens": end.usage.context(), "tool_uses": end.tools,
                    "duration_ms": end.elapsed_ms});
                vec![self.system(
                    "task_notification",
                    about(json!({"status": status, "summary": summary, "usage": usage, "output_file": file})),
                )]
            }
        }
    }

    /// The same frames as of the session itself; pieces of an answer that is still coming are the session's alone. What an agent says is
    /// for those who asked for it: a host that shows texts would show them as the answer.
    fn said(&mut self, kind: &EventKind, at: u64) -> Vec<Value> {
        let (partial, context) = (std::mem::take(&mut self.partial), self.context);
        let frames = match kind {
            EventKind::Assistant { id, model, blocks, usage, stop } if self.forward => {
                self.assistant(id, model, blocks, *usage, stop)
            }
            EventKind::Assistant { id, model, blocks, usage, stop } => {
                let calls = |block: &&Block| matches!(block, Block::ToolUse(_));
                let calls: Vec<Block> = blocks.iter().filter(calls).cloned().collect();
                self.assistant(id, model, &calls, *usage, stop)
            }
            EventKind::ToolFinished(finished) => self.tool(finished),
            EventKind::User { .. } if !self.forward => Vec::new(),
            EventKind::User { text, .. } => {
                let message = json!({"role": "user", "content": [{"type": "text", "text": text}]});
                vec![self.frame("user", json!({"message": message, "parent_tool_use_id": null}))]
            }
            EventKind::Notice { level, text } => {
                vec![self.system("informational", json!({"content": text, "level": level}))]
            }
            EventKind::ModeChanged { from, to, by } => {
                vec![self.plan(&PlanEvent::ModeChanged { from: *from, to: *to, by: *by }, at)]
            }
            EventKind::Plan(plan) => vec![self.plan(plan, at)],
            _ => Vec::new(),
        };
        (self.partial, self.context) = (partial, context);
        frames
    }
}
