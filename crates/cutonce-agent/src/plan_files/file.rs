//! One plan file: read as it stands, written whole or not at all, and told apart from everything that only looks like it.

use super::{PlanError, Revisions};
use crate::store::place::create_private_dir;
use cutonce_core::permission::Target;
use cutonce_core::plan::{Found, Outcome, Restored, RestoredFrom, Revision, agent_file};
use cutonce_tools::disk::{Disk, KeepVersion, Kind};
use cutonce_tools::workspace::resolve_links;
use rustix::fs::{FileType, Mode, OFlags};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A longer file is not read as a plan.
pub(crate) const LONGEST_PLAN: u64 = 16 << 20;

/// The plan file of one session, or of one of its subagents. It may not exist yet.
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
    /// Absolute and resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// A subagent's own file beside it (PM-42); None if the id can't be part of a file's name.
    pub(crate) fn of_agent(&self, agent_id: &str) -> Option<PlanFile> {
        let name = agent_file(&self.slug, agent_id)?;
        Some(PlanFile { path: self.path.with_file_name(name), ..self.clone() })
    }

    /// What it holds now (PM-43). Anything but a plain file under this very path is unreadable, with the cause.
    pub fn read(&self) -> Found {
        read(&self.path)
    }

    /// Replaces the plan atomically (PM-45). Whoever shows this text to the model then calls `Disk::remember_shown`
    /// (PM-44). In the cutonce home it is for the user alone.
    pub fn write(&self, text: &str) -> Result<(), PlanError> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let private = self.path.starts_with(resolve_links(&self.home).unwrap_or_default());
        if private {
            create_private_dir(folder).map_err(|error| PlanError::io("create the folder of plans", folder, error))?;
        }
        // Disk follows no symlink on the way and tells a full disk from others.
        Disk::new(Arc::new(NotKept)).put_back(&self.path, Some(text.as_bytes()))?;
        if private {
            let _ = std::fs::set_permissions(&self.path, std::os::unix::fs::PermissionsExt::from_mode(0o600));
        }
        Ok(())
    }

    /// Does a call name exactly this file (PM-44)? A spelling with `..`, a symlink, a hard link and another case do not
    /// pass, wherever they lead.
    pub fn is(&self, target: &Target) -> bool {
        let roundabout = Path::new(&target.given).components().any(|part| part == Component::ParentDir);
        target.path == self.path && !roundabout && stands_alone(&self.path)
    }

    /// Puts the plan back from the transcript if the file is gone (PM-48); says where it came from. A file that is
    /// there stays as it is, also an empty one.
    pub fn restore(&self, restored: Option<Restored>) -> Result<Option<RestoredFrom>, PlanError> {
        let gone = matches!(self.path.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound);
        let Some(restored) = restored.filter(|_| gone) else { return Ok(None) };
        self.write(&restored.text)?;
        Ok(Some(restored.from))
    }

    /// The plan is submitted with this text: it is kept as a revision (PM-46).
    pub fn submit(&self, text: &str) -> Result<Revision, PlanError> {
        self.revisions().submit(text, &self.project, &self.session)
    }

    /// What became of a submission. `edited`: the text that was approved, or left, where the user had changed it; it is
    /// a revision of its own, and that one is returned.
    pub fn settle(&self, number: u32, outcome: Outcome, edited: Option<&str>) -> Result<Revision, PlanError> {
        let revisions = self.revisions();
        match (outcome, edited) {
            (Outcome::Approved | Outcome::Left, Some(text)) => {
                revisions.settle(number, Outcome::Rejected)?;
                let revision = revisions.submit(text, &self.project, &self.session)?;
                revisions.settle(revision.number, outcome)
            }
            (Outcome::Approved | Outcome::Left, None) | (Outcome::Submitted | Outcome::Rejected, _) => {
                revisions.settle(number, outcome)
            }
        }
    }

    /// What was shown and approved of it so far.
    pub fn revisions(&self) -> Revisions {
        Revisions::of(&self.home, &self.slug)
    }
}

/// What a plan file holds.
pub fn read(path: &Path) -> Found {
    match bytes(path) {
        Ok(bytes) => Found::of(bytes),
        Err(why) => {
            tracing::warn!("the plan {} can't be read: {why}", path.display());
            Found::Unreadable(why)
        }
    }
}

fn bytes(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let meta = match path.symlink_metadata() {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    plain(&meta)?;
    if resolve_links(path)? != path {
        return Err("a symbolic link took the place of one of its folders".into());
    }
    // Looked at before opening, because opening alone has effects on some devices; then again, if it was swapped.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| io::Error::from(errno).to_string())?;
    let file = File::from(file);
    let meta = file.metadata().map_err(|error| error.to_string())?;
    plain(&meta)?;
    let mut bytes = Vec::with_capacity(meta.len().min(LONGEST_PLAN) as usize);
    file.take(LONGEST_PLAN + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LONGEST_PLAN {
        return Err(format!("it is longer than {} MB", LONGEST_PLAN >> 20));
    }
    Ok(Some(bytes))
}

/// A plain file of one name: a second name would let another path change the plan, and the plan change another file.
fn plain(meta: &Metadata) -> Result<(), String> {
    match Kind::of(FileType::from_raw_mode(meta.mode())) {
        Some(kind) => Err(format!("it is {kind}, not a file")),
        None if meta.nlink() > 1 => Err(format!("it is one of {} hard links to the same file", meta.nlink())),
        None => Ok(()),
    }
}

fn stands_alone(path: &Path) -> bool {
    let here = match path.symlink_metadata() {
        Ok(meta) => plain(&meta).is_ok(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    here && resolve_links(path).is_ok_and(|resolved| resolved == path)
}

/// It was there, or it was not: now it is not.
pub(super) fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Plans have their revisions and their snapshots in the transcript; what is written here is not kept a third time.
struct NotKept;

impl KeepVersion for NotKept {
    fn keep(&self, _: &Path, _: Option<&[u8]>) -> io::Result<()> {
        Ok(())
    }
}
