//! `cutonce implement SLUG|FILE`: a fresh conversation from a plan. Running it is the approval of exactly that text (PM-76, PM-84).

use crate::start;
use anyhow::Context;
use cutonce_agent::plan_files;
use cutonce_core::plan::{self, Found};
use std::path::Path;

/// The plan to implement, and where it is.
#[derive(Debug)]
pub struct Chosen {
    pub plan: String,
    pub path: String,
    /// Its name, if it is one of ours.
    slug: Option<String>,
}

/// Find the plan and hold it against the hash that the person approved, if they gave one.
pub fn choose(what: &str, sha256: Option<&str>) -> anyhow::Result<Chosen> {
    let chosen = find(what)?;
    let is = plan::sha256(&chosen.plan);
    if let Some(wanted) = sha256
        && !wanted.trim().eq_ignore_ascii_case(&is)
    {
        anyhow::bail!(
            "the plan {} is not the one that was approved: its SHA-256 is {is}, expected {}; look at it with `cutonce plans show`",
            chosen.path,
            wanted.trim()
        );
    }
    Ok(chosen)
}

impl Chosen {
    /// Its revision is approved from now on: the list of plans says so.
    pub fn settle(&self) -> anyhow::Result<()> {
        match &self.slug {
            Some(slug) => plan_files::approve(&start::home()?, slug, &self.plan).map_err(Into::into),
            None => Ok(()),
        }
    }
}

fn find(what: &str) -> anyhow::Result<Chosen> {
    let home = start::home()?;
    if plan::is_name(what)
        && let Some(listed) = plan_files::find(&home, what)
    {
        let plan = match plan_files::read(&listed.path) {
            Found::Plan(text) => text,
            Found::Unreadable(why) => anyhow::bail!("the plan {} can't be read: {why}", listed.path.display()),
            Found::Nothing if listed.revision > 0 => plan_files::Revisions::of(&home, what).text(listed.revision)?,
            Found::Nothing => anyhow::bail!("the plan {what} is empty: nothing to implement"),
        };
        return Ok(Chosen { plan, path: listed.path.display().to_string(), slug: Some(what.to_string()) });
    }
    let path = Path::new(what);
    let bytes = std::fs::read(path)
        .with_context(|| format!("{what} is neither a plan (`cutonce plans list`) nor a file that can be read"))?;
    match Found::of(Some(bytes)) {
        Found::Plan(plan) => Ok(Chosen { plan, path: path.canonicalize()?.display().to_string(), slug: None }),
        Found::Nothing => anyhow::bail!("{what} is empty: nothing to implement"),
        Found::Unreadable(why) => anyhow::bail!("{what} can't be read as a plan: {why}"),
    }
}
