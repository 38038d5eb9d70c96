//! An earlier session as updates: what was said and done, in order, before the client may go on with it.

use super::calls;
use super::show::{self, Outcome, Show};
use agent_client_protocol::v1::schema::SessionUpdate;
use cutonce_agent::store::Reader;
use cutonce_agent::store::place::own_dir;
use cutonce_core::event::Todo;
use cutonce_core::transcript::{Body, Kind};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Entries that are shown at most; the latest ones.
const MOST: usize = 4_000;
const SHOWN: [Kind; 5] = [Kind::User, Kind::Assistant, Kind::Tool, Kind::Compaction, Kind::Error];
/// What is not shown itself and says something about what is.
const BESIDE: [Kind; 2] = [Kind::Clear, Kind::FileSnapshot];
/// A version of a file beyond this is not compared again.
const LARGEST: u64 = 4 << 20;

/// Hands each update to `send`. What can't be read is left out, as it is when the session is resumed (SE-2).
pub fn replay(transcript: &Path, show: &mut Show, send: &mut dyn FnMut(SessionUpdate)) -> std::io::Result<()> {
    let mut reader = Reader::open(transcript)?;
    let start = (0..reader.len()).rev().find(|at| reader.kind(*at) == Kind::Clear).unwrap_or(0);
    let wanted: Vec<usize> = (start..reader.len()).filter(|at| SHOWN.contains(&reader.kind(*at))).collect();
    let left_out = wanted.len().saturating_sub(MOST);
    if left_out > 0 {
        send(show.aside(&format!("{left_out} earlier entries are not shown here.")));
    }
    let mut past = Past { versions: own_dir(transcript).join("versions"), before: HashMap::new(), plan: None };
    let mut todos = None;
    let first = if left_out > 0 { wanted[left_out] } else { start };
    let kinds = [SHOWN.as_slice(), BESIDE.as_slice()].concat();
    for at in (first..reader.len()).filter(|at| kinds.contains(&reader.kind(*at))).collect::<Vec<_>>() {
        let Some(entry) = reader.entry(at)? else { continue };
        if let Some(newer) = todos_of(&entry.body) {
            todos = Some(newer);
        }
        past.updates(entry.body, show).into_iter().for_each(&mut *send);
    }
    show.abandoned().into_iter().for_each(&mut *send);
    todos.iter().map(|todos: &Vec<Todo>| show::plan(todos)).for_each(send);
    Ok(())
}

/// What the entries so far say about those that follow.
struct Past {
    versions: PathBuf,
    /// What files held before the change whose result comes: the hash of a kept version, or that there was none.
    before: HashMap<PathBuf, Option<String>>,
    /// The plan that was shown last.
    plan: Option<String>,
}

impl Past {
    fn updates(&mut self, body: Body, show: &mut Show) -> Vec<SessionUpdate> {
        match body {
            Body::User { text, images, meta: false, .. } => show.user(&text, &images),
            // PM-142: a conversation that was cleared for its plan begins with that.
            Body::User { plan_content: Some(plan), .. } | Body::Clear { plan_content: Some(plan) } => {
                self.approved(plan, show)
            }
            Body::Assistant { blocks, .. } => show.replayed(&blocks),
            Body::Tool { call_id, name, input, output, is_error, .. } => {
                let display = if is_error { None } else { self.change(&name, &input, show.cwd()) };
                let (call_id, tool, display) = (&call_id, &name, display.as_ref());
                show.finished(&Outcome { call_id, tool, input: &input, content: &output, is_error, display })
            }
            Body::FileSnapshot { key, path, sha256, .. } if key == "before" => {
                self.before.insert(path.into(), sha256);
                vec![]
            }
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

    fn approved(&mut self, plan: String, show: &Show) -> Vec<SessionUpdate> {
        if self.plan.as_ref() == Some(&plan) {
            return vec![];
        }
        let shown = show.aside(&format!("## The approved plan\n\n{}", calls::plan(&plan, "the plan file")));
        self.plan = Some(plan);
        vec![shown]
    }

    /// What a change looked like, where the version that it replaced was kept (SE-5).
    fn change(&mut self, tool: &str, input: &Value, cwd: &Path) -> Option<Value> {
        let path = calls::path(input, cwd)?;
        // What was kept is named by the path behind all links.
        let path = if self.before.contains_key(&path) { path } else { path.canonicalize().ok()? };
        let old = match self.before.remove(&path)? {
            Some(hash) => Some(self.version(&hash)?),
            None => None,
        };
        cutonce_tools::past::display(tool, input, &path, old)
    }

    fn version(&self, hash: &str) -> Option<Vec<u8>> {
        // The hash becomes a file name.
        let file = Some(hash).filter(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        let file = self.versions.join(file);
        let about = std::fs::symlink_metadata(&file).ok()?;
        (about.is_file() && about.len() <= LARGEST).then(|| std::fs::read(file).ok())?
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
