//! The contract in one line of the header (PC-10), the findings of the lint (PC-6), and the freshness of the planned
//! files (PC-13).

use super::PlanReview;
use super::header::draw_two_sided;
use super::layout::COLUMNS_MIN_WIDTH;
use crate::render::text;
use cutonce_agent::plan::read_contract;
use cutonce_core::plan::PlanFreshness;
use cutonce_core::plan::approval::{ContractSummary, is_locked};
use cutonce_core::plan::contract::{PlanFinding, PlanStep};
use cutonce_core::settings::plan::PlanLint;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

/// With fewer columns, model, effort and budget are left out.
const MIN_TERMS_WIDTH: usize = 5;

impl PlanReview {
    /// Reads the steps of the plan again after an edit. Answers follow their steps.
    pub(super) fn read_contract(&mut self) {
        let request = &self.subject.request;
        let mut contract = match (&self.edited, &self.subject.project) {
            (None, _) => request.contract.clone(),
            (Some(text), Some(project)) => read_contract(project, text, PlanLint::Show),
            (Some(_), None) => None,
        };
        let known = request.contract.as_ref().map(|known| known.steps.as_slice()).unwrap_or_default();
        for step in contract.iter_mut().flat_map(|contract| &mut contract.steps) {
            let known = known.iter().find(|known| known.title == step.title);
            let is_same = |known: &&PlanStep| {
                is_locked(known)
                    || (&known.files, &known.checks, &known.after) == (&step.files, &step.checks, &step.after)
            };
            step.state = known.filter(is_same).and_then(|known| known.state);
        }
        self.reply.terms.follow_steps(self.contract.as_ref(), contract.as_ref());
        self.contract = contract;
    }

    /// True if the user parked or dropped every step.
    pub(super) fn excludes_all_steps(&self) -> bool {
        self.contract.as_ref().is_some_and(|contract| self.reply.terms.exclude_all(contract))
    }

    /// Findings on a line, zero-based.
    pub(super) fn findings_on(&self, line: usize) -> impl Iterator<Item = &PlanFinding> {
        let findings = self.contract.as_ref().map(|contract| contract.findings.as_slice()).unwrap_or_default();
        findings.iter().filter(move |finding| finding.line as usize == line + 1)
    }

    /// The freshness, if a planned file changed under a step.
    pub(super) fn stale(&self) -> Option<&PlanFreshness> {
        self.subject.request.freshness.as_ref().filter(|freshness| freshness.is_stale())
    }

    /// Lines of the details: what changed under the steps since the plan was submitted, with the diff.
    pub(super) fn contract_files_changed(&self) -> Vec<String> {
        let Some(freshness) = &self.subject.request.freshness else { return Vec::new() };
        let mut lines = vec![freshness.text()];
        for file in &freshness.files {
            let diff = file.diff.as_deref().unwrap_or("(the old content was not kept)");
            lines.extend(diff.lines().map(|line| format!("  {}", text::visible(line))));
        }
        lines
    }
}

/// Rows of the contract in the header: none for a plan without steps (PC-3).
pub fn height(review: &PlanReview) -> u16 {
    u16::from(review.contract.is_some())
}

/// Splits the header into the rows above the contract and the row of the contract.
pub fn split(review: &PlanReview, header: Rect) -> (Rect, Rect) {
    let rows = height(review).min(header.height);
    let above = Rect { height: header.height - rows, ..header };
    (above, Rect { y: header.y + above.height, height: rows, ..header })
}

pub fn draw(review: &PlanReview, area: Rect, buffer: &mut Buffer) {
    let Some(contract) = review.contract.as_ref().filter(|_| area.height > 0) else { return };
    let theme = &review.theme;
    let summary = ContractSummary::new(contract, &review.reply.terms);
    let narrow = area.width < COLUMNS_MIN_WIDTH;
    let mut right = Vec::new();
    if let found @ 1.. = contract.findings.len() {
        let words = if narrow { format!("!{found} ") } else { format!("{} ", text::count_noun(found, "finding")) };
        right.push(Span::styled(words, theme.warning));
    }
    let columns = |spans: &[Span<'_>]| spans.iter().map(|span| text::width(&span.content)).sum::<usize>();
    let room = |right: &[Span<'_>]| usize::from(area.width).saturating_sub(columns(right) + 4);
    let terms = review.reply.terms.describe();
    let variants = summary.variants();
    let fitting = |room: usize| variants.iter().find(|words| text::width(words) <= room).or(variants.last()).cloned();
    // The contract is shown whole; on a narrow screen the terms get what is left, and the confirmation names them.
    let taken = if narrow || terms.is_empty() { 0 } else { text::width(&terms) + 1 };
    let left = fitting(room(&right).saturating_sub(taken)).unwrap_or_default();
    let free = room(&right).saturating_sub(text::width(&left) + 1);
    if !terms.is_empty() && free >= MIN_TERMS_WIDTH {
        right.push(Span::styled(format!("{} ", text::fit(&terms, free)), theme.planning));
    }
    let style = if summary.approved == summary.steps { theme.dim } else { theme.warning };
    draw_two_sided(area, buffer, vec![Span::styled(left, style)], right);
}
