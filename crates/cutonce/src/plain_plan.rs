//! The plan review in plain lines (PM-73, PM-74, PM-84, PM-87): everything reachable with numbered choices.

use crate::plain::out;
use cutonce_core::approval::{Answer, Choice, ChoiceKey, Comment, QUESTION, Request};
use cutonce_core::harmless::{one_line, visible};
use cutonce_core::mode::Mode;

/// What the person has put together so far for a request.
#[derive(Debug, Default)]
pub struct Review {
    comments: Vec<Comment>,
    notes: Option<String>,
    edited: Option<String>,
    /// The plan changed while it was shown: what changed is shown at once (PM-84).
    again: bool,
}

/// What a line in the review means.
#[derive(Debug, PartialEq)]
pub enum Step {
    Answer(Answer),
    /// Say this and wait for the next line.
    Say(String),
    /// Edit this text in the editor.
    Edit(String),
}

pub fn show(request: &Request, previous: Option<&str>, review: &Review) -> String {
    let mut text = match &request.from {
        Some(from) => format!("\n? {} asks: {QUESTION}\n", one_line(from)),
        None => format!("\n? {QUESTION}\n"),
    };
    match &request.plan {
        Some(plan) => {
            let revision = if request.from.is_some() { String::new() } else { format!(" rev {}", request.revision) };
            text.push_str(&format!("  plan{revision} in {}\n\n", one_line(&request.plan_file_path)));
            for (n, line) in review.edited.as_ref().unwrap_or(plan).lines().enumerate() {
                text.push_str(&format!("{:>5}  {}\n", n + 1, visible(line)));
            }
        }
        None => text.push_str(&format!("  There is no plan in {}.\n", one_line(&request.plan_file_path))),
    }
    if let (true, Some(plan), Some(previous)) = (review.again, &request.plan, previous)
        && plan != previous
    {
        text.push_str(&format!("\n  changed since it was shown:\n{}\n", out::margined(&diff(previous, plan))));
    }
    if review.edited.is_some() {
        text.push_str("\n  This is the plan as you edited it.\n");
    }
    if request.from.is_none() {
        text.push_str(&surroundings(request));
    }
    if let Some(notice) = &request.notice {
        text.push_str(&format!("  {}\n", one_line(notice)));
    }
    for (n, choice) in request.choices.iter().enumerate() {
        text.push_str(&format!("  {} {}\n", digit(request, n, choice.key), one_line(&choice.label)));
    }
    if request.plan.is_some() {
        let diff = if previous.is_some() { ", d diff to the last submission" } else { "" };
        let clears = request.choice(ChoiceKey::Clear).is_some();
        let modes = if clears { "; 4 MODE: clear, then that mode" } else { "" };
        text.push_str(&format!("  c LINE WORDS comment, n WORDS note, e edit{diff}{modes}\n"));
    }
    text.push_str("answer (a number, words after it go along): ");
    text
}

/// The number of a choice. With a plan the numbers are those of the contract, also where the third is not offered: what
/// means «keep planning» in one review must not mean «leave» in the next (PM-74).
fn digit(request: &Request, at: usize, key: ChoiceKey) -> usize {
    match (request.plan.is_some(), key) {
        (true, ChoiceKey::AcceptEdits) => 1,
        (true, ChoiceKey::Default) => 2,
        (true, ChoiceKey::Restore) => 3,
        (true, ChoiceKey::Clear) => 4,
        (true, ChoiceKey::KeepPlanning) => 5,
        (true, ChoiceKey::Leave) => 6,
        (false, _) => at + 1,
    }
}

/// What held the shell, and what changed meanwhile (PM-87); of a teammate nobody here knows it.
fn surroundings(request: &Request) -> String {
    let mut text = format!("\n  shell: {}\n", request.layer.describe());
    text.push_str(&match request.changed_files.as_slice() {
        [] => "  0 files changed since plan mode was entered\n".to_string(),
        files => format!("  changed since plan mode was entered: {}\n", one_line(&files.join(", "))),
    });
    for shell in &request.shells {
        text.push_str(&format!("  still running: {}\n", one_line(shell)));
    }
    text
}

/// The difference between two submissions, by line.
pub fn diff(previous: &str, plan: &str) -> String {
    similar::TextDiff::from_lines(previous, plan).unified_diff().context_radius(2).to_string()
}

impl Review {
    /// What was written for a plan that then changed is not lost. An edit that left nothing is.
    pub fn again(draft: &Answer) -> Review {
        let words = [&draft.notes, &draft.feedback].into_iter().flatten().next().cloned();
        let edited = draft.plan.clone().filter(|plan| !plan.trim().is_empty());
        Review { comments: draft.comments.clone(), notes: words, edited, again: true }
    }

    pub fn edit(&mut self, request: &Request, text: String) {
        self.edited = (request.plan.as_ref() != Some(&text)).then_some(text);
    }

    pub fn step(&mut self, request: &Request, previous: Option<&str>, line: &str) -> Step {
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let plan = self.edited.as_ref().or(request.plan.as_ref());
        match (word, plan) {
            ("d", Some(plan)) => Step::Say(
                previous.map_or("There was no submission before.".into(), |old| out::margined(&diff(old, plan))),
            ),
            ("e", Some(plan)) => Step::Edit(plan.clone()),
            ("c", Some(_)) => self.comment(rest),
            ("n", Some(_)) => {
                self.notes = Some(rest.to_string()).filter(|note| !note.is_empty());
                Step::Say("The note goes along with whatever you choose.".into())
            }
            _ => self.choose(request, word, rest),
        }
    }

    fn comment(&mut self, rest: &str) -> Step {
        let parsed = rest.split_once(' ').and_then(|(line, words)| Some((line.parse().ok()?, words.trim())));
        match parsed {
            Some((line, text)) if !text.is_empty() => {
                self.comments.push(Comment { line, text: text.to_string() });
                Step::Say(format!("{} comments go along with whatever you choose.", self.comments.len()))
            }
            _ => Step::Say("A comment is: c LINE WORDS".into()),
        }
    }

    fn choose(&mut self, request: &Request, word: &str, rest: &str) -> Step {
        let numbered =
            || request.choices.iter().enumerate().map(|(at, choice)| (digit(request, at, choice.key), choice));
        let chosen = word.parse::<usize>().ok().and_then(|n| numbered().find(|(digit, _)| *digit == n));
        let Some((_, Choice { key, .. })) = chosen else {
            let digits: Vec<String> = numbered().map(|(digit, _)| digit.to_string()).collect();
            return Step::Say(format!("Choose one of {}.", digits.join(", ")));
        };
        let mut answer = Answer::new(request.ask_id.clone(), *key);
        let words = Some(rest.trim().to_string()).filter(|words| !words.is_empty());
        match key {
            ChoiceKey::KeepPlanning => answer.feedback = words,
            // `4 acceptEdits`: the mode that follows a cleared context.
            ChoiceKey::Clear => {
                let (first, others) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
                answer.mode = Mode::parse(first);
                let said = if answer.mode.is_some() { others } else { rest }.trim();
                self.notes = Some(said.to_string()).filter(|said| !said.is_empty()).or(self.notes.take());
            }
            ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Leave => {
                self.notes = words.or(self.notes.take());
            }
        }
        answer.notes = self.notes.take();
        answer.comments = std::mem::take(&mut self.comments);
        answer.plan = self.edited.take();
        Step::Answer(answer)
    }
}
