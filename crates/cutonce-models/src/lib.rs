//! Talks to models: one trait, three wire formats, errors and retries, and the scripted model that plays a scenario.
//!
//! This crate knows requests and responses. It does not know tools, permissions, the user's files or sessions.

mod http;
pub mod providers;
pub mod scripted;
mod wire;

/// Builds the HTTP client for a base URL, with the TLS setup of the whole program and without redirects.
pub use http::client::{build_http_client as http_client, root_cause};
pub use http::error::name_web_page;
pub use http::retry::RetryPolicy;
pub use providers::endpoint::{Endpoint, connect};
pub use providers::{CustomProvider, ResolvedModel, resolve};

use async_trait::async_trait;
use cutonce_core::conversation::{ModelResponse, TokenUsage, WireFormat};
use cutonce_core::model_request::ModelRequest;
use cutonce_core::protocol::event::AnswerDelta;
use std::sync::Arc;

/// A model that answers requests. One value serves one session and may cache what it encoded (AG-7).
#[async_trait]
pub trait Model: Send + Sync {
    /// Model name as the provider knows it.
    fn name(&self) -> &str;
    fn wire(&self) -> WireFormat;
    /// Returns a separate value for another session over the same connections; `None` if the caller must reconnect.
    fn for_other_session(&self) -> Option<Arc<dyn Model>> {
        None
    }
    /// Streams one answer. Dropping the future cancels the request (AG-4). Retries happen inside and are reported
    /// through `sink`. An error is final.
    async fn answer(
        &self,
        request: &ModelRequest<'_>,
        sink: &mut (dyn FnMut(ModelSignal) + Send),
    ) -> Result<ModelResponse, ModelError>;
}

/// Progress of a running request.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelSignal {
    Delta(AnswerDelta),
    /// Usage of this attempt so far; an interrupted or failed attempt counts it too (DU-3).
    Usage(TokenUsage),
    /// The provider at this address has said nothing for so long.
    Waiting {
        host: String,
        seconds: u64,
    },
    /// The attempt failed and another one follows; discard all deltas so far.
    Retry {
        attempt: u32,
        max: u32,
        delay_ms: u64,
        status: Option<u16>,
        reason: String,
    },
}

/// Explains why no answer came (MO-3). The display text tells the user what happened, why and what to do, without keys.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub message: String,
    pub status: Option<u16>,
    pub kind: FaultKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// 400: the request was refused; a retry would not help.
    Refused,
    /// The conversation does not fit the model's context window: compact and retry (AG-8).
    TooLong,
    /// 401, 403, or no key.
    Key,
    /// 404: no such model or address.
    NotFound,
    /// All retries failed: status, connection, interrupted or idle stream, malformed event.
    Exhausted,
}
