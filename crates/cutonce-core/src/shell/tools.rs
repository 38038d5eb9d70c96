//! Commands that need more than a list of flags to be judged.

use super::args;
use super::judge::{Inner, Judged};
use super::word::{self, Word};
use super::wrappers;
use super::{PathWord, Verdict};

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

/// find: `-exec` is judged by what it runs; `-delete` and `-fprint` write.
pub(super) fn find(args: &[Word]) -> Judged {
    let is_path =
        |word: &&Word| !word.may_be_flag && !word.literal.as_deref().is_some_and(|t| t.starts_with(['(', '!']));
    let options = args.iter().take_while(|w| w.is("-L") || w.is("-H") || w.is("-P")).count();
    let paths: Vec<&Word> = args[options..].iter().take_while(is_path).collect();
    let mut at = options + paths.len();
    let mut judged = Judged::read_only().reading(paths.iter().map(|w| w.path.clone()).collect());
    while let Some(word) = args.get(at) {
        let Some(text) = word.literal.as_deref() else { return Judged::unknown() };
        at += 1;
        match text {
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = &args[at..];
                let Some(end) = rest.iter().position(|w| w.is(";") || w.is("+")) else { return Judged::unknown() };
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
    let scan = args::scan(args, "-f -s -w --skip-fields --skip-chars --check-chars");
    match scan.operands.as_slice() {
        _ if scan.hidden => Judged::unknown(),
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

/// One input and no way back.
pub(super) fn xxd(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-c -g -l -s -n -o -cols -len -seek");
    match scan.operands.as_slice() {
        _ if scan.hidden || scan.has("-r") => Judged::unknown(),
        [] => Judged::read_only(),
        [one] if one.literal.is_some() => Judged::read_only().reading(vec![one.path.clone()]),
        _ => Judged::unknown(),
    }
}

/// date shows; `-s` or a bare number sets the clock.
pub(super) fn date(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-d --date -r --reference -f --file");
    let format = |word: &&Word| word.text.trim_start_matches(['\'', '"']).starts_with('+');
    let reads = scan.values_of("-r --reference -f --file").into_iter().map(|w| w.path.clone()).collect();
    Judged::read_only_if(!scan.hidden && !scan.has("-s --set") && scan.operands.iter().all(format)).reading(reads)
}

/// With an operand it sets the name.
pub(super) fn hostname(args: &[Word]) -> Judged {
    let scan = args::scan(args, "");
    Judged::read_only_if(scan.operands.is_empty() && scan.only("-f -s -i -I -d -A --fqdn --short"))
}

/// `-v` assigns a variable, whose name may hold a subscript that is evaluated.
pub(super) fn printf(args: &[Word]) -> Judged {
    let first = args.first();
    let assigns = first.is_some_and(|w| match w.literal.as_deref() {
        Some(text) => text.starts_with("-v"),
        None => w.may_be_flag,
    });
    Judged::read_only_if(!assigns)
}

/// `-v name` looks at a variable; with a subscript that is an evaluation.
pub(super) fn test(args: &[Word]) -> Judged {
    let looks = |pair: &[Word]| {
        (pair[0].is("-v") || pair[0].is("-R")) && !pair[1].literal.as_deref().is_some_and(word::is_name)
    };
    Judged::read_only_if(!args.windows(2).any(looks))
}

/// Only listings: everything else writes, and archives can name programs to run.
pub(super) fn tar(args: &[Word]) -> Judged {
    let Some(words) = args.iter().map(|w| w.literal.as_deref()).collect::<Option<Vec<&str>>>() else {
        return Judged::unknown();
    };
    let Some((first, rest)) = words.split_first() else { return Judged::unknown() };
    let letters = first.trim_start_matches('-');
    let fine = |letters: &str| letters.bytes().all(|b| b"tvfzjJa".contains(&b));
    let lists = letters.contains('t') && fine(letters) && !first.starts_with("--");
    let plain = |word: &str| !word.starts_with('-') && !word.contains(':');
    match lists && letters.ends_with('f') && !rest.is_empty() && rest.iter().all(|w| plain(w)) {
        true => Judged::read_only().reading(vec![args[1].path.clone()]),
        false => Judged::unknown(),
    }
}

/// `-l`, `-v`, `-Z` list, `-p` and `-c` print.
pub(super) fn unzip(args: &[Word]) -> Judged {
    let lists = args.first().is_some_and(|w| ["-l", "-v", "-Z", "-Z1", "-p", "-c", "-t"].iter().any(|flag| w.is(flag)));
    let files: Vec<&Word> = args.iter().skip(1).collect();
    let plain = files.iter().all(|w| w.literal.as_deref().is_some_and(|t| !t.starts_with('-')));
    Judged::read_only_if(lists && plain).reading(files.iter().take(1).map(|w| w.path.clone()).collect())
}

/// Of gzip and its like; not zstd's `-o` and `--trace`, which write files.
const PRINTING: &str = "-l -c -t -d -k -f -q -v -S -1 -2 -3 -4 -5 -6 -7 -8 -9 -T --list --stdout --to-stdout --test \
    --decompress --uncompress --keep --quiet --verbose --suffix --fast --best --ultra --robot";

/// What always prints: like gzip with `-c`.
pub(super) fn zcat(args: &[Word]) -> Judged {
    let scan = args::scan(args, "");
    let reads = scan.operands.iter().map(|w| w.path.clone()).collect();
    Judged::read_only_if(scan.only(PRINTING)).reading(reads)
}

/// `-l` lists, `-c` prints to standard output, `-t` tests; else the file is replaced.
pub(super) fn gzip(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-S --suffix");
    let prints = scan.has("-l -c -t --list --stdout --to-stdout --test") && scan.only(PRINTING);
    let reads = scan.operands.iter().map(|w| w.path.clone()).collect();
    if prints { Judged::read_only().reading(reads) } else { Judged::writes("replaces files by packed ones") }
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

/// `go version`, `go env`; `go env -w` writes.
pub(super) fn go(args: &[Word]) -> Judged {
    match args {
        [one] => Judged::read_only_if(one.is("version") || one.is("env")),
        _ => Judged::unknown(),
    }
}

/// Recursive diffs read whole folders.
pub(super) fn diff(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-U -C -I -x -X -W -F -L --label --exclude-from --from-file --to-file");
    let paths: Vec<PathWord> = scan.operands.iter().filter(|w| !w.is("-")).map(|w| w.path.clone()).collect();
    let mut reads = if scan.has("-r --recursive") { super::judge::below(paths, false) } else { paths };
    reads.extend(scan.values_of("-X --exclude-from --from-file --to-file").into_iter().map(|w| w.path.clone()));
    // No option of diff writes, so an expansion changes nothing but what is read.
    Judged::read_only().reading(reads)
}
