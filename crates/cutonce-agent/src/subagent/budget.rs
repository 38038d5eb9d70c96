//! What an implementation spends, in the session and all its subagents (PC-12). Each request reserves the most that it
//! can cost. Requests that could exceed the budget together run one after the other, so that at most one exceeds it.

use cutonce_core::sync::LockUnpoisoned;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::watch;

pub(crate) struct SharedBudget {
    state: Mutex<BudgetState>,
    /// Tells waiting requests that they can try again.
    changed: watch::Sender<()>,
}

/// Amounts in dollars.
#[derive(Debug, Default)]
struct BudgetState {
    limit: Option<f64>,
    spent: f64,
    /// The most that the requests in flight can cost.
    reserved: f64,
    in_flight: usize,
}

/// One request in flight. The owner counts the cost of the request, then drops this.
pub(crate) struct Reservation {
    budget: Arc<SharedBudget>,
    most: f64,
}

impl SharedBudget {
    pub fn new() -> SharedBudget {
        SharedBudget { state: Mutex::default(), changed: watch::Sender::new(()) }
    }

    /// The budget of the implementation, and what it has spent already.
    pub fn set_budget(&self, limit: Option<f64>, spent: f64) {
        let mut state = self.lock();
        (state.limit, state.spent) = (limit, spent);
        self.changed.send_replace(());
    }

    /// Counts the cost of a request; true if the budget is used up.
    pub fn spend(&self, cost: f64) -> bool {
        let mut state = self.lock();
        state.spent += cost;
        state.limit.is_some_and(|limit| state.spent >= limit)
    }

    /// Reserves `most` dollars for a request. If it has to wait for others, returns the signal to try again at.
    pub fn reserve(self: &Arc<SharedBudget>, most: f64) -> Result<Reservation, watch::Receiver<()>> {
        let mut state = self.lock();
        let fits = state.limit.is_none_or(|limit| state.spent + state.reserved + most < limit);
        if !fits && state.in_flight > 0 {
            return Err(self.changed.subscribe());
        }
        state.reserved += most;
        state.in_flight += 1;
        Ok(Reservation { budget: self.clone(), most })
    }

    fn lock(&self) -> MutexGuard<'_, BudgetState> {
        self.state.lock_unpoisoned()
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut state = self.budget.lock();
        state.in_flight -= 1;
        // Sums of floats drift.
        state.reserved = if state.in_flight == 0 { 0.0 } else { state.reserved - self.most };
        self.budget.changed.send_replace(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_12_requests_wait_when_together_they_could_exceed() {
        let budget = Arc::new(SharedBudget::new());
        budget.set_budget(Some(1.0), 0.5);
        let first = budget.reserve(0.2).ok().unwrap();
        let second = budget.reserve(0.2).ok().unwrap();
        let waits = budget.reserve(0.2).err().unwrap();
        assert!(!waits.has_changed().unwrap());
        assert!(!budget.spend(0.1));
        drop(first);
        assert!(waits.has_changed().unwrap());
        assert!(budget.reserve(0.3).is_err());
        assert!(!budget.spend(0.1));
        drop(second);
        // Alone, a request may exceed the budget.
        let alone = budget.reserve(5.0).ok().unwrap();
        assert!(budget.reserve(0.0).is_err());
        assert!(budget.spend(4.0));
        drop(alone);
    }

    #[test]
    fn pc_12_without_a_budget_no_request_waits() {
        let budget = Arc::new(SharedBudget::new());
        let reserved: Vec<_> = (0..100).map(|_| budget.reserve(9.0).ok().unwrap()).collect();
        // Requests from before the budget count in it.
        budget.set_budget(Some(5.0), 0.0);
        assert!(budget.reserve(0.1).is_err());
        drop(reserved);
        assert!(budget.reserve(0.1).is_ok());
    }
}
