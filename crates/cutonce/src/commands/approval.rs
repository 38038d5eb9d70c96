//! The plan that `cutonce implement` approves: found by name or file, and bound to its hash (PM-84).

use crate::start;
use anyhow::Context;
use cutonce_agent::config::{self, MANAGED_FILE, SettingsPaths};
use cutonce_agent::plan;
use cutonce_agent::storage::paths::user_home;
use cutonce_core::plan::{PlanContent, PlanFreshness, is_plan_name, sha256_hex};
use cutonce_core::protocol::submission::ImplementRequest;
use cutonce_core::settings::plan::{PlanLint, PlanSettings};
use cutonce_core::text::sanitize::sanitize;
use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;

/// The plan to implement and its path.
#[derive(Debug)]
pub struct ChosenPlan {
    pub text: String,
    pub path: String,
    /// Plan name, if cutonce wrote the plan.
    pub slug: Option<String>,
    /// The planned files when the plan was read (PC-13).
    stamp: BTreeMap<String, Option<String>>,
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

/// The hash that an approval names.
#[cfg(feature = "nats")]
pub fn text_hash(text: &str) -> String {
    sha256_hex(text)
}

/// Different approvers that the settings ask for (FL-2).
#[cfg(feature = "nats")]
pub fn required_approvers(settings: &cutonce_core::settings::Settings) -> u32 {
    settings.plan.quorum.max(1)
}

impl ChosenPlan {
    fn new(text: String, path: &Path, slug: Option<String>) -> anyhow::Result<ChosenPlan> {
        let stamp = plan::stamp_plan(&std::env::current_dir()?, &text);
        Ok(ChosenPlan { text, path: path.display().to_string(), slug, stamp })
    }

    /// Records the approval of this revision, so that `cutonce plans` shows it.
    pub fn approve(self) -> anyhow::Result<ImplementRequest> {
        let ChosenPlan { text, path, slug, stamp } = self;
        let revision = match slug {
            Some(slug) => {
                let number = plan::record_approval(&start::home_dir()?, &slug, &text)?;
                Some((slug, number))
            }
            None => None,
        };
        Ok(ImplementRequest { text, path, revision, stamp })
    }

    /// The name of a plan of ours that was given by its file: it has revisions.
    fn own_slug(&self, home: &Path) -> Option<String> {
        let slug = Path::new(&self.path).file_stem()?.to_str().filter(|stem| is_plan_name(stem))?;
        let listed = plan::find_plan(home, slug)?.path.canonicalize().ok()?;
        (listed == Path::new(&self.path)).then(|| slug.to_string())
    }

    /// Compares the files that the plan names with their state at its submission (PC-13). False if the plan is stale
    /// and no one wants it anyway.
    pub fn confirm_fresh(&self, headless: bool) -> anyhow::Result<bool> {
        let root = std::env::current_dir()?;
        let home = start::home_dir()?;
        let Some(slug) = &self.slug.clone().or_else(|| self.own_slug(&home)) else { return Ok(true) };
        let Some(contract) = plan::read_contract(&root, &self.text, PlanLint::Off) else { return Ok(true) };
        let revisions = plan::PlanRevisions::for_plan(&home, slug);
        let Some(stale) = revisions.freshness(&root, &self.text, &contract).filter(PlanFreshness::is_stale) else {
            return Ok(true);
        };
        for file in &stale.files {
            eprintln!("cutonce: {} changed under step {}", sanitize(&file.path), sanitize(&file.step));
            file.diff.iter().flat_map(|diff| diff.lines()).for_each(|line| eprintln!("  {}", sanitize(line)));
        }
        if headless {
            eprintln!("cutonce: the plan {slug} is stale; plan again, or use --allow-stale");
            return Ok(false);
        }
        eprint!("Implement the plan anyway? [y/N] ");
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }
}

/// The plan settings that apply in the current folder, for commands without a session.
pub fn plan_settings(home: &Path) -> anyhow::Result<PlanSettings> {
    let user_home = user_home(&|name| std::env::var_os(name));
    let (home, project) = (home.to_path_buf(), start::current_dir()?);
    let places = SettingsPaths { managed: MANAGED_FILE.into(), home, user_home, project, managed_flag: None };
    Ok(config::load_settings(&places, None).settings.plan)
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
        return ChosenPlan::new(text, &listed.path, Some(what.to_string()));
    }
    let path = Path::new(what);
    let bytes = std::fs::read(path)
        .with_context(|| format!("{what} is neither a plan (see `cutonce plans list`) nor a readable file"))?;
    match PlanContent::from_bytes(Some(bytes)) {
        PlanContent::Text(text) => ChosenPlan::new(text, &path.canonicalize()?, None),
        PlanContent::Missing => anyhow::bail!("{what} is empty"),
        PlanContent::Unreadable(why) => anyhow::bail!("can't read {what} as a plan: {why}"),
    }
}
