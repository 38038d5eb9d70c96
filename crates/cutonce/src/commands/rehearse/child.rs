//! Runs this program as a child, and reads its result.

use crate::start;
use anyhow::Context;
use cutonce_sandbox::{ProcessExit, SpawnSpec, StdinMode, StdoutMode};
use serde_json::Value;
use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// A run of this program.
pub struct ChildProgram {
    program: PathBuf,
    pub args: Vec<OsString>,
    pub stdin: Vec<u8>,
}

/// What the child printed, and how it ended.
pub struct ChildEnd {
    pub stdout: Vec<u8>,
    pub code: u8,
}

impl ChildProgram {
    pub fn this() -> anyhow::Result<ChildProgram> {
        let program = std::env::current_exe().context("the program's own file is gone")?;
        Ok(ChildProgram { program, args: Vec::new(), stdin: Vec::new() })
    }

    /// Runs it to its end. Its errors go to our standard error.
    pub async fn run(self) -> anyhow::Result<ChildEnd> {
        let mut spawn = SpawnSpec::new(self.program, start::current_dir()?, std::env::vars_os().collect());
        spawn = spawn.args(self.args);
        (spawn.input, spawn.output) = (StdinMode::Piped, StdoutMode::Separate);
        let mut running = spawn.start()?;
        let input = self.stdin;
        let (stdin, stdout, stderr) = (running.stdin.take(), running.stdout.take(), running.stderr.take());
        let mut printed = Vec::new();
        let write = async move {
            if let Some(mut stdin) = stdin {
                let _ = stdin.write_all(&input).await;
            }
        };
        let read = async {
            if let Some(mut stdout) = stdout {
                let _ = stdout.read_to_end(&mut printed).await;
            }
        };
        let errors = async move {
            let mut text = Vec::new();
            if let Some(mut stderr) = stderr {
                let _ = stderr.read_to_end(&mut text).await;
            }
            eprint!("{}", cutonce_core::text::sanitize::sanitize(&String::from_utf8_lossy(&text)));
        };
        tokio::join!(write, read, errors);
        let code = match running.wait().await? {
            ProcessExit::Exited(code) => u8::try_from(code).unwrap_or(1),
            ProcessExit::Signalled(_) => 1,
        };
        Ok(ChildEnd { stdout: printed, code })
    }
}

impl ChildEnd {
    /// The last line, which is the result of a run with JSON output.
    pub fn last_json(&self) -> Option<Value> {
        let mut lines = self.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        serde_json::from_slice(lines.next_back()?).ok()
    }
}

/// Reads standard input, if it is no terminal.
pub fn piped_input() -> anyhow::Result<Vec<u8>> {
    let mut piped = Vec::new();
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        stdin.lock().read_to_end(&mut piped)?;
    }
    Ok(piped)
}
