//! Grep (TL-7): ripgrep's engine as a library, with its walk, its literal optimisations and its threads.
//!
//! One thing is not as `rg` has it: files are never mapped into memory, because a file that another process
//! truncates meanwhile would end the whole program.

mod collect;
mod sinks;

use crate::disk::{Disk, Hidden, Unsearched};
use crate::tool::{CallContext, Here, Outcome, Tool, blocking, interrupted};
use crate::walk::{self, Unread};
use crate::workspace::{Judged, Workspace};
use async_trait::async_trait;
use collect::Collected;
use cutonce_core::braces;
use cutonce_core::permission::{Access, Rights, Target};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::overrides::OverrideBuilder;
use ignore::types::TypesBuilder;
use ignore::{DirEntry, WalkBuilder, WalkState};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fs::File;
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// Lines or files shown when no limit is given.
const DEFAULT_LIMIT: usize = 250;
/// A line longer than this, or in multiline mode a file, is not searched.
const HEAP: usize = 512 << 20;

#[derive(Debug)]
pub struct Grep;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrepInput {
    pattern: String,
    /// File or folder; default: the project root.
    path: Option<String>,
    glob: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    output_mode: Option<OutputMode>,
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
    judged: Judged,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputMode {
    Content,
    #[default]
    FilesWithMatches,
    Count,
}

#[async_trait]
impl Tool for Grep {
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
    fn touches(&self, input: &GrepInput, here: &Here) -> Result<Access, String> {
        if input.pattern.is_empty() {
            return Err("`pattern`: expected a regular expression, got an empty string".into());
        }
        if input.head_limit == Some(0) {
            return Err("`head_limit`: expected at least 1, got 0".into());
        }
        Ok(Access::Read(vec![input.judged.judge(&here.workspace, "path", given(input))?]))
    }
    fn summary(&self, input: &GrepInput) -> String {
        match &input.path {
            Some(path) => format!("{} in {path}", input.pattern),
            None => input.pattern.clone(),
        }
    }
    async fn run(&self, input: GrepInput, _: Rights, here: &Here, call: &CallContext) -> Outcome {
        let target = match input.judged.target(&here.workspace, "path", given(&input)) {
            Ok(target) => target,
            Err(why) => return Outcome::error(why),
        };
        let (disk, workspace) = (here.disk.clone(), here.workspace.clone());
        blocking(call, move |cancel| {
            let search = Search::new(&input, &workspace);
            let found = search.and_then(|search| search.run(&disk, &target, &input, cancel));
            if cancel.is_cancelled() { interrupted() } else { found.map_or_else(Outcome::error, Outcome::text) }
        })
        .await
    }
}

fn given(input: &GrepInput) -> &str {
    input.path.as_deref().unwrap_or(".")
}

/// What a search must not open.
struct Kept<'a> {
    folder: &'a Path,
    hidden: Option<Hidden>,
    unsearched: Option<Unsearched>,
}

impl<'a> Kept<'a> {
    fn of(disk: &Disk, folder: &'a Path) -> Self {
        Self { folder, hidden: disk.hidden(), unsearched: disk.unsearched() }
    }
    fn hides(&self, file: &Path) -> bool {
        self.hidden.as_ref().is_some_and(|hidden| hidden(file))
    }
    fn is_ruled_out(&self, file: &Path) -> bool {
        self.unsearched.as_ref().is_some_and(|unsearched| unsearched(self.folder, file))
    }
}

/// One search, ready to be given to the threads.
struct Search<'a> {
    workspace: &'a Workspace,
    matcher: RegexMatcher,
    searcher: SearcherBuilder,
    mode: OutputMode,
    numbers: bool,
    limit: usize,
}

impl<'a> Search<'a> {
    fn new(input: &GrepInput, workspace: &'a Workspace) -> Result<Self, String> {
        let mode = input.output_mode.unwrap_or_default();
        let content = mode == OutputMode::Content;
        let numbers = content && input.numbers.unwrap_or(true);
        let around = |lines: Option<usize>| if content { lines.or(input.around).unwrap_or(0) } else { 0 };
        let mut searcher = SearcherBuilder::new();
        searcher
            .line_number(numbers)
            .multi_line(input.multiline.unwrap_or(false))
            .before_context(around(input.before))
            .after_context(around(input.after))
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(HEAP));
        let limit = input.head_limit.unwrap_or(DEFAULT_LIMIT);
        Ok(Self { workspace, matcher: matcher(input)?, searcher, mode, numbers, limit })
    }

    fn run(
        &self,
        disk: &Disk,
        target: &Target,
        input: &GrepInput,
        cancel: &CancellationToken,
    ) -> Result<String, String> {
        let meta = walk::start(self.workspace, target)?;
        let collected = Collected::new(self.mode, self.limit);
        let unread = Unread::default();
        if meta.is_dir() {
            let walk = narrowed(walk::builder(&target.path), &target.path, input)?;
            self.walk(&walk, &Kept::of(disk, &target.path), &collected, &unread, cancel);
        } else {
            self.one_file(disk, &target.path, &collected)?;
        }
        Ok(collected.told(self.workspace) + &unread.note())
    }

    fn walk(
        &self,
        walk: &WalkBuilder,
        kept: &Kept<'_>,
        collected: &Collected,
        unread: &Unread,
        cancel: &CancellationToken,
    ) {
        walk.build_parallel().run(|| {
            let mut searcher = self.searcher.build();
            let mut part = collected.part();
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
                if collected.is_past(entry.path()) {
                    return WalkState::Skip;
                }
                let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
                if is_file && kept.is_ruled_out(entry.path()) {
                    unread.add(format!("{}: a permission rule is about it", self.workspace.shown(entry.path())));
                } else if is_file && !kept.hides(entry.path()) {
                    self.walked(&mut searcher, &entry, &mut part, unread);
                }
                WalkState::Continue
            })
        });
    }

    fn walked(&self, searcher: &mut Searcher, entry: &DirEntry, part: &mut collect::Part<'_>, unread: &Unread) {
        let modified = || walk::modified(entry);
        let outcome = crate::disk::listed(entry.path())
            .and_then(|file| self.file(searcher, &file, entry.path(), part, &modified));
        match outcome {
            Ok(_) => {}
            // Gone since it was listed: there is nothing to say about it.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => unread.add(format!("{}: {error}", self.workspace.shown(entry.path()))),
        }
    }

    fn one_file(&self, disk: &Disk, path: &Path, collected: &Collected) -> Result<(), String> {
        let opened = disk.open(path).map_err(|error| error.to_string())?;
        let modified = || opened.file.metadata().and_then(|meta| meta.modified()).unwrap_or(std::time::UNIX_EPOCH);
        let shown = self.workspace.shown(path);
        let mut searcher = self.searcher.build();
        let mut part = collected.part();
        match self.file(&mut searcher, &opened.file, path, &mut part, &modified) {
            Ok(Searched::Text) => Ok(()),
            Ok(Searched::Binary) => Err(format!("{shown} is a binary file; it can't be searched as text.")),
            Err(error) => Err(format!("Can't search {shown}: {error}.")),
        }
    }

    fn file(
        &self,
        searcher: &mut Searcher,
        file: &File,
        path: &Path,
        part: &mut collect::Part<'_>,
        modified: &dyn Fn() -> std::time::SystemTime,
    ) -> std::io::Result<Searched> {
        let binary = match self.mode {
            OutputMode::FilesWithMatches => {
                let mut sink = sinks::Any::default();
                searcher.search_file(&self.matcher, file, &mut sink)?;
                if sink.found {
                    part.add_file(modified(), path);
                }
                sink.binary
            }
            OutputMode::Count => {
                let mut sink = sinks::Count::default();
                searcher.search_file(&self.matcher, file, &mut sink)?;
                if sink.count > 0 && !sink.binary {
                    part.add_count(path, sink.count);
                }
                sink.binary
            }
            OutputMode::Content => {
                // One line more than is shown tells whether there is more.
                let mut sink =
                    sinks::Lines::new(&self.matcher, part.buffer(), self.numbers, self.limit.saturating_add(1));
                searcher.search_file(&self.matcher, file, &mut sink)?;
                let (lines, binary) = (sink.lines, sink.binary);
                part.finish_lines(path, if binary { 0 } else { lines });
                binary
            }
        };
        Ok(if binary { Searched::Binary } else { Searched::Text })
    }
}

/// What a file turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Searched {
    Text,
    Binary,
}

/// As `rg` builds it.
fn matcher(input: &GrepInput) -> Result<RegexMatcher, String> {
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
    builder.build(&input.pattern).map_err(|error| bad_pattern(&input.pattern, &error.to_string()))
}

/// What tends to be wrong, and what to write instead. The first row that fits is told.
const HINTS: &[(&str, &str)] = &[
    ("repetition", "For a literal brace write `\\{` or `\\}`."),
    ("look-around", "Look-around is not supported; search for less and look through the results."),
    ("backreferences", "Backreferences are not supported; search for less and look through the results."),
    ("\"\\n\"", "To match across lines set multiline."),
    ("unclosed", "To find a bracket itself write `\\(`, `\\[` or `\\{`."),
    ("unopened", "To find a bracket itself write `\\)`, `\\]` or `\\}`."),
];

fn bad_pattern(pattern: &str, error: &str) -> String {
    let hint = HINTS.iter().find(|(sign, _)| error.contains(sign)).map_or("", |(_, hint)| hint);
    format!("`pattern`: expected a regular expression, got {pattern:?}: {}\n{hint}", error.trim_end()).trim_end().into()
}

/// `glob` and `type` as `rg -g` and `rg -t` have them.
fn narrowed(mut walk: WalkBuilder, base: &Path, input: &GrepInput) -> Result<WalkBuilder, String> {
    if let Some(glob) = &input.glob {
        if !braces::are_sane(glob) {
            return Err(format!("`glob`: expected braces nested at most {} deep", braces::DEEPEST));
        }
        let mut overrides = OverrideBuilder::new(base);
        let added = overrides.add(glob).and_then(|overrides| overrides.build());
        walk.overrides(added.map_err(|error| format!("`glob`: expected a glob like `*.ts`, got {glob:?}: {error}"))?);
    }
    if let Some(kind) = &input.kind {
        let mut types = TypesBuilder::new();
        types.add_defaults().select(kind);
        walk.types(types.build().map_err(|_| unknown_type(kind, &types))?);
    }
    Ok(walk)
}

fn unknown_type(kind: &str, types: &TypesBuilder) -> String {
    let names: Vec<String> = types.definitions().iter().map(|def| def.name().to_string()).collect();
    // A file ending is what is mostly given instead of a name.
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
