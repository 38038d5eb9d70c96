//! A teammate in a process of its own without a terminal (`cutonce --team T --name N`): it listens to its mailbox until the
//! team is over. What it does is told in lines on standard error.

use crate::plain;
use crate::start::Started;
use cutonce_core::submission::Submission;
use tokio::signal::unix::{SignalKind, signal};

pub async fn run(started: Started) -> anyhow::Result<u8> {
    let Started { session, mut events, .. } = started;
    let (mut interrupt, mut end) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    loop {
        tokio::select! {
            biased;
            _ = interrupt.recv() => close(&session),
            _ = end.recv() => close(&session),
            event = events.next() => match event {
                Some(event) => plain::log(&event),
                None => return Ok(0),
            },
        }
    }
}

fn close(session: &cutonce_agent::Session) {
    session.submit(Submission::Interrupt);
    session.submit(Submission::Close);
}
