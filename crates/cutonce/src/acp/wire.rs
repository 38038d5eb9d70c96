//! Standard input and output as the lines of the protocol. Threads read and write, so that neither a silent editor nor one
//! that does not read holds anything up here.

use agent_client_protocol::Lines;
use cutonce_core::surrogates;
use futures_util::{Sink, Stream, sink, stream};
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::sync::mpsc as blocking;
use std::time::Duration;
use tokio::sync::mpsc;

/// A longer line is no message: images of a prompt are the longest that are.
const LONGEST: u64 = 64 << 20;
/// Lines that wait to be understood.
const AHEAD: usize = 64;
/// How long the last lines may take to be written when all is over.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Tells when everything was written.
pub struct Written(blocking::Receiver<()>);

impl Written {
    /// An editor that does not read any more is not waited for.
    pub fn wait(self) {
        let _ = self.0.recv_timeout(LAST_WORDS);
    }
}

type Out = std::pin::Pin<Box<dyn Sink<String, Error = io::Error> + Send>>;
type In = std::pin::Pin<Box<dyn Stream<Item = io::Result<String>> + Send>>;

pub fn lines() -> (Lines<Out, In>, Written) {
    let (out, written) = writer();
    (Lines::new(out, reader()), written)
}

fn reader() -> In {
    let (sender, receiver) = mpsc::channel(AHEAD);
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
    let read = input.take(LONGEST + 1).read_until(b'\n', &mut line)?;
    if line.len() as u64 > LONGEST {
        return Err(io::Error::new(ErrorKind::InvalidData, "a line of over 64 MB is no message"));
    }
    surrogates::mend(&mut line);
    Ok((read > 0).then(|| String::from_utf8_lossy(&line).trim().to_string()))
}

fn writer() -> (Out, Written) {
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
    (Box::pin(out), Written(written))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_3_a_line_that_never_ends_is_given_up() {
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
