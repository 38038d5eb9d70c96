//! The address and settings of a model, and `connect`, which turns them into a `Model`.

use crate::http::client::HttpModel;
use crate::http::retry::RetryPolicy;
use crate::wire::anthropic::AnthropicProtocol;
use crate::wire::chat::ChatProtocol;
use crate::wire::responses::ResponsesProtocol;
use crate::{FaultKind, Model, ModelError};
use cutonce_core::conversation::WireFormat;
use secrecy::{ExposeSecret, SecretString};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};

/// Everything a client needs to know. `Debug` leaves out the key (MO-4).
#[derive(Clone)]
pub struct Endpoint {
    /// Provider name as the user wrote it; used in messages.
    pub provider: String,
    pub wire: WireFormat,
    /// Without a trailing slash. Anthropic: without `/v1`; the others: with it.
    pub base_url: String,
    pub key: Option<SecretString>,
    /// Sends the key as `Authorization: Bearer` although the wire format has its own header.
    pub bearer: bool,
    /// Variable of the key, for the hint that says what to set.
    pub key_env: Option<String>,
    pub model: String,
    /// Maximum silence of a stream before the request is retried (MO-3).
    pub idle_timeout: Duration,
    pub retry: RetryPolicy,
}

impl Endpoint {
    /// Creates an endpoint with default timeouts. A local server gets more time: it may read a long prompt silently.
    pub fn new(
        provider: impl Into<String>,
        wire: WireFormat,
        base_url: impl Into<String>,
        model: impl Into<String>,
    ) -> Self {
        let base_url: String = base_url.into();
        let idle = Duration::from_secs(if is_local(&base_url) { 600 } else { 120 });
        Self {
            provider: provider.into(),
            wire,
            base_url: base_url.trim_end_matches('/').to_owned(),
            key: None,
            bearer: false,
            key_env: None,
            model: model.into(),
            idle_timeout: idle,
            retry: RetryPolicy::default(),
        }
    }

    /// Removes all secrets from a text for the user or a log (MO-4).
    pub(crate) fn redact_secrets(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let url = Url::parse(&self.base_url).ok();
        let password = url.as_ref().and_then(Url::password);
        let queries = url.iter().flat_map(|url| url.query_pairs().map(|(_, value)| value.into_owned()));
        let secrets = self.key.iter().map(|key| key.expose_secret().to_owned());
        for secret in secrets.chain(password.map(str::to_owned)).chain(queries).filter(|secret| secret.len() > 3) {
            text = text.replace(&secret, "[key]");
        }
        text
    }

    /// The host and port that requests go to.
    pub(crate) fn host(&self) -> String {
        let url = Url::parse(&self.base_url).ok();
        let host = url.as_ref().and_then(|url| Some((url.host_str()?, url.port())));
        match host {
            Some((host, Some(port))) => format!("{host}:{port}"),
            Some((host, None)) => host.to_owned(),
            None => self.provider.clone(),
        }
    }

    /// Returns the base URL without secrets.
    pub(crate) fn display_url(&self) -> String {
        let Ok(mut url) = Url::parse(&self.base_url) else { return self.redact_secrets(&self.base_url) };
        if url.password().is_some() {
            let _ = url.set_password(None);
        }
        url.set_query(None);
        url.as_str().trim_end_matches('/').to_owned()
    }
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint")
            .field("provider", &self.provider)
            .field("wire", &self.wire)
            .field("base_url", &self.display_url())
            .field("key", &self.key.as_ref().map(|_| "[key]"))
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// Creates a model without connecting: the HTTP client is built at the first request.
pub fn connect(endpoint: Endpoint) -> Result<Arc<dyn Model>, ModelError> {
    let url = Url::parse(&endpoint.base_url);
    if !url.is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host()) {
        let message = format!(
            "The base URL of {} is not an http or https address: {}. Correct it in the settings or the environment.",
            endpoint.provider,
            endpoint.display_url()
        );
        return Err(ModelError { message, status: None, kind: FaultKind::NotFound });
    }
    Ok(match endpoint.wire {
        WireFormat::Anthropic => Arc::new(HttpModel::<AnthropicProtocol>::new(endpoint)),
        WireFormat::Responses => Arc::new(HttpModel::<ResponsesProtocol>::new(endpoint)),
        WireFormat::Chat => Arc::new(HttpModel::<ChatProtocol>::new(endpoint)),
    })
}

/// True for addresses of this machine or the local network: such a server needs no key (MO-1).
pub(crate) fn is_local(base_url: &str) -> bool {
    let Ok(url) = Url::parse(base_url) else { return false };
    match url.host() {
        Some(Host::Domain(name)) => {
            name == "localhost" || name.ends_with(".localhost") || name.ends_with(".local") || !name.contains('.')
        }
        Some(Host::Ipv4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified(),
        Some(Host::Ipv6(ip)) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
        None => false,
    }
}

/// True for addresses of this machine: a refused connection means that no server is running.
pub(crate) fn is_loopback(base_url: &str) -> bool {
    let Ok(url) = Url::parse(base_url) else { return false };
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => IpAddr::from(ip).is_loopback(),
        Some(Host::Ipv6(ip)) => IpAddr::from(ip).is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mo_1_local_addresses_are_recognized() {
        let local =
            ["http://localhost:1/v1", "http://127.0.0.9", "http://[::1]:80", "http://192.168.1.7", "http://nas:1"];
        for url in local {
            assert!(is_local(url), "{url}");
        }
        for url in ["https://api.anthropic.com", "http://8.8.8.8", "https://localhost.example.org"] {
            assert!(!is_local(url), "{url}");
        }
        assert!(!is_loopback("http://192.168.1.7"));
    }

    #[test]
    fn mo_4_debug_and_scrub_hide_every_secret() {
        let mut endpoint = Endpoint::new("x", WireFormat::Chat, "https://me:pass-word@h.example/v1?token=tok-en", "m");
        endpoint.key = Some("sk-very-secret".to_owned().into());
        let shown = format!("{endpoint:?} {}", endpoint.redact_secrets("sk-very-secret pass-word tok-en"));
        for secret in ["sk-very-secret", "pass-word", "tok-en"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }

    #[test]
    fn mo_1_bad_base_url_is_reported() {
        let error = connect(Endpoint::new("x", WireFormat::Chat, "localhost:8080", "m")).err().unwrap();
        assert!(error.message.contains("not an http or https address: localhost:8080"), "{error}");
    }
}
