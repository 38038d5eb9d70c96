//! SSH signatures, by the user's own `ssh-keygen`: it knows agents, hardware keys, certificates, and all options of a
//! file of allowed signers (FL-2).

use super::program_run::{ProgramOutput, run_to_end};
use anyhow::Context;
use cutonce_sandbox::{ForegroundProgram, ProcessExit, SpawnSpec, find_program};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Keeps signatures for other purposes, such as commits, from counting here.
const NAMESPACE: &str = "cutonce-fleet";
/// Checking a signature needs no network and no user.
const CHECK_TIMEOUT: Duration = Duration::from_secs(30);
/// Longer files are no list of signers.
const MAX_SIGNERS: u64 = 1 << 20;

/// The program and the environment of the user.
fn ssh_keygen() -> anyhow::Result<(PathBuf, Vec<(OsString, OsString)>)> {
    let env: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let program = find_program("ssh-keygen", &env);
    let program = program.context("ssh-keygen is not installed (Debian: apt-get install openssh-client)")?;
    Ok((program, env))
}

/// Signs a text with the user's key. ssh-keygen may ask for a passphrase on the terminal.
pub fn sign(key: &Path, text: &str) -> anyhow::Result<String> {
    let (program, env) = ssh_keygen()?;
    let folder = tempfile::Builder::new().prefix("cutonce-sign-").tempdir()?;
    let file = folder.path().join("request");
    std::fs::write(&file, text)?;
    let key = key.canonicalize().with_context(|| format!("can't read the key {}", key.display()))?;
    let words: [OsString; 8] = [
        "-Y".into(),
        "sign".into(),
        "-q".into(),
        "-n".into(),
        NAMESPACE.into(),
        "-f".into(),
        key.clone().into(),
        file.clone().into(),
    ];
    let run = ForegroundProgram { program, args: words.to_vec(), cwd: folder.path().to_path_buf(), env };
    let exit = run.run()?;
    let signed = std::fs::read_to_string(file.with_extension("sig"));
    match (exit, signed) {
        (ProcessExit::Exited(0), Ok(signature)) => Ok(signature),
        _ => anyhow::bail!("ssh-keygen could not sign with {}; see its message above", key.display()),
    }
}

/// Checks a signature against a file of allowed signers; returns the signer's name in it and the key's fingerprint.
pub async fn check(signers: &Path, text: &str, signature: &str) -> anyhow::Result<(String, String)> {
    let folder = tempfile::Builder::new().prefix("cutonce-check-").tempdir()?;
    let file = folder.path().join("signature");
    std::fs::write(&file, signature)?;
    let (signers, file) = (signers.as_os_str(), file.as_os_str());
    let found = run_check(
        folder.path(),
        &["-Y".as_ref(), "find-principals".as_ref(), "-s".as_ref(), file, "-f".as_ref(), signers],
        "",
    )
    .await?;
    let names = String::from_utf8_lossy(&found.stdout).into_owned();
    let name = names.lines().map(str::trim).find(|name| !name.is_empty()).filter(|_| found.is_success());
    let name = name.context("its SSH key is not in the file of allowed signers")?;
    let words = ["-Y", "verify", "-n", NAMESPACE, "-I", name].map(std::ffi::OsStr::new);
    let words = [&words[..], &["-s".as_ref(), file, "-f".as_ref(), signers]].concat();
    let checked = run_check(folder.path(), &words, text).await?;
    if !checked.is_success() {
        let told = [String::from_utf8_lossy(&checked.stdout).trim(), &checked.last_error()].join(" ");
        anyhow::bail!("its SSH signature is not valid: {}", told.trim());
    }
    let told = String::from_utf8_lossy(&checked.stdout).into_owned();
    let fingerprint = told.split_whitespace().find(|word| word.starts_with("SHA256:")).unwrap_or_default();
    Ok((name.to_string(), fingerprint.to_string()))
}

async fn run_check(folder: &Path, words: &[&std::ffi::OsStr], input: &str) -> anyhow::Result<ProgramOutput> {
    let (program, env) = ssh_keygen()?;
    let spec = SpawnSpec::new(program, folder, env).args(words.iter().map(OsString::from));
    let run = run_to_end(spec, Some(input.as_bytes()));
    tokio::time::timeout(CHECK_TIMEOUT, run).await.context("ssh-keygen does not end")?
}

/// The number of signers in a file.
pub fn count_signers(path: &Path) -> anyhow::Result<usize> {
    let size = std::fs::metadata(path).with_context(|| format!("can't read {}", path.display()))?.len();
    anyhow::ensure!(size <= MAX_SIGNERS, "{} is too large for a file of allowed signers", path.display());
    let text = std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let count = lines.count();
    anyhow::ensure!(count > 0, "{} names no signer; a line is `NAME ssh-ed25519 KEY`", path.display());
    Ok(count)
}
