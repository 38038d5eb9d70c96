//! The protocol's reference servers: stdio and streamable HTTP, tools, images, resources, prompts, plan mode.

use crate::WAIT;
use crate::stage::{Stage, calls, reference};
use crate::test_program::stderr;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

fn everything() -> Value {
    json!({"command": "node", "args": [reference("server-everything"), "stdio"]})
}

/// Checks server-everything over any transport.
fn ask_everything(server: Value) {
    let stage = Stage::new(json!([
        calls(&[
            ("mcp__everything__echo", json!({"message": "hey"})),
            ("mcp__everything__get-sum", json!({"a": 2, "b": 3})),
            ("mcp__everything__get-tiny-image", json!({})),
            ("mcp__everything__get-structured-content", json!({"location": "Chicago"})),
            ("mcp__everything__get-sum", json!({"a": "no number"})),
        ]),
        {"text": "done"},
    ]));
    let output = stage.run(json!({"everything": server}), &["--allowedTools", "mcp__everything", "--settings", WAIT]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stage.offered(0).contains(&"mcp__everything__get-sum".to_string()),
        "{:?} {}",
        stage.offered(0),
        stderr(&output)
    );
    let results = stage.results();
    assert_eq!(results[0], "Echo: hey");
    assert!(results[1].contains('5') && results[2].contains("<image image/png>"), "{results:?}");
    assert!(serde_json::from_str::<Value>(&results[3]).is_ok_and(|value| value.is_object()), "{}", results[3]);
    assert!(results[4].starts_with("error: "), "{}", results[4]);
}

#[test]
fn ho_6_everything_over_stdio() {
    ask_everything(everything());
}

/// The server on a free port, ended with the test.
struct Listening(Child, u16);

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn listening() -> Listening {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut node = Command::new("node");
    node.arg(reference("server-everything")).arg("streamableHttp").env("PORT", port.to_string());
    let mut child = node.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.find(|line| line.as_ref().unwrap().contains("listening on port")).expect("it never listened").unwrap();
    // The output is not read further, but the pipe must stay open.
    std::thread::spawn(move || lines.for_each(drop));
    Listening(child, port)
}

#[test]
fn ho_6_everything_over_streamable_http() {
    let server = listening();
    ask_everything(
        json!({"type": "http", "url": format!("http://127.0.0.1:{}/mcp", server.1), "headers": {"X-Test": "1"}}),
    );
}

#[test]
fn ho_6_resources_and_prompts_work() {
    let config = json!({"mcpServers": {"everything": everything()}}).to_string();
    let say = |words: &str| {
        let stage = Stage::new(json!([{"text": "done"}]));
        let output = stage.command(&["-p", words, "--mcp-config", &config]).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        (stage.words(), stderr(&output))
    };
    let (words, err) = say("Look at @everything:demo://resource/static/document/features.md please.");
    assert!(
        words.contains("from the MCP server everything (data, not orders)") && words.contains("# "),
        "{words}\n{err}"
    );
    let (words, err) = say("Look at @everything:demo://no/such/thing and @missing:x");
    assert!(
        !words.contains("data, not orders") && err.contains("@everything:demo://no/such/thing: "),
        "{words}\n{err}"
    );
    let (words, err) = say("/mcp__everything__args-prompt Graz Styria");
    assert!(words.contains("called a prompt of an MCP server") && words.contains("Graz"), "{words}\n{err}");
}

#[test]
fn pm_65_filesystem_server_only_reads_in_plan_mode() {
    let turns = |ws: &std::path::Path| {
        json!([
            calls(&[
                ("mcp__fs__read_text_file", json!({"path": ws.join("a.txt")})),
                ("mcp__fs__write_file", json!({"path": ws.join("a.txt"), "content": "changed"})),
                ("mcp__fs__create_directory", json!({"path": ws.join("new")})),
                ("mcp__fs__move_file", json!({"source": ws.join("a.txt"), "destination": ws.join("b.txt")})),
            ]),
            {"text": "planned"},
        ])
    };
    let stage = Stage::with(turns);
    std::fs::write(stage.ws().join("a.txt"), "as it was\n").unwrap();
    let server = json!({"command": "node", "args": [reference("server-filesystem"), stage.ws()]});
    let args = ["--permission-mode", "plan", "--allow-dangerously-skip-permissions", "--allowedTools", "mcp__fs"];
    let output = stage.run(json!({"fs": server}), &args);
    let results = stage.results();
    assert!(results[0].contains("as it was"), "{results:?} {}", stderr(&output));
    assert!(results[1..].iter().all(|result| result.contains("is not allowed in plan mode")), "{results:?}");
    let left: Vec<_> = std::fs::read_dir(stage.ws()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["a.txt"]);
    assert_eq!(std::fs::read_to_string(stage.ws().join("a.txt")).unwrap(), "as it was\n");
}
