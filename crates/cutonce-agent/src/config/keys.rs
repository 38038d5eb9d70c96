//! Finds API keys (MO-4) in the environment, with a helper command, in the system's keyring, or in the key file. Keys
//! are stored as [`SecretString`], which is never printed, and only sent in requests.

use crate::storage::paths::{read_bounded_text, write_private};
use cutonce_core::text::truncate;
use cutonce_sandbox::{ProcessExit, SpawnSpec, StdoutMode, find_program};
use secrecy::{ExposeSecret, SecretString};
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::sync::Mutex;

/// A slower helper probably waits for user input.
const HELPER_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum length of a key.
const MAX_KEY_LENGTH: u64 = 64 << 10;
/// The service name in the system's keyring; entries are named after their variable.
const KEYRING_SERVICE: &str = "cutonce";
/// Maximum size of the key file.
const MAX_KEY_FILE: u64 = 1 << 20;

/// Looks up keys and caches the helper's output for the session.
pub struct KeySource {
    env: Vec<(OsString, OsString)>,
    helper: Option<String>,
    cwd: PathBuf,
    timeout: Duration,
    /// The key file; `None` if only other sources count.
    file: Option<PathBuf>,
    helper_keys: Mutex<HashMap<String, SecretString>>,
}

impl std::fmt::Debug for KeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").field("helper", &self.helper).finish_non_exhaustive()
    }
}

/// Why a key could not be obtained. Never contains the helper's stdout.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The helper can't be started.
    #[error("could not start apiKeyHelper: {0}")]
    Start(String),
    /// The helper timed out.
    #[error("apiKeyHelper did not end within {} s", .0.as_secs())]
    Slow(Duration),
    /// The helper failed.
    #[error("apiKeyHelper failed ({how}){}", if stderr.is_empty() { String::new() } else { format!(": {stderr}") })]
    Failed {
        /// The exit code or signal.
        how: String,
        /// The first line of its stderr.
        stderr: String,
    },
    /// The helper printed no key.
    #[error("apiKeyHelper printed {0}; it must print the key and nothing else")]
    Output(&'static str),
    /// The system's keyring returned an error.
    #[error("the system's keyring failed: {0}")]
    Keyring(String),
    /// The key file can't be read or written.
    #[error("the key file {} {why}", path.display())]
    File {
        /// The key file.
        path: PathBuf,
        /// Why it can't be used.
        why: String,
    },
}

/// Where a key was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    /// The system's keyring.
    Keyring,
    /// A file that only the user can read.
    File(PathBuf),
}

impl KeySource {
    /// `env` is the process environment, `helper` the setting `apiKeyHelper`, `cwd` its working folder.
    pub fn new(env: Vec<(OsString, OsString)>, helper: Option<String>, cwd: impl Into<PathBuf>) -> Self {
        Self { env, helper, cwd: cwd.into(), timeout: HELPER_TIMEOUT, file: None, helper_keys: Mutex::default() }
    }

    /// Looks into the key file of this home, too.
    #[must_use]
    pub(crate) fn with_key_file(mut self, home: &Path) -> Self {
        self.file = Some(key_file(home));
        self
    }

    /// The key for the variable `name`; `None` if there is none.
    pub(crate) async fn find_key(&self, name: &str) -> Result<Option<SecretString>, KeyError> {
        if let Some(key) = self.read_from_env(name) {
            return Ok(Some(key));
        }
        if let Some(command) = &self.helper {
            return self.ask_helper(command, name).await.map(Some);
        }
        if let Some(key) = self.file.as_deref().and_then(|file| from_file(file, name)) {
            return Ok(Some(key));
        }
        let name = name.to_string();
        // The keyring may prompt the user, so use a blocking thread.
        let found = tokio::task::spawn_blocking(move || from_keyring(&name)).await;
        Ok(found.unwrap_or_default())
    }

    fn read_from_env(&self, name: &str) -> Option<SecretString> {
        let (_, value) = self.env.iter().find(|(key, _)| key == name)?;
        let value = value.to_str()?.trim();
        (!value.is_empty()).then(|| value.into())
    }

    async fn ask_helper(&self, command: &str, name: &str) -> Result<SecretString, KeyError> {
        let mut said = self.helper_keys.lock().await;
        if let Some(key) = said.get(name) {
            return Ok(key.clone());
        }
        let key = tokio::time::timeout(self.timeout, self.run_helper(command, name));
        let key = key.await.map_err(|_| KeyError::Slow(self.timeout))??;
        said.insert(name.to_string(), key.clone());
        Ok(key)
    }

    /// Runs the user's command with the user's environment; $CUTONCE_KEY names the requested key.
    async fn run_helper(&self, command: &str, name: &str) -> Result<SecretString, KeyError> {
        let shell = find_program("sh", &self.env).unwrap_or_else(|| PathBuf::from("/bin/sh"));
        let env = self.env.iter().cloned().chain([("CUTONCE_KEY".into(), name.into())]).collect();
        let spawn =
            SpawnSpec::new(shell, &self.cwd, env).argv0("sh").args(["-c", command]).output(StdoutMode::Separate);
        let failed = |error: std::io::Error| KeyError::Start(error.to_string());
        let mut running = spawn.start().map_err(|error| KeyError::Start(error.to_string()))?;
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let (stdout, stderr) = (running.stdout.take(), running.stderr.take());
        let read_out = async {
            match stdout {
                Some(pipe) => pipe.take(MAX_KEY_LENGTH + 1).read_to_end(&mut out).await,
                None => Ok(0),
            }
        };
        let read_err = async {
            match stderr {
                Some(pipe) => pipe.take(MAX_KEY_LENGTH).read_to_end(&mut err).await,
                None => Ok(0),
            }
        };
        let (read, _) = tokio::join!(read_out, read_err);
        read.map_err(failed)?;
        if out.len() as u64 > MAX_KEY_LENGTH {
            return Err(KeyError::Output("too much"));
        }
        match running.wait().await.map_err(failed)? {
            ProcessExit::Exited(0) => parse_key(&out),
            ProcessExit::Exited(code) => {
                Err(KeyError::Failed { how: format!("exit code {code}"), stderr: first_error_line(&err) })
            }
            ProcessExit::Signalled(signal) => {
                Err(KeyError::Failed { how: format!("signal {signal}"), stderr: first_error_line(&err) })
            }
        }
    }
}

/// Stores a key in the system's keyring, where `lookup` finds it. On Linux this is the kernel's keyring, which is
/// cleared at reboot.
pub(crate) fn store_key(name: &str, key: &SecretString) -> Result<(), KeyError> {
    let entry = keyring::Entry::new(KEYRING_SERVICE, name).map_err(keyring_error)?;
    entry.set_password(key.expose_secret()).map_err(keyring_error)
}

/// Stores a key for good: in the system's keyring where it survives a reboot, else in the key file of this home.
pub fn keep_key(home: &Path, name: &str, key: &SecretString) -> Result<KeyPlace, KeyError> {
    // Linux keeps it in the kernel, until the next reboot.
    if cfg!(target_os = "macos") && store_key(name, key).is_ok() {
        return Ok(KeyPlace::Keyring);
    }
    let path = key_file(home);
    let failed = |why: String| KeyError::File { path: path.clone(), why };
    let mut keys = read_key_file(&path).map_err(failed)?;
    keys.insert(name.to_string(), key.expose_secret().to_string());
    let text = serde_json::to_string_pretty(&keys).map_err(|error| failed(error.to_string()))? + "\n";
    write_private(&path, text.as_bytes()).map_err(|error| failed(format!("can't be written: {error}")))?;
    Ok(KeyPlace::File(path))
}

/// Deletes a key from the key file of this home; false if it is not there.
pub fn delete_kept_key(home: &Path, name: &str) -> Result<bool, KeyError> {
    let path = key_file(home);
    let failed = |why: String| KeyError::File { path: path.clone(), why };
    let mut keys = read_key_file(&path).map_err(failed)?;
    if keys.remove(name).is_none() {
        return Ok(false);
    }
    let text = serde_json::to_string_pretty(&keys).map_err(|error| failed(error.to_string()))? + "\n";
    write_private(&path, text.as_bytes()).map_err(|error| failed(format!("can't be written: {error}")))?;
    Ok(true)
}

/// Whether the key file of this home has that key.
pub fn in_key_file(home: &Path, name: &str) -> bool {
    from_file(&key_file(home), name).is_some()
}

/// The list of secret files has this name, so that no tool reads it (SB-6).
fn key_file(home: &Path) -> PathBuf {
    home.join("auth.json")
}

fn read_key_file(path: &Path) -> Result<BTreeMap<String, String>, String> {
    let text = read_bounded_text(path, MAX_KEY_FILE).map_err(|error| format!("can't be read: {error}"))?;
    match text.as_deref().map(str::trim) {
        None | Some("") => Ok(BTreeMap::new()),
        Some(text) => {
            serde_json::from_str(text).map_err(|_| "is not a JSON object of names and keys; repair or remove it".into())
        }
    }
}

/// Without a readable file or an entry, there is no key.
fn from_file(path: &Path, name: &str) -> Option<SecretString> {
    let key = read_key_file(path).ok()?.remove(name)?;
    (!key.trim().is_empty()).then(|| key.trim().into())
}

/// Deletes a key from the system's keyring.
pub fn delete_key(name: &str) -> Result<(), KeyError> {
    let entry = keyring::Entry::new(KEYRING_SERVICE, name).map_err(keyring_error)?;
    entry.delete_credential().map_err(keyring_error)
}

fn keyring_error(error: keyring::Error) -> KeyError {
    KeyError::Keyring(error.to_string())
}

/// Whether the system's keyring has that key.
pub fn in_keyring(name: &str) -> bool {
    from_keyring(name).is_some()
}

/// Without keyring, permission or entry, there is no key.
pub(crate) fn from_keyring(name: &str) -> Option<SecretString> {
    let key = keyring::Entry::new(KEYRING_SERVICE, name).ok()?.get_password().ok()?;
    (!key.trim().is_empty()).then(|| key.trim().into())
}

fn parse_key(output: &[u8]) -> Result<SecretString, KeyError> {
    let text = std::str::from_utf8(output).map_err(|_| KeyError::Output("something that is not text"))?.trim();
    match text {
        "" => Err(KeyError::Output("nothing")),
        _ if text.chars().any(char::is_control) => Err(KeyError::Output("several lines")),
        _ => Ok(text.into()),
    }
}

fn first_error_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    truncate::first_line(&text).chars().filter(|c| !c.is_control()).take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(vars: &[(&str, &str)], helper: Option<&str>) -> KeySource {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let env = vars.iter().map(|(name, value)| (name.into(), value.into())).chain([("PATH".into(), path)]);
        KeySource::new(env.collect(), helper.map(str::to_string), std::env::temp_dir())
    }

    async fn lookup(keys: &KeySource, name: &str) -> Option<String> {
        keys.find_key(name).await.unwrap().map(|key| key.expose_secret().to_string())
    }

    #[tokio::test]
    async fn mo_4_environment_precedes_the_helper() {
        let keys = keys(&[("A_KEY", " from-env\n"), ("EMPTY_KEY", " ")], Some("echo \"helped-$CUTONCE_KEY\""));
        assert_eq!(lookup(&keys, "A_KEY").await.as_deref(), Some("from-env"));
        assert_eq!(lookup(&keys, "EMPTY_KEY").await.as_deref(), Some("helped-EMPTY_KEY"));
        assert_eq!(lookup(&keys, "OTHER_KEY").await.as_deref(), Some("helped-OTHER_KEY"));
    }

    #[tokio::test]
    async fn mo_4_helper_runs_once_per_session() {
        let dir = tempfile::tempdir().unwrap();
        let count = dir.path().join("count");
        let helper = format!("echo x >> '{}'; echo key-123", count.display());
        let keys = keys(&[], Some(&helper));
        let (a, b) = tokio::join!(lookup(&keys, "K"), lookup(&keys, "K"));
        assert_eq!((a.as_deref(), b.as_deref()), (Some("key-123"), Some("key-123")));
        assert_eq!(std::fs::read_to_string(count).unwrap(), "x\n");
    }

    #[tokio::test]
    async fn mo_4_helper_errors_never_contain_its_output() {
        let check = async |helper: &str, expected: &str| {
            let error = keys(&[], Some(helper)).find_key("K").await.unwrap_err().to_string();
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
        let error = slow.find_key("K").await.unwrap_err().to_string();
        assert!(error.contains("did not end"), "{error}");
    }

    #[tokio::test]
    async fn mo_4_no_source_means_no_key() {
        assert_eq!(lookup(&keys(&[], None), "CUTONCE_TEST_NO_SUCH_KEY").await, None);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn mo_4_keyring_returns_the_stored_key() {
        let name = format!("CUTONCE_TEST_{}", std::process::id());
        let stored = store_key(&name, &"sk-from-keyring".into());
        let found = lookup(&keys(&[], None), &name).await;
        // Containers often forbid keyrings: then there is no key.
        assert_eq!(found.as_deref(), stored.is_ok().then_some("sk-from-keyring"));
        if stored.is_ok() {
            delete_key(&name).unwrap();
            assert_eq!(lookup(&keys(&[], None), &name).await, None);
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn on_3_kept_key_is_found_in_a_private_file() {
        let home = tempfile::tempdir().unwrap();
        let name = "CUTONCE_TEST_KEPT_KEY";
        let place = keep_key(home.path(), name, &"sk-kept".into()).unwrap();
        let KeyPlace::File(path) = place else { panic!("{place:?}") };
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
        assert!(cutonce_tools::secret_files::leads_to_secret(&path, None));
        keep_key(home.path(), "OTHER", &"sk-other".into()).unwrap();
        let source = keys(&[], None).with_key_file(home.path());
        assert_eq!(lookup(&source, name).await.as_deref(), Some("sk-kept"));
        assert!(delete_kept_key(home.path(), name).unwrap() && !delete_kept_key(home.path(), name).unwrap());
        assert_eq!(lookup(&source, name).await, None);
        assert_eq!(lookup(&source, "OTHER").await.as_deref(), Some("sk-other"));
        std::fs::write(&path, "[oops").unwrap();
        let error = keep_key(home.path(), name, &"sk-kept".into()).unwrap_err().to_string();
        assert!(error.contains("repair or remove it") && !error.contains("sk-kept"), "{error}");
    }

    #[test]
    fn mo_4_keys_are_never_printed() {
        let keys = keys(&[("A_KEY", "sk-secret")], Some("helper"));
        assert!(!format!("{keys:?} {:?}", keys.read_from_env("A_KEY")).contains("sk-secret"));
    }
}
