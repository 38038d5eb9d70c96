//! Keeps one secret: in the system's keyring where it survives a reboot, else in a file that only the user can read.

use super::keys::{self, KeyError, KeyPlace};
use crate::storage::paths::{create_private_dir, read_bounded_text, write_private};
use secrecy::{ExposeSecret, SecretString};
use std::path::{Path, PathBuf};

/// Maximum size of a secret.
const MAX_SECRET: u64 = 256 << 10;
/// The list of secret files has this name, so that no tool reads it (SB-6).
const FILE: &str = "auth.json";

/// The place of one secret.
#[derive(Debug, Clone)]
pub struct SecretStore {
    folder: PathBuf,
    /// The entry's name in the keyring.
    entry: String,
}

impl SecretStore {
    /// `folder` is used if the keyring is not; `entry` names the secret in the keyring.
    pub fn new(folder: impl Into<PathBuf>, entry: impl Into<String>) -> SecretStore {
        SecretStore { folder: folder.into(), entry: entry.into() }
    }

    /// The folder that is used if the keyring is not.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
    /// The file that is used if the keyring is not.
    pub fn file(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// The secret, if there is one.
    pub fn load(&self) -> Option<SecretString> {
        match read_bounded_text(&self.file(), MAX_SECRET) {
            Ok(Some(text)) => Some(text.into()),
            Ok(None) | Err(_) if cfg!(target_os = "macos") => keys::from_keyring(&self.entry),
            Ok(None) | Err(_) => None,
        }
    }

    /// Stores the secret; returns where.
    pub fn save(&self, secret: &SecretString) -> Result<KeyPlace, KeyError> {
        // Linux keeps entries in the kernel, until the next reboot.
        if cfg!(target_os = "macos") && keys::store_key(&self.entry, secret).is_ok() {
            return Ok(KeyPlace::Keyring);
        }
        let failed = |error: std::io::Error| self.file_error(&error);
        create_private_dir(&self.folder).map_err(failed)?;
        write_private(&self.file(), secret.expose_secret().as_bytes()).map_err(failed)?;
        Ok(KeyPlace::File(self.file()))
    }

    /// Deletes the secret; false if there was none.
    pub fn delete(&self) -> Result<bool, KeyError> {
        let in_keyring = cfg!(target_os = "macos") && keys::delete_key(&self.entry).is_ok();
        match std::fs::remove_file(self.file()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(in_keyring),
            Err(error) => Err(self.file_error(&error)),
        }
    }

    fn file_error(&self, error: &std::io::Error) -> KeyError {
        KeyError::File { path: self.file(), why: format!("can't be written: {error}") }
    }
}
