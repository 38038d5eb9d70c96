//! What is picked from numbered lists: a session to go on with (UI-15), and a point to go back to (SE-5), each with a look at it
//! before anything happens.

use super::out;
use cutonce_agent::rewind::{self, Point, Snapshot, What};
use cutonce_agent::store::place::{Sessions, own_dir};
use cutonce_agent::store::{Listed, Reader, Scope, list};
use cutonce_core::conversation::Block;
use cutonce_core::harmless::one_line;
use cutonce_core::transcript::Body;
use std::io;
use std::path::{Path, PathBuf};

/// Rows of a list that are shown at once.
const PAGE: usize = 15;
/// Sessions that are looked at.
const MOST: usize = 10_000;
/// Messages of a session that are shown of its end.
const ENDING: usize = 6;
/// A file larger than this is not compared.
const LARGEST: u64 = 1 << 20;
/// Lines of all the differences together.
const LINES: usize = 200;

/// What is being picked.
pub enum Picking {
    Session(SessionList),
    Point(Points),
}

/// What a line in a list means.
#[derive(Debug, PartialEq)]
pub enum Picked {
    /// Say this and go on picking.
    Say(String),
    Back,
    Open {
        id: String,
        fork: bool,
    },
    Rewind {
        to: String,
        files: bool,
        conversation: bool,
        /// The words that are taken back.
        said: Option<String>,
    },
}

impl Picking {
    pub fn show(&self) -> String {
        match self {
            Picking::Session(list) => list.show(),
            Picking::Point(points) => points.show(),
        }
    }

    pub fn step(&mut self, line: &str) -> Picked {
        match self {
            Picking::Session(list) => list.step(line),
            Picking::Point(points) => points.step(line),
        }
    }
}

pub struct SessionList {
    sessions: Sessions,
    listed: Vec<Listed>,
    from: usize,
    everywhere: bool,
    words: String,
    /// The one that is open: nobody goes on with that.
    own: Option<String>,
}

impl SessionList {
    pub fn new(home: &Path, cwd: &Path, own: Option<String>, words: &str) -> SessionList {
        let sessions = Sessions::new(home, cwd);
        let mut made = SessionList { sessions, listed: vec![], from: 0, everywhere: false, words: words.into(), own };
        made.look();
        // As `--resume` finds them: where none of this folder fits, in all folders.
        if !words.is_empty() && made.listed.is_empty() {
            made.everywhere = true;
            made.look();
        }
        made
    }

    fn look(&mut self) {
        let scope = if self.everywhere { Scope::All } else { Scope::Project };
        let mut listed = list(&self.sessions, scope, MOST).unwrap_or_default();
        listed.retain(|one| {
            let spoken = one.first_message.is_some() || one.plan_title.is_some();
            spoken && Some(&one.id) != self.own.as_ref() && crate::sessions::matches(one, &self.words)
        });
        (self.listed, self.from) = (listed, 0);
    }

    fn show(&self) -> String {
        let place = if self.everywhere { "all folders" } else { "this folder" };
        let fits = if self.words.is_empty() { String::new() } else { format!(" with «{}»", one_line(&self.words)) };
        let mut text = format!("\nSessions of {place}{fits}: {}\n", self.listed.len());
        for (n, one) in self.listed.iter().enumerate().skip(self.from).take(PAGE) {
            text.push_str(&format!("  {} {}\n", n + 1, told(one, self.everywhere)));
        }
        let more = if self.from + PAGE < self.listed.len() { ", `more` shows more" } else { "" };
        let other = if self.everywhere { "this folder" } else { "all folders" };
        text.push_str(&format!(
            "  a number goes on with it, `f NUMBER` with a copy, `p NUMBER` shows its end{more}\n  words search, `all` is for {other}, enter goes back\nsession: "
        ));
        text
    }

    fn step(&mut self, line: &str) -> Picked {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let numbered = |text: &str| text.trim().parse::<usize>().ok().and_then(|n| self.listed.get(n.wrapping_sub(1)));
        match (word, numbered(rest)) {
            ("f", Some(one)) => return Picked::Open { id: one.id.clone(), fork: true },
            ("p", Some(one)) => return Picked::Say(format!("{}\n{}", ending(&one.path), self.show())),
            _ => {}
        }
        if let Some(one) = numbered(line) {
            return Picked::Open { id: one.id.clone(), fork: false };
        }
        match line {
            "" => return Picked::Back,
            "more" => self.from = if self.from + PAGE < self.listed.len() { self.from + PAGE } else { 0 },
            "all" => {
                self.everywhere = !self.everywhere;
                self.look();
            }
            number if number.parse::<usize>().is_ok() => {}
            words => {
                self.words = words.into();
                self.look();
            }
        }
        Picked::Say(self.show())
    }
}

/// One session, on a line.
fn told(one: &Listed, with_folder: bool) -> String {
    let title = one.plan_title.as_deref().or(one.first_message.as_deref()).unwrap_or_default();
    let title: String = one_line(title).chars().take(70).collect();
    let branch = one.branch.as_deref().map(|branch| format!(" · {}", one_line(branch))).unwrap_or_default();
    let cwd = one.cwd.as_deref().filter(|_| with_folder).map(|cwd| format!(" · {}", one_line(cwd)));
    format!("{title} · {}{branch}{}", local(one.last_at.as_deref().unwrap_or_default()), cwd.unwrap_or_default())
}

/// RFC 3339 as the clock on the wall says it.
fn local(at: &str) -> String {
    let zoned = at.parse::<jiff::Timestamp>().map(|at| at.to_zoned(jiff::tz::TimeZone::system()));
    zoned.map_or_else(|_| one_line(at), |at| at.strftime("%Y-%m-%dT%H:%M:%S").to_string())
}

/// How a session ended: its last messages.
fn ending(path: &Path) -> String {
    let Ok(mut reader) = Reader::open(path) else { return "  It can't be read.".into() };
    let mut found = Vec::new();
    for at in (0..reader.len()).rev() {
        if found.len() >= ENDING {
            break;
        }
        let Ok(Some(entry)) = reader.entry(at) else { continue };
        match entry.body {
            Body::User { text, meta: false, .. } => found.push(format!("you:\n{}", out::margined(&text))),
            Body::Assistant { blocks, .. } => {
                let said = blocks.iter().filter_map(|block| match block {
                    Block::Text { text } => Some(format!("agent:\n{}", out::margined(text))),
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

pub struct Points {
    points: Vec<Point>,
    versions: PathBuf,
    from: usize,
    chosen: Option<usize>,
}

impl Points {
    /// None: there is nothing to go back to.
    pub fn of(transcript: &Path) -> io::Result<Option<Points>> {
        if !transcript.exists() {
            return Ok(None);
        }
        let points = rewind::points(transcript)?;
        let versions = own_dir(transcript).join("versions");
        Ok((!points.is_empty()).then_some(Points { points, versions, from: 0, chosen: None }))
    }

    fn show(&self) -> String {
        if let Some(point) = self.chosen.and_then(|at| self.points.get(at)) {
            return self.look(point);
        }
        let mut text = "\nPoints to go back to, the latest first:\n".to_string();
        for (n, point) in self.points.iter().enumerate().skip(self.from).take(PAGE) {
            let files = match point.files.len() {
                0 => "no files".to_string(),
                1 => "1 file".to_string(),
                n => format!("{n} files"),
            };
            text.push_str(&format!("  {} {} · {files} · {}\n", n + 1, local(&point.at), label(point)));
        }
        let more = if self.from + PAGE < self.points.len() { ", `more` shows more" } else { "" };
        text.push_str(&format!("  a number shows what would change{more}, enter goes back\npoint: "));
        text
    }

    /// What would become of each file, and what can be put back.
    fn look(&self, point: &Point) -> String {
        let mut text = format!("\n{}\n", label(point));
        let mut left = LINES;
        for file in &point.files {
            let told = difference(&self.versions, file);
            let lines = told.lines().count();
            text.push_str(&format!("  {}\n", one_line(&file.path)));
            if lines <= left {
                text.push_str(&format!("{}\n", out::margined(&told)));
            } else {
                text.push_str(&format!("  | {lines} lines of differences, too many to be shown here\n"));
            }
            left = left.saturating_sub(lines);
        }
        if point.files.is_empty() {
            text.push_str("  no file was changed since\n");
        }
        if point.commands > 0 {
            text.push_str(&format!(
                "  not put back is what commands changed ({} ran since), such as:\n",
                point.commands
            ));
            let named: Vec<String> = point.last_commands.iter().map(|command| one_line(command)).collect();
            text.push_str(&format!("{}\n", out::margined(&named.join("\n"))));
        }
        text.push_str("  1 conversation and files\n  2 conversation only\n  3 files only\n  enter goes back to the list\nput back: ");
        text
    }

    fn step(&mut self, line: &str) -> Picked {
        if let Some(point) = self.chosen.and_then(|at| self.points.get(at)) {
            let (files, conversation) = match line {
                "1" => (true, true),
                "2" => (false, true),
                "3" => (true, false),
                _ => {
                    self.chosen = self.chosen.filter(|_| !line.is_empty());
                    return Picked::Say(self.show());
                }
            };
            let said = match &point.what {
                What::Message(text) if conversation => Some(text.clone()),
                What::Message(_) | What::Approval { .. } => None,
            };
            return Picked::Rewind { to: point.id.clone(), files, conversation, said };
        }
        match line {
            "" => return Picked::Back,
            "more" => self.from = if self.from + PAGE < self.points.len() { self.from + PAGE } else { 0 },
            line => {
                self.chosen = line.parse::<usize>().ok().map(|n| n.wrapping_sub(1)).filter(|n| *n < self.points.len())
            }
        }
        Picked::Say(self.show())
    }
}

fn label(point: &Point) -> String {
    match &point.what {
        What::Message(text) => format!("before: {}", one_line(text).chars().take(100).collect::<String>()),
        What::Approval { slug, revision } => format!("after the approval of {} rev {revision}", one_line(slug)),
    }
}

/// From what the file holds now to what it held then.
fn difference(versions: &Path, file: &Snapshot) -> String {
    let then = match &file.sha256 {
        // The hash becomes a file name.
        Some(hash) if hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => text_of(&versions.join(hash)),
        Some(_) => Err("its version has no usable name".into()),
        None => Ok(None),
    };
    match (text_of(Path::new(&file.path)), then) {
        (Ok(None), Ok(None)) => "is not there, as then".into(),
        (Ok(Some(_)), Ok(None)) => "is deleted: it was not there then".into(),
        (Ok(now), Ok(Some(then))) => {
            let now = now.unwrap_or_default();
            if now == then {
                return "is as it was then".into();
            }
            similar::TextDiff::from_lines(&now, &then).unified_diff().context_radius(2).to_string()
        }
        (Err(why), _) | (_, Err(why)) => why,
    }
}

fn text_of(path: &Path) -> Result<Option<String>, String> {
    match std::fs::metadata(path) {
        Ok(about) if about.len() > LARGEST => Err("is too large to be compared".into()),
        Ok(_) => match std::fs::read(path) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) => Err(format!("can't be read: {error}")),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("can't be read: {error}")),
    }
}
