//! Lists the plans of all sessions and projects for `cutonce plans`, including plans whose file is gone but whose
//! revisions remain.

use super::{PlanError, PlanRevisions, file, name_reservation, plans_home, revisions};
use crate::storage::{ProjectSessions, SessionLock, find_session, transcript_session_id};
use cutonce_core::plan::progress::StepState;
use cutonce_core::plan::report::{PlanReport, ReportedStep};
use cutonce_core::plan::{self, PlanContent, PlanStatus, RevisionOutcome};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Reports that an estimate reads.
const MAX_REPORTS: usize = 20;
/// Plans of all projects among which it looks for them.
const MAX_HISTORY: usize = 200;

/// A plan, as listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedPlan {
    /// The plan's name.
    pub slug: String,
    /// The first heading.
    pub title: String,
    /// The plan's status.
    pub status: PlanStatus,
    /// The last submitted revision; 0 if none.
    pub revision: u32,
    /// The last approved revision, which remains whatever the plan file contains (PM-46).
    pub approved: Option<u32>,
    /// Hash of the plan file, or of the last revision if the file is gone.
    pub sha256: Option<String>,
    /// The last change or submission (RFC 3339).
    pub time: String,
    /// The project folder.
    pub project: Option<String>,
    /// The session that created it.
    pub session: Option<String>,
    /// The plan file's path.
    pub path: PathBuf,
    /// Whether the plan file exists and contains a plan.
    pub exists: bool,
    /// Why the file can't be read.
    pub unreadable: Option<String>,
    /// How far the last implementation came; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<ListedProgress>,
}

/// Progress of a plan's last implementation, from its report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ListedProgress {
    /// Approved steps that are checked, or changed if they have no checks.
    pub done: usize,
    /// Approved steps.
    pub steps: usize,
    /// Whether the implementation differs from the plan.
    pub drift: bool,
}

impl ListedPlan {
    /// Status, revision and progress in a few words.
    pub fn describe_state(&self) -> String {
        let revision = if self.revision > 0 { format!(" r{}", self.revision) } else { String::new() };
        let progress = self.progress.map(|progress| {
            let drift = if progress.drift { ", drift" } else { "" };
            format!(" {}/{} steps{drift}", progress.done, progress.steps)
        });
        format!("{}{revision}{}", self.status.name(), progress.unwrap_or_default())
    }
}

/// Lists all plans, latest first.
pub fn list_plans(home: &Path) -> Vec<ListedPlan> {
    let mut plans: Vec<ListedPlan> = plan_names(home).iter().filter_map(|slug| find_plan(home, slug)).collect();
    plans.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.slug.cmp(&b.slug)));
    plans
}

/// Lists all plans, those of `project` first, else latest first (PC-41).
pub fn list_plans_for(home: &Path, project: &Path) -> Vec<ListedPlan> {
    let mut plans = list_plans(home);
    let here = project.to_string_lossy();
    plans.sort_by_key(|plan| plan.project.as_deref() != Some(&*here));
    plans
}

/// The plan that a user means by a name, or by a number in this list. A wrong one is returned as typed.
pub fn nth_or_named(plans: &[ListedPlan], typed: &str) -> String {
    let nth = typed.parse::<usize>().ok().and_then(|number| plans.get(number.checked_sub(1)?));
    nth.map_or_else(|| typed.to_string(), |plan| plan.slug.clone())
}

/// Sets a plan aside until it is submitted again (PC-41).
pub fn park_plan(home: &Path, slug: &str) -> Result<(), PlanError> {
    find_plan(home, slug).ok_or_else(|| PlanError::Unknown(slug.to_string()))?;
    PlanRevisions::for_plan(home, slug).park()
}

/// Deletes a plan that no session uses. `session` is the caller's own (PC-41).
pub fn delete_plan(home: &Path, slug: &str, session: Option<&str>) -> Result<(), PlanError> {
    let plan = find_plan(home, slug).ok_or_else(|| PlanError::Unknown(slug.to_string()))?;
    let in_use = |session: &str| PlanError::InUse { slug: slug.to_string(), session: session.to_string() };
    // Keeps the session locked until everything is removed, so that it can't be opened meanwhile.
    let _lock = match plan.session.as_deref() {
        Some(owner) if Some(owner) == session => return Err(in_use(owner)),
        Some(owner) => {
            let sessions = ProjectSessions::new(home, plan.project.as_deref().unwrap_or("/"));
            let found = find_session(&sessions, owner).ok().filter(|path| transcript_session_id(path) == owner);
            found.map(|path| SessionLock::acquire(&path)).transpose().map_err(|_| in_use(owner))?
        }
        None => None,
    };
    remove_plan(home, slug)
}

/// Stores a text as an approved revision, because the user approved it by running it.
pub fn record_approval(home: &Path, slug: &str, text: &str) -> Result<u32, PlanError> {
    let known = find_plan(home, slug);
    let (project, session) = known.map_or((None, None), |plan| (plan.project, plan.session));
    let revisions = PlanRevisions::for_plan(home, slug);
    let revision = revisions.submit(text, &project.unwrap_or_default(), &session.unwrap_or_default())?;
    revisions.record_outcome(revision.number, RevisionOutcome::Approved).map(|revision| revision.number)
}

/// Finds a plan by name. A name that is only reserved is not a plan yet.
pub fn find_plan(home: &Path, slug: &str) -> Option<ListedPlan> {
    if !plan::is_plan_name(slug) {
        return None;
    }
    let record = name_reservation::read_reservation(home, slug);
    let path = match &record {
        Some(record) if !record.path.is_empty() => PathBuf::from(&record.path),
        Some(_) | None => plans_home(home).join(plan::plan_file_name(slug)),
    };
    let index = PlanRevisions::for_plan(home, slug).index();
    let (found, last) = (file::read_plan(&path), index.last());
    if found == PlanContent::Missing && last.is_none() {
        return None;
    }
    let exists = found.text().is_some();
    let sha256 = found.sha256().or_else(|| last.map(|last| last.sha256.clone()));
    let title = found.text().and_then(plan::plan_title).or_else(|| last.map(|last| last.title.clone()));
    let told = |text: &str| Some(text.to_string()).filter(|text| !text.is_empty());
    let of_last = |part: fn(&plan::Revision) -> &String| last.and_then(|last| told(part(last)));
    let of_record =
        |part: fn(&name_reservation::NameReservation) -> &String| record.as_ref().and_then(|record| told(part(record)));
    let times = [
        modification_time(&path).filter(|_| found != PlanContent::Missing),
        of_last(|last| &last.time),
        of_record(|record| &record.time),
    ];
    Some(ListedPlan {
        slug: slug.to_string(),
        title: title.unwrap_or_default(),
        status: index.status(sha256.as_deref()),
        revision: last.map_or(0, |last| last.number),
        approved: index.last_approved().map(|revision| revision.number),
        sha256,
        time: times.into_iter().flatten().max().unwrap_or_default(),
        project: of_record(|record| &record.project).or_else(|| of_last(|last| &last.project)),
        session: of_record(|record| &record.session).or_else(|| of_last(|last| &last.session)),
        exists,
        unreadable: match found {
            PlanContent::Unreadable(why) => Some(why),
            PlanContent::Missing | PlanContent::Text(_) => None,
        },
        path,
        progress: report_progress(&PlanRevisions::for_plan(home, slug)),
    })
}

fn report_progress(revisions: &PlanRevisions) -> Option<ListedProgress> {
    let report = revisions.report().ok().flatten()?;
    let wanted = report.steps.iter().filter(|step| !matches!(step.state, StepState::Parked | StepState::Dropped));
    let wanted = wanted.filter(|step| !report.is_unobservable(step));
    let done = |step: &&ReportedStep| matches!(step.state, StepState::Checked | StepState::Changed);
    let (done, steps) = (wanted.clone().filter(done).count(), wanted.count());
    // Nothing can be said about a plan without files and checks, except that nothing was done.
    (steps > 0 || report.drift).then_some(ListedProgress { done, steps, drift: report.drift })
}

/// The newest reports of a project's plans. Those that can't be read are left out.
pub(super) fn recent_reports(home: &Path, project: &str) -> Vec<PlanReport> {
    let all = revisions::submitted_names(home).into_iter().map(|slug| PlanRevisions::for_plan(home, &slug));
    let mut reported: Vec<_> = all.filter_map(|plan| Some((plan.reported_at()?, plan))).collect();
    reported.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    let plans = reported.into_iter().take(MAX_HISTORY).map(|(_, plan)| plan);
    let ours = plans.filter(|plan| plan.index().last().is_some_and(|last| last.project == project));
    ours.take(MAX_REPORTS).filter_map(|plan| plan.report().ok().flatten()).collect()
}

/// Deletes the plan file, its subagents' files, its revisions and its name. No session may be using it.
pub fn remove_plan(home: &Path, slug: &str) -> Result<(), PlanError> {
    let Some(listed) = find_plan(home, slug) else { return Ok(()) };
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |error| PlanError::from_io("remove the plan", &path, error)
    };
    for file in agent_files(&listed.path, slug).into_iter().chain([listed.path.clone()]) {
        file::ignore_missing(std::fs::remove_file(&file)).map_err(failed(&file))?;
    }
    PlanRevisions::for_plan(home, slug).remove().map_err(failed(&PlanRevisions::folder(home, slug)))?;
    name_reservation::remove_reservation(home, slug).map_err(failed(&plans_home(home)))
}

fn plan_names(home: &Path) -> BTreeSet<String> {
    let known: BTreeSet<String> =
        name_reservation::reserved_names(home).into_iter().chain(revisions::submitted_names(home)).collect();
    let files = file_stems(&plans_home(home)).into_iter();
    let of_agent = |name: &str| name.rmatch_indices("-agent-").any(|(at, _)| known.contains(&name[..at]));
    let loose: Vec<String> = files.filter(|name| plan::is_plan_name(name) && !of_agent(name)).collect();
    known.into_iter().chain(loose).collect()
}

fn agent_files(path: &Path, slug: &str) -> Vec<PathBuf> {
    let Some(folder) = path.parent() else { return Vec::new() };
    let own = format!("{slug}-agent-");
    let agents = file_stems(folder).into_iter().filter(|name| name.starts_with(&own));
    agents.map(|name| folder.join(plan::plan_file_name(&name))).collect()
}

fn file_stems(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(|name| name.strip_suffix(".md").map(str::to_string)).collect()
}

fn modification_time(path: &Path) -> Option<String> {
    let time = path.symlink_metadata().ok()?.modified().ok()?;
    jiff::Timestamp::try_from(time).ok().map(|time| format!("{time:.3}"))
}
