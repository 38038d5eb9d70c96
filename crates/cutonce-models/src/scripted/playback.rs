//! Renders an answer as the bytes of a stream, event by event, including its fault.

use super::player::ScriptedAnswer;
use super::{ScriptedFault, as_anthropic, as_chat, as_responses};
use bytes::Bytes;
use cutonce_core::conversation::WireFormat;
use serde::Serialize;
use std::collections::VecDeque;
use std::time::Duration;

/// Next action of the server on the connection.
pub(super) enum PlaybackStep {
    Send(Bytes),
    /// Sends everything written so far before the next step.
    Flush,
    Pause(Duration),
    Hang,
    Abort,
}

/// Written events, and where each ends.
#[derive(Default)]
pub(super) struct EventWriter {
    pub bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl EventWriter {
    /// Writes an event whose data comes from `write`.
    pub fn write_raw(&mut self, name: Option<&str>, write: impl FnOnce(&mut Vec<u8>)) {
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

    pub fn write_event(&mut self, name: Option<&str>, data: &impl Serialize) {
        self.write_raw(name, |out| write_json(out, data));
    }
}

pub(super) fn write_json(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    // Values and strings always serialize.
    let _ = serde_json::to_writer(out, value);
}

/// Splits a text into pieces of at most `size` characters.
pub(super) fn split_deltas(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(end, _)| end);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

pub(super) fn full_response(wire: WireFormat, answer: &ScriptedAnswer) -> serde_json::Value {
    match wire {
        WireFormat::Anthropic => as_anthropic::full_message(answer),
        WireFormat::Responses => as_responses::full_response(answer),
        WireFormat::Chat => as_chat::full_message(answer),
    }
}

/// Returns the steps that play this answer.
pub(super) fn playback_steps(wire: WireFormat, answer: &ScriptedAnswer) -> VecDeque<PlaybackStep> {
    let mut stream = EventWriter::default();
    match wire {
        WireFormat::Anthropic => as_anthropic::write_stream(answer, &mut stream),
        WireFormat::Responses => as_responses::write_stream(answer, &mut stream),
        WireFormat::Chat => as_chat::write_stream(answer, &mut stream),
    }
    let middle = stream.ends.len() / 2;
    let EventWriter { bytes, ends } = stream;
    let bytes = Bytes::from(bytes);
    let until = |event: usize| event.checked_sub(1).map_or(0, |last| ends.get(last).copied().unwrap_or(bytes.len()));
    let mut steps = StepWriter { out: VecDeque::new(), chunk: answer.chunk, delay_ms: answer.delay_ms };
    match &answer.fault {
        None | Some(ScriptedFault::InvalidJsonCall | ScriptedFault::Status(_) | ScriptedFault::Refuse) => {
            steps.send_events(&bytes, &ends)
        }
        Some(ScriptedFault::Cut(after)) => {
            steps.send_events(&bytes.slice(..until(after.unwrap_or(middle))), &ends);
            steps.out.extend([PlaybackStep::Flush, PlaybackStep::Abort]);
        }
        Some(ScriptedFault::Idle(after)) => {
            steps.send_events(&bytes.slice(..until(*after)), &ends);
            steps.out.extend([PlaybackStep::Flush, PlaybackStep::Hang]);
        }
        Some(ScriptedFault::HalfEvent) => {
            let (start, end) = (until(middle), until(middle + 1));
            steps.send_events(&bytes.slice(..start + (end - start) / 2), &ends);
        }
        Some(ScriptedFault::MalformedEvent) => {
            steps.send_events(&bytes.slice(..until(middle)), &ends);
            steps.out.push_back(PlaybackStep::Send(Bytes::from_static(malformed_event(wire))));
            steps.send_events(&bytes.slice(until(middle)..), &[]);
        }
        Some(ScriptedFault::Error(event)) => {
            steps.send_events(&bytes.slice(..until(event.after.unwrap_or(middle))), &ends);
            let mut error = EventWriter::default();
            match wire {
                WireFormat::Anthropic => as_anthropic::write_error(event, &mut error),
                WireFormat::Responses => as_responses::write_error(event, &mut error),
                WireFormat::Chat => as_chat::write_error(event, &mut error),
            }
            steps.out.push_back(PlaybackStep::Send(error.bytes.into()));
        }
    }
    steps.out
}

fn malformed_event(wire: WireFormat) -> &'static [u8] {
    match wire {
        WireFormat::Anthropic => b"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":\n\n",
        WireFormat::Responses => {
            b"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\n\n"
        }
        WireFormat::Chat => b"data: {\"choices\":[{\"delta\":\n\n",
    }
}

struct StepWriter {
    out: VecDeque<PlaybackStep>,
    chunk: Option<usize>,
    delay_ms: u64,
}

impl StepWriter {
    /// Sends everything at once, unless the turn wants small writes or pauses.
    fn send_events(&mut self, bytes: &Bytes, ends: &[usize]) {
        if self.delay_ms == 0 {
            return self.send_chunks(bytes);
        }
        let mut start = 0;
        for end in ends.iter().copied().filter(|end| *end < bytes.len()).chain([bytes.len()]) {
            self.out.push_back(PlaybackStep::Pause(Duration::from_millis(self.delay_ms)));
            self.send_chunks(&bytes.slice(start..end));
            self.out.push_back(PlaybackStep::Flush);
            start = end;
        }
    }

    fn send_chunks(&mut self, bytes: &Bytes) {
        let Some(size) = self.chunk else { return self.out.push_back(PlaybackStep::Send(bytes.clone())) };
        for start in (0..bytes.len()).step_by(size) {
            self.out.push_back(PlaybackStep::Send(bytes.slice(start..(start + size).min(bytes.len()))));
            self.out.push_back(PlaybackStep::Flush);
        }
    }
}
