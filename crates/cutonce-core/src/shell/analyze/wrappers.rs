//! Commands that run other commands. They are removed, so that the inner command is judged (PR-5).

use super::args;
use super::{CommandJudgement, EnvAssignment, InnerCommand};
use crate::shell::CommandVerdict;
use crate::shell::parse::is_steering_variable;
use crate::shell::parse::word::{self, ShellWord};

/// `env`: assignments and options, then a command. Without a command it prints the environment.
pub(in crate::shell) fn env(args: &[ShellWord]) -> CommandJudgement {
    let mut assigns = Vec::new();
    let mut rest = args;
    while let Some((first, after)) = rest.split_first() {
        let Some(text) = first.literal.as_deref() else { return CommandJudgement::unknown() };
        let take = match text {
            "-i" | "-" | "--ignore-environment" => {
                assigns.push(unset_marker(text));
                1
            }
            "-0" | "-v" | "--null" | "--debug" | "--" => 1,
            "-u" | "--unset" => match rest.get(1).and_then(|name| name.literal.as_deref()) {
                Some(name) => {
                    assigns.extend(is_steering_variable(name).then(|| unset_marker(&format!("-u {name}"))));
                    2
                }
                None => return CommandJudgement::unknown(),
            },
            _ if text.starts_with("--unset=") => {
                assigns.extend(is_steering_variable(&text["--unset=".len()..]).then(|| unset_marker(text)));
                1
            }
            // -S splits a string into words, -C changes the folder; both are unsupported.
            _ if text.starts_with('-') => return CommandJudgement::unknown(),
            _ => match text.split_once('=') {
                Some((name, _)) => {
                    assigns.push(EnvAssignment { name: name.to_string(), text: first.text.clone() });
                    rest = after;
                    continue;
                }
                None => return CommandJudgement::from_wrapper(rest.to_vec(), assigns),
            },
        };
        rest = rest.get(take..).unwrap_or_default();
    }
    CommandJudgement::read_only()
}

/// Records a removed variable like one that was set. Our own variables stop git from using unexpected repositories.
fn unset_marker(option: &str) -> EnvAssignment {
    EnvAssignment { name: String::new(), text: format!("env {option}") }
}

/// Wrappers of the form `name [options] [n operands] command …`.
fn simple_wrapper(args: &[ShellWord], flags: &str, valued: &str, operands: usize) -> CommandJudgement {
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
            _ if valued.iter().any(|v| has_attached_value(text, v)) => 1,
            _ => return CommandJudgement::unknown(),
        };
    }
    // An expansion among the options could split into words and become the command.
    if args.iter().take(at + operands).any(|word| word.literal.is_none()) {
        return CommandJudgement::unknown();
    }
    match args.get(at + operands..) {
        Some(command) if !command.is_empty() => CommandJudgement::from_wrapper(command.to_vec(), vec![]),
        Some(_) | None => CommandJudgement::unknown(),
    }
}

/// True for an attached value: `-n5` or `--signal=KILL`.
fn has_attached_value(text: &str, flag: &str) -> bool {
    match flag.starts_with("--") {
        true => text.strip_prefix(flag).is_some_and(|rest| rest.starts_with('=')),
        false => text.starts_with(flag) && text.len() > flag.len(),
    }
}

pub(in crate::shell) fn timeout(args: &[ShellWord]) -> CommandJudgement {
    simple_wrapper(args, "--foreground --preserve-status -v --verbose", "-k -s --kill-after --signal", 1)
}
pub(in crate::shell) fn nice(args: &[ShellWord]) -> CommandJudgement {
    match args.first().and_then(|w| w.literal.as_deref()) {
        Some(text) if text.len() > 1 && text[1..].bytes().all(|b| b.is_ascii_digit()) && text.starts_with('-') => {
            simple_wrapper(&args[1..], "", "", 0)
        }
        Some(_) | None => simple_wrapper(args, "", "-n --adjustment", 0),
    }
}
pub(in crate::shell) fn without_options(args: &[ShellWord]) -> CommandJudgement {
    simple_wrapper(args, "", "", 0)
}
pub(in crate::shell) fn stdbuf(args: &[ShellWord]) -> CommandJudgement {
    simple_wrapper(args, "", "-i -o -e --input --output --error", 0)
}
pub(in crate::shell) fn setsid(args: &[ShellWord]) -> CommandJudgement {
    simple_wrapper(args, "-w --wait", "", 0)
}

/// `exec cmd` replaces the shell; without a command it only redirects.
pub(in crate::shell) fn exec(args: &[ShellWord]) -> CommandJudgement {
    if args.is_empty() { CommandJudgement::read_only() } else { simple_wrapper(args, "", "", 0) }
}

/// `command -v x` looks x up; `command x` runs it.
pub(in crate::shell) fn command(args: &[ShellWord]) -> CommandJudgement {
    match args.first().and_then(|w| w.literal.as_deref()) {
        Some("-v" | "-V" | "-pv" | "-pV") => CommandJudgement::read_only(),
        Some(_) | None => simple_wrapper(args, "-p", "", 0),
    }
}

/// Running as another user is a change by itself; the inner command is judged too.
pub(in crate::shell) fn sudo(args: &[ShellWord]) -> CommandJudgement {
    let inner = simple_wrapper(args, "-n -E -H -i -s -k -b -S", "-u -g -h -p -C -D", 0).inner;
    CommandJudgement { inner, ..CommandJudgement::known_writer("runs a command as another user") }
}

pub(in crate::shell) fn xargs(args: &[ShellWord]) -> CommandJudgement {
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
                    return CommandJudgement::unknown();
                }
                2
            }
            _ if text.starts_with("-I") => {
                replace = Some(text[2..].to_string());
                1
            }
            _ if VALUED.iter().any(|v| has_attached_value(text, v)) => 1,
            _ => return CommandJudgement::unknown(),
        };
    }
    if args.iter().take(at).any(|word| word.literal.is_none()) {
        return CommandJudgement::unknown();
    }
    let Some(command) = args.get(at..).filter(|rest| !rest.is_empty()) else { return CommandJudgement::read_only() };
    let words = match replace {
        Some(mark) => replace_placeholder(command, &mark),
        None => command.iter().cloned().chain([ShellWord::unknown("…")]).collect(),
    };
    CommandJudgement::from_wrapper(words, vec![])
}

/// Makes every word that contains `mark` unknown.
pub(in crate::shell) fn replace_placeholder(words: &[ShellWord], mark: &str) -> Vec<ShellWord> {
    let holds = |word: &ShellWord| word.literal.as_deref().is_none_or(|text| text.contains(mark));
    words.iter().map(|word| if holds(word) { ShellWord::unknown(&word.text) } else { word.clone() }).collect()
}

/// `sh -c 'script' [args]`. A script file, or no literal script, is unknown.
pub(in crate::shell) fn shell(args: &[ShellWord]) -> CommandJudgement {
    let mut at = 0;
    let mut given = false;
    while let Some(text) = args.get(at).and_then(|w| w.literal.as_deref()).filter(|t| t.starts_with(['-', '+'])) {
        let letters = &text[1..];
        if letters.is_empty() || !letters.bytes().all(|b| b"celuxo".contains(&b)) {
            return version_only(args);
        }
        given |= letters.contains('c');
        at += 1 + usize::from(letters.contains('o'));
        if letters.contains('o') && args.get(at - 1).is_none_or(|option| !option.is("pipefail")) {
            return CommandJudgement::unknown();
        }
    }
    match args.get(at).and_then(|w| w.literal.clone()) {
        Some(script) if given => CommandJudgement {
            is_command: false,
            inner: vec![InnerCommand::Script(script)],
            ..CommandJudgement::read_only()
        },
        Some(_) | None => CommandJudgement::unknown(),
    }
}

/// `sh` may not be bash and may parse some syntax differently: `((x))` runs x there.
pub(in crate::shell) fn posix_shell(args: &[ShellWord]) -> CommandJudgement {
    const BASH_ONLY: &[&str] = &[
        "((", "[[", "&>", ">&", "<&", "<(", ">(", "$'", "$\"", "|&", "<<<", "$[", ";&", "+=", "=(", "{", "function",
        "coproc", "select", "time", "declare", "local", "typeset", "source", "@(", "!(",
    ];
    let plain = |text: &str| !BASH_ONLY.iter().any(|word| text.replace("2>&1", "").replace(">&2", "").contains(word));
    let judged = shell(args);
    let fine = judged.inner.iter().all(|inner| match inner {
        InnerCommand::Script(script) => plain(script),
        InnerCommand::Command { .. } | InnerCommand::DeferredScript(_) => false,
    });
    if fine { judged } else { CommandJudgement::unknown() }
}

/// Only `--version` or `-V`; anything else could run a program.
pub(in crate::shell) fn version_only(args: &[ShellWord]) -> CommandJudgement {
    match args {
        [one] => CommandJudgement::read_only_if(one.is("--version") || one.is("-V")),
        _ => CommandJudgement::unknown(),
    }
}

/// `eval` joins its words and runs them.
pub(in crate::shell) fn eval(args: &[ShellWord]) -> CommandJudgement {
    let words: Option<Vec<String>> = args.iter().map(|w| w.literal.clone()).collect();
    match words {
        Some(words) => CommandJudgement {
            is_command: false,
            inner: vec![InnerCommand::Script(words.join(" "))],
            ..CommandJudgement::read_only()
        },
        None => CommandJudgement::unknown(),
    }
}

/// `trap 'script' SIGNAL …` runs the script later.
pub(in crate::shell) fn trap(args: &[ShellWord]) -> CommandJudgement {
    match args.split_first() {
        None => CommandJudgement::read_only(),
        Some((first, _)) => match first.literal.as_deref() {
            Some("-" | "" | "-p" | "-l") => CommandJudgement::read_only(),
            Some(script) if !script.starts_with('-') => CommandJudgement {
                inner: vec![InnerCommand::DeferredScript(script.to_string())],
                ..CommandJudgement::read_only()
            },
            Some(_) | None => CommandJudgement::unknown(),
        },
    }
}

/// `read` sets shell variables: harmless for plain names that control no program.
pub(in crate::shell) fn read(args: &[ShellWord]) -> CommandJudgement {
    let scan = args::scan_args(args, "-a= -p= -t= -n= -N= -d= -u= -rs");
    let arrays = scan.values_of("-a");
    CommandJudgement::read_only_if(scan.is_plain() && scan.operands.iter().chain(&arrays).all(|word| is_own_name(word)))
}

pub(in crate::shell) fn unset(args: &[ShellWord]) -> CommandJudgement {
    let scan = args::scan_args(args, "-v");
    CommandJudgement::read_only_if(scan.is_plain() && scan.operands.iter().all(|word| is_own_name(word)))
}

fn is_own_name(word: &ShellWord) -> bool {
    word.literal.as_deref().is_some_and(|name| word::is_name(name) && !is_steering_variable(name))
}

/// `set` with harmless options, such as `set -euo pipefail`.
pub(in crate::shell) fn set(args: &[ShellWord]) -> CommandJudgement {
    let fine = |word: &ShellWord| {
        word.literal.as_deref().is_some_and(|text| match text {
            "pipefail" | "errexit" | "nounset" | "xtrace" | "noglob" => true,
            _ => text.len() > 1 && text.starts_with(['-', '+']) && text[1..].bytes().all(|b| b"euxof".contains(&b)),
        })
    };
    CommandJudgement::new(if args.iter().all(fine) { CommandVerdict::ReadOnly } else { CommandVerdict::Unknown })
}
