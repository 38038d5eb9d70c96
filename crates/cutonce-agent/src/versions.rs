//! What files held before they were changed (SE-5): each content once, under its hash, in the session's own folder.

use crate::store::Store;
use crate::store::place::{create_private_dir, hex, sync_dir};
use cutonce_core::transcript::Body;
use cutonce_tools::disk::KeepVersion;
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The version store of one session.
#[derive(Debug, Clone)]
pub(crate) struct Versions {
    store: Store,
}

impl Versions {
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// The content that a `file_snapshot` entry names; `None` where it names none: there was no file.
    pub fn restore(&self, sha256: Option<&str>) -> io::Result<Option<Vec<u8>>> {
        let Some(sha256) = sha256 else { return Ok(None) };
        let wrong = |why: &str| io::Error::new(io::ErrorKind::InvalidData, format!("version {sha256}: {why}"));
        // The hash becomes a file name.
        if sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong("not a SHA-256"));
        }
        let bytes = std::fs::read(self.dir().join(sha256))?;
        if hash(&bytes) == sha256 { Ok(Some(bytes)) } else { Err(wrong("its content has changed")) }
    }

    fn dir(&self) -> PathBuf {
        versions_dir(&self.store.own_dir())
    }

    /// Write the content once; a file with this name holds it already.
    fn put(&self, bytes: &[u8]) -> io::Result<String> {
        let (dir, sha256) = (self.dir(), hash(bytes));
        let path = dir.join(&sha256);
        if path.is_file() {
            return Ok(sha256);
        }
        create_private_dir(&dir)?;
        // tempfile makes files for the user alone (0600).
        let mut temp = tempfile::Builder::new().prefix(".version-").tempfile_in(&dir)?;
        temp.write_all(bytes)?;
        temp.as_file().sync_data()?;
        temp.persist(&path).map_err(|error| error.error)?;
        sync_dir(&dir)?;
        Ok(sha256)
    }
}

impl KeepVersion for Versions {
    /// The old content and the entry that names it are on disk before the file is changed.
    fn keep(&self, path: &Path, old: Option<&[u8]>) -> io::Result<()> {
        let sha256 = old.map(|bytes| self.put(bytes)).transpose()?;
        let path = path.to_string_lossy().into_owned();
        let body = Body::FileSnapshot { key: "before".into(), path, content: None, sha256 };
        self.store.append(body).map_err(io::Error::other)?;
        self.store.sync().map_err(io::Error::other)
    }
}

/// Give a fork the versions of its original. They never change, so a second name for the same file will do.
pub(crate) fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
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

fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{DEFAULT_BUDGET, Reader, Sessions};
    use cutonce_core::transcript::Kind;

    #[test]
    fn se_5_each_content_is_kept_once_and_comes_back() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::create(&Sessions::new(home.path(), "/w"), None, Default::default()).unwrap();
        let versions = Versions::new(store.clone());
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
        let mut reader = Reader::open(store.path()).unwrap();
        let hashes: Vec<_> = (0..reader.len())
            .map(|at| match reader.entry(at).unwrap().unwrap().body {
                Body::FileSnapshot { key, path, sha256, .. } => (key, path, sha256),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(versions.restore(hashes[1].2.as_deref()).unwrap().as_deref(), Some(&old[..]));
        assert_eq!(hashes[2], ("before".into(), "/w/new".into(), None));
        assert_eq!(versions.restore(None).unwrap(), None);
        std::fs::write(&kept[0], "changed").unwrap();
        assert!(versions.restore(hashes[0].2.as_deref()).is_err());
        assert!(versions.restore(Some("../../etc/passwd")).is_err());
    }

    #[test]
    fn se_5_a_fork_can_rewind_too() {
        let home = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(home.path(), "/w");
        let store = Store::create(&sessions, None, Default::default()).unwrap();
        Versions::new(store.clone()).keep(Path::new("/w/a"), Some(b"old")).unwrap();
        let (fork, _) = Store::fork(store.path(), &sessions, Default::default(), DEFAULT_BUDGET).unwrap();
        let (_, entry) = Reader::open(fork.path()).unwrap().last_of(Kind::FileSnapshot).unwrap().unwrap();
        let Body::FileSnapshot { sha256, .. } = entry.body else { panic!("{entry:?}") };
        assert_eq!(Versions::new(fork).restore(sha256.as_deref()).unwrap().as_deref(), Some(&b"old"[..]));
    }
}
