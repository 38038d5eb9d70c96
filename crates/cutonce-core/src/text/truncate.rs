//! Shortens long texts. The result says that something was cut.

use serde_json::Value;

/// Maximum number of characters of a JSON value in an error message.
const MAX_JSON_CHARS: usize = 60;

/// Keeps the first `most` characters and notes the cut.
pub fn truncate_chars(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{} [cut after {most} characters]", &text[..at]),
        None => text.to_string(),
    }
}

/// Keeps the first `most` characters and marks a cut with `…`.
pub fn with_ellipsis(mut text: String, most: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(most) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// The first line that is not blank, without spaces around it; empty if there is none.
pub fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// Shortens a JSON value for an error message.
pub fn shorten_json(value: &Value) -> String {
    with_ellipsis(value.to_string(), MAX_JSON_CHARS)
}
