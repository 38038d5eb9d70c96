//! The four views of a run as text: user, model, host and disk.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Workspace files with their text, without version control and build output.
pub fn files(root: &Path) -> BTreeMap<String, String> {
    fn walk(folder: &Path, root: &Path, found: &mut BTreeMap<String, String>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            if name == ".git" {
                continue;
            }
            match path.symlink_metadata() {
                Ok(meta) if meta.is_dir() => walk(&path, root, found),
                Ok(meta) if meta.is_file() => {
                    let bytes = std::fs::read(&path).unwrap_or_default();
                    found.insert(name, String::from_utf8_lossy(&bytes).into_owned());
                }
                _ => {}
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

/// The changes, one paragraph per file.
pub fn changes(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        let _ = writeln!(text, "deleted {name}");
    }
    for (name, content) in after {
        match before.get(name) {
            Some(old) if old == content => {}
            old => {
                let what = if old.is_some() { "changed" } else { "created" };
                let _ = writeln!(text, "{what} {name}");
                for line in content.lines() {
                    let _ = writeln!(text, "  {line}");
                }
            }
        }
    }
    if text.is_empty() { "nothing changed".into() } else { text }
}

/// The latest session's entries, one per line, without ids and times. `all` shows every field, `models` only
/// the answering model.
pub fn transcript(home: &Path, rest: &str, placed: impl Fn(&str) -> String) -> Result<String, String> {
    let mut latest: Option<(std::time::SystemTime, std::path::PathBuf)> = None;
    let projects = std::fs::read_dir(home.join("projects")).map_err(|error| error.to_string())?;
    for folder in projects.flatten() {
        for file in std::fs::read_dir(folder.path()).into_iter().flatten().flatten() {
            let path = file.path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                let at = file.metadata().and_then(|meta| meta.modified()).map_err(|error| error.to_string())?;
                if latest.as_ref().is_none_or(|(newest, _)| at > *newest) {
                    latest = Some((at, path));
                }
            }
        }
    }
    let (_, path) = latest.ok_or("no transcript")?;
    let content = placed(&std::fs::read_to_string(path).map_err(|error| error.to_string())?);
    let mut text = String::new();
    for line in in_call_order(content.lines().collect()) {
        let Ok(Value::Object(mut entry)) = serde_json::from_str(line) else {
            text.push_str("(not JSON)\n");
            continue;
        };
        if rest == "models" {
            if entry["type"] == "assistant" {
                let _ = writeln!(text, "{} {}", entry["model"].as_str().unwrap_or("?"), short(&entry["blocks"]));
            }
            continue;
        }
        let kind = entry.shift_remove("type").and_then(|kind| kind.as_str().map(str::to_string)).unwrap_or_default();
        // Totals repeat what the answers say.
        if kind == "usage" && rest != "all" {
            continue;
        }
        // What a turn cost differs.
        if entry.get("evidence").is_some_and(|evidence| evidence["kind"] == "spent") {
            continue;
        }
        // These depend on ids, times and inodes.
        entry.retain(|field, _| !matches!(field.as_str(), "sum" | "seen"));
        for field in ["id", "parent", "at", "usage", "version", "cwd", "sessionId", "model"] {
            if rest != "all" {
                entry.shift_remove(field);
            }
        }
        let _ = writeln!(text, "{kind} {}", short(&Value::Object(entry)));
    }
    Ok(text)
}

/// Parallel calls are recorded as they end; neighbours are shown in the order of their ids.
fn in_call_order(mut lines: Vec<&str>) -> Vec<&str> {
    let id = |line: &str| -> Option<String> {
        let entry: Value = serde_json::from_str(line).ok()?;
        (entry["type"] == "tool").then(|| entry["callId"].as_str().map(str::to_string)).flatten()
    };
    let ids: Vec<Option<String>> = lines.iter().map(|line| id(line)).collect();
    let mut at = 0;
    while at < lines.len() {
        let run = ids[at..].iter().take_while(|id| id.is_some()).count();
        lines[at..at + run].sort_by_key(|line| id(line));
        at += run.max(1);
    }
    lines
}

/// Each stream-json frame, one per line.
pub fn frames(stdout: &str) -> Result<String, String> {
    let mut text = String::new();
    for line in stdout.lines() {
        let mut frame: Value = serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
        // The scripted model counts bytes: a changed word in a prompt must not change every story.
        if let Some(message) = frame["message"].as_object_mut() {
            message.shift_remove("usage");
        }
        if let Some(message) = frame["event"]["message"].as_object_mut() {
            message.shift_remove("usage");
        }
        if frame["time"].is_u64() {
            frame["time"] = "<time>".into();
        } else if let Some(frame) = frame.as_object_mut() {
            frame.shift_remove("time");
        }
        // A subagent's usage differs as well.
        if let Some(result) = frame.get_mut("tool_use_result").and_then(Value::as_object_mut) {
            for field in ["totalTokens", "totalDurationMs", "usage", "totalCostUsd"] {
                result.shift_remove(field);
            }
        }
        if let Some(report) = frame.get_mut("report").and_then(Value::as_object_mut) {
            ["costUsd", "seconds"].iter().for_each(|field| drop(report.shift_remove(*field)));
        }
        if let Some(frame) = frame.as_object_mut() {
            ["costUsd", "seconds"].iter().for_each(|field| drop(frame.shift_remove(*field)));
            // A plan's name varies in length.
            if stdout.lines().count() > 1 || frame.contains_key("slug") || frame.contains_key("report") {
                frame.shift_remove("usage");
                frame.shift_remove("total_cost_usd");
            }
            for field in [
                "uuid",
                "session_id",
                "duration_ms",
                "duration_api_ms",
                "cwd",
                "cutonce_version",
                "tools",
                "modelUsage",
            ] {
                frame.shift_remove(field);
            }
        }
        let _ = writeln!(text, "{}", short(&frame));
    }
    Ok(text)
}

/// The model's view: the new part of each request; long messages are cut unless requested in full.
pub fn seen(
    requests: &[cutonce_models::scripted::RecordedRequest],
    from: usize,
    whole: bool,
) -> Result<String, String> {
    let mut text = String::new();
    let mut known = 0;
    for (n, request) in requests.iter().enumerate() {
        let body: Value = serde_json::from_slice(&request.body).map_err(|error| error.to_string())?;
        let messages = body["messages"].as_array().or(body["input"].as_array()).cloned().unwrap_or_default();
        if messages.len() < known {
            known = 0;
        }
        if n >= from {
            let _ = writeln!(text, "request {}", n + 1);
            for message in &messages[known..] {
                show_message(message, if whole { usize::MAX } else { SHOWN }, &mut text);
            }
        }
        known = messages.len();
    }
    Ok(text)
}

/// The lines of a message.
const SHOWN: usize = 14;

fn show_message(message: &Value, most: usize, text: &mut String) {
    let role = message["role"].as_str().or(message["type"].as_str()).unwrap_or("?");
    let blocks = match &message["content"] {
        Value::Array(blocks) => blocks.clone(),
        Value::Null => vec![message.clone()],
        other => vec![serde_json::json!({"type": "text", "text": other})],
    };
    for block in blocks {
        let said = match block["type"].as_str() {
            Some("text" | "input_text" | "output_text") => block["text"].as_str().unwrap_or_default().to_string(),
            Some("thinking") => format!("(thinking) {}", block["thinking"].as_str().unwrap_or_default()),
            Some("tool_use") => {
                format!("call {} {}", block["name"].as_str().unwrap_or_default(), short(&block["input"]))
            }
            Some("tool_result") => {
                let error = if block["is_error"] == true { "error" } else { "result" };
                let content = match &block["content"] {
                    Value::String(text) => text.clone(),
                    Value::Array(parts) => parts
                        .iter()
                        .map(|part| part["text"].as_str().unwrap_or("(image)"))
                        .collect::<Vec<_>>()
                        .join("\n"),
                    other => other.to_string(),
                };
                format!("{error}: {content}")
            }
            _ => short(&block),
        };
        let more = said.lines().count().saturating_sub(most.saturating_add(1));
        let cut = (more > 0).then(|| format!("… {more} more lines"));
        let shown = said.lines().take(if cut.is_some() { most } else { most.saturating_add(1) }).chain(cut.as_deref());
        for (n, line) in shown.enumerate() {
            let mark = if n == 0 { format!("{role}:") } else { " ".repeat(role.len() + 1) };
            let _ = writeln!(text, "  {mark} {line}");
        }
    }
}

/// JSON on one line, with long texts cut.
fn short(value: &Value) -> String {
    fn cut(value: &mut Value) {
        match value {
            Value::String(text) if text.chars().count() > 160 => {
                *text = text.chars().take(160).chain("…".chars()).collect();
            }
            Value::Array(items) => items.iter_mut().for_each(cut),
            Value::Object(fields) => fields.values_mut().for_each(cut),
            _ => {}
        }
    }
    let mut value = value.clone();
    cut(&mut value);
    value.to_string()
}

/// Plans of this story's sessions, oldest first: name and path. Their names are random.
pub fn plans(home: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(home.join(".cutonce/plans/.reserved")).into_iter().flatten().flatten() {
        let record: Value =
            std::fs::read(entry.path()).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let text = |field: &str| record[field].as_str().unwrap_or_default().to_string();
        // Files that the story itself created belong to no session.
        if is_uuid(text("session").as_bytes()) {
            found.push((text("time"), entry.file_name().to_string_lossy().into_owned(), text("path")));
        }
    }
    found.sort();
    found.into_iter().map(|(_, slug, path)| (slug, path)).collect()
}

/// Replaces values that differ between runs by names.
pub fn normal(raw: &str, ws: &Path, home: &Path) -> String {
    let mut out = String::new();
    for line in placed(raw, ws, home).lines() {
        out.push_str(&named(line));
        out.push('\n');
    }
    out
}

/// Replaces folders and plans by names, before anything is cut, so that a cut never shows half of a name.
pub fn placed(raw: &str, ws: &Path, home: &Path) -> String {
    let plans = plans(home);
    let ws = ws.display().to_string();
    let project: String = ws.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let mut text = raw.replace(&ws, "$WS").replace(&project, "<project>").replace(&home.display().to_string(), "$HOME");
    for (n, (slug, _)) in plans.iter().enumerate().rev() {
        let name = if n == 0 { "<slug>".to_string() } else { format!("<slug {}>", n + 1) };
        text = text.replace(slug, &name);
    }
    text
}

/// The text before the delay of a retry, and what follows it.
fn strip_retry(text: &str) -> Option<(&'static str, &str)> {
    ["retrying in ", "trying again in "].into_iter().find_map(|words| Some((words, text.strip_prefix(words)?)))
}

/// Replaces UUIDs, times and delays with jitter.
fn named(line: &str) -> String {
    let bytes = line.as_bytes();
    let (mut out, mut at) = (String::new(), 0);
    while at < line.len() {
        if is_uuid(&bytes[at..]) {
            out.push_str("<id>");
            at += 36;
        } else if is_time(&bytes[at..]) {
            out.push_str("<time>");
            at += 19;
            while at < line.len() && (bytes[at].is_ascii_digit() || bytes[at] == b'.' || bytes[at] == b'Z') {
                at += 1;
            }
        } else if let Some(rest) = line[at..].strip_prefix("/.reserved/") {
            out.push_str("/.reserved/<slug>");
            at = line.len() - rest.trim_start_matches(|c: char| c.is_ascii_lowercase() || c == '-').len();
        } else if let Some((words, rest)) = strip_retry(&line[at..]) {
            out.push_str(&format!("{words}<n>"));
            at = line.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        } else {
            let c = line[at..].chars().next().unwrap_or(' ');
            out.push(c);
            at += c.len_utf8();
        }
    }
    out
}

fn is_uuid(bytes: &[u8]) -> bool {
    bytes.len() >= 36
        && bytes[..36].iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_time(bytes: &[u8]) -> bool {
    bytes.len() >= 19
        && bytes[..19].iter().zip(b"0000-00-00T00:00:00").all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        })
}
