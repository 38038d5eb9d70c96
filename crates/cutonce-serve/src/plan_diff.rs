//! The difference of two plans as HTML rows, with the changed words marked (RV-2).

use crate::plan_html::escape;
use similar::{ChangeTag, DiffOp, TextDiff};
use std::fmt::Write;
use std::time::Duration;

/// Bounds the comparison of two long, unrelated plans.
const LIMIT: Duration = Duration::from_secs(2);
/// Unchanged lines around a change.
const CONTEXT: usize = 3;
/// Longer lines are not compared word by word.
const MAX_WORDS: usize = 2_000;

/// A difference, as HTML.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanDiffHtml {
    pub html: String,
    pub added: usize,
    pub removed: usize,
}

/// Compares two texts line by line.
pub fn diff_html(old: &str, new: &str) -> PlanDiffHtml {
    let diff = TextDiff::configure().timeout(LIMIT).diff_lines(old, new);
    let mut shown = PlanDiffHtml::default();
    for group in diff.grouped_ops(CONTEXT) {
        if let (Some(first), Some(last)) = (group.first(), group.last()) {
            let lines = first.new_range().start + 1..last.new_range().end.max(first.new_range().start + 1);
            let _ = write!(shown.html, "<div class=\"hunk\">lines {} to {}</div>", lines.start, lines.end);
        }
        for op in group {
            push_op(&mut shown, &diff, &op);
        }
    }
    shown
}

fn push_op(shown: &mut PlanDiffHtml, diff: &TextDiff<'_, '_, str>, op: &DiffOp) {
    let changes: Vec<_> = diff.iter_changes(op).collect();
    let (olds, news): (Vec<_>, Vec<_>) = (
        changes.iter().filter(|change| change.tag() == ChangeTag::Delete).collect(),
        changes.iter().filter(|change| change.tag() == ChangeTag::Insert).collect(),
    );
    for (at, change) in olds.iter().enumerate() {
        shown.removed += 1;
        let partner = news.get(at).map(|new| new.value());
        let words = changed_words(change.value(), partner, ChangeTag::Delete);
        push_row(shown, ("del", "−", "removed"), (change.old_index(), None), &words);
    }
    for (at, change) in news.iter().enumerate() {
        shown.added += 1;
        let partner = olds.get(at).map(|old| old.value());
        let words = changed_words(change.value(), partner, ChangeTag::Insert);
        push_row(shown, ("add", "+", "added"), (None, change.new_index()), &words);
    }
    for change in changes.iter().filter(|change| change.tag() == ChangeTag::Equal) {
        let line = escape(change.value().trim_end_matches(['\n', '\r']));
        push_row(shown, ("same", " ", ""), (change.old_index(), change.new_index()), &line);
    }
}

/// The line with the words marked that its partner does not have.
fn changed_words(line: &str, partner: Option<&str>, side: ChangeTag) -> String {
    let line = line.trim_end_matches(['\n', '\r']);
    let Some(partner) = partner.map(|partner| partner.trim_end_matches(['\n', '\r'])) else { return escape(line) };
    if line.len().max(partner.len()) > MAX_WORDS {
        return escape(line);
    }
    let (old, new) = if side == ChangeTag::Delete { (line, partner) } else { (partner, line) };
    let diff = TextDiff::configure().timeout(LIMIT).diff_words(old, new);
    if diff.ratio() < 0.4 {
        return escape(line);
    }
    let mut html = String::new();
    for change in diff.iter_all_changes().filter(|change| change.tag() == side || change.tag() == ChangeTag::Equal) {
        match change.tag() == side {
            true => drop(write!(html, "<mark>{}</mark>", escape(change.value()))),
            false => html.push_str(&escape(change.value())),
        }
    }
    html
}

fn push_row(
    shown: &mut PlanDiffHtml,
    (class, sign, word): (&str, &str, &str),
    (old, new): (Option<usize>, Option<usize>),
    line: &str,
) {
    let number = |index: Option<usize>| index.map(|index| (index + 1).to_string()).unwrap_or_default();
    let spoken = if word.is_empty() { String::new() } else { format!("<span class=\"sr\">{word}: </span>") };
    let _ = write!(
        shown.html,
        "<div class=\"row {class}\"><span class=\"on\">{}</span><span class=\"nn\">{}</span>\
         <span class=\"sign\" aria-hidden=\"true\">{sign}</span><span class=\"dt\">{spoken}{line}</span></div>",
        number(old),
        number(new),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rv_2_diff_marks_changed_words() {
        let diff = diff_html("# A\nkeep <b>\nuse the old key\n", "# A\nkeep <b>\nuse the new key\nmore\n");
        assert_eq!((diff.added, diff.removed), (2, 1));
        assert!(diff.html.contains("use the <mark>old</mark> key"), "{}", diff.html);
        assert!(diff.html.contains("keep &lt;b&gt;") && !diff.html.contains("<b>"), "{}", diff.html);
        assert_eq!(diff_html("same\n", "same\n"), PlanDiffHtml::default());
    }
}
