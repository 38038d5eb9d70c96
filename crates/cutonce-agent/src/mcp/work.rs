//! Is a server that is being started at work, or does it hang? A program that starts up computes, or waits for the disk; one that hangs
//! sleeps. So a wait for tools ends early for a server that would only cost time (HO-6).

/// What a program and all below it have done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Time on the processor, in the kernel's ticks.
    pub ticks: u64,
    /// One of its threads runs, would run, or waits for the disk at this moment.
    pub busy: bool,
}

impl Work {
    /// It did something since it was looked at last.
    pub(super) fn goes_on_from(self, before: Option<Work>) -> bool {
        self.busy || before.is_none_or(|before| before.ticks != self.ticks)
    }
}

/// Of this process and those below it; None where that can't be known.
#[cfg(all(feature = "mcp", target_os = "linux"))]
pub(super) fn of(pid: u32) -> Option<Work> {
    /// A server that starts more than this is at work.
    const MOST: usize = 64;
    let mut work = one(pid)?;
    let (mut next, mut seen) = (children(pid), 1);
    while let Some(pid) = next.pop() {
        seen += 1;
        if seen > MOST {
            return Some(Work { busy: true, ..work });
        }
        let Some(below) = one(pid) else { continue };
        work = Work { ticks: work.ticks + below.ticks, busy: work.busy || below.busy };
        next.extend(children(pid));
    }
    Some(work)
}

#[cfg(all(feature = "mcp", not(target_os = "linux")))]
pub(super) fn of(_pid: u32) -> Option<Work> {
    None
}

#[cfg(all(feature = "mcp", target_os = "linux"))]
fn one(pid: u32) -> Option<Work> {
    let work = read(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?;
    // The process's own line tells the state of its first thread alone, and that one may wait for the others.
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut lines = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok());
    Some(Work { busy: work.busy || lines.any(|line| read(&line).is_some_and(|one| one.busy)), ..work })
}

/// `pid (name) state ppid …`: the name may hold anything, the times are its own and of the children it waited for.
#[cfg(all(feature = "mcp", target_os = "linux"))]
fn read(stat: &str) -> Option<Work> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let times = fields.get(11..15)?;
    let ticks = times.iter().filter_map(|time| time.parse::<u64>().ok()).sum();
    Some(Work { ticks, busy: matches!(*fields.first()?, "R" | "D") })
}

#[cfg(all(feature = "mcp", target_os = "linux"))]
fn children(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let named = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    named.flat_map(|names| names.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>()).collect()
}

#[cfg(all(test, feature = "mcp", target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn ho_6_a_process_that_works_is_told_from_one_that_sleeps() {
        let sleeps = read("7 (a ) name) S 1 7 7 0 -1 4194304 100 0 0 0 3 4 0 1 20 0 1 0 100 0 0").unwrap();
        assert_eq!(sleeps, Work { ticks: 8, busy: false });
        assert!(!sleeps.goes_on_from(Some(sleeps)) && sleeps.goes_on_from(None));
        assert!(sleeps.goes_on_from(Some(Work { ticks: 7, busy: false })));
        assert!(Work { busy: true, ..sleeps }.goes_on_from(Some(sleeps)));
        assert_eq!((read("7 (x"), read("7 (x) S 1")), (None, None));
        assert!(of(std::process::id()).is_some());
    }
}
