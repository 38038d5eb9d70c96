//! What a turn and the session have used: tokens, time, money.

use cutonce_core::conversation::{Stop, Usage};
use cutonce_core::event::{EndReason, Ended, PlanAtEnd};
use std::time::{Duration, Instant};

pub(crate) struct Tally {
    started: Instant,
    api: Duration,
    usage: Usage,
    late: Usage,
    tool_results: u32,
    text: String,
    /// How the last answer ended.
    pub stop: Option<Stop>,
    /// Money spent by this session in this process, in dollars.
    pub cost: f64,
}

impl Tally {
    pub fn new(cost: f64) -> Self {
        Self {
            started: Instant::now(),
            api: Duration::ZERO,
            usage: Usage::default(),
            late: Usage::default(),
            tool_results: 0,
            text: String::new(),
            stop: None,
            cost,
        }
    }
    pub fn begin(&mut self) {
        *self = Self { usage: self.late, ..Self::new(self.cost) };
    }
    pub fn answered(&mut self, usage: Usage, took: Duration, cost: f64, text: String) {
        self.usage += usage;
        self.api += took;
        self.cost += cost;
        self.text = text;
    }
    /// The last text of the model in this turn.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// What a subagent has used: it is this session's (SA-1).
    /// Between turns it is the next one's.
    pub fn agent(&mut self, usage: Usage, cost: f64, in_turn: bool) {
        *(if in_turn { &mut self.usage } else { &mut self.late }) += usage;
        self.cost += cost;
    }
    pub fn tool_result(&mut self) {
        self.tool_results += 1;
    }
    pub fn end(&mut self, reason: EndReason, requests: u32, plan: Option<PlanAtEnd>) -> Ended {
        Ended {
            reason,
            stop: self.stop.take(),
            text: std::mem::take(&mut self.text),
            usage: self.usage,
            requests,
            tool_results: self.tool_results,
            duration_ms: self.started.elapsed().as_millis() as u64,
            api_ms: self.api.as_millis() as u64,
            cost: self.cost,
            plan,
        }
    }
}
