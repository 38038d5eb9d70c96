//! A bare exchange: the same bytes to the same model over one plain connection. This is the cost that no
//! client can avoid. It grows with the conversation, because a request carries all of it.

use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

pub struct Bare(BufReader<TcpStream>);

impl Bare {
    pub fn connect(address: SocketAddr) -> Result<Bare> {
        let stream = TcpStream::connect(address).context("connecting to the model")?;
        stream.set_nodelay(true)?;
        Ok(Bare(BufReader::with_capacity(64 << 10, stream)))
    }

    /// Sends one request and reads its whole answer.
    pub fn exchange(&mut self, body: &[u8]) -> Result<Duration> {
        let start = Instant::now();
        let head = "POST /v1/messages HTTP/1.1\r\nHost: model\r\nContent-Type: application/json\r\nContent-Length: ";
        let head = format!("{head}{}\r\n\r\n", body.len());
        let stream = self.0.get_mut();
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        let status = self.line()?;
        ensure!(status.contains(" 200 "), "the model said {status}");
        while !self.line()?.is_empty() {}
        // The answer is chunked: a size in hexadecimal, that many bytes, an empty line; a size of 0 ends it.
        loop {
            let size = u64::from_str_radix(&self.line()?, 16).context("the size of a chunk")?;
            std::io::copy(&mut self.0.by_ref().take(size), &mut std::io::sink())?;
            self.line()?;
            if size == 0 {
                return Ok(start.elapsed());
            }
        }
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.0.read_line(&mut line)? > 0, "the model hung up");
        Ok(line.trim_end().to_string())
    }
}
