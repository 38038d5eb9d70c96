//! Submitted revisions of a plan (PM-46), each in a file that is never rewritten, and an index of them.

use super::{PlanError, PlanStamp, plans_home};
use crate::storage::paths::{create_private_dir, private_options, write_private};
use crate::storage::versions::content_hash;
use cutonce_core::plan::contract::PlanContract;
use cutonce_core::plan::report::PlanReport;
use cutonce_core::plan::{PlanFreshness, Revision, RevisionIndex, RevisionOutcome, plan_title, sha256_hex};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Read limit, well above the size of a plan, in case the file is not ours.
const READ_LIMIT: u64 = 64 << 20;
const INDEX: &str = "index.json";
const REPORT: &str = "report.json";

/// The revisions of one plan; may be empty.
#[derive(Debug, Clone)]
pub struct PlanRevisions {
    dir: PathBuf,
    slug: String,
}

impl PlanRevisions {
    /// `slug` must be a valid plan name (`plan::is_name`).
    pub fn for_plan(home: &Path, slug: &str) -> PlanRevisions {
        PlanRevisions { dir: Self::folder(home, slug), slug: slug.to_string() }
    }

    pub(super) fn folder(home: &Path, slug: &str) -> PathBuf {
        revisions_folder(home).join(slug)
    }

    /// All revisions and their outcomes, oldest first.
    pub fn index(&self) -> RevisionIndex {
        self.load_index().unwrap_or_else(|| self.rebuild_index())
    }

    /// The text of a revision, as submitted.
    pub fn text(&self, number: u32) -> Result<String, PlanError> {
        let index = self.index();
        let Some(revision) = index.revisions.iter().find(|revision| revision.number == number) else {
            return Err(self.no_such_revision(&index, number));
        };
        let path = self.dir.join(revision.file_name());
        let text = read_text(&path).map_err(|error| PlanError::from_io("read the revision", &path, error))?;
        let same = sha256_hex(&text) == revision.sha256;
        if same { Ok(text) } else { Err(PlanError::Altered { slug: self.slug.clone(), number }) }
    }

    pub(super) fn submit(&self, text: &str, project: &str, session: &str) -> Result<Revision, PlanError> {
        self.update_index(|index| {
            let revision = index.submit(text, &crate::timestamp(), project, session).clone();
            let path = self.dir.join(revision.file_name());
            // Write the text first, so that the index never names a missing file.
            if read_text(&path).ok().as_deref() != Some(text) {
                write_private(&path, text.as_bytes())
                    .map_err(|error| PlanError::from_io("keep the submitted plan", &path, error))?;
            }
            Ok(revision)
        })
    }

    pub(super) fn record_outcome(&self, number: u32, outcome: RevisionOutcome) -> Result<Revision, PlanError> {
        self.update_index(|index| {
            let missing = self.no_such_revision(index, number);
            index.set_outcome(number, outcome);
            index.revisions.iter().find(|revision| revision.number == number).cloned().ok_or(missing)
        })
    }

    /// The user sets the plan aside (PC-41). Its revisions stay as they are.
    pub(super) fn park(&self) -> Result<(), PlanError> {
        self.update_index(|index| {
            index.parked = true;
            Ok(())
        })
    }

    /// Keeps the state of the workspace at the submission of a revision (PC-13).
    pub(crate) fn write_stamp(&self, number: u32, stamp: &PlanStamp, root: &Path) -> Result<(), PlanError> {
        let path = self.stamp_path(number);
        let failed = |error| PlanError::from_io("keep the state of the planned files", &path, error);
        let json = serde_json::to_vec(stamp).map_err(io::Error::other).map_err(failed)?;
        for (hash, bytes) in stamp.contents_to_keep(root) {
            let content = self.content_path(&hash);
            if !content.exists() {
                write_private(&content, &bytes).map_err(failed)?;
            }
        }
        write_private(&path, &json).map_err(failed)
    }

    /// The number of the last revision with this hash; 0 if there is none.
    pub(crate) fn number_of(&self, sha256: &str) -> u32 {
        let index = self.index();
        let found = index.revisions.iter().rev().find(|revision| revision.sha256 == sha256);
        found.map_or(0, |revision| revision.number)
    }

    /// The state of the workspace at the submission of the revision with this text; `None` if it is not known.
    pub(crate) fn stamp_of(&self, text: &str) -> Option<PlanStamp> {
        let sha256 = sha256_hex(text);
        let index = self.index();
        let revisions = index.revisions.iter().rev().filter(|revision| revision.sha256 == sha256);
        let stamps = revisions.filter_map(|revision| read_text(&self.stamp_path(revision.number)).ok());
        stamps.filter_map(|stamp| serde_json::from_str(&stamp).ok()).next()
    }

    /// How the workspace differs from the last submission of this text (PC-13); `None` if that is not known.
    pub fn freshness(&self, root: &Path, text: &str, contract: &PlanContract) -> Option<PlanFreshness> {
        let kept = |hash: &str| fs::read(self.content_path(hash)).ok().filter(|bytes| content_hash(bytes) == hash);
        self.stamp_of(text).map(|stamp| stamp.freshness(root, contract, kept))
    }

    fn content_path(&self, hash: &str) -> PathBuf {
        // The hash is used as a file name.
        let name: String = hash.chars().filter(char::is_ascii_hexdigit).collect();
        self.dir.join("files").join(name)
    }

    fn stamp_path(&self, number: u32) -> PathBuf {
        self.dir.join(format!("{number:04}.stamp.json"))
    }

    /// Stores the report of the implementation next to the revisions (PC-35).
    pub(crate) fn write_report(&self, report: &PlanReport) -> Result<(), PlanError> {
        let path = self.dir.join(REPORT);
        let failed = |error| PlanError::from_io("keep the report", &path, error);
        create_private_dir(&self.dir).map_err(failed)?;
        let json = serde_json::to_vec_pretty(report).map_err(io::Error::other).map_err(failed)?;
        write_private(&path, &json).map_err(failed)
    }

    /// The report of the last implementation; `None` if there is none.
    pub fn report(&self) -> Result<Option<PlanReport>, PlanError> {
        let path = self.dir.join(REPORT);
        let failed = |error| PlanError::from_io("read the report", &path, error);
        match read_text(&path) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| failed(io::Error::other(error))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// When the last report was written.
    pub fn reported_at(&self) -> Option<std::time::SystemTime> {
        self.dir.join(REPORT).metadata().and_then(|meta| meta.modified()).ok()
    }

    pub(super) fn remove(&self) -> io::Result<()> {
        super::file::ignore_missing(fs::remove_dir_all(&self.dir))
    }

    /// Changes the index under a lock and replaces it atomically.
    fn update_index<T>(&self, change: impl FnOnce(&mut RevisionIndex) -> Result<T, PlanError>) -> Result<T, PlanError> {
        let path = self.dir.join(INDEX);
        let failed = |error| PlanError::from_io("write the index of revisions", &path, error);
        create_private_dir(&self.dir).map_err(failed)?;
        let _lock = self.lock().map_err(failed)?;
        let mut index = self.load_index().unwrap_or_else(|| {
            // Keep a broken index for inspection.
            let _ = fs::rename(&path, path.with_extension("json.broken"));
            self.rebuild_index()
        });
        let done = change(&mut index)?;
        let json = serde_json::to_vec_pretty(&index).map_err(io::Error::other).map_err(failed)?;
        write_private(&path, &json).map_err(failed)?;
        Ok(done)
    }

    fn lock(&self) -> io::Result<File> {
        let file = private_options().write(true).create(true).truncate(false).open(self.dir.join(".lock"))?;
        match file.lock() {
            Err(error) if error.kind() != io::ErrorKind::Unsupported => Err(error),
            Ok(()) | Err(_) => Ok(file),
        }
    }

    fn load_index(&self) -> Option<RevisionIndex> {
        let path = self.dir.join(INDEX);
        let text = read_text(&path).ok()?;
        match serde_json::from_str(&text) {
            Ok(index) => Some(index),
            Err(error) => {
                tracing::warn!("{}: {error}; rebuilding the index from the revision files", path.display());
                None
            }
        }
    }

    /// Rebuilds a lost index from the revision files.
    fn rebuild_index(&self) -> RevisionIndex {
        let mut revisions: Vec<Revision> = fs::read_dir(&self.dir)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let number = entry.file_name().to_str()?.strip_suffix(".md")?.parse().ok()?;
                let text = read_text(&entry.path()).ok()?;
                let changed = entry.metadata().ok()?.modified().ok()?;
                let time = jiff::Timestamp::try_from(changed).ok()?;
                Some(Revision {
                    number,
                    sha256: sha256_hex(&text),
                    time: format!("{time:.3}"),
                    outcome: RevisionOutcome::Submitted,
                    project: String::new(),
                    session: String::new(),
                    title: plan_title(&text).unwrap_or_default(),
                })
            })
            .collect();
        revisions.sort_by_key(|revision| revision.number);
        RevisionIndex { revisions, parked: false }
    }

    fn no_such_revision(&self, index: &RevisionIndex, number: u32) -> PlanError {
        let last = index.last().map_or(0, |last| last.number);
        PlanError::NoRevision { slug: self.slug.clone(), number, last }
    }
}

/// The names of all plans with revisions.
pub(super) fn submitted_names(home: &Path) -> Vec<String> {
    let entries = fs::read_dir(revisions_folder(home)).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| cutonce_core::plan::is_plan_name(name)).collect()
}

fn revisions_folder(home: &Path) -> PathBuf {
    plans_home(home).join(".revisions")
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(READ_LIMIT).read_to_string(&mut text)?;
    Ok(text)
}
