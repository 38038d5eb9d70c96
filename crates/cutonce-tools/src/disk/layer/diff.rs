//! Shows the changes of a layer as git would: a unified diff and the numbers of each file.

use super::{LayerChange, LayerNode};
use crate::files::change::line_diff;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Larger files are compared by their hash only.
const MAX_SHOWN: u64 = 4 << 20;

/// The diff of a layer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LayerDiff {
    /// Unified, git style.
    pub text: String,
    pub files: Vec<DiffedFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffedFile {
    /// The path as git prints it: quoted if it contains special characters.
    pub path: String,
    pub kind: DiffedKind,
    pub added: usize,
    pub removed: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffedKind {
    New,
    Change,
    Delete,
}

/// Builds the diff from the workspace to the layer.
pub fn diff_changes(changes: &[LayerChange], upper: &Path, root: &Path) -> LayerDiff {
    let mut diff = LayerDiff::default();
    for change in changes {
        let old = DiffSide::new(change.old.as_ref(), &root.join(&change.path));
        let new = DiffSide::new(change.new.as_ref(), &upper.join(&change.path));
        let kind = match (&old, &new) {
            (None, None) => continue,
            (None, Some(_)) => DiffedKind::New,
            (Some(_), None) => DiffedKind::Delete,
            (Some(_), Some(_)) => DiffedKind::Change,
        };
        let (mut added, mut removed) = (0, 0);
        // Git shows another kind of file as a removal and a new file.
        let retyped = old.as_ref().zip(new.as_ref()).is_some_and(|(old, new)| old.is_link != new.is_link);
        let pairs = if retyped { vec![(old, None), (None, new)] } else { vec![(old, new)] };
        for (old, new) in pairs {
            let counts = push_file(&mut diff.text, &change.path, old.as_ref(), new.as_ref());
            (added, removed) = (added + counts.0, removed + counts.1);
        }
        diff.files.push(DiffedFile { path: git_name("", &change.path), kind, added, removed });
    }
    diff
}

/// One side of a file's diff.
struct DiffSide {
    mode: String,
    is_link: bool,
    /// `None`: too large or unreadable.
    content: Option<Vec<u8>>,
}

impl DiffSide {
    /// `None` for a folder, which git does not know.
    fn new(node: Option<&LayerNode>, at: &Path) -> Option<DiffSide> {
        match node? {
            LayerNode::Folder { .. } => None,
            LayerNode::Link { target } => Some(DiffSide {
                mode: "120000".into(),
                is_link: true,
                content: Some(target.as_os_str().as_bytes().to_vec()),
            }),
            LayerNode::File { mode, size, .. } => Some(DiffSide {
                mode: if mode & 0o100 != 0 { "100755" } else { "100644" }.into(),
                is_link: false,
                content: if *size <= MAX_SHOWN { std::fs::read(at).ok() } else { None },
            }),
        }
    }

    fn is_binary(&self) -> bool {
        self.content.as_ref().is_none_or(|bytes| bytes.iter().take(8_000).any(|byte| *byte == 0))
    }
}

/// Appends the diff of one file; returns the lines added and removed.
fn push_file(text: &mut String, path: &Path, old: Option<&DiffSide>, new: Option<&DiffSide>) -> (usize, usize) {
    let (from, to) = (git_name("a/", path), git_name("b/", path));
    text.push_str(&format!("diff --git {from} {to}\n"));
    match (old, new) {
        (None, Some(new)) => text.push_str(&format!("new file mode {}\n", new.mode)),
        (Some(old), None) => text.push_str(&format!("deleted file mode {}\n", old.mode)),
        (Some(old), Some(new)) if old.mode != new.mode => {
            text.push_str(&format!("old mode {}\nnew mode {}\n", old.mode, new.mode));
        }
        _ => {}
    }
    let content = |side: Option<&DiffSide>| side.and_then(|side| side.content.clone()).unwrap_or_default();
    let (before, after) = (content(old), content(new));
    let (from, to) = (old.map_or("/dev/null", |_| &from), new.map_or("/dev/null", |_| &to));
    if old.is_some_and(DiffSide::is_binary) || new.is_some_and(DiffSide::is_binary) {
        if old.is_none() || new.is_none() || before != after || before.is_empty() {
            text.push_str(&format!("Binary files {from} and {to} differ\n"));
        }
        return (0, 0);
    }
    let lines = line_diff(&before, &after);
    if !lines.text.is_empty() {
        // As git does: the end of a name with spaces is marked.
        let end = |name: &str| if name.contains(' ') { "\t" } else { "" };
        text.push_str(&format!("--- {from}{}\n+++ {to}{}\n{}", end(from), end(to), lines.text));
    }
    (lines.added, lines.removed)
}

/// A file's name as git prints it: in quotes with escapes if it has special characters.
pub(super) fn git_name(prefix: &str, path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    let plain = |byte: &u8| (0x20..0x7f).contains(byte) && !b"\"\\".contains(byte);
    if bytes.iter().all(plain) {
        return format!("{prefix}{}", String::from_utf8_lossy(bytes));
    }
    let mut quoted = format!("\"{prefix}");
    for byte in bytes {
        match byte {
            b'"' => quoted.push_str("\\\""),
            b'\\' => quoted.push_str("\\\\"),
            b'\n' => quoted.push_str("\\n"),
            b'\t' => quoted.push_str("\\t"),
            b'\r' => quoted.push_str("\\r"),
            byte if plain(byte) => quoted.push(char::from(*byte)),
            byte => quoted.push_str(&format!("\\{byte:03o}")),
        }
    }
    quoted.push('"');
    quoted
}
