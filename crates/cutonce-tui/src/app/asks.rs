//! What waits for the person: dialogs in the live area, the plan on the whole screen, and when each may open. Never over a
//! draft, never under a typing hand (screens.md; UI-5, UI-6).

use super::App;
use crate::dialog::{Dialog, Guard, Reply};
use crate::keymap::Action;
use crate::overlay::{Outcome, Overlay};
use crate::terminal;
use crate::text;
use crate::theme::Theme;
use crossterm::event::KeyEvent;
use cutonce_core::approval;
use cutonce_core::event::{AskKind, AskView, Level};
use cutonce_core::settings::Notifications;
use cutonce_core::submission::{Answer, Submission};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Widget;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A plan opens by itself after so long without keys.
const STILL: Duration = Duration::from_secs(1);
/// Of what an agent was told to do, where it asks.
const MOST_TASK: usize = 60;
/// Over whatever else covers the screen.
const WAITS: &str = " something waits for you: esc goes back ";
pub const SYNC: [&[u8]; 2] = [b"\x1b[?2026h", b"\x1b[?2026l"];

pub type Screen = ratatui::Terminal<CrosstermBackend<io::Stdout>>;

/// An overlay on the alternate screen.
struct Cover {
    overlay: Box<dyn Overlay>,
    screen: Screen,
    /// The plan's ask that it answers.
    ask_id: Option<String>,
}

#[derive(Default)]
pub struct Asks {
    queue: VecDeque<Arc<AskView>>,
    open: Option<(Arc<AskView>, Dialog, Guard)>,
    /// The hint that keys count was drawn.
    announced: bool,
    /// Plans that wait: the session's own first, then those of teammates as they came.
    plans: VecDeque<Arc<AskView>>,
    /// Closed by hand, or typed over: it opens by its key only.
    by_key: bool,
    cover: Option<Cover>,
    /// What covers the screen is all of what the open dialog asks about.
    looks: bool,
    /// The plan that was just answered, with the answer: what is told of it needs both (PM-142).
    pub decided: Option<(Arc<AskView>, approval::Answer)>,
}

impl Asks {
    pub fn covers(&self) -> bool {
        self.cover.is_some()
    }
    pub fn asks(&self) -> bool {
        self.open.is_some()
    }
    /// Does a plan of the session itself wait for an answer?
    pub fn own_plan_waits(&self) -> bool {
        self.plans.iter().any(|ask| teammate(ask).is_none())
    }
    /// How many more come after the one that is open.
    pub fn behind(&self) -> usize {
        self.queue.len()
    }
    /// The agent waits for the person: nothing works meanwhile.
    pub fn waits(&self) -> bool {
        self.open.is_some() || self.cover.is_some() || self.plans.iter().any(|ask| teammate(ask).is_none())
    }
    pub fn plan_waits(&self) -> bool {
        !self.plans.is_empty()
    }
    /// May the first plan that waits open by itself? A teammate's does not take the screen while the agent works on it.
    fn opens(&self, empty: bool, working: bool) -> bool {
        let free = empty && !self.by_key && self.cover.is_none() && self.open.is_none();
        free && self.plans.front().is_some_and(|ask| !working || teammate(ask).is_none())
    }
    pub fn dialog(&self) -> Option<(&Dialog, Guard)> {
        self.open.as_ref().map(|(_, dialog, guard)| (dialog, *guard))
    }

    /// The live area with the dialog is on the screen.
    pub fn drawn(&mut self, now: Instant) {
        if let Some((_, _, guard)) = &mut self.open {
            guard.drawn(now);
            self.announced |= guard.ready_at().is_some_and(|ready| now >= ready);
        }
    }

    pub fn deadline(&self, now: Instant, last_key: Instant, empty: bool, working: bool) -> Option<Instant> {
        let dialog = self.open.as_ref().filter(|_| !self.announced).and_then(|(_, _, guard)| guard.ready_at());
        let overlay = self.cover.as_ref().and_then(|cover| cover.overlay.deadline());
        let opens = self.opens(empty, working).then_some(last_key + STILL);
        [dialog, overlay, opens].into_iter().flatten().min().map(|at| at.max(now))
    }

    /// What stands above the composer while a plan waits unopened.
    pub fn waiting_line(&self, empty: bool, working: bool, theme: &Theme) -> Option<Line<'static>> {
        let first = self.plans.front().filter(|_| self.cover.is_none() && !self.opens(empty, working))?;
        let whose = teammate(first).map_or("A".to_string(), |name| format!("{}'s", text::one_line(name)));
        let more = match self.plans.len() - 1 {
            0 => String::new(),
            more => format!(" ({more} more)"),
        };
        Some(Line::styled(format!("  {whose} plan is ready for your review{more}: ctrl+p opens it"), theme.plan))
    }
}

/// Whose plan this asks about, if it is a teammate's.
pub fn teammate(ask: &AskView) -> Option<&str> {
    match &ask.kind {
        AskKind::Plan { request, .. } => request.from.as_deref(),
        AskKind::Permission { .. } | AskKind::Questions(_) | AskKind::EnterPlan => None,
    }
}

/// A screen that knows nothing of what is on it: all of it is drawn. (To clear one, ratatui would ask the terminal where the
/// cursor is, and the answer would be read as keys.)
pub fn screen() -> io::Result<Screen> {
    Screen::new(CrosstermBackend::new(io::stdout()))
}

impl App {
    /// Somebody has to answer.
    pub(super) fn ask(&mut self, ask: Arc<AskView>) {
        self.bell = true;
        match &ask.kind {
            AskKind::Plan { .. } => {
                if self.asks.plans.is_empty() || teammate(&ask).is_none() {
                    self.asks.by_key = !self.composer.is_empty();
                }
                match teammate(&ask) {
                    Some(_) => self.asks.plans.push_back(ask),
                    None => self.asks.plans.push_front(ask),
                }
            }
            AskKind::Permission { .. } | AskKind::Questions(_) | AskKind::EnterPlan => {
                self.asks.queue.push_back(ask);
                self.next_dialog();
            }
        }
        self.dirty();
    }

    /// Answered, here or elsewhere, or withdrawn.
    pub(super) fn ask_closed(&mut self, ask_id: &str, answer: Option<Answer>) {
        self.asks.queue.retain(|ask| ask.ask_id != ask_id);
        if self.asks.open.as_ref().is_some_and(|(ask, ..)| ask.ask_id == ask_id) {
            self.asks.open = None;
            self.next_dialog();
        }
        let plan = self.asks.plans.iter().position(|ask| ask.ask_id == ask_id);
        if let Some(ask) = plan.and_then(|at| self.asks.plans.remove(at)) {
            match (teammate(&ask), answer) {
                (None, Some(Answer::Plan(answer))) => self.asks.decided = Some((ask, answer)),
                (None, _) => {}
                (Some(_), answer) => self.teammate_answered(&ask, answer),
            }
        }
        if self.asks.cover.as_ref().is_some_and(|cover| cover.ask_id.as_deref() == Some(ask_id)) {
            self.uncover();
        }
        self.dirty();
    }

    fn next_dialog(&mut self) {
        while self.asks.open.is_none()
            && let Some(ask) = self.asks.queue.pop_front()
        {
            let who = ask.asker().map(|who| match ask.agent.as_ref().and_then(|agent| self.crew.task_of(&agent.id)) {
                Some(task) => format!("{who}: {}", text::bounded(&task, MOST_TASK)),
                None => who,
            });
            if let Some(dialog) = Dialog::of(&ask, who.as_deref()) {
                self.asks.open = Some((ask, dialog, Guard::default()));
                self.asks.announced = false;
            }
        }
    }

    /// Deadlines of dialogs and overlays.
    pub(super) fn asks_due(&mut self, now: Instant) {
        let ready =
            self.asks.open.as_ref().and_then(|(_, _, guard)| guard.ready_at()).is_some_and(|ready| now >= ready);
        if ready && !self.asks.announced {
            self.now();
        }
        if let Some(cover) = &mut self.asks.cover
            && cover.overlay.deadline().is_some_and(|at| at <= now)
        {
            let outcome = cover.overlay.tick(now);
            self.carry_out(outcome);
        }
        if self.asks.opens(self.composer.is_empty(), self.turn.is_some()) && now >= self.last_key + STILL {
            self.open_plan();
        }
    }

    /// A key for the dialog: true if it was one.
    pub(super) fn dialog_key(&mut self, key: KeyEvent, at: Instant) -> bool {
        let Some((ask, dialog, guard)) = &mut self.asks.open else { return false };
        // Esc is no, and no harm: it counts as soon as the dialog is there.
        let esc = key.code == crossterm::event::KeyCode::Esc && guard.is_drawn();
        if !guard.counts(at) && !esc {
            return false;
        }
        // A sentence that paused when the dialog came goes on in the draft; its end is no answer.
        let writes = guard.writes();
        if writes && key.code == crossterm::event::KeyCode::Enter {
            return false;
        }
        let ask_id = ask.ask_id.clone();
        let reply = dialog.key(key);
        match (&reply, crate::keymap::typed(key)) {
            (Reply::Nothing, Some(_)) => {
                guard.disturbed(at);
                self.asks.announced = false;
                self.now();
                return false;
            }
            (Reply::Redraw, None) => guard.looked_at(),
            (_, _) => {}
        }
        match reply {
            Reply::Nothing => {}
            Reply::Redraw => self.now(),
            Reply::Answer(answer) => {
                self.submit(Submission::Answer { ask_id, answer });
                self.now();
            }
            Reply::Details => {
                if let Some(items) = dialog.details() {
                    self.show_items("What is asked about", items);
                    self.asks.looks = true;
                }
            }
        }
        true
    }

    pub(super) fn dialog_paste(&mut self, text: &str, at: Instant) -> bool {
        let Some((_, dialog, guard)) = &mut self.asks.open else { return false };
        if !guard.counts(at) {
            return false;
        }
        dialog.paste(text);
        self.now();
        true
    }

    /// The plan that waits, on the whole screen.
    pub(super) fn open_plan(&mut self) {
        let Some(ask) = self.asks.plans.front().cloned() else { return };
        let AskKind::Plan { request, previous, draft } = &ask.kind else { return };
        let overlay = self.review(request, previous.as_deref(), draft.as_ref());
        self.cover(overlay, Some(ask.ask_id.clone()));
    }

    pub(super) fn cover(&mut self, overlay: Box<dyn Overlay>, ask_id: Option<String>) {
        let begun = self.leave_stage().and_then(|()| self.terminal.alternate(true)).and_then(|()| screen());
        match begun {
            Ok(screen) => self.asks.cover = Some(Cover { overlay, screen, ask_id }),
            Err(_) => self.exit = Some(1),
        }
        self.now();
    }

    pub(super) fn uncover(&mut self) {
        (self.asks.cover, self.asks.looks) = (None, false);
        if self.terminal.alternate(false).is_err() {
            self.exit = Some(1);
        }
        self.now();
    }

    pub(super) fn draw_overlay(&mut self, now: Instant) -> io::Result<()> {
        let waits = (self.asks.open.is_some() || !self.asks.plans.is_empty()) && !self.asks.looks;
        let style = self.theme.plan;
        let Some(Cover { overlay, screen, ask_id }) = &mut self.asks.cover else { return Ok(()) };
        // Whoever looks at something else learns of it there.
        let waits = waits && ask_id.is_none();
        terminal::write(SYNC[0])?;
        screen.draw(|frame| {
            overlay.draw(frame, now);
            if let Some(row) = frame.area().rows().next().filter(|_| waits) {
                let told = text::fit(WAITS, usize::from(row.width)).into_owned();
                let columns = u16::try_from(text::width(&told)).unwrap_or(row.width);
                let place = Rect { x: row.right().saturating_sub(columns), width: columns, ..row };
                Line::styled(told, style).render(place, frame.buffer_mut());
            }
        })?;
        terminal::write(SYNC[1])
    }

    /// The screen that is covered shows nothing of ours: all of it is drawn with the next frame.
    pub(super) fn fresh_cover(&mut self) -> io::Result<()> {
        if let Some(cover) = &mut self.asks.cover {
            cover.screen = screen()?;
        }
        Ok(())
    }

    pub(super) fn overlay_key(&mut self, key: KeyEvent, at: Instant) {
        match crate::keymap::action(key) {
            // Whatever else was written on the screen goes: all of it is drawn anew.
            Some(Action::Redraw) => {
                let _ = terminal::write(b"\x1b[2J").and_then(|()| self.fresh_cover());
                return self.now();
            }
            Some(Action::Stop) => return self.stop(),
            // At any time (PM-17); a plan that is looked at is withdrawn then (PM-80). A list and a teammate's plan show no mode
            // that could change.
            Some(Action::CycleMode) if self.looks_at_own_plan() => return self.submit(Submission::CycleMode),
            _ => {}
        }
        if let Some(cover) = &mut self.asks.cover {
            let outcome = cover.overlay.key(key, at);
            self.carry_out(outcome);
        }
    }
    pub(super) fn overlay_paste(&mut self, text: &str, at: Instant) {
        if let Some(cover) = &mut self.asks.cover {
            let outcome = cover.overlay.paste(text, at);
            self.carry_out(outcome);
        }
    }

    fn carry_out(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Nothing => return,
            Outcome::Redraw => {}
            Outcome::Close => {
                // The plan waits on; it opens by its key.
                self.asks.by_key = true;
                self.uncover();
                if self.session.is_none() && !self.home.busy() {
                    self.exit = Some(0);
                }
            }
            Outcome::Escape => {
                let looked_at = self.asks.cover.as_ref().and_then(|cover| cover.ask_id.clone());
                self.uncover();
                self.not_approved(looked_at.as_deref());
            }
            Outcome::Answer(answer) => {
                self.uncover();
                let ask_id = answer.ask_id.clone();
                self.submit(Submission::Answer { ask_id, answer: Answer::Plan(*answer) });
            }
            Outcome::Editor { text, suffix } => {
                let edited = self.edit(&text, suffix);
                if let Some(cover) = &mut self.asks.cover {
                    let outcome = cover.overlay.edited(edited, Instant::now());
                    self.carry_out(outcome);
                }
            }
            Outcome::Copy(text) => self.copy(&text),
            Outcome::Resume { id, fork: false } if self.session.as_ref().is_some_and(|own| own.id() == id) => {
                self.uncover();
                self.notice(Level::Info, "You are in this session.");
            }
            Outcome::Resume { id, fork } => {
                // `--fork-session` is meant for the one that is picked first.
                let fork = fork || (self.session.is_none() && self.around.fork);
                self.uncover();
                self.switch(cutonce_agent::start::Which::Find(id), fork);
            }
            Outcome::Picked { which, id, key, words } => {
                self.uncover();
                self.picked(which, &id, key, &words);
            }
            Outcome::Rewind { point, files, conversation } => {
                self.uncover();
                if !self.rewound(&point, conversation) {
                    self.submit(Submission::Rewind { to: point, files, conversation });
                }
            }
        }
        self.now();
    }

    /// PM-80: Esc on a plan ends the turn; nothing is approved and nothing is lost.
    fn not_approved(&mut self, looked_at: Option<&str>) {
        let at = self.asks.plans.iter().position(|ask| Some(ask.ask_id.as_str()) == looked_at);
        let Some((at, ask)) = at.and_then(|at| Some((at, self.asks.plans.get(at)?))) else { return };
        if teammate(ask).is_some() {
            // It waits on, behind the others; only an answer is one (PM-132).
            self.asks.by_key = !self.asks.own_plan_waits();
            let ask = self.asks.plans.remove(at);
            return self.asks.plans.extend(ask);
        }
        if self.turn.is_some() {
            return self.submit(Submission::Interrupt);
        }
        let (ask_id, why) = (ask.ask_id.clone(), "the review was left with esc".to_string());
        self.submit(Submission::Answer { ask_id, answer: Answer::Unusable { why } });
    }

    fn looks_at_own_plan(&self) -> bool {
        let looked_at = self.asks.cover.as_ref().and_then(|cover| cover.ask_id.as_deref());
        self.asks.plans.iter().any(|ask| Some(ask.ask_id.as_str()) == looked_at && teammate(ask).is_none())
    }

    /// One sign when something waits (PM-88).
    pub(super) fn sign(&self) -> String {
        match self.settings.notifications {
            Notifications::Bell => "\x07".into(),
            Notifications::Osc9 => "\x1b]9;cutonce waits for you\x07".into(),
            Notifications::Off => String::new(),
        }
    }

    pub(super) fn wait_for_key(&mut self) {
        let opens = self.asks.opens(true, self.turn.is_some());
        if opens && !self.composer.is_empty() {
            self.asks.by_key = true;
        }
    }
}
