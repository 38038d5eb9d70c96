//! Claims of the model that the evidence does not support (PC-37).

use super::{PlanProgress, StepState};
use serde::{Deserialize, Serialize};

/// A sentence of the model's last message, and what the program saw instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnprovenClaim {
    pub text: String,
    pub evidence: String,
}

const PASSED: &[&str] = &[
    "pass",
    "passes",
    "passed",
    "passing",
    "green",
    "succeed",
    "succeeds",
    "succeeded",
    "successful",
    "successfully",
    "clean",
    "bestanden",
    "grün",
    "erfolgreich",
    "réussi",
    "réussis",
    "passent",
    "passé",
    "pasan",
    "pasaron",
    "pasa",
];
const PASSED_PARTS: &[&str] = &["通过", "通過", "成功", "パス", "✅"];
const NEGATIONS: &[&str] = &[
    "not",
    "no",
    "don't",
    "doesn't",
    "didn't",
    "can't",
    "couldn't",
    "cannot",
    "fail",
    "fails",
    "failed",
    "failing",
    "should",
    "would",
    "will",
    "if",
    "once",
    "until",
    "nicht",
    "kein",
    "pas",
    "unverified",
    "without",
];
const GENERIC: &[&str] = &["all checks", "all the checks", "every check", "everything", "checks", "alle prüfungen"];
const SUBJECTS: &[(&str, &[&str])] = &[
    ("test", &["test", "tests", "suite", "pruebas", "测试", "テスト"]),
    ("lint", &["lint", "linter", "clippy", "eslint", "ruff"]),
    ("build", &["build", "builds", "compiles", "compilation"]),
    ("clippy", &["clippy"]),
    ("fmt", &["formatting", "format", "fmt"]),
];
const FINISHED: &[&str] = &[
    "all steps",
    "every step",
    "all tasks",
    "the plan is",
    "plan is fully",
    "everything is",
    "fully implemented",
    "all done",
    "alle schritte",
    "toutes les étapes",
    "todos los pasos",
    "所有步骤",
    "すべての手順",
];
const FINISHED_WORDS: &[&str] = &[
    "done",
    "complete",
    "completed",
    "implemented",
    "finished",
    "fertig",
    "umgesetzt",
    "terminées",
    "completados",
    "完成",
    "完了",
];

impl PlanProgress {
    /// Sentences of this message that say more than the program saw.
    pub fn unproven_claims(&self, message: &str) -> Vec<UnprovenClaim> {
        let mut found = Vec::new();
        for sentence in sentences(message) {
            let lower = sentence.to_lowercase();
            let evidence = match says_passed(&lower) {
                true => self.evidence_against_checks(sentence, &lower),
                false => None,
            };
            let evidence = evidence.or_else(|| says_finished(&lower).then(|| self.evidence_against_done()).flatten());
            if let Some(evidence) = evidence {
                found.push(UnprovenClaim { text: crate::text::sanitize::one_line(sentence), evidence });
            }
        }
        found
    }

    fn evidence_against_checks(&self, sentence: &str, lower: &str) -> Option<String> {
        let checks = self.all_checks();
        let named: Vec<&String> = checks.iter().filter(|check| sentence.contains(check.as_str())).collect();
        let about: Vec<&String> = match named.is_empty() {
            false => named,
            true => checks.iter().filter(|check| is_about(lower, check)).collect(),
        };
        let about = match about.is_empty() && GENERIC.iter().any(|words| lower.contains(words)) {
            true => checks.iter().collect(),
            false => about,
        };
        let pending = self.pending_checks();
        let unproven = about.into_iter().find(|check| pending.contains(check))?;
        Some(match self.last_run(unproven, 0) {
            None => format!("`{unproven}` did not run"),
            Some((_, run)) => match run.exit_code {
                Some(0) => format!("`{unproven}` ran before the last change"),
                Some(code) => format!("`{unproven}` exited {code}"),
                None => format!("`{unproven}` was stopped"),
            },
        })
    }

    fn evidence_against_done(&self) -> Option<String> {
        let (step, state) = self.open_work().into_iter().next()?;
        let what = if state == StepState::Failed { "failed" } else { "is open" };
        Some(format!("step {} {what}", step.id))
    }

    fn all_checks(&self) -> Vec<String> {
        let mut all: Vec<String> = self.plan.approved_steps().flat_map(|step| step.checks.clone()).collect();
        all.extend(self.plan.contract.checks.clone());
        all.sort();
        all.dedup();
        all
    }
}

fn sentences(message: &str) -> impl Iterator<Item = &str> {
    let parts = message.lines().flat_map(|line| line.split_inclusive(['。', '！']));
    let parts = parts.flat_map(|line| line.split(". ")).map(str::trim);
    parts.filter(|sentence| !sentence.is_empty()).take(500)
}

fn words(lower: &str) -> impl Iterator<Item = &str> {
    lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

fn says_passed(lower: &str) -> bool {
    let passed =
        words(lower).any(|word| PASSED.contains(&word)) || PASSED_PARTS.iter().any(|part| lower.contains(part));
    passed && !words(lower).any(|word| NEGATIONS.contains(&word))
}

fn says_finished(lower: &str) -> bool {
    let about = FINISHED.iter().any(|words| lower.contains(words));
    let done = FINISHED_WORDS.iter().any(|word| lower.contains(word));
    about && done && !words(lower).any(|word| NEGATIONS.contains(&word))
}

/// True if a sentence is about checks like this one: `all tests pass` and `cargo test`.
fn is_about(lower: &str, check: &str) -> bool {
    SUBJECTS.iter().any(|(part, names)| {
        check.contains(part)
            && names.iter().any(|name| match name.is_ascii() {
                true => words(lower).any(|word| word == *name),
                false => lower.contains(name),
            })
    })
}
