//! Lists the models of a provider with one request, which also proves that the key works (ON-3), and finds model
//! servers on this machine.

use super::{BuiltInProvider, PROVIDERS, ProviderEntry};
use crate::http::client::{build_http_client, connection_error, read_error_body};
use crate::http::error::{AttemptError, parse_error_body, to_one_line, web_page_words};
use crate::providers::endpoint::{Endpoint, is_loopback};
use crate::{FaultKind, ModelError};
use cutonce_core::conversation::WireFormat;
use reqwest::header::{AUTHORIZATION, HeaderValue, LOCATION};
use secrecy::ExposeSecret;
use serde::Deserialize;
use std::time::Duration;

/// Longest wait for the list of a provider.
const LIST_TIMEOUT: Duration = Duration::from_secs(15);
/// Longest wait for a server on this machine, which answers at once if it runs.
const LOCAL_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum size of a list; OpenRouter's has about 1 MB.
const MAX_LIST_BYTES: usize = 8 << 20;

/// Why a list of models could not be read. The text names the provider and the cause, and contains no key.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelListError {
    #[error("{provider} refused the key ({status}): {words}")]
    KeyRefused { provider: String, status: u16, words: String },
    #[error("{provider} answered {status}: {words}")]
    Status { provider: String, status: u16, words: String },
    #[error("no connection to {url}: {words}")]
    NoConnection { url: String, words: String },
    #[error("{url} answered with something other than a list of models ({what})")]
    NotAList { url: String, what: String },
    /// A login page often does this.
    #[error("{url} sends the request to another address ({status}): {target}")]
    Redirected { url: String, status: u16, target: String },
}

impl From<ModelListError> for ModelError {
    fn from(error: ModelListError) -> Self {
        let (status, kind) = match &error {
            ModelListError::KeyRefused { status, .. } => (Some(*status), FaultKind::Key),
            ModelListError::Status { status, .. } | ModelListError::Redirected { status, .. } => {
                (Some(*status), FaultKind::Refused)
            }
            ModelListError::NoConnection { .. } | ModelListError::NotAList { .. } => (None, FaultKind::Exhausted),
        };
        ModelError { message: error.to_string(), status, kind }
    }
}

/// A model server that runs on this machine.
#[derive(Debug, PartialEq, Eq)]
pub struct LocalServer {
    pub provider: &'static str,
    pub url: String,
    /// At least one.
    pub models: Vec<String>,
}

#[derive(Deserialize)]
struct ListedModels {
    data: Vec<ListedModel>,
}

#[derive(Deserialize)]
struct ListedModel {
    id: String,
}

/// Lists the models that a built-in provider serves with this key. `lookup` reads the environment.
pub async fn list_models(
    provider: &'static BuiltInProvider,
    key: Option<&str>,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<String>, ModelListError> {
    let entry = ProviderEntry::BuiltIn(provider);
    let mut endpoint = Endpoint::new(provider.name, provider.wire, entry.base_url(&filled(lookup)), "");
    endpoint.key = key.map(|key| key.to_owned().into());
    request_list(&endpoint, LIST_TIMEOUT).await
}

/// Lists the models of an endpoint that a model was resolved to (DU-5).
pub async fn list_endpoint_models(endpoint: &Endpoint) -> Result<Vec<String>, ModelListError> {
    request_list(endpoint, LIST_TIMEOUT).await
}

/// Asks the usual loopback ports at the same time. A server without a model can't be used and is left out.
pub async fn find_local_servers(lookup: &dyn Fn(&str) -> Option<String>) -> Vec<LocalServer> {
    let local = PROVIDERS.iter().filter(|provider| !provider.key_needed);
    let asked: Vec<_> = local
        .filter_map(|provider| {
            let url = ProviderEntry::BuiltIn(provider).base_url(&filled(lookup));
            let endpoint = Endpoint::new(provider.name, provider.wire, url.clone(), "");
            let asking = async move { request_list(&endpoint, LOCAL_TIMEOUT).await };
            is_loopback(&url).then(|| (provider.name, url, tokio::spawn(asking)))
        })
        .collect();
    let mut found = Vec::new();
    for (provider, url, asked) in asked {
        match asked.await {
            Ok(Ok(models)) if !models.is_empty() => found.push(LocalServer { provider, url, models }),
            Ok(_) | Err(_) => {}
        }
    }
    found
}

/// An empty variable is treated as unset.
fn filled(lookup: &dyn Fn(&str) -> Option<String>) -> impl Fn(&str) -> Option<String> {
    |name| lookup(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

async fn request_list(endpoint: &Endpoint, longest: Duration) -> Result<Vec<String>, ModelListError> {
    let slow = |_| ModelListError::NoConnection {
        url: endpoint.display_url(),
        words: format!("no answer within {} s", longest.as_secs_f32()),
    };
    tokio::time::timeout(longest, read_list(endpoint)).await.map_err(slow)?
}

async fn read_list(endpoint: &Endpoint) -> Result<Vec<String>, ModelListError> {
    let url = endpoint.display_url();
    let unreachable =
        |words: &str| ModelListError::NoConnection { url: url.clone(), words: endpoint.redact_secrets(words) };
    let client = build_http_client(&endpoint.base_url).map_err(|words| unreachable(&words))?;
    let mut request = client.get(format!("{}{}", endpoint.base_url, list_path(endpoint)));
    if endpoint.wire == WireFormat::Anthropic {
        request = request.header("anthropic-version", crate::wire::anthropic::API_VERSION);
    }
    if let Some(key) = &endpoint.key {
        let key = key.expose_secret();
        let (name, text) = match endpoint.wire {
            WireFormat::Anthropic => ("x-api-key", key.to_owned()),
            WireFormat::Responses | WireFormat::Chat => (AUTHORIZATION.as_str(), format!("Bearer {key}")),
        };
        let mut value = HeaderValue::from_str(&text)
            .map_err(|_| unreachable("the key has characters that can't be sent; copy it again"))?;
        value.set_sensitive(true);
        request = request.header(name, value);
    }
    let response = request.send().await.map_err(|error| match connection_error(&error) {
        AttemptError::Disconnected { words, .. } | AttemptError::Setup(words) => unreachable(&words),
        other => unreachable(&format!("{other:?}")),
    })?;
    let status = response.status();
    if status.is_redirection() {
        let target = response.headers().get(LOCATION).and_then(|target| target.to_str().ok()).unwrap_or("not named");
        let target = endpoint.redact_secrets(&to_one_line(target));
        return Err(ModelListError::Redirected { url, status: status.as_u16(), target });
    }
    if !status.is_success() {
        let (_, words) = parse_error_body(&read_error_body(response).await);
        let (provider, status) = (endpoint.provider.clone(), status.as_u16());
        let words = endpoint.redact_secrets(&words);
        return Err(match status {
            401 | 403 => ModelListError::KeyRefused { provider, status, words },
            _ => ModelListError::Status { provider, status, words },
        });
    }
    parse_list(response, url).await
}

async fn parse_list(mut response: reqwest::Response, url: String) -> Result<Vec<String>, ModelListError> {
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or("no type");
    let kind = kind.split(';').next().unwrap_or_default().trim().to_owned();
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_LIST_BYTES {
            return Err(ModelListError::NotAList { url, what: "more than 8 MB".into() });
        }
    }
    let what = || web_page_words(&String::from_utf8_lossy(&body)).unwrap_or(kind);
    let listed: ListedModels =
        serde_json::from_slice(&body).map_err(|_| ModelListError::NotAList { url, what: what() })?;
    // Ids go to the screen and into settings.
    let usable =
        |id: &String| !id.is_empty() && id.len() < 200 && !id.chars().any(|c| c.is_whitespace() || c.is_control());
    Ok(listed.data.into_iter().map(|model| model.id).filter(usable).collect())
}

/// OpenRouter gives its full list without a key; only the user's own list needs a valid key.
fn list_path(endpoint: &Endpoint) -> &'static str {
    match endpoint.wire {
        WireFormat::Anthropic => "/v1/models?limit=1000",
        WireFormat::Responses | WireFormat::Chat if endpoint.provider == "openrouter" => "/models/user",
        WireFormat::Responses | WireFormat::Chat => "/models",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::{LoopbackServer, ScenarioScript};
    use std::io::{Read, Write};

    /// A server that gives this answer to its first request; returns its address.
    fn canned(answer: &'static str) -> String {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let _ = socket.read(&mut [0; 4096]);
            let _ = socket.write_all(answer.as_bytes());
        });
        format!("http://{address}")
    }

    async fn list_from(url: &str, key: &str) -> Result<Vec<String>, ModelListError> {
        let (url, anthropic) = (url.to_string(), &PROVIDERS[0]);
        list_models(anthropic, Some(key), &move |name| (name == "ANTHROPIC_BASE_URL").then(|| url.clone())).await
    }

    #[tokio::test]
    async fn on_3_wrong_key_is_refused_right_key_lists_models() {
        let script = ScenarioScript { accepted_key: Some("sk-right".into()), ..ScenarioScript::default() };
        let server = LoopbackServer::start(script).unwrap();
        let url = server.base_url(WireFormat::Anthropic);
        assert_eq!(list_from(&url, "sk-right").await, Ok(vec!["scripted".to_string()]));
        let error = list_from(&url, "sk-wrong-0123").await.unwrap_err();
        assert!(matches!(error, ModelListError::KeyRefused { status: 401, .. }), "{error}");
        assert!(!error.to_string().contains("sk-wrong"), "{error}");
    }

    #[tokio::test]
    async fn on_3_each_bad_answer_is_one_clear_line() {
        let html = canned(
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 32\r\n\r\n<html><title>Hotel</title></html>",
        );
        let error = list_from(&html, "k").await.unwrap_err().to_string();
        assert!(error.ends_with("something other than a list of models (the web page «Hotel»)"), "{error}");
        let image = canned("HTTP/1.1 200 OK\r\ncontent-type: image/png; x\r\ncontent-length: 1\r\n\r\nx");
        let error = list_from(&image, "k").await.unwrap_err().to_string();
        assert!(error.ends_with("something other than a list of models (image/png)"), "{error}");
        let login = canned("HTTP/1.1 302 Found\r\nlocation: https://login.example/?k\r\ncontent-length: 0\r\n\r\n");
        let error = list_from(&login, "k").await.unwrap_err().to_string();
        assert!(error.ends_with("sends the request to another address (302): https://login.example/?k"), "{error}");
        let broken = canned("HTTP/1.1 500 Oops\r\ncontent-length: 4\r\n\r\noops");
        let error = list_from(&broken, "k").await.unwrap_err().to_string();
        assert!(error.contains("anthropic answered 500: oops"), "{error}");
        let closed = list_from("http://127.0.0.1:1", "k").await.unwrap_err().to_string();
        assert!(closed.starts_with("no connection to http://127.0.0.1:1"), "{closed}");
        let odd = list_from("http://127.0.0.1:1", "k\u{7f}y").await.unwrap_err().to_string();
        assert!(odd.contains("copy it again"), "{odd}");
    }

    #[tokio::test]
    async fn on_3_local_server_is_found_with_its_models() {
        let server = LoopbackServer::start(ScenarioScript::default()).unwrap();
        let host = server.addr().to_string();
        let found = find_local_servers(&|name| (name == "OLLAMA_HOST").then(|| host.clone())).await;
        let ollama = found.iter().find(|found| found.provider == "ollama").unwrap();
        assert_eq!(ollama.models, ["scripted"]);
        let moved = server.base_url(WireFormat::Chat);
        let found = find_local_servers(&|name| (name == "VLLM_BASE_URL").then(|| moved.clone())).await;
        assert!(found.iter().any(|found| found.provider == "vllm" && found.models == ["scripted"]), "{found:?}");
        let away = find_local_servers(&|name| (name == "OLLAMA_HOST").then(|| "192.0.2.1".to_string())).await;
        assert!(away.iter().all(|found| found.provider != "ollama"), "only this machine is asked");
    }
}
