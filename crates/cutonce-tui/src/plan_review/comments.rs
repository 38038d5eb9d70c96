//! Comments: those of this review, those sent with earlier revisions, and unsent drafts.

use super::changes::LineMap;
use super::draft_file::{ReviewComment, ReviewDraft, ReviewDraftFile};
use super::{ComparisonBase, ReviewSubject};
use cutonce_agent::plan::PlanRevisions;
use cutonce_core::plan::approval::{LineComment, ReviewTerms};
use cutonce_core::plan::{self, RevisionOutcome};
use std::path::Path;

/// Number of earlier revisions that are loaded.
const MAX_REVISIONS: usize = 20;

/// A comment that was sent with an answer to an earlier revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierComment {
    pub revision: u32,
    /// Current position of its line, zero-based.
    pub line: usize,
    /// True if the line has not changed since the comment was sent.
    pub unchanged: bool,
    pub text: String,
}

#[derive(Debug)]
pub struct LoadedReview {
    pub record: ReviewDraft,
    pub earlier: Vec<EarlierComment>,
    pub bases: Vec<ComparisonBase>,
    pub drafts: ReviewDraftFile,
    pub notice: Option<String>,
}

/// Collects drafts, earlier comments and base texts for a new review.
pub fn load_review(subject: &ReviewSubject) -> LoadedReview {
    let request = &subject.request;
    let text = request.plan.clone().unwrap_or_default();
    let slug = Path::new(&request.plan_file_path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let of = |sha256: &str| ReviewDraftFile::for_plan(subject.home.as_deref(), slug, sha256);
    let drafts = of(request.sha256.as_deref().unwrap_or_default());
    let mut record = drafts.load().unwrap_or_default();
    let mut earlier = Vec::new();
    if record.sent {
        let said = std::mem::take(&mut record).remarks;
        earlier
            .extend(said.into_iter().map(|remark| to_earlier_comment(remark, request.revision, |line| (line, true))));
    }
    let older = earlier_revisions(subject, slug);
    for (revision, old) in &older {
        let store = of(&revision.sha256);
        let Some(before) = store.load() else { continue };
        let moved = LineMap::between(before.edited.as_deref().unwrap_or(old), &text);
        let (number, sent) = (revision.number, before.sent);
        if sent {
            earlier.extend(
                before
                    .remarks
                    .into_iter()
                    .map(|remark| to_earlier_comment(remark, number, |line| moved.map_line(line))),
            );
        } else if !before.remarks.is_empty() || !before.note.is_empty() {
            // Unsent comments move to the current revision.
            let there = before.remarks.iter().map(|remark| ReviewComment {
                first: moved.map_line(remark.first).0,
                last: moved.map_line(remark.last).0,
                ..remark.clone()
            });
            record.remarks.extend(there);
            record.note = if record.note.is_empty() { before.note.clone() } else { record.note };
            if drafts.save(&record, true).is_ok() {
                let _ = store.save(&ReviewDraft::default(), true);
            }
        }
    }
    let notice = restore_draft(subject, &text, &mut record, &mut earlier);
    record.remarks.sort_by_key(|remark| (remark.last, remark.first));
    earlier.sort_by_key(|earlier| (earlier.line, earlier.revision));
    LoadedReview { record, earlier, bases: comparison_bases(subject, older), drafts, notice }
}

fn to_earlier_comment(remark: ReviewComment, revision: u32, moved: impl Fn(usize) -> (usize, bool)) -> EarlierComment {
    let lines: Vec<(usize, bool)> = (remark.first..=remark.last.min(remark.first + 1_000)).map(moved).collect();
    let unchanged = lines.iter().all(|(_, same)| *same);
    EarlierComment { revision, line: lines.last().map_or(0, |(line, _)| *line), unchanged, text: remark.text }
}

/// Restores what the user wrote before the plan changed on screen (PM-84).
fn restore_draft(
    subject: &ReviewSubject,
    text: &str,
    record: &mut ReviewDraft,
    earlier: &mut Vec<EarlierComment>,
) -> Option<String> {
    let draft = subject.draft.as_ref()?;
    let old = draft.plan.as_deref().or(subject.previous.as_deref()).unwrap_or(text);
    let edit = draft.plan.clone().filter(|plan| plan::has_content(plan) && plan != text);
    let moved = LineMap::between(old, edit.as_deref().unwrap_or(text));
    for comment in &draft.comments {
        let line = moved.map_line((comment.line as usize).saturating_sub(1)).0;
        earlier.retain(|earlier| earlier.text != comment.text);
        if !record.remarks.iter().any(|remark| remark.text == comment.text) {
            record.remarks.push(ReviewComment {
                first: line,
                last: line,
                text: comment.text.clone(),
                draft: false,
                edit: None,
            });
        }
    }
    let words = |words: &Option<String>| words.clone().unwrap_or_default();
    record.note = words(&draft.notes);
    record.feedback = words(&draft.feedback);
    let told = match &edit {
        Some(_) => "the plan changed; your edit is kept · r compares, u drops it",
        None => "the plan changed: review it again before you choose",
    };
    record.edited = edit;
    record.terms = ReviewTerms::of_answer(draft);
    Some(told.into())
}

fn earlier_revisions(subject: &ReviewSubject, slug: &str) -> Vec<(plan::Revision, String)> {
    let Some(home) = subject.home.as_deref().filter(|_| plan::is_plan_name(slug)) else { return Vec::new() };
    let kept = PlanRevisions::for_plan(home, slug);
    let index = kept.index();
    let current = subject.request.sha256.as_deref();
    let older = index.revisions.into_iter().rev().filter(|one| Some(one.sha256.as_str()) != current);
    let older = older.filter(|one| one.number < subject.request.revision).take(MAX_REVISIONS);
    older.filter_map(|one| kept.text(one.number).ok().map(|text| (one, text))).collect()
}

/// Texts to compare with, the last submission first.
fn comparison_bases(subject: &ReviewSubject, older: Vec<(plan::Revision, String)>) -> Vec<ComparisonBase> {
    let mut bases: Vec<ComparisonBase> = Vec::new();
    let known = |bases: &[ComparisonBase], text: &str| bases.iter().any(|base| base.text == text);
    if let Some(previous) = subject.previous.clone().filter(|text| Some(text) != subject.request.plan.as_ref()) {
        let number = older.iter().find(|(_, text)| *text == previous).map(|(revision, _)| revision.number);
        let number = number.unwrap_or_else(|| subject.request.revision.saturating_sub(1).max(1));
        bases.push(ComparisonBase { label: format!("rev {number}"), text: previous });
    }
    for (revision, text) in older {
        if !known(&bases, &text) {
            let approved = if revision.outcome == RevisionOutcome::Approved { " (approved)" } else { "" };
            bases.push(ComparisonBase { label: format!("rev {}{approved}", revision.number), text });
        }
    }
    bases
}

/// Sets or changes the comment on these lines. An empty text removes it.
pub fn set_comment(remarks: &mut Vec<ReviewComment>, first: usize, last: usize, words: &str, draft: bool) {
    let saved = |remark: &&mut ReviewComment| (remark.first, remark.last) == (first, last) && !remark.draft;
    // A saved comment is sent unchanged until the user saves the new text.
    if let (true, Some(saved)) = (draft, remarks.iter_mut().find(saved)) {
        saved.edit = Some(words.to_string()).filter(|words| *words != saved.text);
        return;
    }
    remarks.retain(|remark| (remark.first, remark.last) != (first, last));
    if !words.trim().is_empty() {
        remarks.push(ReviewComment { first, last, text: words.to_string(), draft, edit: None });
        remarks.sort_by_key(|remark| (remark.last, remark.first));
    }
}

/// Converts to the answer's format, in which a comment has one line. A range is named in the text.
pub fn to_answer_comments(remarks: &[ReviewComment]) -> Vec<LineComment> {
    let sent = remarks.iter().filter(|remark| !remark.draft && !remark.text.trim().is_empty());
    let comment = |remark: &ReviewComment| LineComment {
        line: u32::try_from(remark.first + 1).unwrap_or(u32::MAX),
        text: match remark.first == remark.last {
            true => remark.text.clone(),
            false => format!("(lines {} to {}) {}", remark.first + 1, remark.last + 1, remark.text),
        },
    };
    sent.map(comment).collect()
}
