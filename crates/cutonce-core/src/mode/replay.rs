//! Rebuilds the mode state from the transcript (PM-12, PM-48).

use super::step::{ModeEffect, ModeEvent, ReminderKind, step};
use super::{Mode, ModeSetup, ModeState};
use crate::plan::RevisionOutcome;
use crate::protocol::submission::ChangedBy;
use crate::transcript::EntryBody;

/// Replays the entries of a conversation, oldest first, for a process with this `setup`. Modes that were
/// available then are not checked again; the modes available now decide where the session resumes.
pub fn replay_mode<'a>(
    setup: ModeSetup,
    entries: impl IntoIterator<Item = &'a EntryBody>,
) -> (ModeState, Vec<ModeEffect>) {
    // The transcript does not say whether plan mode used auto; the current setup is the best guess (PM-122).
    let state = ModeState { setup, ..ModeState::default() };
    step(entries.into_iter().fold(state, apply_entry), ModeEvent::Resumed(setup))
}

fn apply_entry(mut state: ModeState, body: &EntryBody) -> ModeState {
    match body {
        EntryBody::Session { slug: Some(slug), .. } => step(state, ModeEvent::PlanNamed(slug.clone())).0,
        EntryBody::Plan { slug, outcome, .. } => {
            let mut state = step(state, ModeEvent::PlanNamed(slug.clone())).0;
            if outcome == RevisionOutcome::Approved.name() {
                state.confirm_exit();
            }
            state
        }
        EntryBody::User { meta: false, .. } => step(state, ModeEvent::UserTurn).0,
        EntryBody::Mode { from, to, by } => {
            // If a line was lost, this entry is more reliable.
            state.change_mode(*from, *by, &mut Vec::new());
            state.change_mode(*to, *by, &mut Vec::new());
            state
        }
        EntryBody::Reminder { kind, .. } => match ReminderKind::parse(kind) {
            Some(kind) => apply_reminder(state, kind),
            None => state,
        },
        EntryBody::Scope { scope } | EntryBody::Contract { scope, .. } => {
            step(state, ModeEvent::ScopeSet(scope.clone())).0
        }
        EntryBody::Compaction { .. } => step(state, ModeEvent::Compacted).0,
        EntryBody::Clear { .. } => step(state, ModeEvent::Cleared).0,
        EntryBody::Session { slug: None, .. }
        | EntryBody::User { meta: true, .. }
        | EntryBody::Assistant { .. }
        | EntryBody::Tool { .. }
        | EntryBody::FileSnapshot { .. }
        | EntryBody::Evidence { .. }
        | EntryBody::Ask { .. }
        | EntryBody::Rewind { .. }
        | EntryBody::Usage { .. }
        | EntryBody::Error { .. } => state,
    }
}

fn apply_reminder(mut state: ModeState, kind: ReminderKind) -> ModeState {
    // A plan_mode reminder is only sent in plan mode, so the mode entry was lost. Fewer rights are the safe
    // guess.
    if kind == ReminderKind::PlanMode {
        state.change_mode(Mode::Plan, ChangedBy::Start, &mut Vec::new());
    }
    step(state, ModeEvent::ReminderSent(kind)).0
}
