//! Parses server-sent events from bytes in any chunking: sseer parses the lines, the limits are ours (MO-3).
//! Not `sse-stream`, which rmcp needs in its types: it copies into strings and has no limit for an event.

use bytes::{Bytes, BytesMut};
use sseer::parser::{RawEventLineOwned, parse_line_from_buffer};

const MAX_EVENT: usize = 16 << 20;
const MAX_ANSWER: usize = 64 << 20;

/// Takes chunks and returns events.
#[derive(Default)]
pub(crate) struct SseParser {
    buffer: BytesMut,
    scanned: usize,
    started: bool,
    total: usize,
    name: Bytes,
    data: EventData,
}

#[derive(Debug)]
pub(crate) struct SseEvent {
    /// The event's name; empty if the server sent none.
    pub name: Bytes,
    pub data: Bytes,
}

/// Data lines of the current event; usually one, which is then not copied.
#[derive(Default)]
enum EventData {
    #[default]
    None,
    One(Bytes),
    Many(BytesMut),
}

#[derive(Debug, PartialEq)]
pub(crate) struct TooBig(pub &'static str);

impl SseParser {
    pub fn push_chunk(&mut self, chunk: &[u8]) -> Result<(), TooBig> {
        self.total += chunk.len();
        if self.total > MAX_ANSWER {
            return Err(TooBig("the answer is over 64 MB"));
        }
        self.buffer.extend_from_slice(chunk);
        Ok(())
    }

    /// Returns the next complete event, or `None` until more bytes arrive.
    pub fn next_event(&mut self) -> Result<Option<SseEvent>, TooBig> {
        if !self.started && !self.skip_bom() {
            return Ok(None);
        }
        while let Some(line) = parse_line_from_buffer(&mut self.buffer, &mut self.scanned) {
            match line {
                RawEventLineOwned::Comment => {}
                RawEventLineOwned::Empty => {
                    let name = std::mem::take(&mut self.name);
                    match std::mem::take(&mut self.data) {
                        EventData::None => {}
                        EventData::One(data) => return Ok(Some(SseEvent { name, data })),
                        EventData::Many(data) => return Ok(Some(SseEvent { name, data: data.freeze() })),
                    }
                }
                RawEventLineOwned::Field { field_name, field_value } => match &*field_name {
                    b"event" => self.name = field_value.unwrap_or_default(),
                    b"data" => self.data.add_line(field_value.unwrap_or_default()),
                    _ => {}
                },
            }
            self.check_size()?;
        }
        self.check_size()?;
        Ok(None)
    }

    /// Ends the stream: a lone CR at its end was a line end.
    pub fn finish_input(&mut self) {
        if self.buffer.last() == Some(&b'\r') {
            self.buffer.extend_from_slice(b"\n");
        }
    }

    /// True if part of an event is buffered.
    pub fn has_partial_event(&self) -> bool {
        !self.buffer.is_empty() || !matches!(self.data, EventData::None)
    }

    fn check_size(&self) -> Result<(), TooBig> {
        // A chunk may contain many later events; only an unfinished line belongs to this one.
        let unfinished = if self.scanned > 0 { self.buffer.len() } else { 0 };
        if self.data.len() + unfinished > MAX_EVENT {
            return Err(TooBig("one event of the answer is over 16 MB"));
        }
        Ok(())
    }

    /// Skips a byte order mark; false until enough bytes have arrived.
    fn skip_bom(&mut self) -> bool {
        const BOM: &[u8] = b"\xef\xbb\xbf";
        if self.buffer.len() < BOM.len() && BOM.starts_with(&self.buffer) {
            return false;
        }
        if self.buffer.starts_with(BOM) {
            let _ = self.buffer.split_to(BOM.len());
        }
        self.started = true;
        true
    }
}

impl EventData {
    fn add_line(&mut self, line: Bytes) {
        *self = match std::mem::take(self) {
            EventData::None => EventData::One(line),
            EventData::One(first) => {
                let mut all = BytesMut::with_capacity(first.len() + line.len() + 1);
                all.extend_from_slice(&first);
                all.extend_from_slice(b"\n");
                all.extend_from_slice(&line);
                EventData::Many(all)
            }
            EventData::Many(mut all) => {
                all.extend_from_slice(b"\n");
                all.extend_from_slice(&line);
                EventData::Many(all)
            }
        };
    }

    fn len(&self) -> usize {
        match self {
            EventData::None => 0,
            EventData::One(line) => line.len(),
            EventData::Many(all) => all.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], chunk: usize) -> Vec<(String, String)> {
        let mut events = SseParser::default();
        let mut out = Vec::new();
        for piece in bytes.chunks(chunk) {
            events.push_chunk(piece).unwrap();
            while let Some(event) = events.next_event().unwrap() {
                out.push((
                    String::from_utf8(event.name.to_vec()).unwrap(),
                    String::from_utf8(event.data.to_vec()).unwrap(),
                ));
            }
        }
        out
    }

    #[test]
    fn mo_2_parser_is_independent_of_chunking() {
        let text = "\u{feff}: hello\r\nevent: a\r\ndata: {\"x\":\"é\"}\r\n\r\nid: 7\nretry: 5\ndata: one\ndata:two\n\ndata\n\nevent: lost\n\n";
        let whole = read(text.as_bytes(), usize::MAX >> 1);
        let expected = [("a", "{\"x\":\"é\"}"), ("", "one\ntwo"), ("", "")];
        assert_eq!(whole, expected.map(|(name, data)| (name.to_owned(), data.to_owned())));
        for size in 1..40 {
            assert_eq!(read(text.as_bytes(), size), whole, "chunks of {size}");
        }
    }

    #[test]
    fn mo_3_half_event_is_detected() {
        let mut events = SseParser::default();
        events.push_chunk(b"data: x\n\n").unwrap();
        assert!(
            events.next_event().unwrap().is_some()
                && events.next_event().unwrap().is_none()
                && !events.has_partial_event()
        );
        events.push_chunk(b"data: {\"half").unwrap();
        assert!(events.next_event().unwrap().is_none() && events.has_partial_event());
    }

    #[test]
    fn mo_3_event_and_answer_sizes_are_limited() {
        let mut events = SseParser::default();
        let line = vec![b'x'; 1 << 20];
        let mut result = Ok(());
        events.push_chunk(b"data: ").unwrap();
        for _ in 0..17 {
            events.push_chunk(&line).unwrap();
            result = events.next_event().map(|event| assert!(event.is_none()));
        }
        assert_eq!(result, Err(TooBig("one event of the answer is over 16 MB")));

        let mut events = SseParser::default();
        let mut result = Ok(());
        for _ in 0..65 {
            let mut event = b"data: ".to_vec();
            event.extend_from_slice(&line);
            event.extend_from_slice(b"\n\n");
            result = events.push_chunk(&event);
            while let Ok(Some(_)) = events.next_event() {}
        }
        assert_eq!(result, Err(TooBig("the answer is over 64 MB")));
    }
}
