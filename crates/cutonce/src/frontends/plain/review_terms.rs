//! The contract in the plain review (PC-4, PC-6, PC-10 to PC-13): what was understood, and the input that changes
//! steps, model, effort and budget.

use super::plan_review::{PlainReview, ReviewStep};
use cutonce_core::model_request::Effort;
use cutonce_core::plan::approval::{
    ContractSummary, PlanAnswer, PlanExitRequest, ReviewTerms, is_locked, is_settled, price_text,
};
use cutonce_core::plan::contract::{PlanContract, PlanStep};
use cutonce_core::plan::progress::StepAnswer;
use cutonce_core::settings::Settings;
use cutonce_core::text::sanitize::{one_line, reveal_hidden};

/// Input that changes the terms.
pub const TERMS_HELP: &str =
    "  s steps, s STEP park|drop|approve, m MODEL, f low|medium|high|max, b DOLLARS for the implementation\n";

/// The contract in one line, its findings, and the files that changed under its steps.
pub fn contract_text(request: &PlanExitRequest, contract: &PlanContract, terms: &ReviewTerms) -> String {
    let mut text = format!("\n  {}\n", ContractSummary::new(contract, terms).text());
    for finding in &contract.findings {
        text.push_str(&format!("  ! line {}: {}\n", finding.line, one_line(&finding.text)));
    }
    if let Some(stale) = request.freshness.as_ref().filter(|freshness| freshness.is_stale()) {
        text.push_str(&format!("  ! {}\n", one_line(&stale.text())));
        for diff in stale.files.iter().filter_map(|file| file.diff.as_deref()) {
            diff.lines().for_each(|line| text.push_str(&format!("  | {}\n", reveal_hidden(line))));
        }
    }
    if let Some(estimate) = &request.estimate {
        text.push_str(&format!("  {}\n", estimate.text()));
    }
    let chosen = terms.describe();
    if !chosen.is_empty() {
        text.push_str(&format!("  implementation: {chosen}\n"));
    }
    text
}

/// Steps that are left out, and model, effort and budget, for the confirmation; empty if all is as usual.
pub fn terms_text(answer: &PlanAnswer) -> String {
    let mut text = String::new();
    for (given, name) in [(StepAnswer::Park, "parked"), (StepAnswer::Drop, "dropped")] {
        let steps: Vec<&str> =
            answer.steps.iter().filter(|(_, answer)| **answer == given).map(|(id, _)| id.as_str()).collect();
        if !steps.is_empty() {
            text.push_str(&format!("; {name}: step {}", steps.join(", ")));
        }
    }
    let chosen = ReviewTerms::of_answer(answer).describe();
    if chosen.is_empty() { text } else { text + &format!("; with {chosen}") }
}

impl PlainReview {
    /// Handles `s`, `m`, `f` and `b`.
    pub(super) fn change_terms(
        &mut self,
        request: &PlanExitRequest,
        word: &str,
        rest: &str,
        settings: &Settings,
    ) -> ReviewStep {
        let rest = rest.trim();
        if request.from.is_some() {
            return ReviewStep::Print("A teammate works with its own model, effort and budget.".into());
        }
        let Some(contract) = self.contract(request).cloned() else {
            return ReviewStep::Print("The plan has no steps that the program can follow.".into());
        };
        let told = match (word, rest) {
            ("s", "") => Ok(self.steps_text(&contract)),
            ("s", _) => self.answer_step(&contract, rest),
            ("m", "") => Err("Usage: m MODEL; `m default` takes the choice back".to_string()),
            ("m", "default") => {
                self.terms.model = None;
                Ok("The implementation uses the session's model.".to_string())
            }
            ("m", name) => {
                self.terms.model = Some(name.to_string());
                Ok(format!("Model: {} ({})", one_line(name), price_text(settings.model_info(name).price.as_ref())))
            }
            ("f", "default") => {
                self.terms.effort = None;
                Ok("The effort stays as it is.".to_string())
            }
            ("f", name) => match Effort::parse(name) {
                Some(effort) => {
                    self.terms.effort = Some(effort);
                    Ok(format!("Effort: {}", effort.name()))
                }
                None => Err("Usage: f low|medium|high|max|default".to_string()),
            },
            (_, amount) => self.terms.set_budget(amount).map_err(|why| format!("Not a budget: {why}.")).map(|()| {
                let budget = self.terms.budget_usd.map(|budget| format!("Budget: ${budget:.2}"));
                budget.unwrap_or_else(|| "No budget.".to_string())
            }),
        };
        ReviewStep::Print(told.unwrap_or_else(|why| why))
    }

    fn answer_step(&mut self, contract: &PlanContract, words: &str) -> Result<String, String> {
        let (id, answer) = words.split_once(' ').unwrap_or((words, ""));
        let answer = match answer.trim() {
            "approve" => StepAnswer::Approve,
            "park" => StepAnswer::Park,
            "drop" => StepAnswer::Drop,
            _ => return Err("Usage: s STEP park|drop|approve".to_string()),
        };
        self.terms.set_step(contract, id, answer).map_err(|why| format!("Not changed: {why}."))?;
        Ok(ContractSummary::new(contract, &self.terms).text())
    }

    fn steps_text(&self, contract: &PlanContract) -> String {
        let is_amendment = contract.steps.iter().any(is_settled);
        let state = |step: &PlanStep| match self.terms.answer_about(step) {
            _ if is_locked(step) => " [done]",
            StepAnswer::Approve if is_settled(step) => " [as approved]",
            StepAnswer::Approve if is_amendment => " [changed or new]",
            StepAnswer::Approve => "",
            StepAnswer::Park => " [parked]",
            StepAnswer::Drop => " [dropped]",
        };
        let mut text = contract.text();
        for step in &contract.steps {
            let title = format!("{}. {}\n", step.id, step.title);
            text = text.replacen(&title, &format!("{}. {}{}\n", step.id, step.title, state(step)), 1);
        }
        let lines: Vec<String> = text.trim_end().lines().map(reveal_hidden).map(|line| format!("  {line}")).collect();
        lines.join("\n")
    }
}
