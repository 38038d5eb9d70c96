//! The user's editor for the plain face: opening the plan, and editing a copy of it during the review (PM-25, PM-74).

use cutonce_agent::editor;
use std::path::Path;

/// What `/plan open` would use, for the hint.
pub fn editor_name() -> Option<String> {
    let found = editor::find(&std::env::vars_os().collect::<Vec<_>>()).ok()?;
    found.program.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// Opens the plan and says how it went.
pub fn open_editor(path: &Path) -> String {
    editor::open_plan(path, std::env::vars_os().collect()).unwrap_or_else(|why| why)
}

/// Edits a copy. An editor that fails changes nothing.
pub fn edit(text: &str) -> Result<String, String> {
    let folder = tempfile::Builder::new().prefix("cutonce-plan-").tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("plan.md");
    std::fs::write(&path, text).map_err(|error| error.to_string())?;
    editor::open_plan(&path, std::env::vars_os().collect())?;
    std::fs::read_to_string(&path).map_err(|error| format!("the edited plan can't be read: {error}"))
}
