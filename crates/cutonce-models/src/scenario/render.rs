//! An answer as the bytes of a stream, event by event, with its fault worked in.

use super::play::Answer;
use super::{Fault, as_anthropic, as_chat, as_responses};
use bytes::Bytes;
use cutonce_core::conversation::Wire;
use serde::Serialize;
use std::collections::VecDeque;
use std::time::Duration;

/// What the server does next with the connection.
pub(super) enum Step {
    Send(Bytes),
    /// Lets what was sent go out before anything else.
    Flush,
    Pause(Duration),
    Hang,
    Abort,
}

/// Events as they are written, and where each ends.
#[derive(Default)]
pub(super) struct Stream {
    pub bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Stream {
    /// An event with the data that `write` puts down.
    pub fn raw(&mut self, name: Option<&str>, write: impl FnOnce(&mut Vec<u8>)) {
        if let Some(name) = name {
            self.bytes.extend_from_slice(b"event: ");
            self.bytes.extend_from_slice(name.as_bytes());
            self.bytes.push(b'\n');
        }
        self.bytes.extend_from_slice(b"data: ");
        write(&mut self.bytes);
        self.bytes.extend_from_slice(b"\n\n");
        self.ends.push(self.bytes.len());
    }

    pub fn event(&mut self, name: Option<&str>, data: &impl Serialize) {
        self.raw(name, |out| write_json(out, data));
    }
}

pub(super) fn write_json(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    // Values and strings always serialize.
    let _ = serde_json::to_writer(out, value);
}

/// Pieces of at most `size` characters.
pub(super) fn deltas(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(end, _)| end);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

pub(super) fn whole(wire: Wire, answer: &Answer) -> serde_json::Value {
    match wire {
        Wire::Anthropic => as_anthropic::whole(answer),
        Wire::Responses => as_responses::whole(answer),
        Wire::Chat => as_chat::whole(answer),
    }
}

/// The steps that play this answer.
pub(super) fn steps(wire: Wire, answer: &Answer) -> VecDeque<Step> {
    let mut stream = Stream::default();
    match wire {
        Wire::Anthropic => as_anthropic::stream(answer, &mut stream),
        Wire::Responses => as_responses::stream(answer, &mut stream),
        Wire::Chat => as_chat::stream(answer, &mut stream),
    }
    let middle = stream.ends.len() / 2;
    let Stream { bytes, ends } = stream;
    let bytes = Bytes::from(bytes);
    let until = |event: usize| event.checked_sub(1).map_or(0, |last| ends.get(last).copied().unwrap_or(bytes.len()));
    let mut steps = Steps { out: VecDeque::new(), chunk: answer.chunk, delay_ms: answer.delay_ms };
    match &answer.fault {
        None | Some(Fault::InvalidJsonCall | Fault::Status(_) | Fault::Refuse) => steps.send(&bytes, &ends),
        Some(Fault::Cut(after)) => {
            steps.send(&bytes.slice(..until(after.unwrap_or(middle))), &ends);
            steps.out.extend([Step::Flush, Step::Abort]);
        }
        Some(Fault::Idle(after)) => {
            steps.send(&bytes.slice(..until(*after)), &ends);
            steps.out.extend([Step::Flush, Step::Hang]);
        }
        Some(Fault::HalfEvent) => {
            let (start, end) = (until(middle), until(middle + 1));
            steps.send(&bytes.slice(..start + (end - start) / 2), &ends);
        }
        Some(Fault::MalformedEvent) => {
            steps.send(&bytes.slice(..until(middle)), &ends);
            steps.out.push_back(Step::Send(Bytes::from_static(malformed(wire))));
            steps.send(&bytes.slice(until(middle)..), &[]);
        }
        Some(Fault::Error(event)) => {
            steps.send(&bytes.slice(..until(event.after.unwrap_or(middle))), &ends);
            let mut error = Stream::default();
            match wire {
                Wire::Anthropic => as_anthropic::error(event, &mut error),
                Wire::Responses => as_responses::error(event, &mut error),
                Wire::Chat => as_chat::error(event, &mut error),
            }
            steps.out.push_back(Step::Send(error.bytes.into()));
        }
    }
    steps.out
}

fn malformed(wire: Wire) -> &'static [u8] {
    match wire {
        Wire::Anthropic => b"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":\n\n",
        Wire::Responses => b"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\n\n",
        Wire::Chat => b"data: {\"choices\":[{\"delta\":\n\n",
    }
}

struct Steps {
    out: VecDeque<Step>,
    chunk: Option<usize>,
    delay_ms: u64,
}

impl Steps {
    /// All at once, unless the turn wants small writes or pauses.
    fn send(&mut self, bytes: &Bytes, ends: &[usize]) {
        if self.delay_ms == 0 {
            return self.write(bytes);
        }
        let mut start = 0;
        for end in ends.iter().copied().filter(|end| *end < bytes.len()).chain([bytes.len()]) {
            self.out.push_back(Step::Pause(Duration::from_millis(self.delay_ms)));
            self.write(&bytes.slice(start..end));
            self.out.push_back(Step::Flush);
            start = end;
        }
    }

    fn write(&mut self, bytes: &Bytes) {
        let Some(size) = self.chunk else { return self.out.push_back(Step::Send(bytes.clone())) };
        for start in (0..bytes.len()).step_by(size) {
            self.out.push_back(Step::Send(bytes.slice(start..(start + size).min(bytes.len()))));
            self.out.push_back(Step::Flush);
        }
    }
}
