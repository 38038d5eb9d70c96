//! Opens a plan in the user's editor (PM-25).

use crate::editor::open_file;
use cutonce_core::plan::command;
use std::ffi::OsString;
use std::path::Path;

/// Opens a plan in the editor on this process's terminal and waits. Returns a message for the user in both cases.
/// Blocks: a full-screen front end must release the terminal first.
pub fn open_in_editor(path: &Path, env: Vec<(OsString, OsString)>) -> Result<String, String> {
    match open_file(path, env) {
        Ok(()) => Ok(command::editor_opened(&path.display().to_string())),
        Err(why) => Err(command::editor_failed(&why.to_string())),
    }
}
