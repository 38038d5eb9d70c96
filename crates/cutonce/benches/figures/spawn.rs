//! Cost of our ways to start a process over a plain one (SB-5): with a supervisor, then with a sandbox
//! profile.

use crate::Bench;
use crate::table::{Row, median, millis, spread};
use anyhow::{Result, ensure};
use cutonce_sandbox::{ProcessExit, ReadOnlyProfile, ResourceLimits, SandboxProfile, SpawnSpec, ThrowawayLayer};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("spawn")?;
    for folder in ["project", "tmp", "layers"] {
        std::fs::create_dir(room.join(folder))?;
    }
    let scratch = ThrowawayLayer { root: room.join("project"), extra_roots: vec![], storage: room.join("layers") };
    let read_only = |scratch| ReadOnlyProfile {
        tmp: room.join("tmp"),
        hide: vec![],
        readable: vec![],
        scratch,
        stand_ins: Vec::new(),
        listener: None,
        background: false,
        limits: ResourceLimits::default(),
    };
    let profiles = [
        ("a command under the supervisor", SandboxProfile::Unconfined),
        ("a read-only command", SandboxProfile::ReadOnly(read_only(None))),
        ("a command on a scratch copy", SandboxProfile::ReadOnly(read_only(Some(scratch)))),
    ];
    let rows = profiles.into_iter().map(|(words, profile)| {
        let figure = format!("{words}, over a plain spawn");
        compared(bench, &room.join("project"), &figure, &profile)
            .unwrap_or_else(|error| Row::skipped(&figure, format!("{error:#}")))
    });
    Ok(rows.collect())
}

fn compared(bench: &Bench, folder: &Path, figure: &str, profile: &SandboxProfile) -> Result<Row> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds(200) {
        let start = Instant::now();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let spawn = SpawnSpec::new("/bin/bash", folder, vec![("PATH".into(), path)]).args(["-c", "exit 0"]);
        let spawn = spawn.profile(profile.clone());
        let ended = runtime.block_on(async { spawn.start()?.wait().await.map_err(anyhow::Error::from) })?;
        ours.push(millis(start.elapsed()));
        ensure!(ended == ProcessExit::Exited(0), "the command ended with {ended:?}");
        let start = Instant::now();
        let mut command = Command::new("/bin/bash");
        command.args(["-c", "exit 0"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        ensure!(command.current_dir(folder).status()?.success(), "bash failed");
        plain.push(millis(start.elapsed()));
    }
    let over = median(&ours) - median(&plain);
    let row = Row::known(figure, format!("{over:.2} ms more"));
    Ok(row.beside(format!("{} against {}", spread(&ours), spread(&plain))))
}
