//! PR-4, PR-1: paths in the arguments of unknown commands are checked against protected paths and path rules only.

mod world;

use cutonce_core::mode::Mode;
use cutonce_core::shell::{PathWord, parse};
use world::{bash, outcome, rules};

fn paths(words: impl Iterator<Item = PathWord>) -> String {
    let show = |word| match word {
        PathWord::Exact(path) | PathWord::Glob(path) => path,
        PathWord::Below(path) => format!("{path}/**"),
        PathWord::Repository => "@".to_string(),
        PathWord::Pipe => "|".to_string(),
        PathWord::Unknown => "?".to_string(),
    };
    words.map(show).collect::<Vec<_>>().join(",")
}

/// PR-4: paths in the arguments of unknown commands.
const NAMED: &[(&str, &str)] = &[
    ("curl -o .git/hooks/y http://x/.git/config", ".git/hooks/y"),
    ("curl -o.git/hooks/y x", ".git/hooks/y"),
    ("curl --output=.git/x url", ".git/x"),
    ("sort -o .git/x a", ".git/x"),
    ("mytool of=.git/x .git/a=b", ".git/x,.git/a=b"),
    ("mytool of=~/.bashrc --to=~/.zshrc", "~/.bashrc,~/.zshrc"),
    ("find .git -delete", ".git"),
    ("find . -name x -fprint .git/x", ".,.git/x"),
    ("mytool $HOME/.bashrc", "~/.bashrc"),
    ("mytool ~/.bashrc", "~/.bashrc"),
    ("mytool .git/hooks/*", ".git/hooks/*"),
    ("./mytool .git/x", ".git/x"),
    ("$x .git/x", ".git/x"),
    ("cd .git && mytool x.y", ".git/x.y"),
    ("timeout 5 mytool .git/x", ".git/x"),
    ("sh -c 'mytool .git/x'", ".git/x"),
    ("dpkg -x a.deb .git", "a.deb,.git"),
    ("git archive -o .git/hooks/x HEAD", ".git/hooks/x"),
    ("git diff --output=.git/hooks/x", ".git/hooks/x"),
    ("git config -f .git/config a.b c", ".git/config,a.b"),
    // Not a path, or not written.
    ("npm test", ""),
    ("mytool --exclude .git --exclude-dir=.git --ignore=.git .", "."),
    ("git --git-dir=.git --work-tree . gc", ""),
    ("git add .claude/x .mcp.json", ""),
    ("git commit -m 'mend .git/x'", ""),
    ("mytool 'two\nlines of .git/x'", ""),
    ("curl -o /dev/stdout x", ""),
    ("source ~/.bashrc; . ~/.profile", ""),
    ("cat .git/config", ""),
    ("rm -r .git", ""),
    ("find . -path ./.git -prune -o -type f -delete", "."),
];

#[test]
fn pr_4_paths_in_unknown_commands() {
    let named = |command: &str| paths(parse(command).parts.iter().flat_map(|part| part.mentioned.clone()));
    let wrong: Vec<String> = NAMED
        .iter()
        .filter(|(command, expected)| named(command) != *expected)
        .map(|(command, expected)| format!("{command:?}: expected {expected}, got {}", named(command)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let long = format!("mytool {}", "a/".repeat(3_000));
    assert_eq!(named(&long), "");
}

#[test]
fn pr_4_unknown_command_with_protected_path_asks() {
    for command in [
        "curl -o .git/hooks/y http://x",
        "curl -o.git/hooks/y http://x",
        "wget --output-document=.git/hooks/y http://x",
        "sort -o .git/x a",
        "gzip -k .git/config",
        "split a .git/sp",
        "dd if=a of=~/.bashrc",
        "mytool $HOME/.bashrc",
        "cd .git/hooks && mytool ./pre-commit",
        "tar -xf a.tar -C .git",
        "git diff --output=.git/hooks/pre-commit",
        "find .git -delete",
        "ls | xargs -I{} mytool {} .git/x",
    ] {
        assert_eq!(outcome(Mode::BypassPermissions, &rules(&[]), bash(command)), "ask", "{command}");
        assert_eq!(outcome(Mode::BypassPermissions, &rules(&["allow Bash"]), bash(command)), "ask", "{command}");
    }
    for command in [
        "npm test",
        "make all",
        "mytool *",
        "find . -path ./.git -prune -o -name '*.pyc' -delete",
        "prettier --write src/*.js",
        "tar -czf x.tgz --exclude=.git .",
        "rsync -a --exclude .git a/ b/",
        "git add .mcp.json .claude",
        "git commit -m 'no more .git/x'",
        "source ~/.bashrc",
        "curl -o /dev/null http://x/.git/config",
        "python3 -c 'import a\nprint(1)'",
    ] {
        assert_eq!(outcome(Mode::BypassPermissions, &rules(&[]), bash(command)), "run", "{command}");
    }
}

#[test]
fn pr_1_path_rules_cover_unknown_commands() {
    let bypass = |rule: &str, command: &str| outcome(Mode::BypassPermissions, &rules(&[rule]), bash(command));
    for command in ["curl -o locked/x url", "mytool --out=locked/x", "mytool ./locked/x", "cd locked; mytool ./x"] {
        assert_eq!(bypass("deny Edit(./locked/**)", command), "deny", "{command}");
        assert_eq!(bypass("ask Edit(./locked/**)", command), "ask", "{command}");
        assert_eq!(bypass("deny Read(./locked/**)", command), "deny", "{command}");
        assert_eq!(bypass("deny Edit(./other/**)", command), "run", "{command}");
    }
    // A rule for a whole tool does not cover arguments, and a bare word is not a path.
    assert_eq!(bypass("deny Edit", "mytool a/b"), "run");
    assert_eq!(bypass("deny Read", "mytool a/b"), "run");
    assert_eq!(bypass("deny Edit(./test/**)", "npm test"), "run");
    // A named path allows nothing.
    assert_eq!(outcome(Mode::Default, &rules(&["allow Edit(./locked/**)"]), bash("mytool locked/x")), "ask");
}
