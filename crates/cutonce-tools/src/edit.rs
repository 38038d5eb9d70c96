//! Edit (TL-4): an exact replacement. Works on bytes, so that whatever is not replaced stays as it was.

mod find;
mod nearest;

use crate::change;
use crate::tool::{CallContext, Here, Outcome, Tool, blocking_change, write_grant};
use crate::workspace::Judged;
use async_trait::async_trait;
use cutonce_core::permission::{Access, Rights};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug)]
pub struct Edit;

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
    judged: Judged,
}

#[async_trait]
impl Tool for Edit {
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
    fn touches(&self, input: &EditInput, here: &Here) -> Result<Access, String> {
        if input.old_string == input.new_string {
            return Err("`new_string`: expected something other than `old_string`, got the same text".into());
        }
        input.judged.judge(&here.workspace, "file_path", &input.file_path).map(Access::Write)
    }
    fn summary(&self, input: &EditInput) -> String {
        input.file_path.clone()
    }
    fn preview(&self, input: &EditInput, here: &Here) -> Option<String> {
        let target = input.judged.target(&here.workspace, "file_path", &input.file_path).ok()?;
        let shown = here.workspace.shown(&target.path);
        change::preview(here, &target, |old| apply(&shown, old, input).map(|edited| edited.new))
    }
    fn fails(&self, input: &EditInput, here: &Here) -> Option<String> {
        let target = input.judged.target(&here.workspace, "file_path", &input.file_path).ok()?;
        let shown = here.workspace.shown(&target.path);
        change::fails(&here.disk, &target.path, |old| apply(&shown, old, input).map(|edited| edited.new))
    }
    async fn run(&self, input: EditInput, rights: Rights, here: &Here, call: &CallContext) -> Outcome {
        let grant = match write_grant(rights) {
            Ok(grant) => grant,
            Err(outcome) => return outcome,
        };
        let (disk, shown) = (here.disk.clone(), here.workspace.shown(grant.path()));
        blocking_change(call, move |cancel| {
            let mut lines = Vec::new();
            let changed = disk.change(grant, cancel, |old| {
                let edited = apply(&shown, old, &input)?;
                lines = edited.lines;
                Ok(edited.new)
            });
            match changed {
                Err(error) => Outcome::error(error.to_string()),
                Ok(written) => {
                    let diff = change::diff(&shown, written.old.as_deref(), &written.new);
                    let text = told(&shown, &written, &lines, &input.new_string);
                    Outcome::text(text).with_display(change::display(&written, &diff))
                }
            }
        })
        .await
    }
}

/// A file with the replacement made.
#[derive(Debug)]
struct Edited {
    new: Vec<u8>,
    /// The lines of the new text at which the replacements begin, from 1.
    lines: Vec<usize>,
}

/// What a call of the past made of a file.
pub(crate) fn again(shown: &str, old: Option<&[u8]>, input: &serde_json::Value) -> Option<Vec<u8>> {
    let input = EditInput::deserialize(input).ok()?;
    apply(shown, old, &input).ok().map(|edited| edited.new)
}

fn apply(shown: &str, old: Option<&[u8]>, input: &EditInput) -> Result<Edited, String> {
    match (old, input.old_string.is_empty()) {
        (None, true) => Ok(Edited { new: input.new_string.clone().into_bytes(), lines: vec![1] }),
        (None, false) => Err(format!("{shown} does not exist. To create it, use Write or give an empty old_string.")),
        (Some(_), true) => Err(format!(
            "`old_string`: expected text that is in {shown}, got an empty string, which is for creating a file. \
             Use Write to replace the whole file."
        )),
        (Some(old), false) => replace(shown, old, input),
    }
}

fn replace(shown: &str, old: &[u8], input: &EditInput) -> Result<Edited, String> {
    let found = find::find(old, &input.old_string, &input.new_string);
    match found.len() {
        0 => return Err(nearest::explain(shown, old, &input.old_string)),
        1 => {}
        _ if input.replace_all => {}
        many => {
            let lines: Vec<String> = found.iter().take(20).map(|hit| line_of(old, hit.start).to_string()).collect();
            let more = if many > 20 { ", …" } else { "" };
            return Err(format!(
                "`old_string`: expected text that is in {shown} once, got one that is there {many} times (lines {}{more}). \
                 Add lines around it, or set replace_all.",
                lines.join(", ")
            ));
        }
    }
    let mut new = Vec::with_capacity(old.len() + input.new_string.len());
    let mut lines = Vec::new();
    let (mut at, mut line) = (0, 1);
    for hit in found {
        // Overlapping hits count as ambiguous above; with replace_all the first of them is taken.
        if hit.start < at {
            continue;
        }
        line += newlines(&old[at..hit.start]);
        lines.push(line);
        line += newlines(&hit.replacement);
        new.extend_from_slice(&old[at..hit.start]);
        new.extend_from_slice(&hit.replacement);
        at = hit.end;
    }
    new.extend_from_slice(&old[at..]);
    Ok(Edited { new, lines })
}

fn told(shown: &str, written: &crate::disk::Written, lines: &[usize], new_string: &str) -> String {
    match (&written.old, lines) {
        (None, _) => {
            format!("Created {shown} ({}).", change::count(new_string.lines().count(), "line"))
        }
        (Some(_), [line]) => {
            let region = change::region(&written.new, *line, new_string.lines().count());
            format!("Edited {shown}:\n{}", region.trim_end_matches('\n'))
        }
        (Some(_), many) => {
            let first: Vec<String> = many.iter().take(20).map(usize::to_string).collect();
            let more = if many.len() > 20 { ", …" } else { "" };
            format!("Edited {shown}: {} replacements (now at lines {}{more}).", many.len(), first.join(", "))
        }
    }
}

fn newlines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

/// The line of a byte, from 1.
fn line_of(bytes: &[u8], at: usize) -> usize {
    1 + newlines(&bytes[..at])
}
