//! Connects to the servers of a remote (FL-1). TLS is required unless they are on this machine. A failure names its
//! cause and the next step.

use crate::FleetError;
use crate::envelope::MAX_MESSAGE;
use crate::link::lock;
use crate::remote_record::RemoteRecord;
use crate::server_login::{ServerAccess, ServerLogin};
use async_nats::jetstream::context::AccountErrorKind;
use async_nats::jetstream::{self, Context, ErrorCode};
use async_nats::rustls;
use async_nats::{ConnectError, ConnectErrorKind, ConnectOptions, Event, ReconnectToServer, Server, ServerAddr};
use std::error::Error;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(3);
/// A server that does not answer a ping twice is left for another one.
const PING_INTERVAL: Duration = Duration::from_secs(3);
/// A client gives each server this time before it leaves for the next one. Longer than a request waits: requests that
/// were sent to the last server say nothing about this one.
const LEAST_STAY: Duration = Duration::from_secs(5);
/// How often a client looks whether it has reached the next server.
const RECONNECT_POLL: Duration = Duration::from_millis(10);

/// Why the servers of a remote can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionFault {
    /// Nothing answers at the address.
    Unreachable,
    /// The name of the host has no address.
    UnknownHost,
    /// The server is elsewhere and offers no TLS.
    NoTls,
    /// The server's certificate is not valid for this address or authority.
    Certificate,
    /// The server refuses the credentials.
    Credentials,
    /// The server, or this account, has no JetStream.
    NoJetStream,
    /// The account may not use what the fleet needs.
    Permissions,
    /// The server accepts only smaller messages than members write.
    SmallMessages,
}

impl ConnectionFault {
    /// Whether it may end without a change on this machine.
    pub fn may_pass(self) -> bool {
        matches!(self, ConnectionFault::Unreachable | ConnectionFault::UnknownHost | ConnectionFault::NoJetStream)
    }

    /// What the user can do.
    pub fn next_step(self, remote: &str) -> String {
        match self {
            ConnectionFault::Unreachable => "is the server running, and is the address right?".into(),
            ConnectionFault::UnknownHost => "check the address".into(),
            ConnectionFault::NoTls => "give the server a certificate, or reach it through a tunnel: TLS is required \
                                       unless the server is on this machine"
                .into(),
            ConnectionFault::Certificate => format!(
                "use the name in the certificate, or name your own authority with --ca FILE (later: `cutonce remote \
                 login {remote} --ca FILE`)"
            ),
            ConnectionFault::Credentials => format!(
                "give others with --creds FILE or --user NAME (later: `cutonce remote login {remote} --creds FILE`)"
            ),
            ConnectionFault::NoJetStream => {
                "start it with `nats-server -js`, or enable JetStream for this account".into()
            }
            ConnectionFault::Permissions => "let this account publish to $JS.API.>, $JS.ACK.>, $O.> and \
                                             cutonce.fleet.>, and subscribe to _INBOX.>"
                .into(),
            ConnectionFault::SmallMessages => "set `max_payload: 1MB` in its settings".into(),
        }
    }
}

/// A connection to one of the servers.
pub(crate) struct ServerConnection {
    pub context: Context,
    /// When the client came to this server.
    arrived: Mutex<Instant>,
}

impl ServerConnection {
    /// Connects to the next server: a request to this one failed. A server with a full disk answers pings, but no
    /// requests (FL-6).
    pub async fn leave_server(&self) {
        let is_connected = self.context.client().connection_state() == async_nats::connection::State::Connected;
        {
            let mut arrived = lock(&self.arrived);
            if !is_connected || arrived.elapsed() < LEAST_STAY {
                return;
            }
            *arrived = Instant::now();
        }
        self.connect_next().await;
    }

    async fn connect_next(&self) {
        let client = self.context.client();
        let statistics = client.statistics();
        let connects = || statistics.connects.load(Ordering::Relaxed);
        let before = connects();
        tracing::debug!("the server at port {} does not answer; trying the next one", client.server_info().port);
        if let Err(error) = client.force_reconnect().await {
            return tracing::warn!("{error}");
        }
        // A request that is sent before that would be lost.
        let connected = async {
            while connects() == before {
                tokio::time::sleep(RECONNECT_POLL).await;
            }
        };
        if tokio::time::timeout(CONNECT_TIMEOUT, connected).await.is_err() {
            tracing::debug!("the next server accepts no connection; the client tries again");
        }
    }
}

/// Chooses the server after the one that was left. The first server is chosen at random.
#[derive(Clone, Default)]
struct NextServer(Arc<Mutex<Option<ServerAddr>>>);

impl NextServer {
    fn choose(&self, servers: &[Server]) -> Option<ReconnectToServer> {
        let mut last = lock(&self.0);
        let is_last = |server: &Server| match &*last {
            Some(addr) => server.addr == *addr,
            None => server.did_connect,
        };
        let at = servers.iter().position(is_last)?;
        let (before, after) = (servers.get(..=at)?, servers.get(at + 1..)?);
        let next = after.iter().chain(before).min_by_key(|server| server.failed_attempts)?;
        *last = Some(next.addr.clone());
        Some(ReconnectToServer { addr: next.addr.clone(), delay: None })
    }
}

/// Connects to one of the servers and asks it for JetStream.
pub(crate) async fn connect_server(
    record: &RemoteRecord,
    access: &ServerAccess,
) -> Result<ServerConnection, FleetError> {
    let failed = |fault: ConnectionFault, why: String| FleetError::Connection {
        remote: record.name.clone(),
        servers: record.shown_urls(),
        fault,
        why,
    };
    let mut options = ConnectOptions::new()
        .name("cutonce")
        .connection_timeout(CONNECT_TIMEOUT)
        .ping_interval(PING_INTERVAL)
        .request_timeout(Some(REQUEST_TIMEOUT))
        .require_tls(!record.is_loopback());
    if record.is_loopback() {
        // Servers that this one names may be elsewhere; without TLS no connection leaves this machine.
        options = options.ignore_discovered_servers();
    }
    if let Some(path) = &access.creds {
        let text =
            std::fs::read_to_string(path).map_err(|error| FleetError::file("read the credentials", path, &error))?;
        options = options.credentials(&text).map_err(|error| FleetError::file("read the credentials", path, &error))?;
    }
    options = match &access.login {
        None => options,
        Some(ServerLogin::Password { user, password }) => options.user_and_password(user.clone(), password.clone()),
        Some(ServerLogin::Token(token)) => options.token(token.clone()),
        Some(ServerLogin::Credentials(text)) => options.credentials(text).map_err(|error| {
            FleetError::Refused(format!("the stored credentials of {} are damaged: {error}", record.name))
        })?,
    };
    if let Some(path) = &access.ca {
        std::fs::metadata(path).map_err(|error| FleetError::file("read the certificate", path, &error))?;
        options = options.add_root_certificates(path.clone());
    }
    let (denied, next) = (DeniedSubject::default(), NextServer::default());
    options = denied.listen(options);
    options = options.reconnect_to_server_callback(move |servers, _| std::future::ready(next.choose(&servers)));
    let servers: Result<Vec<async_nats::ServerAddr>, _> = record.urls.iter().map(|url| url.parse()).collect();
    let servers = servers.map_err(|error| failed(ConnectionFault::UnknownHost, error.to_string()))?;
    let client = options.connect(servers).await;
    let client = client.map_err(|error| {
        let fault = connection_fault(&error);
        failed(fault, cause(fault, &error))
    })?;
    check_size_limit(&client).map_err(|why| failed(ConnectionFault::SmallMessages, why))?;
    let mut context = jetstream::new(client);
    context.set_timeout(REQUEST_TIMEOUT);
    let connection = ServerConnection { context, arrived: Mutex::new(Instant::now()) };
    for left in (0..record.urls.len()).rev() {
        let Err(error) = connection.context.query_account().await else { break };
        if let Some(why) = denied.take() {
            return Err(failed(ConnectionFault::Permissions, why));
        }
        // One server may lack JetStream, or be silent, while the others work.
        match error.kind() {
            kind if left == 0 && lacks_jetstream(&kind) => {
                return Err(failed(ConnectionFault::NoJetStream, "it has no JetStream".into()));
            }
            kind if left > 0 && (lacks_jetstream(&kind) || kind == AccountErrorKind::TimedOut) => {
                connection.connect_next().await;
            }
            // The answer of an older server has other fields. The first request that needs a leader tries again.
            _ => break,
        }
    }
    Ok(connection)
}

/// Fails if the server accepts less than members write.
fn check_size_limit(client: &async_nats::Client) -> Result<(), String> {
    match client.server_info().max_payload {
        largest if largest < MAX_MESSAGE => Err(format!("it accepts only messages up to {} KB", largest >> 10)),
        _ => Ok(()),
    }
}

/// What the server said about a subject that this account may not use. It says so apart from the request.
#[derive(Clone, Default)]
struct DeniedSubject(Arc<Mutex<Option<String>>>);

impl DeniedSubject {
    fn listen(&self, options: ConnectOptions) -> ConnectOptions {
        let denied = self.clone();
        options.event_callback(move |event| {
            if let Event::ServerError(error) = &event {
                let text = error.to_string();
                if text.to_lowercase().contains("permissions violation") {
                    lock(&denied.0).get_or_insert(text.trim_start_matches("nats: ").to_string());
                }
            }
            std::future::ready(())
        })
    }
    fn take(&self) -> Option<String> {
        lock(&self.0).take()
    }
}

fn lacks_jetstream(kind: &AccountErrorKind) -> bool {
    match kind {
        AccountErrorKind::JetStreamUnavailable => true,
        AccountErrorKind::JetStream(error) => {
            let code = error.error_code();
            code == ErrorCode::JETSTREAM_NOT_ENABLED || code == ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT
        }
        AccountErrorKind::TimedOut | AccountErrorKind::Other => false,
    }
}

fn connection_fault(error: &ConnectError) -> ConnectionFault {
    match (error.kind(), tls_error(error)) {
        (ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation, _) => {
            ConnectionFault::Credentials
        }
        (ConnectErrorKind::Dns | ConnectErrorKind::ServerParse, _) => ConnectionFault::UnknownHost,
        // The answer to the first message of TLS was none of TLS.
        (_, Some(rustls::Error::InvalidMessage(_))) => ConnectionFault::NoTls,
        (ConnectErrorKind::Tls, _) | (_, Some(_)) => ConnectionFault::Certificate,
        _ => ConnectionFault::Unreachable,
    }
}

/// The cause in the words of TLS, if it is one of TLS.
fn tls_error(error: &ConnectError) -> Option<&rustls::Error> {
    let io = error.source()?.downcast_ref::<std::io::Error>()?;
    io.get_ref()?.downcast_ref::<rustls::Error>()
}

/// The cause in one short sentence.
fn cause(fault: ConnectionFault, error: &ConnectError) -> String {
    match (fault, error.source()) {
        (ConnectionFault::NoTls, _) => "it offers no TLS".into(),
        (ConnectionFault::Credentials, _) => "it refuses the credentials of this machine".into(),
        (ConnectionFault::Certificate, Some(source)) => format!("its certificate is refused: {source}"),
        (_, Some(source)) => source.to_string(),
        (_, None) => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_6_client_leaves_for_another_server() {
        let server = |port: u16, failed_attempts: usize, did_connect: bool| Server {
            addr: format!("nats://127.0.0.1:{port}").parse().unwrap(),
            failed_attempts,
            did_connect,
            is_discovered: false,
            last_error: None,
        };
        let next = NextServer::default();
        let port = |servers: &[Server]| next.choose(servers).map(|chosen| chosen.addr.port());
        assert_eq!(port(&[server(1, 0, false), server(2, 0, false)]), None, "the first one is chosen at random");
        let three = [server(1, 0, false), server(2, 0, true), server(3, 0, false)];
        assert_eq!([port(&three), port(&three), port(&three)], [Some(3), Some(1), Some(2)]);
        let one_is_gone = [server(1, 0, true), server(2, 0, true), server(3, 5, true)];
        assert_eq!([port(&one_is_gone), port(&one_is_gone)], [Some(1), Some(2)]);
    }
}
