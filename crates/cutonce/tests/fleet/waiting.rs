//! Waiting for something that the test expects.

use std::time::{Duration, Instant};

/// Only reached on failure; a busy machine needs long.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Runs a future of the test; it fails if it takes too long.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.expect("waited in vain") })
}

/// Looks again until the condition holds.
pub fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::yield_now();
    }
}
