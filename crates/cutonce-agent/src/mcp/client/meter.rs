//! How much a server sends: one that sends more than anybody asked for is stopped, so that it takes neither our memory nor
//! our time. Also where it is written down why a connection ended.

use super::lines;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

/// Of one message.
pub(super) const LONGEST: u64 = 16 << 20;
/// Of all messages since we last asked for something.
const MOST_BYTES: u64 = 64 << 20;
const MOST_MESSAGES: u64 = 50_000;
/// Read at once.
const CHUNK: usize = 16 << 10;
/// A connection breaks a moment before its process is known to be gone.
const SOON: Duration = Duration::from_millis(300);

#[derive(Debug, Default)]
pub(super) struct Meter {
    bytes: AtomicU64,
    messages: AtomicU64,
    why: Mutex<Option<String>>,
    needs_auth: AtomicBool,
    /// It is over.
    pub ended: CancellationToken,
    /// It must end.
    pub kill: CancellationToken,
}

impl Meter {
    /// We ask for something: the server may speak again.
    pub fn asked(&self) {
        self.bytes.store(0, Ordering::Relaxed);
        self.messages.store(0, Ordering::Relaxed);
    }

    /// Count what came; an error when it is too much.
    pub fn count(&self, bytes: u64, messages: u64) -> io::Result<()> {
        let bytes = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let messages = self.messages.fetch_add(messages, Ordering::Relaxed) + messages;
        if bytes > MOST_BYTES || messages > MOST_MESSAGES {
            return Err(self.stop(&format!(
                "it sent more than {} MB or {MOST_MESSAGES} messages for one request and was stopped",
                MOST_BYTES >> 20
            )));
        }
        Ok(())
    }

    pub fn stop(&self, why: &str) -> io::Error {
        self.say(why);
        self.kill.cancel();
        io::Error::other(why.to_string())
    }

    /// The first reason counts.
    pub fn say(&self, why: &str) {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| why.to_string());
    }

    pub fn why(&self) -> String {
        let why = self.why.lock().unwrap_or_else(PoisonError::into_inner).clone();
        why.unwrap_or_else(|| "the connection is closed".into())
    }

    /// Why it ended; waits a moment for the reason.
    pub async fn ended(&self) -> String {
        let _ = tokio::time::timeout(SOON, self.ended.cancelled()).await;
        self.why()
    }

    pub(crate) fn refuses_us(&self) {
        self.needs_auth.store(true, Ordering::Relaxed);
    }
    pub(crate) fn needs_auth(&self) -> bool {
        self.needs_auth.load(Ordering::Relaxed)
    }
}

/// A server's output, measured and handed on line by line.
pub(super) struct Metered<R> {
    inner: R,
    meter: Arc<Meter>,
    /// The line that is not yet complete.
    line: Vec<u8>,
    /// Complete lines, and how far they were read.
    ready: Vec<u8>,
    read: usize,
}

impl<R> Metered<R> {
    pub fn new(inner: R, meter: Arc<Meter>) -> Self {
        Self { inner, meter, line: Vec::new(), ready: Vec::new(), read: 0 }
    }

    fn take_in(&mut self, new: &[u8]) -> io::Result<()> {
        for piece in new.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if self.line.len() as u64 > LONGEST {
                let why = format!("it sent a message of more than {} MB and was stopped", LONGEST >> 20);
                return Err(self.meter.stop(&why));
            }
            if piece.ends_with(b"\n") {
                self.ready.append(&mut lines::understandable(std::mem::take(&mut self.line)));
            }
        }
        self.meter.count(new.len() as u64, memchr::memchr_iter(b'\n', new).count() as u64)
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Metered<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        while self.read == self.ready.len() {
            let mut chunk = [0; CHUNK];
            let mut new = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut self.inner).poll_read(cx, &mut new))?;
            (self.read, self.ready) = (0, Vec::new());
            match new.filled() {
                // What has no end of line is handed on as it came.
                [] if self.line.is_empty() => return Poll::Ready(Ok(())),
                [] => self.ready = std::mem::take(&mut self.line),
                new => self.take_in(new)?,
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

    async fn drained(bytes: Vec<u8>) -> (Result<usize, String>, Arc<Meter>) {
        let meter = Arc::new(Meter::default());
        let mut reader = Metered::new(&bytes[..], meter.clone());
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
    async fn ho_6_a_flood_is_stopped_by_its_size_its_lines_or_its_number() {
        let cases = [
            (b"{}\n".repeat(1_000), None),
            (vec![b'x'; (LONGEST + 1) as usize], Some("a message of more than 16 MB")),
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
    fn ho_6_what_was_asked_for_is_no_flood() {
        let meter = Meter::default();
        for _ in 0..20 {
            meter.asked();
            assert!(meter.count(60 << 20, 1).is_ok());
        }
        assert!(meter.count(60 << 20, 1).is_err());
    }
}
