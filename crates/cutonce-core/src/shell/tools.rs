//! Commands that need more than a list of flags to be judged.

use super::args;
use super::judge::{Inner, Judged};
use super::word::{self, Word};
use super::wrappers;
use super::{PathWord, Verdict, files};

/// Tests and actions of find that change nothing, with how many words follow.
const FIND: &[(&str, usize)] = &[
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

/// find: `-exec` is judged by what it runs; `-delete` and `-fprint` write. `-execdir` runs it in folders nobody knows.
pub(super) fn find(args: &[Word]) -> Judged {
    let is_path =
        |word: &&Word| !word.may_be_flag && !word.literal.as_deref().is_some_and(|t| t.starts_with(['(', '!']));
    let options = args.iter().take_while(|w| w.is("-L") || w.is("-H") || w.is("-P")).count();
    let paths: Vec<&Word> = args[options..].iter().take_while(is_path).collect();
    let mut at = options + paths.len();
    let mut judged = Judged::read_only().reading(paths.iter().map(|w| w.path.clone()).collect());
    if args.iter().any(|w| w.is("-L") || w.is("-H") || w.is("-follow")) {
        judged.reads.push(PathWord::Unknown);
    }
    while let Some(word) = args.get(at) {
        let Some(text) = word.literal.as_deref() else { return Judged::unknown() };
        at += 1;
        match text {
            "-exec" | "-ok" => {
                let rest = &args[at..];
                let ends = |(i, w): (usize, &Word)| w.is(";") || (w.is("+") && i > 0 && rest[i - 1].is("{}"));
                let Some(end) = rest.iter().enumerate().position(ends) else { return Judged::unknown() };
                let words = wrappers::fill(&rest[..end], "{}");
                judged.inner.push(Inner::Command { words, assigns: vec![] });
                at += end + 1;
            }
            "-delete" => judged.verdict = Verdict::Writes("deletes what it finds".into()),
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => return Judged::writes("writes a list to a file"),
            _ => match FIND.iter().find(|(name, _)| *name == text) {
                Some((_, arity)) if args.iter().skip(at).take(*arity).all(|w| w.literal.is_some()) => at += arity,
                Some(_) | None => return Judged::unknown(),
            },
        }
    }
    judged
}

/// `uniq in out` writes its second operand.
pub(super) fn uniq(args: &[Word]) -> Judged {
    let options = "-# -f= -s= -w= -cdDiuz --skip-fields= --skip-chars= --check-chars= --count --repeated --all-repeated? \
        --group? --ignore-case --unique --zero-terminated";
    let scan = args::scan(args, options);
    match scan.operands.as_slice() {
        // Some read options only before the operands: `uniq in -c` writes `-c`.
        _ if !scan.plain() || !scan.files.is_empty() => Judged::unknown(),
        [] => Judged::read_only(),
        [input] if input.literal.is_some() => Judged::read_only().reading(vec![input.path.clone()]),
        [input, output] if input.literal.is_some() => Judged {
            writes: vec![output.path.clone()],
            reads: vec![input.path.clone()],
            ..Judged::new(Verdict::FileCommand)
        },
        _ => Judged::unknown(),
    }
}

/// One input and no way back. Its options are words of their own (`-ps` is not `-p -s`) and stand before the input: a word
/// behind it is the file that is written.
pub(super) fn xxd(args: &[Word]) -> Judged {
    const FLAGS: &[&str] = &["-a", "-b", "-C", "-d", "-e", "-E", "-i", "-p", "-ps", "-plain", "-postscript", "-u"];
    const VALUED: &[&str] = &["-c", "-cols", "-g", "-groupsize", "-l", "-len", "-n", "-name", "-o", "-s", "-seek"];
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'x');
    let attached = |text: &str| VALUED.iter().any(|v| v.len() == 2 && text.strip_prefix(v).is_some_and(number));
    let mut operands = Vec::new();
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        match word.literal.as_deref() {
            _ if !operands.is_empty() => return Judged::unknown(),
            Some(text) if FLAGS.contains(&text) || attached(text) => {}
            Some(text) if VALUED.contains(&text) && rest.next().is_none_or(|value| value.literal.is_some()) => {}
            Some(text) if !text.starts_with('-') || text == "-" => operands.push(word.path.clone()),
            Some(_) | None => return Judged::unknown(),
        }
    }
    Judged::read_only().reading(operands)
}

/// date shows; `-s` or a bare number sets the clock.
pub(super) fn date(args: &[Word]) -> Judged {
    let scan =
        args::scan(args, "-d= -r@ -I? -uR --date= --reference@ --iso-8601? --rfc-3339= --rfc-email --utc --universal");
    let format = |word: &&Word| word.one && word.text.trim_start_matches(['\'', '"']).starts_with('+');
    let reads = scan.files.iter().map(|w| w.path.clone()).collect();
    Judged::read_only_if(scan.plain() && scan.operands.iter().all(format)).reading(reads)
}

/// With an operand it sets the name.
pub(super) fn hostname(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-fsiIdA --fqdn --short");
    Judged::read_only_if(scan.operands.is_empty() && scan.plain())
}

/// Without any argument.
pub(super) fn alone(args: &[Word]) -> Judged {
    Judged::read_only_if(args.is_empty())
}

/// `ps aux` and `ps -ef`. With `e` among BSD letters it shows the environment of processes; and where the letters behind a
/// dash make no sense to it, it reads them as BSD letters, `-e` too: so at most one option may choose the format.
pub(super) fn ps(args: &[Word]) -> Judged {
    let Some(words) = args.iter().map(|w| w.literal.as_deref()).collect::<Option<Vec<&str>>>() else {
        return Judged::unknown();
    };
    let bsd = |word: &str| !word.is_empty() && word.bytes().all(|b| b"auxfwrlj".contains(&b));
    let looks = |word: &str| {
        word.strip_prefix("--sort=")
            .is_some_and(|key| key.bytes().all(|b| b.is_ascii_lowercase() || b"-+%,_".contains(&b)))
            || matches!(word, "--no-headers" | "--forest")
    };
    let mut rest = words.iter().filter(|word| !looks(word));
    if words.iter().filter(|word| !looks(word)).all(|word| bsd(word.strip_prefix('-').unwrap_or(word))) {
        // `-u` takes a name behind it, `-aux` is read as letters: both without `e`.
        return Judged::read_only();
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
                rest.next().is_some_and(|list| list.bytes().all(|b| b.is_ascii_lowercase() || b"%,=_".contains(&b)))
            }
            "-p" => {
                rest.next().is_some_and(|list| list.len() < 60 && list.bytes().all(|b| b.is_ascii_digit() || b == b','))
            }
            _ => false,
        };
        if !fine {
            return Judged::unknown();
        }
    }
    Judged::read_only_if(formats < 2)
}

/// `-v` assigns a variable, whose name may hold a subscript that is evaluated; `%n` assigns one too, and that may be PATH.
pub(super) fn printf(args: &[Word]) -> Judged {
    let rest = if args.first().is_some_and(|w| w.is("--")) { &args[1..] } else { args };
    let Some((format, values)) = rest.split_first() else { return Judged::read_only() };
    let fine = match format.literal.as_deref() {
        Some(text) => (args.len() > rest.len() || !text.starts_with('-')) && !assigns(text),
        None => format.one && !format.may_be_flag && values.is_empty(),
    };
    Judged::read_only_if(fine)
}

/// Has the format a conversion `%n`?
fn assigns(format: &str) -> bool {
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c == '%' && chars.by_ref().find(|c| !"-+ #0'*.123456789hjlqtzL".contains(*c)) == Some('n') {
            return true;
        }
    }
    false
}

/// `-v name` looks at a variable; with a subscript that is an evaluation. A word that is not spelled out may be `-v`, and
/// one without quotes may be several words.
pub(super) fn test(args: &[Word]) -> Judged {
    let looks = |word: &Word| word.literal.is_none() || word.is("-v") || word.is("-R");
    let evaluates = |word: &Word| word.literal.as_deref().is_none_or(|text| !word::is_name(text) && text.contains('['));
    let runs = |pair: &[Word]| looks(&pair[0]) && evaluates(&pair[1]);
    let split = |word: &Word| word.literal.is_none() && !word.one && !matches!(word.path, PathWord::Exact(_));
    Judged::read_only_if(!args.iter().any(split) && !args.windows(2).any(runs))
}

/// Only listings: everything else writes, and archives can name programs to run.
pub(super) fn tar(args: &[Word]) -> Judged {
    let Some(words) = args.iter().map(|w| w.literal.as_deref()).collect::<Option<Vec<&str>>>() else {
        return Judged::unknown();
    };
    let Some((first, rest)) = words.split_first() else { return Judged::unknown() };
    let letters = first.trim_start_matches('-');
    let fine = |letters: &str| letters.bytes().all(|b| b"tvfzjJa".contains(&b)) && letters.matches('f').count() == 1;
    let lists = letters.contains('t') && fine(letters) && !first.starts_with("--");
    let plain = |word: &str| !word.starts_with('-') && !word.contains(':');
    match lists && letters.ends_with('f') && !rest.is_empty() && rest.iter().all(|w| plain(w)) {
        true => Judged::read_only().reading(vec![args[1].path.clone()]),
        false => Judged::unknown(),
    }
}

/// `-l`, `-v`, `-Z` list, `-p` and `-c` print.
pub(super) fn unzip(args: &[Word]) -> Judged {
    match args.split_first() {
        Some((first, rest)) if ["-l", "-v", "-Z", "-Z1", "-p", "-c", "-t"].iter().any(|flag| first.is(flag)) => {
            zipped(rest)
        }
        Some(_) | None => Judged::unknown(),
    }
}

pub(super) fn zipinfo(args: &[Word]) -> Judged {
    let lists =
        |text: &str| text.len() > 1 && text.starts_with('-') && text[1..].bytes().all(|b| b"12smlvhtzT".contains(&b));
    let options = args.iter().take_while(|w| w.literal.as_deref().is_some_and(lists)).count();
    zipped(&args[options..])
}

/// An archive, then members. The archive's name may be a pattern, or go without its ending.
fn zipped(words: &[Word]) -> Judged {
    let plain = |word: &Word| word.literal.as_deref().is_some_and(|text| !text.starts_with('-'));
    let Some(archive) = words.first().and_then(|w| w.literal.as_deref()) else {
        return Judged::read_only_if(words.is_empty());
    };
    let reads = ["", ".zip", ".ZIP"].map(|end| Word::of_literal(&format!("{archive}{end}")).path).to_vec();
    Judged::read_only_if(words.iter().all(plain) && !archive.contains(['*', '?', '['])).reading(reads)
}

/// What always prints: like gzip with `-c`.
pub(super) fn zcat(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-fqv --force --quiet --verbose");
    Judged::read_only_if(scan.plain()).reading(packed(&scan.operands))
}

/// What gzip may open for these names: where there is no such file it tries the endings of packed ones.
fn packed(operands: &[&Word]) -> Vec<PathWord> {
    const ENDINGS: [&str; 9] = ["", ".gz", "-gz", ".z", "-z", "_z", ".Z", ".tgz", ".taz"];
    let each = |word: &&Word| match &word.path {
        PathWord::Exact(path) => ENDINGS.map(|end| PathWord::Exact(format!("{path}{end}"))).to_vec(),
        PathWord::Glob(glob) => vec![PathWord::Glob(glob.clone()), PathWord::Glob(format!("{glob}*"))],
        PathWord::Below(_) | PathWord::Repository | PathWord::Pipe | PathWord::Unknown => vec![word.path.clone()],
    };
    operands.iter().filter(|word| !word.is("-")).flat_map(each).collect()
}

/// `-c` prints to standard output, `-l` lists, `-t` tests; else the file is replaced. In xz, bzip2 and zstd the last of
/// `-l`, `-t` and `-d` counts, so these must not meet.
pub(super) fn gzip(args: &[Word]) -> Judged {
    let prints = args::scan(
        args,
        "-cdfkqvz123456789 -T= --stdout --to-stdout --decompress --uncompress --force --keep --quiet --verbose --fast --best",
    );
    let looks = args::scan(args, "-ltqv --list --test --quiet --verbose --robot");
    let only = (prints.plain()
        && prints.flags.iter().any(|flag| matches!(flag.as_str(), "-c" | "--stdout" | "--to-stdout")))
        || (looks.plain() && looks.flags.iter().any(|flag| matches!(flag.as_str(), "-l" | "-t" | "--list" | "--test")));
    match only {
        true => Judged::read_only().reading(packed(&looks.operands)),
        false => Judged {
            writes: looks.operands.iter().map(|w| w.path.clone()).collect(),
            ..Judged::writes("replaces files by packed ones")
        },
    }
}

/// Changes the folder of the commands after it: the walk follows that.
pub(super) fn cd(_: &[Word]) -> Judged {
    Judged::read_only()
}

/// `node -v` and `--version`.
pub(super) fn node(args: &[Word]) -> Judged {
    match args {
        [one] => Judged::read_only_if(["--version", "-v"].iter().any(|flag| one.is(flag))),
        _ => Judged::unknown(),
    }
}

/// Folders are compared file by file, and links in them followed; with `-r` nobody can say how far.
pub(super) fn diff(args: &[Word]) -> Judged {
    let options = "-# -U= -C= -I= -x= -X@ -W= -F= -L= -D= -abBcdeEiHnNpPqrstTuwyZ --unified? --context? --brief --color? \
        --exclude= --exclude-from@ --from-file@ --to-file@ --label= --width= --ignore-matching-lines= --show-function-line= \
        --expand-tabs --ignore-all-space --ignore-blank-lines --ignore-case --ignore-space-change --ignore-tab-expansion \
        --ignore-trailing-space --left-column --minimal --new-file --no-dereference --normal --recursive --report-identical-files \
        --show-c-function --side-by-side --speed-large-files --strip-trailing-cr --suppress-common-lines --text --tabsize=";
    let scan = args::scan(args, options);
    if scan.odd {
        return Judged::unknown();
    }
    let paths: Vec<PathWord> = scan.operands.iter().filter(|w| !w.is("-")).map(|w| w.path.clone()).collect();
    let mut reads: Vec<PathWord> = scan.files.iter().map(|w| w.path.clone()).collect();
    let follows = !scan.has("--no-dereference");
    if scan.hidden || (scan.has("-r --recursive") && follows) {
        // No option of diff writes, so an expansion changes nothing but what is read.
        reads.push(PathWord::Unknown);
    }
    if let [left, right] = paths.as_slice()
        && *left != PathWord::Pipe
        && *right != PathWord::Pipe
    {
        reads.extend(
            [files::inside(left, right), files::inside(right, left)].into_iter().filter(|p| *p != PathWord::Unknown),
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
    reads.extend(if scan.has("-r --recursive") { super::judge::below(paths, false) } else { paths });
    Judged::read_only().reading(reads)
}
