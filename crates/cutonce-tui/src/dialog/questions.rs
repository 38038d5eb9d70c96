//! The model's questions (UI-7): one after the other, options with descriptions and previews, several where it may be
//! several, own words always; all answers are shown once more before they are sent. Skipping is a result of its own.

use super::{Drawn, Reply, digit};
use crate::composer::Buffer;
use crate::text;
use crate::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent};
use cutonce_core::event::Question;
use cutonce_core::submission::{Answer, QuestionsAnswer};
use ratatui::text::{Line, Span};

/// Rows of an option's description.
const MOST_ABOUT: usize = 3;

#[derive(Debug)]
pub struct Questions {
    questions: Vec<Question>,
    given: Vec<Given>,
    /// Which question is on; the count of them: the review.
    at: usize,
}

#[derive(Debug, Default, Clone)]
struct Given {
    chosen: Vec<bool>,
    own: Buffer,
    /// Which option has the focus; the count of them: own words.
    focus: usize,
    /// Own words are being written.
    writing: bool,
}

impl Questions {
    pub fn new(questions: Vec<Question>) -> Questions {
        let given = questions
            .iter()
            .map(|question| Given { chosen: vec![false; question.options.len()], ..Given::default() })
            .collect();
        Questions { questions, given, at: 0 }
    }

    pub fn hint(&self) -> &'static str {
        match (self.questions.get(self.at), self.given.get(self.at)) {
            (None, _) => "enter sends these answers · ← back · esc skips all questions",
            (_, Some(given)) if given.writing => "enter takes these words · esc back",
            (Some(question), _) if question.multi_select => {
                "space or a digit marks · enter goes on · ← back · esc skips"
            }
            (Some(_), _) => "enter or a digit chooses · ← back · esc skips",
        }
    }

    pub fn paste(&mut self, pasted: &str) {
        if let Some(given) = self.given.get_mut(self.at).filter(|given| given.writing) {
            given.own.insert(pasted);
        }
    }

    pub fn key(&mut self, key: KeyEvent) -> Reply {
        let Some(question) = self.questions.get(self.at) else { return self.review(key) };
        let Some(given) = self.given.get_mut(self.at) else { return Reply::Nothing };
        if given.writing {
            return self.write(key);
        }
        let count = question.options.len();
        if let Some(n) = digit(key).filter(|n| *n <= count) {
            given.focus = n;
            return self.take(question_is_multi(question));
        }
        match crate::keymap::name_of(key).as_str() {
            "esc" => return skipped(),
            "up" => given.focus = given.focus.checked_sub(1).unwrap_or(count),
            "down" => given.focus = if given.focus == count { 0 } else { given.focus + 1 },
            "left" => self.at = self.at.saturating_sub(1),
            "right" | "tab" if given.answered() => self.at += 1,
            "space" => return self.take(question_is_multi(question)),
            "enter" if question.multi_select && given.focus < count && given.answered() => self.at += 1,
            "enter" => return self.take(question_is_multi(question)),
            _ => return Reply::Nothing,
        }
        Reply::Redraw
    }

    /// The focused option is taken: marked where several may be, otherwise the next question comes.
    fn take(&mut self, several: bool) -> Reply {
        let Some(given) = self.given.get_mut(self.at) else { return Reply::Nothing };
        if given.focus == given.chosen.len() {
            given.writing = true;
            return Reply::Redraw;
        }
        if several {
            given.chosen[given.focus] = !given.chosen[given.focus];
        } else {
            given.chosen.fill(false);
            given.chosen[given.focus] = true;
            given.own = Buffer::default();
            self.at += 1;
        }
        Reply::Redraw
    }

    fn write(&mut self, key: KeyEvent) -> Reply {
        let several = self.questions.get(self.at).is_some_and(|question| question.multi_select);
        let Some(given) = self.given.get_mut(self.at) else { return Reply::Nothing };
        match (key.code, crate::keymap::typed(key)) {
            (KeyCode::Enter, _) => {
                given.writing = false;
                if !given.own.text().trim().is_empty() {
                    if !several {
                        given.chosen.fill(false);
                    }
                    self.at += 1;
                }
            }
            (KeyCode::Esc, _) => given.writing = false,
            (KeyCode::Backspace, _) => given.own.backspace(),
            (KeyCode::Left, _) => given.own.left(),
            (KeyCode::Right, _) => given.own.right(),
            (_, Some(c)) => given.own.insert(&c.to_string()),
            _ => return Reply::Nothing,
        }
        Reply::Redraw
    }

    fn review(&mut self, key: KeyEvent) -> Reply {
        match crate::keymap::name_of(key).as_str() {
            "enter" => {
                let answers = self.questions.iter().zip(&self.given).map(|(question, given)| given.answer(question));
                Reply::Answer(Answer::Questions(QuestionsAnswer::Answered { answers: answers.collect() }))
            }
            "left" | "up" => {
                self.at = self.questions.len().saturating_sub(1);
                Reply::Redraw
            }
            "esc" => skipped(),
            _ => Reply::Nothing,
        }
    }

    pub fn draw(&self, width: usize, most: usize, theme: &Theme) -> Drawn {
        match (self.questions.get(self.at), self.given.get(self.at)) {
            (Some(question), Some(given)) => self.draw_one(question, given, width, most, theme),
            _ => Drawn { lines: self.draw_review(width, most, theme), cursor: None },
        }
    }

    fn draw_one(&self, question: &Question, given: &Given, width: usize, most: usize, theme: &Theme) -> Drawn {
        let place = if self.questions.len() > 1 {
            format!(" {} of {}", self.at + 1, self.questions.len())
        } else {
            String::new()
        };
        let header = text::one_line(&question.header);
        let mut lines = vec![Line::styled(text::fit(&format!("? {header}{place}"), width).into_owned(), theme.dim)];
        lines.extend(super::super::entry::marked("  ", &question.question, width, 6, theme.strong, theme));
        // Where not all fit, only the option that is looked at keeps its description.
        let full: usize =
            (0..question.options.len()).map(|n| given.option(question, n, true, width, theme).len()).sum();
        let all = lines.len() + full < most;
        for n in 0..question.options.len() {
            lines.extend(given.option(question, n, all || n == given.focus, width, theme));
        }
        let own = text::one_line(given.own.text());
        let last = given.focus == question.options.len();
        let words = if own.is_empty() && !given.writing {
            "in your own words".to_string()
        } else {
            format!("own words: {own}")
        };
        lines.extend(super::option_line(question.options.len(), words, last, width, theme));
        let cursor = given.writing.then(|| (lines.len() - 1, (15 + text::width(&own)).min(width)));
        let preview = question.options.get(given.focus).and_then(|option| option.preview.as_deref());
        if let Some(preview) = preview {
            let room = most.saturating_sub(lines.len()).min(10);
            let rows = text::wrap_plain(text::bounded(preview, 4_000).as_ref(), width.saturating_sub(6), theme.code);
            for mut row in rows.into_iter().take(room) {
                row.spans.insert(0, Span::styled("    │ ", theme.border));
                lines.push(row);
            }
        }
        Drawn { lines, cursor }
    }

    fn draw_review(&self, width: usize, most: usize, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = vec![Line::styled("? Your answers", theme.strong)];
        for (question, given) in self.questions.iter().zip(&self.given) {
            let asked = text::one_line(&question.question);
            lines.push(Line::styled(format!("  {}", text::fit(&asked, width.saturating_sub(2))), theme.dim));
            let answer = given.answer(question).join(", ");
            lines.extend(super::super::entry::marked("  → ", &answer, width, 3, theme.accent, theme));
        }
        lines.truncate(most.max(3));
        lines
    }
}

impl Given {
    /// An option with its mark, and what it means.
    fn option(
        &self,
        question: &Question,
        n: usize,
        described: bool,
        width: usize,
        theme: &Theme,
    ) -> Vec<Line<'static>> {
        let Some(option) = question.options.get(n) else { return Vec::new() };
        let mark = match (question.multi_select, self.chosen.get(n) == Some(&true)) {
            (true, true) => "[x] ",
            (true, false) => "[ ] ",
            (false, true) => "● ",
            (false, false) => "",
        };
        let words = format!("{mark}{}", text::one_line(&option.label));
        let mut lines = super::option_line(n, words, n == self.focus, width, theme);
        if described {
            let about = Line::styled(text::one_line(text::bounded(&option.description, 1_000).as_ref()), theme.dim);
            lines.extend(text::wrap(&about, width, &text::Prefix::spaces(6)).into_iter().take(MOST_ABOUT));
        }
        lines
    }

    fn answered(&self) -> bool {
        self.chosen.contains(&true) || !self.own.text().trim().is_empty()
    }
    fn answer(&self, question: &Question) -> Vec<String> {
        let labels = question.options.iter().zip(&self.chosen).filter(|(_, chosen)| **chosen);
        let own = Some(self.own.text().trim().to_string()).filter(|own| !own.is_empty());
        labels.map(|(option, _)| option.label.clone()).chain(own).collect()
    }
}

fn question_is_multi(question: &Question) -> bool {
    question.multi_select
}

fn skipped() -> Reply {
    Reply::Answer(Answer::Questions(QuestionsAnswer::Skipped))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::event::Choice;

    fn question(multi_select: bool) -> Question {
        let choice = |label: &str| Choice {
            label: label.into(),
            description: format!("about {label}"),
            preview: Some("fn x()".into()),
        };
        Question {
            question: "Which one?".into(),
            header: "Pick".into(),
            options: vec![choice("A"), choice("B")],
            multi_select,
        }
    }

    fn press(dialog: &mut Questions, keys: &[KeyCode]) -> Reply {
        keys.iter().map(|code| dialog.key(KeyEvent::from(*code))).last().unwrap()
    }

    #[test]
    fn ui_7_answers_are_reviewed_before_they_are_sent() {
        let mut dialog = Questions::new(vec![question(false), question(true)]);
        let c = KeyCode::Char;
        press(&mut dialog, &[c('2'), c('1'), c('2'), KeyCode::Enter]);
        let shown: Vec<String> = dialog.draw(60, 20, &Theme::default()).lines.iter().map(text::plain).collect();
        assert_eq!(shown, ["? Your answers", "  Which one?", "  → B", "  Which one?", "  → A, B"]);
        let sent = QuestionsAnswer::Answered { answers: vec![vec!["B".into()], vec!["A".into(), "B".into()]] };
        assert_eq!(press(&mut dialog, &[KeyCode::Enter]), Reply::Answer(Answer::Questions(sent)));
    }

    #[test]
    fn ui_7_own_words_previews_going_back_and_skipping() {
        let mut dialog = Questions::new(vec![question(false)]);
        let shown = dialog.draw(60, 20, &Theme::default()).lines.iter().map(text::plain).collect::<Vec<_>>().join("\n");
        for part in ["Which one?", "about A", "│ fn x()", "in your own words"] {
            assert!(shown.contains(part), "{part} in {shown}");
        }
        press(
            &mut dialog,
            &[KeyCode::Char('3'), KeyCode::Char('C'), KeyCode::Char('1'), KeyCode::Enter, KeyCode::Left],
        );
        assert_eq!(dialog.at, 0);
        press(&mut dialog, &[KeyCode::Right]);
        let sent = QuestionsAnswer::Answered { answers: vec![vec!["C1".into()]] };
        assert_eq!(press(&mut dialog, &[KeyCode::Enter]), Reply::Answer(Answer::Questions(sent)));
        assert_eq!(press(&mut Questions::new(vec![question(false)]), &[KeyCode::Esc]), skipped());
    }
}
