//! What a started process may do, as data (section 5 of the contract).

use std::path::PathBuf;

/// The rights of a started process. If they can't be held in full the program does not start (SB-3).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Profile {
    /// What the user may do.
    #[default]
    Open,
    /// Plan mode (SB-2): reads, and changes nothing.
    ReadOnly(ReadOnly),
    /// Changes only the workspace (SB-4).
    WorkspaceWrite(WorkspaceWrite),
}

/// Reads what the user could, but for `hide`; writes only below `tmp` and to /dev/null; no network, no sockets of
/// others, no signal to others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOnly {
    /// An existing private folder; give it to the program as TMPDIR too.
    pub tmp: PathBuf,
    /// Files and folders whose content can't be read. Their names can.
    pub hide: Vec<PathBuf>,
    /// Files and folders inside hidden ones that can be read all the same: the plan file.
    pub readable: Vec<PathBuf>,
    /// Let the program write to a throwaway layer over the project (PM-63).
    pub scratch: Option<Scratch>,
}

/// A throwaway layer: the program sees its own changes, nobody else does, and they are gone when it has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scratch {
    /// The project.
    pub root: PathBuf,
    /// Other folders to lay one over, for tools that must write to their caches. Those that don't exist are left out.
    pub also: Vec<PathBuf>,
    /// An existing private folder that keeps the changes meanwhile. Not inside any of the folders above, nor in `tmp`.
    pub layers: PathBuf,
}

/// As [`ReadOnly`], but the program may write below `roots`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceWrite {
    pub roots: Vec<PathBuf>,
    /// An existing private folder; give it to the program as TMPDIR too.
    pub tmp: PathBuf,
    pub hide: Vec<PathBuf>,
    /// Internet sockets; unix sockets of others stay out of reach.
    pub network: bool,
}
