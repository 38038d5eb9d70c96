//! git: which subcommands only read, and with which options they stop doing so.

use super::PathWord;
use super::args::{self, Scan};
use super::judge::Judged;
use super::word::Word;

/// How a subcommand is told apart from its writing forms.
enum Form {
    /// Reads, whatever its operands.
    Always,
    /// Reads only while it has at most this many operands.
    AtMost(usize),
    /// Reads if its first word is one of these, or, if `alone` says so, with nothing but options.
    First { words: &'static [&'static str], alone: bool },
    /// Reads with `--get`, `--list` or the new `get` and `list`.
    Config,
    /// Lists: no operand unless one of these options makes it a pattern.
    Listing(&'static str),
}

struct Sub {
    name: &'static str,
    form: Form,
    /// The options with which it only reads, group by group ([`super::args`] says how they are written).
    options: &'static [&'static str],
    /// Prints what is in files of the working tree or of the history.
    prints: bool,
}

const fn sub(name: &'static str, form: Form, options: &'static [&'static str]) -> Sub {
    Sub { name, form, options, prints: false }
}
const fn prints(name: &'static str, form: Form, options: &'static [&'static str]) -> Sub {
    Sub { name, form, options, prints: true }
}

/// What to show of a difference. Not `--output`, `--ext-diff`, `--textconv`.
const DIFF: &str = "-U= -l= -S= -G= -O@ -M? -C? -B? -X? -abDpqRruswWz --patch --no-patch --unified= --raw --patch-with-raw \
    --patch-with-stat --stat? --numstat --shortstat --dirstat? --summary --name-only --name-status --color? --no-color \
    --color-moved? --word-diff? --word-diff-regex= --color-words? --no-renames --find-renames? --find-copies? \
    --find-copies-harder --diff-filter= --pickaxe-all --pickaxe-regex --ignore-space-at-eol --ignore-space-change \
    --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --function-context --inter-hunk-context= --exit-code --quiet \
    --no-ext-diff --no-textconv --full-index --binary --abbrev? --no-prefix --src-prefix= --dst-prefix= --relative? --text \
    --minimal --patience --histogram --diff-algorithm= --cached --staged --merge-base --no-index --check --compact-summary \
    --base --ours --theirs --cc --combined-all-paths --diff-merges= --ws-error-highlight= --indent-heuristic --irreversible-delete";

/// Which commits, and how they are shown.
const LOG: &str = "-# -n= -L= -g -i -E -F -P -c -m -t --max-count= --skip= --since= --after= --until= --before= --author= \
    --committer= --grep= --grep-reflog= --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings \
    --perl-regexp --merges --no-merges --first-parent --min-parents= --max-parents= --all --branches? --tags? --remotes? --glob= \
    --exclude= --reflog --walk-reflogs --date-order --author-date-order --topo-order --reverse --graph --no-graph --oneline \
    --pretty? --format= --abbrev-commit --no-abbrev-commit --date= --relative-date --parents --children --left-right \
    --left-only --right-only --cherry --cherry-mark --cherry-pick --boundary --simplify-by-decoration --full-history \
    --simplify-merges --ancestry-path? --decorate? --no-decorate --decorate-refs= --source --follow --log-size --notes? \
    --no-notes --no-walk? --not --count --objects --timestamp --clear-decorations --expand-tabs? --no-expand-tabs --encoding= \
    --mailmap --use-mailmap --no-mailmap --remove-empty --sparse --dense --show-pulls";

/// Which refs, and how they are listed.
const REFS: &str = "--contains= --no-contains= --merged= --no-merged= --points-at= --sort= --format= --column? --no-column \
    --color? --no-color -i --ignore-case --omit-empty";

const SUBS: &[Sub] = &[
    prints(
        "blame",
        Form::Always,
        &[
            "-L= -M? -C? -S@ -bcefhklnpstw --date= --root --show-stats --reverse --porcelain --line-porcelain --incremental \
           --contents@ --ignore-rev= --ignore-revs-file@ --color-lines --color-by-age --abbrev? --show-name --show-number \
           --show-email --first-parent --score-debug",
        ],
    ),
    sub(
        "branch",
        // Before git 2.20 `-l` made a branch.
        Form::Listing("--list --contains --no-contains --merged --no-merged --points-at"),
        &["-alrvq --list --all --remotes --verbose --show-current --abbrev? --no-abbrev", REFS],
    ),
    prints(
        "cat-file",
        Form::Always,
        &["-petsZz --batch? --batch-check? --batch-command? --batch-all-objects --unordered --buffer"],
    ),
    sub("check-attr", Form::Always, &["-az --all --cached --stdin --source="]),
    sub("check-ignore", Form::Always, &["-qvnz --quiet --verbose --stdin --non-matching --no-index"]),
    sub("cherry", Form::Always, &["-v --abbrev?"]),
    sub(
        "config",
        Form::Config,
        &[
            "-f@ -lz --file@ --blob= --global --system --local --worktree --list --get --get-all --get-regexp --get-urlmatch \
           --name-only --show-origin --show-scope --null --type= --bool --int --bool-or-int --path --expiry-date --default= \
           --all --regexp --value= --fixed-value --url=",
        ],
    ),
    sub("count-objects", Form::Always, &["-vH --verbose --human-readable"]),
    sub(
        "describe",
        Form::Always,
        &["--all --tags --contains --abbrev? --candidates= --exact-match --debug --long --match= --exclude= --always \
           --first-parent --dirty? --broken?"],
    ),
    prints("diff", Form::Always, &[DIFF, "--no-color-moved"]),
    prints("diff-files", Form::Always, &[DIFF]),
    prints("diff-index", Form::Always, &["-m", DIFF]),
    prints("diff-tree", Form::Always, &["-cmtv --root --stdin --no-commit-id --always --pretty? --format=", DIFF]),
    sub(
        "for-each-ref",
        Form::Always,
        &["--count= --shell --perl --python --tcl --exclude= --include-root-refs --stdin", REFS],
    ),
    prints(
        "grep",
        Form::Always,
        &[
            "-# -e= -f@ -A= -B= -C= -m= -acEFGhHiIlLnopPqrvwWz --and --or --not --all-match --cached --no-index --untracked \
           --no-exclude-standard --exclude-standard --text --ignore-case --word-regexp --invert-match --full-name \
           --extended-regexp --basic-regexp --fixed-strings --perl-regexp --line-number --column --files-with-matches \
           --name-only --files-without-match --null --only-matching --count --color? --no-color --break --heading \
           --show-function --function-context --context= --after-context= --before-context= --max-count= --max-depth= \
           --recursive --no-recursive --threads= --quiet --no-textconv",
        ],
    ),
    prints("log", Form::Always, &[LOG, DIFF]),
    sub(
        "ls-files",
        Form::Always,
        &[
            "-x= -X@ -cdmoiskutvz --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory \
           --no-empty-directory --eol --deduplicate --exclude= --exclude-from@ --exclude-standard --error-unmatch \
           --full-name --abbrev? --format= --resolve-undo --sparse --with-tree=",
        ],
    ),
    sub(
        "ls-tree",
        Form::Always,
        &["-drtlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format="],
    ),
    sub("merge-base", Form::Always, &["-a --all --octopus --independent --is-ancestor --fork-point"]),
    sub("name-rev", Form::Always, &["--tags --refs= --exclude= --all --name-only --no-undefined --always"]),
    prints("notes", Form::First { words: &["list", "show"], alone: true }, &[]),
    prints("range-diff", Form::Always, &["--creation-factor= --no-dual-color --left-only --right-only", DIFF]),
    prints("reflog", Form::First { words: &["show", "exists", "list"], alone: true }, &[LOG, DIFF]),
    sub("remote", Form::First { words: &["get-url"], alone: true }, &["-v --verbose --all --push"]),
    sub(
        "rev-list",
        Form::Always,
        &["--disk-usage? --object-names --no-object-names --bisect --quiet --header", LOG, "--abbrev?"],
    ),
    sub(
        "rev-parse",
        Form::Always,
        &[
            "-q --quiet --verify --short? --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? --remotes? \
           --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --git-dir --absolute-git-dir \
           --git-common-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository \
           --show-object-format? --revs-only --no-revs --flags --no-flags --not --since= --until= --git-path= \
           --path-format= --local-env-vars",
        ],
    ),
    sub("shortlog", Form::Always, &["-w? -nsec --numbered --summary --email --committer --group=", LOG]),
    prints("show", Form::Always, &[LOG, DIFF]),
    sub(
        "show-branch",
        Form::Always,
        &[
            "-arg --all --remotes --current --topo-order --date-order --sparse --list --no-name --sha1-name --topics --more? --reflog?",
        ],
    ),
    sub(
        "show-ref",
        Form::Always,
        &["-dqs --head --heads --branches --tags --dereference --hash? --abbrev? --verify --quiet --exists"],
    ),
    prints(
        "stash",
        Form::First { words: &["list", "show"], alone: false },
        &["-u --include-untracked --only-untracked", LOG, DIFF],
    ),
    sub(
        "status",
        Form::Always,
        &["-sbvz -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignored? \
           --ignore-submodules? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?"],
    ),
    sub("symbolic-ref", Form::AtMost(1), &["-q --quiet --short --recurse --no-recurse"]),
    sub(
        "tag",
        Form::Listing("-l --list --contains --no-contains --merged --no-merged --points-at -n"),
        &["-n? -l --list", REFS],
    ),
    sub("version", Form::Always, &["--build-options"]),
    prints("whatchanged", Form::Always, &[LOG, DIFF]),
    sub("worktree", Form::First { words: &["list"], alone: false }, &["-vz --porcelain --verbose --expire="]),
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
        Some(sub) => match reads(sub, rest) {
            Some(paths) => Judged::read_only().reading(paths),
            None if WRITERS.contains(&name) => Judged::writes(&format!("git {name} changes the repository")),
            None => Judged::unknown(),
        },
        None if WRITERS.contains(&name) => Judged::writes(&format!("git {name} changes the repository")),
        None => Judged::unknown(),
    }
}

/// What it reads, if it does nothing else.
fn reads(sub: &Sub, args: &[Word]) -> Option<Vec<PathWord>> {
    let options = sub.options.join(" ");
    let scan = args::scan(args, &options);
    let first = args.first().map(|word| word.literal.as_deref().unwrap_or_default());
    let fits = match &sub.form {
        Form::Always => true,
        Form::AtMost(most) => scan.operands.len() <= *most,
        Form::First { words, alone } => match first {
            Some(first) if words.contains(&first) => true,
            // A word after an option may be the subcommand that git finds.
            Some(_) => *alone && args.iter().all(|w| w.literal.as_deref().is_some_and(|text| text.starts_with('-'))),
            None => *alone,
        },
        Form::Config => asks_config(&scan, args),
        Form::Listing(patterns) => scan.operands.is_empty() || scan.has(patterns),
    };
    (fits && scan.plain() && !checks_signatures(&scan)).then(|| read_paths(sub, args, &scan))
}

/// Behind the first operand it reads no options: `git config a.b -l` sets a.b.
fn asks_config(scan: &Scan<'_>, args: &[Word]) -> bool {
    const ASKING: &str = "--list -l --get --get-all --get-regexp --get-urlmatch";
    let asks = |flag: &String| ASKING.split(' ').any(|known| known == flag);
    // `git config user.name`, alone, shows it.
    let shows = |text: &str| text.contains('.') && !text.contains('=');
    let one = matches!(scan.operands.as_slice(), [one] if one.literal.as_deref().is_some_and(shows));
    let first = args.first().and_then(|word| word.literal.as_deref());
    let subcommand = matches!(first, Some("get" | "list"));
    let operands = scan.operands.iter().skip(usize::from(subcommand));
    let behind = args.iter().rev().take(operands.clone().count()).collect::<Vec<_>>();
    let last = operands.rev().zip(&behind).all(|(operand, word)| std::ptr::eq(*operand, *word));
    last && (subcommand || scan.flags.iter().any(asks) || one)
}

/// A format with signatures in it runs gpg.
fn checks_signatures(scan: &Scan<'_>) -> bool {
    let runs = |text: &str| text.contains("%G") || text.contains("%(signature");
    let formats = |flag: &str| matches!(flag, "--format" | "--pretty");
    scan.values.iter().any(|(flag, value)| value.literal.as_deref().map_or(formats(flag), runs))
}

/// Operands may be paths, or `revision:path`; a revision taken for a path does no harm.
fn read_paths(sub: &Sub, args: &[Word], scan: &Scan<'_>) -> Vec<PathWord> {
    let mut paths: Vec<PathWord> = scan.files.iter().map(|w| w.path.clone()).collect();
    let prints = (sub.prints && !is_quiet(sub, scan)) || (sub.name == "status" && scan.has("-v --verbose"));
    let mut magic = false;
    for word in &scan.operands {
        // `:(top)x` and its like lead out of the working folder, and so may what is not spelled out.
        magic |= word.literal.as_deref().map_or(word.path == PathWord::Unknown, |text| text.starts_with(':'));
        match word.literal.as_deref() {
            Some(text) => paths.push(match text.split_once(':') {
                Some((_, path)) if !path.is_empty() => Word::of_literal(path).path,
                Some(_) | None => word.path.clone(),
            }),
            // These take paths outside the repository as well; the others find only what is in it.
            None if matches!(sub.name, "diff" | "grep" | "blame") => paths.push(word.path.clone()),
            None => {}
        }
    }
    if prints {
        // A path may be a folder: what a rule keeps closed may be among it.
        paths = super::judge::below(paths, false);
        let here = matches!(sub.name, "grep" | "blame") || is_limited(args);
        // These begin in the working folder; the others print from the top of the repository on.
        paths.push(if here && !magic { PathWord::Below(".".into()) } else { PathWord::Repository });
    }
    paths
}

/// `-- path …`: only what is there.
fn is_limited(args: &[Word]) -> bool {
    let at = args.iter().position(|word| word.is("--"));
    at.and_then(|at| args.get(at + 1..)).is_some_and(|paths| !paths.is_empty())
}

/// Commits, names and numbers only, nothing of what is in files.
fn is_quiet(sub: &Sub, scan: &Scan<'_>) -> bool {
    const NAMES: &str =
        "--stat --shortstat --numstat --name-only --name-status --summary --dirstat --raw --no-patch -s --quiet";
    const PATCHES: &str = "-p -u -U -c -m -L -S -G -W --patch --unified --patch-with-raw --patch-with-stat --cc --word-diff \
        --word-diff-regex --color-words --function-context --diff-merges --binary --pickaxe-all --inter-hunk-context -D --check \
        --irreversible-delete";
    let any = |list: &str| scan.flags.iter().any(|flag| list.split_whitespace().any(|known| known == flag));
    let lists = sub.name == "log" || (sub.name == "stash" && scan.operands.first().is_some_and(|word| word.is("list")));
    let differs = matches!(sub.name, "diff" | "diff-tree" | "diff-index" | "diff-files" | "show" | "stash");
    // `revision:path` is a file, which is shown whatever the options say.
    let blob = |word: &&Word| word.literal.as_deref().is_none_or(|text| text.contains(':'));
    !any(PATCHES) && (lists || (differs && any(NAMES) && !scan.operands.iter().any(blob)))
}
