//! Describes a change: a unified diff for the user, the numbers for front ends, a few lines for the model.

use crate::disk::{FileAccess, FileChange};
use crate::env::ToolEnv;
use crate::tool::ToolError;
use cutonce_core::permission::PathTarget;
use cutonce_core::text::number::count_noun;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};
use std::path::Path;
use std::time::Duration;

/// Maximum length of a stored diff. A diff in a permission dialog is never cut (UI-5).
const MAX_DIFF: usize = 60_000;
/// Maximum characters per line in a stored diff.
const MAX_LINE: usize = 1_000;
/// Maximum file size for a preview.
const MAX_PREVIEW: u64 = 4 << 20;
/// Lines shown to the model around a change.
const CONTEXT: usize = 2;
const MAX_REGION: usize = 12;

#[derive(Debug)]
pub(crate) struct ChangeDiff {
    pub text: String,
    pub added: usize,
    pub removed: usize,
}

/// Builds the unified diff from `old` (`None`: no file) to `new` for the record: long lines and diffs are cut.
pub(crate) fn stored_diff(shown: &str, old: Option<&[u8]>, new: &[u8]) -> ChangeDiff {
    let whole = full_diff(shown, old, new);
    if whole.text.len() <= MAX_DIFF { whole } else { ChangeDiff { text: cut_diff(&whole.text), ..whole } }
}

/// The unified diff of a file's content for a person; a very long one is cut.
pub fn unified_diff(shown: &str, old: Option<&[u8]>, new: &[u8]) -> String {
    stored_diff(shown, old, new).text
}

/// Builds the complete diff. Only a line feed ends a line, as in the file tools.
fn full_diff(shown: &str, old: Option<&[u8]>, new: &[u8]) -> ChangeDiff {
    let mut diff = line_diff(old.unwrap_or_default(), new);
    if !diff.text.is_empty() {
        let from = if old.is_some() { shown } else { "/dev/null" };
        diff.text.insert_str(0, &format!("--- {from}\n+++ {shown}\n"));
    }
    diff
}

/// Builds the hunks of a diff.
pub(crate) fn line_diff(old: &[u8], new: &[u8]) -> ChangeDiff {
    let (before, after) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    // Comparing two very different large files exactly would take long.
    let lines = TextDiff::configure().timeout(Duration::from_millis(500)).diff_slices(&before, &after);
    let (mut added, mut removed, mut text) = (0, 0, String::new());
    for hunk in lines.unified_diff().context_radius(3).iter_hunks() {
        text.push_str(&format!("{}\n", hunk.header()));
        for change in hunk.iter_changes() {
            text.push(match change.tag() {
                ChangeTag::Insert => '+',
                ChangeTag::Delete => '-',
                ChangeTag::Equal => ' ',
            });
            added += usize::from(change.tag() == ChangeTag::Insert);
            removed += usize::from(change.tag() == ChangeTag::Delete);
            text.push_str(change.value());
            if !change.value().ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    ChangeDiff { text, added, removed }
}

/// Cuts long lines first, so that one does not hide the others, then the rest with a count.
fn cut_diff(diff: &str) -> String {
    let mut out = String::with_capacity(MAX_DIFF);
    for (at, line) in diff.lines().enumerate() {
        if out.len() > MAX_DIFF {
            let left = diff.lines().count() - at;
            out.push_str(&format!("… {} of the diff not shown\n", count_noun(left, "more line")));
            break;
        }
        match line.char_indices().nth(MAX_LINE) {
            Some((end, _)) => {
                out.push_str(&format!("{}… {} more characters", &line[..end], line[end..].chars().count()))
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// Data for front ends and hosts: the kind of change, the path, and the diff.
pub(crate) fn change_display(written: &FileChange, diff: &ChangeDiff) -> Value {
    json!({
        "type": if written.old.is_some() { "update" } else { "create" },
        "filePath": written.path.to_string_lossy(),
        "diff": diff.text,
        "added": diff.added,
        "removed": diff.removed,
    })
}

/// Builds the diff for the permission dialog; a change that would fail shows its error.
pub(crate) fn change_preview(
    here: &ToolEnv,
    target: &PathTarget,
    make: impl FnOnce(Option<&[u8]>) -> Result<Vec<u8>, ToolError>,
) -> Option<String> {
    let shown = here.workspace.display_path(&target.path);
    let old = match here.disk.load_seen(&target.path, MAX_PREVIEW) {
        Ok(bytes) => Some(bytes),
        Err(crate::disk::FileError::Missing { .. }) => None,
        Err(error) => return Some(error.to_string()),
    };
    Some(match make(old.as_deref()) {
        Ok(new) => full_diff(&shown, old.as_deref(), &new).text,
        Err(why) => why.into(),
    })
}

/// Explains why a change would fail: the file is not fresh (TL-3), or `make` refuses.
pub(crate) fn precheck_change(
    disk: &FileAccess,
    path: &Path,
    make: impl FnOnce(Option<&[u8]>) -> Result<Vec<u8>, ToolError>,
) -> Option<String> {
    if let Err(error) = disk.check_fresh(path) {
        return Some(error.to_string());
    }
    let old = disk.load_seen(path, crate::disk::MAX_CHANGE).ok();
    make(old.as_deref()).err().map(String::from)
}

/// Shows the new lines around a change, numbered; long regions are cut in the middle.
pub(crate) fn changed_region(new: &[u8], first_line: usize, lines_changed: usize) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tl_4_diff_counts_lines_and_names_the_file() {
        let it = stored_diff("a.txt", Some(b"one\ntwo\nthree\n"), b"one\n2\nthree\nfour\n");
        assert_eq!((it.added, it.removed), (2, 1));
        assert_eq!(it.text, "--- a.txt\n+++ a.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n");
        assert!(stored_diff("a", None, b"x\n").text.starts_with("--- /dev/null\n+++ a\n"));
        let long = stored_diff("a", None, "line\n".repeat(40_000).as_bytes());
        assert_eq!(long.added, 40_000);
        assert!(long.text.len() < MAX_DIFF + 100, "{}", long.text.len());
        assert!(
            long.text.ends_with("+line\n… 30,006 more lines of the diff not shown\n"),
            "{}",
            &long.text[MAX_DIFF..]
        );
    }

    #[test]
    fn ui_5_long_line_hides_nothing_and_preview_is_complete() {
        let new = format!("ok\n{}\nevil line\n", "x".repeat(70_000));
        let kept = stored_diff("a", None, new.as_bytes());
        assert!(kept.text.contains("x… 69001 more characters\n+evil line\n"), "{}", &kept.text[..100]);
        assert!(kept.text.len() < 2_000);
        let asked = full_diff("a", None, format!("{}{new}", "line\n".repeat(40_000)).as_bytes());
        assert!(asked.text.ends_with("+evil line\n") && asked.text.contains(&"x".repeat(70_000)));
    }

    #[test]
    fn ui_5_lone_carriage_return_ends_no_line() {
        let it = stored_diff("a", Some(b"one\rtwo\nend\r"), b"one\rtwo\nend\n");
        assert_eq!(it.text, "--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\rtwo\n-end\r\n\\ No newline at end of file\n+end\n");
        assert_eq!((it.added, it.removed), (1, 1));
        assert_eq!(stored_diff("a", Some(b"x\n"), b"x\n").text, "");
    }

    #[test]
    fn region_shows_the_changed_lines() {
        let text = (1..=40).map(|n| format!("line {n}\n")).collect::<String>();
        assert_eq!(changed_region(text.as_bytes(), 5, 1), "3\tline 3\n4\tline 4\n5\tline 5\n6\tline 6\n7\tline 7\n");
        assert_eq!(changed_region(text.as_bytes(), 1, 1), "1\tline 1\n2\tline 2\n3\tline 3\n");
        let long = changed_region(text.as_bytes(), 5, 30);
        assert!(long.starts_with("3\tline 3\n") && long.ends_with("36\tline 36\n") && long.contains("…\n"));
        assert_eq!(long.lines().count(), MAX_REGION + 1);
    }
}
