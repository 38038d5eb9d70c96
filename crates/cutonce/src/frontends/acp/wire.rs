//! Protocol lines on stdin and stdout. Threads read and write, so that a silent or slow editor blocks nothing
//! here.

use agent_client_protocol::Lines;
use cutonce_core::text::surrogates;
use futures_util::{Sink, Stream, sink, stream};
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::sync::mpsc as blocking;
use std::time::Duration;
use tokio::sync::mpsc;

/// Maximum length of a line; prompts with images are the longest messages.
const MAX_LINE_BYTES: u64 = 64 << 20;
/// Lines to buffer before they are parsed.
const READ_AHEAD_LINES: usize = 64;
/// How long the last lines may take to be written at the end.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Signals that everything was written.
pub struct WriterDone(blocking::Receiver<()>);

impl WriterDone {
    /// Waits, but not for an editor that no longer reads.
    pub fn wait(self) {
        let _ = self.0.recv_timeout(FLUSH_TIMEOUT);
    }
}

type LineOutput = std::pin::Pin<Box<dyn Sink<String, Error = io::Error> + Send>>;
type LineInput = std::pin::Pin<Box<dyn Stream<Item = io::Result<String>> + Send>>;

pub fn stdio_lines() -> (Lines<LineOutput, LineInput>, WriterDone) {
    let (out, written) = spawn_writer();
    (Lines::new(out, spawn_reader()), written)
}

fn spawn_reader() -> LineInput {
    let (sender, receiver) = mpsc::channel(READ_AHEAD_LINES);
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let line = match next_line(&mut input) {
                Ok(None) => return,
                Ok(Some(line)) if line.is_empty() => continue,
                Ok(Some(line)) => Ok(line),
                Err(error) => Err(error),
            };
            let last = line.is_err();
            if sender.blocking_send(line).is_err() || last {
                return;
            }
        }
    });
    Box::pin(stream::unfold(receiver, |mut receiver| async move { receiver.recv().await.map(|line| (line, receiver)) }))
}

fn next_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = input.take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut line)?;
    if line.len() as u64 > MAX_LINE_BYTES {
        return Err(io::Error::new(ErrorKind::InvalidData, "a line is longer than 64 MB"));
    }
    surrogates::replace_lone_surrogates(&mut line);
    Ok((read > 0).then(|| String::from_utf8_lossy(&line).trim().to_string()))
}

fn spawn_writer() -> (LineOutput, WriterDone) {
    let (sender, receiver) = blocking::channel::<String>();
    let (done, written) = blocking::channel();
    std::thread::spawn(move || {
        let mut out = io::stdout().lock();
        for mut line in receiver {
            line.push('\n');
            if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
                break;
            }
        }
        let _ = done.send(());
    });
    let out = sink::unfold(sender, |sender, line: String| async move {
        sender.send(line).map_err(|_| io::Error::from(ErrorKind::BrokenPipe))?;
        Ok(sender)
    });
    (Box::pin(out), WriterDone(written))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_3_endless_line_is_an_error() {
        let mut endless = io::BufReader::new(io::repeat(b'x'));
        assert_eq!(next_line(&mut endless).unwrap_err().kind(), ErrorKind::InvalidData);
        let mut two: &[u8] = b"{\"a\":1}\r\n\xff";
        assert_eq!(next_line(&mut two).unwrap().as_deref(), Some("{\"a\":1}"));
        assert_eq!(next_line(&mut two).unwrap().as_deref(), Some("\u{fffd}"));
        assert_eq!(next_line(&mut two).unwrap(), None);
        let mut half: &[u8] = b"{\"a\":\"\\ud83d\"}\n";
        assert_eq!(next_line(&mut half).unwrap().as_deref(), Some("{\"a\":\"\\ufffd\"}"));
    }
}
