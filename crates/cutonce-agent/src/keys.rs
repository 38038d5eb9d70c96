//! Where API keys come from (MO-4): the environment, a helper command, or the keyring of the system. They live in
//! [`SecretString`], which prints nothing, and go nowhere but into the request.

use cutonce_sandbox::{Ended, Output, Spawn, find_program};
use secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::sync::Mutex;

/// A helper that takes longer waits for somebody who is not there.
const HELPER_TIMEOUT: Duration = Duration::from_secs(60);
/// No key is longer.
const LONGEST_KEY: u64 = 64 << 10;
/// Under this name keys are in the system's keyring, by the name of their variable.
const KEYRING: &str = "cutonce";

/// Looks keys up, and remembers for the session what the helper said.
pub struct Keys {
    env: Vec<(OsString, OsString)>,
    helper: Option<String>,
    cwd: PathBuf,
    timeout: Duration,
    said: Mutex<HashMap<String, SecretString>>,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").field("helper", &self.helper).finish_non_exhaustive()
    }
}

/// Why there is no key although a helper was named. Holds nothing that the helper printed to its output.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The helper can't be started.
    #[error("apiKeyHelper could not be started: {0}")]
    Start(String),
    /// The helper did not answer in this time.
    #[error("apiKeyHelper did not end within {} s", .0.as_secs())]
    Slow(Duration),
    /// The helper ended badly.
    #[error("apiKeyHelper failed ({how}){}", if stderr.is_empty() { String::new() } else { format!(": {stderr}") })]
    Failed {
        /// Its exit code or signal.
        how: String,
        /// What it said.
        stderr: String,
    },
    /// The helper printed no key.
    #[error("apiKeyHelper printed {0}; it must print the key and nothing else")]
    Output(&'static str),
    /// The system's keyring refused.
    #[error("the system's keyring refused: {0}")]
    Keyring(String),
}

impl Keys {
    /// `env` is the environment of this process, `helper` the setting `apiKeyHelper`, `cwd` where it runs.
    pub fn new(env: Vec<(OsString, OsString)>, helper: Option<String>, cwd: impl Into<PathBuf>) -> Self {
        Self { env, helper, cwd: cwd.into(), timeout: HELPER_TIMEOUT, said: Mutex::default() }
    }

    /// The key that a provider reads from the variable `name`; `None` where nobody has one.
    pub(crate) async fn lookup(&self, name: &str) -> Result<Option<SecretString>, KeyError> {
        if let Some(key) = self.in_env(name) {
            return Ok(Some(key));
        }
        if let Some(command) = &self.helper {
            return self.ask_helper(command, name).await.map(Some);
        }
        let name = name.to_string();
        // The keyring may ask the person first, so it must not hold up everything else.
        let found = tokio::task::spawn_blocking(move || from_keyring(&name)).await;
        Ok(found.unwrap_or_default())
    }

    fn in_env(&self, name: &str) -> Option<SecretString> {
        let (_, value) = self.env.iter().find(|(key, _)| key == name)?;
        let value = value.to_str()?.trim();
        (!value.is_empty()).then(|| value.into())
    }

    async fn ask_helper(&self, command: &str, name: &str) -> Result<SecretString, KeyError> {
        let mut said = self.said.lock().await;
        if let Some(key) = said.get(name) {
            return Ok(key.clone());
        }
        let key = tokio::time::timeout(self.timeout, self.run(command, name));
        let key = key.await.map_err(|_| KeyError::Slow(self.timeout))??;
        said.insert(name.to_string(), key.clone());
        Ok(key)
    }

    /// The user's own command with the user's own environment; $CUTONCE_KEY says which key is wanted.
    async fn run(&self, command: &str, name: &str) -> Result<SecretString, KeyError> {
        let shell = find_program("sh", &self.env).unwrap_or_else(|| PathBuf::from("/bin/sh"));
        let env = self.env.iter().cloned().chain([("CUTONCE_KEY".into(), name.into())]).collect();
        let spawn = Spawn::new(shell, &self.cwd, env).called("sh").args(["-c", command]).output(Output::Separate);
        let failed = |error: std::io::Error| KeyError::Start(error.to_string());
        let mut running = spawn.start().map_err(|error| KeyError::Start(error.to_string()))?;
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let (stdout, stderr) = (running.stdout.take(), running.stderr.take());
        let read_out = async {
            match stdout {
                Some(pipe) => pipe.take(LONGEST_KEY + 1).read_to_end(&mut out).await,
                None => Ok(0),
            }
        };
        let read_err = async {
            match stderr {
                Some(pipe) => pipe.take(LONGEST_KEY).read_to_end(&mut err).await,
                None => Ok(0),
            }
        };
        let (read, _) = tokio::join!(read_out, read_err);
        read.map_err(failed)?;
        if out.len() as u64 > LONGEST_KEY {
            return Err(KeyError::Output("too much"));
        }
        match running.wait().await.map_err(failed)? {
            Ended::Exited(0) => key_of(&out),
            Ended::Exited(code) => Err(KeyError::Failed { how: format!("exit code {code}"), stderr: first_line(&err) }),
            Ended::Signalled(signal) => {
                Err(KeyError::Failed { how: format!("signal {signal}"), stderr: first_line(&err) })
            }
        }
    }
}

/// Put a key into the system's keyring, where `lookup` finds it. On Linux that is the kernel's, until the next start
/// of the machine.
pub fn store(name: &str, key: &SecretString) -> Result<(), KeyError> {
    let entry = keyring::Entry::new(KEYRING, name).map_err(refused)?;
    entry.set_password(key.expose_secret()).map_err(refused)
}

/// Take a key out of the system's keyring.
pub fn forget(name: &str) -> Result<(), KeyError> {
    let entry = keyring::Entry::new(KEYRING, name).map_err(refused)?;
    entry.delete_credential().map_err(refused)
}

fn refused(error: keyring::Error) -> KeyError {
    KeyError::Keyring(error.to_string())
}

/// Whether the system's keyring has that key; the key itself is not shown.
pub fn in_keyring(name: &str) -> bool {
    from_keyring(name).is_some()
}

/// No keyring, no permission, no entry: all of them mean that there is no key here.
fn from_keyring(name: &str) -> Option<SecretString> {
    let key = keyring::Entry::new(KEYRING, name).ok()?.get_password().ok()?;
    (!key.trim().is_empty()).then(|| key.trim().into())
}

fn key_of(output: &[u8]) -> Result<SecretString, KeyError> {
    let text = std::str::from_utf8(output).map_err(|_| KeyError::Output("something that is not text"))?.trim();
    match text {
        "" => Err(KeyError::Output("nothing")),
        _ if text.chars().any(char::is_control) => Err(KeyError::Output("several lines")),
        _ => Ok(text.into()),
    }
}

fn first_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(vars: &[(&str, &str)], helper: Option<&str>) -> Keys {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let env = vars.iter().map(|(name, value)| (name.into(), value.into())).chain([("PATH".into(), path)]);
        Keys::new(env.collect(), helper.map(str::to_string), std::env::temp_dir())
    }

    async fn lookup(keys: &Keys, name: &str) -> Option<String> {
        keys.lookup(name).await.unwrap().map(|key| key.expose_secret().to_string())
    }

    #[tokio::test]
    async fn mo_4_the_environment_comes_first_then_the_helper() {
        let keys = keys(&[("A_KEY", " from-env\n"), ("EMPTY_KEY", " ")], Some("echo \"helped-$CUTONCE_KEY\""));
        assert_eq!(lookup(&keys, "A_KEY").await.as_deref(), Some("from-env"));
        assert_eq!(lookup(&keys, "EMPTY_KEY").await.as_deref(), Some("helped-EMPTY_KEY"));
        assert_eq!(lookup(&keys, "OTHER_KEY").await.as_deref(), Some("helped-OTHER_KEY"));
    }

    #[tokio::test]
    async fn mo_4_the_helper_runs_once_a_session() {
        let dir = tempfile::tempdir().unwrap();
        let count = dir.path().join("count");
        let helper = format!("echo x >> '{}'; echo key-123", count.display());
        let keys = keys(&[], Some(&helper));
        let (a, b) = tokio::join!(lookup(&keys, "K"), lookup(&keys, "K"));
        assert_eq!((a.as_deref(), b.as_deref()), (Some("key-123"), Some("key-123")));
        assert_eq!(std::fs::read_to_string(count).unwrap(), "x\n");
    }

    #[tokio::test]
    async fn mo_4_a_helper_that_fails_says_why_and_never_what_it_printed() {
        let check = async |helper: &str, expected: &str| {
            let error = keys(&[], Some(helper)).lookup("K").await.unwrap_err().to_string();
            assert!(error.contains(expected), "{helper}: {error}");
            assert!(!error.contains("sk-secret"), "{error}");
        };
        check("echo sk-secret; echo no vault >&2; exit 3", "exit code 3): no vault").await;
        check("true", "printed nothing").await;
        check("echo sk-secret; echo again", "several lines").await;
        check("printf '\\377\\376'", "not text").await;
        check("kill -9 $$", "signal 9").await;
        check("head -c 100000 /dev/zero | tr '\\0' x", "too much").await;
        let mut slow = keys(&[], Some("sleep 600"));
        slow.timeout = Duration::from_millis(50);
        let error = slow.lookup("K").await.unwrap_err().to_string();
        assert!(error.contains("did not end"), "{error}");
    }

    #[tokio::test]
    async fn mo_4_without_any_source_there_is_no_key() {
        assert_eq!(lookup(&keys(&[], None), "CUTONCE_TEST_NO_SUCH_KEY").await, None);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn mo_4_the_keyring_gives_back_what_was_stored_where_the_kernel_has_one() {
        let name = format!("CUTONCE_TEST_{}", std::process::id());
        let stored = store(&name, &"sk-from-keyring".into());
        let found = lookup(&keys(&[], None), &name).await;
        // Containers often forbid keyrings: then there is no key, and that is all.
        assert_eq!(found.as_deref(), stored.is_ok().then_some("sk-from-keyring"));
        if stored.is_ok() {
            forget(&name).unwrap();
            assert_eq!(lookup(&keys(&[], None), &name).await, None);
        }
    }

    #[test]
    fn mo_4_nothing_prints_a_key() {
        let keys = keys(&[("A_KEY", "sk-secret")], Some("helper"));
        assert!(!format!("{keys:?} {:?}", keys.in_env("A_KEY")).contains("sk-secret"));
    }
}
