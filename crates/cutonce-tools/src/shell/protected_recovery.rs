//! Protected names that commands of killed programs created (SB-4). The next start of the program renames them, in any
//! workspace, before it reads a file there.

use super::protected_record::{ProtectedNames, ProtectedRecord};
use crate::disk::{CommandTime, recover_commands, set_aside};
use crate::workspace::protected_places;
use std::path::{Path, PathBuf};

/// Renames the protected names that commands of killed programs created, and removes the empty folders that reserved
/// others; returns notes for the user. A kill during this leaves the rest for the next start.
pub fn recover_protected(cutonce_home: &Path) -> Vec<String> {
    let mut notes = Vec::new();
    let running = recover_commands(cutonce_home, |names, time| recover_command(names, time, &mut notes));
    if running > 0 {
        let text = "a command of a killed cutonce still runs. Wait until it has ended, then start cutonce again: it checks what the command created.";
        notes.push(text.into());
    }
    notes
}

/// Recovers one command; false if that failed.
fn recover_command(names: ProtectedNames, time: CommandTime, notes: &mut Vec<String>) -> bool {
    let mut is_done = true;
    for new in names.find_new(&ProtectedRecord::default()).into_iter().filter(|new| time.may_have_made(new)) {
        let shown = new.display();
        match set_aside(&new) {
            Ok(name) => notes.push(format!(
                "a command created {shown} and its cutonce was killed. The sandbox allows no command that name, so it is {} now; check it before you rename it back.",
                name.display()
            )),
            Err(error) => {
                is_done = false;
                notes.push(format!(
                    "a command created {shown}, which the sandbox forbids, and its cutonce was killed. It can't be renamed: {error}. Check it, then remove or rename it."
                ));
            }
        }
    }
    let (roots, known) = names.into_paths();
    let wanted: Vec<PathBuf> = protected_places(&roots, true).into_iter().chain(known).collect();
    is_done & cutonce_sandbox::remove_placeholders(&wanted, &roots).is_ok()
}
