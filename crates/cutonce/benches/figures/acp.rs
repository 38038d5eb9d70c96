//! Startup for editors: `cutonce acp` from its start to the answer to `initialize`.

use crate::Bench;
use crate::table::{Row, median, millis, spread};
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const INITIALIZED_MS: f64 = 15.0;
const INITIALIZE: &[u8] =
    b"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1,\"clientCapabilities\":{}}}\n";

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("acp")?;
    // The first round warms the caches and is not counted.
    initialized(&room)?;
    let times = (0..bench.rounds(100)).map(|_| initialized(&room).map(millis)).collect::<Result<Vec<_>>>()?;
    let row = Row::limit("`cutonce acp`: initialize answered", median(&times), "ms", INITIALIZED_MS);
    Ok(vec![row.beside(spread(&times))])
}

fn initialized(room: &Path) -> Result<Duration> {
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutonce"));
    command.arg("acp").current_dir(room).env_clear().env("HOME", room).env("CUTONCE_HOME", room.join(".cutonce"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("starting cutonce acp")?;
    let mut input = child.stdin.take().context("its input")?;
    input.write_all(INITIALIZE)?;
    let mut answer = String::new();
    BufReader::new(child.stdout.take().context("its output")?).read_line(&mut answer)?;
    let took = start.elapsed();
    drop(input);
    ensure!(answer.contains("\"protocolVersion\":1"), "initialize was answered with {answer:?}");
    ensure!(child.wait()?.success(), "cutonce acp did not end well");
    Ok(took)
}
