//! Sends one request over HTTP and retries until it is answered; shared by all wire formats.
//!
//! Dropping the future drops the response and closes the socket (AG-4).

use crate::http::body::RequestBody;
use crate::http::error::{AttemptError, parse_error_body, requested_wait};
use crate::http::retry::RetryAttempts;
use crate::http::sse::{SseParser, TooBig};
use crate::providers::endpoint::{Endpoint, is_local};
use crate::wire::decode::{DecodeFlow, StreamDecoder, make_call_ids_unique};
use crate::wire::encode::{RequestEncoder, ThinkingRequest, WireProtocol};
use crate::{Model, ModelError, ModelSignal};
use async_trait::async_trait;
use cutonce_core::conversation::{ModelResponse, WireFormat};
use cutonce_core::model_request::ModelRequest;
use cutonce_core::sync::LockUnpoisoned;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use secrecy::ExposeSecret;
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime};
use tokio::time::{Instant, timeout, timeout_at};

pub(crate) struct HttpModel<P> {
    endpoint: Endpoint,
    protocol: P,
    encoder: Mutex<RequestEncoder>,
    http: OnceLock<Result<reqwest::Client, String>>,
    /// Set once the server has refused thinking, so that it is not requested again.
    thinking_refused: AtomicBool,
}

/// When the silence of a provider is reported first; the interval doubles from there.
const FIRST_REPORT: Duration = Duration::from_secs(10);

/// Maximum size of an error body.
const MAX_ERROR_BODY: usize = 64 << 10;

impl<P: WireProtocol> HttpModel<P> {
    pub fn new(endpoint: Endpoint) -> Self {
        let protocol = P::new(&endpoint);
        let (encoder, http) = (Mutex::default(), OnceLock::new());
        Self { endpoint, protocol, encoder, http, thinking_refused: AtomicBool::new(false) }
    }

    /// Builds the body for this request from what earlier ones already encoded.
    fn encode(&self, request: &ModelRequest<'_>) -> (ThinkingRequest, RequestBody) {
        let thinking = self.protocol.thinking_request(request, self.thinking_refused.load(Ordering::Relaxed));
        let mut encoder = self.encoder.lock_unpoisoned();
        let pieces = encoder.encode_body(&self.protocol, request, &thinking);
        (thinking, pieces)
    }

    async fn run_attempt(
        &self,
        thinking: &ThinkingRequest,
        body: RequestBody,
        sink: &mut (dyn FnMut(ModelSignal) + Send),
    ) -> Result<ModelResponse, AttemptError> {
        let mut response = self.with_patience(self.send(thinking, body), sink).await??;
        let mut events = SseParser::default();
        let mut decoder = P::Decoder::default();
        loop {
            let chunk = match self.with_patience(response.chunk(), sink).await? {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(error) => {
                    tracing::debug!(error = %root_cause(&error), "the stream broke");
                    break;
                }
            };
            events.push_chunk(&chunk).map_err(too_big_error)?;
            if feed_decoder(&mut events, &mut decoder, sink)? == DecodeFlow::Done {
                drain_response(response).await;
                return decoder.finish().map(make_call_ids_unique);
            }
        }
        events.finish_input();
        feed_decoder(&mut events, &mut decoder, sink)?;
        let half = events.has_partial_event();
        decoder.finish().map(make_call_ids_unique).map_err(|trouble| match trouble {
            AttemptError::StreamEnded if half => AttemptError::HalfEvent,
            other => other,
        })
    }

    /// Waits for the provider for at most the idle timeout, and reports its silence meanwhile (MO-3).
    async fn with_patience<T>(
        &self,
        work: impl Future<Output = T>,
        sink: &mut (dyn FnMut(ModelSignal) + Send),
    ) -> Result<T, AttemptError> {
        let (start, idle) = (Instant::now(), self.endpoint.idle_timeout);
        let mut work = std::pin::pin!(work);
        let mut waited = (idle / 4).min(FIRST_REPORT);
        while waited < idle {
            match timeout_at(start + waited, &mut work).await {
                Ok(done) => return Ok(done),
                Err(_) => sink(ModelSignal::Waiting { host: self.endpoint.host(), seconds: waited.as_secs() }),
            }
            waited *= 2;
        }
        timeout_at(start + idle, work).await.map_err(|_| AttemptError::Idle(idle))
    }

    /// Sends the request; returns the head of a successful response.
    async fn send(&self, thinking: &ThinkingRequest, body: RequestBody) -> Result<reqwest::Response, AttemptError> {
        let http = self.http.get_or_init(|| build_http_client(&self.endpoint.base_url)).as_ref();
        let http = http.map_err(|words| AttemptError::Setup(words.clone()))?;
        let url = format!("{}{}", self.endpoint.base_url, P::PATH);
        let sent = http.post(url).headers(self.headers(thinking)?).body(reqwest::Body::wrap(body)).send().await;
        let response = sent.map_err(|error| connection_error(&error))?;
        let status = response.status();
        let header = |name: &str| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
        if !status.is_success() {
            let after = requested_wait(header, SystemTime::now());
            let (code, words) = parse_error_body(&read_error_body(response).await);
            return Err(AttemptError::Provider { status: status.as_u16(), code, words, after });
        }
        let kind = header("content-type").unwrap_or_default();
        if kind.starts_with("application/json") || kind.starts_with("text/html") {
            let (_, words) = parse_error_body(&read_error_body(response).await);
            return Err(AttemptError::NoStream { kind, words });
        }
        Ok(response)
    }

    fn headers(&self, thinking: &ThinkingRequest) -> Result<HeaderMap, AttemptError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in self.protocol.headers(thinking) {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if let Some(key) = &self.endpoint.key {
            let key = key.expose_secret();
            let own_header = P::WIRE == WireFormat::Anthropic && !self.endpoint.bearer;
            let (name, text) = match own_header {
                true => (HeaderName::from_static("x-api-key"), key.to_owned()),
                false => (AUTHORIZATION, format!("Bearer {key}")),
            };
            let mut value = HeaderValue::from_str(&text).map_err(|_| {
                AttemptError::Setup("the key contains characters that are not allowed in a header".to_owned())
            })?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }
}

#[async_trait]
impl<P: WireProtocol> Model for HttpModel<P> {
    fn name(&self) -> &str {
        &self.endpoint.model
    }

    fn wire(&self) -> WireFormat {
        P::WIRE
    }

    /// Encoded messages belong to one conversation; the connections are shared.
    fn for_other_session(&self) -> Option<Arc<dyn Model>> {
        let http = self.http.get_or_init(|| build_http_client(&self.endpoint.base_url)).clone();
        let plain = AtomicBool::new(self.thinking_refused.load(Ordering::Relaxed));
        Some(Arc::new(Self { http: OnceLock::from(http), thinking_refused: plain, ..Self::new(self.endpoint.clone()) }))
    }

    async fn answer(
        &self,
        request: &ModelRequest<'_>,
        sink: &mut (dyn FnMut(ModelSignal) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let mut attempts = RetryAttempts::new(self.endpoint.retry);
        let (mut thinking, mut body) = self.encode(request);
        loop {
            let trouble = match self.run_attempt(&thinking, body.clone(), sink).await {
                // Some servers do not name the model.
                Ok(mut response) => {
                    if response.model.is_empty() {
                        response.model.clone_from(&self.endpoint.model);
                    }
                    return Ok(response);
                }
                Err(trouble) => trouble,
            };
            let next = attempts.after_failure(&trouble, &self.endpoint, thinking.fields.is_some())?;
            if next.without_thinking {
                self.thinking_refused.store(true, Ordering::Relaxed);
                (thinking, body) = self.encode(request);
            }
            sink(next.signal);
            if !next.pause.is_zero() {
                tokio::time::sleep(next.pause).await;
            }
        }
    }
}

/// Passes every complete event to the decoder.
fn feed_decoder<D: StreamDecoder>(
    events: &mut SseParser,
    decoder: &mut D,
    sink: &mut (dyn FnMut(ModelSignal) + Send),
) -> Result<DecodeFlow, AttemptError> {
    while let Some(event) = events.next_event().map_err(too_big_error)? {
        let (name, before) = (std::str::from_utf8(&event.name).unwrap_or_default(), decoder.usage());
        let flow = decoder.handle_event(name, &event.data, &mut |delta| sink(ModelSignal::Delta(delta)));
        // Also of an answer that fails (DU-3).
        let usage = decoder.usage();
        if usage != before {
            sink(ModelSignal::Usage(usage));
        }
        if flow? == DecodeFlow::Done {
            return Ok(DecodeFlow::Done);
        }
    }
    Ok(DecodeFlow::More)
}

fn too_big_error(TooBig(what): TooBig) -> AttemptError {
    AttemptError::TooBig(what)
}

/// Reads the rest of the body, which mostly has arrived already, so that the next turn can reuse the connection.
async fn drain_response(mut response: reqwest::Response) {
    let ended = timeout(Duration::from_millis(20), async { while let Ok(Some(_)) = response.chunk().await {} }).await;
    match ended {
        // Lets the connection return to the pool.
        Ok(()) => tokio::task::yield_now().await,
        Err(_) => {
            let rest = async move { while let Ok(Some(_)) = response.chunk().await {} };
            tokio::spawn(timeout(Duration::from_secs(2), rest));
        }
    }
}

pub async fn read_error_body(mut response: reqwest::Response) -> Vec<u8> {
    let mut body = Vec::new();
    let reading = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_ERROR_BODY {
                break;
            }
        }
    };
    let _ = timeout(Duration::from_secs(10), reading).await;
    body.truncate(MAX_ERROR_BODY);
    body
}

pub fn connection_error(error: &reqwest::Error) -> AttemptError {
    let words = root_cause(error);
    if words.to_lowercase().contains("certificate") {
        return AttemptError::Setup(words);
    }
    let mut source = error.source();
    let mut refused = false;
    while let Some(inner) = source {
        let io = inner.downcast_ref::<std::io::Error>();
        refused |= io.is_some_and(|io| io.kind() == std::io::ErrorKind::ConnectionRefused);
        source = inner.source();
    }
    AttemptError::Disconnected { words, refused }
}

/// Returns the root cause of an error; the layers above it repeat the URL.
pub fn root_cause(error: &dyn Error) -> String {
    let mut error = error;
    while let Some(inner) = error.source() {
        error = inner;
    }
    error.to_string()
}

/// Builds an HTTP/1.1 client: one connection, kept between turns and closed when a request is dropped.
pub fn build_http_client(base_url: &str) -> Result<reqwest::Client, String> {
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
        // Another crate may have installed a provider already; any will do.
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
    builder.build().map_err(|error| root_cause(&error))
}
