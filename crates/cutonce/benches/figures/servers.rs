//! Cost of an MCP server that is dead or never answers: none (HO-6).

use crate::Bench;
use crate::model::Model;
use crate::process::{Program, in_turns};
use crate::table::{Row, compare};
use anyhow::Result;
use serde_json::{Value, json};

/// Tolerance: starting a process takes time and the machine is noisy; a wait would be a multiple.
const LIMIT: f64 = 1.2;

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("servers")?;
    let cases: [(&str, Value); 3] = [
        ("is not there", json!({"command": "no-such-program-anywhere"})),
        ("refuses the connection", json!({"type": "http", "url": "http://127.0.0.1:9/mcp"})),
        ("never answers", json!({"command": "sleep", "args": ["1000"]})),
    ];
    let model = Model::start(json!([{"text": "Hello.", "repeat": 10_000}]))?;
    let hello = || Program::cutonce(&room).args(["-p", "hi"]).talks_to(model.address(), &room);
    let mut rows = Vec::new();
    for (what, server) in cases {
        let config = json!({"mcpServers": {"dead": server}}).to_string();
        let with = hello().args(["--mcp-config".to_string(), config]);
        let runs = in_turns(bench.rounds(60), &room, &with, &hello())?;
        rows.push(compare(&format!("one-shot with an MCP server that {what}, against without"), &runs, LIMIT));
    }
    Ok(rows)
}
