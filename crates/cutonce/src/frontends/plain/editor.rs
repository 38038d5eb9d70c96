//! Opens the user's editor for plain lines. What it opens for plans is in `plan_review`.

use cutonce_agent::editor;
use std::path::Path;

/// Name of the editor that `/plan open` would use, for the hint.
pub fn editor_name() -> Option<String> {
    let found = editor::find_editor(&std::env::vars_os().collect::<Vec<_>>()).ok()?;
    found.program.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// Why text could not be edited.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("can't create a file for the editor: {0}")]
    Create(std::io::Error),
    #[error("{0}")]
    Editor(String),
    #[error("can't read the edited text: {0}")]
    Read(std::io::Error),
}

/// Lets the user edit a message before it is sent.
pub fn edit_message(text: &str) -> Result<String, EditError> {
    edit_text("message.md", text, |path| editor::open_file(path, std::env::vars_os().collect()))
}

/// Writes the text to a temporary file of this name, opens it, and returns the new text.
pub(super) fn edit_text<E: ToString>(
    name: &str,
    text: &str,
    open: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<String, EditError> {
    let folder = tempfile::Builder::new().prefix("cutonce-").tempdir().map_err(EditError::Create)?;
    let path = folder.path().join(name);
    std::fs::write(&path, text).map_err(EditError::Create)?;
    open(&path).map_err(|why| EditError::Editor(why.to_string()))?;
    std::fs::read_to_string(&path).map_err(EditError::Read)
}
