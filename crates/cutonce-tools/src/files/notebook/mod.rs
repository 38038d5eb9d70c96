//! NotebookEdit (TL-5): replaces, inserts or deletes one cell.

mod cells;

use crate::env::{CallContext, ToolEnv};
use crate::files::change;
use crate::tool::{Tool, ToolError, ToolOutcome, run_blocking_change, write_grant};
use crate::workspace::DecidedTarget;
use async_trait::async_trait;
use cells::NotebookText;
use cutonce_core::permission::{Access, CallRights};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug)]
pub struct NotebookEditTool;

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
    judged: DecidedTarget,
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
impl Tool for NotebookEditTool {
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
    fn access(&self, input: &NotebookEditInput, here: &ToolEnv) -> Result<Access, ToolError> {
        let path = &input.notebook_path;
        if !path.to_ascii_lowercase().ends_with(".ipynb") {
            return Err(
                format!("`notebook_path`: expected a .ipynb file, got {path:?}. Edit other files as text.").into()
            );
        }
        input.judged.resolve(&here.workspace, "notebook_path", path).map(Access::Write)
    }
    fn summary(&self, input: &NotebookEditInput) -> String {
        let mode = match input.edit_mode.unwrap_or_default() {
            EditMode::Replace => "replace",
            EditMode::Insert => "insert after",
            EditMode::Delete => "delete",
        };
        format!("{} {mode} {}", input.notebook_path, input.cell_id.as_deref().unwrap_or("the start"))
    }
    fn preview(&self, input: &NotebookEditInput, here: &ToolEnv) -> Option<String> {
        let target = input.judged.decided(&here.workspace, "notebook_path", &input.notebook_path).ok()?;
        change::change_preview(here, &target, |old| apply_edit(old, input).map(|done| done.0))
    }
    fn precheck(&self, input: &NotebookEditInput, here: &ToolEnv) -> Option<String> {
        let target = input.judged.decided(&here.workspace, "notebook_path", &input.notebook_path).ok()?;
        change::precheck_change(&here.disk, &target.path, |old| apply_edit(old, input).map(|done| done.0))
    }
    async fn run(
        &self,
        input: NotebookEditInput,
        rights: CallRights,
        here: &ToolEnv,
        call: &CallContext,
    ) -> ToolOutcome {
        let grant = match write_grant(rights) {
            Ok(grant) => grant,
            Err(outcome) => return outcome,
        };
        let (disk, shown) = (here.disk.clone(), here.workspace.display_path(grant.path()));
        run_blocking_change(call, move |cancel| {
            let mut told = String::new();
            let changed = disk.change(grant, cancel, |old| {
                let (new, what) = apply_edit(old, &input)?;
                told = what;
                Ok(new)
            });
            match changed {
                Err(error) => ToolOutcome::error(error.to_string()),
                Ok(written) => {
                    let diff = change::stored_diff(&shown, written.old.as_deref(), &written.new);
                    ToolOutcome::text(format!("{told} in {shown}."))
                        .with_display(change::change_display(&written, &diff))
                }
            }
        })
        .await
    }
}

/// Returns the changed notebook, and a description of the change.
fn apply_edit(old: Option<&[u8]>, input: &NotebookEditInput) -> Result<(Vec<u8>, String), ToolError> {
    let old = old.ok_or_else(|| format!("{} does not exist. Create the notebook file first.", input.notebook_path))?;
    let notebook = NotebookText::parse(old)?;
    let mode = input.edit_mode.unwrap_or_default();
    let source = || input.new_source.as_deref().ok_or("`new_source`: expected the cell's new text, got nothing");
    let place = match &input.cell_id {
        Some(id) => Some(notebook.find_cell(id)?),
        None if mode == EditMode::Insert => None,
        None => return Err(format!("`cell_id`: expected a cell's id, got nothing. {}", notebook.list_ids()).into()),
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
