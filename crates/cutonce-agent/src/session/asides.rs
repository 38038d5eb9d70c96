//! Questions outside the conversation (DU-5): a side question, a review by a fresh agent, and what fills the
//! context window. Answers are asides: the user sees them, the conversation does not change.

use super::SessionState;
use super::events::SessionEvent;
use super::model_request::text_of;
use super::parts::size_of;
use super::usage::RequestMeter;
use crate::subagent::SubagentTask;
use cutonce_core::conversation::{ContentBlock, Message, ModelResponse, SharedMessage, estimate_tokens};
use cutonce_core::prompts;
use cutonce_core::protocol::event::{AgentEnd, AgentOutcome, AgentRef, EventKind, NoticeLevel};
use cutonce_core::subagent::{REVIEWER, background_result_message};
use cutonce_core::text::number::group_digits;
use cutonce_core::text::sanitize::one_line;
use cutonce_models::ModelError;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Side questions and reviews in work. Dropping it aborts the requests.
#[derive(Default)]
pub(super) struct Asides {
    /// Requests outside the turn.
    requests: JoinSet<()>,
    /// Ids of the agents that review for the user.
    reviews: Vec<String>,
}

impl Asides {
    pub fn start(&mut self, request: impl Future<Output = ()> + Send + 'static) {
        while self.requests.try_join_next().is_some() {}
        self.requests.spawn(request);
    }
    /// Aborts the requests; what they used is reported then.
    pub async fn end(&mut self) {
        self.requests.shutdown().await;
    }
}

impl SessionState {
    /// `/btw`: one request with the conversation so far; the turn continues meanwhile.
    pub(super) fn ask_aside(&mut self, question: String) {
        if self.over_budget() {
            return self.notice(NoticeLevel::Warning, "Not asked: the session's budget is used up.");
        }
        let mut messages = answered_part(&self.conversation.messages);
        messages.push(Arc::new(Message::user_text(prompts::side_question_prompt(&question))));
        let (request, events) = (self.request_task(messages, false), self.events.clone());
        let mut meter = RequestMeter::new(request.progress.clone(), request.connected.clone(), events.clone());
        self.tasks.asides.start(async move {
            let response = request.run().await;
            meter.ended(&response);
            drop(meter);
            let _ = events.send(SessionEvent::AsideAnswered { question, response });
        });
    }

    pub(super) fn aside_answered(&mut self, question: &str, response: Result<ModelResponse, ModelError>) {
        let response = match response {
            Ok(response) => response,
            Err(error) => return self.notice(NoticeLevel::Warning, &format!("No answer to /btw: {error}")),
        };
        let text = text_of(&response.blocks);
        match text.trim() {
            "" => {
                self.notice(NoticeLevel::Warning, "The model did not answer /btw without tools. Ask it as a message.")
            }
            text => self.emit(EventKind::Aside { heading: format!("/btw {}", one_line(question)), text: text.into() }),
        }
    }

    /// `/review`: starts the reviewer in the background.
    pub(super) fn review_changes(&mut self, focus: &str) {
        let Some(agents) = self.context.agents.clone() else {
            return self.notice(NoticeLevel::Warning, "This session may not start agents, so it can't start a review.");
        };
        let task = SubagentTask {
            call_id: crate::new_id(),
            kind: REVIEWER.into(),
            description: "review of the working tree".into(),
            prompt: prompts::review_task(focus),
            model: None,
            background: true,
            resume: None,
        };
        match agents.start_in(task, Arc::new(self.spawn_context(Arc::default()))) {
            Ok(started) => self.tasks.asides.reviews.push(started.agent.id.clone()),
            Err(why) => self.notice(NoticeLevel::Warning, &format!("The review did not start: {why}")),
        }
    }

    /// Shows the report of a review that the user asked for; the model reads it with the next message. False for other
    /// agents.
    pub(super) fn review_ended(&mut self, agent: &AgentRef, end: &AgentEnd) -> bool {
        let reviews = &mut self.tasks.asides.reviews;
        let Some(at) = reviews.iter().position(|id| *id == agent.id) else { return false };
        reviews.remove(at);
        let text = self.context.shared.redactor.redact(end.text.trim()).into_owned();
        match &end.outcome {
            AgentOutcome::Done if !text.is_empty() => {
                let report = background_result_message(
                    &agent.id,
                    &agent.name,
                    "review of the working tree",
                    "has ended; the user has read its report",
                    &text,
                );
                self.memory.reminders.push(("agent".into(), report));
                self.emit(EventKind::Aside { heading: "Review of the working tree".into(), text });
            }
            AgentOutcome::Done => self.notice(NoticeLevel::Warning, "The review ended without a report."),
            AgentOutcome::Stopped => self.notice(NoticeLevel::Info, "The review was stopped."),
            AgentOutcome::Failed(why) => self.notice(NoticeLevel::Warning, &format!("The review failed: {why}")),
        }
        true
    }

    /// `/context`: the parts of the next request, by size.
    pub(super) fn describe_context(&self) {
        let mut sizes = ContextSizes::of_messages(&self.conversation.messages);
        let prefix = &self.conversation.prefix;
        sizes.system = prefix.system.len();
        for tool in &prefix.tools {
            let bytes = tool.description.len() + tool.schema.to_string().len();
            let (total, count) = match tool.name.starts_with("mcp__") {
                true => &mut sizes.mcp_tools,
                false => &mut sizes.tools,
            };
            (*total, *count) = (*total + bytes, *count + 1);
        }
        let info = &self.model.connected.info;
        let used = self.conversation.context();
        let compact_at = self.context.shared.settings.compact.automatic_at();
        let text = sizes.describe(used, info.context, compact_at);
        self.emit(EventKind::Aside { heading: format!("Context of {}", self.model.connected.model.name()), text });
    }
}

/// The conversation without the last answer if its calls have no results yet: a request can't end with that.
fn answered_part(messages: &[SharedMessage]) -> Vec<SharedMessage> {
    let open = |message: &SharedMessage| {
        matches!(**message, Message::Assistant { .. }) && message.tool_calls().next().is_some()
    };
    let end = messages.len() - usize::from(messages.last().is_some_and(open));
    messages[..end].to_vec()
}

/// Bytes of each part of a request.
#[derive(Debug, Default, PartialEq, Eq)]
struct ContextSizes {
    system: usize,
    /// Bytes and number of the tools.
    tools: (usize, usize),
    mcp_tools: (usize, usize),
    user: usize,
    answers: usize,
    thinking: usize,
    calls: usize,
    results: usize,
}

impl ContextSizes {
    fn of_messages(messages: &[SharedMessage]) -> ContextSizes {
        let mut sizes = ContextSizes::default();
        for message in messages {
            match &**message {
                Message::User { .. } => sizes.user += size_of(message),
                Message::Tool(_) => sizes.results += size_of(message),
                Message::Assistant { blocks, .. } => blocks.iter().for_each(|block| match block {
                    ContentBlock::Text { text } => sizes.answers += text.len(),
                    ContentBlock::Thinking { text, .. } => sizes.thinking += text.len(),
                    ContentBlock::ToolUse(call) => {
                        sizes.calls += call.name.len() + call.input.to_json().to_string().len();
                    }
                    ContentBlock::Image(_) => {}
                }),
            }
        }
        sizes
    }

    /// A Markdown list, the largest part first. The parts are estimates; the total is the provider's where it counted.
    fn describe(&self, used: u64, window: u64, compact_at: Option<f64>) -> String {
        let mut parts = [
            ("system prompt and instructions".to_string(), self.system),
            (format!("{} tools", self.tools.1), self.tools.0),
            (format!("{} MCP tools", self.mcp_tools.1), self.mcp_tools.0),
            ("messages and reminders".into(), self.user),
            ("answers".into(), self.answers),
            ("thinking".into(), self.thinking),
            ("tool calls".into(), self.calls),
            ("tool results".into(), self.results),
        ];
        parts.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        let total = match window {
            0 => format!("{} tokens used; the window of this model is not known.", group_digits(used)),
            _ => {
                format!("{} of {} tokens used ({} %).", group_digits(used), group_digits(window), used * 100 / window)
            }
        };
        let listed = parts.iter().filter(|(_, bytes)| *bytes > 0);
        let lines: Vec<String> = listed
            .map(|(name, bytes)| format!("- {name}: about {} tokens", group_digits(estimate_tokens(*bytes))))
            .collect();
        let last = match compact_at {
            Some(at) => format!("cutonce summarizes the conversation at {:.0} %. `/compact` does it now.", at * 100.0),
            None => "`/compact` summarizes the conversation.".to_string(),
        };
        format!("{total}\n\n{}\n\n{last}", lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::conversation::{ToolInput, ToolResult, ToolUse};

    fn call() -> SharedMessage {
        let call = ToolUse { id: "c".into(), name: "Read".into(), input: ToolInput::Json(serde_json::json!({})) };
        Arc::new(Message::Assistant { model: "m".into(), blocks: vec![ContentBlock::ToolUse(call)] })
    }

    #[test]
    fn du_5_side_question_follows_answered_calls_only() {
        let asked: SharedMessage = Arc::new(Message::user_text("go"));
        assert_eq!(answered_part(&[asked.clone(), call()]).len(), 1);
        let result = ToolResult::text("c", "done");
        assert_eq!(answered_part(&[asked.clone(), call(), Arc::new(Message::Tool(result))]).len(), 3);
        assert!(answered_part(&[]).is_empty());
    }

    #[test]
    fn du_5_context_lists_the_largest_part_first() {
        let sizes = ContextSizes { system: 300, tools: (900, 3), results: 30, ..ContextSizes::default() };
        let text = sizes.describe(410, 1_000, Some(0.9));
        assert!(text.starts_with("410 of 1,000 tokens used (41 %).\n\n- 3 tools: about 300 tokens\n"), "{text}");
        assert!(text.contains("- tool results: about 10 tokens\n\n") && text.contains("at 90 %"), "{text}");
        assert!(!text.contains("MCP") && !text.contains("thinking"), "{text}");
    }
}
