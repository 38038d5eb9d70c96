//! Relays the asks of an unattended teammate and its subagents to the lead, in order, and withdraws asks that close
//! without an answer. An ask that can't be sent is denied.

use super::handle::Membership;
use super::{TeamError, TeamHandle};
use crate::event_hub::EventStream;
use cutonce_core::protocol::event::{AskKind, AskView, EventKind};
use cutonce_core::protocol::submission::{AskAnswer, PermissionAnswer, Submission};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::team::{ControlMessage, LEAD_NAME, MAX_MESSAGE_BYTES, PermissionRequest, TeamRequest};
use std::sync::Arc;

pub(crate) async fn relay_asks(handle: Arc<TeamHandle>, mut events: EventStream) {
    let Some(joined) = handle.membership() else { return };
    // The calls of an earlier process can't run any more, so withdraw its asks.
    let over = |request_id: Option<String>| ControlMessage::PermissionWithdrawn { request_id };
    send_to_lead(&joined, over(None)).await;
    while let Some(event) = events.next().await {
        match event.kind {
            EventKind::Ask(ask) => {
                handle.relayed.lock_unpoisoned().add_ask(&ask.ask_id);
                if let Err(why) = ask_lead(&joined, &ask).await {
                    handle.relayed.lock_unpoisoned().close_ask(&ask.ask_id);
                    handle.submit(denial(&ask.ask_id, &why.to_string()));
                }
            }
            EventKind::AskClosed { ask_id, .. } => {
                let waits = handle.relayed.lock_unpoisoned().close_ask(&ask_id);
                if waits {
                    send_to_lead(&joined, over(Some(ask_id))).await;
                }
            }
            EventKind::Closed => return,
            _ => {}
        }
    }
}

async fn send_to_lead(joined: &Membership, content: ControlMessage) {
    let sent = joined.send_control(LEAD_NAME, crate::new_id(), content).await;
    sent.unwrap_or_else(|error| tracing::warn!("{error}"));
}

async fn ask_lead(joined: &Membership, ask: &AskView) -> Result<(), TeamError> {
    let AskKind::Permission { why, suggestions, preview, .. } = &ask.kind else {
        return Err("the lead's user can only approve or deny calls".into());
    };
    let request = |preview: Option<String>| PermissionRequest {
        from: joined.me.clone(),
        timestamp: crate::timestamp(),
        request_id: ask.ask_id.clone(),
        tool: ask.tool.clone(),
        input: ask.input.clone(),
        why: why.clone(),
        suggestions: suggestions.clone(),
        preview,
        agent: ask.agent.as_deref().cloned(),
    };
    let content = |preview| ControlMessage::Request(TeamRequest::Call(Box::new(request(preview))));
    // The input says what runs; the preview is only a rendering of it.
    let whole = content(preview.clone());
    let fits = whole.to_text().is_ok_and(|text| text.len() <= MAX_MESSAGE_BYTES);
    let content = if fits { whole } else { content(None) };
    joined.send_control(LEAD_NAME, ask.ask_id.clone(), content).await.map_err(TeamError::from)
}

fn denial(ask_id: &str, why: &str) -> Submission {
    let message = format!("Could not ask the team lead's user: {why}. Continue without it.");
    let answer = AskAnswer::Permission(PermissionAnswer::Deny { message, interrupt: false });
    Submission::Answer { ask_id: ask_id.into(), answer }
}
