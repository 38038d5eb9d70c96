//! The log file (DU-9): warnings and errors of the program, in `logs/cutonce.log` under the home.
//!
//! The file is opened with the first entry, so a run without problems writes nothing. It is rotated by size. Values of
//! secret variables are replaced before an entry is written.

use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::text::sanitize::one_line;
use cutonce_sandbox::env::{EnvNameRules, secret_values};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt};

/// A file that reaches this size becomes `cutonce.log.1`.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Rotated files that are kept.
const MAX_OLD_FILES: u32 = 3;

/// Installs the subscriber for the whole process. `CUTONCE_LOG` sets the level; the default is `warn`.
pub fn init(home: &Path) {
    let level = match std::env::var("CUTONCE_LOG") {
        Err(_) => LevelFilter::WARN,
        Ok(name) => name.parse().unwrap_or_else(|_| {
            let name = one_line(&name);
            eprintln!("cutonce: CUTONCE_LOG={name} is not a level: use off, error, warn, info, debug or trace");
            LevelFilter::WARN
        }),
    };
    let log = RotatingLog { path: log_path(home), file: Mutex::default(), secrets: OnceLock::new() };
    // The client for logins logs authorization codes at the level debug.
    let targets = Targets::new().with_default(level).with_target("rmcp::transport::auth", level.min(LevelFilter::WARN));
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(log);
    let subscriber = tracing_subscriber::registry().with(lines.with_filter(targets));
    // Only fails if a subscriber is already installed, and then entries reach that one.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// The file that `doctor` names.
pub fn log_path(home: &Path) -> PathBuf {
    home.join("logs/cutonce.log")
}

/// Checks whether entries can be written, without writing one (CL-1).
pub fn check_writable(home: &Path) -> io::Result<()> {
    let path = log_path(home);
    if path.symlink_metadata().is_ok() {
        return open_options().open(&path).map(drop);
    }
    let nearest = path.ancestors().skip(1).find(|folder| folder.symlink_metadata().is_ok());
    tempfile::Builder::new().prefix(".cutonce-doctor-").tempfile_in(nearest.unwrap_or(home)).map(drop)
}

/// For a private file that is no link; a pipe in its place must not block.
fn open_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.append(true).mode(0o600).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

/// Appends entries to a file and rotates it by size.
struct RotatingLog {
    path: PathBuf,
    /// None until the first entry.
    file: Mutex<Option<File>>,
    secrets: OnceLock<Vec<String>>,
}

impl RotatingLog {
    fn append(&self, entry: &[u8]) -> io::Result<()> {
        let entry = self.clean(&String::from_utf8_lossy(entry));
        let mut file = self.file.lock_unpoisoned();
        let full = file.as_ref().is_some_and(|file| file.metadata().is_ok_and(|data| data.len() >= MAX_FILE_BYTES));
        if full {
            *file = None;
        }
        if file.is_none() {
            *file = Some(self.open()?);
        }
        file.as_mut().map_or(Ok(()), |file| file.write_all(entry.as_bytes()))
    }

    /// Opens the file, and rotates first if the file on disk is full. Another process may have rotated meanwhile.
    fn open(&self) -> io::Result<File> {
        if let Some(folder) = self.path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        if std::fs::metadata(&self.path).is_ok_and(|data| data.len() >= MAX_FILE_BYTES) {
            for n in (0..MAX_OLD_FILES).rev() {
                // A missing file is no error: there are fewer old ones then.
                let _ = std::fs::rename(self.rotated(n), self.rotated(n + 1));
            }
        }
        open_options().create(true).open(&self.path)
    }

    fn rotated(&self, n: u32) -> PathBuf {
        match n {
            0 => self.path.clone(),
            n => self.path.with_extension(format!("log.{n}")),
        }
    }

    /// One line per entry, without control characters and without the values of secret variables.
    fn clean(&self, entry: &str) -> String {
        let secrets = self.secrets.get_or_init(|| {
            let found = secret_values(std::env::vars_os(), &EnvNameRules { keep: Vec::new(), secret: Vec::new() });
            found.into_iter().map(|(_, value)| value).collect()
        });
        let mut entry = one_line(entry);
        for secret in secrets {
            entry = entry.replace(secret.as_str(), "[secret]");
        }
        entry.push('\n');
        entry
    }
}

impl<'a> MakeWriter<'a> for RotatingLog {
    type Writer = LogEntry<'a>;
    fn make_writer(&'a self) -> LogEntry<'a> {
        LogEntry { log: self }
    }
}

/// Writes one formatted entry.
struct LogEntry<'a> {
    log: &'a RotatingLog,
}

impl Write for LogEntry<'_> {
    fn write(&mut self, entry: &[u8]) -> io::Result<usize> {
        // A log that can't be written must not end the work it reports about.
        let _ = self.log.append(entry);
        Ok(entry.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn log_in(folder: &Path, secrets: Vec<String>) -> RotatingLog {
        RotatingLog { path: log_path(folder), file: Mutex::default(), secrets: OnceLock::from(secrets) }
    }

    #[test]
    fn du_9_entries_are_private_and_hold_no_secret() {
        let home = tempfile::tempdir().expect("a folder");
        let log = log_in(home.path(), vec!["sk-123456789".into()]);
        log.append(b"WARN the key sk-123456789 failed\x1b[31m\nforged line\n").expect("written");
        let text = std::fs::read_to_string(&log.path).expect("read");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("[secret]") && !text.contains("sk-1") && !text.contains('\x1b'), "{text}");
        let mode = std::fs::metadata(&log.path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn du_9_unwritable_log_is_reported_by_doctor() {
        let home = tempfile::tempdir().expect("a folder");
        assert!(check_writable(home.path()).is_ok());
        assert_eq!(std::fs::read_dir(home.path()).expect("a folder").count(), 0, "checking leaves nothing");
        std::fs::write(home.path().join("logs"), "").expect("a file in the way");
        assert!(check_writable(home.path()).is_err());
        std::fs::remove_file(home.path().join("logs")).expect("removed");
        std::fs::create_dir_all(log_path(home.path())).expect("a folder in the way");
        assert!(check_writable(home.path()).is_err());
    }

    #[test]
    fn du_9_full_files_are_rotated_and_bounded() {
        let home = tempfile::tempdir().expect("a folder");
        let log = log_in(home.path(), Vec::new());
        let line = vec![b'x'; 100 << 10];
        for _ in 0..100 {
            log.append(&line).expect("written");
        }
        let files = std::fs::read_dir(home.path().join("logs")).expect("a folder").count();
        assert_eq!(files, 1 + MAX_OLD_FILES as usize);
        let size = std::fs::metadata(&log.path).expect("there").len();
        assert!(size < MAX_FILE_BYTES + (200 << 10), "{size}");
    }
}
