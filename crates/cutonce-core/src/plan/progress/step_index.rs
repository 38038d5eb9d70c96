//! Which steps a piece of evidence is about, found by file and by command. An implementation writes many files, and a
//! plan has many steps: each write reads only the steps that name the file.

use super::Evidence;
use super::command::normal_command;
use crate::plan::contract::{PlanStep, PlannedPaths};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StepIndex {
    /// Planned paths, with the positions of their steps.
    files: PlannedPaths,
    /// Positions of steps, by check without what PC-31 removes.
    checks: BTreeMap<Vec<String>, Vec<usize>>,
}

impl StepIndex {
    pub fn new(steps: &[PlanStep], root: &str) -> StepIndex {
        let mut index = StepIndex::default();
        for (at, step) in steps.iter().enumerate() {
            step.files.iter().for_each(|file| index.files.add(&file.path, at));
            // A check without a command never runs.
            let commands = step.checks.iter().map(|check| normal_command(check, root));
            for command in commands.filter(|command| !command.is_empty()) {
                index.checks.entry(command).or_default().push(at);
            }
        }
        index
    }

    /// Positions of the steps whose state this evidence can change.
    pub fn steps_of(&self, evidence: &Evidence, root: &str) -> BTreeSet<usize> {
        match evidence {
            Evidence::Wrote { path, .. } => self.files.covering(path).collect(),
            Evidence::Ran { command, .. } => {
                self.checks.get(&normal_command(command, root)).into_iter().flatten().copied().collect()
            }
            Evidence::Seen { .. } | Evidence::Denied { .. } | Evidence::Reminded | Evidence::Spent { .. } => {
                BTreeSet::new()
            }
        }
    }
}
