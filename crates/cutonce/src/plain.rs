//! The plain face: lines in, lines out, numbered choices, no cursor movement. For screen readers, dumb terminals, and as the
//! log of `--verbose`.

mod commands;
mod lines;
mod message;
pub mod out;
mod pick;
mod questions;
pub mod tell;

use crate::cli::{Run, split_rules};
use crate::editor::{edit, open_editor};
use crate::headless::{DONE, FAILED, First, INTERRUPTED};
use crate::plain_plan::{self, Review, Step};
use crate::start::{self, Face, Place, Started};
use cutonce_agent::start::{Opened, Which};
use cutonce_agent::{Approver, Events, Session};
use cutonce_core::command::CURRENT_PLAN;
use cutonce_core::event::{AskKind, AskView, Delta, EndReason, Event, EventKind, Level};
use cutonce_core::harmless::{harmless, one_line};
use cutonce_core::settings::Notifications;
use cutonce_core::submission::{Answer, By, PermissionAnswer, Remember, RememberIn, Submission};
use lines::{Gate, Lines};
use pick::{Picked, Picking, SessionList};
use questions::Asked;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tell::{About, Flags};
use tokio::signal::unix::{Signal, SignalKind, signal};

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

/// As it was typed; `--resume` without an id picks first (UI-15).
pub async fn begin(mut run: Run) -> anyhow::Result<u8> {
    let mut lines = Lines::start();
    if let Some(words) = start::to_pick(&run)? {
        let Some((id, fork)) = pick_first(&mut lines, &words).await? else { return Ok(DONE) };
        (run.resume, run.fork_session) = (Some(id), run.fork_session || fork);
    }
    if start::begins_anew(&run)? {
        run.r#continue = false;
        out::log(&format!("cutonce: {}", start::NOTHING_HERE));
    }
    let first = run.prompt.clone().map(First::Say);
    let started = start::open(&run, Face { approver: Approver::Present }).await?;
    sit(started, first, run, lines).await
}

/// Sit in front of a session until the person ends it.
pub async fn run(started: Started, first: Option<First>, run: Run) -> anyhow::Result<u8> {
    sit(started, first, run, Lines::start()).await
}

async fn pick_first(lines: &mut Lines, words: &str) -> anyhow::Result<Option<(String, bool)>> {
    let mut picking = Picking::Session(SessionList::new(&start::home()?, &start::cwd()?, None, words));
    out::show(&picking.show());
    while let Some(line) = lines.next().await {
        match picking.step(line.text.trim()) {
            Picked::Say(text) => out::show(&text),
            Picked::Open { id, fork } => return Ok(Some((id, fork))),
            Picked::Back | Picked::Rewind { .. } => return Ok(None),
        }
    }
    Ok(None)
}

async fn sit(started: Started, first: Option<First>, run: Run, mut lines: Lines) -> anyhow::Result<u8> {
    let Started { session, mut events, notifications, about, .. } = started;
    let place = Place { home: about.home.clone(), cwd: about.cwd.clone() };
    let flags = Flags {
        settings: run.settings.clone(),
        managed: run.host.managed_settings.clone(),
        allow: split_rules(&run.allowed_tools),
        deny: split_rules(&run.disallowed_tools),
    };
    let open = crate::tui::opener(run, place, false);
    let mut interrupts = signal(SignalKind::interrupt())?;
    // The terminal must not be left marking what is pasted (UI-13).
    let (mut ends, mut hangs_up) = (signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
    let mut plain = Plain::new(session, about, flags, notifications, lines.gate());
    match first {
        Some(First::Say(words)) => plain.session.say(words),
        Some(First::Piped { prompt, piped }) => plain.session.say(format!("{prompt}\n\n{piped}")),
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
            line = lines.next() => match line {
                Some(line) => plain.typed(&line),
                None => return Ok(plain.leave(&mut events, &mut interrupts).await),
            },
            _ = interrupts.recv() => if plain.interrupted() { return Ok(INTERRUPTED) },
            _ = ends.recv() => return Ok(TERMINATED),
            _ = hangs_up.recv() => return Ok(HUNG_UP),
        }
        if let Some((which, fork)) = plain.switch.take() {
            match open(cutonce_tui::Job { which, fork, model: None }).await {
                Ok(opened) => {
                    plain.session.submit(Submission::Close);
                    while events.next().await.is_some() {}
                    events = plain.turn_to(opened);
                }
                Err(why) => plain.tell(&why),
            }
        }
    }
}

/// As a shell tells of whoever died of the signal.
const TERMINATED: u8 = 143;
const HUNG_UP: u8 = 129;

struct Plain {
    session: Session,
    about: About,
    flags: Flags,
    gate: Gate,
    asks: Vec<Arc<AskView>>,
    /// Since when the one that is open is on the screen.
    asked_at: Instant,
    /// The ask that was answered last; it may not be closed yet.
    answered: Option<String>,
    busy: bool,
    /// A summary is being written between turns.
    compacting: bool,
    /// A message, or an answer, that goes on with the next line.
    begun: Option<message::Begun>,
    /// What was answered so far of the open questions.
    asked: Asked,
    streamed: bool,
    /// What was put together for an open plan.
    review: Review,
    notifications: Notifications,
    /// A numbered list is open.
    picking: Option<Picking>,
    /// Another session was picked.
    switch: Option<(Which, bool)>,
    /// Nobody types any more.
    over: bool,
    /// How the last turn ended.
    failed: bool,
}

impl Plain {
    fn new(session: Session, about: About, flags: Flags, notifications: Notifications, gate: Gate) -> Plain {
        Plain {
            session,
            about,
            flags,
            gate,
            asks: Vec::new(),
            asked_at: Instant::now(),
            answered: None,
            busy: false,
            compacting: false,
            begun: None,
            asked: Asked::default(),
            streamed: false,
            review: Review::default(),
            notifications,
            picking: None,
            switch: None,
            over: false,
            failed: false,
        }
    }

    /// Go on with another session.
    fn turn_to(&mut self, opened: Opened) -> Events {
        opened.notices.iter().for_each(|notice| out::log(&format!("cutonce: {notice}")));
        self.about = About::new(&opened, &self.about.home, &self.about.cwd);
        (self.session, self.notifications) = (opened.session, opened.notifications);
        (self.asks, self.asked, self.review) = (Vec::new(), Asked::default(), Review::default());
        (self.busy, self.streamed, self.failed) = (false, false, false);
        (self.compacting, self.begun) = (false, None);
        out::say(&format!("This is session {} now.", self.session.id()));
        self.prompt();
        opened.events
    }

    fn event(&mut self, event: &Event, lines: Option<&mut Lines>) {
        self.about.note(event);
        match &event.kind {
            EventKind::TurnStarted => (self.busy, self.compacting) = (true, false),
            EventKind::Delta(Delta::Text(text)) => {
                self.streamed = true;
                out::show(text);
            }
            EventKind::Assistant { .. } if self.streamed => {
                self.streamed = false;
                out::say("");
            }
            EventKind::Ask(ask) => self.ask(ask, lines),
            EventKind::AskClosed { ask_id, .. } => self.ask_closed(ask_id),
            EventKind::CurrentPlan { path, plan, hint } => {
                out::say(&format!("{CURRENT_PLAN}\n{path}\n\n{plan}"));
                hint.iter().for_each(|hint| out::say(&format!("\n{hint}")));
                self.again();
            }
            EventKind::OpenPlan { path } => {
                let told = self.gate.lend(|| open_editor(Path::new(path)));
                self.tell(&told);
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
            EventKind::Cleared => {
                out::say("(the context was cleared)");
                self.idle();
            }
            EventKind::Notice { text, .. } => {
                // That it failed, was interrupted or had nothing to do; others may come meanwhile.
                self.compacting &= !text.contains("compact");
                log(event);
                self.idle();
            }
            EventKind::Compacted { .. } => {
                self.compacting = false;
                log(event);
                self.idle();
            }
            _ => log(event),
        }
    }

    fn ask(&mut self, ask: &Arc<AskView>, lines: Option<&mut Lines>) {
        // Lines typed before the question was there never answer it (UI-5).
        if let Some(lines) = lines {
            while let Some(line) = self.asks.is_empty().then(|| lines.typed()).flatten() {
                self.typed(&line);
            }
        }
        if let AskKind::Plan { draft: Some(draft), .. } = &ask.kind {
            self.review = Review::again(draft);
        }
        self.asks.push(ask.clone());
        out::sign(sign(self.notifications));
        if self.asks.len() == 1 {
            self.asked_at = Instant::now();
            self.show_ask();
        }
    }

    fn ask_closed(&mut self, ask_id: &str) {
        let open = self.asks.first().is_some_and(|ask| ask.ask_id == ask_id);
        self.asks.retain(|ask| ask.ask_id != ask_id);
        if open {
            (self.review, self.asked) = (Review::default(), Asked::default());
            if !self.asks.is_empty() {
                self.asked_at = Instant::now();
                self.show_ask();
            }
        }
    }

    /// Standard input is over: the turn goes on and is told to its end, but nobody is there to answer any more (AG-4). The
    /// code tells how the last turn ended (CL-3).
    async fn leave(&mut self, events: &mut cutonce_agent::Events, interrupts: &mut Signal) -> u8 {
        self.over = true;
        // What was answered a moment ago closes by itself.
        if self.asks.iter().any(|ask| self.answered.as_ref() != Some(&ask.ask_id)) {
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

    /// Ctrl+C: stops what goes on, forgets what was begun; true: there was neither, and it means to quit.
    fn interrupted(&mut self) -> bool {
        if self.busy || self.compacting {
            self.session.submit(Submission::Interrupt);
            return false;
        }
        !self.forget_begun()
    }

    /// The prompt, if nothing goes on that will end in one.
    fn idle(&self) {
        if self.is_idle() {
            self.prompt();
        }
    }

    fn is_idle(&self) -> bool {
        !self.busy && !self.compacting && self.asks.is_empty() && self.picking.is_none()
    }

    /// What was open before something was told.
    fn again(&self) {
        match (&self.picking, self.asks.is_empty()) {
            (_, false) => self.show_ask(),
            (Some(picking), true) => out::show(&picking.show()),
            (None, true) => self.idle(),
        }
    }

    fn line(&mut self, line: &str) {
        if self.asks.is_empty()
            && let Some(picking) = self.picking.take()
        {
            return self.picked(picking, line);
        }
        if self.command(line) {
            return;
        }
        match self.asks.first().cloned() {
            Some(ask) => self.answer(&ask, line),
            None if line.is_empty() => self.idle(),
            None => match line.strip_prefix('!') {
                Some(shell) => self.shell(shell.trim()),
                None => self.say(line),
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
            AskKind::Questions(questions) => out::show(&self.asked.show(questions)),
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
                    match self.gate.lend(|| edit(&text)) {
                        Ok(text) => self.review.edit(request, text),
                        Err(why) => out::say(&why),
                    }
                    self.show_ask();
                }
            },
            AskKind::Permission { suggestions, .. } => {
                let (choice, words) = line.split_once(' ').unwrap_or((line, ""));
                let answer = match choice {
                    // «yes, but …» is no yes (PM-80).
                    "1" | "2" | "y" | "yes" if !words.trim().is_empty() => {
                        return out::show(
                            "A yes takes no words; nothing was answered. `3 WORDS` says no with them.\nanswer: ",
                        );
                    }
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
            AskKind::Questions(questions) => match self.asked.step(questions, line) {
                questions::Step::Show => self.show_ask(),
                questions::Step::Send(answer) => self.send(ask, Answer::Questions(answer)),
            },
        }
    }

    fn send(&mut self, ask: &AskView, answer: Answer) {
        self.answered = Some(ask.ask_id.clone());
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
