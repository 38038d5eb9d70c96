//! What an implementation may cost, from finished plans of the same project (PC-12).

use super::progress::StepState;
use super::report::PlanReport;
use serde::{Deserialize, Serialize};

/// With fewer plans there is no estimate.
const FEWEST_PLANS: usize = 3;

/// The cost of as many steps in earlier plans, in US dollars: without the lowest and the highest tenth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CostEstimate {
    /// Number of plans that it rests on.
    pub plans: usize,
    pub low_usd: f64,
    pub high_usd: f64,
}

impl CostEstimate {
    /// The cost of this many steps; `None` without a basis. Unfinished plans and plans without a cost don't count.
    pub fn new(reports: &[PlanReport], steps: usize) -> Option<CostEstimate> {
        let mut costs: Vec<f64> = reports.iter().filter_map(cost_per_step).collect();
        if costs.len() < FEWEST_PLANS || steps == 0 {
            return None;
        }
        costs.sort_by(f64::total_cmp);
        let cut = costs.len() / 10;
        let (low, high) = (costs.get(cut)?, costs.get(costs.len() - 1 - cut)?);
        let [low_usd, high_usd] = [low, high].map(|cost| (cost * steps as f64 * 100.0).round() / 100.0);
        Some(CostEstimate { plans: costs.len(), low_usd, high_usd })
    }

    /// The estimate in one line.
    pub fn text(&self) -> String {
        let CostEstimate { plans, low_usd, high_usd } = self;
        format!("last {plans} plans here: ${low_usd:.2}–{high_usd:.2} for this many steps")
    }
}

/// Dollars per approved step of a finished plan.
fn cost_per_step(report: &PlanReport) -> Option<f64> {
    let approved = report.steps.iter().filter(|step| !matches!(step.state, StepState::Parked | StepState::Dropped));
    let done = |state| matches!(state, StepState::Checked | StepState::Changed);
    let is_finished = approved.clone().any(|step| done(step.state))
        && approved.clone().all(|step| done(step.state) || report.is_unobservable(step));
    let has_cost = report.cost_usd.is_finite() && report.cost_usd > 0.0;
    (is_finished && has_cost).then(|| report.cost_usd / approved.count() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::report::ReportedStep;

    fn report(cost_usd: f64, states: &[StepState]) -> PlanReport {
        let step = |state: &StepState| ReportedStep { state: *state, planned: vec!["a".into()], ..Default::default() };
        PlanReport { cost_usd, steps: states.iter().map(step).collect(), ..PlanReport::default() }
    }

    fn two_steps(cost: f64) -> PlanReport {
        report(cost, &[StepState::Checked, StepState::Changed, StepState::Parked])
    }

    #[test]
    fn pc_12_estimates_rest_on_three_finished_plans() {
        let mut reports = vec![two_steps(0.4), two_steps(1.2), two_steps(0.0), two_steps(f64::NAN), two_steps(-1.0)];
        reports.push(report(9.0, &[StepState::Checked, StepState::Open]));
        reports.push(report(9.0, &[StepState::Failed]));
        reports.push(report(9.0, &[]));
        assert_eq!(CostEstimate::new(&reports, 2), None);
        reports.push(two_steps(0.8));
        assert_eq!(CostEstimate::new(&reports, 0), None);
        let estimate = CostEstimate::new(&reports, 4).expect("three plans");
        assert_eq!(estimate, CostEstimate { plans: 3, low_usd: 0.8, high_usd: 2.4 });
        assert_eq!(estimate.text(), "last 3 plans here: $0.80–2.40 for this many steps");
    }

    #[test]
    fn pc_12_estimates_leave_out_the_extremes() {
        let reports: Vec<PlanReport> = (1..=10).map(|n| two_steps(f64::from(n * n))).collect();
        let estimate = CostEstimate::new(&reports, 2).expect("ten plans");
        assert_eq!((estimate.plans, estimate.low_usd, estimate.high_usd), (10, 4.0, 81.0));
    }
}
