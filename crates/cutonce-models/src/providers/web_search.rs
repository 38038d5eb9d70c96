//! Web search by the provider's own tool (DU-12): one request outside the conversation, whose answer is a text with its
//! sources. Anthropic and OpenAI offer one.

use crate::ModelError;
use crate::http::client::{build_http_client, connection_error, read_error_body};
use crate::http::error::{AttemptError, parse_error_body};
use crate::providers::endpoint::Endpoint;
use cutonce_core::conversation::{TokenUsage, WireFormat};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use std::time::Duration;

/// Longest wait for a search.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(120);
/// Most bytes of an answer, sources of one search, and searches of one call.
const MAX_ANSWER: usize = 4 << 20;
const MAX_SOURCES: usize = 20;
const MAX_SEARCHES: u32 = 5;

/// Dollars that Anthropic and OpenAI charge for one search, in addition to tokens.
const SEARCH_PRICE: f64 = 0.01;

/// A page that the provider found or cited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchSource {
    pub title: String,
    pub url: String,
}

/// The answer of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchAnswer {
    pub text: String,
    pub sources: Vec<SearchSource>,
    /// The model that searched.
    pub model: String,
    pub usage: TokenUsage,
    /// Why a search failed, in the provider's words.
    pub failure: Option<String>,
}

impl SearchAnswer {
    /// Cost of the searches in dollars, without the tokens.
    pub fn search_cost(&self) -> f64 {
        self.usage.web_searches as f64 * SEARCH_PRICE
    }
}

/// True if the provider of this endpoint has a search of its own.
pub fn can_search(endpoint: &Endpoint) -> bool {
    matches!(
        (endpoint.provider.as_str(), endpoint.wire),
        ("anthropic", WireFormat::Anthropic) | ("openai", WireFormat::Responses)
    )
}

/// Why a search has no answer. The text contains no keys.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("{provider} has no web search; anthropic and openai have one.")]
    NotOffered { provider: String },
    /// The model that names the provider can't be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("{provider} did not answer the search within {seconds} s")]
    TooSlow { provider: String, seconds: u64 },
    #[error("{0}")]
    NotSent(String),
    #[error("{provider} answered {status}: {words}")]
    Status { provider: String, status: u16, words: String },
    #[error("{provider} answered with {what}")]
    BadAnswer { provider: String, what: String },
    #[error("Interrupted before the search ended.")]
    Interrupted,
}

/// Asks the provider's search tool.
pub async fn search_web(endpoint: &Endpoint, query: &str) -> Result<SearchAnswer, SearchError> {
    let provider = endpoint.provider.clone();
    let slow = |_| SearchError::TooSlow { provider, seconds: SEARCH_TIMEOUT.as_secs() };
    let answer = tokio::time::timeout(SEARCH_TIMEOUT, send_search(endpoint, query)).await.map_err(slow)??;
    let read = match endpoint.wire {
        WireFormat::Anthropic => read_anthropic(&answer),
        WireFormat::Responses | WireFormat::Chat => read_responses(&answer),
    };
    let model = answer.get("model").and_then(Value::as_str).unwrap_or(&endpoint.model);
    Ok(SearchAnswer { model: model.to_string(), ..read })
}

async fn send_search(endpoint: &Endpoint, query: &str) -> Result<Value, SearchError> {
    let words = |text: &str| endpoint.redact_secrets(text);
    let not_sent = |text: &str| SearchError::NotSent(words(text));
    let bad_answer = |what: String| SearchError::BadAnswer { provider: endpoint.provider.clone(), what };
    let client = build_http_client(&endpoint.base_url).map_err(|error| not_sent(&error))?;
    let (path, body) = search_request(endpoint, query);
    let mut request = client.post(format!("{}{path}", endpoint.base_url));
    request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
    if endpoint.wire == WireFormat::Anthropic {
        request = request.header("anthropic-version", crate::wire::anthropic::API_VERSION);
    }
    if let Some(key) = &endpoint.key {
        let own_header = endpoint.wire == WireFormat::Anthropic && !endpoint.bearer;
        let (name, text) = match own_header {
            true => ("x-api-key", key.expose_secret().to_owned()),
            false => (AUTHORIZATION.as_str(), format!("Bearer {}", key.expose_secret())),
        };
        let mut value =
            HeaderValue::from_str(&text).map_err(|_| not_sent("the key has characters that can't be sent"))?;
        value.set_sensitive(true);
        request = request.header(name, value);
    }
    let mut response = request.send().await.map_err(|error| match connection_error(&error) {
        AttemptError::Disconnected { words: why, .. } | AttemptError::Setup(why) => not_sent(&why),
        other => not_sent(&format!("{other:?}")),
    })?;
    let status = response.status();
    if !status.is_success() {
        let (_, why) = parse_error_body(&read_error_body(response).await);
        let (provider, status) = (endpoint.provider.clone(), status.as_u16());
        return Err(SearchError::Status { provider, status, words: words(&why) });
    }
    let mut answer = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| not_sent(&error.to_string()))? {
        answer.extend_from_slice(&chunk);
        if answer.len() > MAX_ANSWER {
            return Err(bad_answer(format!("more than {MAX_ANSWER} bytes")));
        }
    }
    serde_json::from_slice(&answer).map_err(|_| bad_answer("something other than JSON".into()))
}

fn search_request(endpoint: &Endpoint, query: &str) -> (&'static str, Value) {
    let asked = format!("Search the web and answer with what you find: {query}");
    match endpoint.wire {
        WireFormat::Anthropic => (
            "/v1/messages",
            json!({
                "model": endpoint.model,
                "max_tokens": 4_096,
                "messages": [{"role": "user", "content": asked}],
                "tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": MAX_SEARCHES}],
            }),
        ),
        WireFormat::Responses | WireFormat::Chat => (
            "/responses",
            json!({
                "model": endpoint.model,
                "input": asked,
                "tools": [{"type": "web_search"}],
                "store": false,
            }),
        ),
    }
}

/// Collects sources without repeating an address.
fn add_source(sources: &mut Vec<SearchSource>, found: &Value) {
    let text = |field: &str| found.get(field).and_then(Value::as_str).unwrap_or_default().to_string();
    let source = SearchSource { title: text("title"), url: text("url") };
    let known = sources.iter().any(|known| known.url == source.url);
    if sources.len() < MAX_SOURCES && source.url.starts_with("http") && !known {
        sources.push(source);
    }
}

fn list<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

fn text_at<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

fn read_anthropic(answer: &Value) -> SearchAnswer {
    let mut read = SearchAnswer::default();
    for block in list(answer, "content") {
        match text_at(block, "/type") {
            Some("text") => {
                read.text.push_str(text_at(block, "/text").unwrap_or_default());
                list(block, "citations").for_each(|cited| add_source(&mut read.sources, cited));
            }
            Some("web_search_tool_result") => {
                list(block, "content").for_each(|found| add_source(&mut read.sources, found));
                read.failure = text_at(block, "/content/error_code").map(str::to_string).or(read.failure);
            }
            _ => {}
        }
    }
    let count = |field: &str| answer.pointer(&format!("/usage/{field}")).and_then(Value::as_u64).unwrap_or_default();
    read.usage = TokenUsage {
        input_tokens: count("input_tokens"),
        output_tokens: count("output_tokens"),
        cache_creation_input_tokens: count("cache_creation_input_tokens"),
        cache_read_input_tokens: count("cache_read_input_tokens"),
        web_searches: count("server_tool_use/web_search_requests"),
    };
    read
}

fn read_responses(answer: &Value) -> SearchAnswer {
    let mut read = SearchAnswer::default();
    let mut web_searches = 0;
    for item in list(answer, "output") {
        web_searches += u64::from(text_at(item, "/type") == Some("web_search_call"));
        for part in list(item, "content") {
            read.text.push_str(text_at(part, "/text").unwrap_or_default());
            list(part, "annotations").for_each(|cited| add_source(&mut read.sources, cited));
        }
    }
    let failure = text_at(answer, "/error/message").or_else(|| text_at(answer, "/incomplete_details/reason"));
    read.failure = failure.map(str::to_string);
    let count = |field: &str| answer.pointer(&format!("/usage/{field}")).and_then(Value::as_u64).unwrap_or_default();
    let cached = count("input_tokens_details/cached_tokens");
    read.usage = TokenUsage {
        input_tokens: count("input_tokens").saturating_sub(cached),
        output_tokens: count("output_tokens"),
        cache_read_input_tokens: cached,
        web_searches,
        ..TokenUsage::default()
    };
    read
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    /// A server that gives this answer to its first request; returns its address, and the request when it is over.
    fn canned(status: &str, body: &Value) -> (String, std::thread::JoinHandle<String>) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        let served = std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
            loop {
                let read = socket.read(&mut buffer).unwrap();
                request.extend_from_slice(&buffer[..read]);
                let text = String::from_utf8_lossy(&request).into_owned();
                let length = |head: &str| head.split("content-length: ").nth(1)?.lines().next()?.parse::<usize>().ok();
                let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| length(head) == Some(body.len()));
                if read == 0 || whole {
                    break;
                }
            }
            socket.write_all(format!("{head}{body}").as_bytes()).unwrap();
            String::from_utf8_lossy(&request).into_owned()
        });
        (address, served)
    }

    fn endpoint(provider: &str, wire: WireFormat, url: &str) -> Endpoint {
        let mut endpoint = Endpoint::new(provider, wire, url, "m-1");
        endpoint.key = Some("sk-secret-key-123".to_string().into());
        endpoint
    }

    #[tokio::test]
    async fn du_12_anthropic_search_cites_its_sources() {
        let body = json!({"content": [
            {"type": "server_tool_use", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "content": [
                {"type": "web_search_result", "title": "One", "url": "https://one.example"},
                {"type": "web_search_result", "title": "Bad", "url": "javascript:alert(1)"}]},
            {"type": "text", "text": "It is so.", "citations": [
                {"type": "web_search_result_location", "title": "One", "url": "https://one.example"}]}],
            "model": "m-1-dated",
            "usage": {"input_tokens": 9, "output_tokens": 4, "cache_read_input_tokens": 3,
                      "server_tool_use": {"web_search_requests": 2}}});
        let (url, served) = canned("200 OK", &body);
        let answer = search_web(&endpoint("anthropic", WireFormat::Anthropic, &url), "is it so").await.unwrap();
        assert_eq!(answer.text, "It is so.");
        assert_eq!(answer.sources, [SearchSource { title: "One".into(), url: "https://one.example".into() }]);
        let usage = answer.usage;
        assert_eq!((usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens), (9, 4, 3));
        assert_eq!((answer.model.as_str(), answer.usage.web_searches, answer.search_cost()), ("m-1-dated", 2, 0.02));
        let request = served.join().unwrap();
        assert!(request.starts_with("POST /v1/messages ") && request.contains("web_search_20250305"), "{request}");
        assert!(request.contains("x-api-key: sk-secret-key-123") && request.contains("is it so"), "{request}");
    }

    #[tokio::test]
    async fn du_12_openai_search_cites_its_sources() {
        let body = json!({"output": [
            {"type": "web_search_call", "status": "completed"},
            {"type": "message", "content": [{"type": "output_text", "text": "Yes.", "annotations": [
                {"type": "url_citation", "title": "Two", "url": "https://two.example"}]}]}],
            "usage": {"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 5}}});
        let (url, served) = canned("200 OK", &body);
        let answer = search_web(&endpoint("openai", WireFormat::Responses, &url), "q").await.unwrap();
        assert_eq!((answer.text.as_str(), answer.sources[0].url.as_str()), ("Yes.", "https://two.example"));
        assert_eq!((answer.model.as_str(), answer.usage.web_searches), ("m-1", 1));
        assert_eq!((answer.usage.input_tokens, answer.usage.cache_read_input_tokens), (4, 5));
        let request = served.join().unwrap();
        assert!(request.starts_with("POST /responses ") && request.contains("\"web_search\""), "{request}");
    }

    #[test]
    fn du_12_answer_names_the_providers_failure() {
        let failed = json!({"content": [{"type": "web_search_tool_result",
            "content": {"type": "web_search_tool_result_error", "error_code": "too_many_requests"}}]});
        assert_eq!(read_anthropic(&failed).failure.as_deref(), Some("too_many_requests"));
        let failed = json!({"status": "failed", "error": {"message": "no search today"}, "output": []});
        assert_eq!(read_responses(&failed).failure.as_deref(), Some("no search today"));
    }

    #[tokio::test]
    async fn du_12_failed_search_says_why_without_the_key() {
        let body = json!({"error": {"message": "key sk-secret-key-123 may not search"}});
        let (url, _served) = canned("403 Forbidden", &body);
        let why = search_web(&endpoint("anthropic", WireFormat::Anthropic, &url), "q").await.unwrap_err().to_string();
        assert!(why.starts_with("anthropic answered 403:") && !why.contains("sk-secret-key-123"), "{why}");
    }

    #[test]
    fn du_12_only_providers_with_a_search_offer_it() {
        assert!(can_search(&endpoint("anthropic", WireFormat::Anthropic, "http://x")));
        assert!(can_search(&endpoint("openai", WireFormat::Responses, "http://x")));
        for (provider, wire) in
            [("groq", WireFormat::Chat), ("mine", WireFormat::Anthropic), ("openai", WireFormat::Chat)]
        {
            assert!(!can_search(&endpoint(provider, wire, "http://x")), "{provider}");
        }
    }
}
