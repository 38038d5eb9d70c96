//! The `scripted` provider: a scenario server of its own, and the real client connected to it.

use super::{Script, Server};
use crate::endpoint::{Endpoint, connect};
use crate::retry::RetryPolicy;
use crate::{FaultKind, Model, ModelError, Signal};
use async_trait::async_trait;
use cutonce_core::conversation::{Response, Wire};
use cutonce_core::request::Request;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Plays a scenario to one session; the server lives as long as this.
pub struct Scripted {
    model: Arc<dyn Model>,
    server: Server,
}

impl Scripted {
    pub fn open(wire: Wire, path: &Path) -> Result<Self, ModelError> {
        let failed = |message| ModelError { message, status: None, kind: FaultKind::NotFound };
        let script = Script::read(path).map_err(failed)?;
        Self::play(wire, script)
    }

    pub fn play(wire: Wire, script: Script) -> Result<Self, ModelError> {
        let idle = Duration::from_millis(script.idle_ms.unwrap_or(60_000));
        let server = Server::start(script).map_err(|error| ModelError {
            message: format!("The scenario server did not start on loopback: {error}."),
            status: None,
            kind: FaultKind::Exhausted,
        })?;
        let mut endpoint = Endpoint::new("scripted", wire, server.base_url(wire), "scripted");
        endpoint.retry = RetryPolicy::instant(10);
        endpoint.idle = idle;
        Ok(Self { model: connect(endpoint)?, server })
    }

    pub fn server(&self) -> &Server {
        &self.server
    }
}

#[async_trait]
impl Model for Scripted {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn wire(&self) -> Wire {
        self.model.wire()
    }

    /// It ends with the first one, which holds the server.
    fn another(&self) -> Option<Arc<dyn Model>> {
        self.model.another()
    }

    async fn answer(
        &self,
        request: &Request<'_>,
        sink: &mut (dyn FnMut(Signal) + Send),
    ) -> Result<Response, ModelError> {
        self.model.answer(request, sink).await
    }
}
