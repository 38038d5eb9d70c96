//! The scenario server: a real HTTP server on loopback, with its own thread and runtime.

use super::playback::{PlaybackStep, full_response, playback_steps};
use super::player::{ScenarioPlayer, ScriptedAnswer};
use super::{ScenarioScript, ScriptedFault, ScriptedTurn, StatusFault};
use bytes::{Bytes, BytesMut};
use cutonce_core::conversation::WireFormat;
use cutonce_core::sync::LockUnpoisoned;
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::task::{Context, Poll, ready};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// A running scenario. Dropping it stops the server.
pub struct LoopbackServer {
    addr: SocketAddr,
    shared: Arc<ServerShared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Whether the server records requests; benchmarks turn it off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestRecording {
    On,
    Off,
}

/// A recorded request.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

/// Arrival of a complete request, and the server's own time from then to the last byte sent.
#[derive(Debug, Clone, Copy)]
pub struct RequestTiming {
    pub received: Instant,
    pub own: Duration,
}

impl RecordedRequest {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Chooses the answer to each request while its sender waits.
type AnswerCallback = Box<dyn FnMut(&RecordedRequest) -> ScriptedTurn + Send>;

struct ServerShared {
    state: Mutex<ServerState>,
    improvise: Option<Mutex<AnswerCallback>>,
    /// Notified when the client cancels an answer.
    dropped: Condvar,
    recording: RequestRecording,
    looks: bool,
    accepted_key: Option<String>,
}

struct ServerState {
    play: ScenarioPlayer,
    requests: Vec<RecordedRequest>,
    times: Vec<RequestTiming>,
    dropped: usize,
    connections: usize,
}

impl ServerShared {
    fn state(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock_unpoisoned()
    }
}

impl LoopbackServer {
    pub fn start(script: ScenarioScript) -> io::Result<Self> {
        Self::start_with(script, RequestRecording::On)
    }

    /// Starts on a given loopback port; 0 picks a free one.
    pub fn start_on(script: ScenarioScript, port: u16) -> io::Result<Self> {
        Self::serve_at(script, RequestRecording::On, port, None)
    }

    /// Starts without a script: the callback computes each answer from its request.
    pub fn start_with_callback(
        answer: impl FnMut(&RecordedRequest) -> ScriptedTurn + Send + 'static,
    ) -> io::Result<Self> {
        Self::serve_at(ScenarioScript::default(), RequestRecording::On, 0, Some(Box::new(answer)))
    }

    pub fn start_with(script: ScenarioScript, recording: RequestRecording) -> io::Result<Self> {
        Self::serve_at(script, recording, 0, None)
    }

    fn serve_at(
        script: ScenarioScript,
        recording: RequestRecording,
        port: u16,
        improvise: Option<AnswerCallback>,
    ) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let addr = listener.local_addr()?;
        let accepted_key = script.accepted_key.clone();
        let play = ScenarioPlayer::new(script);
        let looks = play.inspects_requests();
        let state = ServerState { play, requests: Vec::new(), times: Vec::new(), dropped: 0, connections: 0 };
        let (state, improvise) = (Mutex::new(state), improvise.map(Mutex::new));
        let shared =
            Arc::new(ServerShared { state, improvise, dropped: Condvar::new(), recording, looks, accepted_key });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let serving = serve(listener, shared.clone());
        let thread = std::thread::Builder::new().name("scenario".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    served = serving => if let Err(error) = served { tracing::warn!(%error, "scenario server") },
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Self { addr, shared, stop: Some(stop), thread: Some(thread) })
    }

    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Returns the base URL in the form that clients of this wire format expect.
    pub fn base_url(&self, wire: WireFormat) -> String {
        match wire {
            WireFormat::Anthropic => format!("http://{}", self.addr),
            WireFormat::Responses | WireFormat::Chat => format!("http://{}/v1", self.addr),
        }
    }

    /// Returns the requests so far, if they are recorded.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.state().requests.clone()
    }

    /// Returns the timings of answered requests in order, to separate the client's time from the server's.
    pub fn times(&self) -> Vec<RequestTiming> {
        self.shared.state().times.clone()
    }

    /// Number of turns that no request has used yet.
    pub fn remaining_turns(&self) -> usize {
        self.shared.state().play.remaining()
    }

    /// Number of accepted connections.
    pub fn connections(&self) -> usize {
        self.shared.state().connections
    }

    /// Waits until the client has cancelled `count` answers; false if that takes longer than `longest`.
    pub fn wait_for_dropped(&self, count: usize, longest: Duration) -> bool {
        let state = self.shared.state();
        let waited = self.shared.dropped.wait_timeout_while(state, longest, |state| state.dropped < count);
        waited.map(|(state, _)| state.dropped >= count).unwrap_or(false)
    }
}

impl Drop for LoopbackServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn serve(listener: std::net::TcpListener, shared: Arc<ServerShared>) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (socket, _) = listener.accept().await?;
        socket.set_nodelay(true)?;
        shared.state().connections += 1;
        let shared = shared.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| handle_request(request, shared.clone()));
            // Reuses one buffer: large ones would be mapped and cleared for every request.
            let mut http = hyper::server::conn::http1::Builder::new();
            let _ = http.max_buf_size(READ_BUFFER).serve_connection(TokioIo::new(socket), service).await;
        });
    }
}

/// Read buffer size for requests.
const READ_BUFFER: usize = 64 << 10;

type ServerReply = Response<PlaybackBody>;

/// Answers a request. An error closes the connection, which is what the fault `refuse` wants.
async fn handle_request(request: Request<Incoming>, shared: Arc<ServerShared>) -> Result<ServerReply, io::Error> {
    let (head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    if shared.accepted_key.as_deref().is_some_and(|key| !carries_key(&head.headers, key)) {
        return build_reply(StatusCode::UNAUTHORIZED, &[], error_body("authentication_error", "invalid x-api-key"));
    }
    if path.ends_with("/models") {
        let model = json!({"id": "scripted", "object": "model", "type": "model", "created": 0, "owned_by": "cutonce"});
        return build_reply(
            StatusCode::OK,
            &[],
            json!({"object": "list", "data": [model], "has_more": false}).to_string(),
        );
    }
    let wire = match path.as_str() {
        "/v1/messages" => WireFormat::Anthropic,
        "/v1/responses" | "/responses" => WireFormat::Responses,
        "/v1/chat/completions" | "/chat/completions" => WireFormat::Chat,
        _ => {
            return build_reply(
                StatusCode::NOT_FOUND,
                &[],
                error_body("not_found_error", &format!("no such path: {path}")),
            );
        }
    };
    let body = receive_body(body, shared.recording == RequestRecording::On || shared.looks).await?;
    let received = Instant::now();
    let asked = RequestSummary::from_body(&body.bytes);
    let recorded = (shared.recording == RequestRecording::On).then(|| {
        let text = |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = head.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        RecordedRequest { path, headers, body: body.bytes.clone() }
    });
    let turn = shared.improvise.as_ref().zip(recorded.as_ref()).map(|(answer, recorded)| {
        let mut answer = answer.lock_unpoisoned();
        answer(recorded)
    });
    let mut state = shared.state();
    turn.into_iter().for_each(|turn| state.play.add(turn));
    state.requests.extend(recorded);
    let taken = state.play.next_answer(wire, &asked.model, &body.bytes, body.len);
    drop(state);
    let answer = match taken {
        Ok(answer) => answer,
        Err(why) => return build_reply(StatusCode::BAD_REQUEST, &[], error_body("invalid_request_error", &why)),
    };
    match &answer.fault {
        Some(ScriptedFault::Refuse) => Err(io::Error::other("the scenario refuses this request")),
        Some(ScriptedFault::Status(fault)) => refusal_reply(fault),
        _ if !asked.stream => build_reply(StatusCode::OK, &[], full_response(wire, &answer).to_string()),
        _ => play_answer(wire, &answer, received, shared),
    }
}

/// Whether the request has this key in the header of one of the wire formats.
fn carries_key(headers: &hyper::HeaderMap, key: &str) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    text("x-api-key") == Some(key) || text("authorization").and_then(|value| value.strip_prefix("Bearer ")) == Some(key)
}

fn play_answer(
    wire: WireFormat,
    answer: &ScriptedAnswer,
    received: Instant,
    shared: Arc<ServerShared>,
) -> Result<ServerReply, io::Error> {
    let told = Some(PlaybackReport { shared, received });
    let body = PlaybackBody { steps: playback_steps(wire, answer), pause: None, flushed: false, told };
    let response = Response::builder().header("content-type", "text/event-stream").header("cache-control", "no-cache");
    response.body(body).map_err(io::Error::other)
}

fn refusal_reply(fault: &StatusFault) -> Result<ServerReply, io::Error> {
    let kind = match fault.status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    let message = fault.message.as_deref().unwrap_or("the scenario says so");
    let body = fault.body.clone().unwrap_or_else(|| error_body(kind, message));
    let after = fault.retry_after.iter().map(|wait| ("retry-after", wait.as_str()));
    let after_ms = fault.retry_after_ms.iter().map(|wait| ("retry-after-ms", wait.as_str()));
    let status = StatusCode::from_u16(fault.status).map_err(io::Error::other)?;
    build_reply(status, &after.chain(after_ms).collect::<Vec<_>>(), body)
}

fn build_reply(status: StatusCode, headers: &[(&str, &str)], body: String) -> Result<ServerReply, io::Error> {
    let kind = if body.trim_start().starts_with('{') { "application/json" } else { "text/plain" };
    let mut response = Response::builder().status(status).header("content-type", kind);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    let steps = VecDeque::from([PlaybackStep::Send(body.into())]);
    response.body(PlaybackBody { steps, pause: None, flushed: false, told: None }).map_err(io::Error::other)
}

/// Builds an error body that all three formats can parse.
fn error_body(kind: &str, message: &str) -> String {
    json!({"type": "error", "error": {"type": kind, "message": message, "code": null, "param": null}}).to_string()
}

struct ReceivedBody {
    /// The whole body, or its beginning if no more is needed.
    bytes: Bytes,
    len: usize,
}

const HEAD_BYTES: usize = 1024;

async fn receive_body(mut body: Incoming, keep: bool) -> Result<ReceivedBody, io::Error> {
    let mut bytes = BytesMut::new();
    let mut len = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(io::Error::other)?.into_data() else { continue };
        len += data.len();
        // Our own client sends `stream` at the beginning; then the rest need not be kept.
        if keep || bytes.len() < HEAD_BYTES || RequestSummary::from_body_start(&bytes).is_none() {
            bytes.extend_from_slice(&data);
        }
    }
    Ok(ReceivedBody { bytes: bytes.freeze(), len })
}

/// The fields of a request that the server needs.
struct RequestSummary {
    stream: bool,
    model: String,
}

impl RequestSummary {
    fn from_body(body: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct RequestFields<'a> {
            #[serde(default)]
            stream: Option<bool>,
            #[serde(borrow, default)]
            model: Cow<'a, str>,
        }
        if let Some(asked) = Self::from_body_start(body) {
            return asked;
        }
        let fields: Option<RequestFields<'_>> = serde_json::from_slice(body).ok();
        let (stream, model) = fields.map(|fields| (fields.stream, fields.model.into_owned())).unwrap_or_default();
        Self { stream: stream.unwrap_or(false), model }
    }

    /// Extracts the fields without parsing, from the beginning of a body as our own client writes it.
    fn from_body_start(body: &[u8]) -> Option<Self> {
        let beginning = &body[..body.len().min(HEAD_BYTES)];
        let beginning = String::from_utf8_lossy(beginning);
        let model = beginning.strip_prefix("{\"model\":\"")?.split('"').next()?.to_owned();
        let messages = [",\"tools\":", ",\"messages\":", ",\"input\":", ",\"system\":", ",\"instructions\":"];
        let head = messages.iter().filter_map(|field| beginning.find(field)).min()?;
        beginning[..head].contains("\"stream\":true").then_some(Self { stream: true, model })
    }
}

/// A response body that plays its steps.
struct PlaybackBody {
    steps: VecDeque<PlaybackStep>,
    pause: Option<Pin<Box<tokio::time::Sleep>>>,
    flushed: bool,
    told: Option<PlaybackReport>,
}

struct PlaybackReport {
    shared: Arc<ServerShared>,
    received: Instant,
}

impl Body for PlaybackBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            match self.steps.front() {
                // hyper flushes its buffer whenever the body has no data ready.
                Some(PlaybackStep::Flush) if !self.flushed => {
                    self.flushed = true;
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Some(PlaybackStep::Hang) => return Poll::Pending,
                _ => {}
            }
            self.flushed = false;
            match self.steps.pop_front() {
                Some(PlaybackStep::Send(bytes)) => return Poll::Ready(Some(Ok(Frame::data(bytes)))),
                Some(PlaybackStep::Flush | PlaybackStep::Hang) => {}
                Some(PlaybackStep::Pause(time)) => self.pause = Some(Box::pin(tokio::time::sleep(time))),
                Some(PlaybackStep::Abort) => {
                    self.told = None;
                    return Poll::Ready(Some(Err(io::Error::other("the scenario cuts here"))));
                }
                None => {
                    if let Some(told) = self.told.take() {
                        let timed = RequestTiming { received: told.received, own: told.received.elapsed() };
                        told.shared.state().times.push(timed);
                    }
                    return Poll::Ready(None);
                }
            }
        }
    }
}

impl Drop for PlaybackBody {
    /// Dropped before its end: the client has disconnected.
    fn drop(&mut self) {
        if let Some(told) = self.told.take() {
            told.shared.state().dropped += 1;
            told.shared.dropped.notify_all();
        }
    }
}
