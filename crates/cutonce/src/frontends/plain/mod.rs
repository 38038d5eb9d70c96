//! The plain front end: lines in, lines out, numbered choices, no cursor movement. For screen readers and
//! dumb terminals; it also formats the log of `--verbose`.

pub mod agents;
mod commands;
mod editor;
mod input_lines;
mod message;
pub mod output;
mod pick_list;
pub mod plan_review;
mod plans;
mod questions;
pub mod reports;
mod review_rehearsals;
mod review_terms;

use crate::cli::args::{RunFlags, split_rules};
use crate::commands::setup;
use crate::frontends::end_guard;
use crate::frontends::print::FirstInput;
use crate::output::first_page;
use crate::start::{self, FrontendOptions, SessionDirs, StartedSession};
use cutonce_agent::builder::{OpenedSession, SessionSelector, StartError};
use cutonce_agent::{Approver, EventStream, Session};
use cutonce_core::exit_code::{FAILED, HUNG_UP, INTERRUPTED, SUCCESS, TERMINATED};
use cutonce_core::model_selection::model_after_choice;
use cutonce_core::plan::PlanEvent;
use cutonce_core::plan::command::CURRENT_PLAN;
use cutonce_core::plan::rehearsal::{RehearsalEvent, RehearsalNews};
use cutonce_core::protocol::event::{
    AnswerDelta, AskKind, AskView, EndReason, Event, EventKind, FinishedCall, NoticeLevel,
};
use cutonce_core::protocol::rule_scopes::rule_scopes;
use cutonce_core::protocol::submission::{AskAnswer, ChangedBy, PermissionAnswer, RuleDestination, Submission};
use cutonce_core::settings::NotificationMethod;
use cutonce_core::text::number::count_noun;
use cutonce_core::text::sanitize::{one_line, sanitize};
use input_lines::{InputLines, TerminalGate};
use pick_list::{PickList, PickResult, SessionList};
use plan_review::{PlainReview, ReviewStep, edit_plan_copy, open_editor};
use questions::QuestionAnswers;
use reports::{RuleFlags, SessionReport};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Logs an event to stderr as one line.
pub fn log_event(event: &Event) {
    if let Some(line) = event_line(event) {
        output::print_stderr(&line);
    }
}

/// One line about an event; `None` if it is not worth one.
pub fn event_line(event: &Event) -> Option<String> {
    Some(match &event.kind {
        EventKind::ToolStarted { name, summary, .. } => {
            format!("● {} {}", one_line(tool_label(name)), first_line(summary)).trim_end().to_string()
        }
        EventKind::ToolFinished(finished) if finished.is_error => failed_call_line(finished)?,
        EventKind::Retry { attempt, max, delay_ms, reason, .. } => {
            format!("↻ {reason}; retrying in {:.1} s ({attempt} of {max})", *delay_ms as f64 / 1000.0)
        }
        EventKind::Waiting { host, seconds } => format!("… waiting for {}, {seconds} s", one_line(host)),
        EventKind::ModeChanged { by: ChangedBy::Start, .. } => return None,
        EventKind::ModeChanged { to, .. } => format!("mode: {to}"),
        EventKind::Plan(PlanEvent::Step(step)) => format!("step {}: {}", one_line(&step.step), step.state.name()),
        EventKind::Plan(PlanEvent::Report(report)) => report.text().trim_end().to_string(),
        EventKind::Plan(PlanEvent::Rehearsal(event)) => review_rehearsals::event_text(event),
        EventKind::Agent(agent) => return agents::event_line(agent),
        EventKind::Queued { text } => format!("queued: {}", first_line(text)),
        EventKind::Compacted { before, after, .. } => format!("compacted: {before} → {after} tokens"),
        EventKind::Notice { level, text } => match level {
            NoticeLevel::Info => text.clone(),
            NoticeLevel::Warning => format!("warning: {text}"),
            NoticeLevel::Error => format!("error: {text}"),
        },
        _ => return None,
    })
}

/// One line about a failed call; `None` if the user decided it or knows it already.
fn failed_call_line(finished: &FinishedCall) -> Option<String> {
    let text = finished.content.iter().find_map(|part| match part {
        cutonce_core::conversation::ResultPart::Text { text } => Some(first_line(text)),
        cutonce_core::conversation::ResultPart::Image(_) => None,
    });
    let (name, text) = (finished.name.as_str(), text.unwrap_or_default());
    let changes_mode = matches!(name, "EnterPlanMode" | "ExitPlanMode");
    if changes_mode && (text.starts_with("The user ") || text.contains("the user knows why")) {
        return None;
    }
    let text = text.strip_prefix(name).map_or(text, |rest| rest.strip_prefix(": ").unwrap_or(text));
    // Colours in a program's output mean nothing here.
    Some(format!("✗ {} {}", one_line(tool_label(name)), sanitize(text)))
}

/// Names a tool in the user's words, where its own name says nothing to them.
fn tool_label(name: &str) -> &str {
    match name {
        "EnterPlanMode" => "Enter plan mode:",
        "ExitPlanMode" => "Submit the plan:",
        "AskUserQuestion" => "Question:",
        "TodoWrite" => "Todo list:",
        "BashOutput" => "Output of",
        "KillShell" => "Stop",
        "TeamCreate" => "Create the team",
        "TeamDelete" => "End the team",
        "SendMessage" => "Message",
        other => other,
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Starts from the flags; `--resume` without an id shows the session list first (UI-15).
pub async fn start_plain(mut run: RunFlags) -> anyhow::Result<u8> {
    let mut lines = InputLines::start();
    if let Some(words) = start::session_to_pick(&run)? {
        let Some((id, fork)) = pick_session(&mut lines, &words).await? else { return Ok(SUCCESS) };
        (run.session.resume, run.session.fork_session) = (Some(id), run.session.fork_session || fork);
    }
    if start::nothing_to_continue(&run)? {
        run.session.r#continue = false;
        output::print_stderr(&format!("cutonce: {}", start::NOTHING_TO_CONTINUE));
    }
    let first = run.prompt.clone().map(FirstInput::Message);
    let started = open_with_setup(&mut run, &lines).await?;
    run_conversation(started, first, run, lines).await
}

/// Opens the session. If no provider has a key, the user first chooses a model on the terminal (ON-3).
async fn open_with_setup(run: &mut RunFlags, lines: &InputLines) -> anyhow::Result<StartedSession> {
    let options = || FrontendOptions { approver: Approver::Present };
    let error = match start::open_session(run, options()).await {
        Ok(started) => return Ok(started),
        Err(error) => error,
    };
    let missing = error.downcast_ref::<StartError>().is_some_and(StartError::is_missing_key);
    if !missing || !crate::frontends::is_terminal() {
        return Err(error);
    }
    let home = start::home_dir()?;
    let Some(model) = lines.gate().lend_terminal(|| setup::choose_model(&home)) else { return Err(error) };
    run.model = Some(model);
    start::open_session(run, options()).await
}

/// Runs a conversation until the user ends it.
pub async fn run_plain(started: StartedSession, first: Option<FirstInput>, run: RunFlags) -> anyhow::Result<u8> {
    run_conversation(started, first, run, InputLines::start()).await
}

async fn pick_session(lines: &mut InputLines, words: &str) -> anyhow::Result<Option<(String, bool)>> {
    let mut picking = PickList::Session(SessionList::new(&start::home_dir()?, &start::current_dir()?, None, words));
    output::print_text(&picking.render());
    while let Some(line) = lines.next().await {
        match picking.step(line.text.trim()) {
            PickResult::Print(text) => output::print_text(&text),
            PickResult::Open { id, fork } => return Ok(Some((id, fork))),
            PickResult::Cancel | PickResult::Rewind { .. } => return Ok(None),
        }
    }
    Ok(None)
}

async fn run_conversation(
    started: StartedSession,
    first: Option<FirstInput>,
    run: RunFlags,
    mut lines: InputLines,
) -> anyhow::Result<u8> {
    let StartedSession { session, mut events, notifications, report: about, .. } = started;
    let place = SessionDirs { home: about.home.clone(), cwd: about.cwd.clone() };
    let flags = RuleFlags {
        settings: run.settings.clone(),
        managed: run.host.managed_settings.clone(),
        allow: split_rules(&run.permissions.allowed_tools),
        deny: split_rules(&run.permissions.disallowed_tools),
    };
    let open = crate::frontends::terminal::session_opener(run, place, false);
    let mut signals = PlainSignals::new()?;
    let mut plain = PlainFrontend::new(session, about, flags, notifications, lines.gate());
    match first {
        Some(FirstInput::Message(words) | FirstInput::FromStdin(words)) => plain.send_first_message(&words),
        Some(FirstInput::Piped { prompt, piped }) => plain.session.say(format!("{prompt}\n\n{piped}")),
        Some(FirstInput::Implement(chosen)) => plain.session.submit(Submission::Implement(chosen)),
        None => plain.show_prompt(),
    }
    loop {
        tokio::select! {
            biased;
            // Before events: they may come without end.
            signal = signals.next() => match signal {
                PlainSignal::End(code) => return Ok(code),
                PlainSignal::Interrupt => if plain.handle_interrupt() { return Ok(INTERRUPTED) },
            },
            event = events.next() => match event {
                Some(event) => plain.handle_event(&event, Some(&mut lines)),
                None => return Ok(SUCCESS),
            },
            line = lines.next() => match line {
                Some(line) => plain.handle_input(&line),
                None => return Ok(plain.finish_without_input(&mut events, &mut signals).await),
            },
        }
        let change = async {
            if let Some(model) = plain.model_to.take() {
                plain.set_model(&model).await;
            }
            if let Some((which, fork)) = plain.switch_to.take() {
                match open(cutonce_tui::OpenSessionRequest { selector: which, fork, model: None }).await {
                    Ok(opened) => {
                        plain.session.submit(Submission::Close);
                        while events.next().await.is_some() {}
                        events = plain.switch_session(opened);
                    }
                    Err(why) => plain.print_notice(&why.to_string()),
                }
            }
        };
        tokio::select! {
            biased;
            code = signals.ended() => return Ok(code),
            () = change => {}
        }
    }
}

/// What a signal asks for.
enum PlainSignal {
    /// The program ends with this exit code.
    End(u8),
    Interrupt,
}

/// The signals of a session on plain lines. Every wait ends with them (DU-1). From `new` on they do not kill the
/// process, because bracketed paste must be switched off when it exits (UI-13).
struct PlainSignals {
    interrupts: Signal,
    ends: Signal,
    hangs_up: Signal,
}

impl PlainSignals {
    fn new() -> std::io::Result<PlainSignals> {
        let (interrupts, ends) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let hangs_up = signal(SignalKind::hangup())?;
        end_guard::watch(&[(libc::SIGTERM, TERMINATED), (libc::SIGHUP, HUNG_UP)])?;
        Ok(PlainSignals { interrupts, ends, hangs_up })
    }

    async fn next(&mut self) -> PlainSignal {
        tokio::select! {
            biased;
            _ = self.ends.recv() => PlainSignal::End(TERMINATED),
            _ = self.hangs_up.recv() => PlainSignal::End(HUNG_UP),
            _ = self.interrupts.recv() => PlainSignal::Interrupt,
        }
    }

    /// Waits for a signal that ends the program, and returns the exit code.
    async fn ended(&mut self) -> u8 {
        tokio::select! {
            biased;
            _ = self.ends.recv() => TERMINATED,
            _ = self.hangs_up.recv() => HUNG_UP,
        }
    }
}

/// Exit codes as a shell reports them for a process that a signal ended.
struct PlainFrontend {
    session: Session,
    report: SessionReport,
    flags: RuleFlags,
    gate: TerminalGate,
    asks: Vec<Arc<AskView>>,
    /// When the open question was shown.
    asked_at: Instant,
    /// The question that was answered last; it may not be closed yet.
    answered: Option<String>,
    busy: bool,
    /// A summary is being written between turns.
    compacting: bool,
    /// A message or answer that continues on the next line.
    unfinished: Option<message::UnfinishedInput>,
    /// Answers so far to the open questions.
    questions: QuestionAnswers,
    streamed: bool,
    /// Comments, notes and edits for an open plan.
    review: PlainReview,
    notifications: NotificationMethod,
    /// The numbered list that is open.
    picking: Option<PickList>,
    /// The session that the user picked to switch to.
    switch_to: Option<(SessionSelector, bool)>,
    /// The model that the user named, before it was checked.
    model_to: Option<String>,
    /// Standard input is closed.
    input_closed: bool,
    /// True if the last turn failed.
    failed: bool,
}

impl PlainFrontend {
    fn new(
        session: Session,
        about: SessionReport,
        flags: RuleFlags,
        notifications: NotificationMethod,
        gate: TerminalGate,
    ) -> PlainFrontend {
        PlainFrontend {
            session,
            report: about,
            flags,
            gate,
            asks: Vec::new(),
            asked_at: Instant::now(),
            answered: None,
            busy: false,
            compacting: false,
            unfinished: None,
            questions: QuestionAnswers::default(),
            streamed: false,
            review: PlainReview::default(),
            notifications,
            picking: None,
            switch_to: None,
            model_to: None,
            input_closed: false,
            failed: false,
        }
    }

    /// Switches to a model that can be connected, or says why not.
    async fn set_model(&mut self, name: &str) {
        if let Err(why) = self.session.can_use(name).await {
            return self.print_notice(&format!("{why} Still using {}.", self.report.view.model));
        }
        self.session.submit(Submission::SetModel { model: name.into() });
        self.report.view.model =
            model_after_choice(&self.report.settings, name, self.report.view.mode, self.report.view.context);
        self.print_notice(&format!("Model: {}, from your next message.", one_line(&self.report.view.model)));
    }

    /// Switches to another session.
    fn switch_session(&mut self, opened: OpenedSession) -> EventStream {
        opened.notices.iter().for_each(|notice| output::print_stderr(&format!("cutonce: {notice}")));
        self.report = SessionReport::new(&opened, &self.report.home, &self.report.cwd);
        (self.session, self.notifications) = (opened.session, opened.notifications);
        (self.asks, self.questions, self.review) = (Vec::new(), QuestionAnswers::default(), PlainReview::default());
        (self.busy, self.streamed, self.failed) = (false, false, false);
        (self.compacting, self.unfinished) = (false, None);
        output::print_lines(&format!("Switched to session {}.", self.session.id()));
        self.show_prompt();
        opened.events
    }

    /// News of a rehearsal while its plan is reviewed.
    fn rehearsal_news(&mut self, news: &RehearsalEvent) {
        self.review.rehearsals.note(news);
        // A notice says it.
        if matches!(news.news, RehearsalNews::NotApplied { .. }) {
            return;
        }
        output::print_lines(&format!("\n{}", review_rehearsals::event_text(news)));
        if matches!(news.news, RehearsalNews::Finished { .. }) {
            self.review.rehearsals.table().iter().for_each(|table| output::print_lines(table));
            output::print_text("answer: ");
        }
    }

    fn handle_event(&mut self, event: &Event, lines: Option<&mut InputLines>) {
        self.report.view.apply_event(event);
        match &event.kind {
            EventKind::TurnStarted => (self.busy, self.compacting) = (true, false),
            EventKind::Delta(AnswerDelta::Text(text)) => {
                self.streamed = true;
                output::print_text(text);
            }
            EventKind::Assistant { blocks, .. } => {
                self.report.note_answer(blocks);
                if std::mem::take(&mut self.streamed) {
                    output::print_lines("");
                }
            }
            EventKind::Ask(ask) => self.open_ask(ask, lines),
            EventKind::AskClosed { ask_id, .. } => self.ask_closed(ask_id),
            EventKind::Plan(PlanEvent::Rehearsal(news)) => self.rehearsal_news(news),
            EventKind::CurrentPlan { path, plan, hint } => {
                let (shown, left_out) = first_page(plan);
                output::print_lines(&format!("{CURRENT_PLAN}\n{path}\n\n{shown}"));
                if left_out > 0 {
                    output::print_lines(&format!("\n… {left_out} more lines are in {path}"));
                }
                hint.iter().for_each(|hint| output::print_lines(&format!("\n{hint}")));
                self.show_again();
            }
            EventKind::Aside { heading, text } => self.print_notice(&format!("\n{}\n{text}\n", one_line(heading))),
            EventKind::OpenPlan { path } => {
                let told = self.gate.lend_terminal(|| open_editor(Path::new(path)));
                self.print_notice(&told);
            }
            EventKind::TurnEnded(ended) => {
                self.busy = false;
                self.failed = !matches!(ended.reason, EndReason::Completed);
                match &ended.reason {
                    EndReason::Completed => {}
                    EndReason::Interrupted { .. } => output::print_lines("(interrupted)"),
                    EndReason::MaxTurns(n) => {
                        let requests = count_noun(*n as usize, "request");
                        output::print_lines(&format!("(stopped after {requests})"))
                    }
                    EndReason::MaxBudget => output::print_lines("(stopped: the budget is used up)"),
                    EndReason::Failed { message, .. } => output::print_lines(&format!("error: {message}")),
                }
                self.show_prompt();
            }
            EventKind::Cleared => {
                output::print_lines("(the context was cleared)");
                self.prompt_if_idle();
            }
            EventKind::Notice { text, .. } => {
                // Compaction failed, was interrupted or had nothing to do. Other notices may come meanwhile.
                self.compacting &= !text.contains("compact");
                log_event(event);
                self.prompt_if_idle();
            }
            EventKind::Compacted { .. } => {
                self.compacting = false;
                log_event(event);
                self.prompt_if_idle();
            }
            _ => log_event(event),
        }
    }

    fn open_ask(&mut self, ask: &Arc<AskView>, lines: Option<&mut InputLines>) {
        // Lines typed before the question appeared never answer it (UI-5).
        if let Some(lines) = lines {
            while let Some(line) = self.asks.is_empty().then(|| lines.try_next()).flatten() {
                self.handle_input(&line);
            }
        }
        if let AskKind::Plan { draft: Some(draft), .. } = &ask.kind {
            self.review = PlainReview::from_draft(draft);
        }
        self.asks.push(ask.clone());
        output::print_notification(notification_bytes(self.notifications));
        if self.asks.len() == 1 {
            self.asked_at = Instant::now();
            self.show_ask();
        }
    }

    fn ask_closed(&mut self, ask_id: &str) {
        let open = self.asks.first().is_some_and(|ask| ask.ask_id == ask_id);
        self.asks.retain(|ask| ask.ask_id != ask_id);
        if open {
            (self.review, self.questions) = (PlainReview::default(), QuestionAnswers::default());
            if !self.asks.is_empty() {
                self.asked_at = Instant::now();
                self.show_ask();
            }
        }
    }

    /// Handles the end of stdin: the turn runs to its end, but questions can no longer be answered (AG-4).
    /// The exit code reflects the last turn (CL-3).
    async fn finish_without_input(
        &mut self,
        events: &mut cutonce_agent::EventStream,
        signals: &mut PlainSignals,
    ) -> u8 {
        self.input_closed = true;
        // A question that was just answered closes by itself.
        if self.asks.iter().any(|ask| self.answered.as_ref() != Some(&ask.ask_id)) {
            self.session.submit(Submission::Interrupt);
        }
        self.session.submit(Submission::Close);
        loop {
            tokio::select! {
                biased;
                signal = signals.next() => match signal {
                    PlainSignal::End(code) => return code,
                    PlainSignal::Interrupt => self.session.submit(Submission::Interrupt),
                },
                event = events.next() => match event {
                    Some(event) if matches!(event.kind, EventKind::Ask(_)) => self.session.submit(Submission::Interrupt),
                    Some(event) => self.handle_event(&event, None),
                    None => return if self.failed { FAILED } else { SUCCESS },
                },
            }
        }
    }

    fn show_prompt(&self) {
        if !self.input_closed {
            output::print_text("\n> ");
        }
    }

    /// Ctrl+C: stops the running turn or discards an unfinished message. Returns true if there was neither,
    /// which means quit.
    fn handle_interrupt(&mut self) -> bool {
        if self.busy || self.compacting {
            self.session.submit(Submission::Interrupt);
            return false;
        }
        !self.discard_unfinished()
    }

    /// Prints the prompt, unless something is running that will end with one.
    fn prompt_if_idle(&self) {
        if self.is_idle() {
            self.show_prompt();
        }
    }

    fn is_idle(&self) -> bool {
        !self.busy && !self.compacting && self.asks.is_empty() && self.picking.is_none()
    }

    /// Shows the open question, list or prompt again after other output.
    fn show_again(&self) {
        match (&self.picking, self.asks.is_empty()) {
            (_, false) => self.show_ask(),
            (Some(picking), true) => output::print_text(&picking.render()),
            (None, true) => self.prompt_if_idle(),
        }
    }

    fn handle_line(&mut self, line: &str) {
        if self.asks.is_empty()
            && let Some(picking) = self.picking.take()
        {
            return self.pick_from_list(picking, line);
        }
        if self.run_command(line) {
            return;
        }
        match self.asks.first().cloned() {
            Some(ask) => self.answer_ask(&ask, line),
            None if line.is_empty() => self.prompt_if_idle(),
            None => match line.strip_prefix('!') {
                Some(shell) => self.run_shell(shell.trim()),
                None => self.send_message(line),
            },
        }
    }

    fn show_ask(&self) {
        let Some(ask) = self.asks.first() else { return };
        match &ask.kind {
            AskKind::Permission { why, suggestions, .. } => {
                let of = ask.describe_asker().map(|who| format!(" (of {})", one_line(&who))).unwrap_or_default();
                output::print_lines(&format!(
                    "\n? {}{of} wants to {}: {}",
                    one_line(&ask.tool),
                    ask.verb(),
                    one_line(&why.reason)
                ));
                output::print_lines(&output::with_margin(&ask.request_text()));
                output::print_lines("  1 yes");
                for (n, scope) in rule_scopes(suggestions).iter().enumerate() {
                    let (name, rules) = (scope_name(n), one_line(&scope.rules.join(", ")));
                    let place = match scope.destination {
                        RuleDestination::Local => format!(" ({})", scope.place()),
                        _ => String::new(),
                    };
                    output::print_lines(&format!("  {name} {}{place}", scope.label(&rules)));
                }
                output::print_text("  3 no (add text to tell the agent why)\nanswer: ");
            }
            AskKind::EnterPlan => {
                output::print_text(
                    "\n? The agent wants to plan before it changes anything.\n  1 yes, plan first\n  3 no, continue without a plan\nanswer: ",
                );
            }
            AskKind::Plan { request, previous, .. } => {
                output::print_text(&plan_review::render_review(request, previous.as_deref(), &self.review));
            }
            AskKind::Questions(questions) => output::print_text(&self.questions.render(questions)),
        }
    }

    fn answer_ask(&mut self, ask: &AskView, line: &str) {
        match &ask.kind {
            AskKind::EnterPlan => {
                let answer = match line {
                    "1" | "y" | "yes" => PermissionAnswer::Allow { remember: vec![] },
                    "3" | "n" | "no" => PermissionAnswer::Deny { message: String::new(), interrupt: false },
                    _ => return self.show_ask(),
                };
                self.send_answer(ask, AskAnswer::Permission(answer));
            }
            AskKind::Plan { request, previous, .. } => {
                match self.review.step(request, previous.as_deref(), line, &self.report.settings) {
                    ReviewStep::Answer(answer) => self.send_answer(ask, AskAnswer::Plan(answer)),
                    ReviewStep::Print(words) => output::print_text(&format!("{words}\nanswer: ")),
                    ReviewStep::Order(order) => self.session.submit(Submission::Rehearse { order, on_done: None }),
                    ReviewStep::Edit(text) => {
                        match self.gate.lend_terminal(|| edit_plan_copy(&text)) {
                            Ok(text) => self.review.set_edit(request, text),
                            Err(why) => output::print_lines(&why.to_string()),
                        }
                        self.show_ask();
                    }
                }
            }
            AskKind::Permission { suggestions, .. } => {
                let (choice, words) = line.split_once(' ').unwrap_or((line, ""));
                let answer = match choice {
                    // «yes, but …» is not a yes (PM-80).
                    "1" | "y" | "yes" | "2" | "2a" | "2b" | "2c" if !words.trim().is_empty() => {
                        return output::print_text(
                            "A yes takes no text; nothing was answered. `3 TEXT` says no and sends the text.\nanswer: ",
                        );
                    }
                    "1" | "y" | "yes" => PermissionAnswer::Allow { remember: vec![] },
                    "3" | "n" | "no" => PermissionAnswer::Deny { message: words.trim().into(), interrupt: false },
                    name => {
                        let scopes = rule_scopes(suggestions);
                        match scopes.iter().enumerate().find(|(n, _)| scope_name(*n) == name) {
                            Some((_, scope)) => PermissionAnswer::Allow { remember: scope.remembered() },
                            None => return self.show_ask(),
                        }
                    }
                };
                self.send_answer(ask, AskAnswer::Permission(answer));
            }
            AskKind::Questions(questions) => match self.questions.step(questions, line) {
                questions::QuestionStep::Show => self.show_ask(),
                questions::QuestionStep::Send(answer) => self.send_answer(ask, AskAnswer::Questions(answer)),
            },
        }
    }

    fn send_answer(&mut self, ask: &AskView, answer: AskAnswer) {
        self.answered = Some(ask.ask_id.clone());
        self.session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer });
    }
}

/// The answer that chooses a scope of «don't ask again» (DU-2): `2`, `2a`, `2b`, `2c`.
fn scope_name(n: usize) -> String {
    let letter = n.checked_sub(1).and_then(|n| ('a'..='z').nth(n));
    format!("2{}", letter.map(String::from).unwrap_or_default())
}

/// The notification when a plan or a question waits (PM-88).
fn notification_bytes(notifications: NotificationMethod) -> &'static str {
    match notifications {
        NotificationMethod::Bell => "\x07",
        NotificationMethod::Osc9 => "\x1b]9;cutonce waits for you\x07",
        NotificationMethod::Off => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pm_88_notification_follows_setting() {
        assert_eq!(notification_bytes(NotificationMethod::Bell), "\x07");
        assert!(notification_bytes(NotificationMethod::Osc9).contains("waits for you"));
        assert_eq!(notification_bytes(NotificationMethod::Off), "");
    }
}
