//! The HTTP client for authorization servers. It refuses plain HTTP off loopback, redirects, and endless answers.

use super::LoginError;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_models::root_cause;
use futures_util::StreamExt;
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use url::{Host, Url};

/// Maximum size of an answer.
const MAX_ANSWER: usize = 256 << 10;
/// Maximum time for one request and its answer.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Sends the requests of logins for one MCP server.
pub(super) struct LoginHttpClient {
    server: Url,
    client: reqwest::Client,
    /// The last failure; `rmcp` hides causes of failed token requests.
    failure: Mutex<Option<String>>,
}

/// Why a request was not sent or its answer was dropped.
#[derive(Debug, thiserror::Error)]
enum LoginRequestError {
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error("it sent more than {} KB", MAX_ANSWER >> 10)]
    TooLong,
    #[error("no complete answer within {} seconds", TIMEOUT.as_secs())]
    TimedOut,
    #[error("{0}")]
    Connection(String),
}

impl LoginHttpClient {
    pub fn new(server: &Url) -> Result<Arc<LoginHttpClient>, LoginError> {
        // The authorization server may use TLS even if the MCP server on loopback does not.
        let base = if is_loopback(server) { "https://localhost" } else { server.as_str() };
        let client = cutonce_models::http_client(base).map_err(LoginError::Address)?;
        Ok(Arc::new(LoginHttpClient { server: server.clone(), client, failure: Mutex::default() }))
    }

    /// Takes the cause of the last failure.
    pub fn take_failure(&self) -> Option<String> {
        self.failure.lock_unpoisoned().take()
    }

    async fn send(&self, request: OAuthHttpRequest) -> Result<http::Response<Vec<u8>>, LoginRequestError> {
        let connection = |error: reqwest::Error| LoginRequestError::Connection(root_cause(&error));
        let request = reqwest::Request::try_from(request.request).map_err(connection)?;
        check_address(request.url(), &self.server)?;
        let answer = async {
            let response = self.client.execute(request).await.map_err(connection)?;
            let (status, headers) = (response.status(), response.headers().clone());
            let (mut body, mut chunks) = (Vec::new(), response.bytes_stream());
            while let Some(chunk) = chunks.next().await {
                let chunk = chunk.map_err(connection)?;
                if body.len() + chunk.len() > MAX_ANSWER {
                    return Err(LoginRequestError::TooLong);
                }
                body.extend_from_slice(&chunk);
            }
            let mut answer = http::Response::new(body);
            (*answer.status_mut(), *answer.headers_mut()) = (status, headers);
            Ok(answer)
        };
        tokio::time::timeout(TIMEOUT, answer).await.unwrap_or(Err(LoginRequestError::TimedOut))
    }
}

impl OAuthHttpClient for LoginHttpClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let host = request.request.uri().host().unwrap_or_default().to_string();
            let answer = self.send(request).await;
            answer.map_err(|error| {
                *self.failure.lock_unpoisoned() = Some(format!("{host}: {error}"));
                Box::new(error) as OAuthHttpClientError
            })
        })
    }
}

/// Why an address must not be used for a login.
#[derive(Debug, thiserror::Error)]
pub(super) enum AddressError {
    #[error("{0} does not use HTTPS")]
    PlainHttp(String),
    #[error("{0} is on this machine, but the MCP server is not")]
    Loopback(String),
    #[error("{0} is not a web address")]
    NotWeb(String),
}

/// Checks an address that an authorization server or an MCP server names.
pub(super) fn check_address(address: &Url, server: &Url) -> Result<(), AddressError> {
    match (address.scheme(), is_loopback(address), is_loopback(server)) {
        ("https", false, _) | ("http" | "https", true, true) => Ok(()),
        ("http", false, _) => Err(AddressError::PlainHttp(shown(address))),
        ("http" | "https", true, false) => Err(AddressError::Loopback(shown(address))),
        _ => Err(AddressError::NotWeb(shown(address))),
    }
}

/// The address without its query, which may contain a secret.
fn shown(address: &Url) -> String {
    let mut address = address.clone();
    address.set_query(None);
    address.set_fragment(None);
    super::super::tool::sanitize_and_truncate(address.as_str(), super::MAX_TEXT)
}

/// Whether the address is on this machine.
pub(super) fn is_loopback(address: &Url) -> bool {
    match address.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback() || ip.to_ipv4_mapped().is_some_and(|ip| ip.is_loopback()),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn du_10_only_https_or_loopback_addresses_are_used() {
        let check = |address: &str, server: &str| {
            let checked = check_address(&Url::parse(address).unwrap(), &Url::parse(server).unwrap());
            checked.err().map(|error| error.to_string())
        };
        let (far, near) = ("https://mcp.example.org/mcp", "http://127.0.0.1:8000/mcp");
        assert_eq!(check("https://login.example.org/token", far), None);
        assert_eq!(check("https://login.example.org/token", near), None);
        assert_eq!(check("http://localhost:9/token", near), None);
        assert_eq!(check("http://[::1]:9/token", near), None);
        let refused = [
            ("http://login.example.org/token?code=s3cret", near, "http://login.example.org/token does not use HTTPS"),
            ("http://login.example.org/token", far, "does not use HTTPS"),
            ("https://127.0.0.1/token", far, "is on this machine"),
            ("http://[::ffff:127.0.0.1]/token", far, "is on this machine"),
            ("file:///etc/passwd", near, "is not a web address"),
            ("javascript:alert(1)", far, "is not a web address"),
        ];
        for (address, server, why) in refused {
            let told = check(address, server).unwrap_or_default();
            assert!(told.contains(why) && !told.contains("s3cret"), "{address}: {told}");
        }
    }
}
