//! The plan of a session on disk (PM-40 to PM-51): its folder, name, file and all submitted revisions. Core defines
//! plans, names and revisions; this module only handles files.
//!
//! ```text
//! <home>/plans/<slug>.md               the plan, or <plansDirectory>/<slug>.md in the project
//! <home>/plans/.reserved/<slug>        JSON file that reserves the name, created before the plan
//! <home>/plans/.revisions/<slug>/      index.json, 0001.md, 0002.md, …
//! ```

mod editor;
mod facts;
mod file;
mod folder;
mod freshness;
mod list;
mod name_reservation;
pub mod rehearsal;
mod revisions;
pub(crate) mod workspace_diff;

pub use editor::open_in_editor;
pub use facts::read_contract;
pub use file::{PlanFile, read_plan};
pub use freshness::stamp_plan;
pub(crate) use freshness::{PlanStamp, PlannedContents, content_of};
pub use list::{
    ListedPlan, ListedProgress, delete_plan, find_plan, list_plans, list_plans_for, nth_or_named, park_plan,
    record_approval, remove_plan,
};
pub(crate) use name_reservation::NameReservation;
pub use revisions::PlanRevisions;

use cutonce_core::plan::{self, PlanContent};
use cutonce_core::settings::plan::PlanNaming;
use cutonce_tools::disk::FileError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a plan file or revision can't be used.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A file can't be used.
    #[error("can't {what}: {}: {source}", path.display())]
    Io {
        /// The failed operation.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The plan can't be written.
    #[error(transparent)]
    Disk(#[from] FileError),
    /// The name is not a valid plan name.
    #[error("invalid plan name {0:?}: use at most 100 lower-case letters, digits and `-`")]
    BadName(String),
    /// There is no such plan.
    #[error("no plan is called {0:?}; `cutonce plans list` lists them")]
    Unknown(String),
    /// The plan belongs to another session (PM-48).
    #[error("the plan {slug} belongs to session {session}, not to this one")]
    OtherSession {
        /// The plan's name.
        slug: String,
        /// The session that owns it.
        session: String,
    },
    /// A session uses the plan, so that it can't be deleted.
    #[error("{slug} is in use by session {session}; close that session, or work on another plan first")]
    InUse {
        /// The plan's name.
        slug: String,
        /// The session that uses it.
        session: String,
    },
    /// The revision does not exist.
    #[error("{slug} has no revision {number}; {}", describe_last(*last))]
    NoRevision {
        /// The plan's name.
        slug: String,
        /// The requested revision.
        number: u32,
        /// The latest revision.
        last: u32,
    },
    /// The revision's file was changed after the submission.
    #[error("revision {number} of {slug} is no longer what was submitted: its file was changed")]
    Altered {
        /// The plan's name.
        slug: String,
        /// The revision.
        number: u32,
    },
}

impl PlanError {
    fn from_io(what: &'static str, path: &Path, source: io::Error) -> Self {
        PlanError::Io { what, path: path.to_path_buf(), source }
    }
}

fn describe_last(last: u32) -> String {
    match last {
        0 => "it was never submitted".into(),
        1 => "the only one is 1".into(),
        last => format!("the last one is {last}"),
    }
}

/// Manages the plan files of one session.
#[derive(Debug, Clone)]
pub struct PlanFiles {
    home: PathBuf,
    project: PathBuf,
    session: String,
    names: PlanNaming,
    /// The plans folder, resolved. It may not exist yet.
    folder: PathBuf,
}

impl PlanFiles {
    /// `home` is the cutonce home, `directory` the setting `plansDirectory`. Returns a warning if the setting is
    /// invalid and the default folder is used instead (PM-40).
    pub fn new(
        home: &Path,
        project: &Path,
        session: &str,
        directory: Option<&str>,
        names: PlanNaming,
    ) -> (PlanFiles, Option<String>) {
        let (folder, warning) = folder::choose_folder(home, project, directory);
        if let Some(warning) = &warning {
            tracing::warn!("{warning}");
        }
        let files =
            PlanFiles { home: home.into(), project: project.into(), session: session.to_string(), names, folder };
        (files, warning)
    }

    /// The cutonce home.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// The plans folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// True if the plan is named after its task (PM-51).
    pub(crate) fn named_by_task(&self) -> bool {
        self.names == PlanNaming::Task
    }

    /// Reserves a unique name (PM-41, PM-51) without creating the plan file. `request` is the user's prompt, used for
    /// names of the kind `task`.
    pub fn reserve(&self, request: &str) -> Result<PlanFile, PlanError> {
        let reserve = |slug: &str| name_reservation::try_reserve(&self.home, slug, &self.reservation(slug));
        let slug = match self.names {
            PlanNaming::Words => plan::free_word_name(|| std::array::from_fn(|_| fastrand::u64(..)), reserve)?,
            PlanNaming::Task => plan::free_task_name(&jiff::Zoned::now().date().to_string(), request, reserve)?,
        };
        Ok(self.plan_file(&slug))
    }

    /// Reopens the plan of a resumed session by the name in its transcript (PM-48). Fails with [`PlanError::Others`]
    /// if the name belongs to another session; [`PlanFiles::fork`] then makes a copy.
    pub(crate) fn reopen(&self, slug: &str) -> Result<PlanFile, PlanError> {
        if !plan::is_plan_name(slug) {
            return Err(PlanError::BadName(slug.to_string()));
        }
        let record = self.reservation(slug);
        match name_reservation::read_reservation(&self.home, slug) {
            Some(known) if !known.session.is_empty() && known.session != self.session => {
                return Err(PlanError::OtherSession { slug: slug.to_string(), session: known.session });
            }
            Some(known) if known.path == record.path => {}
            Some(_) | None => name_reservation::write_reservation(&self.home, slug, &record)?,
        }
        Ok(self.plan_file(slug))
    }

    /// Copies the plan `from` to a new name; the original stays unchanged (PM-49). Also returns the original's
    /// content: if it is no plan, nothing was copied, and [`PlanFile::restore`] may restore it from the transcript.
    pub fn fork(&self, from: &str, request: &str) -> Result<(PlanFile, PlanContent), PlanError> {
        if !plan::is_plan_name(from) {
            return Err(PlanError::BadName(from.to_string()));
        }
        let original = name_reservation::read_reservation(&self.home, from).map(|known| PathBuf::from(known.path));
        let found = file::read_plan(&original.unwrap_or_else(|| self.folder.join(plan::plan_file_name(from))));
        let copy = self.reserve(request)?;
        if let PlanContent::Text(text) = &found {
            copy.write(text)?;
        }
        Ok((copy, found))
    }

    fn plan_file(&self, slug: &str) -> PlanFile {
        PlanFile::new(&self.home, slug, &self.project, &self.session, self.folder.join(plan::plan_file_name(slug)))
    }

    fn reservation(&self, slug: &str) -> NameReservation {
        NameReservation {
            path: self.folder.join(plan::plan_file_name(slug)).to_string_lossy().into_owned(),
            project: self.project.to_string_lossy().into_owned(),
            session: self.session.clone(),
            time: crate::timestamp(),
        }
    }
}

/// The plans folder in the cutonce home, with the names and revisions of all plans.
fn plans_home(home: &Path) -> PathBuf {
    home.join("plans")
}

#[cfg(test)]
mod tests;
