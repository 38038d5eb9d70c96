//! Fetching pages within bounds: size, time, and no private addresses unless the user named them (TL-9).

mod address;
mod page;

use address::is_public;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, StatusCode, redirect};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use url::{Host, Url};

const REDIRECTS: usize = 10;

/// What a fetch may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of a body, unpacked.
    pub body: usize,
    /// From the first lookup to the last byte.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { body: 10_000_000, time: Duration::from_secs(30) }
    }
}

/// The session's way to the web. Clones share connections once there are some.
#[derive(Clone)]
pub struct Web {
    allow_hosts: Vec<String>,
    limits: Limits,
    /// Made at the first fetch: it costs more than the start of the program.
    client: OnceLock<Result<Client, String>>,
    pins: Arc<Pins>,
}

/// What a fetch gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    Page {
        url: Url,
        /// `text/html`, `application/json`, …
        kind: String,
        /// Markdown, if it was HTML.
        text: String,
    },
    /// To another host: whoever asked has to decide about that one.
    Elsewhere(Url),
}

impl Web {
    /// `allow_hosts`: `host` or `host:port` that may be fetched although the address is private (`webFetch.allowHosts`).
    pub fn new(allow_hosts: Vec<String>) -> Self {
        let allow_hosts = allow_hosts.into_iter().map(|host| host.trim().to_ascii_lowercase()).collect();
        Self { allow_hosts, limits: Limits::default(), client: OnceLock::new(), pins: Arc::default() }
    }
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The address as it will be fetched, or what is wrong with it.
    pub fn address(&self, given: &str) -> Result<Url, String> {
        let mut url = Url::parse(given.trim()).map_err(|error| format!("expected a URL, got {given:?}: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("expected an http or https URL, got the scheme `{}`", url.scheme()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("expected a URL without user name and password".into());
        }
        let Some(host) = url.host() else { return Err(format!("expected a URL with a host, got {given:?}")) };
        // Plain http only where it was named or can't be otherwise: addresses, odd ports, this machine.
        let named = matches!(host, Host::Domain(name) if name.contains('.') && !name.ends_with(".localhost"));
        if url.scheme() == "http" && named && url.port().is_none() && !self.is_allowed(&url) {
            url.set_scheme("https").map_err(|()| format!("expected an http or https URL, got {given:?}"))?;
        }
        url.set_fragment(None);
        Ok(url)
    }

    /// Fetch it. The error says what failed and what to do.
    pub async fn fetch(&self, url: Url, cancel: &CancellationToken) -> Result<Fetched, String> {
        let seconds = self.limits.time.as_secs_f32();
        let shown = url.to_string();
        tokio::select! {
            fetched = tokio::time::timeout(self.limits.time, self.follow(url)) => {
                fetched.unwrap_or_else(|_| Err(format!("{shown} did not answer in full within {seconds} seconds.")))
            }
            () = cancel.cancelled() => Err("Interrupted by the user.".into()),
        }
    }

    /// Redirects are followed by hand, each address checked anew, and only on the same host.
    async fn follow(&self, mut url: Url) -> Result<Fetched, String> {
        for _ in 0..=REDIRECTS {
            let response = self.get(&url).await?;
            let Some(next) = redirection(&url, &response)? else { return self.page(url, response).await };
            let next = self.address(next.as_str()).map_err(|wrong| format!("{url} leads to {next}: {wrong}."))?;
            let downgrade = url.scheme() == "https" && next.scheme() == "http";
            if next.host() != url.host() || downgrade || (next.port() != url.port() && next.port().is_some()) {
                return Ok(Fetched::Elsewhere(next));
            }
            url = next;
        }
        Err(format!("{url} was redirected more than {REDIRECTS} times."))
    }

    async fn get(&self, url: &Url) -> Result<Response, String> {
        self.pin(url).await?;
        let client = self.client.get_or_init(|| self.connect()).as_ref().map_err(Clone::clone)?;
        let accept = "text/markdown, text/html, text/plain, application/json;q=0.9, */*;q=0.5";
        client.get(url.clone()).header(ACCEPT, accept).send().await.map_err(|error| {
            let why = reasons(&error);
            let hint = if url.scheme() == "https" { " Perhaps it does not offer https." } else { "" };
            format!("{url} could not be fetched: {why}.{}", if error.is_connect() { hint } else { "" })
        })
    }

    /// Look the host up ourselves, judge every address, and let the client connect to those only: between
    /// judging and connecting nobody can change what the name means.
    async fn pin(&self, url: &Url) -> Result<(), String> {
        let port = url.port_or_known_default().unwrap_or(443);
        let host = url.host_str().unwrap_or_default();
        let addresses = match url.host() {
            Some(Host::Domain(name)) => {
                let found = tokio::net::lookup_host((name, port)).await;
                found.map_err(|error| format!("The host {name} was not found: {error}."))?.collect()
            }
            Some(Host::Ipv4(ip)) => vec![SocketAddr::from((ip, port))],
            Some(Host::Ipv6(ip)) => vec![SocketAddr::from((ip, port))],
            None => return Err(format!("{url} has no host.")),
        };
        let private = addresses.iter().find(|address| !is_public(address.ip()));
        if let Some(private) = private.filter(|_| !self.is_allowed(url)) {
            return Err(format!(
                "{host} is at {}, which is not an address of the public internet: not fetched. If the user wants it, \
                 they can add \"{host}:{port}\" to the setting webFetch.allowHosts.",
                private.ip()
            ));
        }
        self.pins.lock().insert(host.to_string(), addresses);
        Ok(())
    }

    fn is_allowed(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        let with_port = format!("{host}:{}", url.port_or_known_default().unwrap_or_default());
        self.allow_hosts.iter().any(|allowed| *allowed == host || *allowed == with_port)
    }

    fn connect(&self) -> Result<Client, String> {
        // An error means that somebody installed one before: just as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        Client::builder()
            .redirect(redirect::Policy::none())
            .no_proxy()
            .dns_resolver(self.pins.clone())
            .pool_max_idle_per_host(0)
            .user_agent(concat!("cutonce/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| format!("The web can't be reached from here: {}.", reasons(&error)))
    }

    async fn page(&self, url: Url, response: Response) -> Result<Fetched, String> {
        let status = response.status();
        if !status.is_success() {
            return Err(format!("{url} answered {status}.{}", hint(status)));
        }
        let header = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_string);
        let kind = page::Kind::of(header.as_deref()).map_err(|kind| {
            format!("{url} is {kind}, not text: WebFetch reads pages and other text only. Use Bash to download it.")
        })?;
        let body = self.body(&url, response).await?;
        let text = page::text(body, &kind).await.map_err(|why| format!("{url} could not be read: {why}."))?;
        Ok(Fetched::Page { url, kind: kind.name, text })
    }

    async fn body(&self, url: &Url, mut response: Response) -> Result<Vec<u8>, String> {
        let most = self.limits.body;
        let too_large = || format!("{url} is larger than {most} bytes: not fetched. Use Bash to download it.");
        if response.content_length().is_some_and(|length| length > most as u64) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        let broken = |error: reqwest::Error| format!("{url} broke off: {}.", reasons(&error));
        while let Some(piece) = response.chunk().await.map_err(broken)? {
            if body.len() + piece.len() > most {
                return Err(too_large());
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }
}

/// Where a redirect leads; None for any other answer.
fn redirection(url: &Url, response: &Response) -> Result<Option<Url>, String> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let next = location.and_then(|location| url.join(location).ok());
    next.map(Some).ok_or_else(|| format!("{url} redirects, but does not say where to."))
}

fn hint(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => " It needs a login, or refuses programs.",
        StatusCode::NOT_FOUND | StatusCode::GONE => " Check the address.",
        StatusCode::TOO_MANY_REQUESTS => " Wait before trying again.",
        _ => "",
    }
}

/// An error with its causes, without the address, which stands beside it.
fn reasons(error: &reqwest::Error) -> String {
    let mut cause = std::error::Error::source(error);
    let mut words = Vec::new();
    while let Some(error) = cause {
        words.push(error.to_string());
        cause = error.source();
    }
    words.dedup();
    if words.is_empty() { error.to_string() } else { words.join(": ") }
}

/// The judged addresses of each host: all that the client can resolve.
#[derive(Default)]
struct Pins(Mutex<HashMap<String, Vec<SocketAddr>>>);

impl Pins {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Vec<SocketAddr>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resolve for Pins {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.lock().get(name.as_str()).cloned();
        Box::pin(async move {
            let addresses = found.ok_or("its address was not judged")?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}
