//! HTTP servers that misbehave: one needs a token, one sends an endless answer, one redirects.

use crate::stage::{Stage, calls};
use crate::test_program::stderr;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Ended with the test.
struct Web(Child, String);

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Web {
    fn start(kind: &str) -> Web {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/web.py");
        let mut python = Command::new("python3");
        let mut child = python.arg(script).arg(kind).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Web(child, format!("http://127.0.0.1:{}/mcp", port.trim()))
    }
    fn server(&self, headers: Value) -> Value {
        json!({"type": "http", "url": self.1, "headers": headers})
    }
}

fn look(server: Value) -> (Vec<String>, String) {
    let stage = Stage::new(json!([calls(&[("mcp__w__look", json!({}))]), {"text": "done"}]));
    let output = stage.run(json!({"w": server}), &["--allowedTools", "mcp__w"]);
    assert_eq!(
        (output.status.code(), output.stdout.as_slice()),
        (Some(0), b"done\n".as_slice()),
        "{}",
        stderr(&output)
    );
    (stage.results(), stderr(&output))
}

#[test]
fn ho_6_http_server_gets_its_token() {
    let web = Web::start("locked");
    assert_eq!(look(web.server(json!({"Authorization": "Bearer right"}))).0, ["seen"]);
    let (_, told) = look(web.server(json!({})));
    assert!(told.contains("MCP server w: needs login: cutonce mcp login w"), "{told}");
}

#[test]
fn ho_6_http_errors_are_readable() {
    // Nothing listens here.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    drop(taken);
    let (results, told) = look(json!({"type": "http", "url": format!("http://127.0.0.1:{port}/mcp")}));
    assert!(told.contains("could not be reached: Connection refused"), "{told}");
    for words in results.iter().chain([&told]) {
        assert!(!words.contains("rmcp") && !words.contains("Transport ["), "{words}");
    }
}

#[test]
fn ho_6_endless_body_is_cut_off() {
    let web = Web::start("endless");
    let (results, _) = look(web.server(json!({})));
    assert!(results[0].starts_with("error: ") && results[0].contains("more than 16 MB"), "{results:?}");
}

#[test]
fn ho_6_no_redirect_carries_our_headers_elsewhere() {
    let web = Web::start("elsewhere");
    let (_, told) = look(web.server(json!({"Authorization": "Bearer right"})));
    assert!(told.contains("MCP server w: ") && told.contains("307"), "{told}");
}

#[test]
fn du_10_web_page_is_named_by_its_title() {
    let web = Web::start("page");
    let (_, told) = look(web.server(json!({})));
    let line = told.lines().find(|line| line.contains("MCP server w: ")).unwrap();
    assert!(line.contains("502") && line.ends_with("the web page «Sign in»"), "{told}");
}
