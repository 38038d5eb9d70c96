//! What is different from an earlier text, line by line, and where its lines are now.

use crate::diff;
use similar::{DiffTag, TextDiff};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_millis(200);
/// More lines against lines are not compared each with each.
const MOST_PAIRS: usize = 900;

type Words = Vec<(bool, String)>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    Same,
    Added,
    /// It took the place of a line much like it.
    Changed {
        old: Words,
        new: Words,
        number: usize,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    pub marks: Vec<Mark>,
    /// Lines that are gone, by the line they stood before; with their old numbers, the first is 1.
    pub removed: BTreeMap<usize, Vec<(usize, String)>>,
    pub added_lines: usize,
    pub changed_lines: usize,
    pub removed_lines: usize,
}

impl Changes {
    pub fn between(old: &str, new: &str) -> Changes {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let diff = TextDiff::configure().timeout(PATIENCE).diff_slices(&old, &new);
        let mut changes = Changes { marks: vec![Mark::Same; new.len()], ..Changes::default() };
        for op in diff.ops() {
            let (olds, news) = (op.old_range(), op.new_range());
            match op.tag() {
                DiffTag::Equal => {}
                DiffTag::Insert | DiffTag::Delete | DiffTag::Replace => {
                    changes.replace((&old, olds), (&new, news));
                }
            }
        }
        changes
    }

    pub fn mark(&self, line: usize) -> &Mark {
        self.marks.get(line).unwrap_or(&Mark::Same)
    }

    /// Is there something to see at this line?
    pub fn at(&self, line: usize) -> bool {
        *self.mark(line) != Mark::Same || self.removed.contains_key(&line)
    }

    /// Lines took the place of lines. Those much alike are the same line, changed; the others went and came.
    fn replace(&mut self, (old, olds): (&[&str], Range<usize>), (new, news): (&[&str], Range<usize>)) {
        let small = olds.len() * news.len() <= MOST_PAIRS;
        let mut gone = Vec::new();
        let mut from = news.start;
        for at in olds {
            let line = old.get(at).copied().unwrap_or_default();
            let like =
                |to: &usize| diff::words(line, new.get(*to).copied().unwrap_or_default()).map(|words| (*to, words));
            let found = (from..news.end).take(if small { usize::MAX } else { 1 }).find_map(|to| like(&to));
            let Some((to, [before, after])) = found.filter(|_| !line.trim().is_empty()) else {
                gone.push((at + 1, line.to_string()));
                continue;
            };
            self.remove(from, &mut gone);
            (from..to).for_each(|added| self.add(added));
            self.changed_lines += 1;
            if let Some(mark) = self.marks.get_mut(to) {
                *mark = Mark::Changed { old: before, new: after, number: at + 1 };
            }
            from = to + 1;
        }
        self.remove(from, &mut gone);
        (from..news.end).for_each(|added| self.add(added));
    }

    fn add(&mut self, at: usize) {
        self.added_lines += 1;
        if let Some(mark) = self.marks.get_mut(at) {
            *mark = Mark::Added;
        }
    }

    fn remove(&mut self, before: usize, gone: &mut Vec<(usize, String)>) {
        if !gone.is_empty() {
            self.removed_lines += gone.len();
            self.removed.entry(before).or_default().append(gone);
        }
    }
}

/// Where the lines of an old text are in a new one.
#[derive(Debug)]
pub struct Moved {
    /// By old line.
    lines: Vec<Place>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    line: usize,
    fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Same,
    Changed,
    /// Its place is where the next line is now.
    Gone,
}

impl Moved {
    pub fn between(old: &str, new: &str) -> Moved {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let diff = TextDiff::configure().timeout(PATIENCE).diff_slices(&old, &new);
        let mut lines = vec![Place { line: 0, fate: Fate::Gone }; old.len()];
        let last = new.len().saturating_sub(1);
        for op in diff.ops() {
            let fate = match op.tag() {
                DiffTag::Equal => Fate::Same,
                DiffTag::Replace | DiffTag::Insert => Fate::Changed,
                DiffTag::Delete => Fate::Gone,
            };
            for (step, at) in op.old_range().enumerate() {
                let furthest = if op.new_range().is_empty() { 0 } else { op.new_range().len() - 1 };
                if let Some(place) = lines.get_mut(at) {
                    *place = Place { line: (op.new_range().start + step.min(furthest)).min(last), fate };
                }
            }
        }
        Moved { lines }
    }

    /// Of so many lines these were dropped.
    pub fn dropped(lines: usize, first: usize, last: usize) -> Moved {
        let count = last + 1 - first;
        let end = lines.saturating_sub(count + 1);
        let place = |at: usize| match at {
            _ if at < first => Place { line: at, fate: Fate::Same },
            _ if at <= last => Place { line: first.min(end), fate: Fate::Gone },
            _ => Place { line: at - count, fate: Fate::Same },
        };
        Moved { lines: (0..lines).map(place).collect() }
    }

    /// A line that the old text did not have is at the end. And whether it is unchanged.
    pub fn line(&self, line: usize) -> (usize, bool) {
        let end = self.lines.last().map_or(0, |place| place.line);
        self.lines.get(line).map_or((end, false), |place| (place.line, place.fate == Fate::Same))
    }

    /// What is left of these lines, if anything is.
    pub fn range(&self, first: usize, last: usize) -> Option<(usize, usize)> {
        let lines = self.lines.get(first..=last.min(self.lines.len().checked_sub(1)?))?;
        let mut left = lines.iter().filter(|place| place.fate != Fate::Gone).map(|place| place.line);
        let from = left.next()?;
        Some((from, left.next_back().unwrap_or(from).max(from)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_6_added_removed_and_changed_lines_are_told_apart() {
        let changes =
            Changes::between("a\nkeep this line as it is\nold\nx\ny", "a\nkeep this line as it was\nold\nnew\n");
        assert_eq!((changes.added_lines, changes.changed_lines, changes.removed_lines), (1, 1, 2));
        assert!(matches!(changes.mark(1), Mark::Changed { number: 2, .. }));
        assert_eq!(changes.mark(3), &Mark::Added);
        assert_eq!(changes.removed.get(&3), Some(&vec![(4, "x".to_string()), (5, "y".to_string())]));
        assert!(Changes::between("a\nb", "a\nb\n").marks.iter().all(|mark| *mark == Mark::Same));
    }

    #[test]
    fn ui_6_lines_are_found_again() {
        let moved = Moved::between("a\nb\nc\nd", "new\na\nc\nD\n");
        assert_eq!(moved.line(0), (1, true));
        assert_eq!(moved.line(1), (2, false));
        assert_eq!(moved.line(2), (2, true));
        assert_eq!(moved.line(3), (3, false));
        assert!(!moved.line(99).1);
        assert_eq!(Moved::between("a\nb", "").line(1), (0, false));
        let dropped = Moved::dropped(5, 1, 2);
        assert_eq!([dropped.line(0), dropped.line(1), dropped.line(3)], [(0, true), (1, false), (1, true)]);
        assert_eq!([dropped.range(0, 2), dropped.range(1, 2), dropped.range(2, 4)], [Some((0, 0)), None, Some((1, 2))]);
        assert_eq!(Moved::dropped(3, 2, 2).line(2), (1, false));
    }
}
