//! Rehearsals in the review (RH-1 to RH-3, RH-7): `r` starts one; its page shows the work, then the result. There the
//! user takes files out, applies exactly the rest, or discards it.

mod page;
mod page_keys;
mod page_rows;
mod run_list;

pub use page::{draw, status_text};
pub use run_list::{RehearsalList, SharedRehearsals};

use super::keys::{self, ReviewAction};
use super::{PlanReview, ReviewFocus, choices};
use crate::overlays::OverlayOutcome;
use cutonce_core::plan::approval::PlanChoice;
use cutonce_core::plan::rehearsal::{RehearsalChoice, RehearsalOrder, RehearsalStart};
use page_rows::RowTarget;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::text::Line;
use run_list::{RehearsalRun, RunState};
use std::collections::BTreeMap;
use std::time::Instant;

/// The rehearsals of the plan that is reviewed.
#[derive(Debug, Default)]
pub struct ReviewRehearsals {
    list: SharedRehearsals,
    /// The diff or output that was drawn last.
    shown: Option<ShownPart>,
    room: PageRoom,
}

#[derive(Debug)]
struct ShownPart {
    run: String,
    target: RowTarget,
    width: usize,
    rows: Vec<Line<'static>>,
    /// All colours have arrived.
    complete: bool,
}

/// The part of the page that scrolls, as it was drawn last.
#[derive(Debug, Clone, Copy, Default)]
struct PageRoom {
    rows: usize,
    /// Rows that there are to scroll through.
    all_rows: usize,
    /// The list is next to the diff.
    two_panes: bool,
}

/// The page of one rehearsal, or the comparison of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RehearsalPage {
    /// Index of the rehearsal.
    run: usize,
    view: PageView,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageView {
    /// The list of files and checks, or of calls while it runs. `top` scrolls the diff next to it.
    Rows { at: usize, top: usize },
    /// The diff of a file or step, or the output of a check.
    Part { at: usize, top: usize },
    /// All rehearsals side by side (RH-7).
    Table { at: usize },
    /// All keys of this page; `at` is the row that was selected.
    Keys { at: usize, top: usize },
}

impl RehearsalPage {
    fn new(run: usize) -> RehearsalPage {
        RehearsalPage { run, view: PageView::Rows { at: 0, top: 0 } }
    }
}

impl ReviewRehearsals {
    pub fn new(list: SharedRehearsals) -> ReviewRehearsals {
        ReviewRehearsals { list, ..ReviewRehearsals::default() }
    }

    /// The diff or output that was drawn last, once it has all colours.
    #[cfg(test)]
    pub fn coloured_rows(&self) -> Option<Vec<Line<'static>>> {
        self.shown.as_ref().filter(|part| part.complete).map(|part| part.rows.clone())
    }

    /// A message from the session about a rehearsal, once.
    pub fn take_notice(&self) -> Option<String> {
        self.list.borrow_mut().notice.take()
    }
}

impl PlanReview {
    /// `r` in the plan: starts the first rehearsal, or opens the page.
    pub(super) fn open_rehearsals(&mut self) -> OverlayOutcome {
        if self.subject.request.from.is_some() {
            self.notice = Some("a teammate's plan can't be rehearsed here".into());
            return OverlayOutcome::Redraw;
        }
        let runs = self.rehearsals.list.borrow().runs.len();
        match runs.checked_sub(1) {
            None => self.start_rehearsal(None),
            Some(last) => {
                self.focus = ReviewFocus::Rehearsal(RehearsalPage::new(last));
                OverlayOutcome::Redraw
            }
        }
    }

    /// Rehearses the newest earlier revision that was not rehearsed yet (RH-7).
    fn rehearse_earlier(&mut self) -> OverlayOutcome {
        let is_new = |number: &u32| !self.rehearsals.list.borrow().runs.iter().any(|run| run.revision == Some(*number));
        match (1..self.subject.request.revision).rev().find(is_new) {
            Some(revision) => self.start_rehearsal(Some(revision)),
            None => {
                self.notice = Some("there is no earlier revision left to rehearse".into());
                OverlayOutcome::Redraw
            }
        }
    }

    /// Keeps the result by name, so that it survives the session (RH-5).
    fn keep(&mut self, run: &RehearsalRun) -> OverlayOutcome {
        let told = match (&run.state, &run.kept_as) {
            (RunState::Finished(_), None) => {
                let order = RehearsalOrder::Keep { id: run.id.clone(), name: None };
                return OverlayOutcome::Rehearse(order);
            }
            (RunState::Finished(_), Some(name)) => format!("it is kept as {name} already"),
            (RunState::Running | RunState::Stopped(_), _) => "there is no result to keep".into(),
        };
        self.notice = Some(told);
        OverlayOutcome::Redraw
    }

    fn start_rehearsal(&mut self, revision: Option<u32>) -> OverlayOutcome {
        if self.subject.request.plan.is_none() {
            return OverlayOutcome::Nothing;
        }
        if self.edited.is_some() && revision.is_none() {
            self.notice = Some("only the submitted plan can be rehearsed: undo your edit (u), or send it (5)".into());
            return OverlayOutcome::Redraw;
        }
        if std::mem::replace(&mut self.rehearsals.list.borrow_mut().starting, true) {
            return OverlayOutcome::Nothing;
        }
        let terms = &self.reply.terms;
        // Answers about steps are about the revision that waits.
        let steps = if revision.is_none() { terms.steps.clone() } else { BTreeMap::new() };
        let (model, budget_usd) = (terms.model.clone(), terms.budget_usd);
        self.rehearsals.list.borrow_mut().ordered_steps.clone_from(&steps);
        OverlayOutcome::Rehearse(RehearsalOrder::Start(RehearsalStart { steps, model, budget_usd, revision }))
    }

    /// Handles a key on the page.
    pub(super) fn rehearsal_key(&mut self, page: RehearsalPage, key: KeyEvent, may_answer: bool) -> OverlayOutcome {
        self.arming.last_letter_at = None;
        let list = self.rehearsals.list.clone();
        let count = list.borrow().runs.len();
        if count == 0 {
            self.focus = ReviewFocus::Plan;
            return OverlayOutcome::Redraw;
        }
        let page = RehearsalPage { run: page.run.min(count - 1), ..page };
        let Some(run) = list.borrow().runs.get(page.run).cloned() else { return OverlayOutcome::Nothing };
        let plain = key.modifiers - KeyModifiers::SHIFT == KeyModifiers::NONE;
        match key.code {
            KeyCode::Char('?') if plain => self.toggle_keys(page),
            KeyCode::Char('r') if plain => return self.start_rehearsal(None),
            KeyCode::Char('v') if plain => return self.rehearse_earlier(),
            KeyCode::Char('s') if plain => return self.keep(&run),
            KeyCode::Tab => self.show_page(RehearsalPage::new((page.run + 1) % count)),
            KeyCode::Char('c') if plain && count > 1 => {
                self.show_page(RehearsalPage { view: PageView::Table { at: page.run }, ..page });
            }
            KeyCode::Char('c') if plain => {
                self.notice = Some("there is nothing to compare with: r rehearses again, m chooses a model".into());
            }
            KeyCode::Char('d') if plain && !run.is_running() => return self.discard(&run),
            KeyCode::Char('x') if plain && run.is_running() => {
                return OverlayOutcome::Rehearse(RehearsalOrder::Cancel { id: Some(run.id) });
            }
            KeyCode::Char('x' | ' ') if plain && !run.is_running() => self.toggle_row(page, &run),
            KeyCode::Char('a') if plain && may_answer && key.kind != KeyEventKind::Repeat => self.arm_apply(&run),
            _ => return self.move_on_page(page, &run, key),
        }
        OverlayOutcome::Redraw
    }

    /// True if the page shows a rehearsal that runs.
    pub(super) fn shows_running(&self, page: RehearsalPage) -> bool {
        self.rehearsals.list.borrow().runs.get(page.run).is_some_and(|run| run.is_running())
    }

    fn show_page(&mut self, page: RehearsalPage) {
        self.focus = ReviewFocus::Rehearsal(page);
    }

    /// `?`: all keys of this page, and back.
    fn toggle_keys(&mut self, page: RehearsalPage) {
        let view = match page.view {
            PageView::Keys { at, .. } => PageView::Rows { at, top: 0 },
            PageView::Rows { at, .. } | PageView::Part { at, .. } => PageView::Keys { at, top: 0 },
            PageView::Table { .. } => PageView::Keys { at: 0, top: 0 },
        };
        self.show_page(RehearsalPage { view, ..page });
    }

    fn move_on_page(&mut self, page: RehearsalPage, run: &RehearsalRun, key: KeyEvent) -> OverlayOutcome {
        let Some(action) = keys::action_for_key(key) else { return OverlayOutcome::Nothing };
        let targets = page_rows::targets(run);
        let last = targets.len().saturating_sub(1);
        let room = self.rehearsals.room;
        let view = match (page.view, action) {
            (PageView::Rows { .. }, ReviewAction::Escape) => {
                self.focus = ReviewFocus::Plan;
                return OverlayOutcome::Redraw;
            }
            (PageView::Keys { at, .. }, ReviewAction::Escape | ReviewAction::Confirm) => PageView::Rows { at, top: 0 },
            (PageView::Keys { at, top }, _) => {
                PageView::Keys { at, top: scrolled(top, action, room.rows, room.all_rows) }
            }
            (PageView::Part { at, .. } | PageView::Table { at }, ReviewAction::Escape) => {
                let at = if matches!(page.view, PageView::Table { .. }) { 0 } else { at };
                PageView::Rows { at, top: 0 }
            }
            (PageView::Rows { at, .. }, ReviewAction::Confirm) => match targets.get(at) {
                None => return OverlayOutcome::Nothing,
                Some(_) => PageView::Part { at, top: 0 },
            },
            (PageView::Rows { at, top }, ReviewAction::PageDown | ReviewAction::PageUp) if room.two_panes => {
                PageView::Rows { at, top: scrolled(top, action, room.rows, room.all_rows) }
            }
            (PageView::Rows { at, .. }, _) => PageView::Rows { at: moved(at, action, room.rows, last), top: 0 },
            (PageView::Part { at, .. }, ReviewAction::NextChange | ReviewAction::PreviousChange) => {
                let next = action == ReviewAction::NextChange;
                let other = |index: &usize| !matches!(targets.get(*index), Some(RowTarget::Text(_)) | None);
                let to = if next { (at + 1..=last).find(other) } else { (0..at).rev().find(other) };
                PageView::Part { at: to.unwrap_or(at), top: 0 }
            }
            (PageView::Part { at, top }, _) => {
                PageView::Part { at, top: scrolled(top, action, room.rows, room.all_rows) }
            }
            (PageView::Table { at }, ReviewAction::Confirm) => {
                self.show_page(RehearsalPage::new(at));
                return OverlayOutcome::Redraw;
            }
            (PageView::Table { at }, _) => {
                let last = self.rehearsals.list.borrow().runs.len().saturating_sub(1);
                PageView::Table { at: moved(at, action, room.rows, last) }
            }
        };
        if view == page.view {
            return OverlayOutcome::Nothing;
        }
        self.show_page(RehearsalPage { view, ..page });
        OverlayOutcome::Redraw
    }

    /// Takes the selected file, or all files of the selected step, out of what is applied, or puts them back (RH-3).
    fn toggle_row(&mut self, page: RehearsalPage, run: &RehearsalRun) {
        let (PageView::Rows { at, .. } | PageView::Part { at, .. }) = page.view else { return };
        let RunState::Finished(finished) = &run.state else { return };
        let files = match page_rows::targets(run).get(at) {
            Some(RowTarget::File(index)) => finished.result.files.get(*index).into_iter().collect(),
            Some(RowTarget::Step(id)) => page_rows::files_of_step(&finished.result, id),
            Some(RowTarget::Check(_) | RowTarget::Text(_)) | None => Vec::new(),
        };
        if files.is_empty() {
            self.notice = Some("select a file or a step to take it out".into());
            return;
        }
        let mut list = self.rehearsals.list.borrow_mut();
        let Some(run) = list.runs.iter_mut().find(|one| one.id == run.id) else { return };
        let all_out = files.iter().all(|file| run.taken_out.contains(&file.path));
        for file in files {
            match all_out {
                true => drop(run.taken_out.remove(&file.path)),
                false => drop(run.taken_out.insert(file.path.clone())),
            }
        }
    }

    fn discard(&mut self, run: &RehearsalRun) -> OverlayOutcome {
        let mut list = self.rehearsals.list.borrow_mut();
        list.runs.retain(|one| one.id != run.id);
        drop(list);
        if self.rehearsals.list.borrow().runs.is_empty() {
            self.focus = ReviewFocus::Plan;
        }
        self.notice = Some(match &run.kept_as {
            Some(name) => format!("rehearsal {} closed; it stays kept as {name}", run.id),
            None => format!("rehearsal {} discarded; your files did not change", run.id),
        });
        match run.state {
            RunState::Finished(_) => OverlayOutcome::Rehearse(RehearsalOrder::Cancel { id: Some(run.id.clone()) }),
            RunState::Running | RunState::Stopped(_) => OverlayOutcome::Redraw,
        }
    }

    /// The approval that applying uses: the mode stays the one from before plan mode.
    fn applying_choice(&self) -> Option<&PlanChoice> {
        self.subject.request.default_approval()
    }

    /// Arms «Apply exactly this»; Enter confirms it.
    fn arm_apply(&mut self, run: &RehearsalRun) {
        let RunState::Finished(finished) = &run.state else {
            self.notice = Some("there is no result to apply".into());
            return;
        };
        let refused = match self.applying_choice().map(|choice| choice.key) {
            None => "no approval is offered",
            Some(_) if self.edited.is_some() => "your edit was not rehearsed: undo it (u in the plan) or send it (5)",
            Some(_) if run.revision.is_some() => "it rehearsed an earlier revision, which does not wait for approval",
            Some(_) if finished.result.files.len() <= run.taken_out.len() => "nothing is left to apply",
            Some(_) if self.reply.terms.steps != run.steps => "you chose other steps meanwhile: r rehearses them",
            Some(key) => {
                self.arming.choice = Some(key);
                (self.arming.since, self.arming.active_keys.enter_confirms) = (self.arming.key_at, false);
                return;
            }
        };
        self.notice = Some(refused.into());
    }

    /// Handles a key while «Apply exactly this» is armed.
    pub(super) fn armed_apply_key(&mut self, page: RehearsalPage, key: KeyEvent, now: Instant) -> OverlayOutcome {
        match keys::action_for_key(key) {
            Some(ReviewAction::Confirm) if key.kind != KeyEventKind::Repeat => self.confirm_apply(page, now),
            Some(ReviewAction::Escape) => {
                self.arming.choice = None;
                OverlayOutcome::Redraw
            }
            _ => OverlayOutcome::Nothing,
        }
    }

    /// The answer that applies exactly this result (RH-3).
    fn confirm_apply(&mut self, page: RehearsalPage, now: Instant) -> OverlayOutcome {
        let Some(key) = self.arming.choice else { return OverlayOutcome::Nothing };
        if self.confirm_ready_at().is_some_and(|at| now < at) {
            return OverlayOutcome::Nothing;
        }
        let Some(run) = self.rehearsals.list.borrow().runs.get(page.run).cloned() else {
            return OverlayOutcome::Nothing;
        };
        let RunState::Finished(finished) = &run.state else { return OverlayOutcome::Nothing };
        let mut along = self.attachments();
        along.clear_context = false;
        let mut answer = choices::build_answer(&self.subject.request, key, along);
        answer.rehearsal = Some(Box::new(RehearsalChoice {
            id: run.id.clone(),
            diff_sha256: finished.result.diff_sha256.clone(),
            without: run.taken_out.iter().cloned().collect(),
            without_steps: Vec::new(),
        }));
        self.send_answer(answer)
    }
}

fn moved(at: usize, action: ReviewAction, page: usize, last: usize) -> usize {
    match action {
        ReviewAction::Up => at.saturating_sub(1),
        ReviewAction::Down => (at + 1).min(last),
        ReviewAction::PageUp => at.saturating_sub(page.max(1)),
        ReviewAction::PageDown => (at + page.max(1)).min(last),
        ReviewAction::First => 0,
        ReviewAction::Last => last,
        _ => at,
    }
}

/// Scrolls so that the last row stays at the bottom.
fn scrolled(top: usize, action: ReviewAction, page: usize, rows: usize) -> usize {
    moved(top, action, page, rows.saturating_sub(page))
}
