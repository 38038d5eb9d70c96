//! `cutonce acp` (HO-5): the Agent Client Protocol on standard input and output, for editors. This file holds the methods;
//! `session` drives one session, `show` and `asks` say what a client sees and may choose, `editor` is its side of files.

mod asks;
mod calls;
mod editor;
mod prompt;
mod replay;
mod servers;
mod session;
mod show;
mod wire;

use crate::cli::Run;
use crate::start::{self, Place};
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema as acp;
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Agent, Client, Error, on_receive_notification, on_receive_request};
use cutonce_agent::Approver;
use cutonce_agent::start::{Opened, StartError, Which};
use cutonce_agent::store::{self, Scope, Sessions, StoreError};
use cutonce_core::mode::Mode;
use cutonce_models::FaultKind;
use prompt::Callable;
use session::{Order, Out, Served};
use show::Show;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// How long sessions may take to end: a stuck command is killed long before.
const ENDING: Duration = Duration::from_secs(10);
/// How long the first request waits for servers that the editor named.
const SERVERS: Duration = Duration::from_secs(3);
/// Sessions that `session/list` names.
const LISTED: usize = 200;
const API_KEY: &str = "api-key";

/// What the process returns (CL-3, HO-3).
const DONE: u8 = 0;
const FAILED: u8 = 1;
const INTERRUPTED: u8 = 130;
const TERMINATED: u8 = 143;

struct Host {
    run: Run,
    home: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What the client offers; None before `initialize`.
    client: Option<acp::ClientCapabilities>,
    sessions: HashMap<String, Open>,
}

struct Open {
    orders: mpsc::UnboundedSender<Order>,
    modes: Vec<Mode>,
    callable: Arc<Callable>,
    ended: JoinHandle<()>,
}

pub async fn run(run: Run) -> anyhow::Result<u8> {
    let host = Arc::new(Host { run, home: start::home()?, state: Mutex::default() });
    let (lines, written) = wire::lines();
    let (mut int, mut term) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let code = tokio::select! {
        result = serve(host.clone(), lines) => match result {
            Ok(()) => None,
            Err(error) => {
                eprintln!("cutonce: the connection to the editor ended: {error}");
                Some(FAILED)
            }
        },
        _ = int.recv() => Some(INTERRUPTED),
        _ = term.recv() => Some(TERMINATED),
    };
    let busy = host.end().await;
    written.wait();
    if busy && code.is_none() {
        eprintln!("cutonce: the editor went away in the middle of a turn; nothing that waited for an answer was done");
    }
    Ok(code.unwrap_or(if busy { FAILED } else { DONE }))
}

/// One handler for each method; none waits for the client, so that its answers are heard.
async fn serve(host: Arc<Host>, lines: impl agent_client_protocol::ConnectTo<Agent> + 'static) -> Result<(), Error> {
    let [h1, h2, h3, h4, h5, h6, h7, h8, h9, h10] = std::array::from_fn(|_| host.clone());
    Agent
        .v1()
        .name("cutonce")
        .on_receive_request(async move |request, responder, _| h1.initialize(request, responder), on_receive_request!())
        .on_receive_request(
            async move |request, responder, cx| h2.authenticate(request, responder, cx),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request, responder, cx| h3.new_session(request, responder, cx),
            on_receive_request!(),
        )
        .on_receive_request(async move |request, responder, cx| h4.load(request, responder, cx), on_receive_request!())
        .on_receive_request(
            async move |request, responder, cx| h5.resume(request, responder, cx),
            on_receive_request!(),
        )
        .on_receive_request(async move |request, responder, _| h6.list(request, responder), on_receive_request!())
        .on_receive_request(async move |request, responder, cx| h7.close(request, responder, cx), on_receive_request!())
        .on_receive_request(async move |request, responder, _| h8.set_mode(request, responder), on_receive_request!())
        .on_receive_request(async move |request, responder, _| h9.prompt(request, responder), on_receive_request!())
        .on_receive_notification(
            async move |cancel: acp::CancelNotification, _| {
                h10.order(&cancel.session_id, Order::Cancel);
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(lines)
        .await
}

/// How a session is to be opened.
struct Wanted {
    which: Which,
    id: String,
    cwd: PathBuf,
    add_dirs: Vec<PathBuf>,
    servers: Vec<acp::McpServer>,
}

impl Host {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn client(&self) -> Result<acp::ClientCapabilities, Error> {
        self.state().client.clone().ok_or_else(|| told(Error::invalid_request(), "call `initialize` first"))
    }

    fn initialize(
        &self,
        request: acp::InitializeRequest,
        responder: Responder<acp::InitializeResponse>,
    ) -> Result<(), Error> {
        self.state().client = Some(request.client_capabilities);
        let capabilities = acp::AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(acp::PromptCapabilities::new().image(true).embedded_context(true))
            .mcp_capabilities(acp::McpCapabilities::new().http(cfg!(feature = "mcp")))
            .session_capabilities(
                acp::SessionCapabilities::new()
                    .list(acp::SessionListCapabilities::new())
                    .resume(acp::SessionResumeCapabilities::new())
                    .close(acp::SessionCloseCapabilities::new())
                    .additional_directories(acp::SessionAdditionalDirectoriesCapabilities::new()),
            );
        let key = acp::AuthMethodAgent::new(API_KEY, "API key").description(
            "Set ANTHROPIC_API_KEY, OPENAI_API_KEY or the key of your provider in the environment that starts cutonce, or keep it with `cutonce key NAME`."
                .to_string(),
        );
        responder.respond(
            acp::InitializeResponse::new(ProtocolVersion::V1)
                .agent_capabilities(capabilities)
                .auth_methods(vec![acp::AuthMethod::Agent(key)])
                .agent_info(
                    acp::Implementation::new("cutonce", env!("CARGO_PKG_VERSION")).title("cutonce".to_string()),
                ),
        )
    }

    /// There is nothing to log in to: a key is there by now, or it is said again what is missing.
    fn authenticate(
        self: &Arc<Self>,
        request: acp::AuthenticateRequest,
        responder: Responder<acp::AuthenticateResponse>,
        connection: ConnectionTo<Client>,
    ) -> Result<(), Error> {
        if &*request.method_id.0 != API_KEY {
            return responder.respond_with_error(told(Error::invalid_params(), "there is no such way to authenticate"));
        }
        let host = self.clone();
        connection.spawn(async move {
            let cwd = start::cwd().unwrap_or_else(|_| PathBuf::from("/"));
            let checked = match start::start_of(&host.run, Approver::Present, &host.place(cwd)) {
                Ok(start) => start.check_model().await.map_err(|error| unopened(&error)),
                Err(error) => Err(told(Error::internal_error(), &format!("{error:#}"))),
            };
            responder.respond_with_result(checked.map(|()| acp::AuthenticateResponse::new()))
        })
    }

    fn place(&self, cwd: PathBuf) -> Place {
        Place { home: self.home.clone(), cwd }
    }

    fn new_session(
        self: &Arc<Self>,
        request: acp::NewSessionRequest,
        responder: Responder<acp::NewSessionResponse>,
        connection: ConnectionTo<Client>,
    ) -> Result<(), Error> {
        let id = cutonce_agent::new_id();
        let wanted = Wanted {
            which: Which::NewWithId(id.clone()),
            id: id.clone(),
            cwd: request.cwd,
            add_dirs: request.additional_directories,
            servers: request.mcp_servers,
        };
        let host = self.clone();
        connection.clone().spawn(async move {
            match host.open(wanted, &connection, false).await {
                Err(error) => responder.respond_with_error(error),
                Ok((modes, out)) => {
                    responder.respond(acp::NewSessionResponse::new(id).modes(modes))?;
                    out.commands();
                    Ok(())
                }
            }
        })
    }

    fn load(
        self: &Arc<Self>,
        request: acp::LoadSessionRequest,
        responder: Responder<acp::LoadSessionResponse>,
        connection: ConnectionTo<Client>,
    ) -> Result<(), Error> {
        let wanted = earlier(request.session_id, request.cwd, request.additional_directories, request.mcp_servers);
        let host = self.clone();
        connection.clone().spawn(async move {
            match host.open(wanted, &connection, true).await {
                Err(error) => responder.respond_with_error(error),
                Ok((modes, out)) => {
                    responder.respond(acp::LoadSessionResponse::new().modes(modes))?;
                    out.commands();
                    Ok(())
                }
            }
        })
    }

    fn resume(
        self: &Arc<Self>,
        request: acp::ResumeSessionRequest,
        responder: Responder<acp::ResumeSessionResponse>,
        connection: ConnectionTo<Client>,
    ) -> Result<(), Error> {
        let wanted = earlier(request.session_id, request.cwd, request.additional_directories, request.mcp_servers);
        let host = self.clone();
        connection.clone().spawn(async move {
            match host.open(wanted, &connection, false).await {
                Err(error) => responder.respond_with_error(error),
                Ok((modes, out)) => {
                    responder.respond(acp::ResumeSessionResponse::new().modes(modes))?;
                    out.commands();
                    Ok(())
                }
            }
        })
    }

    /// Opens a session and serves it. `replay`: what was said before is shown first.
    async fn open(
        self: &Arc<Self>,
        wanted: Wanted,
        connection: &ConnectionTo<Client>,
        replay: bool,
    ) -> Result<(acp::SessionModeState, Out), Error> {
        let client = self.client()?;
        folders(&wanted)?;
        // A session that this client left open is ended first: its transcript has one writer.
        if let Some(open) = self.take(&wanted.id) {
            let _ = open.orders.send(Order::End);
            let _ = open.ended.await;
        }
        let session = acp::SessionId::new(wanted.id.clone());
        let opened = self.start(&wanted, connection, &client).await?;
        let callable = Arc::new(Callable::new(&opened.offered));
        let out = Out { connection: connection.clone(), session, callable: callable.clone() };
        out.clone().later(opened.session.mcp().clone());
        let (id, cwd) = (wanted.id.clone(), wanted.cwd.clone());
        let mut show = Show::new(cwd);
        if replay {
            let replayed = replay::replay(&opened.transcript, &mut show, &mut |update| out.update(update));
            replayed.map_err(|error| told(Error::internal_error(), &format!("the session can't be read: {error}")))?;
        }
        for notice in &opened.notices {
            eprintln!("cutonce: {}", cutonce_core::harmless::harmless(notice));
        }
        let state = modes(opened.mode, &opened.modes);
        let (served, orders) = Served::new(opened.session, opened.events, out.clone(), show, opened.mode);
        let ended = tokio::spawn(served.run());
        self.state().sessions.insert(id, Open { orders, modes: opened.modes, callable, ended });
        Ok((state, out))
    }

    async fn start(
        &self,
        wanted: &Wanted,
        connection: &ConnectionTo<Client>,
        client: &acp::ClientCapabilities,
    ) -> Result<Opened, Error> {
        let internal = |error: anyhow::Error| told(Error::internal_error(), &format!("{error:#}"));
        let place = self.place(wanted.cwd.clone());
        if let Which::Find(id) = &wanted.which {
            // By its id alone, never by words.
            let found = store::find(&Sessions::new(&place.home, &place.cwd), id);
            let found = found.ok().filter(|path| store::id_of(path) == *id);
            found.ok_or_else(|| told(Error::new(-32002, ""), &format!("there is no session {id}")))?;
        }
        let mut start = start::start_of(&self.run, Approver::Present, &place).map_err(internal)?;
        start.which = wanted.which.clone();
        start.add_dirs.extend(wanted.add_dirs.iter().cloned());
        start.editor = editor::Port::offered(connection, &wanted.id, &client.fs);
        let (config, unknown) = servers::config(&wanted.servers);
        for name in &unknown {
            eprintln!("cutonce: the MCP server {} speaks a transport that is not spoken here", calls::one_line(name));
        }
        if let Some(config) = config {
            start.mcp_config.push(config);
            // The editor counts on their tools: the first request waits for them, a little while.
            start.mcp_wait = Some(SERVERS);
        }
        start.open().await.map_err(|error| unopened(&error))
    }

    fn take(&self, id: &str) -> Option<Open> {
        self.state().sessions.remove(id)
    }

    fn list(
        &self,
        request: acp::ListSessionsRequest,
        responder: Responder<acp::ListSessionsResponse>,
    ) -> Result<(), Error> {
        let scope = if request.cwd.is_some() { Scope::Project } else { Scope::All };
        let sessions = Sessions::new(&self.home, request.cwd.unwrap_or_default());
        let listed = match store::list(&sessions, scope, LISTED) {
            Ok(listed) => listed,
            Err(error) => return responder.respond_with_error(told(Error::internal_error(), &error.to_string())),
        };
        let info = |one: store::Listed| {
            let cwd = one.cwd?;
            let title = one.plan_title.or(one.first_message).map(|title| calls::one_line(&title));
            Some(acp::SessionInfo::new(one.id, cwd).title(title).updated_at(one.last_at))
        };
        responder.respond(acp::ListSessionsResponse::new(listed.into_iter().filter_map(info).collect()))
    }

    fn close(
        self: &Arc<Self>,
        request: acp::CloseSessionRequest,
        responder: Responder<acp::CloseSessionResponse>,
        connection: ConnectionTo<Client>,
    ) -> Result<(), Error> {
        let Some(open) = self.take(&request.session_id.0) else {
            return responder.respond_with_error(no_session(&request.session_id));
        };
        connection.spawn(async move {
            let _ = open.orders.send(Order::End);
            let _ = open.ended.await;
            responder.respond(acp::CloseSessionResponse::new())
        })
    }

    fn set_mode(
        &self,
        request: acp::SetSessionModeRequest,
        responder: Responder<acp::SetSessionModeResponse>,
    ) -> Result<(), Error> {
        let state = self.state();
        let Some(open) = state.sessions.get(&*request.session_id.0) else {
            return responder.respond_with_error(no_session(&request.session_id));
        };
        let Some(mode) = Mode::parse(&request.mode_id.0).filter(|mode| open.modes.contains(mode)) else {
            let names: Vec<&str> = open.modes.iter().map(|mode| mode.name()).collect();
            let why = format!("there is no mode `{}` here; expected one of {}", request.mode_id, names.join(", "));
            return responder.respond_with_error(told(Error::invalid_params(), &why));
        };
        let _ = open.orders.send(Order::SetMode(mode, responder));
        Ok(())
    }

    fn prompt(&self, request: acp::PromptRequest, responder: Responder<acp::PromptResponse>) -> Result<(), Error> {
        let state = self.state();
        let Some(open) = state.sessions.get(&*request.session_id.0) else {
            return responder.respond_with_error(no_session(&request.session_id));
        };
        match prompt::read(request.prompt, &open.callable) {
            Err(error) => responder.respond_with_error(error),
            Ok(prompt) => {
                let _ = open.orders.send(Order::Prompt(prompt, responder));
                Ok(())
            }
        }
    }

    fn order(&self, session: &acp::SessionId, order: Order) {
        if let Some(open) = self.state().sessions.get(&*session.0) {
            let _ = open.orders.send(order);
        }
    }

    /// Ends every session and waits until all is on disk. Whether one was in the middle of something.
    async fn end(&self) -> bool {
        let sessions = std::mem::take(&mut self.state().sessions);
        let mut busy = false;
        let mut ending = Vec::new();
        for (_, open) in sessions {
            let (sender, answer) = oneshot::channel();
            let _ = open.orders.send(Order::Busy(sender));
            let _ = open.orders.send(Order::End);
            busy |= answer.await.unwrap_or(false);
            ending.push(open.ended);
        }
        let all = async {
            for ended in ending {
                let _ = ended.await;
            }
        };
        let _ = tokio::time::timeout(ENDING, all).await;
        busy
    }
}

fn earlier(id: acp::SessionId, cwd: PathBuf, add_dirs: Vec<PathBuf>, servers: Vec<acp::McpServer>) -> Wanted {
    let id = id.to_string();
    Wanted { which: Which::Find(id.clone()), id, cwd, add_dirs, servers }
}

/// The protocol wants absolute paths; a folder that is not there is named before anything else fails on it.
fn folders(wanted: &Wanted) -> Result<(), Error> {
    let relative = std::iter::once(&wanted.cwd).chain(&wanted.add_dirs).find(|path| !path.is_absolute());
    if let Some(path) = relative {
        let why = format!("`{}` is no absolute path", path.display());
        return Err(told(Error::invalid_params(), &why));
    }
    if !Path::new(&wanted.cwd).is_dir() {
        let why = format!("there is no folder {}", wanted.cwd.display());
        return Err(told(Error::invalid_params(), &why));
    }
    Ok(())
}

fn modes(current: Mode, available: &[Mode]) -> acp::SessionModeState {
    let one = |mode: &Mode| {
        let (name, about) = match mode {
            Mode::Default => ("Default", "Reads run; edits and commands ask"),
            Mode::AcceptEdits => ("Accept edits", "Edits inside the workspace run without asking"),
            Mode::Plan => ("Plan", "Nothing changes but the plan file, until you approve the plan"),
            Mode::Auto => ("Auto", "A classifier judges what would ask"),
            Mode::BypassPermissions => ("Bypass permissions", "Everything runs but what deny rules forbid"),
        };
        acp::SessionMode::new(mode.name(), name).description(about.to_string())
    };
    acp::SessionModeState::new(current.name(), available.iter().map(one).collect())
}

fn no_session(id: &acp::SessionId) -> Error {
    told(Error::new(-32002, ""), &format!("there is no session {id} here; open it with session/new or session/load"))
}

fn told(mut error: Error, why: &str) -> Error {
    error.message = cutonce_core::harmless::harmless(why).into_owned();
    error
}

fn unopened(error: &StartError) -> Error {
    let kind = match error {
        StartError::Model(fault) if fault.kind == FaultKind::Key => Error::auth_required(),
        StartError::Store(StoreError::NotFound { .. }) => Error::new(-32002, ""),
        StartError::Model(_)
        | StartError::Store(_)
        | StartError::Plan(_)
        | StartError::Settings(_)
        | StartError::Team(_)
        | StartError::Tool { .. }
        | StartError::Agent { .. }
        | StartError::NoMessage(_)
        | StartError::Dropped(_)
        | StartError::Folder { .. } => Error::internal_error(),
    };
    told(kind, &error.to_string())
}
