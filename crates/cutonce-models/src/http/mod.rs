//! The HTTP side of a request: client, body, server-sent events, errors and retries.

pub(crate) mod body;
pub(crate) mod client;
pub(crate) mod error;
pub(crate) mod retry;
pub(crate) mod sse;
