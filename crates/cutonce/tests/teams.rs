//! TM-2: kills a teammate and a lead at seeded moments while messages arrive, and restarts them. Every
//! message is in the transcript once and in order, and the model has seen all of them. Cases alternate
//! between file mailboxes and a NATS server. `TEAM_SEED=…` runs one case alone.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests")]

#[path = "mailbox/server.rs"]
mod server;
#[path = "teams/stage.rs"]
mod stage;
#[path = "support/test_program.rs"]
mod test_program;

use cutonce_core::team::{LEAD_NAME, rendered_message_id};
use cutonce_core::transcript::{EntryBody, TranscriptEntry};
use stage::{Life, Stage};

const MESSAGES: usize = 18;
const LIVES: usize = 5;
const CASES: u64 = 4;

#[test]
fn tm_2_killed_teammate_resumes_without_loss() {
    cases(|seed| {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut stage = Stage::new(seed);
        for _ in 0..LIVES {
            let left = MESSAGES - stage.sent();
            stage.send(LEAD_NAME, "ann", random.usize(1..4).min(left));
            let mut life = Life::teammate(&stage, "ann");
            if left > 0 {
                stage.hear_from("ann", random.usize(..=2));
            }
            life.kill(random.u32(..300_000));
        }
        stage.send(LEAD_NAME, "ann", MESSAGES - stage.sent());
        let mut life = Life::teammate(&stage, "ann");
        while ids(&stage, &stage.session_of("ann")).len() < MESSAGES || !stage.model_saw(MESSAGES) {
            stage.hear_from("ann", 1);
        }
        life.kill(0);
        judge(&stage, &stage.session_of("ann"));
    });
}

#[test]
fn tm_2_killed_lead_resumes_without_loss() {
    cases(|seed| {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut stage = Stage::new(seed);
        let lead = stage.begin_lead();
        for _ in 0..LIVES {
            let left = MESSAGES - stage.sent();
            stage.send("ann", LEAD_NAME, random.usize(1..4).min(left));
            let mut life = Life::lead(&stage, &lead);
            if left > 0 {
                life.wait_for("ok", random.usize(..=1));
            }
            life.kill(random.u32(..300_000));
        }
        stage.send("ann", LEAD_NAME, MESSAGES - stage.sent());
        let mut life = Life::lead(&stage, &lead);
        while ids(&stage, &lead).len() < MESSAGES || !stage.model_saw(MESSAGES) {
            life.wait_for("ok", 1);
        }
        life.kill(0);
        judge(&stage, &lead);
    });
}

fn cases(case: impl Fn(u64)) {
    if let Some(seed) = std::env::var("TEAM_SEED").ok().and_then(|seed| seed.parse().ok()) {
        return case(seed);
    }
    let base = fastrand::u64(..u64::MAX / 2);
    for seed in base..base + CASES {
        eprintln!("TEAM_SEED={seed}");
        case(seed);
    }
}

/// The messages in a session's transcript.
fn ids(stage: &Stage, session: &str) -> Vec<String> {
    let bytes = stage.transcript(session);
    let entries = bytes.split(|byte| *byte == b'\n').filter_map(|line| TranscriptEntry::parse(line).ok());
    let shown = entries.filter_map(|entry| match entry.body {
        EntryBody::User { text, meta: true, .. } => rendered_message_id(&text).map(str::to_string),
        _ => None,
    });
    shown.collect()
}

fn judge(stage: &Stage, session: &str) {
    let expected: Vec<String> = (0..MESSAGES).map(|n| format!("message-{n}")).collect();
    assert_eq!(ids(stage, session), expected, "in the transcript");
}
