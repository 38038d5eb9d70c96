//! The plan of a session on disk (PM-40 to PM-51): which folder, which name, which file, and every version that was
//! submitted. What a plan is, and what its names and revisions mean, is in core; here are only files.
//!
//! ```text
//! <home>/plans/<slug>.md               the plan, or <plansDirectory>/<slug>.md in the project
//! <home>/plans/.reserved/<slug>        whose name it is: one small JSON file, made before the plan is
//! <home>/plans/.revisions/<slug>/      index.json, 0001.md, 0002.md, …
//! ```

mod file;
mod folder;
mod list;
mod reserved;
mod revisions;

pub use file::{PlanFile, read};
pub use list::{ListedPlan, approve, find, list, remove};
pub(crate) use reserved::Reserved;
pub use revisions::Revisions;

use cutonce_core::plan::{self, Found};
use cutonce_core::settings::plan::Names;
use cutonce_tools::disk::DiskError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a plan file or a revision of it can't be had.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A file can't be used.
    #[error("can't {what}: {}: {source}", path.display())]
    Io {
        /// What was to be done.
        what: &'static str,
        /// With which file.
        path: PathBuf,
        /// Why it was not.
        source: io::Error,
    },
    /// The plan can't be written.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// It is no name of a plan.
    #[error("{0:?} can't be a plan's name: lower-case letters, digits and `-` only, at most 100")]
    BadName(String),
    /// The plan is another session's (PM-48).
    #[error("the plan {slug} belongs to session {session}, not to this one")]
    Others {
        /// The plan's name.
        slug: String,
        /// Whose it is.
        session: String,
    },
    /// There is no such revision.
    #[error("{slug} has no revision {number}; {}", there_are(*last))]
    NoRevision {
        /// The plan's name.
        slug: String,
        /// The revision that was asked for.
        number: u32,
        /// The latest there is.
        last: u32,
    },
    /// A kept revision is not what was kept.
    #[error("revision {number} of {slug} is not what was submitted any more: its file was changed")]
    Altered {
        /// The plan's name.
        slug: String,
        /// The revision.
        number: u32,
    },
}

impl PlanError {
    fn io(what: &'static str, path: &Path, source: io::Error) -> Self {
        PlanError::Io { what, path: path.to_path_buf(), source }
    }
}

fn there_are(last: u32) -> String {
    match last {
        0 => "it was never submitted".into(),
        1 => "the only one is 1".into(),
        last => format!("the last one is {last}"),
    }
}

/// Where the plans of one session go, before any of them has a name.
#[derive(Debug, Clone)]
pub struct PlanFiles {
    home: PathBuf,
    project: PathBuf,
    session: String,
    names: Names,
    /// PLANS, resolved. It may not exist yet.
    folder: PathBuf,
}

impl PlanFiles {
    /// `home` is the cutonce home, `directory` the setting `plansDirectory`. The text is a warning to show once: the
    /// setting leads where it must not, and the default folder is used instead (PM-40).
    pub fn new(
        home: &Path,
        project: &Path,
        session: &str,
        directory: Option<&str>,
        names: Names,
    ) -> (PlanFiles, Option<String>) {
        let (folder, warning) = folder::choose(home, project, directory);
        if let Some(warning) = &warning {
            tracing::warn!("{warning}");
        }
        let files =
            PlanFiles { home: home.into(), project: project.into(), session: session.to_string(), names, folder };
        (files, warning)
    }

    /// PLANS.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A name that no other session has or will get (PM-41, PM-51). The plan file itself is not made. `request` is what
    /// the user asked for; only names of the kind `task` use it.
    pub fn reserve(&self, request: &str) -> Result<PlanFile, PlanError> {
        let reserve = |slug: &str| reserved::take(&self.home, slug, &self.record(slug));
        let slug = match self.names {
            Names::Words => plan::free_word_name(|| std::array::from_fn(|_| fastrand::u64(..)), reserve)?,
            Names::Task => plan::free_task_name(&jiff::Zoned::now().date().to_string(), request, reserve)?,
        };
        Ok(self.file(&slug))
    }

    /// The plan of a session that is resumed, by the name in its transcript (PM-48). A name that is another session's
    /// is refused with [`PlanError::Others`]: then [`PlanFiles::fork`] makes a copy.
    pub(crate) fn adopt(&self, slug: &str) -> Result<PlanFile, PlanError> {
        if !plan::is_name(slug) {
            return Err(PlanError::BadName(slug.to_string()));
        }
        let record = self.record(slug);
        match reserved::of(&self.home, slug) {
            Some(known) if !known.session.is_empty() && known.session != self.session => {
                return Err(PlanError::Others { slug: slug.to_string(), session: known.session });
            }
            Some(known) if known.path == record.path => {}
            Some(_) | None => reserved::put(&self.home, slug, &record)?,
        }
        Ok(self.file(slug))
    }

    /// A new name and a copy of the plan `from`, which stays as it is (PM-49). Also returned: what the original held;
    /// where that is no plan nothing was copied, and [`PlanFile::restore`] may bring it back from the transcript.
    pub fn fork(&self, from: &str, request: &str) -> Result<(PlanFile, Found), PlanError> {
        if !plan::is_name(from) {
            return Err(PlanError::BadName(from.to_string()));
        }
        let original = reserved::of(&self.home, from).map(|known| PathBuf::from(known.path));
        let found = file::read(&original.unwrap_or_else(|| self.folder.join(plan::file_name(from))));
        let copy = self.reserve(request)?;
        if let Found::Plan(text) = &found {
            copy.write(text)?;
        }
        Ok((copy, found))
    }

    fn file(&self, slug: &str) -> PlanFile {
        PlanFile::new(&self.home, slug, &self.project, &self.session, self.folder.join(plan::file_name(slug)))
    }

    fn record(&self, slug: &str) -> Reserved {
        Reserved {
            path: self.folder.join(plan::file_name(slug)).to_string_lossy().into_owned(),
            project: self.project.to_string_lossy().into_owned(),
            session: self.session.clone(),
            time: now(),
        }
    }
}

/// The folder of plans in the cutonce home, with the names and revisions of all plans wherever they are.
fn plans_home(home: &Path) -> PathBuf {
    home.join("plans")
}

fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}

#[cfg(test)]
mod tests;
