//! The user's answers to the agent's questions (UI-7), drawn below the call. They are parsed from the tool result, so a
//! resumed session shows the same.

use crate::render::text::{self, RowPrefix};
use crate::render::theme::Theme;
use ratatui::text::{Line, Span};
use serde_json::Value;

pub const TOOL_NAME: &str = "AskUserQuestion";
/// Maximum characters of an answer in the conversation. Ctrl+O shows all of it.
const MAX_ANSWER: usize = 400;

/// Headers of all questions, joined.
pub fn joined_headers(input: &Value) -> Option<String> {
    let headers: Vec<&str> = questions_with_headers(input).map(|(_, header)| header).collect();
    (!headers.is_empty()).then(|| headers.join(", "))
}

/// Draws a row such as `Store → SQLite` for each answer, or `skipped`.
pub fn answer_lines(input: &Value, said: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let row = |words: String| {
        let prefix = RowPrefix { first: vec![Span::raw("  ")], next: vec![Span::raw("    ")] };
        text::wrap(&Line::styled(words, theme.dim), width, &prefix)
    };
    let asked: Vec<(&str, &str)> = questions_with_headers(input).collect();
    let begins = |question: &str| format!("\n\n{question}\n→ ");
    let Some(mut rest) = asked.first().and_then(|(first, _)| said.split_once(&begins(first))).map(|(_, rest)| rest)
    else {
        return row("skipped".into());
    };
    let mut rows = Vec::new();
    for (at, (_, header)) in asked.iter().enumerate() {
        let next = asked.get(at + 1).and_then(|(question, _)| rest.split_once(&begins(question)));
        let (answer, others) = next.unwrap_or((rest, ""));
        let told = format!("{header} → {}", text::truncate_chars(answer, MAX_ANSWER));
        rows.extend(row(text::one_line(&told)));
        rest = others;
    }
    rows
}

/// Iterates over questions with their headers.
fn questions_with_headers(input: &Value) -> impl Iterator<Item = (&str, &str)> {
    let questions = input.get("questions").and_then(Value::as_array).into_iter().flatten();
    questions.filter_map(|one| Some((one.get("question")?.as_str()?, one.get("header")?.as_str()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(said: &str, width: usize) -> Vec<String> {
        let questions =
            json!([{"question": "Which store?", "header": "Store"}, {"question": "What else?", "header": "Feat"}]);
        let input = json!({"questions": questions});
        assert_eq!(joined_headers(&input).as_deref(), Some("Store, Feat"));
        answer_lines(&input, said, width, &Theme::default()).iter().map(text::plain_text).collect()
    }

    #[test]
    fn ui_7_answers_or_skipped_are_shown_below() {
        let said = "The user answered:\n\nWhich store?\n→ SQLite\n\nWhat else?\n→ A, own\nwords \x1b[31m";
        assert_eq!(shown(said, 60), ["  Store → SQLite", "  Feat → A, own ⏎ words \\u{1b}[31m"]);
        assert_eq!(shown("The user saw the questions and chose not to answer.", 60), ["  skipped"]);
        assert_eq!(shown("The user answered:\n\nWhich store?\n→ (no answer)", 60)[0], "  Store → (no answer)");
        assert!(shown(said, 20).iter().all(|row| text::width(row) <= 20));
    }
}
