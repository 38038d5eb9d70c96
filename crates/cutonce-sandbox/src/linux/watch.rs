//! Watches what no rlimit bounds: the disk use of a command, the memory of all its processes together, and their
//! number where the kernel does not count them (SB-7).
//!
//! Exact numbers cost a walk through files or processes. So each tick reads only what the kernel knows about the whole
//! machine, and the exact numbers are taken when that has changed enough, and from time to time.

use super::LifelinePipe;
use crate::profile::{ResourceKind, ResourceLimits};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;
use tokio::time::{Interval, MissedTickBehavior};

const TICK: Duration = Duration::from_millis(100);
/// A command must not use up the rest of a disk, whatever its limit.
const DISK_RESERVE: u64 = 256 << 20;
/// Files and folders that a command may have at one time.
const MAX_FILES: u64 = 2_000_000;
/// Walks take at most this part of the time.
const WALK_SHARE: u32 = 20;
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Looks at a running command again and again, and ends it if it is over a limit.
#[derive(Debug)]
pub(crate) struct LimitWatch {
    ticks: Interval,
    /// `None` while `looking`.
    watch: Option<ResourceWatch>,
    looking: Option<JoinHandle<(ResourceWatch, Option<ResourceKind>)>>,
    lifeline: Arc<LifelinePipe>,
}

impl LimitWatch {
    pub(crate) fn new(
        limits: ResourceLimits,
        folders: Vec<PathBuf>,
        supervisor: u32,
        lifeline: Arc<LifelinePipe>,
    ) -> Self {
        let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + TICK, TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let watch = Some(ResourceWatch::new(limits, folders, supervisor));
        Self { ticks, watch, looking: None, lifeline }
    }

    async fn look(&mut self) -> Option<ResourceKind> {
        if self.looking.is_none() {
            self.ticks.tick().await;
            let mut watch = self.watch.take()?;
            self.looking = Some(tokio::task::spawn_blocking(move || {
                let over = watch.look();
                (watch, over)
            }));
        }
        let (watch, over) = self.looking.as_mut()?.await.ok()?;
        (self.looking, self.watch) = (None, Some(watch));
        over
    }
}

/// Ends the command when it is over a limit, and returns which. Never returns after that. Cancel-safe.
pub(crate) async fn until_over(watch: &mut Option<LimitWatch>) -> ResourceKind {
    let Some(running) = watch else { return std::future::pending().await };
    loop {
        if let Some(over) = running.look().await {
            running.lifeline.kill();
            *watch = None;
            return over;
        }
    }
}

/// What the kernel knows about the whole machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct MachineState {
    free_bytes: u64,
    free_files: u64,
    tasks: u64,
    free_memory: u64,
    total_memory: u64,
}

/// The watch over one command.
#[derive(Debug)]
pub(crate) struct ResourceWatch {
    limits: ResourceLimits,
    folders: Vec<PathBuf>,
    supervisor: u32,
    /// The most free that was seen since the start, or since the last exact measurement of the disk.
    start: MachineState,
    measured_bytes: u64,
    next_walk: Instant,
    next_count: Instant,
}

impl ResourceWatch {
    pub(crate) fn new(limits: ResourceLimits, folders: Vec<PathBuf>, supervisor: u32) -> Self {
        let start = MachineState::read(&folders);
        let [next_walk, next_count] = [Instant::now() + LONGEST_PAUSE; 2];
        Self { limits, folders, supervisor, start, measured_bytes: start.free_bytes, next_walk, next_count }
    }

    /// Takes one look; returns the limit that the command is over. Blocks while it walks.
    pub(crate) fn look(&mut self) -> Option<ResourceKind> {
        let now = MachineState::read(&self.folders);
        self.start.raise_to(now);
        self.measured_bytes = self.measured_bytes.max(now.free_bytes);
        self.look_at_tasks(now).or_else(|| self.look_at_disk(now))
    }

    fn look_at_tasks(&mut self, now: MachineState) -> Option<ResourceKind> {
        let more_tasks = now.tasks.saturating_sub(self.start.tasks);
        let less_memory = self.start.free_memory.saturating_sub(now.free_memory);
        let memory_is_low = now.free_memory < now.total_memory / 32;
        // With the kernel's own limit a command stays just below it.
        let most_tasks = self.limits.processes.map(|most| most - most / 16);
        let many_tasks = most_tasks.is_some_and(|most| more_tasks >= most / 2);
        let much_memory = self.limits.total_memory.is_some_and(|most| less_memory >= most / 2);
        if !many_tasks && !much_memory && !memory_is_low && Instant::now() < self.next_count {
            return None;
        }
        self.next_count = Instant::now() + LONGEST_PAUSE;
        let command = CommandUse::read(self.supervisor);
        let over_memory = self.limits.total_memory.is_some_and(|most| command.memory > most);
        if most_tasks.is_some_and(|most| command.tasks >= most) {
            Some(ResourceKind::Processes)
        } else if over_memory || memory_is_low && command.memory > now.total_memory / 4 {
            Some(ResourceKind::Memory)
        } else {
            None
        }
    }

    fn look_at_disk(&mut self, now: MachineState) -> Option<ResourceKind> {
        let most = self.limits.disk?;
        let lost = self.start.free_bytes.saturating_sub(now.free_bytes);
        if now.free_bytes < DISK_RESERVE && lost >= DISK_RESERVE {
            return Some(ResourceKind::Disk);
        }
        let step = (most / 8).clamp(1 << 20, 256 << 20);
        let grown = self.measured_bytes.saturating_sub(now.free_bytes) >= step;
        let files = self.start.free_files.saturating_sub(now.free_files) >= MAX_FILES / 8;
        let began = Instant::now();
        if !grown && !files && began < self.next_walk {
            return None;
        }
        let used = self.folders.iter().fold(FolderUse::default(), |used, folder| used.add(folder));
        self.measured_bytes = now.free_bytes;
        self.next_walk = Instant::now() + (began.elapsed() * WALK_SHARE).max(LONGEST_PAUSE);
        // What can't be walked is taken from the disk's own numbers.
        let bytes = if used.closed { used.bytes.max(lost) } else { used.bytes };
        (bytes > most || used.files > MAX_FILES).then_some(ResourceKind::Disk)
    }
}

impl MachineState {
    fn read(folders: &[PathBuf]) -> Self {
        let disks = folders.iter().filter_map(|folder| free_on_disk(folder));
        let (free_bytes, free_files) =
            disks.reduce(|one, other| (one.0.min(other.0), one.1.min(other.1))).unwrap_or((u64::MAX, u64::MAX));
        let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let total_memory = kilobytes(&memory, "MemTotal:").unwrap_or(0);
        let free_memory = kilobytes(&memory, "MemAvailable:").unwrap_or(u64::MAX);
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let tasks = load.split(' ').nth(3).and_then(|tasks| tasks.split_once('/')?.1.parse().ok());
        Self { free_bytes, free_files, tasks: tasks.unwrap_or(0), free_memory, total_memory }
    }

    /// Other programs free what they used meanwhile: that must not hide what the command takes.
    fn raise_to(&mut self, now: Self) {
        self.free_bytes = self.free_bytes.max(now.free_bytes);
        self.free_files = self.free_files.max(now.free_files);
        self.free_memory = self.free_memory.max(now.free_memory);
        self.tasks = self.tasks.min(now.tasks);
    }
}

fn free_on_disk(folder: &Path) -> Option<(u64, u64)> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: an all-zero `statvfs` is valid, and the kernel writes only to it.
    let found = unsafe {
        let mut found: libc::statvfs = std::mem::zeroed();
        (libc::statvfs(path.as_ptr(), &raw mut found) == 0).then_some(found)
    }?;
    Some((found.f_bavail.saturating_mul(found.f_frsize), found.f_favail))
}

/// Reads a line such as `MemTotal:  16384 kB`, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// What is in a folder, by a walk that follows no link.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct FolderUse {
    bytes: u64,
    files: u64,
    /// Something can't be listed: it has no rights for its owner, or is nested too deep.
    closed: bool,
}

impl FolderUse {
    fn add(mut self, folder: &Path) -> Self {
        let mut open = vec![folder.to_path_buf()];
        while let Some(folder) = open.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                // It was removed meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(_) => {
                    self.closed = true;
                    continue;
                }
            };
            for entry in entries.flatten() {
                let Ok(about) = entry.metadata() else { continue };
                self.files += 1;
                self.bytes = self.bytes.saturating_add(about.blocks().saturating_mul(512));
                if about.is_dir() {
                    open.push(entry.path());
                }
            }
            if self.files > MAX_FILES {
                break;
            }
        }
        self
    }
}

/// What the processes of a command use together.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct CommandUse {
    tasks: u64,
    memory: u64,
}

impl CommandUse {
    fn read(supervisor: u32) -> Self {
        let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            if let Some(parent) = parent_of(pid) {
                children.entry(parent).or_default().push(pid);
            }
        }
        let mut used = Self::default();
        let mut open = children.remove(&supervisor).unwrap_or_default();
        while let Some(pid) = open.pop() {
            open.extend(children.remove(&pid).unwrap_or_default());
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let threads = status.lines().find_map(|line| line.strip_prefix("Threads:")?.trim().parse::<u64>().ok());
            used.tasks += threads.unwrap_or(1);
            for part in ["RssAnon:", "RssShmem:"] {
                used.memory = used.memory.saturating_add(kilobytes(&status, part).unwrap_or(0));
            }
        }
        used
    }
}

/// Reads a process's parent: the second field after the name, which ends with the last parenthesis.
fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Counts the processes and threads of the current user.
pub(crate) fn count_own_tasks() -> u64 {
    // SAFETY: `getuid` takes no arguments, accesses no memory and can't fail.
    let user = unsafe { libc::getuid() };
    let mut tasks = 0;
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let is_own = entry.metadata().is_ok_and(|about| about.uid() == user || about.uid() == 0);
        if !is_own || entry.file_name().to_str().is_none_or(|name| !name.starts_with(|c: char| c.is_ascii_digit())) {
            continue;
        }
        // A process that can't be inspected belongs to root here; its status still has the real user.
        let status = fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let of = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next());
        if of("Uid:").and_then(|uid| uid.parse().ok()) == Some(user) {
            tasks += of("Threads:").and_then(|threads| threads.parse::<u64>().ok()).unwrap_or(1);
        }
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn sb_7_folders_are_measured_without_following_links() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("in/deep")).unwrap();
        fs::write(dir.path().join("in/deep/file"), vec![1; 3 << 20]).unwrap();
        fs::write(dir.path().join("out"), vec![1; 3 << 20]).unwrap();
        std::os::unix::fs::symlink(dir.path(), dir.path().join("in/link")).unwrap();
        let used = FolderUse::default().add(&dir.path().join("in"));
        assert!(used.files == 3 && (3 << 20..4 << 20).contains(&used.bytes) && !used.closed, "{used:?}");
        assert_eq!(FolderUse::default().add(&dir.path().join("gone")), FolderUse::default());
        fs::set_permissions(dir.path().join("in/deep"), fs::Permissions::from_mode(0o000)).unwrap();
        // Root can list it.
        let closed = FolderUse::default().add(&dir.path().join("in"));
        assert!(closed.closed || closed == used, "{closed:?}");
        fs::set_permissions(dir.path().join("in/deep"), fs::Permissions::from_mode(0o700)).unwrap();
    }

    #[test]
    fn sb_7_processes_of_a_command_are_counted() {
        let mut child = std::process::Command::new("sh").args(["-c", "sleep 60 & sleep 60 & wait"]).spawn().unwrap();
        while CommandUse::read(child.id()).tasks < 2 {
            std::thread::yield_now();
        }
        assert_eq!(CommandUse::read(child.id()).tasks, 2);
        // Other tests have children, too.
        let used = CommandUse::read(std::process::id());
        assert!(used.memory > 0 && used.tasks >= 3 && count_own_tasks() >= 3, "{used:?}");
        for sleeper in fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id())).unwrap().split(' ') {
            let Ok(pid) = sleeper.parse::<i32>() else { continue };
            // SAFETY: `pid` is a child of our own child, which has not reaped it.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
        child.wait().unwrap();
    }
}
