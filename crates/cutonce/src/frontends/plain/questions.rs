//! The agent's questions in plain lines (UI-7): one after the other, with headers and previews. A review
//! before sending lets the user change each answer.

use super::output;
use cutonce_core::protocol::event::Question;
use cutonce_core::protocol::submission::QuestionsAnswer;
use cutonce_core::text::sanitize::one_line;

/// The answers so far and the index of the open question; after the last one comes the review.
#[derive(Debug, Default)]
pub struct QuestionAnswers {
    answers: Vec<Option<Vec<String>>>,
    at: usize,
    /// Changing one answer from the review; returns there.
    changing: bool,
}

#[derive(Debug, PartialEq)]
pub enum QuestionStep {
    /// Show the open question or the review.
    Show,
    Send(QuestionsAnswer),
}

impl QuestionAnswers {
    pub fn render(&self, questions: &[Question]) -> String {
        let Some(question) = questions.get(self.at) else { return self.render_review(questions) };
        let of = if questions.len() > 1 { format!(" ({} of {})", self.at + 1, questions.len()) } else { String::new() };
        let mut text = format!("\n? {}{of}: {}\n", one_line(&question.header), one_line(&question.question));
        for (n, option) in question.options.iter().enumerate() {
            let about = one_line(&option.description);
            let about = if about.is_empty() { about } else { format!(": {about}") };
            text.push_str(&format!("  {} {}{about}\n", n + 1, one_line(&option.label)));
            if let Some(preview) = &option.preview {
                text.push_str(&format!("{}\n", output::with_margin(preview)));
            }
        }
        if let Some(Some(before)) = self.answers.get(self.at) {
            text.push_str(&format!("  answered: {}\n", one_line(&before.join(", "))));
        }
        let several = if question.multi_select { "numbers" } else { "a number" };
        let back = if self.at > 0 || self.changing { "; `back` for the previous" } else { "" };
        text.push_str("  0 skip all of them\n");
        text.push_str(&match question.options.is_empty() {
            true => format!("answer (your own text, =0 for the text 0{back}): "),
            false => format!("answer ({several}, or your own text, =17 for the text 17{back}): "),
        });
        text
    }

    fn render_review(&self, questions: &[Question]) -> String {
        let mut text = "\n? Your answers:\n".to_string();
        for (n, (question, answer)) in questions.iter().zip(&self.answers).enumerate() {
            let answer = answer.as_deref().unwrap_or_default().join(", ");
            text.push_str(&format!("  {} {}: {}\n", n + 1, one_line(&question.header), one_line(&answer)));
        }
        text.push_str("  0 skip all of them\nanswer (enter sends, a number changes that answer): ");
        text
    }

    pub fn step(&mut self, questions: &[Question], line: &str) -> QuestionStep {
        self.answers.resize(questions.len(), None);
        match (line, questions.get(self.at)) {
            ("0", _) => return QuestionStep::Send(QuestionsAnswer::Skipped),
            ("back", Some(_)) if self.changing => self.go_to_review(),
            ("back", _) => self.at = self.at.saturating_sub(1),
            (line, Some(question)) => {
                if let Some(chosen) = parse_choice(question, line) {
                    self.answers[self.at] = Some(chosen);
                    if self.changing { self.go_to_review() } else { self.at += 1 }
                }
            }
            ("" | "y" | "yes", None) => {
                let answers = self.answers.iter().map(|answer| answer.clone().unwrap_or_default()).collect();
                return QuestionStep::Send(QuestionsAnswer::Answered { answers });
            }
            (line, None) => {
                let wanted = line.parse::<usize>().ok().filter(|n| (1..=questions.len()).contains(n));
                if let Some(n) = wanted {
                    (self.at, self.changing) = (n - 1, true);
                }
            }
        }
        QuestionStep::Show
    }

    fn go_to_review(&mut self) {
        (self.at, self.changing) = (self.answers.len(), false);
    }
}

/// Numbers choose options; anything else is the user's own text, also a number after `=`.
fn parse_choice(question: &Question, line: &str) -> Option<Vec<String>> {
    if let Some(words) = line.strip_prefix('=').map(str::trim).filter(|words| !words.is_empty()) {
        return Some(vec![words.to_string()]);
    }
    if line.is_empty() {
        return None;
    }
    if question.options.is_empty() {
        return Some(vec![line.to_string()]);
    }
    let numbers: Option<Vec<usize>> =
        line.split([',', ' ']).filter(|word| !word.is_empty()).map(|word| word.parse().ok()).collect();
    let Some(numbers) = numbers else { return Some(vec![line.to_string()]) };
    let labels: Option<Vec<String>> =
        numbers.iter().map(|n| question.options.get(n.wrapping_sub(1)).map(|option| option.label.clone())).collect();
    labels.filter(|labels| question.multi_select || labels.len() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::protocol::event::QuestionOption;

    fn question(header: &str, multi_select: bool) -> Question {
        let option = |label: &str| QuestionOption { label: label.into(), description: "d".into(), preview: None };
        Question {
            question: "Which?".into(),
            header: header.into(),
            options: vec![option("A"), option("B")],
            multi_select,
        }
    }

    #[test]
    fn ui_7_answers_are_reviewed_before_sending() {
        let questions = [question("One", false), question("Two", true)];
        let mut asked = QuestionAnswers::default();
        for (line, shows) in [
            ("1", "? Two (2 of 2)"),
            ("back", "answered: A"),
            ("7", "? One"),
            ("=17", "? Two"),
            ("1,2", "2 Two: A, B"),
            ("3", "? Your answers"),
            ("1", "? One"),
            ("back", "1 One: 17"),
            ("1", "answered: 17"),
            ("my own", "1 One: my own"),
        ] {
            assert_eq!(asked.step(&questions, line), QuestionStep::Show, "{line}");
            let shown = asked.render(&questions);
            assert!(shown.contains(shows), "{line}: {shown}");
        }
        let answers = vec![vec!["my own".to_string()], vec!["A".into(), "B".into()]];
        assert_eq!(asked.step(&questions, ""), QuestionStep::Send(QuestionsAnswer::Answered { answers }));
        assert_eq!(QuestionAnswers::default().step(&questions, "0"), QuestionStep::Send(QuestionsAnswer::Skipped));
    }
}
