//! Mailboxes on a NATS server with JetStream, for teammates on other machines (TM-1). The same promises as the files: a message
//! is stored when the server says so, its id makes repeating it harmless, a reader goes on after the last position it was done
//! with. Positions and values are in a second stream that keeps the last message of each subject.

use super::window::Window;
use super::{Delivery, MailError, Mailbox, Reader, shown};
use async_nats::jetstream::consumer::{DeliverPolicy, pull};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, LastRawMessageErrorKind, StorageType, Stream};
use async_nats::jetstream::{self, Context};
use async_trait::async_trait;
use cutonce_core::mail::{Message, valid_name};
use futures_util::StreamExt;
use std::time::Duration;

/// What all boxes of a team may hold; sending fails beyond it, nothing is dropped.
const MOST_BYTES: i64 = 256 << 20;
/// How long the server knows an id.
const KNOWN: Duration = Duration::from_secs(120);
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct Nats {
    url: String,
    team: String,
    context: Context,
    mail: Stream,
    values: Stream,
}

/// Two that open a team's mailboxes at the same moment both find no stream, and the server lets one make it: the other then
/// takes that one.
async fn stream(context: &Context, config: Config) -> Result<Stream, String> {
    let name = config.name.clone();
    match context.get_or_create_stream(config).await {
        Ok(stream) => Ok(stream),
        Err(error) => context.get_stream(name).await.map_err(|_| error.to_string()),
    }
}

impl Nats {
    pub async fn connect(url: &str, team: &str) -> Result<Nats, MailError> {
        let unreachable = |error: &dyn std::fmt::Display| MailError::Server { url: shown(url), why: error.to_string() };
        if !valid_name(team) {
            return Err(MailError::Refused(format!("{team:?} can't be the name of a team")));
        }
        let options = async_nats::ConnectOptions::new().name("cutonce").connection_timeout(PATIENCE);
        let client = options.connect(url).await.map_err(|error| unreachable(&error))?;
        let context = jetstream::new(client);
        let mail = Config {
            name: format!("CUTONCE_{team}_MAIL"),
            subjects: vec![format!("cutonce.{team}.mail.*")],
            storage: StorageType::File,
            discard: DiscardPolicy::New,
            max_bytes: MOST_BYTES,
            duplicate_window: KNOWN,
            ..Config::default()
        };
        let values = Config {
            name: format!("CUTONCE_{team}_VALUES"),
            subjects: vec![format!("cutonce.{team}.done.*"), format!("cutonce.{team}.value.>")],
            storage: StorageType::File,
            max_messages_per_subject: 1,
            ..Config::default()
        };
        let mail = stream(&context, mail).await.map_err(|why| unreachable(&why))?;
        let values = stream(&context, values).await.map_err(|why| unreachable(&why))?;
        Ok(Nats { url: url.to_string(), team: team.to_string(), context, mail, values })
    }

    fn server(&self, error: &dyn std::fmt::Display) -> MailError {
        MailError::Server { url: shown(&self.url), why: error.to_string() }
    }

    fn subject(&self, what: &str, name: &str) -> Result<String, MailError> {
        if !name.split('.').all(valid_name) {
            return Err(MailError::Refused(format!("{name:?} can't be a name in a team")));
        }
        Ok(format!("cutonce.{}.{what}.{name}", self.team))
    }

    /// Returns when the server has stored it.
    async fn put(&self, subject: String, message: PublishMessage) -> Result<(), MailError> {
        let sent = self.context.send_publish(subject, message).await.map_err(|error| self.server(&error))?;
        sent.await.map(|_| ()).map_err(|error| self.server(&error))
    }

    async fn last(&self, subject: &str) -> Result<Option<String>, MailError> {
        match self.values.get_last_raw_message_by_subject(subject).await {
            Ok(message) => Ok(Some(String::from_utf8_lossy(&message.payload).into_owned())),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(self.server(&error)),
        }
    }
}

#[async_trait]
impl Mailbox for Nats {
    async fn send(&self, message: &Message) -> Result<(), MailError> {
        message.check().map_err(MailError::Refused)?;
        let subject = self.subject("mail", &message.to)?;
        let body = serde_json::to_vec(message).map_err(|error| MailError::Refused(error.to_string()))?;
        self.put(subject, PublishMessage::build().payload(body.into()).message_id(&message.id)).await
    }

    async fn read(&self, name: &str) -> Result<Box<dyn Reader>, MailError> {
        let done = self.last(&self.subject("done", name)?).await?.and_then(|text| text.parse::<u64>().ok());
        let deliver_policy = match done {
            Some(done) => DeliverPolicy::ByStartSequence { start_sequence: done + 1 },
            None => DeliverPolicy::All,
        };
        let filter_subject = self.subject("mail", name)?;
        let config = pull::OrderedConfig { filter_subject, deliver_policy, ..pull::OrderedConfig::default() };
        let consumer = self.mail.create_consumer(config).await.map_err(|error| self.server(&error))?;
        let messages = consumer.messages().await.map_err(|error| self.server(&error))?;
        Ok(Box::new(BoxReader { url: self.url.clone(), messages, had: Window::default() }))
    }

    async fn done(&self, name: &str, position: &str) -> Result<(), MailError> {
        let position: u64 = position.parse().map_err(|_| MailError::Refused(format!("no position: {position:?}")))?;
        let message = PublishMessage::build().payload(position.to_string().into());
        self.put(self.subject("done", name)?, message).await?;
        // What was read makes room; where that fails it only lies there longer.
        let read = self.mail.purge().filter(self.subject("mail", name)?).sequence(position.saturating_add(1)).await;
        read.map(|_| ()).unwrap_or_else(|error| tracing::warn!("{error}"));
        Ok(())
    }

    async fn publish(&self, key: &str, value: &str) -> Result<(), MailError> {
        self.put(self.subject("value", key)?, PublishMessage::build().payload(value.to_string().into())).await
    }

    async fn published(&self, key: &str) -> Result<Option<String>, MailError> {
        self.last(&self.subject("value", key)?).await
    }

    async fn remove(&self) -> Result<(), MailError> {
        for stream in ["MAIL", "VALUES"] {
            let name = format!("CUTONCE_{}_{stream}", self.team);
            self.context.delete_stream(name).await.map_err(|error| self.server(&error))?;
        }
        Ok(())
    }
}

struct BoxReader {
    url: String,
    messages: pull::Ordered,
    had: Window,
}

#[async_trait]
impl Reader for BoxReader {
    async fn next(&mut self) -> Result<Delivery, MailError> {
        let failed = |why: String| MailError::Server { url: shown(&self.url), why };
        while let Some(next) = self.messages.next().await {
            let raw = next.map_err(|error| failed(error.to_string()))?;
            let position = raw.info().map_err(|error| failed(error.to_string()))?.stream_sequence.to_string();
            match serde_json::from_slice::<Message>(&raw.payload) {
                Ok(message) if message.check().is_ok() && self.had.is_new(&message.id) => {
                    return Ok(Delivery { message, position });
                }
                Ok(_) => {}
                Err(error) => tracing::warn!("{}: no message: {error}", raw.subject),
            }
        }
        Err(failed("the stream ended".into()))
    }
}
