//! The terminal front end on a real pty (UI-12): fast start, no lag, no work when idle, and equally fast with
//! long and short conversations.

use crate::Bench;
use crate::model::Model;
use crate::paced::{self, Pace};
use crate::pty::Term;
use crate::table::{Row, median, millis, number, spread};
use crate::{resume, transcript};
use anyhow::{Context, Result, anyhow, ensure};
use portable_pty::CommandBuilder;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};

const OPEN_MS: f64 = 50.0;
const STREAM_SHARE: f64 = 30.0;
/// Three frames: sent text is on the screen after that, in the first second and in the thirtieth.
const BEHIND_MS: f64 = 100.0;
const KEY_MS: f64 = 16.0;
const LONG_MB: f64 = 60.0;
const LONG: u64 = 10_000;
const SHORT: u64 = 10;
/// A key must be as fast as with 10 entries; a tenth of a millisecond is noise.
const LONG_OVER_SHORT: f64 = 1.5;
/// An unused address (RFC 5737).
const UNUSED_ADDRESS: &str = "http://192.0.2.1:9";

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for group in [opening, streaming, idle, long] {
        rows.extend(group(bench)?);
    }
    Ok(rows)
}

/// The program on a terminal of 80x24.
fn start(room: &Path, url: &str, args: &[&str]) -> Result<Term> {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_cutonce"));
    command.args(args);
    command.cwd(room);
    command.env_clear();
    for (name, value) in [
        ("TERM", "xterm-256color".to_string()),
        ("PATH", std::env::var("PATH").unwrap_or_default()),
        ("LANG", "C.UTF-8".into()),
        ("HOME", room.display().to_string()),
        ("CUTONCE_HOME", room.join(".cutonce").display().to_string()),
        ("ANTHROPIC_API_KEY", "sk-figures-0001".into()),
        ("ANTHROPIC_BASE_URL", url.into()),
    ] {
        command.env(name, value);
    }
    Term::start(command, (80, 24)).map_err(said)
}

fn said(why: String) -> anyhow::Error {
    anyhow!(why)
}

fn see(term: &mut Term, cue: &str) -> Result<Instant> {
    term.see(cue).map_err(said)?;
    Ok(Instant::now())
}

fn leave(mut term: Term) -> Result<()> {
    term.press("ctrl+c ctrl+c").map_err(said)?;
    term.end().map_err(said)?;
    Ok(())
}

/// From the start to a composer that shows a typed key. The key is sent before the program starts.
fn opening(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("terminal-opening")?;
    let model = Model::start(json!([{"text": "Hello.", "repeat": 1000}]))?;
    let answers = format!("http://{}", model.address());
    let mut rows = Vec::new();
    for (figure, url, args) in [
        ("terminal: from start to a composer that shows a key", answers.as_str(), &[][..]),
        ("terminal: the same, waiting for a provider that is not there", UNUSED_ADDRESS, &["hello"][..]),
    ] {
        let mut times = Vec::new();
        for round in 0..=bench.rounds(30) {
            let began = Instant::now();
            let mut term = start(&room, url, args)?;
            term.send(b"q").map_err(said)?;
            let shown = see(&mut term, "› q")?;
            // The first round fills the caches of the machine.
            if round > 0 {
                times.push(millis(shown - began));
            }
            // Removes the draft, or the next round would start with it.
            leave(term)?;
        }
        rows.push(Row::limit(figure, median(&times), "ms", OPEN_MS).beside(spread(&times)));
    }
    Ok(rows)
}

/// A fast model, for half a minute.
fn streaming(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("terminal-streaming")?;
    let pace = Pace { tokens_a_second: 2_000, seconds: if bench.quick { 3 } else { 30 }, marks_a_second: 2 };
    let (address, sent) = paced::serve(pace)?;
    let mut term = start(&room, &format!("http://{address}"), &[])?;
    see(&mut term, "/help")?;
    let pid = pid(&term)?;
    let (cpu, began) = (processor(pid)?, Instant::now());
    term.send(b"tell me\r").map_err(said)?;
    let mut behind = Vec::new();
    for number in 1..=pace.marks() {
        term.until(&format!("mark {number}"), |screen| newest(screen) >= number).map_err(said)?;
        let sent = sent.recv_timeout(Duration::from_secs(10)).context("the model sent no mark")?;
        behind.push(millis(Instant::now().saturating_duration_since(sent)));
    }
    let (wall, cpu) = (began.elapsed(), processor(pid)?.saturating_sub(cpu));
    leave(term)?;
    let share = 100.0 * cpu.as_secs_f64() / wall.as_secs_f64();
    let words = format!("terminal: {} tokens a second for {} s", number(2_000.0), pace.seconds);
    let worst = behind.iter().copied().fold(0.0, f64::max);
    let last = behind.last().copied().unwrap_or(f64::NAN);
    let usual = format!("median {} ms, at the end {} ms", number(median(&behind)), number(last));
    Ok(vec![
        Row::limit(&format!("{words}: share of one core"), share, "%", STREAM_SHARE),
        Row::limit(&format!("{words}: worst time from sent to shown"), worst, "ms", BEHIND_MS).beside(usual),
    ])
}

/// The number of the last mark on the screen.
fn newest(screen: &str) -> u32 {
    let number = |at: usize| screen.get(at + 6..at + 11)?.parse().ok();
    screen.rmatch_indices("[mark:").find_map(|(at, _)| number(at)).unwrap_or(0)
}

/// Idle after one exchange.
fn idle(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("terminal-idle")?;
    let model = Model::start(json!([{"text": "Hello."}]))?;
    let mut term = start(&room, &format!("http://{}", model.address()), &[])?;
    see(&mut term, "/help")?;
    term.send(b"hi\r").map_err(said)?;
    see(&mut term, "Hello.")?;
    term.until("be idle", |screen| !screen.contains("interrupt")).map_err(said)?;
    term.settle();
    let pid = pid(&term)?;
    let span = Duration::from_secs(if bench.quick { 5 } else { 60 });
    let (drawn, woken, cpu, memory) = (term.raw.len(), wakeups(pid)?, processor(pid)?, status(pid, "VmRSS:")?);
    term.watch(span);
    let woken = wakeups(pid)? - woken;
    let cpu = processor(pid)?.saturating_sub(cpu);
    let growth = status(pid, "VmRSS:")? as f64 - memory as f64;
    let drawn = term.raw.len() - drawn;
    leave(term)?;
    let words = format!("terminal: idle for {} s", span.as_secs());
    let beside = format!("{drawn} bytes drawn, {} ms of processor time", number(millis(cpu)));
    Ok(vec![
        Row::limit(&format!("{words}: wakeups of all its threads"), woken as f64, "wakeups", 0.0).beside(beside),
        Row::limit(&format!("{words}: growth of memory"), growth.max(0.0), "KB", 0.0)
            .beside(format!("{:.0} MB in use", memory as f64 / 1e3)),
    ])
}

/// Figures of a conversation with this many entries.
struct Sitting {
    /// From the start until the end of the conversation is on screen.
    back_ms: f64,
    keys_ms: Vec<f64>,
    /// Pages of the full transcript (ctrl+o).
    pages_ms: Vec<f64>,
    peak_mb: f64,
}

fn long(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("terminal-long")?;
    let short = sit(bench, &room, SHORT, 1)?;
    let long = sit(bench, &room, LONG, 2)?;
    let worst = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
    let short_keys = format!("{} for {SHORT} entries", spread(&short.keys_ms));
    let words = format!("terminal: {} entries", number(LONG as f64));
    let (ours, least) = (median(&long.keys_ms), median(&short.keys_ms));
    let cells = (format!("{} ms", number(ours)), format!("{} ms for {SHORT} entries", number(least)));
    Ok(vec![
        Row::limit(&format!("{words}: key to screen"), ours, "ms", KEY_MS).beside(short_keys),
        Row::limit(&format!("{words}: worst of {} keys", long.keys_ms.len()), worst(&long.keys_ms), "ms", KEY_MS)
            .beside(format!("{} ms for {SHORT} entries", number(worst(&short.keys_ms)))),
        Row::ratio(&format!("{words}: a key, against {SHORT} entries"), (&cells.0, &cells.1), ours / least, {
            LONG_OVER_SHORT
        }),
        Row::limit(&format!("{words}: a page of all of it (ctrl+o)"), median(&long.pages_ms), "ms", KEY_MS)
            .beside(format!("worst {} ms", number(worst(&long.pages_ms)))),
        Row::limit(&format!("{words}: peak memory"), long.peak_mb, "MB", LONG_MB)
            .beside(format!("{} MB for {SHORT} entries", number(short.peak_mb))),
        Row::known(&format!("{words}: from start to all of it on the screen"), format!("{:.0} ms", long.back_ms))
            .beside(format!("{:.0} ms for {SHORT} entries", short.back_ms)),
    ])
}

fn sit(bench: &Bench, room: &Path, entries: u64, number: u32) -> Result<Sitting> {
    let session = format!("019a0000-0000-7000-8000-00000000001{number}");
    let model = Model::start(json!([{"text": "Hello again.", "repeat": 10}]))?;
    let path = resume::place(room, &session, &model)?;
    transcript::write_entries(&path, &session, room, entries)?;
    let began = Instant::now();
    let mut term = start(room, &format!("http://{}", model.address()), &["--resume", &session])?;
    see(&mut term, "the second time must go.")?;
    let back = see(&mut term, "›")?;
    term.settle();
    let (mut keys_ms, mut written) = (Vec::new(), String::new());
    for at in 0..bench.rounds(300) {
        let key = char::from(b'a' + u8::try_from(at % 26)?);
        written.push(key);
        keys_ms.push(pressed(&mut term, &[key as u8], &format!("› {written}"))?);
        if written.len() == 60 {
            term.press("ctrl+u").map_err(said)?;
            written.clear();
            term.until("clear the line", |screen| !screen.contains("› a")).map_err(said)?;
        }
    }
    let pages_ms = pages(&mut term)?;
    let peak_mb = status(pid(&term)?, "VmHWM:")? as f64 * 1024.0 / 1e6;
    leave(term)?;
    Ok(Sitting { back_ms: millis(back - began), keys_ms, pages_ms, peak_mb })
}

/// Time from a key to its effect on screen.
fn pressed(term: &mut Term, key: &[u8], cue: &str) -> Result<f64> {
    let began = Instant::now();
    term.send(key).map_err(said)?;
    Ok(millis(see(term, cue)? - began))
}

/// The full conversation on the whole screen, from its end to its start.
fn pages(term: &mut Term) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    for key in [b"\x0f".as_slice()].into_iter().chain([b"\x1b[5~".as_slice(); 10]) {
        let (before, began) = (term.contents(), Instant::now());
        term.send(key).map_err(said)?;
        term.until("another page", |screen| screen != before).map_err(said)?;
        times.push(millis(began.elapsed()));
    }
    term.press("esc").map_err(said)?;
    see(term, "/help")?;
    Ok(times)
}

fn pid(term: &Term) -> Result<libc::pid_t> {
    Ok(libc::pid_t::try_from(term.child.process_id().context("it is not running")?)?)
}

/// Processor time of a process so far, including finished threads.
fn processor(pid: libc::pid_t) -> Result<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let mut clock = 0;
    // SAFETY: both pointers refer to values of the right type that outlive the calls.
    let done = unsafe { libc::clock_getcpuclockid(pid, &mut clock) == 0 && libc::clock_gettime(clock, &mut time) == 0 };
    ensure!(done, "reading the processor time of {pid}");
    Ok(Duration::new(u64::try_from(time.tv_sec)?, u32::try_from(time.tv_nsec)?))
}

/// Voluntary context switches of its threads: one for each wakeup.
fn wakeups(pid: libc::pid_t) -> Result<u64> {
    let mut all = 0;
    for task in std::fs::read_dir(format!("/proc/{pid}/task"))?.flatten() {
        let status = std::fs::read_to_string(task.path().join("status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        all += line.context("the kernel counts no switches")?.trim().parse::<u64>()?;
    }
    Ok(all)
}

/// A KiB value from the process's status file.
fn status(pid: libc::pid_t, name: &str) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).with_context(|| format!("no {name}"))?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
