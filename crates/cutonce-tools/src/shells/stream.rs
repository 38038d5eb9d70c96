//! Output for the eye while a command runs: pieces of text, whole characters, no flood.

use std::time::Instant;

/// Bytes that pass at once, and per second after that. More than this nobody can read.
const BURST: f64 = 64_000.0;

pub(crate) struct Stream<'a> {
    to: &'a (dyn Fn(&str) + Send + Sync),
    /// The beginning of a character whose rest has not come yet.
    begun: Vec<u8>,
    room: f64,
    filled: Instant,
}

impl<'a> Stream<'a> {
    pub(crate) fn new(to: &'a (dyn Fn(&str) + Send + Sync)) -> Self {
        Self { to, begun: Vec::new(), room: BURST, filled: Instant::now() }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let now = Instant::now();
        self.room = (self.room + now.duration_since(self.filled).as_secs_f64() * BURST).min(BURST);
        self.filled = now;
        if self.room < bytes.len() as f64 {
            self.begun.clear();
            return;
        }
        self.room -= bytes.len() as f64;
        self.begun.extend_from_slice(bytes);
        let rest = self.begun.split_off(self.begun.len() - begun(&self.begun));
        let text = String::from_utf8_lossy(&self.begun).into_owned();
        self.begun = rest;
        if !text.is_empty() {
            (self.to)(&text);
        }
    }
}

/// How many bytes at the end are the beginning of a character.
fn begun(bytes: &[u8]) -> usize {
    let needs = |byte: u8| match byte {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    let found = (1..=3).find(|back| bytes.iter().rev().nth(back - 1).is_some_and(|byte| needs(*byte) > *back));
    found.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn tl_8_characters_are_streamed_whole() {
        let seen = Mutex::new(Vec::new());
        let to = |text: &str| seen.lock().unwrap().push(text.to_string());
        let mut stream = Stream::new(&to);
        for byte in "aé👍".as_bytes().iter().chain(b"\xffb") {
            stream.push(&[*byte]);
        }
        assert_eq!(*seen.lock().unwrap(), ["a", "é", "👍", "\u{fffd}", "b"]);
    }

    #[test]
    fn tl_8_a_flood_is_thinned() {
        let passed = Mutex::new(0);
        let to = |text: &str| *passed.lock().unwrap() += text.len();
        let mut stream = Stream::new(&to);
        for _ in 0..10_000 {
            stream.push(&[b'y'; 10_000]);
        }
        let passed = *passed.lock().unwrap();
        assert!((60_000..50_000_000).contains(&passed), "{passed}");
    }
}
