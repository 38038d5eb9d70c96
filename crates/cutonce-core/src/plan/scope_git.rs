//! Git under the scope of a plan (PC-21): its own folder is one unit. A commit, stash or checkout is inside the scope
//! only if the approved steps name it.

use super::scope::PlanScope;
use crate::shell::{self, CommandPart, CommandVerdict};

/// A line with one of these forbids rather than plans.
const NEGATIONS: &[&str] = &["don't", "don’t", "not", "never", "no", "without", "avoid", "instead"];

/// The git subcommands of a command line that change git's own folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitUse {
    /// `commit`, `stash`, …
    pub names: Vec<String>,
    /// Nothing else in the command line can have changed git's own folder.
    alone: bool,
}

impl GitUse {
    pub fn new(command: &str) -> GitUse {
        let parsed = shell::parse(command);
        let mut names: Vec<String> = Vec::new();
        let mut alone = parsed.unparsed.is_none();
        for part in &parsed.parts {
            alone &= part.redirects.is_empty();
            match changing_subcommand(part) {
                Some(name) if names.contains(&name) => {}
                Some(name) => names.push(name),
                None => alone &= part.verdict == CommandVerdict::ReadOnly,
            }
        }
        GitUse { names, alone }
    }

    /// Git's own folder as users and the model read it: what the command did with it.
    pub fn describe(&self) -> String {
        match self.names.as_slice() {
            [] => "git's own folder (.git)".into(),
            names => format!("git {} (.git)", names.join(", git ")),
        }
    }
}

fn changing_subcommand(part: &CommandPart) -> Option<String> {
    let text = part.without_global_options().unwrap_or_else(|| part.bare_text());
    let mut words = text.split_whitespace();
    let is_git = words.next().is_some_and(|program| program == "git" || program.ends_with("/git"));
    let name = words.next().filter(|_| is_git)?;
    shell::changes_repository(name).then(|| name.to_string())
}

impl PlanScope {
    /// True if the plan names everything that the command does with git.
    pub fn plans_git(&self, used: &GitUse) -> bool {
        let commits = self.git.iter().any(|name| name == "commit");
        let named = |name: &String| self.git.contains(name) || (name == "add" && commits);
        used.alone && !used.names.is_empty() && used.names.iter().all(named)
    }
}

/// The git subcommands that a line of a plan names: `git commit`, with or without backticks.
pub(super) fn named_subcommands(line: &str) -> Vec<String> {
    if !line.contains("git") {
        return Vec::new();
    }
    let bare =
        |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-' && c != '\'' && c != '’').to_string();
    let words: Vec<String> = line.split_whitespace().map(bare).collect();
    if words.iter().any(|word| NEGATIONS.contains(&word.to_lowercase().as_str())) {
        return Vec::new();
    }
    let pairs = words.iter().zip(words.iter().skip(1)).filter(|(git, _)| *git == "git");
    pairs.map(|(_, name)| name.clone()).filter(|name| shell::changes_repository(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_21_plans_name_what_git_may_do() {
        let scope = PlanScope { git: vec!["commit".into()], ..PlanScope::default() };
        let planned = |command: &str| scope.plans_git(&GitUse::new(command));
        for command in [
            "git commit -m x",
            "git add -A && git commit -qm 'y z'",
            "cd src && git -c a=b commit",
            "git status; git commit",
        ] {
            assert!(planned(command), "{command}");
        }
        let other = [
            "git stash",
            "git commit; git push",
            "make && git commit -m x",
            "bash commit.sh",
            "git commit > .git/x",
            "git $x",
            "ls",
        ];
        for command in other {
            assert!(!planned(command), "{command}");
        }
        assert_eq!(
            GitUse::new("/usr/bin/git -C . stash pop; git checkout x").describe(),
            "git stash, git checkout (.git)"
        );
        assert_eq!(GitUse::new("./release.sh").describe(), "git's own folder (.git)");
    }

    #[test]
    fn pc_21_lines_that_forbid_git_name_nothing() {
        assert_eq!(named_subcommands("- [ ] Then `git add . && git commit -m x`"), ["add", "commit"]);
        assert_eq!(named_subcommands("$ git stash, please"), ["stash"]);
        for line in ["Do not run `git commit`", "Never `git commit`", "don't `git commit`", "git log", "a digit commit"]
        {
            assert_eq!(named_subcommands(line), Vec::<String>::new(), "{line}");
        }
    }
}
