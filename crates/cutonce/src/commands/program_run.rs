//! Runs git and cutonce as programs, with bounded time and output.

use anyhow::Context;
use cutonce_sandbox::{ProcessExit, SpawnSpec, StdinMode, StdoutMode, find_program};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// A slower git waits for something that will not come.
const GIT_TIMEOUT: Duration = Duration::from_secs(600);
/// Most output that is kept.
const MAX_OUTPUT: u64 = 160 << 20;

/// What a program left.
pub struct ProgramOutput {
    pub exit: ProcessExit,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl ProgramOutput {
    pub fn is_success(&self) -> bool {
        self.exit == ProcessExit::Exited(0)
    }
    /// The last line of its error output.
    pub fn last_error(&self) -> String {
        let line = self.stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        line.chars().take(300).collect()
    }
}

/// Starts the program with this input and waits for it. Dropping the future ends the program and what it started.
pub async fn run_to_end(spec: SpawnSpec, input: Option<&[u8]>) -> anyhow::Result<ProgramOutput> {
    let stdin = if input.is_some() { StdinMode::Piped } else { StdinMode::Null };
    let mut running = spec.input(stdin).output(StdoutMode::Separate).start()?;
    let pipe = running.stdin.take();
    let write = async {
        if let (Some(mut pipe), Some(input)) = (pipe, input) {
            // A program that ends early has said why.
            let _ = pipe.write_all(input).await;
        }
    };
    let (out, err) = (running.stdout.take(), running.stderr.take());
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let read_out = async {
        match out {
            Some(pipe) => pipe.take(MAX_OUTPUT).read_to_end(&mut stdout).await,
            None => Ok(0),
        }
    };
    let read_err = async {
        match err {
            Some(pipe) => pipe.take(MAX_OUTPUT).read_to_end(&mut stderr).await,
            None => Ok(0),
        }
    };
    let (read, error_read, ()) = tokio::join!(read_out, read_err, write);
    read?;
    error_read?;
    let exit = running.wait().await?;
    Ok(ProgramOutput { exit, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() })
}

/// Runs git with the user's environment. It never asks, and uses only transports that are meant for repositories.
pub async fn git(folder: &Path, args: &[&str]) -> anyhow::Result<ProgramOutput> {
    git_with(folder, args, &[], None).await
}

async fn git_with(
    folder: &Path,
    args: &[&str],
    more: &[(&str, &OsStr)],
    input: Option<&[u8]>,
) -> anyhow::Result<ProgramOutput> {
    let mut env: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let set = [
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh"),
        ("GIT_LFS_SKIP_SMUDGE", "1"),
        ("LC_ALL", "C"),
    ];
    env.retain(|(name, _)| !set.iter().any(|(ours, _)| name == ours) && !is_repository_variable(name));
    env.extend(set.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
    env.extend(more.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
    let program = find_program("git", &env).context("git is not installed; repositories need it")?;
    let spec = SpawnSpec::new(program, folder, env).args(args.iter().map(OsString::from));
    let name = args.first().copied().unwrap_or_default();
    match tokio::time::timeout(GIT_TIMEOUT, run_to_end(spec, input)).await {
        Ok(output) => output.with_context(|| format!("git {name} could not run")),
        Err(_) => anyhow::bail!("git {name} did not end within {} minutes", GIT_TIMEOUT.as_secs() / 60),
    }
}

/// Runs git and returns its output; fails with its last line.
pub async fn git_output(folder: &Path, args: &[&str]) -> anyhow::Result<Vec<u8>> {
    git_output_with(folder, args, &[], None).await
}

/// Like [`git_output`], with more variables and with input.
pub async fn git_output_with(
    folder: &Path,
    args: &[&str],
    env: &[(&str, &OsStr)],
    input: Option<&[u8]>,
) -> anyhow::Result<Vec<u8>> {
    let output = git_with(folder, args, env, input).await?;
    if !output.is_success() {
        anyhow::bail!("git {} failed: {}", args.first().copied().unwrap_or_default(), output.last_error());
    }
    Ok(output.stdout)
}

/// Variables that point git at another repository than the folder's.
fn is_repository_variable(name: &OsString) -> bool {
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"]
        .iter()
        .any(|one| name == one)
}

/// The first commit of a repository: every clone has the same.
pub async fn root_commit(folder: &Path) -> Option<String> {
    let output = git_output(folder, &["rev-list", "--max-parents=0", "HEAD"]).await.ok()?;
    String::from_utf8(output).ok()?.lines().next_back().map(str::to_string)
}

/// Fails unless git accepts this name for a branch.
pub async fn require_branch(name: &str) -> anyhow::Result<()> {
    let reference = format!("refs/heads/{name}");
    let is_name = !name.starts_with('-') && git(Path::new("/"), &["check-ref-format", &reference]).await?.is_success();
    anyhow::ensure!(is_name, "{name:?} is no name for a branch");
    Ok(())
}
