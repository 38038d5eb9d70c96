//! A session: one conversation with state, driven only by submissions, observed only by events (AG-1).
//!
//! [`Session`] is the handle; the work is done by one task that owns everything ([`Driver`]). The turn machine
//! in cutonce-core says what comes next; this room only performs it: `request` streams answers and summaries,
//! `calls` decides and runs tool calls, `asks` holds what waits for a person.

mod asks;
mod calls;
mod options;
mod request;
mod tally;

pub use options::{Connect, Connected, Options};

use crate::hub::{Events, Hub};
use crate::redact::Redactor;
use crate::settings::Places;
use crate::store::Store;
use asks::Asks;
use calls::{Batch, Done};
use cutonce_core::conversation::{Message, Shared};
use cutonce_core::event::{EndReason, EventKind, Level};
use cutonce_core::mode::Mode;
use cutonce_core::request::Prefix;
use cutonce_core::rule::Rules;
use cutonce_core::submission::{By, Submission};
use cutonce_core::transcript::{self, Body};
use cutonce_core::turn::{Effect, Happened, Said, Turn, Waiting};
use cutonce_tools::tool::{AnyTool, Here};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use tally::Tally;
use tokio::sync::mpsc;

/// The handle of a running session. Dropping every handle closes it.
#[derive(Clone)]
pub struct Session {
    id: Arc<str>,
    inbox: mpsc::UnboundedSender<Submission>,
    hub: Arc<Hub>,
}

impl Session {
    pub fn id(&self) -> &str {
        &self.id
    }
    /// Never blocks; a session that is over ignores it.
    pub fn submit(&self, submission: Submission) {
        let _ = self.inbox.send(submission);
    }
    /// The person's words.
    pub fn say(&self, text: impl Into<String>) {
        self.submit(Submission::User { text: text.into(), images: Vec::new() });
    }
    /// A listener: it gets what is pending, then everything that follows.
    pub fn events(&self) -> Events {
        self.hub.subscribe()
    }
}

/// Owns the session's state. Split in two so that a streaming request can borrow the conversation while
/// submissions are still handled: no copy of the conversation is ever made.
pub(crate) struct Driver {
    talk: Talk,
    hall: Hall,
}

/// What a request reads.
struct Talk {
    conversation: Vec<Shared>,
    prefix: Arc<Prefix>,
    connected: Connected,
    /// Tokens of the context as the provider last counted them, and bytes added since (AG-8).
    counted: u64,
    uncounted: usize,
}

/// Everything else.
struct Hall {
    id: Arc<str>,
    turn: Turn,
    /// What happened already and was not yet handed to the turn machine.
    pending: VecDeque<Happened>,
    mode: Mode,
    bypass_available: bool,
    rules: Rules,
    /// Where «don't ask again» writes to.
    places: Places,
    approver: bool,
    store: Store,
    hub: Arc<Hub>,
    redactor: Arc<Redactor>,
    here: Arc<Here>,
    tools: BTreeMap<String, Arc<dyn AnyTool>>,
    instructions: crate::instructions::Instructions,
    inbox: mpsc::UnboundedReceiver<Submission>,
    done: (mpsc::UnboundedSender<Done>, mpsc::UnboundedReceiver<Done>),
    batch: Batch,
    asks: Asks,
    tally: Tally,
    connect: Arc<dyn Connect>,
    next_model: Option<String>,
    max_budget: Option<f64>,
    compact_at: Option<f64>,
    /// Reminders that join the next request: kind and text.
    reminders: Vec<(String, String)>,
    /// The person's own words so far, and the files in work, latest last: both survive a compaction (AG-8).
    said: Vec<String>,
    files: Vec<PathBuf>,
    /// No more submissions will come: end when idle.
    closing: bool,
    inbox_open: bool,
}

impl Driver {
    async fn run(mut self) {
        loop {
            let happened = match self.hall.pending.pop_front() {
                Some(happened) => happened,
                None => match self.wait().await {
                    Some(happened) => happened,
                    None => break,
                },
            };
            for effect in self.hall.turn.step(happened) {
                self.perform(effect);
            }
        }
        self.hall.here.shells.kill_all();
        self.hall.sync();
        self.hall.hub.emit(EventKind::Closed);
    }

    async fn wait(&mut self) -> Option<Happened> {
        match self.hall.turn.waiting() {
            Waiting::Submission => self.idle().await,
            Waiting::Model => Some(self.request().await),
            Waiting::Calls => Some(self.hall.running_calls().await),
            Waiting::Summary => Some(self.summarise().await),
        }
    }

    /// Between turns; None when the session is over.
    async fn idle(&mut self) -> Option<Happened> {
        loop {
            if self.hall.closing || !self.hall.inbox_open {
                return None;
            }
            match self.hall.next_submission().await {
                Some(Submission::Clear) => self.clear(),
                Some(submission) => {
                    if let Some(happened) = self.hall.submission(submission) {
                        return Some(happened);
                    }
                }
                None => return None,
            }
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::BeginTurn => self.begin_turn(),
            Effect::Record(said) => self.record(said),
            Effect::Queued(said) => self.hall.hub.emit(EventKind::Queued { text: said.text }),
            Effect::Request => self.flush_results(),
            Effect::StopRequest | Effect::StopCompaction => {}
            Effect::StartCall(n) => self.hall.start_call(n),
            Effect::SkipCall(n) => self.hall.skip_call(n),
            Effect::StopCalls => self.hall.stop_calls(),
            Effect::Compact { focus, automatic } => self.hall.batch.compaction = Some((focus, automatic)),
            Effect::EndTurn(reason) => self.end_turn(reason),
        }
    }

    fn begin_turn(&mut self) {
        self.hall.tally.begin();
        self.hall.hub.emit(EventKind::TurnStarted);
    }

    /// The person's words enter the transcript, then the conversation, then the screen (SE-1).
    fn record(&mut self, said: Said) {
        self.flush_results();
        let body = Body::User { text: said.text.clone(), images: said.images.clone(), meta: false, plan_content: None };
        let id = self.hall.append(body);
        self.talk.push(transcript::user_message(&said.text, &said.images));
        self.hall.said.push(said.text.clone());
        self.hall.hub.emit(EventKind::User { id, text: said.text });
    }

    /// The results of a finished batch join the conversation in the order of its calls (AG-3), then the reminders.
    fn flush_results(&mut self) {
        for result in self.hall.batch.take_results() {
            self.talk.push(Message::Tool(result));
        }
        for (kind, text) in std::mem::take(&mut self.hall.reminders) {
            self.hall.append(Body::Reminder { kind, form: None, path: None, exists: None, text: text.clone() });
            self.talk.push(transcript::reminder_message(&text));
        }
    }

    fn end_turn(&mut self, reason: EndReason) {
        self.flush_results();
        if let EndReason::Interrupted { in_tools } = &reason {
            let text =
                if *in_tools { "[Request interrupted by user for tool use]" } else { "[Request interrupted by user]" };
            self.hall.append(Body::User { text: text.into(), images: Vec::new(), meta: true, plan_content: None });
            self.talk.push(Message::user(text));
        }
        if let EndReason::Failed { message, .. } = &reason {
            self.hall.append(Body::Error { message: message.clone() });
        }
        self.hall.sync();
        let ended = self.hall.tally.end(reason, self.hall.turn.requests());
        self.hall.hub.emit(EventKind::TurnEnded(ended));
    }

    fn clear(&mut self) {
        self.hall.append(Body::Clear { plan_content: None });
        self.talk.conversation.clear();
        (self.talk.counted, self.talk.uncounted) = (0, 0);
        self.hall.hub.emit(EventKind::Cleared);
    }
}

impl Talk {
    fn push(&mut self, message: Message) {
        self.uncounted += options::size_of(&message);
        self.conversation.push(Arc::new(message));
    }
    /// Tokens the next request would take.
    fn context(&self) -> u64 {
        self.counted + cutonce_core::conversation::estimate_tokens(self.uncounted)
    }
}

impl Hall {
    async fn next_submission(&mut self) -> Option<Submission> {
        let next = self.inbox.recv().await;
        self.inbox_open = next.is_some();
        next
    }

    /// What a submission means for the turn; what concerns only state is done here.
    fn submission(&mut self, submission: Submission) -> Option<Happened> {
        match submission {
            Submission::User { text, images } => return Some(Happened::Said(Said { text, images })),
            Submission::Interrupt => return Some(Happened::Interrupted),
            Submission::Compact { focus } => return Some(Happened::CompactAsked { focus }),
            Submission::Answer { ask_id, answer } => self.answer(&ask_id, answer),
            Submission::SetMode { mode, by } => self.set_mode(mode, by),
            Submission::SetModel { model } => self.next_model = Some(model),
            Submission::Clear => self.notice(Level::Warning, "The conversation can be cleared between turns only."),
            Submission::Close => self.closing = true,
        }
        None
    }

    /// A mode change takes effect at once: the next decision uses it (PM-16).
    fn set_mode(&mut self, to: Mode, by: By) {
        let from = self.mode;
        if to == Mode::BypassPermissions && !self.bypass_available {
            return self.notice(
                Level::Warning,
                "bypassPermissions was not made available at start; restart with --dangerously-skip-permissions.",
            );
        }
        if from == to {
            return;
        }
        self.append(Body::Mode { from, to, by });
        self.mode = to;
        self.hub.emit(EventKind::ModeChanged { from, to, by });
    }

    /// Write an entry before anything is shown as done (SE-1). If that fails the turn ends: what is not on disk
    /// must not be claimed.
    fn append(&mut self, body: Body) -> String {
        match self.store.append(body) {
            Ok(entry) => entry.id,
            Err(error) => {
                let message = format!("The transcript can't be written: {error}");
                self.notice(Level::Error, &message);
                self.pending.push_back(Happened::EndAsked(EndReason::Failed { message, status: None }));
                String::new()
            }
        }
    }

    fn sync(&mut self) -> bool {
        match self.store.sync() {
            Ok(()) => true,
            Err(error) => {
                self.notice(Level::Error, &format!("The transcript can't be written to disk: {error}"));
                false
            }
        }
    }

    fn notice(&self, level: Level, text: &str) {
        self.hub.emit(EventKind::Notice { level, text: text.to_string() });
    }
}
