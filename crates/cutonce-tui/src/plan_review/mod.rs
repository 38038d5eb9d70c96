//! The plan review (UI-6, PM-74, PM-84, PM-87): the plan, its changes, the user's comments, and the choices.
//!
//! Pure state: keys and the current time come in, an outcome comes out. A digit arms a choice and Enter confirms it;
//! there is no other way to choose. A paste never answers. Inside a text field every key is text.

mod arming;
mod changes;
mod choices;
mod comments;
mod contract_line;
mod draft_file;
mod footer;
mod header;
mod keys;
mod layout;
mod panels;
mod plan_source;
mod rehearsals;
mod steps_view;
mod terms_menu;
mod viewport;

use crate::app::GuidePlace;
use crate::dialogs::KeyGuard;
use crate::overlays::{ExternalEditError, Overlay, OverlayOutcome};
use crate::render::highlight::Highlighter;
use crate::render::text;
use crate::render::theme::Theme;
use crate::text_area::TextArea;
use crate::vim_keys::VimState;
use arming::{ActiveKeys, ChoiceArming};
use changes::{LineMap, PlanChanges};
use choices::{AnswerAttachments, ChoiceSlot};
use comments::EarlierComment;
use cutonce_core::plan::approval::{PlanAnswer, PlanExitRequest, ReviewTerms};
use cutonce_core::plan::contract::PlanContract;
use draft_file::{ReviewComment, ReviewDraft, ReviewDraftFile};
use keys::ReviewAction;
use plan_source::PlanSource;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use rehearsals::{RehearsalPage, ReviewRehearsals};
use std::path::PathBuf;
use std::time::Instant;
use terms_menu::TermsMenu;

pub use keys::REVIEW_KEYS;
pub use rehearsals::{RehearsalList, SharedRehearsals};

/// The plan approval request, with what the front end adds to it.
#[derive(Debug, Clone)]
pub struct ReviewSubject {
    pub request: PlanExitRequest,
    /// Plan text of the last submission.
    pub previous: Option<String>,
    /// The user's unsent answer from before the plan file changed (PM-84).
    pub draft: Option<PlanAnswer>,
    /// The cutonce home, which stores plan revisions and review comments.
    pub home: Option<PathBuf>,
    /// Share of the context in use, in percent.
    pub context: Option<u8>,
    /// Session cost so far, formatted for display.
    pub cost: Option<String>,
    /// The project's root, to read the steps of an edited plan.
    pub project: Option<PathBuf>,
    /// Models to choose from; the first one is used without a choice (PC-12).
    pub models: Vec<ModelChoice>,
    /// Rehearsals of this plan (RH-1).
    pub rehearsals: SharedRehearsals,
}

/// A model that the implementation can use, with its price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelChoice {
    pub name: String,
    pub price: String,
}

/// Display mode for the changes since the base text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiffDisplay {
    Bars,
    ChangedWords,
    Off,
}

/// An earlier plan text to compare with.
#[derive(Debug, Clone)]
struct ComparisonBase {
    label: String,
    text: String,
}

#[derive(Debug)]
enum ReviewFocus {
    Plan,
    Field {
        what: FieldPurpose,
        field: TextArea,
    },
    Outline {
        at: usize,
    },
    Help {
        top: usize,
    },
    Details {
        top: usize,
    },
    /// The steps with their answers: the selected one, and its rows that are scrolled off (PC-11).
    Steps {
        at: usize,
        skip: usize,
    },
    /// A list of models, efforts or budgets (PC-12).
    Terms(TermsMenu),
    /// The page of a rehearsal (RH-2).
    Rehearsal(RehearsalPage),
}

/// Purpose of the open text field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldPurpose {
    Comment {
        first: usize,
        last: usize,
    },
    Note,
    /// Feedback for "request changes": Enter sends it.
    Feedback,
    Find,
    /// The budget as an amount: Enter saves it.
    Budget,
}

#[derive(Debug, Clone)]
struct UndoStep {
    edited: Option<String>,
    remarks: Vec<ReviewComment>,
    cursor: usize,
}

/// Compares the plan with an earlier text.
#[derive(Debug)]
struct PlanComparison {
    bases: Vec<ComparisonBase>,
    /// Index of the base in use. One past the end: the submitted plan, before the user's edits.
    base: usize,
    changes: PlanChanges,
    display: DiffDisplay,
}

/// The user's answer so far, besides the edited plan.
#[derive(Debug)]
struct ReplyDraft {
    comments: Vec<ReviewComment>,
    earlier_comments: Vec<EarlierComment>,
    note: String,
    feedback: String,
    clear_context: bool,
    terms: ReviewTerms,
}

#[derive(Debug)]
pub struct PlanReview {
    subject: ReviewSubject,
    slots: Vec<ChoiceSlot>,
    theme: Theme,
    highlighter: Option<Highlighter>,
    source: PlanSource,
    edited: Option<String>,
    /// What the program understood of the plan with the user's edits (PC-4).
    contract: Option<PlanContract>,
    undo: Vec<UndoStep>,
    comparison: PlanComparison,
    reply: ReplyDraft,
    arming: ChoiceArming,
    focus: ReviewFocus,
    search: Option<String>,
    notice: Option<String>,
    anchor: Option<usize>,
    /// Set while the external editor is open, for the field or for the plan.
    edit_target: Option<EditTarget>,
    draft_file: ReviewDraftFile,
    viewport: viewport::PlanViewport,
    /// Vim's keys in text fields, if the user wants them (DU-7).
    vim: Option<VimState>,
    rehearsals: ReviewRehearsals,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EditTarget {
    Plan,
    Field,
}

impl PlanReview {
    pub fn open(subject: ReviewSubject, theme: Theme, highlighter: Option<Highlighter>) -> PlanReview {
        let found = comments::load_review(&subject);
        let record = found.record;
        let mut review = PlanReview {
            slots: choices::choice_slots(&subject.request),
            theme,
            highlighter,
            source: PlanSource::new(""),
            edited: record.edited.filter(|text| Some(text) != subject.request.plan.as_ref()),
            contract: subject.request.contract.clone(),
            undo: Vec::new(),
            comparison: PlanComparison {
                bases: found.bases,
                base: 0,
                changes: PlanChanges::default(),
                display: DiffDisplay::Bars,
            },
            reply: ReplyDraft {
                comments: record.remarks,
                earlier_comments: found.earlier,
                note: record.note,
                feedback: record.feedback,
                clear_context: false,
                terms: record.terms,
            },
            arming: ChoiceArming {
                choice: None,
                since: None,
                last_letter_at: None,
                key_at: None,
                guard: KeyGuard::for_review(),
                active_keys: ActiveKeys::default(),
            },
            focus: ReviewFocus::Plan,
            search: None,
            notice: found.notice,
            anchor: None,
            edit_target: None,
            draft_file: found.drafts,
            viewport: viewport::PlanViewport::default(),
            vim: None,
            rehearsals: ReviewRehearsals::new(subject.rehearsals.clone()),
            subject,
        };
        if review.edited.is_some() {
            review.read_contract();
            // A restored edit can be undone like one made in this review.
            review.undo.push(UndoStep { edited: None, remarks: review.reply.comments.clone(), cursor: 0 });
        }
        review.refresh_source();
        review
    }

    /// Uses vim's keys in text fields (DU-7).
    pub fn with_vim(mut self, on: bool) -> PlanReview {
        self.vim = on.then(VimState::default);
        self
    }

    /// Id of the request that this review answers.
    pub fn ask_id(&self) -> &str {
        &self.subject.request.ask_id
    }

    /// The plan text with the user's edits.
    fn plan_text(&self) -> &str {
        self.edited.as_deref().or(self.subject.request.plan.as_deref()).unwrap_or_default()
    }

    fn refresh_source(&mut self) {
        let mut source = PlanSource::new(self.plan_text());
        if let Some(highlighter) = &self.highlighter {
            source.start_highlighting(highlighter, &self.theme);
        }
        self.source = source;
        self.viewport.cursor = self.viewport.cursor.min(self.last_line());
        self.anchor = None;
        self.refresh_changes();
    }

    fn refresh_changes(&mut self) {
        self.comparison.changes = match self.current_base() {
            Some((_, base)) => PlanChanges::between(base, self.plan_text()),
            None => PlanChanges::default(),
        };
        self.viewport.clear_cache();
    }

    /// Label and text of the base that the plan is compared with.
    fn current_base(&self) -> Option<(&str, &str)> {
        match self.comparison.bases.get(self.comparison.base) {
            Some(base) => Some((&base.label, &base.text)),
            None if self.edited.is_some() => self.subject.request.plan.as_deref().map(|text| ("the submission", text)),
            None => None,
        }
    }

    fn last_line(&self) -> usize {
        self.source.len().saturating_sub(1)
    }

    fn current_draft(&self) -> ReviewDraft {
        let mut remarks = self.reply.comments.clone();
        let mut note = self.reply.note.clone();
        let mut feedback = self.reply.feedback.clone();
        // An open field is saved with its current text.
        if let ReviewFocus::Field { what, field } = &self.focus {
            match what {
                FieldPurpose::Comment { first, last } => {
                    comments::set_comment(&mut remarks, *first, *last, field.text(), true)
                }
                FieldPurpose::Note => note = field.text().to_string(),
                FieldPurpose::Feedback => feedback = field.text().to_string(),
                FieldPurpose::Find | FieldPurpose::Budget => {}
            }
        }
        let terms = self.reply.terms.clone();
        ReviewDraft { remarks, note, feedback, edited: self.edited.clone(), terms, sent: false }
    }

    fn save_draft(&mut self, last: bool) {
        let record = self.current_draft();
        if let Err(error) = self.draft_file.save(&record, last) {
            self.notice = Some(format!("comments could not be saved to disk: {error}"));
        }
    }

    fn push_undo(&mut self) {
        let undo = UndoStep {
            edited: self.edited.clone(),
            remarks: self.reply.comments.clone(),
            cursor: self.viewport.cursor,
        };
        self.undo.push(undo);
        if self.undo.len() > 100 {
            self.undo.remove(0);
        }
    }

    /// Replaces the plan text. Comments follow their lines and are removed with them.
    /// Returns a text that says how many comments were removed.
    fn replace_plan(&mut self, text: String, moved: &LineMap) -> String {
        self.push_undo();
        let before = self.reply.comments.len();
        self.reply.comments.retain_mut(|remark| match moved.map_range(remark.first, remark.last) {
            Some(left) => {
                (remark.first, remark.last) = left;
                true
            }
            None => false,
        });
        let gone = match before - self.reply.comments.len() {
            0 => String::new(),
            1 => ", with the comment on it".to_string(),
            more => format!(", with {} on them", text::count_noun(more, "comment")),
        };
        for earlier in &mut self.reply.earlier_comments {
            let (line, same) = moved.map_line(earlier.line);
            (earlier.line, earlier.unchanged) = (line, earlier.unchanged && same);
        }
        self.edited = Some(text).filter(|text| Some(text) != self.subject.request.plan.as_ref());
        // After an edit, show the user's own changes.
        self.comparison.base = if self.edited.is_some() { self.comparison.bases.len() } else { 0 };
        self.read_contract();
        self.refresh_source();
        self.save_draft(true);
        gone
    }

    fn attachments(&self) -> AnswerAttachments {
        AnswerAttachments {
            edited: self.edited.clone(),
            comments: comments::to_answer_comments(&self.reply.comments),
            note: self.reply.note.clone(),
            feedback: self.reply.feedback.clone(),
            clear_context: self.reply.clear_context,
            terms: self.reply.terms.clone(),
        }
    }

    fn send_answer(&mut self, answer: PlanAnswer) -> OverlayOutcome {
        self.focus = ReviewFocus::Plan;
        let record = ReviewDraft { sent: true, ..self.current_draft() };
        if let Err(error) = self.draft_file.save(&record, true) {
            tracing::warn!("could not save the review: {error}");
        }
        OverlayOutcome::Answer(Box::new(answer))
    }

    /// Handles a key outside text fields: the open panel or page takes it, else the plan.
    fn focused_key(&mut self, key: KeyEvent, may_answer: bool, now: Instant) -> OverlayOutcome {
        match self.focus {
            ReviewFocus::Steps { at, skip } => return self.steps_key((at, skip), key, may_answer, now),
            ReviewFocus::Terms(menu) => return self.terms_key(menu, key),
            ReviewFocus::Rehearsal(page) if self.arming.choice.is_some() => {
                return self.armed_apply_key(page, key, now);
            }
            ReviewFocus::Rehearsal(page) => return self.rehearsal_key(page, key, may_answer),
            _ => {}
        }
        // During a search, n and N jump to the next and previous match.
        if let (Some(_), KeyCode::Char(c @ ('n' | 'N')), ReviewFocus::Plan) = (&self.search, key.code, &self.focus)
            && !key.modifiers.contains(KeyModifiers::CONTROL)
        {
            return self.find_next(c == 'n');
        }
        let Some(action) = keys::action_for_key(key) else { return OverlayOutcome::Nothing };
        if !matches!(self.focus, ReviewFocus::Plan) {
            self.arming.last_letter_at = None;
            return self.panel_key(action);
        }
        // A held key repeats. Only a real press may choose or confirm.
        let held =
            key.kind == KeyEventKind::Repeat && matches!(action, ReviewAction::Confirm | ReviewAction::Choose(_));
        if held || !(may_answer || action.allowed_before_ready()) {
            return OverlayOutcome::Nothing;
        }
        self.run_action(action, now)
    }

    fn run_action(&mut self, action: ReviewAction, now: Instant) -> OverlayOutcome {
        match action {
            ReviewAction::Up
            | ReviewAction::Down
            | ReviewAction::PageUp
            | ReviewAction::PageDown
            | ReviewAction::First
            | ReviewAction::Last => self.scroll(action),
            ReviewAction::PreviousHeading
            | ReviewAction::NextHeading
            | ReviewAction::PreviousChange
            | ReviewAction::NextChange => self.jump(action),
            ReviewAction::Outline => self.open_outline(),
            ReviewAction::Find => {
                self.focus = ReviewFocus::Field { what: FieldPurpose::Find, field: TextArea::default() }
            }
            ReviewAction::Comment => return self.open_comment(),
            ReviewAction::Select => self.anchor = if self.anchor.is_some() { None } else { Some(self.viewport.cursor) },
            ReviewAction::Note => {
                self.focus =
                    ReviewFocus::Field { what: FieldPurpose::Note, field: TextArea::new(self.reply.note.clone()) }
            }
            ReviewAction::Edit => return self.open_editor(),
            ReviewAction::Browser => {
                self.notice = Some("the plan opens in your browser; the first answer wins".into());
                return OverlayOutcome::OpenBrowser;
            }
            ReviewAction::DropLines => self.drop_lines(),
            ReviewAction::Undo => self.undo_last(),
            ReviewAction::Diff => self.cycle_diff_display(),
            ReviewAction::Base => self.next_base(),
            ReviewAction::Rehearse => return self.open_rehearsals(),
            ReviewAction::Copy => return self.copy_lines(self.selected_lines()),
            ReviewAction::CopyAll => return self.copy_lines((0, self.last_line())),
            ReviewAction::Details => self.focus = ReviewFocus::Details { top: 0 },
            ReviewAction::Steps => self.open_steps(),
            ReviewAction::Model => self.open_terms(TermsMenu::Model),
            ReviewAction::Effort => self.open_terms(TermsMenu::Effort),
            ReviewAction::Budget => self.open_terms(TermsMenu::Budget),
            ReviewAction::Help => self.focus = ReviewFocus::Help { top: 0 },
            ReviewAction::Confirm => return self.confirm_choice(now),
            ReviewAction::Escape => return self.disarm_or_close(),
            ReviewAction::Choose(digit) => return self.arm_choice(digit, now),
        }
        OverlayOutcome::Redraw
    }

    fn disarm_or_close(&mut self) -> OverlayOutcome {
        if self.arming.choice.take().is_some() || self.anchor.take().is_some() || self.search.take().is_some() {
            return OverlayOutcome::Redraw;
        }
        self.save_draft(true);
        OverlayOutcome::Dismiss
    }

    fn open_comment(&mut self) -> OverlayOutcome {
        if self.source.len() == 0 {
            return OverlayOutcome::Nothing;
        }
        let (first, last) = self.selected_lines();
        let known = self.reply.comments.iter().find(|remark| match self.anchor {
            Some(_) => (remark.first, remark.last) == (first, last),
            None => (remark.first..=remark.last).contains(&first),
        });
        let (first, last) = known.map_or((first, last), |remark| (remark.first, remark.last));
        let words = known.map(|remark| remark.edit.as_ref().unwrap_or(&remark.text).clone());
        let field = TextArea::new(words.unwrap_or_default());
        self.anchor = None;
        self.viewport.cursor = last;
        self.focus = ReviewFocus::Field { what: FieldPurpose::Comment { first, last }, field };
        OverlayOutcome::Redraw
    }

    fn open_editor(&mut self) -> OverlayOutcome {
        if self.subject.request.plan.is_none() {
            return OverlayOutcome::Nothing;
        }
        self.edit_target = Some(EditTarget::Plan);
        OverlayOutcome::Editor { text: self.plan_text().to_string(), suffix: ".md" }
    }

    fn drop_lines(&mut self) {
        if self.source.len() == 0 {
            return;
        }
        let (first, last) = self.selected_lines();
        let kept = self.plan_text().split_inclusive('\n').enumerate().filter(|(at, _)| !(first..=last).contains(at));
        let text: String = kept.map(|(_, line)| line).collect();
        if cutonce_core::plan::has_content(&text) {
            let moved = LineMap::after_drop(self.source.len(), first, last);
            let gone = self.replace_plan(text, &moved);
            self.notice = Some(format!("{} dropped{gone} · u undoes", text::count_noun(last - first + 1, "line")));
        } else {
            self.notice = Some("the plan can't be empty: nothing was dropped".into());
        }
    }

    fn undo_last(&mut self) {
        let Some(undo) = self.undo.pop() else {
            self.notice = Some("nothing to undo".into());
            return;
        };
        (self.edited, self.reply.comments) = (undo.edited, undo.remarks);
        self.comparison.base = if self.edited.is_some() { self.comparison.bases.len() } else { 0 };
        self.viewport.cursor = undo.cursor;
        self.read_contract();
        self.refresh_source();
        self.save_draft(true);
    }

    fn cycle_diff_display(&mut self) {
        if self.current_base().is_none() {
            self.notice = Some("this is the first submission: nothing to compare with".into());
            return;
        }
        self.comparison.display = match self.comparison.display {
            DiffDisplay::Bars => DiffDisplay::ChangedWords,
            DiffDisplay::ChangedWords => DiffDisplay::Off,
            DiffDisplay::Off => DiffDisplay::Bars,
        };
        self.viewport.clear_cache();
    }

    fn next_base(&mut self) {
        let all = self.comparison.bases.len() + usize::from(self.edited.is_some());
        self.comparison.base = if all == 0 { 0 } else { (self.comparison.base + 1) % all };
        if self.comparison.display == DiffDisplay::Off {
            self.comparison.display = DiffDisplay::Bars;
        }
        self.refresh_changes();
        self.notice = Some(match self.current_base() {
            Some((label, _)) => format!("compared with {label}"),
            None => "this is the first submission: nothing to compare with".into(),
        });
    }

    fn copy_lines(&mut self, (first, last): (usize, usize)) -> OverlayOutcome {
        let lines: Vec<&str> = (first..=last).map(|line| self.source.line(line)).collect();
        let copied = lines.join("\n");
        self.notice = Some(format!("{} copied", text::count_noun(lines.len(), "line")));
        self.anchor = None;
        OverlayOutcome::Copy(copied)
    }

    /// The selected lines, or the one under the cursor.
    fn selected_lines(&self) -> (usize, usize) {
        let anchor = self.anchor.unwrap_or(self.viewport.cursor);
        (anchor.min(self.viewport.cursor), anchor.max(self.viewport.cursor))
    }

    fn field_key(&mut self, key: KeyEvent, now: Instant) -> OverlayOutcome {
        let ReviewFocus::Field { what, field } = &mut self.focus else { return OverlayOutcome::Nothing };
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if self.vim.as_mut().is_some_and(|vim| vim.on_key(key, field).is_some()) {
            self.field_changed();
            return OverlayOutcome::Redraw;
        }
        match key.code {
            KeyCode::Esc => return self.leave_field(false),
            KeyCode::Char('c') if control => return self.leave_field(false),
            KeyCode::Enter if key.modifiers.is_empty() => {
                if *what != FieldPurpose::Feedback {
                    return self.leave_field(true);
                }
                self.reply.feedback = field.text().to_string();
                return self.confirm_choice(now);
            }
            KeyCode::Char('g') if control && !matches!(what, FieldPurpose::Find | FieldPurpose::Budget) => {
                let text = field.text().to_string();
                self.edit_target = Some(EditTarget::Field);
                return OverlayOutcome::Editor { text, suffix: ".md" };
            }
            _ => {}
        }
        if !field.handle_key(key) {
            return OverlayOutcome::Nothing;
        }
        self.field_changed();
        OverlayOutcome::Redraw
    }

    /// Updates the search or saves the draft after the field's text changed.
    fn field_changed(&mut self) {
        let ReviewFocus::Field { what, field } = &self.focus else { return };
        if *what == FieldPurpose::Budget {
            return;
        }
        if *what == FieldPurpose::Find {
            self.search = Some(field.text().to_string()).filter(|words| !words.is_empty());
            self.find_from(self.viewport.cursor, true);
        } else {
            self.save_draft(false);
        }
    }

    fn leave_field(&mut self, done: bool) -> OverlayOutcome {
        let ReviewFocus::Field { what, field } = std::mem::replace(&mut self.focus, ReviewFocus::Plan) else {
            return OverlayOutcome::Nothing;
        };
        self.vim = self.vim.as_ref().map(|_| VimState::default());
        // The key that opened the field was a command, not the start of a sentence.
        self.arming.last_letter_at = None;
        let words = field.text().to_string();
        match what {
            FieldPurpose::Comment { first, last } => {
                self.push_undo();
                comments::set_comment(&mut self.reply.comments, first, last, &words, !done);
            }
            FieldPurpose::Note => self.reply.note = words,
            FieldPurpose::Feedback => {
                self.reply.feedback = words;
                self.arming.choice = None;
            }
            FieldPurpose::Find if !done => self.search = None,
            FieldPurpose::Budget if done => self.set_budget(&words),
            FieldPurpose::Find | FieldPurpose::Budget => {}
        }
        if what != FieldPurpose::Find {
            self.save_draft(true);
        }
        OverlayOutcome::Redraw
    }
}

impl Overlay for PlanReview {
    fn on_key(&mut self, key: KeyEvent, now: Instant) -> OverlayOutcome {
        if key.kind == KeyEventKind::Release || !self.arming.guard.is_drawn() {
            return OverlayOutcome::Nothing;
        }
        let may_answer = self.arming.guard.accept_key(now);
        self.arming.key_at = Some(now);
        self.notice = None;
        if matches!(self.focus, ReviewFocus::Field { .. }) {
            return self.field_key(key, now);
        }
        let disarmed = self.disarm_on_letter(key, now);
        match self.focused_key(key, may_answer, now) {
            OverlayOutcome::Nothing if disarmed => OverlayOutcome::Redraw,
            outcome => outcome,
        }
    }

    fn on_paste(&mut self, text: &str, now: Instant) -> OverlayOutcome {
        self.arming.guard.accept_key(now);
        match &mut self.focus {
            ReviewFocus::Field { field, .. } => {
                field.insert_limited(text);
                self.field_changed();
                OverlayOutcome::Redraw
            }
            ReviewFocus::Plan
            | ReviewFocus::Outline { .. }
            | ReviewFocus::Help { .. }
            | ReviewFocus::Details { .. }
            | ReviewFocus::Steps { .. }
            | ReviewFocus::Terms(_)
            | ReviewFocus::Rehearsal(_) => OverlayOutcome::Nothing,
        }
    }

    fn on_editor_closed(&mut self, text: Result<String, ExternalEditError>, _now: Instant) -> OverlayOutcome {
        self.arming.last_letter_at = None;
        match (self.edit_target.take(), text) {
            (None, _) => return OverlayOutcome::Nothing,
            (_, Err(why)) => self.notice = Some(format!("plan not changed: {}", text::one_line(&why.to_string()))),
            (Some(EditTarget::Field), Ok(text)) => {
                if let ReviewFocus::Field { field, .. } = &mut self.focus {
                    *field = TextArea::new(text.trim_end_matches('\n'));
                    self.field_changed();
                }
            }
            (Some(EditTarget::Plan), Ok(text)) if text == self.plan_text() => {
                self.notice = Some("nothing changed".into())
            }
            (Some(EditTarget::Plan), Ok(text)) if !cutonce_core::plan::has_content(&text) => {
                self.notice = Some("the plan can't be empty: your edit was not applied".into());
            }
            (Some(EditTarget::Plan), Ok(text)) => {
                let moved = LineMap::between(self.plan_text(), &text);
                let gone = self.replace_plan(text, &moved);
                self.comparison.display = if self.comparison.display == DiffDisplay::Off {
                    DiffDisplay::Bars
                } else {
                    self.comparison.display
                };
                let told = match gone.is_empty() {
                    true => "your edit goes with whatever you choose",
                    false => "comments on removed lines were deleted",
                };
                self.notice = Some(format!("{told} · u undoes"));
            }
        }
        OverlayOutcome::Redraw
    }

    fn draw(&mut self, frame: &mut ratatui::Frame<'_>, area: ratatui::layout::Rect, now: Instant) {
        self.arming.guard.mark_drawn(now);
        self.notice = self.rehearsals.take_notice().or(self.notice.take());
        let past = |at: Option<Instant>| at.is_some_and(|at| now >= at);
        self.arming.active_keys = ActiveKeys {
            digits_arm: past(self.arming.guard.ready_at()),
            enter_confirms: past(self.confirm_ready_at()),
        };
        layout::draw(self, frame, area);
    }

    fn guide_place(&self) -> Option<GuidePlace> {
        Some(match self.focus {
            ReviewFocus::Rehearsal(page) if self.shows_running(page) => GuidePlace::RehearsalRuns,
            ReviewFocus::Rehearsal(_) => GuidePlace::RehearsalResult,
            _ => GuidePlace::Review,
        })
    }

    /// Time of the next frame that shows keys as active. That frame is drawn without waiting for a key.
    fn next_tick(&self) -> Option<Instant> {
        let chooses = self.arming.guard.ready_at().filter(|_| !self.arming.active_keys.digits_arm);
        let confirms = self.confirm_ready_at().filter(|_| !self.arming.active_keys.enter_confirms);
        chooses.into_iter().chain(confirms).min()
    }

    fn on_tick(&mut self, _now: Instant) -> OverlayOutcome {
        OverlayOutcome::Redraw
    }
}

#[cfg(test)]
mod tests;
