//! What the session tells, and what of it is shown.

use super::{App, Turn, tip};
use crate::entry::log::Record;
use crate::entry::tool::{self, Running};
use crate::entry::{self, Kind, replay};
use cutonce_agent::start::{Left, Opened};
use cutonce_core::approval::ChoiceKey;
use cutonce_core::conversation::Usage;
use cutonce_core::event::{AskKind, AskView, EndReason, Ended, Event, EventKind, Finished, Level};
use cutonce_core::mode::Mode;
use cutonce_core::plan::{EXIT, Phase, PlanEvent};
use cutonce_core::submission::{Answer, Submission};
use std::sync::Arc;
use std::time::Instant;

/// Bytes of a running tool's last line that are looked at.
const LAST_LINE: usize = 400;
/// What the line of work says while a summary is written between turns.
const COMPACTING: &str = "Compacting";
/// Entries of the conversation that Ctrl+O has after a rewind.
const MOST_PUT_BACK: usize = 2_000;

impl App {
    pub(super) fn event(&mut self, event: Event) {
        let prints = matches!(event.kind, EventKind::TaskOutput { .. });
        if self.tasks.note(&event) {
            self.status.tasks = self.tasks.running().len();
        }
        // What nobody sees is not drawn.
        if !prints || self.unfolded {
            self.dirty();
        }
        self.happened(event.kind);
    }

    fn happened(&mut self, kind: EventKind) {
        match kind {
            EventKind::Opened { model, mode, .. } => {
                self.status.window = self.settings.model_info(&model).context;
                (self.status.model, self.status.mode) = (model, mode);
                self.tip = tip::due(&self.around.home, mode == Mode::Default);
            }
            EventKind::User { text, meta, .. } => self.said(text, meta),
            EventKind::Queued { text } => self.waits(&text),
            EventKind::TurnStarted => self.turn_started(),
            EventKind::Requesting { model } => self.requesting(model),
            EventKind::Delta(delta) => self.delta(delta),
            EventKind::Retry { attempt, max, delay_ms, reason, .. } => {
                let words = format!("{reason}; trying again in {:.1} s ({attempt} of {max})", delay_ms as f64 / 1e3);
                self.retried(&words);
            }
            EventKind::Assistant { blocks, usage, .. } => {
                self.answered(&blocks);
                self.used(&usage);
            }
            EventKind::ToolStarted { call_id, name, summary } => {
                self.end_speech();
                let summary = self.places.told(&name, &summary);
                self.running.push(Running { call_id, name, summary, since: Instant::now(), last: String::new() });
            }
            EventKind::ToolOutput { call_id, text } => self.printed(&call_id, &text),
            EventKind::ToolFinished(done) => self.tool_finished(done),
            EventKind::Ask(ask) => {
                self.end_speech();
                self.ask(ask);
            }
            EventKind::AskClosed { ask_id, answer } => self.ask_closed(&ask_id, answer),
            EventKind::ModeChanged { to, .. } => {
                self.status.mode = to;
                self.status.phase = self.status.phase.filter(|_| to == Mode::Plan);
            }
            EventKind::ModelChanged { model } => self.model_changed(model),
            EventKind::Todos(todos) => {
                self.todos = todos;
                self.put_back();
            }
            EventKind::Plan(event) => self.plan_event(event),
            EventKind::CurrentPlan { path, plan, hint } => {
                let lines = entry::plan::current(&path, &plan, hint.as_deref(), &self.page());
                self.commit(Kind::Plan, lines);
            }
            EventKind::TaskOutput { .. } | EventKind::TaskEnded { .. } => {}
            EventKind::OpenPlan { path } => self.open_in_editor(&path),
            EventKind::Compacted { before, after, .. } => {
                self.compacted();
                self.notice(Level::Info, &format!("Compacted: {before} → {after} tokens"));
                self.status.context = after;
            }
            EventKind::Cleared => {
                self.status.context = 0;
                self.todos.clear();
                self.log.clear();
                self.notice(Level::Info, "The conversation starts over.");
            }
            EventKind::Agent(event) => self.agent(event),
            EventKind::Team(event) => self.team(event),
            EventKind::Notice { level, text } => {
                self.compacted();
                self.notice(level, &text);
            }
            EventKind::TurnEnded(ended) => self.turn_ended(&ended),
            EventKind::Closed => self.closed(),
        }
    }

    fn used(&mut self, usage: &Usage) {
        self.status.context = usage.context();
        let sent = usage.context() - usage.output_tokens;
        self.status.tokens.0 += sent;
        self.status.tokens.1 += usage.output_tokens;
        if let Some(turn) = &mut self.turn {
            (turn.sent, turn.received, turn.coming) = (sent, turn.received + usage.output_tokens, 0);
        }
    }

    /// A session that comes back shows where it was.
    pub(super) fn came_back(&mut self, opened: &Opened) {
        let Left { todos, phase } = opened.left.clone();
        (self.todos, self.status.phase) = (todos, phase);
        let shown = replay::tail(&opened.transcript, replay::SHOWN, &self.places, &self.page());
        if shown.lines.iter().all(|(kind, _)| *kind == Kind::Notice) {
            return;
        }
        // Its own draft first; what was typed while it was opened goes on behind it (UI-3).
        if let Some(draft) = self.drafts.of(opened.session.id()) {
            self.composer.restore_before(draft);
        }
        self.drafts.belongs_to(opened.session.id(), &self.draft());
        for (kind, lines) in shown.lines {
            self.commit(kind, lines);
        }
        shown.records.into_iter().for_each(|record| self.log.push(record));
    }

    /// The conversation was put back to an earlier point (SE-5): Ctrl+O and the context are those of then.
    fn put_back(&mut self) {
        if !std::mem::take(&mut self.rewinding) {
            return;
        }
        let Some(transcript) = self.transcript.clone() else { return };
        let page = entry::Page { colours: None, ..self.page() };
        let then = replay::tail(&transcript, MOST_PUT_BACK, &self.places, &page);
        self.log.clear();
        then.records.into_iter().for_each(|record| self.log.push(record));
        self.status.context = then.context.unwrap_or_default();
    }

    /// It is on disk with the draft until the agent has it.
    fn waits(&mut self, text: &str) {
        self.queued.push(text.trim().to_string());
        self.unsaved = true;
    }

    fn said(&mut self, text: String, meta: bool) {
        if meta {
            return;
        }
        if let Some(at) = self.queued.iter().position(|queued| *queued == text.trim()) {
            self.queued.remove(at);
            self.unsaved = true;
        }
        self.end_speech();
        let lines = entry::user(&text, self.width(), &self.theme);
        self.commit(Kind::User, lines);
        self.log.push(Record::User(text));
        self.files.forget();
    }

    /// Between turns only; while the summary is written it shows, and Esc ends it.
    pub(super) fn compact(&mut self, focus: Option<String>) {
        if self.turn.is_some() {
            return self.notice(Level::Warning, "The conversation can be compacted between turns: esc ends this one.");
        }
        if !self.failed {
            let what = COMPACTING.to_string();
            self.turn = Some(Turn { since: Instant::now(), what, sent: 0, received: 0, coming: 0 });
        }
        self.submit(Submission::Compact { focus, told: None });
        self.now();
    }

    /// It is over, or was given up.
    pub(super) fn compacted(&mut self) {
        self.turn.take_if(|turn| turn.what == COMPACTING);
    }

    fn turn_started(&mut self) {
        let what = "Working".to_string();
        self.turn = Some(Turn { since: Instant::now(), what, sent: 0, received: 0, coming: 0 });
    }

    pub(super) fn model_changed(&mut self, model: String) {
        if model != self.status.model {
            self.status.window = self.settings.model_info(&model).context;
            self.status.model = model;
        }
    }

    pub(super) fn doing(&mut self, what: &str) {
        if let Some(turn) = &mut self.turn {
            turn.what = what.into();
        }
    }

    fn printed(&mut self, call_id: &str, text: &str) {
        let Some(tool) = self.running.iter_mut().find(|tool| tool.call_id == call_id) else { return };
        if let Some(line) = text.lines().rev().find(|line| !line.trim().is_empty()) {
            tool.last = line.chars().take(LAST_LINE).collect();
        }
    }

    fn tool_finished(&mut self, done: Arc<Finished>) {
        self.end_speech();
        let at = self.running.iter().position(|tool| tool.call_id == done.call_id);
        let summary = at.map(|at| self.running.remove(at).summary);
        let told = done.name == EXIT && (std::mem::take(&mut self.plan_told) || self.plan_left(&done))
            || self.crew.was_told(&done.call_id);
        if !told && (done.name != "TodoWrite" || done.is_error) {
            let told = summary.clone().unwrap_or_else(|| self.places.told(&done.name, &tool::summary_of(&done.input)));
            let lines = tool::finished(&done, Some(&told), self.width(), &self.theme);
            self.commit(Kind::Tool, lines);
        }
        let summary = summary.unwrap_or_else(|| tool::summary_of(&done.input));
        self.log.push(Record::Tool { done, summary, who: None });
    }

    fn plan_event(&mut self, event: PlanEvent) {
        let (width, theme) = (self.width(), self.theme);
        match event {
            PlanEvent::Phase { phase } => self.status.phase = Some(phase),
            PlanEvent::Enter { plan_file_path, .. } => {
                self.places.plan = Some(plan_file_path.into());
                self.status.phase = Some(self.status.phase.unwrap_or(Phase::Explore));
            }
            PlanEvent::Approved { mode, edited, .. } => {
                self.plan_told = true;
                let Some((ask, answer)) = self.asks.decided.take() else { return };
                let AskKind::Plan { request, .. } = &ask.kind else { return };
                let plan = answer.plan.or_else(|| request.plan.clone());
                let lines = match plan {
                    Some(plan) => entry::plan::approved(None, &plan, mode, edited, &self.page()),
                    None => {
                        entry::notice(Level::Info, &format!("Left plan mode without a plan → {mode}"), width, &theme)
                    }
                };
                self.commit(Kind::Plan, lines);
            }
            PlanEvent::Denied { feedback, comments } => {
                self.plan_told = true;
                let Some((ask, answer)) = self.asks.decided.take() else { return };
                let AskKind::Plan { request, .. } = &ask.kind else { return };
                let plan = answer.plan.or_else(|| request.plan.clone()).unwrap_or_default();
                let lines = entry::plan::rejected(None, &plan, feedback.as_deref(), &comments, &self.page());
                self.commit(Kind::Plan, lines);
            }
            PlanEvent::ModeChanged { .. } | PlanEvent::File { .. } | PlanEvent::ExitRequest(_) => {}
            PlanEvent::Implement { plan_file_path, .. } => {
                self.notice(Level::Info, &format!("The plan is being implemented: {plan_file_path}"));
            }
        }
    }

    /// A teammate's plan has its answer, from here or elsewhere, or is void (PM-134).
    pub(super) fn teammate_answered(&mut self, ask: &AskView, answer: Option<Answer>) {
        let AskKind::Plan { request, .. } = &ask.kind else { return };
        let from = request.from.as_deref();
        let Some(Answer::Plan(answer)) = answer else {
            let who = from.unwrap_or_default();
            return self.notice(Level::Info, &format!("The plan of {who} does not wait any more."));
        };
        let edited = answer.plan.is_some() && answer.plan != request.plan;
        let plan = answer.plan.or_else(|| request.plan.clone()).unwrap_or_default();
        let approves = matches!(answer.choice, ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore);
        let mode = request.choice(answer.choice).map_or(Mode::Plan, |choice| choice.mode);
        let lines = if approves {
            entry::plan::approved(from, &plan, mode, edited, &self.page())
        } else {
            let quoted = entry::plan::quoted(&plan, &answer.comments);
            entry::plan::rejected(from, &plan, answer.feedback.as_deref(), &quoted, &self.page())
        };
        self.commit(Kind::Plan, lines);
    }

    fn turn_ended(&mut self, ended: &Ended) {
        self.end_speech();
        self.turn = None;
        self.running.clear();
        self.status.cost = ended.cost;
        self.status.branch = self.branch();
        match &ended.reason {
            EndReason::Completed => {}
            EndReason::Interrupted { .. } => self.notice(Level::Info, "Interrupted. Say what to do instead."),
            EndReason::MaxTurns(n) => self.notice(Level::Warning, &format!("Stopped after {n} requests.")),
            EndReason::MaxBudget => self.notice(Level::Warning, "Stopped: the budget is used up."),
            EndReason::Failed { message, .. } => self.notice(Level::Error, message),
        }
        if self.status.mode == Mode::Plan && self.asks.decided.take().is_some() {
            // Answered, and neither approved nor sent back: the plan was left or the answer was none.
            self.plan_told = false;
        }
    }

    fn closed(&mut self) {
        self.turn = None;
    }

    /// What the agent is at, in a word.
    pub(super) fn activity(&self, turn: &Turn) -> String {
        if let agents @ 2.. = self.crew.agents() {
            return format!("Running {agents} agents");
        }
        if let Some(tool) = self.running.first() {
            return format!("Running {}", crate::text::one_line(&tool.name));
        }
        match (self.status.mode, self.status.phase, turn.what.as_str()) {
            (Mode::Plan, Some(phase), "Working" | "Writing" | "Thinking") => match phase {
                Phase::Explore => "Exploring",
                Phase::Design => "Designing",
                Phase::Review => "Reviewing",
                Phase::Finalize => "Finalizing",
                Phase::Exit => "Submitting",
            }
            .to_string(),
            (_, _, what) => what.to_string(),
        }
    }
}
