//! Forwards messages from the mailbox to the session, and the session's read position to the mailbox. Ends with the
//! session.

use super::handle::Membership;
use super::join::{TeammateConfig, look_up_signed};
use crate::team::mailbox::MailboxReader;
use cutonce_core::protocol::submission::{Submission, TeamUpdate};
use cutonce_core::team::{LEAD_NAME, LeadMode, MessageKind};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, WeakUnboundedSender};
use tokio_util::sync::CancellationToken;

/// Delay before a failed mailbox is retried.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Consecutive failures after which a teammate assumes that its team is gone.
const MAX_FAILURES: u32 = 5;

pub(super) async fn forward_messages(
    joined: Arc<Membership>,
    session: WeakUnboundedSender<Submission>,
    mut done: UnboundedReceiver<String>,
    stop: CancellationToken,
) {
    let (mut reader, mut failures): (Option<Box<dyn MailboxReader>>, u32) = (None, 0);
    loop {
        let next = async {
            if reader.is_none() {
                reader = Some(joined.mailbox.read(&joined.me).await?);
            }
            match &mut reader {
                Some(reader) => reader.next().await,
                None => std::future::pending().await,
            }
        };
        let came = tokio::select! {
            () = stop.cancelled() => return,
            position = done.recv() => match position {
                Some(position) => { joined.save_position(position, &mut done).await; continue }
                None => return,
            },
            came = next => came,
        };
        let Some(to) = session.upgrade() else { return };
        match came {
            Ok(delivery) => {
                failures = 0;
                let lead = joined.mode_for_message(delivery.message.kind).await;
                let (message, position) = (Box::new(delivery.message), delivery.position);
                let _ = to.send(Submission::Team(TeamUpdate::Mail { message, position, lead }));
            }
            Err(error) => {
                (reader, failures) = (None, failures + 1);
                if failures == 1 {
                    let _ = to.send(Submission::Team(TeamUpdate::Problem { text: error.to_string() }));
                }
                if failures >= MAX_FAILURES && joined.me != LEAD_NAME {
                    let text = "The team's mailbox is unavailable; this teammate is shutting down.".to_string();
                    let _ = to.send(Submission::Team(TeamUpdate::Problem { text }));
                    let _ = to.send(Submission::Close);
                    return;
                }
                drop(to);
                tokio::time::sleep(RETRY_DELAY).await;
            }
        }
    }
}

impl Membership {
    /// Writes the latest of several positions.
    async fn save_position(&self, mut position: String, more: &mut UnboundedReceiver<String>) {
        while let Ok(later) = more.try_recv() {
            position = later;
        }
        if let Err(error) = self.mailbox.mark_done(&self.me, &position).await {
            // The message is delivered again after a restart and recognized as a duplicate.
            tracing::warn!("{error}");
        }
    }

    /// Reads the lead's current mode, which limits what a control message may do (PM-132).
    async fn mode_for_message(&self, kind: MessageKind) -> Option<LeadMode> {
        match (&self.member, kind) {
            (Some(_), MessageKind::Control) => self.lead_mode().await.ok(),
            (Some(_), MessageKind::Words | MessageKind::PlanningWords) | (None, _) => None,
        }
    }

    /// The other members, as last published by the lead: some may have joined later.
    pub async fn other_members(&self) -> Vec<String> {
        let Some(key) = self.member_key(&self.me) else { return self.others.clone() };
        let card: Result<TeammateConfig, _> =
            look_up_signed(&*self.mailbox, &key, &self.team, "member", &self.me).await;
        card.map_or_else(|_| self.others.clone(), |card| card.others)
    }

    /// The lead's published mode, or why it is unknown.
    pub(crate) async fn lead_mode(&self) -> Result<LeadMode, String> {
        let Some(key) = self.member_key(&self.me) else { return Err("this session is not a teammate".into()) };
        look_up_signed(&*self.mailbox, &key, &self.team, "lead", &self.me).await.map_err(|error| error.to_string())
    }
}
