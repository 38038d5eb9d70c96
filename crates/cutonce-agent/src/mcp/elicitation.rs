//! Questions of servers to the user during a call (DU-10), on their way to the session and back. A server can't flood
//! the user: the number of open questions, and of questions for one request of ours, is limited.
#![cfg_attr(not(feature = "mcp"), allow(dead_code, reason = "only the MCP client asks"))]

use cutonce_core::elicitation::{ElicitationForm, FormError};
use cutonce_core::sync::LockUnpoisoned;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// How many questions of one server may wait at once.
const MAX_OPEN: usize = 3;

/// A question of a server that waits for its answer. Dropping `reply` cancels it.
pub(crate) struct ElicitationRequest {
    pub id: String,
    /// The server's name.
    pub server: String,
    pub form: ElicitationForm,
    pub reply: oneshot::Sender<ElicitationReply>,
}

/// The answer to a server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ElicitationReply {
    Accept(Map<String, Value>),
    Decline,
    Cancel,
}

/// What the session learns.
pub(crate) enum ElicitationNews {
    Asked(Box<ElicitationRequest>),
    /// A question was declined without the user, with the reason.
    Declined {
        server: String,
        why: String,
    },
    /// The server does not wait for the answer any more.
    Withdrawn {
        id: String,
    },
}

type NewsSink = Box<dyn Fn(ElicitationNews) + Send + Sync>;

/// Brings questions of servers to the session. Subagents' servers share it, so that the user's session asks.
#[derive(Default)]
pub(crate) struct ElicitationPort {
    sink: OnceLock<NewsSink>,
    open: Mutex<HashMap<String, usize>>,
}

impl ElicitationPort {
    /// Sets the receiver; later calls have no effect.
    pub fn connect(&self, sink: impl Fn(ElicitationNews) + Send + Sync + 'static) {
        let _ = self.sink.set(Box::new(sink));
    }

    /// Asks the user. The error says why the form can't be shown.
    pub async fn ask(
        &self,
        server: &str,
        params: &Value,
        is_flood: bool,
        gone: CancellationToken,
    ) -> Result<ElicitationReply, FormError> {
        let Some(sink) = self.sink.get() else { return Ok(ElicitationReply::Decline) };
        let declined = |why: &str| sink(ElicitationNews::Declined { server: server.into(), why: why.into() });
        let form = ElicitationForm::parse(server, params).map_err(|error| {
            declined(&format!("its form can't be shown: {error}"));
            error
        })?;
        let Some(_slot) = (if is_flood { None } else { self.take_slot(server) }) else {
            declined("it asks too many questions");
            return Ok(ElicitationReply::Decline);
        };
        let (reply, mut answer) = oneshot::channel();
        let id = crate::new_id();
        sink(ElicitationNews::Asked(Box::new(ElicitationRequest {
            id: id.clone(),
            server: server.into(),
            form,
            reply,
        })));
        tokio::select! {
            answer = &mut answer => Ok(answer.unwrap_or(ElicitationReply::Cancel)),
            () = gone.cancelled() => {
                sink(ElicitationNews::Withdrawn { id });
                Ok(ElicitationReply::Cancel)
            }
        }
    }

    fn take_slot(&self, server: &str) -> Option<OpenSlot<'_>> {
        let mut open = self.open.lock_unpoisoned();
        let count = open.entry(server.to_string()).or_default();
        (*count < MAX_OPEN).then(|| {
            *count += 1;
            OpenSlot { port: self, server: server.to_string() }
        })
    }
}

/// Counts an open question; ends with it, also if the connection drops.
struct OpenSlot<'a> {
    port: &'a ElicitationPort,
    server: String,
}

impl Drop for OpenSlot<'_> {
    fn drop(&mut self) {
        if let Some(count) = self.port.open.lock_unpoisoned().get_mut(&self.server) {
            *count = count.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::sync::Arc;
    use tokio::sync::mpsc;

    #[tokio::test]
    async fn du_10_floods_of_questions_are_declined() {
        let (sender, mut news) = mpsc::unbounded_channel();
        let port = Arc::new(ElicitationPort::default());
        let params = json!({"message": "m", "requestedSchema": {"type": "object", "properties": {}}});
        assert_eq!(port.ask("s", &params, false, CancellationToken::new()).await, Ok(ElicitationReply::Decline));
        port.connect(move |one| drop(sender.send(one)));
        let gone = CancellationToken::new();
        let ask = |server: &'static str, is_flood| {
            let (port, params, gone) = (port.clone(), params.clone(), gone.clone());
            tokio::spawn(async move { port.ask(server, &params, is_flood, gone).await })
        };
        let waiting: Vec<_> = (0..MAX_OPEN).map(|_| ask("s", false)).collect();
        let mut open = Vec::new();
        for _ in 0..MAX_OPEN {
            let Some(ElicitationNews::Asked(request)) = news.recv().await else { panic!("not asked") };
            open.push(request);
        }
        assert_eq!(ask("s", false).await.unwrap(), Ok(ElicitationReply::Decline), "one too many");
        assert!(matches!(news.recv().await, Some(ElicitationNews::Declined { .. })));
        assert_eq!(ask("t", true).await.unwrap(), Ok(ElicitationReply::Decline), "too many for one request");
        drop(open.pop());
        gone.cancel();
        for one in waiting {
            assert_eq!(one.await.unwrap(), Ok(ElicitationReply::Cancel));
        }
        assert!(port.open.lock().unwrap().values().all(|count| *count == 0));
    }
}
