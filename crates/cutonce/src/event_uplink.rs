//! The events of a session that has a remote, as members who watch it see them (FL-1): plan events, turns, calls,
//! requests and notices. Contents are in the transcript, and pieces of text that still streams are left out.

use cutonce_core::plan::PlanEvent;
use cutonce_core::plan::rehearsal::RehearsalNews;
use cutonce_core::protocol::event::{EndReason, Event, EventKind};
use cutonce_fleet::session_events::SessionEvents;
use cutonce_fleet::{FleetError, FleetLink};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Events that wait for the server. Older ones are dropped: the transcript has what they were about.
const MAX_WAITING: usize = 1_000;
/// Bytes of the events that wait.
const MAX_WAITING_BYTES: usize = 4 << 20;
/// Events of one record.
const MAX_TOGETHER: usize = 100;
/// Bytes of the events of one record; the server takes about three times as much.
const MAX_RECORD: usize = 256 << 10;
/// Bytes of one event. Of a larger one, only its type and time are published.
const MAX_EVENT: usize = 64 << 10;
/// Characters of a text in an event.
const MAX_TEXT: usize = 2_000;

/// Events that are not stored on the server yet.
#[derive(Default)]
pub struct EventUplink(Mutex<WaitingEvents>);

#[derive(Default)]
struct WaitingEvents {
    /// Number of the first one.
    first: u64,
    /// Each with its size as JSON.
    events: VecDeque<(Value, usize)>,
    /// Size of all of them.
    bytes: usize,
}

impl WaitingEvents {
    fn push(&mut self, event: Value) {
        let size = event.to_string().len();
        self.bytes += size;
        self.events.push_back((event, size));
        while self.events.len() > MAX_WAITING || self.bytes > MAX_WAITING_BYTES {
            self.remove_first();
        }
    }

    fn remove_first(&mut self) -> bool {
        let Some((_, size)) = self.events.pop_front() else { return false };
        self.bytes -= size;
        self.first += 1;
        true
    }

    /// The oldest events, as many as one record takes.
    fn next_record(&self) -> SessionEvents {
        let mut bytes = 0;
        let fits = |(event, size): &(Value, usize)| {
            bytes += size + 1;
            (bytes <= MAX_RECORD).then(|| event.clone())
        };
        SessionEvents { from: self.first, events: self.events.iter().take(MAX_TOGETHER).map_while(fits).collect() }
    }
}

impl EventUplink {
    fn lock(&self) -> MutexGuard<'_, WaitingEvents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an event; never waits.
    pub fn note(&self, event: &Event) {
        let Some(mut described) = describe(&event.kind) else { return };
        let size = described.to_string().len();
        if size > MAX_EVENT {
            described = json!({"type": described["type"], "omittedBytes": size});
        }
        described["time"] = event.at.into();
        self.lock().push(described);
    }

    /// Stores what waits, oldest first. What fails is tried again with the next call.
    pub async fn publish(&self, link: &FleetLink, session: &str) -> Result<(), FleetError> {
        loop {
            let next = self.lock().next_record();
            if next.events.is_empty() {
                return Ok(());
            }
            link.publish_session_events(session, &next).await?;
            let mut waiting = self.lock();
            let end = next.from + next.events.len() as u64;
            while waiting.first < end && waiting.remove_first() {}
        }
    }
}

/// The event as JSON; `None` for pieces of live text and what only a screen needs.
fn describe(kind: &EventKind) -> Option<Value> {
    Some(match kind {
        EventKind::Plan(event) => plan_event(event)?,
        EventKind::ModeChanged { from, to, by } => json!({"type": "mode.changed", "from": from, "to": to, "by": by}),
        EventKind::ModelChanged { model } => json!({"type": "model.changed", "model": model}),
        EventKind::TurnStarted => json!({"type": "turn.started"}),
        EventKind::TurnEnded(ended) => {
            json!({"type": "turn.ended", "reason": end_name(&ended.reason), "requests": ended.requests,
                "durationMs": ended.duration_ms, "text": short(&ended.text)})
        }
        EventKind::User { text, meta: false, .. } => json!({"type": "user", "text": short(text)}),
        EventKind::ToolStarted { call_id, name, summary } => {
            json!({"type": "call.started", "call": call_id, "name": name, "summary": short(summary)})
        }
        EventKind::ToolFinished(call) => {
            json!({"type": "call.finished", "call": call.call_id, "name": call.name, "failed": call.is_error,
                "durationMs": call.duration_ms})
        }
        EventKind::Ask(ask) => json!({"type": "ask", "ask": ask.ask_id, "tool": ask.tool}),
        EventKind::AskClosed { ask_id, by, .. } => json!({"type": "ask.closed", "ask": ask_id, "by": by}),
        EventKind::Retry { attempt, max, reason, .. } => {
            json!({"type": "retry", "attempt": attempt, "max": max, "reason": short(reason)})
        }
        EventKind::Todos(todos) => json!({"type": "todos", "todos": todos}),
        EventKind::Compacted { before, after, .. } => json!({"type": "compacted", "before": before, "after": after}),
        EventKind::Cleared => json!({"type": "cleared"}),
        EventKind::Notice { text, .. } => json!({"type": "notice", "text": short(text)}),
        EventKind::Closed => json!({"type": "closed"}),
        _ => return None,
    })
}

/// A plan event under its name. Plans, diffs and outputs are not repeated here.
fn plan_event(event: &PlanEvent) -> Option<Value> {
    Some(match event {
        PlanEvent::ExitRequest(request) => {
            json!({"type": "plan.exit_request", "ask": request.ask_id, "sha256": request.sha256})
        }
        PlanEvent::Implement { plan_file_path, .. } => {
            json!({"type": "plan.implement", "planFilePath": plan_file_path})
        }
        PlanEvent::Step(step) => json!({"type": "plan.step", "step": step.step, "state": step.state}),
        PlanEvent::Check { command, exit_code, .. } => {
            json!({"type": "plan.check", "command": short(command), "exitCode": exit_code})
        }
        PlanEvent::Report(report) => json!({"type": "plan.report", "drift": report.drift, "counts": report.counts()}),
        PlanEvent::Rehearsal(event) if matches!(event.news, RehearsalNews::Progress { .. }) => return None,
        PlanEvent::Rehearsal(event) => json!({"type": "plan.rehearsal", "id": event.id}),
        other => serde_json::to_value(other).ok()?,
    })
}

fn end_name(reason: &EndReason) -> &'static str {
    match reason {
        EndReason::Completed => "completed",
        EndReason::Interrupted { .. } => "interrupted",
        EndReason::MaxTurns(_) => "max turns",
        EndReason::MaxBudget => "max budget",
        EndReason::Failed { .. } => "failed",
    }
}

fn short(text: &str) -> &str {
    text.char_indices().nth(MAX_TEXT).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::protocol::event::{NoticeLevel, TodoItem, TodoStatus};

    #[test]
    fn fl_1_events_wait_in_a_bounded_queue() {
        let uplink = EventUplink::default();
        let event = |kind| Event { session: "s".into(), at: 1, kind };
        for number in 0..MAX_WAITING + 5 {
            uplink.note(&event(EventKind::ToolOutput { call_id: "c".into(), text: "live".into() }));
            uplink.note(&event(EventKind::ModelChanged { model: number.to_string() }));
        }
        let waiting = uplink.lock();
        assert_eq!((waiting.events.len(), waiting.first), (MAX_WAITING, 5), "the oldest are dropped");
        assert_eq!(waiting.events[0].0, json!({"type": "model.changed", "model": "5", "time": 1}));
    }

    #[test]
    fn fl_1_large_events_are_bounded_by_bytes() {
        let uplink = EventUplink::default();
        let event = |kind| Event { session: "s".into(), at: 1, kind };
        // The worst text: each character is six bytes of JSON.
        let notice = || EventKind::Notice { level: NoticeLevel::Info, text: "\u{1}".repeat(MAX_TEXT) };
        (0..MAX_WAITING).for_each(|_| uplink.note(&event(notice())));
        let bytes = uplink.lock().bytes;
        let record = uplink.lock().next_record();
        assert!(bytes <= MAX_WAITING_BYTES && uplink.lock().first > 0, "{bytes}");
        let size = serde_json::to_vec(&record).unwrap().len();
        assert!(record.events.len() > 10 && size < cutonce_fleet::envelope::MAX_BODY, "{size}");
        let content = "x".repeat(MAX_WAITING_BYTES);
        let huge = TodoItem { content, status: TodoStatus::Pending, active_form: String::new() };
        let uplink = EventUplink::default();
        uplink.note(&event(EventKind::Todos(vec![huge])));
        let record = uplink.lock().next_record();
        assert_eq!((&record.events[0]["type"], &record.events[0]["time"]), (&json!("todos"), &json!(1)));
        assert!(record.events[0]["omittedBytes"].as_u64() > Some(MAX_WAITING_BYTES as u64));
    }
}
