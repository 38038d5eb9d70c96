//! Removes what commands left in private folders, whatever its modes, depth or number (SB-7).

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Removes a folder tree of which no process uses anything any more. Folders may deny access to their owner, and
/// may be nested deeper than a path can be long: so each one moves up to the top before its content is removed.
pub(crate) fn remove_tree(top: &Path) -> io::Result<()> {
    open_folder(top)?;
    let mut moved = 0u64;
    loop {
        let mut empty = true;
        for entry in fs::read_dir(top)? {
            let entry = entry?;
            empty = false;
            if entry.file_type()?.is_dir() {
                remove_level(top, &entry.path(), &mut moved)?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        if empty {
            return fs::remove_dir(top);
        }
    }
}

/// Removes one folder below the top, after its own folders have moved to the top.
fn remove_level(top: &Path, folder: &Path, moved: &mut u64) -> io::Result<()> {
    open_folder(folder)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() {
            fs::remove_file(entry.path())?;
            continue;
        }
        // Moving a folder needs write access to it.
        open_folder(&entry.path())?;
        let to = loop {
            *moved += 1;
            let to = top.join(format!("moved-{moved}"));
            if to.symlink_metadata().is_err() {
                break to;
            }
        };
        fs::rename(entry.path(), to)?;
    }
    fs::remove_dir(folder)
}

fn open_folder(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o700))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Root could enter closed folders, so this thread gives up root's rights for files.
    #[cfg(target_os = "linux")]
    fn set_file_user(user: libc::uid_t) {
        // SAFETY: the call takes a plain number and changes only the rights of this thread.
        unsafe { libc::syscall(libc::SYS_setfsuid, user) };
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn sb_7_removes_closed_folders_without_following_links() {
        set_file_user(65534);
        let dir = tempfile::tempdir().unwrap();
        let (top, outside) = (dir.path().join("top"), dir.path().join("outside"));
        fs::write(&outside, "x").unwrap();
        fs::create_dir_all(top.join("a/b/c")).unwrap();
        fs::create_dir_all(top.join("moved-1/d")).unwrap();
        std::os::unix::fs::symlink(dir.path(), top.join("a/link")).unwrap();
        fs::write(top.join("a/b/f"), "x").unwrap();
        for closed in ["a/b/c", "a/b", "a", ""] {
            fs::set_permissions(top.join(closed), Permissions::from_mode(0o000)).unwrap();
        }
        remove_tree(&top).unwrap();
        assert!(!top.exists() && outside.exists());
        drop(dir);
        // SAFETY: `getuid` takes no arguments, accesses no memory and can't fail.
        set_file_user(unsafe { libc::getuid() });
    }

    /// Removes the tree that this variable names, for the test below.
    const DEEP_TREE: &str = "CUTONCE_TEST_DEEP_TREE";

    /// 1,500 levels and a path of 27,000 bytes, removed by a process that may open 64 files: neither a walk by path nor
    /// one that keeps each level open gets to the end.
    #[test]
    fn sb_7_removes_trees_deeper_than_paths_and_descriptors() {
        if let Some(top) = std::env::var_os(DEEP_TREE) {
            return remove_tree(Path::new(&top)).unwrap();
        }
        let dir = tempfile::tempdir().unwrap();
        let mut top = dir.path().join("end");
        fs::write(&top, "x").unwrap();
        for level in 0..1500 {
            let outer = dir.path().join(level.to_string());
            fs::create_dir(&outer).unwrap();
            fs::rename(&top, outer.join("deeper-and-deeper")).unwrap();
            top = outer;
        }
        let name = std::thread::current().name().unwrap().to_string();
        let mut again = Command::new("bash");
        again.args(["-c", "ulimit -n 64 && exec \"$@\"", "bash"]).arg(std::env::current_exe().unwrap());
        let done = again.args(["--exact", &name, "--test-threads", "1"]).env(DEEP_TREE, &top).output().unwrap();
        assert!(done.status.success() && !top.exists(), "{}", String::from_utf8_lossy(&done.stdout));
    }
}
