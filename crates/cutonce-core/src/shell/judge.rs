//! From the words of one simple command to what it does: looks the command up in the table and asks its row.

use super::args::{self, Scan};
use super::table::{self, Does, Operands, Reads};
use super::word::Word;
use super::{PathWord, Verdict};

/// What a row found out about a call.
#[derive(Debug)]
pub(super) struct Judged {
    pub verdict: Verdict,
    pub reads: Vec<PathWord>,
    pub writes: Vec<PathWord>,
    /// Commands and scripts that it runs.
    pub inner: Vec<Inner>,
    /// False for a wrapper that does nothing of its own: only what it runs counts.
    pub own: bool,
}

#[derive(Debug)]
pub(super) enum Inner {
    Command { words: Vec<Word>, assigns: Vec<Assign> },
    Script(String),
}

/// `NAME=value` in front of a command.
#[derive(Debug, Clone)]
pub(super) struct Assign {
    pub name: String,
    pub text: String,
}

impl Judged {
    pub fn new(verdict: Verdict) -> Judged {
        Judged { verdict, reads: vec![], writes: vec![], inner: vec![], own: true }
    }
    pub fn unknown() -> Judged {
        Judged::new(Verdict::Unknown)
    }
    pub fn read_only() -> Judged {
        Judged::new(Verdict::ReadOnly)
    }
    pub fn read_only_if(condition: bool) -> Judged {
        if condition { Judged::read_only() } else { Judged::unknown() }
    }
    pub fn writes(what: &str) -> Judged {
        Judged::new(Verdict::Writes(what.to_string()))
    }
    pub fn reading(self, reads: Vec<PathWord>) -> Judged {
        Judged { reads, ..self }
    }
    /// A wrapper around one command.
    pub fn runs(words: Vec<Word>, assigns: Vec<Assign>) -> Judged {
        Judged { own: false, inner: vec![Inner::Command { words, assigns }], ..Judged::read_only() }
    }
}

/// Judges one simple command, its name first.
pub(super) fn judge(words: &[Word]) -> Judged {
    let Some((name, args)) = words.split_first() else { return Judged::read_only() };
    let Some(name) = name.literal.as_deref().and_then(program) else { return Judged::unknown() };
    match table::find(name) {
        Some(row) => match &row.does {
            Does::Reads(reads) => judge_reads(reads, args),
            Does::Writes(what) => Judged::writes(what),
            Does::Files(judge) | Does::Special(judge) => judge(args),
        },
        None => Judged::unknown(),
    }
}

/// The program a command word names. A path counts only where the system keeps its programs.
fn program(word: &str) -> Option<&str> {
    if !word.contains('/') {
        return Some(word);
    }
    ["/bin/", "/usr/bin/", "/usr/local/bin/"].iter().find_map(|dir| word.strip_prefix(dir)).filter(|n| !n.contains('/'))
}

fn judge_reads(row: &Reads, args: &[Word]) -> Judged {
    let scan = args::scan(args, row.valued);
    if scan.has(row.never) || (scan.hidden && !row.never.is_empty()) {
        return Judged::unknown();
    }
    let mut reads: Vec<PathWord> = scan.values_of(row.files).into_iter().map(|w| w.path.clone()).collect();
    reads.extend(odd_values(&scan, row.files));
    reads.extend(operands(row, &scan));
    Judged::read_only().reading(reads)
}

/// Values of options we don't know, if they look like a path: better one read too many than one too few.
pub(super) fn odd_values(scan: &Scan<'_>, known: &str) -> Vec<PathWord> {
    let looks_like_path = |text: &str| text.starts_with(['/', '~']) || text.starts_with("../") || text.contains("/../");
    let known: Vec<&str> = known.split_whitespace().collect();
    scan.values
        .iter()
        .filter(|(flag, _)| flag.starts_with("--") && !known.contains(&flag.as_str()))
        .filter(|(_, word)| word.literal.as_deref().is_none_or(looks_like_path))
        .map(|(_, word)| word.path.clone())
        .collect()
}

fn operands(row: &Reads, scan: &Scan<'_>) -> Vec<PathWord> {
    let paths = |from: usize| -> Vec<PathWord> {
        let skip_stdin = |word: &&&Word| !word.is("-");
        scan.operands.iter().skip(from).filter(skip_stdin).map(|w| w.path.clone()).collect()
    };
    match row.operands {
        Operands::NoPaths => vec![],
        Operands::Paths => paths(0),
        Operands::Below => below(paths(0), false),
        Operands::PatternBelow => below(paths(usize::from(!scan.has(row.pattern))), true),
        Operands::Grep => {
            let found = paths(usize::from(!scan.has(row.pattern)));
            if scan.has("-r -R -d --recursive --dereference-recursive --directories") {
                below(found, true)
            } else {
                found
            }
        }
    }
}

/// A search goes through whole folders; without a path it begins in the working folder.
pub(super) fn below(paths: Vec<PathWord>, here: bool) -> Vec<PathWord> {
    if paths.is_empty() && here {
        return vec![PathWord::Below(".".into())];
    }
    let widen = |path| match path {
        PathWord::Exact(path) | PathWord::Below(path) => PathWord::Below(path),
        PathWord::Unknown => PathWord::Unknown,
    };
    paths.into_iter().map(widen).collect()
}
