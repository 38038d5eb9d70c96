//! The limit of the sandbox that ended a command, as users and models see it (SB-7, RH-5).

use cutonce_sandbox::{ResourceKind, ResourceLimits};
use std::fmt;

/// A limit of the sandbox that a command reached. Its text completes "the command …".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReachedLimit {
    /// `None` for a limit of the user's own.
    most: Option<u64>,
    unit: &'static str,
    /// The name of the setting in `sandbox.limits`.
    setting: &'static str,
}

impl ReachedLimit {
    pub(crate) fn new(kind: ResourceKind, limits: ResourceLimits) -> ReachedLimit {
        let (most, unit, setting) = match kind {
            ResourceKind::Processes => (limits.processes, "processes", "processes"),
            ResourceKind::Memory => (megabytes(limits.total_memory), "MB of memory", "totalMemoryMb"),
            ResourceKind::Disk => (megabytes(limits.disk), "MB in $TMPDIR and the project's scratch copy", "diskMb"),
        };
        ReachedLimit { most, unit, setting }
    }

    pub(crate) fn of_file(limits: ResourceLimits) -> ReachedLimit {
        ReachedLimit { most: megabytes(limits.file_size), unit: "MB in one file", setting: "fileMb" }
    }
}

fn megabytes(bytes: Option<u64>) -> Option<u64> {
    bytes.map(|bytes| bytes >> 20)
}

impl fmt::Display for ReachedLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.most.map(|most| format!("{most} ")).unwrap_or_default();
        write!(f, "reached its limit of {most}{} (`sandbox.limits.{}`)", self.unit, self.setting)
    }
}
