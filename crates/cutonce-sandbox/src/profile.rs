//! The rights of a started process, as data (section 5 of the contract).

use std::path::PathBuf;

/// The rights of a started process. If they can't be enforced in full, the program does not start (SB-3).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SandboxProfile {
    /// Unconfined: everything that the user may do.
    #[default]
    Unconfined,
    /// Read access only, for plan mode (SB-2).
    ReadOnly(ReadOnlyProfile),
    /// Write access to the workspace only (SB-4).
    WorkspaceWrite(WorkspaceWriteProfile),
    /// Unconfined, but its changes of one folder go to a kept layer (RH-1). For our own program, which confines the
    /// commands that it starts.
    Layered(LayerMount),
}

/// Rights of a read-only command: reads everything the user can except `hide`; writes only below `tmp` and to
/// /dev/null; no network, no foreign sockets, no signals to other processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOnlyProfile {
    /// An existing private folder; the caller also passes it to the program as TMPDIR.
    pub tmp: PathBuf,
    /// Files and folders whose content is hidden. Their names stay visible.
    pub hide: Vec<PathBuf>,
    /// Files of `hide` that are replaced by a readable stand-in of the same size and time, where the program can have
    /// its own mounts. git needs to open a tracked file that changed.
    pub stand_ins: Vec<PathBuf>,
    /// Files and folders inside hidden ones that stay readable, such as the plan file.
    pub readable: Vec<PathBuf>,
    /// Lets the program write to a throwaway layer over the project (PM-63).
    pub scratch: Option<ThrowawayLayer>,
    /// A port of the program's own network, in which nothing else is, where the caller serves it: see
    /// `RunningProcess::take_listener`. Needs user namespaces.
    pub listener: Option<u16>,
    /// No timeout ends the program: it must not hold locks on files of others, nor file watchers (SB-7).
    pub background: bool,
    pub limits: ResourceLimits,
}

/// Limits of a confined program (SB-7); `None` leaves the user's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResourceLimits {
    /// Processes and threads. A program that comes near ends.
    pub processes: Option<u64>,
    /// Bytes of memory that one process may allocate.
    pub memory: Option<u64>,
    /// Bytes of memory that all of its processes may use together.
    pub total_memory: Option<u64>,
    /// Bytes of one file that the program writes.
    pub file_size: Option<u64>,
    /// Bytes in the private folder and in the layer together.
    pub disk: Option<u64>,
}

/// A resource whose limit ended a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceKind {
    Processes,
    Memory,
    Disk,
}

impl std::fmt::Display for ResourceKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ResourceKind::Processes => "processes",
            ResourceKind::Memory => "memory",
            ResourceKind::Disk => "disk",
        })
    }
}

/// A throwaway layer: only the program sees its changes, and they are discarded when it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThrowawayLayer {
    /// The project folder.
    pub root: PathBuf,
    /// Other folders to cover, for tools that must write to their caches. Missing folders are skipped.
    pub extra_roots: Vec<PathBuf>,
    /// An existing private folder that stores the changes. Must not be inside the folders above or in `tmp`.
    pub storage: PathBuf,
}

/// A layer that outlives its commands (PC-21, RH-1): the changes of `root` go to `upper`, until the caller has applied
/// or discarded them. Only one command at a time may run on a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerMount {
    pub root: PathBuf,
    /// An existing private folder, not inside `root`. The program can't reach it.
    pub storage: PathBuf,
    /// The folder in `storage` that receives the changes.
    pub upper: PathBuf,
    /// Folders below `root` that the program writes directly. Missing ones are skipped.
    pub through: Vec<PathBuf>,
    /// Folders outside `root` that the program can write to, but whose changes end with it. Missing ones are skipped.
    pub throwaway: Vec<PathBuf>,
}

/// Like `ReadOnly`, but the program may also write below `roots`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceWriteProfile {
    pub roots: Vec<PathBuf>,
    /// An existing private folder; the caller also passes it to the program as TMPDIR.
    pub tmp: PathBuf,
    pub hide: Vec<PathBuf>,
    /// Places below `roots` that stay read-only. What does not exist can't be created: for as long as the program
    /// runs, an empty folder takes its place.
    pub protect: Vec<PathBuf>,
    /// Allows internet sockets; foreign unix sockets stay blocked.
    pub network: bool,
    /// Puts a kept layer over its folder, which becomes writable on the layer only.
    pub layer: Option<LayerMount>,
    pub limits: ResourceLimits,
}
