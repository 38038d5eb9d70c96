//! The plan review (UI-6, PM-74, PM-84, PM-87): the plan, what changed in it, what the person says to it, and the choices.
//!
//! Pure state: keys and the time come in, an `Outcome` comes out. Nothing is chosen but by a digit that arms a choice and an
//! Enter that confirms it; a paste never answers; inside a field everything is text.

mod changes;
mod choices;
mod drafts;
mod draw;
pub(crate) mod field;
mod foot;
mod head;
mod keys;
mod moves;
mod panel;
mod remarks;
mod source;

use crate::dialog::{Guard, QUIET};
use crate::highlight::Highlighter;
use crate::overlay::{Outcome, Overlay};
use crate::text;
use crate::theme::Theme;
use changes::{Changes, Moved};
use choices::{Along, Pick, Slot};
use cutonce_core::approval::{Answer, ChoiceKey, Request};
use drafts::{Drafts, Record, Remark};
use field::Field;
use keys::Action;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use remarks::Earlier;
use source::Source;
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub use keys::KEYS;

/// A digit and Enter closer together than this were not pressed.
const PASTED: Duration = Duration::from_millis(50);

/// A request as it came, and what the face knows beside it.
#[derive(Debug, Clone)]
pub struct Subject {
    pub request: Request,
    /// The text of the last submission.
    pub previous: Option<String>,
    /// What the person had written when the plan changed under them (PM-84).
    pub draft: Option<Answer>,
    /// The cutonce home: revisions are read there and comments are kept there.
    pub home: Option<PathBuf>,
    /// The share of the context in use, in percent.
    pub context: Option<u8>,
    /// What the session cost so far, as shown.
    pub cost: Option<String>,
}

/// How changes are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Show {
    Bars,
    Words,
    Off,
}

/// A text to compare with.
#[derive(Debug, Clone)]
struct Base {
    label: String,
    text: String,
}

#[derive(Debug)]
enum Focus {
    Plan,
    Field { what: What, field: Field },
    Outline { at: usize },
    Help { top: usize },
    About { top: usize },
}

/// What a field is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Comment {
        first: usize,
        last: usize,
    },
    Note,
    /// Keep planning is armed: Enter sends it.
    Feedback,
    Find,
}

#[derive(Debug, Clone)]
struct Undo {
    edited: Option<String>,
    remarks: Vec<Remark>,
    cursor: usize,
}

#[derive(Debug)]
pub struct Review {
    subject: Subject,
    slots: Vec<Slot>,
    theme: Theme,
    highlighter: Option<Highlighter>,
    source: Source,
    edited: Option<String>,
    undo: Vec<Undo>,
    bases: Vec<Base>,
    base: usize,
    changes: Changes,
    show: Show,
    remarks: Vec<Remark>,
    earlier: Vec<Earlier>,
    note: String,
    feedback: String,
    clear: bool,
    armed: Option<ChoiceKey>,
    armed_at: Option<Instant>,
    /// When a letter was typed last.
    letter_at: Option<Instant>,
    focus: Focus,
    find: Option<String>,
    notice: Option<String>,
    anchor: Option<usize>,
    /// The editor was asked for: for the field, or for the plan.
    editing: Option<Editing>,
    guard: Guard,
    shown: Shown,
    drafts: Drafts,
    view: moves::View,
}

/// What the last frame told of which keys count: a person, like a test, need not guess (PM-74).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Shown {
    /// A digit may arm a choice.
    chooses: bool,
    /// Enter would confirm the armed one.
    confirms: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Editing {
    Plan,
    Field,
}

impl Review {
    pub fn open(subject: Subject, theme: Theme, highlighter: Option<Highlighter>) -> Review {
        let found = remarks::gather(&subject);
        let record = found.record;
        let mut review = Review {
            slots: choices::slots(&subject.request),
            theme,
            highlighter,
            source: Source::new(""),
            edited: record.edited.filter(|text| Some(text) != subject.request.plan.as_ref()),
            undo: Vec::new(),
            bases: found.bases,
            base: 0,
            changes: Changes::default(),
            show: Show::Bars,
            remarks: record.remarks,
            earlier: found.earlier,
            note: record.note,
            feedback: record.feedback,
            clear: false,
            armed: None,
            armed_at: None,
            letter_at: None,
            focus: Focus::Plan,
            find: None,
            notice: found.notice,
            anchor: None,
            editing: None,
            guard: Guard::of_review(),
            shown: Shown::default(),
            drafts: found.drafts,
            view: moves::View::default(),
            subject,
        };
        if review.edited.is_some() {
            // An edit that came along can be undone like one that is made here.
            review.undo.push(Undo { edited: None, remarks: review.remarks.clone(), cursor: 0 });
        }
        review.text_changed();
        review
    }

    /// The request whose answer this is for.
    pub fn ask_id(&self) -> &str {
        &self.subject.request.ask_id
    }

    /// The plan as it would be answered: with the person's edits.
    fn text(&self) -> &str {
        self.edited.as_deref().or(self.subject.request.plan.as_deref()).unwrap_or_default()
    }

    fn text_changed(&mut self) {
        let mut source = Source::new(self.text());
        if let Some(highlighter) = &self.highlighter {
            source.colour(highlighter, &self.theme);
        }
        self.source = source;
        self.view.cursor = self.view.cursor.min(self.last_line());
        self.anchor = None;
        self.compare();
    }

    fn compare(&mut self) {
        self.changes = match self.base_shown() {
            Some((_, base)) => Changes::between(base, self.text()),
            None => Changes::default(),
        };
        self.view.forget();
    }

    /// What the plan is compared with: its name and its text.
    fn base_shown(&self) -> Option<(&str, &str)> {
        match self.bases.get(self.base) {
            Some(base) => Some((&base.label, &base.text)),
            None if self.edited.is_some() => self.subject.request.plan.as_deref().map(|text| ("the submission", text)),
            None => None,
        }
    }

    fn last_line(&self) -> usize {
        self.source.len().saturating_sub(1)
    }

    fn record(&self) -> Record {
        let mut remarks = self.remarks.clone();
        let mut note = self.note.clone();
        let mut feedback = self.feedback.clone();
        // A field that is open is saved as it stands.
        if let Focus::Field { what, field } = &self.focus {
            match what {
                What::Comment { first, last } => remarks::put(&mut remarks, *first, *last, field.text(), true),
                What::Note => note = field.text().to_string(),
                What::Feedback => feedback = field.text().to_string(),
                What::Find => {}
            }
        }
        Record { remarks, note, feedback, edited: self.edited.clone(), sent: false }
    }

    fn save(&mut self, last: bool) {
        let record = self.record();
        if let Err(error) = self.drafts.save(&record, last) {
            self.notice = Some(format!("comments can't be kept on disk: {error}"));
        }
    }

    fn remember(&mut self) {
        let undo = Undo { edited: self.edited.clone(), remarks: self.remarks.clone(), cursor: self.view.cursor };
        self.undo.push(undo);
        if self.undo.len() > 100 {
            self.undo.remove(0);
        }
    }

    /// The plan gets another text; comments stay with their lines, and go with them. How many went, in words.
    fn change(&mut self, text: String, moved: &Moved) -> String {
        self.remember();
        let before = self.remarks.len();
        self.remarks.retain_mut(|remark| match moved.range(remark.first, remark.last) {
            Some(left) => {
                (remark.first, remark.last) = left;
                true
            }
            None => false,
        });
        let gone = match before - self.remarks.len() {
            0 => String::new(),
            1 => ", with the comment on it".to_string(),
            more => format!(", with {} on them", text::counted(more, "comment")),
        };
        for earlier in &mut self.earlier {
            let (line, same) = moved.line(earlier.line);
            (earlier.line, earlier.unchanged) = (line, earlier.unchanged && same);
        }
        self.edited = Some(text).filter(|text| Some(text) != self.subject.request.plan.as_ref());
        // What the person changed is what they want to see.
        self.base = if self.edited.is_some() { self.bases.len() } else { 0 };
        self.text_changed();
        self.save(true);
        gone
    }

    fn along(&self) -> Along {
        Along {
            edited: self.edited.clone(),
            comments: remarks::comments(&self.remarks),
            note: self.note.clone(),
            feedback: self.feedback.clone(),
            clear: self.clear,
        }
    }

    fn confirm(&mut self, now: Instant) -> Outcome {
        let Some(key) = self.armed else { return Outcome::Nothing };
        // Terminals without bracketed paste send a paste as keys: no person is that quick.
        if self.confirms_at().is_some_and(|at| now < at) {
            return Outcome::Nothing;
        }
        let answer = choices::answer(&self.subject.request, key, self.along());
        self.focus = Focus::Plan;
        let record = Record { sent: true, ..self.record() };
        if let Err(error) = self.drafts.save(&record, true) {
            tracing::warn!("the review can't be kept: {error}");
        }
        Outcome::Answer(Box::new(answer))
    }

    /// From when on Enter confirms what is armed.
    fn confirms_at(&self) -> Option<Instant> {
        self.armed.and(self.armed_at).map(|armed| armed + PASTED)
    }

    /// Somebody begins a sentence in the wrong place: its letters take back what its digit armed, and what comes right behind
    /// them arms nothing. Arrows and pages do neither.
    fn letter(&mut self, key: KeyEvent, now: Instant) -> bool {
        let typed = crate::keymap::typed(key).is_some_and(|c| !c.is_ascii_digit());
        if typed {
            self.letter_at = Some(now);
        }
        typed && self.armed.take().is_some()
    }

    fn choose(&mut self, digit: char, now: Instant) -> Outcome {
        if self.letter_at.is_some_and(|letter| now < letter + QUIET) {
            self.notice = Some("that came right behind a letter: press it again".into());
            return Outcome::Redraw;
        }
        let Some(slot) = self.slots.iter().find(|slot| slot.digit == digit) else { return Outcome::Nothing };
        match slot.pick {
            Pick::Switch => self.clear = !self.clear,
            Pick::Choice(key) => {
                (self.armed, self.armed_at, self.shown.confirms) = (Some(key), Some(now), false);
                if key == ChoiceKey::KeepPlanning {
                    self.focus = Focus::Field { what: What::Feedback, field: Field::new(self.feedback.clone()) };
                }
            }
        }
        Outcome::Redraw
    }

    fn act(&mut self, action: Action, now: Instant) -> Outcome {
        match action {
            Action::Up | Action::Down | Action::PageUp | Action::PageDown | Action::First | Action::Last => {
                self.scroll(action)
            }
            Action::HeadingBack | Action::HeadingNext | Action::ChangeBack | Action::ChangeNext => self.jump(action),
            Action::Outline => self.open_outline(),
            Action::Find => self.focus = Focus::Field { what: What::Find, field: Field::default() },
            Action::Comment => return self.open_comment(),
            Action::Select => self.anchor = if self.anchor.is_some() { None } else { Some(self.view.cursor) },
            Action::Note => self.focus = Focus::Field { what: What::Note, field: Field::new(self.note.clone()) },
            Action::Edit => return self.open_editor(),
            Action::Drop => self.drop_lines(),
            Action::Undo => self.step_back(),
            Action::Diff => self.cycle_show(),
            Action::Base => self.next_base(),
            Action::Copy => return self.copy(self.selected()),
            Action::CopyAll => return self.copy((0, self.last_line())),
            Action::About => self.focus = Focus::About { top: 0 },
            Action::Help => self.focus = Focus::Help { top: 0 },
            Action::Confirm => return self.confirm(now),
            Action::Escape => return self.escape(),
            Action::Choose(digit) => return self.choose(digit, now),
        }
        Outcome::Redraw
    }

    fn escape(&mut self) -> Outcome {
        if self.armed.take().is_some() || self.anchor.take().is_some() || self.find.take().is_some() {
            return Outcome::Redraw;
        }
        self.save(true);
        Outcome::Escape
    }

    fn open_comment(&mut self) -> Outcome {
        if self.source.len() == 0 {
            return Outcome::Nothing;
        }
        let (first, last) = self.selected();
        let known = self.remarks.iter().find(|remark| match self.anchor {
            Some(_) => (remark.first, remark.last) == (first, last),
            None => (remark.first..=remark.last).contains(&first),
        });
        let (first, last) = known.map_or((first, last), |remark| (remark.first, remark.last));
        let words = known.map(|remark| remark.edit.as_ref().unwrap_or(&remark.text).clone());
        let field = Field::new(words.unwrap_or_default());
        self.anchor = None;
        self.view.cursor = last;
        self.focus = Focus::Field { what: What::Comment { first, last }, field };
        Outcome::Redraw
    }

    fn open_editor(&mut self) -> Outcome {
        if self.subject.request.plan.is_none() {
            return Outcome::Nothing;
        }
        self.editing = Some(Editing::Plan);
        Outcome::Editor { text: self.text().to_string(), suffix: ".md" }
    }

    fn drop_lines(&mut self) {
        if self.source.len() == 0 {
            return;
        }
        let (first, last) = self.selected();
        let kept = self.text().split_inclusive('\n').enumerate().filter(|(at, _)| !(first..=last).contains(at));
        let text: String = kept.map(|(_, line)| line).collect();
        if cutonce_core::plan::exists(&text) {
            let moved = Moved::dropped(self.source.len(), first, last);
            let gone = self.change(text, &moved);
            self.notice = Some(format!("{} dropped{gone} · u undoes", text::counted(last - first + 1, "line")));
        } else {
            self.notice = Some("a plan without words can't be approved: nothing was dropped".into());
        }
    }

    fn step_back(&mut self) {
        let Some(undo) = self.undo.pop() else {
            self.notice = Some("nothing to undo".into());
            return;
        };
        (self.edited, self.remarks) = (undo.edited, undo.remarks);
        self.base = if self.edited.is_some() { self.bases.len() } else { 0 };
        self.view.cursor = undo.cursor;
        self.text_changed();
        self.save(true);
    }

    fn cycle_show(&mut self) {
        if self.base_shown().is_none() {
            self.notice = Some("this is the first submission: there is nothing to compare with".into());
            return;
        }
        self.show = match self.show {
            Show::Bars => Show::Words,
            Show::Words => Show::Off,
            Show::Off => Show::Bars,
        };
        self.view.forget();
    }

    fn next_base(&mut self) {
        let all = self.bases.len() + usize::from(self.edited.is_some());
        self.base = if all == 0 { 0 } else { (self.base + 1) % all };
        if self.show == Show::Off {
            self.show = Show::Bars;
        }
        self.compare();
        self.notice = Some(match self.base_shown() {
            Some((label, _)) => format!("compared with {label}"),
            None => "this is the first submission: there is nothing to compare with".into(),
        });
    }

    fn copy(&mut self, (first, last): (usize, usize)) -> Outcome {
        let lines: Vec<&str> = (first..=last).map(|line| self.source.line(line)).collect();
        let copied = lines.join("\n");
        self.notice = Some(format!("{} copied", text::counted(lines.len(), "line")));
        self.anchor = None;
        Outcome::Copy(copied)
    }

    /// The selected lines, or the one under the cursor.
    fn selected(&self) -> (usize, usize) {
        let anchor = self.anchor.unwrap_or(self.view.cursor);
        (anchor.min(self.view.cursor), anchor.max(self.view.cursor))
    }

    fn field_key(&mut self, key: KeyEvent, now: Instant) -> Outcome {
        let Focus::Field { what, field } = &mut self.focus else { return Outcome::Nothing };
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return self.leave_field(false),
            KeyCode::Char('c') if control => return self.leave_field(false),
            KeyCode::Enter if key.modifiers.is_empty() => {
                if *what != What::Feedback {
                    return self.leave_field(true);
                }
                self.feedback = field.text().to_string();
                return self.confirm(now);
            }
            KeyCode::Char('g') if control && *what != What::Find => {
                let text = field.text().to_string();
                self.editing = Some(Editing::Field);
                return Outcome::Editor { text, suffix: ".md" };
            }
            _ => {}
        }
        if !field.key(key) {
            return Outcome::Nothing;
        }
        self.typed();
        Outcome::Redraw
    }

    /// A field has another text.
    fn typed(&mut self) {
        let Focus::Field { what, field } = &self.focus else { return };
        if *what == What::Find {
            self.find = Some(field.text().to_string()).filter(|words| !words.is_empty());
            self.find_from(self.view.cursor, true);
        } else {
            self.save(false);
        }
    }

    fn leave_field(&mut self, done: bool) -> Outcome {
        let Focus::Field { what, field } = std::mem::replace(&mut self.focus, Focus::Plan) else {
            return Outcome::Nothing;
        };
        // The letter that opened it began no sentence elsewhere.
        self.letter_at = None;
        let words = field.text().to_string();
        match what {
            What::Comment { first, last } => {
                self.remember();
                remarks::put(&mut self.remarks, first, last, &words, !done);
            }
            What::Note => self.note = words,
            What::Feedback => {
                self.feedback = words;
                self.armed = None;
            }
            What::Find if !done => self.find = None,
            What::Find => {}
        }
        if what != What::Find {
            self.save(true);
        }
        Outcome::Redraw
    }
}

impl Overlay for Review {
    fn key(&mut self, key: KeyEvent, now: Instant) -> Outcome {
        if key.kind == KeyEventKind::Release || !self.guard.is_drawn() {
            return Outcome::Nothing;
        }
        let may_answer = self.guard.counts(now);
        self.notice = None;
        if matches!(self.focus, Focus::Field { .. }) {
            return self.field_key(key, now);
        }
        let taken_back = self.letter(key, now);
        // With a search, n and N go on with it.
        if let (Some(_), KeyCode::Char(c @ ('n' | 'N')), Focus::Plan) = (&self.find, key.code, &self.focus)
            && !key.modifiers.contains(KeyModifiers::CONTROL)
        {
            return self.find_next(c == 'n');
        }
        let Some(action) = keys::action(key) else {
            return if taken_back { Outcome::Redraw } else { Outcome::Nothing };
        };
        if !matches!(self.focus, Focus::Plan) {
            self.letter_at = None;
            return self.panel_key(action);
        }
        // A key that is held down repeats; a choice is made by a press.
        let held = key.kind == KeyEventKind::Repeat && matches!(action, Action::Confirm | Action::Choose(_));
        if held || !(may_answer || action.moves()) {
            return Outcome::Nothing;
        }
        self.act(action, now)
    }

    fn paste(&mut self, text: &str, now: Instant) -> Outcome {
        self.guard.counts(now);
        match &mut self.focus {
            Focus::Field { field, .. } => {
                field.insert(text);
                self.typed();
                Outcome::Redraw
            }
            Focus::Plan | Focus::Outline { .. } | Focus::Help { .. } | Focus::About { .. } => Outcome::Nothing,
        }
    }

    fn edited(&mut self, text: Result<String, String>, _now: Instant) -> Outcome {
        self.letter_at = None;
        match (self.editing.take(), text) {
            (None, _) => return Outcome::Nothing,
            (_, Err(why)) => self.notice = Some(format!("nothing changed: {}", text::one_line(&why))),
            (Some(Editing::Field), Ok(text)) => {
                if let Focus::Field { field, .. } = &mut self.focus {
                    *field = Field::new(text.trim_end_matches('\n'));
                    self.typed();
                }
            }
            (Some(Editing::Plan), Ok(text)) if text == self.text() => self.notice = Some("nothing changed".into()),
            (Some(Editing::Plan), Ok(text)) if !cutonce_core::plan::exists(&text) => {
                self.notice = Some("an empty plan can't be approved: the plan stays as it was".into());
            }
            (Some(Editing::Plan), Ok(text)) => {
                let moved = Moved::between(self.text(), &text);
                let gone = self.change(text, &moved);
                self.show = if self.show == Show::Off { Show::Bars } else { self.show };
                let told = match gone.is_empty() {
                    true => "your edit goes with whatever you choose",
                    false => "comments on removed lines are gone, too",
                };
                self.notice = Some(format!("{told} · u undoes"));
            }
        }
        Outcome::Redraw
    }

    fn draw(&mut self, frame: &mut ratatui::Frame<'_>, now: Instant) {
        self.guard.drawn(now);
        let past = |at: Option<Instant>| at.is_some_and(|at| now >= at);
        self.shown = Shown { chooses: past(self.guard.ready_at()), confirms: past(self.confirms_at()) };
        draw::draw(self, frame);
    }

    /// The frame that says that keys count is due: drawn by itself, not with the next key.
    fn deadline(&self) -> Option<Instant> {
        let chooses = self.guard.ready_at().filter(|_| !self.shown.chooses);
        let confirms = self.confirms_at().filter(|_| !self.shown.confirms);
        chooses.into_iter().chain(confirms).min()
    }

    fn tick(&mut self, _now: Instant) -> Outcome {
        Outcome::Redraw
    }
}

#[cfg(test)]
mod tests;
