//! One pass over a transcript of any size (SE-2): where each line is, of which type, and what it follows.
//!
//! Lines in our own layout are known by their first bytes and not parsed; memory grows with the number of lines (about
//! 48 bytes each), not with what they hold.

use cutonce_core::transcript::{Header, Kind, Link, Skip};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek, SeekFrom};

/// A longer line is no entry of ours.
pub const LONGEST_LINE: usize = 64 << 20;
/// Skipped lines that are told one by one; more are only counted.
const MOST_SKIPS: usize = 100;
const CHUNK: usize = 1 << 20;
/// Holds any header of ours, with the tool's name.
const HEAD: usize = 512;

/// A line that is an entry.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    pub offset: u64,
    pub len: u32,
    /// From 1.
    pub number: u32,
    pub kind: Kind,
    /// A result of TodoWrite.
    pub todos: bool,
    /// A call of the shell.
    pub runs: bool,
    /// Ids as hashes: they are only compared.
    pub link: Link<u64>,
}

/// A line that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Which line.
    pub line: usize,
    /// Why.
    pub reason: Skip,
}

impl std::fmt::Display for Skipped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// What was skipped: the first ones in full, all of them counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Skips {
    pub first: Vec<Skipped>,
    pub total: usize,
}

impl Skips {
    /// One sentence for the person, or None where nothing was skipped (SE-2).
    pub fn told(&self) -> Option<String> {
        let first: Vec<String> = self.first.iter().take(3).map(ToString::to_string).collect();
        let more = if self.total > first.len() { "; …" } else { "" };
        let lines = if self.total == 1 { "line" } else { "lines" };
        (self.total > 0)
            .then(|| format!("Skipped {} {lines} of the transcript: {}{more}", self.total, first.join("; ")))
    }
    pub fn add(&mut self, line: usize, reason: Skip) {
        self.total += 1;
        if self.first.len() < MOST_SKIPS {
            self.first.push(Skipped { line, reason });
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Index {
    pub lines: Vec<Line>,
    pub skips: Skips,
    /// Bytes that had to be parsed although only their place was wanted.
    pub(crate) parsed_bytes: u64,
}

/// Index all lines of a file.
pub fn scan(file: &mut File) -> io::Result<Index> {
    let mut scan = Scan::default();
    let mut chunk = vec![0; CHUNK];
    // Reading lines again for a closer look moves the position, so it is set for each chunk.
    let mut position = 0;
    loop {
        file.seek(SeekFrom::Start(position))?;
        let read = file.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        position += read as u64;
        scan.chunk(&chunk[..read], file)?;
    }
    scan.end(file)?;
    Ok(scan.index)
}

/// The bytes of one line.
pub fn read_line(file: &mut File, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    let mut line = vec![0; len];
    file.read_exact(&mut line)?;
    Ok(line)
}

pub fn key(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

#[derive(Default)]
struct Scan {
    index: Index,
    /// Where the line that is being read starts, how long it is so far, its first bytes and its last one.
    start: u64,
    len: usize,
    head: Vec<u8>,
    last: u8,
    number: usize,
}

impl Scan {
    fn chunk(&mut self, mut bytes: &[u8], file: &mut File) -> io::Result<()> {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (part, rest) = bytes.split_at(end);
            let whole = self.len + part.len();
            if self.len == 0 {
                self.line(&part[..part.len().min(HEAD)], part.len(), part.last().copied(), file)?;
            } else {
                self.grow(part);
                self.end(file)?;
            }
            self.start += whole as u64 + 1;
            self.len = 0;
            self.head.clear();
            bytes = &rest[1..];
        }
        self.grow(bytes);
        Ok(())
    }

    fn grow(&mut self, part: &[u8]) {
        let room = HEAD.saturating_sub(self.head.len());
        self.head.extend_from_slice(&part[..part.len().min(room)]);
        self.len += part.len();
        self.last = part.last().copied().unwrap_or(self.last);
    }

    /// The line that was read in parts is complete.
    fn end(&mut self, file: &mut File) -> io::Result<()> {
        if self.len == 0 {
            return Ok(());
        }
        let head = std::mem::take(&mut self.head);
        self.line(&head, self.len, Some(self.last), file)
    }

    fn line(&mut self, head: &[u8], len: usize, last: Option<u8>, file: &mut File) -> io::Result<()> {
        self.number += 1;
        if len > LONGEST_LINE {
            self.index.skips.add(self.number, Skip::TooLong(LONGEST_LINE));
            return Ok(());
        }
        match Header::skim(head) {
            Some(header) if last == Some(b'}') && header.kind != Kind::Unknown => {
                self.add(self.start, len, &header);
                Ok(())
            }
            Some(_) | None => self.look_closer(len, file),
        }
    }

    /// Not our layout: foreign, unknown, torn or garbage. Parse it to know.
    fn look_closer(&mut self, len: usize, file: &mut File) -> io::Result<()> {
        let line = read_line(file, self.start, len)?;
        self.index.parsed_bytes += len as u64;
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        match Header::parse(&line) {
            Ok(header) => {
                if header.kind == Kind::Unknown {
                    // Its place in the chain still counts: what came before it is not lost.
                    self.index.skips.add(self.number, Skip::UnknownType(header.kind_name.to_string()));
                }
                self.add(self.start, len, &header);
            }
            Err(reason) => {
                self.index.skips.add(self.number, reason);
                self.salvage(&line);
            }
        }
        Ok(())
    }

    /// A whole entry may follow what a crash left at the start of the line (zeros, half an entry).
    fn salvage(&mut self, line: &[u8]) {
        let Some(at) = memchr::memmem::rfind(line, b"{\"type\":").filter(|at| *at > 0) else { return };
        if let Ok(header) = Header::parse(&line[at..])
            && header.kind != Kind::Unknown
        {
            self.add(self.start + at as u64, line.len() - at, &header);
        }
    }

    fn add(&mut self, offset: u64, len: usize, header: &Header<'_>) {
        self.index.lines.push(Line {
            offset,
            len: len as u32,
            number: self.number as u32,
            kind: header.kind,
            // A tool entry in a foreign layout may be one too; replay tells.
            todos: header.kind == Kind::Tool && header.tool.is_none_or(|tool| tool == "TodoWrite"),
            runs: header.kind == Kind::Tool && header.tool.is_none_or(|tool| tool == "Bash"),
            link: Link { id: key(&header.id), parent: header.parent.as_deref().map(key) },
        });
    }
}
