//! A model that streams at a given pace: so many tokens per second, each as one event, with timestamped marks
//! between them. The benchmark measures when a mark appears on the terminal's screen (UI-12).

use crate::stream::{asked, closing, opening, text};
use anyhow::{Context, Result};
use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Portions per second in which tokens are sent, as a network would deliver them.
const PORTIONS_A_SECOND: u32 = 200;

/// Repeated text: prose, a list, a table and code, like real answers.
const WORDS: &str = "## What the parser does\n\nIt reads an *escape* twice: once in `read_escape`, once more in the \
    branch below it, so that a backslash at the end of the input is taken for the beginning of the next token.\n\n\
    - the first reading is right\n- the second one must go\n- a test holds it\n\n\
    | place | reads | keeps |\n|---|---|---|\n| lexer | 1 | 0 |\n| parser | 2 | 1 |\n\n\
    ```rust\nfn read_escape(input: &mut Reader) -> Result<char, Error> {\n    \
    let next = input.next().ok_or(Error::End)?; // what follows the backslash\n    \
    match next {\n        'n' => Ok('\\n'),\n        other => Err(Error::Escape(other)),\n    }\n}\n```\n\n";

#[derive(Debug, Clone, Copy)]
pub struct Pace {
    pub tokens_a_second: u32,
    pub seconds: u32,
    pub marks_a_second: u32,
}

impl Pace {
    pub fn marks(self) -> u32 {
        self.seconds * self.marks_a_second
    }
}

/// A mark as shown on screen: one word, so that a line break can't split it.
pub fn mark(number: u32) -> String {
    format!("[mark:{number:05}]")
}

/// Answers each request this way and reports when each mark was sent.
pub fn serve(pace: Pace) -> Result<(SocketAddr, mpsc::Receiver<Instant>)> {
    let listener = TcpListener::bind("127.0.0.1:0").context("listening on loopback")?;
    let address = listener.local_addr()?;
    let (tell, sent) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if let Err(error) = speak(stream, pace, &tell) {
                eprintln!("the paced model: {error:#}");
            }
        }
    });
    Ok((address, sent))
}

fn speak(stream: TcpStream, pace: Pace, tell: &mpsc::Sender<Instant>) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut out = asked(stream)?;
    out.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")?;
    out.write_all(&opening())?;
    let mut tokens = WORDS.split_inclusive([' ', '\n']).map(text).collect::<Vec<_>>().into_iter().cycle();
    let (start, portion) = (Instant::now(), Duration::from_secs(1) / PORTIONS_A_SECOND);
    let (mut said, mut marked) = (0, 0);
    for number in 1..=pace.seconds * PORTIONS_A_SECOND {
        std::thread::sleep((start + portion * number).saturating_duration_since(Instant::now()));
        let due = number * (pace.tokens_a_second / PORTIONS_A_SECOND);
        let mut bytes = Vec::new();
        for _ in said..due {
            bytes.extend(tokens.next().unwrap_or_default());
        }
        said = due;
        if number % (PORTIONS_A_SECOND / pace.marks_a_second) == 0 {
            marked += 1;
            bytes.extend(text(&format!(" {} ", mark(marked))));
        }
        out.write_all(&bytes)?;
        if marked > 0 && number % (PORTIONS_A_SECOND / pace.marks_a_second) == 0 {
            // The benchmark no longer listens, so it has ended.
            let _ = tell.send(Instant::now());
        }
    }
    out.write_all(&closing(said as usize))?;
    Ok(())
}
