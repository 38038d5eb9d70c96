//! Programs that drive us over standard input and output (HO-1 to HO-3): the Claude Agent SDKs and whoever speaks like them.
//! `wire` reads their lines, `peer` writes ours; here they meet the session.

mod control;
mod dont_ask;
mod hooks;
mod mcp;
mod peer;
mod permission;
mod rewind;
mod servers;
mod setup;
mod slash;
mod wire;

use crate::cli::{OutputFormat, Run};
use crate::frames::{self, Frames};
use crate::headless::{DONE, FAILED, INTERRUPTED, Signals, TERMINATED};
use crate::start::{self, Started};
use cutonce_agent::commands::Custom;
use cutonce_agent::start::Which;
use cutonce_agent::store::{self, place::Sessions};
use cutonce_agent::{Approver, Events, Session};
use cutonce_core::event::{AgentDoes, AgentEvent, AgentHow, AskView, EndReason, Event, EventKind, Level};
use cutonce_core::rule::Source;
use cutonce_core::submission::Submission;
pub use dont_ask::NAME as DONT_ASK;
use peer::Peer;
use serde_json::Value;
use setup::Setup;
use slash::{Called, Carried, Said};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use wire::Line;

/// How long a host that can't be served may take to say its first words.
const HEARD_OUT: std::time::Duration = std::time::Duration::from_secs(2);

/// Serve the host until it has no more to say; gives the exit code.
pub async fn run(run: Run) -> anyhow::Result<u8> {
    let peer = Peer::default();
    let code = serve(run, &peer).await;
    peer.flush().await;
    code
}

async fn serve(mut run: Run, peer: &Peer) -> anyhow::Result<u8> {
    if run.output_format != OutputFormat::StreamJson {
        let text = "--input-format stream-json goes with --output-format stream-json".to_string();
        return Err(start::Usage(text).into());
    }
    tell_set_aside(&run);
    let (mut lines, mut early) = (wire::lines_of_stdin(), VecDeque::new());
    let (mut setup, mut answer) = (Setup::default(), None);
    // A prompt on the command line needs no host to begin.
    while run.prompt.is_none() {
        match lines.recv().await.map(Setup::of) {
            None => return Ok(DONE),
            // Nothing has begun with these: `initialize` may still come.
            Some(Err(line)) if matches!(*line, Line::Ignored) => continue,
            Some(Err(line)) if matches!(*line, Line::Unknown(_)) => {
                early.push_back(*line);
                continue;
            }
            Some(Err(line)) => early.push_back(*line),
            Some(Ok((id, given))) => {
                if let Some(why) = no_such_session(&run) {
                    peer.write(&frames::not_begun(run.resume.as_deref().unwrap_or_default(), &why));
                    return Ok(FAILED);
                }
                (setup, answer) = (given, Some(id));
            }
        }
        break;
    }
    if let Err(why) = setup.apply(&mut run) {
        eprintln!("cutonce: {why}");
        peer.write(&frames::not_begun("", &why));
        return Ok(FAILED);
    }
    let approver = if run.host.asks() { Approver::Present } else { Approver::CantAsk };
    let place = start::Place { home: start::home()?, cwd: start::cwd()? };
    let agents = setup.agents(run.host.agents.as_deref());
    let greeting = setup::greeting(&run, &place, agents.as_deref().unwrap_or_default());
    if let Some(id) = &answer {
        peer.reply(id, Ok(greeting.clone()));
    }
    let opened = match agents {
        Ok(agents) => {
            let brought = start::Brought { hooks: hooks::of_host(&setup.hooks, peer), agents };
            start::open_with(&run, start::Face { approver }, place, brought).await
        }
        Err(why) => Err(start::Usage(why).into()),
    };
    let started = match opened {
        Ok(started) => started,
        Err(error) => return Ok(not_begun(peer, &format!("{error:#}"), lines).await),
    };
    let servers = servers::named(&run.mcp_config, &setup.servers);
    let (mut host, events) = Host::new(started, &run, peer.clone(), greeting, &setup);
    host.greeted = answer.is_some();
    host.bring(&servers);
    host.warn_of_left_out(&run);
    if let Some(prompt) = run.prompt.clone() {
        let said = slash::called(Submission::User { text: prompt, images: Vec::new() }, &host.commands);
        host.take_message(said, None);
    }
    for line in early {
        host.line(line);
    }
    host.serve(events, lines).await
}

/// There is no session. A host that was greeted says its first words next: whoever is gone by then never gets to say why, the host
/// only sees that it could not write.
async fn not_begun(peer: &Peer, why: &str, mut lines: mpsc::UnboundedReceiver<Line>) -> u8 {
    eprintln!("cutonce: {why}");
    peer.write(&frames::not_begun("", why));
    peer.flush().await;
    let all = async { while lines.recv().await.is_some() {} };
    let _ = tokio::time::timeout(HEARD_OUT, all).await;
    FAILED
}

/// Flags that mean nothing here are named where somebody looks for trouble.
fn tell_set_aside(run: &Run) {
    if run.verbose && !run.host.not_known.is_empty() {
        eprintln!("cutonce: these flags mean nothing here: {}", run.host.not_known.join(", "));
    }
    let other = run.host.permission_prompt_tool.as_deref().filter(|tool| *tool != "stdio");
    if let Some(tool) = other {
        eprintln!("cutonce: --permission-prompt-tool {tool}: only `stdio` can be asked; what would ask is denied");
    }
}

/// Why the session that the host wants to go on with can't be found.
fn no_such_session(run: &Run) -> Option<String> {
    let sessions = Sessions::new(start::home().ok()?, start::cwd().ok()?);
    match start::which(run).ok()? {
        Which::Find(words) => {
            store::find(&sessions, &words).err().map(|_| format!("No conversation found with session ID: {words}"))
        }
        Which::Latest => store::continue_latest(&sessions).err().map(|_| "No conversation found to continue".into()),
        Which::New | Which::NewWithId(_) => None,
    }
}

/// Flags of the SDKs that are not done, and what that means for who passes them.
const LEFT_OUT: [(&str, &str); 2] = [
    (
        "session-mirror",
        "The session store gets nothing: cutonce keeps its transcripts in its own folder and mirrors none.",
    ),
    ("include-hook-events", "Hook events are not told: there are no hook_started and hook_response frames."),
];

/// How long the first turn waits for the servers inside the host.
const SETTLE: Duration = Duration::from_secs(10);

async fn settled(settling: &mut Option<oneshot::Receiver<()>>) {
    match settling {
        Some(settling) => {
            let _ = settling.await;
        }
        None => std::future::pending().await,
    }
}

struct Host {
    peer: Peer,
    frames: Frames,
    session: Session,
    code: u8,
    /// The host was gone when it was needed, or is to blame for the end.
    missing: bool,
    /// Messages that came during a turn: each gets a turn and a result of its own.
    waiting: VecDeque<(Said, Option<String>)>,
    busy: bool,
    /// Servers inside the host that are being asked for their tools: no turn begins before that.
    settling: Option<oneshot::Receiver<()>>,
    /// More may come from the host.
    listening: bool,
    /// Asks that the host has not answered yet, by the id of our request.
    asks: HashMap<String, Arc<AskView>>,
    control: control::Control,
    /// Told of every change: whether the frame is for the SDK alone.
    states: Option<bool>,
    replay: bool,
    /// The host's own ids of messages on their way into the conversation, and of those that are in it, with ours.
    said: VecDeque<Option<String>>,
    ids: HashMap<String, String>,
    /// The servers that the host brought or set.
    given: BTreeMap<String, Value>,
    /// What is stored in the folder's own settings counts in the next session.
    lasting: bool,
    /// What `/name` may call.
    commands: Vec<Custom>,
    /// One that is being carried out.
    command: Option<Carried>,
    /// `initialize` came before anything began.
    greeted: bool,
    /// How it was opened, to be told once a turn has begun.
    notices: Vec<String>,
    /// What comes before the first message (HO-1).
    before_first: Option<String>,
    /// Agents in the background: their answers belong to the run, also after the last message.
    beside: HashSet<String>,
}

impl Host {
    fn new(started: Started, run: &Run, peer: Peer, greeting: Value, setup: &Setup) -> (Host, Events) {
        let mut frames = Frames::new(&started, run.include_partial_messages)
            .for_host(started.session.transcript(), setup.forward_text);
        frames.set_dont_ask(run.host.dont_ask);
        let Started { session, events, model, offered, notices, .. } = started;
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        let states = match (set("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"), set("CLAUDE_CODE_SDK_READS_SESSION_STATE")) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        };
        let host = Host {
            frames,
            peer,
            session,
            code: DONE,
            missing: false,
            waiting: VecDeque::new(),
            busy: false,
            settling: None,
            listening: true,
            asks: HashMap::new(),
            control: control::Control::new(model, greeting),
            states,
            replay: run.host.replay_user_messages,
            said: VecDeque::new(),
            ids: HashMap::new(),
            given: BTreeMap::new(),
            lasting: run.host.sources().is_none_or(|sources| sources.contains(&Source::Local)),
            commands: offered.commands,
            command: None,
            greeted: false,
            notices,
            before_first: offered.first,
            beside: HashSet::new(),
        };
        (host, events)
    }

    /// What a host counts on and does not get: it hears of it where it reads, not on standard error alone.
    fn warn_of_left_out(&self, run: &Run) {
        for (flag, what) in LEFT_OUT {
            if run.host.not_known.iter().any(|known| known == flag) {
                self.peer.write(&self.frames.informational(Level::Warning, what));
            }
        }
    }

    /// The servers inside the host join before the first turn: what they offer is part of it from its beginning.
    fn bring(&mut self, names: &[String]) {
        let servers = self.session.mcp().clone();
        for name in names {
            self.given.insert(name.clone(), serde_json::json!({"type": "sdk", "name": name}));
            if let Err(why) = servers.add_remote(name, Arc::new(servers::HostServer::new(name, &self.peer))) {
                eprintln!("cutonce: the server {name:?} of the host can't be used: {why}");
            }
        }
        let called: Vec<String> =
            servers.status().into_iter().filter(|one| one.transport == "sdk").map(|one| one.called).collect();
        if called.is_empty() {
            return;
        }
        let (done, settled) = oneshot::channel();
        self.busy = true;
        self.settling = Some(settled);
        tokio::spawn(async move {
            let _ = tokio::time::timeout(SETTLE, servers.settled(Some(&called))).await;
            let _ = done.send(());
        });
    }

    async fn serve(mut self, mut events: Events, mut lines: mpsc::UnboundedReceiver<Line>) -> anyhow::Result<u8> {
        let Signals { mut int, mut term } = Signals::new()?;
        let mut deaf = false;
        loop {
            if self.peer.is_deaf() && !deaf {
                deaf = true;
                self.host_gone();
                self.end(FAILED);
            }
            // Lines before events: an interrupt must not wait for a flood to pass. Events before marks: what a submission
            // brought about is seen before its mark.
            tokio::select! {
                biased;
                _ = int.recv() => self.end(INTERRUPTED),
                _ = term.recv() => self.end(TERMINATED),
                line = lines.recv(), if self.listening => match line {
                    Some(line) => self.line(line),
                    None => self.host_gone(),
                },
                event = events.next() => match event {
                    None => return Ok(self.code),
                    Some(event) => self.event(&event),
                },
                Some(mark) = self.control.marks() => self.marked(mark),
                () = settled(&mut self.settling) => {
                    (self.settling, self.busy) = (None, false);
                    self.rest();
                }
            }
        }
    }

    /// Stop what runs, and end.
    fn end(&mut self, code: u8) {
        (self.code, self.missing) = (code, true);
        self.session.submit(Submission::Interrupt);
        self.session.submit(Submission::Close);
    }

    /// No more input. What waits for the host fails closed; what runs and what is queued is done to its end (HO-3).
    fn host_gone(&mut self) {
        self.listening = false;
        self.peer.gone();
        for (_, ask) in std::mem::take(&mut self.asks) {
            (self.code, self.missing) = (FAILED, true);
            self.carry_out(permission::host_gone(&ask));
        }
        self.rest();
    }

    fn line(&mut self, line: Line) {
        match line {
            Line::User { said, uuid } => {
                let said = said.and_then(|said| slash::called(said, &self.commands));
                self.take_message(said, uuid);
            }
            Line::Request { id, request } => self.request(&id, &request),
            Line::Response { id, result } => match self.asks.remove(&id) {
                Some(ask) => {
                    self.carry_out(permission::meaning(&ask, result));
                    self.state(self.standing());
                }
                None => {
                    self.peer.answered(&id, result);
                }
            },
            Line::Ignored => {}
            Line::Unknown(kind) => {
                let text = format!("Messages of type {kind:?} are not known here; it was ignored.");
                self.peer.write(&self.frames.informational(Level::Error, &text));
            }
            Line::Broken(why) => {
                eprintln!("cutonce: a line on standard input is no stream-json message: {why}");
                self.host_gone();
                self.end(FAILED);
            }
        }
    }

    /// Each message has a result of its own, in its place; one that can't be taken has none but that.
    fn take_message(&mut self, said: Said, uuid: Option<String>) {
        if self.busy || self.control.is_choosing() {
            return self.waiting.push_back((said, uuid));
        }
        match said {
            Ok(Called::Words(words)) => self.say(words, uuid),
            Ok(called) => self.carry_out_command(called, uuid),
            Err(why) => {
                self.peer.write(&frames::not_begun(self.session.id(), &why));
                self.code = FAILED;
            }
        }
    }

    /// One that only joins the conversation keeps nothing waiting.
    fn say(&mut self, mut words: Submission, uuid: Option<String>) {
        if let Submission::User { text, .. } | Submission::Composed { text, .. } = &mut words {
            *text = start::after_first(self.before_first.take(), std::mem::take(text));
        }
        self.busy = !matches!(words, Submission::Composed { silent: true, .. });
        self.said.push_back(uuid);
        self.session.submit(words);
    }

    fn carry_out(&mut self, meant: permission::Meant) {
        self.settle_dont_ask(meant.dont_ask);
        for note in &meant.notes {
            self.peer.write(&self.frames.informational(Level::Warning, note));
        }
        for submission in meant.submissions {
            self.session.submit(submission);
        }
    }

    fn event(&mut self, event: &Event) {
        if let Some(carried) = &mut self.command {
            carried.sees(&event.kind);
        }
        match &event.kind {
            EventKind::TurnStarted => {
                self.busy = true;
                self.state("running");
            }
            EventKind::ModeChanged { to, .. } => {
                if let Some(dont_ask) = self.control.mode_changed(*to, &self.peer) {
                    self.frames.set_dont_ask(dont_ask);
                }
            }
            EventKind::Notice { level, text } => {
                self.control.noticed(text);
                if *level != Level::Info {
                    eprintln!("cutonce: {}", cutonce_core::harmless::harmless(text));
                }
            }
            EventKind::User { id, text, meta: false } => {
                let uuid = self.said.pop_front().flatten();
                if let Some(uuid) = &uuid {
                    self.ids.insert(uuid.clone(), id.clone());
                }
                if self.replay {
                    self.peer.write(&self.frames.replayed(text, uuid.as_deref().unwrap_or(id)));
                }
            }
            _ => {}
        }
        for frame in self.frames.of(event) {
            self.peer.write(&frame);
        }
        if matches!(event.kind, EventKind::TurnStarted) {
            for notice in std::mem::take(&mut self.notices) {
                self.peer.write(&self.frames.informational(Level::Warning, &notice));
            }
        }
        match &event.kind {
            EventKind::Ask(ask) => self.ask(ask),
            EventKind::AskClosed { ask_id, .. } => self.ask_closed(ask_id),
            EventKind::Agent(agent) => self.agent(agent),
            EventKind::TurnEnded(ended) => {
                self.busy = self.command.is_some();
                // One that was held back or dropped never joined the conversation.
                self.said.clear();
                // The last result decides, unless somebody was missing whom it needed.
                if [DONE, FAILED].contains(&self.code) && !self.missing {
                    self.code = if ended.reason == EndReason::Completed { DONE } else { FAILED };
                }
                self.rest();
            }
            _ => {}
        }
    }

    /// One that ended by itself begins a turn with its answer; one that was stopped does not.
    fn agent(&mut self, event: &AgentEvent) {
        match &event.what {
            AgentDoes::Started(start) if start.background => drop(self.beside.insert(event.agent.id.clone())),
            AgentDoes::Ended(end) => {
                let was = self.beside.remove(&event.agent.id);
                if was && end.how == AgentHow::Stopped {
                    self.rest();
                }
            }
            AgentDoes::Started(_) | AgentDoes::Progress(_) | AgentDoes::Says(_) => {}
        }
    }

    /// The host is the one who answers; one that is gone has said no.
    fn ask(&mut self, ask: &Arc<AskView>) {
        if !self.listening {
            (self.code, self.missing) = (FAILED, true);
            return self.carry_out(permission::host_gone(ask));
        }
        if let Some(denied) = self.denied_unasked(ask) {
            return self.carry_out(denied);
        }
        let id = cutonce_agent::new_id();
        let mut request = permission::request(ask, self.lasting);
        if let Some(server) = self.server_of(&ask.tool) {
            request["mcp_server"] = server;
        }
        self.state("requires_action");
        if !self.peer.ask(&id, &request) {
            self.state(self.standing());
            return self.carry_out(permission::too_large(ask));
        }
        self.asks.insert(id, ask.clone());
    }

    /// The MCP server that a tool belongs to.
    fn server_of(&self, tool: &str) -> Option<Value> {
        let called = cutonce_agent::mcp::names::server_of(tool)?;
        let found = self.session.mcp().status().into_iter().find(|one| one.called == called)?;
        Some(serde_json::json!({"name": found.name, "source": found.transport}))
    }

    /// Closed by somebody else: the interrupt, a change of the mode. The host need not answer any more.
    fn ask_closed(&mut self, ask_id: &str) {
        let open: Vec<String> =
            self.asks.iter().filter(|(_, ask)| ask.ask_id == ask_id).map(|(id, _)| id.clone()).collect();
        for id in open {
            self.asks.remove(&id);
            self.peer.take_back(&id);
        }
    }

    /// Between turns: the next message, or nothing to do, or nothing more to come.
    fn rest(&mut self) {
        while !self.busy && !self.control.is_choosing() {
            let Some((said, uuid)) = self.waiting.pop_front() else {
                self.state("idle");
                if !self.listening && self.beside.is_empty() {
                    self.session.submit(Submission::Close);
                }
                return;
            };
            self.take_message(said, uuid);
        }
    }

    /// How things stand once an ask is settled: a teammate's may be, while no turn is on.
    fn standing(&self) -> &'static str {
        match (self.asks.is_empty(), self.busy) {
            (false, _) => "requires_action",
            (true, true) => "running",
            (true, false) => "idle",
        }
    }

    fn state(&self, state: &str) {
        if let Some(for_host) = self.states {
            self.peer.write(&self.frames.state(state, for_host));
        }
    }
}
