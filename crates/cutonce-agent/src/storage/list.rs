//! Lists sessions (SE-3) for `cutonce sessions`, --continue, --resume and the picker.
//!
//! Reads only the beginning and the end of each file.

use super::index::MAX_LINE;
use super::{ProjectSessions, StoreError, transcript_session_id};
use cutonce_core::mode::Mode;
use cutonce_core::text::truncate::with_ellipsis;
use cutonce_core::transcript::{EntryBody, EntryHeader, EntryKind, TranscriptEntry};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How much to read at each end of a file.
const WINDOW: u64 = 128 << 10;
/// How far to search for the first message.
const FIRST_MESSAGE_LIMIT: u64 = 8 << 20;
/// Maximum characters of a message or title in a list.
const MAX_TEXT_CHARS: usize = 200;

/// A session, as listed.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedSession {
    /// The session's id.
    pub id: String,
    /// The transcript's path.
    pub path: PathBuf,
    /// Where it was last opened; `None` if unknown.
    pub cwd: Option<String>,
    /// All folders it was opened in, as far as both ends of the file show.
    pub cwds: Vec<String>,
    /// The user's first message, on one line.
    pub first_message: Option<String>,
    /// When its last entry was written (RFC 3339), if that entry can be read.
    pub last_at: Option<String>,
    /// When the file was last written.
    pub modified: SystemTime,
    /// The git branch at its start.
    pub branch: Option<String>,
    /// The last mode; `None` if it is in a part that was not read.
    pub mode: Option<Mode>,
    /// The plan's name.
    pub slug: Option<String>,
    /// The plan's first heading.
    pub title: Option<String>,
    /// The number of lines; an estimate unless `exact`.
    pub entries: usize,
    /// Whether the whole transcript was read, not only its ends.
    pub exact: bool,
    /// The transcript's size.
    pub bytes: u64,
}

/// Which sessions to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionScope {
    /// Sessions of this project.
    Project,
    /// Sessions of all projects.
    All,
}

/// Lists at most `limit` sessions, latest first.
pub fn list_sessions(
    sessions: &ProjectSessions,
    scope: SessionScope,
    limit: usize,
) -> Result<Vec<ListedSession>, StoreError> {
    list_matching(sessions, scope, limit, |_| true)
}

fn list_matching(
    sessions: &ProjectSessions,
    scope: SessionScope,
    limit: usize,
    wanted: impl Fn(&ListedSession) -> bool,
) -> Result<Vec<ListedSession>, StoreError> {
    let mut files: Vec<(SystemTime, PathBuf)> = match scope {
        SessionScope::Project => transcripts(&sessions.dir()),
        SessionScope::All => subfolders(&sessions.projects_dir()).iter().flat_map(|dir| transcripts(dir)).collect(),
    };
    let noted =
        if scope == SessionScope::Project { super::session_links::linked_transcripts(sessions) } else { Vec::new() };
    files.extend(noted.iter().filter_map(|path| Some((fs::metadata(path).ok()?.modified().ok()?, path.clone()))));
    files.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| b.1.cmp(&a.1)));
    let mut found = Vec::new();
    for (modified, path) in files {
        // Skip files that vanished or can't be read.
        let Ok(listed) = read_listed(&path, modified) else { continue };
        if wanted(&listed)
            && (scope == SessionScope::All || noted.contains(&path) || belongs_to(&listed, sessions.cwd()))
        {
            found.push(listed);
        }
        if found.len() == limit {
            break;
        }
    }
    Ok(found)
}

/// The last used session of this project (--continue). It must contain a user message: sessions that were only
/// opened, or that belong to a teammate, are skipped.
pub fn find_latest(sessions: &ProjectSessions) -> Result<PathBuf, StoreError> {
    let latest = list_matching(sessions, SessionScope::Project, 1, |one| one.first_message.is_some())?.pop();
    latest.map(|one| one.path).ok_or_else(|| StoreError::NotFound { query: "the latest one in this folder".into() })
}

/// Finds a session for --resume: by id, by the start of an id, or by text in its first message, branch or plan.
pub fn find_session(sessions: &ProjectSessions, query: &str) -> Result<PathBuf, StoreError> {
    let query = query.trim();
    let exact = |dir: &Path| Some(dir.join(format!("{query}.jsonl"))).filter(|path| path.is_file());
    if super::valid_id(query) {
        let others = subfolders(&sessions.projects_dir());
        if let Some(path) = exact(&sessions.dir()).or_else(|| others.iter().find_map(|dir| exact(dir))) {
            return Ok(path);
        }
    }
    let not_found = || StoreError::NotFound { query: query.to_string() };
    if query.is_empty() {
        return Err(not_found());
    }
    for scope in [SessionScope::Project, SessionScope::All] {
        let all = list_sessions(sessions, scope, usize::MAX)?;
        let by_id: Vec<_> = all.iter().filter(|one| one.id.starts_with(query)).cloned().collect();
        let fits =
            if by_id.is_empty() { all.into_iter().filter(|one| matches_text(one, query)).collect() } else { by_id };
        match fits.as_slice() {
            [] => {}
            [one] => return Ok(one.path.clone()),
            [_, ..] => return Err(StoreError::Several { query: query.to_string(), found: fits }),
        }
    }
    Err(not_found())
}

fn matches_text(one: &ListedSession, query: &str) -> bool {
    let query = query.to_lowercase();
    let texts = [&one.first_message, &one.branch, &one.slug, &one.title];
    texts.into_iter().flatten().any(|text| text.to_lowercase().contains(&query))
}

/// Whether the session belongs to this folder: two folders may share one project name (`/a/b` and `/a-b`).
fn belongs_to(listed: &ListedSession, cwd: &Path) -> bool {
    listed.cwds.is_empty() || listed.cwds.iter().any(|own| Path::new(own) == cwd)
}

fn subfolders(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()).collect()
}

fn transcripts(dir: &Path) -> Vec<(SystemTime, PathBuf)> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "jsonl"));
    ours.filter_map(|entry| {
        let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some((about.modified().unwrap_or(SystemTime::UNIX_EPOCH), entry.path()))
    })
    .collect()
}

fn read_listed(path: &Path, modified: SystemTime) -> io::Result<ListedSession> {
    let mut file = super::paths::open_own(File::options().read(true), path)?;
    let bytes = file.metadata()?.len();
    let exact = bytes <= 2 * WINDOW;
    let (head, tail) = if exact {
        (read_part(&mut file, 0, bytes)?, Vec::new())
    } else {
        (read_part(&mut file, 0, WINDOW)?, read_tail(&mut file, bytes)?)
    };
    let lines = memchr::memchr_iter(b'\n', &head).count() + memchr::memchr_iter(b'\n', &tail).count();
    let sample = (head.len() + tail.len()).max(1) as u64;
    let entries = if exact { lines } else { (lines as u64 * bytes / sample) as usize };
    let mut listed = ListedSession {
        id: transcript_session_id(path),
        path: path.to_path_buf(),
        cwd: None,
        cwds: Vec::new(),
        first_message: None,
        last_at: None,
        modified,
        branch: None,
        mode: exact.then_some(Mode::Default),
        slug: None,
        title: None,
        entries,
        exact,
        bytes,
    };
    let ends = [head.as_slice(), tail.as_slice()];
    for line in ends.into_iter().flat_map(|part| part.split(|byte| *byte == b'\n')) {
        update_from_line(&mut listed, line);
    }
    if listed.first_message.is_none() && !exact {
        listed.first_message = first_message(&mut file)?;
    }
    Ok(listed)
}

/// Updates the listed session from one line. Only lines of small types are parsed.
fn update_from_line(listed: &mut ListedSession, line: &[u8]) {
    let Some(header) = EntryHeader::skim(line) else { return };
    let wanted = match header.kind {
        EntryKind::Session | EntryKind::Mode | EntryKind::Plan | EntryKind::FileSnapshot => true,
        EntryKind::User => listed.first_message.is_none(),
        EntryKind::Assistant
        | EntryKind::Tool
        | EntryKind::Reminder
        | EntryKind::Scope
        | EntryKind::Contract
        | EntryKind::Evidence
        | EntryKind::Ask
        | EntryKind::Compaction
        | EntryKind::Clear
        | EntryKind::Rewind
        | EntryKind::Usage
        | EntryKind::Error
        | EntryKind::Unknown => false,
    };
    if line.last() == Some(&b'}') {
        listed.last_at = Some(header.at.into_owned());
    }
    let Some(entry) = wanted.then(|| TranscriptEntry::parse(line).ok()).flatten() else { return };
    match entry.body {
        EntryBody::Session { cwd, branch, slug, forked_from, .. } => {
            // A fork starts with entries of its original; the original's folders are not its own.
            if forked_from.is_some() {
                listed.cwds.clear();
            }
            if !listed.cwds.contains(&cwd) {
                listed.cwds.push(cwd.clone());
            }
            listed.cwd = Some(cwd);
            listed.branch = branch;
            listed.slug = slug.or(listed.slug.take());
        }
        EntryBody::Mode { to, .. } => listed.mode = Some(to),
        EntryBody::Plan { slug, .. } => listed.slug = Some(slug),
        EntryBody::FileSnapshot { key, content: Some(content), .. } if key == "plan" => {
            listed.title = cutonce_core::plan::plan_title(&content).or(listed.title.take());
        }
        EntryBody::User { text, meta: false, .. } => listed.first_message = Some(listed_line(&text)),
        // `cutonce implement` starts without a message of the user.
        EntryBody::User { plan_content: Some(plan), .. } => {
            listed.first_message =
                Some(format!("Implement: {}", cutonce_core::plan::plan_title(&plan).unwrap_or_default()));
        }
        EntryBody::User { .. }
        | EntryBody::FileSnapshot { .. }
        | EntryBody::Assistant { .. }
        | EntryBody::Tool { .. }
        | EntryBody::Reminder { .. }
        | EntryBody::Scope { .. }
        | EntryBody::Contract { .. }
        | EntryBody::Evidence { .. }
        | EntryBody::Ask { .. }
        | EntryBody::Compaction { .. }
        | EntryBody::Clear { .. }
        | EntryBody::Rewind { .. }
        | EntryBody::Usage { .. }
        | EntryBody::Error { .. } => {}
    }
}

/// Searches the first message beyond the first window (long instructions, an image).
fn first_message(file: &mut File) -> io::Result<Option<String>> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::new(file.take(FIRST_MESSAGE_LIMIT));
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        if EntryHeader::skim(&line).is_some_and(|header| header.kind == EntryKind::User)
            && let Ok(TranscriptEntry { body: EntryBody::User { text, meta: false, .. }, .. }) =
                TranscriptEntry::parse(&line)
        {
            return Ok(Some(listed_line(&text)));
        }
        line.clear();
    }
    Ok(None)
}

fn read_part(file: &mut File, from: u64, len: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::with_capacity(len as usize);
    file.take(len).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the last whole lines: a window from the end, enlarged for a long last line.
fn read_tail(file: &mut File, size: u64) -> io::Result<Vec<u8>> {
    let mut window = WINDOW;
    loop {
        let from = size.saturating_sub(window);
        let bytes = read_part(file, from, window)?;
        let whole = memchr::memchr(b'\n', &bytes).map(|end| end + 1).filter(|start| *start < bytes.len());
        match whole {
            Some(start) => return Ok(bytes[start..].to_vec()),
            None if from == 0 || window >= MAX_LINE as u64 => return Ok(bytes),
            None => window *= 8,
        }
    }
}

/// One sanitized, shortened line for a terminal (TL-10).
fn listed_line(text: &str) -> String {
    let begin: String = text.chars().take(MAX_TEXT_CHARS * 4).collect();
    let words = cutonce_core::text::sanitize::reveal_hidden(&begin).split_whitespace().collect::<Vec<_>>().join(" ");
    with_ellipsis(words, MAX_TEXT_CHARS)
}
