//! `cutonce rehearse PLAN|FILE`: carries a plan out on a layer over the workspace and shows the result (RH-6). The
//! workspace does not change, unless `--apply` is given and all checks passed.
//!
//! The rehearsing agent is this program again, in a namespace in which the workspace is the layer. It asks no one, and
//! confines its commands to the workspace without a network.

mod child;

use crate::cli::args::{OutputFormat, RehearseArgs, RunFlags};
use crate::commands::approval::{self, ChosenPlan};
use crate::start;
use anyhow::Context;
use child::{ChildProgram, LayerLimit};
use cutonce_agent::tools::disk::layer::{
    ApplyPlace, DiffedKind, LayerChange, LayerDiff, collect_changes, diff_changes, recover_apply,
};
use cutonce_agent::tools::disk::{FileAccess, VersionStore};
use cutonce_agent::tools::shell::changes::{RehearsedChanges, WorkspaceBase, journals_folder, layers_folder};
use cutonce_core::exit_code::{DRIFTED, STALE, SUCCESS};
use cutonce_core::plan::report::PlanReport;
use cutonce_core::plan::sha256_hex;
use cutonce_core::text::sanitize::sanitize;
use cutonce_sandbox::{KeptLayer, SandboxProfile, sweep_layers};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Layers of one home that may be open at the same time.
const MAX_LAYERS: usize = 16;
/// Settings of the rehearsing agent: its commands have no network and can change only the layer.
const SETTINGS: &str = r#"{"sandbox":{"shell":true,"network":false}}"#;

pub async fn run(args: RehearseArgs) -> anyhow::Result<u8> {
    let chosen = approval::choose(&args.plan, None)?;
    let rehearsal = rehearse(&chosen, &args).await?;
    match args.json {
        true => writeln!(std::io::stdout().lock(), "{}", rehearsal.to_json())?,
        false => rehearsal.print()?,
    }
    Ok(rehearsal.exit_code())
}

/// `cutonce plan --rehearse`: plans, then rehearses the plan.
pub async fn plan_and_rehearse(run: RunFlags) -> anyhow::Result<u8> {
    let mut planning = ChildProgram::this()?;
    planning.args = planning_args(std::env::args_os().skip(1));
    planning.stdin = child::piped_input()?;
    let planned = planning.run(None).await?;
    let mut result: Value = planned.last_json().context("the planning run printed no result")?;
    let slug = result.get("slug").and_then(Value::as_str).map(str::to_string);
    let Some(slug) = slug.filter(|_| planned.code == SUCCESS) else {
        print_plan(&run, &result)?;
        return Ok(planned.code.max(1));
    };
    let (model, max_turns, max_budget_usd) = (run.model.clone(), run.max_turns, run.max_budget_usd);
    let args = RehearseArgs { plan: slug, json: true, apply: false, model, max_turns, max_budget_usd };
    let rehearsal = rehearse(&approval::choose(&args.plan, None)?, &args).await?;
    if run.output_format == OutputFormat::Text {
        print_plan(&run, &result)?;
        rehearsal.print()?;
    } else {
        result["rehearsal"] = rehearsal.to_json();
        print_plan(&run, &result)?;
    }
    Ok(rehearsal.exit_code())
}

/// The arguments of the planning run: ours, without the rehearsal, and with JSON output.
fn planning_args(given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut args = Vec::new();
    let mut given = given.filter(|arg| arg != "--rehearse");
    while let Some(arg) = given.next() {
        match arg.to_str() {
            Some("--output-format") => drop(given.next()),
            Some(text) if text.starts_with("--output-format=") => {}
            _ => args.push(arg),
        }
    }
    args.extend(["--output-format".into(), "json".into()]);
    args
}

fn print_plan(run: &RunFlags, result: &Value) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match (run.output_format, result.get("plan").and_then(Value::as_str)) {
        (OutputFormat::Text, Some(plan)) => writeln!(out, "{}\n", plan.trim_end())?,
        (OutputFormat::Text, None) => {}
        (OutputFormat::Json | OutputFormat::StreamJson, _) => writeln!(out, "{result}")?,
    }
    Ok(())
}

/// Completes or undoes what a killed program began to apply here, and removes the layers of killed programs.
pub fn clean_up_after_kill(home: &Path) {
    let (journals, layers) = (journals_folder(home), layers_folder(home));
    if journals.exists()
        && let Ok(root) = start::current_dir().and_then(|cwd| Ok(cwd.canonicalize()?))
    {
        match recover_apply(&journals, &root) {
            Ok(None) => {}
            Ok(Some(recovered)) => {
                let what = match recovered {
                    cutonce_agent::tools::disk::layer::RecoveredApply::Completed => "completed",
                    cutonce_agent::tools::disk::layer::RecoveredApply::Undone => "undone",
                };
                eprintln!("cutonce: applying a rehearsal was interrupted here; it is {what} now.");
            }
            Err(error) => eprintln!("cutonce: {}", sanitize(&error.to_string())),
        }
    }
    if layers.exists() {
        // What can't be removed now, the next start removes.
        let _ = sweep_layers(&layers);
    }
}

/// The result of a rehearsal.
struct Rehearsal {
    plan: Value,
    base: WorkspaceBase,
    diff: LayerDiff,
    report: Value,
    denied: Vec<Value>,
    applied: bool,
    /// A file of the diff changed underneath: nothing was applied.
    stale: bool,
    /// The agent ended well and all checks passed.
    passed: bool,
    cost: f64,
    seconds: f64,
}

struct NoVersions;

impl VersionStore for NoVersions {
    fn keep(&self, _path: &Path, _old: Option<&[u8]>) -> std::io::Result<()> {
        Ok(())
    }
}

async fn rehearse(chosen: &ChosenPlan, args: &RehearseArgs) -> anyhow::Result<Rehearsal> {
    let (home, started) = (start::home_dir()?, Instant::now());
    let root = start::current_dir()?.canonicalize()?;
    let env: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let base = WorkspaceBase::new(&root, &env).await;
    let layer = KeptLayer::open(&root, &layers_folder(&home), MAX_LAYERS).context("no layer could be opened")?;
    let stored = StoredPlan::new(chosen)?;
    let mut agent = ChildProgram::this()?;
    agent.args = agent_args(stored.path(), args);
    agent.profile = SandboxProfile::Layered(layer.mount(Vec::new()));
    let ended = agent.run(Some(LayerLimit::new(&layer.upper()))).await?;
    let result = ended.last_json().unwrap_or_default();
    let found = collect_changes(&layer.upper(), &root, layer.opened()).context("the layer can't be read")?;
    let found = RehearsedChanges::new(found, (&root, &layer.upper()), &env).await;
    let diff = diff_changes(&found.changes, &layer.upper(), &root);
    let mut report = result.get("report").cloned().unwrap_or_default();
    let plan = json!({"slug": chosen.slug, "sha256": sha256_hex(&chosen.text), "path": chosen.path});
    if report.is_object() {
        report["plan"]["slug"] = json!(chosen.slug);
    }
    let drifted = report.get("drift").and_then(Value::as_bool).unwrap_or(false);
    let failed = result.get("is_error").and_then(Value::as_bool).unwrap_or(true);
    let mut rehearsal = Rehearsal {
        plan,
        base,
        diff,
        denied: denied_calls(&result, &found.refused, ended.stopped),
        passed: !failed && !drifted && ended.stopped.is_none(),
        report,
        applied: false,
        stale: !found.stale.is_empty(),
        cost: result.get("total_cost_usd").and_then(Value::as_f64).unwrap_or_default(),
        seconds: started.elapsed().as_secs_f64(),
    };
    if failed && let Some(why) = result.get("result").and_then(Value::as_str) {
        eprintln!("cutonce: the rehearsal failed: {}", sanitize(why));
    }
    if args.apply && rehearsal.passed {
        rehearsal.apply(&layer, &root, &home, &found.changes, &found.stale);
    }
    Ok(rehearsal)
}

/// A file with exactly the plan's text.
enum StoredPlan {
    Own(PathBuf),
    Temporary(tempfile::NamedTempFile),
}

impl StoredPlan {
    fn new(chosen: &ChosenPlan) -> anyhow::Result<StoredPlan> {
        let path = PathBuf::from(&chosen.path);
        if std::fs::read(&path).is_ok_and(|bytes| bytes == chosen.text.as_bytes()) {
            return Ok(StoredPlan::Own(path));
        }
        let mut file = tempfile::Builder::new().prefix("plan-").suffix(".md").tempfile()?;
        file.write_all(chosen.text.as_bytes())?;
        Ok(StoredPlan::Temporary(file))
    }
    fn path(&self) -> &Path {
        match self {
            StoredPlan::Own(path) => path,
            StoredPlan::Temporary(file) => file.path(),
        }
    }
}

/// The arguments of the rehearsing agent. It gets the plan as a file: running `implement` with a name would approve
/// it.
fn agent_args(plan: &Path, args: &RehearseArgs) -> Vec<OsString> {
    let mut list: Vec<OsString> = vec!["implement".into(), plan.into()];
    let fixed =
        ["--output-format", "json", "--permission-mode", "acceptEdits", "--strict-mcp-config", "--settings", SETTINGS];
    list.extend(fixed.map(OsString::from));
    list.extend(["--allowedTools", "Bash", "--disallowedTools", "WebFetch"].map(OsString::from));
    if let Some(model) = &args.model {
        list.extend(["--model".into(), model.into()]);
    }
    if let Some(turns) = args.max_turns {
        list.extend(["--max-turns".into(), turns.to_string().into()]);
    }
    if let Some(budget) = args.max_budget_usd {
        list.extend(["--max-budget-usd".into(), budget.to_string().into()]);
    }
    list
}

/// What would have been asked, and what the layer has that is never applied.
fn denied_calls(result: &Value, refused: &[String], stopped: Option<&'static str>) -> Vec<Value> {
    let calls = result.get("permission_denials").and_then(Value::as_array).cloned().unwrap_or_default();
    let call = |call: Value| {
        let input = &call["tool_input"];
        let text =
            ["command", "file_path", "url"].iter().find_map(|field| input.get(field)?.as_str().map(str::to_string));
        json!({"tool": call["tool_name"], "text": text.unwrap_or_else(|| input.to_string())})
    };
    let layer = refused.iter().map(|text| json!({"tool": "layer", "text": text}));
    let stopped = stopped.map(|text| json!({"tool": "layer", "text": text}));
    calls.into_iter().map(call).chain(layer).chain(stopped).collect()
}

impl Rehearsal {
    /// Applies exactly what was shown, or nothing.
    fn apply(&mut self, layer: &KeptLayer, root: &Path, home: &Path, changes: &[LayerChange], stale: &[PathBuf]) {
        if self.stale {
            let names: Vec<String> = stale.iter().map(|path| path.display().to_string()).collect();
            let names = sanitize(&names.join(", ")).into_owned();
            eprintln!("cutonce: nothing was applied, because these files changed in the workspace meanwhile: {names}");
            return;
        }
        let (upper, journals) = (layer.upper(), journals_folder(home));
        let place = ApplyPlace { upper: &upper, root, journals: &journals, durable: true };
        match FileAccess::new(Arc::new(NoVersions)).apply_layer(place, changes) {
            Ok(()) => self.applied = true,
            Err(error) => {
                self.stale = true;
                eprintln!("cutonce: {}", sanitize(&error.to_string()));
            }
        }
    }

    fn exit_code(&self) -> u8 {
        match () {
            () if !self.passed => DRIFTED,
            () if self.stale => STALE,
            () => SUCCESS,
        }
    }

    fn to_json(&self) -> Value {
        let kind = |kind| match kind {
            DiffedKind::New => "new",
            DiffedKind::Change => "change",
            DiffedKind::Delete => "delete",
        };
        let files = self.diff.files.iter();
        let files: Vec<Value> = files
            .map(|file| json!({"path": file.path, "kind": kind(file.kind), "added": file.added, "removed": file.removed}))
            .collect();
        json!({
            "plan": self.plan,
            "base": {"commit": self.base.commit, "dirty": self.base.dirty},
            "diff": self.diff.text,
            "diffSha256": sha256_hex(&self.diff.text),
            "files": files,
            "report": self.report,
            "denied": self.denied,
            "applied": self.applied,
            "costUsd": self.cost,
            "seconds": self.seconds,
        })
    }

    /// Prints the diff, the report and what was denied.
    fn print(&self) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        write!(out, "{}", sanitize(&self.diff.text))?;
        if let Ok(report) = serde_json::from_value::<PlanReport>(self.report.clone()) {
            writeln!(out, "\n{}", sanitize(report.text().trim_end()))?;
        }
        for denied in &self.denied {
            let of = |field: &str| denied[field].as_str().unwrap_or_default().to_string();
            writeln!(out, "denied: {}: {}", sanitize(&of("tool")), sanitize(&of("text")))?;
        }
        let added: usize = self.diff.files.iter().map(|file| file.added).sum();
        let removed: usize = self.diff.files.iter().map(|file| file.removed).sum();
        let what = match (self.applied, self.passed) {
            (true, _) => "applied",
            (false, true) => "not applied",
            (false, false) => "not applied: not all checks passed",
        };
        let count = self.diff.files.len();
        let noun = if count == 1 { "file" } else { "files" };
        writeln!(out, "\n{count} {noun} changed, +{added} -{removed} ({what})")?;
        Ok(())
    }
}
