//! A layer over a folder that outlives its commands: their changes stay on it until the caller has applied or
//! discarded them (PC-21, RH-1). A killed program can't remove its layers; the next one that opens a layer, or
//! sweeps, does. A layer that the user kept by name stays until it expires (RH-5).

use crate::profile::LayerMount;
use crate::removal::{finish_removals, remove_later};
use crate::remove_tree::remove_tree;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const PREFIX: &str = "layer-of-";
const NAMED_PREFIX: &str = "kept-";
/// Begins the name of a throwaway layer's folder; the id of its process follows.
pub(crate) const SCRATCH_PREFIX: &str = "layer-";
const UPPER: &str = "upper";
/// In a named layer: the second in which it expires, since 1970.
const EXPIRES: &str = "expires";
/// Guards the time between the creation of a layer's folder and its lock.
const GUARD: &str = "guard";
/// In a named layer: what the program stored with it.
const NOTE: &str = "note";
const MAX_NAME: usize = 64;

/// A layer over `root`. Dropping it discards its changes, unless it has a name.
#[derive(Debug)]
pub struct KeptLayer {
    root: PathBuf,
    storage: PathBuf,
    opened: SystemTime,
    is_named: bool,
    /// Dropping it does not wait until its changes are removed.
    is_removed_later: bool,
    /// Locked for as long as this process lives, so that no other process removes the layer.
    lock: Option<File>,
}

impl KeptLayer {
    /// Opens an empty layer; its changes are stored below `layers`, a private folder outside `root`. At most `most`
    /// layers can be open there.
    pub fn open(root: &Path, layers: &Path, most: usize) -> io::Result<KeptLayer> {
        let root = root.canonicalize()?;
        DirBuilder::new().recursive(true).mode(0o700).create(layers)?;
        let layers = layers.canonicalize()?;
        if layers.starts_with(&root) {
            let why = "start cutonce in a folder below, or set CUTONCE_HOME to a folder outside";
            return Err(io::Error::other(format!("{} is inside the workspace; {why}", layers.display())));
        }
        let guard = guard_of(&layers)?;
        guard.lock()?;
        remove_abandoned(&layers);
        if layer_folders(&layers).count() >= most {
            return Err(io::Error::new(io::ErrorKind::QuotaExceeded, format!("{most} layers are open already")));
        }
        let storage = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&layers)?;
        let lock = File::open(storage.path())?;
        lock.try_lock()?;
        fs::create_dir(storage.path().join(UPPER))?;
        // The layer's own folder replaces the one below, so it gets the same mode.
        fs::set_permissions(storage.path().join(UPPER), fs::metadata(&root)?.permissions())?;
        let opened = storage.path().metadata()?.modified()?;
        Ok(KeptLayer {
            root,
            storage: storage.keep(),
            opened,
            is_named: false,
            is_removed_later: false,
            lock: Some(lock),
        })
    }

    /// Opens a layer that was kept by name. Fails if another program uses it.
    pub fn open_named(root: &Path, layers: &Path, name: &str) -> io::Result<KeptLayer> {
        let storage = named_folder(layers, name)?;
        let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
        let lock = OpenOptions::new().read(true).custom_flags(flags).open(&storage)?;
        lock.try_lock()?;
        let opened = lock.metadata()?.modified()?;
        let (root, lock) = (root.to_path_buf(), Some(lock));
        Ok(KeptLayer { root, storage, opened, is_named: true, is_removed_later: false, lock })
    }

    /// Keeps the layer under a name until `expires`; `note` is stored with it. At most `most` layers have names.
    pub fn keep_as(&mut self, name: &str, note: &[u8], expires: SystemTime, most: usize) -> io::Result<()> {
        let Some(layers) = self.storage.parent().filter(|_| !self.is_named) else {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it has a name already"));
        };
        let (named, guard) = (named_folder(layers, name)?, guard_of(layers)?);
        guard.lock()?;
        if named.symlink_metadata().is_ok() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{name} exists already")));
        }
        if folders_with(layers, NAMED_PREFIX).count() >= most {
            return Err(io::Error::new(io::ErrorKind::QuotaExceeded, format!("{most} layers are kept already")));
        }
        let expires = expires.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        fs::write(self.storage.join(NOTE), note)?;
        fs::write(self.storage.join(EXPIRES), expires.to_string())?;
        fs::rename(&self.storage, &named)?;
        (self.storage, self.is_named) = (named, true);
        Ok(())
    }

    /// Takes the name away: dropping the layer then discards it.
    pub fn remove_name(&mut self) {
        self.is_named = false;
    }

    /// Dropping it does not wait for the removal; [`finish_removals`] does.
    pub fn remove_later(mut self) -> KeptLayer {
        self.is_removed_later = true;
        self
    }

    /// The folder that the layer covers.
    pub fn root(&self) -> &Path {
        &self.root
    }
    /// The folder with the changes, in the form of an overlay's upper folder.
    pub fn upper(&self) -> PathBuf {
        self.storage.join(UPPER)
    }
    /// A file below that changed after this time is not what the layer's commands saw.
    pub fn opened(&self) -> SystemTime {
        self.opened
    }
    /// The layer as part of a profile. `through`: folders that the command writes directly.
    pub fn mount(&self, through: Vec<PathBuf>) -> LayerMount {
        let (root, storage, throwaway) = (self.root.clone(), self.storage.clone(), Vec::new());
        LayerMount { root, storage, upper: self.upper(), through, throwaway }
    }
}

impl Drop for KeptLayer {
    fn drop(&mut self) {
        if self.is_named {
            return;
        }
        remove_later(self.storage.clone(), self.lock.take());
        if !self.is_removed_later {
            finish_removals();
        }
    }
}

/// A layer that was kept by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedLayer {
    pub name: String,
    /// What the program stored with it.
    pub note: Vec<u8>,
    pub expires: SystemTime,
}

/// Lists the layers with names, in the order of their names.
pub fn named_layers(layers: &Path) -> Vec<NamedLayer> {
    let read = |folder: PathBuf| {
        let name = folder.file_name()?.to_str()?.strip_prefix(NAMED_PREFIX)?.to_string();
        Some(NamedLayer { name, note: fs::read(folder.join(NOTE)).ok()?, expires: expires_at(&folder)? })
    };
    let mut found: Vec<NamedLayer> = folders_with(layers, NAMED_PREFIX).filter_map(read).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn expires_at(folder: &Path) -> Option<SystemTime> {
    let seconds = fs::read_to_string(folder.join(EXPIRES)).ok()?.parse().ok()?;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// Checks a name for a layer. The error says what a name may be.
pub fn check_layer_name(name: &str) -> io::Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(plain) {
        let why = format!("a name has 1 to {MAX_NAME} letters, digits, dots, - and _");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    Ok(())
}

fn named_folder(layers: &Path, name: &str) -> io::Result<PathBuf> {
    check_layer_name(name)?;
    Ok(layers.join(format!("{NAMED_PREFIX}{name}")))
}

/// Removes the layers of programs that were killed, and named ones that expired.
pub fn sweep_layers(layers: &Path) -> io::Result<()> {
    if !layers.is_dir() {
        return Ok(());
    }
    let guard = guard_of(layers)?;
    guard.lock()?;
    remove_abandoned(layers);
    Ok(())
}

fn guard_of(layers: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(layers.join(GUARD))
}

fn layer_folders(layers: &Path) -> impl Iterator<Item = PathBuf> {
    folders_with(layers, PREFIX)
}

fn folders_with(layers: &Path, prefix: &'static str) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(layers).into_iter().flatten().flatten();
    let ours = move |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(prefix);
    entries.filter(ours).map(|entry| entry.path())
}

/// Folders in which a program tried whether layers work, and was killed meanwhile.
fn abandoned_probes(layers: &Path) -> impl Iterator<Item = PathBuf> {
    let is_abandoned = |folder: &PathBuf| {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let id = name.strip_prefix(SCRATCH_PREFIX).and_then(|rest| rest.split('-').next()).unwrap_or_default();
        id.parse::<u32>().is_ok() && !Path::new("/proc").join(id).exists()
    };
    folders_with(layers, SCRATCH_PREFIX).filter(is_abandoned)
}

/// Removes layers whose process is gone, which shows in a free lock, and expired ones. The caller holds the guard.
fn remove_abandoned(layers: &Path) {
    let now = SystemTime::now();
    let expired = |folder: &PathBuf| expires_at(folder).is_none_or(|at| at <= now);
    let named = folders_with(layers, NAMED_PREFIX).filter(expired);
    for folder in layer_folders(layers).chain(named).chain(abandoned_probes(layers)) {
        let Ok(about) = folder.symlink_metadata() else { continue };
        // SAFETY: `geteuid` takes no arguments, accesses no memory and can't fail.
        let ours = about.is_dir() && about.uid() == unsafe { libc::geteuid() };
        let opened = OpenOptions::new().read(true).custom_flags(libc::O_DIRECTORY | libc::O_NOFOLLOW).open(&folder);
        if ours && opened.is_ok_and(|opened| opened.try_lock().is_ok()) {
            let _ = remove_tree(&folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rh_5_layers_are_counted_and_swept() {
        let dir = tempfile::tempdir().unwrap();
        let (root, layers) = (dir.path().join("ws"), dir.path().join("layers"));
        fs::create_dir(&root).unwrap();
        assert!(KeptLayer::open(&root, &root.join("inside"), 2).is_err());
        let kept = KeptLayer::open(&root, &layers, 2).unwrap();
        let left = layers.join(format!("{PREFIX}left"));
        fs::create_dir_all(left.join("upper/a")).unwrap();
        // No process has this id.
        let [probe, running] = [u32::MAX, std::process::id()].map(|id| layers.join(format!("{SCRATCH_PREFIX}{id}-0")));
        fs::create_dir_all(probe.join("shm")).unwrap();
        fs::create_dir(&running).unwrap();
        sweep_layers(&layers).unwrap();
        assert!(!left.exists() && kept.upper().is_dir());
        assert!(!probe.exists() && running.exists());
        let second = KeptLayer::open(&root, &layers, 2).unwrap();
        assert_eq!(KeptLayer::open(&root, &layers, 2).unwrap_err().kind(), io::ErrorKind::QuotaExceeded);
        drop((kept, second));
        assert_eq!(layer_folders(&layers).count(), 0);
    }

    #[test]
    fn rh_5_named_layers_stay_until_they_expire() {
        let dir = tempfile::tempdir().unwrap();
        let (root, layers) = (dir.path().join("ws"), dir.path().join("layers"));
        fs::create_dir(&root).unwrap();
        let later = SystemTime::now() + Duration::from_secs(3600);
        let mut kept = KeptLayer::open(&root, &layers, 8).unwrap();
        fs::write(kept.upper().join("a"), "a").unwrap();
        for bad in ["", "../x", "a b", "a/b"] {
            assert_eq!(kept.keep_as(bad, b"", later, 2).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{bad}");
        }
        kept.keep_as("one", b"note", later, 2).unwrap();
        assert!(kept.upper().join("a").exists(), "the layer moved with its name");
        assert!(KeptLayer::open_named(&root, &layers, "one").is_err(), "it is in use");
        drop(kept);
        let mut old = KeptLayer::open(&root, &layers, 8).unwrap();
        assert_eq!(old.keep_as("one", b"", later, 2).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        old.keep_as("old", b"", SystemTime::now(), 2).unwrap();
        drop(old);
        let mut third = KeptLayer::open(&root, &layers, 8).unwrap();
        // Opening it removed the expired one.
        third.keep_as("third", b"", later, 2).unwrap();
        drop(third);
        let mut fourth = KeptLayer::open(&root, &layers, 8).unwrap();
        assert_eq!(fourth.keep_as("fourth", b"", later, 2).unwrap_err().kind(), io::ErrorKind::QuotaExceeded);
        sweep_layers(&layers).unwrap();
        let names = |layers: &Path| named_layers(layers).into_iter().map(|one| one.name).collect::<Vec<_>>();
        assert_eq!(names(&layers), ["one", "third"]);
        assert_eq!(named_layers(&layers)[0].note, b"note");
        let mut one = KeptLayer::open_named(&root, &layers, "one").unwrap();
        assert_eq!(fs::read(one.upper().join("a")).unwrap(), b"a");
        one.remove_name();
        drop(one);
        assert_eq!(names(&layers), ["third"]);
    }
}
