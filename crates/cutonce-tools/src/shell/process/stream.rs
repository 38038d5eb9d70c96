//! Output to display while a command runs: text pieces of whole characters, rate-limited.

use std::time::Instant;

/// Bytes that pass at once, and per second after that: no user can read more.
const BURST: f64 = 64_000.0;

pub(crate) struct OutputStream<'a> {
    to: &'a (dyn Fn(&str) + Send + Sync),
    /// An incomplete character whose rest has not arrived yet.
    partial: Vec<u8>,
    room: f64,
    filled: Instant,
}

impl<'a> OutputStream<'a> {
    pub(crate) fn new(to: &'a (dyn Fn(&str) + Send + Sync)) -> Self {
        Self { to, partial: Vec::new(), room: BURST, filled: Instant::now() }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let now = Instant::now();
        self.room = (self.room + now.duration_since(self.filled).as_secs_f64() * BURST).min(BURST);
        self.filled = now;
        if self.room < bytes.len() as f64 {
            self.partial.clear();
            return;
        }
        self.room -= bytes.len() as f64;
        self.partial.extend_from_slice(bytes);
        let rest = self.partial.split_off(self.partial.len() - partial_char_len(&self.partial));
        let text = String::from_utf8_lossy(&self.partial).into_owned();
        self.partial = rest;
        if !text.is_empty() {
            (self.to)(&text);
        }
    }
}

/// Returns how many bytes at the end belong to an incomplete character.
fn partial_char_len(bytes: &[u8]) -> usize {
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
    fn tl_8_streams_only_whole_characters() {
        let seen = Mutex::new(Vec::new());
        let to = |text: &str| seen.lock().unwrap().push(text.to_string());
        let mut stream = OutputStream::new(&to);
        for byte in "aé👍".as_bytes().iter().chain(b"\xffb") {
            stream.push(&[*byte]);
        }
        assert_eq!(*seen.lock().unwrap(), ["a", "é", "👍", "\u{fffd}", "b"]);
    }

    #[test]
    fn tl_8_fast_output_is_rate_limited() {
        let passed = Mutex::new(0);
        let to = |text: &str| *passed.lock().unwrap() += text.len();
        let mut stream = OutputStream::new(&to);
        for _ in 0..10_000 {
            stream.push(&[b'y'; 10_000]);
        }
        let passed = *passed.lock().unwrap();
        assert!((60_000..50_000_000).contains(&passed), "{passed}");
    }
}
