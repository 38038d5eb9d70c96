//! Protected places inside a writable workspace (SB-4): the ones that exist, and an empty folder in place of each
//! missing one, because only what exists can be mounted read-only.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Tells a placeholder from an empty folder of the user. The sticky bit and the owner's bits are what a umask leaves.
const PLACEHOLDER_MODE: u32 = 0o1700;
/// Same limit as the kernel's before ELOOP.
const MAX_LINKS: u32 = 40;

/// The protected places of one command. Placeholders are removed on drop.
#[derive(Debug, Default)]
pub(crate) struct ProtectedPlaces {
    places: Vec<PathBuf>,
    links: Vec<PathBuf>,
    placeholders: Vec<Placeholder>,
}

/// An empty folder. Commands that run at the same time share it: each holds a shared lock, the last one removes it.
#[derive(Debug)]
struct Placeholder {
    path: PathBuf,
    lock: File,
}

impl ProtectedPlaces {
    /// Finds the wanted places, which are in `roots`.
    pub(crate) fn new(wanted: &[PathBuf], roots: &[PathBuf]) -> io::Result<Self> {
        let mut found = Self::default();
        for path in wanted {
            found.add(path, roots, MAX_LINKS)?;
        }
        Ok(found)
    }

    fn add(&mut self, path: &Path, roots: &[PathBuf], links_left: u32) -> io::Result<()> {
        match path.symlink_metadata() {
            // What the link leads to is what a program would open, and the link must keep leading there.
            Ok(meta) if meta.is_symlink() => {
                self.links.push(path.to_path_buf());
                // Outside the roots nothing can be written.
                let target = link_target(path).filter(|target| is_in_any(target, roots) && links_left > 0);
                return target.map_or(Ok(()), |target| self.add(&target, roots, links_left - 1));
            }
            // One that another command uses, or that a killed program left.
            Ok(_) if is_placeholder(path) => {
                self.add_placeholder(path)?;
            }
            Ok(_) => self.places.push(path.to_path_buf()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                match DirBuilder::new().mode(PLACEHOLDER_MODE).create(path) {
                    // The folder around it is missing too, or closed to us: then it is closed to the command.
                    Err(error) if !can_be_made_later(&error) => {}
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                    _ => self.add_placeholder(path)?,
                }
            }
            Err(_) => {}
        }
        Ok(())
    }

    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.places
    }

    /// Protected places that are links, themselves.
    pub(crate) fn links(&self) -> &[PathBuf] {
        &self.links
    }

    fn add_placeholder(&mut self, path: &Path) -> io::Result<()> {
        let lock = File::open(path)?;
        lock.lock_shared()?;
        self.places.push(path.to_path_buf());
        self.placeholders.push(Placeholder { path: path.to_path_buf(), lock });
        Ok(())
    }
}

/// True for the empty folder that stands for a missing file while a command runs.
pub fn is_placeholder(path: &Path) -> bool {
    let about = path.symlink_metadata();
    about.is_ok_and(|about| about.is_dir() && about.mode() & 0o1777 == PLACEHOLDER_MODE) && is_empty(path)
}

/// Removes the placeholders that a killed program left, unless another one uses them.
pub fn remove_placeholders(wanted: &[PathBuf], roots: &[PathBuf]) -> io::Result<()> {
    ProtectedPlaces::new(wanted, roots).map(drop)
}

/// Where a link leads, which may be another link or missing.
fn link_target(link: &Path) -> Option<PathBuf> {
    let target = link.parent()?.join(fs::read_link(link).ok()?);
    Some(target.parent()?.canonicalize().ok()?.join(target.file_name()?))
}

fn is_in_any(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| path.starts_with(root.canonicalize().as_ref().unwrap_or(root)))
}

fn can_be_made_later(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
    !matches!(error.kind(), NotFound | NotADirectory | PermissionDenied | ReadOnlyFilesystem)
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

impl Drop for Placeholder {
    fn drop(&mut self) {
        let alone = self.lock.unlock().is_ok() && self.lock.try_lock().is_ok();
        if alone {
            // Fails if the user has put something there meanwhile.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sb_4_last_command_removes_the_placeholder() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "x").unwrap();
        let wanted = [at("file"), at("missing"), at("no/folder/around")];
        let first = ProtectedPlaces::new(&wanted, &[]).unwrap();
        let second = ProtectedPlaces::new(&wanted, &[]).unwrap();
        assert_eq!((first.paths(), second.paths()), (&wanted[..2], &wanted[..2]));
        drop(first);
        assert!(at("missing").is_dir());
        fs::write(at("missing/of-the-user"), "x").unwrap();
        drop(second);
        assert!(at("missing/of-the-user").exists());
        drop(ProtectedPlaces::new(&[at("other")], &[]).unwrap());
        assert!(!at("other").exists());
    }

    /// The umask belongs to the whole process, so the test above runs again in processes of its own.
    #[test]
    fn sb_4_placeholders_are_known_under_each_umask() {
        for umask in ["000", "027", "077"] {
            let again = "--exact linux::protected::tests::sb_4_last_command_removes_the_placeholder";
            let script = format!("umask {umask} && exec \"$0\" {again}");
            let test = std::env::current_exe().unwrap();
            let output = std::process::Command::new("sh").args(["-c", &script]).arg(test).output().unwrap();
            let told = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && told.contains("1 passed"), "umask {umask}: {told}");
        }
    }
}
