//! A tool call as one line: what, on what, how it came out, how long (UI-4). An edit shows its diff, long output is folded.

use crate::diff;
use crate::text;
use crate::theme::Theme;
use cutonce_core::conversation::ResultPart;
use cutonce_core::event::{AgentEnd, AgentHow, Finished};
use ratatui::text::{Line, Span};
use serde_json::Value;

/// Rows of a diff and of output that stand in the conversation; Ctrl+O has all of it.
const DIFF_ROWS: usize = 40;
const OUTPUT_ROWS: usize = 4;
/// Characters of a line of output that are looked at.
const LONGEST: usize = 1_000;

/// A call that runs.
#[derive(Debug, Clone)]
pub struct Running {
    pub call_id: String,
    pub name: String,
    pub summary: String,
    pub since: std::time::Instant,
    /// The last line it printed.
    pub last: String,
}

impl Running {
    pub fn lines(&self, spinner: &str, seconds: u64, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let left = format!("{spinner} {} {}", text::one_line(&self.name), text::one_line(&self.summary));
        let mut lines = vec![columns(&left, &super::took(seconds), width, theme.text, theme.dim)];
        if !self.last.is_empty() {
            let last = text::one_line(&text::unpainted(&self.last));
            lines.push(Line::styled(format!("  {}", text::fit(&last, width.saturating_sub(2))), theme.dim));
        }
        lines
    }
}

/// A call that is done. `summary`: what the session called it when it started, if it did.
pub fn finished(done: &Finished, summary: Option<&str>, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let said = said(done);
    let summary = summary.map_or_else(|| summary_of(&done.input), str::to_string);
    let (mark, style) = if done.is_error { ("✗", theme.error) } else { (super::MARK, theme.success) };
    let outcome = if done.is_error { first_words(&said) } else { outcome(done, &said) };
    let time = match done.duration_ms {
        0..10 => String::new(),
        10..1_000 => format!("{:.2}s", done.duration_ms as f64 / 1e3),
        1_000..10_000 => format!("{:.1}s", done.duration_ms as f64 / 1e3),
        more => super::took(more / 1_000),
    };
    let right =
        [outcome.as_str(), time.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ");
    let left = format!("{} {}", text::one_line(&done.name), text::one_line(text::bounded(&summary, 400).as_ref()));
    let mut lines = vec![marked(mark, style, &left, &right, width, theme)];
    lines.extend(below(done, &said, width, theme));
    lines
}

/// `● Agent Explore: who reads sid      14 calls · 18.2k tokens  41s`
pub fn agent_ended(summary: &str, end: &AgentEnd, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let tokens = end.usage.context();
    let (mark, style, how) = match &end.how {
        AgentHow::Done => (super::MARK, theme.success, String::new()),
        AgentHow::Stopped => ("✗", theme.warning, "stopped · ".to_string()),
        AgentHow::Failed(why) => ("✗", theme.error, format!("{} · ", first_words(why))),
    };
    let right = format!(
        "{how}{} · {} tokens  {}",
        text::counted(end.tools as usize, "call"),
        super::short_count(tokens),
        super::took(end.elapsed_ms / 1_000)
    );
    let left = text::one_line(&format!("Agent {summary}"));
    vec![marked(mark, style, &left, &right, width, theme)]
}

fn marked(
    mark: &str,
    style: ratatui::style::Style,
    left: &str,
    right: &str,
    width: usize,
    theme: &Theme,
) -> Line<'static> {
    let mut line = columns(left, right, width.saturating_sub(2), theme.text, theme.dim);
    line.spans.insert(0, Span::styled(format!("{mark} "), style));
    line
}

/// Left and right on one line; the left gives way, down to half of it, then the right does.
pub fn columns(
    left: &str,
    right: &str,
    width: usize,
    left_style: ratatui::style::Style,
    right_style: ratatui::style::Style,
) -> Line<'static> {
    let least = (width / 2).min(text::width(left));
    let right = text::fit(right, width.saturating_sub(least + 2)).into_owned();
    let room = width.saturating_sub(text::width(&right) + if right.is_empty() { 0 } else { 2 });
    let left = text::fit(left, room).into_owned();
    let gap = width.saturating_sub(text::width(&left) + text::width(&right));
    if right.is_empty() {
        return Line::from(Span::styled(left, left_style));
    }
    Line::from(vec![Span::styled(left, left_style), Span::raw(" ".repeat(gap)), Span::styled(right, right_style)])
}

/// The diff of an edit, or the beginning of what a command printed.
fn below(done: &Finished, said: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let indent = |line: Line<'static>| {
        let mut line = line;
        line.spans.insert(0, Span::raw("  "));
        line
    };
    if let Some(unified) = done.display.as_ref().and_then(|display| display.get("diff")).and_then(Value::as_str) {
        return diff::unified(unified, width.saturating_sub(2), theme, DIFF_ROWS).into_iter().map(indent).collect();
    }
    if done.name != "Bash" || done.is_error && said.lines().count() <= 1 {
        return Vec::new();
    }
    folded(said, width, theme)
}

/// The first lines, and how many more there are.
pub fn folded(said: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let said = said.trim_end();
    let count = said.lines().count();
    let shown = if count <= OUTPUT_ROWS + 1 { count } else { OUTPUT_ROWS };
    let mut lines: Vec<Line<'static>> = said
        .lines()
        .take(shown)
        .map(|line| {
            let line = text::visible(text::bounded(line, LONGEST).as_ref()).into_owned();
            let line = text::expand_tabs(&line, 2).into_owned();
            Line::styled(format!("  {}", text::fit(&line, width.saturating_sub(2))), theme.dim)
        })
        .collect();
    if count > shown {
        lines.push(Line::styled(format!("  … {} (ctrl+o)", text::counted(count - shown, "more line")), theme.dim));
    }
    lines
}

pub fn said(done: &Finished) -> String {
    let parts = done.content.iter().map(|part| match part {
        ResultPart::Text { text } => text.as_str(),
        ResultPart::Image(_) => "(an image)",
    });
    parts.collect::<Vec<_>>().join("\n")
}

fn first_words(said: &str) -> String {
    let first = text::one_line(
        text::bounded(said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default(), 300).as_ref(),
    );
    first.split_inclusive(". ").next().unwrap_or_default().trim().trim_end_matches('.').to_string()
}

/// How it came out, in two or three words.
fn outcome(done: &Finished, said: &str) -> String {
    let number = |field: &str| done.display.as_ref().and_then(|display| display.get(field)).and_then(Value::as_u64);
    if let (Some(added), Some(removed)) = (number("added"), number("removed")) {
        return format!("+{added} -{removed}");
    }
    let lines = said.lines().filter(|line| !line.trim().is_empty()).count();
    match done.name.as_str() {
        "Read" => text::counted(lines, "line"),
        "Grep" => text::counted(lines, "line"),
        "Glob" | "LS" => text::counted(lines, "name"),
        "Bash" => match done.display.as_ref().and_then(|display| display.get("background")).and_then(Value::as_str) {
            Some(id) => format!("in the background as {}", text::one_line(id)),
            None => String::new(),
        },
        _ => String::new(),
    }
}

/// What a call is about, where the session did not say: the first field that names something.
pub fn summary_of(input: &Value) -> String {
    const FIELDS: [&str; 9] =
        ["file_path", "notebook_path", "command", "pattern", "path", "url", "description", "subject", "id"];
    let field = FIELDS.iter().find_map(|field| input.get(field).and_then(Value::as_str));
    field.map(|text| text.lines().next().unwrap_or_default().to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::event::DecisionRecord;
    use cutonce_core::permission::Why;
    use cutonce_core::rule::Behavior;

    fn done(name: &str, input: Value, output: &str, display: Option<Value>) -> Finished {
        Finished {
            call_id: "c".into(),
            name: name.into(),
            input,
            content: vec![ResultPart::Text { text: output.into() }],
            is_error: false,
            decision: DecisionRecord {
                behavior: Behavior::Allow,
                why: Why { reason: String::new(), rule: None, source: None },
            },
            duration_ms: 3_100,
            display,
        }
    }

    fn shown(done: &Finished, width: usize) -> Vec<String> {
        finished(done, None, width, &Theme::default()).iter().map(text::plain).collect()
    }

    #[test]
    fn ui_4_a_call_is_one_line_with_what_on_what_how_long_and_outcome() {
        let read = done("Read", serde_json::json!({"file_path": "src/a.rs"}), &"line\n".repeat(412), None);
        assert_eq!(shown(&read, 50), ["● Read src/a.rs                    412 lines  3.1s"]);
        assert!(text::width(&shown(&read, 30)[0]) <= 30);
        let failed = Finished {
            is_error: true,
            ..done(
                "Edit",
                serde_json::json!({"file_path": "a"}),
                "Edit is not allowed in plan mode. Plan mode is read-only.",
                None,
            )
        };
        assert_eq!(shown(&failed, 60), ["✗ Edit a              Edit is not allowed in plan mode  3.1s"]);
    }

    #[test]
    fn ui_4_an_edit_shows_its_diff_and_long_output_is_folded_with_a_count() {
        let diff = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n";
        let edit = done(
            "Edit",
            serde_json::json!({"file_path": "a"}),
            "ok",
            Some(serde_json::json!({"diff": diff, "added": 1, "removed": 1})),
        );
        let lines = shown(&edit, 60);
        assert!(lines[0].contains("+1 -1"), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains('2') && line.contains("new")), "{lines:?}");
        let bash = done(
            "Bash",
            serde_json::json!({"command": "seq 30"}),
            &(1..=30).map(|n| format!("{n}\n")).collect::<String>(),
            None,
        );
        assert_eq!(shown(&bash, 60)[1..], ["  1", "  2", "  3", "  4", "  … 26 more lines (ctrl+o)"]);
    }

    #[test]
    fn tl_10_hostile_output_and_names_do_nothing_to_the_screen() {
        let hostile = "\x1b[2J\x1b]0;x\x07\u{202e}evil\r\n\0";
        let long = "x".repeat(1 << 20);
        for text in [hostile, long.as_str()] {
            let call = done("Bash", serde_json::json!({"command": text}), &format!("{text}\n{text}\n{text}"), None);
            for line in shown(&call, 40) {
                assert!(!line.chars().any(|c| c.is_control() || c == '\u{202e}'), "{line:?}");
                assert!(text::width(&line) <= 40, "{line:?}");
            }
        }
    }
}
