//! Rehearsals (RH-1 to RH-3): opening a layer on a large tree, listing what changed there, and applying many files.

use crate::Bench;
use crate::table::{Row, median, millis, spread};
use anyhow::{Context, Result, ensure};
use cutonce_agent::tools::disk::layer::{ApplyPlace, collect_changes, diff_changes};
use cutonce_agent::tools::disk::{FileAccess, VersionStore};
use cutonce_agent::tools::shell::changes::RehearsedChanges;
use cutonce_sandbox::{KeptLayer, ProcessExit, SandboxProfile, SpawnSpec};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

const FILES_IN_A_FOLDER: usize = 100;
const CHANGED: usize = 100;
const APPLIED: usize = 1_000;

struct NoVersions;

impl VersionStore for NoVersions {
    fn keep(&self, _path: &Path, _old: Option<&[u8]>) -> std::io::Result<()> {
        Ok(())
    }
}

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("rehearsal")?;
    let tree = room.join("tree");
    let files = if bench.quick { 3_000 } else { 300_000 };
    grow(&tree, files)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (layers, rounds) = (room.join("layers"), bench.rounds(50));
    let opened = format!("opening a layer on {files} files, over the spawn");
    let opening = opening(&runtime, &tree, &layers, rounds, &opened);
    let collected = format!("diff of {CHANGED} changed files of {files}");
    let rows = [
        opening.unwrap_or_else(|error| Row::skipped(&opened, format!("{error:#}"))),
        collecting(&runtime, &tree, &room.join("upper"), bench.rounds(20), &collected)?,
        applying(bench, &room)?,
    ];
    Ok(rows.into())
}

fn grow(root: &Path, files: usize) -> Result<()> {
    for at in 0..files {
        let folder = root.join(format!("part_{}/m{}", at / FILES_IN_A_FOLDER / 50, at / FILES_IN_A_FOLDER));
        if at % FILES_IN_A_FOLDER == 0 {
            std::fs::create_dir_all(&folder)?;
        }
        std::fs::write(folder.join(format!("file_{at}.rs")), format!("fn number_{at}() {{}}\n"))?;
    }
    run(Command::new("git").args(["init", "-q"]).current_dir(root))?;
    run(Command::new("git").args(["add", "."]).current_dir(root))
}

fn run(command: &mut Command) -> Result<()> {
    let ended = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(ended.status.success(), "{command:?}: {ended:?}");
    Ok(())
}

fn spawned(runtime: &tokio::runtime::Runtime, folder: &Path, profile: SandboxProfile) -> Result<()> {
    let spawn = SpawnSpec::new("/bin/true", folder, Vec::new()).profile(profile);
    let ended = runtime.block_on(async { spawn.start()?.wait().await.map_err(anyhow::Error::from) })?;
    ensure!(ended == ProcessExit::Exited(0), "the program ended with {ended:?}");
    Ok(())
}

fn opening(runtime: &tokio::runtime::Runtime, tree: &Path, layers: &Path, rounds: usize, figure: &str) -> Result<Row> {
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let start = Instant::now();
        let layer = KeptLayer::open(tree, layers, 8)?;
        spawned(runtime, tree, SandboxProfile::Layered(layer.mount(Vec::new())))?;
        ours.push(millis(start.elapsed()));
        let start = Instant::now();
        spawned(runtime, tree, SandboxProfile::Unconfined)?;
        plain.push(millis(start.elapsed()));
    }
    let row = Row::limit(figure, median(&ours) - median(&plain), "ms", 50.0);
    Ok(row.beside(format!("{} against {}", spread(&ours), spread(&plain))))
}

fn collecting(
    runtime: &tokio::runtime::Runtime,
    tree: &Path,
    upper: &Path,
    rounds: usize,
    figure: &str,
) -> Result<Row> {
    let tree = tree.canonicalize()?;
    let listed = walk(&tree)?;
    let step = (listed.len() / CHANGED).max(1);
    for path in listed.iter().step_by(step).take(CHANGED) {
        let to = upper.join(path);
        std::fs::create_dir_all(to.parent().context("a folder")?)?;
        std::fs::write(to, std::fs::read_to_string(tree.join(path))? + "// changed\n")?;
    }
    let upper = upper.canonicalize()?;
    let env: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let mut times = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        let found = collect_changes(&upper, &tree, std::time::SystemTime::now())?;
        let found = runtime.block_on(RehearsedChanges::new(found, (&tree, &upper), &env));
        let diff = diff_changes(&found.changes, &upper, &tree);
        times.push(millis(start.elapsed()));
        ensure!(diff.files.len() == CHANGED, "{} files", diff.files.len());
    }
    Ok(Row::limit(figure, median(&times), "ms", 200.0).beside(spread(&times)))
}

/// The files of the tree, without git's own.
fn walk(root: &Path) -> Result<Vec<PathBuf>> {
    let (mut open, mut found) = (vec![root.to_path_buf()], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            match () {
                () if path.file_name().is_some_and(|name| name == ".git") => {}
                () if path.is_dir() => open.push(path),
                () => found.push(path.strip_prefix(root)?.to_path_buf()),
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Applies files as an approval does: compared, complete before the first rename, on disk at the end.
fn applying(bench: &Bench, room: &Path) -> Result<Row> {
    let upper = room.join("applied");
    for at in 0..APPLIED {
        let folder = upper.join(format!("part_{}", at / FILES_IN_A_FOLDER));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(format!("file_{at}.rs")), format!("fn number_{at}() {{}}\n").repeat(100))?;
    }
    let upper = upper.canonicalize()?;
    let journals = room.join("journals");
    let disk = FileAccess::new(Arc::new(NoVersions));
    let (mut ours, mut copied) = (Vec::new(), Vec::new());
    for round in 0..bench.rounds(15) {
        let root = room.join(format!("workspace_{round}"));
        std::fs::create_dir(&root)?;
        let root = root.canonicalize()?;
        let found = collect_changes(&upper, &root, std::time::SystemTime::now())?;
        let start = Instant::now();
        let place = ApplyPlace { upper: &upper, root: &root, journals: &journals, durable: true };
        disk.apply_layer(place, &found.changes)?;
        ours.push(millis(start.elapsed()));
        let start = Instant::now();
        run(Command::new("cp").arg("-r").arg(&upper).arg(room.join(format!("copy_{round}"))))?;
        copied.push(millis(start.elapsed()));
        std::fs::remove_dir_all(&root)?;
        std::fs::remove_dir_all(room.join(format!("copy_{round}")))?;
    }
    let ratio = median(&ours) / median(&copied);
    let figure = format!("applying {APPLIED} files, against cp");
    Ok(Row::ratio(&figure, (&spread(&ours), &spread(&copied)), ratio, 3.0))
}
