//! Commands in plans: the values of `check:` and the code of Verification sections.

use super::markdown;

/// Maximum length of a check.
const MAX_COMMAND_BYTES: usize = 2_000;

/// Programs that make a code span in prose a command.
const PROGRAMS: &[&str] = &[
    "ansible",
    "bash",
    "bazel",
    "black",
    "brew",
    "bun",
    "bundle",
    "cabal",
    "cargo",
    "cat",
    "clang",
    "clippy",
    "cmake",
    "composer",
    "ctest",
    "curl",
    "cutonce",
    "dart",
    "deno",
    "diff",
    "docker",
    "dotnet",
    "eslint",
    "flake8",
    "flutter",
    "gcc",
    "gh",
    "git",
    "go",
    "golangci-lint",
    "gradle",
    "grep",
    "helm",
    "jest",
    "just",
    "kubectl",
    "ls",
    "make",
    "meson",
    "mix",
    "mocha",
    "mvn",
    "mypy",
    "ninja",
    "node",
    "npm",
    "npx",
    "nx",
    "php",
    "phpunit",
    "pip",
    "playwright",
    "pnpm",
    "poetry",
    "prettier",
    "psql",
    "pytest",
    "python",
    "python3",
    "rake",
    "rg",
    "rspec",
    "ruby",
    "ruff",
    "rustc",
    "sbt",
    "sh",
    "shellcheck",
    "sqlite3",
    "stack",
    "swift",
    "task",
    "terraform",
    "test",
    "tox",
    "tsc",
    "turbo",
    "uv",
    "vitest",
    "xcodebuild",
    "yarn",
    "zig",
];

/// Words that appear in sentences, not in commands.
const PROSE: &[&str] = &[
    "a",
    "an",
    "and",
    "appears",
    "are",
    "be",
    "correctly",
    "does",
    "doesn't",
    "each",
    "every",
    "fails",
    "has",
    "in",
    "is",
    "it",
    "manually",
    "must",
    "no",
    "not",
    "of",
    "opens",
    "pass",
    "passes",
    "renders",
    "returns",
    "should",
    "shows",
    "still",
    "succeeds",
    "sure",
    "that",
    "the",
    "then",
    "there",
    "to",
    "was",
    "when",
    "with",
    "without",
    "works",
];

/// The commands of a `check:` value: its code spans, or the whole value if it is a command.
pub(super) fn in_value(value: &str) -> Vec<String> {
    let (spans, _) = markdown::code_spans(value);
    if !spans.is_empty() {
        return spans.into_iter().filter_map(|(_, span)| clean(span)).collect();
    }
    let value = value.trim().trim_end_matches('。');
    let value = ["run ", "Run ", "run: ", "Run: "].iter().find_map(|word| value.strip_prefix(word)).unwrap_or(value);
    if is_prose(value) { vec![] } else { clean(value).into_iter().collect() }
}

/// True if the words are a sentence and not a command.
fn is_prose(value: &str) -> bool {
    let bare = without_quoted(value);
    let mut words = bare.split_whitespace();
    let first = words.next().unwrap_or_default();
    let sentence =
        first.chars().next().is_none_or(|c| c.is_uppercase() || !c.is_ascii()) && !first.contains(['=', '/']);
    let says = words.any(|word| PROSE.contains(&word.trim_matches([',', '.']).to_ascii_lowercase().as_str()));
    sentence || says || (bare.ends_with('.') && !bare.ends_with(" ."))
}

fn without_quoted(value: &str) -> String {
    let mut quote = None;
    let outside = value.chars().filter(|c| match quote {
        Some(open) => {
            if *c == open {
                quote = None;
            }
            false
        }
        None if matches!(c, '"' | '\'') => {
            quote = Some(*c);
            false
        }
        None => true,
    });
    outside.collect()
}

/// The commands in a line of a Verification section.
pub(super) fn in_prose(content: &str) -> Vec<String> {
    let (spans, rest) = markdown::code_spans(content);
    let around = |c: char| c.is_whitespace() || ".:;*_→".contains(c);
    let alone = spans.len() == 1 && spans[0].0.trim_matches(around).is_empty() && rest.trim_matches(around).is_empty();
    let command = |span: &&str| {
        let first = span.split_whitespace().find(|word| !is_assignment(word)).unwrap_or_default();
        let known = PROGRAMS.contains(&first) && (span.contains(' ') || ["make", "pytest", "tox"].contains(&first));
        known
            || (first.starts_with("./") || first.starts_with("scripts/") || first.starts_with("bin/"))
            || (alone && !super::paths::is_path_like(span))
    };
    spans.iter().map(|(_, span)| *span).filter(|span| command(span)).filter_map(clean).collect()
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
}

/// The commands of a code block. Blocks of other languages have none.
pub(super) fn in_block(language: &str, code: &[&str]) -> Vec<String> {
    let language = language.split([' ', '{', ',']).next().unwrap_or_default().to_ascii_lowercase();
    if !["", "bash", "sh", "shell", "zsh", "console", "terminal", "shell-session", "shellsession"]
        .contains(&language.as_str())
    {
        return vec![];
    }
    // A prompt marks the commands; the rest is output.
    let prompted = code.iter().any(|line| line.starts_with("$ "));
    let lines = code.iter().filter_map(|line| if prompted { line.strip_prefix("$ ") } else { Some(*line) });
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let joined = join_continued(&lines);
    let broken = |line: &String| crate::shell::syntax_error(line).is_some();
    let whole = lines.join("\n");
    if joined.iter().any(broken) && crate::shell::syntax_error(&whole).is_none() {
        return clean(&whole).into_iter().collect();
    }
    joined.iter().filter_map(|line| clean(line)).collect()
}

fn join_continued(lines: &[&str]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut open = false;
    for line in lines {
        let (text, continues) = match line.strip_suffix('\\') {
            Some(text) => (text.trim_end(), true),
            None => (*line, false),
        };
        match joined.last_mut().filter(|_| open) {
            Some(last) => {
                last.push(' ');
                last.push_str(text);
            }
            None => joined.push(text.to_string()),
        }
        open = continues;
    }
    joined
}

fn clean(command: &str) -> Option<String> {
    let command = command.trim();
    let command = command.strip_prefix("$ ").unwrap_or(command).trim();
    let words = command.chars().any(char::is_alphanumeric);
    (words && command.len() <= MAX_COMMAND_BYTES).then(|| command.to_string())
}
