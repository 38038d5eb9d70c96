//! One request over HTTP, and again until it is answered: the same for every wire format.
//!
//! Dropping the future drops the response and with it the socket (AG-4).

use crate::body::Pieces;
use crate::decode::{Decoder, Flow, tell_apart};
use crate::encode::{Encoder, Plan, Protocol};
use crate::endpoint::{Endpoint, is_local};
use crate::fault::{Trouble, asked_wait, words_of};
use crate::retry::Attempts;
use crate::sse::{Events, TooBig};
use crate::{Model, ModelError, Signal};
use async_trait::async_trait;
use cutonce_core::conversation::{Response, Wire};
use cutonce_core::request::Request;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use secrecy::ExposeSecret;
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::time::timeout;

pub(crate) struct Client<P> {
    endpoint: Endpoint,
    protocol: P,
    encoder: Mutex<Encoder>,
    http: OnceLock<Result<reqwest::Client, String>>,
    /// The server refused thinking once: it is not asked for it again.
    plain: AtomicBool,
}

/// Of an error's body.
const MAX_WORDS: usize = 64 << 10;

impl<P: Protocol> Client<P> {
    pub fn new(endpoint: Endpoint) -> Self {
        let protocol = P::new(&endpoint);
        let (encoder, http) = (Mutex::default(), OnceLock::new());
        Self { endpoint, protocol, encoder, http, plain: AtomicBool::new(false) }
    }

    /// The body for this request, out of what earlier ones already encoded.
    fn encode(&self, request: &Request<'_>) -> (Plan, Pieces) {
        let plan = self.protocol.plan(request, self.plain.load(Ordering::Relaxed));
        let mut encoder = self.encoder.lock().unwrap_or_else(PoisonError::into_inner);
        let pieces = encoder.body(&self.protocol, request, &plan);
        (plan, pieces)
    }

    async fn attempt(
        &self,
        plan: &Plan,
        body: Pieces,
        sink: &mut (dyn FnMut(Signal) + Send),
    ) -> Result<Response, Trouble> {
        let idle = self.endpoint.idle;
        let mut response = timeout(idle, self.send(plan, body)).await.map_err(|_| Trouble::Idle(idle))??;
        let mut events = Events::default();
        let mut decoder = P::Decoder::default();
        loop {
            let chunk = match timeout(idle, response.chunk()).await {
                Err(_) => return Err(Trouble::Idle(idle)),
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => break,
                Ok(Err(error)) => {
                    tracing::debug!(error = %deepest(&error), "the stream broke");
                    break;
                }
            };
            events.push(&chunk).map_err(too_big)?;
            if feed(&mut events, &mut decoder, sink)? == Flow::Done {
                leave_reusable(response).await;
                return decoder.finish().map(tell_apart);
            }
        }
        events.end();
        feed(&mut events, &mut decoder, sink)?;
        let half = events.is_half();
        decoder.finish().map(tell_apart).map_err(|trouble| match trouble {
            Trouble::Cut if half => Trouble::HalfEvent,
            other => other,
        })
    }

    /// Sends the request; comes back with the head of a good response.
    async fn send(&self, plan: &Plan, body: Pieces) -> Result<reqwest::Response, Trouble> {
        let http = self.http.get_or_init(|| build(&self.endpoint.base_url)).as_ref();
        let http = http.map_err(|words| Trouble::Setup(words.clone()))?;
        let url = format!("{}{}", self.endpoint.base_url, P::PATH);
        let sent = http.post(url).headers(self.headers(plan)?).body(reqwest::Body::wrap(body)).send().await;
        let response = sent.map_err(|error| lost(&error))?;
        let status = response.status();
        let header = |name: &str| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
        if !status.is_success() {
            let after = asked_wait(header, SystemTime::now());
            let (code, words) = words_of(&read_words(response).await);
            return Err(Trouble::Provider { status: status.as_u16(), code, words, after });
        }
        let kind = header("content-type").unwrap_or_default();
        if kind.starts_with("application/json") || kind.starts_with("text/html") {
            let (_, words) = words_of(&read_words(response).await);
            return Err(Trouble::NoStream { kind, words });
        }
        Ok(response)
    }

    fn headers(&self, plan: &Plan) -> Result<HeaderMap, Trouble> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in self.protocol.headers(plan) {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if let Some(key) = &self.endpoint.key {
            let key = key.expose_secret();
            let own_header = P::WIRE == Wire::Anthropic && !self.endpoint.bearer;
            let (name, text) = match own_header {
                true => (HeaderName::from_static("x-api-key"), key.to_owned()),
                false => (AUTHORIZATION, format!("Bearer {key}")),
            };
            let mut value = HeaderValue::from_str(&text)
                .map_err(|_| Trouble::Setup("the key holds characters that no header can carry".to_owned()))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }
}

#[async_trait]
impl<P: Protocol> Model for Client<P> {
    fn name(&self) -> &str {
        &self.endpoint.model
    }

    fn wire(&self) -> Wire {
        P::WIRE
    }

    /// What was encoded belongs to one conversation; the connections serve all.
    fn another(&self) -> Option<Arc<dyn Model>> {
        let http = self.http.get_or_init(|| build(&self.endpoint.base_url)).clone();
        let plain = AtomicBool::new(self.plain.load(Ordering::Relaxed));
        Some(Arc::new(Self { http: OnceLock::from(http), plain, ..Self::new(self.endpoint.clone()) }))
    }

    async fn answer(
        &self,
        request: &Request<'_>,
        sink: &mut (dyn FnMut(Signal) + Send),
    ) -> Result<Response, ModelError> {
        let mut attempts = Attempts::new(self.endpoint.retry);
        let (mut plan, mut body) = self.encode(request);
        loop {
            let trouble = match self.attempt(&plan, body.clone(), sink).await {
                Ok(response) => return Ok(response),
                Err(trouble) => trouble,
            };
            let next = attempts.failed(&trouble, &self.endpoint, plan.thinking.is_some())?;
            if next.without_thinking {
                self.plain.store(true, Ordering::Relaxed);
                (plan, body) = self.encode(request);
            }
            sink(next.signal);
            if !next.pause.is_zero() {
                tokio::time::sleep(next.pause).await;
            }
        }
    }
}

/// Hands every whole event to the decoder.
fn feed<D: Decoder>(
    events: &mut Events,
    decoder: &mut D,
    sink: &mut (dyn FnMut(Signal) + Send),
) -> Result<Flow, Trouble> {
    while let Some(event) = events.next().map_err(too_big)? {
        let name = std::str::from_utf8(&event.name).unwrap_or_default();
        if decoder.event(name, &event.data, &mut |delta| sink(Signal::Delta(delta)))? == Flow::Done {
            return Ok(Flow::Done);
        }
    }
    Ok(Flow::More)
}

fn too_big(TooBig(what): TooBig) -> Trouble {
    Trouble::TooBig(what)
}

/// Reads the end of the body, which mostly is there already: only then the next turn finds the connection open.
async fn leave_reusable(mut response: reqwest::Response) {
    let ended = timeout(Duration::from_millis(20), async { while let Ok(Some(_)) = response.chunk().await {} }).await;
    match ended {
        // Lets the connection go back to the pool.
        Ok(()) => tokio::task::yield_now().await,
        Err(_) => {
            let rest = async move { while let Ok(Some(_)) = response.chunk().await {} };
            tokio::spawn(timeout(Duration::from_secs(2), rest));
        }
    }
}

async fn read_words(mut response: reqwest::Response) -> Vec<u8> {
    let mut body = Vec::new();
    let reading = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_WORDS {
                break;
            }
        }
    };
    let _ = timeout(Duration::from_secs(10), reading).await;
    body.truncate(MAX_WORDS);
    body
}

fn lost(error: &reqwest::Error) -> Trouble {
    let words = deepest(error);
    if words.to_lowercase().contains("certificate") {
        return Trouble::Setup(words);
    }
    let mut source = error.source();
    let mut refused = false;
    while let Some(inner) = source {
        let io = inner.downcast_ref::<std::io::Error>();
        refused |= io.is_some_and(|io| io.kind() == std::io::ErrorKind::ConnectionRefused);
        source = inner.source();
    }
    Trouble::Lost { words, refused }
}

/// The root of an error is what helps; the layers above it repeat the URL.
fn deepest(error: &dyn Error) -> String {
    let mut error = error;
    while let Some(inner) = error.source() {
        error = inner;
    }
    error.to_string()
}

/// HTTP/1.1 only: one connection, kept between turns, and closed at once when a request is dropped.
pub fn build(base_url: &str) -> Result<reqwest::Client, String> {
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("cutonce/", env!("CARGO_PKG_VERSION")))
        .http1_only()
        .tcp_nodelay(true)
        .gzip(false)
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(30))
        .pool_idle_timeout(Duration::from_secs(90));
    if is_local(base_url) {
        builder = builder.no_proxy();
    }
    let ring = rustls::crypto::ring::default_provider();
    if base_url.starts_with("https:") {
        // Someone else may have installed one already; any will do.
        let _ = ring.install_default();
    } else {
        // Plain HTTP never needs the system's certificates, and loading them takes milliseconds.
        let config = rustls::ClientConfig::builder_with_provider(ring.into())
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        builder = builder.tls_backend_preconfigured(config);
    }
    builder.build().map_err(|error| deepest(&error))
}
