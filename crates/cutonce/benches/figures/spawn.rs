//! What our way of starting a process costs over a plain one (SB-5): a supervisor, a scrubbed environment, a profile.

use crate::Bench;
use crate::table::{Row, median, millis, spread};
use anyhow::{Result, ensure};
use cutonce_sandbox::{Profile, Spawn};
use std::process::{Command, Stdio};
use std::time::Instant;

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("spawn")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds(200) {
        let start = Instant::now();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let spawn = Spawn::new("/bin/bash", &room, vec![("PATH".into(), path)]).args(["-c", "exit 0"]);
        runtime.block_on(async { spawn.profile(Profile::Open).start()?.wait().await.map_err(anyhow::Error::from) })?;
        ours.push(millis(start.elapsed()));
        let start = Instant::now();
        let mut command = Command::new("/bin/bash");
        command.args(["-c", "exit 0"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        ensure!(command.current_dir(&room).status()?.success(), "bash failed");
        plain.push(millis(start.elapsed()));
    }
    let over = median(&ours) - median(&plain);
    let row = Row::known("a command under the supervisor, over a plain spawn", format!("{over:.2} ms more"));
    Ok(vec![row.beside(format!("{} against {}", spread(&ours), spread(&plain)))])
}
