//! The stream-json front end for programs on stdin and stdout (HO-1 to HO-3): the Claude Agent SDKs and
//! compatible hosts. `wire` reads their lines, `peer` writes ours; this file connects them to the session.

mod approval;
mod control;
mod dont_ask;
pub mod frames;
mod hooks;
mod host_servers;
mod mcp;
mod peer;
mod permission;
mod rewind;
mod setup;
mod slash;
mod wire;

use crate::cli::args::{OutputFormat, RunFlags};
use crate::cli::usage::UsageError;
use crate::frontends::stop_signals::{RunEnd, STOPPED_AT_START, StopSignals};
use crate::start::{self, StartedSession};
use cutonce_agent::builder::SessionSelector;
use cutonce_agent::config::commands::CustomCommand;
use cutonce_agent::storage::{self, paths::ProjectSessions};
use cutonce_agent::{Approver, EventStream, Session};
use cutonce_core::exit_code::{FAILED, SUCCESS};
use cutonce_core::permission::rules::ConfigSource;
use cutonce_core::protocol::event::{
    AgentActivity, AgentEvent, AgentOutcome, AskView, EndReason, Event, EventKind, NoticeLevel,
};
use cutonce_core::protocol::submission::Submission;
pub use dont_ask::NAME as DONT_ASK;
use frames::FrameBuilder;
use peer::HostPeer;
use serde_json::Value;
use setup::HostSetup;
use slash::{HostCommand, ParsedMessage, RunningCommand};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use wire::HostLine;

/// How long to keep reading stdin after a failed start, so that the host sees the error.
const DRAIN_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(2);

/// Serves the host until it has no more input; returns the exit code.
pub async fn run(run: RunFlags) -> anyhow::Result<u8> {
    let peer = HostPeer::default();
    let mut signals = StopSignals::new()?;
    let code = match signals.or_stop(open_host(run, &peer)).await {
        Ok(Ok(ControlFlow::Continue((host, events, lines)))) => host.run_loop(events, lines, signals).await,
        Ok(Ok(ControlFlow::Break(code))) => Ok(code),
        Ok(Err(error)) => Err(error),
        Err(code) => {
            peer.write(&frames::failed_start_frame("", STOPPED_AT_START));
            Ok(code)
        }
    };
    peer.flush().await;
    code
}

/// The host's lines.
type HostLines = mpsc::UnboundedReceiver<HostLine>;

/// Waits for the host's first line and opens its session; breaks with the exit code if there is none to serve.
async fn open_host(
    mut run: RunFlags,
    peer: &HostPeer,
) -> anyhow::Result<ControlFlow<u8, (SdkHost, EventStream, HostLines)>> {
    if run.output_format != OutputFormat::StreamJson {
        let text = "--input-format stream-json needs --output-format stream-json".to_string();
        return Err(UsageError(text).into());
    }
    warn_unsupported_flags(&run);
    let (mut lines, mut early) = (wire::lines_of_stdin(), VecDeque::new());
    let (mut setup, mut answer) = (HostSetup::default(), None);
    // A prompt on the command line starts without the host.
    while run.prompt.is_none() {
        match lines.recv().await.map(HostSetup::from_line) {
            None => return Ok(ControlFlow::Break(SUCCESS)),
            // These start nothing: `initialize` may still come.
            Some(Err(line)) if matches!(*line, HostLine::Ignored) => continue,
            Some(Err(line)) if matches!(*line, HostLine::Unknown(_)) => {
                early.push_back(*line);
                continue;
            }
            Some(Err(line)) => early.push_back(*line),
            Some(Ok((id, given))) => {
                if let Some(why) = missing_session_error(&run) {
                    let id = run.session.resume.as_deref().unwrap_or_default();
                    return Ok(break_with_error(peer, id, &why));
                }
                (setup, answer) = (given, Some(id));
            }
        }
        break;
    }
    if let Err(why) = setup.apply(&mut run) {
        eprintln!("cutonce: {why}");
        return Ok(break_with_error(peer, "", &why.to_string()));
    }
    let approver = if run.host.asks_host() { Approver::Present } else { Approver::CantAsk };
    let place = start::SessionDirs { home: start::home_dir()?, cwd: start::current_dir()? };
    let agents = setup.agent_definitions(run.host.agents.as_deref());
    let greeting = setup::initialize_answer(&run, &place, agents.as_deref().unwrap_or_default());
    if let Some(id) = &answer {
        peer.send_reply(id, Ok(greeting.clone()));
    }
    let opened = match agents {
        Ok(agents) => {
            let brought = start::HostExtensions { hooks: hooks::build_host_hooks(&setup.hooks, peer), agents };
            start::open_session_with(&run, start::FrontendOptions { approver }, place, brought).await
        }
        Err(error) => Err(error.into()),
    };
    let started = match opened {
        Ok(started) => started,
        Err(error) => return Ok(ControlFlow::Break(report_failed_start(peer, &format!("{error:#}"), lines).await)),
    };
    let servers = host_servers::host_server_names(&run.mcp_config, &setup.servers);
    let (mut host, events) = SdkHost::new(started, &run, peer.clone(), greeting, &setup);
    host.initialized = answer.is_some();
    host.add_host_servers(&servers);
    host.warn_host_of_unsupported(&run);
    if let Some(prompt) = run.prompt.clone() {
        let said = slash::parse_message(Submission::User { text: prompt, images: Vec::new() }, &host.commands);
        host.take_message(said, None);
    }
    for line in early {
        host.handle_line(line);
    }
    Ok(ControlFlow::Continue((host, events, lines)))
}

/// Reports that the session can't be opened.
fn break_with_error<T>(peer: &HostPeer, session: &str, why: &str) -> ControlFlow<u8, T> {
    peer.write(&frames::failed_start_frame(session, why));
    ControlFlow::Break(FAILED)
}

/// Reports that there is no session. A host that got the answer to `initialize` sends its first message next.
/// If we exited at once, it would only see a failed write, not the reason.
async fn report_failed_start(peer: &HostPeer, why: &str, mut lines: HostLines) -> u8 {
    eprintln!("cutonce: {why}");
    peer.write(&frames::failed_start_frame("", why));
    peer.flush().await;
    let all = async { while lines.recv().await.is_some() {} };
    let _ = tokio::time::timeout(DRAIN_TIMEOUT, all).await;
    FAILED
}

/// Warns about unsupported flags.
fn warn_unsupported_flags(run: &RunFlags) {
    if run.verbose && !run.host.not_known.is_empty() {
        eprintln!("cutonce: ignored unknown flags: {}", run.host.not_known.join(", "));
    }
    let other = run.host.permission_prompt_tool.as_deref().filter(|tool| *tool != "stdio");
    if let Some(tool) = other {
        eprintln!(
            "cutonce: --permission-prompt-tool {tool} is not supported, only `stdio`; calls that need permission are denied"
        );
    }
}

/// Explains why the session that the host wants to resume can't be found.
fn missing_session_error(run: &RunFlags) -> Option<String> {
    let sessions = ProjectSessions::new(start::home_dir().ok()?, start::current_dir().ok()?);
    match start::select_session(run).ok()? {
        SessionSelector::Find(words) => storage::find_session(&sessions, &words)
            .err()
            .map(|_| format!("No conversation found with session ID: {words}")),
        SessionSelector::Latest => {
            storage::find_latest(&sessions).err().map(|_| "No conversation found to continue".into())
        }
        SessionSelector::New | SessionSelector::NewWithId(_) => None,
    }
}

/// SDK flags that we do not support, and the consequence for the host.
const UNSUPPORTED_FLAGS: [(&str, &str); 2] = [
    ("session-mirror", "Session mirroring is not supported: cutonce keeps transcripts in its own folder only."),
    ("include-hook-events", "Hook events are not supported: hook_started and hook_response frames are not sent."),
];

/// How long the first turn waits for the servers inside the host.
const SERVERS_TIMEOUT: Duration = Duration::from_secs(10);

async fn wait_settled(settling: &mut Option<oneshot::Receiver<()>>) {
    match settling {
        Some(settling) => {
            let _ = settling.await;
        }
        None => std::future::pending().await,
    }
}

struct SdkHost {
    peer: HostPeer,
    frames: FrameBuilder,
    session: Session,
    code: u8,
    /// The host was gone when it was needed, or caused the end.
    host_missing: bool,
    end: RunEnd,
    /// Messages received during a turn; each gets its own turn and result.
    queued: VecDeque<(ParsedMessage, Option<String>)>,
    busy: bool,
    /// Waits until the servers inside the host have listed their tools; no turn starts before.
    settling: Option<oneshot::Receiver<()>>,
    /// The host may still send more.
    listening: bool,
    /// Asks that the host has not answered yet, by request id.
    asks: HashMap<String, Arc<AskView>>,
    /// The ask that the host answered last, if it can be asked again (RH-3).
    last_answered: Option<Arc<AskView>>,
    control: control::ControlState,
    /// Send state changes; `true` marks the frames as internal to the SDK.
    states: Option<bool>,
    replay: bool,
    /// The host's ids of submitted messages, and a map from its ids to ours.
    submitted_ids: VecDeque<Option<String>>,
    ids: HashMap<String, String>,
    /// MCP servers that the host passed or set.
    host_servers: BTreeMap<String, Value>,
    /// Rules stored in the local settings apply in the next session.
    persists_rules: bool,
    /// Custom commands that a message may call.
    commands: Vec<CustomCommand>,
    /// The command that is running.
    command: Option<RunningCommand>,
    /// `initialize` came before anything started.
    initialized: bool,
    /// Notices about opening the session, sent with the first turn.
    notices: Vec<String>,
    /// Initial prompt of the agent, sent before the first message (HO-1).
    before_first: Option<String>,
    /// Background subagents: their answers belong to the run, even after the last message.
    background_agents: HashSet<String>,
}

impl SdkHost {
    fn new(
        started: StartedSession,
        run: &RunFlags,
        peer: HostPeer,
        greeting: Value,
        setup: &HostSetup,
    ) -> (SdkHost, EventStream) {
        let mut frames = FrameBuilder::new(&started, run.include_partial_messages).for_host(setup.forward_text);
        frames.set_dont_ask(run.host.dont_ask);
        let StartedSession { session, events, model, offered, notices, .. } = started;
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        let states = match (set("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"), set("CLAUDE_CODE_SDK_READS_SESSION_STATE")) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        };
        let host = SdkHost {
            frames,
            peer,
            session,
            code: SUCCESS,
            host_missing: false,
            end: RunEnd::default(),
            queued: VecDeque::new(),
            busy: false,
            settling: None,
            listening: true,
            asks: HashMap::new(),
            last_answered: None,
            control: control::ControlState::new(model, greeting),
            states,
            replay: run.host.replay_user_messages,
            submitted_ids: VecDeque::new(),
            ids: HashMap::new(),
            host_servers: BTreeMap::new(),
            persists_rules: run.host.parsed_sources().is_none_or(|sources| sources.contains(&ConfigSource::Local)),
            commands: offered.commands,
            command: None,
            initialized: false,
            notices,
            before_first: offered.initial_prompt,
            background_agents: HashSet::new(),
        };
        (host, events)
    }

    /// Tells the host about unsupported flags in a frame, not on stderr alone.
    fn warn_host_of_unsupported(&self, run: &RunFlags) {
        for (flag, what) in UNSUPPORTED_FLAGS {
            if run.host.not_known.iter().any(|known| known == flag) {
                self.peer.write(&self.frames.notice_frame(NoticeLevel::Warning, what));
            }
        }
    }

    /// Adds the servers inside the host before the first turn, so that their tools are available from its
    /// start.
    fn add_host_servers(&mut self, names: &[String]) {
        let servers = self.session.mcp().clone();
        for name in names {
            self.host_servers.insert(name.clone(), serde_json::json!({"type": "sdk", "name": name}));
            if let Err(why) = servers.add_remote(name, Arc::new(host_servers::HostServer::new(name, &self.peer))) {
                eprintln!("cutonce: can't use the host's MCP server {name:?}: {why}");
            }
        }
        let called: Vec<String> =
            servers.status().into_iter().filter(|one| one.transport == "sdk").map(|one| one.short_name).collect();
        if called.is_empty() {
            return;
        }
        let (done, settled) = oneshot::channel();
        self.busy = true;
        self.settling = Some(settled);
        tokio::spawn(async move {
            let _ = tokio::time::timeout(SERVERS_TIMEOUT, servers.wait_until_started(Some(&called))).await;
            let _ = done.send(());
        });
    }

    async fn run_loop(
        mut self,
        mut events: EventStream,
        mut lines: HostLines,
        mut signals: StopSignals,
    ) -> anyhow::Result<u8> {
        let (peer, mut deaf) = (self.peer.clone(), false);
        let mut reader_gone = std::pin::pin!(peer.reader_gone());
        loop {
            // Lines come before events, so that an interrupt does not wait behind a flood of them. Events
            // come before marks: the effects of a submission are seen before its mark.
            tokio::select! {
                biased;
                code = signals.next() => self.end_with_code(code),
                () = &mut reader_gone, if !deaf => {
                    deaf = true;
                    self.handle_host_gone();
                    self.end_with_code(FAILED);
                }
                line = lines.recv(), if self.listening => match line {
                    Some(line) => self.handle_line(line),
                    None => self.handle_host_gone(),
                },
                event = events.next() => match event {
                    None => return Ok(self.code),
                    Some(event) => self.handle_event(&event),
                },
                Some(mark) = self.control.marks() => self.mark_reached(mark),
                () = wait_settled(&mut self.settling) => {
                    (self.settling, self.busy) = (None, false);
                    self.start_next();
                }
                () = self.end.reached() => return Ok(self.code),
            }
        }
    }

    /// Interrupts the turn and ends the session.
    fn end_with_code(&mut self, code: u8) {
        (self.code, self.host_missing) = (code, true);
        self.end.set_turn_runs(self.busy);
        self.end.stop();
        self.session.submit(Submission::Shutdown);
    }

    /// Handles the end of input. Open asks are denied; running and queued work finishes (HO-3).
    fn handle_host_gone(&mut self) {
        self.listening = false;
        self.peer.mark_gone();
        for (_, ask) in std::mem::take(&mut self.asks) {
            (self.code, self.host_missing) = (FAILED, true);
            self.apply_answer(permission::answer_for_gone_host(&ask));
        }
        self.start_next();
    }

    fn handle_line(&mut self, line: HostLine) {
        match line {
            HostLine::User { said, uuid } => {
                let said = said.and_then(|said| slash::parse_message(said, &self.commands));
                self.take_message(said, uuid);
            }
            HostLine::Request { id, request } => self.handle_request(&id, &request),
            HostLine::Response { id, result } => match self.asks.remove(&id) {
                Some(ask) => {
                    self.apply_answer(permission::interpret_answer(&ask, result));
                    self.last_answered = Some(ask).filter(|ask| ask.exit_request().is_some());
                    self.send_state(self.current_state());
                }
                None => {
                    self.peer.deliver_answer(&id, result);
                }
            },
            HostLine::Ignored => {}
            HostLine::Unknown(kind) => {
                let text = format!("Ignored a message of unknown type {kind:?}.");
                self.peer.write(&self.frames.notice_frame(NoticeLevel::Error, &text));
            }
            HostLine::Broken(why) => {
                eprintln!("cutonce: invalid stream-json on standard input: {why}");
                self.handle_host_gone();
                self.end_with_code(FAILED);
            }
        }
    }

    /// Queues or starts a message. Each gets its own result; an invalid one only gets an error.
    fn take_message(&mut self, said: ParsedMessage, uuid: Option<String>) {
        if self.busy || self.control.is_checking_model() {
            return self.queued.push_back((said, uuid));
        }
        match said {
            Ok(HostCommand::Message(words)) => self.submit_message(words, uuid),
            Ok(called) => self.run_command(called, uuid),
            Err(why) => {
                self.peer.write(&frames::failed_start_frame(self.session.id(), &why.to_string()));
                self.code = FAILED;
            }
        }
    }

    /// Submits a message. One that only joins the conversation starts no turn.
    fn submit_message(&mut self, mut words: Submission, uuid: Option<String>) {
        if let Submission::User { text, .. } | Submission::HostMessage { text, .. } = &mut words {
            *text = start::with_initial_prompt(self.before_first.take(), std::mem::take(text));
        }
        self.busy = !matches!(words, Submission::HostMessage { silent: true, .. });
        self.submitted_ids.push_back(uuid);
        self.session.submit(words);
    }

    fn apply_answer(&mut self, meant: permission::AnswerEffects) {
        self.apply_dont_ask(meant.dont_ask);
        for note in &meant.notes {
            self.peer.write(&self.frames.notice_frame(NoticeLevel::Warning, note));
        }
        for submission in meant.submissions {
            self.session.submit(submission);
        }
    }

    fn handle_event(&mut self, event: &Event) {
        if let Some(carried) = &mut self.command {
            carried.observe_event(&event.kind);
        }
        match &event.kind {
            EventKind::TurnStarted => {
                self.busy = true;
                self.send_state("running");
            }
            EventKind::ModeChanged { to, .. } => {
                if let Some(dont_ask) = self.control.mode_changed(*to, &self.peer) {
                    self.frames.set_dont_ask(dont_ask);
                }
            }
            EventKind::Notice { level, text } => {
                self.control.record_notice(text);
                if *level != NoticeLevel::Info {
                    eprintln!("cutonce: {}", cutonce_core::text::sanitize::sanitize(text));
                }
            }
            EventKind::User { id, text, meta: false } => {
                let uuid = self.submitted_ids.pop_front().flatten();
                if let Some(uuid) = &uuid {
                    self.ids.insert(uuid.clone(), id.clone());
                }
                if self.replay {
                    self.peer.write(&self.frames.replayed_frame(text, uuid.as_deref().unwrap_or(id)));
                }
            }
            _ => {}
        }
        for frame in self.frames.event_frames(event) {
            self.peer.write(&frame);
        }
        if matches!(event.kind, EventKind::TurnStarted) {
            for notice in std::mem::take(&mut self.notices) {
                self.peer.write(&self.frames.notice_frame(NoticeLevel::Warning, &notice));
            }
        }
        self.ask_again(&event.kind);
        match &event.kind {
            EventKind::Ask(ask) => self.send_ask(ask),
            EventKind::AskClosed { ask_id, .. } => self.ask_closed(ask_id),
            EventKind::Agent(agent) => self.track_background_agent(agent),
            EventKind::TurnEnded(ended) => {
                self.busy = self.command.is_some();
                self.end.set_turn_runs(false);
                // A message that was held back or dropped never joined the conversation.
                self.submitted_ids.clear();
                // The last result decides the exit code, unless the host was missing when needed.
                if [SUCCESS, FAILED].contains(&self.code) && !self.host_missing {
                    self.code = if ended.reason == EndReason::Completed { SUCCESS } else { FAILED };
                }
                self.start_next();
            }
            _ => {}
        }
    }

    /// Tracks background subagents. One that ended by itself starts a turn with its answer; a stopped one
    /// does not.
    fn track_background_agent(&mut self, event: &AgentEvent) {
        match &event.activity {
            AgentActivity::Started(start) if start.background => {
                self.background_agents.insert(event.agent.id.clone());
            }
            AgentActivity::Ended(end) => {
                let was = self.background_agents.remove(&event.agent.id);
                if was && end.outcome == AgentOutcome::Stopped {
                    self.start_next();
                }
            }
            AgentActivity::Started(_) | AgentActivity::Progress(_) | AgentActivity::Emitted(_) => {}
        }
    }

    /// Sends an ask to the host; if the host is gone, the call is denied.
    fn send_ask(&mut self, ask: &Arc<AskView>) {
        if !self.listening {
            (self.code, self.host_missing) = (FAILED, true);
            return self.apply_answer(permission::answer_for_gone_host(ask));
        }
        if let Some(denied) = self.deny_without_asking(ask) {
            return self.apply_answer(denied);
        }
        let id = cutonce_agent::new_id();
        let mut request = permission::build_request(ask, self.persists_rules);
        if let Some(server) = self.server_of(&ask.tool) {
            request["mcp_server"] = server;
        }
        self.send_state("requires_action");
        if !self.peer.send_ask(&id, &request) {
            self.send_state(self.current_state());
            return self.apply_answer(permission::request_too_large(ask));
        }
        self.asks.insert(id, ask.clone());
    }

    /// The MCP server that a tool belongs to.
    fn server_of(&self, tool: &str) -> Option<Value> {
        let called = cutonce_agent::mcp::names::server_of(tool)?;
        let found = self.session.mcp().status().into_iter().find(|one| one.short_name == called)?;
        Some(serde_json::json!({"name": found.name, "source": found.transport}))
    }

    /// Withdraws a request that something else closed: an interrupt or a mode change.
    fn ask_closed(&mut self, ask_id: &str) {
        let open: Vec<String> =
            self.asks.iter().filter(|(_, ask)| ask.ask_id == ask_id).map(|(id, _)| id.clone()).collect();
        for id in open {
            self.asks.remove(&id);
            self.peer.withdraw_request(&id);
        }
    }

    /// Between turns: starts the next message, reports idle, or closes.
    fn start_next(&mut self) {
        while !self.busy && !self.control.is_checking_model() {
            let Some((said, uuid)) = self.queued.pop_front() else {
                self.send_state("idle");
                if !self.listening && self.background_agents.is_empty() {
                    self.session.submit(Submission::Close);
                }
                return;
            };
            self.take_message(said, uuid);
        }
    }

    /// State after an ask is closed. A teammate's ask may close while no turn is running.
    fn current_state(&self) -> &'static str {
        match (self.asks.is_empty(), self.busy) {
            (false, _) => "requires_action",
            (true, true) => "running",
            (true, false) => "idle",
        }
    }

    fn send_state(&self, state: &str) {
        if let Some(for_host) = self.states {
            self.peer.write(&self.frames.state_frame(state, for_host));
        }
    }
}
