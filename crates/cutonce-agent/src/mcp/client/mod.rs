//! The client for MCP servers that are programs or URLs, based on the crate `rmcp`. It adds protection: servers start
//! through the sandbox without secrets, are stopped if they flood, restarted a few times if they die, and ended with
//! the session.

mod answers;
mod http;
mod line_repair;
mod server_process;
mod traffic_meter;

use super::definition::{ServerDefinition, ServerTransport};
use super::elicitation::ElicitationPort;
use super::login::{LoginStore, ServerToken};
use super::process_work::{self, ProcessWork};
use super::remote::{ChangeSignal, RemoteConnector, RemoteError, RemoteServer, ServerInfo};
use crate::storage::redact::Redactor;
use answers::ClientAnswers;
use async_trait::async_trait;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_models::name_web_page;
use rmcp::ServiceError;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, GetPromptRequest, GetPromptRequestParams,
    ListPromptsRequest, ListResourcesRequest, ListToolsRequest, PaginatedRequestParams, ReadResourceRequest,
    ReadResourceRequestParams,
};
use rmcp::service::{ClientInitializeError, Peer, PeerRequestOptions, RoleClient, RunningService, serve_client};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rmcp::transport::worker::WorkerQuitReason;
use serde_json::{Map, Value};
use server_process::ServerProcess;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use traffic_meter::TrafficMeter;

/// Limits for paginated lists, because a server may always announce another page.
const MAX_PAGES: usize = 50;
const MAX_ENTRIES: usize = 2_000;
/// How often a dead server is restarted on demand.
const MAX_STARTS: u32 = 4;
/// How long a connection may take to close.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// The environment and folders for servers.
#[derive(Clone)]
pub(super) struct McpClient {
    pub env: Vec<(OsString, OsString)>,
    pub cwd: PathBuf,
    pub roots: Vec<PathBuf>,
    pub(crate) connect_timeout: Duration,
    /// The cutonce home, which has the logins.
    pub home: PathBuf,
    /// Learns the tokens of logins.
    pub redactor: Option<Arc<Redactor>>,
    /// Takes servers' questions to the session.
    pub elicitations: Arc<ElicitationPort>,
}

impl RemoteConnector for McpClient {
    fn connect(&self, name: &str, definition: ServerDefinition) -> Arc<dyn RemoteServer> {
        Arc::new(McpConnection {
            name: name.to_string(),
            definition,
            client: self.clone(),
            live: tokio::sync::Mutex::new(None),
            info: Mutex::default(),
            change_signal: OnceLock::new(),
            starts: AtomicU32::new(0),
            pid: Arc::default(),
        })
    }
}

struct McpConnection {
    name: String,
    definition: ServerDefinition,
    client: McpClient,
    live: tokio::sync::Mutex<Option<LiveConnection>>,
    info: Mutex<ServerInfo>,
    change_signal: OnceLock<Arc<ChangeSignal>>,
    starts: AtomicU32,
    /// The pid of its program; 0 before it is started.
    pid: Arc<AtomicU32>,
}

/// An established connection.
struct LiveConnection {
    service: RunningService<RoleClient, ClientAnswers>,
    meter: Arc<TrafficMeter>,
    /// `None` for a URL.
    process: Option<ServerProcess>,
}

impl LiveConnection {
    fn is_closed(&self) -> bool {
        self.service.peer().is_transport_closed()
    }
    /// Closes the connection and ends its process.
    async fn end(mut self) {
        let _ = self.service.close_with_timeout(CLOSE_TIMEOUT).await;
        if let Some(process) = self.process.take() {
            process.end().await;
        }
    }
}

impl McpConnection {
    fn change_signal(&self) -> Arc<ChangeSignal> {
        self.change_signal.get_or_init(Arc::default).clone()
    }

    /// Returns the connection; connects first if there is none or it was closed.
    async fn connected_peer(&self) -> Result<(Peer<RoleClient>, Arc<TrafficMeter>), RemoteError> {
        let mut live = self.live.lock().await;
        if let Some(one) = live.as_ref().filter(|one| !one.is_closed()) {
            return Ok((one.service.peer().clone(), one.meter.clone()));
        }
        let mut why = String::from("it could not be started");
        if let Some(dead) = live.take() {
            why = dead.meter.reason();
            dead.end().await;
        }
        if self.starts.fetch_add(1, Ordering::Relaxed) >= MAX_STARTS {
            return Err(RemoteError::Unavailable(format!(
                "{why}; it was started {MAX_STARTS} times and will not be restarted"
            )));
        }
        let limit = self.client.connect_timeout;
        let made = tokio::time::timeout(limit, self.connect()).await;
        let late = |_| RemoteError::Unavailable(format!("it did not answer within {} seconds", limit.as_secs_f32()));
        let made = made.map_err(late)??;
        self.store_info(made.service.peer());
        let both = (made.service.peer().clone(), made.meter.clone());
        *live = Some(made);
        if self.starts.load(Ordering::Relaxed) > 1 {
            // The restarted server may have different tools.
            self.change_signal().notify_changed();
        }
        Ok(both)
    }

    async fn connect(&self) -> Result<LiveConnection, RemoteError> {
        match &self.definition.transport {
            ServerTransport::Stdio { command, args, env } => {
                let (client, command, args) = (self.client.clone(), command.clone(), args.clone());
                let (env, bell, pid) = (env.clone(), self.change_signal(), self.pid.clone());
                let started =
                    run_blocking(move || ServerProcess::start(&client, &command, &args, &env, bell, &pid)).await?;
                let (process, reader, writer) = started;
                let meter = process.meter.clone();
                match serve_client(self.client_answers(&meter), (reader, writer)).await {
                    Ok(service) => Ok(LiveConnection { service, meter, process: Some(process) }),
                    Err(error) => {
                        let words = init_error(&error);
                        Err(RemoteError::Unavailable(process.failure_reason(&words).await))
                    }
                }
            }
            ServerTransport::Http { url, headers } => {
                let meter = Arc::new(TrafficMeter::default());
                let token = self.login_token(url, headers);
                let (address, headers, measured) = (url.clone(), headers.clone(), meter.clone());
                let made =
                    move || http::http_client(&address, &headers, measured, token).map_err(RemoteError::Unavailable);
                let (client, config) = run_blocking(made).await?;
                let transport = StreamableHttpClientTransport::with_client(client, config);
                match serve_client(self.client_answers(&meter), transport).await {
                    Ok(service) => Ok(LiveConnection { service, meter, process: None }),
                    Err(error) if meter.needs_auth() => Err(self.needs_login(&init_error(&error))),
                    Err(error) => {
                        let words = format!("{url} could not be reached: {}", init_error(&error));
                        Err(RemoteError::Unavailable(without_keys(url, &words)))
                    }
                }
            }
            ServerTransport::Sdk { .. } => Err(RemoteError::Unavailable("it runs inside a host".into())),
        }
    }

    fn client_answers(&self, meter: &Arc<TrafficMeter>) -> ClientAnswers {
        ClientAnswers {
            server: self.name.clone(),
            roots: self.client.roots.clone(),
            bell: self.change_signal(),
            elicitations: self.client.elicitations.clone(),
            meter: meter.clone(),
        }
    }

    /// The token of the server's login, unless its definition has its own `Authorization` header.
    fn login_token(&self, url: &str, headers: &[(String, String)]) -> Option<Arc<ServerToken>> {
        let store = LoginStore::new(&self.client.home, &self.name, url);
        let token = || Arc::new(ServerToken::new(store, url, self.client.redactor.clone()));
        (!has_authorization(headers)).then(token)
    }

    /// The error for a server that refused us, with the next step.
    fn needs_login(&self, words: &str) -> RemoteError {
        RemoteError::NeedsAuth(match &self.definition.transport {
            ServerTransport::Http { url, headers } if has_authorization(headers) => {
                format!("it refused the Authorization header of its definition ({})", without_keys(url, words))
            }
            ServerTransport::Http { .. } | ServerTransport::Stdio { .. } | ServerTransport::Sdk { .. } => {
                format!("needs login: cutonce mcp login {}", self.name)
            }
        })
    }

    fn service_error(&self, error: ServiceError, meter: &TrafficMeter) -> RemoteError {
        match service_error(error, meter) {
            RemoteError::NeedsAuth(words) => self.needs_login(&words),
            other => other,
        }
    }

    fn store_info(&self, peer: &Peer<RoleClient>) {
        let Some(info) = peer.peer_info() else { return };
        let about = ServerInfo {
            name: info.server_info.as_ref().map(|server| server.name.clone()),
            version: info.server_info.as_ref().map(|server| server.version.clone()),
            instructions: info.instructions.clone(),
            resources: info.capabilities.resources.is_some(),
            prompts: info.capabilities.prompts.is_some(),
        };
        *self.info.lock_unpoisoned() = about;
    }

    /// Sends one request and returns its `result`. Cancelling `stop` notifies the server.
    async fn request(&self, request: ClientRequest, stop: &CancellationToken) -> Result<Value, RemoteError> {
        let (peer, meter) = tokio::select! {
            peer = self.connected_peer() => peer?,
            () = stop.cancelled() => return Err(RemoteError::Stopped),
        };
        meter.reset();
        let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let mut handle = sent.map_err(|error| self.service_error(error, &meter))?;
        let answer = tokio::select! {
            answer = &mut handle.rx => answer,
            () = stop.cancelled() => {
                let _ = handle.cancel(Some("the user interrupted".into())).await;
                return Err(RemoteError::Stopped);
            }
        };
        match answer {
            Ok(Ok(result)) => {
                serde_json::to_value(result).map_err(|error| RemoteError::InvalidAnswer(error.to_string()))
            }
            Ok(Err(error)) => Err(self.service_error(error, &meter)),
            Err(_) => Err(RemoteError::Unavailable(meter.end_reason().await)),
        }
    }

    /// Fetches all pages of a list.
    async fn list_pages(
        &self,
        key: &str,
        page: fn(PaginatedRequestParams) -> ClientRequest,
    ) -> Result<Vec<Value>, RemoteError> {
        let (mut all, mut cursor) = (Vec::new(), None::<String>);
        for _ in 0..MAX_PAGES {
            let asked = page(PaginatedRequestParams::default().with_cursor(cursor));
            let mut result = self.request(asked, &CancellationToken::new()).await?;
            match result[key].take() {
                Value::Array(entries) => all.extend(entries),
                _ => return Err(RemoteError::InvalidAnswer(format!("its answer has no `{key}`"))),
            }
            cursor = result["nextCursor"].as_str().filter(|next| !next.is_empty()).map(str::to_string);
            if cursor.is_none() || all.len() >= MAX_ENTRIES {
                break;
            }
        }
        all.truncate(MAX_ENTRIES);
        Ok(all)
    }
}

#[async_trait]
impl RemoteServer for McpConnection {
    fn startup_work(&self) -> Option<ProcessWork> {
        let pid = self.pid.load(Ordering::Relaxed);
        if pid == 0 { None } else { process_work::measure_work(pid) }
    }

    async fn list_tools(&self) -> Result<Vec<Value>, RemoteError> {
        let (peer, _) = self.connected_peer().await?;
        if peer.peer_info().is_some_and(|info| info.capabilities.tools.is_none()) {
            return Ok(Vec::new());
        }
        self.list_pages("tools", |page| ListToolsRequest::with_param(page).into()).await
    }

    async fn call(&self, tool: &str, input: Value, stop: &CancellationToken) -> Result<Value, RemoteError> {
        let mut params = CallToolRequestParams::new(tool.to_string());
        if let Value::Object(arguments) = input {
            params = params.with_arguments(arguments);
        }
        self.request(CallToolRequest::new(params).into(), stop).await
    }

    fn server_info(&self) -> ServerInfo {
        self.info.lock_unpoisoned().clone()
    }

    async fn list_resources(&self) -> Result<Vec<Value>, RemoteError> {
        self.list_pages("resources", |page| ListResourcesRequest::with_param(page).into()).await
    }

    async fn read_resource(&self, uri: &str) -> Result<Value, RemoteError> {
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        self.request(request.into(), &CancellationToken::new()).await
    }

    async fn list_prompts(&self) -> Result<Vec<Value>, RemoteError> {
        self.list_pages("prompts", |page| ListPromptsRequest::with_param(page).into()).await
    }

    async fn get_prompt(&self, name: &str, arguments: Map<String, Value>) -> Result<Value, RemoteError> {
        let mut params = GetPromptRequestParams::new(name);
        params.arguments = Some(arguments);
        self.request(GetPromptRequest::new(params).into(), &CancellationToken::new()).await
    }

    fn set_change_signal(&self, bell: Arc<ChangeSignal>) {
        let _ = self.change_signal.set(bell);
    }

    async fn close(&self) {
        tracing::debug!(server = self.name, "ending an MCP server");
        // A pending connection attempt owns the lock; dropping the attempt ends it, so this doesn't wait long.
        let live = self.live.lock().await.take();
        self.starts.store(MAX_STARTS, Ordering::Relaxed);
        if let Some(live) = live {
            live.end().await;
        }
    }
}

fn has_authorization(headers: &[(String, String)]) -> bool {
    headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"))
}

/// Runs blocking work (starting a process, loading certificates) on another thread.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RemoteError> + Send + 'static,
) -> Result<T, RemoteError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(RemoteError::Unavailable(format!("it could not be started: {error}"))))
}

fn service_error(error: ServiceError, meter: &TrafficMeter) -> RemoteError {
    match error {
        ServiceError::McpError(error) => {
            RemoteError::Refused { code: error.code.0.into(), message: error.message.into_owned() }
        }
        ServiceError::TransportClosed => RemoteError::Unavailable(meter.reason()),
        ServiceError::UnexpectedResponse => RemoteError::InvalidAnswer("its answer has an unexpected type".into()),
        ServiceError::TransportSend(error) if meter.needs_auth() => RemoteError::NeedsAuth(root_cause(&*error.error)),
        ServiceError::TransportSend(error) => RemoteError::Unavailable(root_cause(&*error.error)),
        other => RemoteError::Unavailable(root_cause(&other)),
    }
}

/// Removes possible keys of the URL from an error text: the query and the credentials (MO-4).
fn without_keys(url: &str, words: &str) -> String {
    let query = url.split_once('?').map(|(_, query)| query);
    let asks = url.split_once("://").and_then(|(_, rest)| rest.split('/').next()?.rsplit_once('@')).map(|(who, _)| who);
    let keys = [query, asks].into_iter().flatten().filter(|key| !key.is_empty());
    keys.fold(words.to_string(), |words, key| words.replace(key, "…"))
}

fn init_error(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it closed the connection during initialization".into(),
        ClientInitializeError::ExpectedInitResponse(_) | ClientInitializeError::ExpectedInitResult(_) => {
            "its answer to `initialize` violates the protocol".into()
        }
        ClientInitializeError::TransportError { error, .. } => name_web_page(&root_cause(&*error.error)),
        other => name_web_page(&root_cause(other)),
    }
}

/// The root cause of an error, without the layers of the transport.
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut error = error;
    while let Some(inner) = inner_error(error) {
        error = inner;
    }
    error.to_string()
}

fn inner_error<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a (dyn std::error::Error + 'static)> {
    // These types contain the cause but don't return it from `source()`.
    if let Some(StreamableHttpError::Client(error)) = error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        return Some(error);
    }
    match error.downcast_ref::<WorkerQuitReason<StreamableHttpError<reqwest::Error>>>() {
        Some(WorkerQuitReason::Fatal { error, .. }) => Some(error),
        Some(_) | None => error.source(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn mo_4_errors_hide_keys_in_urls() {
        let told = |url: &str| super::without_keys(url, &format!("{url} could not be reached: for url ({url})"));
        assert_eq!(told("http://h/mcp?key=s3"), "http://h/mcp?… could not be reached: for url (http://h/mcp?…)");
        assert_eq!(told("http://me:s3@h/mcp"), "http://…@h/mcp could not be reached: for url (http://…@h/mcp)");
        assert_eq!(told("http://h/mcp"), "http://h/mcp could not be reached: for url (http://h/mcp)");
    }
}
