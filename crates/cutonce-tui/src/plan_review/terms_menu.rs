//! Model, effort and budget of the implementation (PC-12): one key opens a list, a digit chooses from it.

use super::keys::{self, ReviewAction};
use super::{FieldPurpose, PlanReview, ReviewFocus};
use crate::overlays::OverlayOutcome;
use crate::render::text::{self, RowPrefix};
use crate::text_area::TextArea;
use cutonce_core::model_request::Effort;
use cutonce_core::plan::approval::OFFERED_BUDGETS;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

const EFFORTS: [Effort; 4] = [Effort::Low, Effort::Medium, Effort::High, Effort::Max];
/// Digits that choose.
const MAX_CHOICES: usize = 9;

/// What the open list is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermsMenu {
    Model,
    Effort,
    Budget,
}

impl PlanReview {
    pub(super) fn open_terms(&mut self, menu: TermsMenu) {
        let refused = match (&self.subject.request.from, &self.contract) {
            (Some(_), _) => Some("a teammate works with its own model, effort and budget"),
            (None, None) if menu == TermsMenu::Budget => Some("a budget needs a plan with steps that can be followed"),
            (None, _) => None,
        };
        match refused {
            Some(why) => self.notice = Some(why.into()),
            None => self.focus = ReviewFocus::Terms(menu),
        }
    }

    pub(super) fn terms_key(&mut self, menu: TermsMenu, key: KeyEvent) -> OverlayOutcome {
        self.arming.last_letter_at = None;
        match (keys::action_for_key(key), key.code) {
            (Some(ReviewAction::Choose(digit)), _) => {
                let Some(at) = digit.to_digit(10).map(|digit| digit as usize - 1) else {
                    return OverlayOutcome::Nothing;
                };
                if at >= term_rows(self, menu).len() {
                    return OverlayOutcome::Nothing;
                }
                self.focus = ReviewFocus::Plan;
                self.choose_term(menu, at);
                self.save_draft(true);
            }
            (Some(ReviewAction::Escape), _) | (_, KeyCode::Char('m' | 'f' | 'b')) => self.focus = ReviewFocus::Plan,
            (Some(ReviewAction::Help), _) => self.focus = ReviewFocus::Help { top: 0 },
            _ => return OverlayOutcome::Nothing,
        }
        OverlayOutcome::Redraw
    }

    fn choose_term(&mut self, menu: TermsMenu, at: usize) {
        let terms = &mut self.reply.terms;
        match (menu, at.checked_sub(1)) {
            (TermsMenu::Model, None) => terms.model = None,
            (TermsMenu::Model, Some(_)) => {
                terms.model = self.subject.models.get(at).map(|model| model.name.clone());
            }
            (TermsMenu::Effort, None) => terms.effort = None,
            (TermsMenu::Effort, Some(at)) => terms.effort = EFFORTS.get(at).copied(),
            (TermsMenu::Budget, None) => terms.budget_usd = None,
            (TermsMenu::Budget, Some(at)) => match OFFERED_BUDGETS.get(at) {
                Some(budget) => terms.budget_usd = Some(*budget),
                None => {
                    self.focus = ReviewFocus::Field { what: FieldPurpose::Budget, field: TextArea::default() };
                }
            },
        }
    }

    pub(super) fn set_budget(&mut self, typed: &str) {
        match self.reply.terms.set_budget(typed) {
            Ok(()) => self.save_draft(true),
            Err(why) => self.notice = Some(why.to_string()),
        }
    }

    /// The model that the implementation would use, with its price, as the confirmation says it.
    pub(super) fn chosen_model(&self) -> Option<String> {
        let name = self.reply.terms.model.as_deref()?;
        let price = self.subject.models.iter().find(|model| model.name == name).map(|model| model.price.as_str());
        Some(format!("{} ({})", text::one_line(name), price.unwrap_or("price not known")))
    }
}

/// The choices: text, hint, and whether it is the current one.
fn term_rows(review: &PlanReview, menu: TermsMenu) -> Vec<(String, String, bool)> {
    let terms = &review.reply.terms;
    let rows: Vec<(String, String, bool)> = match menu {
        TermsMenu::Model => {
            let models = review.subject.models.iter().enumerate();
            let current = |at: usize, name: &str| match &terms.model {
                Some(chosen) => chosen == name,
                None => at == 0,
            };
            models.map(|(at, model)| (model.name.clone(), model.price.clone(), current(at, &model.name))).collect()
        }
        TermsMenu::Effort => {
            let first = [("as now".to_string(), String::new(), terms.effort.is_none())].into_iter();
            first.chain(EFFORTS.map(|one| (one.name().to_string(), String::new(), terms.effort == Some(one)))).collect()
        }
        TermsMenu::Budget => {
            let first = [("no budget".to_string(), String::new(), terms.budget_usd.is_none())].into_iter();
            let amounts =
                OFFERED_BUDGETS.map(|one| (format!("${one:.2}"), String::new(), terms.budget_usd == Some(one)));
            let other = terms.budget_usd.filter(|budget| !OFFERED_BUDGETS.contains(budget));
            let hint = other.map(|budget| format!("now ${budget:.2}")).unwrap_or_default();
            let last = [("another amount …".to_string(), hint, other.is_some())];
            first.chain(amounts).chain(last).collect()
        }
    };
    rows.into_iter().take(MAX_CHOICES).collect()
}

pub fn draw(review: &PlanReview, menu: TermsMenu, area: Rect, buffer: &mut Buffer) {
    let theme = &review.theme;
    let width = usize::from(area.width);
    let title = match menu {
        TermsMenu::Model => " Model · price per million tokens",
        TermsMenu::Effort => " Effort of the implementation",
        TermsMenu::Budget => " Budget: then the agent stops and asks",
    };
    let mut rows = text::wrap_plain(title, width, theme.heading);
    let estimate = review.subject.request.estimate.as_ref().filter(|_| menu == TermsMenu::Budget);
    let estimate = estimate.map(|one| Line::styled(one.text(), theme.dim));
    rows.extend(estimate.iter().flat_map(|one| text::wrap(one, width, &RowPrefix::spaces(1))));
    let choices: Vec<Choice> = term_rows(review, menu).into_iter().enumerate().map(Choice::new).collect();
    let single = choices.iter().flat_map(|choice| choice.rows(review, &choices, width)).collect::<Vec<_>>();
    let fits = rows.len() + single.len() <= usize::from(area.height);
    rows.extend(if fits { single } else { paired_rows(review, &choices, width) });
    rows.into_iter().zip(area.rows()).for_each(|(row, place)| row.render(place, buffer));
}

/// One choice of a list.
struct Choice {
    digit: String,
    name: String,
    hint: String,
    current: bool,
}

impl Choice {
    fn new((number, (name, hint, current)): (usize, (String, String, bool))) -> Choice {
        // The title says what the price is for.
        let hint = hint.replace(" per million tokens", "");
        Choice { digit: (number + 1).to_string(), name: text::one_line(&name), hint, current }
    }

    fn first(&self, review: &PlanReview) -> Span<'static> {
        Span::styled(format!("{}{} ", if self.current { "›" } else { " " }, self.digit), review.theme.accent)
    }

    fn name(&self, review: &PlanReview, column: Option<usize>) -> Span<'static> {
        let style = if self.current { review.theme.strong } else { review.theme.text };
        Span::styled(column.map_or(self.name.clone(), |column| text::pad_to(&self.name, column)), style)
    }

    fn rows(&self, review: &PlanReview, all: &[Choice], width: usize) -> Vec<Line<'static>> {
        let column = all.iter().map(|choice| text::width(&choice.name)).max().unwrap_or_default().min(width / 2);
        let mut words = vec![self.name(review, (!self.hint.is_empty()).then_some(column))];
        if !self.hint.is_empty() {
            words.push(Span::styled(format!("  {}", self.hint), review.theme.dim));
        }
        let prefix = RowPrefix { first: vec![self.first(review)], next: vec![Span::raw("   ")] };
        text::wrap(&Line::from(words), width, &prefix)
    }
}

/// Two choices in a row, for a low screen. A choice with a hint keeps its own row.
fn paired_rows(review: &PlanReview, choices: &[Choice], width: usize) -> Vec<Line<'static>> {
    let (plain, hinted): (Vec<&Choice>, Vec<&Choice>) = choices.iter().partition(|choice| choice.hint.is_empty());
    let pair = |pair: &[&Choice]| {
        let cell = |choice: &&Choice| [choice.first(review), choice.name(review, Some((width / 2).saturating_sub(3)))];
        Line::from(pair.iter().flat_map(cell).collect::<Vec<_>>())
    };
    let alone = hinted.iter().flat_map(|choice| choice.rows(review, choices, width));
    plain.chunks(2).map(pair).chain(alone).collect()
}
