//! The wire formats: how a request is encoded and how the events of an answer are decoded.

pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod responses;
