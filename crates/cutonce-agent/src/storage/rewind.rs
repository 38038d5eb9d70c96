//! Rewind points of a session (SE-5): each user message and each plan approval, read from the transcript.
//! `session/rewind.rs` performs the rewind.

use crate::storage::TranscriptReader;
use cutonce_core::conversation::Image;
use cutonce_core::permission::rules::RuleBehavior;
use cutonce_core::shell;
use cutonce_core::transcript::{EntryBody, EntryKind};
use std::io;
use std::path::Path;

/// How many commands to list, and their maximum length.
const MAX_LISTED_COMMANDS: usize = 3;
const MAX_COMMAND_CHARS: usize = 300;

/// A point to rewind to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewindPoint {
    /// The entry's id, as used by `Submission::Rewind`.
    pub id: String,
    /// RFC 3339.
    pub at: String,
    /// What the point is.
    pub what: RewindTarget,
    /// Files that would be restored.
    pub files: Vec<FileSnapshot>,
    /// The number of commands since then that may have changed something, which is not undone.
    pub commands: usize,
    /// The latest of these commands, latest first.
    pub last_commands: Vec<String>,
}

/// The kind of a rewind point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RewindTarget {
    /// Before this message.
    Message(String),
    /// Right after this plan was approved.
    Approval {
        /// The plan's name.
        slug: String,
        /// The approved revision.
        revision: u32,
    },
}

/// A file's content at a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSnapshot {
    /// The file's path at that time.
    pub path: String,
    /// Hash of the content; `None` if there was no file.
    pub sha256: Option<String>,
}

impl FileSnapshot {
    /// Whether the file's current content is different.
    pub fn has_changed(&self) -> bool {
        use sha2::Digest;
        let now =
            std::fs::read(&self.path).ok().map(|bytes| crate::storage::paths::to_hex(&sha2::Sha256::digest(bytes)));
        now != self.sha256
    }
}

/// Lists all rewind points of a session, latest first.
pub fn rewind_points(transcript: &Path) -> io::Result<Vec<RewindPoint>> {
    let mut reader = TranscriptReader::open(transcript)?;
    let mut points = Vec::new();
    // Walk backwards: a file's content before its first change after a point is its content at the point.
    let (mut files, mut commands, mut last_commands) = (Vec::<FileSnapshot>::new(), 0, Vec::new());
    for at in (0..reader.len()).rev() {
        let wanted = reader.kind(at).matters_for_rewind() || reader.is_shell_call(at);
        let Some(entry) = wanted.then(|| reader.entry(at)).transpose()?.flatten() else { continue };
        let approved = entry.body.approved_revision().map(|(slug, revision)| (slug.to_string(), revision));
        let what = match entry.body {
            EntryBody::FileSnapshot { key, path, sha256, .. } if key == "before" => {
                files.retain(|known| known.path != path);
                files.push(FileSnapshot { path, sha256 });
                continue;
            }
            EntryBody::Tool { name, input, decision, .. } => {
                if let Some(command) =
                    changing_command(&name, &input).filter(|_| decision.behavior != RuleBehavior::Deny)
                {
                    commands += 1;
                    last_commands.extend((commands <= MAX_LISTED_COMMANDS).then_some(command));
                }
                continue;
            }
            EntryBody::User { text, meta: false, .. } => RewindTarget::Message(text),
            _ => match approved {
                Some((slug, revision)) => RewindTarget::Approval { slug, revision },
                None => continue,
            },
        };
        let mut files = files.clone();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let last_commands = last_commands.clone();
        points.push(RewindPoint { id: entry.id, at: entry.at, what, files, commands, last_commands });
    }
    Ok(points)
}

/// Returns the command if it may have changed something.
fn changing_command(tool: &str, input: &serde_json::Value) -> Option<String> {
    let command = input.get("command").and_then(|command| command.as_str()).filter(|_| tool == "Bash")?;
    let parsed = shell::parse(command);
    let reads =
        |part: &shell::CommandPart| part.verdict == shell::CommandVerdict::ReadOnly && part.redirects.is_empty();
    let only_reads = parsed.unparsed.is_none() && parsed.parts.iter().all(reads);
    (!only_reads).then(|| command.chars().take(MAX_COMMAND_CHARS).collect())
}

/// The images of a message, which are restored to the draft.
pub fn message_images(transcript: &Path, id: &str) -> io::Result<Vec<Image>> {
    let mut reader = TranscriptReader::open(transcript)?;
    for at in (0..reader.len()).rev().filter(|at| reader.kind(*at) == EntryKind::User).collect::<Vec<_>>() {
        if let Some(entry) = reader.entry(at)?.filter(|entry| entry.id == id)
            && let EntryBody::User { images, .. } = entry.body
        {
            return Ok(images);
        }
    }
    Ok(Vec::new())
}

/// Finds a rewind point and the id of the last entry to keep.
pub(crate) fn find_rewind_point(transcript: &Path, id: &str) -> io::Result<Option<(Option<String>, RewindPoint)>> {
    let Some(point) = rewind_points(transcript)?.into_iter().find(|point| point.id == id) else { return Ok(None) };
    let mut reader = TranscriptReader::open(transcript)?;
    let mut ids = Vec::with_capacity(reader.len());
    for at in 0..reader.len() {
        ids.push(reader.entry(at)?.map(|entry| entry.id));
    }
    let Some(here) = ids.iter().position(|found| found.as_deref() == Some(id)) else { return Ok(None) };
    let last = match point.what {
        RewindTarget::Message(_) => here.checked_sub(1),
        // Keep the tool result that reported the approval to the model.
        RewindTarget::Approval { .. } => {
            let ends = |kind| {
                matches!(kind, EntryKind::Assistant | EntryKind::User | EntryKind::Clear | EntryKind::Compaction)
            };
            let next = (here + 1..reader.len()).find(|at| ends(reader.kind(*at))).unwrap_or(reader.len());
            Some(next - 1)
        }
    };
    let last = last.and_then(|last| ids[..=last].iter().rev().flatten().next().cloned());
    Ok(Some((last, point)))
}
