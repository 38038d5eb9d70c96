//! What happens in a session, for members who watch it (FL-1). The transcript has the contents; events say what goes
//! on, and may be lost if a server was away for long. Their numbers show that.

use crate::record_reader::FleetReader;
use crate::streams::FleetStream;
use crate::{FleetError, FleetLink};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Some events of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionEvents {
    /// Number of the first one, from 0.
    pub from: u64,
    /// Each has `type` and `time`.
    pub events: Vec<Value>,
}

impl FleetLink {
    /// Stores events of a session.
    pub async fn publish_session_events(&self, session: &str, events: &SessionEvents) -> Result<(), FleetError> {
        let id = cutonce_agent::new_id();
        self.publish(FleetStream::Sessions, &event_subject(session), &id, events).await
    }

    /// Follows the events of a session, from the first one that the server has. Members that may not continue a
    /// session may not report about one either: the caller checks [`crate::session_log::may_report`].
    pub async fn follow_session_events(&self, session: &str) -> Result<FleetReader<'_, SessionEvents>, FleetError> {
        self.follow(FleetStream::Sessions, &event_subject(session), 1).await
    }
}

fn event_subject(session: &str) -> String {
    format!("{session}.events")
}
