//! DU-1: SIGINT and SIGTERM end a run at once in every state, with a result frame and the exit code of the signal.

use crate::World;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A run that does not end is stuck.
const STUCK: Duration = Duration::from_secs(20);

/// Where the run is when the signal comes.
#[derive(Debug, Clone, Copy)]
enum Wait {
    /// The prompt on standard input is not complete.
    Stdin,
    /// The session is being opened: a command that gives the key never ends.
    Opening,
    /// No connection comes about.
    Unreachable,
    /// The provider has the request and says nothing.
    Connecting,
    /// Part of the answer has arrived.
    Streaming,
    /// The provider is overloaded, and the next attempt is 30 seconds away.
    Retrying,
    /// The summary of an earlier conversation does not come.
    Compacting,
    /// A command runs.
    Command,
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
fn answer(listener: &TcpListener, wait: Wait, fifo: &Path) -> TcpStream {
    let (mut stream, _) = listener.accept().unwrap();
    read_request(&mut stream);
    let text = match wait {
        Wait::Streaming => format!("{EVENTS}{STREAM}"),
        Wait::Retrying => OVERLOADED.into(),
        Wait::Command => format!("{EVENTS}{}", bash_call(&endless(fifo))),
        Wait::Hook(_) => format!("{EVENTS}{STREAM}{END}"),
        _ => String::new(),
    };
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

/// An answer that calls Bash.
fn bash_call(command: &str) -> String {
    let input = json!({ "command": command }).to_string();
    let events = [
        json!({"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 77, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": input}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ];
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())).collect()
}

/// A command that says that it runs, and does not end.
fn endless(fifo: &Path) -> String {
    format!("echo runs > '{}'; exec sleep 1000", fifo.display())
}

/// A run to interrupt: the first words of its command line, and its output format.
#[derive(Debug, Clone, Copy)]
struct Run {
    words: &'static [&'static str],
    format: &'static str,
}

const PRINT: Run = Run { words: &["-p", "hi"], format: "stream-json" };

fn start(world: &World, run: Run, wait: Wait, address: &str, fifo: &Path) -> Child {
    let mut settings = json!({"mcp": {"firstWaitMs": 60_000}});
    match wait {
        Wait::Hook(event) => {
            settings["hooks"] = json!({event: [{"hooks": [{"type": "command", "command": endless(fifo)}]}]});
        }
        Wait::Opening => settings["apiKeyHelper"] = endless(fifo).into(),
        // The earlier conversation does not fit.
        Wait::Compacting => settings["models"] = json!({"m": {"context": 60, "maxOutput": 10}}),
        _ => {}
    }
    let settings = settings.to_string();
    let mut args = run.words.to_vec();
    args.extend(["--model", "anthropic/m", "--settings", &settings, "--output-format", run.format]);
    let servers = json!({"mcpServers": {"slow": {"command": "bash", "args": ["-c", endless(fifo)]}}}).to_string();
    match wait {
        Wait::McpStart => args.extend(["--mcp-config", &servers]),
        Wait::Compacting => args.push("--continue"),
        Wait::Command => args.extend(["--permission-mode", "bypassPermissions"]),
        _ => {}
    }
    if run.format == "stream-json" {
        args.extend(["--verbose", "--include-partial-messages"]);
    }
    let mut command = world.cutonce(&args);
    command.env("PATH", "/usr/bin:/bin");
    match wait {
        // A local server would need no key.
        Wait::Opening => command.env("ANTHROPIC_BASE_URL", "https://provider.invalid"),
        _ => command.env("ANTHROPIC_BASE_URL", address).env("ANTHROPIC_API_KEY", "k"),
    };
    if matches!(wait, Wait::Stdin) {
        command.stdin(Stdio::piped());
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// A listener whose queue is full, so that no further connection comes about; and what fills it.
fn full_listener() -> (TcpListener, Vec<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    // SAFETY: the descriptor is the listener's own; a shorter queue is all that changes.
    unsafe { libc::listen(std::os::fd::AsRawFd::as_raw_fd(&listener), 0) };
    let address = listener.local_addr().unwrap();
    let connect = || TcpStream::connect_timeout(&address, Duration::from_millis(200)).ok();
    let queued = std::iter::from_fn(connect).take(100).collect();
    (listener, queued)
}

/// Holds the conversation that a later run continues.
fn first_turn(world: &World, listener: &TcpListener, address: &str) {
    let mut child = start(world, PRINT, Wait::Connecting, address, Path::new("unused"));
    drop(answer(listener, Wait::Hook(""), Path::new("unused")));
    assert!(child.wait().unwrap().success());
}

/// Brings a run into the state, sends the signal, and gives the frames and the exit code.
fn interrupted(run: Run, wait: Wait, signal: i32) -> (Vec<Value>, Option<i32>) {
    let world = World::new();
    std::fs::write(world.dir.path().join("plan.md"), "# Plan\n\n1. Do it\n").unwrap();
    let (listener, _queued) = match wait {
        Wait::Unreachable => full_listener(),
        _ => (TcpListener::bind("127.0.0.1:0").unwrap(), Vec::new()),
    };
    let address = format!("http://{}", listener.local_addr().unwrap());
    let fifo = world.dir.path().join("fifo");
    make_fifo(&fifo);
    if matches!(wait, Wait::Compacting) {
        first_turn(&world, &listener, &address);
    }
    let mut child = start(&world, run, wait, &address, &fifo);
    let (mut lines, mut seen) = (lines_of(child.stdout.take().unwrap()), Vec::new());
    let mut until = |text: &str| seen.extend(lines.by_ref().take_while(|line| !line.contains(text)));
    let asks_model = match wait {
        Wait::Connecting | Wait::Streaming | Wait::Retrying | Wait::Compacting | Wait::Command => true,
        Wait::Hook(event) => !["SessionStart", "UserPromptSubmit"].contains(&event),
        Wait::Stdin | Wait::Opening | Wait::Unreachable | Wait::McpStart => false,
    };
    let _open = asks_model.then(|| answer(&listener, wait, &fifo));
    match wait {
        // The signal handlers are there before the input is read; the program has slept since then.
        Wait::Stdin => wait_until_asleep(&child),
        Wait::Unreachable => until("\"init\""),
        Wait::Connecting | Wait::Compacting => {}
        Wait::Streaming if run.format == "stream-json" => until("text_delta"),
        Wait::Streaming => wait_until_asleep(&child),
        Wait::Retrying => until("api_retry"),
        Wait::Opening | Wait::Command | Wait::Hook(_) | Wait::McpStart => {
            assert_eq!(std::fs::read_to_string(&fifo).unwrap(), "runs\n");
        }
    }
    // SAFETY: the child was not waited for yet, so its id is its own.
    unsafe { libc::kill(child.id() as i32, signal) };
    let status = ended(child, &format!("{run:?} {wait:?}"));
    assert_eq!(status.signal(), None, "{run:?} {wait:?}");
    let frames = seen.into_iter().chain(lines).map(|line| serde_json::from_str(&line).unwrap()).collect();
    (frames, status.code())
}

/// Returns how the run ended; one that is stuck is killed, and the test fails.
fn ended(mut child: Child, what: &str) -> std::process::ExitStatus {
    let id = child.id() as i32;
    let (sender, over) = mpsc::channel::<()>();
    let watchdog = std::thread::spawn(move || {
        let stuck = over.recv_timeout(STUCK) == Err(mpsc::RecvTimeoutError::Timeout);
        if stuck {
            // SAFETY: the child is waited for only after this thread was notified or has killed it.
            unsafe { libc::kill(id, libc::SIGKILL) };
        }
        stuck
    });
    let status = child.wait().unwrap();
    drop(sender);
    assert!(!watchdog.join().unwrap(), "{what}: still running");
    status
}

fn lines_of(stdout: ChildStdout) -> impl Iterator<Item = String> {
    BufReader::new(stdout).lines().map(Result::unwrap)
}

fn make_fifo(path: &Path) {
    let path = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: the path is a valid C string that lives through the call.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
}

/// Waits until SIGTERM has a handler and the main thread sleeps.
fn wait_until_asleep(child: &Child) {
    let of = |name: &str, status: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.trim().to_string()
    };
    let deadline = Instant::now() + STUCK;
    while Instant::now() < deadline {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = u64::from_str_radix(&of("SigCgt:", &status), 16).unwrap();
        if caught & (1 << (libc::SIGTERM - 1)) != 0 && of("State:", &status).starts_with('S') {
            return;
        }
        std::thread::yield_now();
    }
    panic!("it never waits with a handler for SIGTERM");
}

fn check(run: Run, wait: Wait, signal: i32) {
    let (frames, exit) = interrupted(run, wait, signal);
    let results: Vec<_> = frames.iter().filter(|frame| frame["type"] == "result").collect();
    assert_eq!(results.len(), 1, "{run:?} {wait:?}: {frames:#?}");
    // A SessionEnd hook runs after a result that was good.
    if !matches!(wait, Wait::Hook("SessionEnd")) {
        assert_eq!(results[0]["is_error"], true, "{run:?} {wait:?}");
        assert!(results[0]["errors"][0].as_str().unwrap().contains("nterrupted"), "{run:?} {wait:?}: {}", results[0]);
    }
    assert_eq!(exit, Some(if signal == libc::SIGINT { 130 } else { 143 }), "{run:?} {wait:?}");
    // DU-3: what the provider reported counts.
    if matches!(wait, Wait::Streaming) {
        assert_eq!(results[0]["usage"]["input_tokens"], 77);
    }
}

#[test]
fn du_1_signals_end_every_wait_with_a_result() {
    let hooks = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"].map(Wait::Hook);
    let waits = [Wait::Stdin, Wait::Opening, Wait::Unreachable, Wait::Connecting, Wait::Streaming, Wait::Retrying];
    let others = [Wait::Compacting, Wait::Command, Wait::McpStart];
    for wait in waits.into_iter().chain(others).chain(hooks) {
        for signal in [libc::SIGINT, libc::SIGTERM] {
            check(PRINT, wait, signal);
        }
    }
}

#[test]
fn du_1_signals_end_plan_and_implement_alike() {
    let plan = Run { words: &["plan", "hi"], ..PRINT };
    let implement = Run { words: &["implement", "plan.md"], ..PRINT };
    for run in [plan, implement] {
        for wait in [Wait::Opening, Wait::Connecting, Wait::Streaming] {
            check(run, wait, libc::SIGTERM);
        }
        check(Run { format: "json", ..run }, Wait::Streaming, libc::SIGINT);
        check(Run { format: "json", ..run }, Wait::Opening, libc::SIGINT);
    }
}

/// Plain lines whose input has ended finish their turn, and a signal ends that too.
#[test]
fn du_1_signals_end_plain_lines_after_their_input() {
    for (signal, code) in [(libc::SIGTERM, 143), (libc::SIGHUP, 129)] {
        let world = World::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let mut command = world.cutonce(&["--plain", "--model", "anthropic/m"]);
        command.env("PATH", "/usr/bin:/bin").env("ANTHROPIC_BASE_URL", address).env("ANTHROPIC_API_KEY", "k");
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"hi\n").unwrap();
        let _open = answer(&listener, Wait::Streaming, Path::new("unused"));
        wait_until_asleep(&child);
        // SAFETY: the child was not waited for yet, so its id is its own.
        unsafe { libc::kill(child.id() as i32, signal) };
        assert_eq!(ended(child, "plain").code(), Some(code));
    }
}

/// The agent of a rehearsal is a child of its own; its layer goes with it.
#[test]
fn du_1_signals_end_a_rehearsal_with_a_result() {
    for (signal, layer) in [(libc::SIGINT, "auto"), (libc::SIGTERM, "auto"), (libc::SIGTERM, "copy")] {
        for wait in [Wait::Connecting, Wait::Retrying] {
            let world = World::new();
            let settings = json!({"plan": {"rehearsal": {"layer": layer}}});
            let home = world.dir.path().join("home/.cutonce");
            std::fs::create_dir_all(&home).unwrap();
            std::fs::write(home.join("settings.json"), settings.to_string()).unwrap();
            // The layer is in the home, outside the workspace.
            let workspace = world.dir.path().join("workspace");
            std::fs::create_dir(&workspace).unwrap();
            std::fs::write(workspace.join("plan.md"), "# Plan\n\n1. Do it\n").unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = format!("http://{}", listener.local_addr().unwrap());
            let mut command = world.cutonce(&["rehearse", "plan.md", "--model", "anthropic/m", "--json"]);
            command.current_dir(workspace);
            command.env("PATH", "/usr/bin:/bin").env("ANTHROPIC_BASE_URL", address).env("ANTHROPIC_API_KEY", "k");
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let _open = answer(&listener, wait, Path::new("unused"));
            // SAFETY: the child was not waited for yet, so its id is its own.
            unsafe { libc::kill(child.id() as i32, signal) };
            let lines: Vec<String> = lines_of(child.stdout.take().unwrap()).collect();
            let status = ended(child, &format!("rehearse {wait:?}"));
            assert_eq!(status.code(), Some(if signal == libc::SIGINT { 130 } else { 143 }), "{wait:?}: {lines:?}");
            let frame: Value = serde_json::from_str(&lines.concat()).unwrap();
            assert_eq!((&frame["type"], &frame["is_error"]), (&json!("result"), &json!(true)), "{wait:?}: {frame}");
        }
    }
}

/// A host that dies takes its run with it: no further call starts, and the running command ends.
#[test]
fn du_1_dead_host_ends_the_running_command() {
    for input in [Some("stream-json"), None] {
        let world = World::new();
        let fifo = world.dir.path().join("fifo");
        make_fifo(&fifo);
        let calls = [format!("echo $$ > '{}'; exec sleep 1000", fifo.display()), "touch second".to_string()];
        let calls = calls.map(|command| json!({"name": "Bash", "input": {"command": command}}));
        let model = json!({"turns": [{"calls": calls}, {"text": "done"}]});
        std::fs::write(world.dir.path().join("calls.json"), model.to_string()).unwrap();
        let mut args = vec!["--model", "scripted/calls.json", "--permission-mode", "bypassPermissions"];
        args.extend(["--output-format", "stream-json", "--verbose", "-p"]);
        match input {
            Some(format) => args.extend(["--input-format", format]),
            None => args.push("hi"),
        }
        let mut command = world.cutonce(&args);
        command.env("PATH", "/usr/bin:/bin").stdout(Stdio::piped()).stderr(Stdio::null());
        if input.is_some() {
            command.stdin(Stdio::piped());
        }
        let mut child = command.spawn().unwrap();
        if let Some(mut stdin) = child.stdin.take() {
            let message = json!({"type": "user", "message": {"role": "user", "content": "hi"}});
            writeln!(stdin, "{message}").unwrap();
        }
        // Standard input is closed; that alone ends nothing.
        let runs = std::fs::read_to_string(&fifo).unwrap();
        assert!(child.try_wait().unwrap().is_none());
        drop(child.stdout.take());
        let status = ended(child, "the host is gone");
        assert_eq!(status.code(), Some(1), "{input:?}");
        assert!(!world.dir.path().join("second").exists(), "{input:?}: another call ran");
        let process = format!("/proc/{}/cmdline", runs.trim());
        assert!(!std::fs::read_to_string(process).is_ok_and(|line| line.contains("sleep")), "the command still runs");
    }
}

/// A pipe that nothing reads, and that has no room left.
fn full_pipe() -> (std::io::PipeReader, std::io::PipeWriter) {
    use std::os::fd::AsRawFd;
    let (reader, mut writer) = std::io::pipe().unwrap();
    // SAFETY: the descriptor is open; the flags are valid.
    assert_eq!(unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) }, 0);
    for size in [4096, 1] {
        while writer.write(&vec![b' '; size]).is_ok() {}
    }
    // SAFETY: as above.
    assert_eq!(unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_SETFL, 0) }, 0);
    (reader, writer)
}

/// Waits until a thread of the program waits for room in a pipe.
fn wait_until_blocked(child: &Child) {
    let deadline = Instant::now() + STUCK;
    let write = libc::SYS_write.to_string();
    let is_blocked = || {
        let threads = std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
        let call =
            |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("syscall")).unwrap_or_default();
        threads.flatten().map(call).any(|call| call.split(' ').next() == Some(&write))
    };
    while !is_blocked() {
        assert!(Instant::now() < deadline, "the program writes nothing");
        std::thread::yield_now();
    }
}

#[test]
fn du_1_sigterm_ends_a_program_with_blocked_output() {
    let stream = ["-p", "hi", "--output-format", "stream-json", "--verbose"];
    for words in [&["--plain"][..], &stream, &["serve"]] {
        let world = World::new();
        let mut args = words.to_vec();
        if words != ["serve"] {
            args.extend(["--model", "scripted/model.json"]);
        }
        let (_unread, output) = full_pipe();
        let mut command = world.cutonce(&args);
        let mut child = command.stdin(Stdio::piped()).stdout(output).stderr(Stdio::null()).spawn().unwrap();
        // `-p` reads its input to the end first; the others end with it.
        let _stdin = child.stdin.take().filter(|_| words != stream);
        wait_until_blocked(&child);
        // SAFETY: it is our own child, which has not been waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGTERM) }, 0);
        assert_eq!(ended(child, "blocked output").code(), Some(143), "{words:?}");
    }
}
