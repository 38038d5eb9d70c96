//! Reads a transcript: the chain of the last entry, and from its end as much as a model needs (SE-2, PM-12).
//!
//! A file of any size is skimmed once; only conversation and state are parsed.

use super::checksum::verify_checksum;
use super::index::{SkippedLines, TranscriptIndex, TranscriptLine, read_line, scan_file};
use cutonce_core::transcript::{
    ChainLink, EntryBody, EntryHeader, EntryKind, ReplayedSession, SkipReason, TranscriptEntry, chain_indexes,
    replay_session,
};
use std::fs::File;
use std::io;
use std::path::Path;

/// An indexed transcript. Positions refer to the chain of the last entry, oldest first.
#[derive(Debug)]
pub struct TranscriptReader {
    file: File,
    index: TranscriptIndex,
    chain: Vec<u32>,
    parsed_bytes: u64,
}

/// A resumed session.
#[derive(Debug)]
pub struct ResumedTranscript {
    /// The restored conversation and state.
    pub replayed: ReplayedSession,
    /// Lines that could not be read (SE-2).
    pub(crate) skips: SkippedLines,
    /// The number of the oldest entries left out, because they exceed the budget.
    pub left_out: usize,
    /// The id of the last entry, the parent of the next.
    pub(crate) last_id: Option<String>,
    /// The number of parsed bytes; the rest was only skimmed.
    pub parsed_bytes: u64,
    /// The session that this one was just copied from.
    pub copied_from: Option<String>,
}

impl TranscriptReader {
    /// Opens and indexes a transcript.
    pub fn open(path: &Path) -> io::Result<TranscriptReader> {
        TranscriptReader::new(super::paths::open_own(File::options().read(true), path)?)
    }

    /// Indexes an open file.
    pub fn new(mut file: File) -> io::Result<TranscriptReader> {
        let mut index = scan_file(&mut file)?;
        drop_torn_end(&mut file, &mut index)?;
        let links: Vec<ChainLink<u64>> = index.lines.iter().map(|line| line.link).collect();
        let chain = chain_indexes(&links).into_iter().map(|at| at as u32).collect();
        Ok(TranscriptReader { file, parsed_bytes: index.parsed_bytes, index, chain })
    }

    /// The number of entries on the chain.
    pub fn len(&self) -> usize {
        self.chain.len()
    }
    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.chain.is_empty()
    }
    /// The kind of an entry, without parsing it.
    pub fn kind(&self, at: usize) -> EntryKind {
        self.line(at).kind
    }

    /// Whether the entry may be a shell call, without parsing it.
    pub(crate) fn is_shell_call(&self, at: usize) -> bool {
        self.line(at).is_shell_call
    }

    /// The last readable entry of a kind, with its position.
    pub(crate) fn last_entry_of(&mut self, kind: EntryKind) -> io::Result<Option<(usize, TranscriptEntry)>> {
        for at in (0..self.len()).rev().filter(|at| self.kind(*at) == kind).collect::<Vec<_>>() {
            if let Some(entry) = self.entry(at)? {
                return Ok(Some((at, entry)));
            }
        }
        Ok(None)
    }

    /// The entry at a position; `None` if it can't be read, which is recorded.
    pub fn entry(&mut self, at: usize) -> io::Result<Option<TranscriptEntry>> {
        let line = *self.line(at);
        if line.kind == EntryKind::Unknown {
            return Ok(None);
        }
        let bytes = read_line(&mut self.file, line.offset, line.len as usize)?;
        self.parsed_bytes += bytes.len() as u64;
        match verify_checksum(&bytes).and_then(|()| TranscriptEntry::parse(&bytes)) {
            Ok(entry) => Ok(Some(entry)),
            Err(reason) => {
                self.mark_unreadable(at, reason);
                Ok(None)
            }
        }
    }

    /// Finds an entry by its id or by the id of a part ([`super::part_id`]); returns its position and id.
    pub(crate) fn find_entry(&mut self, id: &str) -> io::Result<Option<(usize, String)>> {
        for at in (0..self.len()).rev() {
            let line = self.raw_line(at)?;
            let Ok(header) = EntryHeader::parse(&line) else { continue };
            let part = self.kind(at) == EntryKind::Assistant && super::is_part(&header.id, id);
            if part || header.id == id {
                return Ok(Some((at, header.id.into_owned())));
            }
        }
        Ok(None)
    }

    /// The bytes of the line at a position, without its newline.
    pub(crate) fn raw_line(&mut self, at: usize) -> io::Result<Vec<u8>> {
        let line = *self.line(at);
        read_line(&mut self.file, line.offset, line.len as usize)
    }

    /// The conversation and state at the end of the chain. Parses at most `budget` bytes of conversation, but always
    /// the last entry.
    pub fn resume(&mut self, budget: usize) -> io::Result<ResumedTranscript> {
        let beginning = self.last_restart()?;
        let from = self.first_to_load(beginning.unwrap_or(0), budget);
        let mut wanted = self.state_entries_before(from);
        // A compaction or clear starts the conversation, whatever its size.
        wanted.extend(beginning.filter(|at| *at < from));
        wanted.sort_unstable();
        wanted.dedup();
        let last_id = self.last_id()?;
        let mut entries = Vec::with_capacity(wanted.len() + self.len() - from);
        for at in wanted.into_iter().chain(from..self.len()) {
            entries.extend(self.entry(at)?);
        }
        let mut replayed = replay_session(entries);
        self.add_skimmed_counts(from, &mut replayed);
        let left_out = (beginning.unwrap_or(0)..from).filter(|at| self.kind(*at).in_conversation()).count();
        let left_out = left_out - usize::from(beginning.is_some_and(|at| at < from));
        let (skips, parsed_bytes) = (self.index.skips.clone(), self.parsed_bytes);
        Ok(ResumedTranscript { replayed, skips, left_out, last_id, parsed_bytes, copied_from: None })
    }

    /// The last readable entry that restarts the conversation.
    fn last_restart(&mut self) -> io::Result<Option<usize>> {
        for at in (0..self.len()).rev() {
            if matches!(self.kind(at), EntryKind::Compaction | EntryKind::Clear) && self.entry(at)?.is_some() {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// The first position to load: the restart, or as far back as the budget allows, then forward to a user message
    /// (or at least an assistant message), so that no result lacks its call.
    fn first_to_load(&self, beginning: usize, budget: usize) -> usize {
        let mut bytes = 0;
        let mut from = self.len();
        while from > beginning {
            bytes += self.line(from - 1).len as usize;
            if bytes > budget && from < self.len() {
                let first = |kind| (from..self.len()).find(|at| self.kind(*at) == kind);
                return first(EntryKind::User).or_else(|| first(EntryKind::Assistant)).unwrap_or(from);
            }
            from -= 1;
        }
        from
    }

    /// The few small entries before `from` that define the session's state.
    fn state_entries_before(&self, from: usize) -> Vec<usize> {
        let last = |kind| (0..from).rev().find(|at| self.kind(*at) == kind);
        let cleared = last(EntryKind::Clear).unwrap_or(0);
        let todos = (cleared..from).rev().find(|at| self.line(*at).todos);
        let sessions = (0..from).filter(|at| self.kind(*at) == EntryKind::Session);
        let states = EntryKind::STATE.into_iter().filter_map(last);
        sessions.chain(states).chain(todos).collect()
    }

    /// The id of the last entry. The header of an unknown entry is readable, so it can be a parent.
    fn last_id(&mut self) -> io::Result<Option<String>> {
        let Some(last) = self.len().checked_sub(1) else { return Ok(None) };
        let line = self.raw_line(last)?;
        Ok(EntryHeader::parse(&line).ok().map(|header| header.id.into_owned()))
    }

    fn add_skimmed_counts(&self, from: usize, replayed: &mut ReplayedSession) {
        let count = |kind| (0..from).filter(|at| self.kind(*at) == kind).count();
        replayed.counts.user += count(EntryKind::User);
        replayed.counts.assistant += count(EntryKind::Assistant);
        replayed.counts.tool = (0..self.len()).filter(|at| self.kind(*at) == EntryKind::Tool).count();
        replayed.counts.compactions = (0..self.len()).filter(|at| self.kind(*at) == EntryKind::Compaction).count();
    }

    fn line(&self, at: usize) -> &TranscriptLine {
        &self.index.lines[self.chain[at] as usize]
    }

    /// Marks a line as unknown, because it can't be parsed.
    fn mark_unreadable(&mut self, at: usize, reason: SkipReason) {
        let line = &mut self.index.lines[self.chain[at] as usize];
        line.kind = EntryKind::Unknown;
        (line.todos, line.is_shell_call) = (false, false);
        self.index.skips.add(line.number as usize, reason);
    }
}

/// Drops a torn last line, which may look complete (`{"type":…` to a `}` in the middle), so it is parsed.
fn drop_torn_end(file: &mut File, index: &mut TranscriptIndex) -> io::Result<()> {
    while let Some(last) = index.lines.last().copied() {
        let line = read_line(file, last.offset, last.len as usize)?;
        index.parsed_bytes += u64::from(last.len);
        let Err(reason) = EntryHeader::parse(&line) else { break };
        index.skips.add(last.number as usize, reason);
        index.lines.pop();
    }
    Ok(())
}

/// The entries about the implementation of a plan (PC-36), oldest first.
pub(crate) fn implementation_entries(transcript: &Path) -> io::Result<Vec<EntryBody>> {
    const KINDS: [EntryKind; 4] = [EntryKind::Contract, EntryKind::Scope, EntryKind::Evidence, EntryKind::FileSnapshot];
    let mut reader = TranscriptReader::open(transcript)?;
    // Most sessions implement no plan with steps.
    let Some(first) = (0..reader.len()).find(|at| reader.kind(*at) == EntryKind::Contract) else { return Ok(vec![]) };
    let wanted: Vec<usize> = (first..reader.len()).filter(|at| KINDS.contains(&reader.kind(*at))).collect();
    let mut bodies = Vec::new();
    for at in wanted {
        bodies.extend(reader.entry(at)?.map(|entry| entry.body));
    }
    Ok(bodies)
}
