//! One box on disk: numbered files that only grow, one message a line. Writers take turns by a lock; a writer that dies in the
//! middle of a line leaves a torn one, which the next writer closes and readers skip. A file that is large enough is followed
//! by the next one, and is removed when its reader is two files further.

use super::window::Window;
use super::{Delivery, MailError};
use crate::store::place::{create_private_dir, private, sync_dir};
use cutonce_core::mail::{LONGEST_TEXT, Message};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A file that has grown beyond this is followed by a new one.
const SEGMENT: u64 = 4 << 20;
/// What one box may hold.
const MOST: u64 = 64 << 20;
/// A line of the longest message: every byte may be escaped twice.
const LONGEST_LINE: usize = LONGEST_TEXT * 8 + 4096;

/// A place in a box: which file, and how many bytes of it are done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub segment: u64,
    pub offset: u64,
}

impl Place {
    pub fn parse(text: &str) -> Option<Place> {
        let (segment, offset) = text.trim().split_once(':')?;
        Some(Place { segment: segment.parse().ok()?, offset: offset.parse().ok()? })
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.segment, self.offset)
    }
}

pub fn io(what: &'static str, path: &Path, error: io::Error) -> MailError {
    MailError::Io { what, path: path.to_path_buf(), error }
}

/// Never through a link: whoever could lay one would choose what we read and write.
pub(crate) fn open_private(path: &Path, options: &mut fs::OpenOptions) -> io::Result<File> {
    options.custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK).open(path).and_then(|file| {
        let kind = file.metadata()?.file_type();
        if kind.is_file() { Ok(file) } else { Err(io::Error::other("it is no file")) }
    })
}

/// A folder of ours, made if it is missing.
pub(crate) fn own_folder(folder: &Path) -> Result<(), MailError> {
    create_private_dir(folder).map_err(|error| io("make the mailbox", folder, error))?;
    match fs::symlink_metadata(folder) {
        Ok(meta) if meta.is_dir() => Ok(()),
        Ok(_) => Err(io("use the mailbox", folder, io::Error::other("it is no folder"))),
        Err(error) => Err(io("use the mailbox", folder, error)),
    }
}

fn segment_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:08}.jsonl"))
}

/// The numbers of the files that are there.
fn numbers(folder: &Path) -> Vec<u64> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut found: Vec<u64> =
        names.filter_map(|name| name.to_str()?.strip_suffix(".jsonl")?.parse().ok()).filter(|n| *n > 0).collect();
    found.sort_unstable();
    found
}

/// Put a message into the box; it is on disk when this returns.
pub fn append(folder: &Path, message: &Message) -> Result<(), MailError> {
    let mut line = serde_json::to_vec(message).map_err(|error| MailError::Refused(error.to_string()))?;
    line.push(b'\n');
    if line.len() > LONGEST_LINE {
        return Err(MailError::Refused("it is too long".into()));
    }
    own_folder(folder)?;
    let lock = folder.join("lock");
    let locked = open_private(&lock, private().read(true).write(true).create(true).truncate(false))
        .and_then(|file| file.lock().map(|()| file))
        .map_err(|error| io("lock the mailbox", &lock, error))?;
    let written = write(folder, &line, &message.to);
    drop(locked);
    written
}

fn write(folder: &Path, line: &[u8], to: &str) -> Result<(), MailError> {
    let there = numbers(folder);
    let size = |number: u64| fs::symlink_metadata(segment_path(folder, number)).map_or(0, |meta| meta.len());
    if there.iter().map(|number| size(*number)).sum::<u64>() > MOST {
        return Err(MailError::Full { to: to.to_string() });
    }
    let number = match there.last() {
        Some(last) if size(*last) < SEGMENT => *last,
        Some(last) => last + 1,
        None => 1,
    };
    let path = segment_path(folder, number);
    let failed = |error| io("write to the mailbox", &path, error);
    let mut file = open_private(&path, private().read(true).append(true).create(true)).map_err(failed)?;
    let mut bytes = Vec::with_capacity(line.len() + 1);
    if is_torn(&mut file).map_err(failed)? {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(line);
    file.write_all(&bytes).and_then(|()| file.sync_data()).map_err(failed)?;
    if there.last() != Some(&number) {
        sync_dir(folder).map_err(failed)?;
    }
    Ok(())
}

fn is_torn(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// Files that nobody will read again. The one before the present one stays: it tells which ids were had.
pub(crate) fn tidy(folder: &Path, done: Place) {
    for number in numbers(folder).into_iter().filter(|number| number + 1 < done.segment) {
        let _ = fs::remove_file(segment_path(folder, number));
    }
}

/// Reads a box from a place on.
pub struct Lines {
    folder: PathBuf,
    at: Place,
    file: Option<File>,
    had: Window,
}

impl Lines {
    pub fn new(folder: &Path, done: Option<Place>) -> Lines {
        let first = numbers(folder).first().copied().unwrap_or(1);
        let at = done.filter(|done| done.segment >= first).unwrap_or(Place { segment: first, offset: 0 });
        let mut lines = Lines {
            folder: folder.to_path_buf(),
            at: Place { segment: first, offset: 0 },
            file: None,
            had: Window::default(),
        };
        // What was had before: its ids are known, it is not given again.
        while lines.at < at {
            match lines.step(at) {
                Ok(Step::Line(line)) => {
                    if let Ok(message) = serde_json::from_slice::<Message>(&line) {
                        lines.had.is_new(&message.id);
                    }
                }
                Ok(Step::Skipped) => {}
                Ok(Step::End) | Err(_) => break,
            }
        }
        (lines.at, lines.file) = (at, None);
        lines
    }

    /// The next message that is wholly there.
    pub fn next(&mut self) -> io::Result<Option<Delivery>> {
        loop {
            let line = match self.step(Place { segment: u64::MAX, offset: 0 })? {
                Step::Line(line) => line,
                Step::Skipped => continue,
                Step::End => return Ok(None),
            };
            match serde_json::from_slice::<Message>(&line) {
                Ok(message) if message.check().is_ok() && self.had.is_new(&message.id) => {
                    return Ok(Some(Delivery { message, position: self.at.to_string() }));
                }
                Ok(_) => {}
                Err(error) if !line.is_empty() => {
                    tracing::warn!("{}: a line is no message: {error}", self.folder.display());
                }
                Err(_) => {}
            }
        }
    }

    /// One line further, or into the next file.
    fn step(&mut self, until: Place) -> io::Result<Step> {
        // Looked for before the end of this one is looked for: once it is there, nobody writes to this one.
        let next = segment_path(&self.folder, self.at.segment + 1);
        let closed = self.at.segment < until.segment && fs::symlink_metadata(&next).is_ok();
        match self.line()? {
            Some(step) => Ok(step),
            None if closed => {
                (self.at, self.file) = (Place { segment: self.at.segment + 1, offset: 0 }, None);
                Ok(Step::Skipped)
            }
            None => Ok(Step::End),
        }
    }

    fn line(&mut self) -> io::Result<Option<Step>> {
        let file = match &mut self.file {
            Some(file) => file,
            none => match open_private(&segment_path(&self.folder, self.at.segment), private().read(true)) {
                Ok(file) => none.insert(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        file.seek(SeekFrom::Start(self.at.offset))?;
        let (mut line, mut chunk, mut length) = (Vec::new(), [0; 16 << 10], 0);
        loop {
            let read = file.read(&mut chunk)?;
            if read == 0 {
                return Ok(None);
            }
            let end = memchr::memchr(b'\n', &chunk[..read]);
            let piece = &chunk[..end.unwrap_or(read)];
            length += piece.len() as u64;
            if line.len() <= LONGEST_LINE {
                line.extend_from_slice(piece);
            }
            if end.is_some() {
                self.at.offset += length + 1;
                return Ok(Some(if line.len() > LONGEST_LINE { Step::Skipped } else { Step::Line(line) }));
            }
        }
    }
}

enum Step {
    Line(Vec<u8>),
    /// Too long to be a message, or on to the next file.
    Skipped,
    End,
}
