//! Edit (TL-4): an exact replacement. Works on bytes, so that everything else stays unchanged.

mod find;
mod nearest;

use crate::env::{CallContext, ToolEnv};
use crate::files::change;
use crate::tool::{Tool, ToolError, ToolOutcome, run_blocking_change, write_grant};
use crate::workspace::DecidedTarget;
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights};
use cutonce_core::text::number::count_noun;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug)]
pub struct EditTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditInput {
    file_path: String,
    old_string: String,
    new_string: String,
    /// Replace every occurrence.
    #[serde(default)]
    replace_all: bool,
    #[serde(skip)]
    judged: DecidedTarget,
}

#[async_trait]
impl Tool for EditTool {
    type Input = EditInput;

    fn name(&self) -> &'static str {
        "Edit"
    }
    fn description(&self) -> &str {
        include_str!("edit.md")
    }
    fn read_only(&self, _: &EditInput) -> bool {
        false
    }
    fn access(&self, input: &EditInput, here: &ToolEnv) -> Result<Access, ToolError> {
        if input.old_string == input.new_string {
            return Err("`new_string`: expected something other than `old_string`, got the same text".into());
        }
        input.judged.resolve(&here.workspace, "file_path", &input.file_path).map(Access::Write)
    }
    fn summary(&self, input: &EditInput) -> String {
        input.file_path.clone()
    }
    fn preview(&self, input: &EditInput, here: &ToolEnv) -> Option<String> {
        let target = input.judged.decided(&here.workspace, "file_path", &input.file_path).ok()?;
        let shown = here.workspace.display_path(&target.path);
        change::change_preview(here, &target, |old| apply_edit(&shown, old, input).map(|edited| edited.new))
    }
    fn precheck(&self, input: &EditInput, here: &ToolEnv) -> Option<String> {
        let target = input.judged.decided(&here.workspace, "file_path", &input.file_path).ok()?;
        let shown = here.workspace.display_path(&target.path);
        change::precheck_change(&here.disk, &target.path, |old| apply_edit(&shown, old, input).map(|edited| edited.new))
    }
    async fn run(&self, input: EditInput, rights: CallRights, here: &ToolEnv, call: &CallContext) -> ToolOutcome {
        let grant = match write_grant(rights) {
            Ok(grant) => grant,
            Err(outcome) => return outcome,
        };
        let (disk, shown) = (here.disk.clone(), here.workspace.display_path(grant.path()));
        run_blocking_change(call, move |cancel| {
            let mut lines = Vec::new();
            let changed = disk.change(grant, cancel, |old| {
                let edited = apply_edit(&shown, old, &input)?;
                lines = edited.lines;
                Ok(edited.new)
            });
            match changed {
                Err(error) => ToolOutcome::error(error.to_string()),
                Ok(written) => {
                    let diff = change::stored_diff(&shown, written.old.as_deref(), &written.new);
                    let text = result_text(&shown, &written, &lines, &input.new_string);
                    ToolOutcome::text(text).with_display(change::change_display(&written, &diff))
                }
            }
        })
        .await
    }
}

/// A file with the replacement made.
#[derive(Debug)]
struct EditedFile {
    new: Vec<u8>,
    /// Lines of the new text at which the replacements begin, from 1.
    lines: Vec<usize>,
}

/// Repeats a past call on a file's old content.
pub(crate) fn replay(shown: &str, old: Option<&[u8]>, input: &serde_json::Value) -> Option<Vec<u8>> {
    let input = EditInput::deserialize(input).ok()?;
    apply_edit(shown, old, &input).ok().map(|edited| edited.new)
}

fn apply_edit(shown: &str, old: Option<&[u8]>, input: &EditInput) -> Result<EditedFile, ToolError> {
    match (old, input.old_string.is_empty()) {
        (None, true) => Ok(EditedFile { new: input.new_string.clone().into_bytes(), lines: vec![1] }),
        (None, false) => Err(format!("{shown} does not exist. To create it, give an empty old_string.").into()),
        (Some(_), true) => Err(format!(
            "`old_string`: expected text that is in {shown}, got an empty string, which is for creating a file. \
             Give the text that you want to replace."
        )
        .into()),
        (Some(old), false) => replace(shown, old, input),
    }
}

fn replace(shown: &str, old: &[u8], input: &EditInput) -> Result<EditedFile, ToolError> {
    let found = find::find_matches(old, &input.old_string, &input.new_string);
    match found.len() {
        0 => return Err(nearest::explain_no_match(shown, old, &input.old_string).into()),
        1 => {}
        _ if input.replace_all => {}
        many => {
            let lines: Vec<String> = found.iter().take(20).map(|hit| line_number(old, hit.start).to_string()).collect();
            let more = if many > 20 { ", …" } else { "" };
            return Err(format!(
                "`old_string`: expected text that is in {shown} once, got one that is there {many} times (lines {}{more}). \
                 Add lines around it, or set replace_all.",
                lines.join(", ")
            ).into());
        }
    }
    let mut new = Vec::with_capacity(old.len() + input.new_string.len());
    let mut lines = Vec::new();
    let (mut at, mut line) = (0, 1);
    for hit in found {
        // Overlapping hits are ambiguous above; with replace_all the first of them is used.
        if hit.start < at {
            continue;
        }
        line += count_newlines(&old[at..hit.start]);
        lines.push(line);
        line += count_newlines(&hit.replacement);
        new.extend_from_slice(&old[at..hit.start]);
        new.extend_from_slice(&hit.replacement);
        at = hit.end;
    }
    new.extend_from_slice(&old[at..]);
    Ok(EditedFile { new, lines })
}

fn result_text(shown: &str, written: &crate::disk::FileChange, lines: &[usize], new_string: &str) -> String {
    match (&written.old, lines) {
        (None, _) => {
            format!("Created {shown} ({}).", count_noun(new_string.lines().count(), "line"))
        }
        (Some(_), [line]) => {
            let region = change::changed_region(&written.new, *line, new_string.lines().count());
            format!("Edited {shown}:\n{}", region.trim_end_matches('\n'))
        }
        (Some(_), many) => {
            let first: Vec<String> = many.iter().take(20).map(usize::to_string).collect();
            let more = if many.len() > 20 { ", …" } else { "" };
            format!("Edited {shown}: {} replacements (now at lines {}{more}).", many.len(), first.join(", "))
        }
    }
}

fn count_newlines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

/// Returns the line number of a byte, from 1.
fn line_number(bytes: &[u8], at: usize) -> usize {
    1 + count_newlines(&bytes[..at])
}
