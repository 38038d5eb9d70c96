//! Glob (TL-6): files by name, newest first.

use crate::tool::{CallContext, Here, Outcome, Tool, blocking, interrupted};
use crate::walk::{self, Newest, Times, Unread};
use crate::workspace::{Judged, Workspace};
use async_trait::async_trait;
use cutonce_core::braces;
use cutonce_core::permission::{Access, Rights, Target};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::WalkState;
use schemars::JsonSchema;
use serde::Deserialize;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use tokio_util::sync::CancellationToken;

const MAX_FILES: usize = 100;

#[derive(Debug)]
pub struct Glob;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GlobInput {
    pattern: String,
    /// Folder to search in.
    path: Option<String>,
    #[serde(skip)]
    judged: Judged,
}

/// A pattern taken apart: the folder its plain beginning names, and what has to match below it.
#[derive(Debug, PartialEq, Eq)]
struct Split {
    base: String,
    rest: String,
    /// How deep a match can be; `None` where `**` goes on for ever.
    depth: Option<usize>,
}

#[async_trait]
impl Tool for Glob {
    type Input = GlobInput;

    fn name(&self) -> &'static str {
        "Glob"
    }
    fn description(&self) -> &str {
        include_str!("glob.md")
    }
    fn read_only(&self, _: &GlobInput) -> bool {
        true
    }
    fn touches(&self, input: &GlobInput, here: &Here) -> Result<Access, String> {
        let split = split(&input.pattern, input.path.as_deref())?;
        matcher(&split.rest)?;
        Ok(Access::Read(vec![input.judged.judge(&here.workspace, "path", &split.base)?]))
    }
    fn summary(&self, input: &GlobInput) -> String {
        match &input.path {
            Some(path) => format!("{} in {path}", input.pattern),
            None => input.pattern.clone(),
        }
    }
    async fn run(&self, input: GlobInput, _: Rights, here: &Here, call: &CallContext) -> Outcome {
        let prepared = split(&input.pattern, input.path.as_deref()).and_then(|split| {
            let target = input.judged.target(&here.workspace, "path", &split.base)?;
            Ok((matcher(&split.rest)?, target, split.depth))
        });
        let (matcher, target, depth) = match prepared {
            Ok(prepared) => prepared,
            Err(why) => return Outcome::error(why),
        };
        let workspace = here.workspace.clone();
        blocking(call, move |cancel| glob(&workspace, &target, &matcher, depth, cancel)).await
    }
}

fn glob(
    workspace: &Workspace,
    target: &Target,
    matcher: &Matcher,
    depth: Option<usize>,
    cancel: &CancellationToken,
) -> Outcome {
    match walk::start(workspace, target) {
        Err(why) => return Outcome::error(why),
        Ok(meta) if !meta.is_dir() => {
            return Outcome::error(format!("`path`: expected a folder, got a file: {}", target.given));
        }
        Ok(_) => {}
    }
    let base = target.path.as_os_str().as_bytes();
    let skip = if base == b"/" { 1 } else { base.len() + 1 };
    let (newest, unread) = (Newest::new(MAX_FILES), Unread::default());
    walk::builder(&target.path).max_depth(depth).build_parallel().run(|| {
        let (mut part, mut times) = (newest.part(), Times::default());
        let unread = &unread;
        Box::new(move |entry| {
            if cancel.is_cancelled() {
                return WalkState::Quit;
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    unread.add(error);
                    return WalkState::Continue;
                }
            };
            let below = entry.path().as_os_str().as_bytes().get(skip..).unwrap_or_default();
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink());
            if is_file && matcher.is_match(below) {
                part.add(times.of(entry.path()), entry.path());
            }
            WalkState::Continue
        })
    });
    if cancel.is_cancelled() {
        return interrupted();
    }
    Outcome::text(told(workspace, newest) + &unread.note())
}

fn told(workspace: &Workspace, newest: Newest) -> String {
    let (files, count) = newest.into_sorted();
    if files.is_empty() {
        return "No files found.".into();
    }
    let mut out: Vec<String> = files.iter().map(|path| workspace.shown(path)).collect();
    if count > out.len() {
        out.push(format!("[The {} newest of {count} files. Narrow the pattern for others.]", out.len()));
    }
    out.join("\n")
}

/// What a path below the base must look like.
enum Matcher {
    /// `**/*`: every one does, and none has to be looked at.
    Any,
    /// A set of one: what its regex can't take is an error there, and a panic in a matcher alone.
    One(GlobSet),
}

impl Matcher {
    fn is_match(&self, below: &[u8]) -> bool {
        match self {
            Self::Any => true,
            Self::One(set) => set.is_match(Path::new(OsStr::from_bytes(below))),
        }
    }
}

fn matcher(rest: &str) -> Result<Matcher, String> {
    if matches!(rest, "**" | "**/*") {
        return Ok(Matcher::Any);
    }
    if !braces::are_sane(rest) {
        return Err(format!("`pattern`: expected braces nested at most {} deep", braces::DEEPEST));
    }
    let glob = GlobBuilder::new(rest).literal_separator(true).build();
    glob.and_then(|glob| GlobSetBuilder::new().add(glob).build())
        .map(Matcher::One)
        .map_err(|error| format!("`pattern`: expected a glob, got {rest:?}: {}", error.kind()))
}

/// The plain folders at the pattern's start belong to the base, so that the decision is about what is searched.
fn split(pattern: &str, path: Option<&str>) -> Result<Split, String> {
    if pattern.is_empty() || pattern.contains('\0') {
        return Err(format!("`pattern`: expected a glob like `src/**/*.rs`, got {pattern:?}"));
    }
    let is_plain = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
    let parts: Vec<&str> = pattern.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let plain = parts.iter().take(parts.len().saturating_sub(1)).take_while(|part| is_plain(part)).count();
    let (before, rest) = parts.split_at(plain);
    if rest.is_empty() || rest.contains(&"..") {
        return Err(format!("`pattern`: expected `..` only at the start, got {pattern:?}"));
    }
    let mut base = if pattern.starts_with('/') { "/".to_string() } else { String::new() };
    base.push_str(&before.join("/"));
    let base = match path {
        _ if base.starts_with('/') || base == "~" || base.starts_with("~/") => base,
        Some(path) if base.is_empty() => path.to_string(),
        Some(path) => format!("{path}/{base}"),
        None if base.is_empty() => ".".into(),
        None => base,
    };
    let anywhere = !pattern.contains('/');
    let rest = if anywhere { format!("**/{pattern}") } else { rest.join("/") };
    // Braces may hold slashes, and then the depth is not to be counted.
    let depth = (!rest.contains("**") && !rest.contains('{')).then(|| rest.split('/').count());
    Ok(Split { base, rest, depth })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tl_6_patterns_are_split_where_they_stop_being_plain() {
        let cases = [
            ("*.rs", None, (".", "**/*.rs", None)),
            ("*.rs", Some("src"), ("src", "**/*.rs", None)),
            ("lib.rs", None, (".", "**/lib.rs", None)),
            ("src/lib.rs", None, ("src", "lib.rs", Some(1))),
            ("./src/*/x.rs", None, ("src", "*/x.rs", Some(2))),
            ("src/**/*.rs", Some("a"), ("a/src", "**/*.rs", None)),
            ("../other/*.md", None, ("../other", "*.md", Some(1))),
            ("/etc/*.conf", Some("a"), ("/etc", "*.conf", Some(1))),
            ("/*", None, ("/", "*", Some(1))),
            ("~/x/*", None, ("~/x", "*", Some(1))),
            ("{a/b,c}/*.rs", None, (".", "{a/b,c}/*.rs", None)),
        ];
        for (pattern, path, (base, rest, depth)) in cases {
            assert_eq!(split(pattern, path), Ok(Split { base: base.into(), rest: rest.into(), depth }), "{pattern}");
        }
        for bad in ["", "*/../x", "..", "a\0b"] {
            assert!(split(bad, None).unwrap_err().starts_with("`pattern`"), "{bad:?}");
        }
        let refused = |pattern: &str| matcher(pattern).err().unwrap();
        assert!(refused("a[").starts_with("`pattern`: expected a glob"));
        for deep in [260, 50_000] {
            let pattern = format!("{}a{}", "{".repeat(deep), "}".repeat(deep));
            assert!(refused(&pattern).starts_with("`pattern`: expected braces"), "{deep}");
        }
    }
}
