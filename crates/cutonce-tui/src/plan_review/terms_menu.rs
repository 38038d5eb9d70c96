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
        TermsMenu::Model => " Model of the implementation",
        TermsMenu::Effort => " Effort of the implementation",
        TermsMenu::Budget => " Budget: then the agent stops and asks",
    };
    let mut rows = text::wrap_plain(title, width, theme.heading);
    let choices = term_rows(review, menu);
    let column = choices.iter().map(|(name, _, _)| text::width(name)).max().unwrap_or_default().min(width / 2);
    for (number, (name, hint, current)) in choices.into_iter().enumerate() {
        let mark = if current { "›" } else { " " };
        let style = if current { theme.strong } else { theme.text };
        let name = text::one_line(&name);
        let first = vec![Span::styled(format!("{mark}{} ", number + 1), theme.accent)];
        let words = vec![
            Span::styled(if hint.is_empty() { name } else { text::pad_to(&name, column) }, style),
            Span::styled(if hint.is_empty() { hint } else { format!("  {hint}") }, theme.dim),
        ];
        rows.extend(text::wrap(&Line::from(words), width, &RowPrefix { first, next: vec![Span::raw("   ")] }));
    }
    let estimate = review.subject.request.estimate.as_ref().filter(|_| menu == TermsMenu::Budget);
    rows.extend(estimate.into_iter().flat_map(|one| text::wrap_plain(&format!(" {}", one.text()), width, theme.dim)));
    rows.into_iter().zip(area.rows()).for_each(|(row, place)| row.render(place, buffer));
}
