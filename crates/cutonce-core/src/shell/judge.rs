//! From the words of one simple command to what it does: looks the command up in the table and asks its row.

use super::args::{self, Scan};
use super::spelled;
use super::table::{self, Does, Operands, Reads};
use super::word::Word;
use super::{PathWord, Verdict};

/// What a row found out about a call.
#[derive(Debug)]
pub(super) struct Judged {
    pub verdict: Verdict,
    pub reads: Vec<PathWord>,
    pub writes: Vec<PathWord>,
    /// Paths that the words name, where nobody knows what becomes of them.
    pub named: Vec<PathWord>,
    /// Commands and scripts that it runs.
    pub inner: Vec<Inner>,
    /// False for a wrapper that does nothing of its own: only what it runs counts.
    pub own: bool,
}

#[derive(Debug)]
pub(super) enum Inner {
    Command {
        words: Vec<Word>,
        assigns: Vec<Assign>,
    },
    Script(String),
    /// Runs later, in whatever folder the shell is in then.
    Later(String),
}

/// `NAME=value` in front of a command.
#[derive(Debug, Clone)]
pub(super) struct Assign {
    pub name: String,
    pub text: String,
}

impl Judged {
    pub fn new(verdict: Verdict) -> Judged {
        Judged { verdict, reads: vec![], writes: vec![], named: vec![], inner: vec![], own: true }
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

/// Is this the name of a command that the table knows?
pub(super) fn is_known(name: &str) -> bool {
    table::find(name).is_some()
}

/// Judges one simple command, its name first.
pub(super) fn judge(words: &[Word]) -> Judged {
    let Some((name, args)) = words.split_first() else { return Judged::read_only() };
    let judged = name.literal.as_deref().and_then(program).map_or_else(Judged::unknown, |name| by_row(name, args));
    let unknown = match judged.verdict {
        Verdict::Unknown => true,
        Verdict::Writes(_) => judged.writes.is_empty(),
        Verdict::ReadOnly | Verdict::FileCommand => false,
    };
    if unknown { Judged { named: spelled::by_unknown(name, args), ..judged } } else { judged }
}

fn by_row(name: &str, args: &[Word]) -> Judged {
    match table::find(name) {
        Some(row) => match &row.does {
            Does::Reads(reads) => judge_reads(reads, args),
            Does::Writes(what) => Judged::writes(what),
            Does::Changes(what) => Judged { writes: spelled::paths(args), ..Judged::writes(what) },
            Does::Files(judge) | Does::Special(judge) => judge(args),
        },
        None => Judged::unknown(),
    }
}

/// The program a command word names. A path counts only where the system keeps its programs.
pub(super) fn program(word: &str) -> Option<&str> {
    if !word.contains('/') {
        return Some(word);
    }
    ["/bin/", "/usr/bin/", "/usr/local/bin/"].iter().find_map(|dir| word.strip_prefix(dir)).filter(|n| !n.contains('/'))
}

fn judge_reads(row: &Reads, args: &[Word]) -> Judged {
    let scan = args::scan(args, row.options);
    if scan.odd || (scan.hidden && !row.loose) || (row.reads_at && args.iter().any(may_be_at_file)) {
        return Judged::unknown();
    }
    let mut reads: Vec<PathWord> = scan.files.iter().map(|w| w.path.clone()).collect();
    reads.extend(operands(row, &scan));
    if scan.anywhere || (hides_file(row, &scan) && !reads.contains(&PathWord::Unknown)) {
        reads.push(PathWord::Unknown);
    }
    Judged::read_only().reading(reads)
}

/// Programs that expand `@file` take options from that file, wherever the word stands.
fn may_be_at_file(word: &Word) -> bool {
    match word.literal.as_deref() {
        Some(text) => text.starts_with('@'),
        None => word.may_be_flag,
    }
}

/// An expansion that may become an option may name a file with it: `grep $x` with `-f/etc/passwd` in x.
fn hides_file(row: &Reads, scan: &Scan<'_>) -> bool {
    let open = |word: &Word| word.literal.is_none() && word.path == PathWord::Unknown && word.may_be_flag;
    let values = scan.values.iter().map(|(_, value)| value).filter(|value| !value.one);
    !matches!(row.operands, Operands::NoPaths)
        && scan.hidden
        && (scan.operands.iter().any(|w| open(w)) || values.into_iter().next().is_some())
}

fn operands(row: &Reads, scan: &Scan<'_>) -> Vec<PathWord> {
    let paths = |from: usize| -> Vec<PathWord> {
        // A pattern that may be several words holds names of files as well.
        let split = scan.operands.iter().take(from).filter(|word| !word.one);
        let rest = scan.operands.iter().skip(from).filter(|word| !word.is("-"));
        split.chain(rest).map(|w| w.path.clone()).collect()
    };
    let from = usize::from(!scan.has(row.pattern));
    match row.operands {
        Operands::NoPaths => vec![],
        Operands::Paths => paths(0),
        Operands::Below => below(paths(0), false),
        Operands::PatternBelow => below(paths(from), true),
        Operands::Grep if scan.has("-r -R -d --recursive --dereference-recursive --directories") => {
            below(paths(from), true)
        }
        Operands::Grep => paths(from),
    }
}

/// A search goes through whole folders; without a path it begins in the working folder.
pub(super) fn below(paths: Vec<PathWord>, here: bool) -> Vec<PathWord> {
    if paths.is_empty() && here {
        return vec![PathWord::Below(".".into())];
    }
    let widen = |path| match path {
        PathWord::Exact(path) | PathWord::Below(path) => PathWord::Below(path),
        PathWord::Glob(glob) => PathWord::Glob(glob),
        PathWord::Repository => PathWord::Repository,
        PathWord::Pipe => PathWord::Pipe,
        PathWord::Unknown => PathWord::Unknown,
    };
    paths.into_iter().map(widen).collect()
}
