//! Indexes a transcript of any size in one pass (SE-2): position, type and parent of each line.
//!
//! Lines in our own layout are recognized by their first bytes and not parsed. Memory grows with the number of lines
//! (about 48 bytes each), not with their size.

use cutonce_core::transcript::{ChainLink, EntryHeader, EntryKind, SkipReason};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek, SeekFrom};

/// Maximum length of a line.
pub const MAX_LINE: usize = 64 << 20;
/// Maximum number of skipped lines to list; further ones are only counted.
const MAX_LISTED_SKIPS: usize = 100;
const CHUNK: usize = 1 << 20;
/// Enough bytes for any header of ours, with the tool's name.
const HEAD_SIZE: usize = 512;

/// A line with an entry.
#[derive(Debug, Clone, Copy)]
pub struct TranscriptLine {
    pub offset: u64,
    pub len: u32,
    /// Line number, starting at 1.
    pub number: u32,
    pub kind: EntryKind,
    /// Whether it is a result of TodoWrite.
    pub todos: bool,
    /// Whether it is a shell call.
    pub is_shell_call: bool,
    /// Ids as hashes, because they are only compared.
    pub link: ChainLink<u64>,
}

/// A line that can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedLine {
    /// The line number.
    pub line: usize,
    /// The reason.
    pub reason: SkipReason,
}

impl std::fmt::Display for SkippedLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// The skipped lines: the first ones listed, all of them counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SkippedLines {
    pub first: Vec<SkippedLine>,
    pub total: usize,
}

impl SkippedLines {
    /// A sentence for the user, or `None` if nothing was skipped (SE-2).
    pub fn describe(&self) -> Option<String> {
        let first: Vec<String> = self.first.iter().take(3).map(ToString::to_string).collect();
        let more = if self.total > first.len() { "; …" } else { "" };
        let lines = if self.total == 1 { "line" } else { "lines" };
        (self.total > 0)
            .then(|| format!("Skipped {} {lines} of the transcript: {}{more}", self.total, first.join("; ")))
    }
    pub fn add(&mut self, line: usize, reason: SkipReason) {
        self.total += 1;
        if self.first.len() < MAX_LISTED_SKIPS {
            self.first.push(SkippedLine { line, reason });
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct TranscriptIndex {
    pub lines: Vec<TranscriptLine>,
    pub skips: SkippedLines,
    /// The number of bytes that had to be parsed for indexing.
    pub(crate) parsed_bytes: u64,
}

/// Indexes all lines of a file.
pub fn scan_file(file: &mut File) -> io::Result<TranscriptIndex> {
    let mut scan = TranscriptScan::default();
    let mut chunk = vec![0; CHUNK];
    // Reading single lines moves the position, so set it for each chunk.
    let mut position = 0;
    loop {
        file.seek(SeekFrom::Start(position))?;
        let read = file.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        position += read as u64;
        scan.add_chunk(&chunk[..read], file)?;
    }
    scan.finish_line(file)?;
    Ok(scan.index)
}

/// Reads the bytes of one line.
pub fn read_line(file: &mut File, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    let mut line = vec![0; len];
    file.read_exact(&mut line)?;
    Ok(line)
}

pub fn id_hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

#[derive(Default)]
struct TranscriptScan {
    index: TranscriptIndex,
    /// The current line: its start, length so far, first bytes and last byte.
    start: u64,
    len: usize,
    head: Vec<u8>,
    last: u8,
    number: usize,
}

impl TranscriptScan {
    fn add_chunk(&mut self, mut bytes: &[u8], file: &mut File) -> io::Result<()> {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (part, rest) = bytes.split_at(end);
            let whole = self.len + part.len();
            if self.len == 0 {
                self.add_line(&part[..part.len().min(HEAD_SIZE)], part.len(), part.last().copied(), file)?;
            } else {
                self.extend_line(part);
                self.finish_line(file)?;
            }
            self.start += whole as u64 + 1;
            self.len = 0;
            self.head.clear();
            bytes = &rest[1..];
        }
        self.extend_line(bytes);
        Ok(())
    }

    fn extend_line(&mut self, part: &[u8]) {
        let room = HEAD_SIZE.saturating_sub(self.head.len());
        self.head.extend_from_slice(&part[..part.len().min(room)]);
        self.len += part.len();
        self.last = part.last().copied().unwrap_or(self.last);
    }

    /// Completes a line that was read in parts.
    fn finish_line(&mut self, file: &mut File) -> io::Result<()> {
        if self.len == 0 {
            return Ok(());
        }
        let head = std::mem::take(&mut self.head);
        self.add_line(&head, self.len, Some(self.last), file)
    }

    fn add_line(&mut self, head: &[u8], len: usize, last: Option<u8>, file: &mut File) -> io::Result<()> {
        self.number += 1;
        if len > MAX_LINE {
            self.index.skips.add(self.number, SkipReason::TooLong(MAX_LINE));
            return Ok(());
        }
        match EntryHeader::skim(head) {
            Some(header) if last == Some(b'}') && header.kind != EntryKind::Unknown => {
                self.push_entry(self.start, len, &header);
                Ok(())
            }
            Some(_) | None => self.parse_line(len, file),
        }
    }

    /// Parses a line that is not in our layout: foreign, unknown, torn or garbage.
    fn parse_line(&mut self, len: usize, file: &mut File) -> io::Result<()> {
        let line = read_line(file, self.start, len)?;
        self.index.parsed_bytes += len as u64;
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        match EntryHeader::parse(&line) {
            Ok(header) => {
                if header.kind == EntryKind::Unknown {
                    // Keep its link in the chain, so that earlier entries are not lost.
                    self.index.skips.add(self.number, SkipReason::UnknownType(header.kind_name.to_string()));
                }
                self.push_entry(self.start, len, &header);
            }
            Err(reason) => {
                self.index.skips.add(self.number, reason);
                self.recover_entry(&line);
            }
        }
        Ok(())
    }

    /// Recovers a whole entry after the remains of a crash in the same line (zeros, half an entry).
    fn recover_entry(&mut self, line: &[u8]) {
        let Some(at) = memchr::memmem::rfind(line, b"{\"type\":").filter(|at| *at > 0) else { return };
        if let Ok(header) = EntryHeader::parse(&line[at..])
            && header.kind != EntryKind::Unknown
        {
            self.push_entry(self.start + at as u64, line.len() - at, &header);
        }
    }

    fn push_entry(&mut self, offset: u64, len: usize, header: &EntryHeader<'_>) {
        self.index.lines.push(TranscriptLine {
            offset,
            len: len as u32,
            number: self.number as u32,
            kind: header.kind,
            // A tool entry in a foreign layout may be one, too; replay decides.
            todos: header.kind == EntryKind::Tool && header.tool.is_none_or(|tool| tool == "TodoWrite"),
            is_shell_call: header.kind == EntryKind::Tool && header.tool.is_none_or(|tool| tool == "Bash"),
            link: ChainLink { id: id_hash(&header.id), parent: header.parent.as_deref().map(id_hash) },
        });
    }
}
