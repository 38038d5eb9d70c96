//! Checks after a kill; each returns the reason if it fails.

use crate::stage::Ended;
use crate::story;
use cutonce_core::conversation::{ContentBlock, ToolInput};
use cutonce_core::transcript::{EntryBody, TranscriptEntry};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The frames on stdout. Only the last line may be cut.
pub fn frames(stdout: &[u8]) -> Result<Vec<Value>, String> {
    let text = String::from_utf8_lossy(stdout);
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(|line| serde_json::from_str(line).map_err(|error| format!("frame {line}: {error}"))).collect()
}

/// The entries of an undamaged transcript: every line but a torn last one parses.
pub fn transcript(bytes: &[u8]) -> Result<Vec<TranscriptEntry>, String> {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines = bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines
        .map(|line| {
            TranscriptEntry::parse(line).map_err(|skip| format!("a line is {skip}: {}", String::from_utf8_lossy(line)))
        })
        .collect()
}

/// SE-1: everything that a frame showed as done is in the transcript.
pub fn confirmed(frames: &[Value], entries: &[TranscriptEntry]) -> Result<(), String> {
    let answers: BTreeSet<&str> = entries
        .iter()
        .filter(|entry| matches!(entry.body, EntryBody::Assistant { .. }))
        .map(|entry| entry.id.as_str())
        .collect();
    let mut results = BTreeMap::new();
    for entry in entries {
        if let EntryBody::Tool { call_id, is_error, .. } = &entry.body {
            results.insert(call_id.as_str(), *is_error);
        }
    }
    for frame in frames {
        let message = &frame["message"];
        if frame["type"] == "assistant" {
            let id = message["id"].as_str().unwrap_or_default();
            if !answers.contains(id) {
                return Err(format!("an answer was shown that the transcript lacks: {frame}"));
            }
        }
        let blocks = message["content"].as_array().into_iter().flatten();
        for block in blocks.filter(|block| block["type"] == "tool_result") {
            let id = block["tool_use_id"].as_str().unwrap_or_default();
            if results.get(id) != Some(&(block["is_error"] == true)) {
                return Err(format!("a result was shown that the transcript lacks: {frame}"));
            }
        }
    }
    Ok(())
}

/// PR-6, TL-3: every file is one of its complete versions. It is not newer than the calls in the transcript,
/// which are written before a tool with effects runs, and not older than the results in it (SE-1).
pub fn workspace(ws: &Path, entries: &[TranscriptEntry]) -> Result<(), String> {
    let (asked, done) = (count_changes(entries, Count::Asked), count_changes(entries, Count::Done));
    for (name, versions) in story::files() {
        let path = ws.join(name);
        let version = match std::fs::read_to_string(&path) {
            Ok(text) => match versions.iter().position(|version| *version == text) {
                Some(at) => at + 1,
                None => return Err(format!("{name} is none of its versions: {} bytes", text.len())),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
            Err(error) => return Err(format!("{name}: {error}")),
        };
        let key = path.display().to_string();
        let (asked, done) = (asked.get(&key).copied().unwrap_or(0), done.get(&key).copied().unwrap_or(0));
        if !(done..=asked).contains(&version) {
            return Err(format!("{name} has version {version}, but {asked} calls and {done} results are recorded"));
        }
    }
    no_strangers(ws)
}

/// There are no files that no call created, and no temporary file of a killed write.
fn no_strangers(ws: &Path) -> Result<(), String> {
    let mut known: BTreeSet<_> = story::files().into_iter().map(|(name, _)| ws.join(name)).collect();
    known.extend(["log", "out", "src"].map(|name| ws.join(name)));
    for folder in [ws.to_path_buf(), ws.join("src")] {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if !known.contains(&entry.path()) {
                return Err(format!("a stranger in the workspace: {}", entry.path().display()));
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Count {
    Asked,
    Done,
}

fn count_changes(entries: &[TranscriptEntry], what: Count) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut count = |name: &str, input: &Value| {
        if let ("Write" | "Edit", Some(path)) = (name, input["file_path"].as_str()) {
            *counts.entry(path.to_string()).or_insert(0) += 1;
        }
    };
    for entry in entries {
        match &entry.body {
            EntryBody::Assistant { blocks, .. } if what == Count::Asked => {
                for block in blocks {
                    if let ContentBlock::ToolUse(call) = block
                        && let ToolInput::Json(input) = &call.input
                    {
                        count(&call.name, input);
                    }
                }
            }
            EntryBody::Tool { name, input, is_error: false, .. } if what == Count::Done => count(name, input),
            _ => {}
        }
    }
    counts
}

/// SE-2, AG-4: the resumed run succeeds, reports what was skipped, and sends a conversation that a provider
/// accepts.
pub fn resumed(ended: &Ended, hurt: bool) -> Result<(), String> {
    if hurt != ended.stderr.contains("Skipped ") {
        return Err(format!("hurt: {hurt}, but the resumed run said: {:?}", ended.stderr));
    }
    continued(ended)
}

/// The resumed run succeeds with one request, whatever happened before.
pub fn continued(ended: &Ended) -> Result<(), String> {
    succeeded(ended)?;
    let [request] = &ended.requests[..] else {
        return Err(format!("{} requests of a resumed run, expected 1", ended.requests.len()));
    };
    every_call_has_its_result(request)
}

/// The last result of the resumed run is no error. News of a team may follow it.
pub fn succeeded(ended: &Ended) -> Result<(), String> {
    let frames = frames(&ended.stdout)?;
    let result = frames.iter().rfind(|frame| frame["type"] == "result");
    let result = result.ok_or_else(|| format!("the resumed run has no result: {}", ended.stderr))?;
    if result["subtype"] != "success" || result["is_error"] != false {
        return Err(format!("the resumed run failed: {result} {}", ended.stderr));
    }
    Ok(())
}

fn every_call_has_its_result(request: &Value) -> Result<(), String> {
    let messages = request["messages"].as_array().ok_or("a request without messages")?;
    let ids = |message: &Value, kind: &str, field: &str| -> Vec<String> {
        let blocks = message["content"].as_array().into_iter().flatten().filter(|block| block["type"] == kind);
        blocks.map(|block| block[field].as_str().unwrap_or_default().to_string()).collect()
    };
    for (at, message) in messages.iter().enumerate() {
        let calls = ids(message, "tool_use", "id");
        let results = messages.get(at + 1).map_or(vec![], |next| ids(next, "tool_result", "tool_use_id"));
        if !calls.is_empty() && calls != results {
            return Err(format!("message {at} calls {calls:?}, the next one has results for {results:?}"));
        }
    }
    match messages.first().map(|message| &message["role"]) {
        Some(role) if role == "user" => Ok(()),
        other => Err(format!("the conversation starts with {other:?}")),
    }
}

/// SE-1: a resume only appends.
pub fn grown(before: &[u8], after: &[u8]) -> Result<(), String> {
    if after.len() > before.len() && after.starts_with(before) {
        return Ok(());
    }
    let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    Err(format!("the transcript was rewritten: {} bytes, now {}, the same up to {same}", before.len(), after.len()))
}
