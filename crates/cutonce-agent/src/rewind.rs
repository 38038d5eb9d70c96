//! The points that a session can be put back to (SE-5): each message of the person, and each approval of a plan. Read from
//! the transcript; carried out in `session/rewind.rs`.

use crate::store::Reader;
use cutonce_core::conversation::Image;
use cutonce_core::rule::Behavior;
use cutonce_core::shell;
use cutonce_core::transcript::{Body, Kind};
use std::io;
use std::path::Path;

/// Commands that are named, and how much of each.
const NAMED: usize = 3;
const LONGEST_COMMAND: usize = 300;

/// Where one can go back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// The entry's id: what `Submission::Rewind` names.
    pub id: String,
    /// RFC 3339.
    pub at: String,
    /// What happened there.
    pub what: What,
    /// Files that would be put back to what they held then.
    pub files: Vec<Snapshot>,
    /// How many commands ran since then that did not only read, and the latest of them: what they changed is not put back.
    pub commands: usize,
    /// The latest first.
    pub last_commands: Vec<String>,
}

/// What a point is, for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// To before this message.
    Message(String),
    /// To right after this plan was approved.
    Approval {
        /// The plan's name.
        slug: String,
        /// The revision that was approved.
        revision: u32,
    },
}

/// What a file held at a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The file, as it was named then.
    pub path: String,
    /// None: there was no file.
    pub sha256: Option<String>,
}

impl Snapshot {
    /// Does the file hold something else now?
    pub fn differs(&self) -> bool {
        use sha2::Digest;
        let now = std::fs::read(&self.path).ok().map(|bytes| crate::store::place::hex(&sha2::Sha256::digest(bytes)));
        now != self.sha256
    }
}

/// All points of a session, the latest first.
pub fn points(transcript: &Path) -> io::Result<Vec<Point>> {
    let mut reader = Reader::open(transcript)?;
    let mut points = Vec::new();
    // From the end: what a file held before its first change after a point is what it held at the point.
    let (mut files, mut commands, mut last_commands) = (Vec::<Snapshot>::new(), 0, Vec::new());
    for at in (0..reader.len()).rev() {
        let wanted = matches!(reader.kind(at), Kind::User | Kind::Plan | Kind::FileSnapshot) || reader.runs(at);
        let Some(entry) = wanted.then(|| reader.entry(at)).transpose()?.flatten() else { continue };
        let what = match entry.body {
            Body::FileSnapshot { key, path, sha256, .. } if key == "before" => {
                files.retain(|known| known.path != path);
                files.push(Snapshot { path, sha256 });
                continue;
            }
            Body::Tool { name, input, decision, .. } => {
                if let Some(command) = changing(&name, &input).filter(|_| decision.behavior != Behavior::Deny) {
                    commands += 1;
                    last_commands.extend((commands <= NAMED).then_some(command));
                }
                continue;
            }
            Body::User { text, meta: false, .. } => What::Message(text),
            Body::Plan { slug, revision, outcome, .. } if outcome == "approved" => What::Approval { slug, revision },
            _ => continue,
        };
        let mut files = files.clone();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let last_commands = last_commands.clone();
        points.push(Point { id: entry.id, at: entry.at, what, files, commands, last_commands });
    }
    Ok(points)
}

/// A command that may have changed something.
fn changing(tool: &str, input: &serde_json::Value) -> Option<String> {
    let command = input.get("command").and_then(|command| command.as_str()).filter(|_| tool == "Bash")?;
    let parsed = shell::parse(command);
    let reads = |part: &shell::Part| part.verdict == shell::Verdict::ReadOnly && part.redirects.is_empty();
    let only_reads = parsed.unparsed.is_none() && parsed.parts.iter().all(reads);
    (!only_reads).then(|| command.chars().take(LONGEST_COMMAND).collect())
}

/// The images of a message that is put back: it is the draft again, with all that belonged to it.
pub fn images(transcript: &Path, id: &str) -> io::Result<Vec<Image>> {
    let mut reader = Reader::open(transcript)?;
    for at in (0..reader.len()).rev().filter(|at| reader.kind(*at) == Kind::User).collect::<Vec<_>>() {
        if let Some(entry) = reader.entry(at)?.filter(|entry| entry.id == id)
            && let Body::User { images, .. } = entry.body
        {
            return Ok(images);
        }
    }
    Ok(Vec::new())
}

/// What lies before a point: the id of the last entry that stays, with the point itself.
pub(crate) fn before(transcript: &Path, id: &str) -> io::Result<Option<(Option<String>, Point)>> {
    let Some(point) = points(transcript)?.into_iter().find(|point| point.id == id) else { return Ok(None) };
    let mut reader = Reader::open(transcript)?;
    let mut ids = Vec::with_capacity(reader.len());
    for at in 0..reader.len() {
        ids.push(reader.entry(at)?.map(|entry| entry.id));
    }
    let Some(here) = ids.iter().position(|found| found.as_deref() == Some(id)) else { return Ok(None) };
    let last = match point.what {
        What::Message(_) => here.checked_sub(1),
        // The result that told the model of the approval belongs to it.
        What::Approval { .. } => {
            let ends = |kind| matches!(kind, Kind::Assistant | Kind::User | Kind::Clear | Kind::Compaction);
            let next = (here + 1..reader.len()).find(|at| ends(reader.kind(*at))).unwrap_or(reader.len());
            Some(next - 1)
        }
    };
    let last = last.and_then(|last| ids[..=last].iter().rev().flatten().next().cloned());
    Ok(Some((last, point)))
}
