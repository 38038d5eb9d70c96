//! From entries back to a session: the conversation as the model will see it, and the state beside it (AG-8, PM-12).
//!
//! Whatever the file lost, what comes out is a conversation that a provider accepts (AG-4).

use super::{Body, Entry};
use crate::conversation::{Block, Image, Message, Shared, ToolResult, Usage};
use crate::event::Todo;
use crate::mode::Mode;
use crate::prompts;
use std::sync::Arc;

/// What a call without a result gets, so that the provider accepts the conversation (AG-4).
pub const INTERRUPTED: &str = "interrupted: the program ended before this call finished";
/// Stands in for the beginning where the file lost it or it was too much to load.
pub const BEGINNING_MISSING: &str = "(The beginning of this conversation is not available any more.)";

/// A session as its entries tell it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replayed {
    pub conversation: Vec<Shared>,
    /// Of the last answer, unless a compaction or clear came after it.
    pub usage: Option<Usage>,
    pub mode: Option<Mode>,
    /// The mode to go back to; only while `mode` is plan.
    pub pre_plan_mode: Option<Mode>,
    /// The model that answered last.
    pub model: Option<String>,
    pub todos: Vec<Todo>,
    /// Asked and neither answered nor overtaken (PM-85).
    pub open_asks: Vec<OpenAsk>,
    pub slug: Option<String>,
    pub cwd: Option<String>,
    pub branch: Option<String>,
    pub forked_from: Option<String>,
    pub counts: Counts,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAsk {
    pub ask_id: String,
    pub kind: String,
}

/// How many entries there were of what a person would count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages of the person.
    pub user: usize,
    pub assistant: usize,
    pub tool: usize,
    pub compactions: usize,
}

/// Rebuild a session from its entries in chain order, oldest first.
pub fn replay(entries: impl IntoIterator<Item = Entry>) -> Replayed {
    let mut replay = Replay::default();
    for entry in entries {
        replay.apply(entry.body);
    }
    replay.finish()
}

/// The person's message as the model sees it.
pub fn user_message(text: &str, images: &[Image]) -> Message {
    let text = (!text.is_empty()).then(|| Block::Text { text: text.into() });
    Message::User { content: text.into_iter().chain(images.iter().cloned().map(Block::Image)).collect() }
}

/// A reminder as the model sees it: never as the user's words.
pub fn reminder_message(text: &str) -> Message {
    Message::user(prompts::reminder(text))
}

/// The one message that stands for all that a compaction replaced (AG-8).
pub fn compacted_message(summary: &str, kept: &str) -> Message {
    Message::user(prompts::continued(summary, kept))
}

/// The one message that a conversation restarts with after «clear the context and start» (PM-81).
pub fn cleared_message(plan: &str) -> Message {
    Message::user(format!("Implement this approved plan:\n\n{}", plan.trim()))
}

/// What a provider demands of a conversation: it starts with a user message, every call has exactly one result,
/// directly after its message and in order, and no result is without a call.
pub fn valid_for_provider(conversation: &[Shared]) -> Result<(), String> {
    let mut expected: std::collections::VecDeque<&str> = Default::default();
    for (at, message) in conversation.iter().enumerate() {
        match &**message {
            Message::Tool(result) => match expected.pop_front() {
                Some(id) if id == result.call_id => {}
                Some(id) => return Err(format!("message {at}: a result for {}, expected {id}", result.call_id)),
                None => return Err(format!("message {at}: a result for {} without a call", result.call_id)),
            },
            Message::User { .. } | Message::Assistant { .. } if !expected.is_empty() => {
                return Err(format!("message {at}: calls without results: {expected:?}"));
            }
            Message::Assistant { .. } if at == 0 => return Err("does not start with a user message".into()),
            Message::User { content } if content.is_empty() => return Err(format!("message {at} is empty")),
            Message::Assistant { blocks, .. } if blocks.is_empty() => return Err(format!("message {at} is empty")),
            Message::User { .. } => {}
            Message::Assistant { .. } => expected = message.calls().map(|call| call.id.as_str()).collect(),
        }
    }
    if expected.is_empty() { Ok(()) } else { Err(format!("ends with calls without results: {expected:?}")) }
}

#[derive(Default)]
struct Replay {
    out: Replayed,
    /// The calls of the last answer, with the results that came so far, in any order.
    calls: Vec<(String, Option<ToolResult>)>,
    /// What was said while calls were still open: it follows their results.
    after: Vec<Shared>,
}

impl Replay {
    fn apply(&mut self, body: Body) {
        match body {
            Body::Session { cwd, branch, slug, forked_from, .. } => self.opened(cwd, branch, slug, forked_from),
            Body::User { text, images, meta, .. } => self.user(&text, &images, meta),
            Body::Assistant { model, blocks, usage, .. } => self.assistant(model, blocks, usage),
            Body::Tool { call_id, name, input, output, is_error, .. } => {
                if name == "TodoWrite" && !is_error {
                    self.todos(input);
                }
                self.result(ToolResult { call_id, content: output, is_error });
            }
            Body::Reminder { text, .. } => self.say(reminder_message(&text)),
            Body::Mode { from, to, .. } => self.mode(from, to),
            Body::Plan { slug, .. } => self.out.slug = Some(slug),
            Body::Ask { ask_id, kind, answer } => self.ask(ask_id, kind, answer.is_some()),
            Body::Compaction { summary, kept } => {
                self.out.counts.compactions += 1;
                self.start_over(Some(compacted_message(&summary, &kept)));
            }
            Body::Clear { plan_content } => {
                self.out.todos.clear();
                self.start_over(plan_content.as_deref().map(cleared_message));
            }
            Body::FileSnapshot { .. } | Body::Rewind { .. } | Body::Error { .. } => {}
        }
    }

    fn opened(&mut self, cwd: String, branch: Option<String>, slug: Option<String>, forked_from: Option<String>) {
        self.out.cwd = Some(cwd);
        self.out.branch = branch;
        // A resumed process that says nothing about it does not take it back.
        self.out.slug = slug.or(self.out.slug.take());
        self.out.forked_from = forked_from.or(self.out.forked_from.take());
    }

    fn user(&mut self, text: &str, images: &[Image], meta: bool) {
        if !meta {
            self.out.counts.user += 1;
            self.out.open_asks.clear();
        }
        self.say(user_message(text, images));
    }

    /// A user-role message. While calls are open it waits for their results.
    fn say(&mut self, message: Message) {
        if matches!(&message, Message::User { content } if content.is_empty()) {
            return;
        }
        self.after.push(Arc::new(message));
        if self.calls.iter().all(|(_, result)| result.is_some()) {
            self.close_calls();
        }
    }

    fn assistant(&mut self, model: String, blocks: Vec<Block>, usage: Usage) {
        self.close_calls();
        self.out.counts.assistant += 1;
        self.out.open_asks.clear();
        self.out.usage = Some(usage);
        self.out.model = Some(model.clone());
        if blocks.is_empty() {
            return;
        }
        if self.out.conversation.is_empty() {
            self.out.conversation.push(Arc::new(Message::user(BEGINNING_MISSING)));
        }
        let message = Message::Assistant { model, blocks };
        self.calls = message.calls().map(|call| (call.id.clone(), None)).collect();
        self.out.conversation.push(Arc::new(message));
    }

    /// A result finds its call whatever the order they finished in; one that nobody waits for is left out.
    fn result(&mut self, result: ToolResult) {
        self.out.counts.tool += 1;
        let open = self.calls.iter_mut().find(|(id, done)| *id == result.call_id && done.is_none());
        if let Some((_, done)) = open {
            *done = Some(result);
        }
        if !self.calls.is_empty() && self.calls.iter().all(|(_, done)| done.is_some()) {
            self.close_calls();
        }
    }

    /// Put the results in the order of the calls, then what was said meanwhile.
    fn close_calls(&mut self) {
        for (id, result) in std::mem::take(&mut self.calls) {
            let result = result.unwrap_or_else(|| ToolResult::error(id, INTERRUPTED));
            self.out.conversation.push(Arc::new(Message::Tool(result)));
        }
        self.out.conversation.append(&mut self.after);
    }

    fn start_over(&mut self, first: Option<Message>) {
        self.calls.clear();
        self.after.clear();
        self.out.open_asks.clear();
        self.out.usage = None;
        self.out.conversation = first.map(Arc::new).into_iter().collect();
    }

    fn todos(&mut self, mut input: serde_json::Value) {
        let todos = input.get_mut("todos").map(serde_json::Value::take).unwrap_or_default();
        if let Ok(todos) = serde_json::from_value(todos) {
            self.out.todos = todos;
        }
    }

    fn mode(&mut self, from: Mode, to: Mode) {
        self.out.mode = Some(to);
        self.out.pre_plan_mode = match (from, to) {
            (Mode::Plan, Mode::Plan) => self.out.pre_plan_mode,
            (before, Mode::Plan) => Some(before),
            (_, Mode::Default | Mode::AcceptEdits | Mode::Auto | Mode::BypassPermissions) => None,
        };
    }

    fn ask(&mut self, ask_id: String, kind: String, answered: bool) {
        self.out.open_asks.retain(|open| open.ask_id != ask_id);
        if !answered {
            self.out.open_asks.push(OpenAsk { ask_id, kind });
        }
    }

    fn finish(mut self) -> Replayed {
        // An ask belongs to a call that waits; once every call has its result nobody asks any more.
        if self.calls.iter().all(|(_, result)| result.is_some()) {
            self.out.open_asks.clear();
        }
        self.close_calls();
        self.out
    }
}
