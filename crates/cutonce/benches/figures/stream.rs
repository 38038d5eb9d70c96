//! Streaming speed: a long answer from memory, over loopback, through the whole program (MO-2).

use crate::Bench;
use crate::process::{Program, Run};
use crate::table::{Row, median};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;

const EVENTS: usize = 400_000;
const EVENTS_A_SECOND: f64 = 50_000.0;
const PIECE: &str = "a few words ";

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("stream")?;
    let events = if bench.quick { EVENTS / 10 } else { EVENTS };
    let address = serve(Arc::new(answer(events)))?;
    let text = measure(bench, &room, address, &["--output-format", "text"], events)?;
    let frames = ["--output-format", "stream-json", "--verbose", "--include-partial-messages"];
    let frames = measure(bench, &room, address, &frames, events)?;
    let figure = format!("streaming, {events} events, a second of processor time");
    Ok(vec![
        Row::at_least(&figure, text.by_cpu, "events", EVENTS_A_SECOND).beside(wall(&text)),
        Row::known("streaming, each event a frame on standard output", format!("{:.0} events", frames.by_cpu))
            .beside(wall(&frames)),
    ])
}

/// Events per second, by processor time and by wall time.
struct Speed {
    by_cpu: f64,
    by_wall: f64,
    peak_mb: f64,
}

fn wall(speed: &Speed) -> String {
    format!("by the clock {:.0} events/s, peak {:.0} MB", speed.by_wall, speed.peak_mb)
}

fn measure(bench: &Bench, room: &Path, address: SocketAddr, args: &[&str], events: usize) -> Result<Speed> {
    let program =
        Program::cutonce(room).args(["-p", "Tell me a long story."]).args(args.iter().copied()).talks_to(address, room);
    let runs = (0..bench.rounds(5)).map(|_| program.run(room)).collect::<Result<Vec<Run>>>()?;
    let told = runs[0].output()?.len();
    ensure!(told >= events * PIECE.len(), "the program printed {told} bytes of the story");
    let speed = |seconds: fn(&Run) -> f64| events as f64 / median(&runs.iter().map(seconds).collect::<Vec<_>>());
    Ok(Speed {
        by_cpu: speed(|run| run.cpu.as_secs_f64()),
        by_wall: speed(|run| run.wall.as_secs_f64()),
        peak_mb: runs.iter().map(Run::peak_mb).fold(0.0, f64::max),
    })
}

/// The whole answer in Anthropic's wire format, headers included.
fn answer(events: usize) -> Vec<u8> {
    let mut body = opening();
    body.extend(text(PIECE).repeat(events));
    body.extend(closing(events));
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\nContent-Length: ";
    let mut answer = format!("{head}{}\r\n\r\n", body.len()).into_bytes();
    answer.extend(body);
    answer
}

/// Events before the first text of an answer.
pub fn opening() -> Vec<u8> {
    let usage = json!({"input_tokens": 10, "output_tokens": 1});
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage});
    let mut body = event(json!({"type": "message_start", "message": message}));
    let block = json!({"type": "text", "text": ""});
    body.extend(event(json!({"type": "content_block_start", "index": 0, "content_block": block})));
    body
}

/// Text of an answer, as one event.
pub fn text(words: &str) -> Vec<u8> {
    event(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": words}}))
}

/// Events after the last text.
pub fn closing(tokens: usize) -> Vec<u8> {
    let delta = json!({"stop_reason": "end_turn", "stop_sequence": null});
    let mut body = event(json!({"type": "content_block_stop", "index": 0}));
    body.extend(event(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": tokens}})));
    body.extend(event(json!({"type": "message_stop"})));
    body
}

fn event(data: serde_json::Value) -> Vec<u8> {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default()).into_bytes()
}

/// Answers every request with the same bytes, as fast as the reader accepts them.
fn serve(answer: Arc<Vec<u8>>) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").context("listening on loopback")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A reader that disconnected has read enough.
            let _ = reply(stream, &answer);
        }
    });
    Ok(address)
}

fn reply(stream: TcpStream, answer: &[u8]) -> Result<()> {
    asked(stream)?.write_all(answer)?;
    Ok(())
}

/// Reads one request to its end and returns the stream for the answer.
pub fn asked(stream: TcpStream) -> Result<TcpStream> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    while {
        line.clear();
        reader.read_line(&mut line)? > 2
    } {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse()?;
        }
    }
    std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink())?;
    Ok(reader.into_inner())
}
