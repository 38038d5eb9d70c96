//! What all sessions of this home used, by day, project and model (DU-3), in one small file.
//!
//! Each request appends one line, so a crash loses nothing that was counted before, and several processes can write at
//! once. A file that has grown too long is summed up; the oldest days leave it first.

use super::paths::{create_private_dir, open_own, private_options};
use cutonce_core::conversation::TokenUsage;
use cutonce_core::protocol::usage_totals::ModelTotals;
use cutonce_core::text::number::describe_usage;
use cutonce_core::text::sanitize::one_line;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file is summed up when it is longer than this.
const MAX_FILE: u64 = 512 << 10;
/// The length to which the sum is cut.
const MAX_SUM: usize = 256 << 10;
/// A reader ignores what is behind this; only a damaged file is longer.
const MAX_READ: u64 = 4 << 20;
/// Dollars of a line. More is damage, and could add up to infinity.
const MAX_COST: f64 = 1e12;
/// Another process writes a line or the sum: how long to wait for it.
const LOCK_TRIES: u32 = 100;
const LOCK_WAIT: Duration = Duration::from_millis(1);
/// Days, projects and models that the report shows.
const SHOWN_DAYS: usize = 14;
const SHOWN_PROJECTS: usize = 10;

/// Counts the requests of one project.
#[derive(Debug, Clone)]
pub(crate) struct UsageLog {
    path: PathBuf,
    project: String,
    /// Lines that could not be written yet.
    pending: Vec<u8>,
    max_file: u64,
    max_sum: usize,
}

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct UsageLine {
    day: String,
    project: String,
    model: String,
    #[serde(flatten)]
    totals: ModelTotals,
}

impl UsageLog {
    pub fn new(home: &Path, project: &Path) -> UsageLog {
        let project = project.to_string_lossy().into_owned();
        UsageLog { path: history_file(home), project, pending: Vec::new(), max_file: MAX_FILE, max_sum: MAX_SUM }
    }

    /// Counts a request. A file that can't be written must not stop the session: the line waits for the next request.
    pub fn add(&mut self, model: &str, usage: TokenUsage, cost: f64) {
        if usage == TokenUsage::default() && cost == 0.0 {
            return;
        }
        let (day, totals) = (today(), ModelTotals { usage, cost });
        let line = UsageLine { day, project: self.project.clone(), model: model.into(), totals };
        let Ok(line) = serde_json::to_string(&line) else { return };
        // The first newline ends a line that a crash has cut.
        self.pending.extend_from_slice(format!("\n{line}\n").as_bytes());
        match self.flush() {
            Ok(length) if length > self.max_file => {
                if let Err(error) = self.sum_up() {
                    tracing::warn!(%error, "the usage history can't be shortened");
                }
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "the usage history can't be written");
                // A disk that stays full must not fill the memory.
                if self.pending.len() > self.max_sum {
                    self.pending.clear();
                }
            }
        }
    }

    /// Appends the pending lines; returns the file's length.
    fn flush(&mut self) -> io::Result<u64> {
        if let Some(folder) = self.path.parent() {
            create_private_dir(folder)?;
        }
        for _ in 0..LOCK_TRIES {
            let mut file = open_own(private_options().create(true).append(true), &self.path)?;
            // The process that sums up locks the file, then replaces it.
            if file.try_lock_shared().is_ok() && self.is_current(&file)? {
                file.write_all(&self.pending)?;
                self.pending.clear();
                return Ok(file.metadata()?.len());
            }
            std::thread::sleep(LOCK_WAIT);
        }
        Err(io::Error::new(io::ErrorKind::WouldBlock, "another process has locked it"))
    }

    fn is_current(&self, file: &File) -> io::Result<bool> {
        let (ours, now) = (file.metadata()?, std::fs::metadata(&self.path));
        Ok(now.is_ok_and(|now| (now.dev(), now.ino()) == (ours.dev(), ours.ino())))
    }

    /// Replaces the lines by their sums and drops the oldest days. Another process may be doing it already.
    fn sum_up(&self) -> io::Result<()> {
        let file = open_to_read(&self.path)?;
        if file.try_lock().is_err() || !self.is_current(&file)? {
            return Ok(());
        }
        let mut lines: Vec<String> = Vec::new();
        for line in sum_lines(read_lines(&file)?).iter().rev() {
            lines.push(serde_json::to_string(line)? + "\n");
        }
        let mut length = 0;
        lines.retain(|line| {
            length += line.len();
            length <= self.max_sum
        });
        lines.reverse();
        super::paths::write_private(&self.path, lines.concat().as_bytes())
    }
}

fn history_file(home: &Path) -> PathBuf {
    home.join("usage.jsonl")
}

fn open_to_read(path: &Path) -> io::Result<File> {
    open_own(OpenOptions::new().read(true), path)
}

fn today() -> String {
    jiff::Zoned::now().date().to_string()
}

/// The readable lines; damaged ones, and costs that no session has, are left out.
fn read_lines(file: &File) -> io::Result<Vec<UsageLine>> {
    let mut bytes = Vec::new();
    file.take(MAX_READ).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let sound = |line: &UsageLine| (0.0..=MAX_COST).contains(&line.totals.cost);
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).filter(sound).collect())
}

/// One line for each day, project and model, oldest first.
fn sum_lines(lines: Vec<UsageLine>) -> Vec<UsageLine> {
    let mut sums: BTreeMap<(String, String, String), ModelTotals> = BTreeMap::new();
    for UsageLine { day, project, model, totals } in lines {
        let sum = sums.entry((day, project, model)).or_default();
        sum.usage += totals.usage;
        sum.cost += totals.cost;
    }
    let line = |((day, project, model), totals)| UsageLine { day, project, model, totals };
    sums.into_iter().map(line).collect()
}

/// `/usage`: what was used by day, by project and by model, on this machine.
pub fn usage_report(home: &Path) -> String {
    let lines = match open_to_read(&history_file(home)) {
        Ok(file) => read_lines(&file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    };
    match lines {
        Ok(lines) => report_text(&sum_lines(lines), &today()),
        Err(error) => format!("{} can't be read: {error}", history_file(home).display()),
    }
}

fn report_text(lines: &[UsageLine], today: &str) -> String {
    if lines.is_empty() {
        return "Nothing was used yet.".into();
    }
    let group = |key: fn(&UsageLine) -> &str| {
        let mut sums: BTreeMap<&str, ModelTotals> = BTreeMap::new();
        for line in lines {
            let sum = sums.entry(key(line)).or_default();
            sum.usage += line.totals.usage;
            sum.cost += line.totals.cost;
        }
        sums
    };
    let day_name = |day: &str| if day == today { "today".to_string() } else { one_line(day) };
    let mut text = "By day".to_string();
    for (day, sum) in group(|line| &line.day).iter().rev().take(SHOWN_DAYS) {
        push_row(&mut text, &day_name(day), sum);
    }
    let since = match lines.first() {
        Some(line) if line.day == today => "today".to_string(),
        Some(line) => format!("since {}", one_line(&line.day)),
        None => String::new(),
    };
    for (heading, groups) in [("project", group(|line| &line.project)), ("model", group(|line| &line.model))] {
        let _ = write!(text, "\n\nBy {heading}, {since}");
        let mut rows: Vec<_> = groups.into_iter().collect();
        rows.sort_by(|a, b| {
            b.1.cost.total_cmp(&a.1.cost).then_with(|| b.1.usage.context_tokens().cmp(&a.1.usage.context_tokens()))
        });
        for (name, sum) in rows.iter().take(SHOWN_PROJECTS) {
            push_row(&mut text, &one_line(name), sum);
        }
        if let more @ 1.. = rows.len().saturating_sub(SHOWN_PROJECTS) {
            let _ = write!(text, "\n  … {more} more");
        }
    }
    text
}

fn push_row(text: &mut String, name: &str, sum: &ModelTotals) {
    let used = describe_usage(sum.usage.sent_tokens(), sum.usage.output_tokens, sum.cost);
    let _ = write!(text, "\n  {name}: {used}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(tokens: u64) -> TokenUsage {
        TokenUsage { input_tokens: tokens, output_tokens: 1, ..TokenUsage::default() }
    }

    fn sums(home: &Path) -> Vec<UsageLine> {
        sum_lines(read_lines(&File::open(history_file(home)).unwrap()).unwrap())
    }

    #[test]
    fn du_3_many_processes_count_every_request() {
        let home = tempfile::tempdir().unwrap();
        // Each thread opens the file by itself, as a process does, and sums up often.
        std::thread::scope(|scope| {
            for n in 0..8 {
                let home = home.path();
                scope.spawn(move || {
                    let mut log = UsageLog { max_file: 2_000, ..UsageLog::new(home, Path::new("/p")) };
                    (0..100).for_each(|_| log.add(["a", "b"][n % 2], usage(10), 0.5));
                    while !log.pending.is_empty() {
                        let _ = log.flush();
                    }
                });
            }
        });
        let sums = sums(home.path());
        assert_eq!(sums.len(), 2);
        for line in sums {
            assert_eq!((line.totals.usage.input_tokens, line.totals.cost), (4_000, 200.0), "{}", line.model);
        }
        let length = std::fs::metadata(history_file(home.path())).unwrap().len();
        assert!(length < 4_000, "{length}");
    }

    #[test]
    fn du_3_a_cut_line_costs_only_itself() {
        let home = tempfile::tempdir().unwrap();
        let mut log = UsageLog::new(home.path(), Path::new("/p"));
        log.add("a", usage(1), 0.0);
        let mut text = std::fs::read_to_string(history_file(home.path())).unwrap();
        text.truncate(text.len() - 10);
        std::fs::write(history_file(home.path()), text).unwrap();
        log.add("a", usage(2), 0.0);
        log.add("a", TokenUsage::default(), 0.0);
        assert_eq!(sums(home.path())[0].totals.usage.input_tokens, 2);
        let mode = std::fs::metadata(history_file(home.path())).unwrap().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn du_3_a_history_that_is_no_file_stops_nothing() {
        let home = tempfile::tempdir().unwrap();
        let path = history_file(home.path());
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        // Opening the pipe for reading would wait for a writer, and the other way round.
        assert!(usage_report(home.path()).contains("can't be read: it is a pipe"), "{}", usage_report(home.path()));
        let mut log = UsageLog::new(home.path(), Path::new("/p"));
        log.add("a", usage(1), 0.5);
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(usage_report(home.path()).contains("can't be read"));
        log.add("a", usage(2), 0.5);
        std::fs::remove_dir(&path).unwrap();
        log.add("a", usage(3), 0.5);
        assert_eq!(sums(home.path())[0].totals.usage.input_tokens, 6, "what waited is written");
    }

    #[test]
    fn du_3_costs_that_overflow_are_left_out() {
        let home = tempfile::tempdir().unwrap();
        let line = |cost: &str| format!(r#"{{"day": "2020-01-01", "project": "/p", "model": "m", "cost": {cost}}}"#);
        let lines = ["1e308", "1e308", "-1.0", "2.0"].map(|cost| line(cost) + "\n").concat();
        std::fs::write(history_file(home.path()), lines).unwrap();
        let report = usage_report(home.path());
        assert!(report.contains("$2.0000") && !report.contains("inf"), "{report}");
    }

    #[test]
    fn du_3_the_oldest_days_leave_a_long_history() {
        let home = tempfile::tempdir().unwrap();
        let line = |day: &str| {
            let totals = ModelTotals { usage: usage(1), cost: 1.0 };
            let line = UsageLine { day: day.into(), project: "/p".into(), model: "m".into(), totals };
            serde_json::to_string(&line).unwrap() + "\n"
        };
        let old: String = (1..=28).map(|day| line(&format!("2020-01-{day:02}"))).collect();
        std::fs::write(history_file(home.path()), old).unwrap();
        let mut log = UsageLog { max_file: 1_000, max_sum: 500, ..UsageLog::new(home.path(), Path::new("/p")) };
        log.add("m", usage(5), 1.0);
        let kept = sums(home.path());
        assert!((1..5).contains(&kept.len()), "{kept:?}");
        assert_eq!(kept.last().unwrap().day, today());
        assert!(kept.iter().all(|line| line.day.as_str() > "2020-01-20"), "{kept:?}");
    }

    #[test]
    fn du_3_report_groups_by_day_project_and_model() {
        let line = |day: &str, project: &str, model: &str, cost: f64| UsageLine {
            day: day.into(),
            project: project.into(),
            model: model.into(),
            totals: ModelTotals { usage: usage(10), cost },
        };
        let lines = [
            line("2026-01-01", "/a", "m", 1.0),
            line("2026-01-02", "/a", "n", 2.0),
            line("2026-01-02", "/b\u{1b}", "m", 4.0),
        ];
        let expected = "By day\n  today: 20 tokens sent, 2 received, $6.0000\n  2026-01-01: 10 tokens sent, 1 received, $1.0000\n\n\
                        By project, since 2026-01-01\n  /b\\u{1b}: 10 tokens sent, 1 received, $4.0000\n  /a: 20 tokens sent, 2 received, $3.0000\n\n\
                        By model, since 2026-01-01\n  m: 20 tokens sent, 2 received, $5.0000\n  n: 10 tokens sent, 1 received, $2.0000";
        assert_eq!(report_text(&lines, "2026-01-02"), expected);
        assert_eq!(report_text(&[], "2026-01-02"), "Nothing was used yet.");
    }
}
