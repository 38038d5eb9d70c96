//! The approved revision of a plan, with the user's answers about its steps (PC-11).

use super::StepState;
use crate::plan::contract::{PlanContract, PlanStep};
use crate::plan::scope::PlanScope;
use crate::settings::plan::ScopeMode;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The answer about one step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepAnswer {
    #[default]
    Approve,
    /// Not now; it becomes a draft plan of its own.
    Park,
    /// Never.
    Drop,
}

/// A contract as the user approved it; recorded in the transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovedContract {
    pub slug: String,
    pub revision: u32,
    pub contract: PlanContract,
    /// Answers other than approve, by step.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, StepAnswer>,
    /// Steps whose files are guesses from the text. Such a file may stay untouched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guessed: Vec<String>,
    /// Hashes of the planned files at the approval; null if there was no file (PC-13).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stamp: BTreeMap<String, Option<String>>,
}

/// An answer names a step that the plan does not have; it approves nothing (PC-38).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the plan has no step {0}; nothing was approved. Answer with the ids of its steps")]
pub struct UnknownStep(pub String);

impl ApprovedContract {
    pub fn new(
        slug: impl Into<String>,
        revision: u32,
        contract: PlanContract,
        answers: BTreeMap<String, StepAnswer>,
    ) -> Result<ApprovedContract, UnknownStep> {
        if let Some(id) = answers.keys().find(|id| contract.step(id).is_none()) {
            return Err(UnknownStep(crate::text::sanitize::one_line(id)));
        }
        let guessed = contract.steps.iter().filter(|step| step.guessed).map(|step| step.id.clone()).collect();
        let answers = answers.into_iter().filter(|(_, answer)| *answer != StepAnswer::Approve).collect();
        let stamp = BTreeMap::new();
        Ok(ApprovedContract { slug: slug.into(), revision, contract, answers, guessed, stamp })
    }

    /// State of a step that was not approved.
    pub fn excluded(&self, id: &str) -> Option<StepState> {
        match self.answers.get(id) {
            Some(StepAnswer::Park) => Some(StepState::Parked),
            Some(StepAnswer::Drop) => Some(StepState::Dropped),
            Some(StepAnswer::Approve) | None => None,
        }
    }

    pub fn approved_steps(&self) -> impl Iterator<Item = &PlanStep> {
        self.contract.steps.iter().filter(|step| self.excluded(&step.id).is_none())
    }

    /// True if the program can follow the implementation: an approved step has files or checks, or the plan has checks.
    pub fn can_be_followed(&self) -> bool {
        !self.contract.checks.is_empty() || self.approved_steps().any(super::drift::has_evidence)
    }

    /// The paths that the approved steps may change; `None` if they name none.
    pub fn scope(&self, mode: ScopeMode) -> Option<PlanScope> {
        PlanScope::new(mode, self.approved_steps())
    }
}
