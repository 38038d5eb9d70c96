//! Of a teammate that nobody sits before: its asks, and those of its subagents, go to the lead in the order they come, and are
//! taken back when they are over without an answer. Where one can't be sent, the answer is no.

use super::Seat;
use super::seat::{Joined, lock};
use crate::hub::Events;
use cutonce_core::event::{AskKind, AskView, EventKind};
use cutonce_core::mail::{Content, LEAD, LONGEST_TEXT, PermissionRequest};
use cutonce_core::submission::{Answer, PermissionAnswer, Submission};
use std::sync::Arc;

pub(crate) async fn relay(seat: Arc<Seat>, mut events: Events) {
    let Some(joined) = seat.joined() else { return };
    // What an earlier life asked has no call any more that could run.
    let over = |request_id: Option<String>| Content::PermissionWithdrawn { request_id };
    send(&joined, over(None)).await;
    while let Some(event) = events.next().await {
        match event.kind {
            EventKind::Ask(ask) => {
                lock(&seat.relayed).asked(&ask.ask_id);
                if let Err(why) = ask_lead(&joined, &ask).await {
                    lock(&seat.relayed).closed(&ask.ask_id);
                    seat.submit(no(&ask.ask_id, &why));
                }
            }
            EventKind::AskClosed { ask_id, .. } => {
                let waits = lock(&seat.relayed).closed(&ask_id);
                if waits {
                    send(&joined, over(Some(ask_id))).await;
                }
            }
            EventKind::Closed => return,
            _ => {}
        }
    }
}

async fn send(joined: &Joined, content: Content) {
    let sent = joined.order(LEAD, crate::new_id(), content).await;
    sent.unwrap_or_else(|error| tracing::warn!("{error}"));
}

async fn ask_lead(joined: &Joined, ask: &AskView) -> Result<(), String> {
    let AskKind::Permission { why, suggestions, preview, .. } = &ask.kind else {
        return Err("the lead's user can only say yes or no to a call".into());
    };
    let request = |preview: Option<String>| PermissionRequest {
        from: joined.me.clone(),
        timestamp: super::now(),
        request_id: ask.ask_id.clone(),
        tool: ask.tool.clone(),
        input: ask.input.clone(),
        why: why.clone(),
        suggestions: suggestions.clone(),
        preview,
        agent: ask.agent.as_deref().cloned(),
    };
    let content = |preview| Content::PermissionRequest(Box::new(request(preview)));
    // The input says what runs; the preview only shows it nicely.
    let whole = content(preview.clone());
    let fits = whole.clone().text().is_some_and(|text| text.len() <= LONGEST_TEXT);
    let content = if fits { whole } else { content(None) };
    joined.order(LEAD, ask.ask_id.clone(), content).await.map_err(|error| error.to_string())
}

fn no(ask_id: &str, why: &str) -> Submission {
    let message = format!("The team lead's user could not be asked: {why}. Go on without it.");
    let answer = Answer::Permission(PermissionAnswer::Deny { message, interrupt: false });
    Submission::Answer { ask_id: ask_id.into(), answer }
}
