//! `cutonce implement PLAN|FILE`: starts a new conversation from a plan. Running it approves exactly that
//! text (PM-76, PM-84).

use crate::cli::args::{ImplementArgs, OutputFormat, RunFlags};
use crate::cli::usage::{UsageError, require_persistence, validate_flags};
use crate::frontends::print::{self, FirstInput};
use crate::frontends::{is_terminal, plain, terminal};
use crate::start;
use anyhow::Context;
use cutonce_agent::Approver;
use cutonce_agent::plan;
use cutonce_core::plan::{PlanContent, is_plan_name, sha256_hex};
use std::path::Path;

pub async fn run(args: ImplementArgs) -> anyhow::Result<u8> {
    let Some(what) = args.run.prompt.clone() else {
        return Err(UsageError(
            "no plan given: pass a plan name or a file; `cutonce plans list` lists the plans".into(),
        )
        .into());
    };
    let chosen = choose_plan(&what, args.sha256.as_deref())?;
    let run = validate_flags(RunFlags { prompt: None, ..args.run })?;
    let headless = run.print || run.output_format != OutputFormat::Text || !is_terminal();
    let run = if headless { run } else { require_persistence(run)? };
    if !headless && terminal::is_usable(&run) {
        chosen.record_approval()?;
        return terminal::run(run, Some(FirstInput::Implement { plan: chosen.plan, path: chosen.path })).await;
    }
    let approver = if headless { Approver::Nobody } else { Approver::Present };
    let started = start::open_session(&run, start::FrontendOptions { approver }).await?;
    chosen.record_approval()?;
    let first = FirstInput::Implement { plan: chosen.plan, path: chosen.path };
    if headless {
        print::run(started, Some(first), print::print_options(&run)).await
    } else {
        plain::run_plain(started, Some(first), run).await
    }
}

/// The plan to implement and its path.
#[derive(Debug)]
pub struct ChosenPlan {
    pub plan: String,
    pub path: String,
    /// Plan name, if cutonce wrote the plan.
    slug: Option<String>,
}

/// Finds the plan and checks it against the hash that the user approved, if given.
fn choose_plan(what: &str, sha256: Option<&str>) -> anyhow::Result<ChosenPlan> {
    let chosen = find_plan(what)?;
    let is = sha256_hex(&chosen.plan);
    if let Some(wanted) = sha256
        && !wanted.trim().eq_ignore_ascii_case(&is)
    {
        anyhow::bail!(
            "the plan {} differs from the approved one: its SHA-256 is {is}, expected {}; inspect it with `cutonce plans show`",
            chosen.path,
            wanted.trim()
        );
    }
    Ok(chosen)
}

impl ChosenPlan {
    /// Records the approval of this revision, so that `cutonce plans` shows it.
    pub fn record_approval(&self) -> anyhow::Result<()> {
        match &self.slug {
            Some(slug) => plan::record_approval(&start::home_dir()?, slug, &self.plan).map_err(Into::into),
            None => Ok(()),
        }
    }
}

fn find_plan(what: &str) -> anyhow::Result<ChosenPlan> {
    let home = start::home_dir()?;
    if is_plan_name(what)
        && let Some(listed) = plan::find_plan(&home, what)
    {
        let plan = match plan::read_plan(&listed.path) {
            PlanContent::Text(text) => text,
            PlanContent::Unreadable(why) => anyhow::bail!("can't read the plan {}: {why}", listed.path.display()),
            PlanContent::Missing if listed.revision > 0 => {
                plan::PlanRevisions::for_plan(&home, what).text(listed.revision)?
            }
            PlanContent::Missing => anyhow::bail!("the plan {what} is empty"),
        };
        return Ok(ChosenPlan { plan, path: listed.path.display().to_string(), slug: Some(what.to_string()) });
    }
    let path = Path::new(what);
    let bytes = std::fs::read(path)
        .with_context(|| format!("{what} is neither a plan (see `cutonce plans list`) nor a readable file"))?;
    match PlanContent::from_bytes(Some(bytes)) {
        PlanContent::Text(plan) => {
            Ok(ChosenPlan { plan, path: path.canonicalize()?.display().to_string(), slug: None })
        }
        PlanContent::Missing => anyhow::bail!("{what} is empty"),
        PlanContent::Unreadable(why) => anyhow::bail!("can't read {what} as a plan: {why}"),
    }
}
