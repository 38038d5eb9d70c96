//! Every version that was submitted (PM-46), each in a file that is never written again, with an index beside them.

use super::{PlanError, now, plans_home};
use crate::store::place::{create_private_dir, private, write_private};
use cutonce_core::plan::{Index, Outcome, Revision, sha256, title};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Much more than a plan may be long; keeps a file that is none of ours from filling the memory.
const LONGEST: u64 = 64 << 20;
const INDEX: &str = "index.json";

/// The revisions of one plan. There may be none yet.
#[derive(Debug, Clone)]
pub struct Revisions {
    dir: PathBuf,
    slug: String,
}

impl Revisions {
    /// `slug` is one of our names (`plan::is_name`).
    pub fn of(home: &Path, slug: &str) -> Revisions {
        Revisions { dir: Self::folder(home, slug), slug: slug.to_string() }
    }

    pub(super) fn folder(home: &Path, slug: &str) -> PathBuf {
        all_folder(home).join(slug)
    }

    /// What was submitted and what became of it, oldest first.
    pub fn index(&self) -> Index {
        self.load().unwrap_or_else(|| self.rebuilt())
    }

    /// The text of a revision, as it was submitted.
    pub fn text(&self, number: u32) -> Result<String, PlanError> {
        let index = self.index();
        let Some(revision) = index.revisions.iter().find(|revision| revision.number == number) else {
            return Err(self.missing(&index, number));
        };
        let path = self.dir.join(revision.file());
        let text = read_text(&path).map_err(|error| PlanError::io("read the revision", &path, error))?;
        let same = sha256(&text) == revision.sha256;
        if same { Ok(text) } else { Err(PlanError::Altered { slug: self.slug.clone(), number }) }
    }

    pub(super) fn submit(&self, text: &str, project: &str, session: &str) -> Result<Revision, PlanError> {
        self.change(|index| {
            let revision = index.submit(text, &now(), project, session).clone();
            let path = self.dir.join(revision.file());
            // The text first: an index that names a file that is not there would promise what nobody can show.
            if read_text(&path).ok().as_deref() != Some(text) {
                write_private(&path, text.as_bytes())
                    .map_err(|error| PlanError::io("keep the submitted plan", &path, error))?;
            }
            Ok(revision)
        })
    }

    pub(super) fn settle(&self, number: u32, outcome: Outcome) -> Result<Revision, PlanError> {
        self.change(|index| {
            let missing = self.missing(index, number);
            index.settle(number, outcome);
            index.revisions.iter().find(|revision| revision.number == number).cloned().ok_or(missing)
        })
    }

    pub(super) fn remove(&self) -> io::Result<()> {
        super::file::gone(fs::remove_dir_all(&self.dir))
    }

    /// One change at a time, of all processes; the index is replaced whole.
    fn change<T>(&self, change: impl FnOnce(&mut Index) -> Result<T, PlanError>) -> Result<T, PlanError> {
        let path = self.dir.join(INDEX);
        let failed = |error| PlanError::io("write the index of revisions", &path, error);
        create_private_dir(&self.dir).map_err(failed)?;
        let _lock = self.lock().map_err(failed)?;
        let mut index = self.load().unwrap_or_else(|| {
            // Only a broken index leads here, or none; a broken one may still be worth a look.
            let _ = fs::rename(&path, path.with_extension("json.broken"));
            self.rebuilt()
        });
        let done = change(&mut index)?;
        let json = serde_json::to_vec_pretty(&index).map_err(io::Error::other).map_err(failed)?;
        write_private(&path, &json).map_err(failed)?;
        Ok(done)
    }

    fn lock(&self) -> io::Result<File> {
        let file = private().write(true).create(true).truncate(false).open(self.dir.join(".lock"))?;
        match file.lock() {
            Err(error) if error.kind() != io::ErrorKind::Unsupported => Err(error),
            Ok(()) | Err(_) => Ok(file),
        }
    }

    fn load(&self) -> Option<Index> {
        let path = self.dir.join(INDEX);
        let text = read_text(&path).ok()?;
        match serde_json::from_str(&text) {
            Ok(index) => Some(index),
            Err(error) => {
                tracing::warn!("{}: {error}; the revisions are read from their files", path.display());
                None
            }
        }
    }

    /// The index as far as the files tell it, where it is lost.
    fn rebuilt(&self) -> Index {
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
                    sha256: sha256(&text),
                    time: format!("{time:.3}"),
                    outcome: Outcome::Submitted,
                    project: String::new(),
                    session: String::new(),
                    title: title(&text).unwrap_or_default(),
                })
            })
            .collect();
        revisions.sort_by_key(|revision| revision.number);
        Index { revisions }
    }

    fn missing(&self, index: &Index, number: u32) -> PlanError {
        let last = index.last().map_or(0, |last| last.number);
        PlanError::NoRevision { slug: self.slug.clone(), number, last }
    }
}

/// The names of all plans that were ever submitted.
pub(super) fn all(home: &Path) -> Vec<String> {
    let entries = fs::read_dir(all_folder(home)).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| cutonce_core::plan::is_name(name)).collect()
}

fn all_folder(home: &Path) -> PathBuf {
    plans_home(home).join(".revisions")
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(LONGEST).read_to_string(&mut text)?;
    Ok(text)
}
