//! git: which subcommands only read, and with which options they stop doing so.

use super::PathWord;
use super::args;
use super::judge::{Judged, odd_values};
use super::word::Word;

/// How a subcommand is told apart from its writing forms.
enum Form {
    /// Reads, whatever its operands.
    Always,
    /// Reads only while it has at most this many operands.
    AtMost(usize),
    /// Reads if its first operand is one of these, or if there is none and `alone` says so.
    First { words: &'static [&'static str], alone: bool },
    /// Reads with `--get`, `--list` or the new `get` and `list`.
    Config,
    /// Lists: no operand unless one of these options makes it a pattern.
    Listing(&'static str),
}

struct Sub {
    name: &'static str,
    form: Form,
    /// Options with which it writes or runs something.
    never: &'static str,
}

const fn sub(name: &'static str, form: Form, never: &'static str) -> Sub {
    Sub { name, form, never }
}

const DIFF: &str = "--output --ext-diff --textconv";

const SUBS: &[Sub] = &[
    sub("blame", Form::Always, ""),
    sub(
        "branch",
        Form::Listing("-l --list --contains --no-contains --merged --no-merged --points-at"),
        "-d -D -m -M -c -C -f -u -t --delete --move --copy --force --set-upstream-to --unset-upstream --track --edit-description --create-reflog --no-track",
    ),
    sub("cat-file", Form::Always, "--textconv --filters"),
    sub("check-attr", Form::Always, ""),
    sub("check-ignore", Form::Always, ""),
    sub("cherry", Form::Always, ""),
    sub("config", Form::Config, "--add --unset --unset-all --replace-all --edit -e --rename-section --remove-section"),
    sub("count-objects", Form::Always, ""),
    sub("describe", Form::Always, ""),
    sub("diff", Form::Always, DIFF),
    sub("diff-files", Form::Always, DIFF),
    sub("diff-index", Form::Always, DIFF),
    sub("diff-tree", Form::Always, DIFF),
    sub("for-each-ref", Form::Always, ""),
    sub("grep", Form::Always, "-O --open-files-in-pager --textconv"),
    sub("log", Form::Always, DIFF),
    sub("ls-files", Form::Always, ""),
    sub("ls-tree", Form::Always, ""),
    sub("merge-base", Form::Always, ""),
    sub("name-rev", Form::Always, ""),
    sub("notes", Form::First { words: &["list", "show"], alone: true }, ""),
    sub("range-diff", Form::Always, DIFF),
    sub("reflog", Form::First { words: &["show", "exists"], alone: true }, "--output --ext-diff --textconv"),
    sub("remote", Form::First { words: &["get-url"], alone: true }, ""),
    sub("rev-list", Form::Always, ""),
    sub("rev-parse", Form::Always, ""),
    sub("shortlog", Form::Always, "--output"),
    sub("show", Form::Always, DIFF),
    sub("show-branch", Form::Always, ""),
    sub("show-ref", Form::Always, ""),
    sub("stash", Form::First { words: &["list", "show"], alone: false }, DIFF),
    sub("status", Form::Always, ""),
    sub("symbolic-ref", Form::AtMost(1), "-d -m --delete"),
    sub(
        "tag",
        Form::Listing("-l --list --contains --no-contains --merged --no-merged --points-at -n"),
        "-a -s -d -f -m -F -u -e --annotate --sign --delete --force --message --file --edit --create-reflog --local-user",
    ),
    sub("version", Form::Always, ""),
    sub("whatchanged", Form::Always, DIFF),
    sub("worktree", Form::First { words: &["list"], alone: false }, ""),
];

/// Subcommands that are known to change the repository, the working tree or a remote.
const WRITERS: &[&str] = &[
    "add",
    "am",
    "apply",
    "bisect",
    "branch",
    "checkout",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "config",
    "fetch",
    "filter-branch",
    "gc",
    "init",
    "merge",
    "mv",
    "notes",
    "prune",
    "pull",
    "push",
    "rebase",
    "reflog",
    "remote",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "submodule",
    "switch",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "worktree",
];

/// Options before the subcommand that change nothing. `-c`, `--exec-path` and their like can run programs, and
/// `-C`, `--git-dir` can lead to a repository whose own settings do.
const GLOBAL: &[&str] = &["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"];

pub(super) fn git(args: &[Word]) -> Judged {
    let skip = args.iter().take_while(|w| GLOBAL.iter().any(|flag| w.is(flag))).count();
    let Some((name, rest)) = args[skip..].split_first() else { return Judged::unknown() };
    let Some(name) = name.literal.as_deref() else { return Judged::unknown() };
    if name == "--version" {
        return Judged::read_only_if(rest.is_empty());
    }
    match SUBS.iter().find(|sub| sub.name == name) {
        Some(sub) if reads(sub, rest) => Judged::read_only().reading(read_paths(name, rest)),
        Some(_) | None if WRITERS.contains(&name) => Judged::writes(&format!("git {name} changes the repository")),
        Some(_) | None => Judged::unknown(),
    }
}

fn reads(sub: &Sub, args: &[Word]) -> bool {
    let scan = args::scan(args, "");
    if scan.hidden && !sub.never.is_empty() || scan.has(sub.never) {
        return false;
    }
    let first = scan.operands.first().map(|w| w.literal.as_deref().unwrap_or_default());
    match &sub.form {
        Form::Always => true,
        Form::AtMost(most) => !scan.hidden && scan.operands.len() <= *most,
        Form::First { words, alone } => match first {
            Some(first) => words.contains(&first),
            None => *alone,
        },
        Form::Config => {
            let asks =
                |flag: &String| matches!(flag.as_str(), "--list" | "-l" | "--get" | "--get-all" | "--get-regexp");
            matches!(first, Some("get" | "list")) || scan.flags.iter().any(asks)
        }
        Form::Listing(patterns) => scan.operands.is_empty() || (!scan.hidden && scan.has(patterns)),
    }
}

/// Operands may be paths, or `revision:path`; a revision taken for a path does no harm.
fn read_paths(name: &str, args: &[Word]) -> Vec<PathWord> {
    let scan = args::scan(args, "");
    let mut paths = odd_values(&scan, "");
    for word in &scan.operands {
        paths.push(match word.literal.as_deref() {
            Some(text) => match text.split_once(':') {
                Some((_, path)) if !path.is_empty() => Word::of_literal(path).path,
                Some(_) | None => word.path.clone(),
            },
            // These take paths outside the repository as well; the others find only what is in it.
            None if matches!(name, "diff" | "grep" | "blame") => word.path.clone(),
            None => PathWord::Below(".".into()),
        });
    }
    paths
}
