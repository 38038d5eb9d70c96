//! A request body made of shared pieces: what was encoded once is sent again without a copy.

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// A request body; cheap to clone, so a retry sends the same pieces.
#[derive(Clone)]
pub(crate) struct RequestBody {
    parts: Arc<[Bytes]>,
    next: usize,
    left: u64,
}

impl RequestBody {
    pub fn new(parts: Vec<Bytes>) -> Self {
        let left = parts.iter().map(|part| part.len() as u64).sum();
        Self { parts: parts.into(), next: 0, left }
    }

    #[cfg(test)]
    pub fn concat(&self) -> Vec<u8> {
        self.parts.concat()
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(part) = self.parts.get(self.next).cloned() else { return Poll::Ready(None) };
        self.next += 1;
        self.left -= part.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.next == self.parts.len()
    }

    /// Exact, so that the request has a content-length.
    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
