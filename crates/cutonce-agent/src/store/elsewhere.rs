//! A session that went on in another folder than it began in is found from both (SE-3): its transcript stays where it is, and the
//! other project gets a note beside its own sessions, `<id>.elsewhere`, that says in which project it is.

use super::place::{self, Sessions, project_name, write_private};
use super::{id_of, valid_id};
use serde::{Deserialize, Serialize};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const END: &str = "elsewhere";
/// No note is longer.
const LONGEST: u64 = 64 << 10;

#[derive(Debug, Default, Serialize, Deserialize)]
struct Note {
    /// The project whose folder holds the transcript.
    project: String,
    /// The folders it went on in: several can share one project name.
    cwds: Vec<String>,
}

/// Note here that the session of this transcript goes on in the folder of `sessions`. Nothing to do for one of its own.
pub fn note(sessions: &Sessions, transcript: &Path) -> io::Result<()> {
    let project = transcript.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    if project == project_name(sessions.cwd()) {
        return Ok(());
    }
    let path = sessions.dir().join(id_of(transcript)).with_extension(END);
    let cwd = sessions.cwd().display().to_string();
    let mut cwds = read(&path).map(|note| note.cwds).unwrap_or_default();
    if cwds.contains(&cwd) {
        return Ok(());
    }
    cwds.push(cwd);
    write_private(&path, serde_json::to_string(&Note { project, cwds })?.as_bytes())
}

/// The transcripts that notes of this folder lead to.
pub(crate) fn noted(sessions: &Sessions) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(sessions.dir()).into_iter().flatten().flatten().map(|entry| entry.path());
    let notes = entries.filter(|path| path.extension().is_some_and(|end| end == END));
    notes.filter_map(|path| led_to(sessions, &path)).collect()
}

fn led_to(sessions: &Sessions, path: &Path) -> Option<PathBuf> {
    let (note, id) = (read(path)?, id_of(path));
    let ours = note.cwds.iter().any(|cwd| Path::new(cwd) == sessions.cwd());
    // The name of a folder in ours, and nothing that leads out of it.
    let plain = !note.project.contains(['/', '\0']) && !note.project.starts_with('.') && valid_id(&id);
    (ours && plain).then(|| sessions.projects_dir().join(note.project).join(format!("{id}.jsonl")))
}

fn read(path: &Path) -> Option<Note> {
    let file = place::open_own(std::fs::File::options().read(true), path).ok()?;
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}
