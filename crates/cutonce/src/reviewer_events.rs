//! Events of a session that reviewers elsewhere need, until the server has them (FL-1). Number and size are bounded, so
//! that a long partition does not fill the memory.

use cutonce_core::plan::PlanEvent;
use cutonce_core::protocol::event::{AskKind, EventKind};
use cutonce_core::protocol::submission::AskAnswer;
use cutonce_fleet::review::approves;
use serde::Serialize;
use std::collections::VecDeque;

const MAX_EVENTS: usize = 1_000;
/// Bytes of all events. The newest one is kept, however large it is.
const MAX_BYTES: usize = 32 << 20;
/// What an event without content needs.
const LEAST_BYTES: usize = 200;

/// Oldest first.
#[derive(Default)]
pub struct UnpublishedEvents {
    /// The event that is being stored. What comes meanwhile neither replaces nor removes it: the server may have it.
    current: Option<EventKind>,
    /// Each with its size.
    events: VecDeque<(EventKind, usize)>,
    bytes: usize,
}

impl UnpublishedEvents {
    /// Adds an event. The new state of a step replaces an older one, and a request that is closed before it was stored
    /// is left out.
    pub fn add(&mut self, kind: EventKind) {
        let was_unseen = match &kind {
            EventKind::Plan(PlanEvent::Step(new)) => {
                let is_older =
                    |kind: &EventKind| matches!(kind, EventKind::Plan(PlanEvent::Step(old)) if old.step == new.step);
                self.remove(is_older);
                false
            }
            EventKind::AskClosed { ask_id, answer, .. } if !is_approval(answer.as_ref()) => {
                self.remove(|kind| matches!(kind, EventKind::Ask(ask) if ask.ask_id == *ask_id))
            }
            _ => false,
        };
        if was_unseen {
            return;
        }
        let size = event_bytes(&kind);
        self.bytes += size;
        self.events.push_back((kind, size));
        while self.events.len() > MAX_EVENTS || (self.bytes > MAX_BYTES && self.events.len() > 1) {
            self.take_first();
            tracing::warn!("the remote lacks an event of this session: it was not reachable for too long");
        }
    }

    /// The event to store now; the same one until it is removed.
    pub fn oldest(&mut self) -> Option<EventKind> {
        if self.current.is_none() {
            self.current = self.take_first();
        }
        self.current.clone()
    }

    /// Removes the event that [`UnpublishedEvents::oldest`] returned.
    pub fn remove_oldest(&mut self) {
        self.current = None;
    }

    fn take_first(&mut self) -> Option<EventKind> {
        let (kind, size) = self.events.pop_front()?;
        self.bytes -= size;
        Some(kind)
    }

    /// Returns whether there was such an event.
    fn remove(&mut self, is_old: impl Fn(&EventKind) -> bool) -> bool {
        let before = self.events.len();
        self.events.retain(|(kind, _)| !is_old(kind));
        self.bytes = self.events.iter().map(|(_, size)| size).sum();
        self.events.len() < before
    }
}

/// Whether this answer lets the session change things.
pub fn is_approval(answer: Option<&AskAnswer>) -> bool {
    matches!(answer, Some(AskAnswer::Plan(answer)) if approves(answer))
}

/// About how much memory an event needs.
fn event_bytes(kind: &EventKind) -> usize {
    let content = match kind {
        EventKind::Ask(ask) => match &ask.kind {
            AskKind::Plan { request, previous, draft } => {
                json_bytes(request) + previous.as_ref().map_or(0, String::len) + json_bytes(draft)
            }
            AskKind::Permission { .. } | AskKind::Questions(_) | AskKind::EnterPlan => 0,
        },
        EventKind::AskClosed { answer: Some(AskAnswer::Plan(answer)), .. } => json_bytes(answer),
        EventKind::Plan(event) => json_bytes(event),
        _ => 0,
    };
    LEAST_BYTES + content
}

fn json_bytes(value: &impl Serialize) -> usize {
    serde_json::to_vec(value).map_or(0, |json| json.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::plan::approval::PlanExitRequest;
    use cutonce_core::protocol::event::AskView;
    use std::sync::Arc;

    fn closed(ask_id: &str) -> EventKind {
        EventKind::AskClosed { ask_id: ask_id.into(), answer: None, by: None }
    }

    fn asked(ask_id: &str, plan: String) -> EventKind {
        let mut request = PlanExitRequest::for_job(ask_id.into(), String::new(), None, None);
        request.plan = Some(plan);
        EventKind::Ask(Arc::new(AskView {
            agent: None,
            ask_id: ask_id.into(),
            call_id: "c".into(),
            tool: "ExitPlanMode".into(),
            input: serde_json::Value::Null,
            kind: AskKind::Plan { request: Box::new(request), previous: None, draft: None },
        }))
    }

    fn next_id(events: &mut UnpublishedEvents) -> Option<String> {
        let id = match events.oldest() {
            Some(EventKind::AskClosed { ask_id, .. }) => Some(format!("closed {ask_id}")),
            Some(EventKind::Ask(ask)) => Some(ask.ask_id.clone()),
            _ => None,
        };
        events.remove_oldest();
        id
    }

    #[test]
    fn fl_1_events_without_a_server_are_bounded() {
        let mut events = UnpublishedEvents::default();
        (0..MAX_EVENTS + 5).for_each(|number| events.add(closed(&number.to_string())));
        assert_eq!(events.events.len(), MAX_EVENTS);
        assert_eq!(next_id(&mut events).as_deref(), Some("closed 5"), "the oldest are dropped");
    }

    #[test]
    fn fl_1_large_plans_without_a_server_are_bounded() {
        let mut events = UnpublishedEvents::default();
        (0..100).for_each(|number| events.add(asked(&number.to_string(), "x".repeat(2 << 20))));
        assert!(events.bytes <= MAX_BYTES && events.events.len() > 10, "{} bytes", events.bytes);
        events.add(asked("huge", "x".repeat(MAX_BYTES)));
        assert_eq!((next_id(&mut events).as_deref(), events.bytes), (Some("huge"), 0), "the newest is kept");
    }

    #[test]
    fn fl_1_request_closed_while_it_is_stored_closes() {
        let mut events = UnpublishedEvents::default();
        events.add(asked("unseen", String::new()));
        events.add(closed("unseen"));
        assert!(events.oldest().is_none());
        events.add(asked("a", String::new()));
        // The server is being asked to store it while the user answers.
        assert!(events.oldest().is_some());
        events.add(closed("a"));
        assert_eq!(next_id(&mut events).as_deref(), Some("a"));
        assert_eq!(next_id(&mut events).as_deref(), Some("closed a"));
        assert!(events.oldest().is_none());
    }
}
