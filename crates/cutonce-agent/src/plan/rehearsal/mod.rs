//! Carries a plan out on a layer over the workspace, and applies exactly the result (RH-1 to RH-7). The workspace does
//! not change until someone applies it.
//!
//! The rehearsing agent is cutonce again, as its own process: in its namespace the workspace is the layer, for its file
//! tools and its commands. It asks no one, and its commands have no network.

mod child;
mod ground;
mod kept;

pub use ground::describe_ground;
pub use kept::{KeepError, KeptRehearsal, check_keep, discard_kept, list_kept, open_kept};

use super::{PlanRevisions, read_contract};
use child::{LayerWatch, RehearsalStop, RehearsingAgent, RunCommand, call_text, size_of};
use cutonce_core::conversation::TokenUsage;
use cutonce_core::plan::progress::is_same_command;
use cutonce_core::plan::rehearsal::{
    DeniedAttempt, RehearsalBase, RehearsalChoice, RehearsalResult, RehearsedCheck, RehearsedFile, RehearsedKind,
    RehearsedPlan,
};
use cutonce_core::plan::report::PlanReport;
use cutonce_core::plan::sha256_hex;
use cutonce_core::settings::plan::{PlanLint, RehearsalSettings};
use cutonce_core::text::number::{count_noun, dollars};
use cutonce_sandbox::find_program;
use cutonce_tools::disk::FileAccess;
use cutonce_tools::disk::layer::{
    ApplyError, ApplyPlace, DiffedKind, LayerChange, RecoveredApply, check_unchanged, diff_changes, recover_apply,
    sweep_journals,
};
use cutonce_tools::shell::changes::{RehearsedChanges, WorkspaceBase, journals_folder, layers_folder};
use ground::RehearsalGround;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// A rehearsal to be run.
#[derive(Debug, Clone)]
pub struct RehearsalJob {
    /// The workspace.
    pub root: PathBuf,
    /// The cutonce home.
    pub home: PathBuf,
    /// The environment of the agent.
    pub env: Vec<(OsString, OsString)>,
    /// The plan that is shown.
    pub plan: RehearsedPlan,
    /// What the agent implements: the plan, or its approved steps.
    pub text: String,
    /// Ids of the steps in `text`, if they differ from their positions.
    pub step_ids: Option<Vec<String>>,
    /// The agent's model; `None` for the usual one.
    pub model: Option<String>,
    /// Requests that the agent may send.
    pub max_turns: Option<u32>,
    /// What the agent may spend.
    pub budget: Option<RehearsalBudget>,
    /// Limits of the layer.
    pub limits: RehearsalSettings,
}

/// What a rehearsal may spend, and where that comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RehearsalBudget {
    /// US dollars.
    pub usd: f64,
    /// The option or field that sets it, for messages.
    pub source: &'static str,
}

/// What a rehearsing agent does.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentNews {
    /// The agent made a call.
    Called {
        /// The call in one line.
        text: String,
        /// The number of this call.
        calls: u32,
    },
    /// A model answered it.
    Used {
        /// The name of the model.
        model: String,
        /// Tokens of this answer.
        usage: TokenUsage,
    },
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum RehearsalError {
    /// The layer can't be opened or read.
    #[error("no layer for the rehearsal: {0}")]
    Layer(io::Error),
    /// Too many rehearsals are open.
    #[error("{0} rehearsals run or wait already; cancel one, or raise `plan.rehearsal.maxRunning`")]
    TooMany(u32),
    /// The program is missing.
    #[error("the rehearsing agent can't be started: there is no cutonce program")]
    NoProgram,
    /// The agent can't be started.
    #[error("the rehearsing agent can't be started: {0}")]
    Start(io::Error),
    /// The user ended it.
    #[error("the rehearsal was cancelled")]
    Cancelled,
    /// The agent ended without a result.
    #[error("the rehearsing agent ended without a result: {0}")]
    NoResult(String),
}

/// Why a result is not applied.
#[derive(Debug, thiserror::Error)]
pub enum NotApplied {
    /// The choice names what the rehearsal does not have.
    #[error("{0}")]
    Choice(String),
    /// The workspace or the disk refused it.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

impl NotApplied {
    /// The error as a sentence that says what became of the changes.
    pub fn message(&self) -> String {
        match self {
            NotApplied::Choice(why) => format!("Nothing was applied: {why}."),
            NotApplied::Apply(error) => error.message(),
        }
    }

    /// True if files changed in the workspace since the rehearsal.
    pub fn is_stale(&self) -> bool {
        matches!(self, NotApplied::Apply(ApplyError::Changed { .. }))
    }
}

/// A rehearsal that ended. Dropping it deletes its layer, unless it is kept by name.
#[derive(Debug)]
pub struct FinishedRehearsal {
    /// What front ends see.
    pub result: RehearsalResult,
    /// The agent ended well, all checks passed, nothing drifted.
    pub passed: bool,
    /// The checks that ran, with their output.
    pub checks: Vec<RehearsedCheck>,
    changes: Vec<LayerChange>,
    /// Files that changed in the workspace since the layer was opened.
    stale: Vec<PathBuf>,
    ground: RehearsalGround,
    journals: PathBuf,
}

/// What the agent's last frame says.
struct JudgedRun {
    report: Option<PlanReport>,
    denied: Vec<DeniedAttempt>,
    passed: bool,
    failure: Option<String>,
    cost_usd: f64,
}

impl RehearsalJob {
    /// Rehearses the plan.
    pub async fn run(
        self,
        cancel: &CancellationToken,
        on_news: &(dyn Fn(AgentNews) + Send + Sync),
    ) -> Result<FinishedRehearsal, RehearsalError> {
        let started = Instant::now();
        let root = self.root.canonicalize().map_err(RehearsalError::Layer)?;
        // Git takes long in a large tree, and the agent need not wait for it.
        let (base_root, base_env) = (root.clone(), self.env.clone());
        let base = tokio::spawn(async move { WorkspaceBase::new(&base_root, &base_env).await });
        let ground = RehearsalGround::open(&self, &root, cancel, on_news).await?;
        let copy = self.plan_copy().map_err(RehearsalError::Start)?;
        let plan = copy.as_ref().map_or(PathBuf::from(&self.plan.path), |copy| copy.path().to_path_buf());
        // An argument holds 128 KB, and the settings name every file with keys.
        let settings = private_file("settings-", ".json", &ground.settings(&self)).map_err(RehearsalError::Start)?;
        let agent = RehearsingAgent {
            program: own_program(&self.env).ok_or(RehearsalError::NoProgram)?,
            args: self.agent_args(&plan, settings.path()),
            folder: ground.folder(),
            shown_folder: root.clone(),
            env: self.env.clone(),
            profile: ground.profile(&self.home),
        };
        let upper = ground.upper();
        let watch = LayerWatch {
            max_megabytes: self.limits.max_megabytes,
            max_minutes: self.limits.max_minutes,
            before: size_of(&upper),
            upper: upper.clone(),
        };
        let run = agent.run(&watch, cancel, on_news).await.map_err(RehearsalError::Start)?;
        if run.stopped == Some(RehearsalStop::Cancelled) {
            return Err(RehearsalError::Cancelled);
        }
        if run.result.is_none() && run.stopped.is_none() {
            return Err(RehearsalError::NoResult(run.errors));
        }
        let collected = tokio::task::spawn_blocking(move || (ground.changes(), ground)).await;
        let (found, ground) = collected.map_err(|error| RehearsalError::Layer(io::Error::other(error)))?;
        let found = found.map_err(RehearsalError::Layer)?;
        let found = RehearsedChanges::new(found, (&root, &upper), &self.env).await;
        let diff = diff_changes(&found.changes, &upper, &root);
        let mut judged = self.judge(&run.result.unwrap_or_default(), run.stopped.as_ref());
        let on_layer = found.refused.iter().map(|text| DeniedAttempt::of_layer(text));
        for denied in run.denied.into_iter().chain(on_layer) {
            if !judged.denied.contains(&denied) {
                judged.denied.push(denied);
            }
        }
        let checks = self.ran_checks(&root, judged.report.as_ref(), &run.commands);
        let base = base.await.unwrap_or_default();
        let result = RehearsalResult {
            plan: self.plan.clone(),
            base: RehearsalBase { commit: base.commit, dirty: base.dirty },
            diff_sha256: sha256_hex(&diff.text),
            files: diff.files.into_iter().map(shown_file).collect(),
            diff: diff.text,
            report: judged.report,
            denied: judged.denied,
            failure: judged.failure,
            applied: false,
            cost_usd: judged.cost_usd,
            seconds: started.elapsed().as_secs_f64(),
        };
        let passed = judged.passed;
        let (changes, stale, journals) = (found.changes, found.stale, journals_folder(&self.home));
        Ok(FinishedRehearsal { result, passed, checks, changes, stale, ground, journals })
    }

    /// A file with exactly the text; `None` if the plan's own file has it.
    fn plan_copy(&self) -> io::Result<Option<tempfile::NamedTempFile>> {
        if std::fs::read(&self.plan.path).is_ok_and(|bytes| bytes == self.text.as_bytes()) {
            return Ok(None);
        }
        private_file("plan-", ".md", &self.text).map(Some)
    }

    /// The agent gets the plan as a file: running `implement` with a name would approve it.
    fn agent_args(&self, plan: &Path, settings: &Path) -> Vec<OsString> {
        let mut list: Vec<OsString> = vec!["implement".into(), plan.into()];
        list.extend(["--output-format", "stream-json", "--verbose", "--no-session-persistence"].map(OsString::from));
        list.extend(["--permission-mode", "acceptEdits", "--strict-mcp-config"].map(OsString::from));
        list.extend(["--settings".into(), settings.into()]);
        list.extend(["--allowedTools", "Bash", "--disallowedTools", "WebFetch"].map(OsString::from));
        let options = [
            ("--model", self.model.clone()),
            ("--max-turns", self.max_turns.map(|turns| turns.to_string())),
            ("--max-budget-usd", self.budget.map(|budget| budget.usd.to_string())),
        ];
        for (name, value) in options {
            list.extend(value.into_iter().flat_map(|value| [OsString::from(name), value.into()]));
        }
        list
    }

    /// The checks of the steps and of the whole plan that ran, with what they printed last.
    fn ran_checks(&self, root: &Path, report: Option<&PlanReport>, commands: &[RunCommand]) -> Vec<RehearsedCheck> {
        let Some(report) = report else { return Vec::new() };
        let place = root.to_string_lossy();
        let last_run = |check: &str| commands.iter().rev().find(|run| is_same_command(check, &run.command, &place));
        let output = |run: Option<&RunCommand>| run.and_then(|run| run.output.clone()).unwrap_or_default();
        let mut checks = Vec::new();
        for step in &report.steps {
            checks.extend(step.checks.iter().map(|check| RehearsedCheck {
                step: Some(step.id.clone()),
                command: check.command.clone(),
                exit_code: check.exit_code,
                stopped: check.stopped.clone(),
                output: output(last_run(&check.command)),
            }));
        }
        let of_plan =
            read_contract(root, &self.text, PlanLint::Off).map(|contract| contract.checks).unwrap_or_default();
        for command in of_plan {
            let Some(run) = last_run(&command) else { continue };
            let failed = report.checks_not_run.iter().find(|check| check.step.is_none() && check.command == command);
            let (exit_code, stopped) = failed.map_or((Some(0), None), |check| (check.exit_code, check.stopped.clone()));
            checks.push(RehearsedCheck { step: None, command, exit_code, stopped, output: output(Some(run)) });
        }
        checks
    }

    /// What the agent's last frame says about its failure.
    fn failure_in(&self, frame: &Value) -> Option<String> {
        match (frame["subtype"].as_str(), self.budget, self.max_turns) {
            (Some("error_max_budget_usd"), Some(RehearsalBudget { usd, source }), _) => {
                Some(format!("stopped: it used up its budget of {} ({source})", dollars(usd)))
            }
            (Some("error_max_turns"), _, Some(most)) => {
                let most = count_noun(usize::try_from(most).unwrap_or(usize::MAX), "request");
                Some(format!("stopped: it reached its limit of {most} (`--max-turns`)"))
            }
            _ => {
                let told = frame["result"].as_str().or_else(|| frame["errors"][0].as_str());
                told.map(str::to_string)
            }
        }
    }

    /// Reads the agent's last frame.
    fn judge(&self, frame: &Value, stopped: Option<&RehearsalStop>) -> JudgedRun {
        let mut report: Option<PlanReport> =
            frame.get("report").and_then(|report| serde_json::from_value(report.clone()).ok());
        if let Some(report) = &mut report {
            report.plan.slug = self.plan.slug.clone().unwrap_or_default();
            report.plan.sha256 = self.plan.sha256.clone();
            let revisions = self.plan.slug.as_ref().map(|slug| PlanRevisions::for_plan(&self.home, slug));
            report.plan.revision = revisions.map_or(0, |revisions| revisions.number_of(&self.plan.sha256));
            let ids = self.step_ids.iter().flatten();
            report.steps.iter_mut().zip(ids).for_each(|(step, id)| step.id = id.clone());
        }
        let stop = stopped.and_then(stop_text);
        let failed = frame.get("is_error").and_then(Value::as_bool).unwrap_or(true);
        let failure = stop.or_else(|| self.failure_in(frame).filter(|_| failed));
        let drifted = report.as_ref().is_some_and(|report| report.drift);
        let passed = !failed && !drifted && stopped.is_none();
        let mut denied = denied_calls(frame);
        let outside = report.iter().flat_map(|report| &report.denied);
        let unlisted: Vec<&String> = outside.filter(|path| denied.iter().all(|known| known.text != **path)).collect();
        denied.extend(unlisted.into_iter().map(|path| DeniedAttempt { tool: "Bash".into(), text: path.clone() }));
        let cost_usd = frame.get("total_cost_usd").and_then(Value::as_f64).unwrap_or_default();
        JudgedRun { report, denied, passed, failure, cost_usd }
    }
}

/// A file for the agent, removed when dropped.
fn private_file(prefix: &str, suffix: &str, text: &str) -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix(prefix).suffix(suffix).tempfile()?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}

/// Rehearsals are counted apart from the layers of commands.
fn rehearsals_folder(home: &Path) -> PathBuf {
    layers_folder(home).join("rehearsals")
}

/// Private copies are next to our home: nothing inside it is a workspace.
fn copies_folder(home: &Path) -> PathBuf {
    let mut name = home.file_name().unwrap_or(".cutonce".as_ref()).to_os_string();
    name.push("-rehearsals");
    home.with_file_name(name)
}

/// Removes the layers and copies of rehearsals whose program was killed, and kept ones that expired.
pub fn sweep_rehearsals(home: &Path) -> io::Result<()> {
    let copies = copies_folder(home);
    cutonce_sandbox::sweep_layers(&copies)?;
    sweep_journals(&journals_folder(home), &copies.canonicalize().unwrap_or(copies));
    cutonce_sandbox::sweep_layers(&rehearsals_folder(home))
}

/// Completes or undoes what a killed program began to apply in this folder or in one around it. Returns what the user
/// should know.
pub fn recover_applying(home: &Path, folder: &Path) -> Vec<String> {
    let journals = journals_folder(home);
    let Some(folder) = journals.exists().then(|| folder.canonicalize().ok()).flatten() else { return Vec::new() };
    let told = |root: &Path| {
        let recovered = recover_apply(&journals, root).transpose()?;
        let place = if root == folder { "here".to_string() } else { format!("in {}", root.display()) };
        Some(match recovered {
            Ok(RecoveredApply::Completed) => {
                format!("applying a rehearsal was interrupted {place}; it is completed now.")
            }
            Ok(RecoveredApply::Undone) => format!("applying a rehearsal was interrupted {place}; it is undone now."),
            Err(error) => {
                format!("applying a rehearsal was interrupted {place}, and it can't be completed: {error}")
            }
        })
    };
    folder.ancestors().filter_map(told).collect()
}

/// The cutonce program: this one, or the one on the PATH if this is another program with cutonce as a library.
fn own_program(env: &[(OsString, OsString)]) -> Option<PathBuf> {
    let this = std::env::current_exe().ok();
    let ours = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("cutonce"));
    this.filter(ours).or_else(|| find_program("cutonce", env))
}

fn stop_text(stop: &RehearsalStop) -> Option<String> {
    match stop {
        RehearsalStop::Cancelled => None,
        RehearsalStop::OverLimit(limit) => Some(format!("stopped: a command {limit}")),
        RehearsalStop::TooLarge(megabytes) => {
            Some(format!("stopped: it wrote more than {megabytes} MB (`plan.rehearsal.maxMegabytes`)"))
        }
        RehearsalStop::TooLong(minutes) => {
            Some(format!("stopped: it took more than {minutes} minutes (`plan.rehearsal.maxMinutes`)"))
        }
    }
}

fn denied_calls(frame: &Value) -> Vec<DeniedAttempt> {
    let calls = frame.get("permission_denials").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let attempt = |call: &Value| DeniedAttempt {
        tool: call["tool_name"].as_str().unwrap_or_default().to_string(),
        text: call_text(&call["tool_input"]),
    };
    calls.iter().map(attempt).collect()
}

fn shown_file(file: cutonce_tools::disk::layer::DiffedFile) -> RehearsedFile {
    let kind = match file.kind {
        DiffedKind::New => RehearsedKind::New,
        DiffedKind::Change => RehearsedKind::Change,
        DiffedKind::Delete => RehearsedKind::Delete,
    };
    RehearsedFile { path: file.path, kind, added: file.added, removed: file.removed }
}

impl FinishedRehearsal {
    /// The changes that stay if these files are taken out.
    fn remaining(&self, out: &BTreeSet<String>) -> Vec<LayerChange> {
        let is_out = |change: &&LayerChange| out.contains(&change.shown_path());
        self.changes.iter().filter(|change| !is_out(change)).cloned().collect()
    }

    fn place<'a>(&'a self, upper: &'a Path) -> ApplyPlace<'a> {
        ApplyPlace { upper, root: self.ground.root(), journals: &self.journals, durable: true }
    }

    /// The workspace that it belongs to.
    pub fn root(&self) -> &Path {
        self.ground.root()
    }

    /// Checks whether the workspace is still what the rehearsal was based on.
    pub fn check(&self, choice: &RehearsalChoice) -> Result<(), NotApplied> {
        let out = self.result.taken_out(choice).map_err(NotApplied::Choice)?;
        let remaining = self.remaining(&out);
        let stays = |path: &&PathBuf| remaining.iter().any(|change| change.path == **path);
        let stale: Vec<PathBuf> = self.stale.iter().filter(stays).cloned().collect();
        if !stale.is_empty() {
            return Err(ApplyError::Changed { paths: stale }.into());
        }
        Ok(check_unchanged(self.place(&self.ground.upper()), &remaining)?)
    }

    /// Applies what was shown, without what is taken out: all of it or nothing. Returns the files that are taken out.
    pub fn apply(&mut self, disk: &FileAccess, choice: &RehearsalChoice) -> Result<BTreeSet<String>, NotApplied> {
        self.check(choice)?;
        let out = self.result.taken_out(choice).map_err(NotApplied::Choice)?;
        let upper = self.ground.upper();
        disk.apply_layer(self.place(&upper), &self.remaining(&out))?;
        self.result.applied = true;
        // It can't be applied twice.
        self.ground.layer.remove_name();
        Ok(out)
    }
}
