//! Limits how much a server may send, to protect memory and time. Also records why a connection ended.

use super::line_repair;
use cutonce_core::sync::LockUnpoisoned;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

/// Maximum size of one message.
pub(super) const MAX_MESSAGE: u64 = 16 << 20;
/// Maximum size of all messages since our last request.
const MAX_BYTES: u64 = 64 << 20;
const MAX_MESSAGES: u64 = 50_000;
/// Maximum number of questions to the user since our last request.
const MAX_QUESTIONS: u64 = 10;
/// Read buffer size.
const CHUNK: usize = 16 << 10;
/// A connection closes shortly before its process exits, so wait this long for the exit reason.
const EXIT_REASON_WAIT: Duration = Duration::from_millis(300);

#[derive(Debug, Default)]
pub(super) struct TrafficMeter {
    bytes: AtomicU64,
    messages: AtomicU64,
    questions: AtomicU64,
    why: Mutex<Option<String>>,
    needs_auth: AtomicBool,
    /// Cancelled when the process has ended.
    pub ended: CancellationToken,
    /// Cancel to kill the process.
    pub kill: CancellationToken,
}

impl TrafficMeter {
    /// Resets the counters, because we sent a request.
    pub fn reset(&self) {
        self.bytes.store(0, Ordering::Relaxed);
        self.messages.store(0, Ordering::Relaxed);
        self.questions.store(0, Ordering::Relaxed);
    }

    /// Counts a question to the user; true if there were too many since our last request.
    pub fn add_question(&self) -> bool {
        self.questions.fetch_add(1, Ordering::Relaxed) >= MAX_QUESTIONS
    }

    /// Counts received data; fails if it exceeds the limits.
    pub fn add(&self, bytes: u64, messages: u64) -> io::Result<()> {
        let bytes = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let messages = self.messages.fetch_add(messages, Ordering::Relaxed) + messages;
        if bytes > MAX_BYTES || messages > MAX_MESSAGES {
            return Err(self.stop(&format!(
                "it sent more than {} MB or {MAX_MESSAGES} messages for one request and was stopped",
                MAX_BYTES >> 20
            )));
        }
        Ok(())
    }

    pub fn stop(&self, why: &str) -> io::Error {
        self.record_reason(why);
        self.kill.cancel();
        io::Error::other(why.to_string())
    }

    /// Records why the connection ended; the first reason wins.
    pub fn record_reason(&self, why: &str) {
        self.why.lock_unpoisoned().get_or_insert_with(|| why.to_string());
    }

    pub fn reason(&self) -> String {
        let why = self.why.lock_unpoisoned().clone();
        why.unwrap_or_else(|| "the connection is closed".into())
    }

    /// Returns why the connection ended, after a short wait for the reason.
    pub async fn end_reason(&self) -> String {
        let _ = tokio::time::timeout(EXIT_REASON_WAIT, self.ended.cancelled()).await;
        self.reason()
    }

    pub(crate) fn set_needs_auth(&self) {
        self.needs_auth.store(true, Ordering::Relaxed);
    }
    pub(crate) fn needs_auth(&self) -> bool {
        self.needs_auth.load(Ordering::Relaxed)
    }
}

/// A server's output, measured and passed on line by line.
pub(super) struct MeteredLines<R> {
    inner: R,
    meter: Arc<TrafficMeter>,
    /// The incomplete last line.
    line: Vec<u8>,
    /// Complete lines, and how much of them was read.
    ready: Vec<u8>,
    read: usize,
}

impl<R> MeteredLines<R> {
    pub fn new(inner: R, meter: Arc<TrafficMeter>) -> Self {
        Self { inner, meter, line: Vec::new(), ready: Vec::new(), read: 0 }
    }

    fn push_bytes(&mut self, new: &[u8]) -> io::Result<()> {
        for piece in new.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if self.line.len() as u64 > MAX_MESSAGE {
                let why = format!("it sent a message of more than {} MB and was stopped", MAX_MESSAGE >> 20);
                return Err(self.meter.stop(&why));
            }
            if piece.ends_with(b"\n") {
                self.ready.append(&mut line_repair::repair_line(std::mem::take(&mut self.line)));
            }
        }
        self.meter.add(new.len() as u64, memchr::memchr_iter(b'\n', new).count() as u64)
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for MeteredLines<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        while self.read == self.ready.len() {
            let mut chunk = [0; CHUNK];
            let mut new = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut self.inner).poll_read(cx, &mut new))?;
            (self.read, self.ready) = (0, Vec::new());
            match new.filled() {
                // Output without a final newline is passed on unchanged.
                [] if self.line.is_empty() => return Poll::Ready(Ok(())),
                [] => self.ready = std::mem::take(&mut self.line),
                new => self.push_bytes(new)?,
            }
        }
        let next = self.ready.get(self.read..).unwrap_or_default();
        let taken = next.len().min(buf.remaining());
        buf.put_slice(&next[..taken]);
        self.read += taken;
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    async fn drained(bytes: Vec<u8>) -> (Result<usize, String>, Arc<TrafficMeter>) {
        let meter = Arc::new(TrafficMeter::default());
        let mut reader = MeteredLines::new(&bytes[..], meter.clone());
        let mut chunk = vec![0; 1 << 20];
        let mut all = 0;
        loop {
            match reader.read(&mut chunk).await {
                Ok(0) => return (Ok(all), meter),
                Ok(n) => all += n,
                Err(error) => return (Err(error.to_string()), meter),
            }
        }
    }

    #[tokio::test]
    async fn ho_6_flooding_server_is_stopped() {
        let cases = [
            (b"{}\n".repeat(1_000), None),
            (vec![b'x'; (MAX_MESSAGE + 1) as usize], Some("a message of more than 16 MB")),
            ([vec![b'x'; 1 << 20], b"\n".to_vec()].concat().repeat(65), Some("more than 64 MB")),
            (b"\n".repeat(50_001), Some("50000 messages")),
        ];
        for (bytes, expected) in cases {
            let length = bytes.len();
            let (read, meter) = drained(bytes).await;
            match expected {
                None => assert_eq!((read, meter.kill.is_cancelled()), (Ok(length), false)),
                Some(words) => assert!(read.unwrap_err().contains(words) && meter.kill.is_cancelled(), "{words}"),
            }
        }
    }

    #[test]
    fn ho_6_requested_data_is_no_flood() {
        let meter = TrafficMeter::default();
        for _ in 0..20 {
            meter.reset();
            assert!(meter.add(60 << 20, 1).is_ok());
        }
        assert!(meter.add(60 << 20, 1).is_err());
    }
}
