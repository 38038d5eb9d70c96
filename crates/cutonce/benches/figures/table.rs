//! The table of figures, as the terminal and docs/dev/benchmark.md show it.

use crate::process::Run;
use anyhow::{Context, Result};
use std::fmt::Write;
use std::process::Command;
use std::time::Duration;

/// One target and the measured value.
#[derive(Debug, Clone)]
pub struct Row {
    pub figure: String,
    pub ours: String,
    /// The reference value of the same run, if the target is a ratio.
    pub reference: String,
    pub ratio: Option<f64>,
    pub target: String,
    pub verdict: Verdict,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    Met,
    Missed,
    /// Informational: there is no target.
    Known,
    /// This machine lacks something that the measurement needs.
    Skipped(String),
    /// The measurement itself failed.
    Failed(String),
}

impl Row {
    /// A figure that must not be above a limit.
    pub fn limit(figure: &str, ours: f64, unit: &str, limit: f64) -> Row {
        Row {
            figure: figure.into(),
            ours: format!("{} {unit}", number(ours)),
            reference: String::new(),
            ratio: None,
            target: format!("≤ {} {unit}", number(limit)),
            verdict: Verdict::of(ours <= limit),
        }
    }
    /// A figure that must not be below a limit.
    pub fn at_least(figure: &str, ours: f64, unit: &str, limit: f64) -> Row {
        let target = format!("≥ {} {unit}", number(limit));
        Row { target, verdict: Verdict::of(ours >= limit), ..Row::limit(figure, ours, unit, limit) }
    }
    /// A figure that must not be above a multiple of another.
    pub fn ratio(figure: &str, (ours, reference): (&str, &str), ratio: f64, limit: f64) -> Row {
        Row {
            figure: figure.into(),
            ours: ours.into(),
            reference: reference.into(),
            ratio: Some(ratio),
            target: format!("≤ {} ×", number(limit)),
            verdict: Verdict::of(ratio <= limit),
        }
    }
    /// A figure without a promise.
    pub fn known(figure: &str, ours: String) -> Row {
        Row { figure: figure.into(), ours, target: String::new(), verdict: Verdict::Known, ..Row::empty() }
    }
    pub fn skipped(figure: &str, why: impl Into<String>) -> Row {
        Row { figure: figure.into(), verdict: Verdict::Skipped(why.into()), ..Row::empty() }
    }
    pub fn failed(figure: &str, why: impl Into<String>) -> Row {
        // The full error goes to stderr; the table cell shows its start.
        let why: String = why.into().chars().take(100).collect();
        Row { figure: figure.into(), verdict: Verdict::Failed(why), ..Row::empty() }
    }
    pub fn beside(self, reference: impl Into<String>) -> Row {
        Row { reference: reference.into(), ..self }
    }
    /// A ratio without a target.
    pub fn without_target(self) -> Row {
        Row { target: String::new(), verdict: Verdict::Known, ..self }
    }
    fn empty() -> Row {
        Row {
            figure: String::new(),
            ours: String::new(),
            reference: String::new(),
            ratio: None,
            target: String::new(),
            verdict: Verdict::Known,
        }
    }
}

impl Verdict {
    fn of(met: bool) -> Verdict {
        if met { Verdict::Met } else { Verdict::Missed }
    }
    fn word(&self) -> String {
        match self {
            Verdict::Met => "yes".into(),
            Verdict::Missed => "NO".into(),
            Verdict::Known => "–".into(),
            Verdict::Skipped(why) => format!("skipped: {why}"),
            Verdict::Failed(why) => format!("FAILED: {why}"),
        }
    }
}

/// Compares the wall times of two sides. A busy machine makes medians similar, so the ratio is the worse one
/// of medians and minima.
pub fn compare(figure: &str, (ours, theirs): &(Vec<Run>, Vec<Run>), limit: f64) -> Row {
    let (ours, theirs) = (walls(ours), walls(theirs));
    let ratio = f64::max(median(&ours) / median(&theirs), least(&ours) / least(&theirs));
    Row::ratio(figure, (&spread(&ours), &spread(&theirs)), ratio, limit)
}

/// Wall times in milliseconds.
pub fn walls(runs: &[Run]) -> Vec<f64> {
    runs.iter().map(|run| millis(run.wall)).collect()
}

pub fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// The median, and the minimum, which noise affects least.
pub fn spread(millis: &[f64]) -> String {
    format!("{} ms (min {})", number(median(millis)), number(least(millis)))
}

pub fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// Three significant digits, thousands grouped.
pub fn number(value: f64) -> String {
    let places = match value.abs() {
        v if v >= 100.0 || v.fract() == 0.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    let plain = format!("{value:.places$}");
    let (whole, rest) = plain.split_once('.').map_or((plain.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    rest.map_or(grouped.clone(), |rest| format!("{grouped}.{rest}"))
}

/// The table in markdown, columns padded so that a terminal shows it well too.
pub fn render(rows: &[Row]) -> String {
    let head = ["figure", "ours", "reference in the same run", "ratio", "target", "ok"].map(String::from);
    let cells = rows.iter().map(|row| {
        let ratio = row.ratio.map_or(String::new(), |ratio| format!("{ratio:.2} ×"));
        [row.figure.clone(), row.ours.clone(), row.reference.clone(), ratio, row.target.clone(), row.verdict.word()]
    });
    let lines: Vec<[String; 6]> = std::iter::once(head).chain(cells).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        for (cell, width) in line.iter().zip(widths) {
            let _ = write!(text, "| {cell}{} ", " ".repeat(width - cell.chars().count()));
        }
        text.push_str("|\n");
        if at == 0 {
            let rule: String = widths.iter().map(|width| format!("|{}", "-".repeat(width + 2))).collect();
            let _ = writeln!(text, "{rule}|");
        }
    }
    text
}

/// The documentation page: date, machine, table, and how to read it.
pub fn page(table: &str, load: &str) -> Result<String> {
    let day = Command::new("date").args(["-u", "+%F"]).output().context("asking for the date")?;
    let day = String::from_utf8(day.stdout)?;
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpus.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let cpu = cpu.trim_start_matches(['\t', ' ', ':']);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let (day, kernel) = (day.trim(), kernel.trim());
    let machine = format!("{day}, {cores} cores ({cpu}), Linux {kernel}, release build, load {load} at the start.");
    Ok(format!("{HEAD}\n{machine}\n\n{table}{FOOT}"))
}

const HEAD: &str = "# Benchmark

Generated by `cargo bench -p cutonce --bench figures -- --update`; do not edit.
";

const FOOT: &str = "
How to read the table: both sides of a ratio alternate in the same run, after one uncounted round. Times are medians
with the minimum in parentheses; the ratio is the worse one of medians and minima. Peak memory is the kernel's value
for the process (`wait4`). The model is a scenario server on loopback in the benchmark's own process; its own time is
from the last byte of a request to the last byte of its answer. A bare exchange sends the same bytes over a plain
socket: a request carries the whole conversation, and no client can avoid that transfer. Search runs on a generated
tree, resume on a generated transcript. Grep and Glob run in their own process, so that both sides include a start;
Glob sorts by time, which `rg --files` does not. The terminal is a pty of 80x24 whose screen the benchmark reads
continuously: a time ends when the screen shows the expected text. Wakeups are voluntary context switches of all
threads; processor time is the kernel's value for the process.
";
