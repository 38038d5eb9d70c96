//! Where paths lead: resolving what a call names, and saying which place it is in.

use cutonce_core::permission::Target;
use std::path::PathBuf;

/// The folders of the session. All paths are absolute and resolved.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// The project root: the folder the session was started in.
    pub root: PathBuf,
    /// Folders added by `--add-dir` or a host.
    pub added: Vec<PathBuf>,
    /// The user's home, for `~/` and for protected rc files.
    pub home: Option<PathBuf>,
    /// `~/.cutonce` or $CUTONCE_HOME: protected.
    pub cutonce_home: PathBuf,
    /// This session's own folder for spilled output and the like: `Place::Own`.
    pub own: PathBuf,
}
