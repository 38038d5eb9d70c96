//! A tool call as one line: what, on what, how it came out, how long (UI-4). An edit shows its diff, long output is folded.

use super::places::is_of_files;
use super::questions;
use crate::diff;
use crate::text;
use crate::theme::Theme;
use cutonce_core::conversation::ResultPart;
use cutonce_core::event::{AgentEnd, AgentHow, Finished};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use serde_json::Value;

/// Columns of a row of the live area.
const LIVE: usize = 78;
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
        let head = format!("{spinner} {} ", text::one_line(&self.name));
        let left = Left { head: &head, what: &text::one_line(&self.summary), ends: is_of_files(&self.name) };
        let mut lines = vec![beside(&left, &super::took(seconds), width, theme.text, theme.dim)];
        if !self.last.is_empty() {
            let last = text::one_line(&text::unpainted(&self.last));
            let room = width.min(LIVE).saturating_sub(2);
            lines.push(Line::styled(format!("  {}", text::fit(&last, room)), theme.dim));
        }
        lines
    }
}

/// A row of what works, for the live area: both sides stand together and it is not wide, so that a narrower window does not make
/// two rows of it (UI-1).
pub fn live_row(left: &str, right: &str, width: usize, left_style: Style, right_style: Style) -> Line<'static> {
    beside(&Left { head: "", what: left, ends: false }, right, width, left_style, right_style)
}

fn beside(left: &Left<'_>, right: &str, width: usize, left_style: Style, right_style: Style) -> Line<'static> {
    let mut line = sides(left, right, width.min(LIVE), left_style, right_style);
    if let [_, gap, _] = line.spans.as_mut_slice() {
        *gap = Span::raw("  ");
    }
    line
}

/// A call that is done. `summary`: what the session called it when it started, if it did.
pub fn finished(done: &Finished, summary: Option<&str>, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let said = said(done);
    let summary = summary.map_or_else(|| summary_of(&done.input), str::to_string);
    let (mark, style) = if done.is_error { ("✗", theme.error) } else { (super::MARK, theme.success) };
    let (failed, said) = match how_it_failed(done, &said) {
        Some((how, rest)) => (Some(how), rest),
        None => (None, said),
    };
    let told = failed.is_none() && done.is_error;
    let outcome = match (failed, done.is_error) {
        (Some(how), _) => how,
        (None, true) => first_words(&without_path(done, &said)),
        (None, false) => outcome(done, &said),
    };
    let time = match done.duration_ms {
        0..10 => String::new(),
        10..1_000 => format!("{:.2}s", done.duration_ms as f64 / 1e3),
        1_000..10_000 => format!("{:.1}s", done.duration_ms as f64 / 1e3),
        more => super::took(more / 1_000),
    };
    let right =
        [outcome.as_str(), time.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ");
    // The end of a path is what tells it apart.
    let (head, ends) = (format!("{} ", text::one_line(&done.name)), is_of_files(&done.name));
    let what = if ends { text::one_line(&summary) } else { text::one_line(text::bounded(&summary, 400).as_ref()) };
    let left = Left { head: &head, what: &what, ends };
    let mut lines = vec![marked(mark, style, &left, &right, width, theme)];
    lines.extend(below(done, &said, told, width, theme));
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
    let what = text::one_line(summary);
    vec![marked(mark, style, &Left { head: "Agent ", what: &what, ends: false }, &right, width, theme)]
}

fn marked(mark: &str, style: Style, left: &Left<'_>, right: &str, width: usize, theme: &Theme) -> Line<'static> {
    let mut line = sides(left, right, width.saturating_sub(2), theme.text, theme.dim);
    line.spans.insert(0, Span::styled(format!("{mark} "), style));
    line
}

/// The left side of a line: what it is, and on what.
struct Left<'a> {
    head: &'a str,
    what: &'a str,
    /// Where it is cut, the end stays.
    ends: bool,
}

/// Left and right on one line; the left gives way, down to half of it, then the right does.
fn sides(left: &Left<'_>, right: &str, width: usize, left_style: Style, right_style: Style) -> Line<'static> {
    let head = text::width(left.head);
    let least = (width / 2).min(head + text::width(left.what));
    let right = text::fit(right, width.saturating_sub(least + 2)).into_owned();
    let room = width.saturating_sub(text::width(&right) + if right.is_empty() { 0 } else { 2 });
    let inner = room.saturating_sub(head);
    let what = if left.ends { text::fit_end(left.what, inner) } else { text::fit(left.what, inner) };
    let left = text::fit(&format!("{}{what}", left.head), room).into_owned();
    let gap = width.saturating_sub(text::width(&left) + text::width(&right));
    if right.is_empty() {
        return Line::from(Span::styled(left, left_style));
    }
    Line::from(vec![Span::styled(left, left_style), Span::raw(" ".repeat(gap)), Span::styled(right, right_style)])
}

/// The diff of an edit, or the beginning of what a command printed.
/// `told`: its first words are on the line already.
fn below(done: &Finished, said: &str, told: bool, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let indent = |line: Line<'static>| {
        let mut line = line;
        line.spans.insert(0, Span::raw("  "));
        line
    };
    if let Some(unified) = done.display.as_ref().and_then(|display| display.get("diff")).and_then(Value::as_str) {
        return diff::unified(unified, width.saturating_sub(2), theme, DIFF_ROWS).into_iter().map(indent).collect();
    }
    if done.name == questions::NAME && !done.is_error {
        return questions::answers(&done.input, said, width, theme);
    }
    if done.name != "Bash" || said.is_empty() || (told && said.lines().count() <= 1) {
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

/// How a command failed, in two or three words, and what else is to be said: its output, and what else stands below it.
fn how_it_failed(done: &Finished, said: &str) -> Option<(String, String)> {
    const ENDS: [(&str, Option<&'static str>); 4] = [
        ("Exit code ", None),
        ("Ended by signal ", None),
        ("Timed out after ", Some("timed out")),
        ("Interrupted by the user: ", Some("interrupted")),
    ];
    if done.name != "Bash" || !done.is_error {
        return None;
    }
    let found = ENDS.into_iter().filter_map(|(mark, words)| Some((said.rfind(&format!("\n\n{mark}"))?, words)));
    let (at, words) = found.max_by_key(|(at, _)| *at)?;
    let (output, note) = (&said[..at], said[at..].trim_start());
    let (first, rest) = note.split_once('\n').unwrap_or((note, ""));
    let how = words.map_or_else(|| first.replacen(['E'], "e", 1), str::to_string);
    let output = if output == "(no output)" { "" } else { output };
    let told: Vec<&str> = [output, rest].into_iter().filter(|part| !part.is_empty()).collect();
    Some((how, told.join("\n")))
}

/// An error that begins with the path which the line names already.
fn without_path(done: &Finished, said: &str) -> String {
    let path = summary_of(&done.input);
    let rest = said.strip_prefix(path.as_str()).filter(|_| is_of_files(&done.name) && !path.is_empty());
    rest.map_or(said, |rest| rest.trim_start_matches([':', ' '])).to_string()
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
    if let Some(headers) = questions::headers(input) {
        return headers;
    }
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
    fn ui_4_the_end_of_a_path_stays_and_the_way_a_command_failed_is_on_its_line() {
        let long = "src/very/deep/down/in/the/tree/of/modules/session_cookies.rs";
        let write = done("Write", serde_json::json!({"file_path": long}), "ok", None);
        assert_eq!(shown(&write, 40), ["● Write …odules/session_cookies.rs  3.1s"]);
        let text = format!("{long}: can't be read. It is a folder.");
        let failed = Finished { is_error: true, ..done("Read", serde_json::json!({"file_path": long}), &text, None) };
        assert!(
            shown(&failed, 60)[0].ends_with("/session_cookies.rs  can't be read  3.1s"),
            "{:?}",
            shown(&failed, 60)
        );
        let bash = |said: &str| {
            let made = done("Bash", serde_json::json!({"command": "false"}), said, None);
            shown(&Finished { is_error: true, ..made }, 50)
        };
        assert_eq!(bash("(no output)\n\nExit code 1"), ["✗ Bash false                     exit code 1  3.1s"]);
        let told = bash("one\ntwo\n\nExit code 2\nA note.");
        assert_eq!(told[0], "✗ Bash false                     exit code 2  3.1s");
        assert_eq!(told[1..], ["  one", "  two", "  A note."]);
        assert!(bash("x\n\nEnded by signal 11")[0].contains("ended by signal 11"));
        assert!(bash("(no output)\n\nTimed out after 5 ms: all of it.")[0].contains("timed out  3.1s"));
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
