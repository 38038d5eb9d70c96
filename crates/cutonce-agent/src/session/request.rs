//! Requests: stream one answer and record it, and summarise when the context is full (AG-2, AG-7, AG-8, MO-3).

use super::{Driver, Hall, Talk};
use cutonce_core::conversation::{Block, Message, Response, ResultPart, Stop, ToolResult, ToolUse, Usage};
use cutonce_core::event::{Delta, EventKind, Level};
use cutonce_core::request::Request;
use cutonce_core::submission::{Submission, Told};
use cutonce_core::transcript::{Body, compacted_message};
use cutonce_core::turn::{Effect, Happened, Said};
use cutonce_core::{mode, prompts};
use cutonce_models::{FaultKind, ModelError, Signal};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How a request ended.
enum Answer {
    Whole(Response),
    /// The person stopped it; what had arrived.
    Stopped(String),
    Failed(ModelError),
}

impl Driver {
    pub(super) async fn request(&mut self) -> Happened {
        loop {
            let too_small = self.choose_model().await;
            if (too_small || self.full()) && self.may_shrink() {
                return Happened::ContextFull;
            }
            if self.join_servers().await.is_none() {
                return Happened::Interrupted;
            }
            self.remind();
            self.hall.hub.emit(EventKind::Requesting { model: self.talk.connected.model.name().to_string() });
            let started = Instant::now();
            match stream(&self.talk, &mut self.hall, true).await {
                Answer::Whole(response) => {
                    let took = started.elapsed();
                    self.await_called_servers(&response.blocks).await;
                    let happened = self.answered(response, took);
                    return self.await_agents(happened).await;
                }
                Answer::Stopped(text) => return self.stopped(text),
                Answer::Failed(error) if error.kind == FaultKind::TooLong && self.may_shrink() => {
                    self.hall.notice(Level::Warning, &format!("{error} Compacting the conversation."));
                    return Happened::ContextFull;
                }
                Answer::Failed(error) if self.fall_back(&error).await => {}
                Answer::Failed(error) => return Happened::Failed { message: error.message, status: error.status },
            }
        }
    }

    /// Is there anything that a summary could make shorter? A single message that does not fit stays too long.
    fn may_shrink(&self) -> bool {
        let answered = |message: &Arc<Message>| matches!(**message, Message::Assistant { .. });
        self.hall.turn.may_compact() && self.talk.conversation.iter().any(answered)
    }

    /// AG-8: before the window is full, not after.
    fn full(&self) -> bool {
        let Some(at) = self.hall.compact_at else { return false };
        let window = self.talk.connected.info.context;
        let room = window.saturating_sub(u64::from(self.talk.connected.max_tokens()));
        let limit = ((window as f64 * at) as u64).min(room.max(window / 2));
        self.talk.conversation.len() > 1 && self.talk.context() > limit
    }

    fn answered(&mut self, response: Response, took: Duration) -> Happened {
        let Response { model, blocks, usage, stop } = response;
        let cost = self.talk.connected.info.cost(&usage);
        self.hall.tally.answered(usage, took, cost, text_of(&blocks));
        (self.talk.counted, self.talk.uncounted) = (usage.context(), 0);
        let body = Body::Assistant { model: model.clone(), blocks: blocks.clone(), usage, stop: stop.clone() };
        let id = self.hall.append(body);
        if let Some(message) = self.hall.unwritten.clone() {
            return Happened::Failed { message, status: None };
        }
        self.hall.batch.answer = id.clone();
        let shared = self.hall.blocks_for_faces(&blocks);
        let message = Message::Assistant { model: model.clone(), blocks };
        let calls: Vec<ToolUse> = message.calls().cloned().collect();
        self.talk.conversation.push(Arc::new(message));
        self.hall.hub.emit(EventKind::Assistant { id, model, blocks: shared, usage, stop: stop.clone() });
        self.hall.tell_stop(&stop, calls.is_empty());
        self.hall.tally.stop = Some(stop);
        let over_budget = self.hall.max_budget.is_some_and(|max| self.hall.tally.cost >= max);
        Happened::Answered { calls: self.lay_out(calls), over_budget }
    }

    /// AG-4: what had arrived as text stays; thinking without its signature and half a call can't go back.
    fn stopped(&mut self, text: String) -> Happened {
        if !text.trim().is_empty() {
            let model = self.talk.connected.model.name().to_string();
            let blocks = vec![Block::Text { text }];
            let (usage, stop) = (Usage::default(), Stop::Interrupted);
            self.hall.append(Body::Assistant { model: model.clone(), blocks: blocks.clone(), usage, stop });
            self.talk.push(Message::Assistant { model, blocks });
        }
        Happened::Interrupted
    }

    /// Replace the conversation by a summary and what survives beside it.
    async fn summarise(&mut self) -> Happened {
        let (focus, automatic) = self.hall.batch.compaction.take().unwrap_or_default();
        if self.talk.conversation.is_empty() {
            self.hall.notice(Level::Info, "There is nothing to compact yet.");
            return Happened::Compacted;
        }
        let focus = match self.before_compaction(focus, automatic).await {
            Ok(focus) => focus,
            Err(instead) => return instead,
        };
        let before = self.talk.context();
        let prompt = Arc::new(Message::user(prompts::compact(focus.as_deref())));
        self.talk.conversation.push(prompt);
        let mut answer = stream(&self.talk, &mut self.hall, false).await;
        self.talk.conversation.pop();
        if matches!(&answer, Answer::Failed(error) if error.kind == FaultKind::TooLong) {
            answer = self.summarise_shortened(focus.as_deref()).await;
        }
        match answer {
            Answer::Whole(response) if !text_of(&response.blocks).trim().is_empty() => {
                self.compacted(&text_of(&response.blocks), response.usage, before, automatic);
                Happened::Compacted
            }
            Answer::Whole(_) => self.no_summary("The model gave no summary.", automatic),
            Answer::Stopped(_) => {
                self.hall.notice(Level::Info, "The conversation was not compacted: it was interrupted.");
                Happened::Interrupted
            }
            Answer::Failed(error) => self.no_summary(&error.message, automatic),
        }
    }

    /// Whoever asked for the summary and waits for it hears that there is none; notices said why.
    pub(super) async fn summarise_and_tell(&mut self) -> Happened {
        let happened = self.summarise().await;
        self.hall.compaction_over(Err("The conversation was not compacted.".into()));
        happened
    }

    /// Between turns no turn's end would tell why.
    fn no_summary(&self, why: &str, automatic: bool) -> Happened {
        let message = format!(
            "The conversation could not be compacted: {why} Start over with /clear, or resume an earlier point."
        );
        if !automatic {
            self.hall.notice(Level::Error, &message);
        }
        Happened::CompactionFailed { message }
    }

    /// The conversation does not even fit for being summarised: cut long results, then leave out the oldest half.
    async fn summarise_shortened(&mut self, focus: Option<&str>) -> Answer {
        let whole = std::mem::take(&mut self.talk.conversation);
        let mut answer = Answer::Stopped(String::new());
        let half = whole.len() / 2;
        for skip in [0, half] {
            if skip == half && shortened(&whole[half..]).is_empty() {
                break;
            }
            self.talk.conversation = shortened(&whole[skip..]);
            self.talk.conversation.push(Arc::new(Message::user(prompts::compact(focus))));
            answer = stream(&self.talk, &mut self.hall, false).await;
            if !matches!(&answer, Answer::Failed(error) if error.kind == FaultKind::TooLong) {
                break;
            }
        }
        self.talk.conversation = whole;
        answer
    }

    fn compacted(&mut self, summary: &str, usage: Usage, before: u64, automatic: bool) {
        let todos = self.hall.todos();
        let root = self.hall.here.workspace.root.clone();
        let shown = |path: &std::path::PathBuf| path.strip_prefix(&root).unwrap_or(path).display().to_string();
        let files = self.hall.files.iter().rev().map(shown).collect();
        let said: Vec<&str> = self.hall.said.iter().map(String::as_str).collect();
        let kept = prompts::kept(&prompts::Kept { said, todos: &todos, files });
        self.hall.tally.cost += self.talk.connected.info.cost(&usage);
        self.hall.append(Body::Compaction { summary: summary.into(), kept: kept.clone() });
        self.hall.mode_event(mode::Event::Compacted);
        self.talk.turn_start = 0;
        self.talk.conversation.clear();
        (self.talk.counted, self.talk.uncounted) = (0, self.talk.prefix_size());
        self.talk.push(compacted_message(summary, &kept));
        self.hall.sync();
        let (after, cost) = (self.talk.context(), self.hall.tally.cost);
        self.hall.hub.emit(EventKind::Compacted { before, after, automatic, cost });
        self.hall.compaction_over(Ok(()));
        self.hall.session_started("compact");
    }
}

/// Stream one answer while still listening to the person. `shown`: its words go to the faces.
async fn stream(talk: &Talk, hall: &mut Hall, shown: bool) -> Answer {
    let (hub, redactor) = (hall.hub.clone(), hall.redactor.clone());
    let mut arrived = String::new();
    let mut sink = |signal: Signal| match signal {
        Signal::Delta(delta) => {
            if let Delta::Text(text) = &delta {
                arrived.push_str(text);
            }
            if shown {
                hub.emit(EventKind::Delta(delta));
            }
        }
        Signal::Retry { attempt, max, delay_ms, status, reason } => {
            arrived.clear();
            let reason = redactor.redact(&reason).into_owned();
            hub.emit(EventKind::Retry { attempt, max, delay_ms, status, reason });
        }
    };
    let prefix = talk.plan_prefix.as_ref().filter(|_| hall.mode.in_plan()).unwrap_or(&talk.prefix);
    let request = Request {
        prefix,
        messages: &talk.conversation,
        max_tokens: talk.connected.max_tokens(),
        thinking: if shown { talk.connected.thinking } else { Default::default() },
        cache_key: &hall.id.clone(),
    };
    let mut future = talk.connected.model.answer(&request, &mut sink);
    let result = loop {
        tokio::select! {
            result = &mut future => break Some(result),
            submission = hall.inbox.recv(), if hall.inbox_open => match submission {
                None => hall.inbox_open = false,
                Some(Submission::Interrupt) => {
                    hall.stop_agents();
                    break None;
                }
                Some(submission) => hall.while_requesting(submission),
            },
        }
    };
    drop(future);
    match result {
        Some(Ok(response)) => Answer::Whole(response),
        // A provider may say back what it was sent (MO-4).
        Some(Err(error)) => {
            Answer::Failed(ModelError { message: hall.redactor.redact(&error.message).into_owned(), ..error })
        }
        None => Answer::Stopped(arrived),
    }
}

impl Hall {
    /// Words said meanwhile are queued (AG-5); the rest only changes state.
    pub(super) fn while_requesting(&mut self, submission: Submission) {
        if let Some(happened) = self.submission(submission) {
            for effect in self.turn.step(happened) {
                if let Effect::Queued(said) = effect {
                    self.tell_queued(said);
                }
            }
        }
    }

    /// A summary is asked for; between turns only.
    pub(super) fn compact_asked(&mut self, focus: Option<String>, told: Option<Told>) -> Happened {
        match told {
            Some(told) if !self.turn.idle() => {
                (told.0)(Err("The conversation can be compacted between turns only.".into()))
            }
            told => self.batch.compaction_told = told,
        }
        Happened::CompactAsked { focus }
    }

    /// Only the first word counts.
    fn compaction_over(&mut self, how: Result<(), String>) {
        if let Some(told) = self.batch.compaction_told.take() {
            (told.0)(how);
        }
    }

    /// A message of the person's waits; what the program itself says into the turn is none of theirs.
    pub(super) fn tell_queued(&self, said: Said) {
        if !said.meta {
            self.hub.emit(EventKind::Queued { text: said.text });
        }
    }

    fn tell_stop(&self, stop: &Stop, last: bool) {
        match stop {
            Stop::MaxTokens if last => {
                self.notice(Level::Warning, "The answer was cut: it reached the model's output limit.");
            }
            Stop::Refusal => self.notice(Level::Warning, "The model declined to answer."),
            Stop::Other(word) => self.notice(Level::Info, &format!("The model stopped: {word}.")),
            Stop::MaxTokens | Stop::EndTurn | Stop::ToolUse | Stop::Interrupted => {}
        }
    }
}

fn text_of(blocks: &[Block]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        Block::Text { text } => Some(text.as_str()),
        Block::Thinking { .. } | Block::ToolUse(_) | Block::Image(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The same conversation with long tool results cut, starting at a message of the person.
fn shortened(messages: &[Arc<Message>]) -> Vec<Arc<Message>> {
    const KEEP: usize = 600;
    let from = messages.iter().position(|message| matches!(**message, Message::User { .. })).unwrap_or(messages.len());
    let cut = |message: &Arc<Message>| match &**message {
        Message::Tool(result) if result.as_text().len() > KEEP => {
            let text: String = result.as_text().chars().take(KEEP).collect();
            let content = vec![ResultPart::Text { text: format!("{text}\n[cut]") }];
            Arc::new(Message::Tool(ToolResult { content, ..result.clone() }))
        }
        Message::Tool(_) | Message::User { .. } | Message::Assistant { .. } => message.clone(),
    };
    messages[from..].iter().map(cut).collect()
}
