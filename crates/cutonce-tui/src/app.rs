//! The loop: keys, events of the session, signals and deadlines come in; what changed is drawn once. Idle it waits in the
//! kernel for one of them and for nothing else (UI-12).

mod asks;
mod commands;
mod crew;
mod draw;
mod events;
mod keys;
mod menus;
mod outside;
mod page;
mod paste;
mod saying;
mod screens;
mod sessions;
mod stage;
mod tasks;
mod tip;

use crate::composer::{Composer, Draft, Drafts, Files, Recall};
use crate::entry::log::Log;
use crate::entry::speech::Speech;
use crate::entry::tool::Running;
use crate::entry::{self, Kind};
use crate::highlight::Highlighter;
use crate::history::History;
use crate::status::Status;
use crate::terminal::{self, Arrived, Reader, Terminal};
use crate::theme::{Depth, Name, Theme};
use crate::{Face, First};
pub use commands::{INIT, exported};

use asks::Asks;
use cutonce_agent::commands as custom;
use cutonce_agent::start::Which;
use cutonce_agent::store::place::project_name;
use cutonce_agent::{Events, Session};
use cutonce_core::event::{Level, Todo};
use cutonce_core::settings::Settings;
use cutonce_core::submission::Submission;
use cutonce_core::tasks::Tasks;
use futures_util::FutureExt;
use ratatui::text::Line;
use sessions::{Home, Opened};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// Between two frames while text streams; a key is drawn at once.
const FRAME: Duration = Duration::from_millis(33);
/// While the agent works its line is drawn this often.
const TICK: Duration = Duration::from_millis(250);
/// The same for agents that work in the background.
const SLOW_TICK: Duration = Duration::from_secs(1);
/// How long «press again» stays true.
const AGAIN: Duration = Duration::from_millis(1500);
/// Exit codes of those who were sent away rather than left.
const BY_SIGNAL: u8 = 128;
/// How long the session may take to end what runs.
const ENDING: Duration = Duration::from_secs(3);

/// Word from other threads.
#[derive(Debug)]
pub enum Note {
    /// The list of files is there.
    Files,
    /// Code got its colours.
    Colours,
    /// What was on the clipboard, or why nothing was.
    Clipboard(Result<cutonce_agent::clipboard::Clip, String>),
    /// How the end of a command in the background went.
    Ended(Result<String, String>),
    /// What MCP servers offer (HO-6).
    Mcp { prompts: Vec<cutonce_agent::mcp::Prompt>, resources: Vec<cutonce_agent::mcp::Resource> },
}

/// Where we are and what the program told us.
struct Around {
    home: PathBuf,
    cwd: PathBuf,
    env: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    version: &'static str,
    doctor: fn() -> String,
    flags: crate::Flags,
    /// `--fork-session`
    fork: bool,
}

impl Around {
    fn places(&self) -> entry::places::Places {
        let (cwd, home) = (self.cwd.clone(), self.var("HOME").map(PathBuf::from));
        entry::places::Places { cwd, home, plans: self.home.join("plans"), plan: None }
    }

    fn var(&self, name: &str) -> Option<String> {
        let value = self.env.iter().find(|(key, _)| key == name).map(|(_, value)| value.to_string_lossy());
        value.map(|value| value.into_owned()).filter(|value| !value.is_empty())
    }
}

/// The turn that is on.
struct Turn {
    since: Instant,
    what: String,
    sent: u64,
    received: u64,
    /// Bytes of the answer that still comes, for a guess of its tokens.
    coming: usize,
}

struct App {
    around: Around,
    places: entry::places::Places,
    terminal: Terminal,
    reader: Reader,
    history: History,
    theme: Theme,
    highlighter: Highlighter,
    composer: Composer,
    files: Files,
    drafts: Drafts,
    home: Home,
    session: Option<Session>,
    settings: Arc<Settings>,
    transcript: Option<PathBuf>,
    status: Status,
    turn: Option<Turn>,
    /// The answer that streams, and all of it for the log.
    speech: Option<Speech>,
    streamed: bool,
    said: saying::Said,
    running: Vec<Running>,
    crew: crew::Crew,
    todos: Vec<Todo>,
    /// Todos, agents, teammates and commands in the background are shown in full (UI-14).
    unfolded: bool,
    queued: Vec<String>,
    asks: Asks,
    stage: stage::Stage,
    log: Log,
    /// Lines on their way to the scrollback.
    commits: Vec<Line<'static>>,
    last: Kind,
    /// Said before the session was there.
    early: Vec<Submission>,
    customs: Vec<custom::Custom>,
    dirty: bool,
    urgent: bool,
    drawn_at: Instant,
    last_key: Instant,
    /// Ctrl+C or Esc was pressed once: until when a second one counts.
    again: Option<(crate::keymap::Action, Instant)>,
    exit: Option<u8>,
    bell: bool,
    /// What became of the plan stands in the conversation already: its tool line would say it twice.
    plan_told: bool,
    /// The points that the rewind picker offered.
    rewinds: Vec<(String, crate::overlay::rewind::What)>,
    /// The conversation is being put back.
    rewinding: bool,
    /// Commands in the background.
    tasks: Tasks,
    notes: mpsc::UnboundedSender<Note>,
    /// The tip is on the screen (PM-141).
    tip: bool,
    /// The session could not be opened, and none is under way.
    failed: bool,
    /// The draft is not on disk as it is.
    unsaved: bool,
}

pub async fn run(face: Face) -> io::Result<u8> {
    let (notes, mut told) = mpsc::unbounded_channel();
    let (mut app, first, mut arrived) = App::start(face, notes)?;
    app.draw(Instant::now())?;
    let mut opened = app.home.start(first.which);
    let mut events: Option<Events> = None;
    let mut window = signal(SignalKind::window_change())?;
    let mut continued = signal(SignalKind::from_raw(libc::SIGCONT))?;
    let mut stops = signal(SignalKind::from_raw(libc::SIGTSTP))?;
    let mut ends = [signal(SignalKind::terminate())?, signal(SignalKind::hangup())?, signal(SignalKind::interrupt())?];
    let [term, hangup, interrupt] = &mut ends;
    if !app.home.busy() {
        app.pick_session(&first.words);
    }
    if let Some(First::Say(words)) = first.first {
        app.say(words, Vec::new());
    } else if let Some(First::Implement { plan, path }) = first.first {
        app.submit(Submission::Implement { plan, path });
    }
    while app.exit.is_none() {
        if app.unsaved {
            app.keep_draft();
        }
        let now = Instant::now();
        if app.dirty && (app.urgent || now >= app.drawn_at + FRAME) {
            app.draw(now)?;
        }
        let deadline = app.deadline(now);
        tokio::select! {
            biased;
            Some(one) = arrived.recv() => {
                app.arrived(one);
                while app.exit.is_none() && let Ok(one) = arrived.try_recv() {
                    app.arrived(one);
                }
            }
            _ = term.recv() => app.exit = Some(143),
            _ = hangup.recv() => app.exit = Some(129),
            _ = interrupt.recv() => app.exit = Some(130),
            _ = window.recv() => app.resized(),
            _ = continued.recv() => app.continued(),
            _ = stops.recv() => app.stop(),
            Some(one) = opened.recv() => events = app.opened(one).or(events),
            Some(note) = told.recv() => app.note(note),
            event = next(&mut events) => app.take(event, &mut events),
            () = until(deadline), if deadline.is_some() => app.passed(Instant::now()),
        }
    }
    app.end(events).await
}

/// A loop that is over needs no word.
fn tell(notes: &mpsc::UnboundedSender<Note>, note: Note) {
    let _ = notes.send(note);
}

async fn next(events: &mut Option<Events>) -> Option<cutonce_core::event::Event> {
    match events {
        Some(events) => events.next().await,
        None => std::future::pending().await,
    }
}

async fn until(deadline: Option<Instant>) {
    if let Some(deadline) = deadline {
        tokio::time::sleep_until(deadline.into()).await;
    }
}

/// What `run` needs beside the app.
struct Begin {
    which: Option<(Which, bool)>,
    first: Option<First>,
    /// For the picker.
    words: String,
}

impl App {
    fn start(
        face: Face,
        notes: mpsc::UnboundedSender<Note>,
    ) -> io::Result<(App, Begin, mpsc::UnboundedReceiver<Arrived>)> {
        let Face { home, cwd, env, version, open, which, words, fork, first, doctor, flags } = face;
        let around = Around { home, cwd, env, version, doctor, flags, fork };
        let term = around.var("TERM").unwrap_or_default();
        let terminal = Terminal::take(terminal::knows_kitty(&term))?;
        let (reader, arrived) = Reader::start()?;
        let history = History::new(terminal::reflows(|name| around.var(name)), terminal::size());
        let recall = around.home.join("history").join(format!("{}.jsonl", project_name(&around.cwd)));
        let mut drafts = Drafts::new(&around.home, &around.cwd);
        let mut composer = Composer::new(Recall::new(recall));
        // What was left in the folder is for a new session; an earlier one has a draft of its own.
        let begins = matches!(which, Some(Which::New | Which::NewWithId(_)));
        if let Some(draft) = begins.then(|| drafts.left_over()).flatten() {
            composer.restore(draft);
        }
        let (listed, coloured) = (notes.clone(), notes.clone());
        let now = Instant::now();
        let app = App {
            places: around.places(),
            theme: Theme::new(Name::Ansi, Depth::detect(|name| around.var(name))),
            highlighter: Highlighter::new(move || tell(&coloured, Note::Colours)),
            files: Files::new(&around.cwd, Box::new(move || tell(&listed, Note::Files))),
            home: Home::new(open),
            terminal,
            reader,
            history,
            composer,
            drafts,
            session: None,
            settings: Arc::default(),
            transcript: None,
            status: Status::default(),
            turn: None,
            speech: None,
            streamed: false,
            said: saying::Said::default(),
            running: Vec::new(),
            crew: crew::Crew::default(),
            todos: Vec::new(),
            unfolded: false,
            queued: Vec::new(),
            asks: Asks::default(),
            stage: stage::Stage::default(),
            log: Log::default(),
            commits: Vec::new(),
            last: Kind::Start,
            early: Vec::new(),
            customs: Vec::new(),
            dirty: true,
            urgent: true,
            drawn_at: now,
            last_key: now,
            again: None,
            exit: None,
            bell: false,
            plan_told: false,
            rewinds: Vec::new(),
            rewinding: false,
            tasks: Tasks::default(),
            notes,
            tip: false,
            failed: false,
            unsaved: false,
            around,
        };
        Ok((app, Begin { which: which.map(|which| (which, fork)), first, words }, arrived))
    }

    /// To the session; what is said before it is there waits for it.
    fn submit(&mut self, submission: Submission) {
        match &self.session {
            Some(session) => session.submit(submission),
            // Nothing waits for a session that somebody may pick later: it was not meant for that one.
            None if self.failed || !self.home.busy() => self.notice(Level::Warning, self.home.way_out()),
            None => self.early.push(submission),
        }
    }

    fn say(&mut self, text: String, images: Vec<cutonce_core::conversation::Image>) {
        if let Some(session) = &self.session {
            self.drafts.belongs_to(session.id(), &self.draft());
        }
        self.tip = false;
        self.submit(Submission::User { text, images });
    }

    /// The session is there, or why not.
    fn opened(&mut self, opened: Opened) -> Option<Events> {
        let opened = match opened {
            Ok(opened) => opened,
            Err(why) => {
                self.notice(Level::Error, &why);
                self.notice(Level::Info, self.home.way_out());
                (self.failed, self.queued) = (true, Vec::new());
                // What was said is not lost: it is the draft again.
                let said: Vec<String> = std::mem::take(&mut self.early)
                    .into_iter()
                    .filter_map(|one| if let Submission::User { text, .. } = one { Some(text) } else { None })
                    .collect();
                if !said.is_empty() && self.composer.is_empty() {
                    self.composer.set_text(&said.join("\n"));
                }
                return None;
            }
        };
        self.failed = false;
        self.settings = opened.settings.clone();
        self.theme = self.chosen_theme();
        self.transcript = Some(opened.transcript.clone());
        self.status.branch = self.branch();
        for notice in &opened.notices {
            self.notice(Level::Warning, notice);
        }
        self.session = Some(opened.session.clone());
        self.customs = custom::find(&self.around.home, &self.around.cwd, self.trusted());
        self.composer.set_commands(commands::offers(&self.customs, &[]));
        // A slash that was typed before they were known offers them, too.
        self.composer.refresh_with(&mut self.files);
        self.listen_to_mcp();
        self.came_back(&opened);
        for submission in std::mem::take(&mut self.early) {
            if matches!(submission, Submission::User { .. }) {
                self.drafts.belongs_to(opened.session.id(), &self.draft());
            }
            opened.session.submit(submission);
        }
        self.dirty();
        Some(opened.events)
    }

    /// An event, and all that are ready behind it: one frame shows them all.
    fn take(&mut self, event: Option<cutonce_core::event::Event>, events: &mut Option<Events>) {
        const AT_ONCE: usize = 2_000;
        let Some(event) = event else {
            *events = None;
            return self.session_lost();
        };
        self.event(event);
        for _ in 0..AT_ONCE {
            let Some(ready) = events.as_mut().and_then(|events| events.next().now_or_never()) else { return };
            match ready {
                Some(event) => self.event(event),
                None => *events = None,
            }
        }
    }

    /// A session that ends because something in it failed is told: its conversation is on disk.
    fn session_lost(&mut self) {
        if let Some(why) = terminal::failed_elsewhere().filter(|_| self.session.take().is_some()) {
            (self.failed, self.turn) = (true, None);
            self.notice(Level::Error, &format!("The session failed inside: {why}"));
            self.notice(Level::Info, "What was said is on disk: /resume goes on with it.");
        }
    }

    fn note(&mut self, note: Note) {
        match note {
            Note::Files => {
                self.composer.refresh_with(&mut self.files);
                self.now();
            }
            Note::Colours => self.dirty(),
            Note::Clipboard(found) => self.clipboard(found),
            Note::Ended(Ok(words)) => self.notice(Level::Info, &words),
            Note::Ended(Err(why)) => self.notice(Level::Warning, &why),
            Note::Mcp { prompts, resources } => {
                self.composer.set_commands(commands::offers(&self.customs, &prompts));
                self.composer.set_mentions(resources.iter().map(|one| (one.mention(), one.name.clone())).collect());
            }
        }
    }

    fn resized(&mut self) {
        let size = terminal::size();
        if self.history.resized(size, Instant::now()) {
            let width = self.width();
            if let Some(speech) = &mut self.speech {
                speech.resize(width);
            }
            self.dirty();
        }
    }

    /// When something is due that nobody sends: None while idle.
    fn deadline(&self, now: Instant) -> Option<Instant> {
        let frame = self.dirty.then(|| self.drawn_at + FRAME);
        let tick = self.ticks().map(|tick| self.drawn_at + tick);
        let held = self.history.held(now);
        let again = self.again.map(|(_, until)| until);
        let asks = self.asks.deadline(now, self.last_key, self.composer.is_empty(), self.turn.is_some());
        [frame, tick, held, again, asks].into_iter().flatten().min()
    }

    fn passed(&mut self, now: Instant) {
        if self.again.is_some_and(|(_, until)| until <= now) {
            self.again = None;
            self.status.hint = None;
            self.dirty();
        }
        if self.ticks().is_some() || (self.history.held(now).is_none() && !self.commits.is_empty()) {
            self.dirty();
        }
        self.asks_due(now);
    }

    /// How often what works is drawn: None while nothing does, or all wait for the person (UI-12).
    fn ticks(&self) -> Option<Duration> {
        match (self.asks.waits(), self.turn.is_some(), self.crew.works() || self.times_tasks()) {
            (true, ..) | (false, false, false) => None,
            (false, true, _) => Some(TICK),
            (false, false, true) => Some(SLOW_TICK),
        }
    }

    fn dirty(&mut self) {
        self.dirty = true;
    }
    /// Drawn without waiting for the next frame: somebody pressed a key.
    fn now(&mut self) {
        (self.dirty, self.urgent) = (true, true);
    }

    /// The last column stays free: some terminals wrap there.
    fn width(&self) -> usize {
        usize::from(terminal::size().0).saturating_sub(1).max(10)
    }

    fn commit(&mut self, kind: Kind, lines: Vec<Line<'static>>) {
        if lines.is_empty() {
            return;
        }
        if self.last.apart(kind) {
            self.commits.push(Line::raw(""));
        }
        self.commits.extend(lines);
        self.last = kind;
        self.dirty();
    }

    fn notice(&mut self, level: Level, text: &str) {
        let lines = entry::notice(level, text, self.width(), &self.theme);
        self.log.push(entry::log::Record::Notice(text.to_string()));
        self.commit(Kind::Notice, lines);
    }

    /// The session ends what runs; then the terminal is given back with a word on how to come back.
    async fn end(mut self, events: Option<Events>) -> io::Result<u8> {
        let code = self.exit.unwrap_or(0);
        self.take_back_queued();
        self.drafts.save(&self.draft());
        let _ = self.terminal.alternate(false);
        let _ = terminal::write(self.history.leave().as_bytes());
        let resumable = self.log.has_words() && self.transcript.as_ref().is_some_and(|path| path.exists());
        if code >= BY_SIGNAL && self.asks.own_plan_waits() {
            // Nobody said no: the plan waits on disk until somebody is there again (PM-85). A session that nobody holds
            // would withdraw it; this one is held until the process is gone.
            std::mem::forget(self.session.take());
        }
        if let (Some(session), Some(mut events)) = (self.session.take(), events) {
            session.submit(Submission::Leave);
            let id = session.id().to_string();
            let _ = tokio::time::timeout(ENDING, async { while events.next().await.is_some() {} }).await;
            if resumable && code == 0 {
                let _ = terminal::write(format!("To go on: cutonce --resume {id}\r\n").as_bytes());
            }
        }
        drop(self.terminal);
        Ok(code)
    }

    /// What waited for the turn that is over now is a draft again: nothing said is lost.
    fn take_back_queued(&mut self) {
        if !self.queued.is_empty() {
            let words = std::mem::take(&mut self.queued).join("\n");
            let draft = self.composer.text();
            let both = if draft.is_empty() { words } else { format!("{words}\n{draft}") };
            self.composer.set_text(&both);
        }
    }

    /// Another session takes this one's place.
    fn switch(&mut self, which: Which, fork: bool) {
        if let Some(session) = self.session.take() {
            session.submit(Submission::Leave);
        }
        self.drafts.save(&self.draft());
        if self.drafts.leaves() {
            // It is there again when somebody comes back to that session.
            self.composer.restore(Draft::default());
        }
        self.asks = Asks::default();
        (self.turn, self.speech, self.running) = (None, None, Vec::new());
        self.tell_ending_tasks();
        (self.todos, self.queued, self.tasks) = (Vec::new(), Vec::new(), Tasks::default());
        self.early.clear();
        self.crew = crew::Crew::default();
        self.log.clear();
        self.status = Status::default();
        self.failed = false;
        self.home.open(which, fork);
        self.now();
    }
}
