//! `cutonce mcp`, and who decides about servers: the user, not a folder or a piped text (HO-6).

use crate::stage::Stage;
use crate::test_program::stderr;
use serde_json::{Value, json};
use std::io::Write;
use std::process::Output;

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

impl Stage {
    fn mcp(&self, args: &[&str]) -> Output {
        self.command(&[&["mcp"], args].concat()).output().unwrap()
    }
    fn write(&self, path: &str, value: &Value) {
        let path = self.ws().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, value.to_string()).unwrap();
    }
}

#[test]
fn ho_6_unusable_servers_are_not_added() {
    let stage = Stage::new(json!([]));
    assert!(stage.mcp(&["add", "a b", "--", "x"]).status.success());
    let refused: [(&[&str], &str); 4] = [
        (&["add", "a_b", "--", "x"], "is too similar to \"a b\""),
        (&["add", "g", "ftp://x"], "http:// or https://"),
        (&["add-json", "j", r#"{"type": "http", "url": "x"}"#], "expected an http or https URL"),
        (&["deny", "nope"], "no MCP server is called \"nope\""),
    ];
    for (args, why) in refused {
        let output = stage.mcp(args);
        assert!(!output.status.success() && stderr(&output).contains(why), "{args:?}: {}", stderr(&output));
    }
    let url = r#"{"type": "http", "url": "${BASE}/mcp"}"#;
    assert!(stage.mcp(&["add-json", "j", url]).status.success());
    assert!(stage.mcp(&["deny", "a b"]).status.success());
}

#[test]
fn ho_6_list_and_remove_cover_every_file() {
    let stage = Stage::new(json!([]));
    stage.write(".mcp.json", &json!({"mcpServers": {"a b": {"command": "x"}, "a_b": {"command": "y"}}}));
    let settings = json!({"mcpServers": {"p": {"command": "x"}, "off": {"command": "x", "disabled": true}}});
    stage.write(".cutonce/settings.json", &settings);
    stage.command(&["trust"]).output().unwrap();
    let listed = stage.mcp(&["list", "--json", "--no-check"]);
    assert!(stderr(&listed).contains("was left out: its name is too similar to"), "{}", stderr(&listed));
    let states: Vec<(String, String)> = stdout(&listed)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|one| (one["name"].as_str().unwrap().to_string(), one["status"].as_str().unwrap().to_string()))
        .collect();
    let state = |name: &str| states.iter().find(|(known, _)| known == name).map(|(_, state)| state.as_str());
    assert_eq!((state("p"), state("off")), (Some("needs-agreement"), Some("disabled")), "{states:?}");
    let removed = stage.mcp(&["remove", "p"]);
    assert!(removed.status.success(), "{}", stderr(&removed));
    let left: Value =
        serde_json::from_slice(&std::fs::read(stage.ws().join(".cutonce/settings.json")).unwrap()).unwrap();
    assert_eq!(left, json!({"mcpServers": {"off": {"command": "x", "disabled": true}}}));
}

#[test]
fn ho_6_project_server_does_not_replace_users() {
    let stage = Stage::new(json!([]));
    let added = stage.mcp(&["add", "--scope", "user", "s", "--", "mine"]);
    assert!(added.status.success(), "{}", stderr(&added));
    stage.write(".mcp.json", &json!({"mcpServers": {"s": {"command": "theirs"}}}));
    let listed = stage.mcp(&["list", "--no-check"]);
    assert!(stdout(&listed).contains("s: mine (stdio, user)"), "{}", stdout(&listed));
    assert!(stderr(&listed).contains("also defines an MCP server \"s\""), "{}", stderr(&listed));
    let agreed = stage.mcp(&["approve", "s"]);
    let told = stdout(&agreed);
    assert!(
        told.contains("theirs") && told.contains("your rules for mcp__s apply to it"),
        "{told} {}",
        stderr(&agreed)
    );
    let listed = stdout(&stage.mcp(&["list", "--no-check"]));
    assert!(listed.contains("s: theirs (stdio, project)"), "{listed}");
}

#[test]
fn ho_6_piped_text_mentions_no_server() {
    let asked = |prompt: &str, piped: &str| {
        let stage = Stage::new(json!([{"text": "done"}]));
        let config = json!({"mcpServers": {"s": stage.server("library")}}).to_string();
        let mut run = stage.start(&["-p", prompt, "--mcp-config", &config]);
        run.stdin.take().unwrap().write_all(piped.as_bytes()).unwrap();
        let output = run.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(stage.words().contains(piped), "{}", stage.words());
        stage.logged().contains("resources/read")
    };
    assert!(asked("explain @s:notes://today", ""));
    assert!(!asked("explain", "see @s:notes://today"));
}
