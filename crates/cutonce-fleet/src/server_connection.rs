//! Connects to the servers of a remote (FL-1). TLS is required unless they are on this machine. A failure names its
//! cause and the next step.

use crate::FleetError;
use crate::link::lock;
use crate::remote_record::RemoteRecord;
use crate::server_login::{ServerAccess, ServerLogin};
use async_nats::jetstream::context::AccountErrorKind;
use async_nats::jetstream::{self, Context, ErrorCode};
use async_nats::rustls;
use async_nats::{ConnectError, ConnectErrorKind, ConnectOptions, Event};
use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(3);
/// A server that does not answer a ping twice is left for another one.
const PING_INTERVAL: Duration = Duration::from_secs(3);

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
        }
    }
}

pub(crate) async fn open_context(record: &RemoteRecord, access: &ServerAccess) -> Result<Context, FleetError> {
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
    let denied = DeniedSubject::default();
    options = denied.listen(options);
    let servers: Result<Vec<async_nats::ServerAddr>, _> = record.urls.iter().map(|url| url.parse()).collect();
    let servers = servers.map_err(|error| failed(ConnectionFault::UnknownHost, error.to_string()))?;
    let client = options.connect(servers).await;
    let client = client.map_err(|error| {
        let fault = connection_fault(&error);
        failed(fault, cause(fault, &error))
    })?;
    let mut context = jetstream::new(client);
    context.set_timeout(REQUEST_TIMEOUT);
    match context.query_account().await {
        Err(error) if lacks_jetstream(&error.kind()) => {
            Err(failed(ConnectionFault::NoJetStream, "it has no JetStream".into()))
        }
        // Without an answer: a cluster without a leader. The first request that needs one tries again.
        answer => match denied.take() {
            Some(why) if answer.is_err() => Err(failed(ConnectionFault::Permissions, why)),
            _ => Ok(context),
        },
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
