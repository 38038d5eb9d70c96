//! The scenario server: a real HTTP server on loopback, in a thread and a runtime of its own.

use super::play::{Answer, Play};
use super::render::{Step, steps, whole};
use super::{Fault, Script, StatusFault, Turn};
use bytes::{Bytes, BytesMut};
use cutonce_core::conversation::Wire;
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
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// A running scenario. Dropping it stops the server.
pub struct Server {
    addr: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Whether requests are kept for whoever asks; benchmarks keep none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recording {
    On,
    Off,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

/// When a request was there in full, and the server's own time from then to the last byte handed over.
#[derive(Debug, Clone, Copy)]
pub struct Timed {
    pub received: Instant,
    pub own: Duration,
}

impl Recorded {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Says what each request is answered with, while its sender waits.
type Improvise = Box<dyn FnMut(&Recorded) -> Turn + Send>;

struct Shared {
    state: Mutex<State>,
    improvise: Option<Mutex<Improvise>>,
    /// Told whenever an answer was given up by the client.
    dropped: Condvar,
    recording: Recording,
    looks: bool,
}

struct State {
    play: Play,
    requests: Vec<Recorded>,
    times: Vec<Timed>,
    dropped: usize,
    connections: usize,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Server {
    pub fn start(script: Script) -> io::Result<Self> {
        Self::start_with(script, Recording::On)
    }

    /// On a given port of the loopback address; 0 takes a free one.
    pub fn start_on(script: Script, port: u16) -> io::Result<Self> {
        Self::serve_at(script, Recording::On, port, None)
    }

    /// No script: each answer is made from its request, by whoever must look at the world between two of them.
    pub fn improvised(answer: impl FnMut(&Recorded) -> Turn + Send + 'static) -> io::Result<Self> {
        Self::serve_at(Script::default(), Recording::On, 0, Some(Box::new(answer)))
    }

    pub fn start_with(script: Script, recording: Recording) -> io::Result<Self> {
        Self::serve_at(script, recording, 0, None)
    }

    fn serve_at(script: Script, recording: Recording, port: u16, improvise: Option<Improvise>) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let addr = listener.local_addr()?;
        let play = Play::new(script);
        let looks = play.looks();
        let state = State { play, requests: Vec::new(), times: Vec::new(), dropped: 0, connections: 0 };
        let (state, improvise) = (Mutex::new(state), improvise.map(Mutex::new));
        let shared = Arc::new(Shared { state, improvise, dropped: Condvar::new(), recording, looks });
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

    /// The base URL as the wire's clients want it.
    pub fn base_url(&self, wire: Wire) -> String {
        match wire {
            Wire::Anthropic => format!("http://{}", self.addr),
            Wire::Responses | Wire::Chat => format!("http://{}/v1", self.addr),
        }
    }

    /// The requests so far, if they are recorded.
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.state().requests.clone()
    }

    /// The answered requests in their order, to tell the client's time from the server's own.
    pub fn times(&self) -> Vec<Timed> {
        self.shared.state().times.clone()
    }

    /// Turns that no request has taken yet.
    pub fn left(&self) -> usize {
        self.shared.state().play.left()
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.shared.state().connections
    }

    /// Waits until `count` answers were given up by the client; false if that takes longer than `longest`.
    pub fn wait_for_dropped(&self, count: usize, longest: Duration) -> bool {
        let state = self.shared.state();
        let waited = self.shared.dropped.wait_timeout_while(state, longest, |state| state.dropped < count);
        waited.map(|(state, _)| state.dropped >= count).unwrap_or(false)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn serve(listener: std::net::TcpListener, shared: Arc<Shared>) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (socket, _) = listener.accept().await?;
        socket.set_nodelay(true)?;
        shared.state().connections += 1;
        let shared = shared.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| answer(request, shared.clone()));
            // A buffer that stays: large ones are mapped and cleared anew for every request.
            let mut http = hyper::server::conn::http1::Builder::new();
            let _ = http.max_buf_size(READ).serve_connection(TokioIo::new(socket), service).await;
        });
    }
}

/// Read at once of a request.
const READ: usize = 64 << 10;

type Reply = Response<Playing>;

/// An error closes the connection, which is what the fault `refuse` wants.
async fn answer(request: Request<Incoming>, shared: Arc<Shared>) -> Result<Reply, io::Error> {
    let (head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    if path.ends_with("/models") {
        let model = json!({"id": "scripted", "object": "model", "type": "model", "created": 0, "owned_by": "cutonce"});
        return reply(StatusCode::OK, &[], json!({"object": "list", "data": [model], "has_more": false}).to_string());
    }
    let wire = match path.as_str() {
        "/v1/messages" => Wire::Anthropic,
        "/v1/responses" | "/responses" => Wire::Responses,
        "/v1/chat/completions" | "/chat/completions" => Wire::Chat,
        _ => return reply(StatusCode::NOT_FOUND, &[], error_body("not_found_error", &format!("no such path: {path}"))),
    };
    let body = receive(body, shared.recording == Recording::On || shared.looks).await?;
    let received = Instant::now();
    let asked = Asked::of(&body.bytes);
    let recorded = (shared.recording == Recording::On).then(|| {
        let text = |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = head.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        Recorded { path, headers, body: body.bytes.clone() }
    });
    let turn = shared.improvise.as_ref().zip(recorded.as_ref()).map(|(answer, recorded)| {
        let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
        answer(recorded)
    });
    let mut state = shared.state();
    turn.into_iter().for_each(|turn| state.play.add(turn));
    state.requests.extend(recorded);
    let taken = state.play.take(wire, &asked.model, &body.bytes, body.len);
    drop(state);
    let answer = match taken {
        Ok(answer) => answer,
        Err(why) => return reply(StatusCode::BAD_REQUEST, &[], error_body("invalid_request_error", &why)),
    };
    match &answer.fault {
        Some(Fault::Refuse) => Err(io::Error::other("the scenario refuses this request")),
        Some(Fault::Status(fault)) => refuse(fault),
        _ if !asked.stream => reply(StatusCode::OK, &[], whole(wire, &answer).to_string()),
        _ => play(wire, &answer, received, shared),
    }
}

fn play(wire: Wire, answer: &Answer, received: Instant, shared: Arc<Shared>) -> Result<Reply, io::Error> {
    let told = Some(Told { shared, received });
    let body = Playing { steps: steps(wire, answer), pause: None, flushed: false, told };
    let response = Response::builder().header("content-type", "text/event-stream").header("cache-control", "no-cache");
    response.body(body).map_err(io::Error::other)
}

fn refuse(fault: &StatusFault) -> Result<Reply, io::Error> {
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
    reply(status, &after.chain(after_ms).collect::<Vec<_>>(), body)
}

fn reply(status: StatusCode, headers: &[(&str, &str)], body: String) -> Result<Reply, io::Error> {
    let kind = if body.trim_start().starts_with('{') { "application/json" } else { "text/plain" };
    let mut response = Response::builder().status(status).header("content-type", kind);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    let steps = VecDeque::from([Step::Send(body.into())]);
    response.body(Playing { steps, pause: None, flushed: false, told: None }).map_err(io::Error::other)
}

/// The form that all three formats share enough of.
fn error_body(kind: &str, message: &str) -> String {
    json!({"type": "error", "error": {"type": kind, "message": message, "code": null, "param": null}}).to_string()
}

struct Received {
    /// The whole body, or its beginning where nobody needs more.
    bytes: Bytes,
    len: usize,
}

const BEGINNING: usize = 1024;

async fn receive(mut body: Incoming, keep: bool) -> Result<Received, io::Error> {
    let mut bytes = BytesMut::new();
    let mut len = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(io::Error::other)?.into_data() else { continue };
        len += data.len();
        // Our own client says `stream` at the beginning; then the rest need not be kept.
        if keep || bytes.len() < BEGINNING || Asked::quick(&bytes).is_none() {
            bytes.extend_from_slice(&data);
        }
    }
    Ok(Received { bytes: bytes.freeze(), len })
}

/// What the server must know of a request.
struct Asked {
    stream: bool,
    model: String,
}

impl Asked {
    fn of(body: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct Fields<'a> {
            #[serde(default)]
            stream: Option<bool>,
            #[serde(borrow, default)]
            model: Cow<'a, str>,
        }
        if let Some(asked) = Self::quick(body) {
            return asked;
        }
        let fields: Option<Fields<'_>> = serde_json::from_slice(body).ok();
        let (stream, model) = fields.map(|fields| (fields.stream, fields.model.into_owned())).unwrap_or_default();
        Self { stream: stream.unwrap_or(false), model }
    }

    /// Without parsing, from the beginning of a body as our own client writes it.
    fn quick(body: &[u8]) -> Option<Self> {
        let beginning = &body[..body.len().min(BEGINNING)];
        let beginning = String::from_utf8_lossy(beginning);
        let model = beginning.strip_prefix("{\"model\":\"")?.split('"').next()?.to_owned();
        let messages = [",\"tools\":", ",\"messages\":", ",\"input\":", ",\"system\":", ",\"instructions\":"];
        let head = messages.iter().filter_map(|field| beginning.find(field)).min()?;
        beginning[..head].contains("\"stream\":true").then_some(Self { stream: true, model })
    }
}

/// A body that plays its steps.
struct Playing {
    steps: VecDeque<Step>,
    pause: Option<Pin<Box<tokio::time::Sleep>>>,
    flushed: bool,
    told: Option<Told>,
}

struct Told {
    shared: Arc<Shared>,
    received: Instant,
}

impl Body for Playing {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            match self.steps.front() {
                // hyper writes out what it holds whenever the body has nothing for it.
                Some(Step::Flush) if !self.flushed => {
                    self.flushed = true;
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Some(Step::Hang) => return Poll::Pending,
                _ => {}
            }
            self.flushed = false;
            match self.steps.pop_front() {
                Some(Step::Send(bytes)) => return Poll::Ready(Some(Ok(Frame::data(bytes)))),
                Some(Step::Flush | Step::Hang) => {}
                Some(Step::Pause(time)) => self.pause = Some(Box::pin(tokio::time::sleep(time))),
                Some(Step::Abort) => {
                    self.told = None;
                    return Poll::Ready(Some(Err(io::Error::other("the scenario cuts here"))));
                }
                None => {
                    if let Some(told) = self.told.take() {
                        let timed = Timed { received: told.received, own: told.received.elapsed() };
                        told.shared.state().times.push(timed);
                    }
                    return Poll::Ready(None);
                }
            }
        }
    }
}

impl Drop for Playing {
    /// Dropped before its end: the client went away.
    fn drop(&mut self) {
        if let Some(told) = self.told.take() {
            told.shared.state().dropped += 1;
            told.shared.dropped.notify_all();
        }
    }
}
