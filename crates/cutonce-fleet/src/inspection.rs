//! What `cutonce doctor --remote NAME` learns from a server without changing anything.

use crate::link::now_ms;
use crate::remote_record::RemoteRecord;
use crate::server_connection::connect_server;
use crate::server_login::ServerAccess;
use crate::streams::FleetStream;
use crate::{FleetError, FleetLink};
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::context::GetStreamErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

/// Larger differences are worth a note.
const MAX_SKEW_MS: i64 = 30_000;
/// Why a server that accepts connections may not answer.
const SILENT_SERVER: &str = "the server accepts connections, but does not answer: its disk may be full, or most servers of \
                             its cluster are down; see its log";
/// The server removes the consumer that tells the time.
const CONSUMER_LIFE: Duration = Duration::from_secs(5);

/// A server as a member finds it.
#[derive(Debug, Clone)]
pub struct ServerInspection {
    /// The version.
    pub server: String,
    /// How long one request takes.
    pub latency: Duration,
    /// Streams of the group that the server does not have.
    pub missing: Vec<FleetStream>,
    /// The clock of this machine minus the server's, in milliseconds.
    pub skew: Option<i64>,
}

impl ServerInspection {
    /// One line about the clocks, if they differ too much.
    pub fn skew_text(&self) -> Option<String> {
        let skew = self.skew.filter(|skew| skew.abs() > MAX_SKEW_MS)?;
        Some(format!(
            "{}; synchronize both clocks (for example with systemd-timesyncd): certificates and joining with SSH keys \
             need them",
            clock_difference(skew)
        ))
    }
}

/// Says which clock is ahead, and how far.
pub(crate) fn clock_difference(skew: i64) -> String {
    let direction = if skew > 0 { "ahead of" } else { "behind" };
    format!("the clock of this machine is {} s {direction} the server's", skew.abs() / 1000)
}

impl FleetLink {
    /// Looks at the servers of a remote. Creates no stream.
    pub async fn inspect(home: &Path, record: &RemoteRecord) -> Result<ServerInspection, FleetError> {
        let context = connect_server(record, &ServerAccess::of(home, record)?).await?.context;
        let info = context.client().server_info();
        let (mut missing, mut latency, mut skew) = (Vec::new(), Duration::ZERO, None);
        for stream in FleetStream::ALL {
            let began = Instant::now();
            match context.get_stream(stream.name(&record.group)).await {
                Ok(_) => skew = skew.or(clock_skew(&context, stream, &record.group).await),
                Err(error) => match error.kind() {
                    GetStreamErrorKind::JetStream(error) if error.code() == 404 => missing.push(stream),
                    _ => {
                        let (servers, what) = (record.shown_urls(), "look for a stream");
                        let why = format!("{error}; {SILENT_SERVER}");
                        return Err(FleetError::Server { servers, what, why });
                    }
                },
            }
            latency = latency.max(began.elapsed());
        }
        let server = format!("NATS {}", info.version);
        Ok(ServerInspection { server, latency, missing, skew })
    }
}

/// The clock of this machine minus the server's, in milliseconds. A new consumer carries the server's time.
pub(crate) async fn clock_skew(context: &Context, stream: FleetStream, group: &str) -> Option<i64> {
    let stream = context.get_stream(stream.name(group)).await.ok()?;
    let before = now_ms();
    let config = pull::Config { inactive_threshold: CONSUMER_LIFE, ..pull::Config::default() };
    let consumer = stream.create_consumer(config).await.ok()?;
    let here = i64::try_from(u64::midpoint(before, now_ms())).ok()?;
    let there = i64::try_from(consumer.cached_info().created.unix_timestamp_nanos() / 1_000_000).ok()?;
    Some(here - there)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_1_wrong_clocks_are_named() {
        let with = |skew| {
            let (server, latency) = (String::new(), Duration::ZERO);
            ServerInspection { server, latency, missing: Vec::new(), skew }.skew_text()
        };
        assert_eq!(with(None).or(with(Some(-MAX_SKEW_MS))), None);
        assert!(with(Some(90_000)).unwrap().contains("90 s ahead of"));
        assert!(with(Some(-90_500)).unwrap().contains("90 s behind"));
    }
}
