//! How long the first request waits for servers (HO-6): as long as one of them is visibly starting up, within a limit. One that hangs is
//! recognized by doing nothing, and costs next to nothing.

use super::super::status::State;
use super::super::work::Work;
use super::Servers;
use std::collections::HashMap;
use std::time::Duration;

/// A server is looked at this often; one that did nothing for so many looks is not waited for.
const LOOK: Duration = Duration::from_millis(10);
const IDLE: u32 = 20;
/// Where nothing can be seen (an address, another system): so many looks.
const BLIND: u32 = 25;

/// What was seen of one server.
#[derive(Default)]
struct Seen {
    work: Option<Work>,
    idle: u32,
    blind: u32,
}

impl Seen {
    /// Is it worth waiting for?
    fn look(&mut self, work: Option<Work>) -> bool {
        match work {
            None => self.blind += 1,
            Some(work) if work.goes_on_from(self.work) => self.idle = 0,
            Some(_) => self.idle += 1,
        }
        self.work = work.or(self.work);
        self.idle < IDLE && self.blind < BLIND
    }
}

impl Servers {
    /// Wait until each is up, has failed, or does nothing any more; never longer than `limit`.
    pub async fn ready(&self, limit: Duration) {
        let mut changed = self.0.changed.subscribe();
        let mut seen: HashMap<String, Seen> = HashMap::new();
        let wait = async {
            while self.one_is_starting(&mut seen) {
                let _ = tokio::time::timeout(LOOK, changed.changed()).await;
            }
        };
        let _ = tokio::time::timeout(limit, wait).await;
    }

    fn one_is_starting(&self, seen: &mut HashMap<String, Seen>) -> bool {
        let entries = self.0.entries();
        let pending = entries.iter().filter(|entry| entry.state == State::Pending);
        let looks = pending.map(|entry| {
            let work = entry.remote.as_ref().and_then(|remote| remote.work());
            seen.entry(entry.called.clone()).or_default().look(work)
        });
        // Each is looked at, whatever the others do.
        looks.fold(false, |any, one| any | one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_6_a_server_is_waited_for_while_it_does_something() {
        let mut seen = Seen::default();
        let work = |ticks| Some(Work { ticks, busy: false });
        assert!((0..100).all(|ticks| seen.look(work(ticks))), "it computes");
        assert_eq!((0..99).take_while(|_| seen.look(work(99))).count(), IDLE as usize - 1, "it sleeps");
        let mut blind = Seen::default();
        assert_eq!((0..99).take_while(|_| blind.look(None)).count(), BLIND as usize - 1);
    }
}
