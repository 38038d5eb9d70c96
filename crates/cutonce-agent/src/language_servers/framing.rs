//! Frames of the protocol: a `Content-Length` header, an empty line, then JSON. Limits protect memory and time.

use super::error::ServerFailure;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// Maximum size of a header.
const MAX_HEADER: u64 = 4_096;
/// Maximum size of one message.
const MAX_FRAME: u64 = 8 << 20;
/// What a server may send within the window.
const WINDOW: Duration = Duration::from_secs(10);
const WINDOW_MESSAGES: u64 = 20_000;
const WINDOW_BYTES: u64 = 64 << 20;

/// The message with its header.
pub(super) fn frame(message: &serde_json::Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Reads one message; `None` at the end of the output.
pub(super) async fn read_frame(reader: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<Vec<u8>>, ServerFailure> {
    let mut left = MAX_HEADER;
    let mut length = None;
    loop {
        let mut line = Vec::new();
        let read = (&mut *reader).take(left).read_until(b'\n', &mut line).await.map_err(|_| ServerFailure::Closed)?;
        left -= read as u64;
        match line.trim_ascii() {
            [] if read == 0 && left == MAX_HEADER => return Ok(None),
            [] if read == 0 => return Err(ServerFailure::Nonsense("its header does not end".into())),
            [] => break,
            text => length = length_of(text)?.or(length),
        }
    }
    let length = length.ok_or_else(|| ServerFailure::Nonsense("a header without Content-Length".into()))?;
    if length > MAX_FRAME {
        return Err(ServerFailure::Nonsense(format!("a message of more than {} MB", MAX_FRAME >> 20)));
    }
    // The length is the server's claim: memory is used for what really comes.
    let mut body = Vec::new();
    let read = reader.take(length).read_to_end(&mut body).await.map_err(|_| ServerFailure::Closed)?;
    if (read as u64) < length { Err(ServerFailure::Closed) } else { Ok(Some(body)) }
}

/// The length, if this line of a header has it.
fn length_of(line: &[u8]) -> Result<Option<u64>, ServerFailure> {
    let text = std::str::from_utf8(line).unwrap_or_default();
    let Some((name, value)) = text.split_once(':') else {
        let shown: String = String::from_utf8_lossy(line).chars().take(60).collect();
        return Err(ServerFailure::Nonsense(format!("{shown:?} instead of a header")));
    };
    if !name.trim().eq_ignore_ascii_case("content-length") {
        return Ok(None);
    }
    let wrong = |_| ServerFailure::Nonsense(format!("Content-Length {:?}", value.trim()));
    value.trim().parse().map(Some).map_err(wrong)
}

/// Counts what a server sends.
pub(super) struct FloodMeter {
    since: Instant,
    messages: u64,
    bytes: u64,
}

impl FloodMeter {
    pub fn new() -> FloodMeter {
        FloodMeter { since: Instant::now(), messages: 0, bytes: 0 }
    }
    pub fn add(&mut self, bytes: usize) -> Result<(), ServerFailure> {
        if self.since.elapsed() > WINDOW {
            *self = FloodMeter::new();
        }
        self.messages += 1;
        self.bytes += bytes as u64;
        let over = self.messages > WINDOW_MESSAGES || self.bytes > WINDOW_BYTES;
        if over { Err(ServerFailure::Flood) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    async fn read(bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
        let mut reader = bytes;
        read_frame(&mut reader).await.map_err(|failure| failure.to_string())
    }

    #[tokio::test]
    async fn du_11_frames_survive_the_way() {
        let message = json!({"method": "x", "params": "ü\n"});
        let bytes = [frame(&message), frame(&json!({}))].concat();
        let mut reader = &bytes[..];
        let first = read_frame(&mut reader).await.unwrap().unwrap();
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&first).unwrap(), message);
        assert_eq!(read_frame(&mut reader).await.unwrap().unwrap(), b"{}");
        assert_eq!(read_frame(&mut reader).await.unwrap(), None);
        let other = b"Content-Type: x\r\ncontent-length:2\r\n\r\n{}";
        assert_eq!(read(other).await, Ok(Some(b"{}".to_vec())));
    }

    #[tokio::test]
    async fn du_11_nonsense_and_giants_are_refused() {
        let endless = vec![b'a'; 10_000];
        let cases: [(&[u8], &str); 7] = [
            (b"hello\n", "instead of a header"),
            (b"Content-Length: many\r\n\r\n{}", "Content-Length \"many\""),
            (b"Content-Length: 99999999999999999999\r\n\r\n{}", "Content-Length"),
            (b"Content-Length: 900000000\r\n\r\n{}", "more than 8 MB"),
            (b"X: 1\r\n\r\n{}", "without Content-Length"),
            (b"Content-Length: 5\r\n\r\n{}", "ended"),
            (&endless, "instead of a header"),
        ];
        for (bytes, expected) in cases {
            let error = read(bytes).await.unwrap_err();
            assert!(error.contains(expected), "{error:?} {expected:?}");
        }
    }

    #[test]
    fn du_11_flood_is_noticed() {
        let mut meter = FloodMeter::new();
        assert!((0..WINDOW_MESSAGES).all(|_| meter.add(10).is_ok()) && meter.add(10).is_err());
        let mut meter = FloodMeter::new();
        assert!((0..8).all(|_| meter.add(8 << 20).is_ok()) && meter.add(1).is_err());
    }
}
