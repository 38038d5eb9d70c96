//! A session's socket for reviewers in other processes of the same user (RV-1, RV-3).
//!
//! `<home>/run/<session>.sock` exists from the session's first ask, or its first step of a plan, until its end. It has
//! mode 0600 in a folder with mode 0700, and refuses other users and what any session started. Commands in the
//! sandbox can't use unix sockets at all. One line of JSON is one message: [`SessionNews`] to the reviewer,
//! `SocketAnswer` to the session.

mod client;
mod page_address;
mod place;

pub use client::{LocalSessions, SessionUpdate};
pub use page_address::{AddressSocket, PageAddress, request_address};
pub(crate) use place::SocketPlace;

use crate::event_hub::{EventHub, HubStage};
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::protocol::event::{Event, EventKind};
use cutonce_core::protocol::review_request::{ReviewerMessage, SessionNews, WaitingRequest};
use cutonce_core::protocol::submission::{OnDone, Submission};
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::mpsc;

/// Limits of a line: a plan of 2 MB with its last version, and an answer with an edited plan.
const MAX_NEWS: u64 = 64 << 20;
const MAX_ANSWER: u64 = 16 << 20;
/// A reviewer that does not read for so long is left.
const WRITE_LIMIT: Duration = Duration::from_secs(10);

type Inbox = mpsc::WeakUnboundedSender<Submission>;

/// A reviewer's line to the session.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SocketAnswer {
    /// Repeated in the result.
    id: u64,
    by: Answerer,
    #[serde(flatten)]
    message: ReviewerMessage,
}

/// Offers the socket as soon as there is something to review. Until then, it costs a parked task.
pub(crate) fn offer(place: SocketPlace, hub: Arc<EventHub>, inbox: Inbox) {
    let mut stage = hub.stage();
    tokio::spawn(async move {
        let first = stage.wait_for(|stage| *stage != HubStage::Unremarkable).await.map(|stage| *stage);
        if !matches!(first, Ok(HubStage::Reviewable)) {
            return;
        }
        let listener = match place.listen() {
            Ok((listener, file)) => {
                hub.keep_until_closed(file);
                listener
            }
            Err(error) => return tracing::warn!("this session can't be reviewed from outside: {error}"),
        };
        let hello = SessionNews::Hello {
            session: place.session.to_string(),
            pid: std::process::id(),
            project: place.project.clone(),
        };
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) if place::is_trusted(&stream) => {
                        tokio::spawn(serve_reviewer(stream, hub.clone(), inbox.clone(), hello.clone()));
                    }
                    Ok(_) => tracing::warn!("refused a process that is not a reviewer of this user"),
                    // Out of descriptors, for example.
                    Err(error) => return tracing::warn!("no more reviewers: {error}"),
                },
                _ = stage.wait_for(|stage| *stage == HubStage::Closed) => return,
            }
        }
    });
}

async fn serve_reviewer(stream: UnixStream, hub: Arc<EventHub>, inbox: Inbox, hello: SessionNews) {
    let (read, mut write) = stream.into_split();
    let (replies, mut replied) = mpsc::unbounded_channel();
    let mut events = hub.subscribe();
    drop(hub);
    let told = async {
        send_line(&mut write, &hello).await?;
        loop {
            let news = tokio::select! {
                event = events.next() => match event {
                    Some(event) => news_of(&event),
                    None => return Ok(()),
                },
                Some(reply) = replied.recv() => Some(reply),
            };
            if let Some(news) = news {
                send_line(&mut write, &news).await?;
            }
        }
    };
    let heard = async {
        let mut lines = BufReader::new(read);
        while let Some(SocketAnswer { id, by, message }) = read_line(&mut lines, MAX_ANSWER).await? {
            let replies = replies.clone();
            let on_done = OnDone(Arc::new(move |taken: Result<(), String>| {
                let _ = replies.send(SessionNews::Taken { id, error: taken.err() });
            }));
            let Some(inbox) = inbox.upgrade() else { return Ok(()) };
            let _ = inbox.send(match message {
                ReviewerMessage::Answer(answer) => Submission::AnswerFrom { answer, by, on_done },
                ReviewerMessage::Rehearse { rehearse } => {
                    Submission::Rehearse { order: rehearse, on_done: Some(on_done) }
                }
            });
        }
        Ok(())
    };
    let ended: io::Result<()> = tokio::select! { ended = told => ended, ended = heard => ended };
    if let Err(error) = ended {
        tracing::debug!("a reviewer is gone: {error}");
    }
}

/// The news that a reviewer gets of an event.
fn news_of(event: &Event) -> Option<SessionNews> {
    Some(match &event.kind {
        EventKind::Ask(ask) => {
            SessionNews::Waiting(Box::new(WaitingRequest::new(ask, time_of_id(&ask.ask_id).unwrap_or(event.at))))
        }
        EventKind::AskClosed { ask_id, answer, by } => {
            SessionNews::Closed { ask_id: ask_id.clone(), by: by.clone(), answer: answer.clone() }
        }
        EventKind::Plan(event) if event.is_progress() => SessionNews::Plan { event: Box::new(event.clone()) },
        EventKind::TurnStarted => SessionNews::Working { working: true },
        EventKind::TurnEnded(_) => SessionNews::Working { working: false },
        _ => return None,
    })
}

/// Milliseconds since 1970 at which this id was made (UUIDv7).
fn time_of_id(id: &str) -> Option<u64> {
    let id = uuid::Uuid::try_parse(id).ok().filter(|id| id.get_version_num() == 7)?;
    let (seconds, nanos) = id.get_timestamp()?.to_unix();
    Some(seconds * 1_000 + u64::from(nanos) / 1_000_000)
}

async fn send_line(write: &mut OwnedWriteHalf, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    tokio::time::timeout(WRITE_LIMIT, write.write_all(&line)).await.map_err(|_| io::ErrorKind::TimedOut)?
}

/// Reads the next message; `None` at the end.
async fn read_line<T: for<'a> Deserialize<'a>>(
    lines: &mut (impl AsyncBufReadExt + Unpin),
    limit: u64,
) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    if lines.take(limit).read_until(b'\n', &mut line).await? == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the line is too long, or cut off"));
    }
    Ok(Some(serde_json::from_slice(&line)?))
}
