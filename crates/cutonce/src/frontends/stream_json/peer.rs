//! The host behind our stdout: writes complete, bounded frames, and matches our requests with their answers.

use crate::frontends::stop_signals::stdout_closed;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::text::sanitize::without_os_codes;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak, mpsc};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// Maximum line length: the buffer of the Python SDK ends at 1 MiB.
const MAX_LINE_BYTES: usize = 1_000_000;
/// Maximum bytes to queue; beyond that we assume that the host no longer reads.
const MAX_QUEUED_BYTES: usize = 64 << 20;
/// How long to wait at the end for a host that reads nothing.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Why the host did not answer a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    #[error("the host is gone")]
    HostGone,
    #[error("it is longer than hosts accept")]
    TooLong,
    /// The host answered with this error.
    #[error("{0}")]
    Refused(String),
}

/// Senders for the answers to open requests, by request id.
type OpenAnswers = HashMap<String, oneshot::Sender<Result<Value, RequestError>>>;

#[derive(Clone, Default)]
pub struct HostPeer(Arc<PeerInner>);

#[derive(Default)]
struct PeerInner {
    waiting: Mutex<OpenAnswers>,
    /// The host no longer reads our output.
    stopped_reading: AtomicBool,
    /// The host sends nothing more.
    stopped_sending: AtomicBool,
    /// Channel to the writer thread, so that a slow host delays only its own frames (HO-3).
    out: OnceLock<mpsc::Sender<Vec<u8>>>,
    /// Bytes queued for the writer, and the signal that some were written.
    queued: AtomicUsize,
    went_out: Notify,
    /// Signals that `stopped_reading` was set.
    lost_reader: Notify,
}

impl PeerInner {
    fn set_stopped_reading(&self) {
        self.stopped_reading.store(true, Ordering::Relaxed);
        self.lost_reader.notify_one();
    }
}

impl HostPeer {
    /// Writes one frame. [`HostPeer::reader_gone`] reports a host that no longer reads.
    pub fn write(&self, frame: &Value) {
        self.send_bytes(encode_frame(frame));
    }

    fn send_bytes(&self, bytes: Vec<u8>) {
        if self.has_stopped_reading() {
            return;
        }
        let waiting = self.0.queued.fetch_add(bytes.len(), Ordering::Relaxed);
        let out = self.0.out.get_or_init(|| spawn_writer(Arc::downgrade(&self.0)));
        if waiting > MAX_QUEUED_BYTES || out.send(bytes).is_err() {
            self.0.set_stopped_reading();
        }
    }

    /// Resolves when the host no longer reads our output, also while we write nothing.
    pub async fn reader_gone(&self) {
        tokio::select! {
            () = stdout_closed() => self.0.set_stopped_reading(),
            () = self.0.lost_reader.notified() => {}
        }
    }

    /// Waits until everything is written, or the host stops reading.
    pub async fn flush(&self) {
        while !self.has_stopped_reading() && self.0.queued.load(Ordering::Relaxed) > 0 {
            if tokio::time::timeout(FLUSH_TIMEOUT, self.0.went_out.notified()).await.is_err() {
                return;
            }
        }
    }

    pub fn has_stopped_reading(&self) -> bool {
        self.0.stopped_reading.load(Ordering::Relaxed)
    }

    /// Answers a control request of the host.
    pub fn send_reply(&self, id: &Value, result: Result<Value, String>) {
        let response = match result {
            Ok(payload) => json!({"subtype": "success", "request_id": id, "response": payload}),
            Err(error) => json!({"subtype": "error", "request_id": id, "error": without_os_codes(&error)}),
        };
        self.write(&json!({"type": "control_response", "response": response}));
    }

    /// Sends a request to the host and waits. The caller sets a timeout; dropping the future withdraws the
    /// request.
    pub async fn send_request(&self, request: Value) -> Result<Value, RequestError> {
        let (sender, receiver) = oneshot::channel();
        let id = cutonce_agent::new_id();
        if self.is_gone() {
            return Err(RequestError::HostGone);
        }
        let frame = encode_request(&id, &request).ok_or(RequestError::TooLong)?;
        self.lock_waiting().insert(id.clone(), sender);
        let mut asked = OpenRequest { peer: self.clone(), id: Some(id) };
        self.send_bytes(frame);
        let answer = receiver.await.unwrap_or(Err(RequestError::HostGone));
        asked.id = None;
        answer
    }

    /// Sends an ask to the host; its answer arrives as a line. Returns false, and sends nothing, if it is too
    /// large.
    pub fn send_ask(&self, id: &str, request: &Value) -> bool {
        encode_request(id, request).map(|frame| self.send_bytes(frame)).is_some()
    }

    /// Delivers an answer; returns false if no request waits for it.
    pub fn deliver_answer(&self, id: &str, result: Result<Value, RequestError>) -> bool {
        let waiting = self.lock_waiting().remove(id);
        waiting.is_some_and(|waiting| waiting.send(result).is_ok())
    }

    /// Fails all open requests: no more answers will come.
    pub fn mark_gone(&self) {
        self.0.stopped_sending.store(true, Ordering::Relaxed);
        self.lock_waiting().clear();
    }

    pub fn is_gone(&self) -> bool {
        self.0.stopped_sending.load(Ordering::Relaxed)
    }

    pub fn withdraw_request(&self, id: &str) {
        self.write(&json!({"type": "control_cancel_request", "request_id": id}));
    }

    fn lock_waiting(&self) -> std::sync::MutexGuard<'_, OpenAnswers> {
        self.0.waiting.lock_unpoisoned()
    }
}

/// An open request; dropped before its answer, it is withdrawn.
struct OpenRequest {
    peer: HostPeer,
    id: Option<String>,
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        if let Some(id) = self.id.take()
            && self.peer.lock_waiting().remove(&id).is_some()
        {
            self.peer.withdraw_request(&id);
        }
    }
}

/// Encodes a request, never cut: the host would decide about something else than what runs.
fn encode_request(id: &str, request: &Value) -> Option<Vec<u8>> {
    let bytes = encode_line(&json!({"type": "control_request", "request_id": id, "request": request}));
    (bytes.len() <= MAX_LINE_BYTES).then_some(bytes)
}

fn spawn_writer(inner: Weak<PeerInner>) -> mpsc::Sender<Vec<u8>> {
    let (sender, receiver) = mpsc::channel::<Vec<u8>>();
    std::thread::spawn(move || {
        let mut out = std::io::stdout().lock();
        for bytes in receiver {
            let failed = out.write_all(&bytes).and_then(|()| out.flush()).is_err();
            let Some(inner) = inner.upgrade() else { return };
            inner.queued.fetch_sub(bytes.len(), Ordering::Relaxed);
            if failed {
                inner.set_stopped_reading();
            }
            inner.went_out.notify_one();
        }
    });
    sender
}

/// Encodes a frame as a line. If it is too long, drops the display data and cuts long text; the transcript
/// has both.
fn encode_frame(frame: &Value) -> Vec<u8> {
    let bytes = encode_line(frame);
    if bytes.len() <= MAX_LINE_BYTES {
        return bytes;
    }
    let mut smaller = frame.clone();
    if let Some(object) = smaller.as_object_mut() {
        object.remove("tool_use_result");
    }
    let bytes = encode_line(&smaller);
    if bytes.len() <= MAX_LINE_BYTES {
        return bytes;
    }
    for limit in [100_000, 10_000, 1_000, 100] {
        cut_strings(&mut smaller, limit);
        let bytes = encode_line(&smaller);
        if bytes.len() <= MAX_LINE_BYTES {
            return bytes;
        }
    }
    let kept = json!({"type": smaller["type"], "subtype": smaller["subtype"], "session_id": smaller["session_id"],
        "uuid": smaller["uuid"], "too_long": true});
    encode_line(&kept)
}

fn encode_line(frame: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(frame).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Shortens long strings; replaces a large image by a text.
fn cut_strings(value: &mut Value, limit: usize) {
    match value {
        Value::String(text) if text.len() > limit => {
            let end = text.floor_char_boundary(limit);
            *text = format!("{}… [{} bytes cut]", &text[..end], text.len() - end);
        }
        Value::Array(list) => list.iter_mut().for_each(|one| cut_strings(one, limit)),
        Value::Object(object) => {
            let image = object.get("type").is_some_and(|kind| kind == "image");
            if image && object.get("source").is_some_and(|source| source.to_string().len() > limit) {
                *value = json!({"type": "text", "text": "[an image too large for this stream]"});
            } else {
                object.values_mut().for_each(|one| cut_strings(one, limit));
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_1_long_frames_are_cut() {
        let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A".repeat(3 << 20)}});
        let frame = json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t",
            "content": [image, {"type": "text", "text": "ä".repeat(1 << 20)}]}]}, "tool_use_result": {"x": "y".repeat(1 << 20)}});
        let line = encode_frame(&frame);
        assert!(line.len() <= MAX_LINE_BYTES);
        let read: Value = serde_json::from_slice(&line).unwrap();
        let parts = &read["message"]["content"][0]["content"];
        assert_eq!(parts[0]["text"], "[an image too large for this stream]");
        assert!(parts[1]["text"].as_str().unwrap().ends_with("bytes cut]"));
        assert_eq!(read["message"]["content"][0]["tool_use_id"], "t");
    }

    #[tokio::test]
    async fn ho_1_requests_are_never_cut() {
        let peer = HostPeer::default();
        peer.0.stopped_reading.store(true, Ordering::Relaxed);
        let long = json!({"input": {"content": "x".repeat(MAX_LINE_BYTES)}});
        assert!(!peer.send_ask("id", &long) && peer.send_ask("id", &json!({"input": {}})));
        assert_eq!(peer.send_request(long).await, Err(RequestError::TooLong));
    }

    #[tokio::test]
    async fn ho_3_requests_fail_when_host_is_gone() {
        let peer = HostPeer::default();
        peer.0.stopped_reading.store(true, Ordering::Relaxed);
        let (asked, ()) = tokio::join!(peer.send_request(json!({})), async { peer.mark_gone() });
        assert_eq!(asked, Err(RequestError::HostGone));
        assert_eq!(peer.send_request(json!({})).await, Err(RequestError::HostGone));
        assert!(!peer.deliver_answer("unknown", Ok(Value::Null)));
    }
}
