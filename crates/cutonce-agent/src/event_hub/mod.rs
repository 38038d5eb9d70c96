//! Sends events to listeners. A new listener first gets the open event and what can be reviewed now (AG-1, PM-143).

use cutonce_core::protocol::event::{Event, EventKind};
use cutonce_core::sync::LockUnpoisoned;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

mod queue;
mod review_snapshot;

use queue::EventSender;
pub use queue::EventStream;
use review_snapshot::ReviewSnapshot;

pub(crate) struct EventHub {
    session: Arc<str>,
    inner: Mutex<HubState>,
    stage: watch::Sender<HubStage>,
}

/// What others than the front end need to know of a session (RV-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HubStage {
    /// Nothing was asked, and nothing is followed up.
    Unremarkable,
    /// There is something to review.
    Reviewable,
    Closed,
}

#[derive(Default)]
struct HubState {
    listeners: Vec<Listener>,
    /// The open event with the current mode; every listener gets it first.
    opened: Option<EventKind>,
    /// What waits and what is followed up, for new listeners.
    reviewable: ReviewSnapshot,
    closed: bool,
    /// Dropped when the session is over.
    kept: Option<Box<dyn std::any::Any + Send>>,
}

struct Listener {
    sender: EventSender,
    live_text: bool,
}

impl Listener {
    /// Returns false if the listener is gone.
    fn send(&self, event: &Event) -> bool {
        (event.kind.is_live_text() && !self.live_text) || self.sender.send(event.clone())
    }
}

impl EventHub {
    pub fn new(session: Arc<str>) -> Self {
        Self { session, inner: Mutex::default(), stage: watch::Sender::new(HubStage::Unremarkable) }
    }

    pub fn session(&self) -> &Arc<str> {
        &self.session
    }

    pub(crate) fn open_with(&self, opened: EventKind) {
        self.inner.lock_unpoisoned().opened = Some(opened);
    }

    pub(crate) fn emit(&self, kind: EventKind) {
        let event = Event { session: self.session.clone(), at: now_ms(), kind };
        self.note_stage(&event.kind);
        let mut inner = self.inner.lock_unpoisoned();
        inner.reviewable.note(&event.kind);
        match &event.kind {
            EventKind::ModeChanged { to, .. } => {
                if let Some(EventKind::Opened { mode, .. }) = &mut inner.opened {
                    *mode = *to;
                }
            }
            EventKind::Closed => {
                inner.closed = true;
                inner.kept = None;
            }
            _ => {}
        }
        inner.listeners.retain(|listener| listener.send(&event));
        if inner.closed {
            inner.listeners.clear();
        }
    }

    fn note_stage(&self, kind: &EventKind) {
        let stage = match kind {
            EventKind::Closed => HubStage::Closed,
            kind if kind.is_reviewable() => HubStage::Reviewable,
            _ => return,
        };
        self.stage.send_if_modified(|known| {
            let changes = *known != stage && *known != HubStage::Closed;
            *known = if changes { stage } else { *known };
            changes
        });
    }

    /// Keeps a value until the session is over. The process may end before a task could drop it.
    pub(crate) fn keep_until_closed(&self, value: impl std::any::Any + Send) {
        let mut inner = self.inner.lock_unpoisoned();
        if !inner.closed {
            inner.kept = Some(Box::new(value));
        }
    }

    /// Follows what there is to review.
    pub(crate) fn stage(&self) -> watch::Receiver<HubStage> {
        self.stage.subscribe()
    }

    pub(crate) fn subscribe(&self) -> EventStream {
        self.add_listener(true)
    }

    /// Leaves out text that still streams: however much comes, none of it waits for this listener.
    pub(crate) fn subscribe_without_live_text(&self) -> EventStream {
        self.add_listener(false)
    }

    fn add_listener(&self, live_text: bool) -> EventStream {
        let (sender, events) = queue::event_queue();
        let mut inner = self.inner.lock_unpoisoned();
        for kind in inner.opened.iter().cloned().chain(inner.reviewable.events()) {
            sender.send(Event { session: self.session.clone(), at: now_ms(), kind });
        }
        if !inner.closed {
            inner.listeners.push(Listener { sender, live_text });
        }
        events
    }
}

pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::protocol::event::{AskKind, AskView};

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
    async fn fl_1_live_text_never_waits_for_the_uplink() {
        use cutonce_core::protocol::event::AnswerDelta;
        let hub = EventHub::new("s".into());
        let (uplink, screen) = (hub.subscribe_without_live_text(), hub.subscribe());
        for _ in 0..10_000 {
            let piece = || "x".repeat(1_000);
            hub.emit(EventKind::Delta(AnswerDelta::Text(piece())));
            hub.emit(EventKind::ToolOutput { call_id: "c".into(), text: piece() });
            hub.emit(EventKind::TaskOutput { id: "t".into(), line: piece() });
        }
        hub.emit(EventKind::TurnStarted);
        assert_eq!(uplink.waiting(), 1);
        assert!(screen.waiting() > 10_000);
    }

    #[tokio::test]
    async fn pm_143_late_listener_gets_open_asks() {
        let hub = EventHub::new("s".into());
        hub.emit(ask("open"));
        hub.emit(ask("answered"));
        hub.emit(EventKind::AskClosed { ask_id: "answered".into(), answer: None, by: None });
        let mut late = hub.subscribe();
        hub.emit(EventKind::Closed);
        let first = late.next().await.map(|event| event.kind);
        assert!(matches!(first, Some(EventKind::Ask(ask)) if ask.ask_id == "open"));
        assert!(matches!(late.next().await.map(|event| event.kind), Some(EventKind::Closed)));
        assert!(late.next().await.is_none());
    }
}
