//! Diagnostics: what servers send, what is new in it, and how the model reads it.

use cutonce_core::text::sanitize::{one_line, sanitize_for_model};
use cutonce_core::text::truncate::with_ellipsis;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Diagnostics of one file that are kept.
const MAX_PER_FILE: usize = 500;
/// Characters of a message that are kept.
const MAX_MESSAGE: usize = 300;
/// Lines and bytes of a report.
const MAX_LINES: usize = 20;
const MAX_BYTES: usize = 4_000;

/// Hints and notes are left out: they are suggestions, not problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    Error,
    Warning,
}

impl Severity {
    fn label(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// A problem in a file. Line and column count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileDiagnostic {
    pub line: u32,
    pub column: u32,
    pub severity: Severity,
    pub message: String,
}

/// The part of the protocol's diagnostic that is used.
#[derive(Deserialize)]
struct WireDiagnostic {
    range: WireRange,
    #[serde(default)]
    severity: Option<u8>,
    message: Value,
}

#[derive(Deserialize)]
struct WireRange {
    start: WirePosition,
}

#[derive(Deserialize)]
struct WirePosition {
    line: u32,
    character: u32,
}

impl FileDiagnostic {
    /// Reads a server's list; what is not a diagnostic is skipped.
    pub fn read_list(list: &Value) -> Vec<FileDiagnostic> {
        let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(FileDiagnostic::read).take(MAX_PER_FILE).collect()
    }

    fn read(value: &Value) -> Option<FileDiagnostic> {
        let wire = WireDiagnostic::deserialize(value).ok()?;
        let severity = match wire.severity {
            None | Some(1) => Severity::Error,
            Some(2) => Severity::Warning,
            Some(_) => return None,
        };
        // Newer servers may send markup: an object with the text in `value`.
        let text = wire.message.as_str().or_else(|| wire.message.get("value")?.as_str())?;
        let text: String = text.chars().take(MAX_MESSAGE * 2).collect();
        let line = one_line(&sanitize_for_model(&text).split_whitespace().collect::<Vec<_>>().join(" "));
        let message = with_ellipsis(line, MAX_MESSAGE);
        let (line, column) = (wire.range.start.line.saturating_add(1), wire.range.start.character.saturating_add(1));
        Some(FileDiagnostic { line, column, severity, message })
    }

    fn is_like(&self, other: &FileDiagnostic) -> bool {
        // An edit moves lines, so places don't count.
        (self.severity, &self.message) == (other.severity, &other.message)
    }
}

/// Returns the diagnostics that were not there before; of equal ones, as many as are new.
pub(super) fn new_ones(before: &[FileDiagnostic], now: Vec<FileDiagnostic>) -> Vec<FileDiagnostic> {
    let mut before: Vec<&FileDiagnostic> = before.iter().collect();
    let mut new = Vec::new();
    // What is at the same place is the same one; the rest is compared by its text.
    let (same, rest): (Vec<_>, Vec<_>) = now.into_iter().partition(|one| before.contains(&one));
    for one in same {
        if let Some(at) = before.iter().position(|known| **known == one) {
            before.swap_remove(at);
        }
    }
    for one in rest {
        match before.iter().position(|known| known.is_like(&one)) {
            Some(at) => drop(before.swap_remove(at)),
            None => new.push(one),
        }
    }
    new
}

/// Formats new diagnostics for the model, the edited file and errors first; `None` if there are none.
pub(super) fn report(
    server: &str,
    edited: &Path,
    shown: impl Fn(&Path) -> String,
    mut found: Vec<(PathBuf, FileDiagnostic)>,
) -> Option<String> {
    if found.is_empty() {
        return None;
    }
    found.sort_by(|(a, one), (b, other)| {
        let key = |path: &PathBuf, one: &FileDiagnostic| (path != edited, path.clone(), one.severity, one.line);
        key(a, one).cmp(&key(b, other))
    });
    let mut text = format!("New diagnostics after this edit, from {}:", one_line(server));
    let mut listed = 0;
    for (path, one) in &found {
        let path = one_line(&shown(path));
        let line = format!("\n{path}:{}:{} {} {}", one.line, one.column, one.severity.label(), one.message);
        if listed == MAX_LINES || text.len() + line.len() > MAX_BYTES {
            break;
        }
        text.push_str(&line);
        listed += 1;
    }
    if listed < found.len() {
        text.push_str(&format!("\n… and {} more", found.len() - listed));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn wire(line: u32, severity: u8, message: &str) -> Value {
        json!({"range": {"start": {"line": line, "character": 4}, "end": {}}, "severity": severity, "message": message})
    }

    fn list(all: &[Value]) -> Vec<FileDiagnostic> {
        FileDiagnostic::read_list(&json!(all))
    }

    #[test]
    fn du_11_only_new_diagnostics_are_reported() {
        let before = list(&[wire(3, 1, "old"), wire(4, 1, "twice")]);
        let now = list(&[wire(5, 1, "old"), wire(4, 1, "twice"), wire(9, 1, "twice"), wire(1, 2, "new")]);
        let new: Vec<(u32, String)> = new_ones(&before, now).into_iter().map(|one| (one.line, one.message)).collect();
        assert_eq!(new, [(10, "twice".to_string()), (2, "new".to_string())]);
        assert!(new_ones(&before, before.clone()).is_empty());
    }

    #[test]
    fn du_11_report_is_short_and_harmless() {
        let hostile = "a\u{1b}[31m\nb\u{202e}c".to_string() + &"x".repeat(5_000);
        let mut all =
            vec![wire(0, 2, "late"), wire(7, 1, &hostile), wire(1, 3, "a hint"), json!("nonsense"), json!({})];
        all.extend((0..100).map(|line| wire(line, 1, "many")));
        let found = list(&all).into_iter().map(|one| (PathBuf::from("/w/a.py"), one)).collect();
        let text = report("py", Path::new("/w/a.py"), |path| path.display().to_string(), found).unwrap();
        assert!(text.starts_with("New diagnostics after this edit, from py:\n/w/a.py:1:5 error many\n"), "{text}");
        assert!(text.len() < MAX_BYTES + 40 && text.lines().count() == MAX_LINES + 2, "{text}");
        assert!(text.ends_with("\n… and 82 more"), "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}') && !text.contains("hint"), "{text:?}");
        assert_eq!(report("py", Path::new("/w/a.py"), |_| String::new(), Vec::new()), None);
    }

    #[test]
    fn du_11_edited_file_and_errors_come_first() {
        let found = [("/w/b.py", wire(0, 1, "other")), ("/w/a.py", wire(0, 2, "w")), ("/w/a.py", wire(9, 1, "e"))];
        let found = found.map(|(path, one)| (PathBuf::from(path), list(&[one]).remove(0))).to_vec();
        let text = report("py", Path::new("/w/a.py"), |path| path.display().to_string(), found).unwrap();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines, ["/w/a.py:10:5 error e", "/w/a.py:1:5 warning w", "/w/b.py:1:5 error other"]);
    }
}
