//! Which messages a reader has had lately: at-least-once becomes once (TM-1).

use std::collections::{HashSet, VecDeque};

/// Far more than a sender that was cut off could still repeat.
const REMEMBERED: usize = 10_000;

#[derive(Debug, Default)]
pub(crate) struct Window {
    known: HashSet<String>,
    order: VecDeque<String>,
}

impl Window {
    /// Is this id new? It is known from now on.
    pub(crate) fn is_new(&mut self, id: &str) -> bool {
        if !self.known.insert(id.to_string()) {
            return false;
        }
        self.order.push_back(id.to_string());
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}
