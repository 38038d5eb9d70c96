//! Rebuilds the display of a past change, to show a conversation again from what the transcript still has.

use crate::disk::FileChange;
use crate::files::{change, edit, write};
use serde_json::Value;
use std::path::Path;

/// Rebuilds the display data of a Write or Edit result (`Outcome::display`) from the call's input and the file's old
/// content (`None`: no file). Returns `None` for other tools, and if input and content do not match.
pub fn past_display(tool: &str, input: &Value, path: &Path, old: Option<Vec<u8>>) -> Option<Value> {
    let shown = path.to_string_lossy();
    let new = match tool {
        "Write" => write::replay(input)?,
        "Edit" => edit::replay(&shown, old.as_deref(), input)?,
        _ => return None,
    };
    let diff = change::stored_diff(&shown, old.as_deref(), &new);
    Some(change::change_display(&FileChange { path: path.into(), old, new }, &diff))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ui_4_past_change_is_rebuilt_from_the_transcript() {
        let path = Path::new("/w/a.txt");
        let input = json!({"file_path": "a.txt", "old_string": "two", "new_string": "2"});
        let display_of = |old: &str| past_display("Edit", &input, path, Some(old.into()));
        let shown = display_of("one\ntwo\n").unwrap();
        assert_eq!((shown["type"].as_str(), shown["filePath"].as_str()), (Some("update"), Some("/w/a.txt")));
        assert_eq!(shown["diff"], "--- /w/a.txt\n+++ /w/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
        // The stored content differs from what the call changed.
        assert_eq!(display_of("three\n"), None);
        let whole = json!({"file_path": "a.txt", "content": "x\n"});
        assert_eq!(past_display("Write", &whole, path, None).unwrap()["type"], "create");
        assert_eq!(past_display("Bash", &json!({"command": "x"}), path, None), None);
    }
}
