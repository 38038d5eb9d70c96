//! Rehearsals of a plan (RH-1 to RH-7): how one is ordered, what it reports, and what its result means for an approval.

use super::progress::StepAnswer;
use super::report::PlanReport;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
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
    /// Keeps a finished one by name, so that its result can be applied after the session (RH-5).
    Keep {
        id: String,
        /// `None`: a name of the plan's and its own.
        name: Option<String>,
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
    /// Another submitted revision of the plan (RH-7); `None` for the one that waits.
    pub revision: Option<u32>,
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
        /// The revision, if it is not the one that waits.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        revision: Option<u32>,
    },
    /// The agent made a call on the layer.
    Progress { text: String, calls: u32 },
    /// `passed`: the agent ended well, all checks passed and nothing drifted.
    Finished {
        passed: bool,
        result: Box<RehearsalResult>,
        /// The checks that ran on the layer, with their output (RH-2).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        checks: Vec<RehearsedCheck>,
    },
    /// The result is kept by this name; `cutonce rehearsals` lists it.
    Kept { name: String },
    /// The result could not be kept.
    NotKept { why: String },
    /// An approval wanted to apply it, and nothing was applied. The plan still waits.
    NotApplied { why: String },
    /// The rehearsal was cancelled, failed, or is no longer needed.
    Stopped { why: String },
}

/// A check of the plan, as it ran on the layer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RehearsedCheck {
    /// `None` for a check of the whole plan.
    pub step: Option<String>,
    pub command: String,
    /// `None` if it did not run, or was stopped.
    pub exit_code: Option<i32>,
    /// What stopped it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// The end of what it printed.
    pub output: String,
}

/// The figures by which rehearsals are compared (RH-7).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RehearsalFigures {
    pub checks: usize,
    pub checks_passed: usize,
    pub files: usize,
    pub added: usize,
    pub removed: usize,
    pub denied: usize,
    pub cost_usd: f64,
    pub seconds: f64,
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
    /// Why the agent failed or was stopped, if it was: a limit with its value and setting, or its last error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
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

impl DeniedAttempt {
    /// What the layer never gives to the workspace.
    pub fn of_layer(text: &str) -> DeniedAttempt {
        DeniedAttempt { tool: "layer".into(), text: text.into() }
    }
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
        let kept: BTreeSet<&str> = stay.iter().flat_map(|step| &step.changed).map(String::as_str).collect();
        let changed: BTreeSet<&str> = out.iter().flat_map(|step| &step.changed).map(String::as_str).collect();
        // The report has plain paths, the diff has git's.
        let of_steps = self.files.iter().filter(|file| {
            let plain = unquoted(&file.path);
            changed.contains(&*plain) && !kept.contains(&*plain)
        });
        Ok(choice.without.iter().cloned().chain(of_steps.map(|file| file.path.clone())).collect())
    }

    /// The steps that changed a file, by their ids.
    pub fn steps_of(&self, file: &RehearsedFile) -> Vec<&str> {
        let plain = unquoted(&file.path);
        let steps = self.report.iter().flat_map(|report| &report.steps);
        steps.filter(|step| step.changed.iter().any(|path| *path == plain)).map(|step| step.id.as_str()).collect()
    }

    /// The part of the diff that is about this file.
    pub fn diff_of(&self, file: &RehearsedFile) -> String {
        let header = match file.path.strip_prefix('"') {
            Some(rest) => format!("diff --git \"a/{rest} \"b/{rest}\n"),
            None => format!("diff --git a/{0} b/{0}\n", file.path),
        };
        // A line of a file has a sign before it, so no content looks like a header.
        let starts = std::iter::once(0).chain(self.diff.match_indices("\ndiff --git ").map(|(at, _)| at + 1));
        let starts: Vec<usize> = starts.chain([self.diff.len()]).collect();
        let parts = starts.windows(2).filter_map(|ends| self.diff.get(ends[0]..ends[1]));
        parts.filter(|part| part.starts_with(&header)).collect()
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

    /// `checks`: those of the steps and of the whole plan.
    pub fn figures(&self, checks: &[RehearsedCheck]) -> RehearsalFigures {
        RehearsalFigures {
            checks: checks.len(),
            checks_passed: checks.iter().filter(|check| check.exit_code == Some(0)).count(),
            files: self.files.len(),
            added: self.files.iter().map(|file| file.added).sum(),
            removed: self.files.iter().map(|file| file.removed).sum(),
            denied: self.denied.len(),
            cost_usd: self.cost_usd,
            seconds: self.seconds,
        }
    }

    /// One row of the comparison of several rehearsals (RH-7).
    pub fn summary(&self, passed: bool, checks: &[RehearsedCheck]) -> String {
        let figures = self.figures(checks);
        let outcome = if passed { "passed" } else { "not passed" };
        format!(
            "{outcome}, checks {}/{}, {} {}, +{} -{}, {} denied, ${:.2}",
            figures.checks_passed,
            figures.checks,
            figures.files,
            if figures.files == 1 { "file" } else { "files" },
            figures.added,
            figures.removed,
            figures.denied,
            figures.cost_usd,
        )
    }
}

/// The path that git prints as this name; bytes that are no UTF-8 are replaced.
fn unquoted(name: &str) -> Cow<'_, str> {
    let Some(inner) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) else { return name.into() };
    let (mut bytes, mut rest) = (Vec::new(), inner.as_bytes().iter());
    while let Some(byte) = rest.next() {
        let escaped = if *byte == b'\\' { rest.next().copied() } else { None };
        bytes.push(match escaped {
            None => *byte,
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(digit @ b'0'..=b'3') => {
                let mut octal = || rest.next().map_or(0, |digit| digit.wrapping_sub(b'0') & 7);
                ((digit - b'0') << 6) | (octal() << 3) | octal()
            }
            Some(other) => other,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
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

    #[test]
    fn rh_3_step_with_odd_file_names_is_taken_out() {
        let mut result = result();
        result.files[2].path = r#""ä \"c\n""#.replace('ä', r"\303\244");
        result.report.as_mut().unwrap().steps[1].changed = vec!["b".into(), "ä \"c\n".into()];
        let choice = RehearsalChoice { without_steps: vec!["2".into()], ..RehearsalChoice::default() };
        assert_eq!(result.taken_out(&choice).unwrap(), [result.files[2].path.clone()].into());
        assert_eq!(result.steps_of(&result.files[2]), ["2"]);
    }

    #[test]
    fn rh_2_diff_is_split_by_file() {
        let mut result = result();
        result.files[1].path = r#""\303\244""#.into();
        let of_a = "diff --git a/a b/a\nindex\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-diff --git a/c b/c\n+x\n";
        let of_b = "diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nnew file mode 100644\n";
        result.diff = format!("{of_a}{of_b}");
        let parts: Vec<String> = result.files.iter().map(|file| result.diff_of(file)).collect();
        assert_eq!(parts, [of_a, of_b, ""]);
    }
}
