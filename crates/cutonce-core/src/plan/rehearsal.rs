//! Rehearsals of a plan (RH-1 to RH-7): how one is ordered, what it reports, and what its result means for an approval.

use super::progress::StepAnswer;
use super::report::PlanReport;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a front end wants of the rehearsals of the plan that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RehearsalOrder {
    Start(RehearsalStart),
    /// Ends one, or all that run; a finished one is discarded.
    Cancel {
        id: Option<String>,
    },
}

/// How a plan is rehearsed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RehearsalStart {
    /// Answers about single steps; the others are rehearsed.
    pub steps: BTreeMap<String, StepAnswer>,
    pub model: Option<String>,
    pub budget_usd: Option<f64>,
}

/// News of a rehearsal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RehearsalEvent {
    pub id: String,
    #[serde(flatten)]
    pub news: RehearsalNews,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum RehearsalNews {
    Started {
        model: Option<String>,
    },
    /// The agent made a call on the layer.
    Progress {
        text: String,
        calls: u32,
    },
    /// `passed`: the agent ended well, all checks passed and nothing drifted.
    Finished {
        passed: bool,
        result: Box<RehearsalResult>,
    },
    /// The rehearsal was cancelled, failed, or is no longer needed.
    Stopped {
        why: String,
    },
}

/// The result of a rehearsal (RH-6).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RehearsalResult {
    pub plan: RehearsedPlan,
    pub base: RehearsalBase,
    /// Unified, git style.
    pub diff: String,
    pub diff_sha256: String,
    pub files: Vec<RehearsedFile>,
    /// `None` for a plan without steps.
    pub report: Option<PlanReport>,
    /// What would have been asked, and what is never applied.
    pub denied: Vec<DeniedAttempt>,
    pub applied: bool,
    pub cost_usd: f64,
    pub seconds: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RehearsedPlan {
    pub slug: Option<String>,
    pub sha256: String,
    pub path: String,
}

/// The state of the workspace that a rehearsal starts from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RehearsalBase {
    /// `None` outside a repository, or before the first commit.
    pub commit: Option<String>,
    pub dirty: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RehearsedFile {
    /// The path as git prints it: quoted if it has special characters.
    pub path: String,
    pub kind: RehearsedKind,
    pub added: usize,
    pub removed: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RehearsedKind {
    New,
    Change,
    Delete,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeniedAttempt {
    pub tool: String,
    pub text: String,
}

/// «Apply exactly this»: the rehearsal that an approval applies (RH-3).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RehearsalChoice {
    pub id: String,
    /// The diff that the user saw.
    pub diff_sha256: String,
    /// Files that are taken out.
    pub without: Vec<String>,
    /// Steps whose files are taken out.
    pub without_steps: Vec<String>,
}

impl RehearsalResult {
    /// The files that are taken out, as the diff names them. A file that a remaining step changed too stays. The error
    /// names what the rehearsal does not have.
    pub fn taken_out(&self, choice: &RehearsalChoice) -> Result<BTreeSet<String>, String> {
        let known: BTreeSet<&str> = self.files.iter().map(|file| file.path.as_str()).collect();
        if let Some(path) = choice.without.iter().find(|path| !known.contains(path.as_str())) {
            return Err(format!("the rehearsal did not change {path}"));
        }
        let steps = self.report.iter().flat_map(|report| &report.steps);
        let (out, stay): (Vec<_>, Vec<_>) = steps.partition(|step| choice.without_steps.contains(&step.id));
        if let Some(id) = choice.without_steps.iter().find(|id| !out.iter().any(|step| step.id == **id)) {
            return Err(format!("the rehearsal has no step {id}"));
        }
        let kept: BTreeSet<&String> = stay.iter().flat_map(|step| &step.changed).collect();
        let of_steps = out.iter().flat_map(|step| &step.changed).filter(|path| !kept.contains(path));
        Ok(choice.without.iter().chain(of_steps).cloned().collect())
    }

    /// What the model learns when the result was applied (RH-4).
    pub fn applied_text(&self, taken_out: &BTreeSet<String>) -> String {
        let names = |files: Vec<&str>| if files.is_empty() { "none".to_string() } else { files.join(", ") };
        let stay = self.files.iter().map(|file| file.path.as_str()).filter(|path| !taken_out.contains(*path));
        let mut text = format!(
            " The plan was carried out already: it was rehearsed on a copy of the workspace, the user saw the result, and exactly that was applied. Files changed: {}.",
            names(stay.collect())
        );
        if taken_out.is_empty() {
            text.push_str(" Its checks ran there.");
        } else {
            let out = names(taken_out.iter().map(String::as_str).collect());
            text.push_str(&format!(" The user took out: {out}. The checks have not run on what was applied."));
        }
        text.push_str(" Do not implement it again; do what is left, or end your turn with a short summary.");
        text
    }

    /// One row of the comparison of several rehearsals (RH-7).
    pub fn summary(&self, passed: bool) -> String {
        let checks: Vec<_> =
            self.report.iter().flat_map(|report| &report.steps).flat_map(|step| &step.checks).collect();
        let good = checks.iter().filter(|check| check.exit_code == Some(0)).count();
        let (added, removed) = self.files.iter().fold((0, 0), |sum, file| (sum.0 + file.added, sum.1 + file.removed));
        let outcome = if passed { "passed" } else { "not passed" };
        format!(
            "{outcome}, checks {good}/{}, {} {}, +{added} -{removed}, {} denied, ${:.2}",
            checks.len(),
            self.files.len(),
            if self.files.len() == 1 { "file" } else { "files" },
            self.denied.len(),
            self.cost_usd,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::report::ReportedStep;

    fn result() -> RehearsalResult {
        let file = |path: &str| RehearsedFile { path: path.into(), kind: RehearsedKind::Change, added: 1, removed: 0 };
        let step = |id: &str, changed: &[&str]| ReportedStep {
            id: id.into(),
            changed: changed.iter().map(|path| path.to_string()).collect(),
            ..ReportedStep::default()
        };
        let steps = vec![step("1", &["a", "b"]), step("2", &["b", "c"])];
        let report = Some(PlanReport { steps, ..PlanReport::default() });
        RehearsalResult { files: ["a", "b", "c"].map(file).to_vec(), report, ..RehearsalResult::default() }
    }

    #[test]
    fn rh_3_files_and_steps_are_taken_out() {
        let result = result();
        let take = |files: &[&str], steps: &[&str]| {
            let list = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
            let choice =
                RehearsalChoice { without: list(files), without_steps: list(steps), ..RehearsalChoice::default() };
            result.taken_out(&choice).map(|out| out.into_iter().collect::<Vec<_>>())
        };
        assert_eq!(take(&["a"], &[]).unwrap(), ["a"]);
        assert_eq!(take(&[], &["2"]).unwrap(), ["c"]);
        assert_eq!(take(&["a"], &["1", "2"]).unwrap(), ["a", "b", "c"]);
        assert!(take(&["d"], &[]).unwrap_err().contains('d') && take(&[], &["3"]).unwrap_err().contains("step 3"));
        let told = result.applied_text(&["c".to_string()].into());
        assert!(told.contains("Files changed: a, b.") && told.contains("took out: c."), "{told}");
    }
}
