//! Numbered lists to pick from: a session to resume (UI-15) or a point to rewind to (SE-5), each with a
//! preview before anything happens.

use super::output;
use cutonce_agent::storage::paths::{ProjectSessions, own_dir};
use cutonce_agent::storage::rewind::{self, FileSnapshot, RewindPoint, RewindTarget};
use cutonce_agent::storage::{ListedSession, SessionScope, TranscriptReader, list_sessions};
use cutonce_core::conversation::ContentBlock;
use cutonce_core::text::sanitize::one_line;
use cutonce_core::transcript::EntryBody;
use std::io;
use std::path::{Path, PathBuf};

/// Rows shown at once.
const PAGE_ROWS: usize = 15;
/// Maximum number of sessions to search.
const MAX_SESSIONS: usize = 10_000;
/// Messages shown from the end of a session.
const PREVIEW_MESSAGES: usize = 6;
/// Maximum size of a file to compare.
const MAX_DIFF_FILE_BYTES: u64 = 1 << 20;
/// Maximum number of diff lines in total.
const MAX_DIFF_LINES: usize = 200;

/// The open list.
pub enum PickList {
    Session(SessionList),
    Point(RewindList),
}

/// Result of a line in a list.
#[derive(Debug, PartialEq)]
pub enum PickResult {
    /// Print this and keep the list open.
    Print(String),
    Cancel,
    Open {
        id: String,
        fork: bool,
    },
    Rewind {
        to: String,
        files: bool,
        conversation: bool,
        /// The user's message that is taken back.
        said: Option<String>,
    },
}

impl PickList {
    pub fn render(&self) -> String {
        match self {
            PickList::Session(list) => list.render(),
            PickList::Point(points) => points.render(),
        }
    }

    pub fn step(&mut self, line: &str) -> PickResult {
        match self {
            PickList::Session(list) => list.step(line),
            PickList::Point(points) => points.step(line),
        }
    }
}

pub struct SessionList {
    sessions: ProjectSessions,
    listed: Vec<ListedSession>,
    from: usize,
    everywhere: bool,
    words: String,
    /// The current session, which can't be resumed.
    own: Option<String>,
}

impl SessionList {
    pub fn new(home: &Path, cwd: &Path, own: Option<String>, words: &str) -> SessionList {
        let sessions = ProjectSessions::new(home, cwd);
        let mut made = SessionList { sessions, listed: vec![], from: 0, everywhere: false, words: words.into(), own };
        made.refresh();
        // Like `--resume`: searches all folders if no session of this folder matches.
        if !words.is_empty() && made.listed.is_empty() {
            made.everywhere = true;
            made.refresh();
        }
        made
    }

    fn refresh(&mut self) {
        let scope = if self.everywhere { SessionScope::All } else { SessionScope::Project };
        let mut listed = list_sessions(&self.sessions, scope, MAX_SESSIONS).unwrap_or_default();
        listed.retain(|one| {
            let spoken = one.first_message.is_some() || one.title.is_some();
            spoken && Some(&one.id) != self.own.as_ref() && crate::commands::sessions::matches_search(one, &self.words)
        });
        (self.listed, self.from) = (listed, 0);
    }

    fn render(&self) -> String {
        let place = if self.everywhere { "all folders" } else { "this folder" };
        let fits = if self.words.is_empty() { String::new() } else { format!(" with «{}»", one_line(&self.words)) };
        let mut text = format!("\nSessions of {place}{fits}: {}\n", self.listed.len());
        for (n, one) in self.listed.iter().enumerate().skip(self.from).take(PAGE_ROWS) {
            text.push_str(&format!("  {} {}\n", n + 1, session_line(one, self.everywhere)));
        }
        let more = if self.from + PAGE_ROWS < self.listed.len() { ", `more` shows more" } else { "" };
        let other = if self.everywhere { "this folder" } else { "all folders" };
        text.push_str(&format!(
            "  NUMBER resumes, `f NUMBER` resumes a copy, `p NUMBER` shows its end{more}\n  other text searches, `all` lists {other}, enter cancels\nsession: "
        ));
        text
    }

    fn step(&mut self, line: &str) -> PickResult {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let numbered = |text: &str| text.trim().parse::<usize>().ok().and_then(|n| self.listed.get(n.wrapping_sub(1)));
        match (word, numbered(rest)) {
            ("f", Some(one)) => return PickResult::Open { id: one.id.clone(), fork: true },
            ("p", Some(one)) => return PickResult::Print(format!("{}\n{}", last_messages(&one.path), self.render())),
            _ => {}
        }
        if let Some(one) = numbered(line) {
            return PickResult::Open { id: one.id.clone(), fork: false };
        }
        match line {
            "" => return PickResult::Cancel,
            "more" => self.from = if self.from + PAGE_ROWS < self.listed.len() { self.from + PAGE_ROWS } else { 0 },
            "all" => {
                self.everywhere = !self.everywhere;
                self.refresh();
            }
            number if number.parse::<usize>().is_ok() => {}
            words => {
                self.words = words.into();
                self.refresh();
            }
        }
        PickResult::Print(self.render())
    }
}

/// One line about a session.
fn session_line(one: &ListedSession, with_folder: bool) -> String {
    let title = one.title.as_deref().or(one.first_message.as_deref()).unwrap_or_default();
    let title: String = one_line(title).chars().take(70).collect();
    let branch = one.branch.as_deref().map(|branch| format!(" · {}", one_line(branch))).unwrap_or_default();
    let cwd = one.cwd.as_deref().filter(|_| with_folder).map(|cwd| format!(" · {}", one_line(cwd)));
    format!("{title} · {}{branch}{}", local_time(one.last_at.as_deref().unwrap_or_default()), cwd.unwrap_or_default())
}

/// An RFC 3339 time in local time.
fn local_time(at: &str) -> String {
    let zoned = at.parse::<jiff::Timestamp>().map(|at| at.to_zoned(jiff::tz::TimeZone::system()));
    zoned.map_or_else(|_| one_line(at), |at| at.strftime("%Y-%m-%dT%H:%M:%S").to_string())
}

/// The last messages of a session.
fn last_messages(path: &Path) -> String {
    let Ok(mut reader) = TranscriptReader::open(path) else { return "  Can't read it.".into() };
    let mut found = Vec::new();
    for at in (0..reader.len()).rev() {
        if found.len() >= PREVIEW_MESSAGES {
            break;
        }
        let Ok(Some(entry)) = reader.entry(at) else { continue };
        match entry.body {
            EntryBody::User { text, meta: false, .. } => found.push(format!("you:\n{}", output::with_margin(&text))),
            EntryBody::Assistant { blocks, .. } => {
                let said = blocks.iter().filter_map(|block| match block {
                    ContentBlock::Text { text } => Some(format!("agent:\n{}", output::with_margin(text))),
                    _ => None,
                });
                found.extend(said.collect::<Vec<_>>().into_iter().rev());
            }
            _ => {}
        }
    }
    found.reverse();
    found.join("\n")
}

pub struct RewindList {
    points: Vec<RewindPoint>,
    versions: PathBuf,
    from: usize,
    chosen: Option<usize>,
}

impl RewindList {
    /// Returns `None` if there is no point to rewind to.
    pub fn from_transcript(transcript: &Path) -> io::Result<Option<RewindList>> {
        if !transcript.exists() {
            return Ok(None);
        }
        let points = rewind::rewind_points(transcript)?;
        let versions = own_dir(transcript).join("versions");
        Ok((!points.is_empty()).then_some(RewindList { points, versions, from: 0, chosen: None }))
    }

    fn render(&self) -> String {
        if let Some(point) = self.chosen.and_then(|at| self.points.get(at)) {
            return self.render_preview(point);
        }
        let mut text = "\nPoints to rewind to, latest first:\n".to_string();
        for (n, point) in self.points.iter().enumerate().skip(self.from).take(PAGE_ROWS) {
            let files = match point.files.len() {
                0 => "no files".to_string(),
                1 => "1 file".to_string(),
                n => format!("{n} files"),
            };
            text.push_str(&format!("  {} {} · {files} · {}\n", n + 1, local_time(&point.at), point_label(point)));
        }
        let more = if self.from + PAGE_ROWS < self.points.len() { ", `more` shows more" } else { "" };
        text.push_str(&format!("  NUMBER shows what would change{more}, enter cancels\npoint: "));
        text
    }

    /// Shows what would happen to each file, and the choices.
    fn render_preview(&self, point: &RewindPoint) -> String {
        let mut text = format!("\n{}\n", point_label(point));
        let mut left = MAX_DIFF_LINES;
        for file in &point.files {
            let told = file_diff(&self.versions, file);
            let lines = told.lines().count();
            text.push_str(&format!("  {}\n", one_line(&file.path)));
            if lines <= left {
                text.push_str(&format!("{}\n", output::with_margin(&told)));
            } else {
                text.push_str(&format!("  | {lines} changed lines, too many to show here\n"));
            }
            left = left.saturating_sub(lines);
        }
        if point.files.is_empty() {
            text.push_str("  no files changed since\n");
        }
        if point.commands > 0 {
            text.push_str(&format!(
                "  changes made by commands are not reverted ({} ran since), such as:\n",
                point.commands
            ));
            let named: Vec<String> = point.last_commands.iter().map(|command| one_line(command)).collect();
            text.push_str(&format!("{}\n", output::with_margin(&named.join("\n"))));
        }
        text.push_str("  1 conversation and files\n  2 conversation only\n  3 files only\n  enter goes back to the list\nrewind: ");
        text
    }

    fn step(&mut self, line: &str) -> PickResult {
        if let Some(point) = self.chosen.and_then(|at| self.points.get(at)) {
            let (files, conversation) = match line {
                "1" => (true, true),
                "2" => (false, true),
                "3" => (true, false),
                _ => {
                    self.chosen = self.chosen.filter(|_| !line.is_empty());
                    return PickResult::Print(self.render());
                }
            };
            let said = match &point.what {
                RewindTarget::Message(text) if conversation => Some(text.clone()),
                RewindTarget::Message(_) | RewindTarget::Approval { .. } => None,
            };
            return PickResult::Rewind { to: point.id.clone(), files, conversation, said };
        }
        match line {
            "" => return PickResult::Cancel,
            "more" => self.from = if self.from + PAGE_ROWS < self.points.len() { self.from + PAGE_ROWS } else { 0 },
            line => {
                self.chosen = line.parse::<usize>().ok().map(|n| n.wrapping_sub(1)).filter(|n| *n < self.points.len())
            }
        }
        PickResult::Print(self.render())
    }
}

fn point_label(point: &RewindPoint) -> String {
    match &point.what {
        RewindTarget::Message(text) => format!("before: {}", one_line(text).chars().take(100).collect::<String>()),
        RewindTarget::Approval { slug, revision } => format!("after the approval of {} rev {revision}", one_line(slug)),
    }
}

/// The difference from the current file to the earlier version.
fn file_diff(versions: &Path, file: &FileSnapshot) -> String {
    let then = match &file.sha256 {
        // The hash becomes a file name.
        Some(hash) if hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => read_text(&versions.join(hash)),
        Some(_) => Err(CompareError::InvalidName),
        None => Ok(None),
    };
    match (read_text(Path::new(&file.path)), then) {
        (Ok(None), Ok(None)) => "does not exist, as before".into(),
        (Ok(Some(_)), Ok(None)) => "will be deleted: it did not exist then".into(),
        (Ok(now), Ok(Some(then))) => {
            let now = now.unwrap_or_default();
            if now == then {
                return "is unchanged".into();
            }
            similar::TextDiff::from_lines(&now, &then).unified_diff().context_radius(2).to_string()
        }
        (Err(why), _) | (_, Err(why)) => why.to_string(),
    }
}

/// Why a file can't be compared with its saved version; reads on after the file's name.
#[derive(Debug, thiserror::Error)]
enum CompareError {
    #[error("is too large to compare")]
    TooLarge,
    #[error("can't be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("its saved version has an invalid name")]
    InvalidName,
}

fn read_text(path: &Path) -> Result<Option<String>, CompareError> {
    match std::fs::metadata(path) {
        Ok(about) if about.len() > MAX_DIFF_FILE_BYTES => Err(CompareError::TooLarge),
        Ok(_) => Ok(Some(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}
