//! What waits for one listener. One that is slow is not waited for, and costs no more than the text it has not read:
//! pieces of the same growing text join while they wait.

use cutonce_core::event::{Delta, Event, EventKind};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// So many may wait as they came; a listener that keeps up sees each piece by itself.
const APART: usize = 256;
/// A joined piece is no longer than this, so that a late reader gets portions.
const LONGEST: usize = 64 * 1024;

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    news: Notify,
}

#[derive(Default)]
struct Waiting {
    events: VecDeque<Event>,
    /// No more will come.
    ended: bool,
    /// Nobody reads.
    left: bool,
}

/// The session's end.
pub struct Sender(Arc<Shared>);

/// A listener's end. `next` gives None once the session is over.
pub struct Events(Arc<Shared>);

pub fn queue() -> (Sender, Events) {
    let shared = Arc::new(Shared::default());
    (Sender(shared.clone()), Events(shared))
}

impl Sender {
    /// False where nobody listens any more.
    pub fn send(&self, event: Event) -> bool {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.left {
            return false;
        }
        let crowded = waiting.events.len() >= APART;
        let joined = crowded && waiting.events.back_mut().is_some_and(|last| join(&mut last.kind, &event.kind));
        if !joined {
            waiting.events.push_back(event);
        }
        drop(waiting);
        self.0.news.notify_one();
        true
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
        self.0.news.notify_one();
    }
}

impl Events {
    /// The next event, in the order of what happened; None when the session is over.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            {
                let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(event) = waiting.events.pop_front() {
                    return Some(event);
                }
                if waiting.ended {
                    return None;
                }
            }
            // A notice that came in between is kept, so none is missed.
            self.0.news.notified().await;
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.left = true;
        waiting.events.clear();
    }
}

/// Whether `next` only goes on with the text of `last`, and was put to it.
fn join(last: &mut EventKind, next: &EventKind) -> bool {
    let (grows, more) = match (last, next) {
        (EventKind::Delta(Delta::Text(grows)), EventKind::Delta(Delta::Text(more))) => (grows, more),
        (EventKind::Delta(Delta::Thinking(grows)), EventKind::Delta(Delta::Thinking(more))) => (grows, more),
        (EventKind::Delta(Delta::CallInput { json }), EventKind::Delta(Delta::CallInput { json: more })) => {
            (json, more)
        }
        (EventKind::ToolOutput { call_id, text }, EventKind::ToolOutput { call_id: same, text: more })
            if call_id == same =>
        {
            (text, more)
        }
        _ => return false,
    };
    let fits = grows.len() + more.len() <= LONGEST;
    if fits {
        grows.push_str(more);
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: EventKind) -> Event {
        Event { session: "s".into(), at: 0, kind }
    }

    fn text(piece: &str) -> Event {
        event(EventKind::Delta(Delta::Text(piece.into())))
    }

    async fn all(mut events: Events) -> Vec<EventKind> {
        let mut seen = Vec::new();
        while let Some(event) = events.next().await {
            seen.push(event.kind);
        }
        seen
    }

    /// AG-1: every listener sees everything, in order, however late it reads; and what waits for it is bounded by the text.
    #[tokio::test]
    async fn ag_1_what_a_slow_listener_has_not_read_joins_and_nothing_is_lost() {
        let (sender, events) = queue();
        for _ in 0..100_000 {
            assert!(sender.send(text("ab")));
        }
        sender.send(event(EventKind::TurnStarted));
        sender.send(text("x"));
        sender.send(event(EventKind::Delta(Delta::Thinking("t".into()))));
        drop(sender);
        let seen = all(events).await;
        assert!(seen.len() < APART + 10, "{} events wait", seen.len());
        let said: String = seen
            .iter()
            .filter_map(|kind| if let EventKind::Delta(Delta::Text(text)) = kind { Some(text.as_str()) } else { None })
            .collect();
        assert_eq!(said, format!("{}x", "ab".repeat(100_000)));
        assert!(matches!(
            &seen[seen.len() - 3..],
            [EventKind::TurnStarted, EventKind::Delta(Delta::Text(_)), EventKind::Delta(Delta::Thinking(_))]
        ));
    }

    #[tokio::test]
    async fn ag_1_a_listener_that_keeps_up_sees_each_piece_by_itself() {
        let (sender, events) = queue();
        for piece in ["a", "b", "c"] {
            sender.send(text(piece));
        }
        drop(sender);
        assert_eq!(all(events).await.len(), 3);
    }

    #[tokio::test]
    async fn ag_1_output_of_two_tools_is_not_mixed() {
        let (sender, events) = queue();
        let output = |call: &str| event(EventKind::ToolOutput { call_id: call.into(), text: call.into() });
        for at in 0..APART * 2 {
            sender.send(output(["one", "two"][at % 2]));
        }
        drop(sender);
        let seen = all(events).await;
        assert_eq!(seen.len(), APART * 2);
        assert!(seen.iter().all(|kind| matches!(kind, EventKind::ToolOutput { call_id, text } if call_id == text)));
    }

    #[test]
    fn ag_1_nothing_is_kept_for_one_that_left() {
        let (sender, events) = queue();
        drop(events);
        assert!(!sender.send(text("a")));
    }
}
