//! Freshness of a plan (PC-13): whether the files that it names are as they were when it was submitted.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How the workspace differs from the one that the plan was submitted in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanFreshness {
    pub state: FreshnessState,
    /// Files of the plan that changed, in the order of the steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<StaleFile>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FreshnessState {
    #[default]
    Unchanged,
    /// Another commit is checked out, but no file of the plan changed.
    Elsewhere,
    /// A file under a step changed. Only this interrupts the user.
    Changed,
}

/// A file that changed after the plan was submitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StaleFile {
    /// The step that names it.
    pub step: String,
    /// Path relative to the workspace.
    pub path: String,
    /// What changed; `None` if the old content was not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl PlanFreshness {
    pub fn new(files: Vec<StaleFile>, same_commit: bool) -> PlanFreshness {
        let state = match (files.is_empty(), same_commit) {
            (false, _) => FreshnessState::Changed,
            (true, false) => FreshnessState::Elsewhere,
            (true, true) => FreshnessState::Unchanged,
        };
        PlanFreshness { state, files }
    }

    pub fn is_stale(&self) -> bool {
        self.state == FreshnessState::Changed
    }

    /// One line for users.
    pub fn text(&self) -> String {
        match self.state {
            FreshnessState::Unchanged => "the planned files are unchanged since the plan was submitted".to_string(),
            FreshnessState::Elsewhere => "the project changed elsewhere since the plan was submitted".to_string(),
            FreshnessState::Changed => {
                let steps: BTreeSet<&str> = self.files.iter().map(|file| file.step.as_str()).collect();
                let steps: Vec<&str> = steps.into_iter().collect();
                let paths: Vec<String> =
                    self.files.iter().map(|file| crate::text::sanitize::one_line(&file.path)).collect();
                let noun = if steps.len() == 1 { "step" } else { "steps" };
                format!("changed under {noun} {}: {}", steps.join(", "), paths.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_13_only_planned_files_make_a_plan_stale() {
        let file = |step: &str, path: &str| StaleFile { step: step.into(), path: path.into(), diff: None };
        let changed = PlanFreshness::new(vec![file("2", "a.rs"), file("3", "b\u{1b}.rs"), file("2", "c")], false);
        assert!(
            changed.is_stale() && changed.text().starts_with("changed under steps 2, 3: a.rs, b"),
            "{}",
            changed.text()
        );
        assert!(!changed.text().contains('\u{1b}'));
        for same in [true, false] {
            assert!(!PlanFreshness::new(Vec::new(), same).is_stale());
        }
        assert_eq!(PlanFreshness::new(Vec::new(), false).state, FreshnessState::Elsewhere);
    }
}
