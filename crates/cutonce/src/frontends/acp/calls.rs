//! A tool call in an editor: its kind, title, files, and changes as diffs.

use super::reviews::EXIT_QUESTION;
use agent_client_protocol::v1::schema::{
    ContentBlock, Diff, ImageContent, TextContent, ToolCallContent, ToolCallLocation, ToolKind,
};
use cutonce_core::conversation::ResultPart;
use cutonce_core::text::sanitize::sanitize;
use cutonce_core::text::truncate::with_ellipsis;
use serde_json::Value;
use std::path::{Path, PathBuf};

const MAX_TITLE_CHARS: usize = 160;
/// Maximum bytes of a result or input to show; some clients accept lines up to 64 KB.
const MAX_SHOWN_BYTES: usize = 16_000;
const DIFF_CUT_NOTE: &str = "The rest of the diff is not shown.";

pub fn tool_kind(tool: &str) -> ToolKind {
    match tool {
        "Read" | "LS" | "BashOutput" => ToolKind::Read,
        "Glob" | "Grep" => ToolKind::Search,
        "Write" | "Edit" | "NotebookEdit" => ToolKind::Edit,
        "Bash" | "KillShell" => ToolKind::Execute,
        "WebFetch" => ToolKind::Fetch,
        "TodoWrite" | "Agent" | "AskUserQuestion" => ToolKind::Think,
        "EnterPlanMode" | "ExitPlanMode" => ToolKind::SwitchMode,
        _ => ToolKind::Other,
    }
}

/// One line: the tool and its target.
pub fn call_title(tool: &str, input: &Value) -> String {
    let word = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default();
    let title = match tool {
        "Bash" => format!("`{}`", word("command")),
        "ExitPlanMode" => EXIT_QUESTION.to_string(),
        "EnterPlanMode" => "Enter plan mode".to_string(),
        "AskUserQuestion" => "Question".to_string(),
        "TodoWrite" => "Update the todo list".to_string(),
        "Read" | "Write" | "Edit" => format!("{tool} {}", word("file_path")),
        "NotebookEdit" => format!("{tool} {}", word("notebook_path")),
        "LS" => format!("LS {}", word("path")),
        "Glob" | "Grep" => format!("{tool} `{}`", word("pattern")),
        "WebFetch" => format!("WebFetch {}", word("url")),
        other => format!("{other} {}", word("description")),
    };
    one_line(&title)
}

/// Shows text completely, with escape sequences made visible, because the user has to judge it (UI-5, TL-10).
pub fn escape_controls(text: &str) -> String {
    sanitize(&text.replace('\x1b', "\\u{1b}")).into_owned()
}

pub fn one_line(text: &str) -> String {
    let text = escape_controls(text.trim());
    with_ellipsis(text.split_whitespace().collect::<Vec<_>>().join(" "), MAX_TITLE_CHARS)
}

/// The file that a call refers to.
pub fn input_path(input: &Value, cwd: &Path) -> Option<PathBuf> {
    let named = ["file_path", "notebook_path", "path"].iter().find_map(|name| input.get(*name)?.as_str())?;
    Some(cwd.join(named))
}

pub fn call_locations(input: &Value, cwd: &Path) -> Vec<ToolCallLocation> {
    let line = input.get("offset").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
    input_path(input, cwd).map(|path| ToolCallLocation::new(path).line(line)).into_iter().collect()
}

pub fn text_content(words: &str) -> ToolCallContent {
    ToolCallContent::from(ContentBlock::Text(TextContent::new(sanitize(words))))
}

/// Output in a code fence, because clients render content as Markdown.
pub fn fenced_content(output: &str, language: &str) -> ToolCallContent {
    let output = sanitize(output);
    let longest = output.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    text_content(&format!("{fence}{language}\n{}\n{fence}", output.trim_end_matches('\n')))
}

/// The start of a long text, with the number of omitted bytes.
pub fn truncate_shown(text: &str) -> std::borrow::Cow<'_, str> {
    let end = text.floor_char_boundary(MAX_SHOWN_BYTES);
    match text.len() - end {
        0 => text.into(),
        more => format!("{}\n[{more} more bytes]", &text[..end]).into(),
    }
}

/// The input with long texts cut: changes are shown as a diff. A long plan is shown once, as content.
pub fn raw_input(tool: &str, input: &Value) -> Value {
    let short = |text: &Value| text.as_str().is_none_or(|text| text.len() <= MAX_SHOWN_BYTES);
    match input {
        Value::Object(fields) if tool == "ExitPlanMode" => {
            let kept = fields.iter().filter(|(_, value)| short(value));
            Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| match value {
                Value::String(text) => (name.clone(), truncate_shown(text).into()),
                other => (name.clone(), other.clone()),
            };
            Value::Object(fields.iter().map(field).collect())
        }
        other => other.clone(),
    }
}

/// A result in the form that fits its tool.
pub fn result_content(tool: &str, parts: &[ResultPart]) -> Vec<ToolCallContent> {
    let one = |part: &ResultPart| match part {
        ResultPart::Text { text: words } if words.trim().is_empty() => None,
        ResultPart::Text { text: words } => Some(match tool_kind(tool) {
            ToolKind::Execute => fenced_content(&truncate_shown(words), "console"),
            ToolKind::Read | ToolKind::Search => fenced_content(&truncate_shown(words), ""),
            _ => text_content(&truncate_shown(words)),
        }),
        ResultPart::Image(image) => {
            Some(ContentBlock::Image(ImageContent::new(image.data.clone(), image.media_type.clone())).into())
        }
    };
    parts.iter().filter_map(one).collect()
}

/// Changed lines with context, before and after.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffHunk {
    /// First line in the new text, from 1.
    pub line: u32,
    pub old: String,
    pub new: String,
}

/// Parses the hunks of a unified diff.
pub fn parse_hunks(unified: &str) -> Vec<DiffHunk> {
    let mut hunks: Vec<DiffHunk> = Vec::new();
    let mut last = ' ';
    for line in unified.split_inclusive('\n') {
        if let Some(header) = line.strip_prefix("@@ ") {
            let start = header.split_once('+').and_then(|(_, rest)| rest.split([',', ' ']).next());
            hunks.push(DiffHunk {
                line: start.and_then(|start| start.parse().ok()).unwrap_or(1),
                ..DiffHunk::default()
            });
            continue;
        }
        let Some(hunk) = hunks.last_mut() else { continue };
        let Some(sign) = line.chars().next() else { continue };
        let rest = &line[sign.len_utf8()..];
        match sign {
            ' ' => [&mut hunk.old, &mut hunk.new].into_iter().for_each(|side| side.push_str(rest)),
            '-' => hunk.old.push_str(rest),
            '+' => hunk.new.push_str(rest),
            '\\' => no_newline(hunk, last),
            _ => {}
        }
        last = sign;
    }
    hunks
}

/// `\ No newline at end of file` refers to the line before it.
fn no_newline(hunk: &mut DiffHunk, side: char) {
    let sides = [(&mut hunk.old, side != '+'), (&mut hunk.new, side != '-')];
    for (text, meant) in sides {
        if meant && text.ends_with('\n') {
            text.pop();
        }
    }
}

/// Converts a unified diff to the protocol's diffs, one per hunk, with their locations.
pub fn diff_content(path: &Path, unified: &str) -> (Vec<ToolCallContent>, Vec<ToolCallLocation>) {
    let created = unified.starts_with("--- /dev/null");
    let hunks = parse_hunks(unified);
    let content = hunks.iter().map(|hunk| {
        let old = (!created).then(|| hunk.old.clone());
        ToolCallContent::Diff(Diff::new(path, hunk.new.clone()).old_text(old))
    });
    // The tool already cut a long diff.
    let cut =
        unified.lines().next_back().is_some_and(|line| line.starts_with('…')).then(|| text_content(DIFF_CUT_NOTE));
    let content = content.chain(cut);
    let places = hunks.iter().map(|hunk| ToolCallLocation::new(path).line(hunk.line.max(1)));
    (content.collect(), places.collect())
}

/// A diff built from the input alone, if nothing else is known.
pub fn diff_of_input(tool: &str, input: &Value, cwd: &Path) -> Option<ToolCallContent> {
    let word = |name: &str| input.get(name).and_then(Value::as_str).map(str::to_string);
    let path = input_path(input, cwd)?;
    match tool {
        "Write" => Some(Diff::new(path, word("content")?).into()),
        "Edit" => Some(Diff::new(path, word("new_string")?).old_text(word("old_string")?).into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_5_unified_diff_becomes_hunks() {
        let unified = "--- a\n+++ a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n@@ -10 +10,2 @@\n-ten\n\\ No newline at end of file\n+ten\n+eleven\n";
        let expected = [
            DiffHunk { line: 1, old: "one\ntwo\nthree\n".into(), new: "one\n2\nthree\n".into() },
            DiffHunk { line: 10, old: "ten".into(), new: "ten\neleven\n".into() },
        ];
        assert_eq!(parse_hunks(unified), expected);
    }

    #[test]
    fn ho_5_output_stays_inside_its_fence() {
        let ToolCallContent::Content(content) = fenced_content("a\n````\nb\n", "console") else { panic!("text") };
        let ContentBlock::Text(text) = content.content else { panic!("text") };
        assert_eq!(text.text, "`````console\na\n````\nb\n`````");
    }

    #[test]
    fn ho_5_titles_are_one_sanitized_line() {
        let input = serde_json::json!({"command": "echo a\n\u{1b}[2Jrm"});
        assert_eq!(call_title("Bash", &input), "`echo a \\u{1b}[2Jrm`");
        assert!(call_title("Bash", &serde_json::json!({"command": "x".repeat(900)})).chars().count() < 170);
    }
}
