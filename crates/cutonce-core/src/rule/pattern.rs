//! What stands between the parentheses: command patterns and path patterns.

use crate::shell::{self, Part};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::path::{Component, Path, PathBuf};

/// `git log:*` (these words and any after them), `npm run test` (exactly), `git * main` (`*` is any text).
/// `\*` is a star, `\\` a backslash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandPattern {
    Exact(Spelled),
    Prefix(Spelled),
    /// The pieces between the stars.
    Wildcard(Vec<String>),
}

/// A command as written and in the one spelling that parts have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelled {
    written: String,
    canonical: String,
}

impl Spelled {
    fn new(written: String) -> Spelled {
        let canonical =
            shell::canonical(&written).unwrap_or_else(|| written.split_whitespace().collect::<Vec<_>>().join(" "));
        Spelled { written, canonical }
    }
    /// The words of the command, as far as spaces tell them apart.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.written.split_whitespace().map(|word| word.trim_matches(['\'', '"', '(', ')', ';', '&', '|', '`']))
    }
    fn is(&self, text: &str) -> bool {
        text == self.written || text == self.canonical
    }
    fn begins(&self, text: &str) -> bool {
        [&self.written, &self.canonical]
            .iter()
            .any(|p| text.strip_prefix(p.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
    }
}

impl CommandPattern {
    pub(super) fn parse(spec: &str) -> Result<CommandPattern, String> {
        let spec = spec.trim();
        if let Some(prefix) = spec.strip_suffix(":*") {
            let pieces = pieces(prefix.trim_end());
            return match pieces.as_slice() {
                [one] if !one.trim().is_empty() => Ok(CommandPattern::Prefix(Spelled::new(one.trim().to_string()))),
                [_] => Err("There is nothing before `:*`. Write `Bash` for every command.".into()),
                _ => Err("`:*` at the end and `*` before it do not go together. Use one of them.".into()),
            };
        }
        let pieces = pieces(spec);
        match pieces.as_slice() {
            [one] => Ok(CommandPattern::Exact(Spelled::new(one.clone()))),
            _ => Ok(CommandPattern::Wildcard(pieces)),
        }
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            CommandPattern::Exact(spelled) => spelled.is(text),
            CommandPattern::Prefix(spelled) => spelled.begins(text),
            CommandPattern::Wildcard(pieces) => wildcard(pieces, text),
        }
    }

    /// For allow rules: the part as it is. What runs inside a wrapper is covered by the wrapper's text only if that is
    /// written out exactly: `Bash(find:*)` does not cover what `find -exec` runs.
    pub(crate) fn allows(&self, part: &Part) -> bool {
        let exact = |text: &String| match self {
            CommandPattern::Exact(spelled) => spelled.is(text),
            CommandPattern::Prefix(_) | CommandPattern::Wildcard(_) => false,
        };
        self.matches(&part.assigned_text())
            || (part.has_harmless_assigns() && self.matches(&part.text))
            || part.inside.iter().any(exact)
    }

    /// For deny and ask rules: in every spelling, wrappers and full program paths included.
    pub(crate) fn hits(&self, part: &Part) -> bool {
        let mut texts = vec![part.text.clone(), part.assigned_text(), part.bare_text()];
        texts.extend(part.inside.iter().cloned());
        texts.extend(part.without_global_options());
        let short: Vec<String> = texts.iter().filter_map(|text| without_folder(text)).collect();
        let bare = self.without_quotes();
        texts.iter().chain(&short).any(|text| self.matches(text) || bare.matches(&no_quotes(text)))
    }

    /// Where quotes stand must not decide whether something is denied.
    fn without_quotes(&self) -> CommandPattern {
        let bare = |s: &Spelled| Spelled { written: no_quotes(&s.written), canonical: no_quotes(&s.canonical) };
        match self {
            CommandPattern::Exact(spelled) => CommandPattern::Exact(bare(spelled)),
            CommandPattern::Prefix(spelled) => CommandPattern::Prefix(bare(spelled)),
            CommandPattern::Wildcard(pieces) => CommandPattern::Wildcard(pieces.iter().map(|p| no_quotes(p)).collect()),
        }
    }

    /// Is it this very command line, written out?
    pub(crate) fn is_line(&self, line: &str) -> bool {
        match self {
            CommandPattern::Exact(spelled) => spelled.written == line.trim(),
            CommandPattern::Prefix(_) | CommandPattern::Wildcard(_) => false,
        }
    }

    /// Does it fit the whole line as it was typed? Only for commands that could not be taken apart.
    pub(crate) fn hits_line(&self, line: &str) -> bool {
        self.matches(&line.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

fn no_quotes(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect()
}

/// `/bin/rm x` as `rm x`.
fn without_folder(text: &str) -> Option<String> {
    let end = text.find(' ').unwrap_or(text.len());
    let slash = text[..end].rfind('/')?;
    Some(text[slash + 1..].to_string())
}

/// Text with its stars taken out: one piece more than there are stars.
fn pieces(spec: &str) -> Vec<String> {
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

/// The text as [`CommandPattern::parse`] reads it back exactly.
pub(crate) fn escape_command(text: &str) -> String {
    text.replace('\\', r"\\").replace('*', r"\*")
}

fn wildcard(pieces: &[String], text: &str) -> bool {
    let [first, middle @ .., last] = pieces else { return false };
    let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
    for piece in middle {
        let Some(at) = rest.find(piece.as_str()) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last.as_str())
}

/// A path pattern, read like a line of a gitignore file: a folder stands for all that is in it.
#[derive(Debug, Clone)]
pub struct PathPattern {
    set: GlobSet,
    /// The path before the first special character.
    fixed: PathBuf,
}

impl PathPattern {
    /// `//x` from the root of the file system, `~/x` from the home folder, `/x` from `base`, `./x` and `x/y` from
    /// `cwd`, a name alone anywhere below `cwd`.
    pub(super) fn parse(spec: &str, home: Option<&Path>, cwd: &Path, base: &Path) -> Result<PathPattern, String> {
        let (folder, rest, anywhere) = match spec {
            _ if spec.starts_with("//") => (Path::new("/"), spec[2..].to_string(), false),
            "~" => (home.ok_or("There is no home folder here.")?, String::new(), false),
            _ if spec.starts_with("~/") => (home.ok_or("There is no home folder here.")?, spec[2..].to_string(), false),
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
        let set = build(&[whole.clone(), format!("{whole}/**")])?;
        Ok(PathPattern { set, fixed })
    }

    pub(crate) fn matches(&self, path: &Path) -> bool {
        self.set.is_match(path)
    }
    /// Does it match whatever may be in this folder?
    pub(crate) fn covers_below(&self, folder: &Path) -> bool {
        self.set.is_match(folder.join("\u{1}any")) && self.set.is_match(folder.join(".\u{1}any"))
    }
    /// Could it match something in this folder?
    pub(crate) fn may_match_below(&self, folder: &Path) -> bool {
        self.fixed.starts_with(folder) || folder.starts_with(&self.fixed)
    }
}

fn build(patterns: &[String]) -> Result<GlobSet, String> {
    if !patterns.iter().all(|pattern| crate::braces::are_sane(pattern)) {
        return Err("its braces are nested too deeply.".into());
    }
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build();
        set.add(glob.map_err(|e| format!("{e}."))?);
    }
    set.build().map_err(|e| format!("{e}."))
}

fn fixed_part(pattern: &str) -> PathBuf {
    let plain = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
    pattern.split('/').take_while(plain).collect()
}

/// An absolute path with `.` and `..` taken out by name, links not followed.
pub(crate) fn lexical(given: &str, home: Option<&Path>, cwd: &Path) -> Option<PathBuf> {
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
