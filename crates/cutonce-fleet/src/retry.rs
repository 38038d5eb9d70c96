//! Tries again while a cluster has no leader, or a server does not answer.

use crate::FleetError;
use crate::server_connection::ServerConnection;
use std::time::Duration;
use tokio::time::Instant;

/// A cluster chooses a new leader within about ten seconds, a busy one needs a second round.
const LONGEST: Duration = Duration::from_secs(45);
const PAUSE: Duration = Duration::from_millis(500);

/// Repetitions of a request that changes nothing the second time.
pub(crate) struct Retries {
    end: Instant,
}

impl Retries {
    pub fn new() -> Retries {
        Retries { end: Instant::now() + LONGEST }
    }

    /// Waits before the next try, which may ask another server. Returns the error if it is not the server's, or if the
    /// time is over.
    pub async fn pause_after(&self, error: FleetError, connection: &ServerConnection) -> Result<(), FleetError> {
        if !matches!(error, FleetError::Server { .. }) || Instant::now() >= self.end {
            return Err(error);
        }
        tracing::debug!("{error}; trying again");
        connection.leave_server().await;
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }
}

/// Repeats an expression of type `Result<_, FleetError>` while the server of a connection fails.
macro_rules! while_server_fails {
    ($connection:expr, $request:expr) => {{
        let retries = $crate::retry::Retries::new();
        loop {
            match $request {
                Ok(value) => break Ok(value),
                Err(error) => {
                    if let Err(error) = retries.pause_after(error, $connection).await {
                        break Err(error);
                    }
                }
            }
        }
    }};
}
pub(crate) use while_server_fails;
