//! Twenty Explore subagents at once against one: they share everything but their conversations (SA-1).

use crate::Bench;
use crate::model::Model;
use crate::process::{Program, Run};
use crate::table::{Row, median, millis, number};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::path::Path;

const MANY: usize = 20;
/// Calls per subagent, and the model's own time per answer: a subagent mostly waits.
const STEPS: usize = 5;
const THINKS_MS: u64 = 40;
const LIMIT_WALL: f64 = 1.5;
const LIMIT_MB: f64 = 3.0;

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("agents")?;
    std::fs::write(room.join("small.txt"), "one line\n".repeat(40))?;
    let (mut one, mut many) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds(10) {
        one.push(play(&room, 1)?);
        many.push(play(&room, MANY)?);
    }
    let wall = |runs: &[Run]| median(&runs.iter().map(|run| millis(run.wall)).collect::<Vec<_>>());
    let peak = |runs: &[Run]| median(&runs.iter().map(Run::peak_mb).collect::<Vec<_>>());
    let cells = [wall(&many), wall(&one)].map(|millis| format!("{} ms", number(millis)));
    let name = format!("{MANY} Explore agents at once, against one");
    let each = (peak(&many) - peak(&one)) / (MANY - 1) as f64;
    Ok(vec![
        Row::ratio(&name, (&cells[0], &cells[1]), wall(&many) / wall(&one), LIMIT_WALL),
        Row::limit("peak memory of one more agent", each, "MB", LIMIT_MB).beside(format!(
            "{:.1} MB with {MANY}, {:.1} MB with one",
            peak(&many),
            peak(&one)
        )),
    ])
}

fn play(room: &Path, agents: usize) -> Result<Run> {
    let model = Model::forgetful(story(room, agents))?;
    let program =
        Program::cutonce(room).args(["-p", "Look around.", "--output-format", "json", "--model", "claude-sonnet-4-5"]);
    let run = program.talks_to(model.address(), room).run(room)?;
    let result: Value = serde_json::from_str(&run.output()?)?;
    ensure!(result["is_error"] == false && result["result"] == "Done.", "the agents did not do it: {result}");
    Ok(run)
}

fn story(room: &Path, agents: usize) -> Value {
    let agent = |n: usize| json!({"name": "Agent", "input": {"description": "look", "prompt": format!("Look at {n}."), "subagent_type": "Explore"}});
    let calls: Vec<Value> = (0..agents).map(agent).collect();
    let read = json!({"name": "Read", "input": {"file_path": room.join("small.txt")}});
    let mut turns = vec![json!({"when": "You are cutonce", "text": "Agents.", "calls": calls})];
    // Each request takes the first turn that matches, so the last step comes first.
    for n in (0..STEPS).rev() {
        let when = if n == 0 { "You search code".to_string() } else { format!("Step {n}.") };
        let (text, calls) = if n + 1 == STEPS {
            ("Found.".to_string(), json!([]))
        } else {
            (format!("Step {}.", n + 1), json!([read]))
        };
        turns.push(json!({"when": when, "text": text, "calls": calls, "repeat": agents, "delay_ms": THINKS_MS / 8}));
    }
    turns.push(json!({"text": "Done."}));
    json!(turns)
}
