//! Paths in plans: which words are paths, and which paths a contract may contain. Nothing here leaves the workspace.

use super::PlannedKind;
use crate::text::glob_braces::is_within_brace_limit;
use globset::{GlobBuilder, GlobMatcher};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

const MAX_PATH_BYTES: usize = 4_096;

/// File extensions that make a word in backticks a path.
const EXTENSIONS: &[&str] = &[
    "adoc",
    "astro",
    "bash",
    "bat",
    "bazel",
    "c",
    "cc",
    "cfg",
    "cjs",
    "clj",
    "cmake",
    "conf",
    "cpp",
    "cs",
    "csproj",
    "css",
    "csv",
    "cts",
    "cxx",
    "dart",
    "diff",
    "ejs",
    "elm",
    "erb",
    "erl",
    "ex",
    "exs",
    "fish",
    "go",
    "gradle",
    "graphql",
    "h",
    "haml",
    "hbs",
    "hcl",
    "hpp",
    "hrl",
    "hs",
    "htm",
    "html",
    "http",
    "hxx",
    "ini",
    "ipynb",
    "java",
    "jl",
    "jpg",
    "js",
    "json",
    "json5",
    "jsonc",
    "jsonl",
    "jsx",
    "kt",
    "kts",
    "less",
    "liquid",
    "lock",
    "lua",
    "m",
    "md",
    "mdx",
    "mjs",
    "mk",
    "ml",
    "mli",
    "mod",
    "mts",
    "nim",
    "nix",
    "patch",
    "php",
    "pl",
    "plist",
    "png",
    "prisma",
    "properties",
    "proto",
    "ps1",
    "pug",
    "py",
    "pyi",
    "rake",
    "rb",
    "rs",
    "rst",
    "sass",
    "scala",
    "scm",
    "scss",
    "sh",
    "snap",
    "sol",
    "sql",
    "story",
    "sum",
    "svelte",
    "svg",
    "swift",
    "tex",
    "tf",
    "tfvars",
    "toml",
    "ts",
    "tsx",
    "txt",
    "vue",
    "xml",
    "yaml",
    "yml",
    "zig",
    "zsh",
];

/// Names of products that end like a file.
const PRODUCTS: &[&str] = &[
    "alpine.js",
    "backbone.js",
    "chart.js",
    "d3.js",
    "discord.js",
    "ember.js",
    "express.js",
    "next.js",
    "node.js",
    "nuxt.js",
    "react.js",
    "socket.io",
    "solid.js",
    "three.js",
    "vue.js",
];

/// First parts of words with a slash that are no paths: media types and branches.
const NO_FOLDERS: &[&str] = &[
    "application",
    "text",
    "image",
    "audio",
    "video",
    "multipart",
    "font",
    "origin",
    "upstream",
    "refs",
    "http:",
    "https:",
];

/// A path with an optional line, as in `src/a.rs:12`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathReference<'a> {
    pub path: &'a str,
    pub line: Option<u32>,
}

/// Splits `src/a.rs:12-30`, `src/a.rs:12:5` and `src/a.rs#L12` into path and last line.
pub(super) fn split_reference(word: &str) -> PathReference<'_> {
    if let Some((path, lines)) = word.split_once("#L") {
        let number = lines.rsplit(['-', 'L']).next().and_then(|digits| digits.parse().ok());
        return PathReference { path, line: number };
    }
    let Some((path, tail)) = word.split_once(':') else { return PathReference { path: word, line: None } };
    let numeric = !tail.is_empty() && tail.bytes().all(|byte| byte.is_ascii_digit() || b"-:,".contains(&byte));
    if !numeric || path.is_empty() {
        return PathReference { path: word, line: None };
    }
    let lines = tail.split(':').next().unwrap_or_default();
    let last = lines.split(['-', ',']).filter_map(|digits| digits.parse().ok()).max();
    PathReference { path, line: last }
}

/// True if the word is a path by its look: a slash or a known extension.
pub(super) fn is_path_like(word: &str) -> bool {
    let path = split_reference(word).path;
    let odd = |c: char| c.is_whitespace() || c.is_control() || "<>|;&=()\"'`$!\\^,".contains(c);
    let named = |list: &[&str], name: &str| list.contains(&name.to_ascii_lowercase().as_str());
    if path.is_empty() || path.len() > MAX_PATH_BYTES || path.contains("://") || path.contains("::") {
        return false;
    }
    if path.starts_with(['-', '@', '#', ':', '%']) || is_odd(path, odd) || named(PRODUCTS, path) {
        return false;
    }
    let letters = path.chars().any(char::is_alphabetic) || path.contains('*');
    match path.split_once('/') {
        Some((first, _)) => {
            let words_only =
                !path.contains('.') && path.chars().any(char::is_uppercase) && !path.chars().any(char::is_lowercase);
            let excluded = named(NO_FOLDERS, first) || path == "/" || words_only || path.contains("//");
            letters && !excluded
        }
        None => has_known_extension(path),
    }
}

/// Commas are fine in braces: `src/{a,b}.rs`.
fn is_odd(path: &str, odd: impl Fn(char) -> bool) -> bool {
    let mut depth = 0_i32;
    path.chars().any(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        odd(c) && !(c == ',' && depth > 0)
    })
}

fn has_known_extension(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let dotfile = stem.is_empty() && name.len() > 3;
    let plain = |c: char| c.is_alphanumeric() || "_-.*+[]{},~".contains(c);
    dotfile && name.chars().skip(1).all(|c| c.is_ascii_lowercase() || c == '_' || c == '-')
        || (!stem.is_empty() && EXTENSIONS.contains(&extension) && name.chars().all(plain))
        || name.starts_with(".env")
}

/// True if a word in backticks may be the name of an existing file: `Makefile`.
pub(super) fn may_be_name(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    word.len() <= 100 && word.chars().all(plain) && word.chars().any(char::is_alphabetic) && !word.starts_with('-')
}

/// Path relative to the workspace, or why a contract can't contain it.
pub(super) fn normalize_path(given: &str, root: &str) -> Result<String, &'static str> {
    let path = split_reference(given).path;
    if path.len() > MAX_PATH_BYTES {
        return Err("the path is too long");
    }
    if path.chars().any(char::is_control) || crate::text::sanitize::reveal_hidden(path) != path {
        return Err("the name contains characters that can't be seen");
    }
    let inside = match path.strip_prefix(root.trim_end_matches('/')) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') && !root.is_empty() => rest.trim_start_matches('/'),
        _ => path,
    };
    let drive = inside.as_bytes().get(1) == Some(&b':') && inside.as_bytes()[0].is_ascii_alphabetic();
    if inside.starts_with(['/', '~', '$']) || inside.starts_with("\\\\") || drive {
        return Err("the path is outside the workspace");
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in inside.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() => return Err("the path is outside the workspace"),
            ".." => {}
            part => parts.push(part),
        }
    }
    let mut clean = parts.join("/");
    if clean.is_empty() {
        clean.push('.');
    } else if inside.ends_with('/') {
        clean.push('/');
    }
    if is_glob(&clean) && glob(&clean).is_none() {
        return Err("the glob is not valid");
    }
    Ok(clean)
}

/// True if the path can match several files. Brackets are part of names: `app/[id]/page.tsx`.
pub(in crate::plan) fn is_glob(path: &str) -> bool {
    path.contains(['*', '?']) || (path.contains('{') && path.contains(',') && path.contains('}'))
}

/// Compiled globs that a thread keeps; with more, it starts over.
const MAX_KEPT_GLOBS: usize = 1_024;

thread_local! {
    /// Compiling takes far longer than matching, and progress compares every write with every step.
    static KEPT_GLOBS: RefCell<HashMap<String, Option<GlobMatcher>>> = RefCell::default();
}

fn matches_glob(pattern: &str, path: &str) -> bool {
    KEPT_GLOBS.with_borrow_mut(|kept| {
        if kept.len() >= MAX_KEPT_GLOBS && !kept.contains_key(pattern) {
            kept.clear();
        }
        if !kept.contains_key(pattern) {
            kept.insert(pattern.to_string(), glob(pattern));
        }
        kept.get(pattern).and_then(Option::as_ref).is_some_and(|glob| glob.is_match(path))
    })
}

fn glob(pattern: &str) -> Option<GlobMatcher> {
    if !is_within_brace_limit(pattern) {
        return None;
    }
    let literal = pattern.replace('[', "\u{0}").replace(']', "[]]").replace('\u{0}', "[[]");
    let built = GlobBuilder::new(&literal).literal_separator(true).backslash_escape(false).build();
    built.ok().map(|glob| glob.compile_matcher())
}

/// True if a planned path covers this file: it is the file, a folder above it, or a glob that matches it. Both are
/// relative to the workspace.
pub fn matches_path(planned: &str, path: &str) -> bool {
    let folder = planned.trim_end_matches('/');
    if planned == path || folder == "." {
        return true;
    }
    if path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')) {
        return true;
    }
    is_glob(planned) && matches_glob(planned, path)
}

/// Planned paths with a number each, found by the file that they cover, as `matches_path` does: a file reads its own
/// folders instead of all planned paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::plan) struct PlannedPaths {
    files: BTreeMap<String, Vec<usize>>,
    /// Paths without a slash at the end: each can be a folder.
    folders: BTreeMap<String, Vec<usize>>,
    /// Globs, and paths that cover the whole workspace.
    patterns: Vec<(String, usize)>,
}

impl PlannedPaths {
    pub fn add(&mut self, planned: &str, number: usize) {
        let folder = planned.trim_end_matches('/');
        if is_glob(planned) || folder.is_empty() || folder == "." {
            return self.patterns.push((planned.to_string(), number));
        }
        self.files.entry(planned.to_string()).or_default().push(number);
        self.folders.entry(folder.to_string()).or_default().push(number);
    }

    /// Numbers of the planned paths that cover this file; one can come twice.
    pub fn covering(&self, path: &str) -> impl Iterator<Item = usize> {
        let above = path.match_indices('/').filter_map(|(end, _)| self.folders.get(&path[..end]));
        let named = self.files.get(path).into_iter().chain(above).flatten().copied();
        let matching = self.patterns.iter().filter(move |(pattern, _)| matches_path(pattern, path));
        named.chain(matching.map(|(_, number)| *number))
    }
}

/// True if the pattern covers the whole workspace, or all of its folders.
pub(super) fn matches_everything(pattern: &str) -> bool {
    ["zz/q.x", "Zz/w/e/r.t", "0/_"].into_iter().all(|path| matches_path(pattern, path))
}

/// The kind of a mark such as `(new)`.
pub(super) fn kind_mark(word: &str) -> Option<PlannedKind> {
    let inner = word.trim_matches(|c: char| "()[]*_,;.".contains(c)).to_ascii_lowercase();
    match inner.as_str() {
        "new" | "create" | "created" | "new file" | "add" | "added" => Some(PlannedKind::New),
        "delete" | "deleted" | "remove" | "removed" => Some(PlannedKind::Delete),
        "change" | "changed" | "modify" | "modified" | "update" | "updated" | "edit" | "edited" | "existing" => {
            Some(PlannedKind::Change)
        }
        "any" => Some(PlannedKind::Any),
        _ => None,
    }
}
