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

/// Shortens a JSON value for an error message.
pub fn shorten_json(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_JSON_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
