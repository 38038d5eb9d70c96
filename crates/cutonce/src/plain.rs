//! The plain face: lines in, lines out, numbered choices, no cursor movement. For screen readers, dumb terminals, and as the
//! log of `--verbose`.

pub mod out;

use crate::editor::{edit, editor_name, open_editor};
use crate::headless::{DONE, FAILED, First, INTERRUPTED};
use crate::plain_commands::{self, Known};
use crate::plain_plan::{self, Review, Step};
use crate::start::Started;
use cutonce_agent::Session;
use cutonce_core::command::{self, CURRENT_PLAN};
use cutonce_core::event::{AskKind, AskView, Delta, EndReason, Event, EventKind, Level};
use cutonce_core::harmless::{harmless, one_line};
use cutonce_core::settings::Notifications;
use cutonce_core::submission::{Answer, By, PermissionAnswer, QuestionsAnswer, Remember, RememberIn, Submission};
use std::io::BufRead;
use std::sync::Arc;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

/// What happens, one line each, on standard error.
pub fn log(event: &Event) {
    if let Some(line) = line_of(event) {
        out::log(&line);
    }
}

/// The one line that tells of an event, for those that are worth one.
fn line_of(event: &Event) -> Option<String> {
    Some(match &event.kind {
        EventKind::ToolStarted { name, summary, .. } => format!("● {} {}", one_line(name), first_line(summary)),
        EventKind::ToolFinished(finished) if finished.is_error => {
            let text = finished.content.iter().find_map(|part| match part {
                cutonce_core::conversation::ResultPart::Text { text } => Some(first_line(text)),
                cutonce_core::conversation::ResultPart::Image(_) => None,
            });
            // Colours of a program's output say nothing here.
            format!("✗ {} {}", one_line(&finished.name), harmless(text.unwrap_or_default()))
        }
        EventKind::Retry { attempt, max, delay_ms, reason, .. } => {
            format!("↻ {reason}; trying again in {:.1} s ({attempt} of {max})", *delay_ms as f64 / 1000.0)
        }
        EventKind::ModeChanged { by: By::Start, .. } => return None,
        EventKind::ModeChanged { to, .. } => format!("mode: {to}"),
        EventKind::Agent(agent) => return crate::agents::line(agent),
        EventKind::Queued { text } => format!("queued: {}", first_line(text)),
        EventKind::Compacted { before, after, .. } => format!("compacted: {before} → {after} tokens"),
        EventKind::Notice { level, text } => match level {
            Level::Info => text.clone(),
            Level::Warning => format!("warning: {text}"),
            Level::Error => format!("error: {text}"),
        },
        _ => return None,
    })
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Sit in front of a session until the person ends it.
pub async fn run(started: Started, first: Option<First>) -> anyhow::Result<u8> {
    let Started { session, mut events, notifications, transcript, cwd, model, .. } = started;
    let known = Known { transcript, cwd, home: crate::start::home().ok(), model, todos: Vec::new() };
    let mut lines = lines();
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut plain = Plain {
        session,
        asks: Vec::new(),
        busy: false,
        answering: Vec::new(),
        streamed: false,
        review: Review::default(),
        notifications,
        known,
        over: false,
        failed: false,
    };
    match first {
        Some(First::Say(words)) => plain.session.say(words),
        Some(First::Implement { plan, path }) => plain.session.submit(Submission::Implement { plan, path }),
        None => plain.prompt(),
    }
    loop {
        tokio::select! {
            biased;
            event = events.next() => match event {
                Some(event) => plain.event(&event, Some(&mut lines)),
                None => return Ok(DONE),
            },
            line = lines.recv() => match line {
                Some(line) => plain.line(line.trim()),
                None => return Ok(plain.leave(&mut events, &mut interrupts).await),
            },
            _ = interrupts.recv() => {
                if !plain.busy { return Ok(INTERRUPTED); }
                plain.session.submit(Submission::Interrupt);
            }
        }
    }
}

struct Plain {
    session: Session,
    asks: Vec<Arc<AskView>>,
    busy: bool,
    /// Answers collected so far for an AskUserQuestion with several questions.
    answering: Vec<Vec<String>>,
    streamed: bool,
    /// What was put together for an open plan.
    review: Review,
    notifications: Notifications,
    known: Known,
    /// Nobody types any more.
    over: bool,
    /// How the last turn ended.
    failed: bool,
}

impl Plain {
    fn event(&mut self, event: &Event, lines: Option<&mut mpsc::UnboundedReceiver<String>>) {
        match &event.kind {
            EventKind::TurnStarted => self.busy = true,
            EventKind::Todos(todos) => self.known.todos.clone_from(todos),
            EventKind::ModelChanged { model } => self.known.model.clone_from(model),
            EventKind::Delta(Delta::Text(text)) => {
                self.streamed = true;
                out::show(text);
            }
            EventKind::Assistant { .. } if self.streamed => {
                self.streamed = false;
                out::say("");
            }
            EventKind::Ask(ask) => {
                // Lines typed before the question was there never answer it (UI-5).
                if let Some(lines) = lines {
                    while let Some(line) = self.asks.is_empty().then(|| lines.try_recv().ok()).flatten() {
                        self.line(line.trim());
                    }
                }
                if let AskKind::Plan { draft: Some(draft), .. } = &ask.kind {
                    self.review = Review::again(draft);
                }
                self.asks.push(ask.clone());
                out::sign(sign(self.notifications));
                if self.asks.len() == 1 {
                    self.show_ask();
                }
            }
            EventKind::AskClosed { ask_id, .. } => {
                self.asks.retain(|ask| ask.ask_id != *ask_id);
                self.review = Review::default();
                self.answering.clear();
                if !self.asks.is_empty() {
                    self.show_ask();
                }
            }
            EventKind::CurrentPlan { path, plan, hint } => {
                out::say(&format!("{CURRENT_PLAN}\n{path}\n\n{plan}"));
                hint.iter().for_each(|hint| out::say(&format!("\n{hint}")));
                self.prompt();
            }
            EventKind::OpenPlan { path } => {
                out::say(&open_editor(std::path::Path::new(path)));
                self.prompt();
            }
            EventKind::TurnEnded(ended) => {
                self.busy = false;
                self.failed = !matches!(ended.reason, EndReason::Completed);
                match &ended.reason {
                    EndReason::Completed => {}
                    EndReason::Interrupted { .. } => out::say("(interrupted)"),
                    EndReason::MaxTurns(n) => out::say(&format!("(stopped after {n} requests)")),
                    EndReason::MaxBudget => out::say("(stopped: the budget is used up)"),
                    EndReason::Failed { message, .. } => out::say(&format!("error: {message}")),
                }
                self.prompt();
            }
            EventKind::Notice { .. } if !self.busy && self.asks.is_empty() => {
                log(event);
                self.prompt();
            }
            _ => log(event),
        }
    }

    /// Standard input is over: the turn goes on and is told to its end, but nobody is there to answer any more (AG-4). The
    /// code tells how the last turn ended (CL-3).
    async fn leave(&mut self, events: &mut cutonce_agent::Events, interrupts: &mut Signal) -> u8 {
        self.over = true;
        if !self.asks.is_empty() {
            self.session.submit(Submission::Interrupt);
        }
        self.session.submit(Submission::Close);
        loop {
            tokio::select! {
                event = events.next() => match event {
                    Some(event) if matches!(event.kind, EventKind::Ask(_)) => self.session.submit(Submission::Interrupt),
                    Some(event) => self.event(&event, None),
                    None => return if self.failed { FAILED } else { DONE },
                },
                _ = interrupts.recv() => self.session.submit(Submission::Interrupt),
            }
        }
    }

    fn prompt(&self) {
        if !self.over {
            out::show("\n> ");
        }
    }

    fn line(&mut self, line: &str) {
        // The mode can be changed at any time (PM-17), also with a question open.
        if let Some(command) = command::parse(line) {
            return self.session.submit(Submission::Command { command, editor: editor_name() });
        }
        match self.asks.first().cloned() {
            Some(ask) => self.answer(&ask, line),
            None if line.is_empty() => self.prompt(),
            None => match plain_commands::run(line, &self.session, &mut self.known) {
                // What was submitted tells of itself.
                Some(words) if words.is_empty() && !line.starts_with('!') => {}
                Some(words) if words.is_empty() => self.prompt(),
                Some(words) => {
                    out::say(&words);
                    self.prompt();
                }
                None => self.session.say(line),
            },
        }
    }

    fn show_ask(&self) {
        let Some(ask) = self.asks.first() else { return };
        match &ask.kind {
            AskKind::Permission { why, suggestions, preview, .. } => {
                let of = ask.asker().map(|who| format!(" (of {})", one_line(&who))).unwrap_or_default();
                out::say(&format!("\n? {}{of} wants to run: {}", one_line(&ask.tool), one_line(&why.reason)));
                out::say(&out::margined(preview.as_deref().unwrap_or(&ask.input.to_string())));
                out::say("  1 yes");
                if let Some(suggestion) = suggestions.first() {
                    out::say(&format!("  2 yes, and don't ask again for {}", one_line(&suggestion.rules.join(", "))));
                }
                out::show("  3 no (words after it go to the agent)\nanswer: ");
            }
            AskKind::EnterPlan => {
                out::show(
                    "\n? The agent wants to plan before it changes anything.\n  1 yes, plan first\n  3 no, go on without a plan\nanswer: ",
                );
            }
            AskKind::Plan { request, previous, .. } => {
                out::show(&plain_plan::show(request, previous.as_deref(), &self.review));
            }
            AskKind::Questions(questions) => {
                let Some(question) = questions.get(self.answering.len()) else { return };
                out::say(&format!("\n? {}", one_line(&question.question)));
                for (n, option) in question.options.iter().enumerate() {
                    let (label, words) = (one_line(&option.label), one_line(&option.description));
                    out::say(&format!("  {} {label}: {words}", n + 1));
                }
                let several = if question.multi_select { "numbers, " } else { "" };
                out::show(&format!("  0 skip\nanswer ({several}a number, or your own words): "));
            }
        }
    }

    fn answer(&mut self, ask: &AskView, line: &str) {
        match &ask.kind {
            AskKind::EnterPlan => {
                let answer = match line {
                    "1" | "y" | "yes" => PermissionAnswer::Allow { remember: vec![] },
                    "3" | "n" | "no" => PermissionAnswer::Deny { message: String::new(), interrupt: false },
                    _ => return self.show_ask(),
                };
                self.send(ask, Answer::Permission(answer));
            }
            AskKind::Plan { request, previous, .. } => match self.review.step(request, previous.as_deref(), line) {
                Step::Answer(answer) => self.send(ask, Answer::Plan(answer)),
                Step::Say(words) => out::show(&format!("{words}\nanswer: ")),
                Step::Edit(text) => {
                    match edit(&text) {
                        Ok(text) => self.review.edit(request, text),
                        Err(why) => out::say(&why),
                    }
                    self.show_ask();
                }
            },
            AskKind::Permission { suggestions, .. } => {
                let (choice, words) = line.split_once(' ').unwrap_or((line, ""));
                let answer = match choice {
                    "1" | "y" | "yes" => PermissionAnswer::Allow { remember: vec![] },
                    "2" if !suggestions.is_empty() => {
                        let rules = &suggestions[0].rules;
                        let keep = |rule: &String| Remember { rule: rule.clone(), where_to: RememberIn::Local };
                        PermissionAnswer::Allow { remember: rules.iter().map(keep).collect() }
                    }
                    "3" | "n" | "no" => PermissionAnswer::Deny { message: words.trim().into(), interrupt: false },
                    _ => return self.show_ask(),
                };
                self.send(ask, Answer::Permission(answer));
            }
            AskKind::Questions(questions) => {
                let Some(question) = questions.get(self.answering.len()) else { return };
                if line == "0" {
                    return self.send(ask, Answer::Questions(QuestionsAnswer::Skipped));
                }
                let Some(chosen) = chosen(question, line) else { return self.show_ask() };
                self.answering.push(chosen);
                if self.answering.len() < questions.len() {
                    return self.show_ask();
                }
                let answers = std::mem::take(&mut self.answering);
                self.send(ask, Answer::Questions(QuestionsAnswer::Answered { answers }));
            }
        }
    }

    fn send(&self, ask: &AskView, answer: Answer) {
        self.session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer });
    }
}

/// One sign when a plan or a question waits (PM-88).
fn sign(notifications: Notifications) -> &'static str {
    match notifications {
        Notifications::Bell => "\x07",
        Notifications::Osc9 => "\x1b]9;cutonce waits for you\x07",
        Notifications::Off => "",
    }
}

/// Numbers choose options; anything else is the person's own words.
fn chosen(question: &cutonce_core::event::Question, line: &str) -> Option<Vec<String>> {
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

fn lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pm_88_one_sign_by_setting() {
        assert_eq!(sign(Notifications::Bell), "\x07");
        assert!(sign(Notifications::Osc9).contains("waits for you"));
        assert_eq!(sign(Notifications::Off), "");
    }
}
