//! DU-1: SIGINT and SIGTERM end a run at once in every state, with a result frame and the exit code of the signal.

use crate::World;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Twenty times what the clause allows: test machines are busy.
const AT_ONCE: Duration = Duration::from_secs(4);

/// Where the run is when the signal comes.
#[derive(Debug, Clone, Copy)]
enum Wait {
    /// The provider has the request and says nothing.
    Connecting,
    /// Part of the answer has arrived.
    Streaming,
    /// The provider is overloaded, and the next attempt is 30 seconds away.
    Retrying,
    /// A hook of this event never ends.
    Hook(&'static str),
    /// The first request waits for an MCP server.
    McpStart,
}

const STREAM: &str = "event: message_start\ndata: {\"type\": \"message_start\", \"message\": {\"model\": \"m\", \"usage\": {\"input_tokens\": 77, \"output_tokens\": 1}}}\n\nevent: content_block_start\ndata: {\"type\": \"content_block_start\", \"index\": 0, \"content_block\": {\"type\": \"text\", \"text\": \"\"}}\n\nevent: content_block_delta\ndata: {\"type\": \"content_block_delta\", \"index\": 0, \"delta\": {\"type\": \"text_delta\", \"text\": \"half\"}}\n\n";
const END: &str = "event: content_block_stop\ndata: {\"type\": \"content_block_stop\", \"index\": 0}\n\nevent: message_delta\ndata: {\"type\": \"message_delta\", \"delta\": {\"stop_reason\": \"end_turn\"}, \"usage\": {\"output_tokens\": 5}}\n\nevent: message_stop\ndata: {\"type\": \"message_stop\"}\n\n";
const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const OVERLOADED: &str =
    "HTTP/1.1 529 Overloaded\r\nretry-after: 30\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";

fn read_request(stream: &mut TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut length = 0;
    for line in reader.by_ref().lines() {
        let line = line.unwrap().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length]).unwrap();
}

/// Answers the first request as the wait wants it; the connection stays open where the answer never ends.
fn answer(listener: &TcpListener, wait: Wait) -> TcpStream {
    let (mut stream, _) = listener.accept().unwrap();
    read_request(&mut stream);
    let text = match wait {
        Wait::Connecting => String::new(),
        Wait::Streaming => format!("{EVENTS}{STREAM}"),
        Wait::Retrying => OVERLOADED.into(),
        Wait::Hook(_) | Wait::McpStart => format!("{EVENTS}{STREAM}{END}"),
    };
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

/// A command that says that it runs, and does not end.
fn endless(fifo: &Path) -> String {
    format!("echo runs > '{}'; while :; do :; done", fifo.display())
}

fn start(world: &World, wait: Wait, address: &str, fifo: &Path) -> Child {
    let mut settings = json!({"mcp": {"firstWaitMs": 60_000}});
    if let Wait::Hook(event) = wait {
        settings["hooks"] = json!({event: [{"hooks": [{"type": "command", "command": endless(fifo)}]}]});
    }
    let settings = settings.to_string();
    let mut args = vec!["-p", "hi", "--model", "anthropic/m", "--settings", &settings];
    args.extend(["--output-format", "stream-json", "--verbose", "--include-partial-messages"]);
    let servers = json!({"mcpServers": {"slow": {"command": "bash", "args": ["-c", endless(fifo)]}}}).to_string();
    if matches!(wait, Wait::McpStart) {
        args.extend(["--mcp-config", &servers]);
    }
    let mut command = world.cutonce(&args);
    command.env("PATH", "/usr/bin:/bin").env("ANTHROPIC_API_KEY", "k").env("ANTHROPIC_BASE_URL", address);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Brings a run into the state, sends the signal, and gives the frames and the exit code.
fn interrupted(wait: Wait, signal: i32) -> (Vec<Value>, Option<i32>) {
    let world = World::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let fifo = world.dir.path().join("fifo");
    let path = std::ffi::CString::new(fifo.to_str().unwrap()).unwrap();
    // SAFETY: the path is a valid C string that lives through the call.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
    let mut child = start(&world, wait, &format!("http://{}", listener.local_addr().unwrap()), &fifo);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut seen = Vec::new();
    let mut until = |text: &str| seen.extend(lines.by_ref().take_while(|line| !line.contains(text)));
    let asks_model = !matches!(wait, Wait::McpStart | Wait::Hook("SessionStart" | "UserPromptSubmit"));
    let _open = asks_model.then(|| answer(&listener, wait));
    match wait {
        Wait::Connecting => {}
        Wait::Streaming => until("text_delta"),
        Wait::Retrying => until("api_retry"),
        Wait::Hook(_) | Wait::McpStart => assert_eq!(std::fs::read_to_string(&fifo).unwrap(), "runs\n"),
    }
    let sent = Instant::now();
    // SAFETY: the child was not waited for yet, so its id is its own.
    unsafe { libc::kill(child.id() as i32, signal) };
    let frames = lines.map(|line| serde_json::from_str(&line).unwrap()).collect();
    let status = child.wait().unwrap();
    assert!(sent.elapsed() < AT_ONCE, "{wait:?}: {:?}", sent.elapsed());
    assert_eq!(status.signal(), None, "{wait:?}");
    (frames, status.code())
}

#[test]
fn du_1_signals_end_every_wait_with_a_result() {
    let hooks = ["SessionStart", "UserPromptSubmit", "Stop"].map(Wait::Hook);
    let waits = [Wait::Connecting, Wait::Streaming, Wait::Retrying, Wait::McpStart].into_iter().chain(hooks);
    for wait in waits {
        for (signal, code) in [(libc::SIGINT, 130), (libc::SIGTERM, 143)] {
            let (frames, exit) = interrupted(wait, signal);
            let results: Vec<_> = frames.iter().filter(|frame| frame["type"] == "result").collect();
            assert_eq!(results.len(), 1, "{wait:?}: {frames:#?}");
            assert_eq!(results[0]["is_error"], true, "{wait:?}");
            assert_eq!(exit, Some(code), "{wait:?}");
            // DU-3: what the provider reported counts.
            if matches!(wait, Wait::Streaming) {
                assert_eq!(results[0]["usage"]["input_tokens"], 77);
            }
        }
    }
}
