//! A control group for each confined command, where the user may make them (SB-7): a group of the unified hierarchy
//! (version 2) at or above our own that the user can write to and that hands on a controller, as systemd's user
//! services have. Elsewhere rlimits and the watch are the only limits.

use crate::profile::{ResourceKind, ResourceLimits};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The group of one command; removed on drop, when all its processes are gone.
#[derive(Debug)]
pub(crate) struct CommandGroup {
    path: PathBuf,
    /// A process that writes "0" to it moves here.
    members: File,
}

impl CommandGroup {
    /// Makes a group with these limits; `None` where none can be made.
    pub(crate) fn new(limits: ResourceLimits) -> Option<Self> {
        static PARENT: OnceLock<Option<PathBuf>> = OnceLock::new();
        let parent = PARENT.get_or_init(|| {
            let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
            let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
            find_parent(&mounts, &own)
        });
        Self::make_in(parent.as_deref()?, limits).ok()
    }

    fn make_in(parent: &Path, limits: ResourceLimits) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("cutonce-{}-{number}", std::process::id()));
        fs::create_dir(&path)?;
        let made =
            set_limits(&path, limits).and_then(|()| OpenOptions::new().write(true).open(path.join("cgroup.procs")));
        match made {
            Ok(members) => Ok(Self { path, members }),
            Err(error) => {
                let _ = fs::remove_dir(&path);
                Err(error)
            }
        }
    }

    pub(crate) fn members(&self) -> RawFd {
        self.members.as_raw_fd()
    }

    /// Returns the limit that the kernel enforced, if any.
    pub(crate) fn limit_hit(&self) -> Option<ResourceKind> {
        let happened = |file: &str, event: &str| {
            let events = fs::read_to_string(self.path.join(file)).unwrap_or_default();
            events.lines().any(|line| line.split_once(' ').is_some_and(|(name, count)| name == event && count != "0"))
        };
        if happened("memory.events", "oom_kill") {
            Some(ResourceKind::Memory)
        } else if happened("pids.events", "max") {
            Some(ResourceKind::Processes)
        } else {
            None
        }
    }
}

impl Drop for CommandGroup {
    fn drop(&mut self) {
        // An empty group that stays costs nothing, and its parent removes it at the end of the user's session.
        let _ = fs::remove_dir(&self.path);
    }
}

/// Writes the limits to the controllers that the group has.
fn set_limits(group: &Path, limits: ResourceLimits) -> io::Result<()> {
    let number = |limit: Option<u64>| limit.map(|most| most.to_string());
    let memory = number(limits.total_memory);
    let one_fate = memory.as_ref().map(|_| "1".to_string());
    let files = [("pids.max", number(limits.processes)), ("memory.max", memory), ("memory.oom.group", one_fate)];
    for (file, value) in files {
        let path = group.join(file);
        if let Some(value) = value.filter(|_| path.exists()) {
            fs::write(path, value)?;
        }
    }
    Ok(())
}

/// Finds the nearest group at or above ours in which a group with limits can be made. `mounts` and `own` are the texts
/// of /proc/self/mountinfo and /proc/self/cgroup.
fn find_parent(mounts: &str, own: &str) -> Option<PathBuf> {
    let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let root = mounts.lines().find_map(cgroup_mount)?;
    let group = root.join(own);
    group.ancestors().take_while(|above| above.starts_with(&root)).find(|above| hands_on(above)).map(Path::to_path_buf)
}

/// Returns where a line of mountinfo mounts the whole unified hierarchy that we see.
fn cgroup_mount(line: &str) -> Option<PathBuf> {
    let (before, after) = line.split_once(" - ")?;
    let mut fields = before.split(' ').skip(3);
    let is_whole = fields.next() == Some("/") && after.starts_with("cgroup2 ");
    // The kernel escapes blanks in paths; such a mount is left out.
    fields.next().filter(|at| is_whole && !at.contains('\\')).map(PathBuf::from)
}

/// True if groups made in this one get a controller that we use.
fn hands_on(group: &Path) -> bool {
    let controllers = fs::read_to_string(group.join("cgroup.subtree_control")).unwrap_or_default();
    controllers.split_whitespace().any(|name| matches!(name, "pids" | "memory"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that looks like a hierarchy: the kernel's own needs a machine that delegates one.
    fn hierarchy() -> (tempfile::TempDir, String) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("user/app/shell.scope")).unwrap();
        for (group, controllers) in
            [("", "cpu"), ("user", "pids memory"), ("user/app", "pids memory"), ("user/app/shell.scope", "")]
        {
            fs::write(dir.path().join(group).join("cgroup.subtree_control"), controllers).unwrap();
        }
        let mounts = format!("41 31 0:38 / {} rw,relatime - cgroup2 cgroup2 rw\n", dir.path().display());
        (dir, mounts)
    }

    #[test]
    fn sb_7_groups_are_made_where_controllers_reach() {
        let (dir, mounts) = hierarchy();
        let at = |own: &str| find_parent(&mounts, own);
        assert_eq!(at("4:memory:/x\n0::/user/app/shell.scope\n"), Some(dir.path().join("user/app")));
        assert_eq!(at("0::/\n"), None);
        assert_eq!(at("4:memory:/x\n"), None);
        assert_eq!(find_parent("36 35 0:30 / /proc rw - proc proc rw\n", "0::/user/app/shell.scope"), None);
        let part = mounts.replace(" / ", " /user ");
        assert_eq!(find_parent(&part, "0::/user/app/shell.scope"), None);
    }

    #[test]
    fn sb_7_group_states_the_limit_that_was_hit() {
        let dir = tempfile::tempdir().unwrap();
        for file in ["pids.max", "cgroup.procs"] {
            fs::write(dir.path().join(file), "").unwrap();
        }
        let limits = ResourceLimits { processes: Some(64), total_memory: Some(1 << 30), ..ResourceLimits::default() };
        set_limits(dir.path(), limits).unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("pids.max")).unwrap(), "64");
        assert!(!dir.path().join("memory.max").exists(), "the group has no such controller");
        let group =
            CommandGroup { path: dir.path().into(), members: File::open(dir.path().join("cgroup.procs")).unwrap() };
        assert_eq!(group.limit_hit(), None);
        fs::write(dir.path().join("pids.events"), "max 3\n").unwrap();
        assert_eq!(group.limit_hit(), Some(ResourceKind::Processes));
        fs::write(dir.path().join("memory.events"), "low 0\noom 2\noom_kill 1\n").unwrap();
        assert_eq!(group.limit_hit(), Some(ResourceKind::Memory));
    }

    /// The kernel moves a process that writes "0", whatever namespaces it has entered since.
    #[test]
    fn sb_7_process_joins_a_group_of_the_kernel() {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let Some(root) = mounts.lines().find_map(cgroup_mount) else { return };
        let Ok(group) = CommandGroup::make_in(&root, ResourceLimits::default()) else { return };
        let text = format!("echo 0 >&{} && cat /proc/self/cgroup", group.members());
        // Not `sh`: dash takes descriptors of one digit only.
        let mut shell = std::process::Command::new("bash");
        // SAFETY: the closure runs in the forked child and changes one flag of its own descriptor.
        unsafe {
            use std::os::unix::process::CommandExt;
            let members = group.members();
            shell.pre_exec(move || match libc::fcntl(members, libc::F_SETFD, 0) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            });
        }
        let output = shell.args(["-c", &text]).output().unwrap();
        let joined = String::from_utf8_lossy(&output.stdout).into_owned();
        let name = group.path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(joined.contains(&format!("0::/{name}")), "{joined}{}", String::from_utf8_lossy(&output.stderr));
        let path = group.path.clone();
        drop(group);
        assert!(!path.exists());
    }
}
