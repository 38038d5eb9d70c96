//! Which files git tracks (PC-20): reads git's index. A tracked file is never ignored, whatever the rules say.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A larger index is not read.
const MAX_INDEX: u64 = 512 << 20;
/// Bytes of an entry before the object's hash.
const BEFORE_HASH: usize = 40;
/// Bytes of the hash: SHA-1 and SHA-256.
const HASHES: [usize; 2] = [20, 32];
/// Flags of an entry.
const EXTENDED: u16 = 0x4000;
const LENGTH: u16 = 0x0fff;

/// Which of these paths (relative to `top`) the repository at `top` tracks: files, and folders with a tracked file. All
/// of them if that can't be found out.
pub(super) fn tracked_among(top: &Path, paths: impl IntoIterator<Item = PathBuf>) -> HashSet<PathBuf> {
    let paths: HashSet<PathBuf> = paths.into_iter().collect();
    let Some(folder) = git_folder(top) else { return HashSet::new() };
    let index = match fs::metadata(folder.join("index")) {
        Ok(about) if about.len() <= MAX_INDEX => fs::read(folder.join("index")),
        Ok(_) => return paths,
        Err(error) => Err(error),
    };
    match index {
        Ok(bytes) => HASHES.iter().find_map(|hash| find_names(&bytes, *hash, &paths)).unwrap_or(paths),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => HashSet::new(),
        Err(_) => paths,
    }
}

/// The folder that all worktrees of the repository share.
pub(super) fn common_folder(top: &Path) -> Option<PathBuf> {
    let folder = git_folder(top)?;
    match fs::read_to_string(folder.join("commondir")) {
        Ok(common) => Some(folder.join(common.trim())),
        Err(_) => Some(folder),
    }
}

/// The folder of the repository; for a worktree or submodule a file names it.
fn git_folder(top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(&git).ok()?;
    Some(top.join(text.strip_prefix("gitdir:")?.trim()))
}

/// The wanted names that the index has; `None` if it can't be read with hashes of this size, or has parts elsewhere.
fn find_names(index: &[u8], hash: usize, wanted: &HashSet<PathBuf>) -> Option<HashSet<PathBuf>> {
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    let version = number(4).filter(|version| index.starts_with(b"DIRC") && matches!(version, 2..=4))?;
    let (mut at, mut name, mut found) = (12, Vec::new(), HashSet::new());
    for _ in 0..number(8)? {
        let flags = at + BEFORE_HASH + hash;
        let first = u16::from_be_bytes(index.get(flags..flags + 2)?.try_into().ok()?);
        let mut start = flags + if version > 2 && first & EXTENDED != 0 { 4 } else { 2 };
        if version == 4 {
            let (cut, next) = read_cut(index, start)?;
            name.truncate(name.len().checked_sub(cut)?);
            start = next;
        } else {
            name.clear();
        }
        let length = index.get(start..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(index.get(start..start + length)?);
        let end = start + length;
        // Older versions fill each entry up to a multiple of eight bytes.
        at = if version == 4 { end + 1 } else { at + (end - at + 8) / 8 * 8 };
        let end_of_folders = name.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let parts = end_of_folders.chain([name.len()]).filter_map(|end| name.get(..end));
        found.extend(parts.map(|part| Path::new(OsStr::from_bytes(part))).filter_map(|part| wanted.get(part)).cloned());
        // A folder stands for all files in it (sparse index).
        if name.ends_with(b"/") {
            let folder = Path::new(OsStr::from_bytes(&name));
            found.extend(wanted.iter().filter(|wanted| wanted.starts_with(folder)).cloned());
        }
        // The flags have the length, as far as it fits: with hashes of another size it would be another one.
        let says = usize::from(first & LENGTH);
        if name.is_empty() || says != name.len().min(usize::from(LENGTH)) {
            return None;
        }
    }
    let rest = index.get(at..).filter(|rest| rest.len() >= hash)?;
    // A split index has the other entries in another file.
    (!rest.starts_with(b"link")).then_some(found)
}

/// How many bytes of the last name are dropped, in git's encoding, and where the rest of the name begins.
fn read_cut(index: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *index.get(at)?;
    let mut cut = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *index.get(at)?;
        cut = cut.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
    }
    Some((cut, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn is_tracked(top: &Path, path: &Path) -> bool {
        !tracked_among(top, [path.to_path_buf()]).is_empty()
    }

    #[test]
    fn pc_20_tracked_files_are_found_in_any_index() {
        let forms: [&[&str]; 5] = [
            &["init", "-q"],
            &["init", "-q", "--object-format=sha256"],
            &["-c", "index.version=4", "init", "-q"],
            &["-c", "core.splitIndex=true", "init", "-q"],
            &["-c", "index.version=3", "init", "-q"],
        ];
        for form in forms {
            let dir = tempfile::tempdir().unwrap();
            let top = dir.path();
            let git = |args: &[&str]| {
                let settings = &form[..form.len() - form.iter().rev().take_while(|arg| **arg != "init").count() - 1];
                let done = Command::new("git").args(settings).args(args).current_dir(top).status().unwrap();
                assert!(done.success(), "{args:?}");
            };
            let mut init = Command::new("git");
            assert!(init.args(form).current_dir(top).status().unwrap().success());
            assert!(!is_tracked(top, Path::new("a")), "no index yet");
            for name in ["a", "dir/one.rs", "dir/two.rs", "other"] {
                fs::create_dir_all(top.join(name).parent().unwrap()).unwrap();
                fs::write(top.join(name), "x").unwrap();
            }
            git(&["add", "a", "dir"]);
            git(&["add", "--intent-to-add", "other"]);
            for name in ["a", "dir/one.rs", "dir/two.rs", "other"] {
                assert!(is_tracked(top, Path::new(name)), "{form:?} {name}");
            }
            let split = form.contains(&"core.splitIndex=true");
            assert!(is_tracked(top, Path::new("dir")), "it has tracked files");
            for name in ["di", "dir/three.rs", "b"] {
                assert_eq!(is_tracked(top, Path::new(name)), split, "{form:?} {name}");
            }
            fs::write(top.join(".git/index"), b"DIRC\0\0\0\x02\xff\xff\xff\xff").unwrap();
            assert!(is_tracked(top, Path::new("b")), "what can't be read counts as tracked");
        }
    }
}
