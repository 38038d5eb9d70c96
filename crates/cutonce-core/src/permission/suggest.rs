//! What «don't ask again» would store (PR-7): the narrowest rules that cover the call, then a wider choice.

use super::shell_call::{Piece, pieces, writes_protected};
use super::{Access, Facts, PartFacts, Place, Reach, ShellFacts, Suggestion, Target};
use crate::mode::Mode;
use crate::rule::{Behavior, Rules, escape_command};
use crate::shell::Part;
use std::path::Path;

/// Programs whose second word says what they do: `git commit`, `npm run`.
const TWO_WORDS: &[&str] = &[
    "apt",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "composer",
    "deno",
    "docker",
    "dotnet",
    "gh",
    "git",
    "go",
    "gradle",
    "helm",
    "kubectl",
    "mix",
    "mvn",
    "npm",
    "npx",
    "pip",
    "pip3",
    "pnpm",
    "poetry",
    "rustup",
    "terraform",
    "uv",
    "yarn",
];
/// Programs that are never suggested with open arguments: they run or destroy whatever they are given.
const NEVER_WIDE: &[&str] = &[
    "awk", "bash", "chmod", "chown", "curl", "dash", "dd", "deno", "doas", "env", "eval", "exec", "find", "kill", "ln",
    "mv", "node", "npx", "perl", "php", "python", "python3", "rm", "ruby", "sed", "sh", "source", "ssh", "su", "sudo",
    "tee", "wget", "xargs", "zsh", ".", ":",
];

/// Programs that do what their input says, unless they are given a script.
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
/// Programs that do what their input says, whatever else they are given.
const FED: &[&str] = &[
    "at", "batch", "cpio", "crontab", "ed", "ex", "ftp", "gdb", "mysql", "parallel", "patch", "psql", "sftp",
    "sqlite3", "ssh", "tar", "vi", "vim", "xargs",
];

/// The line does not say what this command will do: the same words would run anything another time.
fn is_fed(part: &Part) -> bool {
    let words: Vec<&str> = part.words.iter().map(|word| word.as_deref().unwrap_or_default()).collect();
    let Some((first, rest)) = words.split_first() else { return false };
    let name = first.rsplit('/').next().unwrap_or(first);
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let reads_input =
        rest.iter().all(|word| word.starts_with('-')) || rest.iter().any(|word| matches!(*word, "-" | "-s"));
    let applies = name == "git" && matches!(rest.first(), Some(&("am" | "apply" | "fast-import")));
    FED.contains(&name) || applies || (INTERPRETERS.contains(&plain) && reads_input)
}

fn is_xargs(wrapper: &str) -> bool {
    let name = wrapper.split(' ').next().unwrap_or_default();
    matches!(name.rsplit('/').next(), Some("xargs" | "parallel"))
}

/// Suggestions, narrowest first; none where no rule could help (protected places, commands not taken apart).
pub(super) fn suggestions(mode: Mode, rules: &Rules, facts: &Facts) -> Vec<Suggestion> {
    let choices: Vec<Vec<String>> = match &facts.access {
        Access::Write(target) if target.place == Place::Protected => vec![],
        Access::Write(target) => vec![vec![path_rule("Edit", rules, target)], vec![folder_rule("Edit", rules, target)]],
        Access::Read(targets) => vec![
            targets.iter().map(|target| path_rule("Read", rules, target)).collect(),
            targets.iter().map(|target| folder_rule("Read", rules, target)).collect(),
        ],
        Access::Fetch { host, .. } => vec![vec![format!("WebFetch(domain:{host})")]],
        Access::Agent { kind } => vec![vec![format!("Agent({kind})")]],
        Access::Skill { name } => vec![vec![format!("Skill({name})")]],
        Access::Mcp { .. } => mcp(&facts.tool),
        Access::Shell(shell) => shell_choices(mode, rules, shell),
        Access::Internal | Access::Kill { .. } | Access::Question => vec![],
    };
    let mut out: Vec<Suggestion> = vec![];
    for mut choice in choices {
        choice.dedup();
        let useless = choice.iter().any(|rule| rules.would_be_aside(rule));
        if !choice.is_empty() && !useless && !out.iter().any(|one| one.rules == choice) {
            out.push(Suggestion { rules: choice, behavior: Behavior::Allow });
        }
    }
    out
}

fn mcp(tool: &str) -> Vec<Vec<String>> {
    let server =
        tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")).map(|(server, _)| format!("mcp__{server}"));
    std::iter::once(vec![tool.to_string()]).chain(server.map(|server| vec![server])).collect()
}

fn shell_choices(mode: Mode, rules: &Rules, shell: &ShellFacts) -> Vec<Vec<String>> {
    if shell.unparsed.is_some() || shell.parts.iter().any(|part| writes_protected(rules, part)) {
        return vec![];
    }
    let open = pieces(mode, rules, shell).open;
    let fed = |piece: &Piece<'_>| matches!(piece, Piece::Command(part) if is_fed(&part.part));
    // Inside of a wrapper that fills in arguments (`xargs rm`) the inner command is a part of its own.
    let filled = |piece: &Piece<'_>| matches!(piece, Piece::Command(part) if part.part.inside.iter().any(|outer| is_xargs(outer)));
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

fn exact_rule(rules: &Rules, piece: &Piece<'_>) -> Option<String> {
    match piece {
        Piece::Command(part) => exact_text(part).map(|text| format!("Bash({})", escape_command(&text))),
        Piece::Redirect(Reach::Exact(target)) => Some(path_rule("Edit", rules, target)),
        Piece::Redirect(Reach::Below(_) | Reach::Unknown) => None,
    }
}

/// Its own text if that says all; inside a wrapper that fills in arguments, the wrapper's.
fn exact_text(part: &PartFacts) -> Option<String> {
    let name = part.part.words.first().cloned().flatten();
    let text = match part.part.words.iter().all(Option::is_some) || part.part.inside.is_empty() {
        true => part.part.assigned_text(),
        false => part.part.full_text(),
    };
    (name.is_some() || part.part.words.is_empty()).then_some(text).filter(|text| !text.is_empty())
}

fn wide_rule(rules: &Rules, piece: &Piece<'_>) -> Option<String> {
    let part = match piece {
        Piece::Command(part) => &part.part,
        Piece::Redirect(Reach::Exact(target)) => return Some(folder_rule("Edit", rules, target)),
        Piece::Redirect(Reach::Below(_) | Reach::Unknown) => return None,
    };
    let first = part.words.first().cloned().flatten()?;
    let plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./+".contains(c));
    let second = part.words.get(1).cloned().flatten().filter(|word| plain(word) && !word.starts_with('-'));
    let prefix = match second {
        Some(second) if TWO_WORDS.contains(&first.as_str()) => format!("{first} {second}"),
        None if TWO_WORDS.contains(&first.as_str()) => return None,
        Some(_) | None => first.clone(),
    };
    let fine = plain(&first) && !NEVER_WIDE.contains(&first.as_str()) && part.has_harmless_assigns();
    fine.then(|| format!("Bash({prefix}:*)"))
}

fn path_rule(tool: &str, rules: &Rules, target: &Target) -> String {
    format!("{tool}({})", spelled(rules, &target.path))
}

/// All that is in the folder of the target.
fn folder_rule(tool: &str, rules: &Rules, target: &Target) -> String {
    match target.path.parent() {
        Some(folder) if folder == rules.cwd() => path_rule(tool, rules, target),
        Some(folder) if folder.parent().is_some() => format!("{tool}({}/**)", spelled(rules, folder)),
        Some(_) | None => path_rule(tool, rules, target),
    }
}

/// From the working folder, from the home, or from the root: the shortest that means the same everywhere.
fn spelled(rules: &Rules, path: &Path) -> String {
    let escaped =
        |path: &Path| path.to_string_lossy().replace('\\', r"\\").chars().flat_map(escape).collect::<String>();
    if let Ok(inner) = path.strip_prefix(rules.cwd()) {
        return format!("./{}", escaped(inner));
    }
    if let Some(inner) = rules.home().and_then(|home| path.strip_prefix(home).ok()) {
        return format!("~/{}", escaped(inner));
    }
    format!("/{}", escaped(path))
}

fn escape(c: char) -> Vec<char> {
    match c {
        '*' | '?' | '[' | ']' | '{' | '}' => vec!['\\', c],
        c => vec![c],
    }
}
