//! Specifiers of rules: command patterns and path patterns.

use super::RuleSyntaxError;
use crate::shell::{self, CommandPart};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::path::{Component, Path, PathBuf};

/// A command pattern: `git log:*` (prefix), `npm run test` (exact), `git * main` (`*` is any text).
/// `\*` is a star, `\\` a backslash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandPattern {
    Exact(CommandSpelling),
    Prefix(CommandSpelling),
    /// The text between the stars.
    Wildcard(Vec<String>),
}

/// A command as written and in its canonical spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandSpelling {
    written: String,
    canonical: String,
}

impl CommandSpelling {
    fn new(written: String) -> CommandSpelling {
        let canonical =
            shell::canonical_text(&written).unwrap_or_else(|| written.split_whitespace().collect::<Vec<_>>().join(" "));
        CommandSpelling { written, canonical }
    }
    /// The command split at spaces, quotes and operators removed.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.written.split_whitespace().map(|word| word.trim_matches(['\'', '"', '(', ')', ';', '&', '|', '`']))
    }
    fn equals(&self, text: &str) -> bool {
        text == self.written || text == self.canonical
    }
    fn is_prefix_of(&self, text: &str) -> bool {
        [&self.written, &self.canonical]
            .iter()
            .any(|p| text.strip_prefix(p.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
    }
}

impl CommandPattern {
    pub(super) fn parse(spec: &str) -> Result<CommandPattern, RuleSyntaxError> {
        let spec = spec.trim();
        if let Some(prefix) = spec.strip_suffix(":*") {
            let pieces = split_at_stars(prefix.trim_end());
            return match pieces.as_slice() {
                [one] if !one.trim().is_empty() => {
                    Ok(CommandPattern::Prefix(CommandSpelling::new(one.trim().to_string())))
                }
                [_] => Err("Nothing before `:*`. Write `Bash` for every command.".into()),
                _ => Err("`:*` at the end can't be combined with `*`. Use one of them.".into()),
            };
        }
        let pieces = split_at_stars(spec);
        match pieces.as_slice() {
            [one] => Ok(CommandPattern::Exact(CommandSpelling::new(one.clone()))),
            _ => Ok(CommandPattern::Wildcard(pieces)),
        }
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            CommandPattern::Exact(spelled) => spelled.equals(text),
            CommandPattern::Prefix(spelled) => spelled.is_prefix_of(text),
            CommandPattern::Wildcard(pieces) => matches_wildcard(pieces, text),
        }
    }

    /// Match for allow rules. A wrapper's text covers the command inside it only as an exact rule: `Bash(find:*)`
    /// does not cover what `find -exec` runs.
    pub(crate) fn allows(&self, part: &CommandPart) -> bool {
        let exact = |text: &String| match self {
            CommandPattern::Exact(spelled) => spelled.equals(text),
            CommandPattern::Prefix(_) | CommandPattern::Wildcard(_) => false,
        };
        self.matches(&part.assigned_text())
            || (part.has_harmless_assigns() && self.matches(&part.text))
            || part.inside.iter().any(exact)
    }

    /// Match for deny and ask rules: any spelling, including wrappers and full program paths.
    pub(crate) fn matches_any_spelling(&self, part: &CommandPart) -> bool {
        let mut texts = vec![part.text.clone(), part.assigned_text(), part.bare_text()];
        texts.extend(part.inside.iter().cloned());
        texts.extend(part.without_global_options());
        let short: Vec<String> = texts.iter().filter_map(|text| strip_program_folder(text)).collect();
        let bare = self.without_quotes();
        texts.iter().chain(&short).any(|text| self.matches(text) || bare.matches(&strip_quotes(text)))
    }

    /// Removes quotes, so that quoting can't avoid a deny rule.
    fn without_quotes(&self) -> CommandPattern {
        let bare = |s: &CommandSpelling| CommandSpelling {
            written: strip_quotes(&s.written),
            canonical: strip_quotes(&s.canonical),
        };
        match self {
            CommandPattern::Exact(spelled) => CommandPattern::Exact(bare(spelled)),
            CommandPattern::Prefix(spelled) => CommandPattern::Prefix(bare(spelled)),
            CommandPattern::Wildcard(pieces) => {
                CommandPattern::Wildcard(pieces.iter().map(|p| strip_quotes(p)).collect())
            }
        }
    }

    /// True if the pattern is exactly this command line.
    pub(crate) fn equals_line(&self, line: &str) -> bool {
        match self {
            CommandPattern::Exact(spelled) => spelled.written == line.trim(),
            CommandPattern::Prefix(_) | CommandPattern::Wildcard(_) => false,
        }
    }

    /// True if the pattern matches the whole line as typed. Only for commands that could not be parsed.
    pub(crate) fn matches_line(&self, line: &str) -> bool {
        self.matches(&line.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

fn strip_quotes(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect()
}

/// Removes the program's folder: `/bin/rm x` becomes `rm x`.
fn strip_program_folder(text: &str) -> Option<String> {
    let end = text.find(' ').unwrap_or(text.len());
    let slash = text[..end].rfind('/')?;
    Some(text[slash + 1..].to_string())
}

/// Splits the text at its unescaped stars.
fn split_at_stars(spec: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut chars = spec.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = (c == '\\').then(|| chars.next_if(|next| matches!(next, '*' | '\\'))).flatten();
        match (c, escaped) {
            ('*', _) => pieces.push(String::new()),
            (_, Some(literal)) => pieces.iter_mut().next_back().into_iter().for_each(|p| p.push(literal)),
            (c, None) => pieces.iter_mut().next_back().into_iter().for_each(|p| p.push(c)),
        }
    }
    pieces
}

/// Escapes the text so that [`CommandPattern::parse`] reads it back exactly.
pub(crate) fn escape_command(text: &str) -> String {
    text.replace('\\', r"\\").replace('*', r"\*")
}

fn matches_wildcard(pieces: &[String], text: &str) -> bool {
    let [first, middle @ .., last] = pieces else { return false };
    let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
    for piece in middle {
        let Some(at) = rest.find(piece.as_str()) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last.as_str())
}

/// A path pattern with gitignore syntax; a folder matches everything in it.
#[derive(Debug, Clone)]
pub struct PathPattern {
    set: GlobSet,
    /// The path before the first special character.
    fixed: PathBuf,
}

impl PathPattern {
    /// Parses a path: `//x` from the file system root, `~/x` from the home folder, `/x` from `base`, `./x` and `x/y`
    /// from `cwd`, a bare name anywhere below `cwd`.
    pub(super) fn parse(
        spec: &str,
        home: Option<&Path>,
        cwd: &Path,
        base: &Path,
    ) -> Result<PathPattern, RuleSyntaxError> {
        let (folder, rest, anywhere) = match spec {
            _ if spec.starts_with("//") => (Path::new("/"), spec[2..].to_string(), false),
            "~" => (home.ok_or("The home folder is unknown.")?, String::new(), false),
            _ if spec.starts_with("~/") => (home.ok_or("The home folder is unknown.")?, spec[2..].to_string(), false),
            _ if spec.starts_with('/') => (base, spec[1..].to_string(), false),
            _ if spec.starts_with("./") => (cwd, spec[2..].to_string(), false),
            _ => (cwd, spec.to_string(), !spec.trim_end_matches('/').contains('/')),
        };
        let rest = rest.trim_end_matches('/');
        if rest.split('/').any(|part| part == "..") {
            return Err("`..` leads out of the pattern's folder. Write the path from there, with `//` or `~/`.".into());
        }
        let root = globset::escape(&folder.to_string_lossy());
        let root = root.trim_end_matches('/');
        let middle = if anywhere { "/**/" } else { "/" };
        let whole = if rest.is_empty() || rest == "." { root.to_string() } else { format!("{root}{middle}{rest}") };
        let fixed = if anywhere { folder.to_path_buf() } else { folder.join(fixed_part(rest)) };
        let set = build_glob_set(&[whole.clone(), format!("{whole}/**")])?;
        Ok(PathPattern { set, fixed })
    }

    pub(crate) fn matches(&self, path: &Path) -> bool {
        self.set.is_match(path)
    }
    /// True if the pattern matches everything in this folder.
    pub(crate) fn covers_below(&self, folder: &Path) -> bool {
        self.set.is_match(folder.join("\u{1}any")) && self.set.is_match(folder.join(".\u{1}any"))
    }
    /// True if the pattern could match something in this folder.
    pub(crate) fn may_match_below(&self, folder: &Path) -> bool {
        self.fixed.starts_with(folder) || folder.starts_with(&self.fixed)
    }
}

fn build_glob_set(patterns: &[String]) -> Result<GlobSet, RuleSyntaxError> {
    if !patterns.iter().all(|pattern| crate::text::glob_braces::is_within_brace_limit(pattern)) {
        return Err("The braces are nested too deeply.".into());
    }
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build();
        set.add(glob.map_err(|e| format!("{e}."))?);
    }
    set.build().map_err(|e| format!("{e}.").into())
}

fn fixed_part(pattern: &str) -> PathBuf {
    let plain = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
    pattern.split('/').take_while(plain).collect()
}

/// An absolute path with `.` and `..` removed lexically; links are not followed.
pub(crate) fn normalize_lexically(given: &str, home: Option<&Path>, cwd: &Path) -> Option<PathBuf> {
    let path = match given.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => home?.join(rest.trim_start_matches('/')),
        Some(_) | None => cwd.join(given),
    };
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => out.push(component),
        }
    }
    Some(out)
}
