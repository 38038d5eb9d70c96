//! Grep (TL-7): ripgrep's engine as a library, with its walk, its literal optimisations and its threads.
//!
//! One difference from `rg`: files are never mapped into memory, because a file that another process truncates
//! meanwhile would crash the whole program.

mod results;
mod sinks;

use crate::disk::{FileAccess, HiddenFilter, SearchFilter};
use crate::env::{CallContext, ToolEnv};
use crate::files::walk::{self, UnreadPaths};
use crate::tool::{Tool, ToolError, ToolOutcome, interrupted_outcome, run_blocking};
use crate::workspace::{DecidedTarget, Workspace};
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights, PathTarget};
use cutonce_core::text::glob_braces;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::overrides::OverrideBuilder;
use ignore::types::TypesBuilder;
use ignore::{DirEntry, WalkBuilder, WalkState};
use results::SearchResults;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fs::File;
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// Lines or files shown if no limit is given.
const DEFAULT_LIMIT: usize = 250;
/// Longer lines, or in multiline mode larger files, are not searched.
const MAX_HEAP: usize = 512 << 20;

#[derive(Debug)]
pub struct GrepTool;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrepInput {
    pattern: String,
    /// File or folder; default: the project root.
    path: Option<String>,
    glob: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    output_mode: Option<GrepOutput>,
    /// Ignore case.
    #[serde(rename = "-i")]
    ignore_case: Option<bool>,
    /// Line numbers; default true.
    #[serde(rename = "-n")]
    numbers: Option<bool>,
    #[serde(rename = "-A")]
    after: Option<usize>,
    #[serde(rename = "-B")]
    before: Option<usize>,
    #[serde(rename = "-C")]
    around: Option<usize>,
    multiline: Option<bool>,
    /// Most lines (files, counts) shown; default 250.
    head_limit: Option<usize>,
    #[serde(skip)]
    judged: DecidedTarget,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrepOutput {
    Content,
    #[default]
    FilesWithMatches,
    Count,
}

#[async_trait]
impl Tool for GrepTool {
    type Input = GrepInput;

    fn name(&self) -> &'static str {
        "Grep"
    }
    fn description(&self) -> &str {
        include_str!("grep.md")
    }
    fn read_only(&self, _: &GrepInput) -> bool {
        true
    }
    fn access(&self, input: &GrepInput, here: &ToolEnv) -> Result<Access, ToolError> {
        if input.pattern.is_empty() {
            return Err("`pattern`: expected a regular expression, got an empty string".into());
        }
        if input.head_limit == Some(0) {
            return Err("`head_limit`: expected at least 1, got 0".into());
        }
        Ok(Access::Read(vec![input.judged.resolve(&here.workspace, "path", given_path(input))?]))
    }
    fn summary(&self, input: &GrepInput) -> String {
        match &input.path {
            Some(path) => format!("{} in {path}", input.pattern),
            None => input.pattern.clone(),
        }
    }
    async fn run(&self, input: GrepInput, _: CallRights, here: &ToolEnv, call: &CallContext) -> ToolOutcome {
        let target = match input.judged.decided(&here.workspace, "path", given_path(&input)) {
            Ok(target) => target,
            Err(why) => return ToolOutcome::error(why),
        };
        let (disk, workspace) = (here.disk.clone(), here.workspace.clone());
        run_blocking(call, move |cancel| {
            let search = GrepSearch::new(&input, &workspace);
            let found = search.and_then(|search| search.run_search(&disk, &target, &input, cancel));
            if cancel.is_cancelled() {
                interrupted_outcome()
            } else {
                found.map_or_else(ToolOutcome::error, ToolOutcome::text)
            }
        })
        .await
    }
}

fn given_path(input: &GrepInput) -> &str {
    input.path.as_deref().unwrap_or(".")
}

/// Files that a search must not open.
struct ExcludedFiles<'a> {
    folder: &'a Path,
    hidden: Option<HiddenFilter>,
    unsearched: Option<SearchFilter>,
}

impl<'a> ExcludedFiles<'a> {
    fn for_folder(disk: &FileAccess, folder: &'a Path) -> Self {
        Self { folder, hidden: disk.hidden(), unsearched: disk.search_filter() }
    }
    fn hides(&self, file: &Path) -> bool {
        self.hidden.as_ref().is_some_and(|hidden| hidden(file))
    }
    fn is_ruled_out(&self, file: &Path) -> bool {
        self.unsearched.as_ref().is_some_and(|unsearched| unsearched(self.folder, file))
    }
}

/// One search, ready for the threads.
struct GrepSearch<'a> {
    workspace: &'a Workspace,
    matcher: RegexMatcher,
    searcher: SearcherBuilder,
    mode: GrepOutput,
    numbers: bool,
    limit: usize,
}

impl<'a> GrepSearch<'a> {
    fn new(input: &GrepInput, workspace: &'a Workspace) -> Result<Self, ToolError> {
        let mode = input.output_mode.unwrap_or_default();
        let content = mode == GrepOutput::Content;
        let numbers = content && input.numbers.unwrap_or(true);
        let around = |lines: Option<usize>| if content { lines.or(input.around).unwrap_or(0) } else { 0 };
        let mut searcher = SearcherBuilder::new();
        searcher
            .line_number(numbers)
            .multi_line(input.multiline.unwrap_or(false))
            .before_context(around(input.before))
            .after_context(around(input.after))
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MAX_HEAP));
        let limit = input.head_limit.unwrap_or(DEFAULT_LIMIT);
        Ok(Self { workspace, matcher: build_matcher(input)?, searcher, mode, numbers, limit })
    }

    fn run_search(
        &self,
        disk: &FileAccess,
        target: &PathTarget,
        input: &GrepInput,
        cancel: &CancellationToken,
    ) -> Result<String, ToolError> {
        let meta = walk::check_search_root(self.workspace, target)?;
        let collected = SearchResults::new(self.mode, self.limit);
        let unread = UnreadPaths::default();
        if meta.is_dir() {
            let walk = narrow_walk(walk::walk_builder(&target.path), &target.path, input)?;
            self.search_folder(&walk, &ExcludedFiles::for_folder(disk, &target.path), &collected, &unread, cancel);
        } else {
            self.search_file(disk, &target.path, &collected)?;
        }
        Ok(collected.into_text(self.workspace) + &unread.note())
    }

    fn search_folder(
        &self,
        walk: &WalkBuilder,
        kept: &ExcludedFiles<'_>,
        collected: &SearchResults,
        unread: &UnreadPaths,
        cancel: &CancellationToken,
    ) {
        walk::visit_entries(walk, cancel, unread, || {
            let mut searcher = self.searcher.build();
            let mut part = collected.thread_part();
            move |entry: &DirEntry| {
                if collected.is_past(entry.path()) {
                    return WalkState::Skip;
                }
                let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
                if is_file && kept.is_ruled_out(entry.path()) {
                    unread.add(format!("{}: a permission rule excludes it", self.workspace.display_path(entry.path())));
                } else if is_file && !kept.hides(entry.path()) {
                    self.search_entry(&mut searcher, entry, &mut part, unread);
                }
                WalkState::Continue
            }
        });
    }

    fn search_entry(
        &self,
        searcher: &mut Searcher,
        entry: &DirEntry,
        part: &mut results::ResultsPart<'_>,
        unread: &UnreadPaths,
    ) {
        let modified = || walk::modified_time(entry);
        let outcome = crate::disk::open_listed(entry.path())
            .and_then(|file| self.search_opened(searcher, &file, entry.path(), part, &modified));
        match outcome {
            Ok(_) => {}
            // Removed since it was listed: nothing to report.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => unread.add(format!("{}: {error}", self.workspace.display_path(entry.path()))),
        }
    }

    fn search_file(&self, disk: &FileAccess, path: &Path, collected: &SearchResults) -> Result<(), ToolError> {
        let opened = disk.open(path).map_err(|error| error.to_string())?;
        let modified = || opened.file.metadata().and_then(|meta| meta.modified()).unwrap_or(std::time::UNIX_EPOCH);
        let shown = self.workspace.display_path(path);
        let mut searcher = self.searcher.build();
        let mut part = collected.thread_part();
        match self.search_opened(&mut searcher, &opened.file, path, &mut part, &modified) {
            Ok(SearchedKind::Text) => Ok(()),
            Ok(SearchedKind::Binary) => Err(format!("{shown} is a binary file; it can't be searched as text.").into()),
            Err(error) => Err(format!("Can't search {shown}: {error}.").into()),
        }
    }

    fn search_opened(
        &self,
        searcher: &mut Searcher,
        file: &File,
        path: &Path,
        part: &mut results::ResultsPart<'_>,
        modified: &dyn Fn() -> std::time::SystemTime,
    ) -> std::io::Result<SearchedKind> {
        let binary = match self.mode {
            GrepOutput::FilesWithMatches => {
                let mut sink = sinks::AnyMatchSink::default();
                searcher.search_file(&self.matcher, file, &mut sink)?;
                if sink.found {
                    part.add_file(modified(), path);
                }
                sink.binary
            }
            GrepOutput::Count => {
                let mut sink = sinks::CountSink::default();
                searcher.search_file(&self.matcher, file, &mut sink)?;
                if sink.count > 0 && !sink.binary {
                    part.add_count(path, sink.count);
                }
                sink.binary
            }
            GrepOutput::Content => {
                // One line more than shown tells whether there are more.
                let mut sink =
                    sinks::LineSink::new(&self.matcher, part.buffer(), self.numbers, self.limit.saturating_add(1));
                searcher.search_file(&self.matcher, file, &mut sink)?;
                let (lines, binary) = (sink.lines, sink.binary);
                part.finish_lines(path, if binary { 0 } else { lines });
                binary
            }
        };
        Ok(if binary { SearchedKind::Binary } else { SearchedKind::Text })
    }
}

/// Detected kind of a searched file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchedKind {
    Text,
    Binary,
}

/// Builds the matcher as `rg` does.
fn build_matcher(input: &GrepInput) -> Result<RegexMatcher, ToolError> {
    let multiline = input.multiline.unwrap_or(false);
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .case_insensitive(input.ignore_case.unwrap_or(false))
        .dot_matches_new_line(multiline);
    if !multiline {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(&input.pattern).map_err(|error| pattern_error(&input.pattern, &error.to_string()))
}

/// Common mistakes and what to write instead. The first matching row is shown.
const HINTS: &[(&str, &str)] = &[
    ("repetition", "For a literal brace write `\\{` or `\\}`."),
    ("look-around", "Look-around is not supported; search for less and look through the results."),
    ("backreferences", "Backreferences are not supported; search for less and look through the results."),
    ("\"\\n\"", "To match across lines set multiline."),
    ("unclosed", "To find a bracket itself write `\\(`, `\\[` or `\\{`."),
    ("unopened", "To find a bracket itself write `\\)`, `\\]` or `\\}`."),
];

fn pattern_error(pattern: &str, error: &str) -> ToolError {
    let hint = HINTS.iter().find(|(sign, _)| error.contains(sign)).map_or("", |(_, hint)| hint);
    format!("`pattern`: expected a regular expression, got {pattern:?}: {}\n{hint}", error.trim_end()).trim_end().into()
}

/// Applies `glob` and `type` as `rg -g` and `rg -t` do.
fn narrow_walk(mut walk: WalkBuilder, base: &Path, input: &GrepInput) -> Result<WalkBuilder, ToolError> {
    if let Some(glob) = &input.glob {
        if !glob_braces::is_within_brace_limit(glob) {
            return Err(format!("`glob`: expected braces nested at most {} deep", glob_braces::MAX_BRACE_DEPTH).into());
        }
        let mut overrides = OverrideBuilder::new(base);
        let added = overrides.add(glob).and_then(|overrides| overrides.build());
        walk.overrides(added.map_err(|error| format!("`glob`: expected a glob like `*.ts`, got {glob:?}: {error}"))?);
    }
    if let Some(kind) = &input.kind {
        let mut types = TypesBuilder::new();
        types.add_defaults().select(kind);
        walk.types(types.build().map_err(|_| type_error(kind, &types))?);
    }
    Ok(walk)
}

fn type_error(kind: &str, types: &TypesBuilder) -> String {
    let names: Vec<String> = types.definitions().iter().map(|def| def.name().to_string()).collect();
    // A file extension is often given instead of a type name.
    let ending = format!("*.{kind}");
    let by_ending =
        types.definitions().iter().find(|def| def.globs().contains(&ending)).map(|def| def.name().to_string());
    let alike = |name: &String| strsim::jaro_winkler(name, kind);
    let nearest = by_ending.or_else(|| names.into_iter().max_by(|a, b| alike(a).total_cmp(&alike(b))));
    let nearest = nearest.unwrap_or_else(|| "rust".into());
    format!(
        "`type`: expected a type that ripgrep knows, got {kind:?}. Did you mean `{nearest}`? Or use glob: `*.{kind}`."
    )
}
