//! One plan file: read safely, written atomically, and distinguished from lookalikes.

use super::{PlanError, PlanRevisions};
use crate::storage::paths::create_private_dir;
use cutonce_core::permission::PathTarget;
use cutonce_core::plan::report::PlanReport;
use cutonce_core::plan::{
    PlanContent, RestoredFrom, RestoredPlan, Revision, RevisionOutcome, agent_plan_file_name, sha256_hex,
};
use cutonce_core::transcript::SeenFileMark;
use cutonce_tools::disk::{FileAccess, SpecialKind, VersionStore};
use cutonce_tools::workspace::resolve_links;
use rustix::fs::{FileType, Mode, OFlags};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Maximum size of a plan file.
pub(crate) const MAX_PLAN_SIZE: u64 = 16 << 20;

/// The plan file of a session or one of its subagents. It may not exist yet.
#[derive(Debug, Clone)]
pub struct PlanFile {
    home: PathBuf,
    slug: String,
    project: String,
    session: String,
    path: PathBuf,
}

impl PlanFile {
    pub(super) fn new(home: &Path, slug: &str, project: &Path, session: &str, path: PathBuf) -> PlanFile {
        let project = project.to_string_lossy().into_owned();
        PlanFile { home: home.into(), slug: slug.to_string(), project, session: session.to_string(), path }
    }

    /// The plan's name.
    pub fn slug(&self) -> &str {
        &self.slug
    }
    /// The absolute, resolved path.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// A subagent's own plan file in the same folder (PM-42); `None` if the id is not valid in a file name.
    pub(crate) fn for_agent(&self, agent_id: &str) -> Option<PlanFile> {
        let name = agent_plan_file_name(&self.slug, agent_id)?;
        Some(PlanFile { path: self.path.with_file_name(name), ..self.clone() })
    }

    /// Marks this file as seen if a session has seen its content under another name: a fork copies the plan (PM-49).
    pub(crate) fn seen_mark(&self, seen: &[SeenFileMark]) -> Option<SeenFileMark> {
        let sha256 = sha256_hex(self.read().text()?);
        let known = seen.iter().any(|mark| mark.sha256.as_ref() == Some(&sha256));
        let path = self.path.to_str()?.to_string();
        known.then_some(SeenFileMark { path, sha256: Some(sha256), stamp: None })
    }

    /// The newest reports of the project's plans, for an estimate (PC-12).
    pub(crate) fn project_reports(&self) -> Vec<PlanReport> {
        super::list::recent_reports(&self.home, &self.project)
    }

    /// Reads the current content (PM-43). Anything but a plain file at this exact path is unreadable, with the
    /// reason.
    pub fn read(&self) -> PlanContent {
        read_plan(&self.path)
    }

    /// Replaces the plan atomically (PM-45). A caller that shows the text to the model then calls
    /// `Disk::remember_shown` (PM-44). In the cutonce home, only the user can read it.
    pub fn write(&self, text: &str) -> Result<(), PlanError> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let private = self.path.starts_with(resolve_links(&self.home).unwrap_or_default());
        if private {
            create_private_dir(folder)
                .map_err(|error| PlanError::from_io("create the folder of plans", folder, error))?;
        }
        // Disk follows no symlinks and reports a full disk as such.
        FileAccess::new(Arc::new(NoPlanVersions)).restore(&self.path, Some(text.as_bytes()))?;
        if private {
            let _ = std::fs::set_permissions(&self.path, std::os::unix::fs::PermissionsExt::from_mode(0o600));
        }
        Ok(())
    }

    /// Whether a call names exactly this file (PM-44). Paths with `..`, symlinks, hard links and different case never
    /// match.
    pub(crate) fn matches_target(&self, target: &PathTarget) -> bool {
        let roundabout = Path::new(&target.given).components().any(|part| part == Component::ParentDir);
        target.path == self.path && !roundabout && is_plain_path(&self.path)
    }

    /// Restores a missing file from the transcript (PM-48) and returns the source. An existing file stays unchanged,
    /// even if it is empty.
    pub fn restore(&self, restored: Option<RestoredPlan>) -> Result<Option<RestoredFrom>, PlanError> {
        let gone = matches!(self.path.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound);
        let Some(restored) = restored.filter(|_| gone) else { return Ok(None) };
        self.write(&restored.text)?;
        Ok(Some(restored.from))
    }

    /// Stores the submitted text as a revision (PM-46).
    pub fn submit(&self, text: &str) -> Result<Revision, PlanError> {
        self.revisions().submit(text, &self.project, &self.session)
    }

    /// Records the outcome of a submission. If the user edited the approved or left plan, `edited` is stored as a
    /// revision of its own, and that one is returned.
    pub(crate) fn record_outcome(
        &self,
        number: u32,
        outcome: RevisionOutcome,
        edited: Option<&str>,
    ) -> Result<Revision, PlanError> {
        let revisions = self.revisions();
        match (outcome, edited) {
            (RevisionOutcome::Approved | RevisionOutcome::Left, Some(text)) => {
                revisions.record_outcome(number, RevisionOutcome::Rejected)?;
                let revision = revisions.submit(text, &self.project, &self.session)?;
                revisions.record_outcome(revision.number, outcome)
            }
            (RevisionOutcome::Approved | RevisionOutcome::Left, None)
            | (RevisionOutcome::Submitted | RevisionOutcome::Rejected, _) => revisions.record_outcome(number, outcome),
        }
    }

    /// The plan's revisions.
    pub fn revisions(&self) -> PlanRevisions {
        PlanRevisions::for_plan(&self.home, &self.slug)
    }
}

/// Reads a plan file.
pub fn read_plan(path: &Path) -> PlanContent {
    match read_bytes(path) {
        Ok(bytes) => PlanContent::from_bytes(bytes),
        Err(why) => {
            tracing::warn!("can't read the plan {}: {why}", path.display());
            PlanContent::Unreadable(why)
        }
    }
}

fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let meta = match path.symlink_metadata() {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    check_plain_file(&meta)?;
    if resolve_links(path)? != path {
        return Err("a symbolic link replaced one of its folders".into());
    }
    // Check before opening, because opening some devices has side effects; check again in case the file was swapped.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| io::Error::from(errno).to_string())?;
    let file = File::from(file);
    let meta = file.metadata().map_err(|error| error.to_string())?;
    check_plain_file(&meta)?;
    let mut bytes = Vec::with_capacity(meta.len().min(MAX_PLAN_SIZE) as usize);
    file.take(MAX_PLAN_SIZE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_PLAN_SIZE {
        return Err(format!("it is longer than {} MB", MAX_PLAN_SIZE >> 20));
    }
    Ok(Some(bytes))
}

/// Requires a plain file with one link: with a second link, another path could change the plan or vice versa.
fn check_plain_file(meta: &Metadata) -> Result<(), String> {
    match SpecialKind::from_file_type(FileType::from_raw_mode(meta.mode())) {
        Some(kind) => Err(format!("it is {kind}, not a file")),
        None if meta.nlink() > 1 => Err(format!("it is one of {} hard links to the same file", meta.nlink())),
        None => Ok(()),
    }
}

fn is_plain_path(path: &Path) -> bool {
    let here = match path.symlink_metadata() {
        Ok(meta) => check_plain_file(&meta).is_ok(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    here && resolve_links(path).is_ok_and(|resolved| resolved == path)
}

/// Removes the file; missing is not an error.
pub(super) fn ignore_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Skips version keeping: plans already have revisions and transcript snapshots.
struct NoPlanVersions;

impl VersionStore for NoPlanVersions {
    fn keep(&self, _: &Path, _: Option<&[u8]>) -> io::Result<()> {
        Ok(())
    }
}
