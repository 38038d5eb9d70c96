//! The state as the transcript tells it (PM-12, PM-48).

use super::step::{Effect, Event, ReminderKind, step};
use super::{Mode, Setup, State};
use crate::submission::By;
use crate::transcript::Body;

/// Replays the entries of a conversation, oldest first, for a process in which `setup` holds. What was available
/// then is not asked again; what is available now decides where the session goes on.
pub fn replay<'a>(setup: Setup, entries: impl IntoIterator<Item = &'a Body>) -> (State, Vec<Effect>) {
    // Whether plan mode used auto then is not in the transcript: what holds now is the best guess (PM-122).
    let state = State { setup, ..State::default() };
    step(entries.into_iter().fold(state, entry), Event::Resumed(setup))
}

fn entry(mut state: State, body: &Body) -> State {
    match body {
        Body::Session { slug: Some(slug), .. } => step(state, Event::Named(slug.clone())).0,
        Body::Plan { slug, .. } => step(state, Event::Named(slug.clone())).0,
        Body::User { meta: false, .. } => step(state, Event::HumanTurn).0,
        Body::Mode { from, to, by } => {
            // Where a line was lost, the entry itself knows better.
            state.go(*from, *by, &mut Vec::new());
            state.go(*to, *by, &mut Vec::new());
            state
        }
        Body::Reminder { kind, .. } => match ReminderKind::parse(kind) {
            Some(kind) => reminder(state, kind),
            None => state,
        },
        Body::Compaction { .. } => step(state, Event::Compacted).0,
        Body::Clear { .. } => step(state, Event::Cleared).0,
        Body::Session { slug: None, .. }
        | Body::User { meta: true, .. }
        | Body::Assistant { .. }
        | Body::Tool { .. }
        | Body::FileSnapshot { .. }
        | Body::Ask { .. }
        | Body::Rewind { .. }
        | Body::Error { .. } => state,
    }
}

fn reminder(mut state: State, kind: ReminderKind) -> State {
    // A plan_mode reminder is only ever sent in plan mode: the entry that says so was lost. Fewer rights are the safe guess.
    if kind == ReminderKind::PlanMode {
        state.go(Mode::Plan, By::Start, &mut Vec::new());
    }
    step(state, Event::ReminderSent(kind)).0
}
