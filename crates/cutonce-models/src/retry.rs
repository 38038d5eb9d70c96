//! How often and after what pause a request is sent again (MO-3). Pure but for the jitter; the caller sleeps.

use crate::endpoint::Endpoint;
use crate::fault::{Trouble, Verdict};
use crate::{FaultKind, ModelError, Signal};
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use std::time::Duration;

/// How often a failed request is sent again, the first pause and the longest one. A base of zero never pauses (tests).
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
    /// No pauses: for tests, which never sleep.
    pub fn instant(max: u32) -> Self {
        Self { max, base: Duration::ZERO, cap: Duration::ZERO }
    }
}

/// The attempts of one request.
pub(crate) struct Attempts {
    policy: RetryPolicy,
    pauses: ExponentialBackoff,
    made: u32,
}

/// Another attempt follows after `pause`.
pub(crate) struct Next {
    pub signal: Signal,
    pub pause: Duration,
    pub without_thinking: bool,
}

impl Attempts {
    pub fn new(policy: RetryPolicy) -> Self {
        let pauses = ExponentialBuilder::default()
            .with_min_delay(policy.base)
            .with_max_delay(policy.cap)
            .without_max_times()
            .with_jitter()
            .build();
        Self { policy, pauses, made: 0 }
    }

    /// An attempt failed: what now?
    pub fn failed(&mut self, trouble: &Trouble, endpoint: &Endpoint, thinking: bool) -> Result<Next, ModelError> {
        self.made += 1;
        match trouble.verdict(endpoint, thinking) {
            Verdict::Final(error) => Err(error),
            Verdict::WithoutThinking { reason } => Ok(self.next(reason, Some(400), Duration::ZERO, true)),
            Verdict::Again { reason, status, after, max } => {
                let max = max.map_or(self.policy.max, |max| max.min(self.policy.max));
                if self.made > max {
                    return Err(exhausted(trouble, self.made, &reason, status));
                }
                self.policy.max = max;
                let pause = after.or_else(|| self.pauses.next()).unwrap_or(self.policy.cap);
                Ok(self.next(reason, status, pause, false))
            }
        }
    }

    fn next(&self, reason: String, status: Option<u16>, pause: Duration, without_thinking: bool) -> Next {
        let delay_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        let signal = Signal::Retry { attempt: self.made, max: self.policy.max, delay_ms, status, reason };
        Next { signal, pause, without_thinking }
    }
}

fn exhausted(trouble: &Trouble, made: u32, reason: &str, status: Option<u16>) -> ModelError {
    // Only a server that was not reached may not be running; one that cut its answer is.
    let hint = match matches!(trouble, Trouble::Lost { refused: true, .. }) {
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
    use cutonce_core::conversation::Wire;

    fn endpoint(url: &str) -> Endpoint {
        Endpoint::new("acme", Wire::Chat, url, "m")
    }

    #[test]
    fn mo_3_pauses_grow_with_jitter_up_to_the_cap() {
        let mut attempts = Attempts::new(RetryPolicy::default());
        let endpoint = endpoint("https://api.example/v1");
        let mut pauses = Vec::new();
        let error = loop {
            match attempts.failed(&Trouble::Cut, &endpoint, false) {
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
    fn mo_3_nobody_on_loopback_is_tried_three_times() {
        let mut attempts = Attempts::new(RetryPolicy::instant(10));
        let endpoint = endpoint("http://localhost:9/v1");
        let lost = Trouble::Lost { words: "connection refused".into(), refused: true };
        assert!(attempts.failed(&lost, &endpoint, false).is_ok() && attempts.failed(&lost, &endpoint, false).is_ok());
        let error = attempts.failed(&lost, &endpoint, false).err().unwrap();
        assert!(
            error.message.contains("after 3 attempts") && error.message.contains("Is the server running"),
            "{error}"
        );
    }

    #[test]
    fn mo_3_the_provider_s_wait_is_kept() {
        let mut attempts = Attempts::new(RetryPolicy::default());
        let after = Some(Duration::from_secs(7));
        let trouble = Trouble::Provider { status: 529, code: String::new(), words: "full".into(), after };
        let next = attempts.failed(&trouble, &endpoint("https://api.example/v1"), false).ok().unwrap();
        let reason = "acme answered 529: full".to_owned();
        assert_eq!(next.signal, Signal::Retry { attempt: 1, max: 10, delay_ms: 7000, status: Some(529), reason });
    }
}
