//! Transcripts in the stream (FL-4): the lines of the local file, in order, with their numbers. The file stays the
//! truth of its machine. The upload reads from the file, so it needs no queue and catches up after any pause.

use crate::blob::BlobRef;
use crate::envelope::EnvelopeFault;
use crate::link::PublishResult;
use crate::member_list::MemberRole;
use crate::streams::FleetStream;
use crate::{FleetError, FleetLink};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes of lines in one record.
const CHUNK: usize = 256 << 10;
/// Longest line that is uploaded; the transcript's own limit is lower.
const MAX_LINE: usize = 64 << 20;
/// Some lines of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionChunk {
    /// Number of the first line.
    pub from: u64,
    pub lines: Vec<SessionLine>,
    /// What the session works on; in the first chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<SessionPlace>,
    /// The work of a worker after the lines were written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<BlobRef>,
}

/// One line, or where it is stored if it is long or no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SessionLine {
    Text(String),
    Blob(BlobRef),
}

/// Where a session runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionPlace {
    pub folder: String,
    /// The repository's first commit; another clone has the same.
    pub root_commit: Option<String>,
}

/// A session as the stream has it.
#[derive(Debug, Clone, Default)]
pub struct StoredSession {
    pub lines: Vec<Vec<u8>>,
    pub place: Option<SessionPlace>,
    pub changes: Option<BlobRef>,
    /// The sequence of the last record.
    last: u64,
}

impl StoredSession {
    /// The transcript as a file.
    pub fn bytes(&self) -> Vec<u8> {
        self.lines.iter().flat_map(|line| line.iter().copied().chain([b'\n'])).collect()
    }
}

impl FleetLink {
    /// Reads a session. Records that repeat or skip lines, or whose author may not write them, are left out.
    pub async fn read_session(&self, id: &str) -> Result<Option<StoredSession>, FleetError> {
        self.read_session_of(id, may_write).await
    }

    /// Reads the session of a job: what workers wrote. Others could give the worker another task than the approved one.
    pub async fn read_job_session(&self, id: &str) -> Result<Option<StoredSession>, FleetError> {
        self.read_session_of(id, |author, _| author.may_work()).await
    }

    async fn read_session_of(
        &self,
        id: &str,
        may_write: impl Fn(MemberRole, Option<MemberRole>) -> bool,
    ) -> Result<Option<StoredSession>, FleetError> {
        let (mut session, mut first) = (StoredSession::default(), None);
        for record in self.replay::<SessionChunk>(FleetStream::Sessions, id).await? {
            let role = record.author.role;
            if !may_write(role, first) {
                let label = &record.author.card.label;
                tracing::warn!("session {id}: {label} ({}) may not continue it; its record is left out", role.name());
                continue;
            }
            if record.body.from != session.lines.len() as u64 {
                self.report_record(FleetStream::Sessions, &record, EnvelopeFault::Misplaced);
                continue;
            }
            for line in record.body.lines {
                session.lines.push(match line {
                    SessionLine::Text(text) => text.into_bytes(),
                    SessionLine::Blob(blob) => self.get_blob(&blob).await?,
                });
            }
            session.place = session.place.or(record.body.place);
            session.changes = record.body.changes.or(session.changes);
            session.last = record.sequence;
            first = first.or(Some(role));
        }
        Ok((session.last > 0).then_some(session))
    }
}

/// Who may continue a session, by the role of its first author: users theirs, workers that of a job. A transcript
/// carries modes and approvals, so a member who may not approve must not write one that others resume.
fn may_write(author: MemberRole, first: Option<MemberRole>) -> bool {
    author.may_submit() || author == MemberRole::Worker && first.is_none_or(|first| first == MemberRole::Worker)
}

/// Who may report about a session.
pub fn may_report(author: MemberRole) -> bool {
    may_write(author, None)
}

/// Why an upload ended for good.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// Another machine continued this session.
    #[error("another machine continued this session; this one is no longer published")]
    Overtaken,
    /// Lines without the work that belongs to them would mislead the machine that continues.
    #[error("the work so far can't be stored: {0}")]
    Checkpoint(String),
    #[error(transparent)]
    Fleet(#[from] FleetError),
}

/// Uploads a transcript as it grows.
pub struct SessionUpload {
    id: String,
    path: PathBuf,
    place: Option<SessionPlace>,
    /// Lines that the stream has.
    lines: u64,
    /// Their bytes in the file.
    offset: u64,
    /// The sequence of the last record of this session.
    last: u64,
    /// The work that the stream names.
    changes: Option<BlobRef>,
}

impl SessionUpload {
    /// Compares the file with the stream. Lines that the stream has must be the beginning of the file.
    pub async fn open(
        link: &FleetLink,
        id: &str,
        path: &Path,
        place: Option<SessionPlace>,
    ) -> Result<SessionUpload, UploadError> {
        let mut upload =
            SessionUpload { id: id.into(), path: path.into(), place, lines: 0, offset: 0, last: 0, changes: None };
        upload.compare(link).await?;
        Ok(upload)
    }

    /// Takes over what the stream has. A publication whose confirmation was lost is found here.
    async fn compare(&mut self, link: &FleetLink) -> Result<(), UploadError> {
        let last = link.last_sequence(FleetStream::Sessions, &link.subject(FleetStream::Sessions, &self.id)).await?;
        let stored = link.read_session(&self.id).await?.unwrap_or_default();
        let known = stored.bytes();
        if !self.begins_with(&known)? {
            return Err(UploadError::Overtaken);
        }
        self.place = self.place.take().filter(|_| stored.place.is_none());
        (self.lines, self.offset) = (stored.lines.len() as u64, known.len() as u64);
        (self.last, self.changes) = (last, stored.changes);
        Ok(())
    }

    fn begins_with(&self, known: &[u8]) -> Result<bool, FleetError> {
        if known.is_empty() {
            return Ok(true);
        }
        let failed = |error: std::io::Error| FleetError::file("read the session", &self.path, &error);
        let mut beginning = Vec::new();
        match File::open(&self.path) {
            Ok(file) => file.take(known.len() as u64).read_to_end(&mut beginning).map_err(failed)?,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(failed(error)),
        };
        Ok(beginning == known)
    }

    /// Whether the file has lines that the stream lacks.
    pub fn is_behind(&self) -> bool {
        self.path.metadata().is_ok_and(|meta| meta.len() > self.offset)
    }
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Uploads the next lines, a bounded amount. Returns false if there are none.
    /// `changes` is asked after the lines were read: it must not be older than they are. Without it nothing is stored.
    pub async fn push(
        &mut self,
        link: &FleetLink,
        changes: impl AsyncFnOnce() -> Result<Option<BlobRef>, UploadError>,
    ) -> Result<bool, UploadError> {
        let lines = self.next_lines()?;
        if lines.is_empty() {
            return Ok(false);
        }
        let changes = changes().await?;
        let bytes: u64 = lines.iter().map(|line| line.len() as u64 + 1).sum();
        let mut chunk = SessionChunk { from: self.lines, lines: Vec::new(), place: self.place.clone(), changes };
        for line in lines {
            chunk.lines.push(match String::from_utf8(line) {
                Ok(text) if text.len() <= CHUNK => SessionLine::Text(text),
                Ok(text) => SessionLine::Blob(link.put_blob(text.as_bytes()).await?),
                Err(error) => SessionLine::Blob(link.put_blob(error.as_bytes()).await?),
            });
        }
        match link.publish_after(FleetStream::Sessions, &self.id, self.last, &chunk).await? {
            PublishResult::Stored(sequence) => self.last = sequence,
            // Another machine wrote, or a message that is no record is in the way.
            PublishResult::Conflict => {
                self.compare(link).await?;
                return Ok(true);
            }
        }
        self.lines += chunk.lines.len() as u64;
        self.offset += bytes;
        self.place = None;
        self.replace_changes(link, chunk.changes).await;
        Ok(true)
    }

    /// Removes the work that newer work replaced, so that a long session does not fill the store.
    async fn replace_changes(&mut self, link: &FleetLink, new: Option<BlobRef>) {
        if new.is_none() || new == self.changes {
            return;
        }
        if let Some(old) = std::mem::replace(&mut self.changes, new)
            && let Err(error) = link.remove_blob(&old).await
        {
            tracing::debug!("{error}");
        }
    }

    /// Complete lines after the uploaded ones, up to the size of a chunk; a longer line comes alone.
    fn next_lines(&self) -> Result<Vec<Vec<u8>>, FleetError> {
        let failed = |error: std::io::Error| FleetError::file("read the session", &self.path, &error);
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        file.seek(SeekFrom::Start(self.offset)).map_err(failed)?;
        let mut bytes = Vec::new();
        let mut limit = CHUNK;
        loop {
            let wanted = (limit - bytes.len()) as u64;
            (&mut file).take(wanted).read_to_end(&mut bytes).map_err(failed)?;
            if let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') {
                bytes.truncate(end);
                return Ok(bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect());
            }
            if bytes.len() < limit || limit >= MAX_LINE {
                return Ok(Vec::new());
            }
            limit *= 4;
        }
    }
}
