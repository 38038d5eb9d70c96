//! What the user gives the model with a message (DU-8): files named with `@`, and the output of `!` lines. Both are
//! bounded, and both reach the model with the next request.

use super::SessionState;
use cutonce_core::permission::{PathLocation, is_secret};
use cutonce_core::text::sanitize::{drop_overwritten, one_line};

/// Most files of one message, and bytes of one file.
const MAX_FILES: usize = 10;
const MAX_FILE: u64 = 32 << 10;
/// Most bytes of a command's output; its end is kept.
const MAX_OUTPUT: usize = 16 << 10;

impl SessionState {
    /// Adds the files that a message names with `@`. Files outside the workspace, secret files and files that rules
    /// close stay closed; the model can ask for them with Read.
    pub(super) fn add_mentioned_files(&mut self, said: &str) {
        if self.subagent.is_some() || !said.contains('@') {
            return;
        }
        let env = self.context.env.clone();
        let hidden = env.disk.hidden();
        for given in mentioned_paths(said) {
            let Ok(target) = env.workspace.resolve(&given) else { continue };
            let closed = hidden.as_ref().is_some_and(|hidden| hidden(&target.path))
                || is_secret(&target.path, env.workspace.home.as_deref());
            if target.place != PathLocation::Workspace || closed || !target.path.is_file() {
                continue;
            }
            let Ok((bytes, stamp)) = env.disk.load(&target.path, MAX_FILE) else { continue };
            let Ok(text) = std::str::from_utf8(&bytes) else { continue };
            if text.contains('\0') {
                continue;
            }
            env.disk.remember(&target.path, stamp, Some(&bytes));
            self.push_reminder("mention", &format!("The user mentions the file {given}. Its content:\n\n{text}"));
        }
    }

    /// Adds what a `!` line printed in the user's own shell.
    pub(super) fn add_shell_output(&mut self, line: &str, output: &str) {
        let text = shell_output_text(line, output);
        self.push_reminder("shell", &text);
    }

    fn push_reminder(&mut self, kind: &str, text: &str) {
        let text = self.context.shared.redactor.redact(text).replace("</system-reminder", "<\\/system-reminder");
        self.memory.reminders.push((kind.to_string(), text));
    }
}

/// The paths after `@`, without punctuation of the sentence.
fn mentioned_paths(said: &str) -> Vec<String> {
    let words = said.split_whitespace().filter_map(|word| word.strip_prefix('@'));
    let paths = words.map(|path| path.trim_end_matches([',', ';', '!', '?', ')', '"', '\'', ':']));
    let paths = paths.map(|path| path.strip_suffix('.').unwrap_or(path)).filter(|path| !path.is_empty());
    let mut found: Vec<String> = Vec::new();
    for path in paths {
        if found.len() < MAX_FILES && !found.iter().any(|known| known == path) {
            found.push(path.to_string());
        }
    }
    found
}

fn shell_output_text(line: &str, output: &str) -> String {
    let shown = drop_overwritten(output);
    let shown = shown.trim();
    let from = shown.ceil_char_boundary(shown.len().saturating_sub(MAX_OUTPUT));
    let cut = if from > 0 { format!("[{from} bytes before this are left out]\n") } else { String::new() };
    let shown = if shown.is_empty() { "(no output)" } else { &shown[from..] };
    format!("The user ran this in their own shell: {}\nIt printed:\n\n{cut}{shown}", one_line(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn du_8_mentions_are_paths_after_an_at_sign() {
        let said = "See @src/a.rs, (not a@b.c) and @docs/x.md. Also @src/a.rs @ and @docs:res";
        assert_eq!(mentioned_paths(said), ["src/a.rs", "docs/x.md", "docs:res"]);
        assert_eq!(mentioned_paths(&"@f ".repeat(3)).len(), 1);
        let many: String = (0..50).map(|n| format!("@f{n} ")).collect();
        assert_eq!(mentioned_paths(&many).len(), MAX_FILES);
    }

    #[test]
    fn du_8_shell_output_is_bounded_and_keeps_its_end() {
        let text = shell_output_text("make\x1b", &format!("{}end", "é\n".repeat(20_000)));
        assert!(
            text.len() < MAX_OUTPUT + 200 && text.ends_with("end") && text.contains("bytes before this"),
            "{}",
            text.len()
        );
        assert!(shell_output_text("true", "").ends_with("(no output)"));
        assert!(shell_output_text("x", " 10%\r 20%\n").ends_with("20%"));
    }
}
