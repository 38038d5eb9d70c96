//! Rebuilds a session from its entries: the conversation as the model sees it, and the state (AG-8, PM-12).
//!
//! Even if lines are lost, the result is a conversation that providers accept (AG-4).

use super::{EntryBody, SeenFileMark, TranscriptEntry};
use crate::conversation::{ContentBlock, Image, Message, SharedMessage, TokenUsage, ToolResult};
use crate::mode::Mode;
use crate::prompts;
use crate::protocol::event::TodoItem;
use crate::protocol::usage_totals::UsageTotals;
use crate::settings::Settings;
use std::sync::Arc;

/// Result for a call without one, so that the provider accepts the conversation (AG-4).
pub const INTERRUPTED_RESULT: &str = "interrupted: the program ended before this call finished";
/// Replaces the beginning if it was lost or is too large to load.
pub const BEGINNING_MISSING: &str = "(The beginning of this conversation is not available any more.)";

/// A session rebuilt from its entries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplayedSession {
    pub conversation: Vec<SharedMessage>,
    /// Token usage of the last answer, unless a compaction or clear came after it.
    pub usage: Option<TokenUsage>,
    pub mode: Option<Mode>,
    /// The mode before plan mode; only set while `mode` is plan.
    pub pre_plan_mode: Option<Mode>,
    /// The model that answered last.
    pub model: Option<String>,
    pub todos: Vec<TodoItem>,
    /// Files that the model has seen, as they were then (TL-3).
    pub seen: Vec<SeenFileMark>,
    /// Asks without an answer yet (PM-80, PM-85).
    pub open_asks: Vec<UnansweredAsk>,
    pub slug: Option<String>,
    pub cwd: Option<String>,
    pub branch: Option<String>,
    pub forked_from: Option<String>,
    pub counts: EntryCounts,
    /// What the session used, as last recorded.
    pub totals: UsageTotals,
    /// Answers that came after that, by model.
    pub unrecorded: Vec<(String, TokenUsage)>,
}

impl ReplayedSession {
    /// What the session has used: as recorded, and the answers after that at today's prices (DU-3).
    pub fn priced_totals(&self, settings: &Settings) -> UsageTotals {
        let mut totals = self.totals.clone();
        for (model, usage) in &self.unrecorded {
            totals.add(model, *usage, settings.model_info(model).cost(usage));
        }
        totals
    }
}

/// Kind of the ask about this session's plan.
pub const PLAN_ASK: &str = "plan";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnansweredAsk {
    pub ask_id: String,
    pub kind: String,
}

/// Number of entries by kind, for display.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntryCounts {
    /// Messages of the user.
    pub user: usize,
    pub assistant: usize,
    pub tool: usize,
    pub compactions: usize,
}

/// Rebuilds a session from its entries in chain order, oldest first.
pub fn replay_session(entries: impl IntoIterator<Item = TranscriptEntry>) -> ReplayedSession {
    let mut replay = SessionReplay::default();
    for entry in entries {
        replay.apply(entry.body);
    }
    replay.finish()
}

/// A user message as the model sees it.
pub fn user_message(text: &str, images: &[Image]) -> Message {
    let text = (!text.is_empty()).then(|| ContentBlock::Text { text: text.into() });
    Message::User { content: text.into_iter().chain(images.iter().cloned().map(ContentBlock::Image)).collect() }
}

/// A reminder as the model sees it, marked as not from the user.
pub fn reminder_message(text: &str) -> Message {
    Message::user_text(prompts::wrap_reminder(text))
}

/// The message that replaces the compacted conversation (AG-8).
pub fn compacted_message(summary: &str, kept: &str) -> Message {
    Message::user_text(prompts::continuation_message(summary, kept))
}

/// First message of a conversation after "clear the context and start" (PM-81).
pub fn cleared_message(plan: &str) -> Message {
    Message::user_text(format!("Implement this approved plan:\n\n{}", plan.trim()))
}

/// Checks what providers require: the conversation starts with a user message, every call has exactly one
/// result, directly after its message and in order, and no result is without a call. Tests check with it what
/// a replay of any transcript produces.
pub fn check_valid_for_provider(conversation: &[SharedMessage]) -> Result<(), String> {
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
            Message::Assistant { .. } => expected = message.tool_calls().map(|call| call.id.as_str()).collect(),
        }
    }
    if expected.is_empty() { Ok(()) } else { Err(format!("ends with calls without results: {expected:?}")) }
}

#[derive(Default)]
struct SessionReplay {
    session: ReplayedSession,
    /// Calls of the last answer with their results so far, in any order.
    calls: Vec<(String, Option<ToolResult>)>,
    /// Messages that came while calls were open; they follow the results.
    queued_messages: Vec<SharedMessage>,
}

impl SessionReplay {
    fn apply(&mut self, body: EntryBody) {
        match body {
            EntryBody::Session { cwd, branch, slug, forked_from, .. } => {
                self.apply_session(cwd, branch, slug, forked_from)
            }
            EntryBody::User { text, images, meta, .. } => self.apply_user(&text, &images, meta),
            EntryBody::Assistant { model, blocks, usage, .. } => self.apply_assistant(model, blocks, usage),
            EntryBody::Tool { call_id, name, input, output, is_error, seen, .. } => {
                self.apply_seen(seen);
                if name == "TodoWrite" && !is_error {
                    self.apply_todos(input);
                }
                self.apply_result(ToolResult { call_id, content: output, is_error });
            }
            EntryBody::Reminder { text, .. } => self.push_user_message(reminder_message(&text)),
            EntryBody::Mode { from, to, .. } => self.apply_mode(from, to),
            EntryBody::Plan { slug, .. } => self.session.slug = Some(slug),
            EntryBody::Ask { ask_id, kind, answer } => self.apply_ask(ask_id, kind, answer.is_some()),
            EntryBody::Compaction { summary, kept } => {
                self.session.counts.compactions += 1;
                self.restart_conversation(Some(compacted_message(&summary, &kept)));
            }
            EntryBody::Clear { plan_content } => {
                self.session.todos.clear();
                self.session.slug = None;
                self.session.open_asks.clear();
                self.session.seen.clear();
                self.restart_conversation(plan_content.as_deref().map(cleared_message));
            }
            EntryBody::Usage { totals } => {
                self.session.totals = totals;
                self.session.unrecorded.clear();
            }
            EntryBody::FileSnapshot { .. }
            | EntryBody::Scope { .. }
            | EntryBody::Contract { .. }
            | EntryBody::Evidence { .. }
            | EntryBody::Rewind { .. }
            | EntryBody::Error { .. } => {}
        }
    }

    fn apply_session(
        &mut self,
        cwd: String,
        branch: Option<String>,
        slug: Option<String>,
        forked_from: Option<String>,
    ) {
        self.session.cwd = Some(cwd);
        self.session.branch = branch;
        // A resumed process without these values keeps the earlier ones.
        self.session.slug = slug.or(self.session.slug.take());
        self.session.forked_from = forked_from.or(self.session.forked_from.take());
    }

    fn apply_user(&mut self, text: &str, images: &[Image], meta: bool) {
        if !meta {
            self.session.counts.user += 1;
            self.drop_call_asks();
        }
        self.push_user_message(user_message(text, images));
    }

    /// Adds a user-role message. While calls are open, it waits for their results.
    fn push_user_message(&mut self, message: Message) {
        if matches!(&message, Message::User { content } if content.is_empty()) {
            return;
        }
        self.queued_messages.push(Arc::new(message));
        if self.calls.iter().all(|(_, result)| result.is_some()) {
            self.close_calls();
        }
    }

    fn apply_assistant(&mut self, model: String, blocks: Vec<ContentBlock>, usage: TokenUsage) {
        self.close_calls();
        self.session.counts.assistant += 1;
        self.drop_call_asks();
        self.session.usage = Some(usage);
        self.session.model = Some(model.clone());
        self.session.unrecorded.push((model.clone(), usage));
        if blocks.is_empty() {
            return;
        }
        if self.session.conversation.is_empty() {
            self.session.conversation.push(Arc::new(Message::user_text(BEGINNING_MISSING)));
        }
        let message = Message::Assistant { model, blocks };
        self.calls = message.tool_calls().map(|call| (call.id.clone(), None)).collect();
        self.session.conversation.push(Arc::new(message));
    }

    /// Assigns a result to its call, in any order; a result without an open call is dropped.
    fn apply_result(&mut self, result: ToolResult) {
        self.session.counts.tool += 1;
        let open = self.calls.iter_mut().find(|(id, done)| *id == result.call_id && done.is_none());
        if let Some((_, done)) = open {
            *done = Some(result);
        }
        if !self.calls.is_empty() && self.calls.iter().all(|(_, done)| done.is_some()) {
            self.close_calls();
        }
    }

    /// Adds the results in the order of the calls, then the messages that came meanwhile.
    fn close_calls(&mut self) {
        for (id, result) in std::mem::take(&mut self.calls) {
            let result = result.unwrap_or_else(|| ToolResult::error(id, INTERRUPTED_RESULT));
            self.session.conversation.push(Arc::new(Message::Tool(result)));
        }
        self.session.conversation.append(&mut self.queued_messages);
    }

    fn restart_conversation(&mut self, first: Option<Message>) {
        self.calls.clear();
        self.queued_messages.clear();
        self.drop_call_asks();
        self.session.usage = None;
        self.session.conversation = first.map(Arc::new).into_iter().collect();
    }

    fn apply_todos(&mut self, mut input: serde_json::Value) {
        let todos = input.get_mut("todos").map(serde_json::Value::take).unwrap_or_default();
        if let Ok(todos) = serde_json::from_value(todos) {
            self.session.todos = todos;
        }
    }

    /// The latest mark of a file replaces earlier ones.
    fn apply_seen(&mut self, marks: Vec<SeenFileMark>) {
        for mark in marks {
            self.session.seen.retain(|known| known.path != mark.path);
            self.session.seen.push(mark);
        }
    }

    fn apply_mode(&mut self, from: Mode, to: Mode) {
        self.session.mode = Some(to);
        if from == Mode::Plan {
            self.session.open_asks.retain(|open| open.kind != PLAN_ASK);
        }
        self.session.pre_plan_mode = match (from, to) {
            (Mode::Plan, Mode::Plan) => self.session.pre_plan_mode,
            (before, Mode::Plan) => Some(before),
            (_, Mode::Default | Mode::AcceptEdits | Mode::Auto | Mode::BypassPermissions) => None,
        };
    }

    /// Drops the asks of calls that got a result. A plan waits until it is answered or plan mode ends (PM-80).
    fn drop_call_asks(&mut self) {
        self.session.open_asks.retain(|open| open.kind == PLAN_ASK);
    }

    fn apply_ask(&mut self, ask_id: String, kind: String, answered: bool) {
        // One plan waits at most: the last one that was submitted.
        self.session.open_asks.retain(|open| open.ask_id != ask_id && (kind != PLAN_ASK || open.kind != PLAN_ASK));
        if !answered {
            self.session.open_asks.push(UnansweredAsk { ask_id, kind });
        }
    }

    fn finish(mut self) -> ReplayedSession {
        // An ask belongs to a waiting call; once every call has its result, only a plan still waits.
        if self.calls.iter().all(|(_, result)| result.is_some()) {
            self.drop_call_asks();
        }
        self.close_calls();
        self.session
    }
}
