//! What a change looks like: a unified diff for people, the numbers for faces, a few lines for the model.

use crate::disk::{Disk, Written};
use crate::tool::Here;
use cutonce_core::permission::Target;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};
use std::path::Path;
use std::time::Duration;

/// The diff that a result keeps is cut beyond this. What somebody is asked about never is (UI-5).
const MAX_DIFF: usize = 60_000;
/// Characters of a line that such a diff keeps.
const MAX_LINE: usize = 1_000;
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

/// The unified diff from `old` (`None`: no file) to `new`, for what stays of a change: long lines and long diffs are cut.
pub(crate) fn diff(shown: &str, old: Option<&[u8]>, new: &[u8]) -> Diff {
    let whole = whole(shown, old, new);
    if whole.text.len() <= MAX_DIFF { whole } else { Diff { text: cut(&whole.text), ..whole } }
}

/// All of it. A line ends at a line feed and nowhere else, as the file tools count them.
fn whole(shown: &str, old: Option<&[u8]>, new: &[u8]) -> Diff {
    let before = String::from_utf8_lossy(old.unwrap_or_default());
    let after = String::from_utf8_lossy(new);
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    // Two very different large files would take long to compare exactly.
    let lines = TextDiff::configure().timeout(Duration::from_millis(500)).diff_slices(&before, &after);
    let from = if old.is_some() { shown } else { "/dev/null" };
    let (mut added, mut removed, mut text) = (0, 0, String::new());
    for hunk in lines.unified_diff().context_radius(3).iter_hunks() {
        if text.is_empty() {
            text = format!("--- {from}\n+++ {shown}\n");
        }
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
    Diff { text, added, removed }
}

/// Long lines first: one of them must not hide the others. Then the rest, with a count.
fn cut(diff: &str) -> String {
    let mut out = String::with_capacity(MAX_DIFF);
    for (at, line) in diff.lines().enumerate() {
        if out.len() > MAX_DIFF {
            let left = diff.lines().count() - at;
            out.push_str(&format!("… {} of the diff not shown\n", count(left, "more line")));
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
        Ok(new) => whole(&shown, old.as_deref(), &new).text,
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
        assert!(long.text.len() < MAX_DIFF + 100, "{}", long.text.len());
        assert!(long.text.ends_with("+line\n… 30006 more lines of the diff not shown\n"), "{}", &long.text[MAX_DIFF..]);
    }

    #[test]
    fn ui_5_a_long_line_hides_nothing_behind_it_and_what_is_asked_about_is_whole() {
        let new = format!("ok\n{}\nevil line\n", "x".repeat(70_000));
        let kept = diff("a", None, new.as_bytes());
        assert!(kept.text.contains("x… 69001 more characters\n+evil line\n"), "{}", &kept.text[..100]);
        assert!(kept.text.len() < 2_000);
        let asked = whole("a", None, format!("{}{new}", "line\n".repeat(40_000)).as_bytes());
        assert!(asked.text.ends_with("+evil line\n") && asked.text.contains(&"x".repeat(70_000)));
    }

    #[test]
    fn ui_5_a_carriage_return_alone_ends_no_line() {
        let it = diff("a", Some(b"one\rtwo\nend\r"), b"one\rtwo\nend\n");
        assert_eq!(it.text, "--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\rtwo\n-end\r\n\\ No newline at end of file\n+end\n");
        assert_eq!((it.added, it.removed), (1, 1));
        assert_eq!(diff("a", Some(b"x\n"), b"x\n").text, "");
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
