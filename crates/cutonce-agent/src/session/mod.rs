//! A session: one conversation with state, driven only by submissions, observed only by events (AG-1).
//!
//! [`Session`] is the handle; the work is done by one task that owns everything ([`Driver`]). The turn machine
//! in cutonce-core says what comes next; this room only performs it: `request` streams answers and summaries,
//! `calls` decides and runs tool calls, `asks` holds what waits for a person.

mod agents;
mod approval;
mod asks;
mod auto;
mod calls;
mod hooks;
mod host;
mod mcp;
mod models;
mod options;
mod plan;
mod plan_tools;
mod prompt;
mod request;
mod rewind;
mod structured;
mod tally;
mod team;
mod team_calls;
mod team_plan;

pub(crate) use auto::{AutoSource, Heard};
pub(crate) use calls::Report;
pub(crate) use options::Options;
pub use options::{Approver, Connect, Connected};
pub(crate) use plan::Planner;
pub(crate) use plan_tools::plan_tools;
pub(crate) use team::TeamStart;

use crate::agents::{Agents, Seat, Standing};
use crate::hooks::Hooks;
use crate::hub::{Events, Hub};
use crate::redact::Redactor;
use crate::settings::Places;
use crate::store::Store;
use asks::Asks;
use calls::Batch;
use cutonce_core::agent::Catalog;
use cutonce_core::conversation::{Message, Shared};
use cutonce_core::event::{EndReason, EventKind, Level};
use cutonce_core::mode;
use cutonce_core::request::Prefix;
use cutonce_core::rule::Rules;
use cutonce_core::submission::{Mark, Submission};
use cutonce_core::transcript::{self, Body};
use cutonce_core::turn::{Effect, Happened, Lent, Said, Turn, Waiting};
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
    hooks: Arc<Hooks>,
    mcp: crate::mcp::Servers,
    agents: Arc<Catalog>,
    transcript: Arc<std::path::Path>,
    connect: Arc<dyn Connect>,
}

impl Session {
    /// Its id, also of its transcript.
    pub fn id(&self) -> &str {
        &self.id
    }
    /// Where its transcript is, or will be with its first entry.
    pub fn transcript(&self) -> &std::path::Path {
        &self.transcript
    }
    /// Never blocks; a session that is over ignores it.
    pub fn submit(&self, submission: Submission) {
        let _ = self.inbox.send(submission);
    }
    /// The person's words.
    pub fn say(&self, text: impl Into<String>) {
        self.submit(Submission::User { text: text.into(), images: Vec::new() });
    }
    /// Who is asked and told at certain moments (HO-7); a host may add itself.
    pub fn hooks(&self) -> &Hooks {
        &self.hooks
    }
    /// Its MCP servers: how they are, their resources and prompts, agreeing to those of a project (HO-6).
    pub fn mcp(&self) -> &crate::mcp::Servers {
        &self.mcp
    }
    /// The agents that it can start, for `/agents`: see `agents::files::list`.
    pub fn agents(&self) -> &Catalog {
        &self.agents
    }
    /// Whether a model of this name could answer: its provider is known and there is a key. Nothing is asked of the provider.
    pub async fn can_use(&self, model: &str) -> Result<(), String> {
        let mut choice = cutonce_core::settings::ModelChoice::default();
        choice.choose(model);
        let connected = self.connect.connect(choice.main.as_deref().unwrap_or(model)).await;
        connected.map(drop).map_err(|error| error.message)
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
    /// In plan mode, for hosts that want denied tools to leave the list (PM-66).
    plan_prefix: Option<Arc<Prefix>>,
    connected: Connected,
    /// Tokens of the context as the provider last counted them, and bytes added since (AG-8).
    counted: u64,
    uncounted: usize,
    /// Where the present turn begins in the conversation.
    turn_start: usize,
}

/// Everything else.
struct Hall {
    id: Arc<str>,
    turn: Turn,
    /// What happened already and was not yet handed to the turn machine.
    pending: VecDeque<Happened>,
    mode: mode::State,
    planner: Planner,
    rules: Rules,
    /// Where «don't ask again» writes to.
    places: Places,
    approver: Approver,
    store: Store,
    /// Why the last entry is not on disk; nothing is done until one is again.
    unwritten: Option<String>,
    hub: Arc<Hub>,
    redactor: Arc<Redactor>,
    here: Arc<Here>,
    tools: BTreeMap<String, Arc<dyn AnyTool>>,
    mcp: mcp::Joining,
    instructions: crate::instructions::Instructions,
    inbox: mpsc::UnboundedReceiver<Submission>,
    done: (mpsc::UnboundedSender<Report>, mpsc::UnboundedReceiver<Report>),
    batch: Batch,
    asks: Asks,
    watch: hooks::Watch,
    judge: auto::Judge,
    heard: Heard,
    /// Resolved folders of skills: reading there asks nobody.
    skill_folders: Vec<PathBuf>,
    tally: Tally,
    /// The models by name, once they were needed, and the name of the session's main one (PM-110).
    models: models::Models,
    /// For answers that must have a form (HO-1).
    corrections: structured::Corrections,
    /// The session came back with a plan's request open (PM-85).
    reopen_plan: bool,
    /// What a command of the user's own changed for its turn (UI-9).
    lent: prompt::Lent,
    max_budget: Option<f64>,
    compact_at: Option<f64>,
    /// Reminders that join the next request: kind and text.
    reminders: Vec<(String, String)>,
    /// The person's own words so far, and the files in work, latest last: both survive a compaction (AG-8).
    said: Vec<String>,
    files: Vec<PathBuf>,
    /// The team, where a session can have one (TM-1).
    team: Option<team::Table>,
    /// What holds for the session and its agents at this moment, and how many of its rules are among `rules` (PM-64).
    standing: Arc<Standing>,
    rules_known: usize,
    /// This session is a subagent's.
    seat: Option<Seat>,
    /// How it starts agents, where it may.
    agents: Option<Arc<Agents>>,
    /// Where a session lives that leaves nothing (HO-1).
    passing: Option<crate::store::Passing>,
    /// No more submissions will come: end when idle.
    closing: bool,
    /// Who waits until all that was submitted is over.
    over: Vec<Mark>,
    inbox_open: bool,
}

impl Driver {
    async fn run(mut self, effects: Vec<mode::Effect>) {
        self.open(effects);
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
        if let Some(agents) = &self.hall.agents {
            agents.end().await;
        }
        self.hall.team_rests().await;
        self.hall.session_ends("other");
        self.hall.hear_out().await;
        self.hall.mcp.servers.close().await;
        self.hall.here.shells.end_all().await;
        self.hall.sync();
        // Before anybody hears of the end: who does may look.
        self.hall.passing = None;
        self.hall.hub.emit(EventKind::Closed);
    }

    /// How the session starts: the effects of its mode, and a plan's request that a crash left open (PM-85).
    fn open(&mut self, effects: Vec<mode::Effect>) {
        self.hall.hide_secrets();
        self.hall.open_workshop();
        if self.hall.mode.in_plan() && !effects.contains(&mode::Effect::PlanEntered) {
            self.hall.plan_resumed();
        }
        for effect in effects {
            if let mode::Effect::Record { from, to, by } = &effect {
                self.hall.append(Body::Mode { from: *from, to: *to, by: *by });
            }
            self.hall.mode_effect(effect);
        }
        self.hall.session_started(if self.talk.conversation.is_empty() { "startup" } else { "resume" });
        self.hall.agent_begins();
        self.team_opened();
        if self.hall.reopen_plan && self.hall.mode.in_plan() {
            self.hall.submit_plan(None, None);
        }
    }

    async fn wait(&mut self) -> Option<Happened> {
        match self.hall.turn.waiting() {
            Waiting::Submission => self.idle().await,
            Waiting::Model => {
                let happened = self.request().await;
                let happened = self.before_stop(happened).await;
                Some(self.demand_structured(happened))
            }
            Waiting::Calls => Some(self.hall.running_calls().await),
            Waiting::Summary => Some(self.summarise_and_tell().await),
        }
    }

    /// Between turns; None when the session is over.
    async fn idle(&mut self) -> Option<Happened> {
        loop {
            self.restart_with_plan();
            // What was reported while a request was on: an agent's answer is not lost to whoever closes now.
            while let Ok(report) = self.hall.done.1.try_recv() {
                self.hall.report(report);
            }
            if let Some(happened) = self.hall.pending.pop_front() {
                return Some(happened);
            }
            self.hall.tell_over();
            let over = (self.hall.closing && !self.hall.team_works()) || !self.hall.inbox_open;
            if over && !self.hall.watch.door_is_busy() {
                return None;
            }
            tokio::select! {
                submission = self.hall.inbox.recv(), if self.hall.inbox_open => match submission {
                    Some(Submission::Clear) => self.clear(),
                    Some(Submission::Rewind { to, files, conversation }) => self.rewind(&to, files, conversation),
                    Some(submission) => if let Some(happened) = self.hall.submission(submission) {
                        return Some(happened);
                    },
                    None => self.hall.inbox_open = false,
                },
                Some(report) = self.hall.done.1.recv() => self.hall.report(report),
                () = self.hall.mcp.servers.news() => self.hall.tell_servers(),
            }
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::BeginTurn => self.begin_turn(),
            Effect::Record(said) => self.record(said),
            Effect::Queued(said) => self.hall.tell_queued(said),
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
        self.change_thinking();
        self.begin_corrections();
        self.talk.turn_start = self.talk.conversation.len();
        self.hall.watch.turn_began();
        self.hall.reread_switches();
        self.hall.tally.begin();
        self.hall.team_state(true);
        self.hall.hub.emit(EventKind::TurnStarted);
    }

    /// The person's words enter the transcript, then the conversation, then the screen (SE-1).
    fn record(&mut self, said: Said) {
        self.flush_results();
        if let Some(lent) = &said.lent {
            self.hall.for_this_turn(&lent.allow, lent.model.clone());
        }
        let (text, images, meta) = (said.text.clone(), said.images.clone(), said.meta);
        let body = Body::User { text, images, meta, plan_content: said.plan.clone() };
        let id = self.hall.append(body);
        if let Some(mail) = &said.mail {
            self.hall.mail_recorded(mail, &id);
        }
        self.talk.push(transcript::user_message(&said.text, &said.images));
        self.hall.heard_plan(&said);
        if !said.meta {
            self.hall.said.push(said.text.clone());
            let typed = said.typed.as_deref().unwrap_or(&said.text);
            self.hall.heard.said(typed);
            if !said.verbatim {
                self.hall.mcp.said(typed);
            }
            if !said.silent {
                self.hall.planner.approval.user_message();
                self.hall.mode_event(mode::Event::HumanTurn);
            }
        }
        self.hall.prompt_context(&said);
        self.hall.hub.emit(EventKind::User { id, text: said.text, meta: said.meta });
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
        self.hall.keep_plan();
        self.hall.turn_is_over();
        self.hall.sync();
        self.hall.team_state(false);
        let ended = self.hall.tally.end(reason, self.hall.turn.requests(), self.hall.plan_at_end());
        self.hall.hub.emit(EventKind::TurnEnded(ended));
        self.restart_with_plan();
    }

    fn clear(&mut self) {
        self.hall.session_ends("clear");
        self.hall.append(Body::Clear { plan_content: None });
        self.hall.mode_event(mode::Event::Cleared);
        self.talk.conversation.clear();
        (self.talk.counted, self.talk.uncounted) = (0, self.talk.prefix_size());
        // What was said and read before is not of this conversation any more (TL-3, AG-8).
        (self.hall.said, self.hall.files) = (Vec::new(), Vec::new());
        self.hall.heard.forget();
        self.hall.here.disk.forget();
        self.hall.here.todos.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
        self.hall.hub.emit(EventKind::Cleared);
        self.hall.hub.emit(EventKind::Todos(vec![]));
        self.hall.session_started("clear");
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
    /// What a submission means for the turn; what concerns only state is done here.
    fn submission(&mut self, submission: Submission) -> Option<Happened> {
        match submission {
            Submission::User { text, images } => return self.comes_in(Said::words(text, images)),
            Submission::Composed { text, images, verbatim, silent } => {
                return self.comes_in(Said { verbatim, silent, ..Said::words(text, images) });
            }
            Submission::Interrupt => {
                self.clear_the_door();
                self.stop_agents();
                return Some(Happened::Interrupted);
            }
            Submission::Compact { focus, told } => return Some(self.compact_asked(focus, told)),
            Submission::Answer { ask_id, answer } => self.answer(&ask_id, answer),
            Submission::SetMode { mode, by } => self.mode_event(mode::Event::Set { to: mode, by }),
            Submission::CycleMode => self.mode_event(mode::Event::Cycle),
            Submission::Command { command, editor } => return self.command(command, editor.as_deref()),
            Submission::Implement { plan, path } => return Some(self.implement(plan, &path)),
            Submission::SetModel { model } => self.models.choose(model),
            Submission::Team(news) => return self.team_news(news),
            Submission::Clear => self.notice(Level::Warning, "The conversation can be cleared between turns only."),
            Submission::ChangeRules(change) => self.change_rules(change),
            Submission::ChangeFolders(change) => self.change_folders(change),
            Submission::SetThinking { budget } => self.models.think(budget),
            Submission::StopTask { id, told } => (told.0)(self.stop_task(&id)),
            Submission::Mark(mark) => (mark.0)(),
            Submission::Over(mark) => self.over.push(mark),
            Submission::Rewind { .. } => self.notice(Level::Warning, "Nothing can be put back while a turn is on."),
            Submission::Prompt { text, images, allow, model, typed } => {
                let lent = Some(Box::new(Lent { allow, model }));
                return self.comes_in(Said { lent, typed, ..Said::words(text, images) });
            }
            Submission::Close => self.close(),
            Submission::Leave => {
                self.clear_the_door();
                self.stop_agents();
                self.close();
                return Some(Happened::Left);
            }
        }
        None
    }

    fn close(&mut self) {
        self.closing = true;
        self.refuse_team_calls();
    }

    /// Write an entry before anything is shown as done (SE-1). If that fails the turn ends: what is not on disk
    /// must not be claimed.
    fn append(&mut self, body: Body) -> String {
        match self.store.append(body) {
            Ok(entry) => {
                self.unwritten = None;
                entry.id
            }
            Err(error) => {
                let message = format!("The transcript can't be written: {error}");
                self.notice(Level::Error, &message);
                self.unwritten = Some(message.clone());
                self.pending.push_back(Happened::EndAsked(EndReason::Failed { message, status: None }));
                String::new()
            }
        }
    }

    /// The turn ends with the batch that is on: said before the call that asked for it is done, so that the calls after
    /// it are skipped and no further request goes out.
    fn end_asked(&mut self, reason: EndReason) {
        self.pending.push_front(Happened::EndAsked(reason));
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

    /// Between turns: nothing is pending. What waits at the door will begin a turn yet.
    fn tell_over(&mut self) {
        if !self.watch.message_waits() {
            self.over.drain(..).for_each(|mark| (mark.0)());
        }
    }

    fn notice(&self, level: Level, text: &str) {
        self.hub.emit(EventKind::Notice { level, text: text.to_string() });
    }
}
