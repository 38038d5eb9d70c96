//! What a person wrote about a plan, kept on every keystroke under the plan's hash (UI-6): Esc, a crash and a resume lose none.

use cutonce_agent::store::place::{create_private_dir, write_private};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Much more than anybody writes.
const LONGEST: u64 = 8 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// The lines it is on; the first is 0. They count in `Record::edited` where that is set.
    pub first: usize,
    pub last: usize,
    pub text: String,
    /// Not finished: it is not sent.
    #[serde(default)]
    pub draft: bool,
    /// Other words for it that were not saved: it is sent as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    pub remarks: Vec<Remark>,
    pub note: String,
    pub feedback: String,
    pub edited: Option<String>,
    /// The remarks went with an answer.
    pub sent: bool,
}

/// The file of one plan text. Without a home nothing is kept.
#[derive(Debug, Clone)]
pub struct Drafts {
    path: Option<PathBuf>,
}

impl Drafts {
    /// `slug` is the plan's name, `sha256` of its text; both become parts of a path.
    pub fn of(home: Option<&Path>, slug: &str, sha256: &str) -> Drafts {
        let fine = |name: &str| {
            !name.is_empty() && name.len() < 100 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        let path = home
            .filter(|_| fine(slug) && fine(sha256))
            .map(|home| home.join("reviews").join(slug).join(format!("{sha256}.json")));
        Drafts { path }
    }

    /// A file that can't be read is set aside, not written over.
    pub fn load(&self) -> Option<Record> {
        let path = self.path.as_deref()?;
        let mut bytes = Vec::new();
        std::fs::File::open(path).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
        let record = serde_json::from_slice(&bytes);
        if let Err(error) = &record {
            tracing::warn!("{} can't be read: {error}", path.display());
            let _ = std::fs::rename(path, path.with_extension("broken"));
        }
        record.ok()
    }

    /// Whole or not at all. `last`: also safe against a loss of power, which costs a wait for the disk.
    pub fn save(&self, record: &Record, last: bool) -> io::Result<()> {
        let Some(path) = self.path.as_deref() else { return Ok(()) };
        if *record == Record::default() && !path.exists() {
            return Ok(());
        }
        let json = serde_json::to_vec(record).map_err(io::Error::other)?;
        if last {
            return write_private(path, &json);
        }
        let dir = path.parent().unwrap_or(Path::new("."));
        create_private_dir(dir)?;
        let mut temp = tempfile::Builder::new().prefix(".review-").tempfile_in(dir)?;
        temp.write_all(&json)?;
        temp.persist(path).map(drop).map_err(|error| error.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_6_what_was_written_comes_back_and_a_broken_file_is_set_aside() {
        let home = tempfile::tempdir().unwrap();
        let drafts = Drafts::of(Some(home.path()), "brave-otter", "9f3c");
        assert_eq!(drafts.load(), None);
        drafts.save(&Record::default(), false).unwrap();
        assert!(!home.path().join("reviews").exists());
        let record = Record {
            remarks: vec![Remark { first: 3, last: 4, text: "why?\u{1b}".into(), draft: true, edit: None }],
            note: "n".into(),
            ..Record::default()
        };
        for last in [false, true] {
            drafts.save(&record, last).unwrap();
            assert_eq!(drafts.load(), Some(record.clone()));
        }
        let path = home.path().join("reviews/brave-otter/9f3c.json");
        std::fs::write(&path, "{").unwrap();
        assert_eq!(drafts.load(), None);
        assert!(path.with_extension("broken").exists());
        assert_eq!(Drafts::of(Some(home.path()), "../evil", "9f").path, None);
        assert!(Drafts::of(None, "a", "b").save(&record, true).is_ok());
    }
}
