//! Judges one simple command: finds its row in the table and applies it to the words.

mod args;
pub(super) mod file_commands;
pub(super) mod git;
mod mentioned_paths;
pub(super) mod script_languages;
pub(super) mod special_commands;
pub(super) mod wrappers;

use crate::shell::known_commands::{self, CommandEffect, OperandMeaning, ReadOnlyOptions};
use crate::shell::parse::word::ShellWord;
use crate::shell::{CommandVerdict, PathWord};
use args::ArgScan;

/// Effects of one command, as its table row determined them.
#[derive(Debug)]
pub(super) struct CommandJudgement {
    pub verdict: CommandVerdict,
    pub reads: Vec<PathWord>,
    pub writes: Vec<PathWord>,
    /// Paths in the arguments of a command with unknown effects.
    pub mentioned: Vec<PathWord>,
    /// Commands and scripts that the command runs.
    pub inner: Vec<InnerCommand>,
    /// False for a wrapper without effects of its own; only the inner command matters.
    pub is_command: bool,
}

#[derive(Debug)]
pub(super) enum InnerCommand {
    Command {
        words: Vec<ShellWord>,
        assigns: Vec<EnvAssignment>,
    },
    Script(String),
    /// Runs later, in an unknown working folder.
    DeferredScript(String),
}

/// `NAME=value` before a command.
#[derive(Debug, Clone)]
pub(super) struct EnvAssignment {
    pub name: String,
    pub text: String,
}

impl CommandJudgement {
    pub fn new(verdict: CommandVerdict) -> CommandJudgement {
        CommandJudgement { verdict, reads: vec![], writes: vec![], mentioned: vec![], inner: vec![], is_command: true }
    }
    pub fn unknown() -> CommandJudgement {
        CommandJudgement::new(CommandVerdict::Unknown)
    }
    pub fn read_only() -> CommandJudgement {
        CommandJudgement::new(CommandVerdict::ReadOnly)
    }
    pub fn read_only_if(condition: bool) -> CommandJudgement {
        if condition { CommandJudgement::read_only() } else { CommandJudgement::unknown() }
    }
    pub fn known_writer(what: &str) -> CommandJudgement {
        CommandJudgement::new(CommandVerdict::Writes(what.to_string()))
    }
    pub fn with_reads(self, reads: Vec<PathWord>) -> CommandJudgement {
        CommandJudgement { reads, ..self }
    }
    /// A wrapper around one command.
    pub fn from_wrapper(words: Vec<ShellWord>, assigns: Vec<EnvAssignment>) -> CommandJudgement {
        CommandJudgement {
            is_command: false,
            inner: vec![InnerCommand::Command { words, assigns }],
            ..CommandJudgement::read_only()
        }
    }
}

/// True if the table has a row for this command.
pub(super) fn is_known(name: &str) -> bool {
    known_commands::find_row(name).is_some()
}

/// Judges one simple command; the first word is its name.
pub(super) fn judge_command(words: &[ShellWord]) -> CommandJudgement {
    let Some((name, args)) = words.split_first() else { return CommandJudgement::read_only() };
    let judged = name
        .literal
        .as_deref()
        .and_then(program_name)
        .map_or_else(CommandJudgement::unknown, |name| judge_by_row(name, args));
    let unknown = match judged.verdict {
        CommandVerdict::Unknown => true,
        CommandVerdict::Writes(_) => judged.writes.is_empty(),
        CommandVerdict::ReadOnly | CommandVerdict::FileCommand => false,
    };
    if unknown {
        CommandJudgement { mentioned: mentioned_paths::paths_of_unknown_command(name, args), ..judged }
    } else {
        judged
    }
}

fn judge_by_row(name: &str, args: &[ShellWord]) -> CommandJudgement {
    match known_commands::find_row(name) {
        Some(row) => match &row.does {
            CommandEffect::Reads(reads) => judge_reads(reads, args),
            CommandEffect::Writes(what) => CommandJudgement::known_writer(what),
            CommandEffect::Changes(what) => CommandJudgement {
                writes: mentioned_paths::mentioned_paths(args),
                ..CommandJudgement::known_writer(what)
            },
            CommandEffect::Files(judge) | CommandEffect::JudgedBy(judge) => judge(args),
        },
        None => CommandJudgement::unknown(),
    }
}

/// Program name of a command word. A path is accepted only in the system's program folders.
pub(super) fn program_name(word: &str) -> Option<&str> {
    if !word.contains('/') {
        return Some(word);
    }
    ["/bin/", "/usr/bin/", "/usr/local/bin/"].iter().find_map(|dir| word.strip_prefix(dir)).filter(|n| !n.contains('/'))
}

fn judge_reads(row: &ReadOnlyOptions, args: &[ShellWord]) -> CommandJudgement {
    let scan = args::scan_args(args, row.options);
    if scan.has_unknown_option
        || (scan.may_hide_option && !row.any_option_is_harmless)
        || (row.reads_option_files && args.iter().any(may_be_at_file))
    {
        return CommandJudgement::unknown();
    }
    let mut reads: Vec<PathWord> = scan.files.iter().map(|w| w.path.clone()).collect();
    reads.extend(operand_paths(row, &scan));
    if scan.reads_anywhere || (may_hide_file(row, &scan) && !reads.contains(&PathWord::Unknown)) {
        reads.push(PathWord::Unknown);
    }
    CommandJudgement::read_only().with_reads(reads)
}

/// True for `@file`: some programs read options from that file, at any position.
fn may_be_at_file(word: &ShellWord) -> bool {
    match word.literal.as_deref() {
        Some(text) => text.starts_with('@'),
        None => word.may_be_flag,
    }
}

/// True if an expansion may become an option with a file: `grep $x` with `-f/etc/passwd` in x.
fn may_hide_file(row: &ReadOnlyOptions, scan: &ArgScan<'_>) -> bool {
    let open = |word: &ShellWord| word.literal.is_none() && word.path == PathWord::Unknown && word.may_be_flag;
    let values = scan.values.iter().map(|(_, value)| value).filter(|value| !value.is_single);
    !matches!(row.operands, OperandMeaning::NoPaths)
        && scan.may_hide_option
        && (scan.operands.iter().any(|w| open(w)) || values.into_iter().next().is_some())
}

fn operand_paths(row: &ReadOnlyOptions, scan: &ArgScan<'_>) -> Vec<PathWord> {
    let paths = |from: usize| -> Vec<PathWord> {
        // A pattern that may split into several words may also contain file names.
        let split = scan.operands.iter().take(from).filter(|word| !word.is_single);
        let rest = scan.operands.iter().skip(from).filter(|word| !word.is("-"));
        split.chain(rest).map(|w| w.path.clone()).collect()
    };
    let from = usize::from(!scan.has_option(row.pattern));
    match row.operands {
        OperandMeaning::NoPaths => vec![],
        OperandMeaning::Paths => paths(0),
        OperandMeaning::Below => widen_to_folders(paths(0), false),
        OperandMeaning::PatternBelow => widen_to_folders(paths(from), true),
        OperandMeaning::Grep if scan.has_option("-r -R -d --recursive --dereference-recursive --directories") => {
            widen_to_folders(paths(from), true)
        }
        OperandMeaning::Grep => paths(from),
    }
}

/// Widens paths to whole folders, for a search. `here`: without a path it starts in the working folder.
pub(super) fn widen_to_folders(paths: Vec<PathWord>, here: bool) -> Vec<PathWord> {
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
