//! Teams (TM-1, TM-2): membership, starting and restarting teammates, and the handle a session uses to talk to its
//! team. `cutonce_core::team` defines what messages mean; `session/team.rs` applies them.
//!
//! ```text
//! <home>/teams/<team>/team.json        the team's lead and members
//! <home>/teams/<team>/keys/<member>    key shared by the lead and that member (0600)
//! <home>/teams/<team>/mail, values     mailboxes, if they are files
//! ```

pub(crate) mod approval_history;
mod approvals;
mod ask_relay;
mod error;
mod handle;
mod join;
pub mod mailbox;
mod message_forwarding;
mod record;
mod teammate_process;
mod teammate_template;
pub(crate) mod tools;

pub use approval_history::TeamHistory;
pub(crate) use approvals::ApprovalInput;
pub(crate) use ask_relay::relay_asks;
pub use error::TeamError;
pub(crate) use handle::{Membership, TeamHandle};
pub use join::{JoinError, TeamJoin};
pub use record::{Member, TeamRecord, team_folder};
pub(crate) use teammate_template::TeammateTemplate;

use cutonce_core::team::{MessageKind, TeamMessage};

/// Builds a message, not sealed yet.
pub(crate) fn text_message(team: &str, from: &str, to: &str, id: String, text: String) -> TeamMessage {
    TeamMessage {
        id,
        team: team.into(),
        from: from.into(),
        to: to.into(),
        text,
        timestamp: crate::timestamp(),
        kind: MessageKind::Words,
        seal: String::new(),
    }
}
