//! Plain HTTP, byte by byte, as an attacker or another program would send it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// An answer, taken apart.
#[derive(Debug)]
pub struct HttpAnswer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl HttpAnswer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

/// Sends these bytes and reads the answer to its end.
pub fn exchange(port: u16, text: &str) -> HttpAnswer {
    exchange_at(([127, 0, 0, 1], port).into(), text)
}

/// The same with a server at another address.
pub fn exchange_at(address: std::net::SocketAddr, text: &str) -> HttpAnswer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let answer = read_answer(&mut stream);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split_whitespace().nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let body = match head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        true => without_chunks(body),
        false => body.to_string(),
    };
    HttpAnswer { status, head: head.to_string(), body }
}

/// Reads as much as the answer says it has, else to its end: not every server closes the connection.
fn read_answer(stream: &mut TcpStream) -> String {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 65_536]);
    while let Ok(count @ 1..) = stream.read(&mut chunk) {
        bytes.extend_from_slice(&chunk[..count]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        if length.is_some_and(|length| bytes.len() >= end + 4 + length) {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn without_chunks(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let Some(chunk) = rest.get(..size).filter(|_| size > 0) else { break };
        whole.push_str(chunk);
        body = rest.get(size + 2..).unwrap_or_default();
    }
    whole
}

/// A request with these headers.
pub fn request(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> HttpAnswer {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = if method == "POST" { format!("Content-Length: {}\r\n", body.len()) } else { String::new() };
    exchange(port, &format!("{method} {path} HTTP/1.1\r\n{headers}{length}Connection: close\r\n\r\n{body}"))
}
