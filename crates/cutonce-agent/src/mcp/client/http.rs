//! Streamable HTTP transport with our own client: one TLS setup, no redirects that leak headers, limited bodies, and
//! the token of the server's login (DU-10).

use super::super::login::ServerToken;
use super::traffic_meter::{MAX_MESSAGE, TrafficMeter};
use futures_util::stream::{BoxStream, StreamExt};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use secrecy::{ExposeSecret, SecretString};
use sse_stream::{Sse, SseStream};
use std::collections::HashMap;
use std::sync::Arc;

const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";
const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";
/// Maximum length of an error body in messages.
const MAX_ERROR_BODY: usize = 500;

type HttpError = StreamableHttpError<reqwest::Error>;
type HeaderValues = HashMap<HeaderName, HeaderValue>;

#[derive(Clone)]
pub(super) struct HttpTransport {
    client: reqwest::Client,
    meter: Arc<TrafficMeter>,
    /// `None` if the definition has its own `Authorization` header.
    token: Option<Arc<ServerToken>>,
}

/// Creates the client and its transport configuration.
pub(super) fn http_client(
    url: &str,
    headers: &[(String, String)],
    meter: Arc<TrafficMeter>,
    token: Option<Arc<ServerToken>>,
) -> Result<(HttpTransport, StreamableHttpClientTransportConfig), String> {
    if !(url.starts_with("http://") || url.starts_with("https://")) {
        return Err(format!("`url`: expected an http or https address, got {url:?}"));
    }
    let client = cutonce_models::http_client(url)?;
    let mut given = HashMap::new();
    for (name, value) in headers {
        let bad = |_| format!("`headers`: {name:?} can't be sent");
        let key = HeaderName::try_from(name.as_str())
            .map_err(|_| format!("`headers`: {name:?} is not a valid header name"))?;
        let mut value = HeaderValue::try_from(value.as_str()).map_err(bad)?;
        value.set_sensitive(true);
        given.insert(key, value);
    }
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(given);
    Ok((HttpTransport { client, meter, token }, config))
}

impl HttpTransport {
    /// Sends a request with the login's token. If the server refuses the token, renews it once and sends again.
    async fn send(&self, request: RequestBuilder) -> Result<Response, HttpError> {
        let Some(login) = &self.token else {
            return request.send().await.map_err(StreamableHttpError::Client);
        };
        let failed = |error: super::super::login::LoginError| {
            StreamableHttpError::UnexpectedServerResponse(error.to_string().into())
        };
        let Some(token) = login.current().await.map_err(failed)? else {
            return request.send().await.map_err(StreamableHttpError::Client);
        };
        let again = request.try_clone();
        let response = with_token(request, &token)?.send().await.map_err(StreamableHttpError::Client)?;
        match again.filter(|_| response.status() == StatusCode::UNAUTHORIZED) {
            None => Ok(response),
            Some(again) => match login.after_refusal(&token).await.map_err(failed)? {
                Some(fresh) => with_token(again, &fresh)?.send().await.map_err(StreamableHttpError::Client),
                None => Ok(response),
            },
        }
    }

    fn with_headers(request: RequestBuilder, session: Option<&str>, headers: HeaderValues) -> RequestBuilder {
        let request = headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
        let request = request.header(ACCEPT, format!("{EVENTS}, {JSON}"));
        match session {
            Some(session) => request.header(SESSION, session),
            None => request,
        }
    }

    /// The response's events, counted as they arrive.
    fn event_stream(&self, response: Response) -> BoxStream<'static, Result<Sse, SseError>> {
        let meter = self.meter.clone();
        let bytes = response.bytes_stream().map(move |chunk| {
            let chunk = chunk.map_err(std::io::Error::other)?;
            meter.add(chunk.len() as u64, memchr::memmem::find_iter(&chunk, b"\n\n").count() as u64)?;
            Ok::<_, std::io::Error>(chunk)
        });
        SseStream::from_bytes_stream(bytes).boxed()
    }

    /// Reads a body up to the limit.
    async fn read_body(&self, mut response: Response, limit: u64) -> Result<Vec<u8>, HttpError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(StreamableHttpError::Client)? {
            body.extend_from_slice(&chunk);
            if body.len() as u64 > limit {
                let why = format!("it sent a message of more than {} MB", limit >> 20);
                return Err(StreamableHttpError::UnexpectedServerResponse(why.into()));
            }
        }
        Ok(body)
    }

    async fn error_response(&self, response: Response, session: bool) -> HttpError {
        let status = response.status();
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            self.meter.set_needs_auth();
        }
        if status == StatusCode::NOT_FOUND && session {
            return StreamableHttpError::SessionExpired;
        }
        let words = self.read_body(response, MAX_MESSAGE).await.unwrap_or_default();
        let words =
            String::from_utf8_lossy(words.get(..words.len().min(MAX_ERROR_BODY)).unwrap_or_default()).into_owned();
        StreamableHttpError::UnexpectedServerResponse(
            format!("HTTP {status} {}", words.trim()).trim().to_string().into(),
        )
    }
}

fn with_token(request: RequestBuilder, token: &SecretString) -> Result<RequestBuilder, HttpError> {
    let value = HeaderValue::try_from(format!("Bearer {}", token.expose_secret()));
    let unusable = |_| StreamableHttpError::UnexpectedServerResponse("the token of its login can't be sent".into());
    let mut value = value.map_err(unusable)?;
    value.set_sensitive(true);
    Ok(request.header(AUTHORIZATION, value))
}

fn content_type(response: &Response) -> String {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.unwrap_or_default().to_ascii_lowercase()
}

impl StreamableHttpClient for HttpTransport {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _auth: Option<String>,
        headers: HeaderValues,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let is_request = matches!(message, ClientJsonRpcMessage::Request(_));
        let body = serde_json::to_vec(&message)?;
        let request = HttpTransport::with_headers(self.client.post(uri.as_ref()), session.as_deref(), headers);
        let response = self.send(request.header(CONTENT_TYPE, JSON).body(body)).await?;
        let status = response.status();
        if !status.is_success() {
            return Err(self.error_response(response, session.is_some()).await);
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let id = response.headers().get(SESSION).and_then(|value| value.to_str().ok()).map(str::to_string);
        let kind = content_type(&response);
        if kind.starts_with(EVENTS) {
            return Ok(StreamableHttpPostResponse::Sse(self.event_stream(response), id));
        }
        if !is_request {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if !kind.starts_with(JSON) {
            return Err(StreamableHttpError::UnexpectedContentType(Some(kind)));
        }
        let body = self.read_body(response, MAX_MESSAGE).await?;
        let answer: ServerJsonRpcMessage = serde_json::from_slice(&body)?;
        Ok(StreamableHttpPostResponse::Json(answer, id))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _auth: Option<String>,
        headers: HeaderValues,
    ) -> Result<(), HttpError> {
        let request = HttpTransport::with_headers(self.client.delete(uri.as_ref()), Some(&session), headers);
        let response = self.send(request).await?;
        match response.status() {
            status if status.is_success() || status == StatusCode::METHOD_NOT_ALLOWED => Ok(()),
            _ => Err(self.error_response(response, true).await),
        }
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _auth: Option<String>,
        headers: HeaderValues,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, HttpError> {
        let mut request = HttpTransport::with_headers(self.client.get(uri.as_ref()), session.as_deref(), headers);
        if let Some(last_event) = last_event {
            request = request.header(LAST_EVENT, last_event);
        }
        let response = self.send(request).await?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(StreamableHttpError::ServerDoesNotSupportSse),
            status if !status.is_success() => Err(self.error_response(response, session.is_some()).await),
            _ if content_type(&response).starts_with(EVENTS) => Ok(self.event_stream(response)),
            _ => Err(StreamableHttpError::UnexpectedContentType(Some(content_type(&response)))),
        }
    }
}
