//! Commands that run other commands: taken off, so that what they run is judged (PR-5).

use super::Verdict;
use super::args;
use super::judge::{Assign, Inner, Judged};
use super::walk::steers;
use super::word::{self, Word};

/// `env`: assignments and options, then a command; alone it prints the environment.
pub(super) fn env(args: &[Word]) -> Judged {
    let mut assigns = Vec::new();
    let mut rest = args;
    while let Some((first, after)) = rest.split_first() {
        let Some(text) = first.literal.as_deref() else { return Judged::unknown() };
        let take = match text {
            "-i" | "-" | "--ignore-environment" => {
                assigns.push(taken(text));
                1
            }
            "-0" | "-v" | "--null" | "--debug" | "--" => 1,
            "-u" | "--unset" => match rest.get(1).and_then(|name| name.literal.as_deref()) {
                Some(name) => {
                    assigns.extend(steers(name).then(|| taken(&format!("-u {name}"))));
                    2
                }
                None => return Judged::unknown(),
            },
            _ if text.starts_with("--unset=") => {
                assigns.extend(steers(&text["--unset=".len()..]).then(|| taken(text)));
                1
            }
            // -S splits a string into words, -C changes the folder: not worth following.
            _ if text.starts_with('-') => return Judged::unknown(),
            _ => match text.split_once('=') {
                Some((name, _)) => {
                    assigns.push(Assign { name: name.to_string(), text: first.text.clone() });
                    rest = after;
                    continue;
                }
                None => return Judged::runs(rest.to_vec(), assigns),
            },
        };
        rest = rest.get(take..).unwrap_or_default();
    }
    Judged::read_only()
}

/// Variables that were taken away count as much as those that were set: ours keep git from repositories of plain files.
fn taken(option: &str) -> Assign {
    Assign { name: String::new(), text: format!("env {option}") }
}

/// Wrappers of the form `name [options] [n operands] command …`.
fn plain(args: &[Word], flags: &str, valued: &str, operands: usize) -> Judged {
    let (flags, valued): (Vec<&str>, Vec<&str>) =
        (flags.split_whitespace().collect(), valued.split_whitespace().collect());
    let mut at = 0;
    while let Some(text) = args.get(at).and_then(|w| w.literal.as_deref()).filter(|t| t.starts_with('-')) {
        at += match text {
            "--" => {
                at += 1;
                break;
            }
            _ if flags.contains(&text) => 1,
            _ if valued.contains(&text) => 2,
            _ if valued.iter().any(|v| attached(text, v)) => 1,
            _ => return Judged::unknown(),
        };
    }
    // An expansion among the options could split into words and name the command itself.
    if args.iter().take(at + operands).any(|word| word.literal.is_none()) {
        return Judged::unknown();
    }
    match args.get(at + operands..) {
        Some(command) if !command.is_empty() => Judged::runs(command.to_vec(), vec![]),
        Some(_) | None => Judged::unknown(),
    }
}

/// `-n5` or `--signal=KILL`.
fn attached(text: &str, flag: &str) -> bool {
    match flag.starts_with("--") {
        true => text.strip_prefix(flag).is_some_and(|rest| rest.starts_with('=')),
        false => text.starts_with(flag) && text.len() > flag.len(),
    }
}

pub(super) fn timeout(args: &[Word]) -> Judged {
    plain(args, "--foreground --preserve-status -v --verbose", "-k -s --kill-after --signal", 1)
}
pub(super) fn nice(args: &[Word]) -> Judged {
    match args.first().and_then(|w| w.literal.as_deref()) {
        Some(text) if text.len() > 1 && text[1..].bytes().all(|b| b.is_ascii_digit()) && text.starts_with('-') => {
            plain(&args[1..], "", "", 0)
        }
        Some(_) | None => plain(args, "", "-n --adjustment", 0),
    }
}
pub(super) fn bare(args: &[Word]) -> Judged {
    plain(args, "", "", 0)
}
pub(super) fn stdbuf(args: &[Word]) -> Judged {
    plain(args, "", "-i -o -e --input --output --error", 0)
}
pub(super) fn setsid(args: &[Word]) -> Judged {
    plain(args, "-w --wait", "", 0)
}

/// `exec cmd` replaces the shell; alone it only redirects.
pub(super) fn exec(args: &[Word]) -> Judged {
    if args.is_empty() { Judged::read_only() } else { plain(args, "", "", 0) }
}

/// `command -v x` looks x up; `command x` runs it.
pub(super) fn command(args: &[Word]) -> Judged {
    match args.first().and_then(|w| w.literal.as_deref()) {
        Some("-v" | "-V" | "-pv" | "-pV") => Judged::read_only(),
        Some(_) | None => plain(args, "-p", "", 0),
    }
}

/// Runs as somebody else: that is a change by itself, and what it runs is shown as well.
pub(super) fn sudo(args: &[Word]) -> Judged {
    let inner = plain(args, "-n -E -H -i -s -k -b -S", "-u -g -h -p -C -D", 0).inner;
    Judged { inner, ..Judged::writes("runs a command as another user") }
}

pub(super) fn xargs(args: &[Word]) -> Judged {
    const FLAGS: &[&str] =
        &["-0", "--null", "-r", "--no-run-if-empty", "-t", "--verbose", "-x", "--exit", "-0r", "-r0"];
    const VALUED: &[&str] =
        &["-n", "-P", "-L", "-d", "-s", "-E", "--max-args", "--max-procs", "--delimiter", "--max-lines"];
    let mut replace: Option<String> = None;
    let mut at = 0;
    while let Some(text) = args.get(at).and_then(|w| w.literal.as_deref()).filter(|t| t.starts_with('-')) {
        at += match text {
            _ if FLAGS.contains(&text) => 1,
            _ if VALUED.contains(&text) => 2,
            "-I" => {
                replace = args.get(at + 1).and_then(|w| w.literal.clone());
                if replace.is_none() {
                    return Judged::unknown();
                }
                2
            }
            _ if text.starts_with("-I") => {
                replace = Some(text[2..].to_string());
                1
            }
            _ if VALUED.iter().any(|v| attached(text, v)) => 1,
            _ => return Judged::unknown(),
        };
    }
    if args.iter().take(at).any(|word| word.literal.is_none()) {
        return Judged::unknown();
    }
    let Some(command) = args.get(at..).filter(|rest| !rest.is_empty()) else { return Judged::read_only() };
    let words = match replace {
        Some(mark) => fill(command, &mark),
        None => command.iter().cloned().chain([Word::open("…")]).collect(),
    };
    Judged::runs(words, vec![])
}

/// The words with every one that holds `mark` made unknown.
pub(super) fn fill(words: &[Word], mark: &str) -> Vec<Word> {
    let holds = |word: &Word| word.literal.as_deref().is_none_or(|text| text.contains(mark));
    words.iter().map(|word| if holds(word) { Word::open(&word.text) } else { word.clone() }).collect()
}

/// `sh -c 'script' [args]`. A script file, or no literal script, is unknown.
pub(super) fn shell(args: &[Word]) -> Judged {
    let mut at = 0;
    let mut given = false;
    while let Some(text) = args.get(at).and_then(|w| w.literal.as_deref()).filter(|t| t.starts_with(['-', '+'])) {
        let letters = &text[1..];
        if letters.is_empty() || !letters.bytes().all(|b| b"celuxo".contains(&b)) {
            return version(args);
        }
        given |= letters.contains('c');
        at += 1 + usize::from(letters.contains('o'));
        if letters.contains('o') && args.get(at - 1).is_none_or(|option| !option.is("pipefail")) {
            return Judged::unknown();
        }
    }
    match args.get(at).and_then(|w| w.literal.clone()) {
        Some(script) if given => Judged { own: false, inner: vec![Inner::Script(script)], ..Judged::read_only() },
        Some(_) | None => Judged::unknown(),
    }
}

/// `sh` may be a shell that reads some of bash's words otherwise: `((x))` runs x there.
pub(super) fn posix_shell(args: &[Word]) -> Judged {
    const BASH_ONLY: &[&str] = &[
        "((", "[[", "&>", ">&", "<&", "<(", ">(", "$'", "$\"", "|&", "<<<", "$[", ";&", "+=", "=(", "{", "function",
        "coproc", "select", "time", "declare", "local", "typeset", "source", "@(", "!(",
    ];
    let plain = |text: &str| !BASH_ONLY.iter().any(|word| text.replace("2>&1", "").replace(">&2", "").contains(word));
    let judged = shell(args);
    let fine = judged.inner.iter().all(|inner| match inner {
        Inner::Script(script) => plain(script),
        Inner::Command { .. } | Inner::Later(_) => false,
    });
    if fine { judged } else { Judged::unknown() }
}

/// Only `--version` and the like: everything else could run a program.
pub(super) fn version(args: &[Word]) -> Judged {
    match args {
        [one] => Judged::read_only_if(one.is("--version") || one.is("-V")),
        _ => Judged::unknown(),
    }
}

/// `eval` joins its words and runs them.
pub(super) fn eval(args: &[Word]) -> Judged {
    let words: Option<Vec<String>> = args.iter().map(|w| w.literal.clone()).collect();
    match words {
        Some(words) => Judged { own: false, inner: vec![Inner::Script(words.join(" "))], ..Judged::read_only() },
        None => Judged::unknown(),
    }
}

/// `trap 'script' SIGNAL …` runs the script later.
pub(super) fn trap(args: &[Word]) -> Judged {
    match args.split_first() {
        None => Judged::read_only(),
        Some((first, _)) => match first.literal.as_deref() {
            Some("-" | "" | "-p" | "-l") => Judged::read_only(),
            Some(script) if !script.starts_with('-') => {
                Judged { inner: vec![Inner::Later(script.to_string())], ..Judged::read_only() }
            }
            Some(_) | None => Judged::unknown(),
        },
    }
}

/// `read` changes variables of this shell: fine for plain names that steer nothing.
pub(super) fn read(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-a= -p= -t= -n= -N= -d= -u= -rs");
    let arrays = scan.values_of("-a");
    Judged::read_only_if(scan.plain() && scan.operands.iter().chain(&arrays).all(|word| is_own_name(word)))
}

pub(super) fn unset(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-v");
    Judged::read_only_if(scan.plain() && scan.operands.iter().all(|word| is_own_name(word)))
}

fn is_own_name(word: &Word) -> bool {
    word.literal.as_deref().is_some_and(|name| word::is_name(name) && !steers(name))
}

/// `set -euo pipefail` and the like.
pub(super) fn set(args: &[Word]) -> Judged {
    let fine = |word: &Word| {
        word.literal.as_deref().is_some_and(|text| match text {
            "pipefail" | "errexit" | "nounset" | "xtrace" | "noglob" => true,
            _ => text.len() > 1 && text.starts_with(['-', '+']) && text[1..].bytes().all(|b| b"euxof".contains(&b)),
        })
    };
    Judged::new(if args.iter().all(fine) { Verdict::ReadOnly } else { Verdict::Unknown })
}
