//! An earlier session as updates: what was said and done, in order, before the client may go on with it.

use super::show::{self, Outcome, Show};
use agent_client_protocol::v1::schema::SessionUpdate;
use cutonce_agent::store::Reader;
use cutonce_core::event::Todo;
use cutonce_core::transcript::{Body, Kind};
use serde_json::Value;
use std::path::Path;

/// Entries that are shown at most; the latest ones.
const MOST: usize = 4_000;
const SHOWN: [Kind; 5] = [Kind::User, Kind::Assistant, Kind::Tool, Kind::Compaction, Kind::Error];

/// Hands each update to `send`. What can't be read is left out, as it is when the session is resumed (SE-2).
pub fn replay(transcript: &Path, show: &mut Show, send: &mut dyn FnMut(SessionUpdate)) -> std::io::Result<()> {
    let mut reader = Reader::open(transcript)?;
    let start = (0..reader.len()).rev().find(|at| reader.kind(*at) == Kind::Clear).unwrap_or(0);
    let wanted: Vec<usize> = (start..reader.len()).filter(|at| SHOWN.contains(&reader.kind(*at))).collect();
    let left_out = wanted.len().saturating_sub(MOST);
    if left_out > 0 {
        send(show.aside(&format!("{left_out} earlier entries are not shown here.")));
    }
    let mut todos = None;
    for at in &wanted[left_out..] {
        let Some(entry) = reader.entry(*at)? else { continue };
        if let Some(newer) = todos_of(&entry.body) {
            todos = Some(newer);
        }
        entry_updates(entry.body, show).into_iter().for_each(&mut *send);
    }
    show.abandoned().into_iter().for_each(&mut *send);
    todos.iter().map(|todos: &Vec<Todo>| show::plan(todos)).for_each(send);
    Ok(())
}

fn entry_updates(body: Body, show: &mut Show) -> Vec<SessionUpdate> {
    match body {
        Body::User { text, images, meta: false, .. } => show.user(&text, &images),
        Body::Assistant { blocks, .. } => show.replayed(&blocks),
        Body::Tool { call_id, name, input, output, is_error, .. } => show.finished(&Outcome {
            call_id: &call_id,
            tool: &name,
            input: &input,
            content: &output,
            is_error,
            display: None,
        }),
        Body::Compaction { .. } => vec![show.aside("The conversation up to here was compacted.")],
        Body::Error { message } => vec![show.aside(&message)],
        Body::User { .. }
        | Body::Session { .. }
        | Body::Reminder { .. }
        | Body::Mode { .. }
        | Body::FileSnapshot { .. }
        | Body::Plan { .. }
        | Body::Ask { .. }
        | Body::Clear { .. }
        | Body::Rewind { .. } => vec![],
    }
}

fn todos_of(body: &Body) -> Option<Vec<Todo>> {
    match body {
        Body::Tool { name, input, is_error: false, .. } if name == "TodoWrite" => {
            serde_json::from_value(input.get("todos").cloned().unwrap_or(Value::Null)).ok()
        }
        _ => None,
    }
}
