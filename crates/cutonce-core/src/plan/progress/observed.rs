//! Evidence in the order of the work, found by file and by command: a step reads its own pieces, not all of them.

use super::command::normal_command;
use super::{CheckRun, Evidence};
use crate::plan::contract::{PlanStep, is_glob, matches_path};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ObservedEvidence {
    pieces: Vec<Evidence>,
    /// The place of each piece in the order of the work: writes of one command share it.
    places: Vec<usize>,
    /// Positions of the writes, by path.
    writes: BTreeMap<String, Vec<usize>>,
    /// Positions of the runs, by command without what PC-31 removes.
    runs: BTreeMap<Vec<String>, Vec<usize>>,
}

impl ObservedEvidence {
    pub fn push(&mut self, piece: Evidence, root: &str) {
        let at = self.pieces.len();
        let together = matches!(piece, Evidence::Wrote { together: true, .. });
        self.places.push(self.places.last().copied().filter(|_| together).unwrap_or(at));
        match &piece {
            Evidence::Wrote { path, .. } => self.writes.entry(path.clone()).or_default().push(at),
            Evidence::Ran { command, .. } => self.runs.entry(normal_command(command, root)).or_default().push(at),
            _ => {}
        }
        self.pieces.push(piece);
    }

    pub fn pieces(&self) -> &[Evidence] {
        &self.pieces
    }

    /// The place of a piece in the order of the work.
    pub fn place(&self, at: usize) -> usize {
        self.places.get(at).copied().unwrap_or(at)
    }

    pub fn has_written(&self, path: &str) -> bool {
        self.writes.contains_key(path)
    }

    /// All writes.
    pub fn writes(&self) -> ObservedWrites<'_> {
        let files = self.writes.iter().map(|(path, positions)| (path.as_str(), positions.as_slice()));
        ObservedWrites { pieces: &self.pieces, files: files.collect() }
    }

    /// Writes to the files of a step, from a position on.
    pub fn writes_of(&self, step: &PlanStep, since: usize) -> ObservedWrites<'_> {
        let files = step.files.iter().flat_map(|file| self.written(&file.path));
        let late = files.map(|(path, positions)| (path, &positions[positions.partition_point(|at| *at < since)..]));
        ObservedWrites { pieces: &self.pieces, files: late.filter(|(_, positions)| !positions.is_empty()).collect() }
    }

    /// True if a file differs from what it was before its first write from a position on.
    pub fn is_changed(&self, path: &str, since: usize) -> bool {
        let positions = self.writes.get(path).map(Vec::as_slice).unwrap_or_default();
        differs(&self.pieces, &positions[positions.partition_point(|at| *at < since)..])
    }

    /// Written files that a planned path covers, as `matches_path` does.
    fn written(&self, planned: &str) -> Vec<(&str, &[usize])> {
        let folder = planned.trim_end_matches('/');
        let found: Vec<(&String, &Vec<usize>)> = if is_glob(planned) || folder == "." {
            self.writes.iter().filter(|(path, _)| matches_path(planned, path)).collect()
        } else {
            let prefix = format!("{folder}/");
            let below = self.writes.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
            self.writes.get_key_value(planned).into_iter().chain(below).collect()
        };
        found.into_iter().map(|(path, positions)| (path.as_str(), positions.as_slice())).collect()
    }

    /// The last run of a check from a position on, with its position.
    pub fn last_run(&self, check: &str, root: &str, since: usize) -> Option<(usize, CheckRun)> {
        let at = self.runs_of(check, root).last().copied().filter(|at| *at >= since)?;
        match &self.pieces[at] {
            Evidence::Ran { exit_code, stopped, by, at: time, output, .. } => {
                let (command, at_time, output) = (check.to_string(), time.clone(), output.clone());
                let (exit_code, stopped) = (*exit_code, stopped.clone());
                Some((at, CheckRun { command, exit_code, stopped, by: *by, at: at_time, output }))
            }
            _ => None,
        }
    }

    /// The first passed run of a check from a position on.
    pub fn first_pass(&self, check: &str, root: &str, since: usize) -> Option<usize> {
        let passed = |at: &usize| matches!(self.pieces[*at], Evidence::Ran { exit_code: Some(0), .. });
        self.runs_of(check, root).iter().copied().filter(|at| *at >= since).find(passed)
    }

    fn runs_of(&self, check: &str, root: &str) -> &[usize] {
        let normal = normal_command(check, root);
        // A check without a command never runs.
        let runs = self.runs.get(&normal).filter(|_| !normal.is_empty());
        runs.map_or(&[], Vec::as_slice)
    }
}

/// True if these writes of one file, in their order, changed its content or its mode.
fn differs(pieces: &[Evidence], positions: &[usize]) -> bool {
    let ends = positions.first().zip(positions.last());
    let content = ends.is_some_and(|(first, last)| match (&pieces[*first], &pieces[*last]) {
        (Evidence::Wrote { before, .. }, Evidence::Wrote { after, .. }) => before != after,
        _ => false,
    });
    let modes = positions.iter().filter_map(|at| match &pieces[*at] {
        Evidence::Wrote { modes, .. } => *modes,
        _ => None,
    });
    content || modes.reduce(|first, last| [first[0], last[1]]).is_some_and(|[before, after]| before != after)
}

/// Some of the writes: paths with the positions of their evidence, which are never empty.
pub(super) struct ObservedWrites<'a> {
    pieces: &'a [Evidence],
    files: BTreeMap<&'a str, &'a [usize]>,
}

impl<'a> ObservedWrites<'a> {
    pub fn first(&self) -> Option<usize> {
        self.files.values().filter_map(|positions| positions.first().copied()).min()
    }

    pub fn last(&self) -> Option<usize> {
        self.files.values().filter_map(|positions| positions.last().copied()).max()
    }

    /// The last write that a check of the whole plan must follow. Ignored and temporary files are none: checks write
    /// them.
    pub fn last_counted(&self) -> Option<usize> {
        let counted = |at: &&usize| !matches!(self.pieces[**at], Evidence::Wrote { exempt: true, .. });
        self.files.values().filter_map(|positions| positions.iter().rev().find(counted)).max().copied()
    }

    /// Paths whose content at the end differs from the start, in their order.
    pub fn changed(&self) -> impl Iterator<Item = &'a str> {
        let pieces = self.pieces;
        self.files.iter().filter(move |(_, positions)| differs(pieces, positions)).map(|(path, _)| *path)
    }

    /// True if a write of this path is exempt from the scope.
    pub fn is_exempt(&self, path: &str) -> bool {
        let positions = self.files.get(path).copied().unwrap_or_default();
        positions.iter().any(|at| matches!(self.pieces[*at], Evidence::Wrote { exempt: true, .. }))
    }
}
