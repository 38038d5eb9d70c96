//! A change of the past as it was shown when it was made: for whoever shows a conversation again, from what the transcript still has.

use crate::disk::Written;
use crate::{change, edit, write};
use serde_json::Value;
use std::path::Path;

/// What a result of Write or Edit kept for faces (`Outcome::display`), made again from the call's input and what the file held before
/// it (`None`: there was no file). `None` for other tools, and where the two do not fit each other.
pub fn display(tool: &str, input: &Value, path: &Path, old: Option<Vec<u8>>) -> Option<Value> {
    let shown = path.to_string_lossy();
    let new = match tool {
        "Write" => write::again(input)?,
        "Edit" => edit::again(&shown, old.as_deref(), input)?,
        _ => return None,
    };
    let diff = change::diff(&shown, old.as_deref(), &new);
    Some(change::display(&Written { path: path.into(), old, new }, &diff))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ui_4_a_change_is_made_again_from_what_was_kept() {
        let path = Path::new("/w/a.txt");
        let input = json!({"file_path": "a.txt", "old_string": "two", "new_string": "2"});
        let display_of = |old: &str| display("Edit", &input, path, Some(old.into()));
        let shown = display_of("one\ntwo\n").unwrap();
        assert_eq!((shown["type"].as_str(), shown["filePath"].as_str()), (Some("update"), Some("/w/a.txt")));
        assert_eq!(shown["diff"], "--- /w/a.txt\n+++ /w/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
        // Something else was kept than what it changed.
        assert_eq!(display_of("three\n"), None);
        let whole = json!({"file_path": "a.txt", "content": "x\n"});
        assert_eq!(display("Write", &whole, path, None).unwrap()["type"], "create");
        assert_eq!(display("Bash", &json!({"command": "x"}), path, None), None);
    }
}
