//! Detects whether a starting server works or hangs: a starting program computes or waits for the disk, a hanging one
//! sleeps. The wait for tools ends early for a hanging server. A plain timeout would let such a server delay a host's
//! first request by the whole wait, and a dead or slow server must delay nothing (HO-6).

/// The work done by a process and its children.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProcessWork {
    /// CPU time in kernel ticks.
    pub ticks: u64,
    /// Whether a thread is running, runnable or waiting for the disk.
    pub busy: bool,
}

impl ProcessWork {
    /// Whether it did something since the last observation.
    pub(super) fn progressed_since(self, before: Option<ProcessWork>) -> bool {
        self.busy || before.is_none_or(|before| before.ticks != self.ticks)
    }
}

/// Measures this process and its children; `None` if unknown.
#[cfg(all(feature = "mcp", target_os = "linux"))]
pub(super) fn measure_work(pid: u32) -> Option<ProcessWork> {
    /// A server with more processes than this is treated as working.
    const MOST: usize = 64;
    let mut work = measure_process(pid)?;
    let (mut next, mut seen) = (child_pids(pid), 1);
    while let Some(pid) = next.pop() {
        seen += 1;
        if seen > MOST {
            return Some(ProcessWork { busy: true, ..work });
        }
        let Some(below) = measure_process(pid) else { continue };
        work = ProcessWork { ticks: work.ticks + below.ticks, busy: work.busy || below.busy };
        next.extend(child_pids(pid));
    }
    Some(work)
}

#[cfg(all(feature = "mcp", not(target_os = "linux")))]
pub(super) fn measure_work(_pid: u32) -> Option<ProcessWork> {
    None
}

#[cfg(all(feature = "mcp", target_os = "linux"))]
fn measure_process(pid: u32) -> Option<ProcessWork> {
    let work = parse_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?;
    // The process's own line only has the state of its first thread, which may wait for the others.
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut lines = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok());
    Some(ProcessWork { busy: work.busy || lines.any(|line| parse_stat(&line).is_some_and(|one| one.busy)), ..work })
}

/// Parses `pid (name) state ppid …`. The name may contain anything; the times include those of reaped children.
#[cfg(all(feature = "mcp", target_os = "linux"))]
fn parse_stat(stat: &str) -> Option<ProcessWork> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let times = fields.get(11..15)?;
    let ticks = times.iter().filter_map(|time| time.parse::<u64>().ok()).sum();
    Some(ProcessWork { ticks, busy: matches!(*fields.first()?, "R" | "D") })
}

#[cfg(all(feature = "mcp", target_os = "linux"))]
fn child_pids(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let named = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    named.flat_map(|names| names.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>()).collect()
}

#[cfg(all(test, feature = "mcp", target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn ho_6_working_and_sleeping_processes_are_distinguished() {
        let sleeps = parse_stat("7 (a ) name) S 1 7 7 0 -1 4194304 100 0 0 0 3 4 0 1 20 0 1 0 100 0 0").unwrap();
        assert_eq!(sleeps, ProcessWork { ticks: 8, busy: false });
        assert!(!sleeps.progressed_since(Some(sleeps)) && sleeps.progressed_since(None));
        assert!(sleeps.progressed_since(Some(ProcessWork { ticks: 7, busy: false })));
        assert!(ProcessWork { busy: true, ..sleeps }.progressed_since(Some(sleeps)));
        assert_eq!((parse_stat("7 (x"), parse_stat("7 (x) S 1")), (None, None));
        assert!(measure_work(std::process::id()).is_some());
    }
}
