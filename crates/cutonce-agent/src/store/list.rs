//! Which sessions there are (SE-3): for `cutonce sessions`, --continue, --resume and the picker.
//!
//! Of each file only the beginning and the end are read.

use super::index::LONGEST_LINE;
use super::{Sessions, StoreError, id_of};
use cutonce_core::mode::Mode;
use cutonce_core::transcript::{Body, Entry, Header, Kind};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Read at each end of a file.
const WINDOW: u64 = 128 << 10;
/// How far to look for the first message.
const FIRST_MESSAGE_WITHIN: u64 = 8 << 20;
/// Characters of a message or title that a list shows.
const SHOWN: usize = 200;

/// A session as a list shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// Its transcript.
    pub path: PathBuf,
    /// Where it was opened last; `None` where the file does not tell any more.
    pub cwd: Option<String>,
    /// All folders it was opened in, as far as both ends of the file tell.
    pub cwds: Vec<String>,
    /// The first words of the person, on one line.
    pub first_message: Option<String>,
    /// When its last entry was written (RFC 3339), if that entry can be read.
    pub last_at: Option<String>,
    /// When it was last written.
    pub modified: SystemTime,
    /// The git branch at its start.
    pub branch: Option<String>,
    /// `None` where the last change of mode is in a part that was not read.
    pub mode: Option<Mode>,
    /// Its plan's name.
    pub slug: Option<String>,
    /// Its plan's first heading.
    pub plan_title: Option<String>,
    /// Lines of the transcript; an estimate unless `exact`.
    pub entries: usize,
    /// Everything here was read; else the transcript is long and only its ends were.
    pub exact: bool,
    /// The transcript's size.
    pub bytes: u64,
}

/// Whose sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Of this project.
    Project,
    /// Of all.
    All,
}

/// The sessions, the latest first; at most `limit`.
pub fn list(sessions: &Sessions, scope: Scope, limit: usize) -> Result<Vec<Listed>, StoreError> {
    list_those(sessions, scope, limit, |_| true)
}

fn list_those(
    sessions: &Sessions,
    scope: Scope,
    limit: usize,
    wanted: impl Fn(&Listed) -> bool,
) -> Result<Vec<Listed>, StoreError> {
    let mut files: Vec<(SystemTime, PathBuf)> = match scope {
        Scope::Project => transcripts(&sessions.dir()),
        Scope::All => folders(&sessions.projects_dir()).iter().flat_map(|dir| transcripts(dir)).collect(),
    };
    let noted = if scope == Scope::Project { super::elsewhere::noted(sessions) } else { Vec::new() };
    files.extend(noted.iter().filter_map(|path| Some((fs::metadata(path).ok()?.modified().ok()?, path.clone()))));
    files.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| b.1.cmp(&a.1)));
    let mut found = Vec::new();
    for (modified, path) in files {
        // A file that vanished or can't be read is no reason to show no list.
        let Ok(listed) = look(&path, modified) else { continue };
        if wanted(&listed) && (scope == Scope::All || noted.contains(&path) || belongs(&listed, sessions.cwd())) {
            found.push(listed);
        }
        if found.len() == limit {
            break;
        }
    }
    Ok(found)
}

/// The session that was used last in this project (--continue): one in which a person said something. One that was only
/// opened, or that a teammate has to itself, is none to go on with.
pub fn continue_latest(sessions: &Sessions) -> Result<PathBuf, StoreError> {
    let latest = list_those(sessions, Scope::Project, 1, |one| one.first_message.is_some())?.pop();
    latest.map(|one| one.path).ok_or_else(|| StoreError::NotFound { query: "the last one here".into() })
}

/// The session that `query` means (--resume): an id, the beginning of one, or words of its first message, branch or plan.
pub fn find(sessions: &Sessions, query: &str) -> Result<PathBuf, StoreError> {
    let query = query.trim();
    let exact = |dir: &Path| Some(dir.join(format!("{query}.jsonl"))).filter(|path| path.is_file());
    if super::valid_id(query) {
        let others = folders(&sessions.projects_dir());
        if let Some(path) = exact(&sessions.dir()).or_else(|| others.iter().find_map(|dir| exact(dir))) {
            return Ok(path);
        }
    }
    let not_found = || StoreError::NotFound { query: query.to_string() };
    if query.is_empty() {
        return Err(not_found());
    }
    for scope in [Scope::Project, Scope::All] {
        let all = list(sessions, scope, usize::MAX)?;
        let by_id: Vec<_> = all.iter().filter(|one| one.id.starts_with(query)).cloned().collect();
        let fits = if by_id.is_empty() { all.into_iter().filter(|one| mentions(one, query)).collect() } else { by_id };
        match fits.as_slice() {
            [] => {}
            [one] => return Ok(one.path.clone()),
            [_, ..] => return Err(StoreError::Several { query: query.to_string(), found: fits }),
        }
    }
    Err(not_found())
}

fn mentions(one: &Listed, query: &str) -> bool {
    let query = query.to_lowercase();
    let texts = [&one.first_message, &one.branch, &one.slug, &one.plan_title];
    texts.into_iter().flatten().any(|text| text.to_lowercase().contains(&query))
}

/// Two folders may share one project name (`/a/b` and `/a-b`).
fn belongs(listed: &Listed, cwd: &Path) -> bool {
    listed.cwds.is_empty() || listed.cwds.iter().any(|own| Path::new(own) == cwd)
}

fn folders(dir: &Path) -> Vec<PathBuf> {
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

fn look(path: &Path, modified: SystemTime) -> io::Result<Listed> {
    let mut file = super::place::open_own(File::options().read(true), path)?;
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
    let mut listed = Listed {
        id: id_of(path),
        path: path.to_path_buf(),
        cwd: None,
        cwds: Vec::new(),
        first_message: None,
        last_at: None,
        modified,
        branch: None,
        mode: exact.then_some(Mode::Default),
        slug: None,
        plan_title: None,
        entries,
        exact,
        bytes,
    };
    let ends = [head.as_slice(), tail.as_slice()];
    for line in ends.into_iter().flat_map(|part| part.split(|byte| *byte == b'\n')) {
        note(&mut listed, line);
    }
    if listed.first_message.is_none() && !exact {
        listed.first_message = first_message(&mut file)?;
    }
    Ok(listed)
}

/// Take from one line what a list shows. Only lines of small types are parsed.
fn note(listed: &mut Listed, line: &[u8]) {
    let Some(header) = Header::skim(line) else { return };
    let wanted = match header.kind {
        Kind::Session | Kind::Mode | Kind::Plan | Kind::FileSnapshot => true,
        Kind::User => listed.first_message.is_none(),
        Kind::Assistant
        | Kind::Tool
        | Kind::Reminder
        | Kind::Ask
        | Kind::Compaction
        | Kind::Clear
        | Kind::Rewind
        | Kind::Error
        | Kind::Unknown => false,
    };
    if line.last() == Some(&b'}') {
        listed.last_at = Some(header.at.into_owned());
    }
    let Some(entry) = wanted.then(|| Entry::parse(line).ok()).flatten() else { return };
    match entry.body {
        Body::Session { cwd, branch, slug, forked_from, .. } => {
            // A fork starts with the sessions it was copied from; where those were is not where it is.
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
        Body::Mode { to, .. } => listed.mode = Some(to),
        Body::Plan { slug, .. } => listed.slug = Some(slug),
        Body::FileSnapshot { key, content: Some(content), .. } if key == "plan" => {
            listed.plan_title = title(&content).or(listed.plan_title.take());
        }
        Body::User { text, meta: false, .. } => listed.first_message = Some(one_line(&text)),
        Body::User { .. }
        | Body::FileSnapshot { .. }
        | Body::Assistant { .. }
        | Body::Tool { .. }
        | Body::Reminder { .. }
        | Body::Ask { .. }
        | Body::Compaction { .. }
        | Body::Clear { .. }
        | Body::Rewind { .. }
        | Body::Error { .. } => {}
    }
}

/// The first message where it lies behind the first window (long instructions, an image).
fn first_message(file: &mut File) -> io::Result<Option<String>> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::new(file.take(FIRST_MESSAGE_WITHIN));
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        if Header::skim(&line).is_some_and(|header| header.kind == Kind::User)
            && let Ok(Entry { body: Body::User { text, meta: false, .. }, .. }) = Entry::parse(&line)
        {
            return Ok(Some(one_line(&text)));
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

/// The last whole lines: a window from the end, larger if the last line is.
fn read_tail(file: &mut File, size: u64) -> io::Result<Vec<u8>> {
    let mut window = WINDOW;
    loop {
        let from = size.saturating_sub(window);
        let bytes = read_part(file, from, window)?;
        let whole = memchr::memchr(b'\n', &bytes).map(|end| end + 1).filter(|start| *start < bytes.len());
        match whole {
            Some(start) => return Ok(bytes[start..].to_vec()),
            None if from == 0 || window >= LONGEST_LINE as u64 => return Ok(bytes),
            None => window *= 8,
        }
    }
}

fn title(plan: &str) -> Option<String> {
    let heading = plan.lines().find_map(|line| line.trim().strip_prefix("# "));
    heading.or_else(|| plan.lines().find(|line| !line.trim().is_empty())).map(one_line)
}

/// For one line of a terminal: nothing in it controls anything or is hidden, bounded (TL-10).
fn one_line(text: &str) -> String {
    let begin: String = text.chars().take(SHOWN * 4).collect();
    let words = cutonce_core::harmless::visible(&begin).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = words.chars().take(SHOWN).collect();
    if shown.len() < words.len() {
        shown.push('…');
    }
    shown
}
