//! Mailboxes on a NATS server with JetStream, for teammates on other machines (TM-1). Guarantees match those of the
//! files: a message is stored once the server confirms it, its id makes retries harmless, and a reader resumes after
//! its last done position. Positions and values are in a second stream that keeps the last message of each subject.

use super::seen_ids::SeenIds;
use super::{Delivery, MailError, Mailbox, MailboxReader, without_credentials};
use async_nats::jetstream::consumer::{DeliverPolicy, pull};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, LastRawMessageErrorKind, StorageType, Stream};
use async_nats::jetstream::{self, Context};
use async_trait::async_trait;
use cutonce_core::team::{TeamMessage, is_valid_name};
use futures_util::StreamExt;
use std::time::Duration;

/// Maximum size of all mailboxes of a team; sending fails beyond it and nothing is dropped.
const MAX_BYTES: i64 = 256 << 20;
/// How long the server remembers message ids.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(120);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) struct NatsMailbox {
    url: String,
    team: String,
    context: Context,
    mail: Stream,
    values: Stream,
}

/// Gets or creates a stream. If two clients create it at the same moment, the server accepts one; the other then gets
/// the existing stream.
async fn get_or_create_stream(context: &Context, config: Config) -> Result<Stream, String> {
    let name = config.name.clone();
    match context.get_or_create_stream(config).await {
        Ok(stream) => Ok(stream),
        Err(error) => context.get_stream(name).await.map_err(|_| error.to_string()),
    }
}

impl NatsMailbox {
    pub async fn connect(url: &str, team: &str) -> Result<NatsMailbox, MailError> {
        let unreachable =
            |error: &dyn std::fmt::Display| MailError::Server { url: without_credentials(url), why: error.to_string() };
        if !is_valid_name(team) {
            return Err(MailError::Refused(format!("invalid team name {team:?}")));
        }
        let options = async_nats::ConnectOptions::new().name("cutonce").connection_timeout(CONNECT_TIMEOUT);
        let client = options.connect(url).await.map_err(|error| unreachable(&error))?;
        let context = jetstream::new(client);
        let mail = Config {
            name: format!("CUTONCE_{team}_MAIL"),
            subjects: vec![format!("cutonce.{team}.mail.*")],
            storage: StorageType::File,
            discard: DiscardPolicy::New,
            max_bytes: MAX_BYTES,
            duplicate_window: DUPLICATE_WINDOW,
            ..Config::default()
        };
        let values = Config {
            name: format!("CUTONCE_{team}_VALUES"),
            subjects: vec![format!("cutonce.{team}.done.*"), format!("cutonce.{team}.value.>")],
            storage: StorageType::File,
            max_messages_per_subject: 1,
            ..Config::default()
        };
        let mail = get_or_create_stream(&context, mail).await.map_err(|why| unreachable(&why))?;
        let values = get_or_create_stream(&context, values).await.map_err(|why| unreachable(&why))?;
        Ok(NatsMailbox { url: url.to_string(), team: team.to_string(), context, mail, values })
    }

    fn server_error(&self, error: &dyn std::fmt::Display) -> MailError {
        MailError::Server { url: without_credentials(&self.url), why: error.to_string() }
    }

    fn subject(&self, what: &str, name: &str) -> Result<String, MailError> {
        if !name.split('.').all(is_valid_name) {
            return Err(MailError::Refused(format!("invalid member name {name:?}")));
        }
        Ok(format!("cutonce.{}.{what}.{name}", self.team))
    }

    /// Publishes the message and returns once the server has stored it.
    async fn publish_stored(&self, subject: String, message: PublishMessage) -> Result<(), MailError> {
        let sent = self.context.send_publish(subject, message).await.map_err(|error| self.server_error(&error))?;
        sent.await.map(|_| ()).map_err(|error| self.server_error(&error))
    }

    async fn last_value(&self, subject: &str) -> Result<Option<String>, MailError> {
        match self.values.get_last_raw_message_by_subject(subject).await {
            Ok(message) => Ok(Some(String::from_utf8_lossy(&message.payload).into_owned())),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(self.server_error(&error)),
        }
    }
}

#[async_trait]
impl Mailbox for NatsMailbox {
    async fn send(&self, message: &TeamMessage) -> Result<(), MailError> {
        message.check_limits().map_err(MailError::Refused)?;
        let subject = self.subject("mail", &message.to)?;
        let body = serde_json::to_vec(message).map_err(|error| MailError::Refused(error.to_string()))?;
        self.publish_stored(subject, PublishMessage::build().payload(body.into()).message_id(&message.id)).await
    }

    async fn read(&self, name: &str) -> Result<Box<dyn MailboxReader>, MailError> {
        let done = self.last_value(&self.subject("done", name)?).await?.and_then(|text| text.parse::<u64>().ok());
        let deliver_policy = match done {
            Some(done) => DeliverPolicy::ByStartSequence { start_sequence: done + 1 },
            None => DeliverPolicy::All,
        };
        let filter_subject = self.subject("mail", name)?;
        let config = pull::OrderedConfig { filter_subject, deliver_policy, ..pull::OrderedConfig::default() };
        let consumer = self.mail.create_consumer(config).await.map_err(|error| self.server_error(&error))?;
        let messages = consumer.messages().await.map_err(|error| self.server_error(&error))?;
        Ok(Box::new(NatsMailboxReader { url: self.url.clone(), messages, seen_ids: SeenIds::default() }))
    }

    async fn mark_done(&self, name: &str, position: &str) -> Result<(), MailError> {
        let position: u64 =
            position.parse().map_err(|_| MailError::Refused(format!("invalid position: {position:?}")))?;
        let message = PublishMessage::build().payload(position.to_string().into());
        self.publish_stored(self.subject("done", name)?, message).await?;
        // Purges read messages; if that fails, they only take up space.
        let read = self.mail.purge().filter(self.subject("mail", name)?).sequence(position.saturating_add(1)).await;
        read.map(|_| ()).unwrap_or_else(|error| tracing::warn!("{error}"));
        Ok(())
    }

    async fn publish(&self, key: &str, value: &str) -> Result<(), MailError> {
        self.publish_stored(self.subject("value", key)?, PublishMessage::build().payload(value.to_string().into()))
            .await
    }

    async fn look_up(&self, key: &str) -> Result<Option<String>, MailError> {
        self.last_value(&self.subject("value", key)?).await
    }

    async fn remove(&self) -> Result<(), MailError> {
        for stream in ["MAIL", "VALUES"] {
            let name = format!("CUTONCE_{}_{stream}", self.team);
            self.context.delete_stream(name).await.map_err(|error| self.server_error(&error))?;
        }
        Ok(())
    }
}

struct NatsMailboxReader {
    url: String,
    messages: pull::Ordered,
    seen_ids: SeenIds,
}

#[async_trait]
impl MailboxReader for NatsMailboxReader {
    async fn next(&mut self) -> Result<Delivery, MailError> {
        let failed = |why: String| MailError::Server { url: without_credentials(&self.url), why };
        while let Some(next) = self.messages.next().await {
            let raw = next.map_err(|error| failed(error.to_string()))?;
            let position = raw.info().map_err(|error| failed(error.to_string()))?.stream_sequence.to_string();
            match serde_json::from_slice::<TeamMessage>(&raw.payload) {
                Ok(message) if message.check_limits().is_ok() && self.seen_ids.insert_new(&message.id) => {
                    return Ok(Delivery { message, position });
                }
                Ok(_) => {}
                Err(error) => tracing::warn!("{}: no message: {error}", raw.subject),
            }
        }
        Err(failed("the stream ended".into()))
    }
}
