//! The agent's questions in plain lines (UI-7): one after the other, with headers and previews; what was answered is shown once
//! more before it is sent, and each answer can be changed until then.

use super::out;
use cutonce_core::event::Question;
use cutonce_core::harmless::one_line;
use cutonce_core::submission::QuestionsAnswer;

/// The answers so far, and which question is open; behind the last one comes the review.
#[derive(Debug, Default)]
pub struct Asked {
    answers: Vec<Option<Vec<String>>>,
    at: usize,
    /// From the review: it comes back there.
    changing: bool,
}

#[derive(Debug, PartialEq)]
pub enum Step {
    /// Show what is open now.
    Show,
    Send(QuestionsAnswer),
}

impl Asked {
    pub fn show(&self, questions: &[Question]) -> String {
        let Some(question) = questions.get(self.at) else { return self.review(questions) };
        let of = if questions.len() > 1 { format!(" ({} of {})", self.at + 1, questions.len()) } else { String::new() };
        let mut text = format!("\n? {}{of}: {}\n", one_line(&question.header), one_line(&question.question));
        for (n, option) in question.options.iter().enumerate() {
            text.push_str(&format!("  {} {}: {}\n", n + 1, one_line(&option.label), one_line(&option.description)));
            if let Some(preview) = &option.preview {
                text.push_str(&format!("{}\n", out::margined(preview)));
            }
        }
        if let Some(Some(before)) = self.answers.get(self.at) {
            text.push_str(&format!("  answered: {}\n", one_line(&before.join(", "))));
        }
        let several = if question.multi_select { "numbers" } else { "a number" };
        let back = if self.at > 0 || self.changing { "; `back` goes back" } else { "" };
        text.push_str("  0 skip all of them\n");
        text.push_str(&format!("answer ({several}, or your own words, =17 if they are a number{back}): "));
        text
    }

    fn review(&self, questions: &[Question]) -> String {
        let mut text = "\n? Your answers:\n".to_string();
        for (n, (question, answer)) in questions.iter().zip(&self.answers).enumerate() {
            let answer = answer.as_deref().unwrap_or_default().join(", ");
            text.push_str(&format!("  {} {}: {}\n", n + 1, one_line(&question.header), one_line(&answer)));
        }
        text.push_str("  0 skip all of them\nanswer (enter sends them, a number changes that one): ");
        text
    }

    pub fn step(&mut self, questions: &[Question], line: &str) -> Step {
        self.answers.resize(questions.len(), None);
        match (line, questions.get(self.at)) {
            ("0", _) => return Step::Send(QuestionsAnswer::Skipped),
            ("back", Some(_)) if self.changing => self.review_them(),
            ("back", _) => self.at = self.at.saturating_sub(1),
            (line, Some(question)) => {
                if let Some(chosen) = chosen(question, line) {
                    self.answers[self.at] = Some(chosen);
                    if self.changing { self.review_them() } else { self.at += 1 }
                }
            }
            ("" | "y" | "yes", None) => {
                let answers = self.answers.iter().map(|answer| answer.clone().unwrap_or_default()).collect();
                return Step::Send(QuestionsAnswer::Answered { answers });
            }
            (line, None) => {
                let wanted = line.parse::<usize>().ok().filter(|n| (1..=questions.len()).contains(n));
                if let Some(n) = wanted {
                    (self.at, self.changing) = (n - 1, true);
                }
            }
        }
        Step::Show
    }

    fn review_them(&mut self) {
        (self.at, self.changing) = (self.answers.len(), false);
    }
}

/// Numbers choose options; anything else is the person's own words, also a number behind `=`.
fn chosen(question: &Question, line: &str) -> Option<Vec<String>> {
    if let Some(words) = line.strip_prefix('=').map(str::trim).filter(|words| !words.is_empty()) {
        return Some(vec![words.to_string()]);
    }
    if line.is_empty() {
        return None;
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
    use cutonce_core::event::Choice;

    fn question(header: &str, multi_select: bool) -> Question {
        let option = |label: &str| Choice { label: label.into(), description: "d".into(), preview: None };
        Question {
            question: "Which?".into(),
            header: header.into(),
            options: vec![option("A"), option("B")],
            multi_select,
        }
    }

    #[test]
    fn ui_7_answers_are_reviewed_can_be_changed_and_are_then_sent() {
        let questions = [question("One", false), question("Two", true)];
        let mut asked = Asked::default();
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
            assert_eq!(asked.step(&questions, line), Step::Show, "{line}");
            let shown = asked.show(&questions);
            assert!(shown.contains(shows), "{line}: {shown}");
        }
        let answers = vec![vec!["my own".to_string()], vec!["A".into(), "B".into()]];
        assert_eq!(asked.step(&questions, ""), Step::Send(QuestionsAnswer::Answered { answers }));
        assert_eq!(Asked::default().step(&questions, "0"), Step::Send(QuestionsAnswer::Skipped));
    }
}
