//! Replays an earlier session as updates, in order, before the client continues it.

use super::updates::{self, ToolCallResult, UpdateBuilder};
use super::{calls, reviews};
use agent_client_protocol::v1::schema::SessionUpdate;
use cutonce_agent::storage::TranscriptReader;
use cutonce_agent::storage::paths::own_dir;
use cutonce_core::protocol::event::TodoItem;
use cutonce_core::transcript::{EntryBody, EntryKind};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Maximum number of entries to show; the latest ones.
const MAX_ENTRIES: usize = 4_000;
const SHOWN_KINDS: [EntryKind; 5] =
    [EntryKind::User, EntryKind::Assistant, EntryKind::Tool, EntryKind::Compaction, EntryKind::Error];
/// Entries that are not shown but describe those that are.
const CONTEXT_KINDS: [EntryKind; 2] = [EntryKind::Clear, EntryKind::FileSnapshot];
/// Maximum size of a file version to compare again.
const MAX_VERSION_BYTES: u64 = 4 << 20;

/// Passes each update to `send`. Unreadable entries are skipped, as when the session is resumed (SE-2).
pub fn replay_transcript(
    transcript: &Path,
    show: &mut UpdateBuilder,
    send: &mut dyn FnMut(SessionUpdate),
) -> std::io::Result<()> {
    let mut reader = TranscriptReader::open(transcript)?;
    let start = (0..reader.len()).rev().find(|at| reader.kind(*at) == EntryKind::Clear).unwrap_or(0);
    let wanted: Vec<usize> = (start..reader.len()).filter(|at| SHOWN_KINDS.contains(&reader.kind(*at))).collect();
    let left_out = wanted.len().saturating_sub(MAX_ENTRIES);
    if left_out > 0 {
        send(show.notice_chunk(&format!("{left_out} earlier entries are not shown here.")));
    }
    let mut past = ReplayState { versions: own_dir(transcript).join("versions"), before: HashMap::new(), plan: None };
    let mut todos = None;
    let first = if left_out > 0 { wanted[left_out] } else { start };
    let kinds = [SHOWN_KINDS.as_slice(), CONTEXT_KINDS.as_slice()].concat();
    for at in (first..reader.len()).filter(|at| kinds.contains(&reader.kind(*at))).collect::<Vec<_>>() {
        let Some(entry) = reader.entry(at)? else { continue };
        if let Some(newer) = parse_todos(&entry.body) {
            todos = Some(newer);
        }
        past.entry_updates(entry.body, show).into_iter().for_each(&mut *send);
    }
    show.fail_open_calls().into_iter().for_each(&mut *send);
    todos.iter().map(|todos: &Vec<TodoItem>| updates::todo_plan(todos)).for_each(send);
    Ok(())
}

/// Facts from earlier entries that later ones need.
struct ReplayState {
    versions: PathBuf,
    /// File versions before a change: the hash of a saved version, or `None` if the file did not exist.
    before: HashMap<PathBuf, Option<String>>,
    /// The plan that was shown last.
    plan: Option<String>,
}

impl ReplayState {
    fn entry_updates(&mut self, body: EntryBody, show: &mut UpdateBuilder) -> Vec<SessionUpdate> {
        match body {
            EntryBody::User { text, images, meta: false, .. } => show.user_chunks(&text, &images),
            // PM-142: a conversation cleared for a plan starts with that plan.
            EntryBody::User { plan_content: Some(plan), .. } | EntryBody::Clear { plan_content: Some(plan) } => {
                self.show_approved_plan(plan, show)
            }
            EntryBody::Assistant { blocks, .. } => show.replayed_answer(&blocks),
            EntryBody::Tool { call_id, name, input, output, is_error, .. } => {
                let display = if is_error { None } else { self.saved_diff(&name, &input, show.cwd()) };
                let (call_id, tool, display) = (&call_id, &name, display.as_ref());
                show.call_finished(&ToolCallResult {
                    call_id,
                    tool,
                    input: &input,
                    content: &output,
                    is_error,
                    display,
                })
            }
            EntryBody::FileSnapshot { key, path, sha256, .. } if key == "before" => {
                self.before.insert(path.into(), sha256);
                vec![]
            }
            EntryBody::Compaction { .. } => vec![show.notice_chunk("The conversation up to here was compacted.")],
            EntryBody::Error { message } => vec![show.notice_chunk(&message)],
            EntryBody::User { .. }
            | EntryBody::Session { .. }
            | EntryBody::Reminder { .. }
            | EntryBody::Mode { .. }
            | EntryBody::FileSnapshot { .. }
            | EntryBody::Plan { .. }
            | EntryBody::Scope { .. }
            | EntryBody::Contract { .. }
            | EntryBody::Evidence { .. }
            | EntryBody::Ask { .. }
            | EntryBody::Clear { .. }
            | EntryBody::Rewind { .. }
            | EntryBody::Usage { .. } => vec![],
        }
    }

    fn show_approved_plan(&mut self, plan: String, show: &UpdateBuilder) -> Vec<SessionUpdate> {
        if self.plan.as_ref() == Some(&plan) {
            return vec![];
        }
        let shown =
            show.notice_chunk(&format!("## The approved plan\n\n{}", reviews::plan_text(&plan, "the plan file")));
        self.plan = Some(plan);
        vec![shown]
    }

    /// The diff of a change, if the replaced version was saved (SE-5).
    fn saved_diff(&mut self, tool: &str, input: &Value, cwd: &Path) -> Option<Value> {
        let path = calls::input_path(input, cwd)?;
        // Saved versions are named by the path with links resolved.
        let path = if self.before.contains_key(&path) { path } else { path.canonicalize().ok()? };
        let old = match self.before.remove(&path)? {
            Some(hash) => Some(self.read_version(&hash)?),
            None => None,
        };
        cutonce_tools::files::past_change::past_display(tool, input, &path, old)
    }

    fn read_version(&self, hash: &str) -> Option<Vec<u8>> {
        // The hash becomes a file name.
        let file = Some(hash).filter(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        let file = self.versions.join(file);
        let about = std::fs::symlink_metadata(&file).ok()?;
        (about.is_file() && about.len() <= MAX_VERSION_BYTES).then(|| std::fs::read(file).ok())?
    }
}

fn parse_todos(body: &EntryBody) -> Option<Vec<TodoItem>> {
    match body {
        EntryBody::Tool { name, input, is_error: false, .. } if name == "TodoWrite" => {
            serde_json::from_value(input.get("todos").cloned().unwrap_or(Value::Null)).ok()
        }
        _ => None,
    }
}
