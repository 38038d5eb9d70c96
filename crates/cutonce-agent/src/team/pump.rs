//! Carries messages from the mailbox to the session, and says to the mailbox how far the session is. It ends with the session.

use super::join::{Card, look_up};
use super::seat::Joined;
use crate::mailbox::Reader;
use cutonce_core::mail::{LEAD, LeadMode, MessageKind};
use cutonce_core::submission::{Submission, TeamNews};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, WeakUnboundedSender};
use tokio_util::sync::CancellationToken;

/// Before a mailbox that failed is tried again.
const PAUSE: Duration = Duration::from_secs(1);
/// Failures in a row after which a teammate takes its team for gone.
const PATIENCE: u32 = 5;

pub(super) async fn pump(
    joined: Arc<Joined>,
    session: WeakUnboundedSender<Submission>,
    mut done: UnboundedReceiver<String>,
    stop: CancellationToken,
) {
    let (mut reader, mut failures): (Option<Box<dyn Reader>>, u32) = (None, 0);
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
                Some(position) => { joined.tell_done(position, &mut done).await; continue }
                None => return,
            },
            came = next => came,
        };
        let Some(to) = session.upgrade() else { return };
        match came {
            Ok(delivery) => {
                failures = 0;
                let lead = joined.leads_mode(delivery.message.kind).await;
                let (message, position) = (Box::new(delivery.message), delivery.position);
                let _ = to.send(Submission::Team(TeamNews::Mail { message, position, lead }));
            }
            Err(error) => {
                (reader, failures) = (None, failures + 1);
                if failures == 1 {
                    let _ = to.send(Submission::Team(TeamNews::Trouble { text: error.to_string() }));
                }
                if failures >= PATIENCE && joined.me != LEAD {
                    let text = "The team's mailbox is gone; this teammate ends.".to_string();
                    let _ = to.send(Submission::Team(TeamNews::Trouble { text }));
                    let _ = to.send(Submission::Close);
                    return;
                }
                drop(to);
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

impl Joined {
    /// Of several positions only the last is worth writing.
    async fn tell_done(&self, mut position: String, more: &mut UnboundedReceiver<String>) {
        while let Ok(later) = more.try_recv() {
            position = later;
        }
        if let Err(error) = self.mailbox.done(&self.me, &position).await {
            // It comes again after a restart, and is known then.
            tracing::warn!("{error}");
        }
    }

    /// An order of the lead counts with what the lead may do now (PM-132).
    async fn leads_mode(&self, kind: MessageKind) -> Option<LeadMode> {
        match (&self.member, kind) {
            (Some(_), MessageKind::Control) => self.lead_mode().await.ok(),
            (Some(_), MessageKind::Words | MessageKind::PlanningWords) | (None, _) => None,
        }
    }

    /// Who else is in the team, as the lead published it last: members may have come since this one joined.
    pub async fn others(&self) -> Vec<String> {
        let Some(key) = self.key(&self.me) else { return self.others.clone() };
        let card: Result<Card, _> = look_up(&*self.mailbox, &key, &self.team, "member", &self.me).await;
        card.map_or_else(|_| self.others.clone(), |card| card.others)
    }

    /// What the lead published of its modes; the error says why nobody knows.
    pub(crate) async fn lead_mode(&self) -> Result<LeadMode, String> {
        let Some(key) = self.key(&self.me) else { return Err("this is no teammate".into()) };
        look_up(&*self.mailbox, &key, &self.team, "lead", &self.me).await.map_err(|error| error.to_string())
    }
}
