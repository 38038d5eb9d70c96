//! Sandbox of programs that read the workspace for as long as the session lives, such as language servers (DU-11).
//!
//! They run code of the project: build scripts, plugins, macros. So they get less than a command that the user allowed:
//! they read, but write only to a private folder, have no network, and see no keys. A throwaway layer would not do,
//! because the workspace changes below it while they run.

use super::confine::{SandboxUnavailable, find_secrets, hidden_stores, layer_env, private_folder};
use crate::workspace::Workspace;
use cutonce_sandbox::{PrivateFolder, ReadOnlyProfile, ResourceLimits, SandboxProfile, sandbox_support};
use std::ffi::OsString;
use std::path::PathBuf;

/// Variables that lead caches and build output to the private folder: the usual places can't be written.
const CACHE_VARIABLES: [&str; 4] = ["CARGO_TARGET_DIR", "GOCACHE", "XDG_CACHE_HOME", "npm_config_cache"];

/// A private folder and the rights of the programs that use it.
pub struct ReaderSandbox {
    folder: PrivateFolder,
}

impl ReaderSandbox {
    /// Creates the sandbox; the error says why this machine can't confine programs.
    pub fn new() -> Result<ReaderSandbox, SandboxUnavailable> {
        let support = sandbox_support();
        if !support.can_confine() {
            return Err(SandboxUnavailable::Kernel(format!(
                "this machine has no sandbox ({})",
                support.missing_reasons()
            )));
        }
        Ok(ReaderSandbox { folder: private_folder()? })
    }

    /// Returns the profile of a program. Searches the workspace for secrets, so call it off the async threads.
    pub fn profile(
        &self,
        workspace: &Workspace,
        deny_read: &[PathBuf],
        limits: ResourceLimits,
    ) -> Result<SandboxProfile, SandboxUnavailable> {
        Ok(SandboxProfile::ReadOnly(ReadOnlyProfile {
            tmp: self.folder.ready("")?,
            hide: hidden_stores(workspace, deny_read).into_iter().chain(find_secrets(workspace)).collect(),
            stand_ins: Vec::new(),
            readable: Vec::new(),
            scratch: None,
            listener: None,
            // cargo and go refuse to work without locks.
            background: false,
            limits,
        }))
    }

    /// Returns the environment of a program.
    pub fn env(&self, env: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
        let mut env = layer_env(env, self.folder.path());
        env.retain(|(name, _)| !CACHE_VARIABLES.iter().any(|cache| name == cache));
        env.extend(CACHE_VARIABLES.map(|name| (name.into(), self.folder.path().join(name.to_lowercase()).into())));
        env
    }
}
