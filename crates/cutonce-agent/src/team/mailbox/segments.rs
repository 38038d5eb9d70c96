//! One mailbox on disk: numbered append-only files with one message per line. A lock serializes writers. A writer
//! that dies leaves a torn line, which the next writer terminates and readers skip. A full file is followed by the
//! next one, and deleted once its reader is two files further.

use super::seen_ids::SeenIds;
use super::{Delivery, MailError};
use crate::storage::paths::{create_private_dir, private_options, sync_dir};
use cutonce_core::team::{MAX_MESSAGE_BYTES, TeamMessage};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// File size from which a new file is started.
const SEGMENT_SIZE: u64 = 4 << 20;
/// Maximum size of one mailbox.
const MAX_MAILBOX_SIZE: u64 = 64 << 20;
/// Bytes that a reader reads before it lets other tasks run.
const READ_BUDGET: u64 = 1 << 20;
/// Maximum length of a line: every byte may be escaped twice.
const MAX_LINE: usize = MAX_MESSAGE_BYTES * 8 + 4096;

/// A position in a mailbox: the file, and the number of bytes already read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MailPosition {
    pub segment: u64,
    pub offset: u64,
}

impl MailPosition {
    pub fn parse(text: &str) -> Option<MailPosition> {
        let (segment, offset) = text.trim().split_once(':')?;
        Some(MailPosition { segment: segment.parse().ok()?, offset: offset.parse().ok()? })
    }
}

impl std::fmt::Display for MailPosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.segment, self.offset)
    }
}

pub fn io_error(what: &'static str, path: &Path, error: io::Error) -> MailError {
    MailError::Io { what, path: path.to_path_buf(), error }
}

/// Opens a regular file without following links, because a link could redirect reads and writes.
pub(crate) fn open_private(path: &Path, options: &mut fs::OpenOptions) -> io::Result<File> {
    options.custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK).open(path).and_then(|file| {
        let kind = file.metadata()?.file_type();
        if kind.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
    })
}

/// Ensures that the folder exists and is not a link.
pub(crate) fn ensure_own_folder(folder: &Path) -> Result<(), MailError> {
    create_private_dir(folder).map_err(|error| io_error("create the mailbox", folder, error))?;
    match fs::symlink_metadata(folder) {
        Ok(meta) if meta.is_dir() => Ok(()),
        Ok(_) => Err(io_error("use the mailbox", folder, io::Error::other("not a folder"))),
        Err(error) => Err(io_error("use the mailbox", folder, error)),
    }
}

fn segment_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:08}.jsonl"))
}

/// The numbers of the existing files, sorted.
fn segment_numbers(folder: &Path) -> Vec<u64> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut found: Vec<u64> =
        names.filter_map(|name| name.to_str()?.strip_suffix(".jsonl")?.parse().ok()).filter(|n| *n > 0).collect();
    found.sort_unstable();
    found
}

/// Appends a message; it is on disk when this returns.
pub fn append(folder: &Path, message: &TeamMessage) -> Result<(), MailError> {
    let mut line = serde_json::to_vec(message).map_err(|error| MailError::Refused(error.to_string()))?;
    line.push(b'\n');
    if line.len() > MAX_LINE {
        return Err(MailError::Refused("the message is too long".into()));
    }
    ensure_own_folder(folder)?;
    let locked = lock_writers(folder)?;
    let written = write_line(folder, &line, &message.to);
    drop(locked);
    written
}

/// The number of bytes in the mailbox, if it takes no more messages.
pub(crate) fn size_if_full(folder: &Path) -> Option<u64> {
    let size = segment_numbers(folder).into_iter().map(|number| segment_size(folder, number)).sum();
    (size > MAX_MAILBOX_SIZE).then_some(size)
}

fn segment_size(folder: &Path, number: u64) -> u64 {
    fs::symlink_metadata(segment_path(folder, number)).map_or(0, |meta| meta.len())
}

/// Empties a mailbox that was read to `end`, and returns the position to continue at. `None` if more was written.
pub(crate) fn clear(folder: &Path, end: MailPosition) -> Result<Option<MailPosition>, MailError> {
    let locked = lock_writers(folder)?;
    let last = segment_path(folder, end.segment);
    let failed = |error| io_error("empty the mailbox", &last, error);
    if segment_size(folder, end.segment + 1) > 0 || segment_size(folder, end.segment) > end.offset {
        return Ok(None);
    }
    open_private(&last, private_options().write(true)).and_then(|file| file.set_len(0)).map_err(failed)?;
    for number in segment_numbers(folder).into_iter().filter(|number| *number < end.segment) {
        fs::remove_file(segment_path(folder, number)).map_err(failed)?;
    }
    drop(locked);
    Ok(Some(MailPosition { offset: 0, ..end }))
}

fn lock_writers(folder: &Path) -> Result<File, MailError> {
    let lock = folder.join("lock");
    open_private(&lock, private_options().read(true).write(true).create(true).truncate(false))
        .and_then(|file| file.lock().map(|()| file))
        .map_err(|error| io_error("lock the mailbox", &lock, error))
}

fn write_line(folder: &Path, line: &[u8], to: &str) -> Result<(), MailError> {
    let there = segment_numbers(folder);
    if size_if_full(folder).is_some() {
        return Err(MailError::Full { to: to.to_string() });
    }
    let number = match there.last() {
        Some(last) if segment_size(folder, *last) < SEGMENT_SIZE => *last,
        Some(last) => last + 1,
        None => 1,
    };
    let path = segment_path(folder, number);
    let failed = |error| io_error("write to the mailbox", &path, error);
    let mut file = open_private(&path, private_options().read(true).append(true).create(true)).map_err(failed)?;
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

/// Deletes files that were read completely. The previous file stays, because it contains the ids for detecting
/// duplicates.
pub(crate) fn remove_read_segments(folder: &Path, done: MailPosition) {
    for number in segment_numbers(folder).into_iter().filter(|number| number + 1 < done.segment) {
        let _ = fs::remove_file(segment_path(folder, number));
    }
}

/// Reads the messages of a mailbox from a position.
pub struct SegmentReader {
    folder: PathBuf,
    at: MailPosition,
    file: Option<OpenSegment>,
    seen_ids: SeenIds,
    /// A line that is not a message was reported.
    warned: bool,
    /// The position is inside a line that is too long for a message.
    in_long_line: bool,
    /// Bytes read since the last pause.
    read: u64,
}

/// What the next read of a mailbox brought.
pub enum MailRead {
    Message(Delivery),
    /// There is more to read; other tasks may run first.
    More,
    End,
}

impl SegmentReader {
    pub fn new(folder: &Path, done: Option<MailPosition>) -> SegmentReader {
        let first = segment_numbers(folder).first().copied().unwrap_or(1);
        let at = done.filter(|done| done.segment >= first).unwrap_or(MailPosition { segment: first, offset: 0 });
        // The mailbox was emptied after this position was saved.
        let at = MailPosition { offset: at.offset.min(segment_size(folder, at.segment)), ..at };
        let mut lines = SegmentReader {
            folder: folder.to_path_buf(),
            at: MailPosition { segment: first, offset: 0 },
            file: None,
            seen_ids: SeenIds::default(),
            warned: false,
            in_long_line: false,
            read: 0,
        };
        // Collects the ids of messages that were already delivered.
        while lines.at < at {
            match lines.step(at) {
                Ok(ReadStep::Line(line)) => {
                    if let Ok(message) = serde_json::from_slice::<TeamMessage>(&line) {
                        lines.seen_ids.insert_new(&message.id);
                    }
                }
                Ok(ReadStep::Skipped) => {}
                Ok(ReadStep::End) | Err(_) => break,
            }
        }
        lines.continue_at(at);
        lines
    }

    pub fn position(&self) -> MailPosition {
        self.at
    }

    pub fn continue_at(&mut self, at: MailPosition) {
        (self.at, self.file, self.in_long_line) = (at, None, false);
    }

    /// Returns the next complete message.
    pub fn next(&mut self) -> io::Result<MailRead> {
        loop {
            if self.read > READ_BUDGET {
                self.read = 0;
                return Ok(MailRead::More);
            }
            let line = match self.step(MailPosition { segment: u64::MAX, offset: 0 })? {
                ReadStep::Line(line) => line,
                ReadStep::Skipped => continue,
                ReadStep::End => return Ok(MailRead::End),
            };
            match serde_json::from_slice::<TeamMessage>(&line) {
                Ok(message) if message.check_limits().is_ok() && self.seen_ids.insert_new(&message.id) => {
                    return Ok(MailRead::Message(Delivery { message, position: self.at.to_string() }));
                }
                Ok(_) => {}
                Err(error) if !line.is_empty() && !self.warned => {
                    self.warned = true;
                    tracing::warn!("{}: skipped a line that is not a message: {error}", self.folder.display());
                }
                Err(_) => {}
            }
        }
    }

    /// Advances by one line or to the next file.
    fn step(&mut self, until: MailPosition) -> io::Result<ReadStep> {
        // Check for the next file before reading: once it exists, nothing more is written to this one.
        let next = segment_path(&self.folder, self.at.segment + 1);
        let closed = self.at.segment < until.segment && fs::symlink_metadata(&next).is_ok();
        match self.read_line()? {
            Some(step) => Ok(step),
            None if closed => {
                (self.at, self.file) = (MailPosition { segment: self.at.segment + 1, offset: 0 }, None);
                self.in_long_line = false;
                Ok(ReadStep::Skipped)
            }
            None => Ok(ReadStep::End),
        }
    }

    fn read_line(&mut self) -> io::Result<Option<ReadStep>> {
        let open = match &mut self.file {
            Some(open) => open,
            none => match open_private(&segment_path(&self.folder, self.at.segment), private_options().read(true)) {
                Ok(file) => none.insert(OpenSegment { file: BufReader::with_capacity(64 << 10, file), offset: 0 }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        if open.offset != self.at.offset {
            open.file.seek(SeekFrom::Start(self.at.offset))?;
            open.offset = self.at.offset;
        }
        let mut line = Vec::new();
        loop {
            let bytes = open.file.fill_buf()?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let end = memchr::memchr(b'\n', bytes);
            line.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
            let used = end.map_or(bytes.len(), |end| end + 1);
            open.file.consume(used);
            open.offset += used as u64;
            self.read += used as u64;
            let too_long = self.in_long_line || line.len() > MAX_LINE;
            match end {
                None if too_long => {
                    // What was read of it is not read again.
                    (self.at.offset, self.in_long_line) = (open.offset, true);
                    return Ok(Some(ReadStep::Skipped));
                }
                None => {}
                Some(_) => {
                    (self.at.offset, self.in_long_line) = (open.offset, false);
                    return Ok(Some(if too_long { ReadStep::Skipped } else { ReadStep::Line(line) }));
                }
            }
        }
    }
}

/// The file that is being read, and the offset of the next byte from it.
struct OpenSegment {
    file: BufReader<File>,
    offset: u64,
}

enum ReadStep {
    Line(Vec<u8>),
    /// A part of a line too long for a message, or a switch to the next file.
    Skipped,
    End,
}
