//! Tokens and cost of a session, per model (DU-3). They are recorded in the transcript, so a resume continues them.

use crate::conversation::TokenUsage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Tokens and cost of a session and its subagents, with those of earlier processes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UsageTotals {
    by_model: BTreeMap<String, ModelTotals>,
}

/// Tokens and cost of one model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelTotals {
    #[serde(flatten)]
    pub usage: TokenUsage,
    /// Cost in dollars, if prices are known.
    pub cost: f64,
}

impl UsageTotals {
    pub fn add(&mut self, model: &str, usage: TokenUsage, cost: f64) {
        if usage == TokenUsage::default() && cost == 0.0 {
            return;
        }
        let entry = self.by_model.entry(model.to_string()).or_default();
        entry.usage += usage;
        entry.cost += cost;
    }

    pub fn add_all(&mut self, other: &UsageTotals) {
        for (model, totals) in &other.by_model {
            self.add(model, totals.usage, totals.cost);
        }
    }

    pub fn by_model(&self) -> impl ExactSizeIterator<Item = (&str, &ModelTotals)> {
        self.by_model.iter().map(|(model, totals)| (model.as_str(), totals))
    }

    /// Cost in dollars.
    pub fn cost(&self) -> f64 {
        // The sum of no floats is -0.
        self.by_model.values().fold(0.0, |sum, totals| sum + totals.cost)
    }

    /// Tokens of all requests.
    pub fn sent(&self) -> u64 {
        self.by_model.values().map(|totals| totals.usage.sent_tokens()).sum()
    }

    /// Tokens of all answers.
    pub fn received(&self) -> u64 {
        self.by_model.values().map(|totals| totals.usage.output_tokens).sum()
    }
}
