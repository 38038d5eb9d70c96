//! Messages on the group's subjects that no member wrote: counted, and told to the user once (FL-6).

use crate::envelope::EnvelopeFault;
use crate::link::lock;
use crate::remote_record::remotes_dir;
use crate::streams::FleetStream;
use cutonce_agent::storage::paths::write_private;
use cutonce_core::text::sanitize::sanitize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// More than this is a flood; the rest is only counted.
const MAX_TOLD: usize = 20;

pub(crate) struct FaultLog {
    path: PathBuf,
    state: Mutex<FaultState>,
}

#[derive(Default)]
struct FaultState {
    /// The last reported message by stream.
    reported: BTreeMap<String, u64>,
    waiting: Vec<String>,
    left_out: usize,
}

impl FaultLog {
    pub fn load(home: &Path, remote: &str) -> FaultLog {
        let path = remotes_dir(home).join(format!("{remote}.reported"));
        let text = std::fs::read(&path).unwrap_or_default();
        let reported = serde_json::from_slice(&text).unwrap_or_default();
        FaultLog { path, state: Mutex::new(FaultState { reported, ..FaultState::default() }) }
    }

    /// Notes a fault, unless this message was reported before.
    pub fn report(&self, stream: FleetStream, sequence: u64, subject: &str, fault: EnvelopeFault) {
        let mut state = lock(&self.state);
        let last = state.reported.entry(stream.key().to_string()).or_default();
        if sequence <= *last {
            return;
        }
        *last = sequence;
        let kind = subject.splitn(4, '.').nth(3).unwrap_or(subject);
        tracing::warn!("{kind} {sequence}: {fault}");
        if state.waiting.len() < MAX_TOLD {
            state.waiting.push(format!("ignored message {sequence} on {}: {fault}", sanitize(kind)));
        } else {
            state.left_out += 1;
        }
    }

    /// The faults to tell now. They are stored as reported.
    pub fn take(&self) -> Vec<String> {
        let mut state = lock(&self.state);
        if state.waiting.is_empty() {
            return Vec::new();
        }
        let text = serde_json::to_vec(&state.reported).unwrap_or_default();
        if let Err(error) = write_private(&self.path, &text) {
            tracing::warn!("{}: {error}", self.path.display());
        }
        let mut told = std::mem::take(&mut state.waiting);
        match std::mem::take(&mut state.left_out) {
            0 => {}
            more => told.push(format!("ignored {more} more messages that no member wrote")),
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_6_faults_are_told_once() {
        let home = tempfile::tempdir().unwrap();
        let log = FaultLog::load(home.path(), "team");
        for _ in 0..2 {
            log.report(FleetStream::Jobs, 7, "cutonce.fleet.g.jobs.x", EnvelopeFault::Forged);
        }
        assert_eq!(log.take().len(), 1);
        let again = FaultLog::load(home.path(), "team");
        again.report(FleetStream::Jobs, 7, "cutonce.fleet.g.jobs.x", EnvelopeFault::Forged);
        assert_eq!(again.take(), Vec::<String>::new());
        for sequence in 8..100 {
            again.report(FleetStream::Jobs, sequence, "cutonce.fleet.g.jobs.x", EnvelopeFault::Forged);
        }
        assert_eq!(again.take().len(), MAX_TOLD + 1);
    }
}
