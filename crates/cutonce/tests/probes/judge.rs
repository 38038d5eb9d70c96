//! Observes the system from outside: files with all their metadata, contacted listeners, running processes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The observed state: a path and a line about it.
pub type World = BTreeMap<PathBuf, String>;

/// Everything below these folders, and files with `tag` in their names in world-writable folders.
pub fn world(folders: &[PathBuf], left_out: &[PathBuf], tag: &str, ours: &Path) -> World {
    let mut world = World::new();
    for folder in folders {
        look(folder, left_out, &mut world);
    }
    for shared in ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/"] {
        for entry in fs::read_dir(shared).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().contains(tag) && entry.path() != ours {
                world.insert(entry.path(), "there".into());
            }
        }
    }
    for list in ["shm", "sem", "msg"] {
        // System V objects with the key that probes use.
        let text = fs::read_to_string(format!("/proc/sysvipc/{list}")).unwrap_or_default();
        if text.lines().any(|line| line.split_whitespace().next() == Some("4242424")) {
            world.insert(PathBuf::from(format!("System V {list}")), "there".into());
        }
    }
    world.insert("the host's name".into(), fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default());
    world
}

fn look(path: &Path, left_out: &[PathBuf], world: &mut World) {
    if left_out.iter().any(|out| out == path) {
        return;
    }
    let Ok(meta) = fs::symlink_metadata(path) else { return };
    let body = match meta.file_type() {
        kind if kind.is_file() => hash(&fs::read(path).unwrap_or_default()),
        kind if kind.is_symlink() => fs::read_link(path).map(|to| to.display().to_string()).unwrap_or_default(),
        _ => String::new(),
    };
    let times = format!("mtime {}.{} ctime {}.{}", meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec());
    let line = format!(
        "inode {} mode {:o} owner {}:{} links {} size {} {times} {body} {}",
        meta.ino(),
        meta.mode(),
        meta.uid(),
        meta.gid(),
        meta.nlink(),
        if meta.is_dir() { 0 } else { meta.size() },
        attributes(path)
    );
    world.insert(path.to_owned(), line);
    if meta.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            look(&entry.path(), left_out, world);
        }
    }
}

fn hash(bytes: &[u8]) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{:x}", hasher.finish())
}

/// Extended attributes, names and values, in one line.
fn attributes(path: &Path) -> String {
    let Ok(path) = std::ffi::CString::new(path.as_os_str().as_bytes()) else { return String::new() };
    let mut names = vec![0u8; 4096];
    // SAFETY: the buffer has the length that we pass.
    let len = unsafe { libc::llistxattr(path.as_ptr(), names.as_mut_ptr().cast(), names.len()) };
    names.truncate(usize::try_from(len).unwrap_or_default());
    let mut line = String::new();
    for name in
        names.split_inclusive(|byte| *byte == 0).filter_map(|name| std::ffi::CStr::from_bytes_with_nul(name).ok())
    {
        let mut value = vec![0u8; 4096];
        // SAFETY: the buffer has the length that we pass.
        let len = unsafe { libc::lgetxattr(path.as_ptr(), name.as_ptr(), value.as_mut_ptr().cast(), value.len()) };
        value.truncate(usize::try_from(len).unwrap_or_default());
        line += &format!("{}={} ", name.to_string_lossy(), hash(&value));
    }
    line
}

/// Describes every difference.
pub fn differences(before: &World, after: &World, root: &Path) -> Vec<String> {
    let short = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    let paths: std::collections::BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let told = paths.into_iter().filter_map(|path| match (before.get(path), after.get(path)) {
        (Some(was), Some(is)) if was == is => None,
        (Some(was), Some(is)) => Some(format!("{} changed: {}", short(path), words_that_differ(was, is))),
        (Some(_), None) => Some(format!("{} is gone", short(path))),
        (None, _) => Some(format!("{} is new", short(path))),
    });
    told.take(4).collect()
}

fn words_that_differ(was: &str, is: &str) -> String {
    let mut name = "";
    let mut told = Vec::new();
    for (was, is) in was.split(' ').zip(is.split(' ')) {
        if was == is {
            name = was;
        } else {
            told.push(format!("{name} {was} -> {is}"));
        }
    }
    told.join(", ")
}

/// Processes with this run's mark, except the given ones.
pub fn left_behind(mark: &str, root: &Path, known: &[u32]) -> Vec<String> {
    let mut left = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        if known.contains(&pid) || pid == std::process::id() {
            continue;
        }
        let marked = fs::read(entry.path().join("environ"))
            .is_ok_and(|env| env.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()));
        let inside = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(root));
        if marked || inside {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            left.push(format!("process {pid} ({}) was left behind", line.trim()));
        }
    }
    left
}
