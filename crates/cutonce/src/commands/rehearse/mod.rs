//! `cutonce rehearse PLAN|FILE`: carries a plan out on a layer over the workspace and shows the result (RH-6). The
//! workspace does not change, unless `--apply` is given and all checks passed.

mod child;
pub mod kept;
mod progress;

use crate::cli::args::{OutputFormat, RehearseArgs, RunFlags};
use crate::commands::approval::{self, ChosenPlan};
use crate::frontends::stop_signals::{END_GRACE, STOPPED_AT_START, StopSignals};
use crate::frontends::stream_json::frames::failed_start_frame;
use crate::start;
use anyhow::Context;
use child::ChildProgram;
use cutonce_agent::plan::rehearsal::{
    AgentNews, FinishedRehearsal, NotApplied, RehearsalBudget, RehearsalJob, check_keep, recover_applying,
    sweep_rehearsals,
};
use cutonce_agent::tools::disk::{FileAccess, VersionStore};
use cutonce_agent::tools::shell::changes::layers_folder;
use cutonce_agent::tools::shell::recover_protected;
use cutonce_core::exit_code::{DRIFTED, FAILED, STALE, SUCCESS};
use cutonce_core::plan::rehearsal::{RehearsalChoice, RehearsalResult, RehearsedPlan};
use cutonce_core::plan::sha256_hex;
use cutonce_core::text::number::count_noun;
use cutonce_core::text::sanitize::sanitize;
use cutonce_sandbox::sweep_layers;
use progress::RehearsalProgress;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub async fn run(args: RehearseArgs) -> anyhow::Result<u8> {
    let chosen = approval::choose(&args.plan, None)?;
    let home = start::home_dir()?;
    let limits = approval::plan_settings(&home)?.rehearsal;
    if let Some(name) = &args.keep {
        check_keep(&home, name, limits)?;
    }
    let mut rehearsal = match rehearse(&chosen, &args, &mut StopSignals::new()?).await? {
        Ok(rehearsal) => rehearsal,
        Err(code) => return report_stop(args.json, code),
    };
    rehearsal.print_as(args.json)?;
    if !args.json {
        rehearsal.report_next(&args.plan);
    }
    if let Some(name) = args.keep.as_deref().filter(|_| !rehearsal.result().applied) {
        rehearsal.finished.keep(name, limits).with_context(|| format!("the rehearsal is not kept as {name}"))?;
        eprintln!("kept: cutonce rehearsals apply {name}");
    }
    Ok(rehearsal.exit_code())
}

/// `cutonce plan --rehearse`: plans, then rehearses the plan.
pub async fn plan_and_rehearse(run: RunFlags) -> anyhow::Result<u8> {
    let mut planning = ChildProgram::this()?;
    planning.args = planning_args(std::env::args_os().skip(1));
    planning.stdin = child::piped_input()?;
    let mut signals = StopSignals::new()?;
    let json = run.output_format != OutputFormat::Text;
    let planned = match signals.or_stop(planning.run()).await {
        Ok(planned) => planned?,
        Err(code) => return report_stop(json, code),
    };
    let mut result: Value = planned.last_json().context("the planning run printed no result")?;
    let slug = result.get("slug").and_then(Value::as_str).map(str::to_string);
    let Some(slug) = slug.filter(|_| planned.code == SUCCESS) else {
        print_plan(&run, &result)?;
        return Ok(planned.code.max(1));
    };
    let (model, max_turns, max_budget_usd) = (run.model.clone(), run.max_turns, run.max_budget_usd);
    let verbose = run.verbose;
    let args = RehearseArgs { plan: slug, json, apply: false, keep: None, verbose, model, max_turns, max_budget_usd };
    let rehearsal = match rehearse(&approval::choose(&args.plan, None)?, &args, &mut signals).await? {
        Ok(rehearsal) => rehearsal,
        Err(code) => return report_stop(json, code),
    };
    if run.output_format == OutputFormat::Text {
        print_plan(&run, &result)?;
        rehearsal.print()?;
        rehearsal.report_next(&args.plan);
    } else {
        result["rehearsal"] = serde_json::to_value(rehearsal.result())?;
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

/// Notes about protected names that one start prints.
const MAX_NOTES: usize = 10;

/// Completes or undoes what a killed program began to apply here, renames protected names that its commands created,
/// and removes its layers.
pub fn clean_up_after_kill(home: &Path) {
    if let Ok(cwd) = start::current_dir() {
        recover_applying(home, &cwd).iter().for_each(|told| eprintln!("cutonce: {}", sanitize(told)));
    }
    let notes = recover_protected(home);
    for note in notes.iter().take(MAX_NOTES) {
        eprintln!("cutonce: {}", sanitize(note));
    }
    if notes.len() > MAX_NOTES {
        eprintln!("cutonce: {} more such names were renamed; their names end in .set-aside.", notes.len() - MAX_NOTES);
    }
    // What can't be removed now, the next start removes.
    let _ = (sweep_layers(&layers_folder(home)), sweep_rehearsals(home));
}

/// A rehearsal that ended, and what became of it.
struct RunRehearsal {
    finished: FinishedRehearsal,
    /// Why it was not applied, although that was wanted.
    refused: Option<NotApplied>,
    /// Files that were taken out of what was applied.
    taken_out: BTreeSet<String>,
}

/// Nothing undoes what `--apply` applied, except git.
struct UnstoredVersions;

impl VersionStore for UnstoredVersions {
    fn keep(&self, _path: &Path, _old: Option<&[u8]>) -> std::io::Result<()> {
        Ok(())
    }
}

/// Reports a signal that ended the run (DU-1).
fn report_stop(json: bool, code: u8) -> anyhow::Result<u8> {
    match json {
        true => writeln!(std::io::stdout().lock(), "{}", failed_start_frame("", STOPPED_AT_START))?,
        false => eprintln!("cutonce: interrupted; the rehearsal is gone and nothing was applied"),
    }
    Ok(code)
}

/// Carries the plan out. A signal cancels that, which removes the layer; the inner error is then its exit code.
async fn rehearse(
    chosen: &ChosenPlan,
    args: &RehearseArgs,
    signals: &mut StopSignals,
) -> anyhow::Result<Result<RunRehearsal, u8>> {
    let home = start::home_dir()?;
    let sha256 = sha256_hex(&chosen.text);
    let job = RehearsalJob {
        root: start::current_dir()?,
        limits: approval::plan_settings(&home)?.rehearsal,
        home,
        env: std::env::vars_os().collect(),
        plan: RehearsedPlan { slug: chosen.slug.clone(), sha256, path: chosen.path.clone() },
        text: chosen.text.clone(),
        step_ids: None,
        model: args.model.clone(),
        max_turns: args.max_turns,
        budget: args.max_budget_usd.map(|usd| RehearsalBudget { usd, source: "`--max-budget-usd`" }),
    };
    let progress = RehearsalProgress::new(args);
    let on_news = |news: AgentNews| {
        if let AgentNews::Called { text, calls } = news {
            progress.on_call(&text, calls);
        }
    };
    let cancel = CancellationToken::new();
    let mut work = std::pin::pin!(progress.follow(job.run(&cancel, &on_news)));
    let finished = match signals.or_stop(&mut work).await {
        Ok(finished) => finished?,
        Err(code) => {
            cancel.cancel();
            let _ = tokio::time::timeout(END_GRACE, work).await;
            return Ok(Err(code));
        }
    };
    if let Some(why) = &finished.result.failure {
        eprintln!("cutonce: the rehearsal failed: {}", sanitize(why));
    }
    let mut rehearsal = RunRehearsal::new(finished);
    if args.apply && rehearsal.finished.passed {
        rehearsal.apply(&RehearsalChoice::default());
    }
    Ok(Ok(rehearsal))
}

impl RunRehearsal {
    fn new(finished: FinishedRehearsal) -> RunRehearsal {
        RunRehearsal { finished, refused: None, taken_out: BTreeSet::new() }
    }

    fn result(&self) -> &RehearsalResult {
        &self.finished.result
    }

    /// Applies exactly what was shown, or nothing.
    fn apply(&mut self, choice: &RehearsalChoice) {
        let disk = FileAccess::new(Arc::new(UnstoredVersions));
        match self.finished.apply(&disk, choice) {
            Ok(out) => self.taken_out = out,
            Err(why) => {
                eprintln!("cutonce: {}", sanitize(&why.message()));
                self.refused = Some(why);
            }
        }
    }

    fn exit_code(&self) -> u8 {
        if self.finished.passed { self.applied_code() } else { DRIFTED }
    }

    fn applied_code(&self) -> u8 {
        match &self.refused {
            Some(why) if why.is_stale() => STALE,
            Some(_) => FAILED,
            None => SUCCESS,
        }
    }

    fn print_as(&self, json: bool) -> anyhow::Result<()> {
        match json {
            true => Ok(writeln!(std::io::stdout().lock(), "{}", serde_json::to_string(self.result())?)?),
            false => self.print(),
        }
    }

    /// Says on stderr which text was rehearsed and what to do next. `plan` is the name or file as the user gave it.
    fn report_next(&self, plan: &str) {
        let rehearsed = &self.result().plan;
        let next = match (self.result().applied, self.finished.passed, &rehearsed.slug) {
            (true, ..) => Some("git diff".to_string()),
            (false, true, _) => Some(format!("cutonce implement {plan} --sha256 {}", rehearsed.sha256)),
            (false, false, Some(slug)) => Some(format!("cutonce plans show {slug} --steps")),
            (false, false, None) => None,
        };
        let next = next.map(|next| format!("\nnext: {next}")).unwrap_or_default();
        let name = rehearsed.slug.as_deref().unwrap_or(plan);
        eprintln!("{}", sanitize(&format!("plan: {name}\nsha256: {}{next}", rehearsed.sha256)));
    }

    /// Prints the diff, the report and what was denied.
    fn print(&self) -> anyhow::Result<()> {
        let (mut out, result) = (std::io::stdout().lock(), self.result());
        write!(out, "{}", sanitize(&result.diff))?;
        if let Some(report) = &result.report {
            writeln!(out, "\n{}", sanitize(report.text().trim_end()))?;
        }
        for denied in &result.denied {
            writeln!(out, "denied: {}: {}", sanitize(&denied.tool), sanitize(&denied.text))?;
        }
        let added: usize = result.files.iter().map(|file| file.added).sum();
        let removed: usize = result.files.iter().map(|file| file.removed).sum();
        let without: Vec<&str> = self.taken_out.iter().map(String::as_str).collect();
        let what = match (result.applied, self.finished.passed) {
            (true, _) if without.is_empty() => "applied".to_string(),
            (true, _) => format!("applied without {}", sanitize(&without.join(", "))),
            (false, true) => "not applied".to_string(),
            (false, false) => "not applied: not all checks passed".to_string(),
        };
        let files = count_noun(result.files.len(), "file");
        writeln!(out, "\n{files} changed, +{added} -{removed} ({what})")?;
        Ok(())
    }
}
