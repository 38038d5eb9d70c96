//! Previous contents of changed files (SE-5), stored once per hash in the session's folder.

use crate::storage::TranscriptStore;
use crate::storage::paths::{create_private_dir, sync_dir, to_hex};
use cutonce_core::transcript::EntryBody;
use cutonce_tools::disk::VersionStore;
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The version store of one session.
#[derive(Debug, Clone)]
pub(crate) struct FileVersions {
    store: TranscriptStore,
}

impl FileVersions {
    pub fn new(store: TranscriptStore) -> Self {
        Self { store }
    }

    /// The content that a `file_snapshot` entry names; `None` if there was no file.
    pub fn read_version(&self, sha256: Option<&str>) -> io::Result<Option<Vec<u8>>> {
        read_version(&self.store.own_dir(), sha256)
    }

    fn dir(&self) -> PathBuf {
        versions_dir(&self.store.own_dir())
    }

    /// Stores the content, unless it is already stored.
    pub(crate) fn store_content(&self, bytes: &[u8], durable: bool) -> io::Result<String> {
        let (dir, sha256) = (self.dir(), content_hash(bytes));
        let path = dir.join(&sha256);
        if path.is_file() {
            return Ok(sha256);
        }
        create_private_dir(&dir)?;
        // tempfile creates files that only the user can read (0600).
        let mut temp = tempfile::Builder::new().prefix(".version-").tempfile_in(&dir)?;
        temp.write_all(bytes)?;
        if durable {
            temp.as_file().sync_data()?;
        }
        temp.persist(&path).map_err(|error| error.error)?;
        if durable {
            sync_dir(&dir)?;
        }
        Ok(sha256)
    }

    fn record(&self, path: &Path, old: Option<&[u8]>, durable: bool) -> io::Result<()> {
        let sha256 = old.map(|bytes| self.store_content(bytes, durable)).transpose()?;
        let path = path.to_string_lossy().into_owned();
        let body = EntryBody::FileSnapshot { key: "before".into(), path, content: None, sha256 };
        self.store.append(body).map_err(io::Error::other).map(|_| ())
    }
}

impl VersionStore for FileVersions {
    /// Writes the old content and its entry to disk before the file is changed.
    fn keep(&self, path: &Path, old: Option<&[u8]>) -> io::Result<()> {
        self.record(path, old, true)?;
        self.store.sync().map_err(io::Error::other)
    }

    fn keep_unsynced(&self, path: &Path, old: Option<&[u8]>) -> io::Result<()> {
        self.record(path, old, false)
    }

    /// One sync for all contents, however many there are.
    fn sync_kept(&self) -> io::Result<()> {
        if let Ok(dir) = std::fs::File::open(self.dir()) {
            #[cfg(target_os = "linux")]
            rustix::fs::syncfs(&dir)?;
            #[cfg(not(target_os = "linux"))]
            for version in std::fs::read_dir(self.dir())? {
                std::fs::File::open(version?.path())?.sync_all()?;
            }
            dir.sync_all()?;
        }
        self.store.sync().map_err(io::Error::other)
    }
}

/// The content with this hash in the session's folder `own`; `None` if there was no file.
pub(super) fn read_version(own: &Path, sha256: Option<&str>) -> io::Result<Option<Vec<u8>>> {
    let Some(sha256) = sha256 else { return Ok(None) };
    let wrong = |why: &str| io::Error::new(io::ErrorKind::InvalidData, format!("version {sha256}: {why}"));
    // The hash is used as a file name.
    if sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(wrong("not a SHA-256"));
    }
    let bytes = std::fs::read(versions_dir(own).join(sha256))?;
    if content_hash(&bytes) == sha256 { Ok(Some(bytes)) } else { Err(wrong("its content was changed")) }
}

/// Copies all versions to a fork. They never change, so hard links suffice.
pub(crate) fn copy_versions(from: &Path, to: &Path) -> io::Result<()> {
    let Ok(versions) = std::fs::read_dir(versions_dir(from)) else { return Ok(()) };
    let to = versions_dir(to);
    create_private_dir(&to)?;
    for version in versions {
        let version = version?;
        let copy = to.join(version.file_name());
        if std::fs::hard_link(version.path(), &copy).is_err() {
            std::fs::copy(version.path(), &copy)?;
        }
    }
    Ok(())
}

fn versions_dir(own: &Path) -> PathBuf {
    own.join("versions")
}

pub(crate) fn content_hash(bytes: &[u8]) -> String {
    to_hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{DEFAULT_BUDGET, ProjectSessions, TranscriptReader};
    use cutonce_core::transcript::EntryKind;

    #[test]
    fn se_5_content_is_stored_once_and_restored() {
        let home = tempfile::tempdir().unwrap();
        let store =
            TranscriptStore::create(&ProjectSessions::new(home.path(), "/w"), None, Default::default()).unwrap();
        let versions = FileVersions::new(store.clone());
        let old = b"one\0\xff\r\n";
        versions.keep(Path::new("/w/a"), Some(old)).unwrap();
        versions.keep(Path::new("/w/b"), Some(old)).unwrap();
        versions.keep(Path::new("/w/new"), None).unwrap();
        let kept: Vec<_> = std::fs::read_dir(versions.dir()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(kept.len(), 1, "{kept:?}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&kept[0]).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let mut reader = TranscriptReader::open(store.path()).unwrap();
        let hashes: Vec<_> = (0..reader.len())
            .map(|at| match reader.entry(at).unwrap().unwrap().body {
                EntryBody::FileSnapshot { key, path, sha256, .. } => (key, path, sha256),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(versions.read_version(hashes[1].2.as_deref()).unwrap().as_deref(), Some(&old[..]));
        assert_eq!(hashes[2], ("before".into(), "/w/new".into(), None));
        assert_eq!(versions.read_version(None).unwrap(), None);
        std::fs::write(&kept[0], "changed").unwrap();
        assert!(versions.read_version(hashes[0].2.as_deref()).is_err());
        assert!(versions.read_version(Some("../../etc/passwd")).is_err());
    }

    #[test]
    fn se_5_fork_can_rewind() {
        let home = tempfile::tempdir().unwrap();
        let sessions = ProjectSessions::new(home.path(), "/w");
        let store = TranscriptStore::create(&sessions, None, Default::default()).unwrap();
        FileVersions::new(store.clone()).keep(Path::new("/w/a"), Some(b"old")).unwrap();
        let (fork, _) = TranscriptStore::fork(store.path(), &sessions, Default::default(), DEFAULT_BUDGET).unwrap();
        let (_, entry) =
            TranscriptReader::open(fork.path()).unwrap().last_entry_of(EntryKind::FileSnapshot).unwrap().unwrap();
        let EntryBody::FileSnapshot { sha256, .. } = entry.body else { panic!("{entry:?}") };
        assert_eq!(FileVersions::new(fork).read_version(sha256.as_deref()).unwrap().as_deref(), Some(&b"old"[..]));
    }
}
