//! Talking to models: one trait, three wire formats, faults and retries, and the scripted model that plays a scenario.
//!
//! Knows requests and responses; never tools, permissions, files of the user or what a session is.

mod anthropic;
mod body;
mod chat;
mod client;
mod decode;
mod encode;
mod endpoint;
mod fault;
pub mod provider;
mod responses;
mod retry;
pub mod scenario;
mod sse;

/// The HTTP client for a base URL, with the TLS that all of the program uses; no redirects.
pub use client::build as http_client;
pub use endpoint::{Endpoint, connect};
pub use provider::{Choice, CustomProvider, resolve};
pub use retry::RetryPolicy;

use async_trait::async_trait;
use cutonce_core::conversation::{Response, Wire};
use cutonce_core::event::Delta;
use cutonce_core::request::Request;
use std::sync::Arc;

/// A model that answers requests. One value serves one session; it may cache what it encoded (AG-7).
#[async_trait]
pub trait Model: Send + Sync {
    /// The name as the provider knows it.
    fn name(&self) -> &str;
    fn wire(&self) -> Wire;
    /// A value of its own for another session, over the same connections. None: connect anew.
    fn another(&self) -> Option<Arc<dyn Model>> {
        None
    }
    /// Stream one answer. Dropping the future ends the request at once (AG-4). Retries happen inside;
    /// each is told through `sink`. An error is final.
    async fn answer(
        &self,
        request: &Request<'_>,
        sink: &mut (dyn FnMut(Signal) + Send),
    ) -> Result<Response, ModelError>;
}

/// What a running request tells.
#[derive(Debug, Clone, PartialEq)]
pub enum Signal {
    Delta(Delta),
    /// The attempt failed and another one follows; all deltas so far are void.
    Retry {
        attempt: u32,
        max: u32,
        delay_ms: u64,
        status: Option<u16>,
        reason: String,
    },
}

/// Why no answer came (MO-3). The display text is what the user reads: what, why, what to do. Never holds a key.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub message: String,
    pub status: Option<u16>,
    pub kind: FaultKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// 400: the request was refused; sending it again would not help.
    Refused,
    /// The conversation does not fit the model's window: compact and try again (AG-8).
    TooLong,
    /// 401, 403, or no key.
    Key,
    /// 404: no such model or address.
    NotFound,
    /// Retries were used up: status, connection, cut or idle stream, malformed event.
    Exhausted,
}
