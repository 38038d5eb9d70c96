//! FL-1 to FL-6: members, jobs and sessions of a fleet, with real `nats-server` processes and the real program.
//! Only the model is scripted. Without `nats-server` these tests fail; nothing is skipped.
#![cfg(feature = "nats")]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests")]

#[path = "fleet/clocks.rs"]
mod clocks;
#[path = "fleet/cluster.rs"]
mod cluster;
#[path = "fleet/cluster_faults.rs"]
mod cluster_faults;
#[path = "fleet/faults.rs"]
mod faults;
#[path = "fleet/foreign.rs"]
mod foreign;
#[path = "fleet/hostile.rs"]
mod hostile;
#[path = "fleet/jobs.rs"]
mod jobs;
#[path = "fleet/limits.rs"]
mod limits;
#[path = "fleet/load.rs"]
mod load;
#[path = "fleet/members.rs"]
mod members;
#[path = "fleet/pairing.rs"]
mod pairing;
#[path = "fleet/proxy.rs"]
mod proxy;
#[path = "stories/pty.rs"]
#[allow(dead_code, reason = "the stories use more of it")]
mod pty;
#[path = "fleet/quorum.rs"]
mod quorum;
#[path = "fleet/results.rs"]
mod results;
#[path = "fleet/resume.rs"]
mod resume;
#[path = "fleet/scale.rs"]
mod scale;
#[path = "mailbox/server.rs"]
mod server;
#[path = "fleet/servers.rs"]
mod servers;
#[path = "fleet/sessions.rs"]
mod sessions;
#[path = "fleet/stage.rs"]
mod stage;
#[path = "fleet/waiting.rs"]
mod waiting;
