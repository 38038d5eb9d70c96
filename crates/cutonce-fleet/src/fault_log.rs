//! Messages on the group's subjects that no member wrote: counted, and reported to the user once (FL-6).

use crate::envelope::EnvelopeFault;
use crate::link::lock;
use crate::remote_record::remotes_dir;
use crate::streams::FleetStream;
use cutonce_agent::storage::paths::write_private;
use cutonce_core::text::sanitize::sanitize;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// More than this is a flood; the rest is only counted.
const MAX_TOLD: usize = 20;
/// Reported messages that are remembered one by one; all before them count as reported.
const MAX_REMEMBERED: usize = 1_000;

pub(crate) struct FaultLog {
    path: PathBuf,
    state: Mutex<FaultState>,
}

#[derive(Default)]
struct FaultState {
    /// What was reported, by stream.
    reported: BTreeMap<String, ReportedMessages>,
    waiting: Vec<String>,
    left_out: usize,
}

/// Sequences of reported messages. Members read streams by subject, so a later look may find an earlier message.
#[derive(Default, Serialize, Deserialize)]
struct ReportedMessages {
    /// Everything up to here was reported.
    before: u64,
    single: BTreeSet<u64>,
}

impl ReportedMessages {
    /// Returns whether the message is new.
    fn add(&mut self, sequence: u64) -> bool {
        if sequence <= self.before || !self.single.insert(sequence) {
            return false;
        }
        if self.single.len() > MAX_REMEMBERED {
            self.before = self.single.pop_first().unwrap_or(self.before);
        }
        true
    }
}

impl FaultLog {
    pub fn load(home: &Path, remote: &str) -> FaultLog {
        let path = remotes_dir(home).join(remote).join("reported.json");
        let text = std::fs::read(&path).unwrap_or_default();
        let reported = serde_json::from_slice(&text).unwrap_or_default();
        FaultLog { path, state: Mutex::new(FaultState { reported, ..FaultState::default() }) }
    }

    /// Notes a fault, unless this message was reported before.
    pub fn report(&self, stream: FleetStream, sequence: u64, subject: &str, fault: EnvelopeFault) {
        let mut state = lock(&self.state);
        if !state.reported.entry(stream.key().to_string()).or_default().add(sequence) {
            return;
        }
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
        again.report(FleetStream::Jobs, 3, "cutonce.fleet.g.jobs.y", EnvelopeFault::Forged);
        assert_eq!(again.take().len(), 1, "an earlier message that is found later");
        for sequence in 8..100 {
            again.report(FleetStream::Jobs, sequence, "cutonce.fleet.g.jobs.x", EnvelopeFault::Forged);
        }
        assert_eq!(again.take().len(), MAX_TOLD + 1);
        let mut reported = ReportedMessages::default();
        assert!((1..=3 * MAX_REMEMBERED as u64).all(|sequence| reported.add(sequence)));
        assert!(reported.single.len() <= MAX_REMEMBERED && !reported.add(5));
    }
}
