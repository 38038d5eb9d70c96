//! Every stream, consumer and bucket of a group, with retention and limits, in one place (FL-3, FL-5).
//!
//! | stream | content | kept |
//! |---|---|---|
//! | members | the member log | for ever |
//! | invites | encrypted invitations | ten minutes |
//! | queue | jobs that wait for a worker | until a worker confirms the result |
//! | jobs | life of each job, and its one result | 30 days |
//! | reviews | requests, answers and their outcome | 30 days |
//! | sessions | transcripts | 30 days |
//! | objects | bundles, patches, large texts | 30 days |

use crate::member_list::INVITE_SECONDS;
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::object_store;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use std::time::Duration;

const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
const MEGABYTE: i64 = 1 << 20;
/// How long the server remembers message ids, so that a repeated publication is stored once.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(600);
/// A cluster of this size keeps three copies.
const CLUSTER: usize = 3;
/// The one consumer of the queue; all workers share it.
pub(crate) const WORKERS: &str = "workers";
/// Jobs that may run at once in the whole group.
const MAX_RUNNING: i64 = 10_000;

/// A stream of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FleetStream {
    Members,
    Invites,
    Queue,
    Jobs,
    Reviews,
    Sessions,
}

impl FleetStream {
    pub const ALL: [FleetStream; 6] = [
        FleetStream::Members,
        FleetStream::Invites,
        FleetStream::Queue,
        FleetStream::Jobs,
        FleetStream::Reviews,
        FleetStream::Sessions,
    ];

    pub fn key(self) -> &'static str {
        match self {
            FleetStream::Members => "members",
            FleetStream::Invites => "invites",
            FleetStream::Queue => "queue",
            FleetStream::Jobs => "jobs",
            FleetStream::Reviews => "reviews",
            FleetStream::Sessions => "sessions",
        }
    }
    pub fn name(self, group: &str) -> String {
        format!("CUTONCE_FLEET_{group}_{}", self.key())
    }
    /// The subject of one message; `rest` is empty for the member log.
    pub fn subject(self, group: &str, rest: &str) -> String {
        let dot = if rest.is_empty() { "" } else { "." };
        format!("cutonce.fleet.{group}.{}{dot}{rest}", self.key())
    }

    fn config(self, group: &str, replicas: usize) -> Config {
        let subject = if self == FleetStream::Members { self.subject(group, "") } else { self.subject(group, ">") };
        let base = Config {
            name: self.name(group),
            subjects: vec![subject],
            storage: StorageType::File,
            num_replicas: replicas,
            duplicate_window: DUPLICATE_WINDOW,
            max_message_size: 1 << 20,
            discard: DiscardPolicy::Old,
            allow_direct: true,
            ..Config::default()
        };
        let invites = Duration::from_secs(INVITE_SECONDS);
        match self {
            FleetStream::Members => Config { max_bytes: 16 * MEGABYTE, discard: DiscardPolicy::New, ..base },
            FleetStream::Invites => Config { max_bytes: MEGABYTE, max_age: invites, duplicate_window: invites, ..base },
            FleetStream::Queue => Config {
                max_bytes: 32 * MEGABYTE,
                // A full queue refuses new jobs; it never drops one.
                discard: DiscardPolicy::New,
                retention: RetentionPolicy::WorkQueue,
                ..base
            },
            FleetStream::Jobs => Config { max_bytes: 128 * MEGABYTE, max_age: KEPT, ..base },
            FleetStream::Reviews => Config { max_bytes: 128 * MEGABYTE, max_age: KEPT, ..base },
            FleetStream::Sessions => Config { max_bytes: 256 * MEGABYTE, max_age: KEPT, ..base },
        }
    }
}

pub(crate) fn stream_configs(group: &str, replicas: usize) -> Vec<Config> {
    FleetStream::ALL.iter().map(|stream| stream.config(group, replicas)).collect()
}

/// What to tell if a server has too little room for a group.
pub(crate) fn room_needed() -> String {
    let streams = stream_configs("", 1).iter().map(|config| config.max_bytes).sum::<i64>();
    let megabytes = (streams + bucket_config("", 1).max_bytes) / MEGABYTE;
    format!(
        "the server has too little room: a group needs {megabytes} MB; raise jetstream.max_file_store in its settings"
    )
}

/// The bucket for everything that is larger than a message.
pub(crate) fn bucket_name(group: &str) -> String {
    format!("cutonce-fleet-{group}")
}

pub(crate) fn bucket_config(group: &str, replicas: usize) -> object_store::Config {
    object_store::Config {
        bucket: bucket_name(group),
        max_age: KEPT,
        max_bytes: 256 * MEGABYTE,
        storage: StorageType::File,
        num_replicas: replicas,
        ..object_store::Config::default()
    }
}

/// The workers' shared consumer. The worker itself counts attempts, so that a dead job gets a result.
pub(crate) fn worker_consumer(redelivery: Duration) -> pull::Config {
    pull::Config {
        durable_name: Some(WORKERS.into()),
        ack_policy: AckPolicy::Explicit,
        ack_wait: redelivery,
        max_deliver: -1,
        max_ack_pending: MAX_RUNNING,
        inactive_threshold: Duration::ZERO,
        ..pull::Config::default()
    }
}

/// Copies of each stream: three in a cluster of at least three servers, else one.
pub(crate) fn replicas(servers: usize) -> usize {
    if servers >= CLUSTER { CLUSTER } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_5_every_stream_is_bounded() {
        for config in stream_configs("g", 3) {
            assert!(config.max_bytes > 0 && config.max_message_size > 0 && config.num_replicas == 3, "{}", config.name);
            let by_age = config.max_age > Duration::ZERO;
            let kept = [FleetStream::Members, FleetStream::Queue].map(|stream| stream.name("g"));
            assert!(by_age || kept.contains(&config.name), "{}", config.name);
        }
        assert_eq!([1, 2, 3, 5].map(replicas), [1, 1, 3, 3]);
        assert!(bucket_config("g", 1).max_bytes > 0);
        assert!(room_needed().contains("a group needs 817 MB"), "{}", room_needed());
    }
}
