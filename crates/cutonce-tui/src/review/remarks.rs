//! Comments: those of this review, those that were said to earlier revisions, and what was written but never sent.

use super::changes::Moved;
use super::drafts::{Drafts, Record, Remark};
use super::{Base, Subject};
use cutonce_agent::plan_files::Revisions;
use cutonce_core::approval::Comment;
use cutonce_core::plan::{self, Outcome};
use std::path::Path;

/// Older revisions are not looked at.
const MOST_REVISIONS: usize = 20;

/// A comment that went with an answer to an earlier revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    pub revision: u32,
    /// Where its line is now; the first is 0.
    pub line: usize,
    /// The line is the same as when it was said.
    pub unchanged: bool,
    pub text: String,
}

#[derive(Debug)]
pub struct Gathered {
    pub record: Record,
    pub earlier: Vec<Earlier>,
    pub bases: Vec<Base>,
    pub drafts: Drafts,
    pub notice: Option<String>,
}

/// All that is known when a review opens.
pub fn gather(subject: &Subject) -> Gathered {
    let request = &subject.request;
    let text = request.plan.clone().unwrap_or_default();
    let slug = Path::new(&request.plan_file_path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let of = |sha256: &str| Drafts::of(subject.home.as_deref(), slug, sha256);
    let drafts = of(request.sha256.as_deref().unwrap_or_default());
    let mut record = drafts.load().unwrap_or_default();
    let mut earlier = Vec::new();
    if record.sent {
        let said = std::mem::take(&mut record).remarks;
        earlier.extend(said.into_iter().map(|remark| was_said(remark, request.revision, |line| (line, true))));
    }
    let older = revisions(subject, slug);
    for (revision, old) in &older {
        let store = of(&revision.sha256);
        let Some(before) = store.load() else { continue };
        let moved = Moved::between(before.edited.as_deref().unwrap_or(old), &text);
        let (number, sent) = (revision.number, before.sent);
        if sent {
            earlier.extend(before.remarks.into_iter().map(|remark| was_said(remark, number, |line| moved.line(line))));
        } else if !before.remarks.is_empty() || !before.note.is_empty() {
            // Written, never sent: it goes on here, and is no longer there.
            let there = before.remarks.iter().map(|remark| Remark {
                first: moved.line(remark.first).0,
                last: moved.line(remark.last).0,
                ..remark.clone()
            });
            record.remarks.extend(there);
            record.note = if record.note.is_empty() { before.note.clone() } else { record.note };
            if drafts.save(&record, true).is_ok() {
                let _ = store.save(&Record::default(), true);
            }
        }
    }
    let notice = take_draft(subject, &text, &mut record, &mut earlier);
    record.remarks.sort_by_key(|remark| (remark.last, remark.first));
    earlier.sort_by_key(|earlier| (earlier.line, earlier.revision));
    Gathered { record, earlier, bases: bases(subject, older), drafts, notice }
}

fn was_said(remark: Remark, revision: u32, moved: impl Fn(usize) -> (usize, bool)) -> Earlier {
    let lines: Vec<(usize, bool)> = (remark.first..=remark.last.min(remark.first + 1_000)).map(moved).collect();
    let unchanged = lines.iter().all(|(_, same)| *same);
    Earlier { revision, line: lines.last().map_or(0, |(line, _)| *line), unchanged, text: remark.text }
}

/// PM-84: the plan changed while it was shown; what was written then is here again.
fn take_draft(subject: &Subject, text: &str, record: &mut Record, earlier: &mut Vec<Earlier>) -> Option<String> {
    let draft = subject.draft.as_ref()?;
    let old = draft.plan.as_deref().or(subject.previous.as_deref()).unwrap_or(text);
    let edit = draft.plan.clone().filter(|plan| plan::exists(plan) && plan != text);
    let moved = Moved::between(old, edit.as_deref().unwrap_or(text));
    for comment in &draft.comments {
        let line = moved.line((comment.line as usize).saturating_sub(1)).0;
        earlier.retain(|earlier| earlier.text != comment.text);
        if !record.remarks.iter().any(|remark| remark.text == comment.text) {
            record.remarks.push(Remark {
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
        Some(_) => "the plan changed while you looked at it; your edit is kept · r compares, u drops it",
        None => "the plan changed while you looked at it: look again before you choose",
    };
    record.edited = edit;
    Some(told.into())
}

fn revisions(subject: &Subject, slug: &str) -> Vec<(plan::Revision, String)> {
    let Some(home) = subject.home.as_deref().filter(|_| plan::is_name(slug)) else { return Vec::new() };
    let kept = Revisions::of(home, slug);
    let index = kept.index();
    let current = subject.request.sha256.as_deref();
    let older = index.revisions.into_iter().rev().filter(|one| Some(one.sha256.as_str()) != current);
    let older = older.filter(|one| one.number < subject.request.revision).take(MOST_REVISIONS);
    older.filter_map(|one| kept.text(one.number).ok().map(|text| (one, text))).collect()
}

/// The last submission first.
fn bases(subject: &Subject, older: Vec<(plan::Revision, String)>) -> Vec<Base> {
    let mut bases: Vec<Base> = Vec::new();
    let known = |bases: &[Base], text: &str| bases.iter().any(|base| base.text == text);
    if let Some(previous) = subject.previous.clone().filter(|text| Some(text) != subject.request.plan.as_ref()) {
        let number = older.iter().find(|(_, text)| *text == previous).map(|(revision, _)| revision.number);
        let number = number.unwrap_or_else(|| subject.request.revision.saturating_sub(1).max(1));
        bases.push(Base { label: format!("rev {number}"), text: previous });
    }
    for (revision, text) in older {
        if !known(&bases, &text) {
            let approved = if revision.outcome == Outcome::Approved { " (approved)" } else { "" };
            bases.push(Base { label: format!("rev {}{approved}", revision.number), text });
        }
    }
    bases
}

/// Sets, changes or (with no words) removes the comment on these lines.
pub fn put(remarks: &mut Vec<Remark>, first: usize, last: usize, words: &str, draft: bool) {
    let saved = |remark: &&mut Remark| (remark.first, remark.last) == (first, last) && !remark.draft;
    // One that was saved stays what is sent until other words are saved for it.
    if let (true, Some(saved)) = (draft, remarks.iter_mut().find(saved)) {
        saved.edit = Some(words.to_string()).filter(|words| *words != saved.text);
        return;
    }
    remarks.retain(|remark| (remark.first, remark.last) != (first, last));
    if !words.trim().is_empty() {
        remarks.push(Remark { first, last, text: words.to_string(), draft, edit: None });
        remarks.sort_by_key(|remark| (remark.last, remark.first));
    }
}

/// As the answer carries them: a comment has one line, so a range says its lines in words.
pub fn comments(remarks: &[Remark]) -> Vec<Comment> {
    let sent = remarks.iter().filter(|remark| !remark.draft && !remark.text.trim().is_empty());
    let comment = |remark: &Remark| Comment {
        line: u32::try_from(remark.first + 1).unwrap_or(u32::MAX),
        text: match remark.first == remark.last {
            true => remark.text.clone(),
            false => format!("(lines {} to {}) {}", remark.first + 1, remark.last + 1, remark.text),
        },
    };
    sent.map(comment).collect()
}
