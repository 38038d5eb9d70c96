//! Changes on a kept layer: lists them, shows them as a diff, and applies them to the workspace, all or none
//! (PC-21, RH-3).

mod apply;
mod collect;
mod copy;
mod diff;
mod journal;
mod record;

pub use apply::{ApplyPlace, check_unchanged, recover_apply, sweep_journals};
pub use collect::collect_changes;
pub(crate) use collect::leads_outside;
pub use copy::{CopyRules, WorkspaceCopy};
pub use diff::{DiffedFile, DiffedKind, LayerDiff, diff_changes};
pub(crate) use journal::JournalPath;
pub use journal::{ApplyError, RecoveredApply, path_form};
pub(crate) use record::WorkspaceRecord;

use rustix::fs::FileType;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Bytes that are read at once.
const MOST_READ: u64 = 64 << 10;

/// What is at a path. Times and owners are no part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LayerNode {
    File {
        mode: u32,
        size: u64,
        sha256: String,
    },
    Link {
        #[serde(with = "journal::path_form")]
        target: PathBuf,
    },
    Folder {
        mode: u32,
    },
}

/// One change; the path is relative to the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerChange {
    #[serde(with = "journal::path_form")]
    pub path: PathBuf,
    /// What the workspace had when the change was listed.
    pub old: Option<LayerNode>,
    pub new: Option<LayerNode>,
}

/// Something on the layer that is never applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedChange {
    pub path: PathBuf,
    pub why: &'static str,
}

/// All changes of a layer, in the order of their paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LayerChanges {
    pub changes: Vec<LayerChange>,
    pub refused: Vec<RefusedChange>,
    /// Files that someone changed in the workspace after the layer was opened: the layer's content is not based on
    /// theirs.
    pub stale: Vec<PathBuf>,
}

impl LayerNode {
    /// The SHA-256 of a file; a link's is that of its target.
    pub(super) fn content_hash(&self) -> Option<String> {
        match self {
            LayerNode::File { sha256, .. } => Some(sha256.clone()),
            LayerNode::Link { target } => Some(hash_bytes(target.as_os_str().as_encoded_bytes())),
            LayerNode::Folder { .. } => None,
        }
    }
}

impl LayerChange {
    /// The path as the diff shows it.
    pub fn shown_path(&self) -> String {
        diff::git_name("", &self.path)
    }

    /// True if files were and are at this path, or none: no folder or link comes or goes.
    pub fn is_plain_file(&self) -> bool {
        let file = |node: &Option<LayerNode>| node.as_ref().is_none_or(|node| matches!(node, LayerNode::File { .. }));
        file(&self.old) && file(&self.new)
    }

    /// True if it changes a folder only: creates or removes it, or sets its mode.
    pub fn is_folder_only(&self) -> bool {
        let folder =
            |node: &Option<LayerNode>| node.as_ref().is_none_or(|node| matches!(node, LayerNode::Folder { .. }));
        folder(&self.old) && folder(&self.new)
    }
}

/// Reads what is at a path, without following links. `None` for something that is no file, link or folder.
fn read_node(path: &Path, about: &Metadata) -> io::Result<Option<LayerNode>> {
    let mode = about.mode() & 0o7777;
    Ok(match FileType::from_raw_mode(about.mode()) {
        FileType::RegularFile => {
            let (size, sha256) = hash_file(path, about.len()).map_err(|error| name_path(path, &error))?;
            Some(LayerNode::File { mode, size, sha256 })
        }
        FileType::Directory => Some(LayerNode::Folder { mode }),
        FileType::Symlink => Some(LayerNode::Link { target: fs::read_link(path)? }),
        FileType::Fifo | FileType::Socket | FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => {
            None
        }
    })
}

/// Hashes a file of about this size.
fn hash_file(path: &Path, size: u64) -> io::Result<(u64, String)> {
    hash_content(&mut super::open_listed(path)?, size, |_| Ok(()))
}

/// Reads all of a content of about this size and hashes it; each part goes to `take` too.
fn hash_content(
    from: &mut impl Read,
    size: u64,
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<(u64, String)> {
    // One byte more, so that the end of a small file is found without a larger buffer.
    let room = size.saturating_add(1).min(MOST_READ) as usize;
    let (mut hasher, mut buffer, mut read) = (Sha256::new(), vec![0; room], 0);
    loop {
        let length = from.read(&mut buffer)?;
        if length == 0 {
            return Ok((read, to_hex(&hasher.finalize())));
        }
        let part = buffer.get(..length).unwrap_or_default();
        hasher.update(part);
        take(part)?;
        read += length as u64;
    }
}

/// The SHA-256 of a content, as hexadecimal digits.
pub(crate) fn hash_bytes(bytes: &[u8]) -> String {
    to_hex(&Sha256::digest(bytes))
}

fn name_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn to_hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests;
