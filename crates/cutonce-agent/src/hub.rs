//! Events out: every listener sees every event from the moment it is attached, and what is pending then (AG-1, PM-143).

use cutonce_core::event::{AskKind, AskView, Event, EventKind};
use cutonce_core::plan::PlanEvent;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

mod queue;

pub use queue::Events;
use queue::Sender;

pub(crate) struct Hub {
    session: Arc<str>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    listeners: Vec<Sender>,
    /// How the session was opened, and its mode as of now: the first thing a listener learns.
    opened: Option<EventKind>,
    /// Asks that wait: a listener that comes late gets them.
    pending: Vec<Arc<AskView>>,
    closed: bool,
}

impl Hub {
    pub fn new(session: Arc<str>) -> Self {
        Self { session, inner: Mutex::default() }
    }

    pub fn session(&self) -> &Arc<str> {
        &self.session
    }

    pub(crate) fn open_with(&self, opened: EventKind) {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).opened = Some(opened);
    }

    pub(crate) fn emit(&self, kind: EventKind) {
        let event = Event { session: self.session.clone(), at: now_ms(), kind };
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        match &event.kind {
            EventKind::Ask(ask) => inner.pending.push(ask.clone()),
            EventKind::AskClosed { ask_id, .. } => inner.pending.retain(|ask| ask.ask_id != *ask_id),
            EventKind::ModeChanged { to, .. } => {
                if let Some(EventKind::Opened { mode, .. }) = &mut inner.opened {
                    *mode = *to;
                }
            }
            EventKind::Closed => inner.closed = true,
            _ => {}
        }
        inner.listeners.retain(|listener| listener.send(event.clone()));
        if inner.closed {
            inner.listeners.clear();
        }
    }

    pub(crate) fn subscribe(&self) -> Events {
        let (sender, events) = queue::queue();
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let asks = inner.pending.iter().flat_map(pending);
        for kind in inner.opened.iter().cloned().chain(asks) {
            sender.send(Event { session: self.session.clone(), at: now_ms(), kind });
        }
        if !inner.closed {
            inner.listeners.push(sender);
        }
        events
    }
}

/// What tells of an ask; a plan's request has an event of its own before it (PM-143).
fn pending(ask: &Arc<AskView>) -> impl Iterator<Item = EventKind> {
    let request = match &ask.kind {
        AskKind::Plan { request, .. } => Some(EventKind::Plan(PlanEvent::ExitRequest(request.clone()))),
        AskKind::Permission { .. } | AskKind::Questions(_) | AskKind::EnterPlan => None,
    };
    request.into_iter().chain([EventKind::Ask(ask.clone())])
}

pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(id: &str) -> EventKind {
        EventKind::Ask(Arc::new(AskView {
            agent: None,
            ask_id: id.into(),
            call_id: "c".into(),
            tool: "AskUserQuestion".into(),
            input: serde_json::Value::Null,
            kind: AskKind::Questions(Vec::new()),
        }))
    }

    #[tokio::test]
    async fn pm_143_a_late_listener_gets_what_is_pending() {
        let hub = Hub::new("s".into());
        hub.emit(ask("open"));
        hub.emit(ask("answered"));
        hub.emit(EventKind::AskClosed { ask_id: "answered".into(), answer: None });
        let mut late = hub.subscribe();
        hub.emit(EventKind::Closed);
        let first = late.next().await.map(|event| event.kind);
        assert!(matches!(first, Some(EventKind::Ask(ask)) if ask.ask_id == "open"));
        assert!(matches!(late.next().await.map(|event| event.kind), Some(EventKind::Closed)));
        assert!(late.next().await.is_none());
    }
}
