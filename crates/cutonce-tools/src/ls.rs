//! LS (TL-6): the entries of one folder.

use crate::disk::{Kind, human_size};
use crate::tool::{CallContext, Here, Outcome, Tool, blocking, interrupted};
use crate::walk;
use crate::workspace::{Judged, Workspace};
use async_trait::async_trait;
use cutonce_core::permission::{Access, Rights, Target};
use rustix::fs::FileType;
use schemars::JsonSchema;
use serde::Deserialize;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tokio_util::sync::CancellationToken;

const MAX_ENTRIES: usize = 500;

#[derive(Debug)]
pub struct Ls;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LsInput {
    /// Default: the project root.
    path: Option<String>,
    #[serde(skip)]
    judged: Judged,
}

#[async_trait]
impl Tool for Ls {
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
    fn touches(&self, input: &LsInput, here: &Here) -> Result<Access, String> {
        Ok(Access::Read(vec![input.judged.judge(&here.workspace, "path", given(input))?]))
    }
    fn summary(&self, input: &LsInput) -> String {
        given(input).to_string()
    }
    async fn run(&self, input: LsInput, _: Rights, here: &Here, call: &CallContext) -> Outcome {
        let target = match input.judged.target(&here.workspace, "path", given(&input)) {
            Ok(target) => target,
            Err(why) => return Outcome::error(why),
        };
        let workspace = here.workspace.clone();
        blocking(call, move |cancel| list(&workspace, &target, cancel)).await
    }
}

fn given(input: &LsInput) -> &str {
    input.path.as_deref().unwrap_or(".")
}

fn list(workspace: &Workspace, target: &Target, cancel: &CancellationToken) -> Outcome {
    match walk::start(workspace, target) {
        Err(why) => return Outcome::error(why),
        Ok(meta) if !meta.is_dir() => {
            let got = format!("got a file: {}. To see its content use Read.", target.given);
            return Outcome::error(format!("`path`: expected a folder, {got}"));
        }
        Ok(_) => {}
    }
    let entries = match std::fs::read_dir(&target.path) {
        Ok(entries) => entries,
        Err(error) => return Outcome::error(format!("Can't list {}: {error}.", target.given)),
    };
    let (mut names, mut errors): (Vec<OsString>, Vec<String>) = Default::default();
    for entry in entries {
        if cancel.is_cancelled() {
            return interrupted();
        }
        match entry {
            Ok(entry) => names.push(entry.file_name()),
            Err(error) => errors.push(format!("[an entry could not be read: {error}]")),
        }
    }
    if names.is_empty() && errors.is_empty() {
        return Outcome::text("The folder is empty.");
    }
    names.sort_unstable();
    let count = names.len();
    // Only what is shown is looked at: a folder may have a million entries.
    let shown = names.iter().take(MAX_ENTRIES).map(|name| line(&target.path, &name.to_string_lossy(), name));
    let mut out: Vec<String> = shown.collect();
    out.append(&mut errors);
    if count > MAX_ENTRIES {
        out.push(format!("[The first {MAX_ENTRIES} of {count} entries. Use Glob to find others.]"));
    }
    Outcome::text(out.join("\n"))
}

fn line(folder: &Path, shown: &str, name: &OsString) -> String {
    // A name may hold anything but a slash; a newline in it must not look like another entry.
    let shown = shown.replace(|c: char| c.is_control(), "\u{fffd}");
    let path = folder.join(name);
    let meta = match path.symlink_metadata() {
        Ok(meta) => meta,
        Err(error) => return format!("{shown}  [{error}]"),
    };
    match Kind::of(FileType::from_raw_mode(meta.mode() as rustix::fs::RawMode)) {
        None => format!("{shown}  {}", human_size(meta.len())),
        Some(Kind::Folder) => format!("{shown}/"),
        Some(Kind::Link) => match std::fs::read_link(&path) {
            Ok(to) => format!("{shown} -> {}", to.display()),
            Err(error) => format!("{shown} -> [{error}]"),
        },
        Some(kind @ (Kind::Fifo | Kind::Socket | Kind::Device | Kind::Other)) => format!("{shown}  [{kind}]"),
    }
}
