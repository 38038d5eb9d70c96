//! The lint of a contract (PC-6): plan and facts of the disk in, findings out.

use super::markdown::{self, PlanLine};
use super::paths::{self, is_glob, matches_everything, matches_path};
use super::{
    FileFact, FindingKind, MAX_STEPS, PlanContract, PlanFacts, PlanFinding, PlanStep, PlannedFile, PlannedKind,
};
use crate::shell::{self, CommandPart, CommandVerdict};
use std::collections::BTreeSet;

/// Maximum number of findings; a plan with more is not worth reading.
const MAX_FINDINGS: usize = 200;

/// Commands that the shell itself provides.
const BUILTINS: &[&str] = &[
    ".", ":", "[", "[[", "alias", "bg", "break", "builtin", "cd", "command", "continue", "declare", "echo", "eval",
    "exec", "exit", "export", "false", "fg", "getopts", "hash", "jobs", "kill", "let", "local", "mapfile", "popd",
    "printf", "pushd", "pwd", "read", "readonly", "return", "set", "shift", "shopt", "source", "test", "time", "times",
    "trap", "true", "type", "ulimit", "umask", "unalias", "unset", "wait",
];

/// Findings of a contract, in the order of their lines.
pub fn lint_contract(text: &str, contract: &PlanContract, facts: &dyn PlanFacts) -> Vec<PlanFinding> {
    let lines = markdown::read_lines(text);
    let mut lint = Linter { contract, facts, found: Vec::new() };
    lint.rejected_paths();
    for step in &contract.steps {
        lint.files(step);
        for (command, line) in step.checks.iter().zip(&step.check_lines) {
            lint.check(Some(&step.id), *line, command);
        }
        if !step.has_text && step.files.is_empty() && step.checks.is_empty() {
            let text = "The step has no text, files or check. Say what it does, or remove it.";
            lint.add(FindingKind::EmptyStep, Some(&step.id), step.lines[0], text.into());
        }
    }
    for (command, line) in contract.checks.iter().zip(&contract.check_lines) {
        lint.check(None, *line, command);
    }
    lint.order();
    for line in lines.iter().filter(|line| !line.is_code()) {
        lint.references(line);
        lint.placeholders(line);
    }
    lint.found.sort_by_key(|finding| finding.line);
    lint.found.dedup();
    lint.found.truncate(MAX_FINDINGS);
    lint.found
}

struct Linter<'a> {
    contract: &'a PlanContract,
    facts: &'a dyn PlanFacts,
    found: Vec<PlanFinding>,
}

impl Linter<'_> {
    fn add(&mut self, kind: FindingKind, step: Option<&str>, line: u32, text: String) {
        // The limit is checked here too, so that a hostile plan does not fill the memory.
        if self.found.len() < 2 * MAX_FINDINGS {
            self.found.push(PlanFinding { kind, step: step.map(str::to_string), line, text });
        }
    }

    fn rejected_paths(&mut self) {
        for rejected in &self.contract.rejected {
            let text = format!(
                "`{}` can't be part of the plan: {}. Name a file of the workspace.",
                rejected.path, rejected.why
            );
            self.add(FindingKind::BadReference, Some(&rejected.step), rejected.line, text);
        }
        if let Some(line) = self.contract.cut_at {
            let text = format!("The plan has more than {MAX_STEPS} steps; the rest is not part of it. Combine steps.");
            self.add(FindingKind::BadReference, None, line, text);
        }
    }

    fn files(&mut self, step: &PlanStep) {
        for file in &step.files {
            if self.found.len() >= 2 * MAX_FINDINGS {
                return;
            }
            if matches_everything(&file.path) {
                let text = format!("`{}` covers the whole workspace. Name the files that the step changes.", file.path);
                self.add(FindingKind::BadReference, Some(&step.id), file.line, text);
                continue;
            }
            match file.kind {
                PlannedKind::Any => {}
                PlannedKind::New => self.new_file(step, file),
                PlannedKind::Change | PlannedKind::Delete => self.existing_file(step, file),
            }
        }
    }

    fn new_file(&mut self, step: &PlanStep, file: &PlannedFile) {
        let exists = !is_glob(&file.path) && matches!(self.fact(&file.path), FileFact::File { .. });
        if exists && !self.is_planned(PlannedKind::Delete, &file.path) {
            let text = format!(
                "`{}` is marked new, but the file exists. Mark it (change), or choose another name.",
                file.path
            );
            self.add(FindingKind::FileExists, Some(&step.id), file.line, text);
        }
    }

    fn existing_file(&mut self, step: &PlanStep, file: &PlannedFile) {
        let missing = match is_glob(&file.path) {
            true => self.fact(&file.path) == FileFact::Missing && !self.facts.has_match(&file.path),
            false => self.fact(&file.path) == FileFact::Missing,
        };
        if missing && !self.is_planned(PlannedKind::New, &file.path) {
            let what = if file.kind == PlannedKind::Delete { "delete" } else { "change" };
            let text = format!(
                "`{}` does not exist, so the step can't {what} it. Correct the path, or mark it (new).",
                file.path
            );
            self.add(FindingKind::MissingFile, Some(&step.id), file.line, text);
        }
    }

    fn fact(&self, path: &str) -> FileFact {
        self.facts.file(path.trim_end_matches('/'))
    }

    /// True if a step of the plan creates or deletes this path.
    fn is_planned(&self, kind: PlannedKind, path: &str) -> bool {
        let files = self.contract.steps.iter().flat_map(|step| &step.files);
        files
            .filter(|file| file.kind == kind)
            .any(|file| matches_path(&file.path, path) || matches_path(path, &file.path))
    }

    fn check(&mut self, step: Option<&str>, line: u32, command: &str) {
        let shown = crate::text::sanitize::one_line(command);
        if let Some(why) = shell::syntax_error(command) {
            let text =
                format!("The check `{shown}` is not a valid command: {why}. Write a command that the shell accepts.");
            return self.add(FindingKind::BadCheck, step, line, text);
        }
        let parts = shell::parse(command).parts;
        if let Some(part) = parts.iter().find(|part| destroys(part)) {
            let text = format!("The check `{shown}` destroys files (`{}`). A check must only look.", part.text);
            return self.add(FindingKind::BadCheck, step, line, text);
        }
        let unknown: BTreeSet<&str> = parts.iter().filter_map(|part| self.unknown_program(part)).collect();
        for name in unknown {
            let text = format!("The check `{shown}` needs `{name}`, which is not installed. Use another command.");
            self.add(FindingKind::UnknownProgram, step, line, text);
        }
    }

    /// The program of this command, if it can't be started.
    fn unknown_program<'b>(&self, part: &'b CommandPart) -> Option<&'b str> {
        let name = part.words.first()?.as_deref()?;
        if BUILTINS.contains(&name) || name.is_empty() {
            return None;
        }
        let known = match name.contains('/') {
            false => self.facts.has_program(name),
            true => match paths::normalize_path(name, self.facts.root()) {
                Ok(path) => {
                    self.fact(&path) != FileFact::Missing
                        || self.is_planned(PlannedKind::New, &path)
                        || moves_away(part)
                }
                // An absolute path outside: the file system knows.
                Err(_) => self.facts.has_program(name),
            },
        };
        (!known).then_some(name)
    }

    fn order(&mut self) {
        let steps = &self.contract.steps;
        let position = |id: &str| steps.iter().position(|step| step.id == id);
        let mut cyclic =
            find_cycles(steps.iter().map(|step| step.after.iter().filter_map(|id| position(id)).collect()).collect());
        cyclic.dedup();
        for step in steps {
            for id in step.after.iter().filter(|id| position(id).is_none()) {
                let text = format!("`after: {id}` names no step. Use the number of a step.");
                self.add(FindingKind::BadAfter, Some(&step.id), step.after_line, text);
            }
        }
        for at in cyclic {
            let step = &steps[at];
            let text = "`after` leads back to this step. Remove one of the references.".to_string();
            self.add(FindingKind::BadAfter, Some(&step.id), step.after_line, text);
        }
    }

    /// References such as `src/a.rs:120` past the end of the file.
    fn references(&mut self, line: &PlanLine<'_>) {
        for word in
            line.text.split([' ', '\t', '`', '(', ')', ',', ';', '"', '*', '|', '[', ']', '（', '）', '、', '，', '。'])
        {
            let word = word.trim_end_matches(['.', ':', '!', '?', '\'']);
            let reference = paths::split_reference(word);
            let Some(number) = reference.line.filter(|_| paths::is_path_like(word)) else { continue };
            let Ok(path) = paths::normalize_path(reference.path, self.facts.root()) else { continue };
            let FileFact::File { lines: Some(lines) } = self.fact(&path) else { continue };
            if number > lines || number == 0 {
                let noun = if lines == 1 { "line" } else { "lines" };
                let text =
                    format!("`{word}` names line {number}, but the file has {lines} {noun}. Correct the reference.");
                let step = self.step_at(line.number);
                self.add(FindingKind::BadReference, step.as_deref(), line.number, text);
            }
        }
    }

    fn placeholders(&mut self, line: &PlanLine<'_>) {
        let (spans, rest) = markdown::code_spans(line.content());
        let prose: String = spans.iter().map(|(before, _)| *before).chain([rest]).collect::<Vec<_>>().join(" ` ");
        if let Some(word) = placeholder(&prose) {
            let text = format!("`{word}` is a placeholder. Say what the plan leaves open, or remove it.");
            let step = self.step_at(line.number);
            self.add(FindingKind::Placeholder, step.as_deref(), line.number, text);
        }
    }

    fn step_at(&self, line: u32) -> Option<String> {
        let steps = &self.contract.steps;
        let step = steps.iter().find(|step| (step.lines[0]..=step.lines[1]).contains(&line));
        step.map(|step| step.id.clone())
    }
}

/// A check that runs in another folder names its program relative to that folder.
fn moves_away(part: &CommandPart) -> bool {
    part.text.starts_with("../")
}

/// Steps from which `after` leads back to themselves.
fn find_cycles(after: Vec<Vec<usize>>) -> Vec<usize> {
    // Steps without open predecessors leave one after the other; what remains is on or behind a cycle.
    let mut open: Vec<usize> = after.iter().map(Vec::len).collect();
    let mut followers: Vec<Vec<usize>> = vec![vec![]; after.len()];
    for (at, before) in after.iter().enumerate() {
        before.iter().for_each(|first| followers[*first].push(at));
    }
    let mut ready: Vec<usize> = (0..open.len()).filter(|at| open[*at] == 0).collect();
    let mut left = vec![true; open.len()];
    while let Some(at) = ready.pop() {
        left[at] = false;
        for next in &followers[at] {
            open[*next] -= 1;
            if open[*next] == 0 {
                ready.push(*next);
            }
        }
    }
    // Behind a cycle, but not on it: no open step waits for this one.
    let mut changed = true;
    while changed {
        changed = false;
        for at in 0..left.len() {
            if left[at] && !followers[at].iter().any(|next| left[*next]) {
                left[at] = false;
                changed = true;
            }
        }
    }
    (0..left.len()).filter(|at| left[*at]).collect()
}

/// The placeholder in a text: TBD, TODO, FIXME or «etc.».
fn placeholder(prose: &str) -> Option<&'static str> {
    const NAMED: &[&str] =
        &["comment", "comments", "list", "lists", "item", "items", "app", "marker", "markers", "notes"];
    const NAMING: &[&str] = &[
        "the",
        "a",
        "this",
        "that",
        "every",
        "all",
        "any",
        "remaining",
        "no",
        "stale",
        "old",
        "resolve",
        "remove",
        "existing",
    ];
    let words: Vec<&str> = prose.split_whitespace().collect();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_string();
    for (at, word) in words.iter().enumerate() {
        let plain = bare(word);
        let near = |at: Option<usize>| {
            at.and_then(|at| words.get(at)).map(|word| bare(word).to_lowercase()).unwrap_or_default()
        };
        match plain.as_str() {
            "TBD" => return Some("TBD"),
            "TODO" | "FIXME" | "TODOs" => {
                let (before, after) = (near(at.checked_sub(1)), near(Some(at + 1)));
                let about =
                    !word.ends_with(':') && (NAMED.contains(&after.as_str()) || NAMING.contains(&before.as_str()));
                if !about {
                    return Some("TODO");
                }
            }
            "etc" | "Etc" if !word.contains('/') => return Some("etc."),
            _ => {}
        }
    }
    None
}

/// Commands that destroy more than a check ever needs to.
fn destroys(part: &CommandPart) -> bool {
    let words: Vec<&str> = part.words.iter().map(|word| word.as_deref().unwrap_or("$")).collect();
    let has = |flags: &[&str]| words.iter().any(|word| flags.contains(word));
    let short = |letter: char| {
        words.iter().skip(1).any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    let wide = |word: &&str| {
        let path = word.trim_end_matches('/');
        path.is_empty() && word.starts_with('/')
            || [".", "..", "*", "~", "$", "./*", "./."].contains(&path)
            || word.starts_with('/')
            || word.starts_with("~")
            || word.starts_with("..")
            || word.starts_with("$")
    };
    match part.program() {
        Some("rm" | "shred" | "srm") => words.iter().skip(1).filter(|word| !word.starts_with('-')).any(wide),
        Some("git") => match words.iter().skip(1).find(|word| !word.starts_with('-')) {
            Some(&"reset") => has(&["--hard", "--merge"]),
            Some(&"clean") => short('f') || has(&["--force"]),
            Some(&"push" | &"commit" | &"stash" | &"rebase" | &"filter-branch") => {
                !matches!(part.verdict, CommandVerdict::ReadOnly)
            }
            Some(&"checkout" | &"restore") => has(&[".", "--", "*"]),
            _ => false,
        },
        Some("find") => has(&["-delete"]),
        Some("dd") => words.iter().any(|word| word.starts_with("of=")),
        Some("shutdown" | "reboot" | "halt" | "poweroff" | "wipefs") => true,
        Some(name) => name.starts_with("mkfs"),
        None => false,
    }
}
