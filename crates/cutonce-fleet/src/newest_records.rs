//! The newest plans and jobs, before a long stream is read to its end (FL-7). Each one is read whole, oldest record
//! first, and verified as always: what a list shows at once is as genuine as what it shows later.

use crate::FleetError;
use crate::job::{JobBoard, JobEvent};
use crate::link::{FleetLink, FleetRecord};
use crate::record_reader::RawRecord;
use crate::retry::while_server_fails;
use crate::review::ReviewRecord;
use crate::streams::FleetStream;
use async_nats::jetstream::stream::RawMessageErrorKind;
use cutonce_agent::storage::paths::valid_id;
use futures_util::{StreamExt, TryStreamExt};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashSet};

/// Plans or jobs of a first screen.
const FIRST_SCREEN: usize = 40;
/// Messages at the end of a stream that may name them.
const LOOKED_AT: u64 = 200;
/// A subject with more records is left to the complete list.
const MOST_RECORDS: usize = 30;
/// Subjects that are read at the same time.
const READ_AT_ONCE: usize = 32;
/// Reading so many messages takes no noticeable time: the complete list is there at once.
const QUICKLY_READ: u64 = 1_000;

impl FleetLink {
    /// The newest plans of sessions with all their records, oldest first; none if the whole stream is read quickly.
    /// `known` is the last message that this machine has read before.
    pub async fn newest_reviews(&self, known: u64) -> Result<Vec<FleetRecord<ReviewRecord>>, FleetError> {
        let ids = self.newest_ids(FleetStream::Reviews, known).await?;
        self.whole_subjects(FleetStream::Reviews, ids).await
    }

    /// The newest jobs; none if the whole stream is read quickly.
    pub async fn newest_jobs(&self) -> Result<JobBoard, FleetError> {
        let ids = self.newest_ids(FleetStream::Jobs, 0).await?;
        let events = ids.iter().map(|id| format!("{id}.event")).collect();
        let mut records = self.whole_subjects::<JobEvent>(FleetStream::Jobs, events).await?;
        let mut generations: BTreeMap<String, u32> = ids.into_iter().map(|id| (id, 1)).collect();
        for record in records.iter().filter(|record| matches!(record.body, JobEvent::Retried)) {
            let generation = subject_id(&record.subject).and_then(|id| generations.get_mut(id));
            generation.into_iter().for_each(|generation| *generation += 1);
        }
        let results =
            generations.iter().flat_map(|(id, last)| (1..=*last).map(move |one| format!("{id}.result.{one}")));
        records.extend(self.whole_subjects(FleetStream::Jobs, results.collect()).await?);
        records.sort_by_key(|record| record.sequence);
        let (mut board, members) = (JobBoard::default(), self.members());
        for record in &records {
            board.apply(record, &members);
        }
        // The complete list reads everything.
        board.last_sequence = 0;
        Ok(board)
    }

    /// What the last messages of a stream are about, newest first.
    async fn newest_ids(&self, stream: FleetStream, known: u64) -> Result<Vec<String>, FleetError> {
        let last = self.last_sequence(stream, &self.subject(stream, ">")).await?;
        let first =
            while_server_fails!(self.connection(), self.stream(stream).await)?.cached_info().state.first_sequence;
        if last.saturating_sub(known.max(first)) < QUICKLY_READ {
            return Ok(Vec::new());
        }
        let raws = self.replay_raw(stream, &self.subject(stream, ">"), last + 1 - LOOKED_AT.min(last)).await?;
        let mut seen = HashSet::new();
        // Other clients choose subjects freely, with wildcards too.
        let ids = raws.iter().rev().filter_map(|raw| subject_id(&raw.subject)).filter(|id| valid_id(id));
        Ok(ids.filter(|id| seen.insert(*id)).take(FIRST_SCREEN).map(str::to_string).collect())
    }

    /// All records on these subjects, in the order of the stream. Subjects with many records are left out.
    async fn whole_subjects<T: DeserializeOwned>(
        &self,
        stream: FleetStream,
        subjects: Vec<String>,
    ) -> Result<Vec<FleetRecord<T>>, FleetError> {
        let read = |rest: String| async move {
            while_server_fails!(self.connection(), self.whole_subject(stream, &self.subject(stream, &rest)).await)
        };
        let reads = futures_util::stream::iter(subjects.into_iter().map(read)).buffer_unordered(READ_AT_ONCE);
        let mut raws: Vec<RawRecord> = reads.try_collect::<Vec<_>>().await?.into_iter().flatten().collect();
        raws.sort_by_key(|raw| raw.sequence);
        // Lockouts that came before these records were read.
        self.catch_up_members().await?;
        let decoder = self.decoder();
        Ok(self.once_each(stream, decoder.decode_all(raws)))
    }

    /// Asks the stream's leader for each message of a subject. This needs no consumer.
    async fn whole_subject(&self, stream: FleetStream, subject: &str) -> Result<Vec<RawRecord>, FleetError> {
        let stream = self.stream_handle(stream).await?;
        let (mut raws, mut from) = (Vec::new(), 1);
        while raws.len() <= MOST_RECORDS {
            match stream.get_first_raw_message_by_subject(subject, from).await {
                Ok(message) => {
                    from = message.sequence + 1;
                    raws.push(RawRecord::stored(message));
                }
                Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => return Ok(raws),
                Err(error) => return Err(self.server_error("read a stream", &error)),
            }
        }
        Ok(Vec::new())
    }
}

/// The plan or job that a subject is about.
pub(crate) fn subject_id(subject: &str) -> Option<&str> {
    subject.split('.').nth(4)
}
