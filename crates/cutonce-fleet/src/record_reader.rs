//! Reads the records of members (FL-2, FL-6): all that a stream has, or as they arrive. What no member wrote is left
//! out and reported once.

use crate::FleetError;
use crate::envelope::{self, EnvelopeFault, GroupKeys};
use crate::link::{FleetLink, FleetRecord, RecordFrame};
use crate::member_list::MemberList;
use crate::retry::while_server_fails;
use crate::signature_memo::SignatureMemo;
use crate::streams::FleetStream;
use async_nats::datetime::DateTime as ServerTime;
use async_nats::jetstream;
use async_nats::jetstream::consumer::{DeliverPolicy, pull};
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::RawMessageErrorKind;
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// A server that sends nothing for so long has failed.
const SILENCE: Duration = Duration::from_secs(10);
/// A follower without news asks after so long whether it missed something.
const QUIET: Duration = Duration::from_secs(10);
/// A member log up to this length is asked for message by message.
const SHORT_LOG: u64 = 100;
/// Requests for single messages under way at the same time.
const ASKED_AT_ONCE: usize = 32;
/// Records that are decoded at once, while the next ones arrive.
const PART: usize = 500;

/// A message as the server delivers it.
#[derive(Debug, Clone)]
pub(crate) struct RawRecord {
    pub subject: String,
    pub payload: bytes::Bytes,
    pub sequence: u64,
    pub published: u64,
}

impl RawRecord {
    pub fn new(message: &jetstream::Message) -> Result<RawRecord, String> {
        let info = message.info().map_err(|error| error.to_string())?;
        let published = milliseconds(info.published);
        let (subject, payload) = (message.subject.to_string(), message.payload.clone());
        Ok(RawRecord { subject, payload, sequence: info.stream_sequence, published })
    }

    /// A message that was asked for by its place in the stream.
    pub fn stored(message: StreamMessage) -> RawRecord {
        let (subject, published) = (message.subject.to_string(), milliseconds(message.time));
        RawRecord { subject, payload: message.payload, sequence: message.sequence, published }
    }
}

fn milliseconds(time: ServerTime) -> u64 {
    (time.unix_timestamp_nanos() / 1_000_000).max(0) as u64
}

/// A message with what it contains.
pub(crate) type DecodedMessage<T> = (RawRecord, Result<FleetRecord<T>, EnvelopeFault>);

/// What decoding needs.
pub(crate) struct RecordDecoder {
    pub keys: GroupKeys,
    pub members: MemberList,
    pub memo: Arc<SignatureMemo>,
}

impl RecordDecoder {
    fn decode<T: DeserializeOwned>(&self, raw: &RawRecord) -> Result<FleetRecord<T>, EnvelopeFault> {
        let opened = envelope::open(&self.keys, &raw.subject, &raw.payload)?;
        let author = self.members.active_at(&opened.author, raw.published).cloned().ok_or(EnvelopeFault::Author)?;
        self.memo.verify(&opened, &raw.subject, &author.card.keys)?;
        let frame: RecordFrame<T> = serde_json::from_slice(&opened.body).map_err(|_| EnvelopeFault::Content)?;
        let RawRecord { subject, sequence, published, .. } = raw.clone();
        Ok(FleetRecord { subject, sequence, published, author, id: frame.id, body: frame.body })
    }

    pub fn decode_all<T: DeserializeOwned>(&self, raws: Vec<RawRecord>) -> Vec<DecodedMessage<T>> {
        let decoded = raws.into_iter().map(|raw| {
            let record = self.decode(&raw);
            (raw, record)
        });
        decoded.collect()
    }
}

impl FleetLink {
    /// All records of members on these subjects, oldest first. `rest` may end with `>` or contain `*`.
    pub async fn replay<T: DeserializeOwned + Send + 'static>(
        &self,
        stream: FleetStream,
        rest: &str,
    ) -> Result<Vec<FleetRecord<T>>, FleetError> {
        self.replay_from(stream, rest, 1).await
    }

    /// Records from this sequence of the stream on.
    pub async fn replay_from<T: DeserializeOwned + Send + 'static>(
        &self,
        stream: FleetStream,
        rest: &str,
        from: u64,
    ) -> Result<Vec<FleetRecord<T>>, FleetError> {
        let subject = self.subject(stream, rest);
        let mut decoded = while_server_fails!(self.connection(), self.try_replay::<T>(stream, &subject, from).await)?;
        // A lockout, a key or a member that is new to this machine.
        if self.catch_up_members().await? {
            let decoder = self.decoder();
            decoded.iter_mut().for_each(|(raw, record)| *record = decoder.decode(raw));
        }
        Ok(self.once_each(stream, decoded))
    }

    /// The records of members. What no member wrote, and what repeats a record, is reported.
    pub(crate) fn once_each<T>(&self, stream: FleetStream, decoded: Vec<DecodedMessage<T>>) -> Vec<FleetRecord<T>> {
        self.memo().save();
        let mut seen = HashSet::new();
        let mut records = Vec::with_capacity(decoded.len());
        for (raw, record) in decoded {
            match record {
                Ok(record) if seen.insert(record.id.clone()) => records.push(record),
                Ok(_) => self.report(stream, &raw, EnvelopeFault::Replayed),
                Err(fault) => self.report(stream, &raw, fault),
            }
        }
        records
    }

    /// Decodes on other threads while messages arrive: checking a signature takes longer than reading its message.
    async fn try_replay<T: DeserializeOwned + Send + 'static>(
        &self,
        stream: FleetStream,
        subject: &str,
        from: u64,
    ) -> Result<Vec<DecodedMessage<T>>, FleetError> {
        let decoder = Arc::new(self.decoder());
        let mut parts: Vec<JoinHandle<Vec<DecodedMessage<T>>>> = Vec::new();
        let mut part = Vec::new();
        let take = |raw: RawRecord| {
            part.push(raw);
            if part.len() == PART {
                let (decoder, full) = (decoder.clone(), std::mem::take(&mut part));
                parts.push(tokio::task::spawn_blocking(move || decoder.decode_all(full)));
            }
        };
        self.read_raw(stream, subject, from, take).await?;
        let mut decoded = Vec::with_capacity(parts.len() * PART + part.len());
        let rest = decoder.decode_all(part);
        for part in parts {
            decoded.extend(part.await.map_err(|error| self.server_error("read a stream", &error))?);
        }
        decoded.extend(rest);
        Ok(decoded)
    }

    /// All messages on a subject from this sequence of the stream on, oldest first.
    pub(crate) async fn replay_raw(
        &self,
        stream: FleetStream,
        subject: &str,
        from: u64,
    ) -> Result<Vec<RawRecord>, FleetError> {
        while_server_fails!(self.connection(), {
            let mut raws = Vec::new();
            let read = self.read_raw(stream, subject, from, |raw| raws.push(raw)).await;
            read.map(|()| raws)
        })
    }

    /// Reads up to the last message that the stream's leader has now: the copy that is read may be behind it.
    async fn read_raw(
        &self,
        stream: FleetStream,
        subject: &str,
        from: u64,
        mut take: impl FnMut(RawRecord),
    ) -> Result<(), FleetError> {
        let failed = |error: &dyn std::fmt::Display| self.server_error("read a stream", error);
        let (from, last) = (from.max(1), self.try_last_sequence(stream, subject).await?);
        if last < from {
            return Ok(());
        }
        if stream == FleetStream::Members && last - from < SHORT_LOG {
            return self.read_short(stream, from..=last, take).await;
        }
        let config = pull::OrderedConfig {
            filter_subject: subject.to_string(),
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: from },
            ..Default::default()
        };
        let consumer = self.stream_handle(stream).await?.create_consumer(config).await;
        let consumer = consumer.map_err(|error| failed(&error))?;
        let mut messages = consumer.messages().await.map_err(|error| failed(&error))?;
        loop {
            let next = tokio::time::timeout(SILENCE, messages.next()).await;
            let next = next.map_err(|_| failed(&"it sends nothing"))?;
            let message = next.ok_or_else(|| failed(&"it ended the stream"))?.map_err(|error| failed(&error))?;
            let raw = RawRecord::new(&message).map_err(|why| failed(&why))?;
            let is_last = raw.sequence >= last;
            take(raw);
            if is_last {
                return Ok(());
            }
        }
    }

    /// Asks the stream's leader for each message. This needs no consumer, which the cluster may place on a server that
    /// does not work; so a client connects at once.
    async fn read_short(
        &self,
        stream: FleetStream,
        sequences: RangeInclusive<u64>,
        mut take: impl FnMut(RawRecord),
    ) -> Result<(), FleetError> {
        let stream = &self.stream_handle(stream).await?;
        let ask = |sequence| async move { stream.get_raw_message(sequence).await };
        let mut messages = futures_util::stream::iter(sequences.map(ask)).buffered(ASKED_AT_ONCE);
        while let Some(found) = messages.next().await {
            let message = match found {
                Ok(message) => message,
                Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => continue,
                Err(error) => return Err(self.server_error("read a stream", &error)),
            };
            take(RawRecord::stored(message));
        }
        Ok(())
    }

    /// Follows records as they arrive.
    pub async fn follow<T: DeserializeOwned>(
        &self,
        stream: FleetStream,
        rest: &str,
        from: u64,
    ) -> Result<FleetReader<'_, T>, FleetError> {
        let (subject, from) = (self.subject(stream, rest), from.max(1));
        let deliver_policy = DeliverPolicy::ByStartSequence { start_sequence: from };
        let config = pull::OrderedConfig { filter_subject: subject.clone(), deliver_policy, ..Default::default() };
        let consumer = self.stream_handle(stream).await?.create_consumer(config).await;
        let consumer = consumer.map_err(|error| self.server_error("follow a stream", &error))?;
        let messages = consumer.messages().await.map_err(|error| self.server_error("follow a stream", &error))?;
        Ok(FleetReader {
            link: self,
            stream,
            subject,
            messages,
            last: from - 1,
            missed: 0,
            quiet_since: Instant::now(),
            arrived: None,
            seen: HashSet::new(),
            body: std::marker::PhantomData,
        })
    }

    /// Reports each new message of the member log, from now on.
    pub async fn follow_member_log(&self) -> Result<MemberLogNews<'_>, FleetError> {
        let failed = |error: &dyn std::fmt::Display| self.server_error("follow the member log", error);
        let config = pull::OrderedConfig { deliver_policy: DeliverPolicy::New, ..Default::default() };
        let consumer = self.stream_handle(FleetStream::Members).await?.create_consumer(config).await;
        let messages = consumer.map_err(|error| failed(&error))?.messages().await.map_err(|error| failed(&error))?;
        // What came before the consumer.
        self.catch_up_members().await?;
        Ok(MemberLogNews { link: self, messages, unread: false })
    }

    /// Decodes a record that just arrived. Fails if the server does not tell whether its author was locked out.
    pub(crate) async fn decode_arrived<T: DeserializeOwned>(
        &self,
        raw: &RawRecord,
    ) -> Result<Result<FleetRecord<T>, EnvelopeFault>, FleetError> {
        self.catch_up_members().await?;
        let decoded = self.decoder().decode(raw);
        self.memo().save();
        Ok(decoded)
    }
}

/// Records of one stream as they arrive.
pub struct FleetReader<'a, T> {
    link: &'a FleetLink,
    stream: FleetStream,
    subject: String,
    messages: pull::Ordered,
    /// The last message that arrived.
    last: u64,
    /// A message that the stream had when this reader asked last, but that had not arrived; 0 if there was none.
    missed: u64,
    quiet_since: Instant,
    /// Arrived, and not decoded yet.
    arrived: Option<RawRecord>,
    seen: HashSet<String>,
    body: std::marker::PhantomData<T>,
}

impl<T: DeserializeOwned> FleetReader<'_, T> {
    /// Waits for the next record of a member. Safe to drop and call again.
    pub async fn next(&mut self) -> Result<FleetRecord<T>, FleetError> {
        loop {
            let raw = match self.arrived.take() {
                Some(raw) => raw,
                None => match self.next_message().await? {
                    Some(raw) => raw,
                    None => continue,
                },
            };
            self.arrived = Some(raw.clone());
            let decoded = self.link.decode_arrived(&raw).await?;
            self.arrived = None;
            match decoded {
                Ok(record) if self.seen.insert(record.id.clone()) => return Ok(record),
                Ok(_) => self.link.report(self.stream, &raw, EnvelopeFault::Replayed),
                Err(fault) => self.link.report(self.stream, &raw, fault),
            }
        }
    }
}

impl<T> FleetReader<'_, T> {
    /// The next message; `None` if none came, or one without a place in the stream.
    async fn next_message(&mut self) -> Result<Option<RawRecord>, FleetError> {
        let failed = |error: &dyn std::fmt::Display| self.link.server_error("follow a stream", error);
        let next = match tokio::time::timeout_at(self.quiet_since + QUIET, self.messages.next()).await {
            Ok(next) => next.ok_or_else(|| failed(&"the stream ended"))?,
            Err(_) => return self.ask_for_missed().await.map(|()| None),
        };
        let message = next.map_err(|error| failed(&error))?;
        (self.missed, self.quiet_since) = (0, Instant::now());
        let raw = RawRecord::new(&message).ok();
        self.last = raw.as_ref().map_or(self.last, |raw| raw.sequence);
        Ok(raw)
    }

    /// Asks the stream's leader for its last message. A server that does not answer is left (FL-6). Fails if a message
    /// that was missed the last time has still not arrived: its consumer is lost.
    async fn ask_for_missed(&mut self) -> Result<(), FleetError> {
        match self.link.try_last_sequence(self.stream, &self.subject).await {
            Ok(last) if self.missed > self.last => {
                tracing::debug!("{}: {} of {last} messages arrived", self.subject, self.last);
                return Err(self.link.server_error("follow a stream", &"its messages do not arrive"));
            }
            Ok(last) => self.missed = last,
            Err(error) => {
                tracing::debug!("{error}");
                self.link.connection().leave_server().await;
            }
        }
        self.quiet_since = Instant::now();
        Ok(())
    }
}

/// New messages of the member log.
pub struct MemberLogNews<'a> {
    link: &'a FleetLink,
    messages: pull::Ordered,
    /// A message arrived, and the log was not read yet.
    unread: bool,
}

impl MemberLogNews<'_> {
    /// Waits until the log grows, but not long, and reads it. Safe to drop and call again.
    pub async fn next(&mut self) -> Result<(), FleetError> {
        if !self.unread {
            match tokio::time::timeout(QUIET, self.messages.next()).await {
                // Without news, too, the log is looked at: the server may be silent.
                Ok(Some(Ok(_))) | Err(_) => self.unread = true,
                Ok(Some(Err(error))) => return Err(self.link.server_error("follow the member log", &error)),
                Ok(None) => return Err(self.link.server_error("follow the member log", &"the stream ended")),
            }
        }
        self.link.catch_up_members().await?;
        self.unread = false;
        Ok(())
    }
}
