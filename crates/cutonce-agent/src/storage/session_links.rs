//! Links a session to another folder it was resumed in, so that both list it (SE-3). The transcript stays in place;
//! the other project gets a file `<id>.elsewhere` that names the transcript's project.

use super::paths::{self, ProjectSessions, project_name, write_private};
use super::{transcript_session_id, valid_id};
use serde::{Deserialize, Serialize};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const EXTENSION: &str = "elsewhere";
/// Maximum size of a link file.
const MAX_FILE_SIZE: u64 = 64 << 10;

#[derive(Debug, Default, Serialize, Deserialize)]
struct SessionLink {
    /// The project with the transcript.
    project: String,
    /// The folders it was resumed in: several can share one project name.
    cwds: Vec<String>,
}

/// Links the session of this transcript to the folder of `sessions`. No effect for the folder's own sessions.
pub fn add_link(sessions: &ProjectSessions, transcript: &Path) -> io::Result<()> {
    let project = transcript.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    if project == project_name(sessions.cwd()) {
        return Ok(());
    }
    let path = sessions.dir().join(transcript_session_id(transcript)).with_extension(EXTENSION);
    let cwd = sessions.cwd().display().to_string();
    let mut cwds = read_link(&path).map(|note| note.cwds).unwrap_or_default();
    if cwds.contains(&cwd) {
        return Ok(());
    }
    cwds.push(cwd);
    write_private(&path, serde_json::to_string(&SessionLink { project, cwds })?.as_bytes())
}

/// The transcripts linked from this folder.
pub(crate) fn linked_transcripts(sessions: &ProjectSessions) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(sessions.dir()).into_iter().flatten().flatten().map(|entry| entry.path());
    let notes = entries.filter(|path| path.extension().is_some_and(|end| end == EXTENSION));
    notes.filter_map(|path| link_target(sessions, &path)).collect()
}

fn link_target(sessions: &ProjectSessions, path: &Path) -> Option<PathBuf> {
    let (note, id) = (read_link(path)?, transcript_session_id(path));
    let ours = note.cwds.iter().any(|cwd| Path::new(cwd) == sessions.cwd());
    // The project must be a plain folder name that can't lead elsewhere.
    let plain = !note.project.contains(['/', '\0']) && !note.project.starts_with('.') && valid_id(&id);
    (ours && plain).then(|| sessions.projects_dir().join(note.project).join(format!("{id}.jsonl")))
}

fn read_link(path: &Path) -> Option<SessionLink> {
    let file = paths::open_own(std::fs::File::options().read(true), path).ok()?;
    let mut text = String::new();
    file.take(MAX_FILE_SIZE).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}
