//! Usage of a turn and of the session: tokens, time, money.

use super::SessionState;
use super::events::SessionEvent;
use super::model_request::{Arrived, StreamProgress};
use super::parts::Connected;
use crate::storage::UsageLog;
use cutonce_core::conversation::{ModelResponse, StopReason, TokenUsage};
use cutonce_core::protocol::event::{EndReason, EventKind, TurnSummary};
use cutonce_core::protocol::usage_totals::UsageTotals;
use cutonce_core::transcript::EntryBody;
use cutonce_models::{ModelError, ModelSignal};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

pub(crate) struct SessionUsage {
    started: Instant,
    api: Duration,
    usage: TokenUsage,
    late: TokenUsage,
    tool_results: u32,
    text: String,
    /// The stop reason of the last answer.
    pub stop: Option<StopReason>,
    /// What the session used so far, with earlier processes and subagents.
    totals: UsageTotals,
    /// The totals have changed since they were recorded.
    unrecorded: bool,
    /// The totals that a teammate's lead knows.
    reported: UsageTotals,
    /// Counts requests by day and project; `None` if the session leaves nothing on disk.
    log: Option<UsageLog>,
}

impl SessionUsage {
    pub fn new(totals: UsageTotals, log: Option<UsageLog>) -> Self {
        Self {
            started: Instant::now(),
            api: Duration::ZERO,
            usage: TokenUsage::default(),
            late: TokenUsage::default(),
            tool_results: 0,
            text: String::new(),
            stop: None,
            reported: totals.clone(),
            totals,
            unrecorded: false,
            log,
        }
    }
    pub fn begin(&mut self) {
        let (usage, unrecorded, reported) = (self.late, self.unrecorded, std::mem::take(&mut self.reported));
        *self = Self { usage, unrecorded, reported, ..Self::new(std::mem::take(&mut self.totals), self.log.take()) };
    }
    pub fn answered(&mut self, took: Duration, text: String) {
        self.api += took;
        self.text = text;
    }
    /// Adds the usage of a request of this turn, whether it was answered, interrupted or failed (DU-3).
    pub fn request(&mut self, model: &str, usage: TokenUsage, cost: f64) {
        self.usage += usage;
        self.summary(model, usage, cost);
    }
    /// Adds the usage of a summary, which belongs to no turn.
    pub fn summary(&mut self, model: &str, usage: TokenUsage, cost: f64) {
        self.totals.add(model, usage, cost);
        self.unrecorded = true;
        if let Some(log) = &mut self.log {
            log.add(model, usage, cost);
        }
    }
    /// Dollars that the session has cost so far.
    pub fn cost(&self) -> f64 {
        self.totals.cost()
    }
    /// The totals, if they are not recorded yet.
    fn take_unrecorded(&mut self) -> Option<UsageTotals> {
        std::mem::take(&mut self.unrecorded).then(|| self.totals.clone())
    }
    /// Time since the turn began.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
    /// The last text of the model in this turn.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// Adds the usage of a subagent (SA-1); between turns it counts for the next turn.
    pub fn agent(&mut self, usage: TokenUsage, totals: &UsageTotals, in_turn: bool) {
        *(if in_turn { &mut self.usage } else { &mut self.late }) += usage;
        self.add_totals(totals);
    }
    /// Adds what a subagent or a teammate used, which has logged its requests itself.
    pub fn add_totals(&mut self, totals: &UsageTotals) {
        self.totals.add_all(totals);
        self.unrecorded = true;
    }
    /// What was used since the last call, for the lead.
    pub fn take_unreported(&mut self) -> UsageTotals {
        let added = self.totals.since(&self.reported);
        self.reported = self.totals.clone();
        added
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
            totals: self.totals.clone(),
            ..TurnSummary::new(reason)
        }
    }
}

/// Reports what a request outside the turn used when it is over: answered, failed or aborted (DU-3).
pub(super) struct RequestMeter {
    progress: Arc<StreamProgress>,
    connected: Connected,
    model: String,
    events: UnboundedSender<SessionEvent>,
}

impl RequestMeter {
    pub fn new(progress: Arc<StreamProgress>, connected: Connected, events: UnboundedSender<SessionEvent>) -> Self {
        let model = connected.model.name().to_string();
        Self { progress, connected, model, events }
    }
    pub fn note(&self, signal: &ModelSignal) {
        self.progress.note(signal);
    }
    pub fn ended(&mut self, response: &Result<ModelResponse, ModelError>) {
        if let Ok(response) = response {
            self.model.clone_from(&response.model);
            self.progress.answered(response.usage);
        }
    }
}

impl Drop for RequestMeter {
    fn drop(&mut self) {
        let Arrived { earlier, usage, .. } = self.progress.close();
        let mut used = UsageTotals::default();
        for attempt in [earlier, usage] {
            used.add(&self.model, attempt, self.connected.info.cost(&attempt));
        }
        if used != UsageTotals::default() {
            let _ = self.events.send(SessionEvent::Used(used));
        }
    }
}

impl SessionState {
    /// Counts requests that belong to no turn, in the session's totals and in the budget of the plan.
    pub(super) fn count_outside_turn(&mut self, used: &UsageTotals) {
        self.context.standing.budget.spend(used.cost());
        used.by_model().for_each(|(model, used)| self.model.usage.summary(model, used.usage, used.cost));
        self.report_totals();
    }

    /// Counts the requests that a tool of this turn made.
    pub(super) fn count_tool_requests(&mut self, used: &UsageTotals) {
        used.by_model().for_each(|(_, used)| self.model.usage.usage += used.usage);
        self.count_outside_turn(used);
    }

    /// Tells front ends what the session used so far; a turn's end tells it too.
    pub(super) fn report_totals(&self) {
        self.emit(EventKind::Totals(self.model.usage.totals.clone()));
    }

    /// Records what the session used, so that a resume continues from there (DU-3). A subagent's usage is recorded with
    /// its main session.
    pub(super) fn record_usage(&mut self) {
        if self.subagent.is_none()
            && let Some(totals) = self.model.usage.take_unrecorded()
        {
            self.append(EntryBody::Usage { totals });
        }
    }

    /// The conversation was rewound, which gives nothing back.
    pub(super) fn record_usage_again(&mut self) {
        self.model.usage.unrecorded = true;
        self.record_usage();
    }

    /// True if the session has used up its budget, which earlier processes count for too.
    pub(super) fn over_budget(&self) -> bool {
        self.context.max_budget.is_some_and(|max| self.model.usage.cost() >= max)
    }
}
