//! The dialog for the model's questions (UI-7): one question at a time, options with descriptions and
//! previews, single or multiple choice, and free text. All answers are reviewed before they are sent.
//! Skipping is a separate result.

use super::{DialogReply, RenderedDialog, bounded_rows, digit_index, draw_text_field};
use crate::overlays::pager::{PagerContent, PagerItem};
use crate::render::text;
use crate::render::theme::Theme;
use crate::text_area::TextArea;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use cutonce_core::protocol::event::Question;
use cutonce_core::protocol::submission::{AskAnswer, QuestionsAnswer};
use ratatui::text::{Line, Span};

/// Maximum rows of a description, a preview and a free-text answer; Ctrl+O shows all.
const MAX_DESCRIPTION_ROWS: usize = 3;
const MAX_PREVIEW_ROWS: usize = 10;
const MAX_FREE_TEXT_ROWS: usize = 3;
/// Minimum rows of options when a preview is shown: the focused option and a hint that there are others.
const MIN_OPTION_ROWS: usize = 4;

#[derive(Debug)]
pub struct QuestionsDialog {
    questions: Vec<Question>,
    states: Vec<QuestionState>,
    /// Index of the current question; equal to their number on the review page.
    current: usize,
    /// Name of the asker, if it is not the session itself.
    who: String,
}

#[derive(Debug, Default, Clone)]
struct QuestionState {
    chosen: Vec<bool>,
    free_text: TextArea,
    /// Index of the focused option; equal to their number for free text.
    focus: usize,
    /// The free-text field is being edited.
    writing: bool,
    /// Free text before editing, restored on Esc.
    free_text_before: TextArea,
}

impl QuestionsDialog {
    pub fn new(questions: Vec<Question>, who: Option<&str>) -> QuestionsDialog {
        let given = questions
            .iter()
            .map(|question| QuestionState {
                chosen: vec![false; question.options.len()],
                // Without options there is nothing but the text.
                writing: question.options.is_empty(),
                ..QuestionState::default()
            })
            .collect();
        QuestionsDialog {
            questions,
            states: given,
            current: 0,
            who: who.map(|who| format!(" ({who})")).unwrap_or_default(),
        }
    }

    pub fn hint(&self) -> &'static str {
        match (self.questions.get(self.current), self.states.get(self.current)) {
            (None, _) => "enter sends these answers · ← back · esc skips all questions",
            (Some(question), Some(given)) if given.writing && question.options.is_empty() => {
                "enter confirms this answer · esc skips"
            }
            (_, Some(given)) if given.writing => "enter confirms this answer · esc back",
            (Some(question), _) if question.multi_select => {
                "space or a digit marks · enter continues · ← back · ctrl+o all · esc skips"
            }
            (Some(_), _) => "enter or a digit chooses · ← back · ctrl+o all · esc skips",
        }
    }

    pub fn paste(&mut self, pasted: &str) {
        if let Some(given) = self.states.get_mut(self.current).filter(|given| given.writing) {
            given.free_text.insert_limited(pasted);
        }
    }

    pub fn on_key(&mut self, key: KeyEvent) -> DialogReply {
        let Some(question) = self.questions.get(self.current) else { return self.on_review_key(key) };
        let Some(given) = self.states.get_mut(self.current) else { return DialogReply::Nothing };
        if given.writing {
            return self.edit_free_text(key);
        }
        let count = question.options.len();
        if let Some(n) = digit_index(key).filter(|n| *n <= count) {
            given.focus = n;
            return self.select_focused(question_is_multi(question));
        }
        match crate::input::keymap::key_name(key).as_str() {
            "esc" => return skip_reply(),
            "ctrl+o" => return DialogReply::Details,
            "up" => given.focus = given.focus.checked_sub(1).unwrap_or(count),
            "down" => given.focus = if given.focus == count { 0 } else { given.focus + 1 },
            "left" => self.current = self.current.saturating_sub(1),
            "right" | "tab" if given.is_answered() => self.current += 1,
            "space" => return self.select_focused(question_is_multi(question)),
            "enter" if question.multi_select && given.focus < count && given.is_answered() => self.current += 1,
            "enter" => return self.select_focused(question_is_multi(question)),
            _ => return DialogReply::Nothing,
        }
        DialogReply::Redraw
    }

    /// Selects the focused option: toggles it in a multiple choice, otherwise selects it and moves to the
    /// next question.
    fn select_focused(&mut self, several: bool) -> DialogReply {
        let Some(given) = self.states.get_mut(self.current) else { return DialogReply::Nothing };
        if given.focus == given.chosen.len() {
            (given.writing, given.free_text_before) = (true, given.free_text.clone());
            return DialogReply::Redraw;
        }
        if several {
            given.chosen[given.focus] = !given.chosen[given.focus];
        } else {
            given.chosen.fill(false);
            given.chosen[given.focus] = true;
            given.free_text = TextArea::default();
            self.current += 1;
        }
        DialogReply::Redraw
    }

    fn edit_free_text(&mut self, key: KeyEvent) -> DialogReply {
        let several = self.questions.get(self.current).is_some_and(|question| question.multi_select);
        let Some(given) = self.states.get_mut(self.current) else { return DialogReply::Nothing };
        match key.code {
            KeyCode::Enter if key.modifiers == KeyModifiers::NONE => {
                given.writing = given.chosen.is_empty();
                if !given.free_text.text().trim().is_empty() {
                    if !several {
                        given.chosen.fill(false);
                    }
                    self.current += 1;
                }
            }
            KeyCode::Esc if given.chosen.is_empty() => return skip_reply(),
            // Only Enter accepts free text; text left with Esc is not an answer.
            KeyCode::Esc => (given.writing, given.free_text) = (false, std::mem::take(&mut given.free_text_before)),
            _ if given.free_text.handle_key(key) => {}
            _ => return DialogReply::Nothing,
        }
        DialogReply::Redraw
    }

    fn on_review_key(&mut self, key: KeyEvent) -> DialogReply {
        match crate::input::keymap::key_name(key).as_str() {
            "enter" => {
                let answers =
                    self.questions.iter().zip(&self.states).map(|(question, given)| given.selected_answers(question));
                DialogReply::Answer(AskAnswer::Questions(QuestionsAnswer::Answered { answers: answers.collect() }))
            }
            "left" | "up" => {
                self.current = self.questions.len().saturating_sub(1);
                DialogReply::Redraw
            }
            "esc" => skip_reply(),
            "ctrl+o" => DialogReply::Details,
            _ => DialogReply::Nothing,
        }
    }

    pub fn draw(&self, width: usize, most: usize, theme: &Theme) -> RenderedDialog {
        match (self.questions.get(self.current), self.states.get(self.current)) {
            (Some(question), Some(given)) => self.draw_one(question, given, width, most, theme),
            _ => RenderedDialog { lines: self.draw_review(width, most, theme), cursor: None },
        }
    }

    fn draw_one(
        &self,
        question: &Question,
        given: &QuestionState,
        width: usize,
        most: usize,
        theme: &Theme,
    ) -> RenderedDialog {
        let place = if self.questions.len() > 1 {
            format!(" {} of {}", self.current + 1, self.questions.len())
        } else {
            String::new()
        };
        let header = text::one_line(&question.header);
        let mut lines = vec![Line::styled(
            text::fit(&format!("? {header}{place}{}", text::one_line(&self.who)), width).into_owned(),
            theme.dim,
        )];
        let asked = crate::entries::marked_lines("  ", &question.question, width, usize::MAX, theme.strong, theme);
        lines.extend(bounded_rows(asked, (most / 3).max(2), width, theme));
        let preview = question.options.get(given.focus).and_then(|option| option.preview.as_deref());
        let preview = preview.map(|text| {
            text::wrap_plain(text::truncate_chars(text, 4_000).as_ref(), width.saturating_sub(6).max(4), theme.code)
        });
        let preview = preview.unwrap_or_default();
        let room = most.saturating_sub(lines.len());
        // If not everything fits, only the focused option keeps its description; then previews shrink, then
        // options.
        let (mut blocks, cursor) = given.option_blocks(question, MAX_DESCRIPTION_ROWS, true, width, theme);
        let rows = |blocks: &[Vec<Line<'static>>]| blocks.iter().map(Vec::len).sum::<usize>();
        if rows(&blocks) + preview.len().min(MAX_PREVIEW_ROWS) > room {
            let about = MAX_DESCRIPTION_ROWS.min(room.saturating_sub(MIN_OPTION_ROWS + 2)).max(1);
            blocks = given.option_blocks(question, about, false, width, theme).0;
        }
        let options = rows(&blocks);
        let beside = room.saturating_sub(options).max(2).min(room.saturating_sub(options.min(MIN_OPTION_ROWS)));
        let preview = preview_rows(preview, beside.min(MAX_PREVIEW_ROWS), theme);
        let room = room.saturating_sub(preview.len());
        let above = lines.len();
        let (rows, first) = visible_rows(blocks, given.focus, room, theme);
        lines.extend(rows);
        let cursor = cursor.map(|(row, column)| (above + (first + row).min(room.saturating_sub(1)), column));
        lines.extend(preview);
        RenderedDialog { lines, cursor }
    }

    fn draw_review(&self, width: usize, most: usize, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = vec![Line::styled("? Your answers", theme.strong)];
        let each = self.questions.iter().zip(&self.states);
        for (question, given) in each.clone() {
            let asked = text::one_line(&question.question);
            lines.push(Line::styled(format!("  {}", text::fit(&asked, width.saturating_sub(2))), theme.dim));
            let answer = given.selected_answers(question).join(", ");
            lines.extend(crate::entries::marked_lines("  → ", &answer, width, 3, theme.accent, theme));
        }
        if lines.len() > most {
            // All answers fit on the smallest screen; Ctrl+O shows them in full.
            lines.truncate(1);
            for (question, given) in each {
                let words = format!("  {} → {}", question.header, given.selected_answers(question).join(", "));
                lines.push(Line::styled(text::fit(&text::one_line(&words), width).into_owned(), theme.accent));
            }
        }
        lines
    }

    /// All questions with options, previews and answers, for the pager.
    pub fn full_questions(&self) -> Vec<PagerItem> {
        let each = self.questions.iter().zip(&self.states).map(|(question, given)| {
            let mut text = format!("{}\n", question.question);
            for (n, option) in question.options.iter().enumerate() {
                text.push_str(&format!("\n{} {}\n", n + 1, option.label));
                let parts = [("    ", Some(option.description.as_str())), ("    │ ", option.preview.as_deref())];
                for (margin, part) in parts {
                    part.unwrap_or_default().lines().for_each(|line| text.push_str(&format!("{margin}{line}\n")));
                }
            }
            if given.is_answered() {
                text.push_str(&format!("\n→ {}\n", given.selected_answers(question).join(", ")));
            }
            PagerItem { title: question.header.clone(), body: PagerContent::Plain(text.into()) }
        });
        each.collect()
    }
}

/// Draws a preview behind a vertical bar and marks that there is more.
fn preview_rows(rows: Vec<Line<'static>>, most: usize, theme: &Theme) -> Vec<Line<'static>> {
    let (count, take) = (rows.len(), if rows.len() > most { most.saturating_sub(1) } else { most });
    let bar = || Span::styled("    │ ", theme.border);
    let mut out: Vec<Line<'static>> = rows.into_iter().take(take).collect();
    out.iter_mut().for_each(|row| row.spans.insert(0, bar()));
    if count > take && most > 0 {
        let told = format!("… {} (ctrl+o)", text::count_noun(count - take, "more line"));
        out.push(Line::from(vec![bar(), Span::styled(told, theme.dim)]));
    }
    out
}

/// Returns the rows of the options that fit, including the focused one, and the position of its first row.
fn visible_rows(
    blocks: Vec<Vec<Line<'static>>>,
    focus: usize,
    room: usize,
    theme: &Theme,
) -> (Vec<Line<'static>>, usize) {
    let start: usize = blocks.iter().take(focus).map(Vec::len).sum();
    let end = start + blocks.get(focus).map_or(0, Vec::len);
    let mut rows: Vec<Line<'static>> = blocks.into_iter().flatten().collect();
    let all = rows.len();
    if all <= room || room == 0 {
        return (rows, start);
    }
    // A row at each end shows that there is more.
    let top = (end + 1).saturating_sub(room).min(start.saturating_sub(1)).min(all - room);
    let below = all - (top + room);
    rows = rows.into_iter().skip(top).take(room).collect();
    let more = |words: &str| Line::styled(format!("    … more {words}"), theme.dim);
    if let (true, Some(last)) = (below > 0 && room > 1, rows.last_mut()) {
        *last = more("below ↓");
    }
    if let (true, Some(first)) = (top > 0 && room > 2, rows.first_mut()) {
        *first = more("above ↑");
    }
    (rows, start - top)
}

impl QuestionState {
    /// Rows of each option and of the free-text answer, and the cursor position while it is edited.
    fn option_blocks(
        &self,
        question: &Question,
        about: usize,
        all: bool,
        width: usize,
        theme: &Theme,
    ) -> (Vec<Vec<Line<'static>>>, Option<(usize, usize)>) {
        let count = question.options.len();
        let described = |n: usize| if all || n == self.focus { about } else { 0 };
        let mut blocks: Vec<Vec<Line<'static>>> =
            (0..count).map(|n| self.option_rows(question, n, described(n), width, theme)).collect();
        let (own, focused) = (self.free_text.text(), self.focus == count);
        if self.writing {
            let (rows, cursor) = draw_text_field("    own words: ", &self.free_text, width, MAX_FREE_TEXT_ROWS, theme);
            blocks.push(rows);
            return (blocks, Some(cursor));
        }
        let words = match own.is_empty() {
            true => "in your own words".to_string(),
            false => format!("own words: {}", text::one_line(own)),
        };
        blocks.push(bounded_rows(
            super::option_line(count, words, focused, width, theme),
            MAX_FREE_TEXT_ROWS,
            width,
            theme,
        ));
        (blocks, None)
    }

    /// Rows of an option: mark, label and description.
    fn option_rows(
        &self,
        question: &Question,
        n: usize,
        about: usize,
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
        let label = super::option_line(n, words, n == self.focus, width, theme);
        let mut lines = bounded_rows(label, 2, width, theme);
        if about > 0 && !option.description.trim().is_empty() {
            let told =
                Line::styled(text::one_line(text::truncate_chars(&option.description, 1_000).as_ref()), theme.dim);
            let told = text::wrap(&told, width, &text::RowPrefix::spaces(6));
            lines.extend(bounded_rows(told, about, width, theme));
        }
        lines
    }

    fn is_answered(&self) -> bool {
        self.chosen.contains(&true) || !self.free_text.text().trim().is_empty()
    }
    fn selected_answers(&self, question: &Question) -> Vec<String> {
        let labels = question.options.iter().zip(&self.chosen).filter(|(_, chosen)| **chosen);
        let own = Some(self.free_text.text().trim().to_string()).filter(|own| !own.is_empty());
        labels.map(|(option, _)| option.label.clone()).chain(own).collect()
    }
}

fn question_is_multi(question: &Question) -> bool {
    question.multi_select
}

fn skip_reply() -> DialogReply {
    DialogReply::Answer(AskAnswer::Questions(QuestionsAnswer::Skipped))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::protocol::event::QuestionOption;

    fn question(multi_select: bool) -> Question {
        let choice = |label: &str| QuestionOption {
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

    fn press(dialog: &mut QuestionsDialog, keys: &[KeyCode]) -> DialogReply {
        keys.iter().map(|code| dialog.on_key(KeyEvent::from(*code))).last().unwrap()
    }

    #[test]
    fn ui_7_answers_are_reviewed_before_they_are_sent() {
        let mut dialog = QuestionsDialog::new(vec![question(false), question(true)], None);
        let c = KeyCode::Char;
        press(&mut dialog, &[c('2'), c('1'), c('2'), KeyCode::Enter]);
        let shown: Vec<String> = dialog.draw(60, 20, &Theme::default()).lines.iter().map(text::plain_text).collect();
        assert_eq!(shown, ["? Your answers", "  Which one?", "  → B", "  Which one?", "  → A, B"]);
        let sent = QuestionsAnswer::Answered { answers: vec![vec!["B".into()], vec!["A".into(), "B".into()]] };
        assert_eq!(press(&mut dialog, &[KeyCode::Enter]), DialogReply::Answer(AskAnswer::Questions(sent)));
    }

    #[test]
    fn ui_7_small_screen_shows_question_and_focused_option() {
        let option = |n: usize| QuestionOption {
            label: format!("Option {n} with a label of some length"),
            description: format!("about {n}: {}", "words that explain it ".repeat(6)),
            preview: Some((1..30).map(|line| format!("preview {n} line {line}\n")).collect()),
        };
        let question = Question {
            question: format!("Which of these? {}", "It matters for what comes next. ".repeat(5)),
            header: "Store".into(),
            options: (1..=4).map(option).collect(),
            multi_select: false,
        };
        for most in [7, 8, 10, 13, 20] {
            let mut dialog = QuestionsDialog::new(vec![question.clone(), question.clone()], None);
            for focus in 1..=5 {
                let rows: Vec<String> =
                    dialog.draw(39, most, &Theme::default()).lines.iter().map(text::plain_text).collect();
                let shown = rows.join("\n");
                assert!(rows.len() <= most, "{} of {most}:\n{shown}", rows.len());
                let wanted =
                    if focus <= 4 { format!("› {focus} Option {focus}") } else { "› 5 in your own words".into() };
                for part in ["? Store 1 of 2", "Which of these?", wanted.as_str()] {
                    assert!(shown.contains(part), "{part} with {most} rows in\n{shown}");
                }
                if focus <= 4 && most > 7 {
                    assert!(shown.contains("more lines (ctrl+o)"), "{shown}");
                }
                press(&mut dialog, &[KeyCode::Down]);
            }
            press(&mut dialog, &[KeyCode::Up, KeyCode::Enter, KeyCode::Char('w')]);
            let drawn = dialog.draw(39, most, &Theme::default());
            let (row, column) = drawn.cursor.unwrap();
            assert_eq!(text::plain_text(&drawn.lines[row]).trim_end(), "    own words: w");
            assert_eq!(column, 16);
        }
        let dialog = QuestionsDialog::new(vec![question], None);
        let whole = dialog.full_questions();
        for part in ["It matters", "4 Option 4", "│ preview 4 line 29", "about 2: words that"] {
            assert!(whole[0].body.text().contains(part), "{part}");
        }
    }

    #[test]
    fn ui_7_free_text_answer_is_editable() {
        let mut dialog = QuestionsDialog::new(vec![question(false)], None);
        press(&mut dialog, &[KeyCode::Char('3')]);
        dialog.paste("one two");
        press(&mut dialog, &[KeyCode::Home]);
        let cursor = |dialog: &QuestionsDialog| {
            let drawn = dialog.draw(60, 20, &Theme::default());
            drawn.cursor.map(|(row, column)| (text::plain_text(&drawn.lines[row]), column))
        };
        assert_eq!(cursor(&dialog), Some(("    own words: one two".into(), 15)));
        let control = |c: char| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
        for key in [control('e'), control('w'), control('j')] {
            assert_eq!(dialog.on_key(key), DialogReply::Redraw);
        }
        assert_eq!(cursor(&dialog), Some(("               ".into(), 15)));
        press(&mut dialog, &[KeyCode::Char('x'), KeyCode::Enter]);
        let sent = QuestionsAnswer::Answered { answers: vec![vec!["one \nx".into()]] };
        assert_eq!(press(&mut dialog, &[KeyCode::Enter]), DialogReply::Answer(AskAnswer::Questions(sent)));
    }

    #[test]
    fn ui_7_text_left_with_esc_is_no_answer() {
        let mut dialog = QuestionsDialog::new(vec![question(false)], None);
        let c = KeyCode::Char;
        press(&mut dialog, &[c('1'), KeyCode::Left, c('3'), c('o'), c('w'), c('n'), KeyCode::Esc, KeyCode::Right]);
        let sent = |words: &str| {
            let answers = vec![vec![words.to_string()]];
            DialogReply::Answer(AskAnswer::Questions(QuestionsAnswer::Answered { answers }))
        };
        assert_eq!(press(&mut dialog, &[KeyCode::Enter]), sent("A"));
        // Accepted with Enter, the text is the only answer; Esc then restores it.
        press(&mut dialog, &[KeyCode::Left, c('3'), c('x'), KeyCode::Enter]);
        press(&mut dialog, &[KeyCode::Left, c('3'), c('y'), KeyCode::Esc, KeyCode::Right]);
        assert_eq!(press(&mut dialog, &[KeyCode::Enter]), sent("x"));
    }

    #[test]
    fn ui_7_free_text_preview_back_and_skip() {
        let mut dialog = QuestionsDialog::new(vec![question(false)], None);
        let shown =
            dialog.draw(60, 20, &Theme::default()).lines.iter().map(text::plain_text).collect::<Vec<_>>().join("\n");
        for part in ["Which one?", "about A", "│ fn x()", "in your own words"] {
            assert!(shown.contains(part), "{part} in {shown}");
        }
        press(
            &mut dialog,
            &[KeyCode::Char('3'), KeyCode::Char('C'), KeyCode::Char('1'), KeyCode::Enter, KeyCode::Left],
        );
        assert_eq!(dialog.current, 0);
        press(&mut dialog, &[KeyCode::Right]);
        let sent = QuestionsAnswer::Answered { answers: vec![vec!["C1".into()]] };
        assert_eq!(press(&mut dialog, &[KeyCode::Enter]), DialogReply::Answer(AskAnswer::Questions(sent)));
        assert_eq!(press(&mut QuestionsDialog::new(vec![question(false)], None), &[KeyCode::Esc]), skip_reply());
    }
}
