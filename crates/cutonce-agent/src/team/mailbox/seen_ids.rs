//! Remembers recently received message ids to detect duplicates (TM-1).

use std::collections::{HashSet, VecDeque};

/// More ids than an interrupted sender could still repeat.
const MAX_IDS: usize = 10_000;

#[derive(Debug, Default)]
pub(crate) struct SeenIds {
    known: HashSet<String>,
    order: VecDeque<String>,
}

impl SeenIds {
    /// Records the id and returns whether it was new.
    pub(crate) fn insert_new(&mut self, id: &str) -> bool {
        if !self.known.insert(id.to_string()) {
            return false;
        }
        self.order.push_back(id.to_string());
        if self.order.len() > MAX_IDS
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}
