//! The event queue of one listener. A slow listener never blocks the session; consecutive pieces of the same text are
//! merged while they wait, so the queue is bounded by the unread text.

use cutonce_core::protocol::event::{AnswerDelta, EndReason, Event, EventKind};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::text::sanitize::without_os_codes;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// Queue length from which pieces are merged; a faster listener gets each piece separately.
const MERGE_FROM: usize = 256;
/// Maximum size of a merged piece, so that a slow listener still gets portions.
const MAX_MERGED: usize = 64 * 1024;

#[derive(Default)]
struct SharedQueue {
    queue: Mutex<QueueState>,
    news: Notify,
}

#[derive(Default)]
struct QueueState {
    events: VecDeque<Event>,
    /// The sender was dropped.
    ended: bool,
    /// The listener was dropped.
    abandoned: bool,
}

/// The session's end of the queue.
pub struct EventSender(Arc<SharedQueue>);

/// A listener's end of the queue. `next` returns `None` once the session has ended.
pub struct EventStream(Arc<SharedQueue>);

pub fn event_queue() -> (EventSender, EventStream) {
    let shared = Arc::new(SharedQueue::default());
    (EventSender(shared.clone()), EventStream(shared))
}

impl EventSender {
    /// Returns false if the listener is gone.
    pub fn send(&self, mut event: Event) -> bool {
        remove_os_codes(&mut event.kind);
        let mut waiting = self.0.queue.lock_unpoisoned();
        if waiting.abandoned {
            return false;
        }
        let crowded = waiting.events.len() >= MERGE_FROM;
        let joined = crowded && waiting.events.back_mut().is_some_and(|last| merge(&mut last.kind, &event.kind));
        if !joined {
            waiting.events.push_back(event);
        }
        drop(waiting);
        self.0.news.notify_one();
        true
    }
}

impl Drop for EventSender {
    fn drop(&mut self) {
        self.0.queue.lock_unpoisoned().ended = true;
        self.0.news.notify_one();
    }
}

impl EventStream {
    /// Number of unread events.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.0.queue.lock_unpoisoned().events.len()
    }

    /// Returns the next event in order, or `None` once the session has ended.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            {
                let mut waiting = self.0.queue.lock_unpoisoned();
                if let Some(event) = waiting.events.pop_front() {
                    return Some(event);
                }
                if waiting.ended {
                    return None;
                }
            }
            // `notify_one` stores a permit, so no wakeup is missed.
            self.0.news.notified().await;
        }
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        let mut waiting = self.0.queue.lock_unpoisoned();
        waiting.abandoned = true;
        waiting.events.clear();
    }
}

/// Removes the operating system's error codes from texts for the user. Tool results keep them.
fn remove_os_codes(kind: &mut EventKind) {
    let text = match kind {
        EventKind::Notice { text, .. } => text,
        EventKind::Retry { reason, .. } => reason,
        EventKind::TurnEnded(ended) => match &mut ended.reason {
            EndReason::Failed { message, .. } => message,
            _ => return,
        },
        _ => return,
    };
    if let Cow::Owned(without) = without_os_codes(text) {
        *text = without;
    }
}

/// Appends `next` to `last` if it continues the same text; returns whether it did.
fn merge(last: &mut EventKind, next: &EventKind) -> bool {
    let (grows, more) = match (last, next) {
        (EventKind::Delta(AnswerDelta::Text(grows)), EventKind::Delta(AnswerDelta::Text(more))) => (grows, more),
        (EventKind::Delta(AnswerDelta::Thinking(grows)), EventKind::Delta(AnswerDelta::Thinking(more))) => {
            (grows, more)
        }
        (
            EventKind::Delta(AnswerDelta::CallInput { json }),
            EventKind::Delta(AnswerDelta::CallInput { json: more }),
        ) => (json, more),
        (EventKind::ToolOutput { call_id, text }, EventKind::ToolOutput { call_id: same, text: more })
            if call_id == same =>
        {
            (text, more)
        }
        _ => return false,
    };
    let fits = grows.len() + more.len() <= MAX_MERGED;
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
        event(EventKind::Delta(AnswerDelta::Text(piece.into())))
    }

    async fn all(mut events: EventStream) -> Vec<EventKind> {
        let mut seen = Vec::new();
        while let Some(event) = events.next().await {
            seen.push(event.kind);
        }
        seen
    }

    /// AG-1: every listener sees everything in order, and its queue is bounded by the unread text.
    #[tokio::test]
    async fn ag_1_unread_pieces_merge_and_nothing_is_lost() {
        let (sender, events) = event_queue();
        for _ in 0..100_000 {
            assert!(sender.send(text("ab")));
        }
        sender.send(event(EventKind::TurnStarted));
        sender.send(text("x"));
        sender.send(event(EventKind::Delta(AnswerDelta::Thinking("t".into()))));
        drop(sender);
        let seen = all(events).await;
        assert!(seen.len() < MERGE_FROM + 10, "{} events wait", seen.len());
        let said: String = seen
            .iter()
            .filter_map(
                |kind| if let EventKind::Delta(AnswerDelta::Text(text)) = kind { Some(text.as_str()) } else { None },
            )
            .collect();
        assert_eq!(said, format!("{}x", "ab".repeat(100_000)));
        assert!(matches!(
            &seen[seen.len() - 3..],
            [
                EventKind::TurnStarted,
                EventKind::Delta(AnswerDelta::Text(_)),
                EventKind::Delta(AnswerDelta::Thinking(_))
            ]
        ));
    }

    #[tokio::test]
    async fn ag_1_fast_listener_gets_each_piece() {
        let (sender, events) = event_queue();
        for piece in ["a", "b", "c"] {
            sender.send(text(piece));
        }
        drop(sender);
        assert_eq!(all(events).await.len(), 3);
    }

    #[tokio::test]
    async fn ag_1_output_of_two_tools_stays_separate() {
        let (sender, events) = event_queue();
        let output = |call: &str| event(EventKind::ToolOutput { call_id: call.into(), text: call.into() });
        for at in 0..MERGE_FROM * 2 {
            sender.send(output(["one", "two"][at % 2]));
        }
        drop(sender);
        let seen = all(events).await;
        assert_eq!(seen.len(), MERGE_FROM * 2);
        assert!(seen.iter().all(|kind| matches!(kind, EventKind::ToolOutput { call_id, text } if call_id == text)));
    }

    #[test]
    fn ag_1_dropped_listener_gets_no_events() {
        let (sender, events) = event_queue();
        drop(events);
        assert!(!sender.send(text("a")));
    }
}
