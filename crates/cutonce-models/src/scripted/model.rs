//! The `scripted` provider: its own scenario server with the real client connected to it.

use super::{LoopbackServer, ScenarioScript};
use crate::http::retry::RetryPolicy;
use crate::providers::endpoint::{Endpoint, connect};
use crate::{FaultKind, Model, ModelError, ModelSignal};
use async_trait::async_trait;
use cutonce_core::conversation::{ModelResponse, WireFormat};
use cutonce_core::model_request::ModelRequest;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Plays a scenario to one session; owns the server.
pub struct ScriptedModel {
    model: Arc<dyn Model>,
    server: LoopbackServer,
}

impl ScriptedModel {
    pub fn open(wire: WireFormat, path: &Path) -> Result<Self, ModelError> {
        let failed = |message| ModelError { message, status: None, kind: FaultKind::NotFound };
        let script = ScenarioScript::read(path).map_err(failed)?;
        Self::play(wire, script)
    }

    pub fn play(wire: WireFormat, script: ScenarioScript) -> Result<Self, ModelError> {
        let idle = Duration::from_millis(script.idle_ms.unwrap_or(60_000));
        let server = LoopbackServer::start(script).map_err(|error| ModelError {
            message: format!("The scenario server did not start on loopback: {error}."),
            status: None,
            kind: FaultKind::Exhausted,
        })?;
        let mut endpoint = Endpoint::new("scripted", wire, server.base_url(wire), "scripted");
        endpoint.retry = RetryPolicy::instant(10);
        endpoint.idle_timeout = idle;
        Ok(Self { model: connect(endpoint)?, server })
    }

    pub fn server(&self) -> &LoopbackServer {
        &self.server
    }
}

#[async_trait]
impl Model for ScriptedModel {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn wire(&self) -> WireFormat {
        self.model.wire()
    }

    /// None: the server ends with the first value, which owns it.
    fn for_other_session(&self) -> Option<Arc<dyn Model>> {
        self.model.for_other_session()
    }

    async fn answer(
        &self,
        request: &ModelRequest<'_>,
        sink: &mut (dyn FnMut(ModelSignal) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.model.answer(request, sink).await
    }
}
