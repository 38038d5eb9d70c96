//! Frames for subagents. Their answers and results carry the call that started them as `parent_tool_use_id`
//! (SA-1).

use super::FrameBuilder;
use cutonce_core::conversation::ContentBlock;
use cutonce_core::protocol::event::{AgentActivity, AgentEvent, AgentOutcome, EventKind};
use serde_json::{Value, json};

impl FrameBuilder {
    pub(super) fn agent_frames(&mut self, event: &AgentEvent, at: u64) -> Vec<Value> {
        let agent = &event.agent;
        let about = |mut fields: Value| {
            fields["task_id"] = agent.id.clone().into();
            fields["tool_use_id"] = agent.call_id.clone().into();
            fields
        };
        match &event.activity {
            AgentActivity::Started(start) => vec![self.system_frame(
                "task_started",
                about(json!({"description": start.description, "task_type": "local_agent", "agent_type": agent.name,
                    "model": start.model, "background": start.background, "resumed": start.resumed})),
            )],
            AgentActivity::Progress(now) => vec![self.system_frame(
                "task_progress",
                about(json!({"description": now.current_call, "usage": {"total_tokens": now.tokens,
                    "tool_uses": now.tools, "duration_ms": now.elapsed_ms}})),
            )],
            AgentActivity::Emitted(kind) => {
                let mut frames = self.subagent_event_frames(kind, at);
                for frame in &mut frames {
                    frame["parent_tool_use_id"] = agent.call_id.clone().into();
                    frame["agent_id"] = agent.id.clone().into();
                }
                frames
            }
            AgentActivity::Ended(end) => {
                let (status, summary) = match &end.outcome {
                    AgentOutcome::Done => ("completed", end.text.clone()),
                    AgentOutcome::Stopped => ("stopped", end.text.clone()),
                    AgentOutcome::Failed(why) => ("failed", why.clone()),
                };
                let file = self.session_dir.join("agents").join(format!("{}.jsonl", agent.id));
                let usage = json!({"total_tokens": end.usage.context_tokens(), "tool_uses": end.tools,
                    "duration_ms": end.elapsed_ms});
                vec![self.system_frame(
                    "task_notification",
                    about(json!({"status": status, "summary": summary, "usage": usage, "output_file": file})),
                )]
            }
        }
    }

    /// Frames for one event of a subagent, as for the session itself but without partial messages. Text is
    /// forwarded only if the host asked for it: a host would show it as the answer.
    fn subagent_event_frames(&mut self, kind: &EventKind, at: u64) -> Vec<Value> {
        let partial = std::mem::take(&mut self.partial);
        let frames = match kind {
            EventKind::Assistant { id, model, blocks, usage, stop } if self.forward_text => {
                self.assistant_frames(id, model, blocks, *usage, stop)
            }
            EventKind::Assistant { id, model, blocks, usage, stop } => {
                let calls = |block: &&ContentBlock| matches!(block, ContentBlock::ToolUse(_));
                let calls: Vec<ContentBlock> = blocks.iter().filter(calls).cloned().collect();
                self.assistant_frames(id, model, &calls, *usage, stop)
            }
            EventKind::ToolFinished(finished) => self.tool_frames(finished),
            EventKind::User { .. } if !self.forward_text => Vec::new(),
            EventKind::User { text, .. } => {
                let message = json!({"role": "user", "content": [{"type": "text", "text": text}]});
                vec![self.new_frame("user", json!({"message": message, "parent_tool_use_id": null}))]
            }
            EventKind::Notice { level, text } => {
                vec![self.system_frame("informational", json!({"content": text, "level": level}))]
            }
            kind => self.mode_frames(kind, at),
        };
        self.partial = partial;
        frames
    }
}
