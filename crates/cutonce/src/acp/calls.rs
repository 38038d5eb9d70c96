//! What a tool call looks like in an editor: its kind, its title, the files it is about, and its changes as diffs.

use agent_client_protocol::v1::schema::{
    ContentBlock, Diff, ImageContent, TextContent, ToolCallContent, ToolCallLocation, ToolKind,
};
use cutonce_core::conversation::ResultPart;
use cutonce_core::harmless::harmless;
use serde_json::Value;
use std::path::{Path, PathBuf};

const TITLE: usize = 160;
/// Results and inputs are shown up to here; some clients take no longer line than 64 KB.
const SHOWN: usize = 16_000;
/// Of a plan, so that its line stays below those 64 KB.
const PLAN: usize = 44_000;
const CUT: &str = "The rest of the diff is not shown.";

pub fn kind(tool: &str) -> ToolKind {
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

/// One line: what, on what.
pub fn title(tool: &str, input: &Value) -> String {
    let word = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default();
    let title = match tool {
        "Bash" => format!("`{}`", word("command")),
        "ExitPlanMode" => cutonce_core::approval::QUESTION.to_string(),
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

/// What somebody has to judge is shown whole, escape sequences as what they are (UI-5, TL-10).
pub fn judged(text: &str) -> String {
    harmless(&text.replace('\x1b', "\\u{1b}")).into_owned()
}

pub fn one_line(text: &str) -> String {
    let text = judged(text.trim());
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(TITLE) {
        words.truncate(end);
        words.push('…');
    }
    words
}

/// The file that a call is about.
pub fn path(input: &Value, cwd: &Path) -> Option<PathBuf> {
    let named = ["file_path", "notebook_path", "path"].iter().find_map(|name| input.get(*name)?.as_str())?;
    Some(cwd.join(named))
}

pub fn locations(input: &Value, cwd: &Path) -> Vec<ToolCallLocation> {
    let line = input.get("offset").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
    path(input, cwd).map(|path| ToolCallLocation::new(path).line(line)).into_iter().collect()
}

pub fn text(words: &str) -> ToolCallContent {
    ToolCallContent::from(ContentBlock::Text(TextContent::new(harmless(words))))
}

/// Output as it is: clients draw content as markdown.
pub fn fenced(output: &str, language: &str) -> ToolCallContent {
    let output = harmless(output);
    let longest = output.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    text(&format!("{fence}{language}\n{}\n{fence}", output.trim_end_matches('\n')))
}

/// The beginning of a long text, with how much is left.
pub fn cut(text: &str) -> std::borrow::Cow<'_, str> {
    let end = text.floor_char_boundary(SHOWN);
    match text.len() - end {
        0 => text.into(),
        more => format!("{}\n[{more} more bytes]", &text[..end]).into(),
    }
}

/// A plan as somebody judges it: whole, unless no line of a stock client could hold it; then it says where the rest is.
pub fn plan(text: &str, path: &str) -> String {
    let text = judged(text);
    let end = text.floor_char_boundary(PLAN);
    match text.len() - end {
        0 => text,
        more => format!("{}\n\n[{more} more bytes of the plan are in {path}]", &text[..end]),
    }
}

/// An input with its long texts cut: what a call changes is shown as its diff. A long plan is shown once, as content.
pub fn raw_input(tool: &str, input: &Value) -> Value {
    let short = |text: &Value| text.as_str().is_none_or(|text| text.len() <= SHOWN);
    match input {
        Value::Object(fields) if tool == cutonce_core::plan::EXIT => {
            let kept = fields.iter().filter(|(_, value)| short(value));
            Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| match value {
                Value::String(text) => (name.clone(), cut(text).into()),
                other => (name.clone(), other.clone()),
            };
            Value::Object(fields.iter().map(field).collect())
        }
        other => other.clone(),
    }
}

/// A result in the form that fits its tool.
pub fn results(tool: &str, parts: &[ResultPart]) -> Vec<ToolCallContent> {
    let one = |part: &ResultPart| match part {
        ResultPart::Text { text: words } if words.trim().is_empty() => None,
        ResultPart::Text { text: words } => Some(match kind(tool) {
            ToolKind::Execute => fenced(&cut(words), "console"),
            ToolKind::Read | ToolKind::Search => fenced(&cut(words), ""),
            _ => text(&cut(words)),
        }),
        ResultPart::Image(image) => {
            Some(ContentBlock::Image(ImageContent::new(image.data.clone(), image.media_type.clone())).into())
        }
    };
    parts.iter().filter_map(one).collect()
}

/// Changed lines with those around them, before and after.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Where it begins in the new text, from 1.
    pub line: u32,
    pub old: String,
    pub new: String,
}

/// The hunks of a unified diff.
pub fn hunks(unified: &str) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut last = ' ';
    for line in unified.split_inclusive('\n') {
        if let Some(header) = line.strip_prefix("@@ ") {
            let start = header.split_once('+').and_then(|(_, rest)| rest.split([',', ' ']).next());
            hunks.push(Hunk { line: start.and_then(|start| start.parse().ok()).unwrap_or(1), ..Hunk::default() });
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

/// `\ No newline at end of file` speaks about the line before it.
fn no_newline(hunk: &mut Hunk, side: char) {
    let sides = [(&mut hunk.old, side != '+'), (&mut hunk.new, side != '-')];
    for (text, meant) in sides {
        if meant && text.ends_with('\n') {
            text.pop();
        }
    }
}

/// A unified diff as the protocol's diffs, one for each hunk, with where they are.
pub fn diffs(path: &Path, unified: &str) -> (Vec<ToolCallContent>, Vec<ToolCallLocation>) {
    let created = unified.starts_with("--- /dev/null");
    let hunks = hunks(unified);
    let content = hunks.iter().map(|hunk| {
        let old = (!created).then(|| hunk.old.clone());
        ToolCallContent::Diff(Diff::new(path, hunk.new.clone()).old_text(old))
    });
    // A long diff was cut where it was made.
    let cut = unified.lines().next_back().is_some_and(|line| line.starts_with('…')).then(|| text(CUT));
    let content = content.chain(cut);
    let places = hunks.iter().map(|hunk| ToolCallLocation::new(path).line(hunk.line.max(1)));
    (content.collect(), places.collect())
}

/// What the input alone says about a change: where nothing else is known any more.
pub fn diff_of_input(tool: &str, input: &Value, cwd: &Path) -> Option<ToolCallContent> {
    let word = |name: &str| input.get(name).and_then(Value::as_str).map(str::to_string);
    let path = path(input, cwd)?;
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
    fn ho_5_a_unified_diff_becomes_hunks_of_old_and_new() {
        let unified = "--- a\n+++ a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n@@ -10 +10,2 @@\n-ten\n\\ No newline at end of file\n+ten\n+eleven\n";
        let expected = [
            Hunk { line: 1, old: "one\ntwo\nthree\n".into(), new: "one\n2\nthree\n".into() },
            Hunk { line: 10, old: "ten".into(), new: "ten\neleven\n".into() },
        ];
        assert_eq!(hunks(unified), expected);
    }

    #[test]
    fn ho_5_output_can_not_break_out_of_its_fence() {
        let ToolCallContent::Content(content) = fenced("a\n````\nb\n", "console") else { panic!("text") };
        let ContentBlock::Text(text) = content.content else { panic!("text") };
        assert_eq!(text.text, "`````console\na\n````\nb\n`````");
    }

    #[test]
    fn ho_5_titles_are_one_harmless_line() {
        let input = serde_json::json!({"command": "echo a\n\u{1b}[2Jrm"});
        assert_eq!(title("Bash", &input), "`echo a \\u{1b}[2Jrm`");
        assert!(title("Bash", &serde_json::json!({"command": "x".repeat(900)})).chars().count() < 170);
    }
}
