//! What the person answered to the agent's questions (UI-7), below the line of the call: from its result, so it is the same when the
//! session comes back.

use crate::text::{self, Prefix};
use crate::theme::Theme;
use ratatui::text::{Line, Span};
use serde_json::Value;

pub const NAME: &str = "AskUserQuestion";
/// Characters of one answer that stand in the conversation; Ctrl+O has all of it.
const LONGEST: usize = 400;

/// What is asked about, in a few words.
pub fn headers(input: &Value) -> Option<String> {
    let headers: Vec<&str> = asked(input).map(|(_, header)| header).collect();
    (!headers.is_empty()).then(|| headers.join(", "))
}

/// `Store → SQLite`, one row each; or that there is no answer.
pub fn answers(input: &Value, said: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let row = |words: String| {
        let prefix = Prefix { first: vec![Span::raw("  ")], next: vec![Span::raw("    ")] };
        text::wrap(&Line::styled(words, theme.dim), width, &prefix)
    };
    let asked: Vec<(&str, &str)> = asked(input).collect();
    let begins = |question: &str| format!("\n\n{question}\n→ ");
    let Some(mut rest) = asked.first().and_then(|(first, _)| said.split_once(&begins(first))).map(|(_, rest)| rest)
    else {
        return row("skipped".into());
    };
    let mut rows = Vec::new();
    for (at, (_, header)) in asked.iter().enumerate() {
        let next = asked.get(at + 1).and_then(|(question, _)| rest.split_once(&begins(question)));
        let (answer, others) = next.unwrap_or((rest, ""));
        let told = format!("{header} → {}", text::bounded(answer, LONGEST));
        rows.extend(row(text::one_line(&told)));
        rest = others;
    }
    rows
}

/// Questions and their headers.
fn asked(input: &Value) -> impl Iterator<Item = (&str, &str)> {
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
        assert_eq!(headers(&input).as_deref(), Some("Store, Feat"));
        answers(&input, said, width, &Theme::default()).iter().map(text::plain).collect()
    }

    #[test]
    fn ui_7_answers_stand_below_the_line_and_so_does_that_there_are_none() {
        let said = "The user answered:\n\nWhich store?\n→ SQLite\n\nWhat else?\n→ A, own\nwords \x1b[31m";
        assert_eq!(shown(said, 60), ["  Store → SQLite", "  Feat → A, own ⏎ words \\u{1b}[31m"]);
        assert_eq!(shown("The user saw the questions and chose not to answer.", 60), ["  skipped"]);
        assert_eq!(shown("The user answered:\n\nWhich store?\n→ (no answer)", 60)[0], "  Store → (no answer)");
        assert!(shown(said, 20).iter().all(|row| text::width(row) <= 20));
    }
}
