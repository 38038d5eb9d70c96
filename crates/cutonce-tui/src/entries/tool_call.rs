//! A tool call as one line: tool, target, outcome, duration (UI-4). An edit shows its diff; long output is folded.

use super::path_shortener::is_file_tool;
use super::{EntryContext, answers};
use crate::overlays::highlighted_item::language_of_file;
use crate::render::edit_view::{DiffRoom, is_new_file, render_edit};
use crate::render::text;
use crate::render::theme::Theme;
use cutonce_core::conversation::ResultPart;
use cutonce_core::protocol::event::{AgentEnd, AgentOutcome, FinishedCall};
use cutonce_core::text::truncate::first_line;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use serde_json::Value;

/// Maximum columns of a live row.
pub const LIVE_WIDTH: usize = 78;
/// Maximum rows of a diff in the conversation, and of output below. Ctrl+O shows all of it.
const MAX_DIFF_ROWS: usize = 40;
const MAX_OUTPUT_ROWS: usize = 4;
/// Maximum characters of an output line.
const MAX_OUTPUT_LINE: usize = 1_000;

/// A running call.
#[derive(Debug, Clone)]
pub struct RunningCall {
    pub call_id: String,
    pub name: String,
    pub summary: String,
    pub since: std::time::Instant,
    /// Last line of output so far.
    pub last_output: String,
}

impl RunningCall {
    pub fn lines(&self, spinner: &str, seconds: u64, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let head = format!("{spinner} {} ", text::one_line(&self.name));
        let left = CallLabel { head: &head, what: &text::one_line(&self.summary), keep_end: is_file_tool(&self.name) };
        let time = super::format_duration(seconds);
        let mut lines = vec![live_line(&left, &time, width.min(LIVE_WIDTH), theme.text, theme.dim)];
        if !self.last_output.is_empty() {
            let last = text::one_line(&text::strip_colours(&self.last_output));
            let room = width.min(LIVE_WIDTH).saturating_sub(2);
            lines.push(Line::styled(format!("  {}", text::fit(&last, room)), theme.dim));
        }
        lines
    }
}

/// A row of the live area. Both sides are kept close together, so that a narrower window does not wrap it (UI-1).
pub fn live_row(left: &str, right: &str, width: usize, left_style: Style, right_style: Style) -> Line<'static> {
    wide_row(left, right, width.min(LIVE_WIDTH), left_style, right_style)
}

/// A row of the live area that uses the whole width, because the user opened it to see more.
pub fn wide_row(left: &str, right: &str, width: usize, left_style: Style, right_style: Style) -> Line<'static> {
    live_line(&CallLabel { head: "", what: left, keep_end: false }, right, width, left_style, right_style)
}

fn live_line(left: &CallLabel<'_>, right: &str, width: usize, left_style: Style, right_style: Style) -> Line<'static> {
    let mut line = two_sided_line(left, right, width, left_style, right_style);
    if let [_, gap, _] = line.spans.as_mut_slice() {
        *gap = Span::raw("  ");
    }
    line
}

/// Draws a finished call. `summary` is the session's text from the start of the call, if there was one.
pub fn finished_lines(done: &FinishedCall, summary: Option<&str>, page: &EntryContext<'_>) -> Vec<Line<'static>> {
    let (width, theme) = (page.width, page.theme);
    let said = result_text(done);
    if let Some(lines) = super::entered_lines(done, &said, theme) {
        return lines;
    }
    let summary = summary.map_or_else(|| summarize_input(&done.input), str::to_string);
    let (mark, style) = if done.is_error { ("✗", theme.error) } else { (super::AGENT_MARK, theme.success) };
    let (failed, said) = match split_failure(done, &said) {
        Some((how, rest)) => (Some(how), rest),
        None => (None, said),
    };
    let told = failed.is_none() && done.is_error;
    let outcome = match (failed, done.is_error) {
        (Some(how), _) => how,
        (None, true) => first_sentence(&without_path(done, &said)),
        (None, false) => outcome_text(done, &said),
    };
    let time = match done.duration_ms {
        0..10 => String::new(),
        10..1_000 => format!("{:.2}s", done.duration_ms as f64 / 1e3),
        1_000..10_000 => format!("{:.1}s", done.duration_ms as f64 / 1e3),
        more => super::format_duration(more / 1_000),
    };
    let right =
        [outcome.as_str(), time.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ");
    // Truncation keeps the end of a path, because that identifies the file.
    let (head, ends) = (format!("{} ", text::one_line(&done.name)), is_file_tool(&done.name));
    let what =
        if ends { text::one_line(&summary) } else { text::one_line(text::truncate_chars(&summary, 400).as_ref()) };
    let left = CallLabel { head: &head, what: &what, keep_end: ends };
    let mut lines = vec![marked_line(mark, style, &left, &right, width, theme)];
    lines.extend(detail_lines(done, &said, told, page));
    lines
}

/// Draws `● Agent Explore: who reads sid      14 calls · 18.2k tokens  41s`.
pub fn agent_end_lines(summary: &str, end: &AgentEnd, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let tokens = end.usage.context_tokens();
    let (mark, style, how) = match &end.outcome {
        AgentOutcome::Done => (super::AGENT_MARK, theme.success, String::new()),
        AgentOutcome::Stopped => ("✗", theme.warning, "stopped · ".to_string()),
        AgentOutcome::Failed(why) => ("✗", theme.error, format!("{} · ", first_sentence(why))),
    };
    let right = format!(
        "{how}{} · {} tokens  {}",
        text::count_noun(end.tools as usize, "call"),
        super::format_count(tokens),
        super::format_duration(end.elapsed_ms / 1_000)
    );
    let what = text::one_line(summary);
    vec![marked_line(mark, style, &CallLabel { head: "Agent ", what: &what, keep_end: false }, &right, width, theme)]
}

fn marked_line(
    mark: &str,
    style: Style,
    left: &CallLabel<'_>,
    right: &str,
    width: usize,
    theme: &Theme,
) -> Line<'static> {
    let mut line = two_sided_line(left, right, width.saturating_sub(2), theme.text, theme.dim);
    line.spans.insert(0, Span::styled(format!("{mark} "), style));
    line
}

/// Left side of a line: the tool and its target.
struct CallLabel<'a> {
    head: &'a str,
    what: &'a str,
    /// Truncation keeps the end.
    keep_end: bool,
}

/// Puts left and right on one line. The left is truncated first, down to half of the line, then the right.
fn two_sided_line(
    left: &CallLabel<'_>,
    right: &str,
    width: usize,
    left_style: Style,
    right_style: Style,
) -> Line<'static> {
    let head = text::width(left.head);
    let least = (width / 2).min(head + text::width(left.what));
    let right = text::fit(right, width.saturating_sub(least + 2)).into_owned();
    let room = width.saturating_sub(text::width(&right) + if right.is_empty() { 0 } else { 2 });
    let inner = room.saturating_sub(head);
    let what = if left.keep_end { text::fit_end(left.what, inner) } else { text::fit(left.what, inner) };
    let left = text::fit(&format!("{}{what}", left.head), room).into_owned();
    let gap = width.saturating_sub(text::width(&left) + text::width(&right));
    if right.is_empty() {
        return Line::from(Span::styled(left, left_style));
    }
    Line::from(vec![Span::styled(left, left_style), Span::raw(" ".repeat(gap)), Span::styled(right, right_style)])
}

/// Rows below a call: the diff of an edit, or the start of a command's output. `told` means that the line already shows
/// the first output.
fn detail_lines(done: &FinishedCall, said: &str, told: bool, page: &EntryContext<'_>) -> Vec<Line<'static>> {
    let (width, theme) = (page.width, page.theme);
    let indent = |line: Line<'static>| {
        let mut line = line;
        line.spans.insert(0, Span::raw("  "));
        line
    };
    if let Some(unified) = shown_diff(done) {
        let language = language_of_file(&summarize_input(&done.input));
        let room = DiffRoom { width: width.saturating_sub(2), rows: MAX_DIFF_ROWS };
        let edit = render_edit(unified, &language, room, theme, page.highlighting).into_iter().map(indent);
        return edit.chain(diagnostic_lines(done, width, theme)).collect();
    }
    if done.name == answers::TOOL_NAME && !done.is_error {
        return answers::answer_lines(&done.input, said, width, theme);
    }
    if done.name != "Bash" || said.is_empty() || (told && said.lines().count() <= 1) {
        return Vec::new();
    }
    folded_output(said, width, theme)
}

/// The problems that an edit caused, as a language server reported them (DU-11).
fn diagnostic_lines(done: &FinishedCall, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let found = done.display.as_ref().and_then(|display| display.get("diagnostics")?.as_str());
    found.map(|found| folded_output(found, width, theme)).unwrap_or_default()
}

/// The diff of an edit, as the tool reported it.
fn shown_diff(done: &FinishedCall) -> Option<&str> {
    done.display.as_ref()?.get("diff")?.as_str()
}

/// First lines of output, and a count of the others.
pub fn folded_output(said: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let said = said.trim_end();
    let count = said.lines().count();
    let shown = if count <= MAX_OUTPUT_ROWS + 1 { count } else { MAX_OUTPUT_ROWS };
    let mut lines: Vec<Line<'static>> = said
        .lines()
        .take(shown)
        .map(|line| {
            let line = text::visible(text::truncate_chars(line, MAX_OUTPUT_LINE).as_ref()).into_owned();
            let line = text::expand_tabs(&line, 2).into_owned();
            Line::styled(format!("  {}", text::fit(&line, width.saturating_sub(2))), theme.dim)
        })
        .collect();
    if count > shown {
        lines.push(Line::styled(format!("  … {} (ctrl+o)", text::count_noun(count - shown, "more line")), theme.dim));
    }
    lines
}

pub fn result_text(done: &FinishedCall) -> String {
    let parts = done.content.iter().map(|part| match part {
        ResultPart::Text { text } => text.as_str(),
        ResultPart::Image(_) => "(an image)",
    });
    parts.collect::<Vec<_>>().join("\n")
}

/// Splits a failed command's result into a short reason and the rest: its output and notes.
fn split_failure(done: &FinishedCall, said: &str) -> Option<(String, String)> {
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

/// Removes a leading path from an error, because the line already names it.
fn without_path(done: &FinishedCall, said: &str) -> String {
    let path = summarize_input(&done.input);
    let rest = said.strip_prefix(path.as_str()).filter(|_| is_file_tool(&done.name) && !path.is_empty());
    rest.map_or(said, |rest| rest.trim_start_matches([':', ' '])).to_string()
}

fn first_sentence(said: &str) -> String {
    let first = text::one_line(text::truncate_chars(first_line(said), 300).as_ref());
    first.split_inclusive(". ").next().unwrap_or_default().trim().trim_end_matches('.').to_string()
}

/// Short outcome of a successful call.
fn outcome_text(done: &FinishedCall, said: &str) -> String {
    let number = |field: &str| done.display.as_ref().and_then(|display| display.get(field)).and_then(Value::as_u64);
    if let (Some(added), Some(true)) = (number("added"), shown_diff(done).map(is_new_file)) {
        return format!("new file, {}", text::count_noun(added as usize, "line"));
    }
    if let (Some(added), Some(removed)) = (number("added"), number("removed")) {
        return format!("+{added} -{removed}");
    }
    let lines = said.lines().filter(|line| !line.trim().is_empty()).count();
    match done.name.as_str() {
        "Read" => text::count_noun(lines, "line"),
        "Grep" => text::count_noun(lines, "line"),
        "Glob" | "LS" => text::count_noun(lines, "name"),
        "Bash" => match done.display.as_ref().and_then(|display| display.get("background")).and_then(Value::as_str) {
            Some(id) => format!("in the background as {}", text::one_line(id)),
            None => String::new(),
        },
        _ => String::new(),
    }
}

/// Fallback summary of a call: the first input field that names something.
pub fn summarize_input(input: &Value) -> String {
    const FIELDS: [&str; 9] =
        ["file_path", "notebook_path", "command", "pattern", "path", "url", "description", "subject", "id"];
    if let Some(headers) = answers::joined_headers(input) {
        return headers;
    }
    let field = FIELDS.iter().find_map(|field| input.get(field).and_then(Value::as_str));
    field.map(|text| text.lines().next().unwrap_or_default().to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::permission::Why;
    use cutonce_core::permission::rules::RuleBehavior;
    use cutonce_core::plan::ENTER_PLAN_MODE;
    use cutonce_core::protocol::event::DecisionRecord;

    fn done(name: &str, input: Value, output: &str, display: Option<Value>) -> FinishedCall {
        FinishedCall {
            call_id: "c".into(),
            name: name.into(),
            input,
            content: vec![ResultPart::Text { text: output.into() }],
            is_error: false,
            decision: DecisionRecord { behavior: RuleBehavior::Allow, why: Why::from_reason("") },
            duration_ms: 3_100,
            display,
        }
    }

    fn shown(done: &FinishedCall, width: usize) -> Vec<String> {
        let page = EntryContext { width, theme: &Theme::default(), highlighting: None };
        finished_lines(done, None, &page).iter().map(text::plain_text).collect()
    }

    #[test]
    fn pm_142_entering_plan_mode_is_a_sentence() {
        let entered = done(ENTER_PLAN_MODE, Value::Null, "Plan mode is on.", None);
        assert_eq!(shown(&entered, 60), [format!("{} Entered plan mode", crate::entries::AGENT_MARK)]);
        let declined = done(ENTER_PLAN_MODE, Value::Null, cutonce_core::plan::enter_declined(), None);
        assert_eq!(shown(&declined, 60), [format!("{} You declined plan mode", crate::entries::AGENT_MARK)]);
    }

    #[test]
    fn ui_4_call_line_shows_target_outcome_and_time() {
        let read = done("Read", serde_json::json!({"file_path": "src/a.rs"}), &"line\n".repeat(412), None);
        assert_eq!(shown(&read, 50), ["● Read src/a.rs                    412 lines  3.1s"]);
        assert!(text::width(&shown(&read, 30)[0]) <= 30);
        let failed = FinishedCall {
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
    fn ui_4_line_keeps_path_end_and_failure_reason() {
        let long = "src/very/deep/down/in/the/tree/of/modules/session_cookies.rs";
        let write = done("Write", serde_json::json!({"file_path": long}), "ok", None);
        assert_eq!(shown(&write, 40), ["● Write …odules/session_cookies.rs  3.1s"]);
        let text = format!("{long}: can't be read. It is a folder.");
        let failed =
            FinishedCall { is_error: true, ..done("Read", serde_json::json!({"file_path": long}), &text, None) };
        assert!(
            shown(&failed, 60)[0].ends_with("/session_cookies.rs  can't be read  3.1s"),
            "{:?}",
            shown(&failed, 60)
        );
        let bash = |said: &str| {
            let made = done("Bash", serde_json::json!({"command": "false"}), said, None);
            shown(&FinishedCall { is_error: true, ..made }, 50)
        };
        assert_eq!(bash("(no output)\n\nExit code 1"), ["✗ Bash false                     exit code 1  3.1s"]);
        let told = bash("one\ntwo\n\nExit code 2\nA note.");
        assert_eq!(told[0], "✗ Bash false                     exit code 2  3.1s");
        assert_eq!(told[1..], ["  one", "  two", "  A note."]);
        assert!(bash("x\n\nEnded by signal 11")[0].contains("ended by signal 11"));
        assert!(bash("(no output)\n\nTimed out after 5 ms: all of it.")[0].contains("timed out  3.1s"));
    }

    #[test]
    fn ui_4_edits_show_diffs_and_output_is_folded() {
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
    fn du_11_edit_shows_its_diagnostics() {
        let diff = "--- a\n+++ a\n@@ -1 +1 @@\n-old\n+new\n";
        let found = "New diagnostics after this edit, from py:\na:1:1 error no\u{1b}[2J";
        let display = serde_json::json!({"diff": diff, "added": 1, "removed": 1, "diagnostics": found});
        let lines = shown(&done("Edit", serde_json::json!({"file_path": "a"}), "ok", Some(display)), 60);
        let last = &lines[lines.len() - 2..];
        assert_eq!(last[0], "  New diagnostics after this edit, from py:");
        assert!(last[1].starts_with("  a:1:1 error no") && !last[1].contains('\u{1b}'), "{lines:?}");
    }

    #[test]
    fn du_6_new_files_are_shown_as_new_files() {
        let diff = "--- /dev/null\n+++ a.rs\n@@ -0,0 +1,2 @@\n+fn main() {}\n+// end\n";
        let display = serde_json::json!({"diff": diff, "added": 2, "removed": 0});
        let write = done("Write", serde_json::json!({"file_path": "a.rs"}), "ok", Some(display));
        let lines = shown(&write, 60);
        assert!(lines[0].contains("new file, 2 lines"), "{lines:?}");
        assert_eq!(lines[1..], ["    1   fn main() {}", "    2   // end"]);
    }

    #[test]
    fn tl_10_hostile_output_and_names_are_escaped() {
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
