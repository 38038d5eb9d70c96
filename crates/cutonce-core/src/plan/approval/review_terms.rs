//! What the user chose for an implementation so far, and what it amounts to (PC-10 to PC-12). All reviews share it.

use super::answer::PlanAnswer;
use crate::model_request::Effort;
use crate::plan::contract::{PlanContract, PlanStep, PlannedKind};
use crate::plan::progress::{StepAnswer, StepState};
use crate::settings::models::ModelPrice;
use crate::settings::plan::ScopeMode;
use crate::text::number::count_noun;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Budgets that a review offers with one key, in US dollars.
pub const OFFERED_BUDGETS: [f64; 7] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0];

/// The terms of an answer that is not sent yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReviewTerms {
    /// Answers that differ from the default, by step.
    pub steps: BTreeMap<String, StepAnswer>,
    pub model: Option<String>,
    pub effort: Option<Effort>,
    pub budget_usd: Option<f64>,
    pub scope: Option<ScopeMode>,
}

/// Why a step or an amount is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RejectedTerm {
    #[error("the plan has no step {0}")]
    UnknownStep(String),
    /// An amendment can't take back what is done (PC-40).
    #[error("step {0} is done and stays approved")]
    LockedStep(String),
    #[error("write the budget as an amount above 0, such as 2.50")]
    BadBudget,
}

impl ReviewTerms {
    /// The answer about a step; one that an amendment does not change keeps its earlier answer (PC-40).
    pub fn answer_about(&self, step: &PlanStep) -> StepAnswer {
        self.steps.get(&step.id).copied().or_else(|| earlier_answer(step)).unwrap_or_default()
    }

    /// True if every step is parked or dropped, so that an approval has nothing to approve (PC-11).
    pub fn exclude_all(&self, contract: &PlanContract) -> bool {
        !contract.steps.is_empty() && contract.steps.iter().all(|step| self.answer_about(step) != StepAnswer::Approve)
    }

    /// Sets the answer about one step.
    pub fn set_step(&mut self, contract: &PlanContract, id: &str, answer: StepAnswer) -> Result<(), RejectedTerm> {
        let step = contract.step(id).ok_or_else(|| RejectedTerm::UnknownStep(id.to_string()))?;
        if is_locked(step) && answer != StepAnswer::Approve {
            return Err(RejectedTerm::LockedStep(id.to_string()));
        }
        match answer == earlier_answer(step).unwrap_or_default() {
            true => self.steps.remove(id),
            false => self.steps.insert(id.to_string(), answer),
        };
        Ok(())
    }

    /// Sets the budget from a text such as `2.50` or `$5`; an empty text removes it.
    pub fn set_budget(&mut self, typed: &str) -> Result<(), RejectedTerm> {
        let amount = typed.trim().trim_start_matches('$').trim();
        self.budget_usd = match amount {
            "" | "none" => None,
            amount => {
                let budget = amount.replace(',', ".").parse::<f64>().ok();
                Some(budget.filter(|budget| budget.is_finite() && *budget > 0.0).ok_or(RejectedTerm::BadBudget)?)
            }
        };
        Ok(())
    }

    /// Moves the answers to the steps with the same titles in an edited plan. Answers about other steps are dropped.
    pub fn follow_steps(&mut self, old: Option<&PlanContract>, new: Option<&PlanContract>) {
        let moved = |(id, answer): (String, StepAnswer)| {
            let title = &old?.step(&id)?.title;
            let step = new?.steps.iter().find(|step| step.title == *title && !is_locked(step))?;
            Some((step.id.clone(), answer))
        };
        self.steps = std::mem::take(&mut self.steps).into_iter().filter_map(moved).collect();
    }

    /// Adds the terms to an approval.
    pub fn add_to(&self, answer: &mut PlanAnswer) {
        answer.steps.clone_from(&self.steps);
        (answer.model, answer.effort) = (self.model.clone(), self.effort);
        (answer.budget_usd, answer.scope) = (self.budget_usd, self.scope);
    }

    /// The terms of an answer that was not accepted.
    pub fn of_answer(answer: &PlanAnswer) -> ReviewTerms {
        ReviewTerms {
            steps: answer.steps.clone(),
            model: answer.model.clone(),
            effort: answer.effort,
            budget_usd: answer.budget_usd,
            scope: answer.scope,
        }
    }

    /// Model, effort, budget and scope as text; empty if all are as usual.
    pub fn describe(&self) -> String {
        let scope = self.scope.map(|scope| match scope {
            ScopeMode::Off => "scope off",
            ScopeMode::Ask => "scope ask",
            ScopeMode::Enforce => "scope enforce",
        });
        let parts = [
            self.model.as_deref().map(crate::text::sanitize::one_line),
            self.effort.map(|effort| format!("{} effort", effort.name())),
            self.budget_usd.map(|budget| format!("${budget:.2}")),
            scope.map(str::to_string),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }
}

/// True for a step of an amendment that is checked already (PC-40).
pub fn is_locked(step: &PlanStep) -> bool {
    step.state == Some(StepState::Checked)
}

/// True for a step of an amendment that is as the user approved, parked or dropped it: the review does not ask about
/// it (PC-40).
pub fn is_settled(step: &PlanStep) -> bool {
    step.state.is_some()
}

/// The answer to the approved revision about a step that the amendment does not change.
pub(super) fn earlier_answer(step: &PlanStep) -> Option<StepAnswer> {
    match step.state? {
        StepState::Parked => Some(StepAnswer::Park),
        StepState::Dropped => Some(StepAnswer::Drop),
        StepState::Open | StepState::Changed | StepState::Checked | StepState::Failed => None,
    }
}

/// The price of a model as a review shows it.
pub fn price_text(price: Option<&ModelPrice>) -> String {
    let dollars = |price: f64| match price.fract() == 0.0 {
        true => format!("${price:.0}"),
        false => format!("${price:.2}"),
    };
    match price {
        Some(price) => format!("{} in, {} out per million tokens", dollars(price.input), dollars(price.output)),
        None => "price not known".to_string(),
    }
}

/// The contract in numbers, as far as its steps are approved (PC-10).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ContractSummary {
    pub changed: usize,
    pub created: usize,
    pub deleted: usize,
    pub checks: usize,
    pub approved: usize,
    pub steps: usize,
    /// Steps of an amendment that are changed or new (PC-40); `None` if it amends nothing.
    pub asked: Option<usize>,
}

impl ContractSummary {
    pub fn new(contract: &PlanContract, terms: &ReviewTerms) -> ContractSummary {
        let approved: Vec<&PlanStep> =
            contract.steps.iter().filter(|step| terms.answer_about(step) == StepAnswer::Approve).collect();
        let mut kinds: BTreeMap<&str, PlannedKind> = BTreeMap::new();
        for file in approved.iter().flat_map(|step| &step.files) {
            let known = kinds.entry(&file.path).or_insert(file.kind);
            // A file that one step creates and another changes is created.
            if rank(file.kind) > rank(*known) {
                *known = file.kind;
            }
        }
        let count = |wanted: &[PlannedKind]| kinds.values().filter(|kind| wanted.contains(kind)).count();
        let asked = contract.steps.iter().filter(|step| !is_settled(step)).count();
        let checks: BTreeSet<&String> = approved.iter().flat_map(|step| &step.checks).chain(&contract.checks).collect();
        ContractSummary {
            changed: count(&[PlannedKind::Change, PlannedKind::Any]),
            created: count(&[PlannedKind::New]),
            deleted: count(&[PlannedKind::Delete]),
            checks: checks.len(),
            approved: approved.len(),
            steps: contract.steps.len(),
            asked: contract.steps.iter().any(is_settled).then_some(asked),
        }
    }

    /// The line in words, each shorter than the one before.
    pub fn variants(&self) -> [String; 4] {
        let (checks, steps) = (count_noun(self.checks, "check"), self.steps);
        let medium = format!(
            "{} changed, {} created, {} deleted · {checks} · {}/{steps} steps",
            self.changed, self.created, self.deleted, self.approved
        );
        let short = self.short_text();
        let shortest = short.trim_end_matches(" steps").to_string();
        [self.text(), medium, short, shortest]
    }

    /// One line for wide screens.
    pub fn text(&self) -> String {
        let (files, checks) = (count_noun(self.changed, "file"), count_noun(self.checks, "check"));
        let change = if self.changed == 1 { "changes" } else { "change" };
        let steps = match self.approved == self.steps {
            true => format!("{} approved", count_noun(self.steps, "step")),
            false => format!("{} of {} approved", self.approved, count_noun(self.steps, "step")),
        };
        let asked = self.asked.map(|asked| format!(", {asked} changed or new")).unwrap_or_default();
        format!("{files} {change}, {} created, {} deleted · {checks} · {steps}{asked}", self.created, self.deleted)
    }

    /// One line for narrow screens.
    fn short_text(&self) -> String {
        let (checks, steps) = (count_noun(self.checks, "check"), self.steps);
        format!("~{} +{} -{} · {checks} · {}/{steps} steps", self.changed, self.created, self.deleted, self.approved)
    }
}

fn rank(kind: PlannedKind) -> u8 {
    match kind {
        PlannedKind::Any => 0,
        PlannedKind::Change => 1,
        PlannedKind::Delete => 2,
        PlannedKind::New => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::approval::{ApprovalTerms, ChoiceKey, InvalidTerms};
    use crate::plan::contract::PlannedFile;

    fn contract() -> PlanContract {
        let file = |path: &str, kind: &str| -> PlannedFile {
            serde_json::from_value(serde_json::json!({"path": path, "kind": kind})).unwrap()
        };
        let step = |id: &str, files: Vec<PlannedFile>, checks: &[&str]| PlanStep {
            id: id.into(),
            title: format!("Step {id}"),
            files,
            checks: checks.iter().map(|check| check.to_string()).collect(),
            ..PlanStep::default()
        };
        PlanContract {
            steps: vec![
                step("1", vec![file("a", "any"), file("new", "new")], &["make"]),
                step("2", vec![file("new", "change"), file("b", "change")], &["make", "make test"]),
                step("3", vec![file("old", "delete")], &[]),
            ],
            checks: vec!["make".into()],
            ..PlanContract::default()
        }
    }

    #[test]
    fn pc_10_summary_counts_files_checks_and_steps() {
        let (contract, mut terms) = (contract(), ReviewTerms::default());
        let all = ContractSummary::new(&contract, &terms);
        assert_eq!(all.text(), "2 files change, 1 created, 1 deleted · 2 checks · 3 steps approved");
        terms.set_step(&contract, "2", StepAnswer::Park).unwrap();
        terms.set_step(&contract, "3", StepAnswer::Drop).unwrap();
        let one = ContractSummary::new(&contract, &terms);
        assert_eq!(one.text(), "1 file changes, 1 created, 0 deleted · 1 check · 1 of 3 steps approved");
        assert_eq!(one.short_text(), "~1 +1 -0 · 1 check · 1/3 steps");
    }

    #[test]
    fn pc_11_only_known_open_steps_are_excluded() {
        let (mut contract, mut terms) = (contract(), ReviewTerms::default());
        contract.steps[0].state = Some(StepState::Checked);
        assert_eq!(terms.set_step(&contract, "9", StepAnswer::Park), Err(RejectedTerm::UnknownStep("9".into())));
        assert_eq!(terms.set_step(&contract, "1", StepAnswer::Drop), Err(RejectedTerm::LockedStep("1".into())));
        terms.set_step(&contract, "2", StepAnswer::Drop).unwrap();
        terms.set_step(&contract, "3", StepAnswer::Park).unwrap();
        terms.set_step(&contract, "3", StepAnswer::Approve).unwrap();
        let mut answer = PlanAnswer::new("a", ChoiceKey::AcceptEdits);
        terms.add_to(&mut answer);
        assert_eq!(answer.steps, BTreeMap::from([("2".to_string(), StepAnswer::Drop)]));
        assert_eq!(ReviewTerms::of_answer(&answer), terms);
        let old = contract.clone();
        contract.steps.remove(0);
        contract.steps.iter_mut().zip(["1", "2"]).for_each(|(step, id)| step.id = id.into());
        terms.follow_steps(Some(&old), Some(&contract));
        assert_eq!(terms.steps, BTreeMap::from([("1".to_string(), StepAnswer::Drop)]));
        terms.follow_steps(Some(&contract), None);
        assert!(terms.steps.is_empty());
    }

    #[test]
    fn pc_40_unchanged_steps_keep_their_answers() {
        let (mut contract, mut terms) = (contract(), ReviewTerms::default());
        let states = [StepState::Checked, StepState::Parked, StepState::Dropped];
        contract.steps.iter_mut().zip(states).for_each(|(step, state)| step.state = Some(state));
        let summary = |terms: &ReviewTerms| ContractSummary::new(&contract, terms).approved;
        let sent = |terms: &ReviewTerms| {
            let mut answer = PlanAnswer::new("a", ChoiceKey::AcceptEdits);
            terms.add_to(&mut answer);
            ApprovalTerms::new(&answer, Some(contract.clone())).map(|terms| terms.steps)
        };
        let earlier = BTreeMap::from([("2".to_string(), StepAnswer::Park), ("3".to_string(), StepAnswer::Drop)]);
        assert_eq!((summary(&terms), sent(&terms)), (1, Ok(earlier.clone())));
        terms.set_step(&contract, "2", StepAnswer::Approve).unwrap();
        assert_eq!((summary(&terms), sent(&terms).unwrap()["2"]), (2, StepAnswer::Approve));
        terms.set_step(&contract, "2", StepAnswer::Park).unwrap();
        assert_eq!((&terms.steps, sent(&terms)), (&BTreeMap::new(), Ok(earlier)));
        let taken_back = ReviewTerms { steps: BTreeMap::from([("1".to_string(), StepAnswer::Drop)]), ..terms };
        assert_eq!(sent(&taken_back), Err(InvalidTerms::LockedStep("1".into())));
        let plan = "# P\n1. a\n2. b\n3. c\n";
        let terms = ApprovalTerms { contract: Some(contract.clone()), ..ApprovalTerms::default() };
        assert_eq!(terms.parked_plan(plan, "p", 2), None, "step 2 has its plan already");
    }

    #[test]
    fn pc_12_budget_is_an_amount() {
        let mut terms = ReviewTerms::default();
        for (typed, amount) in [("2.50", Some(2.5)), ("$5", Some(5.0)), ("0,5", Some(0.5)), ("", None)] {
            terms.set_budget(typed).unwrap();
            assert_eq!(terms.budget_usd, amount, "{typed}");
        }
        for bad in ["0", "-1", "much", "inf", "NaN"] {
            assert_eq!(terms.set_budget(bad), Err(RejectedTerm::BadBudget), "{bad}");
        }
        let terms = ReviewTerms { model: Some("opus".into()), effort: Some(Effort::High), ..terms };
        let terms = ReviewTerms { budget_usd: Some(2.0), scope: Some(ScopeMode::Enforce), ..terms };
        assert_eq!(terms.describe(), "opus · high effort · $2.00 · scope enforce");
        let price = ModelPrice { input: 3.0, output: 1.5, ..ModelPrice::default() };
        assert_eq!(price_text(Some(&price)), "$3 in, $1.50 out per million tokens");
    }
}
