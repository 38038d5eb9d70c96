//! All plans of all sessions and projects, for `cutonce plans`: those in work, those submitted, and those whose file is
//! gone but whose revisions are not.

use super::{PlanError, Revisions, file, plans_home, reserved, revisions};
use cutonce_core::plan::{self, Found, Outcome, Status};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A plan as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedPlan {
    /// Its name.
    pub slug: String,
    /// Its first heading.
    pub title: String,
    /// How far it is.
    pub status: Status,
    /// The last one that was submitted; 0: none was.
    pub revision: u32,
    /// The last one that was approved: still there, whatever the plan file holds by now (PM-46).
    pub approved: Option<u32>,
    /// Of the plan file, or of the last revision where the file is gone.
    pub sha256: Option<String>,
    /// The last change or submission (RFC 3339).
    pub time: String,
    /// The folder it is for.
    pub project: Option<String>,
    /// The session that made it.
    pub session: Option<String>,
    /// Its file.
    pub path: PathBuf,
    /// The plan file is there and holds a plan.
    pub exists: bool,
    /// Why the file can't be read, if it can't.
    pub unreadable: Option<String>,
}

/// All plans, the latest first.
pub fn list(home: &Path) -> Vec<ListedPlan> {
    let mut plans: Vec<ListedPlan> = names(home).iter().filter_map(|slug| find(home, slug)).collect();
    plans.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.slug.cmp(&b.slug)));
    plans
}

/// The plan of this name. A name that is only reserved is no plan yet.
/// This text was approved outside of any dialog, by running it: it becomes an approved revision of the plan.
pub fn approve(home: &Path, slug: &str, text: &str) -> Result<(), PlanError> {
    let known = find(home, slug);
    let (project, session) = known.map_or((None, None), |plan| (plan.project, plan.session));
    let revisions = Revisions::of(home, slug);
    let revision = revisions.submit(text, &project.unwrap_or_default(), &session.unwrap_or_default())?;
    revisions.settle(revision.number, Outcome::Approved).map(|_| ())
}

/// The plan of this name.
pub fn find(home: &Path, slug: &str) -> Option<ListedPlan> {
    if !plan::is_name(slug) {
        return None;
    }
    let record = reserved::of(home, slug);
    let path = match &record {
        Some(record) if !record.path.is_empty() => PathBuf::from(&record.path),
        Some(_) | None => plans_home(home).join(plan::file_name(slug)),
    };
    let index = Revisions::of(home, slug).index();
    let (found, last) = (file::read(&path), index.last());
    if found == Found::Nothing && last.is_none() {
        return None;
    }
    let exists = found.text().is_some();
    let sha256 = found.sha256().or_else(|| last.map(|last| last.sha256.clone()));
    let title = found.text().and_then(plan::title).or_else(|| last.map(|last| last.title.clone()));
    let told = |text: &str| Some(text.to_string()).filter(|text| !text.is_empty());
    let of_last = |part: fn(&plan::Revision) -> &String| last.and_then(|last| told(part(last)));
    let of_record = |part: fn(&reserved::Reserved) -> &String| record.as_ref().and_then(|record| told(part(record)));
    let times = [
        modified(&path).filter(|_| found != Found::Nothing),
        of_last(|last| &last.time),
        of_record(|record| &record.time),
    ];
    Some(ListedPlan {
        slug: slug.to_string(),
        title: title.unwrap_or_default(),
        status: index.status(sha256.as_deref()),
        revision: last.map_or(0, |last| last.number),
        approved: index.approved().map(|revision| revision.number),
        sha256,
        time: times.into_iter().flatten().max().unwrap_or_default(),
        project: of_record(|record| &record.project).or_else(|| of_last(|last| &last.project)),
        session: of_record(|record| &record.session).or_else(|| of_last(|last| &last.session)),
        exists,
        unreadable: match found {
            Found::Unreadable(why) => Some(why),
            Found::Nothing | Found::Plan(_) => None,
        },
        path,
    })
}

/// Removes the plan file, its subagents' files, its revisions and its name. Nobody may be working on it.
pub fn remove(home: &Path, slug: &str) -> Result<(), PlanError> {
    let Some(listed) = find(home, slug) else { return Ok(()) };
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |error| PlanError::io("remove the plan", &path, error)
    };
    for file in agent_files(&listed.path, slug).into_iter().chain([listed.path.clone()]) {
        file::gone(std::fs::remove_file(&file)).map_err(failed(&file))?;
    }
    Revisions::of(home, slug).remove().map_err(failed(&Revisions::folder(home, slug)))?;
    reserved::remove(home, slug).map_err(failed(&plans_home(home)))
}

fn names(home: &Path) -> BTreeSet<String> {
    let known: BTreeSet<String> = reserved::all(home).into_iter().chain(revisions::all(home)).collect();
    let files = stems(&plans_home(home)).into_iter();
    let of_agent = |name: &str| name.rmatch_indices("-agent-").any(|(at, _)| known.contains(&name[..at]));
    let loose: Vec<String> = files.filter(|name| plan::is_name(name) && !of_agent(name)).collect();
    known.into_iter().chain(loose).collect()
}

fn agent_files(path: &Path, slug: &str) -> Vec<PathBuf> {
    let Some(folder) = path.parent() else { return Vec::new() };
    let own = format!("{slug}-agent-");
    let agents = stems(folder).into_iter().filter(|name| name.starts_with(&own));
    agents.map(|name| folder.join(plan::file_name(&name))).collect()
}

fn stems(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(|name| name.strip_suffix(".md").map(str::to_string)).collect()
}

fn modified(path: &Path) -> Option<String> {
    let time = path.symlink_metadata().ok()?.modified().ok()?;
    jiff::Timestamp::try_from(time).ok().map(|time| format!("{time:.3}"))
}
