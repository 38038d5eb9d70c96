//! The proxy for commands in plan mode (PM-67): it connects to the hosts that the user listed, and to nothing else.
//!
//! A command has a network of its own in which only this proxy listens. Everything that it sends is hostile: the head
//! of a request is short and strict, a host is compared as a name, the name's addresses are looked up and checked here,
//! and the connection goes to exactly these addresses. One connection of the command leads to one host.

use crate::web::is_public;
use cutonce_core::settings::network::{AllowedHosts, ListedHost};
use cutonce_core::sync::LockUnpoisoned;
use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Where the proxy listens in the command's own network.
pub(crate) const PROXY_PORT: u16 = 3128;
/// The longest head of a request.
const MAX_HEAD: usize = 16 * 1024;
const MAX_CONNECTIONS: usize = 64;
/// A request's head and a connection to a host must be complete after this time.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// A connection without a byte in either direction ends after this time.
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);
/// Hosts that are remembered for the review.
const MAX_REMEMBERED: usize = 200;

/// Hosts that commands in plan mode may reach, and those that they did reach.
#[derive(Debug, Default)]
pub struct NetworkAllowance {
    listed: Vec<ListedHost>,
    contacted: Mutex<BTreeSet<String>>,
}

/// Why a request goes nowhere: the status for the command, and a sentence.
#[derive(Debug, PartialEq, Eq)]
struct ProxyRefusal {
    status: &'static str,
    why: String,
}

/// A request's head, checked.
#[derive(Debug, PartialEq, Eq)]
struct ProxyRequest {
    host: String,
    port: u16,
    /// What is sent to the host first; `None` for a tunnel.
    head: Option<Vec<u8>>,
}

impl NetworkAllowance {
    pub fn new(network: AllowedHosts) -> Self {
        Self { listed: network.hosts, contacted: Mutex::default() }
    }

    /// Returns the hosts that were contacted, as `host:port`.
    pub fn contacted(&self) -> Vec<String> {
        self.contacted.lock_unpoisoned().iter().cloned().collect()
    }

    fn remember(&self, host: &str, port: u16) {
        let mut contacted = self.contacted.lock_unpoisoned();
        if contacted.len() < MAX_REMEMBERED {
            contacted.insert(format!("{host}:{port}"));
        }
    }

    fn allows(&self, host: &str, port: u16) -> bool {
        let port_fits = |listed: &ListedHost| listed.port.map_or(matches!(port, 80 | 443), |only| only == port);
        self.listed.iter().any(|listed| listed.name == host && port_fits(listed))
    }

    /// True if a listed name may lead to this address: a public one, one that is listed itself, or this machine's for
    /// the name of this machine.
    fn allows_address(&self, host: &str, address: SocketAddr) -> bool {
        is_public(address.ip())
            || host == "localhost" && address.ip().is_loopback()
            || self.allows(&address.ip().to_string(), address.port())
    }

    /// Looks up a host; all of its addresses must be allowed.
    async fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, ProxyRefusal> {
        if !self.allows(host, port) {
            return Err(refusal("403 Forbidden", format!("{host}:{port} is not listed in plan.network")));
        }
        let unknown = |_| refusal("502 Bad Gateway", format!("the host {host} was not found"));
        let found: Vec<SocketAddr> = match host.parse::<IpAddr>() {
            Ok(ip) => vec![SocketAddr::from((ip, port))],
            Err(_) => tokio::net::lookup_host((host, port)).await.map_err(unknown)?.collect(),
        };
        match found.iter().find(|address| !self.allows_address(host, **address)) {
            Some(private) => {
                let why =
                    format!("{host} is at the private address {}, which is not listed in plan.network", private.ip());
                Err(refusal("403 Forbidden", why))
            }
            None => Ok(found),
        }
    }

    /// Serves one command until its network is gone or this future is dropped.
    pub(crate) async fn serve(self: Arc<Self>, listener: TcpListener) {
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut running = tokio::task::JoinSet::new();
        loop {
            let Ok(place) = places.clone().acquire_owned().await else { return };
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                Some(_) = running.join_next() => continue,
            };
            let Ok((client, _)) = accepted else { return };
            let allowance = self.clone();
            running.spawn(async move {
                // A connection that broke off is the command's business.
                let _ = allowance.serve_connection(client).await;
                drop(place);
            });
        }
    }

    async fn serve_connection(&self, mut client: TcpStream) -> io::Result<()> {
        let started = tokio::time::timeout(START_TIMEOUT, self.start_connection(&mut client)).await;
        let timed_out = || Err(refusal("504 Gateway Timeout", "the host did not answer in time".into()));
        match started.unwrap_or_else(|_| timed_out()) {
            Ok((mut server, rest)) => {
                server.write_all(&rest).await?;
                relay(client, server).await
            }
            Err(refused) => {
                tracing::info!(why = refused.why, "plan network: refused");
                let ProxyRefusal { status, why } = refused;
                let text = format!("cutonce: {why}.\n");
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    text.len()
                );
                client.write_all((head + &text).as_bytes()).await?;
                client.shutdown().await
            }
        }
    }

    /// Reads the head and connects; returns the connection, and what is sent on it first.
    async fn start_connection(&self, client: &mut TcpStream) -> Result<(TcpStream, Vec<u8>), ProxyRefusal> {
        let (head, body) = read_head(client).await?;
        let request = parse_head(&head)?;
        let addresses = self.addresses(&request.host, request.port).await?;
        let failed = |error: io::Error| {
            refusal("502 Bad Gateway", format!("{}:{} can't be reached: {error}", request.host, request.port))
        };
        let server = TcpStream::connect(addresses.as_slice()).await.map_err(failed)?;
        self.remember(&request.host, request.port);
        tracing::info!(host = request.host, port = request.port, "plan network: connected");
        match request.head {
            Some(mut head) => {
                head.extend(body);
                Ok((server, head))
            }
            None => {
                client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.map_err(failed)?;
                Ok((server, body))
            }
        }
    }
}

fn refusal(status: &'static str, why: String) -> ProxyRefusal {
    ProxyRefusal { status, why }
}

/// Reads up to the empty line; returns the head with it, and what came after.
async fn read_head(client: &mut TcpStream) -> Result<(Vec<u8>, Vec<u8>), ProxyRefusal> {
    let mut read = Vec::new();
    loop {
        if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            let body = read.split_off(end + 4);
            return Ok((read, body));
        }
        if read.len() >= MAX_HEAD {
            return Err(refusal("431 Request Header Fields Too Large", "the request's head is too long".into()));
        }
        let mut piece = [0; 4096];
        let length = client.read(&mut piece).await.unwrap_or(0);
        if length == 0 {
            return Err(refusal("400 Bad Request", "the request is not complete".into()));
        }
        read.extend_from_slice(piece.get(..length).unwrap_or_default());
    }
}

/// Reads a head: `CONNECT host:port`, or a method with an absolute `http` address.
fn parse_head(head: &[u8]) -> Result<ProxyRequest, ProxyRefusal> {
    let wrong = |why: &str| refusal("400 Bad Request", format!("the request can't be understood: {why}"));
    let text = std::str::from_utf8(head).map_err(|_| wrong("its head is not text"))?;
    let text = text.strip_suffix("\r\n\r\n").ok_or_else(|| wrong("its head has no end"))?;
    if text.split("\r\n").any(|line| line.chars().any(|c| c.is_control() && c != '\t')) {
        return Err(wrong("its head has control characters"));
    }
    let mut lines = text.split("\r\n");
    let first: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, "HTTP/1.1" | "HTTP/1.0"] = first[..] else { return Err(wrong("its first line")) };
    if method.is_empty() || !method.bytes().all(|c| c.is_ascii_uppercase()) {
        return Err(wrong("its method"));
    }
    let headers = parse_headers(lines).ok_or_else(|| wrong("a header"))?;
    if method == "CONNECT" {
        let ListedHost { name: host, port } = ListedHost::parse(target).ok_or_else(|| wrong("its host"))?;
        let port = port.ok_or_else(|| wrong("it names no port"))?;
        return Ok(ProxyRequest { host, port, head: None });
    }
    let rest = target.strip_prefix("http://").ok_or_else(|| wrong("it names no http address"))?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let ListedHost { name: host, port } = ListedHost::parse(authority).ok_or_else(|| wrong("its host"))?;
    let path = if path.starts_with('/') { path.to_string() } else { format!("/{path}") };
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n");
    check_framing(&headers).map_err(wrong)?;
    for (name, value) in headers.iter().filter(|(name, _)| !is_for_the_proxy(name)) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    Ok(ProxyRequest { host, port: port.unwrap_or(80), head: Some(head.into_bytes()) })
}

/// Splits headers; `None` if one has no name, a folded value, or a blank before the colon.
fn parse_headers<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Vec<(&'a str, &'a str)>> {
    let is_name = |c: u8| c.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&c);
    lines
        .map(|line| {
            let (name, value) = line.split_once(':')?;
            (!name.is_empty() && name.bytes().all(is_name)).then_some((name, value.trim()))
        })
        .collect()
}

/// Refuses a request whose end two programs could see at different places.
fn check_framing(headers: &[(&str, &str)]) -> Result<(), &'static str> {
    let count = |wanted: &str| headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(wanted)).count();
    let (lengths, encodings) = (count("content-length"), count("transfer-encoding"));
    match (lengths, encodings) {
        (0 | 1, 0) | (0, 1) => Ok(()),
        _ => Err("its length is ambiguous"),
    }
}

/// Headers that end at a proxy. The host's name comes from the address.
fn is_for_the_proxy(name: &str) -> bool {
    let ours = ["host", "connection", "proxy-connection", "proxy-authorization", "keep-alive", "upgrade", "te"];
    ours.iter().any(|ours| name.eq_ignore_ascii_case(ours))
}

/// Passes bytes in both directions until one side ends, or both are silent for too long.
async fn relay(client: TcpStream, server: TcpStream) -> io::Result<()> {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let idle = Arc::new(tokio::sync::Notify::new());
    let (up, down) = (idle.clone(), idle.clone());
    let upward = async {
        copy_noting(&mut from_client, &mut to_server, &up).await?;
        to_server.shutdown().await
    };
    let downward = async {
        copy_noting(&mut from_server, &mut to_client, &down).await?;
        to_client.shutdown().await
    };
    let silence = async { while tokio::time::timeout(IDLE_TIMEOUT, idle.notified()).await.is_ok() {} };
    tokio::select! {
        both = async { tokio::try_join!(upward, downward) } => both.map(drop),
        () = silence => Ok(()),
    }
}

async fn copy_noting(
    from: &mut (impl AsyncReadExt + Unpin),
    to: &mut (impl AsyncWriteExt + Unpin),
    note: &tokio::sync::Notify,
) -> io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let length = from.read(&mut buffer).await?;
        if length == 0 {
            return Ok(());
        }
        to.write_all(buffer.get(..length).unwrap_or_default()).await?;
        note.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowance(hosts: &[&str]) -> NetworkAllowance {
        NetworkAllowance::new(AllowedHosts {
            hosts: hosts.iter().map(|host| ListedHost::parse(host).unwrap()).collect(),
        })
    }

    #[test]
    fn pm_67_only_listed_hosts_and_ports_fit() {
        let listed = allowance(&["crates.io", "Git.Example.org:8443", "10.1.2.3", "[::1]:81"]);
        for (host, port, fits) in [
            ("crates.io", 443, true),
            ("crates.io", 80, true),
            ("crates.io", 22, false),
            ("evil.crates.io", 443, false),
            ("crates.io.evil.org", 443, false),
            ("git.example.org", 8443, true),
            ("git.example.org", 443, false),
            ("10.1.2.3", 443, true),
            ("10.1.2.4", 443, false),
            ("::1", 81, true),
            ("127.0.0.1", 443, false),
        ] {
            assert_eq!(listed.allows(host, port), fits, "{host}:{port}");
        }
    }

    #[test]
    fn pm_67_private_addresses_must_be_listed() {
        let listed = allowance(&["crates.io", "localhost:8080", "corp.example", "10.1.2.3"]);
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        for (host, address, fits) in [
            ("crates.io", "151.101.1.1:443", true),
            ("crates.io", "127.0.0.1:443", false),
            ("crates.io", "169.254.169.254:80", false),
            ("corp.example", "10.1.2.3:443", true),
            ("corp.example", "10.1.2.4:443", false),
            ("localhost", "127.0.0.1:8080", true),
            ("localhost", "[::1]:8080", true),
            ("localhost", "10.0.0.1:8080", false),
        ] {
            assert_eq!(listed.allows_address(host, at(address)), fits, "{host} at {address}");
        }
    }

    #[test]
    fn pm_67_heads_are_read_strictly() {
        let read = |head: &str| parse_head(head.as_bytes());
        let tunnel = read("CONNECT crates.io:443 HTTP/1.1\r\nHost: other.org:443\r\n\r\n").unwrap();
        assert_eq!(tunnel, ProxyRequest { host: "crates.io".into(), port: 443, head: None });
        let got = read(
            "GET http://Crates.io/a?b HTTP/1.1\r\nHost: other.org\r\nProxy-Authorization: x\r\nAccept: */*\r\n\r\n",
        );
        let got = got.unwrap();
        let head = String::from_utf8(got.head.unwrap()).unwrap();
        assert_eq!((got.host.as_str(), got.port), ("crates.io", 80));
        assert_eq!(head, "GET /a?b HTTP/1.1\r\nHost: Crates.io\r\nConnection: close\r\nAccept: */*\r\n\r\n");
        for wrong in [
            "GET / HTTP/1.1\r\nHost: crates.io\r\n\r\n",
            "GET https://crates.io/ HTTP/1.1\r\n\r\n",
            "GET http://user@crates.io/ HTTP/1.1\r\n\r\n",
            "GET http://crates.io\\@evil.org/ HTTP/1.1\r\n\r\n",
            "GET http://crates.io/ HTTP/2\r\n\r\n",
            "GET http://crates.io/  HTTP/1.1\r\n\r\n",
            "CONNECT crates.io HTTP/1.1\r\n\r\n",
            "CONNECT crates.io:443@evil.org:443 HTTP/1.1\r\n\r\n",
            "CONNECT crates.io:443\u{0} HTTP/1.1\r\n\r\n",
            "CONNECT 0x7f.1:443 HTTP/1.1\r\n\r\n",
            "POST http://crates.io/ HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST http://crates.io/ HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
            "GET http://crates.io/ HTTP/1.1\r\nHost : x\r\n\r\n",
            "GET http://crates.io/ HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
            "GET http://crates.io/ HTTP/1.1\r\nA: b\nHost: evil\r\n\r\n",
            "",
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }

    /// A host on this machine: answers everything, and remembers the requests.
    struct TestHost {
        port: u16,
        heads: Arc<Mutex<Vec<String>>>,
    }

    impl TestHost {
        fn start() -> Self {
            use std::io::{Read, Write};
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let (port, heads) = (listener.local_addr().unwrap().port(), Arc::new(Mutex::new(Vec::new())));
            let seen = heads.clone();
            std::thread::spawn(move || {
                for client in listener.incoming() {
                    let (mut client, mut head) = (client.unwrap(), [0; 4096]);
                    let length = client.read(&mut head).unwrap_or(0);
                    let head = String::from_utf8_lossy(&head[..length]).into_owned();
                    let body = match head.split(' ').nth(1).unwrap_or_default() {
                        path if path.contains("info/refs") => format!("{}\trefs/heads/main\n", "1".repeat(40)),
                        path if path.ends_with("HEAD") => "ref: refs/heads/main\n".to_string(),
                        _ => "hello\n".to_string(),
                    };
                    seen.lock().unwrap().push(head);
                    let length = body.len();
                    let _ = write!(
                        client,
                        "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
                    );
                }
            });
            Self { port, heads }
        }
        fn heads(&self) -> Vec<String> {
            self.heads.lock().unwrap().clone()
        }
    }

    /// Commands in plan mode with a list of hosts.
    struct NetworkShell {
        shells: crate::shell::process::SessionShells,
        workspace: crate::workspace::Workspace,
        _dir: tempfile::TempDir,
    }

    impl NetworkShell {
        fn new(hosts: &[String]) -> Self {
            let dir = tempfile::tempdir().unwrap();
            let base = dir.path().canonicalize().unwrap();
            std::fs::create_dir(base.join("own")).unwrap();
            let own = base.join("own");
            let workspace = crate::workspace::Workspace::new(&base, &[], Some(&base), &own, &own).unwrap();
            let shells = crate::shell::process::SessionShells::new(std::env::vars_os().collect());
            let hosts = hosts.iter().map(|host| ListedHost::parse(host).unwrap()).collect();
            let network = AllowedHosts { hosts };
            let options = crate::shell::confine::PlanSandboxOptions { network, ..Default::default() };
            shells.create_plan_sandbox(options).unwrap();
            Self { shells, workspace, _dir: dir }
        }
        async fn run(&self, command: &str) -> String {
            let held = cutonce_core::permission::ShellConfinement::PlanSandbox;
            let (mut shell, _) = self.shells.start_command(command, held, &self.workspace, None).await.unwrap();
            let mut output = Vec::new();
            shell.pump_output(|bytes| output.extend_from_slice(bytes)).await.unwrap();
            String::from_utf8_lossy(&output).into_owned()
        }
    }

    fn has_namespaces() -> bool {
        cutonce_sandbox::sandbox_support().tier == cutonce_sandbox::SandboxTier::Namespaces
    }

    #[tokio::test]
    async fn pm_67_commands_reach_listed_hosts_and_nothing_else() {
        assert!(has_namespaces(), "a network of its own needs user namespaces");
        let (host, other) = (TestHost::start(), TestHost::start());
        let (port, closed) = (host.port, other.port);
        // The last one is a name whose address is private and not listed.
        let shell = NetworkShell::new(&[format!("localhost:{port}"), format!("ip6-localhost:{closed}")]);
        for reached in [
            format!("curl -sS http://localhost:{port}/a"),
            format!("curl -sS --proxytunnel http://LOCALHOST.:{port}/b"),
            format!("python3 -c 'import urllib.request as u; print(u.urlopen(\"http://localhost:{port}/c\").read())'"),
        ] {
            let said = shell.run(&reached).await;
            assert!(said.contains("hello"), "{reached}: {said}");
        }
        let refs = shell.run(&format!("git ls-remote http://localhost:{port}/r.git")).await;
        assert!(refs.contains("refs/heads/main"), "{refs}");
        for refused in [
            format!("curl -sS http://localhost:{closed}/"),
            format!("curl -sS --proxytunnel http://localhost:{closed}/"),
            format!("curl -sS http://127.0.0.1:{port}/"),
            format!("curl -sS http://[::1]:{port}/"),
            format!("curl -sS http://ip6-localhost:{closed}/"),
            format!("curl -sS --noproxy '*' http://localhost:{closed}/"),
            format!("curl -sS --noproxy '*' http://127.0.0.1:{port}/"),
            format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) && echo hello"),
            format!("git ls-remote http://localhost:{closed}/r.git"),
        ] {
            let before = host.heads().len();
            let said = shell.run(&format!("{refused} 2>&1")).await;
            assert!(!said.contains("hello") && !said.contains("refs/heads"), "{refused}: {said}");
            assert_eq!((host.heads().len(), other.heads()), (before, Vec::new()), "{refused}");
        }
        let contacted = shell.shells.plan_sandbox().unwrap().contacted_hosts();
        assert_eq!(contacted, [format!("localhost:{port}")]);
    }

    #[tokio::test]
    async fn pm_67_hostile_requests_reach_nothing() {
        assert!(has_namespaces(), "a network of its own needs user namespaces");
        let (host, other) = (TestHost::start(), TestHost::start());
        let (port, closed) = (host.port, other.port);
        let shell = NetworkShell::new(&[format!("localhost:{port}")]);
        let send =
            |bytes: &str| format!("exec 3<>/dev/tcp/127.0.0.1/{PROXY_PORT}; {bytes} >&3; timeout 20 head -c 300 <&3");
        let long = send(
            "(printf 'GET http://localhost:1/ HTTP/1.1\\r\\nA: '; head -c 100000 /dev/zero | tr '\\0' a) 2>/dev/null",
        );
        let said = shell.run(&long).await;
        assert!(said.is_empty() || said.contains("431"), "{said}");
        for (bytes, status) in [
            (format!("printf 'GET / HTTP/1.1\\r\\nHost: localhost:{closed}\\r\\n\\r\\n'"), "400"),
            (format!("printf 'CONNECT localhost:{port}@localhost:{closed} HTTP/1.1\\r\\n\\r\\n'"), "400"),
            (format!("printf 'GET http://localhost:{port}@localhost:{closed}/ HTTP/1.1\\r\\n\\r\\n'"), "400"),
            (format!("printf 'CONNECT localhost:{closed} HTTP/1.1\\r\\nHost: localhost:{port}\\r\\n\\r\\n'"), "403"),
            ("printf '\\x05\\x01\\x00\\r\\n\\r\\n'".to_string(), "400"),
        ] {
            let said = shell.run(&send(&bytes)).await;
            assert!(said.contains(status), "{bytes}: {said}");
        }
        assert!(host.heads().is_empty(), "{:?}", host.heads());
        // What follows a request goes to its host, and the host's name is that of the address.
        let smuggled = format!(
            "printf 'GET http://localhost:{port}/ HTTP/1.1\\r\\nHost: localhost:{closed}\\r\\n\\r\\nGET http://localhost:{closed}/ HTTP/1.1\\r\\n\\r\\n'"
        );
        shell.run(&send(&smuggled)).await;
        let heads = host.heads();
        assert!(heads[0].contains(&format!("Host: localhost:{port}\r\n")) && heads.len() == 1, "{heads:?}");
        assert!(!heads[0].contains(&format!("Host: localhost:{closed}")), "{heads:?}");
        assert_eq!(other.heads(), Vec::<String>::new());
    }

    #[tokio::test]
    async fn pm_67_without_a_list_there_is_no_network() {
        let host = TestHost::start();
        let shell = NetworkShell::new(&[]);
        let said = shell.run(&format!("env | grep -i _proxy; curl -sS http://localhost:{}/ 2>&1", host.port)).await;
        assert!(
            !said.contains("hello") && !said.to_lowercase().contains("_proxy=") && host.heads().is_empty(),
            "{said}"
        );
    }
}
