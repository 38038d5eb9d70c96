//! Runs the user's status line command (DU-7). It is the user's own program, as a hook is: outside the sandbox, with
//! the key-free environment of tools, and killed with everything it started when it takes too long.

use cutonce_core::text::sanitize::{one_line, without_os_codes};
use cutonce_sandbox::env::{EnvNameRules, scrub_env};
use cutonce_sandbox::{ProcessExit, SpawnSpec, StdinMode, StdoutMode, find_program};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

/// How long the command may run.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes that are read of its output.
const MAX_OUTPUT: u64 = 4_096;

/// Runs the command with this input. Returns the first line that it prints, or why it failed.
pub async fn run_status_command(
    command: &str,
    input: &Value,
    cwd: &Path,
    env: &[(OsString, OsString)],
) -> Result<String, String> {
    let slow = |_| Err(format!("it did not end within {} seconds", TIMEOUT.as_secs()));
    tokio::time::timeout(TIMEOUT, run(command, input, cwd, env)).await.unwrap_or_else(slow)
}

async fn run(command: &str, input: &Value, cwd: &Path, env: &[(OsString, OsString)]) -> Result<String, String> {
    let env = scrub_env(env.iter().cloned(), &EnvNameRules::default());
    let shell = find_program("sh", &env).unwrap_or_else(|| PathBuf::from("/bin/sh"));
    let spawn = SpawnSpec::new(shell, cwd, env)
        .argv0("sh")
        .args(["-c", command])
        .input(StdinMode::Piped)
        .output(StdoutMode::Separate);
    let mut running = spawn.start().map_err(|error| error.to_string())?;
    let (stdin, stdout, stderr) = (running.stdin.take(), running.stdout.take(), running.stderr.take());
    let line = format!("{input}\n");
    let tell = async move {
        // The command may ignore its input.
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(line.as_bytes()).await;
        }
    };
    let (_, printed, problem, ended) = tokio::join!(tell, read_start(stdout), read_start(stderr), running.wait());
    let first = |text: &str| one_line(&without_os_codes(text.lines().next().unwrap_or_default()));
    // A command that wrote more than is read failed only because the pipe was closed.
    if printed.len() as u64 >= MAX_OUTPUT {
        return Ok(first(&without_colours(&printed)));
    }
    match ended.map_err(|error| error.to_string())? {
        ProcessExit::Exited(0) => Ok(first(&without_colours(&printed))),
        ProcessExit::Exited(code) => {
            Err(format!("exit code {code}: {}", first(&problem)).trim_end_matches(": ").into())
        }
        ProcessExit::Signalled(signal) => Err(format!("it was killed by signal {signal}")),
    }
}

/// Reads the beginning, then closes the pipe, which ends a program that keeps writing.
async fn read_start(pipe: Option<impl AsyncRead + Unpin>) -> String {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let _ = pipe.take(MAX_OUTPUT).read_to_end(&mut bytes).await;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The text without colour sequences, which scripts for other programs print.
fn without_colours(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        kept.push_str(before);
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';' || c == ':');
        rest = rest.strip_prefix('m').unwrap_or(rest);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    async fn status(command: &str) -> Result<String, String> {
        let env: Vec<_> = std::env::vars_os().collect();
        run_status_command(command, &json!({"model": {"id": "m"}}), Path::new("/"), &env).await
    }

    #[tokio::test]
    async fn du_7_status_command_reads_json_and_prints_a_line() {
        assert_eq!(status("grep -o '\"id\":\"m\"'; echo more").await.as_deref(), Ok("\"id\":\"m\""));
        assert_eq!(status(r"printf '\033[31mred\033[0m\n'").await.as_deref(), Ok("red"));
    }

    #[tokio::test]
    async fn du_7_broken_status_command_says_why() {
        assert_eq!(status("echo no >&2; exit 3").await.unwrap_err(), "exit code 3: no");
        assert_eq!(status("kill -9 $$").await.unwrap_err(), "it was killed by signal 9");
        assert_eq!(status("yes x").await.as_deref(), Ok("x"), "a flood is cut");
    }

    #[tokio::test]
    async fn du_7_status_command_gets_no_keys() {
        let env = vec![("PATH".into(), std::env::var_os("PATH").unwrap()), ("OPENAI_API_KEY".into(), "sk-1".into())];
        let line = run_status_command("echo key=$OPENAI_API_KEY", &json!({}), Path::new("/"), &env).await;
        assert_eq!(line.as_deref(), Ok("key="));
    }
}
