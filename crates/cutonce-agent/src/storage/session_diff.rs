//! What a session changed in files (DU-5): the content before its first change, compared with the disk.

use super::paths::own_dir;
use super::rewind::rewind_points;
use super::versions::read_version;
use cutonce_tools::files::unified_diff;
use std::io;
use std::path::Path;

/// The unified diffs of the files that the session changed and that still differ, by path. Changes that commands made
/// are not part of it.
pub fn session_diff(transcript: &Path) -> io::Result<Vec<(String, String)>> {
    let Some(first) = rewind_points(transcript)?.pop() else { return Ok(Vec::new()) };
    let own = own_dir(transcript);
    let mut diffs = Vec::new();
    for file in first.files.iter().filter(|file| file.has_changed()) {
        let before = read_version(&own, file.sha256.as_deref())?;
        let now = std::fs::read(&file.path).unwrap_or_default();
        diffs.push((file.path.clone(), unified_diff(&file.path, before.as_deref(), &now)));
    }
    Ok(diffs)
}
