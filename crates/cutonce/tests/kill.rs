//! Kills the program at random moments of a run; confirmed work must survive (SE-1, SE-2, PR-6).
//!
//! A run is scripted with writes, edits and commands. It is killed after a random number of bytes on stdout
//! (never after a time). Then the disk, the transcript and a resumed run are checked. Every choice comes from
//! a seed that a failure prints: `KILL_SEED=… cargo test -p cutonce --test kill` runs that case alone.

#[path = "kill/judge.rs"]
mod judge;
#[path = "kill/stage.rs"]
mod stage;
#[path = "kill/story.rs"]
mod story;

use stage::Stage;
use std::sync::atomic::{AtomicU64, Ordering};

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
    if let Some(seed) = std::env::var("KILL_SEED").ok().and_then(|seed| seed.parse().ok()) {
        let whole = whole_run().unwrap();
        return case(seed, whole).unwrap_or_else(|error| panic!("KILL_SEED={seed}: {error}"));
    }
    let base = fastrand::u64(..u64::MAX / 2);
    let whole = whole_run().unwrap();
    let next = AtomicU64::new(0);
    let lane = || {
        let mut failed = Vec::new();
        while let at @ 0..RUNS = next.fetch_add(1, Ordering::Relaxed) {
            // The kinds of damage alternate, so that each occurs in every run of the test.
            let seed = base / 4 * 4 + at;
            failed.extend(case(seed, whole).err().map(|error| format!("KILL_SEED={seed}: {error}")));
        }
        failed
    };
    let failed: Vec<String> = std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..LANES).map(|_| scope.spawn(lane)).collect();
        lanes.into_iter().flat_map(|lane| lane.join().unwrap()).collect()
    });
    assert!(failed.is_empty(), "{} of {RUNS} kills:\n{}", failed.len(), failed.join("\n"));
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
