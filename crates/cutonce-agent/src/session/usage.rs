//! Usage of a turn and of the session: tokens, time, money.

use cutonce_core::conversation::{StopReason, TokenUsage};
use cutonce_core::protocol::event::{EndReason, TurnSummary};
use std::time::{Duration, Instant};

pub(crate) struct SessionUsage {
    started: Instant,
    api: Duration,
    usage: TokenUsage,
    late: TokenUsage,
    tool_results: u32,
    text: String,
    /// The stop reason of the last answer.
    pub stop: Option<StopReason>,
    /// Dollars spent by this session in this process.
    pub cost: f64,
}

impl SessionUsage {
    pub fn new(cost: f64) -> Self {
        Self {
            started: Instant::now(),
            api: Duration::ZERO,
            usage: TokenUsage::default(),
            late: TokenUsage::default(),
            tool_results: 0,
            text: String::new(),
            stop: None,
            cost,
        }
    }
    pub fn begin(&mut self) {
        *self = Self { usage: self.late, ..Self::new(self.cost) };
    }
    pub fn answered(&mut self, usage: TokenUsage, took: Duration, cost: f64, text: String) {
        self.usage += usage;
        self.api += took;
        self.cost += cost;
        self.text = text;
    }
    /// Adds the usage of a request that was interrupted or failed (DU-3).
    pub fn unanswered(&mut self, usage: TokenUsage, cost: f64) {
        self.usage += usage;
        self.cost += cost;
    }
    /// The last text of the model in this turn.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// Adds the usage of a subagent (SA-1); between turns it counts for the next turn.
    pub fn agent(&mut self, usage: TokenUsage, cost: f64, in_turn: bool) {
        *(if in_turn { &mut self.usage } else { &mut self.late }) += usage;
        self.cost += cost;
    }
    pub fn tool_result(&mut self) {
        self.tool_results += 1;
    }
    pub fn end(&mut self, reason: EndReason, requests: u32) -> TurnSummary {
        TurnSummary {
            stop: self.stop.take(),
            text: std::mem::take(&mut self.text),
            usage: self.usage,
            requests,
            tool_results: self.tool_results,
            duration_ms: self.started.elapsed().as_millis() as u64,
            api_ms: self.api.as_millis() as u64,
            cost: self.cost,
            ..TurnSummary::new(reason)
        }
    }
}
