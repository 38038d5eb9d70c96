//! The other side of our standard output: frames go out whole and bounded, requests of ours wait for their answers.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak, mpsc};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// Hosts give up on a longer line: the Python SDK's buffer ends at 1 MiB.
const LONGEST: usize = 1_000_000;
/// A host that lets more than this wait does not read any more.
const MOST_WAITING: usize = 64 << 20;
/// At the end a host that takes nothing for this long is not waited for.
const PATIENCE: Duration = Duration::from_secs(2);
const TOO_LONG: &str = "it is longer than a host reads, and would not be whole";

#[derive(Clone, Default)]
pub struct Peer(Arc<Inner>);

#[derive(Default)]
struct Inner {
    waiting: Mutex<HashMap<String, oneshot::Sender<Result<Value, String>>>>,
    /// Nobody reads our output any more.
    deaf: AtomicBool,
    /// Nothing comes from it any more.
    mute: AtomicBool,
    /// A thread writes, so that a host that is slow to read stops nothing but its own frames (HO-3).
    out: OnceLock<mpsc::Sender<Vec<u8>>>,
    /// Bytes that wait for it, and the sign that some went out.
    queued: AtomicUsize,
    went_out: Notify,
}

impl Peer {
    /// Write one frame; a host that does not read any more is noticed by [`Peer::is_deaf`].
    pub fn write(&self, frame: &Value) {
        self.send(fitting(frame));
    }

    fn send(&self, bytes: Vec<u8>) {
        if self.is_deaf() {
            return;
        }
        let waiting = self.0.queued.fetch_add(bytes.len(), Ordering::Relaxed);
        let out = self.0.out.get_or_init(|| writer(Arc::downgrade(&self.0)));
        if waiting > MOST_WAITING || out.send(bytes).is_err() {
            self.0.deaf.store(true, Ordering::Relaxed);
        }
    }

    /// Until all has gone out, or the host takes nothing more.
    pub async fn flush(&self) {
        while !self.is_deaf() && self.0.queued.load(Ordering::Relaxed) > 0 {
            if tokio::time::timeout(PATIENCE, self.0.went_out.notified()).await.is_err() {
                return;
            }
        }
    }

    pub fn is_deaf(&self) -> bool {
        self.0.deaf.load(Ordering::Relaxed)
    }

    /// The answer to a control request of the host's.
    pub fn reply(&self, id: &Value, result: Result<Value, String>) {
        let response = match result {
            Ok(payload) => json!({"subtype": "success", "request_id": id, "response": payload}),
            Err(error) => json!({"subtype": "error", "request_id": id, "error": error}),
        };
        self.write(&json!({"type": "control_response", "response": response}));
    }

    /// Ask the host. An answer that never comes is the caller's to bound; dropping this takes the question back.
    pub async fn request(&self, request: Value) -> Result<Value, String> {
        let (sender, receiver) = oneshot::channel();
        let id = cutonce_agent::new_id();
        if self.is_gone() {
            return Err("the host is gone".into());
        }
        let frame = whole(&id, &request).ok_or(TOO_LONG)?;
        self.waiting().insert(id.clone(), sender);
        let mut asked = Asked { peer: self.clone(), id: Some(id) };
        self.send(frame);
        let answer = receiver.await.unwrap_or_else(|_| Err("the host is gone".into()));
        asked.id = None;
        answer
    }

    /// Put an ask before the host; its answer comes as a line. False: it can't be shown whole, and was not.
    pub fn ask(&self, id: &str, request: &Value) -> bool {
        whole(id, request).map(|frame| self.send(frame)).is_some()
    }

    /// An answer came; false if nobody waits for it.
    pub fn answered(&self, id: &str, result: Result<Value, String>) -> bool {
        let waiting = self.waiting().remove(id);
        waiting.is_some_and(|waiting| waiting.send(result).is_ok())
    }

    /// No more answers: everybody who waits is told.
    pub fn gone(&self) {
        self.0.mute.store(true, Ordering::Relaxed);
        self.waiting().clear();
    }

    pub fn is_gone(&self) -> bool {
        self.0.mute.load(Ordering::Relaxed)
    }

    pub fn take_back(&self, id: &str) {
        self.write(&json!({"type": "control_cancel_request", "request_id": id}));
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, HashMap<String, oneshot::Sender<Result<Value, String>>>> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that is open; taken back if nobody waits for its answer any more.
struct Asked {
    peer: Peer,
    id: Option<String>,
}

impl Drop for Asked {
    fn drop(&mut self) {
        if let Some(id) = self.id.take()
            && self.peer.waiting().remove(&id).is_some()
        {
            self.peer.take_back(&id);
        }
    }
}

/// A request is never cut: a host would decide about something else than what it was asked for.
fn whole(id: &str, request: &Value) -> Option<Vec<u8>> {
    let bytes = bytes_of(&json!({"type": "control_request", "request_id": id, "request": request}));
    (bytes.len() <= LONGEST).then_some(bytes)
}

fn writer(inner: Weak<Inner>) -> mpsc::Sender<Vec<u8>> {
    let (sender, receiver) = mpsc::channel::<Vec<u8>>();
    std::thread::spawn(move || {
        let mut out = std::io::stdout().lock();
        for bytes in receiver {
            let failed = out.write_all(&bytes).and_then(|()| out.flush()).is_err();
            let Some(inner) = inner.upgrade() else { return };
            inner.queued.fetch_sub(bytes.len(), Ordering::Relaxed);
            inner.deaf.fetch_or(failed, Ordering::Relaxed);
            inner.went_out.notify_one();
        }
    });
    sender
}

/// The frame as a line. What makes it too long is a tool's result or what a face would draw of it: the words are cut, the
/// drawing left out; the transcript has both.
fn fitting(frame: &Value) -> Vec<u8> {
    let bytes = bytes_of(frame);
    if bytes.len() <= LONGEST {
        return bytes;
    }
    let mut smaller = frame.clone();
    if let Some(object) = smaller.as_object_mut() {
        object.remove("tool_use_result");
    }
    let bytes = bytes_of(&smaller);
    if bytes.len() <= LONGEST {
        return bytes;
    }
    for limit in [100_000, 10_000, 1_000, 100] {
        cut(&mut smaller, limit);
        let bytes = bytes_of(&smaller);
        if bytes.len() <= LONGEST {
            return bytes;
        }
    }
    let kept = json!({"type": smaller["type"], "subtype": smaller["subtype"], "session_id": smaller["session_id"],
        "uuid": smaller["uuid"], "too_long": true});
    bytes_of(&kept)
}

fn bytes_of(frame: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(frame).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Long strings, shortened; an image can't be shortened and becomes words.
fn cut(value: &mut Value, limit: usize) {
    match value {
        Value::String(text) if text.len() > limit => {
            let end = text.floor_char_boundary(limit);
            *text = format!("{}… [{} bytes cut]", &text[..end], text.len() - end);
        }
        Value::Array(list) => list.iter_mut().for_each(|one| cut(one, limit)),
        Value::Object(object) => {
            let image = object.get("type").is_some_and(|kind| kind == "image");
            if image && object.get("source").is_some_and(|source| source.to_string().len() > limit) {
                *value = json!({"type": "text", "text": "[an image too large for this stream]"});
            } else {
                object.values_mut().for_each(|one| cut(one, limit));
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_1_no_line_is_longer_than_a_host_reads() {
        let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A".repeat(3 << 20)}});
        let frame = json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t",
            "content": [image, {"type": "text", "text": "ä".repeat(1 << 20)}]}]}, "tool_use_result": {"x": "y".repeat(1 << 20)}});
        let line = fitting(&frame);
        assert!(line.len() <= LONGEST);
        let read: Value = serde_json::from_slice(&line).unwrap();
        let parts = &read["message"]["content"][0]["content"];
        assert_eq!(parts[0]["text"], "[an image too large for this stream]");
        assert!(parts[1]["text"].as_str().unwrap().ends_with("bytes cut]"));
        assert_eq!(read["message"]["content"][0]["tool_use_id"], "t");
    }

    #[tokio::test]
    async fn ho_1_a_request_is_shown_whole_or_not_at_all() {
        let peer = Peer::default();
        peer.0.deaf.store(true, Ordering::Relaxed);
        let long = json!({"input": {"content": "x".repeat(LONGEST)}});
        assert!(!peer.ask("id", &long) && peer.ask("id", &json!({"input": {}})));
        assert_eq!(peer.request(long).await, Err(TOO_LONG.into()));
    }

    #[tokio::test]
    async fn ho_3_a_host_that_is_gone_answers_nothing() {
        let peer = Peer::default();
        peer.0.deaf.store(true, Ordering::Relaxed);
        let (asked, ()) = tokio::join!(peer.request(json!({})), async { peer.gone() });
        assert_eq!(asked, Err("the host is gone".into()));
        assert_eq!(peer.request(json!({})).await, Err("the host is gone".into()));
        assert!(!peer.answered("nobody", Ok(Value::Null)));
    }
}
