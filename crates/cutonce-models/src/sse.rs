//! Server-sent events out of bytes, whatever the chunks: the lines are sseer's, the bounds are ours (MO-3).

use bytes::{Bytes, BytesMut};
use sseer::parser::{RawEventLineOwned, parse_line_from_buffer};

const MAX_EVENT: usize = 16 << 20;
const MAX_ANSWER: usize = 64 << 20;

/// Push chunks in, take events out.
#[derive(Default)]
pub(crate) struct Events {
    buffer: BytesMut,
    scanned: usize,
    started: bool,
    total: usize,
    name: Bytes,
    data: Data,
}

#[derive(Debug)]
pub(crate) struct Event {
    /// The event's name, empty where the server gave none.
    pub name: Bytes,
    pub data: Bytes,
}

/// The data lines of the event so far; nearly always there is one, which is then not copied.
#[derive(Default)]
enum Data {
    #[default]
    None,
    One(Bytes),
    Many(BytesMut),
}

#[derive(Debug, PartialEq)]
pub(crate) struct TooBig(pub &'static str);

impl Events {
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), TooBig> {
        self.total += chunk.len();
        if self.total > MAX_ANSWER {
            return Err(TooBig("the answer is over 64 MB"));
        }
        self.buffer.extend_from_slice(chunk);
        Ok(())
    }

    /// The next whole event, or None until more bytes come.
    pub fn next(&mut self) -> Result<Option<Event>, TooBig> {
        if !self.started && !self.skip_bom() {
            return Ok(None);
        }
        while let Some(line) = parse_line_from_buffer(&mut self.buffer, &mut self.scanned) {
            match line {
                RawEventLineOwned::Comment => {}
                RawEventLineOwned::Empty => {
                    let name = std::mem::take(&mut self.name);
                    match std::mem::take(&mut self.data) {
                        Data::None => {}
                        Data::One(data) => return Ok(Some(Event { name, data })),
                        Data::Many(data) => return Ok(Some(Event { name, data: data.freeze() })),
                    }
                }
                RawEventLineOwned::Field { field_name, field_value } => match &*field_name {
                    b"event" => self.name = field_value.unwrap_or_default(),
                    b"data" => self.data.add(field_value.unwrap_or_default()),
                    _ => {}
                },
            }
            self.bounded()?;
        }
        self.bounded()?;
        Ok(None)
    }

    /// The stream is over: a lone CR at its end was a line end after all.
    pub fn end(&mut self) {
        if self.buffer.last() == Some(&b'\r') {
            self.buffer.extend_from_slice(b"\n");
        }
    }

    /// Whether bytes of an event wait for the rest of it.
    pub fn is_half(&self) -> bool {
        !self.buffer.is_empty() || !matches!(self.data, Data::None)
    }

    fn bounded(&self) -> Result<(), TooBig> {
        // A chunk may hold many events after this one; only what is no line yet counts as part of it.
        let unfinished = if self.scanned > 0 { self.buffer.len() } else { 0 };
        if self.data.len() + unfinished > MAX_EVENT {
            return Err(TooBig("one event of the answer is over 16 MB"));
        }
        Ok(())
    }

    /// False while too few bytes are there to know.
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

impl Data {
    fn add(&mut self, line: Bytes) {
        *self = match std::mem::take(self) {
            Data::None => Data::One(line),
            Data::One(first) => {
                let mut all = BytesMut::with_capacity(first.len() + line.len() + 1);
                all.extend_from_slice(&first);
                all.extend_from_slice(b"\n");
                all.extend_from_slice(&line);
                Data::Many(all)
            }
            Data::Many(mut all) => {
                all.extend_from_slice(b"\n");
                all.extend_from_slice(&line);
                Data::Many(all)
            }
        };
    }

    fn len(&self) -> usize {
        match self {
            Data::None => 0,
            Data::One(line) => line.len(),
            Data::Many(all) => all.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], chunk: usize) -> Vec<(String, String)> {
        let mut events = Events::default();
        let mut out = Vec::new();
        for piece in bytes.chunks(chunk) {
            events.push(piece).unwrap();
            while let Some(event) = events.next().unwrap() {
                out.push((
                    String::from_utf8(event.name.to_vec()).unwrap(),
                    String::from_utf8(event.data.to_vec()).unwrap(),
                ));
            }
        }
        out
    }

    #[test]
    fn mo_2_any_chunking_gives_the_same_events() {
        let text = "\u{feff}: hello\r\nevent: a\r\ndata: {\"x\":\"é\"}\r\n\r\nid: 7\nretry: 5\ndata: one\ndata:two\n\ndata\n\nevent: lost\n\n";
        let whole = read(text.as_bytes(), usize::MAX >> 1);
        let expected = [("a", "{\"x\":\"é\"}"), ("", "one\ntwo"), ("", "")];
        assert_eq!(whole, expected.map(|(name, data)| (name.to_owned(), data.to_owned())));
        for size in 1..40 {
            assert_eq!(read(text.as_bytes(), size), whole, "chunks of {size}");
        }
    }

    #[test]
    fn mo_3_a_half_event_is_seen() {
        let mut events = Events::default();
        events.push(b"data: x\n\n").unwrap();
        assert!(events.next().unwrap().is_some() && events.next().unwrap().is_none() && !events.is_half());
        events.push(b"data: {\"half").unwrap();
        assert!(events.next().unwrap().is_none() && events.is_half());
    }

    #[test]
    fn mo_3_events_and_answers_are_bounded() {
        let mut events = Events::default();
        let line = vec![b'x'; 1 << 20];
        let mut result = Ok(());
        events.push(b"data: ").unwrap();
        for _ in 0..17 {
            events.push(&line).unwrap();
            result = events.next().map(|event| assert!(event.is_none()));
        }
        assert_eq!(result, Err(TooBig("one event of the answer is over 16 MB")));

        let mut events = Events::default();
        let mut result = Ok(());
        for _ in 0..65 {
            let mut event = b"data: ".to_vec();
            event.extend_from_slice(&line);
            event.extend_from_slice(b"\n\n");
            result = events.push(&event);
            while let Ok(Some(_)) = events.next() {}
        }
        assert_eq!(result, Err(TooBig("the answer is over 64 MB")));
    }
}
