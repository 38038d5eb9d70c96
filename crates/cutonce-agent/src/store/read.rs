//! Reading a transcript back: the chain of the last entry, and from its end as much as a model needs (SE-2, PM-12).
//!
//! A file of any size is skimmed once; only what becomes conversation or state is parsed.

use super::index::{Index, Line, Skips, read_line, scan};
use cutonce_core::transcript::{Entry, Header, Kind, Link, Replayed, Skip, chain, replay};
use std::fs::File;
use std::io;
use std::path::Path;

/// A transcript, indexed. Positions count along the chain of the last entry, oldest first.
#[derive(Debug)]
pub struct Reader {
    file: File,
    index: Index,
    chain: Vec<u32>,
    parsed_bytes: u64,
}

/// A session as it comes back.
#[derive(Debug)]
pub struct Resumed {
    /// Conversation and state, as the transcript has them.
    pub replayed: Replayed,
    /// Lines that could not be read (SE-2).
    pub(crate) skips: Skips,
    /// Entries of the conversation that were left out because they go beyond the budget; the oldest ones.
    pub left_out: usize,
    /// The last entry: what follows will name it as its parent.
    pub(crate) last_id: Option<String>,
    /// How much was parsed; the rest was only skimmed.
    pub parsed_bytes: u64,
    /// The session that this one has just been copied from.
    pub copied_from: Option<String>,
}

impl Reader {
    /// The transcript in this file.
    pub fn open(path: &Path) -> io::Result<Reader> {
        Reader::new(super::place::open_own(File::options().read(true), path)?)
    }

    /// The same of an open file.
    pub fn new(mut file: File) -> io::Result<Reader> {
        let mut index = scan(&mut file)?;
        drop_torn_end(&mut file, &mut index)?;
        let links: Vec<Link<u64>> = index.lines.iter().map(|line| line.link).collect();
        let chain = chain(&links).into_iter().map(|at| at as u32).collect();
        Ok(Reader { file, parsed_bytes: index.parsed_bytes, index, chain })
    }

    /// Entries on the chain.
    pub fn len(&self) -> usize {
        self.chain.len()
    }
    /// It has no entry.
    pub fn is_empty(&self) -> bool {
        self.chain.is_empty()
    }
    /// The kind of an entry, without reading it.
    pub fn kind(&self, at: usize) -> Kind {
        self.line(at).kind
    }

    /// A call of the shell, as far as can be told without reading it.
    pub(crate) fn runs(&self, at: usize) -> bool {
        self.line(at).runs
    }

    /// The last entry of a kind that can be read, with its position.
    pub(crate) fn last_of(&mut self, kind: Kind) -> io::Result<Option<(usize, Entry)>> {
        for at in (0..self.len()).rev().filter(|at| self.kind(*at) == kind).collect::<Vec<_>>() {
            if let Some(entry) = self.entry(at)? {
                return Ok(Some((at, entry)));
            }
        }
        Ok(None)
    }

    /// The entry at a position; `None` where its line can't be read, which is noted.
    pub fn entry(&mut self, at: usize) -> io::Result<Option<Entry>> {
        let line = *self.line(at);
        if line.kind == Kind::Unknown {
            return Ok(None);
        }
        let bytes = read_line(&mut self.file, line.offset, line.len as usize)?;
        self.parsed_bytes += bytes.len() as u64;
        match Entry::parse(&bytes) {
            Ok(entry) => Ok(Some(entry)),
            Err(reason) => {
                self.give_up(at, reason);
                Ok(None)
            }
        }
    }

    /// The position and the id of the entry that `id` means: its own, or that of a part of an answer ([`super::part_id`]).
    pub fn find(&mut self, id: &str) -> io::Result<Option<(usize, String)>> {
        for at in (0..self.len()).rev() {
            let line = self.raw(at)?;
            let Ok(header) = Header::parse(&line) else { continue };
            let part = self.kind(at) == Kind::Assistant && super::is_part(&header.id, id);
            if part || header.id == id {
                return Ok(Some((at, header.id.into_owned())));
            }
        }
        Ok(None)
    }

    /// The bytes of the line at a position, without its newline.
    pub fn raw(&mut self, at: usize) -> io::Result<Vec<u8>> {
        let line = *self.line(at);
        read_line(&mut self.file, line.offset, line.len as usize)
    }

    /// The conversation and state at the end of the chain. At most `budget` bytes of conversation are parsed, but
    /// always the last entry.
    pub fn resume(&mut self, budget: usize) -> io::Result<Resumed> {
        let beginning = self.beginning()?;
        let from = self.cut(beginning.unwrap_or(0), budget);
        let mut wanted = self.state_before(from);
        // What a compaction or clear says is the beginning of the conversation, however long it is.
        wanted.extend(beginning.filter(|at| *at < from));
        wanted.sort_unstable();
        wanted.dedup();
        let last_id = self.last_id()?;
        let mut entries = Vec::with_capacity(wanted.len() + self.len() - from);
        for at in wanted.into_iter().chain(from..self.len()) {
            entries.extend(self.entry(at)?);
        }
        let mut replayed = replay(entries);
        self.count_what_was_not_parsed(from, &mut replayed);
        let left_out = (beginning.unwrap_or(0)..from).filter(|at| in_conversation(self.kind(*at))).count();
        let left_out = left_out - usize::from(beginning.is_some_and(|at| at < from));
        let (skips, parsed_bytes) = (self.index.skips.clone(), self.parsed_bytes);
        Ok(Resumed { replayed, skips, left_out, last_id, parsed_bytes, copied_from: None })
    }

    /// Where the conversation starts over for the last time, if that entry can be read.
    fn beginning(&mut self) -> io::Result<Option<usize>> {
        for at in (0..self.len()).rev() {
            if matches!(self.kind(at), Kind::Compaction | Kind::Clear) && self.entry(at)?.is_some() {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// The first position to load: the beginning, or as far back as the budget reaches, then forward to a message of
    /// the user (or at least of the model), so that no result stands without its call.
    fn cut(&self, beginning: usize, budget: usize) -> usize {
        let mut bytes = 0;
        let mut from = self.len();
        while from > beginning {
            bytes += self.line(from - 1).len as usize;
            if bytes > budget && from < self.len() {
                let first = |kind| (from..self.len()).find(|at| self.kind(*at) == kind);
                return first(Kind::User).or_else(|| first(Kind::Assistant)).unwrap_or(from);
            }
            from -= 1;
        }
        from
    }

    /// Entries before `from` that say what state the session is in: small, and few.
    fn state_before(&self, from: usize) -> Vec<usize> {
        let last = |kind| (0..from).rev().find(|at| self.kind(*at) == kind);
        let cleared = last(Kind::Clear).unwrap_or(0);
        let todos = (cleared..from).rev().find(|at| self.line(*at).todos);
        let sessions = (0..from).filter(|at| self.kind(*at) == Kind::Session);
        sessions.chain(last(Kind::Mode)).chain(last(Kind::Plan)).chain(todos).collect()
    }

    /// Of unknown entries the header is known, so they can be parents, too.
    fn last_id(&mut self) -> io::Result<Option<String>> {
        let Some(last) = self.len().checked_sub(1) else { return Ok(None) };
        let line = self.raw(last)?;
        Ok(Header::parse(&line).ok().map(|header| header.id.into_owned()))
    }

    fn count_what_was_not_parsed(&self, from: usize, replayed: &mut Replayed) {
        let count = |kind| (0..from).filter(|at| self.kind(*at) == kind).count();
        replayed.counts.user += count(Kind::User);
        replayed.counts.assistant += count(Kind::Assistant);
        replayed.counts.tool = (0..self.len()).filter(|at| self.kind(*at) == Kind::Tool).count();
        replayed.counts.compactions = (0..self.len()).filter(|at| self.kind(*at) == Kind::Compaction).count();
    }

    fn line(&self, at: usize) -> &Line {
        &self.index.lines[self.chain[at] as usize]
    }

    /// A line that looked right from outside can't be read: from now on it counts as unknown.
    fn give_up(&mut self, at: usize, reason: Skip) {
        let line = &mut self.index.lines[self.chain[at] as usize];
        line.kind = Kind::Unknown;
        (line.todos, line.runs) = (false, false);
        self.index.skips.add(line.number as usize, reason);
    }
}

/// A torn last line may look whole from outside (`{"type":…` to a `}` in the middle). Nothing may follow it, so it is
/// looked at closely.
fn drop_torn_end(file: &mut File, index: &mut Index) -> io::Result<()> {
    while let Some(last) = index.lines.last().copied() {
        let line = read_line(file, last.offset, last.len as usize)?;
        index.parsed_bytes += u64::from(last.len);
        let Err(reason) = Header::parse(&line) else { break };
        index.skips.add(last.number as usize, reason);
        index.lines.pop();
    }
    Ok(())
}

fn in_conversation(kind: Kind) -> bool {
    match kind {
        Kind::User | Kind::Assistant | Kind::Tool | Kind::Reminder | Kind::Compaction | Kind::Clear => true,
        Kind::Session
        | Kind::Mode
        | Kind::FileSnapshot
        | Kind::Plan
        | Kind::Ask
        | Kind::Rewind
        | Kind::Error
        | Kind::Unknown => false,
    }
}
