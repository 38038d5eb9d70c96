//! Requests: makes one ready, streams the answer in a task, records it (AG-2, AG-7, MO-3).

use super::SessionState;
use super::events::TaskResult;
use super::parts::Connected;
use crate::event_hub::EventHub;
use crate::mcp::names;
use crate::storage::redact::Redactor;
use cutonce_core::conversation::{
    ContentBlock, Message, ModelResponse, SharedMessage, StopReason, TokenUsage, ToolUse,
};
use cutonce_core::model_request::{ModelRequest, PromptPrefix, Thinking};
use cutonce_core::protocol::event::{AnswerDelta, EndReason, EventKind, NoticeLevel};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::transcript::EntryBody;
use cutonce_core::turn::TurnEvent;
use cutonce_models::{FaultKind, ModelError, ModelSignal};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// What has arrived of an answer. After `close`, deltas of the aborted request are dropped.
#[derive(Default)]
pub(super) struct StreamProgress(Mutex<Arrived>);

#[derive(Default)]
pub(super) struct Arrived {
    text: String,
    /// Usage that the provider reported for this attempt and earlier ones (DU-3).
    pub usage: TokenUsage,
    pub earlier: TokenUsage,
    closed: bool,
}

impl Arrived {
    fn note(&mut self, signal: &ModelSignal) {
        match signal {
            ModelSignal::Delta(AnswerDelta::Text(text)) => self.text.push_str(text),
            ModelSignal::Usage(usage) => self.usage = *usage,
            ModelSignal::Retry { .. } => {
                self.text.clear();
                self.earlier += std::mem::take(&mut self.usage);
            }
            ModelSignal::Delta(_) | ModelSignal::Waiting { .. } => {}
        }
    }
}

impl StreamProgress {
    fn lock(&self) -> MutexGuard<'_, Arrived> {
        self.0.lock_unpoisoned()
    }
    /// Notes what a signal of a request brings that is not shown.
    pub fn note(&self, signal: &ModelSignal) {
        self.lock().note(signal);
    }
    /// The answer is complete, and its usage final.
    pub fn answered(&self, usage: TokenUsage) {
        self.lock().usage = usage;
    }
    /// Returns what has arrived so far; nothing is added or shown from here on.
    pub fn close(&self) -> Arrived {
        let mut arrived = self.lock();
        let closed = Arrived { closed: true, ..Arrived::default() };
        std::mem::replace(&mut *arrived, closed)
    }
}

/// One request with everything it needs, so that a task can own it.
pub(super) struct RequestTask {
    pub connected: Connected,
    pub prefix: Arc<PromptPrefix>,
    pub messages: Vec<SharedMessage>,
    pub thinking: Thinking,
    pub session: Arc<str>,
    pub hub: Arc<EventHub>,
    pub redactor: Arc<Redactor>,
    /// Front ends see the text while it arrives.
    pub shown: bool,
    pub progress: Arc<StreamProgress>,
}

impl RequestTask {
    /// Streams the answer. Dropping the future drops the connection.
    pub async fn run(&self) -> Result<ModelResponse, ModelError> {
        let request = ModelRequest {
            prefix: &self.prefix,
            messages: &self.messages,
            max_tokens: self.connected.max_tokens(),
            thinking: self.thinking,
            cache_key: &self.session,
        };
        let mut sink = |signal| self.receive(signal);
        let result = self.connected.model.answer(&request, &mut sink).await;
        // A provider may repeat what it was sent (MO-4).
        result.map_err(|error| {
            let message = self.redactor.redact(&error.message).into_owned();
            ModelError { message, ..error }
        })
    }

    fn receive(&self, signal: ModelSignal) {
        // The lock is held until the event is out: nothing is shown after `close`.
        let mut arrived = self.progress.lock();
        if arrived.closed {
            return;
        }
        arrived.note(&signal);
        match signal {
            ModelSignal::Delta(delta) if self.shown => self.hub.emit(EventKind::Delta(delta)),
            ModelSignal::Usage(usage) if self.shown => self.hub.emit(EventKind::RequestUsage(usage)),
            ModelSignal::Delta(_) | ModelSignal::Usage(_) => {}
            ModelSignal::Waiting { host, seconds } => self.hub.emit(EventKind::Waiting { host, seconds }),
            ModelSignal::Retry { attempt, max, delay_ms, status, reason } => {
                let reason = self.redactor.redact(&reason).into_owned();
                self.hub.emit(EventKind::Retry { attempt, max, delay_ms, status, reason });
            }
        }
    }
}

impl SessionState {
    /// Makes the next request ready, one step at a time: a step that takes time is a task, and its result continues
    /// here. Ends with `Prepared` or `ContextFull`.
    pub(super) fn prepare_request(&mut self) {
        // A resumed session may have used its budget up already, a subagent the budget of the plan (PC-12).
        if self.over_budget() || self.budget_used_up() {
            return self.pending.push_back(TurnEvent::EndRequested(EndReason::MaxBudget));
        }
        let event = match self.select_model() {
            None => return,
            Some(too_small) if (too_small || self.context_full()) && self.may_shrink() => TurnEvent::ContextFull,
            Some(_) => {
                if self.await_servers() || self.read_next_mention() || self.await_budget() {
                    return;
                }
                self.remind();
                TurnEvent::Prepared
            }
        };
        self.pending.push_back(event);
    }

    /// True if a summary could make the conversation shorter. A single message that does not fit stays too long.
    pub(super) fn may_shrink(&self) -> bool {
        let answered = |message: &Arc<Message>| matches!(**message, Message::Assistant { .. });
        self.turn.may_compact() && self.conversation.messages.iter().any(answered)
    }

    /// AG-8: before the window is full, not after.
    fn context_full(&self) -> bool {
        let Some(at) = self.context.shared.settings.compact.automatic_at() else { return false };
        let window = self.model.connected.info.context;
        let room = window.saturating_sub(u64::from(self.model.connected.max_tokens()));
        let limit = ((window as f64 * at) as u64).min(room.max(window / 2));
        self.conversation.messages.len() > 1 && self.conversation.context() > limit
    }

    /// The request as of now, with these messages.
    pub(super) fn model_request(&mut self, messages: Vec<SharedMessage>, shown: bool) -> RequestTask {
        let request = self.request_task(messages, shown);
        self.tasks.progress = Some(request.progress.clone());
        request
    }

    /// A request that the turn does not wait for.
    pub(super) fn request_task(&self, messages: Vec<SharedMessage>, shown: bool) -> RequestTask {
        let planning_prefix = self.conversation.planning_prefix.as_ref().filter(|_| self.mode.is_planning());
        let prefix = planning_prefix.unwrap_or(&self.conversation.prefix).clone();
        let connected = self.model.connected.clone();
        RequestTask {
            thinking: if shown { connected.thinking } else { Thinking::default() },
            connected,
            prefix,
            messages,
            session: self.context.id.clone(),
            hub: self.context.hub.clone(),
            redactor: self.context.shared.redactor.clone(),
            shown,
            progress: Arc::default(),
        }
    }

    /// Starts the request. Its task also waits for MCP servers that are still starting and whose tools were called.
    pub(super) fn start_request(&mut self) {
        self.emit(EventKind::Requesting { model: self.model.connected.model.name().to_string() });
        let request = self.model_request(self.conversation.messages.clone(), true);
        let servers = self.tools.mcp.servers.clone();
        let known: BTreeSet<String> = self.tools.by_name.keys().cloned().collect();
        self.start_task(async move {
            let started = Instant::now();
            let response = request.run().await;
            let took = started.elapsed();
            if let Ok(response) = &response {
                request.progress.answered(response.usage);
                let called = unknown_servers(&response.blocks, &known);
                if !called.is_empty() {
                    servers.wait_until_started(Some(&called)).await;
                }
            }
            TaskResult::Answered { response, took }
        });
    }

    /// The request task is over.
    pub(super) fn request_finished(&mut self, response: Result<ModelResponse, ModelError>, took: Duration) {
        let _until_counted = self.tasks.reservation.take();
        self.count_attempts(response.is_ok());
        let event = match response {
            Ok(response) => self.answered(response, took),
            Err(error) if error.kind == FaultKind::TooLong && self.may_shrink() => {
                self.notice(NoticeLevel::Warning, &format!("{error} Compacting the conversation."));
                TurnEvent::ContextFull
            }
            Err(error) => return self.fall_back(error),
        };
        self.pending.push_back(event);
    }

    fn answered(&mut self, response: ModelResponse, took: Duration) -> TurnEvent {
        self.join_called_servers(&response.blocks);
        let ModelResponse { model, blocks, usage, stop } = response;
        let cost = self.model.connected.info.cost(&usage);
        self.model.usage.request(&model, usage, cost);
        self.model.usage.answered(took, text_of(&blocks));
        (self.conversation.counted, self.conversation.uncounted) = (usage.context_tokens(), 0);
        let body = EntryBody::Assistant { model: model.clone(), blocks: blocks.clone(), usage, stop: stop.clone() };
        let id = self.append(body);
        if let Some(message) = self.transcript.unwritten.clone() {
            return TurnEvent::Failed { message, status: None };
        }
        self.calls.answer = id.clone();
        let shared = self.blocks_for_front_ends(&blocks);
        let message = Message::Assistant { model: model.clone(), blocks };
        let calls: Vec<ToolUse> = message.tool_calls().cloned().collect();
        self.conversation.messages.push(Arc::new(message));
        self.emit(EventKind::Assistant { id, model, blocks: shared, usage, stop: stop.clone() });
        self.report_stop(&stop, calls.is_empty());
        self.model.usage.stop = Some(stop);
        let over_limit = self.context.standing.budget.spend(cost);
        let over_budget = over_limit || self.over_budget();
        TurnEvent::Answered { over_budget, calls: self.lay_out_calls(calls) }
    }

    /// Aborts the request or its preparation. Text that arrived stays; thinking without its signature and half a call
    /// can't be sent back (AG-4).
    pub(super) fn stop_request(&mut self) {
        let _until_counted = self.tasks.reservation.take();
        self.tasks.stop();
        self.tools.mcp.forget_mentions();
        let Some(progress) = self.tasks.progress.take() else { return };
        let Arrived { text, usage, earlier, .. } = progress.close();
        self.count_unanswered(earlier);
        self.count_unanswered(usage);
        if text.trim().is_empty() {
            return;
        }
        let model = self.model.connected.model.name().to_string();
        let blocks = vec![ContentBlock::Text { text }];
        let stop = StopReason::Interrupted;
        self.append(EntryBody::Assistant { model: model.clone(), blocks: blocks.clone(), usage, stop });
        self.conversation.push(Message::Assistant { model, blocks });
    }

    /// Counts the failed attempts of a finished request; an answer is not one of them.
    pub(super) fn count_attempts(&mut self, answered: bool) {
        if let Some(progress) = self.tasks.progress.take() {
            let Arrived { mut earlier, usage, .. } = progress.close();
            earlier += if answered { TokenUsage::default() } else { usage };
            self.count_unanswered(earlier);
        }
    }

    /// Counts what the provider reported of a request that brought no answer (DU-3).
    fn count_unanswered(&mut self, usage: TokenUsage) {
        let connected = &self.model.connected;
        let cost = connected.info.cost(&usage);
        self.context.standing.budget.spend(cost);
        self.model.usage.request(connected.model.name(), usage, cost);
    }

    fn report_stop(&self, stop: &StopReason, last: bool) {
        match stop {
            StopReason::MaxTokens if last => {
                self.notice(NoticeLevel::Warning, "The answer was cut: it reached the model's output limit.");
            }
            StopReason::Refusal => self.notice(NoticeLevel::Warning, "The model declined to answer."),
            StopReason::Other(word) => self.notice(NoticeLevel::Info, &format!("The model stopped: {word}.")),
            StopReason::MaxTokens | StopReason::EndTurn | StopReason::ToolUse | StopReason::Interrupted => {}
        }
    }
}

/// The servers of called tools that are not known yet.
pub(super) fn unknown_servers(blocks: &[ContentBlock], known: &BTreeSet<String>) -> Vec<String> {
    let called = blocks.iter().filter_map(|block| match block {
        ContentBlock::ToolUse(call) if !known.contains(&call.name) => names::server_of(&call.name),
        ContentBlock::ToolUse(_)
        | ContentBlock::Text { .. }
        | ContentBlock::Thinking { .. }
        | ContentBlock::Image(_) => None,
    });
    called.map(str::to_string).collect()
}

pub(super) fn text_of(blocks: &[ContentBlock]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        ContentBlock::Text { text } => Some(text.as_str()),
        ContentBlock::Thinking { .. } | ContentBlock::ToolUse(_) | ContentBlock::Image(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
