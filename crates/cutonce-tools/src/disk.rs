//! The only place that opens a workspace file for writing (PR-6), and the memory of what was read (TL-3).

use std::path::Path;
use std::sync::Arc;

/// Keeps the old content before a change (SE-5). `None`: there was no file. An error refuses the write.
pub trait KeepVersion: Send + Sync {
    fn keep(&self, path: &Path, old: Option<&[u8]>) -> std::io::Result<()>;
}

/// Reads and writes files for the tools, and remembers what was read.
pub struct Disk {
    versions: Arc<dyn KeepVersion>,
}

impl Disk {
    pub fn new(versions: Arc<dyn KeepVersion>) -> Self {
        Self { versions }
    }
}
