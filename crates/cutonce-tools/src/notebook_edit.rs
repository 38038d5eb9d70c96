//! NotebookEdit (TL-5): replace, insert or delete one cell.

mod cells;

use crate::change;
use crate::tool::{CallContext, Here, Outcome, Tool, blocking_change, write_grant};
use crate::workspace::Judged;
use async_trait::async_trait;
use cells::Notebook;
use cutonce_core::permission::{Access, Rights};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug)]
pub struct NotebookEdit;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotebookEditInput {
    notebook_path: String,
    cell_id: Option<String>,
    new_source: Option<String>,
    /// For insert: code if not given.
    cell_type: Option<CellType>,
    edit_mode: Option<EditMode>,
    #[serde(skip)]
    judged: Judged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CellType {
    Code,
    Markdown,
    Raw,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditMode {
    #[default]
    Replace,
    Insert,
    Delete,
}

#[async_trait]
impl Tool for NotebookEdit {
    type Input = NotebookEditInput;

    fn name(&self) -> &'static str {
        "NotebookEdit"
    }
    fn description(&self) -> &str {
        include_str!("notebook_edit.md")
    }
    fn read_only(&self, _: &NotebookEditInput) -> bool {
        false
    }
    fn touches(&self, input: &NotebookEditInput, here: &Here) -> Result<Access, String> {
        let path = &input.notebook_path;
        if !path.to_ascii_lowercase().ends_with(".ipynb") {
            return Err(format!("`notebook_path`: expected a .ipynb file, got {path:?}. For other files use Edit."));
        }
        input.judged.judge(&here.workspace, "notebook_path", path).map(Access::Write)
    }
    fn summary(&self, input: &NotebookEditInput) -> String {
        let mode = match input.edit_mode.unwrap_or_default() {
            EditMode::Replace => "replace",
            EditMode::Insert => "insert after",
            EditMode::Delete => "delete",
        };
        format!("{} {mode} {}", input.notebook_path, input.cell_id.as_deref().unwrap_or("the start"))
    }
    fn preview(&self, input: &NotebookEditInput, here: &Here) -> Option<String> {
        let target = input.judged.target(&here.workspace, "notebook_path", &input.notebook_path).ok()?;
        change::preview(here, &target, |old| apply(old, input).map(|done| done.0))
    }
    fn fails(&self, input: &NotebookEditInput, here: &Here) -> Option<String> {
        let target = input.judged.target(&here.workspace, "notebook_path", &input.notebook_path).ok()?;
        change::fails(&here.disk, &target.path, |old| apply(old, input).map(|done| done.0))
    }
    async fn run(&self, input: NotebookEditInput, rights: Rights, here: &Here, call: &CallContext) -> Outcome {
        let grant = match write_grant(rights) {
            Ok(grant) => grant,
            Err(outcome) => return outcome,
        };
        let (disk, shown) = (here.disk.clone(), here.workspace.shown(grant.path()));
        blocking_change(call, move |cancel| {
            let mut told = String::new();
            let changed = disk.change(grant, cancel, |old| {
                let (new, what) = apply(old, &input)?;
                told = what;
                Ok(new)
            });
            match changed {
                Err(error) => Outcome::error(error.to_string()),
                Ok(written) => {
                    let diff = change::diff(&shown, written.old.as_deref(), &written.new);
                    Outcome::text(format!("{told} in {shown}.")).with_display(change::display(&written, &diff))
                }
            }
        })
        .await
    }
}

/// The changed notebook, and what was done in words.
fn apply(old: Option<&[u8]>, input: &NotebookEditInput) -> Result<(Vec<u8>, String), String> {
    let old = old.ok_or_else(|| format!("{} does not exist. Create it with Write.", input.notebook_path))?;
    let notebook = Notebook::parse(old)?;
    let mode = input.edit_mode.unwrap_or_default();
    let source = || input.new_source.as_deref().ok_or("`new_source`: expected the cell's new text, got nothing");
    let place = match &input.cell_id {
        Some(id) => Some(notebook.find(id)?),
        None if mode == EditMode::Insert => None,
        None => return Err(format!("`cell_id`: expected a cell's id, got nothing. {}", notebook.ids())),
    };
    match (mode, place) {
        (EditMode::Replace, Some(place)) => {
            let new = notebook.replace(place, source()?, input.cell_type)?;
            Ok((new, format!("Replaced cell {}", place + 1)))
        }
        (EditMode::Delete, Some(place)) => Ok((notebook.delete(place), format!("Deleted cell {}", place + 1))),
        (EditMode::Insert, place) => {
            let at = place.map_or(0, |place| place + 1);
            let (new, id) = notebook.insert(at, source()?, input.cell_type.unwrap_or(CellType::Code))?;
            Ok((new, format!("Inserted cell {} (id {id})", at + 1)))
        }
        (EditMode::Replace | EditMode::Delete, None) => Err("`cell_id`: expected a cell's id, got nothing".into()),
    }
}
