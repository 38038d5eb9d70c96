//! git: subcommands that only read, and the options with which they do.

use super::CommandJudgement;
use super::args::{self, ArgScan};
use crate::shell::PathWord;
use crate::shell::parse::word::ShellWord;

/// Condition under which a subcommand only reads.
enum SubcommandForm {
    /// Reads with any operands.
    Always,
    /// Reads only with at most this many operands.
    AtMost(usize),
    /// Reads if its first word is one of these or, with `alone`, if it has only options.
    First { words: &'static [&'static str], alone: bool },
    /// Reads with `--get`, `--list` or the newer `get` and `list`.
    Config,
    /// Reads without operands, or if one of these options makes them patterns.
    Listing(&'static str),
}

struct GitSubcommand {
    name: &'static str,
    form: SubcommandForm,
    /// Options with which it only reads, in groups, in the syntax of [`super::args`].
    options: &'static [&'static str],
    /// Prints content of files from the working tree or the history.
    prints: bool,
}

const fn sub(name: &'static str, form: SubcommandForm, options: &'static [&'static str]) -> GitSubcommand {
    GitSubcommand { name, form, options, prints: false }
}
const fn prints(name: &'static str, form: SubcommandForm, options: &'static [&'static str]) -> GitSubcommand {
    GitSubcommand { name, form, options, prints: true }
}

/// Diff options, without `--output`, `--ext-diff`, `--textconv`.
const DIFF_OPTIONS: &str = "-U= -l= -S= -G= -O@ -M? -C? -B? -X? -abDpqRruswWz --patch --no-patch --unified= --raw --patch-with-raw \
    --patch-with-stat --stat? --numstat --shortstat --dirstat? --summary --name-only --name-status --color? --no-color \
    --color-moved? --word-diff? --word-diff-regex= --color-words? --no-renames --find-renames? --find-copies? \
    --find-copies-harder --diff-filter= --pickaxe-all --pickaxe-regex --ignore-space-at-eol --ignore-space-change \
    --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --function-context --inter-hunk-context= --exit-code --quiet \
    --no-ext-diff --no-textconv --full-index --binary --abbrev? --no-prefix --src-prefix= --dst-prefix= --relative? --text \
    --minimal --patience --histogram --diff-algorithm= --cached --staged --merge-base --no-index --check --compact-summary \
    --base --ours --theirs --cc --combined-all-paths --diff-merges= --ws-error-highlight= --indent-heuristic --irreversible-delete";

/// Options that select and format commits.
const LOG_OPTIONS: &str = "-# -n= -L= -g -i -E -F -P -c -m -t --max-count= --skip= --since= --after= --until= --before= --author= \
    --committer= --grep= --grep-reflog= --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings \
    --perl-regexp --merges --no-merges --first-parent --min-parents= --max-parents= --all --branches? --tags? --remotes? --glob= \
    --exclude= --reflog --walk-reflogs --date-order --author-date-order --topo-order --reverse --graph --no-graph --oneline \
    --pretty? --format= --abbrev-commit --no-abbrev-commit --date= --relative-date --parents --children --left-right \
    --left-only --right-only --cherry --cherry-mark --cherry-pick --boundary --simplify-by-decoration --full-history \
    --simplify-merges --ancestry-path? --decorate? --no-decorate --decorate-refs= --source --follow --log-size --notes? \
    --no-notes --no-walk? --not --count --objects --timestamp --clear-decorations --expand-tabs? --no-expand-tabs --encoding= \
    --mailmap --use-mailmap --no-mailmap --remove-empty --sparse --dense --show-pulls";

/// Options that select and format refs.
const REF_OPTIONS: &str = "--contains= --no-contains= --merged= --no-merged= --points-at= --sort= --format= --column? --no-column \
    --color? --no-color -i --ignore-case --omit-empty";

const SUBCOMMANDS: &[GitSubcommand] = &[
    prints(
        "blame",
        SubcommandForm::Always,
        &[
            "-L= -M? -C? -S@ -bcefhklnpstw --date= --root --show-stats --reverse --porcelain --line-porcelain --incremental \
           --contents@ --ignore-rev= --ignore-revs-file@ --color-lines --color-by-age --abbrev? --show-name --show-number \
           --show-email --first-parent --score-debug",
        ],
    ),
    sub(
        "branch",
        // Before git 2.20 `-l` created a branch.
        SubcommandForm::Listing("--list --contains --no-contains --merged --no-merged --points-at"),
        &["-alrvq --list --all --remotes --verbose --show-current --abbrev? --no-abbrev", REF_OPTIONS],
    ),
    prints(
        "cat-file",
        SubcommandForm::Always,
        &["-petsZz --batch? --batch-check? --batch-command? --batch-all-objects --unordered --buffer"],
    ),
    sub("check-attr", SubcommandForm::Always, &["-az --all --cached --stdin --source="]),
    sub("check-ignore", SubcommandForm::Always, &["-qvnz --quiet --verbose --stdin --non-matching --no-index"]),
    sub("cherry", SubcommandForm::Always, &["-v --abbrev?"]),
    sub(
        "config",
        SubcommandForm::Config,
        &[
            "-f@ -lz --file@ --blob= --global --system --local --worktree --list --get --get-all --get-regexp --get-urlmatch \
           --name-only --show-origin --show-scope --null --type= --bool --int --bool-or-int --path --expiry-date --default= \
           --all --regexp --value= --fixed-value --url=",
        ],
    ),
    sub("count-objects", SubcommandForm::Always, &["-vH --verbose --human-readable"]),
    sub(
        "describe",
        SubcommandForm::Always,
        &["--all --tags --contains --abbrev? --candidates= --exact-match --debug --long --match= --exclude= --always \
           --first-parent --dirty? --broken?"],
    ),
    prints("diff", SubcommandForm::Always, &[DIFF_OPTIONS, "--no-color-moved"]),
    prints("diff-files", SubcommandForm::Always, &[DIFF_OPTIONS]),
    prints("diff-index", SubcommandForm::Always, &["-m", DIFF_OPTIONS]),
    prints(
        "diff-tree",
        SubcommandForm::Always,
        &["-cmtv --root --stdin --no-commit-id --always --pretty? --format=", DIFF_OPTIONS],
    ),
    sub(
        "for-each-ref",
        SubcommandForm::Always,
        &["--count= --shell --perl --python --tcl --exclude= --include-root-refs --stdin", REF_OPTIONS],
    ),
    prints(
        "grep",
        SubcommandForm::Always,
        &[
            "-# -e= -f@ -A= -B= -C= -m= -acEFGhHiIlLnopPqrvwWz --and --or --not --all-match --cached --no-index --untracked \
           --no-exclude-standard --exclude-standard --text --ignore-case --word-regexp --invert-match --full-name \
           --extended-regexp --basic-regexp --fixed-strings --perl-regexp --line-number --column --files-with-matches \
           --name-only --files-without-match --null --only-matching --count --color? --no-color --break --heading \
           --show-function --function-context --context= --after-context= --before-context= --max-count= --max-depth= \
           --recursive --no-recursive --threads= --quiet --no-textconv",
        ],
    ),
    prints("log", SubcommandForm::Always, &[LOG_OPTIONS, DIFF_OPTIONS]),
    sub(
        "ls-files",
        SubcommandForm::Always,
        &[
            "-x= -X@ -cdmoiskutvz --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory \
           --no-empty-directory --eol --deduplicate --exclude= --exclude-from@ --exclude-standard --error-unmatch \
           --full-name --abbrev? --format= --resolve-undo --sparse --with-tree=",
        ],
    ),
    sub(
        "ls-tree",
        SubcommandForm::Always,
        &["-drtlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format="],
    ),
    sub("merge-base", SubcommandForm::Always, &["-a --all --octopus --independent --is-ancestor --fork-point"]),
    sub("name-rev", SubcommandForm::Always, &["--tags --refs= --exclude= --all --name-only --no-undefined --always"]),
    prints("notes", SubcommandForm::First { words: &["list", "show"], alone: true }, &[]),
    prints(
        "range-diff",
        SubcommandForm::Always,
        &["--creation-factor= --no-dual-color --left-only --right-only", DIFF_OPTIONS],
    ),
    prints(
        "reflog",
        SubcommandForm::First { words: &["show", "exists", "list"], alone: true },
        &[LOG_OPTIONS, DIFF_OPTIONS],
    ),
    sub("remote", SubcommandForm::First { words: &["get-url"], alone: true }, &["-v --verbose --all --push"]),
    sub(
        "rev-list",
        SubcommandForm::Always,
        &["--disk-usage? --object-names --no-object-names --bisect --quiet --header", LOG_OPTIONS, "--abbrev?"],
    ),
    sub(
        "rev-parse",
        SubcommandForm::Always,
        &[
            "-q --quiet --verify --short? --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? --remotes? \
           --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --git-dir --absolute-git-dir \
           --git-common-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository \
           --show-object-format? --revs-only --no-revs --flags --no-flags --not --since= --until= --git-path= \
           --path-format= --local-env-vars",
        ],
    ),
    sub(
        "shortlog",
        SubcommandForm::Always,
        &["-w? -nsec --numbered --summary --email --committer --group=", LOG_OPTIONS],
    ),
    prints("show", SubcommandForm::Always, &[LOG_OPTIONS, DIFF_OPTIONS]),
    sub(
        "show-branch",
        SubcommandForm::Always,
        &[
            "-arg --all --remotes --current --topo-order --date-order --sparse --list --no-name --sha1-name --topics --more? --reflog?",
        ],
    ),
    sub(
        "show-ref",
        SubcommandForm::Always,
        &["-dqs --head --heads --branches --tags --dereference --hash? --abbrev? --verify --quiet --exists"],
    ),
    prints(
        "stash",
        SubcommandForm::First { words: &["list", "show"], alone: false },
        &["-u --include-untracked --only-untracked", LOG_OPTIONS, DIFF_OPTIONS],
    ),
    sub(
        "status",
        SubcommandForm::Always,
        &["-sbvz -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignored? \
           --ignore-submodules? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?"],
    ),
    sub("symbolic-ref", SubcommandForm::AtMost(1), &["-q --quiet --short --recurse --no-recurse"]),
    sub(
        "tag",
        SubcommandForm::Listing("-l --list --contains --no-contains --merged --no-merged --points-at -n"),
        &["-n? -l --list", REF_OPTIONS],
    ),
    sub("version", SubcommandForm::Always, &["--build-options"]),
    prints("whatchanged", SubcommandForm::Always, &[LOG_OPTIONS, DIFF_OPTIONS]),
    sub("worktree", SubcommandForm::First { words: &["list"], alone: false }, &["-vz --porcelain --verbose --expire="]),
];

/// Subcommands known to change the repository, the working tree or a remote.
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

/// True if this git subcommand can change the repository, the working tree or a remote.
pub(crate) fn changes_repository(subcommand: &str) -> bool {
    WRITERS.contains(&subcommand)
}

/// Harmless options before the subcommand. `-c`, `--exec-path` and similar can run programs; `-C` and `--git-dir`
/// can select a repository whose settings do.
const HARMLESS_GLOBAL_OPTIONS: &[&str] =
    &["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"];

pub(in crate::shell) fn git(args: &[ShellWord]) -> CommandJudgement {
    let skip = args.iter().take_while(|w| HARMLESS_GLOBAL_OPTIONS.iter().any(|flag| w.is(flag))).count();
    let Some((name, rest)) = args[skip..].split_first() else { return CommandJudgement::unknown() };
    let Some(name) = name.literal.as_deref() else { return CommandJudgement::unknown() };
    if name == "--version" {
        return CommandJudgement::read_only_if(rest.is_empty());
    }
    match SUBCOMMANDS.iter().find(|sub| sub.name == name) {
        Some(sub) => match paths_if_read_only(sub, rest) {
            Some(paths) => CommandJudgement::read_only().with_reads(paths),
            None if changes_repository(name) => CommandJudgement::known_writer("changes the repository"),
            None => CommandJudgement::unknown(),
        },
        None if changes_repository(name) => CommandJudgement::known_writer("changes the repository"),
        None => CommandJudgement::unknown(),
    }
}

/// The paths it reads; `None` if it may do anything else.
fn paths_if_read_only(sub: &GitSubcommand, args: &[ShellWord]) -> Option<Vec<PathWord>> {
    let options = sub.options.join(" ");
    let scan = args::scan_args(args, &options);
    let first = args.first().map(|word| word.literal.as_deref().unwrap_or_default());
    let fits = match &sub.form {
        SubcommandForm::Always => true,
        SubcommandForm::AtMost(most) => scan.operands.len() <= *most,
        SubcommandForm::First { words, alone } => match first {
            Some(first) if words.contains(&first) => true,
            // git may take a word after an option as the subcommand.
            Some(_) => *alone && args.iter().all(|w| w.literal.as_deref().is_some_and(|text| text.starts_with('-'))),
            None => *alone,
        },
        SubcommandForm::Config => only_reads_config(&scan, args),
        SubcommandForm::Listing(patterns) => scan.operands.is_empty() || scan.has_option(patterns),
    };
    (fits && scan.is_plain() && !checks_signatures(&scan)).then(|| read_paths(sub, args, &scan))
}

/// True if `git config` only reads. After the first operand it takes no options: `git config a.b -l` sets a.b.
fn only_reads_config(scan: &ArgScan<'_>, args: &[ShellWord]) -> bool {
    const ASKING: &str = "--list -l --get --get-all --get-regexp --get-urlmatch";
    let asks = |flag: &String| ASKING.split(' ').any(|known| known == flag);
    // `git config user.name` prints the value.
    let shows = |text: &str| text.contains('.') && !text.contains('=');
    let one = matches!(scan.operands.as_slice(), [one] if one.literal.as_deref().is_some_and(shows));
    let first = args.first().and_then(|word| word.literal.as_deref());
    let subcommand = matches!(first, Some("get" | "list"));
    let operands = scan.operands.iter().skip(usize::from(subcommand));
    let behind = args.iter().rev().take(operands.clone().count()).collect::<Vec<_>>();
    let last = operands.rev().zip(&behind).all(|(operand, word)| std::ptr::eq(*operand, *word));
    last && (subcommand || scan.flags.iter().any(asks) || one)
}

/// True if the format prints signatures, which runs gpg.
fn checks_signatures(scan: &ArgScan<'_>) -> bool {
    let runs = |text: &str| text.contains("%G") || text.contains("%(signature");
    let formats = |flag: &str| matches!(flag, "--format" | "--pretty");
    scan.values.iter().any(|(flag, value)| value.literal.as_deref().map_or(formats(flag), runs))
}

/// Paths among the operands, also in `revision:path`. Treating a revision as a path is harmless.
fn read_paths(sub: &GitSubcommand, args: &[ShellWord], scan: &ArgScan<'_>) -> Vec<PathWord> {
    let mut paths: Vec<PathWord> = scan.files.iter().map(|w| w.path.clone()).collect();
    let prints =
        (sub.prints && !prints_no_content(sub, scan)) || (sub.name == "status" && scan.has_option("-v --verbose"));
    let mut magic = false;
    for word in &scan.operands {
        // `:(top)x` and similar can lead out of the working folder, and so can an expansion.
        magic |= word.literal.as_deref().map_or(word.path == PathWord::Unknown, |text| text.starts_with(':'));
        match word.literal.as_deref() {
            Some(text) => paths.push(match text.split_once(':') {
                Some((_, path)) if !path.is_empty() => ShellWord::from_literal(path).path,
                Some(_) | None => word.path.clone(),
            }),
            // These also accept paths outside the repository; the others don't.
            None if matches!(sub.name, "diff" | "grep" | "blame") => paths.push(word.path.clone()),
            None => {}
        }
    }
    if prints {
        // A path may be a folder that contains a denied file.
        paths = super::widen_to_folders(paths, false);
        let here = matches!(sub.name, "grep" | "blame") || has_path_limit(args);
        // These start in the working folder; the others print from the top of the repository.
        paths.push(if here && !magic { PathWord::Below(".".into()) } else { PathWord::Repository });
    }
    paths
}

/// True if `-- path …` limits the output to those paths.
fn has_path_limit(args: &[ShellWord]) -> bool {
    let at = args.iter().position(|word| word.is("--"));
    at.and_then(|at| args.get(at + 1..)).is_some_and(|paths| !paths.is_empty())
}

/// True if it prints only commits, names and numbers, but no file content.
fn prints_no_content(sub: &GitSubcommand, scan: &ArgScan<'_>) -> bool {
    const NAMES: &str =
        "--stat --shortstat --numstat --name-only --name-status --summary --dirstat --raw --no-patch -s --quiet";
    const PATCHES: &str = "-p -u -U -c -m -L -S -G -W --patch --unified --patch-with-raw --patch-with-stat --cc --word-diff \
        --word-diff-regex --color-words --function-context --diff-merges --binary --pickaxe-all --inter-hunk-context -D --check \
        --irreversible-delete";
    let any = |list: &str| scan.flags.iter().any(|flag| list.split_whitespace().any(|known| known == flag));
    let lists = sub.name == "log" || (sub.name == "stash" && scan.operands.first().is_some_and(|word| word.is("list")));
    let differs = matches!(sub.name, "diff" | "diff-tree" | "diff-index" | "diff-files" | "show" | "stash");
    // `revision:path` prints a file with any options.
    let blob = |word: &&ShellWord| word.literal.as_deref().is_none_or(|text| text.contains(':'));
    !any(PATCHES) && (lists || (differs && any(NAMES) && !scan.operands.iter().any(blob)))
}
