//! Rules that "don't ask again" would store (PR-7): the narrowest that cover the call, then a wider choice.

use super::rules::{RuleBehavior, RuleSet, escape_command};
use super::shell_call::{CommandPiece, review_pieces, writes_protected};
use super::{Access, CallFacts, PartFacts, PathLocation, PathScope, PathTarget, RuleSuggestion, ShellFacts};
use crate::mode::Mode;
use crate::shell::CommandPart;
use std::path::Path;

/// Programs and their subcommands that may run with other arguments next time (DU-2). No argument of theirs is code,
/// names a program to run, or chooses a file for output. Builds and tests are missing: `cargo test --config`,
/// `make --eval`, `npm test --node-options` and `go test -exec` take code. An empty list: with any arguments.
const WIDE_PREFIXES: &[(&str, &[&str])] = &[
    ("black", &[]),
    ("cargo", &["fmt"]),
    ("git", &["add", "commit"]),
    ("go", &["fmt"]),
    ("isort", &[]),
    ("mkdir", &[]),
    ("ruff", &["format"]),
    ("rustfmt", &[]),
    ("shellcheck", &[]),
    ("terraform", &["fmt"]),
    ("touch", &[]),
];

/// Programs that execute their input unless they get a script.
const INTERPRETERS: &[&str] = &[
    "ash",
    "bash",
    "bun",
    "csh",
    "dash",
    "deno",
    "fish",
    "julia",
    "ksh",
    "lua",
    "node",
    "osascript",
    "perl",
    "php",
    "pwsh",
    "python",
    "Rscript",
    "ruby",
    "sh",
    "tclsh",
    "tcsh",
    "zsh",
];
/// Programs that execute or apply their input, with any arguments.
const STDIN_RUNNERS: &[&str] = &[
    "at", "batch", "cpio", "crontab", "ed", "ex", "ftp", "gdb", "mysql", "parallel", "patch", "psql", "sftp",
    "sqlite3", "ssh", "tar", "vi", "vim", "xargs",
];

/// True if the command executes its input: the same line could run anything next time.
fn runs_its_input(part: &CommandPart) -> bool {
    let words: Vec<&str> = part.words.iter().map(|word| word.as_deref().unwrap_or_default()).collect();
    let Some((first, rest)) = words.split_first() else { return false };
    let name = first.rsplit('/').next().unwrap_or(first);
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let reads_input =
        rest.iter().all(|word| word.starts_with('-')) || rest.iter().any(|word| matches!(*word, "-" | "-s"));
    let applies = name == "git" && matches!(rest.first(), Some(&("am" | "apply" | "fast-import")));
    STDIN_RUNNERS.contains(&name) || applies || (INTERPRETERS.contains(&plain) && reads_input)
}

fn is_xargs(wrapper: &str) -> bool {
    let name = wrapper.split(' ').next().unwrap_or_default();
    matches!(name.rsplit('/').next(), Some("xargs" | "parallel"))
}

/// The tool that searches with the provider's own tool (DU-12). Its rules name no host.
const WEB_SEARCH: &str = "WebSearch";

/// All edits in the working folder, offered for the session only (DU-2).
pub const ALL_EDITS: &str = "Edit(./**)";

/// Suggestions, narrowest first. Empty if no rule could help (protected paths, unparsable commands).
pub(super) fn suggest_rules(mode: Mode, rules: &RuleSet, facts: &CallFacts) -> Vec<RuleSuggestion> {
    let choices: Vec<Vec<String>> = match &facts.access {
        Access::Write(target) if target.place == PathLocation::Protected => vec![],
        Access::Write(target) => {
            let all = (target.place == PathLocation::Workspace && target.path.starts_with(rules.cwd()))
                .then(|| vec![ALL_EDITS.to_string()]);
            let narrow = [vec![path_rule("Edit", rules, target)], vec![folder_rule("Edit", rules, target)]];
            narrow.into_iter().chain(all).collect()
        }
        Access::Read(targets) => vec![
            targets.iter().map(|target| path_rule("Read", rules, target)).collect(),
            targets.iter().map(|target| folder_rule("Read", rules, target)).collect(),
        ],
        Access::Fetch { .. } if facts.tool == WEB_SEARCH => vec![vec![WEB_SEARCH.to_string()]],
        Access::Fetch { host, .. } => vec![vec![format!("WebFetch(domain:{host})")]],
        Access::Agent { kind } => vec![vec![format!("Agent({kind})")]],
        Access::Skill { name } => vec![vec![format!("Skill({name})")]],
        Access::Mcp { .. } => mcp_choices(&facts.tool),
        Access::Shell(shell) => shell_choices(mode, rules, shell),
        Access::Internal | Access::Kill { .. } | Access::Question => vec![],
    };
    let mut out: Vec<RuleSuggestion> = vec![];
    for mut choice in choices {
        choice.dedup();
        let useless = choice.iter().any(|rule| rules.would_be_suspended(rule));
        if !choice.is_empty() && !useless && !out.iter().any(|one| one.rules == choice) {
            out.push(RuleSuggestion { rules: choice, behavior: RuleBehavior::Allow });
        }
    }
    out
}

fn mcp_choices(tool: &str) -> Vec<Vec<String>> {
    let server =
        tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")).map(|(server, _)| format!("mcp__{server}"));
    std::iter::once(vec![tool.to_string()]).chain(server.map(|server| vec![server])).collect()
}

fn shell_choices(mode: Mode, rules: &RuleSet, shell: &ShellFacts) -> Vec<Vec<String>> {
    if shell.unparsed.is_some() || shell.parts.iter().any(|part| writes_protected(rules, part)) {
        return vec![];
    }
    let open = review_pieces(mode, rules, shell).unanswered;
    let fed = |piece: &CommandPiece<'_>| matches!(piece, CommandPiece::Command(part) if runs_its_input(&part.part));
    // The command inside a wrapper that adds arguments (`xargs rm`) is a part of its own.
    let filled = |piece: &CommandPiece<'_>| matches!(piece, CommandPiece::Command(part) if part.part.inside.iter().any(|outer| is_xargs(outer)));
    if open.iter().any(|(piece, _)| fed(piece) || filled(piece)) {
        return vec![];
    }
    let exact: Option<Vec<String>> = open.iter().map(|(piece, _)| exact_rule(rules, piece)).collect();
    let wide: Option<Vec<String>> = open.iter().map(|(piece, _)| wide_rule(rules, piece)).collect();
    match exact {
        Some(exact) => std::iter::once(exact).chain(wide).collect(),
        None => vec![],
    }
}

fn exact_rule(rules: &RuleSet, piece: &CommandPiece<'_>) -> Option<String> {
    match piece {
        CommandPiece::Command(part) => exact_text(part).map(|text| format!("Bash({})", escape_command(&text))),
        CommandPiece::Redirect(PathScope::Exact(target)) => Some(path_rule("Edit", rules, target)),
        CommandPiece::Redirect(PathScope::Below(_) | PathScope::Unknown) => None,
    }
}

/// The part's text if it is complete; inside a wrapper that adds arguments, the wrapper's text.
fn exact_text(part: &PartFacts) -> Option<String> {
    let name = part.part.words.first().cloned().flatten();
    let text = match part.part.words.iter().all(Option::is_some) || part.part.inside.is_empty() {
        true => part.part.assigned_text(),
        false => part.part.full_text(),
    };
    (name.is_some() || part.part.words.is_empty()).then_some(text).filter(|text| !text.is_empty())
}

fn wide_rule(rules: &RuleSet, piece: &CommandPiece<'_>) -> Option<String> {
    let part = match piece {
        CommandPiece::Command(part) => &part.part,
        CommandPiece::Redirect(PathScope::Exact(target)) => return Some(folder_rule("Edit", rules, target)),
        CommandPiece::Redirect(PathScope::Below(_) | PathScope::Unknown) => return None,
    };
    let first = part.words.first().cloned().flatten()?;
    let (_, subcommands) = WIDE_PREFIXES.iter().find(|(program, _)| *program == first)?;
    if !part.has_harmless_assigns() {
        return None;
    }
    if subcommands.is_empty() {
        return Some(format!("Bash({first}:*)"));
    }
    let second = part.words.get(1).cloned().flatten()?;
    subcommands.contains(&second.as_str()).then(|| format!("Bash({first} {second}:*)"))
}

fn path_rule(tool: &str, rules: &RuleSet, target: &PathTarget) -> String {
    format!("{tool}({})", rule_path(rules, &target.path))
}

/// A rule for everything in the target's folder.
fn folder_rule(tool: &str, rules: &RuleSet, target: &PathTarget) -> String {
    match target.path.parent() {
        Some(folder) if folder == rules.cwd() => path_rule(tool, rules, target),
        Some(folder) if folder.parent().is_some() => format!("{tool}({}/**)", rule_path(rules, folder)),
        Some(_) | None => path_rule(tool, rules, target),
    }
}

/// The path relative to the working folder, to the home folder, or absolute.
fn rule_path(rules: &RuleSet, path: &Path) -> String {
    let escaped = |path: &Path| {
        path.to_string_lossy().replace('\\', r"\\").chars().flat_map(escape_glob_char).collect::<String>()
    };
    if let Ok(inner) = path.strip_prefix(rules.cwd()) {
        return format!("./{}", escaped(inner));
    }
    if let Some(inner) = rules.home().and_then(|home| path.strip_prefix(home).ok()) {
        return format!("~/{}", escaped(inner));
    }
    format!("/{}", escaped(path))
}

fn escape_glob_char(c: char) -> Vec<char> {
    match c {
        '*' | '?' | '[' | ']' | '{' | '}' => vec!['\\', c],
        c => vec![c],
    }
}
