//! Glob (TL-6): finds files by name, newest first.

use crate::env::{CallContext, ToolEnv};
use crate::files::walk::{self, ModifiedTimes, NewestFiles, UnreadPaths};
use crate::tool::{Tool, ToolError, ToolOutcome, interrupted_outcome, run_blocking};
use crate::workspace::{DecidedTarget, Workspace};
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights, PathTarget};
use cutonce_core::text::glob_braces;
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
pub struct GlobTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GlobInput {
    pattern: String,
    /// Folder to search in.
    path: Option<String>,
    #[serde(skip)]
    judged: DecidedTarget,
}

/// A pattern split into the folder that its plain beginning names and the part to match below it.
#[derive(Debug, PartialEq, Eq)]
struct SplitPattern {
    base: String,
    rest: String,
    /// Maximum depth of a match; `None` for `**`.
    depth: Option<usize>,
}

#[async_trait]
impl Tool for GlobTool {
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
    fn access(&self, input: &GlobInput, here: &ToolEnv) -> Result<Access, ToolError> {
        let split = split_pattern(&input.pattern, input.path.as_deref())?;
        build_matcher(&split.rest)?;
        Ok(Access::Read(vec![input.judged.resolve(&here.workspace, "path", &split.base)?]))
    }
    fn summary(&self, input: &GlobInput) -> String {
        match &input.path {
            Some(path) => format!("{} in {path}", input.pattern),
            None => input.pattern.clone(),
        }
    }
    async fn run(&self, input: GlobInput, _: CallRights, here: &ToolEnv, call: &CallContext) -> ToolOutcome {
        let prepared = split_pattern(&input.pattern, input.path.as_deref()).and_then(|split| {
            let target = input.judged.decided(&here.workspace, "path", &split.base)?;
            Ok((build_matcher(&split.rest)?, target, split.depth))
        });
        let (matcher, target, depth) = match prepared {
            Ok(prepared) => prepared,
            Err(why) => return ToolOutcome::error(why),
        };
        let workspace = here.workspace.clone();
        run_blocking(call, move |cancel| find_files(&workspace, &target, &matcher, depth, cancel)).await
    }
}

fn find_files(
    workspace: &Workspace,
    target: &PathTarget,
    matcher: &GlobMatcher,
    depth: Option<usize>,
    cancel: &CancellationToken,
) -> ToolOutcome {
    match walk::check_search_root(workspace, target) {
        Err(why) => return ToolOutcome::error(why),
        Ok(meta) if !meta.is_dir() => {
            return ToolOutcome::error(format!("`path`: expected a folder, got a file: {}", target.given));
        }
        Ok(_) => {}
    }
    let base = target.path.as_os_str().as_bytes();
    let skip = if base == b"/" { 1 } else { base.len() + 1 };
    let (newest, unread) = (NewestFiles::new(MAX_FILES), UnreadPaths::default());
    walk::visit_entries(walk::walk_builder(&target.path).max_depth(depth), cancel, &unread, || {
        let (mut part, mut times) = (newest.thread_part(), ModifiedTimes::default());
        move |entry| {
            let below = entry.path().as_os_str().as_bytes().get(skip..).unwrap_or_default();
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink());
            if is_file && matcher.is_match(below) {
                part.add(times.modified_time(entry.path()), entry.path());
            }
            WalkState::Continue
        }
    });
    if cancel.is_cancelled() {
        return interrupted_outcome();
    }
    ToolOutcome::text(result_text(workspace, newest) + &unread.note())
}

fn result_text(workspace: &Workspace, newest: NewestFiles) -> String {
    let (files, count) = newest.into_sorted();
    if files.is_empty() {
        return "No files found.".into();
    }
    let mut out: Vec<String> = files.iter().map(|path| workspace.display_path(path)).collect();
    if count > out.len() {
        out.push(format!("[The {} newest of {count} files. Narrow the pattern for others.]", out.len()));
    }
    out.join("\n")
}

/// Matches paths below the base.
enum GlobMatcher {
    /// `**/*`: matches everything without a look at the path.
    Any,
    /// A set of one glob: a pattern that its regex can't handle is an error here, but a panic in a single matcher.
    One(GlobSet),
}

impl GlobMatcher {
    fn is_match(&self, below: &[u8]) -> bool {
        match self {
            Self::Any => true,
            Self::One(set) => set.is_match(Path::new(OsStr::from_bytes(below))),
        }
    }
}

fn build_matcher(rest: &str) -> Result<GlobMatcher, ToolError> {
    if matches!(rest, "**" | "**/*") {
        return Ok(GlobMatcher::Any);
    }
    if !glob_braces::is_within_brace_limit(rest) {
        return Err(format!("`pattern`: expected braces nested at most {} deep", glob_braces::MAX_BRACE_DEPTH).into());
    }
    let glob = GlobBuilder::new(rest).literal_separator(true).build();
    glob.and_then(|glob| GlobSetBuilder::new().add(glob).build())
        .map(GlobMatcher::One)
        .map_err(|error| format!("`pattern`: expected a glob, got {rest:?}: {}", error.kind()).into())
}

/// Splits a pattern: its plain leading folders belong to the base, so that the decision is about what is searched.
fn split_pattern(pattern: &str, path: Option<&str>) -> Result<SplitPattern, ToolError> {
    if pattern.is_empty() || pattern.contains('\0') {
        return Err(format!("`pattern`: expected a glob like `src/**/*.rs`, got {pattern:?}").into());
    }
    let is_plain = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
    let parts: Vec<&str> = pattern.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let plain = parts.iter().take(parts.len().saturating_sub(1)).take_while(|part| is_plain(part)).count();
    let (before, rest) = parts.split_at(plain);
    if rest.is_empty() || rest.contains(&"..") {
        return Err(format!("`pattern`: expected `..` only at the start, got {pattern:?}").into());
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
    // Braces may contain slashes; then the depth is unknown.
    let depth = (!rest.contains("**") && !rest.contains('{')).then(|| rest.split('/').count());
    Ok(SplitPattern { base, rest, depth })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tl_6_patterns_are_split_at_the_first_wildcard() {
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
            assert_eq!(
                split_pattern(pattern, path),
                Ok(SplitPattern { base: base.into(), rest: rest.into(), depth }),
                "{pattern}"
            );
        }
        for bad in ["", "*/../x", "..", "a\0b"] {
            assert!(split_pattern(bad, None).unwrap_err().as_str().starts_with("`pattern`"), "{bad:?}");
        }
        let refused = |pattern: &str| build_matcher(pattern).err().unwrap();
        assert!(refused("a[").as_str().starts_with("`pattern`: expected a glob"));
        for deep in [260, 50_000] {
            let pattern = format!("{}a{}", "{".repeat(deep), "}".repeat(deep));
            assert!(refused(&pattern).as_str().starts_with("`pattern`: expected braces"), "{deep}");
        }
    }
}
