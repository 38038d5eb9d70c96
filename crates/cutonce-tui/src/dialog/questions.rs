//! The model's questions (UI-7): one after the other, options with descriptions and previews, several where it may be
//! several, own words always; all answers are shown once more before they are sent. Skipping is a result of its own.

use super::{Drawn, Reply, bounded_rows, digit, written};
use crate::overlay::pager::{Body, Item};
use crate::review::field::Field;
use crate::text;
use crate::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use cutonce_core::event::Question;
use cutonce_core::submission::{Answer, QuestionsAnswer};
use ratatui::text::{Line, Span};

/// Rows of an option's description, of a preview, of own words; Ctrl+O has all.
const MOST_ABOUT: usize = 3;
const MOST_PREVIEW: usize = 10;
const MOST_WORDS: usize = 3;
/// Rows of options that stay beside a preview: the one that is looked at, and that there are others.
const LEAST_OPTIONS: usize = 4;

#[derive(Debug)]
pub struct Questions {
    questions: Vec<Question>,
    given: Vec<Given>,
    /// Which question is on; the count of them: the review.
    at: usize,
    /// Who asks, where that is not the session itself.
    who: String,
}

#[derive(Debug, Default, Clone)]
struct Given {
    chosen: Vec<bool>,
    own: Field,
    /// Which option has the focus; the count of them: own words.
    focus: usize,
    /// Own words are being written.
    writing: bool,
    /// What they were before, for whoever goes back.
    before: Field,
}

impl Questions {
    pub fn new(questions: Vec<Question>, who: Option<&str>) -> Questions {
        let given = questions
            .iter()
            .map(|question| Given { chosen: vec![false; question.options.len()], ..Given::default() })
            .collect();
        Questions { questions, given, at: 0, who: who.map(|who| format!(" ({who})")).unwrap_or_default() }
    }

    pub fn hint(&self) -> &'static str {
        match (self.questions.get(self.at), self.given.get(self.at)) {
            (None, _) => "enter sends these answers · ← back · esc skips all questions",
            (_, Some(given)) if given.writing => "enter takes these words · esc back",
            (Some(question), _) if question.multi_select => {
                "space or a digit marks · enter goes on · ← back · ctrl+o all · esc skips"
            }
            (Some(_), _) => "enter or a digit chooses · ← back · ctrl+o all · esc skips",
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
            "ctrl+o" => return Reply::Details,
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
            (given.writing, given.before) = (true, given.own.clone());
            return Reply::Redraw;
        }
        if several {
            given.chosen[given.focus] = !given.chosen[given.focus];
        } else {
            given.chosen.fill(false);
            given.chosen[given.focus] = true;
            given.own = Field::default();
            self.at += 1;
        }
        Reply::Redraw
    }

    fn write(&mut self, key: KeyEvent) -> Reply {
        let several = self.questions.get(self.at).is_some_and(|question| question.multi_select);
        let Some(given) = self.given.get_mut(self.at) else { return Reply::Nothing };
        match key.code {
            KeyCode::Enter if key.modifiers == KeyModifiers::NONE => {
                given.writing = false;
                if !given.own.text().trim().is_empty() {
                    if !several {
                        given.chosen.fill(false);
                    }
                    self.at += 1;
                }
            }
            // Only Enter takes them: words that were left are no second answer.
            KeyCode::Esc => (given.writing, given.own) = (false, std::mem::take(&mut given.before)),
            _ if given.own.key(key) => {}
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
            "ctrl+o" => Reply::Details,
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
        let mut lines = vec![Line::styled(
            text::fit(&format!("? {header}{place}{}", text::one_line(&self.who)), width).into_owned(),
            theme.dim,
        )];
        let asked = super::super::entry::marked("  ", &question.question, width, usize::MAX, theme.strong, theme);
        lines.extend(bounded_rows(asked, (most / 3).max(2), width, theme));
        let preview = question.options.get(given.focus).and_then(|option| option.preview.as_deref());
        let preview = preview.map(|text| {
            text::wrap_plain(text::bounded(text, 4_000).as_ref(), width.saturating_sub(6).max(4), theme.code)
        });
        let preview = preview.unwrap_or_default();
        let room = most.saturating_sub(lines.len());
        // Where not all fits, only the option that is looked at keeps its description; then previews give way, then options.
        let (mut blocks, cursor) = given.blocks(question, MOST_ABOUT, true, width, theme);
        let rows = |blocks: &[Vec<Line<'static>>]| blocks.iter().map(Vec::len).sum::<usize>();
        if rows(&blocks) + preview.len().min(MOST_PREVIEW) > room {
            let about = MOST_ABOUT.min(room.saturating_sub(LEAST_OPTIONS + 2)).max(1);
            blocks = given.blocks(question, about, false, width, theme).0;
        }
        let options = rows(&blocks);
        let beside = room.saturating_sub(options).max(2).min(room.saturating_sub(options.min(LEAST_OPTIONS)));
        let preview = previewed(preview, beside.min(MOST_PREVIEW), theme);
        let room = room.saturating_sub(preview.len());
        let above = lines.len();
        let (rows, first) = window(blocks, given.focus, room, theme);
        lines.extend(rows);
        let cursor = cursor.map(|(row, column)| (above + (first + row).min(room.saturating_sub(1)), column));
        lines.extend(preview);
        Drawn { lines, cursor }
    }

    fn draw_review(&self, width: usize, most: usize, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = vec![Line::styled("? Your answers", theme.strong)];
        let each = self.questions.iter().zip(&self.given);
        for (question, given) in each.clone() {
            let asked = text::one_line(&question.question);
            lines.push(Line::styled(format!("  {}", text::fit(&asked, width.saturating_sub(2))), theme.dim));
            let answer = given.answer(question).join(", ");
            lines.extend(super::super::entry::marked("  → ", &answer, width, 3, theme.accent, theme));
        }
        if lines.len() > most {
            // Every answer is there on the smallest screen; Ctrl+O has all of them.
            lines.truncate(1);
            for (question, given) in each {
                let words = format!("  {} → {}", question.header, given.answer(question).join(", "));
                lines.push(Line::styled(text::fit(&text::one_line(&words), width).into_owned(), theme.accent));
            }
        }
        lines
    }

    /// All questions with all that belongs to them, for the whole screen.
    pub fn whole(&self) -> Vec<Item> {
        let each = self.questions.iter().zip(&self.given).map(|(question, given)| {
            let mut text = format!("{}\n", question.question);
            for (n, option) in question.options.iter().enumerate() {
                text.push_str(&format!("\n{} {}\n", n + 1, option.label));
                let parts = [("    ", Some(option.description.as_str())), ("    │ ", option.preview.as_deref())];
                for (margin, part) in parts {
                    part.unwrap_or_default().lines().for_each(|line| text.push_str(&format!("{margin}{line}\n")));
                }
            }
            if given.answered() {
                text.push_str(&format!("\n→ {}\n", given.answer(question).join(", ")));
            }
            Item { title: question.header.clone(), body: Body::Plain(text.into()) }
        });
        each.collect()
    }
}

/// A preview behind its bar; that it goes on is said.
fn previewed(rows: Vec<Line<'static>>, most: usize, theme: &Theme) -> Vec<Line<'static>> {
    let (count, take) = (rows.len(), if rows.len() > most { most.saturating_sub(1) } else { most });
    let bar = || Span::styled("    │ ", theme.border);
    let mut out: Vec<Line<'static>> = rows.into_iter().take(take).collect();
    out.iter_mut().for_each(|row| row.spans.insert(0, bar()));
    if count > take && most > 0 {
        let told = format!("… {} (ctrl+o)", text::counted(count - take, "more line"));
        out.push(Line::from(vec![bar(), Span::styled(told, theme.dim)]));
    }
    out
}

/// As many rows of the options as there is room for, the focused one among them; and where its first row is.
fn window(blocks: Vec<Vec<Line<'static>>>, focus: usize, room: usize, theme: &Theme) -> (Vec<Line<'static>>, usize) {
    let start: usize = blocks.iter().take(focus).map(Vec::len).sum();
    let end = start + blocks.get(focus).map_or(0, Vec::len);
    let mut rows: Vec<Line<'static>> = blocks.into_iter().flatten().collect();
    let all = rows.len();
    if all <= room || room == 0 {
        return (rows, start);
    }
    // A row at each end says that there is more.
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

impl Given {
    /// The options, each with its rows, and own words behind them; where the cursor is in those, while they are written.
    fn blocks(
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
            (0..count).map(|n| self.option(question, n, described(n), width, theme)).collect();
        let (own, focused) = (self.own.text(), self.focus == count);
        if self.writing {
            let (rows, cursor) = written("    own words: ", &self.own, width, MOST_WORDS, theme);
            blocks.push(rows);
            return (blocks, Some(cursor));
        }
        let words = match own.is_empty() {
            true => "in your own words".to_string(),
            false => format!("own words: {}", text::one_line(own)),
        };
        blocks.push(bounded_rows(super::option_line(count, words, focused, width, theme), MOST_WORDS, width, theme));
        (blocks, None)
    }

    /// An option with its mark, and what it means.
    fn option(&self, question: &Question, n: usize, about: usize, width: usize, theme: &Theme) -> Vec<Line<'static>> {
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
            let told = Line::styled(text::one_line(text::bounded(&option.description, 1_000).as_ref()), theme.dim);
            let told = text::wrap(&told, width, &text::Prefix::spaces(6));
            lines.extend(bounded_rows(told, about, width, theme));
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
        let mut dialog = Questions::new(vec![question(false), question(true)], None);
        let c = KeyCode::Char;
        press(&mut dialog, &[c('2'), c('1'), c('2'), KeyCode::Enter]);
        let shown: Vec<String> = dialog.draw(60, 20, &Theme::default()).lines.iter().map(text::plain).collect();
        assert_eq!(shown, ["? Your answers", "  Which one?", "  → B", "  Which one?", "  → A, B"]);
        let sent = QuestionsAnswer::Answered { answers: vec![vec!["B".into()], vec!["A".into(), "B".into()]] };
        assert_eq!(press(&mut dialog, &[KeyCode::Enter]), Reply::Answer(Answer::Questions(sent)));
    }

    #[test]
    fn ui_7_on_the_smallest_screen_question_focused_option_and_the_way_to_all_are_there() {
        let option = |n: usize| Choice {
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
            let mut dialog = Questions::new(vec![question.clone(), question.clone()], None);
            for focus in 1..=5 {
                let rows: Vec<String> =
                    dialog.draw(39, most, &Theme::default()).lines.iter().map(text::plain).collect();
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
            assert_eq!(text::plain(&drawn.lines[row]).trim_end(), "    own words: w");
            assert_eq!(column, 16);
        }
        let dialog = Questions::new(vec![question], None);
        let whole = dialog.whole();
        for part in ["It matters", "4 Option 4", "│ preview 4 line 29", "about 2: words that"] {
            assert!(whole[0].body.text().contains(part), "{part}");
        }
    }

    #[test]
    fn ui_7_own_words_are_edited_like_any_text_and_the_cursor_is_where_they_are() {
        let mut dialog = Questions::new(vec![question(false)], None);
        press(&mut dialog, &[KeyCode::Char('3')]);
        dialog.paste("one two");
        press(&mut dialog, &[KeyCode::Home]);
        let cursor = |dialog: &Questions| {
            let drawn = dialog.draw(60, 20, &Theme::default());
            drawn.cursor.map(|(row, column)| (text::plain(&drawn.lines[row]), column))
        };
        assert_eq!(cursor(&dialog), Some(("    own words: one two".into(), 15)));
        let control = |c: char| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
        for key in [control('e'), control('w'), control('j')] {
            assert_eq!(dialog.key(key), Reply::Redraw);
        }
        assert_eq!(cursor(&dialog), Some(("               ".into(), 15)));
        press(&mut dialog, &[KeyCode::Char('x'), KeyCode::Enter]);
        let sent = QuestionsAnswer::Answered { answers: vec![vec!["one \nx".into()]] };
        assert_eq!(press(&mut dialog, &[KeyCode::Enter]), Reply::Answer(Answer::Questions(sent)));
    }

    #[test]
    fn ui_7_words_that_were_left_with_esc_are_no_second_answer() {
        let mut dialog = Questions::new(vec![question(false)], None);
        let c = KeyCode::Char;
        press(&mut dialog, &[c('1'), KeyCode::Left, c('3'), c('o'), c('w'), c('n'), KeyCode::Esc, KeyCode::Right]);
        let sent = |words: &str| {
            let answers = vec![vec![words.to_string()]];
            Reply::Answer(Answer::Questions(QuestionsAnswer::Answered { answers }))
        };
        assert_eq!(press(&mut dialog, &[KeyCode::Enter]), sent("A"));
        // Taken with Enter they are the answer, and the only one; Esc then brings those back.
        press(&mut dialog, &[KeyCode::Left, c('3'), c('x'), KeyCode::Enter]);
        press(&mut dialog, &[KeyCode::Left, c('3'), c('y'), KeyCode::Esc, KeyCode::Right]);
        assert_eq!(press(&mut dialog, &[KeyCode::Enter]), sent("x"));
    }

    #[test]
    fn ui_7_own_words_previews_going_back_and_skipping() {
        let mut dialog = Questions::new(vec![question(false)], None);
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
        assert_eq!(press(&mut Questions::new(vec![question(false)], None), &[KeyCode::Esc]), skipped());
    }
}
