//! Plain file commands. They change only the paths they name, so acceptEdits may run them in the workspace.

use super::args::{self, ArgScan};
use super::{CommandJudgement, widen_to_folders};
use crate::shell::parse::word::ShellWord;
use crate::shell::{CommandVerdict, PathWord};

fn file_command(writes: Vec<PathWord>) -> CommandJudgement {
    if writes.is_empty() {
        CommandJudgement::unknown()
    } else {
        CommandJudgement { writes, ..CommandJudgement::new(CommandVerdict::FileCommand) }
    }
}

fn operand_paths(scan: &ArgScan<'_>) -> Vec<PathWord> {
    scan.operands.iter().map(|w| w.path.clone()).collect()
}

pub(in crate::shell) fn mkdir(args: &[ShellWord]) -> CommandJudgement {
    let scan = args::scan_args(args, "-m= -pv --parents --verbose --mode=");
    if !scan.is_plain() {
        return CommandJudgement::unknown();
    }
    file_command(operand_paths(&scan))
}

pub(in crate::shell) fn touch(args: &[ShellWord]) -> CommandJudgement {
    let scan = args::scan_args(args, "-t= -d= -r@ -acm --date= --reference@ --no-create");
    if !scan.is_plain() {
        return CommandJudgement::unknown();
    }
    let reads = scan.files.iter().map(|w| w.path.clone()).collect();
    file_command(operand_paths(&scan)).with_reads(reads)
}

pub(in crate::shell) fn rmdir(args: &[ShellWord]) -> CommandJudgement {
    let scan = args::scan_args(args, "-v --verbose --ignore-fail-on-non-empty");
    if !scan.is_plain() {
        return CommandJudgement::unknown();
    }
    file_command(operand_paths(&scan))
}

/// rm of single files. `-r` deletes whole trees with unknown content.
pub(in crate::shell) fn rm(args: &[ShellWord]) -> CommandJudgement {
    let scan = args::scan_args(args, "-fviI --force --verbose");
    let writes = operand_paths(&scan);
    if scan.has_option("-r -R --recursive") {
        return CommandJudgement {
            writes: widen_to_folders(writes, false),
            ..CommandJudgement::known_writer("deletes whole folders")
        };
    }
    match scan.is_plain() {
        true => file_command(writes),
        false => CommandJudgement { writes, ..CommandJudgement::known_writer("deletes files") },
    }
}

pub(in crate::shell) fn cp(args: &[ShellWord]) -> CommandJudgement {
    let options =
        "-fnviuprRa -t= --force --no-clobber --verbose --update? --preserve? --target-directory= --recursive --archive";
    copy_or_move(args, options, false)
}
pub(in crate::shell) fn mv(args: &[ShellWord]) -> CommandJudgement {
    copy_or_move(args, "-fnviu -t= --force --no-clobber --verbose --update? --target-directory=", true)
}

/// Common part of cp and mv. The last operand is the target, or with `-t` all operands are sources. If the target
/// is a folder, the file inside it is written, so both are listed.
fn copy_or_move(args: &[ShellWord], options: &str, moves: bool) -> CommandJudgement {
    let scan = args::scan_args(args, options);
    let folder = scan.values_of("-t --target-directory").first().map(|w| (*w).clone());
    let (target, sources) = match (folder, scan.operands.split_last()) {
        (Some(folder), _) => (folder, scan.operands.as_slice()),
        (None, Some((last, rest))) => ((*last).clone(), rest),
        (None, None) => return CommandJudgement::unknown(),
    };
    if sources.is_empty() {
        return CommandJudgement::unknown();
    }
    let recursive = scan.has_option("-r -R -a --recursive --archive");
    let mut writes = vec![target.path.clone()];
    writes.extend(sources.iter().map(|source| path_in_folder(&target.path, &source.path)));
    let sources: Vec<PathWord> = sources.iter().map(|w| w.path.clone()).collect();
    if moves {
        writes.extend(sources.iter().cloned());
    }
    let verdict = if scan.is_plain() {
        CommandVerdict::FileCommand
    } else {
        CommandVerdict::Writes("copies, moves or links files".into())
    };
    let (writes, reads) = match recursive {
        true => (widen_to_folders(writes, false), widen_to_folders(sources, false)),
        false => (writes, sources),
    };
    CommandJudgement { writes, reads, ..CommandJudgement::new(verdict) }
}

/// Path of `source`'s name in the folder `target`.
pub(in crate::shell) fn path_in_folder(target: &PathWord, source: &PathWord) -> PathWord {
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

/// tee writes the files it names. Without one, or with /dev/null, it writes nothing.
pub(in crate::shell) fn tee(args: &[ShellWord]) -> CommandJudgement {
    let scan = args::scan_args(args, "-aip --append --ignore-interrupts");
    if !scan.is_plain() {
        return CommandJudgement::unknown();
    }
    let writes: Vec<PathWord> =
        operand_paths(&scan).into_iter().filter(|path| !crate::shell::parse::is_harmless_sink(path)).collect();
    if writes.is_empty() { CommandJudgement::read_only() } else { file_command(writes) }
}
