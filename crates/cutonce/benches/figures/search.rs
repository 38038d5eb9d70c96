//! Grep and Glob against ripgrep (TL-6, TL-7), on one tree, each in a process of its own.

use crate::process::{Program, in_turns};
use crate::table::{Row, compare};
use crate::{Bench, tree};
use anyhow::{Context, Result, ensure};
use cutonce_core::conversation::ResultPart;
use cutonce_core::permission::CallRights;
use cutonce_tools::disk::{FileAccess, VersionStore};
use cutonce_tools::env::{CallContext, ToolEnv};
use cutonce_tools::files::glob::GlobTool;
use cutonce_tools::files::grep::GrepTool;
use cutonce_tools::shell::process::SessionShells;
use cutonce_tools::tool::AnyTool;
use cutonce_tools::web::WebClient;
use cutonce_tools::workspace::Workspace;
use serde_json::json;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

pub const GREP: &str = "--grep";
pub const GLOB: &str = "--glob";

const LIMIT: f64 = 1.15;
const FILES: usize = 50_000;

/// A figure, our side, ripgrep's side, and the check that both did the same work.
struct Pair {
    figure: &'static str,
    ours: &'static [&'static str],
    rg: &'static [&'static str],
    count: fn(&str) -> usize,
}

const PAIRS: &[Pair] = &[
    Pair {
        figure: "Grep, a word, names of files",
        ours: &[GREP, tree::LITERAL, "files_with_matches"],
        rg: &["-l", "-e", tree::LITERAL],
        count: lines,
    },
    Pair {
        figure: "Grep, a regex, names of files",
        ours: &[GREP, tree::REGEX, "files_with_matches"],
        rg: &["-l", "-e", tree::REGEX],
        count: lines,
    },
    Pair {
        figure: "Grep, a word, lines",
        ours: &[GREP, tree::LITERAL, "content"],
        rg: &["-n", "-e", tree::LITERAL],
        count: |said| said.matches(tree::LITERAL).count(),
    },
    Pair { figure: "Glob **/*.rs", ours: &[GLOB, "**/*.rs"], rg: &["--files", "-g", "**/*.rs"], count: files },
    Pair {
        figure: "Glob **/*, newest first on both sides",
        ours: &[GLOB, "**/*"],
        rg: &["--files", "--sortr", "modified"],
        count: files,
    },
    Pair { figure: "Glob **/*", ours: &[GLOB, "**/*"], rg: &["--files"], count: files },
];

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let (grove, out) = (bench.room("tree")?, bench.room("search")?);
    let files = if bench.quick { FILES / 10 } else { FILES };
    tree::grow(&grove, files, 11)?;
    let Some(version) = ripgrep(&grove, &out) else {
        return Ok(vec![Row::skipped("Grep and Glob", "no `rg` here; Debian's package is `ripgrep`")]);
    };
    let mut rows = Vec::new();
    for pair in PAIRS {
        let ours = Program::own(&grove)?.args(pair.ours.iter().copied());
        let rg = Program::new("rg", &grove).args(["--no-config"]).args(pair.rg.iter().copied());
        let rg = if pair.rg.contains(&"--files") { rg } else { rg.args(["."]) };
        let found = (pair.count)(&ours.run(&out)?.output()?);
        let expected = (pair.count)(&rg.run(&out)?.output()?);
        // Our search includes hidden files; the tree has one, `.gitignore`.
        let hidden = found.saturating_sub(expected);
        ensure!(found >= expected && hidden <= 1, "{}: we found {found}, rg {expected}", pair.figure);
        let runs = in_turns(bench.rounds(25), &out, &ours, &rg)?;
        let figure = format!("{}: {files} files, {version}", pair.figure);
        rows.push(compare(&figure, &runs, LIMIT));
    }
    Ok(rows)
}

fn lines(said: &str) -> usize {
    said.lines().count()
}

/// Glob shows the newest files and their total number.
fn files(said: &str) -> usize {
    let of = said.rsplit_once(" newest of ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
    of.unwrap_or_else(|| lines(said))
}

fn ripgrep(folder: &Path, out: &Path) -> Option<String> {
    let said = Program::new("rg", folder).args(["--version"]).run(out).ok()?.output().ok()?;
    Some(said.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
}

/// `--grep PATTERN MODE`: runs our Grep on the current folder, as the session does. Nothing is cut, because
/// `rg` cuts nothing.
pub fn grep(args: &[OsString]) -> Result<()> {
    let [pattern, mode] = words(args)?;
    call(Arc::new(GrepTool), json!({"pattern": pattern, "output_mode": mode, "head_limit": 1_000_000}))
}

/// `--glob PATTERN`: our Glob on the current folder.
pub fn glob(args: &[OsString]) -> Result<()> {
    let [pattern] = words(args)?;
    call(Arc::new(GlobTool), json!({"pattern": pattern}))
}

fn words<const N: usize>(args: &[OsString]) -> Result<[&str; N]> {
    let words: Option<Vec<&str>> = args.iter().map(|arg| arg.to_str()).collect();
    words.and_then(|words| words.try_into().ok()).with_context(|| format!("{N} words were expected"))
}

fn call(tool: Arc<dyn AnyTool>, input: serde_json::Value) -> Result<()> {
    let folder = std::env::current_dir()?;
    let own = folder.join(".git/own");
    let here = ToolEnv {
        workspace: Workspace::new(&folder, &[], None, &own, &own)?,
        disk: FileAccess::new(Arc::new(NoVersions)),
        shells: SessionShells::new(vec![]),
        web: WebClient::new(vec![]),
        todos: Default::default(),
    };
    let context = CallContext {
        call_id: "1".into(),
        cancel: Default::default(),
        output: Arc::new(|_: &str| {}),
        answer: None,
        scope: None,
    };
    let call = tool.parse(input).map_err(anyhow::Error::msg)?;
    call.access(&here).map_err(anyhow::Error::msg)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(call.run(CallRights::Plain, &here, &context));
    for part in &outcome.content {
        if let ResultPart::Text { text } = part {
            println!("{text}");
        }
    }
    ensure!(!outcome.is_error, "the search failed");
    Ok(())
}

/// A search changes nothing, so nothing needs to be saved.
struct NoVersions;

impl VersionStore for NoVersions {
    fn keep(&self, _: &Path, _: Option<&[u8]>) -> std::io::Result<()> {
        Err(std::io::Error::other("a search writes nothing"))
    }
}
