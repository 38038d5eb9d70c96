//! Teams (TM-1, TM-2): who belongs to one, how teammates are started and found again, and what a session has in hand to talk
//! to the others. What messages mean is in `cutonce_core::mail`; what they do to a session is in `session/team.rs`.
//!
//! ```text
//! <home>/teams/<team>/team.json        who leads it, and its members
//! <home>/teams/<team>/keys/<member>    what the lead and that member share (0600)
//! <home>/teams/<team>/mail, values     mailboxes, where they are files
//! ```

mod join;
pub(crate) mod past;
mod process;
mod pump;
mod record;
mod relay;
mod seat;
mod template;
pub(crate) mod tools;

pub use join::{Join, JoinError};
pub use past::Past;
pub use record::{Member, Record, folder};
pub(crate) use relay::relay;
pub(crate) use seat::{Joined, Seat};
pub(crate) use template::Template;

use cutonce_core::mail::{Content, Message, MessageKind};

/// The requests that wait at this seat.
pub(crate) fn seat_desk(seat: &Seat) -> std::sync::MutexGuard<'_, cutonce_core::mail::Desk> {
    seat::lock(&seat.desk)
}

/// The asks of this seat's session that went to its lead.
pub(crate) fn seat_relayed(seat: &Seat) -> std::sync::MutexGuard<'_, cutonce_core::mail::Relayed> {
    seat::lock(&seat.relayed)
}

/// A message of the program, not sealed yet.
pub(crate) fn control(team: &str, from: &str, to: &str, id: String, content: Content) -> Option<Message> {
    Some(Message { kind: MessageKind::Control, ..words(team, from, to, id, content.text()?) })
}

pub(crate) fn words(team: &str, from: &str, to: &str, id: String, text: String) -> Message {
    Message {
        id,
        team: team.into(),
        from: from.into(),
        to: to.into(),
        text,
        timestamp: now(),
        kind: MessageKind::Words,
        seal: String::new(),
    }
}

pub(crate) fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}
