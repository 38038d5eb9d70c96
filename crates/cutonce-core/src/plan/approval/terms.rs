//! The terms of an approval (PC-11, PC-12): which steps, which model, how much money, which files.

use super::answer::PlanAnswer;
use super::review_terms::{earlier_answer, is_locked};
use crate::model_request::Effort;
use crate::plan::contract::{PlanContract, PlanStep};
use crate::plan::progress::{ApprovedContract, StepAnswer, StepState, UnknownStep};
use crate::settings::plan::ScopeMode;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What an approval binds the implementation to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ApprovalTerms {
    /// `None` if the plan has no steps.
    pub contract: Option<PlanContract>,
    /// Answers about steps; the others are approved.
    pub steps: BTreeMap<String, StepAnswer>,
    pub model: Option<String>,
    pub effort: Option<Effort>,
    pub budget_usd: Option<f64>,
    pub scope: Option<ScopeMode>,
}

/// Why an answer with these terms approves nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InvalidTerms {
    #[error(transparent)]
    UnknownStep(#[from] UnknownStep),
    /// An amendment can't take back what is done (PC-40).
    #[error("step {0} is done and stays approved; nothing was approved. Answer about the other steps")]
    LockedStep(String),
    #[error("no step is approved; approve at least one, or leave plan mode")]
    NoStep,
    #[error("the budget of {0} US dollars is not above 0")]
    BadBudget(f64),
    #[error("the name of the model is empty")]
    NoModel,
}

impl ApprovalTerms {
    /// The terms of an answer. `contract` is the one of the plan that it is about.
    pub fn new(answer: &PlanAnswer, contract: Option<PlanContract>) -> Result<ApprovalTerms, InvalidTerms> {
        let known = || contract.iter().flat_map(|contract| &contract.steps);
        let is_excluded = |step: &&PlanStep| answer.steps.get(&step.id).is_some_and(|so| *so != StepAnswer::Approve);
        if let Some(step) = known().filter(|step| is_locked(step)).find(is_excluded) {
            return Err(InvalidTerms::LockedStep(step.id.clone()));
        }
        // An answer to the approved revision counts for a step that the amendment does not change.
        let kept = known().filter_map(|step| Some((step.id.clone(), earlier_answer(step)?)));
        let steps: BTreeMap<String, StepAnswer> = kept.chain(answer.steps.clone()).collect();
        let approved = ApprovedContract::new("", 0, contract.clone().unwrap_or_default(), steps.clone())?;
        if contract.is_some() && approved.approved_steps().next().is_none() {
            return Err(InvalidTerms::NoStep);
        }
        if let Some(budget) = answer.budget_usd.filter(|budget| !budget.is_finite() || *budget <= 0.0) {
            return Err(InvalidTerms::BadBudget(budget));
        }
        if answer.model.as_deref().is_some_and(|model| model.trim().is_empty()) {
            return Err(InvalidTerms::NoModel);
        }
        let (model, effort, budget_usd, scope) = (answer.model.clone(), answer.effort, answer.budget_usd, answer.scope);
        Ok(ApprovalTerms { contract, steps, model, effort, budget_usd, scope })
    }

    /// The contract as approved; `None` if the plan has no steps.
    pub fn approved_contract(&self, slug: &str, revision: u32) -> Option<ApprovedContract> {
        let mut contract = self.contract.clone()?;
        contract.steps.iter_mut().for_each(|step| step.state = None);
        ApprovedContract::new(slug, revision, contract, self.steps.clone()).ok()
    }

    /// The plan as the model receives it (PC-11): the approved steps only, and a list of the others.
    pub fn text_for_model(&self, plan: &str) -> String {
        let Some(approved) = self.approved_contract("", 0).filter(|approved| !approved.answers.is_empty()) else {
            return plan.to_string();
        };
        let excluded: Vec<(&PlanStep, StepState)> =
            approved.contract.steps.iter().filter_map(|step| Some((step, approved.excluded(&step.id)?))).collect();
        let is_excluded = |line: u32| excluded.iter().any(|(step, _)| (step.lines[0]..=step.lines[1]).contains(&line));
        let kept = plan.lines().zip(1u32..).filter(|(_, line)| !is_excluded(*line)).map(|(text, _)| text);
        let mut text = kept.collect::<Vec<_>>().join("\n");
        text.push_str("\n\nNot approved; do not implement these steps:");
        for (step, state) in excluded {
            let _ = write!(text, "\n- {}. {} ({})", step.id, step.title, state.name());
        }
        text
    }

    /// The parked steps as a plan of their own (PC-11); `None` if there are none.
    pub fn parked_plan(&self, plan: &str, slug: &str, revision: u32) -> Option<String> {
        let approved = self.approved_contract(slug, revision)?;
        let known = self.contract.iter().flat_map(|contract| &contract.steps);
        let known: Vec<&String> =
            known.filter(|step| step.state == Some(StepState::Parked)).map(|step| &step.id).collect();
        let steps = approved.contract.steps.iter().filter(|step| !known.contains(&&step.id));
        let parked = steps.filter(|step| approved.excluded(&step.id) == Some(StepState::Parked));
        let lines: Vec<&str> = plan.lines().collect();
        let text = |step: &PlanStep| {
            let (first, last) = (step.lines[0].saturating_sub(1) as usize, step.lines[1] as usize);
            lines.get(first..last.min(lines.len())).unwrap_or_default().join("\n").trim_end().to_string()
        };
        let steps: Vec<String> = parked.map(text).collect();
        let title = crate::plan::plan_title(plan).unwrap_or_else(|| slug.to_string());
        (!steps.is_empty()).then(|| {
            format!(
                "# Parked: {title}\n\nParked from plan {slug}, revision {revision}.\n\n## Steps\n\n{}\n",
                steps.join("\n")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mode::{Mode, ModeSetup, ModeState};
    use crate::plan::PlanContent;
    use crate::plan::approval::{
        ChoiceKey, EnforcementLevel, NoAnswer, PlanApprovalState, PlanSubmission, PlanVerdict, SubmitOutcome,
    };
    use crate::plan::contract::tests::NoFiles;
    use crate::plan::contract::{FindingKind, PlanFinding};

    const PLAN: &str = "# Login\n\n## Steps\n\n1. Add the form\n   - files: form.txt\n2. Add a theme\n   - files: theme.txt\n3. Rename it\n";

    fn submission(contract: Option<PlanContract>, fix_findings: bool) -> PlanSubmission {
        PlanSubmission {
            ask_id: "ask".into(),
            content: PlanContent::Text(PLAN.into()),
            path: "/p.md".into(),
            revision: 1,
            layer: EnforcementLevel::Sandbox,
            changed_files: vec![],
            shells: vec![],
            contacted_hosts: vec![],
            contract,
            freshness: None,
            scope_method: None,
            estimate: None,
            amends: None,
            fix_findings,
        }
    }

    fn answered(answer: PlanAnswer) -> PlanVerdict {
        let state = ModeState::start(ModeSetup::default(), Mode::Default, Mode::Plan).0;
        let mut approval = PlanApprovalState::default();
        let contract = PlanContract::parse(PLAN, &NoFiles);
        assert!(matches!(approval.submit(&state, submission(contract, true)), SubmitOutcome::Ask(_)));
        approval.answer(&state, answer, &PlanContent::Text(PLAN.into()), None)
    }

    fn with_steps(steps: &[(&str, StepAnswer)]) -> PlanAnswer {
        let steps = steps.iter().map(|(id, answer)| (id.to_string(), *answer)).collect();
        PlanAnswer { steps, ..PlanAnswer::new("ask", ChoiceKey::AcceptEdits) }
    }

    #[test]
    fn pc_11_model_receives_approved_steps_only() {
        let answer = with_steps(&[("2", StepAnswer::Park), ("3", StepAnswer::Drop)]);
        let PlanVerdict::Approved(approved) = answered(answer) else { panic!() };
        let text = approved.terms.text_for_model(PLAN);
        assert!(text.contains("form.txt") && !text.contains("theme.txt"), "{text}");
        assert!(text.ends_with("do not implement these steps:\n- 2. Add a theme (parked)\n- 3. Rename it (dropped)"));
        let parked = approved.terms.parked_plan(PLAN, "a-b-c", 4).unwrap();
        assert!(parked.starts_with("# Parked: Login\n\nParked from plan a-b-c, revision 4.\n"), "{parked}");
        let contract = PlanContract::parse(&parked, &NoFiles).unwrap();
        assert_eq!((contract.steps.len(), contract.steps[0].files[0].path.as_str()), (1, "theme.txt"));
        let scope = approved.terms.approved_contract("a-b-c", 4).unwrap().scope(ScopeMode::Ask).unwrap();
        assert_eq!(scope.files, ["form.txt"]);
    }

    #[test]
    fn pc_38_bad_terms_approve_nothing() {
        let all = [("1", StepAnswer::Drop), ("2", StepAnswer::Drop), ("3", StepAnswer::Park)];
        let money = |budget| PlanAnswer { budget_usd: Some(budget), ..with_steps(&[]) };
        let model = PlanAnswer { model: Some(" ".into()), ..with_steps(&[]) };
        for bad in [with_steps(&[("9", StepAnswer::Park)]), with_steps(&all), money(0.0), money(f64::NAN), model] {
            let verdict = answered(bad.clone());
            assert!(matches!(verdict, PlanVerdict::NotApproved { why: NoAnswer::Unreadable(_), .. }), "{bad:?}");
        }
        // Words about steps don't matter if nothing is approved.
        let keep = PlanAnswer { choice: ChoiceKey::KeepPlanning, ..with_steps(&[("9", StepAnswer::Park)]) };
        assert!(matches!(answered(keep), PlanVerdict::KeepPlanning { .. }));
    }

    #[test]
    fn pc_6_findings_go_back_once() {
        let state = ModeState::start(ModeSetup::default(), Mode::Default, Mode::Plan).0;
        let mut approval = PlanApprovalState::default();
        let finding =
            PlanFinding { kind: FindingKind::Placeholder, step: None, line: 7, text: "`TBD` is a placeholder.".into() };
        let contract = PlanContract { findings: vec![finding], ..PlanContract::default() };
        let mut submit = |fix| match approval.submit(&state, submission(Some(contract.clone()), fix)) {
            SubmitOutcome::Refused { result } => result,
            SubmitOutcome::Ask(request) => format!("asks with {}", request.contract.unwrap_or_default().findings.len()),
            SubmitOutcome::EndTurn { .. } => "ends".into(),
        };
        assert!(submit(true).contains("line 7: `TBD` is a placeholder."));
        assert_eq!(submit(true), "asks with 1");
        assert!(submit(true).contains("line 7"), "each submission to the user has its own round");
        assert_eq!(submit(false), "asks with 1");
    }
}
