//! The plan review in plain lines (PM-73, PM-74, PM-84, PM-87): everything reachable with numbered choices. A number arms a choice
//! and says exactly what would happen; Enter confirms it.

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
    /// Chosen, but not confirmed.
    armed: Option<Answer>,
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
    text.push_str(&choices(request));
    if request.plan.is_some() {
        let diff = if previous.is_some() { ", d diff to the last submission" } else { "" };
        text.push_str(&format!("  c LINE WORDS comment, n WORDS note, e edit{diff}\n"));
    }
    text.push_str("answer (a number, words after it go along): ");
    text
}

/// With the digits that they have everywhere, and the modes that can follow a cleared context.
fn choices(request: &Request) -> String {
    let mut text = String::new();
    for choice in &request.choices {
        let digit = request.digit(choice.key).unwrap_or('?');
        text.push_str(&format!("  {digit} {}\n", one_line(&choice.label)));
        if choice.key == ChoiceKey::Clear {
            let modes: Vec<String> = after_clear(request).iter().map(|mode| format!("{digit} {mode}")).collect();
            text.push_str(&format!("    or with the mode after it: {}\n", modes.join(", ")));
        }
    }
    text
}

/// PM-74.4: as one of the approvals before it.
fn after_clear(request: &Request) -> Vec<Mode> {
    let keys = [ChoiceKey::AcceptEdits, ChoiceKey::Default, ChoiceKey::Restore];
    keys.into_iter().filter_map(|key| request.choice(key)).map(|choice| choice.mode).collect()
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
        Review { comments: draft.comments.clone(), notes: words, edited, again: true, armed: None }
    }

    pub fn edit(&mut self, request: &Request, text: String) {
        self.edited = (request.plan.as_ref() != Some(&text)).then_some(text);
    }

    pub fn step(&mut self, request: &Request, previous: Option<&str>, line: &str) -> Step {
        let armed = self.armed.take();
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let plan = self.edited.as_ref().or(request.plan.as_ref());
        match (word, plan, armed) {
            ("" | "y" | "yes", _, Some(answer)) if rest.trim().is_empty() => Step::Answer(answer),
            // «yes, but …» is no yes (PM-80).
            ("y" | "yes", _, _) if !rest.trim().is_empty() => {
                let keep = request.digit(ChoiceKey::KeepPlanning).map(String::from).unwrap_or_default();
                Step::Say(format!("A yes takes no words; nothing is chosen. `{keep} WORDS` keeps planning with them."))
            }
            ("d", Some(plan), _) => {
                let told = |old: &str| out::margined(&diff(old, plan));
                Step::Say(previous.map_or("There was no submission before.".into(), told))
            }
            ("e", Some(plan), _) => Step::Edit(plan.clone()),
            ("c", Some(plan), _) => {
                let plan = plan.clone();
                self.comment(&plan, rest)
            }
            ("n", Some(_), _) => {
                self.notes = Some(rest.to_string()).filter(|note| !note.is_empty());
                Step::Say("The note goes along with whatever you choose.".into())
            }
            _ => self.choose(request, word, rest),
        }
    }

    fn comment(&mut self, plan: &str, rest: &str) -> Step {
        let lines = plan.lines().count();
        let parsed = rest.split_once(' ').and_then(|(line, words)| Some((line.parse::<u32>().ok()?, words.trim())));
        match parsed {
            Some((line, _)) if !(1..=lines).contains(&(line as usize)) => {
                Step::Say(format!("There is no line {line} (1 to {lines})."))
            }
            Some((line, text)) if !text.is_empty() => {
                self.comments.push(Comment { line, text: text.to_string() });
                Step::Say(match self.comments.len() {
                    1 => "1 comment goes along with whatever you choose.".into(),
                    n => format!("{n} comments go along with whatever you choose."),
                })
            }
            _ => Step::Say("A comment is: c LINE WORDS".into()),
        }
    }

    /// Arms a choice: nothing happens before it is confirmed.
    fn choose(&mut self, request: &Request, word: &str, rest: &str) -> Step {
        let Some(choice) = request.with_digit(word) else {
            let digits: Vec<String> =
                request.choices.iter().filter_map(|choice| request.digit(choice.key)).map(String::from).collect();
            return Step::Say(format!("Choose one of {}.", digits.join(", ")));
        };
        let mut answer = Answer::new(request.ask_id.clone(), choice.key);
        let mut words = rest.trim();
        let mut follows = choice.mode;
        if choice.key == ChoiceKey::Clear {
            let (first, others) = words.split_once(' ').unwrap_or((words, ""));
            if let Some(mode) = after_clear(request).into_iter().find(|mode| mode.name() == first) {
                (answer.mode, follows, words) = (Some(mode), mode, others.trim());
            } else if Mode::parse(first).is_some() {
                return Step::Say(format!("{first} can't follow here. {}", choices(request).trim_start()));
            }
        }
        let along: Vec<&str> = [Some(words), self.notes.as_deref()].into_iter().flatten().collect();
        let along = Some(along.join("\n\n").trim().to_string()).filter(|words| !words.is_empty());
        match choice.key {
            // One field for words there: a note must not get lost behind the feedback.
            ChoiceKey::KeepPlanning => answer.feedback = along,
            ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear | ChoiceKey::Leave => {
                answer.notes = along;
            }
        }
        answer.comments = self.comments.clone();
        answer.plan = self.edited.clone();
        let told =
            format!("{}\nEnter confirms it; anything else is taken instead.", will(request, choice, follows, &answer));
        self.armed = Some(answer);
        Step::Say(told)
    }
}

/// Exactly what would happen.
fn will(request: &Request, choice: &Choice, follows: Mode, answer: &Answer) -> String {
    let whose = request.from.as_ref().map(|from| format!(" of {}", one_line(from))).unwrap_or_default();
    let sha: String = request.sha256.as_deref().unwrap_or_default().chars().take(6).collect();
    let plan = match (&answer.plan, request.from.is_some()) {
        (Some(_), _) => format!("the plan{whose} as you edited it"),
        (None, true) => format!("the plan{whose} (sha {sha})"),
        (None, false) => format!("rev {} (sha {sha})", request.revision),
    };
    let mut text = match (choice.key, request.plan.is_some()) {
        (ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore, true) => {
            format!("Will approve {plan} and go on in {follows}")
        }
        (ChoiceKey::Clear, _) => format!("Will approve {plan}, clear the context and start in {follows}"),
        (ChoiceKey::KeepPlanning, _) => "Will approve nothing and keep planning".to_string(),
        (ChoiceKey::Leave, _) => {
            format!("Will leave plan mode and keep the plan; nothing runs; the mode is then {follows}")
        }
        (ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore, false) => {
            format!("Will leave plan mode without a plan; the mode is then {follows}")
        }
    };
    if let Some(words) = answer.feedback.as_ref().or(answer.notes.as_ref()) {
        text.push_str(&format!("; your words: {}", one_line(words)));
    }
    match answer.comments.len() {
        0 => {}
        1 => text.push_str("; 1 comment"),
        n => text.push_str(&format!("; {n} comments")),
    }
    if answer.plan.is_some() && choice.key == ChoiceKey::KeepPlanning {
        text.push_str("; with your edit");
    }
    text + "."
}
