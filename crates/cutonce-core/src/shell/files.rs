//! Plain file commands: their only effects are the paths they name, so acceptEdits may run them in the workspace.

use super::args::{self, Scan};
use super::judge::{self, Judged};
use super::word::Word;
use super::{PathWord, Verdict};

fn file_command(writes: Vec<PathWord>) -> Judged {
    if writes.is_empty() { Judged::unknown() } else { Judged { writes, ..Judged::new(Verdict::FileCommand) } }
}

fn paths(scan: &Scan<'_>) -> Vec<PathWord> {
    scan.operands.iter().map(|w| w.path.clone()).collect()
}

pub(super) fn mkdir(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-m= -pv --parents --verbose --mode=");
    if !scan.plain() {
        return Judged::unknown();
    }
    file_command(paths(&scan))
}

pub(super) fn touch(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-t= -d= -r@ -acm --date= --reference@ --no-create");
    if !scan.plain() {
        return Judged::unknown();
    }
    let reads = scan.files.iter().map(|w| w.path.clone()).collect();
    file_command(paths(&scan)).reading(reads)
}

pub(super) fn rmdir(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-v --verbose --ignore-fail-on-non-empty");
    if !scan.plain() {
        return Judged::unknown();
    }
    file_command(paths(&scan))
}

/// Single files only; with `-r` whole trees go, and what is in them nobody can say from here.
pub(super) fn rm(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-fviI --force --verbose");
    let writes = paths(&scan);
    if scan.has("-r -R --recursive") {
        return Judged {
            writes: judge::below(writes, false),
            ..Judged::writes("deletes folders with all that is in them")
        };
    }
    match scan.plain() {
        true => file_command(writes),
        false => Judged { writes, ..Judged::writes("deletes files") },
    }
}

pub(super) fn cp(args: &[Word]) -> Judged {
    let options =
        "-fnviuprRa -t= --force --no-clobber --verbose --update? --preserve? --target-directory= --recursive --archive";
    copy(args, options, false)
}
pub(super) fn mv(args: &[Word]) -> Judged {
    copy(args, "-fnviu -t= --force --no-clobber --verbose --update? --target-directory=", true)
}

/// The last operand is the target, or with `-t` all are sources. A target may be a folder: then the file inside it
/// is what is written, so both are named.
fn copy(args: &[Word], options: &str, moves: bool) -> Judged {
    let scan = args::scan(args, options);
    let folder = scan.values_of("-t --target-directory").first().map(|w| (*w).clone());
    let (target, sources) = match (folder, scan.operands.split_last()) {
        (Some(folder), _) => (folder, scan.operands.as_slice()),
        (None, Some((last, rest))) => ((*last).clone(), rest),
        (None, None) => return Judged::unknown(),
    };
    if sources.is_empty() {
        return Judged::unknown();
    }
    let recursive = scan.has("-r -R -a --recursive --archive");
    let mut writes = vec![target.path.clone()];
    writes.extend(sources.iter().map(|source| inside(&target.path, &source.path)));
    let sources: Vec<PathWord> = sources.iter().map(|w| w.path.clone()).collect();
    if moves {
        writes.extend(sources.iter().cloned());
    }
    let verdict =
        if scan.plain() { Verdict::FileCommand } else { Verdict::Writes("copies, moves or links files".into()) };
    let (writes, reads) = match recursive {
        true => (judge::below(writes, false), judge::below(sources, false)),
        false => (writes, sources),
    };
    Judged { writes, reads, ..Judged::new(verdict) }
}

/// `source`'s name inside the folder `target`.
pub(super) fn inside(target: &PathWord, source: &PathWord) -> PathWord {
    match (target, source) {
        (PathWord::Exact(folder), PathWord::Exact(file)) => {
            let name = file.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            match name {
                "" | "." | ".." | "~" => PathWord::Unknown,
                name => PathWord::Exact(format!("{}/{name}", folder.trim_end_matches('/'))),
            }
        }
        (PathWord::Exact(folder), PathWord::Below(_) | PathWord::Glob(_)) => PathWord::Below(folder.clone()),
        (
            PathWord::Exact(_)
            | PathWord::Below(_)
            | PathWord::Glob(_)
            | PathWord::Repository
            | PathWord::Pipe
            | PathWord::Unknown,
            _,
        ) => PathWord::Unknown,
    }
}

/// `tee` writes what it names; without a name, or to /dev/null, it only passes on.
pub(super) fn tee(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-aip --append --ignore-interrupts");
    if !scan.plain() {
        return Judged::unknown();
    }
    let writes: Vec<PathWord> = paths(&scan).into_iter().filter(|path| !super::walk::is_harmless_sink(path)).collect();
    if writes.is_empty() { Judged::read_only() } else { file_command(writes) }
}
