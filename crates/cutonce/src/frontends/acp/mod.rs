//! `cutonce acp` (HO-5): serves the Agent Client Protocol on stdin and stdout, for editors. This file has the
//! methods; `session` drives one session, `updates` and `asks` build what the client displays, `editor_files` accesses
//! files through the client.

mod asks;
mod calls;
mod editor_files;
mod forms;
mod modes;
mod prompt;
mod replay;
mod review_rehearsals;
mod reviews;
mod servers;
mod session;
mod updates;
mod wire;

use crate::cli::args::RunFlags;
use crate::frontends::end_guard;
use crate::start::{self, SessionDirs};
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema as acp;
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Agent, Client, Error, JsonRpcResponse, on_receive_notification, on_receive_request};
use cutonce_agent::Approver;
use cutonce_agent::builder::{OpenedSession, SessionSelector, StartError};
use cutonce_agent::storage::{self, ProjectSessions, SessionScope, StoreError};
use cutonce_core::exit_code::{FAILED, INTERRUPTED, SUCCESS, TERMINATED};
use cutonce_core::mode::Mode;
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::text::sanitize::{sanitize, without_os_codes};
use cutonce_models::FaultKind;
use prompt::CallableCommands;
use session::{ServedSession, SessionOrder, UpdateSender};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use updates::UpdateBuilder;

/// How long sessions may take to shut down; a stuck command is killed long before.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the first request waits for MCP servers that the editor named.
const SERVER_WAIT: Duration = Duration::from_secs(3);
/// Maximum number of sessions in `session/list`.
const MAX_LISTED: usize = 200;
const API_KEY_METHOD: &str = "api-key";

struct AcpHost {
    run: RunFlags,
    home: PathBuf,
    state: Mutex<AcpState>,
}

#[derive(Default)]
struct AcpState {
    /// `initialize` said in its `_meta` that the user is not at an approval UI (PM-32).
    channels: bool,
    /// Capabilities of the client; `None` before `initialize`.
    client: Option<acp::ClientCapabilities>,
    sessions: HashMap<String, AcpSession>,
}

struct AcpSession {
    orders: mpsc::UnboundedSender<SessionOrder>,
    modes: Vec<Mode>,
    callable: Arc<CallableCommands>,
    task: JoinHandle<()>,
}

pub async fn run(run: RunFlags) -> anyhow::Result<u8> {
    let host = Arc::new(AcpHost { run, home: start::home_dir()?, state: Mutex::default() });
    let (lines, written) = wire::stdio_lines();
    let (mut int, mut term) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    end_guard::watch(&[(libc::SIGINT, INTERRUPTED), (libc::SIGTERM, TERMINATED)])?;
    let code = tokio::select! {
        result = serve(host.clone(), lines) => match result {
            Ok(()) => None,
            Err(error) => {
                eprintln!("cutonce: lost the connection to the editor: {error}");
                Some(FAILED)
            }
        },
        _ = int.recv() => Some(INTERRUPTED),
        _ = term.recv() => Some(TERMINATED),
    };
    let busy = host.end_sessions().await;
    written.wait();
    if busy && code.is_none() {
        eprintln!("cutonce: the editor disconnected during a turn; calls that waited for an answer did not run");
    }
    Ok(code.unwrap_or(if busy { FAILED } else { SUCCESS }))
}

/// One handler per method. None waits for the client, so that its responses can be read.
async fn serve(host: Arc<AcpHost>, lines: impl agent_client_protocol::ConnectTo<Agent> + 'static) -> Result<(), Error> {
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
        .on_receive_request(
            async move |request, responder, cx| h4.load_session(request, responder, cx),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request, responder, cx| h5.resume_session(request, responder, cx),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request, responder, _| h6.list_sessions(request, responder),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request, responder, cx| h7.close_session(request, responder, cx),
            on_receive_request!(),
        )
        .on_receive_request(async move |request, responder, _| h8.set_mode(request, responder), on_receive_request!())
        .on_receive_request(async move |request, responder, _| h9.prompt(request, responder), on_receive_request!())
        .on_receive_notification(
            async move |cancel: acp::CancelNotification, _| {
                h10.send_order(&cancel.session_id, SessionOrder::Cancel);
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(lines)
        .await
}

/// Parameters of a session to open.
struct SessionRequest {
    which: SessionSelector,
    id: String,
    cwd: PathBuf,
    add_dirs: Vec<PathBuf>,
    servers: Vec<acp::McpServer>,
}

impl AcpHost {
    fn state(&self) -> MutexGuard<'_, AcpState> {
        self.state.lock_unpoisoned()
    }

    fn client_capabilities(&self) -> Result<acp::ClientCapabilities, Error> {
        self.state().client.clone().ok_or_else(|| with_message(Error::invalid_request(), "call `initialize` first"))
    }

    fn initialize(
        &self,
        request: acp::InitializeRequest,
        responder: Responder<acp::InitializeResponse>,
    ) -> Result<(), Error> {
        let ours = request.meta.as_ref().and_then(|meta| meta.get("cutonce"));
        let channels = ours.is_some_and(|ours| ours["channels"] == true);
        {
            let mut state = self.state();
            state.client = Some(request.client_capabilities);
            state.channels = channels;
        }
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
        let key = acp::AuthMethodAgent::new(API_KEY_METHOD, "API key").description(
            "Set ANTHROPIC_API_KEY, OPENAI_API_KEY or the key of your provider in the environment that starts cutonce, or store it with `cutonce key NAME`."
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

    /// Checks for an API key again; there is no login.
    fn authenticate(
        self: &Arc<Self>,
        request: acp::AuthenticateRequest,
        responder: Responder<acp::AuthenticateResponse>,
        connection: ConnectionTo<Client>,
    ) -> Result<(), Error> {
        if &*request.method_id.0 != API_KEY_METHOD {
            return responder
                .respond_with_error(with_message(Error::invalid_params(), "unknown authentication method"));
        }
        let host = self.clone();
        connection.spawn(async move {
            let cwd = start::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
            let checked = match start::session_start(&host.run, Approver::Present, &host.session_dirs(cwd)) {
                Ok(start) => start.check_model().await.map_err(|error| start_error(&error)),
                Err(error) => Err(with_message(Error::internal_error(), &format!("{error:#}"))),
            };
            responder.respond_with_result(checked.map(|()| acp::AuthenticateResponse::new()))
        })
    }

    fn session_dirs(&self, cwd: PathBuf) -> SessionDirs {
        SessionDirs { home: self.home.clone(), cwd }
    }

    fn new_session(
        self: &Arc<Self>,
        request: acp::NewSessionRequest,
        responder: Responder<acp::NewSessionResponse>,
        connection: ConnectionTo<Client>,
    ) -> Result<(), Error> {
        let id = cutonce_agent::new_id();
        let wanted = SessionRequest {
            which: SessionSelector::NewWithId(id.clone()),
            id: id.clone(),
            cwd: request.cwd,
            add_dirs: request.additional_directories,
            servers: request.mcp_servers,
        };
        let opened = move |modes| acp::NewSessionResponse::new(id).modes(modes);
        self.answer_opened(wanted, false, connection, responder, opened)
    }

    fn load_session(
        self: &Arc<Self>,
        request: acp::LoadSessionRequest,
        responder: Responder<acp::LoadSessionResponse>,
        connection: ConnectionTo<Client>,
    ) -> Result<(), Error> {
        let wanted =
            existing_session(request.session_id, request.cwd, request.additional_directories, request.mcp_servers);
        let opened = |modes| acp::LoadSessionResponse::new().modes(modes);
        self.answer_opened(wanted, true, connection, responder, opened)
    }

    fn resume_session(
        self: &Arc<Self>,
        request: acp::ResumeSessionRequest,
        responder: Responder<acp::ResumeSessionResponse>,
        connection: ConnectionTo<Client>,
    ) -> Result<(), Error> {
        let wanted =
            existing_session(request.session_id, request.cwd, request.additional_directories, request.mcp_servers);
        let opened = |modes| acp::ResumeSessionResponse::new().modes(modes);
        self.answer_opened(wanted, false, connection, responder, opened)
    }

    /// Opens the session and answers the request with it. `replay`: first sends the earlier conversation.
    fn answer_opened<R: JsonRpcResponse>(
        self: &Arc<Self>,
        wanted: SessionRequest,
        replay: bool,
        connection: ConnectionTo<Client>,
        responder: Responder<R>,
        response: impl FnOnce(acp::SessionModeState) -> R + Send + 'static,
    ) -> Result<(), Error> {
        let host = self.clone();
        connection.clone().spawn(async move {
            match host.open_session(wanted, &connection, replay).await {
                Err(error) => responder.respond_with_error(error),
                Ok((modes, out)) => {
                    responder.respond(response(modes))?;
                    out.send_commands();
                    Ok(())
                }
            }
        })
    }

    /// Opens a session and serves it. `replay`: first sends the earlier conversation.
    async fn open_session(
        self: &Arc<Self>,
        wanted: SessionRequest,
        connection: &ConnectionTo<Client>,
        replay: bool,
    ) -> Result<(acp::SessionModeState, UpdateSender), Error> {
        let client = self.client_capabilities()?;
        let shows_forms = client.elicitation.as_ref().is_some_and(|offered| offered.form.is_some());
        check_folders(&wanted)?;
        // A session that this client left open ends first: a transcript has one writer.
        if let Some(open) = self.remove_session(&wanted.id) {
            let _ = open.orders.send(SessionOrder::End);
            let _ = open.task.await;
        }
        let session = acp::SessionId::new(wanted.id.clone());
        let opened = self.start_session(&wanted, connection, &client).await?;
        let callable = Arc::new(CallableCommands::new(&opened.named));
        let out = UpdateSender { connection: connection.clone(), session, callable: callable.clone() };
        out.clone().send_commands_when_ready(opened.session.mcp().clone());
        let (id, cwd) = (wanted.id.clone(), wanted.cwd.clone());
        let mut show = UpdateBuilder::new(cwd);
        if replay {
            let replayed =
                replay::replay_transcript(&opened.transcript, &mut show, &mut |update| out.send_update(update));
            replayed
                .map_err(|error| with_message(Error::internal_error(), &format!("can't read the session: {error}")))?;
        }
        for notice in &opened.notices {
            eprintln!("cutonce: {}", cutonce_core::text::sanitize::sanitize(notice));
        }
        let state = modes::mode_state(opened.mode, &opened.modes);
        let (served, orders) =
            ServedSession::new(opened.session, opened.events, out.clone(), (show, shows_forms), opened.mode);
        let ended = tokio::spawn(served.run());
        self.state().sessions.insert(id, AcpSession { orders, modes: opened.modes, callable, task: ended });
        Ok((state, out))
    }

    async fn start_session(
        &self,
        wanted: &SessionRequest,
        connection: &ConnectionTo<Client>,
        client: &acp::ClientCapabilities,
    ) -> Result<OpenedSession, Error> {
        let internal = |error: anyhow::Error| with_message(Error::internal_error(), &format!("{error:#}"));
        let place = self.session_dirs(wanted.cwd.clone());
        if let SessionSelector::Find(id) = &wanted.which {
            // Finds it by its exact id, never by search text.
            let found = storage::find_session(&ProjectSessions::new(&place.home, &place.cwd), id);
            let found = found.ok().filter(|path| storage::transcript_session_id(path) == *id);
            found.ok_or_else(|| with_message(Error::new(-32002, ""), &format!("session {id} does not exist")))?;
        }
        let mut start = start::session_start(&self.run, Approver::Present, &place).map_err(internal)?;
        start.permissions.user_away |= self.state().channels;
        start.permissions.answerer = Answerer::EDITOR;
        start.resume.selector = wanted.which.clone();
        start.dirs.add_dirs.extend(wanted.add_dirs.iter().cloned());
        start.host.editor = editor_files::EditorFiles::if_supported(connection, &wanted.id, &client.fs);
        let (config, unknown) = servers::to_mcp_config(&wanted.servers);
        for name in &unknown {
            eprintln!("cutonce: the MCP server {} uses an unsupported transport", calls::one_line(name));
        }
        if let Some(config) = config {
            start.mcp.config.push(config);
            // The editor expects their tools, so the first request waits for them briefly.
            start.mcp.first_wait = Some(SERVER_WAIT);
        }
        start.open().await.map_err(|error| start_error(&error))
    }

    fn remove_session(&self, id: &str) -> Option<AcpSession> {
        self.state().sessions.remove(id)
    }

    fn list_sessions(
        &self,
        request: acp::ListSessionsRequest,
        responder: Responder<acp::ListSessionsResponse>,
    ) -> Result<(), Error> {
        let scope = if request.cwd.is_some() { SessionScope::Project } else { SessionScope::All };
        let sessions = ProjectSessions::new(&self.home, request.cwd.unwrap_or_default());
        let listed = match storage::list_sessions(&sessions, scope, MAX_LISTED) {
            Ok(listed) => listed,
            Err(error) => {
                return responder.respond_with_error(with_message(Error::internal_error(), &error.to_string()));
            }
        };
        let info = |one: storage::ListedSession| {
            let cwd = one.cwd?;
            let title = one.title.or(one.first_message).map(|title| calls::one_line(&title));
            Some(acp::SessionInfo::new(one.id, cwd).title(title).updated_at(one.last_at))
        };
        responder.respond(acp::ListSessionsResponse::new(listed.into_iter().filter_map(info).collect()))
    }

    fn close_session(
        self: &Arc<Self>,
        request: acp::CloseSessionRequest,
        responder: Responder<acp::CloseSessionResponse>,
        connection: ConnectionTo<Client>,
    ) -> Result<(), Error> {
        let Some(open) = self.remove_session(&request.session_id.0) else {
            return responder.respond_with_error(no_session(&request.session_id));
        };
        connection.spawn(async move {
            let _ = open.orders.send(SessionOrder::End);
            let _ = open.task.await;
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
            let why = format!("unknown mode `{}`; expected one of {}", request.mode_id, names.join(", "));
            return responder.respond_with_error(with_message(Error::invalid_params(), &why));
        };
        let _ = open.orders.send(SessionOrder::SetMode(mode, responder));
        Ok(())
    }

    fn prompt(&self, request: acp::PromptRequest, responder: Responder<acp::PromptResponse>) -> Result<(), Error> {
        let state = self.state();
        let Some(open) = state.sessions.get(&*request.session_id.0) else {
            return responder.respond_with_error(no_session(&request.session_id));
        };
        match prompt::parse_prompt(request.prompt, &open.callable) {
            Err(error) => responder.respond_with_error(error),
            Ok(prompt) => {
                let _ = open.orders.send(SessionOrder::Prompt(prompt, responder));
                Ok(())
            }
        }
    }

    fn send_order(&self, session: &acp::SessionId, order: SessionOrder) {
        if let Some(open) = self.state().sessions.get(&*session.0) {
            let _ = open.orders.send(order);
        }
    }

    /// Ends every session and waits until everything is on disk. Returns true if one was busy.
    async fn end_sessions(&self) -> bool {
        let sessions = std::mem::take(&mut self.state().sessions);
        let mut busy = false;
        let mut ending = Vec::new();
        for (_, open) in sessions {
            let (sender, answer) = oneshot::channel();
            let _ = open.orders.send(SessionOrder::QueryBusy(sender));
            let _ = open.orders.send(SessionOrder::End);
            busy |= answer.await.unwrap_or(false);
            ending.push(open.task);
        }
        let all = async {
            for ended in ending {
                let _ = ended.await;
            }
        };
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, all).await;
        busy
    }
}

fn existing_session(
    id: acp::SessionId,
    cwd: PathBuf,
    add_dirs: Vec<PathBuf>,
    servers: Vec<acp::McpServer>,
) -> SessionRequest {
    let id = id.to_string();
    SessionRequest { which: SessionSelector::Find(id.clone()), id, cwd, add_dirs, servers }
}

/// The protocol requires absolute paths. A missing folder is reported before anything else fails on it.
fn check_folders(wanted: &SessionRequest) -> Result<(), Error> {
    let relative = std::iter::once(&wanted.cwd).chain(&wanted.add_dirs).find(|path| !path.is_absolute());
    if let Some(path) = relative {
        let why = format!("`{}` is not an absolute path", path.display());
        return Err(with_message(Error::invalid_params(), &why));
    }
    if !Path::new(&wanted.cwd).is_dir() {
        let why = format!("the folder {} does not exist", wanted.cwd.display());
        return Err(with_message(Error::invalid_params(), &why));
    }
    Ok(())
}

fn no_session(id: &acp::SessionId) -> Error {
    with_message(Error::new(-32002, ""), &format!("session {id} is not open; open it with session/new or session/load"))
}

fn with_message(mut error: Error, why: &str) -> Error {
    error.message = sanitize(&without_os_codes(why)).into_owned();
    error
}

fn start_error(error: &StartError) -> Error {
    let kind = match error {
        StartError::Model(fault) if fault.kind == FaultKind::Key => Error::auth_required(),
        StartError::Store(StoreError::NotFound { .. }) => Error::new(-32002, ""),
        _ => Error::internal_error(),
    };
    with_message(kind, &error.to_string())
}
