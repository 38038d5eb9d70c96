//! `cutonce rehearsals`: rehearsals that were kept by name (RH-5): lists, shows, applies and discards them.

use super::{RunRehearsal, sanitize};
use crate::cli::args::{RehearsalsArgs, RehearsalsCommand};
use crate::start;
use anyhow::ensure;
use cutonce_agent::plan::rehearsal::{KeptRehearsal, discard_kept, list_kept, open_kept};
use cutonce_core::exit_code::SUCCESS;
use cutonce_core::plan::rehearsal::RehearsalChoice;
use cutonce_core::text::number::count_noun;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};

const DAY: u64 = 24 * 60 * 60;

pub fn run(args: RehearsalsArgs) -> anyhow::Result<u8> {
    let home = start::home_dir()?;
    match args.command.unwrap_or(RehearsalsCommand::List { json: false }) {
        RehearsalsCommand::List { json } => print_list(&home, json),
        RehearsalsCommand::Show { name, json } => show(&home, &name, json),
        RehearsalsCommand::Apply { name, without, json } => apply(&home, &name, without, json),
        RehearsalsCommand::Discard { name } => {
            discard_kept(&home, &name)?;
            eprintln!("discarded {name}; no file of the workspace changed");
            Ok(SUCCESS)
        }
    }
}

fn print_list(home: &Path, json: bool) -> anyhow::Result<u8> {
    let (kept, mut out) = (list_kept(home), std::io::stdout().lock());
    if kept.is_empty() && !json {
        eprintln!("No rehearsal is kept. `cutonce rehearse PLAN --keep NAME` keeps one, and so does s in the review.");
    }
    for one in &kept {
        match json {
            true => writeln!(out, "{}", listed_json(one))?,
            false => writeln!(out, "{}", sanitize(&listed_text(one)))?,
        }
    }
    Ok(SUCCESS)
}

fn listed_json(kept: &KeptRehearsal) -> serde_json::Value {
    let expires = kept.expires.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let (root, result) = (kept.root.to_string_lossy(), &kept.result);
    json!({
        "name": kept.name, "workspace": root, "plan": result.plan, "passed": kept.passed, "files": result.files,
        "diffSha256": result.diff_sha256, "costUsd": result.cost_usd, "expires": expires,
    })
}

fn listed_text(kept: &KeptRehearsal) -> String {
    let left = kept.expires.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO).as_secs().div_ceil(DAY);
    let left = count_noun(usize::try_from(left).unwrap_or(usize::MAX), "day");
    let plan = kept.result.plan.slug.as_deref().unwrap_or(&kept.result.plan.path);
    format!(
        "{}\n  plan {plan} in {}\n  {}; deleted in {left}",
        kept.name,
        kept.root.display(),
        kept.result.summary(kept.passed, &kept.checks)
    )
}

fn show(home: &Path, name: &str, json: bool) -> anyhow::Result<u8> {
    let rehearsal = RunRehearsal::new(open_kept(home, name)?);
    rehearsal.print_as(json)?;
    Ok(SUCCESS)
}

/// Applies exactly what was kept, or nothing.
fn apply(home: &Path, name: &str, without: Vec<String>, json: bool) -> anyhow::Result<u8> {
    let mut rehearsal = RunRehearsal::new(open_kept(home, name)?);
    let (here, root) = (start::current_dir()?.canonicalize()?, rehearsal.finished.root().to_path_buf());
    ensure!(here == root, "{name} is a rehearsal of {}; apply it there", root.display());
    rehearsal.apply(&RehearsalChoice { without, ..RehearsalChoice::default() });
    rehearsal.print_as(json)?;
    Ok(rehearsal.applied_code())
}
