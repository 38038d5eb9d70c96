//! Limits how long the first request waits for servers (HO-6): as long as one is visibly starting, up to a limit. A
//! hanging server does no work and is not waited for.

use super::super::process_work::ProcessWork;
use super::super::status::McpServerState;
use super::McpServers;
use std::collections::HashMap;
use std::time::Duration;

/// Polling interval, and the number of polls without work after which a server is not waited for.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
const MAX_IDLE_POLLS: u32 = 20;
/// If the work is unknown (a URL, another system): a tenth of the limit, and at least this many polls.
const MIN_BLIND_POLLS: u32 = 25;

/// Observed work of one server.
#[derive(Default)]
struct StartupProgress {
    work: Option<ProcessWork>,
    idle: u32,
    blind: u32,
}

impl StartupProgress {
    /// Records an observation and returns whether to keep waiting.
    fn keep_waiting(&mut self, work: Option<ProcessWork>, max_blind: u32) -> bool {
        match work {
            None => self.blind += 1,
            Some(work) if work.progressed_since(self.work) => self.idle = 0,
            Some(_) => self.idle += 1,
        }
        self.work = work.or(self.work);
        self.idle < MAX_IDLE_POLLS && self.blind < max_blind
    }
}

impl McpServers {
    /// Waits until each server has started, failed or stopped working, at most `limit`.
    pub(crate) async fn wait_while_starting(&self, limit: Duration) {
        let mut changed = self.0.changed.subscribe();
        let mut seen: HashMap<String, StartupProgress> = HashMap::new();
        let max_blind = max_blind_polls(limit);
        let wait = async {
            while self.one_is_starting(&mut seen, max_blind) {
                let _ = tokio::time::timeout(POLL_INTERVAL, changed.changed()).await;
            }
        };
        let _ = tokio::time::timeout(limit, wait).await;
    }

    fn one_is_starting(&self, seen: &mut HashMap<String, StartupProgress>, max_blind: u32) -> bool {
        let entries = self.0.lock_entries();
        let pending = entries.iter().filter(|entry| entry.state == McpServerState::Pending);
        let looks = pending.map(|entry| {
            let work = entry.remote.as_ref().and_then(|remote| remote.startup_work());
            seen.entry(entry.name.clone()).or_default().keep_waiting(work, max_blind)
        });
        // Update every entry, without short-circuiting.
        looks.fold(false, |any, one| any | one)
    }
}

fn max_blind_polls(limit: Duration) -> u32 {
    let polls = limit.as_millis() / 10 / POLL_INTERVAL.as_millis();
    u32::try_from(polls).unwrap_or(u32::MAX).max(MIN_BLIND_POLLS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_6_first_request_waits_for_working_servers() {
        let mut seen = StartupProgress::default();
        let work = |ticks| Some(ProcessWork { ticks, busy: false });
        assert!((0..100).all(|ticks| seen.keep_waiting(work(ticks), 1)), "it computes");
        let asleep = (0..99).take_while(|_| seen.keep_waiting(work(99), 1)).count();
        assert_eq!(asleep, MAX_IDLE_POLLS as usize - 1, "it sleeps");
        let blind = |limit: u64| {
            let (mut seen, max) = (StartupProgress::default(), max_blind_polls(Duration::from_millis(limit)));
            (0..9_999).take_while(|_| seen.keep_waiting(None, max)).count()
        };
        assert_eq!((blind(1_000), blind(30_000)), (24, 299));
    }
}
