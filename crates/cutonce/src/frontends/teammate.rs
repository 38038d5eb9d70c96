//! A teammate in its own process without a terminal (`cutonce --team T --name N`). It reads its mailbox until
//! the team ends, and logs to stderr.

use crate::frontends::{end_guard, plain};
use crate::start::StartedSession;
use cutonce_core::exit_code;
use cutonce_core::protocol::submission::Submission;
use tokio::signal::unix::{SignalKind, signal};

pub async fn run(started: StartedSession) -> anyhow::Result<u8> {
    let StartedSession { session, mut events, .. } = started;
    let (mut interrupt, mut end) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    end_guard::watch(&[(libc::SIGINT, exit_code::INTERRUPTED), (libc::SIGTERM, exit_code::TERMINATED)])?;
    loop {
        tokio::select! {
            biased;
            _ = interrupt.recv() => close_session(&session),
            _ = end.recv() => close_session(&session),
            event = events.next() => match event {
                Some(event) => plain::log_event(&event),
                None => return Ok(exit_code::SUCCESS),
            },
        }
    }
}

fn close_session(session: &cutonce_agent::Session) {
    session.submit(Submission::Interrupt);
    session.submit(Submission::Close);
}
