//! Shows settings without the keys in them: variables, headers, addresses, options and command lines.

use cutonce_sandbox::env::is_secret_variable;
use serde_json::Value;

const HIDDEN: &str = "…";
/// Starts of tokens that providers issue.
const TOKEN_STARTS: [&str; 9] = ["sk-", "ghp_", "gho_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "AIza"];

/// A value on one line, without keys.
pub(super) fn brief(value: &Value) -> String {
    match hide(value, &mut String::new()) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// `before` is the word before this value, for options such as `--token`.
fn hide(value: &Value, before: &mut String) -> Value {
    match value {
        Value::String(text) => Value::String(hide_in_text(text, before)),
        Value::Array(items) => Value::Array(items.iter().map(|item| hide(item, before)).collect()),
        Value::Object(fields) => {
            let shown = fields.iter().map(|(name, value)| (name.clone(), hide_field(name, value)));
            Value::Object(shown.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn hide_field(name: &str, value: &Value) -> Value {
    match value {
        Value::Object(fields) if name == "env" || name == "headers" => {
            Value::Object(fields.keys().map(|name| (name.clone(), HIDDEN.into())).collect())
        }
        Value::String(_) if is_secret_name(name) => HIDDEN.into(),
        _ => hide(value, &mut String::new()),
    }
}

fn hide_in_text(text: &str, before: &mut String) -> String {
    let mut shown = String::with_capacity(text.len());
    for part in text.split_inclusive(char::is_whitespace) {
        let word = part.trim_end();
        shown.push_str(&hide_word(word, before));
        shown.push_str(&part[word.len()..]);
        if !word.is_empty() {
            *before = word.trim_matches(['"', '\'', ':']).to_string();
        }
    }
    shown
}

fn hide_word(word: &str, before: &str) -> String {
    let bare = word.trim_start_matches(['"', '\'']);
    let follows_option = before.starts_with('-') && !before.contains('=') && is_secret_name(before);
    let is_token = TOKEN_STARTS.iter().any(|start| bare.starts_with(start)) && bare.len() >= 12;
    if !word.is_empty() && (follows_option || before.eq_ignore_ascii_case("bearer") || is_token) {
        return HIDDEN.into();
    }
    if let Some((scheme, rest)) = word.split_once("://") {
        let (rest, query) = rest.split_once('?').map_or((rest, ""), |(rest, _)| (rest, "?…"));
        let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        let host = host.rsplit_once('@').map_or(host.to_string(), |(_, host)| format!("{HIDDEN}@{host}"));
        return format!("{scheme}://{host}{path}{query}");
    }
    match word.split_once('=') {
        Some((name, value)) if !value.is_empty() && is_secret_name(name) => format!("{name}={HIDDEN}"),
        _ => word.to_string(),
    }
}

fn is_secret_name(name: &str) -> bool {
    is_secret_variable(&name.trim_start_matches('-').replace('-', "_"), "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn import_shows_no_keys() {
        let values = [
            json!({"url": "https://h.example/mcp?token=Zz1&x=1", "headers": {"Authorization": "Bearer Zz2"}}),
            json!({"command": "npx", "args": ["-y", "srv", "postgres://u:Zz3@h/db", "--api-key", "Zz4", "--token=Zz5", "sk-live-Zz6-000000"]}),
            json!({"env": {"PGPASSWORD": "Zz7"}, "apiKey": "Zz8"}),
            json!("curl -H 'Authorization: Bearer Zz9' https://u:Zz10@h/x && GITHUB_TOKEN=Zz11 run"),
        ];
        for value in &values {
            let shown = brief(value);
            assert!(!shown.contains("Zz"), "{shown}");
        }
        assert_eq!(brief(&values[0]), r#"{"url":"https://h.example/mcp?…","headers":{"Authorization":"…"}}"#);
        for plain in ["fmt --check a=b https://h.example/x", "git commit -m 'x'", "opus"] {
            assert_eq!(brief(&json!(plain)), plain);
        }
    }
}
