//! What a change looks like: a unified diff for people, the numbers for faces, a few lines for the model.

use crate::disk::{Disk, Written};
use crate::tool::Here;
use cutonce_core::permission::Target;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};
use std::path::Path;
use std::time::Duration;

/// A diff longer than this is cut; it is for the eye.
const MAX_DIFF: usize = 60_000;
/// A file larger than this gets no preview.
const MAX_PREVIEW: u64 = 4 << 20;
/// Lines around a change that the model is shown, and how many in all.
const CONTEXT: usize = 2;
const MAX_REGION: usize = 12;

#[derive(Debug)]
pub(crate) struct Diff {
    pub text: String,
    pub added: usize,
    pub removed: usize,
}

/// The unified diff from `old` (`None`: no file) to `new`.
pub(crate) fn diff(shown: &str, old: Option<&[u8]>, new: &[u8]) -> Diff {
    let before = String::from_utf8_lossy(old.unwrap_or_default());
    let after = String::from_utf8_lossy(new);
    // Two very different large files would take long to compare exactly.
    let lines = TextDiff::configure().timeout(Duration::from_millis(500)).diff_lines(&*before, &*after);
    let (mut added, mut removed) = (0, 0);
    for change in lines.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => added += 1,
            ChangeTag::Delete => removed += 1,
            ChangeTag::Equal => {}
        }
    }
    let from = if old.is_some() { shown } else { "/dev/null" };
    let mut text = lines.unified_diff().context_radius(3).header(from, shown).to_string();
    if text.len() > MAX_DIFF {
        let end = text[..text.floor_char_boundary(MAX_DIFF)].rfind('\n').map_or(0, |at| at + 1);
        text.truncate(end);
        text.push_str("… the rest of the diff is not shown\n");
    }
    Diff { text, added, removed }
}

/// For faces and hosts: what kind of change, where, and the diff.
pub(crate) fn display(written: &Written, diff: &Diff) -> Value {
    json!({
        "type": if written.old.is_some() { "update" } else { "create" },
        "filePath": written.path.to_string_lossy(),
        "diff": diff.text,
        "added": diff.added,
        "removed": diff.removed,
    })
}

/// The diff for the permission dialog; what would fail says so.
pub(crate) fn preview(
    here: &Here,
    target: &Target,
    make: impl FnOnce(Option<&[u8]>) -> Result<Vec<u8>, String>,
) -> Option<String> {
    let shown = here.workspace.shown(&target.path);
    let old = match here.disk.load_seen(&target.path, MAX_PREVIEW) {
        Ok(bytes) => Some(bytes),
        Err(crate::disk::DiskError::Missing { .. }) => None,
        Err(error) => return Some(error.to_string()),
    };
    Some(match make(old.as_deref()) {
        Ok(new) => diff(&shown, old.as_deref(), &new).text,
        Err(why) => why,
    })
}

/// Why a change would fail: the file is not fresh (TL-3), or `make` says no.
pub(crate) fn fails(
    disk: &Disk,
    path: &Path,
    make: impl FnOnce(Option<&[u8]>) -> Result<Vec<u8>, String>,
) -> Option<String> {
    if let Err(error) = disk.check_fresh(path) {
        return Some(error.to_string());
    }
    let old = disk.load_seen(path, crate::disk::MAX_CHANGE).ok();
    make(old.as_deref()).err()
}

/// The new lines around a change, numbered; long ones are cut in the middle.
pub(crate) fn region(new: &[u8], first_line: usize, lines_changed: usize) -> String {
    let text = String::from_utf8_lossy(new);
    let from = first_line.saturating_sub(CONTEXT).max(1);
    let to = first_line + lines_changed.max(1) - 1 + CONTEXT;
    let count = to + 1 - from;
    let mut out = String::new();
    for (index, line) in text.lines().enumerate().skip(from - 1).take(count) {
        let number = index + 1;
        if count > MAX_REGION && number == from + MAX_REGION / 2 {
            out.push_str("…\n");
        }
        if count > MAX_REGION && (from + MAX_REGION / 2..=to - MAX_REGION / 2).contains(&number) {
            continue;
        }
        let cut = line.floor_char_boundary(200);
        out.push_str(&format!("{number}\t{}{}\n", &line[..cut], if cut < line.len() { "…" } else { "" }));
    }
    out
}

/// `1 line`, `3 lines`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tl_4_the_diff_counts_lines_and_names_the_file() {
        let it = diff("a.txt", Some(b"one\ntwo\nthree\n"), b"one\n2\nthree\nfour\n");
        assert_eq!((it.added, it.removed), (2, 1));
        assert_eq!(it.text, "--- a.txt\n+++ a.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n");
        assert!(diff("a", None, b"x\n").text.starts_with("--- /dev/null\n+++ a\n"));
        let long = diff("a", None, "line\n".repeat(40_000).as_bytes());
        assert_eq!(long.added, 40_000);
        assert!(long.text.len() < MAX_DIFF + 100 && long.text.ends_with("is not shown\n"));
    }

    #[test]
    fn the_region_shows_the_change_in_its_place() {
        let text = (1..=40).map(|n| format!("line {n}\n")).collect::<String>();
        assert_eq!(region(text.as_bytes(), 5, 1), "3\tline 3\n4\tline 4\n5\tline 5\n6\tline 6\n7\tline 7\n");
        assert_eq!(region(text.as_bytes(), 1, 1), "1\tline 1\n2\tline 2\n3\tline 3\n");
        let long = region(text.as_bytes(), 5, 30);
        assert!(long.starts_with("3\tline 3\n") && long.ends_with("36\tline 36\n") && long.contains("…\n"));
        assert_eq!(long.lines().count(), MAX_REGION + 1);
    }
}
