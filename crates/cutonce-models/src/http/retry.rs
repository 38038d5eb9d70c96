//! Retry count and pauses of a request (MO-3). Pure except for the jitter; the caller sleeps.

use crate::http::error::{AttemptError, RetryDecision};
use crate::providers::endpoint::Endpoint;
use crate::{FaultKind, ModelError, ModelSignal};
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use std::time::Duration;

/// Maximum number of retries, the first pause and the longest one. A base of zero never pauses (tests).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    pub max: u32,
    pub base: Duration,
    pub cap: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { max: 10, base: Duration::from_millis(500), cap: Duration::from_secs(30) }
    }
}

impl RetryPolicy {
    /// Retries without pauses, for tests.
    pub fn instant(max: u32) -> Self {
        Self { max, base: Duration::ZERO, cap: Duration::ZERO }
    }
}

/// The attempts of one request.
pub(crate) struct RetryAttempts {
    policy: RetryPolicy,
    pauses: ExponentialBackoff,
    made: u32,
}

/// The next attempt, which follows after `pause`.
pub(crate) struct NextAttempt {
    pub signal: ModelSignal,
    pub pause: Duration,
    pub without_thinking: bool,
}

impl RetryAttempts {
    pub fn new(policy: RetryPolicy) -> Self {
        let pauses = ExponentialBuilder::default()
            .with_min_delay(policy.base)
            .with_max_delay(policy.cap)
            .without_max_times()
            .with_jitter()
            .build();
        Self { policy, pauses, made: 0 }
    }

    /// Decides after a failed attempt: the next attempt, or a final error.
    pub fn after_failure(
        &mut self,
        trouble: &AttemptError,
        endpoint: &Endpoint,
        thinking: bool,
    ) -> Result<NextAttempt, ModelError> {
        self.made += 1;
        match trouble.retry_decision(endpoint, thinking) {
            RetryDecision::Final(error) => Err(error),
            RetryDecision::WithoutThinking { reason } => Ok(self.next_attempt(reason, Some(400), Duration::ZERO, true)),
            RetryDecision::Retry { reason, status, after, max } => {
                let max = max.map_or(self.policy.max, |max| max.min(self.policy.max));
                if self.made > max {
                    return Err(exhausted_error(trouble, self.made, &reason, status));
                }
                self.policy.max = max;
                let pause = after.or_else(|| self.pauses.next()).unwrap_or(self.policy.cap);
                Ok(self.next_attempt(reason, status, pause, false))
            }
        }
    }

    fn next_attempt(
        &self,
        reason: String,
        status: Option<u16>,
        pause: Duration,
        without_thinking: bool,
    ) -> NextAttempt {
        let delay_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        let signal = ModelSignal::Retry { attempt: self.made, max: self.policy.max, delay_ms, status, reason };
        NextAttempt { signal, pause, without_thinking }
    }
}

fn exhausted_error(trouble: &AttemptError, made: u32, reason: &str, status: Option<u16>) -> ModelError {
    // Only an unreachable server may not be running; one that interrupted its answer is.
    let hint = match matches!(trouble, AttemptError::Disconnected { refused: true, .. }) {
        true => "Is the server running, and on that port?",
        false => "Wait a while, then send the message again.",
    };
    let times = if made == 1 { "the only attempt".to_owned() } else { format!("{made} attempts") };
    let message = format!("No answer after {times}: {reason}.\n{hint}");
    ModelError { message, status, kind: FaultKind::Exhausted }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::conversation::WireFormat;

    fn endpoint(url: &str) -> Endpoint {
        Endpoint::new("acme", WireFormat::Chat, url, "m")
    }

    #[test]
    fn mo_3_pauses_grow_up_to_the_cap() {
        let mut attempts = RetryAttempts::new(RetryPolicy::default());
        let endpoint = endpoint("https://api.example/v1");
        let mut pauses = Vec::new();
        let error = loop {
            match attempts.after_failure(&AttemptError::StreamEnded, &endpoint, false) {
                Ok(next) => pauses.push(next.pause.as_millis()),
                Err(error) => break error,
            }
        };
        assert_eq!(pauses.len(), 10);
        let mut floor = 500;
        for pause in pauses {
            assert!(pause >= floor && pause <= floor * 2, "{pause} of {floor}");
            floor = (floor * 2).min(30_000);
        }
        assert_eq!(error.kind, FaultKind::Exhausted);
        assert!(!error.message.contains("Is the server running"), "{error}");
        assert!(error.message.starts_with("No answer after 11 attempts: acme cut the stream"), "{error}");
    }

    #[test]
    fn mo_3_refused_loopback_is_tried_three_times() {
        let mut attempts = RetryAttempts::new(RetryPolicy::instant(10));
        let endpoint = endpoint("http://localhost:9/v1");
        let lost = AttemptError::Disconnected { words: "connection refused".into(), refused: true };
        assert!(
            attempts.after_failure(&lost, &endpoint, false).is_ok()
                && attempts.after_failure(&lost, &endpoint, false).is_ok()
        );
        let error = attempts.after_failure(&lost, &endpoint, false).err().unwrap();
        assert!(
            error.message.contains("after 3 attempts") && error.message.contains("Is the server running"),
            "{error}"
        );
    }

    #[test]
    fn mo_3_provider_wait_is_respected() {
        let mut attempts = RetryAttempts::new(RetryPolicy::default());
        let after = Some(Duration::from_secs(7));
        let trouble = AttemptError::Provider { status: 529, code: String::new(), words: "full".into(), after };
        let next = attempts.after_failure(&trouble, &endpoint("https://api.example/v1"), false).ok().unwrap();
        let reason = "acme answered 529: full".to_owned();
        assert_eq!(next.signal, ModelSignal::Retry { attempt: 1, max: 10, delay_ms: 7000, status: Some(529), reason });
    }
}
