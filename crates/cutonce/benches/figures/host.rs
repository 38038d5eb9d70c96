//! A one-shot as an SDK does it: `initialize` and the prompt over stdin, frames until the end. Compared with
//! the reference program, if it can be installed, with the same lines and the same model.

use crate::Bench;
use crate::model::Model;
use crate::table::{Row, least, median, millis, spread};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const REFERENCE: &str = "@anthropic-ai/claude-code@2.1.197";
/// At least this many times faster than the reference.
const FASTER: f64 = 8.0;
const FIRST_FRAME_MS: f64 = 15.0;

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("host")?;
    let model = Model::start(json!([{"text": "Hello.", "repeat": 1000}]))?;
    let url = format!("http://{}", model.address());
    let ours = Path::new(env!("CARGO_BIN_EXE_cutonce"));
    one_shot(ours, &room, &url)?;
    let mut runs = (Vec::new(), Vec::new(), Vec::new());
    let reference = reference();
    if let Ok(program) = &reference {
        one_shot(program, &room, &url)?;
    }
    for _ in 0..bench.rounds(20) {
        let (first, whole) = one_shot(ours, &room, &url)?;
        runs.0.push(millis(first));
        runs.1.push(millis(whole));
        if let Ok(program) = &reference {
            runs.2.push(millis(one_shot(program, &room, &url)?.1));
        }
    }
    let first = Row::limit("SDK one-shot: first frame after the start", median(&runs.0), "ms", FIRST_FRAME_MS);
    let figure = "SDK one-shot over stdio, against the reference program";
    let whole = match reference {
        Ok(_) => {
            let ratio = f64::max(median(&runs.1) / median(&runs.2), least(&runs.1) / least(&runs.2));
            Row::ratio(figure, (&spread(&runs.1), &spread(&runs.2)), ratio, 1.0 / FASTER)
        }
        Err(why) => Row::skipped(figure, format!("no reference program: {why:#}")),
    };
    Ok(vec![first.beside(spread(&runs.0)), whole])
}

/// Time to the first frame, and to the end of the process.
fn one_shot(program: &Path, room: &Path, url: &str) -> Result<(Duration, Duration)> {
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(["--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--setting-sources="])
        .current_dir(room)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs([("ANTHROPIC_BASE_URL", url), ("ANTHROPIC_API_KEY", "sk-scripted")])
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("HOME", room)
        .env("CLAUDE_CONFIG_DIR", room.join("config"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("starting {}", program.display()))?;
    let mut stdin = child.stdin.take().context("no standard input")?;
    let initialize =
        json!({"type": "control_request", "request_id": "1", "request": {"subtype": "initialize", "hooks": null}});
    let user = json!({"type": "user", "message": {"role": "user", "content": "hi"}, "parent_tool_use_id": null, "session_id": ""});
    stdin.write_all(format!("{initialize}\n{user}\n").as_bytes())?;
    drop(stdin);
    let mut first = None;
    let mut last = String::new();
    for line in BufReader::new(child.stdout.take().context("no standard output")?).lines() {
        first.get_or_insert_with(|| started.elapsed());
        let line = line?;
        if line.contains("\"type\":\"result\"") {
            last = line;
        }
    }
    let status = child.wait()?;
    if !status.success() || !last.contains("Hello.") {
        bail!("{} ended with {status} and the result {last:?}", program.display());
    }
    Ok((first.context("no frame came")?, started.elapsed()))
}

/// The reference program, installed once per target folder.
fn reference() -> Result<PathBuf> {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reference-program");
    let program = place.join("node_modules/.bin/claude");
    if !program.exists() {
        std::fs::create_dir_all(&place)?;
        let flags = ["install", "--no-audit", "--no-fund", "--silent", "--prefix"];
        let output = Command::new("npm").args(flags).arg(&place).arg(REFERENCE).output().context("npm")?;
        if !output.status.success() {
            bail!("{REFERENCE} can't be installed");
        }
    }
    program.canonicalize().context("it has no program")
}
