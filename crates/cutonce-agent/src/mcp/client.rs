//! The client for servers that are programs or addresses, on the crate `rmcp`. What it adds is what keeps us safe from
//! them: they are started by the sandbox without our secrets, measured, stopped when they flood, started again a few
//! times when they die, and ended with the session.

mod answers;
mod http;
mod lines;
mod meter;
mod process;

use super::definition::{Definition, Reach};
use super::remote::{About, Bell, Connector, Remote, RemoteError};
use super::work::{self, Work};
use answers::Answers;
use async_trait::async_trait;
use meter::Meter;
use process::Process;
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
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Pages of a list, and entries: a server may say that there is always one more.
const MOST_PAGES: usize = 50;
const MOST_ENTRIES: usize = 2_000;
/// A server that died is started again when it is next needed, this often.
const MOST_STARTS: u32 = 4;
/// How long a connection may take to say goodbye.
const GOODBYE: Duration = Duration::from_millis(500);

/// Where servers run and what they may know.
#[derive(Clone)]
pub(super) struct Client {
    pub env: Vec<(OsString, OsString)>,
    pub cwd: PathBuf,
    pub roots: Vec<PathBuf>,
    pub(crate) connect_timeout: Duration,
}

impl Connector for Client {
    fn connect(&self, name: &str, definition: Definition) -> Arc<dyn Remote> {
        Arc::new(Connection {
            name: name.to_string(),
            definition,
            client: self.clone(),
            live: tokio::sync::Mutex::new(None),
            about: Mutex::default(),
            bell: OnceLock::new(),
            starts: AtomicU32::new(0),
            pid: Arc::default(),
        })
    }
}

struct Connection {
    name: String,
    definition: Definition,
    client: Client,
    live: tokio::sync::Mutex<Option<Live>>,
    about: Mutex<About>,
    bell: OnceLock<Arc<Bell>>,
    starts: AtomicU32,
    /// Of its program; 0: there is none yet.
    pid: Arc<AtomicU32>,
}

/// A connection that was made.
struct Live {
    service: RunningService<RoleClient, Answers>,
    meter: Arc<Meter>,
    /// None for an address.
    process: Option<Process>,
}

impl Live {
    fn is_over(&self) -> bool {
        self.service.peer().is_transport_closed()
    }
    /// Close it and see that nothing is left.
    async fn end(mut self) {
        let _ = self.service.close_with_timeout(GOODBYE).await;
        if let Some(process) = self.process.take() {
            process.end().await;
        }
    }
}

impl Connection {
    fn bell(&self) -> Arc<Bell> {
        self.bell.get_or_init(Arc::default).clone()
    }

    /// The connection; made if there is none, or none any more.
    async fn peer(&self) -> Result<(Peer<RoleClient>, Arc<Meter>), RemoteError> {
        let mut live = self.live.lock().await;
        if let Some(one) = live.as_ref().filter(|one| !one.is_over()) {
            return Ok((one.service.peer().clone(), one.meter.clone()));
        }
        let mut why = String::from("it could not be started");
        if let Some(dead) = live.take() {
            why = dead.meter.why();
            dead.end().await;
        }
        if self.starts.fetch_add(1, Ordering::Relaxed) >= MOST_STARTS {
            return Err(RemoteError::Gone(format!("{why}; it was started {MOST_STARTS} times and is left alone now")));
        }
        let limit = self.client.connect_timeout;
        let made = tokio::time::timeout(limit, self.connect()).await;
        let late = |_| RemoteError::Gone(format!("it did not answer within {} seconds", limit.as_secs_f32()));
        let made = made.map_err(late)??;
        self.introduce(made.service.peer());
        let both = (made.service.peer().clone(), made.meter.clone());
        *live = Some(made);
        if self.starts.load(Ordering::Relaxed) > 1 {
            // Its list may be another one now.
            self.bell().changed();
        }
        Ok(both)
    }

    async fn connect(&self) -> Result<Live, RemoteError> {
        let answers = Answers { roots: self.client.roots.clone(), bell: self.bell() };
        match &self.definition.reach {
            Reach::Stdio { command, args, env } => {
                let (client, command, args) = (self.client.clone(), command.clone(), args.clone());
                let (env, bell, pid) = (env.clone(), self.bell(), self.pid.clone());
                let started = beside(move || Process::start(&client, &command, &args, &env, bell, &pid)).await?;
                let (process, reader, writer) = started;
                let meter = process.meter.clone();
                match serve_client(answers, (reader, writer)).await {
                    Ok(service) => Ok(Live { service, meter, process: Some(process) }),
                    Err(error) => {
                        let words = said(&error);
                        Err(RemoteError::Gone(process.failed(&words).await))
                    }
                }
            }
            Reach::Http { url, headers } => {
                let meter = Arc::new(Meter::default());
                let (address, headers, measured) = (url.clone(), headers.clone(), meter.clone());
                let made = move || http::client(&address, &headers, measured).map_err(RemoteError::Gone);
                let (client, config) = beside(made).await?;
                let transport = StreamableHttpClientTransport::with_client(client, config);
                match serve_client(answers, transport).await {
                    Ok(service) => Ok(Live { service, meter, process: None }),
                    Err(error) if meter.needs_auth() => Err(RemoteError::NeedsAuth(without_keys(url, &said(&error)))),
                    Err(error) => {
                        let words = format!("{url} could not be reached: {}", said(&error));
                        Err(RemoteError::Gone(without_keys(url, &words)))
                    }
                }
            }
            Reach::Sdk { .. } => Err(RemoteError::Gone("it lives in a host".into())),
        }
    }

    fn introduce(&self, peer: &Peer<RoleClient>) {
        let Some(info) = peer.peer_info() else { return };
        let about = About {
            name: info.server_info.as_ref().map(|server| server.name.clone()),
            version: info.server_info.as_ref().map(|server| server.version.clone()),
            instructions: info.instructions.clone(),
            resources: info.capabilities.resources.is_some(),
            prompts: info.capabilities.prompts.is_some(),
        };
        *self.about.lock().unwrap_or_else(PoisonError::into_inner) = about;
    }

    /// One request and its `result`. When `stop` is cancelled the server is told.
    async fn ask(&self, request: ClientRequest, stop: &CancellationToken) -> Result<Value, RemoteError> {
        let (peer, meter) = tokio::select! {
            peer = self.peer() => peer?,
            () = stop.cancelled() => return Err(RemoteError::Stopped),
        };
        meter.asked();
        let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let mut handle = sent.map_err(|error| failed(error, &meter))?;
        let answer = tokio::select! {
            answer = &mut handle.rx => answer,
            () = stop.cancelled() => {
                let _ = handle.cancel(Some("the user interrupted".into())).await;
                return Err(RemoteError::Stopped);
            }
        };
        match answer {
            Ok(Ok(result)) => serde_json::to_value(result).map_err(|error| RemoteError::Failed(error.to_string())),
            Ok(Err(error)) => Err(failed(error, &meter)),
            Err(_) => Err(RemoteError::Gone(meter.ended().await)),
        }
    }

    /// All pages of a list.
    async fn list(
        &self,
        key: &str,
        page: fn(PaginatedRequestParams) -> ClientRequest,
    ) -> Result<Vec<Value>, RemoteError> {
        let (mut all, mut cursor) = (Vec::new(), None::<String>);
        for _ in 0..MOST_PAGES {
            let asked = page(PaginatedRequestParams::default().with_cursor(cursor));
            let mut result = self.ask(asked, &CancellationToken::new()).await?;
            match result[key].take() {
                Value::Array(entries) => all.extend(entries),
                _ => return Err(RemoteError::Failed(format!("its answer holds no `{key}`"))),
            }
            cursor = result["nextCursor"].as_str().filter(|next| !next.is_empty()).map(str::to_string);
            if cursor.is_none() || all.len() >= MOST_ENTRIES {
                break;
            }
        }
        all.truncate(MOST_ENTRIES);
        Ok(all)
    }
}

#[async_trait]
impl Remote for Connection {
    fn work(&self) -> Option<Work> {
        let pid = self.pid.load(Ordering::Relaxed);
        if pid == 0 { None } else { work::of(pid) }
    }

    async fn list_tools(&self) -> Result<Vec<Value>, RemoteError> {
        let (peer, _) = self.peer().await?;
        if peer.peer_info().is_some_and(|info| info.capabilities.tools.is_none()) {
            return Ok(Vec::new());
        }
        self.list("tools", |page| ListToolsRequest::with_param(page).into()).await
    }

    async fn call(&self, tool: &str, input: Value, stop: &CancellationToken) -> Result<Value, RemoteError> {
        let mut params = CallToolRequestParams::new(tool.to_string());
        if let Value::Object(arguments) = input {
            params = params.with_arguments(arguments);
        }
        self.ask(CallToolRequest::new(params).into(), stop).await
    }

    fn about(&self) -> About {
        self.about.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn list_resources(&self) -> Result<Vec<Value>, RemoteError> {
        self.list("resources", |page| ListResourcesRequest::with_param(page).into()).await
    }

    async fn read_resource(&self, uri: &str) -> Result<Value, RemoteError> {
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        self.ask(request.into(), &CancellationToken::new()).await
    }

    async fn list_prompts(&self) -> Result<Vec<Value>, RemoteError> {
        self.list("prompts", |page| ListPromptsRequest::with_param(page).into()).await
    }

    async fn get_prompt(&self, name: &str, arguments: Map<String, Value>) -> Result<Value, RemoteError> {
        let mut params = GetPromptRequestParams::new(name);
        params.arguments = Some(arguments);
        self.ask(GetPromptRequest::new(params).into(), &CancellationToken::new()).await
    }

    fn watch(&self, bell: Arc<Bell>) {
        let _ = self.bell.set(bell);
    }

    async fn close(&self) {
        tracing::debug!(server = self.name, "ending an MCP server");
        // Whoever holds the lock is making a connection; dropping that ends it, so nobody is waited for.
        let live = self.live.lock().await.take();
        self.starts.store(MOST_STARTS, Ordering::Relaxed);
        if let Some(live) = live {
            live.end().await;
        }
    }
}

/// Starting a process or loading certificates takes milliseconds, and nothing may wait for a server: another thread does it.
async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RemoteError> + Send + 'static,
) -> Result<T, RemoteError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(RemoteError::Gone(format!("it could not be started: {error}"))))
}

fn failed(error: ServiceError, meter: &Meter) -> RemoteError {
    match error {
        ServiceError::McpError(error) => {
            RemoteError::Refused { code: error.code.0.into(), message: error.message.into_owned() }
        }
        ServiceError::TransportClosed => RemoteError::Gone(meter.why()),
        ServiceError::UnexpectedResponse => RemoteError::Failed("its answer is of another kind".into()),
        ServiceError::TransportSend(error) if meter.needs_auth() => RemoteError::NeedsAuth(deepest(&*error.error)),
        ServiceError::TransportSend(error) => RemoteError::Gone(deepest(&*error.error)),
        other => RemoteError::Gone(deepest(&other)),
    }
}

/// Why no connection came about, short.
/// Words about an address without what may be a key in it: what follows `?`, and who asks (MO-4).
fn without_keys(url: &str, words: &str) -> String {
    let query = url.split_once('?').map(|(_, query)| query);
    let asks = url.split_once("://").and_then(|(_, rest)| rest.split('/').next()?.rsplit_once('@')).map(|(who, _)| who);
    let keys = [query, asks].into_iter().flatten().filter(|key| !key.is_empty());
    keys.fold(words.to_string(), |words, key| words.replace(key, "…"))
}

fn said(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it closed the connection before it had said who it is".into(),
        ClientInitializeError::ExpectedInitResponse(_) | ClientInitializeError::ExpectedInitResult(_) => {
            "it did not answer `initialize` as the protocol says".into()
        }
        ClientInitializeError::TransportError { error, .. } => deepest(&*error.error),
        other => deepest(other),
    }
}

/// The root of an error is what helps, without the names of the transport's own parts.
fn deepest(error: &(dyn std::error::Error + 'static)) -> String {
    let mut error = error;
    while let Some(inner) = inner(error) {
        error = inner;
    }
    error.to_string()
}

fn inner<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a (dyn std::error::Error + 'static)> {
    // These hold the cause without naming it as their source.
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
    fn mo_4_a_key_in_an_address_is_not_told() {
        let told = |url: &str| super::without_keys(url, &format!("{url} could not be reached: for url ({url})"));
        assert_eq!(told("http://h/mcp?key=s3"), "http://h/mcp?… could not be reached: for url (http://h/mcp?…)");
        assert_eq!(told("http://me:s3@h/mcp"), "http://…@h/mcp could not be reached: for url (http://…@h/mcp)");
        assert_eq!(told("http://h/mcp"), "http://h/mcp could not be reached: for url (http://h/mcp)");
    }
}
