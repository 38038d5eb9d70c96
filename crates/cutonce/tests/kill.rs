//! Kills the program at random moments of a run; confirmed work must survive (SE-1, SE-2, PR-6).
//!
//! A run is scripted with writes, edits and commands. It is killed after a random number of bytes on stdout
//! (never after a time). Then the disk, the transcript and a resumed run are checked. Every choice comes from
//! a seed that a failure prints: `KILL_SEED=… cargo test -p cutonce --test kill` runs that case alone.

#![allow(clippy::unwrap_used, reason = "a test that can't go on must fail")]

#[path = "kill/disk.rs"]
mod disk;
#[path = "kill/judge.rs"]
mod judge;
#[path = "kill/protected.rs"]
mod protected;
#[path = "stories/pty.rs"]
#[allow(dead_code, reason = "shared with the stories")]
mod pty;
#[path = "kill/rehearsal.rs"]
mod rehearsal;
#[path = "kill/stage.rs"]
mod stage;
#[path = "kill/story.rs"]
mod story;
#[path = "support/test_program.rs"]
mod test_program;

use cutonce_core::transcript::{EntryBody, TranscriptEntry};
use disk::Disk;
use stage::Stage;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const RUNS: u64 = 40;
/// Parallel runs: a run mostly waits for its child.
const LANES: usize = 4;

/// Damage to the transcript after the kill: a kill alone seldom tears a line, a crashed machine does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Harm {
    None,
    /// The last line loses its end.
    Torn,
    /// A line of garbage in the middle.
    Garbage,
    /// An entry of an unknown type, as from a newer version.
    Unknown,
}

const HARMS: [Harm; 4] = [Harm::None, Harm::Torn, Harm::Garbage, Harm::Unknown];

#[test]
fn se_1_se_2_pr_6_work_survives_a_kill() {
    let whole = whole_run().unwrap();
    for_seeds(RUNS, |seed| case(seed, whole));
}

/// SE-1, SE-2: a resume that is killed at any of its operations can be resumed again.
#[test]
fn se_2_killed_recovery_recovers() {
    let (whole, disk) = (whole_run().unwrap(), Disk::new().unwrap());
    for_seeds(4, |seed| killed_recovery(seed, whole, &disk));
}

/// SE-1: a machine that loses what was not synced loses nothing that was reported as done, and ran no unrecorded call.
#[test]
fn se_1_unsynced_writes_may_be_lost() {
    let (whole, disk) = (whole_run().unwrap(), Disk::new().unwrap());
    for_seeds(12, |seed| lost_writes(seed, whole, &disk));
}

/// SE-1, SE-2: the terminal program keeps what the headless one keeps.
#[test]
fn se_1_kill_of_the_terminal_loses_nothing() {
    let whole = whole_terminal().unwrap();
    for_seeds(12, |seed| killed_terminal(seed, whole));
}

/// TM-2, SE-2: a lead is killed while it creates a team, and every resume at a later operation. In the end a resume
/// completes, and the teammate got its task exactly once.
#[test]
fn tm_2_killed_team_recovery_recovers() {
    let disk = Disk::new().unwrap();
    for_seeds(6, |seed| killed_team(seed, &disk));
}

/// Runs the case with random seeds, or with the one of `KILL_SEED`.
fn for_seeds(runs: u64, case: impl Fn(u64) -> Result<(), String> + Sync) {
    if let Some(seed) = std::env::var("KILL_SEED").ok().and_then(|seed| seed.parse().ok()) {
        return case(seed).unwrap_or_else(|error| panic!("KILL_SEED={seed}: {error}"));
    }
    let base = fastrand::u64(..u64::MAX / 2);
    let next = AtomicU64::new(0);
    let lane = || {
        let mut failed = Vec::new();
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && at < runs
        {
            // The kinds of damage alternate, so that each occurs in every run of the test.
            let seed = base / 4 * 4 + at;
            failed.extend(case(seed).err().map(|error| format!("KILL_SEED={seed}: {error}")));
        }
        failed
    };
    let failed: Vec<String> = std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..LANES).map(|_| scope.spawn(lane)).collect();
        lanes.into_iter().flat_map(|lane| lane.join().unwrap()).collect()
    });
    assert!(failed.is_empty(), "{} of {runs} kills:\n{}", failed.len(), failed.join("\n"));
}

/// The bytes that an undisturbed run prints; it must complete the script.
fn whole_run() -> Result<usize, String> {
    let stage = Stage::new(1)?;
    let ended = stage.play(usize::MAX, 0)?;
    judge::frames(&ended.stdout)?;
    for (name, versions) in story::files() {
        let found = std::fs::read_to_string(stage.ws.join(name)).unwrap_or_default();
        if Some(&found) != versions.last() {
            let told = String::from_utf8_lossy(&ended.stdout);
            return Err(format!("{name} has not its last version after a whole run:\n{}{told}", ended.stderr));
        }
    }
    Ok(ended.stdout.len())
}

/// One kill and all checks.
fn case(seed: u64, whole: usize) -> Result<(), String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let stage = Stage::new(seed)?;
    let killed = stage.play(random.usize(..whole), random.u32(..300_000))?;
    let before = stage.transcript()?;
    let entries = judge::transcript(&before)?;
    judge::confirmed(&judge::frames(&killed.stdout)?, &entries)?;
    judge::workspace(&stage.ws, &entries)?;
    if entries.is_empty() {
        // Killed before the session was opened: there is nothing to resume, and nothing was promised.
        return if killed.stdout.is_empty() { Ok(()) } else { Err("frames, but no transcript".into()) };
    }
    let harm = HARMS[(seed % 4) as usize];
    let harmed = hurt(&before, harm, &mut random);
    stage.put_transcript(&harmed)?;
    let resumed = stage.resume()?;
    let whole = before.ends_with(b"\n");
    judge::resumed(&resumed, harm != Harm::None || !whole)?;
    judge::grown(&harmed, &stage.transcript()?)
}

/// Kills a run, then every resume at a later operation than the one before, until one completes.
fn killed_recovery(seed: u64, whole: usize, disk: &Disk) -> Result<(), String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let stage = Stage::new(seed)?;
    stage.play(random.usize(whole / 4..whole), random.u32(..300_000))?;
    let before = stage.transcript()?;
    let entries = judge::transcript(&before)?;
    stage.put_transcript(&hurt(&before, HARMS[(seed % 4) as usize], &mut random))?;
    let mut at = 0;
    loop {
        at += random.u64(1..6);
        let resumed = stage.resume_on(&disk.killing(at))?;
        if !resumed.killed {
            judge::continued(&resumed).map_err(|why| format!("{why}\n{}", resumed.stderr))?;
            break;
        }
    }
    if at < 10 {
        return Err(format!("a whole resume took less than {at} operations: the disk is not below the program"));
    }
    judge::continued(&stage.resume()?)?;
    judge::workspace(&stage.ws, &entries)
}

fn killed_team(seed: u64, disk: &Disk) -> Result<(), String> {
    const TASK: &str = "Write TASK-4711.";
    let mut random = fastrand::Rng::with_seed(seed);
    let stage = Stage::new(seed)?;
    // From before the team is saved to after its task is sent.
    stage.lead_team(TASK, &disk.killing(random.u64(10..60)))?;
    if judge::transcript(&stage.transcript()?)?.is_empty() {
        // Killed before the session was opened: there is nothing to resume, and nothing was promised.
        return Ok(());
    }
    let (mut at, mut kills) = (0, 0);
    let last = loop {
        at += random.u64(1..12);
        let resumed = stage.resume_team(&disk.killing(at))?;
        if !resumed.killed {
            break resumed;
        }
        kills += 1;
    };
    judge::succeeded(&last)?;
    if kills == 0 && stage.has_team() {
        return Err("no resume was killed: the disk is not below the program".into());
    }
    judge::succeeded(&stage.resume_team(&[])?)?;
    let heard = |bytes: &Vec<u8>| {
        let entries = bytes.split(|byte| *byte == b'\n').filter_map(|line| TranscriptEntry::parse(line).ok());
        entries
            .filter(|entry| matches!(&entry.body, EntryBody::User { text, .. } if text.contains("TASK-4711")))
            .count()
    };
    let times: usize = stage.teammate_transcripts()?.iter().map(heard).sum();
    match (stage.has_team(), times) {
        (true, 1) | (false, 0) => Ok(()),
        (saved, times) => Err(format!("the team is saved: {saved}; its member got the task {times} times")),
    }
}

/// Kills a run, drops what was not synced, and resumes.
fn lost_writes(seed: u64, whole: usize, disk: &Disk) -> Result<(), String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let (stage, logs) = (Stage::new(seed)?, tempfile::tempdir().map_err(|error| error.to_string())?);
    let log = logs.path().join("synced");
    // Every fourth run is not killed: its result was shown, so all of it must be there.
    let bytes = if seed.is_multiple_of(4) { usize::MAX } else { random.usize(..whole) };
    let killed = stage.play_on(&disk.recording(&log), bytes, random.u32(..300_000))?;
    let (written, synced) = (stage.transcript()?, disk::synced(&log)?);
    let path = stage.transcript_path();
    let kept = path.as_ref().and_then(|path| synced.get(path)).map_or(0, |size| *size as usize);
    let folder_synced = path.as_deref().and_then(Path::parent).is_some_and(|folder| synced.contains_key(folder));
    let left = if folder_synced { &written[..kept.min(written.len())] } else { &[] };
    if bytes == usize::MAX && left != written {
        return Err(format!("{} of {} bytes were synced at the end of a turn", left.len(), written.len()));
    }
    let entries = judge::transcript(left)?;
    judge::workspace(&stage.ws, &entries)?;
    if left.is_empty() {
        return Ok(());
    }
    if bytes == usize::MAX {
        judge::confirmed(&judge::frames(&killed.stdout)?, &entries)?;
    }
    stage.put_transcript(left)?;
    judge::continued(&stage.resume()?)
}

/// The bytes that an undisturbed terminal prints.
fn whole_terminal() -> Result<usize, String> {
    let stage = Stage::new(2)?;
    let server = Stage::server(stage.story())?;
    let mut term = stage.terminal(&server)?;
    term.see("All done.")?;
    term.until("be idle", |screen| !screen.contains("interrupt"))?;
    let whole = term.raw.len();
    term.press("ctrl+d")?;
    term.end()?;
    Ok(whole)
}

/// Kills the terminal program after some output, and resumes the session.
fn killed_terminal(seed: u64, whole: usize) -> Result<(), String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let stage = Stage::new(seed)?;
    let server = Stage::server(stage.story())?;
    let mut term = stage.terminal(&server)?;
    let bytes = random.usize(..whole);
    while term.raw.len() < bytes
        && !term.contents().contains("All done.")
        && term.child.try_wait().map_err(|error| error.to_string())?.is_none()
    {
        term.watch(Duration::from_millis(1));
    }
    (0..random.u32(..300_000)).for_each(|_| std::hint::spin_loop());
    let id = term.child.process_id().ok_or("the terminal program has ended")?;
    // SAFETY: the child was not waited for yet, so its id is its own.
    unsafe { libc::kill(id as i32, libc::SIGKILL) };
    term.end()?;
    let before = stage.transcript()?;
    let entries = judge::transcript(&before)?;
    judge::workspace(&stage.ws, &entries)?;
    let said =
        |entry: &TranscriptEntry| matches!(&entry.body, EntryBody::User { text, .. } if text == "Make the files.");
    if term.whole().contains("A step.") && !entries.iter().any(said) {
        return Err("an answer was shown, but the message is lost".into());
    }
    if entries.is_empty() {
        return Ok(());
    }
    let resumed = stage.resume()?;
    judge::resumed(&resumed, !before.ends_with(b"\n"))?;
    judge::grown(&before, &stage.transcript()?)
}

fn hurt(transcript: &[u8], harm: Harm, random: &mut fastrand::Rng) -> Vec<u8> {
    let mut hurt = transcript.to_vec();
    let ends: Vec<usize> = (0..hurt.len()).filter(|at| hurt[*at] == b'\n').collect();
    let middle = ends.get(random.usize(..ends.len().max(1))).map_or(hurt.len(), |end| end + 1);
    match harm {
        Harm::None => {}
        Harm::Torn => {
            let last = ends.len().checked_sub(2).map_or(0, |at| ends[at] + 1);
            hurt.truncate(random.usize(last + 1..hurt.len() - 1));
        }
        Harm::Garbage => insert(&mut hurt, middle, b"\x00\xff not a line of ours {\n"),
        Harm::Unknown => insert(
            &mut hurt,
            middle,
            b"{\"type\":\"hologram\",\"id\":\"019a0000-0000-7000-8000-0000000000ff\",\"parent\":null,\"at\":\"2026-11-15T10:00:00Z\"}\n",
        ),
    }
    hurt
}

fn insert(bytes: &mut Vec<u8>, at: usize, line: &[u8]) {
    bytes.splice(at..at, line.iter().copied());
}
