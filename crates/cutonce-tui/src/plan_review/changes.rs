//! Line-by-line differences from an earlier text, and the new position of each line.

use crate::render::diff;
use similar::{DiffTag, TextDiff};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

const DIFF_TIMEOUT: Duration = Duration::from_millis(200);
/// Maximum number of line pairs that are compared with each other.
const MAX_LINE_PAIRS: usize = 900;

type WordPieces = Vec<(bool, String)>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineChange {
    Same,
    Added,
    /// Replaces a similar line.
    Changed {
        old: WordPieces,
        new: WordPieces,
        number: usize,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanChanges {
    pub marks: Vec<LineChange>,
    /// Removed lines with their old one-based numbers, keyed by the line that follows them.
    pub removed: BTreeMap<usize, Vec<(usize, String)>>,
    pub added_lines: usize,
    pub changed_lines: usize,
    pub removed_lines: usize,
}

impl PlanChanges {
    pub fn between(old: &str, new: &str) -> PlanChanges {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_slices(&old, &new);
        let mut changes = PlanChanges { marks: vec![LineChange::Same; new.len()], ..PlanChanges::default() };
        for op in diff.ops() {
            let (olds, news) = (op.old_range(), op.new_range());
            match op.tag() {
                DiffTag::Equal => {}
                DiffTag::Insert | DiffTag::Delete | DiffTag::Replace => {
                    changes.record_replaced((&old, olds), (&new, news));
                }
            }
        }
        changes
    }

    pub fn line_change(&self, line: usize) -> &LineChange {
        self.marks.get(line).unwrap_or(&LineChange::Same)
    }

    /// True if this line changed or lines before it were removed.
    pub fn has_change(&self, line: usize) -> bool {
        *self.line_change(line) != LineChange::Same || self.removed.contains_key(&line)
    }

    /// Records a replaced range. Similar lines become changed lines; the others are removed and added.
    fn record_replaced(&mut self, (old, olds): (&[&str], Range<usize>), (new, news): (&[&str], Range<usize>)) {
        let small = olds.len() * news.len() <= MAX_LINE_PAIRS;
        let mut gone = Vec::new();
        let mut from = news.start;
        for at in olds {
            let line = old.get(at).copied().unwrap_or_default();
            let like =
                |to: &usize| diff::word_diff(line, new.get(*to).copied().unwrap_or_default()).map(|words| (*to, words));
            let found = (from..news.end).take(if small { usize::MAX } else { 1 }).find_map(|to| like(&to));
            let Some((to, [before, after])) = found.filter(|_| !line.trim().is_empty()) else {
                gone.push((at + 1, line.to_string()));
                continue;
            };
            self.record_removed(from, &mut gone);
            (from..to).for_each(|added| self.record_added(added));
            self.changed_lines += 1;
            if let Some(mark) = self.marks.get_mut(to) {
                *mark = LineChange::Changed { old: before, new: after, number: at + 1 };
            }
            from = to + 1;
        }
        self.record_removed(from, &mut gone);
        (from..news.end).for_each(|added| self.record_added(added));
    }

    fn record_added(&mut self, at: usize) {
        self.added_lines += 1;
        if let Some(mark) = self.marks.get_mut(at) {
            *mark = LineChange::Added;
        }
    }

    fn record_removed(&mut self, before: usize, gone: &mut Vec<(usize, String)>) {
        if !gone.is_empty() {
            self.removed_lines += gone.len();
            self.removed.entry(before).or_default().append(gone);
        }
    }
}

/// Maps the lines of an old text to a new text.
#[derive(Debug)]
pub struct LineMap {
    /// One entry for each old line.
    lines: Vec<MappedLine>,
}

#[derive(Debug, Clone, Copy)]
struct MappedLine {
    line: usize,
    fate: LineFate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineFate {
    Same,
    Changed,
    /// Removed; its position is that of the next line.
    Removed,
}

impl LineMap {
    pub fn between(old: &str, new: &str) -> LineMap {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_slices(&old, &new);
        let mut lines = vec![MappedLine { line: 0, fate: LineFate::Removed }; old.len()];
        let last = new.len().saturating_sub(1);
        for op in diff.ops() {
            let fate = match op.tag() {
                DiffTag::Equal => LineFate::Same,
                DiffTag::Replace | DiffTag::Insert => LineFate::Changed,
                DiffTag::Delete => LineFate::Removed,
            };
            for (step, at) in op.old_range().enumerate() {
                let furthest = if op.new_range().is_empty() { 0 } else { op.new_range().len() - 1 };
                if let Some(place) = lines.get_mut(at) {
                    *place = MappedLine { line: (op.new_range().start + step.min(furthest)).min(last), fate };
                }
            }
        }
        LineMap { lines }
    }

    /// Mapping after lines `first` to `last` were dropped from a text of `lines` lines.
    pub fn after_drop(lines: usize, first: usize, last: usize) -> LineMap {
        let count = last + 1 - first;
        let end = lines.saturating_sub(count + 1);
        let place = |at: usize| match at {
            _ if at < first => MappedLine { line: at, fate: LineFate::Same },
            _ if at <= last => MappedLine { line: first.min(end), fate: LineFate::Removed },
            _ => MappedLine { line: at - count, fate: LineFate::Same },
        };
        LineMap { lines: (0..lines).map(place).collect() }
    }

    /// New position of a line, and whether it is unchanged. An unknown line maps to the end.
    pub fn map_line(&self, line: usize) -> (usize, bool) {
        let end = self.lines.last().map_or(0, |place| place.line);
        self.lines.get(line).map_or((end, false), |place| (place.line, place.fate == LineFate::Same))
    }

    /// The part of this range that still exists.
    pub fn map_range(&self, first: usize, last: usize) -> Option<(usize, usize)> {
        let lines = self.lines.get(first..=last.min(self.lines.len().checked_sub(1)?))?;
        let mut left = lines.iter().filter(|place| place.fate != LineFate::Removed).map(|place| place.line);
        let from = left.next()?;
        Some((from, left.next_back().unwrap_or(from).max(from)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_6_changes_classify_added_removed_and_changed_lines() {
        let changes =
            PlanChanges::between("a\nkeep this line as it is\nold\nx\ny", "a\nkeep this line as it was\nold\nnew\n");
        assert_eq!((changes.added_lines, changes.changed_lines, changes.removed_lines), (1, 1, 2));
        assert!(matches!(changes.line_change(1), LineChange::Changed { number: 2, .. }));
        assert_eq!(changes.line_change(3), &LineChange::Added);
        assert_eq!(changes.removed.get(&3), Some(&vec![(4, "x".to_string()), (5, "y".to_string())]));
        assert!(PlanChanges::between("a\nb", "a\nb\n").marks.iter().all(|mark| *mark == LineChange::Same));
    }

    #[test]
    fn ui_6_line_map_follows_moved_and_dropped_lines() {
        let moved = LineMap::between("a\nb\nc\nd", "new\na\nc\nD\n");
        assert_eq!(moved.map_line(0), (1, true));
        assert_eq!(moved.map_line(1), (2, false));
        assert_eq!(moved.map_line(2), (2, true));
        assert_eq!(moved.map_line(3), (3, false));
        assert!(!moved.map_line(99).1);
        assert_eq!(LineMap::between("a\nb", "").map_line(1), (0, false));
        let dropped = LineMap::after_drop(5, 1, 2);
        assert_eq!([dropped.map_line(0), dropped.map_line(1), dropped.map_line(3)], [(0, true), (1, false), (1, true)]);
        assert_eq!(
            [dropped.map_range(0, 2), dropped.map_range(1, 2), dropped.map_range(2, 4)],
            [Some((0, 0)), None, Some((1, 2))]
        );
        assert_eq!(LineMap::after_drop(3, 2, 2).map_line(2), (1, false));
    }
}
