//! LS (TL-6): lists the entries of one folder.

use crate::disk::{SpecialKind, human_size};
use crate::env::{CallContext, ToolEnv};
use crate::files::walk;
use crate::tool::{Tool, ToolError, ToolOutcome, interrupted_outcome, run_blocking};
use crate::workspace::{DecidedTarget, Workspace};
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights, PathTarget};
use rustix::fs::FileType;
use schemars::JsonSchema;
use serde::Deserialize;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tokio_util::sync::CancellationToken;

const MAX_ENTRIES: usize = 500;

#[derive(Debug)]
pub struct LsTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LsInput {
    /// Default: the project root.
    path: Option<String>,
    #[serde(skip)]
    judged: DecidedTarget,
}

#[async_trait]
impl Tool for LsTool {
    type Input = LsInput;

    fn name(&self) -> &'static str {
        "LS"
    }
    fn description(&self) -> &str {
        include_str!("ls.md")
    }
    fn read_only(&self, _: &LsInput) -> bool {
        true
    }
    fn access(&self, input: &LsInput, here: &ToolEnv) -> Result<Access, ToolError> {
        Ok(Access::Read(vec![input.judged.resolve(&here.workspace, "path", given_path(input))?]))
    }
    fn summary(&self, input: &LsInput) -> String {
        given_path(input).to_string()
    }
    async fn run(&self, input: LsInput, _: CallRights, here: &ToolEnv, call: &CallContext) -> ToolOutcome {
        let target = match input.judged.decided(&here.workspace, "path", given_path(&input)) {
            Ok(target) => target,
            Err(why) => return ToolOutcome::error(why),
        };
        let workspace = here.workspace.clone();
        run_blocking(call, move |cancel| list_folder(&workspace, &target, cancel)).await
    }
}

fn given_path(input: &LsInput) -> &str {
    input.path.as_deref().unwrap_or(".")
}

fn list_folder(workspace: &Workspace, target: &PathTarget, cancel: &CancellationToken) -> ToolOutcome {
    match walk::check_search_root(workspace, target) {
        Err(why) => return ToolOutcome::error(why),
        Ok(meta) if !meta.is_dir() => {
            let got = format!("got a file: {}. Read it to see its content.", target.given);
            return ToolOutcome::error(format!("`path`: expected a folder, {got}"));
        }
        Ok(_) => {}
    }
    let entries = match std::fs::read_dir(&target.path) {
        Ok(entries) => entries,
        Err(error) => return ToolOutcome::error(format!("Can't list {}: {error}.", target.given)),
    };
    let (mut names, mut errors): (Vec<OsString>, Vec<String>) = Default::default();
    for entry in entries {
        if cancel.is_cancelled() {
            return interrupted_outcome();
        }
        match entry {
            Ok(entry) => names.push(entry.file_name()),
            Err(error) => errors.push(format!("[an entry could not be read: {error}]")),
        }
    }
    if names.is_empty() && errors.is_empty() {
        return ToolOutcome::text("The folder is empty.");
    }
    names.sort_unstable();
    let count = names.len();
    // Reads metadata only of shown entries: a folder may have a million.
    let shown = names.iter().take(MAX_ENTRIES).map(|name| entry_line(&target.path, &name.to_string_lossy(), name));
    let mut out: Vec<String> = shown.collect();
    out.append(&mut errors);
    if count > MAX_ENTRIES {
        out.push(format!("[The first {MAX_ENTRIES} of {count} entries. Search by name to find others.]"));
    }
    ToolOutcome::text(out.join("\n"))
}

fn entry_line(folder: &Path, shown: &str, name: &OsString) -> String {
    // A name may contain anything except a slash; a newline in it must not look like another entry.
    let shown = shown.replace(|c: char| c.is_control(), "\u{fffd}");
    let path = folder.join(name);
    let meta = match path.symlink_metadata() {
        Ok(meta) => meta,
        Err(error) => return format!("{shown}  [{error}]"),
    };
    match SpecialKind::from_file_type(FileType::from_raw_mode(meta.mode() as rustix::fs::RawMode)) {
        None => format!("{shown}  {}", human_size(meta.len())),
        Some(SpecialKind::Folder) => format!("{shown}/"),
        Some(SpecialKind::Link) => match std::fs::read_link(&path) {
            Ok(to) => format!("{shown} -> {}", to.display()),
            Err(error) => format!("{shown} -> [{error}]"),
        },
        Some(kind @ (SpecialKind::Fifo | SpecialKind::Socket | SpecialKind::Device | SpecialKind::Other)) => {
            format!("{shown}  [{kind}]")
        }
    }
}
