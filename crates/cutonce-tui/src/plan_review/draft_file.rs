//! Review drafts on disk, saved on every keystroke under the plan's hash (UI-6). Esc, a crash or a resume loses
//! nothing.

use cutonce_agent::storage::paths::{create_private_dir, write_private};
use cutonce_core::plan::approval::ReviewTerms;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Maximum size of a draft file, in bytes.
const MAX_DRAFT_SIZE: u64 = 8 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewComment {
    /// Commented lines, zero-based. They refer to the edited plan if there is one.
    pub first: usize,
    pub last: usize,
    pub text: String,
    /// Unfinished, so it is not sent.
    #[serde(default)]
    pub draft: bool,
    /// Unsaved new text. The comment is sent without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReviewDraft {
    pub remarks: Vec<ReviewComment>,
    pub note: String,
    pub feedback: String,
    pub edited: Option<String>,
    /// Answers about steps, model, effort and budget (PC-11, PC-12).
    pub terms: ReviewTerms,
    /// True once the comments were sent with an answer.
    pub sent: bool,
}

/// The draft file of one plan text. Without a cutonce home, nothing is saved.
#[derive(Debug, Clone)]
pub struct ReviewDraftFile {
    path: Option<PathBuf>,
}

impl ReviewDraftFile {
    /// Opens the drafts for a plan. `slug` and the text's `sha256` become parts of the path.
    pub fn for_plan(home: Option<&Path>, slug: &str, sha256: &str) -> ReviewDraftFile {
        let fine = |name: &str| {
            !name.is_empty() && name.len() < 100 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        let path = home
            .filter(|_| fine(slug) && fine(sha256))
            .map(|home| home.join("reviews").join(slug).join(format!("{sha256}.json")));
        ReviewDraftFile { path }
    }

    /// Loads the draft. An unreadable file is renamed, not overwritten.
    pub fn load(&self) -> Option<ReviewDraft> {
        let path = self.path.as_deref()?;
        let mut bytes = Vec::new();
        std::fs::File::open(path).ok()?.take(MAX_DRAFT_SIZE).read_to_end(&mut bytes).ok()?;
        let record = serde_json::from_slice(&bytes);
        if let Err(error) = &record {
            tracing::warn!("could not read {}: {error}", path.display());
            let _ = std::fs::rename(path, path.with_extension("broken"));
        }
        record.ok()
    }

    /// Saves the draft atomically. With `last` it also survives a power loss, which means waiting for the disk.
    pub fn save(&self, record: &ReviewDraft, last: bool) -> io::Result<()> {
        let Some(path) = self.path.as_deref() else { return Ok(()) };
        if *record == ReviewDraft::default() && !path.exists() {
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
    fn ui_6_drafts_reload_and_broken_files_are_renamed() {
        let home = tempfile::tempdir().unwrap();
        let drafts = ReviewDraftFile::for_plan(Some(home.path()), "brave-otter", "9f3c");
        assert_eq!(drafts.load(), None);
        drafts.save(&ReviewDraft::default(), false).unwrap();
        assert!(!home.path().join("reviews").exists());
        let record = ReviewDraft {
            remarks: vec![ReviewComment { first: 3, last: 4, text: "why?\u{1b}".into(), draft: true, edit: None }],
            note: "n".into(),
            ..ReviewDraft::default()
        };
        for last in [false, true] {
            drafts.save(&record, last).unwrap();
            assert_eq!(drafts.load(), Some(record.clone()));
        }
        let path = home.path().join("reviews/brave-otter/9f3c.json");
        std::fs::write(&path, "{").unwrap();
        assert_eq!(drafts.load(), None);
        assert!(path.with_extension("broken").exists());
        assert_eq!(ReviewDraftFile::for_plan(Some(home.path()), "../evil", "9f").path, None);
        assert!(ReviewDraftFile::for_plan(None, "a", "b").save(&record, true).is_ok());
    }
}
