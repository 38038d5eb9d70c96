//! Fetches pages within limits: size, time, and no private addresses unless the user allowed them (TL-9).

mod address;
pub(crate) mod fetch;
mod markdown;
mod page;

use crate::tool::ToolError;
pub(crate) use address::is_public;
use cutonce_core::sync::LockUnpoisoned;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, StatusCode, redirect};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use url::{Host, Url};

const MAX_REDIRECTS: usize = 10;

/// Limits of a fetch.
#[derive(Debug, Clone, Copy)]
pub struct FetchLimits {
    /// Maximum bytes of an unpacked body.
    pub body: usize,
    /// Maximum time from the first lookup to the last byte.
    pub time: Duration,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self { body: 10_000_000, time: Duration::from_secs(30) }
    }
}

/// The session's web client. Clones share connections once there are any.
#[derive(Clone)]
pub struct WebClient {
    allow_hosts: Vec<String>,
    limits: FetchLimits,
    /// Created at the first fetch: it costs more than the start of the program.
    client: OnceLock<Result<Client, ToolError>>,
    pins: Arc<PinnedAddresses>,
}

/// Result of a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchResult {
    Page {
        url: Url,
        /// `text/html`, `application/json`, …
        kind: String,
        /// The text; HTML is converted to markdown.
        text: String,
    },
    /// Redirected to another host: the caller must decide about that one.
    OtherHost(Url),
}

impl WebClient {
    /// Creates a client. `allow_hosts` lists each `host` or `host:port` that may have a private address
    /// (`webFetch.allowHosts`).
    pub fn new(allow_hosts: Vec<String>) -> Self {
        let allow_hosts = allow_hosts.into_iter().map(|host| host.trim().to_ascii_lowercase()).collect();
        Self { allow_hosts, limits: FetchLimits::default(), client: OnceLock::new(), pins: Arc::default() }
    }
    pub fn limits(self, limits: FetchLimits) -> Self {
        Self { limits, ..self }
    }

    /// Returns the address that will be fetched, or what is wrong with it.
    pub fn check_url(&self, given: &str) -> Result<Url, ToolError> {
        let mut url = Url::parse(given.trim()).map_err(|error| format!("expected a URL, got {given:?}: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("expected an http or https URL, got the scheme `{}`", url.scheme()).into());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("expected a URL without user name and password".into());
        }
        let Some(host) = url.host() else { return Err(format!("expected a URL with a host, got {given:?}").into()) };
        // Plain http only where https is unlikely: IP addresses, unusual ports, this machine.
        let named = matches!(host, Host::Domain(name) if name.contains('.') && !name.ends_with(".localhost"));
        if url.scheme() == "http" && named && url.port().is_none() && !self.is_allowed(&url) {
            url.set_scheme("https").map_err(|()| format!("expected an http or https URL, got {given:?}"))?;
        }
        url.set_fragment(None);
        Ok(url)
    }

    /// Fetches the page. The error says what failed and what to do.
    pub async fn fetch(&self, url: Url, cancel: &CancellationToken) -> Result<FetchResult, ToolError> {
        let seconds = self.limits.time.as_secs_f32();
        let shown = url.to_string();
        tokio::select! {
            fetched = tokio::time::timeout(self.limits.time, self.follow_redirects(url)) => {
                fetched.unwrap_or_else(|_| Err(format!("{shown} did not answer in full within {seconds} seconds.").into()))
            }
            () = cancel.cancelled() => Err("Interrupted by the user.".into()),
        }
    }

    /// Follows redirects manually on the same host only, and checks each address again.
    async fn follow_redirects(&self, mut url: Url) -> Result<FetchResult, ToolError> {
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send_get(&url).await?;
            let Some(next) = redirect_target(&url, &response)? else { return self.read_page(url, response).await };
            let next = self.check_url(next.as_str()).map_err(|wrong| format!("{url} leads to {next}: {wrong}."))?;
            let downgrade = url.scheme() == "https" && next.scheme() == "http";
            if next.host() != url.host() || downgrade || (next.port() != url.port() && next.port().is_some()) {
                return Ok(FetchResult::OtherHost(next));
            }
            url = next;
        }
        Err(format!("{url} was redirected more than {MAX_REDIRECTS} times.").into())
    }

    async fn send_get(&self, url: &Url) -> Result<Response, ToolError> {
        self.pin_addresses(url).await?;
        let client = self.client.get_or_init(|| self.build_client()).as_ref().map_err(Clone::clone)?;
        let accept = "text/markdown, text/html, text/plain, application/json;q=0.9, */*;q=0.5";
        client.get(url.clone()).header(ACCEPT, accept).send().await.map_err(|error| {
            let why = error_causes(&error);
            let hint = if url.scheme() == "https" { " Perhaps it does not offer https." } else { "" };
            format!("{url} could not be fetched: {why}.{}", if error.is_connect() { hint } else { "" }).into()
        })
    }

    /// Looks up the host, checks every address, and lets the client connect only to those: the name can't change its
    /// meaning between check and connection.
    async fn pin_addresses(&self, url: &Url) -> Result<(), ToolError> {
        let port = url.port_or_known_default().unwrap_or(443);
        let host = url.host_str().unwrap_or_default();
        let addresses = match url.host() {
            Some(Host::Domain(name)) => {
                let found = tokio::net::lookup_host((name, port)).await;
                found.map_err(|error| format!("The host {name} was not found: {error}."))?.collect()
            }
            Some(Host::Ipv4(ip)) => vec![SocketAddr::from((ip, port))],
            Some(Host::Ipv6(ip)) => vec![SocketAddr::from((ip, port))],
            None => return Err(format!("{url} has no host.").into()),
        };
        let private = addresses.iter().find(|address| !is_public(address.ip()));
        if let Some(private) = private.filter(|_| !self.is_allowed(url)) {
            return Err(format!(
                "{host} is at {}, which is not an address of the public internet: not fetched. If the user wants it, \
                 they can add \"{host}:{port}\" to the setting webFetch.allowHosts.",
                private.ip()
            )
            .into());
        }
        self.pins.lock().insert(host.to_string(), addresses);
        Ok(())
    }

    fn is_allowed(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        let with_port = format!("{host}:{}", url.port_or_known_default().unwrap_or_default());
        self.allow_hosts.iter().any(|allowed| *allowed == host || *allowed == with_port)
    }

    fn build_client(&self) -> Result<Client, ToolError> {
        // An error means that a provider is installed already, which is just as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        Client::builder()
            .redirect(redirect::Policy::none())
            .no_proxy()
            .dns_resolver(self.pins.clone())
            .pool_max_idle_per_host(0)
            .user_agent(concat!("cutonce/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| format!("The web can't be reached from here: {}.", error_causes(&error)).into())
    }

    async fn read_page(&self, url: Url, response: Response) -> Result<FetchResult, ToolError> {
        let status = response.status();
        if !status.is_success() {
            return Err(format!("{url} answered {status}.{}", status_hint(status)).into());
        }
        let header = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_string);
        let kind = page::TextType::from_content_type(header.as_deref())
            .map_err(|kind| format!("{url} is {kind}, not text: WebFetch reads pages and other text only."))?;
        let body = self.read_body(&url, response).await?;
        let text = page::decode_text(body, &kind).await.map_err(|why| format!("{url} could not be read: {why}."))?;
        Ok(FetchResult::Page { url, kind: kind.name, text })
    }

    async fn read_body(&self, url: &Url, mut response: Response) -> Result<Vec<u8>, ToolError> {
        let most = self.limits.body;
        let too_large = || format!("{url} is larger than {most} bytes: not fetched.");
        if response.content_length().is_some_and(|length| length > most as u64) {
            return Err(too_large().into());
        }
        let mut body = Vec::new();
        let broken = |error: reqwest::Error| format!("{url}: the connection broke: {}.", error_causes(&error));
        while let Some(piece) = response.chunk().await.map_err(broken)? {
            if body.len() + piece.len() > most {
                return Err(too_large().into());
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }
}

/// Returns the target of a redirect; `None` for any other answer.
fn redirect_target(url: &Url, response: &Response) -> Result<Option<Url>, ToolError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let next = location.and_then(|location| url.join(location).ok());
    next.map(Some).ok_or_else(|| format!("{url} redirects without a target.").into())
}

fn status_hint(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => " It needs a login, or refuses programs.",
        StatusCode::NOT_FOUND | StatusCode::GONE => " Check the address.",
        StatusCode::TOO_MANY_REQUESTS => " Wait before trying again.",
        _ => "",
    }
}

/// Formats an error with its causes, without the address, which the caller adds.
fn error_causes(error: &reqwest::Error) -> String {
    let mut cause = std::error::Error::source(error);
    let mut words = Vec::new();
    while let Some(error) = cause {
        words.push(error.to_string());
        cause = error.source();
    }
    words.dedup();
    if words.is_empty() { error.to_string() } else { words.join(": ") }
}

/// The checked addresses of each host: the client can resolve nothing else.
#[derive(Default)]
struct PinnedAddresses(Mutex<HashMap<String, Vec<SocketAddr>>>);

impl PinnedAddresses {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Vec<SocketAddr>>> {
        self.0.lock_unpoisoned()
    }
}

impl Resolve for PinnedAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.lock().get(name.as_str()).cloned();
        Box::pin(async move {
            let addresses = found.ok_or("its address was not checked")?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}
