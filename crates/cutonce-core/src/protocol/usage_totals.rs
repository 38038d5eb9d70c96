//! Tokens and cost of a session, per model (DU-3). They are recorded in the transcript, so a resume continues them.

use crate::conversation::TokenUsage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Limits for totals that another process reports.
const MAX_MODELS: usize = 50;
const MAX_MODEL_NAME: usize = 200;
const MAX_TOKENS: u64 = 1 << 50;

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

    /// What was added since `earlier`.
    pub fn since(&self, earlier: &UsageTotals) -> UsageTotals {
        let mut added = UsageTotals::default();
        for (model, totals) in &self.by_model {
            let before = earlier.by_model.get(model).copied().unwrap_or_default();
            added.add(model, totals.usage.saturating_sub(before.usage), (totals.cost - before.cost).max(0.0));
        }
        added
    }

    /// Whether another process may have counted this: few models, and costs that add up.
    pub fn is_plausible(&self) -> bool {
        let fine = |(model, totals): (&String, &ModelTotals)| {
            model.len() <= MAX_MODEL_NAME
                && totals.cost.is_finite()
                && totals.cost >= 0.0
                && totals.usage.context_tokens() < MAX_TOKENS
        };
        self.by_model.len() <= MAX_MODELS && self.by_model.iter().all(fine)
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
        self.by_model.values().fold(0, |sum, totals| sum.saturating_add(totals.usage.sent_tokens()))
    }

    /// Tokens of all answers.
    pub fn received(&self) -> u64 {
        self.by_model.values().fold(0, |sum, totals| sum.saturating_add(totals.usage.output_tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn du_3_absurd_counts_do_not_overflow() {
        let absurd = TokenUsage { input_tokens: u64::MAX, output_tokens: u64::MAX, ..TokenUsage::default() };
        let price = crate::settings::Settings::default().model_info("haiku").price.unwrap();
        let mut totals = UsageTotals::default();
        for model in ["a", "a", "b"] {
            totals.add(model, absurd, price.cost_of(&TokenUsage { cache_read_input_tokens: 1, ..absurd }));
        }
        assert_eq!((totals.sent(), totals.received()), (u64::MAX, u64::MAX));
        assert!(totals.cost().is_finite());
    }

    #[test]
    fn du_3_a_teammate_reports_what_was_added() {
        let usage = |n: u64| TokenUsage { input_tokens: n, output_tokens: n, ..TokenUsage::default() };
        let mut totals = UsageTotals::default();
        totals.add("a", usage(10), 1.0);
        let earlier = totals.clone();
        assert_eq!(totals.since(&earlier), UsageTotals::default());
        totals.add("a", usage(5), 0.5);
        totals.add("b", usage(1), 0.0);
        let added = totals.since(&earlier);
        assert_eq!((added.cost(), added.sent(), added.by_model().len()), (0.5, 6, 2));
        let mut sum = earlier;
        sum.add_all(&added);
        assert_eq!(sum, totals);
        let searched = TokenUsage { web_searches: 2, ..TokenUsage::default() };
        sum.add("a", searched, 0.02);
        assert_eq!(sum.since(&totals).by_model().next().map(|(_, used)| used.usage), Some(searched));
        assert!(totals.is_plausible());
        totals.add("a", usage(0), -9.0);
        assert!(!totals.is_plausible());
        let wrong: UsageTotals = serde_json::from_str(r#"{"m": {"input_tokens": 9223372036854775807, "output_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "cost": 0}}"#).unwrap();
        assert!(!wrong.is_plausible());
    }
}
