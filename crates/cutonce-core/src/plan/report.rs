//! The report at the end of an implementation (PC-35), with the form of PC-38 and a text for people.

use super::progress::{CheckNotRun, CheckRun, PlanProgress, StepState, UnprovenClaim};
use serde::{Deserialize, Serialize};

/// What became of an approved plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanReport {
    pub plan: ReportedPlan,
    pub steps: Vec<ReportedStep>,
    /// Files that changed outside the scope.
    pub outside: Vec<String>,
    /// Planned files that did not change.
    pub untouched: Vec<String>,
    /// Steps written before one that their `after` names.
    pub out_of_order: Vec<String>,
    pub checks_not_run: Vec<CheckNotRun>,
    pub claims: Vec<UnprovenClaim>,
    pub drift: bool,
    pub cost_usd: f64,
    pub seconds: f64,
    /// Writes outside the scope that were denied. They are no drift.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedPlan {
    pub slug: String,
    pub revision: u32,
    pub sha256: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedStep {
    pub id: String,
    pub title: String,
    pub state: StepState,
    pub planned: Vec<String>,
    pub changed: Vec<String>,
    pub checks: Vec<CheckRun>,
}

impl PlanReport {
    /// The report of this progress. `last_message` is the model's last text; cost and time are the caller's.
    pub fn new(progress: &PlanProgress, last_message: &str, cost_usd: f64, seconds: f64) -> PlanReport {
        let plan = progress.plan();
        let mut report = PlanReport {
            plan: ReportedPlan {
                slug: plan.slug.clone(),
                revision: plan.revision,
                sha256: plan.contract.sha256.clone(),
            },
            steps: progress.reported_steps(),
            outside: progress.outside(),
            untouched: progress.untouched(),
            out_of_order: progress.out_of_order(),
            checks_not_run: progress.checks_not_run(),
            claims: progress.unproven_claims(last_message),
            drift: false,
            cost_usd,
            seconds,
            denied: progress.denied(),
        };
        let lists = [&report.outside, &report.untouched, &report.out_of_order];
        report.drift = lists.iter().any(|list| !list.is_empty())
            || !report.checks_not_run.is_empty()
            || !progress.open_work().is_empty()
            || progress.shows_nothing();
        report
    }

    /// True if every approved step that names files or checks is checked, or changed if it has no checks, and nothing
    /// drifted. `cutonce implement` then exits 0.
    pub fn is_complete(&self) -> bool {
        !self.drift
    }

    /// True for an open step without files and checks: the program can't see whether it was done.
    pub fn is_unobservable(&self, step: &ReportedStep) -> bool {
        let has_check = |check: &CheckNotRun| check.step.as_ref() == Some(&step.id);
        let is_bare = step.planned.is_empty() && step.checks.is_empty();
        step.state == StepState::Open && is_bare && !self.checks_not_run.iter().any(has_check)
    }

    /// The report in one line.
    pub fn summary(&self) -> String {
        format!("{}: {}", self.title(), self.counts())
    }

    /// Name and revision of the plan. A plan from a file has no revision.
    pub fn title(&self) -> String {
        match (self.plan.slug.as_str(), self.plan.revision) {
            ("", _) => "Plan".to_string(),
            (slug, 0) => format!("Plan {slug}"),
            (slug, revision) => format!("Plan {slug} (revision {revision})"),
        }
    }

    /// How many steps have which state, and whether anything drifted.
    pub fn counts(&self) -> String {
        let states = [
            StepState::Checked,
            StepState::Changed,
            StepState::Open,
            StepState::Failed,
            StepState::Parked,
            StepState::Dropped,
        ];
        let count = |state: StepState| self.steps.iter().filter(|step| step.state == state).count();
        let counts = states.into_iter().map(|state| (count(state), state)).filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, state)| format!("{count} {}", state.name())).collect();
        let drift = if self.drift { "drift" } else { "no drift" };
        format!("{} · {drift}", counts.join(", "))
    }

    /// The report as text: a table of steps, then the drift.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n\n", self.title());
        for step in &self.steps {
            out.push_str(&format!("{:<8} {}. {}\n", step.state.name(), step.id, step.title));
            if !step.planned.is_empty() || !step.changed.is_empty() {
                out.push_str(&format!(
                    "         files: {} planned, {}\n",
                    step.planned.len(),
                    changed_text(&step.changed)
                ));
            }
            if self.is_unobservable(step) {
                out.push_str("         nothing to observe: no files, no checks\n");
            }
            for check in &step.checks {
                let code = ended_text(check.exit_code, check.stopped.as_deref());
                out.push_str(&format!("         check: {} ({code}, {})\n", shown(&check.command), check.at));
            }
        }
        out.push('\n');
        out.push_str(&self.drift_text());
        out
    }

    /// What differs from the plan, in lists.
    pub fn drift_text(&self) -> String {
        let mut out = String::new();
        let mut list = |title: &str, entries: Vec<String>| {
            if !entries.is_empty() {
                out.push_str(&format!("{title}:\n"));
                entries.iter().for_each(|entry| out.push_str(&format!("  {entry}\n")));
            }
        };
        let clean = |paths: &[String]| paths.iter().map(|path| shown(path)).collect::<Vec<_>>();
        list("Changed outside the plan", clean(&self.outside));
        list("Planned but not changed", clean(&self.untouched));
        let named = |step: &ReportedStep| format!("{}. {}", step.id, step.title);
        let with_state = |state: StepState| {
            let steps = self.steps.iter().filter(|step| step.state == state);
            steps.map(named).collect::<Vec<_>>()
        };
        let open = self.steps.iter().filter(|step| step.state == StepState::Open && !self.is_unobservable(step));
        list("Open steps", open.map(named).collect());
        list("Failed steps", with_state(StepState::Failed));
        list("Steps in another order than planned", self.out_of_order.clone());
        let not_run = self.checks_not_run.iter().map(|check| match (&check.step, check.exit_code, &check.stopped) {
            (Some(step), None, _) => format!("{} (step {step})", shown(&check.command)),
            (None, None, None) => shown(&check.command),
            (_, code, stopped) => format!("{} ({})", shown(&check.command), ended_text(code, stopped.as_deref())),
        });
        list("Checks that did not pass after the last change", not_run.collect());
        let claims = self.claims.iter().map(|claim| format!("“{}”, but {}", shown(&claim.text), claim.evidence));
        list("The model's last message says more than the program saw", claims.collect());
        list("Denied writes outside the plan", clean(&self.denied));
        let wanted = |step: &&ReportedStep| !matches!(step.state, StepState::Parked | StepState::Dropped);
        let sees_nothing = self.steps.iter().filter(wanted).all(|step| self.is_unobservable(step));
        out.push_str(match (self.drift, sees_nothing) {
            (true, true) => "Nothing was written, and no step names files or checks.\n",
            (true, false) => "",
            (false, true) => "No drift was seen, but no step names files or checks.\n",
            (false, false) => "No drift: the implementation follows the plan.\n",
        });
        out
    }
}

/// How a check ended: its exit code, or what stopped it.
pub fn ended_text(exit_code: Option<i32>, stopped: Option<&str>) -> String {
    match (exit_code, stopped) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(why)) => format!("stopped: {}", shown(why)),
        (None, None) => "stopped".to_string(),
    }
}

fn shown(text: &str) -> String {
    crate::text::sanitize::one_line(text)
}

fn changed_text(changed: &[String]) -> String {
    match changed.len() {
        0 => "none changed".to_string(),
        _ => format!("changed {}", changed.iter().map(|path| shown(path)).collect::<Vec<_>>().join(", ")),
    }
}

impl PlanProgress {
    fn reported_steps(&self) -> Vec<ReportedStep> {
        let steps = self.plan().contract.steps.iter();
        let reported = steps.map(|step| ReportedStep {
            id: step.id.clone(),
            title: step.title.clone(),
            state: self.state(step),
            planned: step.files.iter().map(|file| file.path.clone()).collect(),
            changed: self.changed_files(step),
            checks: self.last_runs(step).into_iter().flatten().map(|(_, run)| run).collect(),
        });
        reported.collect()
    }
}
