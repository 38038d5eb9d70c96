//! What the user gives the model with a message (DU-8): files named with `@`, and the output of `!` lines. Both are
//! bounded, and both reach the model with the next request.

use super::SessionState;
use cutonce_core::permission::{PathLocation, is_secret};
use cutonce_core::protocol::event::NoticeLevel;
use cutonce_core::text::sanitize::{drop_overwritten, one_line};
use cutonce_tools::disk::{FileError, human_size};

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
        for given in mentioned_paths(said) {
            match self.read_mentioned_file(&given) {
                Ok(Some(text)) => {
                    let text = format!("The user mentions the file {given}. Its content:\n\n{text}");
                    self.push_reminder("mention", &text);
                }
                Ok(None) => {}
                Err(why) => {
                    let given = one_line(&given);
                    self.notice(NoticeLevel::Info, &format!("@{given} was not sent along: {why}."));
                }
            }
        }
    }

    /// The text of a file; `None` if the word names no file. The error says why it is not sent.
    fn read_mentioned_file(&self, given: &str) -> Result<Option<String>, String> {
        let env = &self.context.env;
        let Ok(target) = env.workspace.resolve(given) else { return Ok(None) };
        let path = &target.path;
        if !path.is_file() {
            return Ok(None);
        }
        let denied = env.disk.hidden().is_some_and(|hidden| hidden(path));
        if denied || is_secret(path, env.workspace.home.as_deref()) {
            return Err("the agent may not read it (a secret, or a deny rule)".into());
        }
        if target.place != PathLocation::Workspace {
            return Err("it is outside the workspace; the agent can ask to read it".into());
        }
        let (bytes, stamp) = env.disk.load(path, MAX_FILE).map_err(|error| match error {
            FileError::TooLarge { size, .. } => {
                format!("{} is more than {}; the agent can read parts of it", human_size(size), human_size(MAX_FILE))
            }
            other => other.to_string().trim_end_matches('.').to_string(),
        })?;
        let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
        let text = text.ok_or("it is not a text file")?;
        env.disk.remember(path, stamp, Some(text.as_bytes()));
        Ok(Some(text))
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

/// The paths after `@`, without punctuation of the sentence. A path with blanks is in double quotes.
fn mentioned_paths(said: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut before = None;
    for (at, c) in said.char_indices() {
        let starts_word = before.replace(c).is_none_or(|c| c.is_whitespace() || "([\"'`".contains(c));
        if c != '@' || !starts_word || found.len() == MAX_FILES {
            continue;
        }
        let rest = &said[at + 1..];
        let path = match rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            Some((quoted, _)) => quoted,
            None => {
                let word = rest.split(char::is_whitespace).next().unwrap_or_default();
                let word = word.trim_end_matches([',', ';', '!', '?', ')', ']', '"', '\'', '`', ':']);
                word.strip_suffix('.').unwrap_or(word)
            }
        };
        if !path.is_empty() && !found.iter().any(|known| known == path) {
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
        assert_eq!(
            mentioned_paths("(@a b), [@c] or @\"my notes/é d.txt\". @\"open"),
            ["a", "c", "my notes/é d.txt", "\"open"]
        );
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
