//! The plan that `cutonce implement` approves: found by name or file, and bound to its hash (PM-84).

use crate::start;
use anyhow::Context;
use cutonce_agent::plan;
use cutonce_core::plan::{PlanContent, is_plan_name, sha256_hex};
use std::path::Path;

/// The plan to implement and its path.
#[derive(Debug)]
pub struct ChosenPlan {
    pub text: String,
    pub path: String,
    /// Plan name, if cutonce wrote the plan.
    pub slug: Option<String>,
}

/// Finds the plan and checks it against the hash that the user approved, if given.
pub fn choose(what: &str, sha256: Option<&str>) -> anyhow::Result<ChosenPlan> {
    let chosen = find_plan(what)?;
    let is = sha256_hex(&chosen.text);
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
            Some(slug) => plan::record_approval(&start::home_dir()?, slug, &self.text).map_err(Into::into),
            None => Ok(()),
        }
    }
}

fn find_plan(what: &str) -> anyhow::Result<ChosenPlan> {
    let home = start::home_dir()?;
    if is_plan_name(what)
        && let Some(listed) = plan::find_plan(&home, what)
    {
        let text = match plan::read_plan(&listed.path) {
            PlanContent::Text(text) => text,
            PlanContent::Unreadable(why) => anyhow::bail!("can't read the plan {}: {why}", listed.path.display()),
            PlanContent::Missing if listed.revision > 0 => {
                plan::PlanRevisions::for_plan(&home, what).text(listed.revision)?
            }
            PlanContent::Missing => anyhow::bail!("the plan {what} is empty"),
        };
        return Ok(ChosenPlan { text, path: listed.path.display().to_string(), slug: Some(what.to_string()) });
    }
    let path = Path::new(what);
    let bytes = std::fs::read(path)
        .with_context(|| format!("{what} is neither a plan (see `cutonce plans list`) nor a readable file"))?;
    match PlanContent::from_bytes(Some(bytes)) {
        PlanContent::Text(text) => {
            Ok(ChosenPlan { text, path: path.canonicalize()?.display().to_string(), slug: None })
        }
        PlanContent::Missing => anyhow::bail!("{what} is empty"),
        PlanContent::Unreadable(why) => anyhow::bail!("can't read {what} as a plan: {why}"),
    }
}
