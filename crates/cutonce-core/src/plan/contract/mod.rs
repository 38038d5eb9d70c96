//! The contract of a plan (PC-1 to PC-6): steps with files, checks and order, read from free markdown. It is a view
//! of the text; the text and its SHA-256 stay the truth.

mod commands;
mod fields;
mod lint;
mod markdown;
mod paths;
mod sections;
mod steps;

pub use lint::lint_contract;
pub use paths::matches_path;
pub(in crate::plan) use paths::{PlannedPaths, is_glob};

use super::progress::StepState;
use super::scope_git::named_subcommands;
use serde::{Deserialize, Serialize};

/// Maximum number of steps in a contract. A user can't review more, and hosts receive them all.
pub const MAX_STEPS: usize = 1_000;

/// What the program understood of a plan, in the form that hosts receive (PC-38).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanContract {
    pub sha256: String,
    pub steps: Vec<PlanStep>,
    /// Checks of the whole plan, from its Verification section.
    pub checks: Vec<String>,
    pub findings: Vec<PlanFinding>,
    /// Paths that no contract can contain, for the lint.
    #[serde(skip)]
    pub(super) rejected: Vec<RejectedPath>,
    /// Lines of `checks`.
    #[serde(skip)]
    pub(super) check_lines: Vec<u32>,
    /// Line of the first step that did not fit.
    #[serde(skip)]
    pub(super) cut_at: Option<u32>,
}

/// One step of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanStep {
    /// Position as a string: "1", "2", …
    pub id: String,
    pub title: String,
    /// First and last line in the plan, from 1.
    pub lines: [u32; 2],
    pub files: Vec<PlannedFile>,
    pub checks: Vec<String>,
    /// Ids of steps that come first; text that names no step stays as written.
    pub after: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StepState>,
    /// Files are guesses from backticks, not a `files:` field. Such a step may leave some untouched.
    #[serde(skip)]
    pub(super) guessed: bool,
    /// The step says more than its title.
    #[serde(skip)]
    pub(super) has_text: bool,
    #[serde(skip)]
    pub(super) check_lines: Vec<u32>,
    #[serde(skip)]
    pub(super) after_line: u32,
    /// Git subcommands that the step names.
    #[serde(skip)]
    pub git: Vec<String>,
}

/// A path or glob of a step, relative to the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedFile {
    pub path: String,
    pub kind: PlannedKind,
    #[serde(skip)]
    line: u32,
}

/// What a step does with a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlannedKind {
    Change,
    New,
    Delete,
    #[default]
    Any,
}

/// A path in a plan that can't be part of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RejectedPath {
    step: String,
    line: u32,
    path: String,
    why: &'static str,
}

/// A defect of a plan, with the line where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanFinding {
    pub kind: FindingKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    pub line: u32,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    MissingFile,
    FileExists,
    /// A `path:line` past the end of its file, or a path that a contract can't contain.
    BadReference,
    BadCheck,
    UnknownProgram,
    BadAfter,
    Placeholder,
    EmptyStep,
}

/// The disk and the machine, as the parser and the lint need them.
pub trait PlanFacts {
    /// Root of the workspace, absolute.
    fn root(&self) -> &str;
    /// The file at this path, relative to the root.
    fn file(&self, path: &str) -> FileFact;
    /// True if a file of the workspace matches this glob.
    fn has_match(&self, glob: &str) -> bool;
    /// True if this program can be started by name.
    fn has_program(&self, name: &str) -> bool;
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFact {
    Missing,
    Folder,
    /// A file with this number of lines; `None` if they were not counted.
    File {
        lines: Option<u32>,
    },
}

impl PlanContract {
    /// Reads the contract of a plan (PC-1, PC-2); `None` if the plan has no recognisable steps (PC-3).
    pub fn parse(text: &str, facts: &dyn PlanFacts) -> Option<PlanContract> {
        let lines = markdown::read_lines(text);
        let mut found = steps::find_steps(&lines);
        if found.is_empty() {
            return None;
        }
        let cut_at = found.get(MAX_STEPS).and_then(|step| lines.get(step.first)).map(|line| line.number);
        found.truncate(MAX_STEPS);
        let mut contract = PlanContract { sha256: super::sha256_hex(text), cut_at, ..PlanContract::default() };
        for (at, step) in found.iter().enumerate() {
            let mut read = fields::read_step(&lines, step, at + 1, facts, &mut contract.rejected);
            let text = lines.get(step.first..=step.last).unwrap_or_default();
            read.git = text.iter().flat_map(|line| named_subcommands(line.text)).collect();
            contract.steps.push(read);
        }
        fields::resolve_after(&mut contract.steps, &found);
        let inside = |line: usize| found.iter().any(|step| (step.first..=step.last).contains(&line));
        for (line, command) in fields::plan_checks(&lines, inside) {
            if !contract.checks.contains(&command) {
                contract.checks.push(command);
                contract.check_lines.push(line);
            }
        }
        Some(contract)
    }

    /// The contract with the findings of the lint.
    pub fn with_findings(mut self, text: &str, facts: &dyn PlanFacts) -> PlanContract {
        self.findings = lint_contract(text, &self, facts);
        self
    }

    /// The contract as text: one block per step, then checks of the whole plan and findings.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for step in &self.steps {
            out.push_str(&format!("{}. {}\n", step.id, step.title));
            let file = |file: &PlannedFile| match file.kind {
                PlannedKind::Any => file.path.clone(),
                PlannedKind::Change => format!("{} (change)", file.path),
                PlannedKind::New => format!("{} (new)", file.path),
                PlannedKind::Delete => format!("{} (delete)", file.path),
            };
            let files: Vec<String> = step.files.iter().map(file).collect();
            let fields = [("files", files.join(", ")), ("after", step.after.join(", "))];
            for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
                out.push_str(&format!("   {name}: {value}\n"));
            }
            step.checks.iter().for_each(|check| out.push_str(&format!("   check: {check}\n")));
        }
        self.checks.iter().for_each(|check| out.push_str(&format!("check: {check}\n")));
        for finding in &self.findings {
            out.push_str(&format!("line {}: {}\n", finding.line, finding.text));
        }
        out
    }

    /// True if a step names files.
    pub fn has_files(&self) -> bool {
        self.steps.iter().any(|step| !step.files.is_empty())
    }

    pub fn step(&self, id: &str) -> Option<&PlanStep> {
        self.steps.iter().find(|step| step.id == id)
    }
}

impl PlannedFile {
    pub fn new(path: impl Into<String>, kind: PlannedKind) -> PlannedFile {
        PlannedFile { path: path.into(), kind, line: 0 }
    }
}

#[cfg(test)]
pub(crate) mod tests;
