//! Commands that need more than a list of options to be judged.

use super::args;
use super::file_commands;
use super::wrappers;
use super::{CommandJudgement, InnerCommand};
use crate::shell::parse::word::{self, ShellWord};
use crate::shell::{CommandVerdict, PathWord};

/// Tests and actions of find that change nothing, with their number of arguments.
const FIND_TESTS: &[(&str, usize)] = &[
    ("-name", 1),
    ("-iname", 1),
    ("-path", 1),
    ("-ipath", 1),
    ("-wholename", 1),
    ("-iwholename", 1),
    ("-regex", 1),
    ("-iregex", 1),
    ("-regextype", 1),
    ("-lname", 1),
    ("-ilname", 1),
    ("-type", 1),
    ("-xtype", 1),
    ("-maxdepth", 1),
    ("-mindepth", 1),
    ("-size", 1),
    ("-mtime", 1),
    ("-mmin", 1),
    ("-atime", 1),
    ("-amin", 1),
    ("-ctime", 1),
    ("-cmin", 1),
    ("-newer", 1),
    ("-anewer", 1),
    ("-cnewer", 1),
    ("-newermt", 1),
    ("-newerct", 1),
    ("-user", 1),
    ("-group", 1),
    ("-uid", 1),
    ("-gid", 1),
    ("-perm", 1),
    ("-links", 1),
    ("-inum", 1),
    ("-samefile", 1),
    ("-fstype", 1),
    ("-used", 1),
    ("-printf", 1),
    ("-print", 0),
    ("-print0", 0),
    ("-ls", 0),
    ("-prune", 0),
    ("-quit", 0),
    ("-empty", 0),
    ("-not", 0),
    ("-a", 0),
    ("-o", 0),
    ("-and", 0),
    ("-or", 0),
    ("-depth", 0),
    ("-d", 0),
    ("-xdev", 0),
    ("-mount", 0),
    ("-follow", 0),
    ("-readable", 0),
    ("-writable", 0),
    ("-executable", 0),
    ("-true", 0),
    ("-false", 0),
    ("-daystart", 0),
    ("-noleaf", 0),
    ("-warn", 0),
    ("-nowarn", 0),
    ("-nouser", 0),
    ("-nogroup", 0),
    ("(", 0),
    (")", 0),
    ("!", 0),
    (",", 0),
];

/// find: `-exec` is judged by the command it runs; `-delete` and `-fprint` write. `-execdir` runs in unknown folders.
pub(in crate::shell) fn find(args: &[ShellWord]) -> CommandJudgement {
    let is_path =
        |word: &&ShellWord| !word.may_be_flag && !word.literal.as_deref().is_some_and(|t| t.starts_with(['(', '!']));
    let options = args.iter().take_while(|w| w.is("-L") || w.is("-H") || w.is("-P")).count();
    let paths: Vec<&ShellWord> = args[options..].iter().take_while(is_path).collect();
    let mut at = options + paths.len();
    let mut judged = CommandJudgement::read_only().with_reads(paths.iter().map(|w| w.path.clone()).collect());
    if args.iter().any(|w| w.is("-L") || w.is("-H") || w.is("-follow")) {
        judged.reads.push(PathWord::Unknown);
    }
    while let Some(word) = args.get(at) {
        let Some(text) = word.literal.as_deref() else { return CommandJudgement::unknown() };
        at += 1;
        match text {
            "-exec" | "-ok" => {
                let rest = &args[at..];
                let ends = |(i, w): (usize, &ShellWord)| w.is(";") || (w.is("+") && i > 0 && rest[i - 1].is("{}"));
                let Some(end) = rest.iter().enumerate().position(ends) else { return CommandJudgement::unknown() };
                let words = wrappers::replace_placeholder(&rest[..end], "{}");
                judged.inner.push(InnerCommand::Command { words, assigns: vec![] });
                at += end + 1;
            }
            "-delete" => judged.verdict = CommandVerdict::Writes("deletes what it finds".into()),
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                return CommandJudgement::known_writer("writes a list to a file");
            }
            _ => match FIND_TESTS.iter().find(|(name, _)| *name == text) {
                Some((_, arity)) if args.iter().skip(at).take(*arity).all(|w| w.literal.is_some()) => at += arity,
                Some(_) | None => return CommandJudgement::unknown(),
            },
        }
    }
    judged
}

/// `uniq in out` writes its second operand.
pub(in crate::shell) fn uniq(args: &[ShellWord]) -> CommandJudgement {
    let options = "-# -f= -s= -w= -cdDiuz --skip-fields= --skip-chars= --check-chars= --count --repeated --all-repeated? \
        --group? --ignore-case --unique --zero-terminated";
    let scan = args::scan_args(args, options);
    match scan.operands.as_slice() {
        // Some versions read options only before operands: `uniq in -c` writes `-c`.
        _ if !scan.is_plain() || !scan.files.is_empty() => CommandJudgement::unknown(),
        [] => CommandJudgement::read_only(),
        [input] if input.literal.is_some() => CommandJudgement::read_only().with_reads(vec![input.path.clone()]),
        [input, output] if input.literal.is_some() => CommandJudgement {
            writes: vec![output.path.clone()],
            reads: vec![input.path.clone()],
            ..CommandJudgement::new(CommandVerdict::FileCommand)
        },
        _ => CommandJudgement::unknown(),
    }
}

/// xxd with one input and without `-r`. Options can't be combined (`-ps` is not `-p -s`) and precede the input; a
/// second operand is the output file.
pub(in crate::shell) fn xxd(args: &[ShellWord]) -> CommandJudgement {
    const FLAGS: &[&str] = &["-a", "-b", "-C", "-d", "-e", "-E", "-i", "-p", "-ps", "-plain", "-postscript", "-u"];
    const VALUED: &[&str] = &["-c", "-cols", "-g", "-groupsize", "-l", "-len", "-n", "-name", "-o", "-s", "-seek"];
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'x');
    let attached = |text: &str| VALUED.iter().any(|v| v.len() == 2 && text.strip_prefix(v).is_some_and(number));
    let mut operands = Vec::new();
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        match word.literal.as_deref() {
            _ if !operands.is_empty() => return CommandJudgement::unknown(),
            Some(text) if FLAGS.contains(&text) || attached(text) => {}
            Some(text) if VALUED.contains(&text) && rest.next().is_none_or(|value| value.literal.is_some()) => {}
            Some(text) if !text.starts_with('-') || text == "-" => operands.push(word.path.clone()),
            Some(_) | None => return CommandJudgement::unknown(),
        }
    }
    CommandJudgement::read_only().with_reads(operands)
}

/// date prints the time; `-s` or a bare number sets the clock.
pub(in crate::shell) fn date(args: &[ShellWord]) -> CommandJudgement {
    let scan = args::scan_args(
        args,
        "-d= -r@ -I? -uR --date= --reference@ --iso-8601? --rfc-3339= --rfc-email --utc --universal",
    );
    let format = |word: &&ShellWord| word.is_single && word.text.trim_start_matches(['\'', '"']).starts_with('+');
    let reads = scan.files.iter().map(|w| w.path.clone()).collect();
    CommandJudgement::read_only_if(scan.is_plain() && scan.operands.iter().all(format)).with_reads(reads)
}

/// hostname with an operand sets the name.
pub(in crate::shell) fn hostname(args: &[ShellWord]) -> CommandJudgement {
    let scan = args::scan_args(args, "-fsiIdA --fqdn --short");
    CommandJudgement::read_only_if(scan.operands.is_empty() && scan.is_plain())
}

/// Commands that are harmless only without arguments.
pub(in crate::shell) fn without_arguments(args: &[ShellWord]) -> CommandJudgement {
    CommandJudgement::read_only_if(args.is_empty())
}

/// `ps aux` and `ps -ef`. `e` among BSD letters prints environment variables. ps reads invalid dash options as BSD
/// letters, even `-e`, so at most one option may choose the format.
pub(in crate::shell) fn ps(args: &[ShellWord]) -> CommandJudgement {
    let Some(words) = args.iter().map(|w| w.literal.as_deref()).collect::<Option<Vec<&str>>>() else {
        return CommandJudgement::unknown();
    };
    let bsd = |word: &str| !word.is_empty() && word.bytes().all(|b| b"auxfwrlj".contains(&b));
    let looks = |word: &str| {
        word.strip_prefix("--sort=")
            .is_some_and(|key| key.bytes().all(|b| b.is_ascii_lowercase() || b"-+%,_".contains(&b)))
            || matches!(word, "--no-headers" | "--forest")
    };
    let mut rest = words.iter().filter(|word| !looks(word));
    if words.iter().filter(|word| !looks(word)).all(|word| bsd(word.strip_prefix('-').unwrap_or(word))) {
        // `-u` takes a name, `-aux` is read as letters; both without `e`.
        return CommandJudgement::read_only();
    }
    let mut formats = 0;
    while let Some(word) = rest.next() {
        let fine = match *word {
            "-e" | "-A" | "-a" => true,
            "-ef" | "-eF" | "-Af" | "-AF" | "-f" | "-F" | "-el" | "-l" => {
                formats += 1;
                true
            }
            "-o" | "-eo" | "-Ao" => {
                formats += 1;
                let plain = |b: u8| b.is_ascii_lowercase() || b"%,=_".contains(&b);
                rest.next().is_some_and(|list| list.bytes().all(plain) && !list.contains("env"))
            }
            "-p" => {
                rest.next().is_some_and(|list| list.len() < 60 && list.bytes().all(|b| b.is_ascii_digit() || b == b','))
            }
            _ => false,
        };
        if !fine {
            return CommandJudgement::unknown();
        }
    }
    CommandJudgement::read_only_if(formats < 2)
}

/// printf: `-v` and `%n` assign a variable, which may be PATH or have a subscript that bash evaluates.
pub(in crate::shell) fn printf(args: &[ShellWord]) -> CommandJudgement {
    let rest = if args.first().is_some_and(|w| w.is("--")) { &args[1..] } else { args };
    let Some((format, values)) = rest.split_first() else { return CommandJudgement::read_only() };
    let fine = match format.literal.as_deref() {
        Some(text) => (args.len() > rest.len() || !text.starts_with('-')) && !format_assigns_variable(text),
        None => format.is_single && !format.may_be_flag && values.is_empty(),
    };
    CommandJudgement::read_only_if(fine)
}

/// True if the format contains `%n`.
fn format_assigns_variable(format: &str) -> bool {
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c == '%' && chars.by_ref().find(|c| !"-+ #0'*.123456789hjlqtzL".contains(*c)) == Some('n') {
            return true;
        }
    }
    false
}

/// test: `-v name` evaluates a subscript in the name. An expansion may be `-v`, and an unquoted one may be several
/// words.
pub(in crate::shell) fn test(args: &[ShellWord]) -> CommandJudgement {
    let looks = |word: &ShellWord| word.literal.is_none() || word.is("-v") || word.is("-R");
    let evaluates =
        |word: &ShellWord| word.literal.as_deref().is_none_or(|text| !word::is_name(text) && text.contains('['));
    let runs = |pair: &[ShellWord]| looks(&pair[0]) && evaluates(&pair[1]);
    let split =
        |word: &ShellWord| word.literal.is_none() && !word.is_single && !matches!(word.path, PathWord::Exact(_));
    CommandJudgement::read_only_if(!args.iter().any(split) && !args.windows(2).any(runs))
}

/// tar: only listings. Everything else writes, and options can name programs to run.
pub(in crate::shell) fn tar(args: &[ShellWord]) -> CommandJudgement {
    let Some(words) = args.iter().map(|w| w.literal.as_deref()).collect::<Option<Vec<&str>>>() else {
        return CommandJudgement::unknown();
    };
    let Some((first, rest)) = words.split_first() else { return CommandJudgement::unknown() };
    let letters = first.trim_start_matches('-');
    let fine = |letters: &str| letters.bytes().all(|b| b"tvfzjJa".contains(&b)) && letters.matches('f').count() == 1;
    let lists = letters.contains('t') && fine(letters) && !first.starts_with("--");
    let plain = |word: &str| !word.starts_with('-') && !word.contains(':');
    match lists && letters.ends_with('f') && !rest.is_empty() && rest.iter().all(|w| plain(w)) {
        true => CommandJudgement::read_only().with_reads(vec![args[1].path.clone()]),
        false => CommandJudgement::unknown(),
    }
}

/// unzip: `-l`, `-v`, `-Z` list, `-p` and `-c` print.
pub(in crate::shell) fn unzip(args: &[ShellWord]) -> CommandJudgement {
    match args.split_first() {
        Some((first, rest)) if ["-l", "-v", "-Z", "-Z1", "-p", "-c", "-t"].iter().any(|flag| first.is(flag)) => {
            judge_zip_listing(rest)
        }
        Some(_) | None => CommandJudgement::unknown(),
    }
}

pub(in crate::shell) fn zipinfo(args: &[ShellWord]) -> CommandJudgement {
    let lists =
        |text: &str| text.len() > 1 && text.starts_with('-') && text[1..].bytes().all(|b| b"12smlvhtzT".contains(&b));
    let options = args.iter().take_while(|w| w.literal.as_deref().is_some_and(lists)).count();
    judge_zip_listing(&args[options..])
}

/// An archive, then members. The archive's name may be a pattern, or lack its suffix.
fn judge_zip_listing(words: &[ShellWord]) -> CommandJudgement {
    let plain = |word: &ShellWord| word.literal.as_deref().is_some_and(|text| !text.starts_with('-'));
    let Some(archive) = words.first().and_then(|w| w.literal.as_deref()) else {
        return CommandJudgement::read_only_if(words.is_empty());
    };
    let reads = ["", ".zip", ".ZIP"].map(|end| ShellWord::from_literal(&format!("{archive}{end}")).path).to_vec();
    CommandJudgement::read_only_if(words.iter().all(plain) && !archive.contains(['*', '?', '['])).with_reads(reads)
}

/// zcat and similar always print, like gzip with `-c`.
pub(in crate::shell) fn zcat(args: &[ShellWord]) -> CommandJudgement {
    let scan = args::scan_args(args, "-fqv --force --quiet --verbose");
    CommandJudgement::read_only_if(scan.is_plain()).with_reads(gzip_candidates(&scan.operands))
}

/// Files that gzip may open for these names: if the file is missing, it tries compressed suffixes.
fn gzip_candidates(operands: &[&ShellWord]) -> Vec<PathWord> {
    const ENDINGS: [&str; 9] = ["", ".gz", "-gz", ".z", "-z", "_z", ".Z", ".tgz", ".taz"];
    let each = |word: &&ShellWord| match &word.path {
        PathWord::Exact(path) => ENDINGS.map(|end| PathWord::Exact(format!("{path}{end}"))).to_vec(),
        PathWord::Glob(glob) => vec![PathWord::Glob(glob.clone()), PathWord::Glob(format!("{glob}*"))],
        PathWord::Below(_) | PathWord::Repository | PathWord::Pipe | PathWord::Unknown => vec![word.path.clone()],
    };
    operands.iter().filter(|word| !word.is("-")).flat_map(each).collect()
}

/// gzip: `-c` prints, `-l` lists, `-t` tests; otherwise it replaces the file. In xz, bzip2 and zstd the last of
/// `-l`, `-t` and `-d` wins, so they must not be combined.
pub(in crate::shell) fn gzip(args: &[ShellWord]) -> CommandJudgement {
    let prints = args::scan_args(
        args,
        "-cdfkqvz123456789 -T= --stdout --to-stdout --decompress --uncompress --force --keep --quiet --verbose --fast --best",
    );
    let looks = args::scan_args(args, "-ltqv --list --test --quiet --verbose --robot");
    let only = (prints.is_plain()
        && prints.flags.iter().any(|flag| matches!(flag.as_str(), "-c" | "--stdout" | "--to-stdout")))
        || (looks.is_plain()
            && looks.flags.iter().any(|flag| matches!(flag.as_str(), "-l" | "-t" | "--list" | "--test")));
    match only {
        true => CommandJudgement::read_only().with_reads(gzip_candidates(&looks.operands)),
        false => CommandJudgement {
            writes: looks.operands.iter().map(|w| w.path.clone()).collect(),
            ..CommandJudgement::known_writer("replaces files by compressed ones")
        },
    }
}

/// cd changes the folder of later commands; the walk tracks that.
pub(in crate::shell) fn cd(_: &[ShellWord]) -> CommandJudgement {
    CommandJudgement::read_only()
}

/// `node -v` and `--version`.
pub(in crate::shell) fn node(args: &[ShellWord]) -> CommandJudgement {
    match args {
        [one] => CommandJudgement::read_only_if(["--version", "-v"].iter().any(|flag| one.is(flag))),
        _ => CommandJudgement::unknown(),
    }
}

/// diff compares folders file by file and follows links; with `-r` it may read any file.
pub(in crate::shell) fn diff(args: &[ShellWord]) -> CommandJudgement {
    let options = "-# -U= -C= -I= -x= -X@ -W= -F= -L= -D= -abBcdeEiHnNpPqrstTuwyZ --unified? --context? --brief --color? \
        --exclude= --exclude-from@ --from-file@ --to-file@ --label= --width= --ignore-matching-lines= --show-function-line= \
        --expand-tabs --ignore-all-space --ignore-blank-lines --ignore-case --ignore-space-change --ignore-tab-expansion \
        --ignore-trailing-space --left-column --minimal --new-file --no-dereference --normal --recursive --report-identical-files \
        --show-c-function --side-by-side --speed-large-files --strip-trailing-cr --suppress-common-lines --text --tabsize=";
    let scan = args::scan_args(args, options);
    if scan.has_unknown_option {
        return CommandJudgement::unknown();
    }
    let paths: Vec<PathWord> = scan.operands.iter().filter(|w| !w.is("-")).map(|w| w.path.clone()).collect();
    let mut reads: Vec<PathWord> = scan.files.iter().map(|w| w.path.clone()).collect();
    let follows = !scan.has_option("--no-dereference");
    if scan.may_hide_option || (scan.has_option("-r --recursive") && follows) {
        // No option of diff writes, so an expansion can only change what is read.
        reads.push(PathWord::Unknown);
    }
    if let [left, right] = paths.as_slice()
        && *left != PathWord::Pipe
        && *right != PathWord::Pipe
    {
        reads.extend(
            [file_commands::path_in_folder(left, right), file_commands::path_in_folder(right, left)]
                .into_iter()
                .filter(|p| *p != PathWord::Unknown),
        );
    }
    let entries = paths.iter().filter_map(|path| match path {
        PathWord::Exact(folder) if follows => Some(PathWord::Glob(format!("{folder}/*"))),
        PathWord::Exact(_)
        | PathWord::Glob(_)
        | PathWord::Below(_)
        | PathWord::Repository
        | PathWord::Pipe
        | PathWord::Unknown => None,
    });
    reads.extend(entries);
    reads.extend(if scan.has_option("-r --recursive") { super::widen_to_folders(paths, false) } else { paths });
    CommandJudgement::read_only().with_reads(reads)
}
