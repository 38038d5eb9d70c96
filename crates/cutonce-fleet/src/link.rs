//! The connection of one member to its group: publishes sealed records and reads those of other members (FL-1, FL-2).
//! Everything that is not from a member is left out and reported once.

use crate::FleetError;
use crate::envelope::{self, EnvelopeFault, EpochKey, GroupKeys};
use crate::fault_log::FaultLog;
use crate::member_keys::{MemberId, MemberSecret};
use crate::member_list::{FleetMember, MemberList, MemberLogEntry, MemberRecord};
use crate::record_reader::{RawRecord, RecordDecoder};
use crate::remote_record::RemoteRecord;
use crate::retry::while_server_fails;
use crate::server_connection::{ServerConnection, connect_server};
use crate::server_login::ServerAccess;
use crate::signature_memo::SignatureMemo;
use crate::streams::{self, FleetStream};
use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::Stream;
use async_nats::jetstream::{Context, ErrorCode};
use cutonce_core::sync::LockUnpoisoned;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How often a publication is tried; a cluster needs some seconds to choose a new leader.
const PUBLISH_ATTEMPTS: u32 = 16;
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// How often a writer tries again after another one was faster.
const CONFLICTS: u32 = 50;

/// A connected member.
pub struct FleetLink {
    home: PathBuf,
    record: Mutex<RemoteRecord>,
    secret: MemberSecret,
    id: MemberId,
    keys: Mutex<GroupKeys>,
    members: Mutex<MemberList>,
    /// The last message of the member log that `members` knows.
    members_read: AtomicU64,
    faults: FaultLog,
    memo: Arc<SignatureMemo>,
    connection: ServerConnection,
}

/// What every record carries besides its content.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RecordFrame<T> {
    pub id: String,
    at: u64,
    pub body: T,
}

/// A record of a member, verified.
#[derive(Debug, Clone)]
pub struct FleetRecord<T> {
    pub subject: String,
    pub sequence: u64,
    /// Server time in milliseconds.
    pub published: u64,
    pub author: FleetMember,
    /// Unique id, chosen by the author.
    pub id: String,
    pub body: T,
}

/// Result of a write that must be the first of its subject.
#[derive(Debug)]
pub enum FirstWrite<T> {
    Stored,
    /// Another member's record was there first.
    Existing(Box<FleetRecord<T>>),
}

/// The current time in milliseconds.
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

impl FleetLink {
    /// Connects to the remote of this name and reads the member list. The founder's first connection creates the group.
    pub async fn connect(home: &Path, name: &str) -> Result<FleetLink, FleetError> {
        FleetLink::connect_record(home, RemoteRecord::load(home, name)?).await
    }

    pub(crate) async fn connect_record(home: &Path, record: RemoteRecord) -> Result<FleetLink, FleetError> {
        let connection = connect_server(&record, &ServerAccess::of(home, &record)?).await?;
        let secret = record.secret()?;
        let link = FleetLink {
            home: home.to_path_buf(),
            id: secret.public().id(),
            secret,
            keys: Mutex::new(record.group_keys()),
            members: Mutex::default(),
            members_read: AtomicU64::new(0),
            faults: FaultLog::load(home, &record.name),
            memo: Arc::new(SignatureMemo::load(home, &record.name)),
            record: Mutex::new(record),
            connection,
        };
        while_server_fails!(link.connection(), link.declare_streams().await)?;
        link.refresh_members().await?;
        if lock(&link.members).is_empty() && link.record().is_founder() {
            let record = link.record();
            let card = crate::member_list::MemberCard { keys: record.founder, label: record.label };
            link.append_member_record(|_| Ok(MemberRecord::Founded { card: card.clone() })).await?;
        }
        match link.finish_rotation()? {
            true => Box::pin(FleetLink::connect_record(home, link.record())).await,
            false => Ok(link),
        }
    }

    /// New keys of this machine count once the log has them. The machine may have stopped before it heard so.
    fn finish_rotation(&self) -> Result<bool, FleetError> {
        let Some(next) = self.record().next_secret() else { return Ok(false) };
        if lock(&self.members).get(&next.public().id()).is_none() {
            return Ok(false);
        }
        self.update_record(RemoteRecord::finish_rotation)?;
        Ok(true)
    }

    /// Fails unless the servers of this record accept this access.
    pub async fn try_access(record: &RemoteRecord, access: &ServerAccess) -> Result<(), FleetError> {
        connect_server(record, access).await.map(drop)
    }

    /// Fails unless this machine is still a member.
    pub fn require_member(&self) -> Result<FleetMember, FleetError> {
        let member = lock(&self.members).get(&self.id).cloned();
        let name = self.record().name;
        match member {
            Some(member) if member.revoked.is_none() => Ok(member),
            Some(_) => Err(FleetError::Refused(format!("this machine was locked out of the remote {name}"))),
            None => Err(FleetError::Refused(format!(
                "this machine is not a member of the remote {name}; ask for an invitation"
            ))),
        }
    }

    /// Like [`FleetLink::require_member`], with the newest member log.
    pub async fn require_current_member(&self) -> Result<FleetMember, FleetError> {
        self.catch_up_members().await?;
        self.require_member()
    }

    pub fn record(&self) -> RemoteRecord {
        lock(&self.record).clone()
    }
    pub fn name(&self) -> String {
        lock(&self.record).name.clone()
    }
    pub fn home(&self) -> &Path {
        &self.home
    }
    pub fn member_id(&self) -> &MemberId {
        &self.id
    }
    pub fn members(&self) -> MemberList {
        lock(&self.members).clone()
    }
    pub(crate) fn secret(&self) -> &MemberSecret {
        &self.secret
    }
    pub(crate) fn context(&self) -> &Context {
        &self.connection.context
    }
    pub(crate) fn connection(&self) -> &ServerConnection {
        &self.connection
    }
    pub(crate) fn group(&self) -> String {
        lock(&self.record).group.clone()
    }
    pub fn subject(&self, stream: FleetStream, rest: &str) -> String {
        stream.subject(&self.group(), rest)
    }

    /// Faults since the last call, for the user; each is reported once.
    pub fn take_faults(&self) -> Vec<String> {
        self.faults.take()
    }

    /// Changes what is stored. Another process of this machine may have changed it meanwhile, or removed the remote.
    pub(crate) fn update_record(&self, change: impl Fn(&mut RemoteRecord)) -> Result<(), FleetError> {
        let mut record = lock(&self.record);
        match RemoteRecord::update(&self.home, &record.name, &change)? {
            Some(stored) => *record = stored,
            None => change(&mut record),
        }
        Ok(())
    }

    /// Whether a server is there at the moment; the client connects again by itself.
    pub fn is_connected(&self) -> bool {
        self.context().client().connection_state() == async_nats::connection::State::Connected
    }

    pub(crate) fn decoder(&self) -> RecordDecoder {
        RecordDecoder { keys: lock(&self.keys).clone(), members: self.members(), memo: self.memo.clone() }
    }
    pub(crate) fn memo(&self) -> &SignatureMemo {
        &self.memo
    }

    /// The stream without asking the server about it.
    pub(crate) async fn stream_handle(&self, stream: FleetStream) -> Result<Stream<()>, FleetError> {
        let found = self.context().get_stream_no_info(stream.name(&self.group())).await;
        found.map_err(|error| self.server_error("open a stream", &error))
    }

    pub(crate) async fn stream(&self, stream: FleetStream) -> Result<Stream, FleetError> {
        let found = self.context().get_stream(stream.name(&self.group())).await;
        found.map_err(|error| self.server_error("open a stream", &error))
    }

    /// Size and copies of a stream, for `doctor`.
    pub async fn stream_summary(&self, stream: FleetStream) -> Result<String, FleetError> {
        let stream = self.stream(stream).await?;
        let info = stream.cached_info();
        let (state, config) = (&info.state, &info.config);
        let copies = config.num_replicas.max(1);
        let missing =
            info.cluster.as_ref().map_or(0, |cluster| cluster.replicas.iter().filter(|one| !one.current).count());
        let behind = if missing > 0 { format!(", {missing} of them behind") } else { String::new() };
        let (kilobytes, most) = (state.bytes >> 10, config.max_bytes >> 20);
        Ok(format!("{} messages, {kilobytes} KB of {most} MB, copies: {copies}{behind}", state.messages))
    }

    pub(crate) fn server_error(&self, what: &'static str, error: &dyn std::fmt::Display) -> FleetError {
        FleetError::Server { servers: lock(&self.record).shown_urls(), what, why: error.to_string() }
    }

    /// Creates what is missing. A member that is not the owner may do it too: the streams hold only sealed records.
    async fn declare_streams(&self) -> Result<(), FleetError> {
        let group = self.group();
        // A young cluster does not know all its servers yet; then the list that the user gave counts.
        let known = self.context().client().server_info().connect_urls.len();
        let servers = known.max(lock(&self.record).urls.len());
        self.declare_with(&group, streams::replicas(servers)).await
    }

    async fn declare_with(&self, group: &str, replicas: usize) -> Result<(), FleetError> {
        let create = streams::stream_configs(group, replicas).into_iter().map(|config| async move {
            match self.context().get_or_create_stream(config.clone()).await {
                Ok(_) => Ok(()),
                // Another member may have created it at the same moment.
                Err(error) => self.context().get_stream(&config.name).await.map(drop).map_err(|_| error),
            }
        });
        for created in futures_util::future::join_all(create).await {
            created.map_err(|error| match is_out_of_room(&error) {
                true => FleetError::Refused(streams::room_needed()),
                false => self.server_error("create a stream", &error),
            })?;
        }
        let bucket = streams::bucket_config(group, replicas);
        if self.context().get_object_store(&bucket.bucket).await.is_err() {
            let created = self.context().create_object_store(bucket.clone()).await;
            if let Err(error) = created
                && self.context().get_object_store(&bucket.bucket).await.is_err()
            {
                return Err(self.server_error("create the object store", &error));
            }
        }
        Ok(())
    }

    /// Replays the member log and takes over new keys of the group.
    pub async fn refresh_members(&self) -> Result<(), FleetError> {
        let subject = self.subject(FleetStream::Members, "");
        let mut list = MemberList::default();
        let founder = self.record().founder;
        let mut read = 0;
        for raw in self.replay_raw(FleetStream::Members, &subject, 1).await? {
            read = raw.sequence;
            self.take_sealed_keys(&list)?;
            let opened = envelope::open(&lock(&self.keys).clone(), &raw.subject, &raw.payload);
            let applied = opened.and_then(|opened| list.apply(&raw.subject, &opened, raw.published, &founder));
            if let Err(fault) = applied {
                self.faults.report(FleetStream::Members, raw.sequence, &raw.subject, fault);
            }
        }
        self.take_sealed_keys(&list)?;
        let known = self.record().head;
        if !known.is_empty() && !list.contains(&known) {
            return Err(FleetError::Refused(format!(
                "the server's member list of {} lacks records that this machine has seen; do not trust this server",
                self.name()
            )));
        }
        if known != list.head() {
            let head = list.head().to_string();
            self.update_record(|record| record.head.clone_from(&head))?;
        }
        *lock(&self.members) = list;
        self.members_read.store(read, Ordering::Release);
        Ok(())
    }

    /// Reads the member log if it grew; returns whether it did. Before a record counts, this machine must know each
    /// lockout that came first.
    pub(crate) async fn catch_up_members(&self) -> Result<bool, FleetError> {
        let last = self.last_sequence(FleetStream::Members, &self.subject(FleetStream::Members, "")).await?;
        if last == self.members_read.load(Ordering::Acquire) {
            return Ok(false);
        }
        self.refresh_members().await.map(|()| true)
    }

    /// Opens keys of the group that were sealed for this member.
    fn take_sealed_keys(&self, list: &MemberList) -> Result<(), FleetError> {
        for (epoch, sealed) in list.sealed_keys_for(&self.id) {
            if lock(&self.keys).get(epoch).is_some() {
                continue;
            }
            let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, sealed).ok();
            let key = bytes.and_then(|bytes| self.secret.unseal(&bytes)).and_then(|key| key.try_into().ok());
            if let Some(key) = key.map(EpochKey) {
                lock(&self.keys).insert(epoch, key.clone());
                self.update_record(|record| record.add_epoch(epoch, &key))?;
            }
        }
        Ok(())
    }

    pub(crate) fn add_epoch(&self, epoch: u32, key: &EpochKey) -> Result<(), FleetError> {
        lock(&self.keys).insert(epoch, key.clone());
        self.update_record(|record| record.add_epoch(epoch, key))
    }

    /// Appends to the member log. `make` sees the newest list; it is called again if another member was faster.
    pub(crate) async fn append_member_record(
        &self,
        make: impl Fn(&MemberList) -> Result<MemberRecord, FleetError>,
    ) -> Result<(), FleetError> {
        let subject = self.subject(FleetStream::Members, "");
        for _ in 0..CONFLICTS {
            self.refresh_members().await?;
            let list = self.members();
            let entry = MemberLogEntry { prev: list.head().to_string(), record: make(&list)? };
            let body = serde_json::to_vec(&entry).map_err(|error| FleetError::Refused(error.to_string()))?;
            let sealed = envelope::seal(&lock(&self.keys).clone(), &self.secret, &subject, &body)?;
            let last = self.last_sequence(FleetStream::Members, &subject).await?;
            match self.publish_bytes(&subject, sealed, &cutonce_agent::new_id(), Some(last)).await? {
                PublishResult::Stored(_) => return self.refresh_members().await,
                PublishResult::Conflict => {}
            }
        }
        Err(FleetError::Refused("the member list changes too often; try again".into()))
    }

    pub(crate) async fn last_sequence(&self, stream: FleetStream, subject: &str) -> Result<u64, FleetError> {
        while_server_fails!(self.connection(), self.try_last_sequence(stream, subject).await)
    }

    /// The last message of a subject, which may have wildcards, as the stream's leader has it; 0 if there is none.
    pub(crate) async fn try_last_sequence(&self, stream: FleetStream, subject: &str) -> Result<u64, FleetError> {
        use async_nats::jetstream::stream::LastRawMessageErrorKind;
        let stream = self.stream_handle(stream).await?;
        match stream.get_last_raw_message_by_subject(subject).await {
            Ok(message) => Ok(message.sequence),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(0),
            Err(error) => Err(self.server_error("read a stream", &error)),
        }
    }

    /// Seals and stores a record; returns once the server has stored it. `id` makes repetitions harmless.
    pub async fn publish<T: Serialize>(
        &self,
        stream: FleetStream,
        rest: &str,
        id: &str,
        body: &T,
    ) -> Result<(), FleetError> {
        let (subject, sealed) = self.sealed_record(stream, rest, id, body)?;
        self.publish_bytes(&subject, sealed, id, None).await.map(drop)
    }

    /// Stores a record if the last message of its subject has this sequence.
    pub(crate) async fn publish_after<T: Serialize>(
        &self,
        stream: FleetStream,
        rest: &str,
        last: u64,
        body: &T,
    ) -> Result<PublishResult, FleetError> {
        let id = cutonce_agent::new_id();
        let (subject, sealed) = self.sealed_record(stream, rest, &id, body)?;
        self.publish_bytes(&subject, sealed, &id, Some(last)).await
    }

    /// Stores a record unless a member has already written one on this subject.
    pub async fn publish_first<T: Serialize + DeserializeOwned + Send + 'static>(
        &self,
        stream: FleetStream,
        rest: &str,
        body: &T,
    ) -> Result<FirstWrite<T>, FleetError> {
        for _ in 0..CONFLICTS {
            let existing: Vec<FleetRecord<T>> = self.replay(stream, rest).await?;
            if let Some(first) = existing.into_iter().next() {
                return Ok(FirstWrite::Existing(Box::new(first)));
            }
            let id = cutonce_agent::new_id();
            let (subject, sealed) = self.sealed_record(stream, rest, &id, body)?;
            // What others put there is no record; it only moves the sequence.
            let last = self.last_sequence(stream, &subject).await?;
            match self.publish_bytes(&subject, sealed, &id, Some(last)).await? {
                PublishResult::Stored(_) => return Ok(FirstWrite::Stored),
                PublishResult::Conflict => {}
            }
        }
        Err(FleetError::Refused("the record changes too often; try again".into()))
    }

    fn sealed_record<T: Serialize>(
        &self,
        stream: FleetStream,
        rest: &str,
        id: &str,
        body: &T,
    ) -> Result<(String, Vec<u8>), FleetError> {
        let subject = self.subject(stream, rest);
        let frame = RecordFrame { id: id.to_string(), at: now_ms(), body };
        let body = serde_json::to_vec(&frame).map_err(|error| FleetError::Refused(error.to_string()))?;
        let sealed = envelope::seal(&lock(&self.keys).clone(), &self.secret, &subject, &body)?;
        Ok((subject, sealed))
    }

    async fn publish_bytes(
        &self,
        subject: &str,
        payload: Vec<u8>,
        id: &str,
        expected: Option<u64>,
    ) -> Result<PublishResult, FleetError> {
        let payload = bytes::Bytes::from(payload);
        let mut attempt = 1;
        loop {
            let message = PublishMessage::build().payload(payload.clone()).message_id(id);
            let message = match expected {
                Some(last) => message.expected_last_subject_sequence(last),
                None => message,
            };
            let stored = match self.context().send_publish(subject.to_string(), message).await {
                Ok(sent) => sent.await,
                Err(error) => Err(error),
            };
            match stored {
                Ok(stored) => return Ok(PublishResult::Stored(stored.sequence)),
                Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => {
                    return Ok(PublishResult::Conflict);
                }
                Err(error) if attempt == PUBLISH_ATTEMPTS || error.kind() == PublishErrorKind::MaxPayloadExceeded => {
                    return Err(self.server_error("store a message", &error));
                }
                Err(error) => tracing::debug!("{subject}: {error}; trying again"),
            }
            self.connection.leave_server().await;
            attempt += 1;
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }

    /// Stores an encrypted package that only the holder of a code can read.
    pub(crate) async fn publish_package(&self, rest: &str, payload: Vec<u8>) -> Result<(), FleetError> {
        let subject = self.subject(FleetStream::Invites, rest);
        self.publish_bytes(&subject, payload, &cutonce_agent::new_id(), None).await.map(drop)
    }

    pub(crate) fn report_record<T>(&self, stream: FleetStream, record: &FleetRecord<T>, fault: EnvelopeFault) {
        self.faults.report(stream, record.sequence, &record.subject, fault);
    }
    pub(crate) fn report(&self, stream: FleetStream, raw: &RawRecord, fault: EnvelopeFault) {
        self.faults.report(stream, raw.sequence, &raw.subject, fault);
    }
}

/// Whether the server's limit of storage leaves no room for a stream.
fn is_out_of_room(error: &CreateStreamError) -> bool {
    let exceeded = ErrorCode::STORAGE_RESOURCES_EXCEEDED;
    matches!(error.kind(), CreateStreamErrorKind::JetStream(error) if error.error_code() == exceeded)
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PublishResult {
    /// Stored under this sequence of the stream.
    Stored(u64),
    /// The subject has a newer message than expected.
    Conflict,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock_unpoisoned()
}
