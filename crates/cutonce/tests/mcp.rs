//! MCP servers through the program (HO-6, PM-65): the reference servers from npm, and servers that lie, flood, hang and
//! die.
#![cfg(feature = "mcp")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "mcp/cli.rs"]
mod cli;
#[path = "mcp/oauth.rs"]
mod oauth;
#[path = "mcp/reference.rs"]
mod reference;
#[path = "mcp/stage.rs"]
mod stage;
#[path = "support/test_program.rs"]
mod test_program;
#[path = "mcp/web.rs"]
mod web;

use serde_json::{Value, json};
use stage::{Stage, calls};
use std::io::{BufRead, BufReader, Write};
use test_program::stderr;

/// The first request waits for the servers, so that a test sees their tools in it.
const WAIT: &str = r#"{"mcp": {"firstWaitMs": 30000}}"#;

#[test]
fn ho_6_call_waits_for_its_server() {
    let stage = Stage::new(json!([calls(&[("mcp__s__look", json!({"at": 1}))]), {"text": "done"}]));
    let output = stage.run(json!({"s": stage.server("plain")}), &["--allowedTools", "mcp__s"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stage.results(), ["look done {\"at\": 1}"]);
    assert_eq!(stage.offered(1).len(), 6);
    let told = stage.words().matches("Tools of these MCP servers can be used from now on: s.").count();
    assert_eq!(told, usize::from(stage.offered(0).is_empty()), "told once, unless it had them from the start");
    stage.assert_gone();
}

#[test]
fn ag_7_request_prefix_stays_identical() {
    let look = || calls(&[("mcp__s__look", json!({}))]);
    let stage = Stage::new(json!([look(), look(), {"text": "done"}]));
    let output = stage.run(json!({"s": stage.server("plain")}), &["--allowedTools", "mcp__s", "--settings", WAIT]);
    assert!(output.status.success(), "{}", stderr(&output));
    let tools: Vec<String> = stage.requests().iter().map(|request| request["tools"].to_string()).collect();
    assert!(tools[0].contains("mcp__s__look") && tools.iter().all(|one| *one == tools[0]));
    assert!(!stage.words().contains("from now on"), "{}", stage.words());
}

#[test]
fn ho_6_dead_and_silent_servers_delay_nothing() {
    // A run that waited for the silent server would take ten minutes.
    let patient = r#"{"mcp": {"connectTimeoutMs": 600000}}"#;
    let stage = Stage::new(json!([{"text": "answered"}]));
    let servers = json!({
        "silent": stage.server("silent"), "dead": stage.server("dead"), "none": {"command": "no-such-program-anywhere"},
        "refused": {"type": "http", "url": "http://127.0.0.1:9/mcp"}, "odd": {"command": 7},
    });
    let output = stage.run(servers, &["--settings", patient]);
    assert_eq!(
        (output.status.code(), output.stdout.as_slice()),
        (Some(0), b"answered\n".as_slice()),
        "{}",
        stderr(&output)
    );
    assert_eq!(stage.offered(0), Vec::<String>::new());
    for pid in stage.logged().lines().filter_map(|line| line.strip_prefix("pid ")) {
        assert!(!std::path::Path::new(&format!("/proc/{pid}/cmdline")).exists(), "{pid} is left");
    }
}

#[test]
fn ho_6_call_to_failed_server_is_an_error() {
    let stage = Stage::new(json!([calls(&[("mcp__dead__look", json!({}))]), {"text": "done"}]));
    let output = stage.run(json!({"dead": stage.server("dead")}), &[]);
    assert!(output.status.success());
    assert!(stage.results()[0].starts_with("error: There is no tool `mcp__dead__look`."), "{:?}", stage.results());
    assert!(
        stderr(&output).contains("MCP server dead: it ended with exit code 1; its last output: no config"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn pm_65_plan_mode_allows_only_readers() {
    let script = |ws: &std::path::Path| {
        let write = ("mcp__s__write", json!({"path": ws.join("made.txt")}));
        json!([calls(&[("mcp__s__look", json!({})), write, ("mcp__s__say_no", json!({}))]), {"text": "planned"}])
    };
    let modes: [&[&str]; 3] = [
        &["--permission-mode", "plan", "--allowedTools", "mcp__s__write", "mcp__s__*", "mcp__s"],
        &["--permission-mode", "plan", "--allow-dangerously-skip-permissions", "--allowedTools", "mcp__s"],
        &[
            "--permission-mode",
            "plan",
            "--settings",
            r#"{"permissions": {"defaultMode": "bypassPermissions", "allow": ["mcp__s"]}}"#,
        ],
    ];
    for args in modes {
        let stage = Stage::with(script);
        let output = stage.run(json!({"s": stage.server("plain")}), args);
        let results = stage.results();
        assert_eq!(results[0], "look done {}", "{args:?} {}", stderr(&output));
        let refused = "error: mcp__s__write is not allowed in plan mode. Plan mode is read-only. Only tools that their server marks as read-only may run.";
        assert_eq!(results[1], refused);
        assert!(results[2].starts_with("error: mcp__s__say_no is not allowed in plan mode."));
        assert_eq!(stage.logged().matches("call ").count(), 1, "{}", stage.logged());
        assert!(!stage.ws().join("made.txt").exists());
    }
}

#[test]
fn pm_65_user_setting_overrides_read_only_hint() {
    let both = || calls(&[("mcp__s__look", json!({})), ("mcp__s__say_no", json!({}))]);
    let run = |settings: &str, rules: &[&str]| {
        let stage = Stage::new(json!([both(), {"text": "planned"}]));
        let args = [&["--permission-mode", "plan", "--settings", settings], rules].concat();
        stage.run(json!({"s": stage.server("plain")}), &args);
        stage.results().iter().map(|result| !result.starts_with("error: ")).collect::<Vec<bool>>()
    };
    let plan = |settings: &str| run(settings, &["--allowedTools", "mcp__s"]);
    assert_eq!(run("{}", &[]), [false, false], "as in default mode, it asks, and no user is present");
    assert_eq!(plan("{}"), [true, false]);
    assert_eq!(plan(r#"{"plan": {"mcpReaders": ["mcp__s__say_no"]}}"#), [true, true]);
    assert_eq!(plan(r#"{"plan": {"mcpReaders": ["mcp__s"], "mcpWriters": ["mcp__s__look"]}}"#), [false, true]);
    assert_eq!(plan(r#"{"plan": {"mcp": "deny", "mcpReaders": ["mcp__s"]}}"#), [false, false]);
    assert_eq!(plan(r#"{"plan": {"mcp": "ask"}}"#), [false, false], "no user is present");
}

#[test]
fn pr_1_rules_match_server_and_tool() {
    let both = || calls(&[("mcp__s__look", json!({})), ("mcp__s__fail", json!({}))]);
    let run = |args: &[&str]| {
        let stage = Stage::new(json!([both(), {"text": "done"}]));
        stage.run(json!({"s": stage.server("plain")}), &[args, &["--settings", WAIT]].concat());
        (stage.results(), stage.offered(0))
    };
    let ran = ["look done {}".to_string(), "error: it did not work".to_string()];
    assert!(run(&[]).0.iter().all(|result| result.starts_with("error: Not allowed")), "without a rule it asks");
    assert_eq!(run(&["--allowedTools", "mcp__s"]).0, ran);
    assert_eq!(run(&["--allowedTools", "mcp__s__*"]).0, ran);
    let (results, _) = run(&["--allowedTools", "mcp__s__look"]);
    assert!(results[0] == ran[0] && results[1].starts_with("error: Not allowed"));
    let (results, offered) = run(&["--dangerously-skip-permissions", "--disallowedTools", "mcp__s__fail"]);
    assert!(results[0] == ran[0] && results[1].starts_with("error: There is no tool"), "{results:?}");
    assert!(
        offered.len() == 5 && !offered.contains(&"mcp__s__fail".to_string()),
        "a denied tool is not offered: {offered:?}"
    );
    let (_, offered) = run(&["--disallowedTools", "mcp__s"]);
    assert_eq!(offered, Vec::<String>::new());
}

#[test]
fn ho_6_project_server_needs_approval_per_definition() {
    let look = || calls(&[("mcp__s__look", json!({}))]);
    let stage = Stage::new(json!([look(), {"text": "1"}, look(), {"text": "2"}, look(), {"text": "3"}]));
    let write = |definition: &Value| {
        std::fs::write(stage.ws().join(".mcp.json"), json!({"mcpServers": {"s": definition}}).to_string()).unwrap();
    };
    let go = |args: &[&str]| {
        let output = stage.command(args).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    let talk: &[&str] = &["-p", "go", "--dangerously-skip-permissions"];
    write(&stage.server("plain"));
    // Neither trusting the folder nor listing servers starts it.
    go(&["trust"]);
    go(&["mcp", "list"]);
    let told = go(talk);
    assert!(told.contains("MCP servers that need your approval to start: s (python3"), "{told}");
    assert_eq!(stage.logged(), "", "something was started");
    go(&["mcp", "approve", "s"]);
    go(talk);
    assert_eq!(stage.results(), ["look done {}"]);
    // The project changes its definition, so the approval no longer applies.
    let mut changed = stage.server("plain");
    changed["env"] = json!({"MORE": "1"});
    write(&changed);
    let before = stage.logged();
    assert!(go(talk).contains("need your approval to start"));
    assert_eq!(stage.logged(), before);
}

#[test]
fn mo_4_servers_do_not_see_our_secrets() {
    let stage = Stage::new(json!([calls(&[("mcp__s__env", json!({}))]), {"text": "done"}]));
    let mut server = stage.server("plain");
    server["env"] = json!({"GIVEN": "${GITHUB_TOKEN}", "OTHER": "${NOT_SET:-fallback}"});
    let output = stage.run(json!({"s": server}), &["--allowedTools", "mcp__s"]);
    let env: Value = serde_json::from_str(&stage.results()[0]).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    assert!(
        env["ANTHROPIC_API_KEY"].is_null() && env["ANTHROPIC_BASE_URL"].is_null() && env["GITHUB_TOKEN"].is_null(),
        "{env}"
    );
    assert_eq!(env["OTHER"], "fallback");
    assert!(env["GIVEN"].as_str().unwrap() != "ghp-mcp-token-0002", "the model sees no secret: {}", env["GIVEN"]);
    // A project's definition may not use the model's key.
    let stage = Stage::new(json!([{"text": "done"}]));
    let mut server = stage.server("plain");
    server["env"] = json!({"STOLEN": "${ANTHROPIC_API_KEY}"});
    std::fs::write(stage.ws().join(".mcp.json"), json!({"mcpServers": {"s": server}}).to_string()).unwrap();
    stage.command(&["mcp", "approve", "s"]).output().unwrap();
    let listed = stage.command(&["mcp", "list"]).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("failed: ") && listed.contains("may not use ANTHROPIC_API_KEY"), "{listed}");
    assert_eq!(stage.logged(), "");
}

#[test]
fn ho_6_long_results_go_to_a_file() {
    let stage =
        Stage::new(json!([calls(&[("mcp__s__big", json!({})), ("mcp__s__fail", json!({}))]), {"text": "done"}]));
    stage.run(json!({"s": stage.server("plain")}), &["--allowedTools", "mcp__s"]);
    let results = stage.results();
    assert!(results[0].len() < 12_000 && results[0].starts_with("zzz"), "{}", results[0].len());
    let path = results[0].split("All of it is in ").nth(1).unwrap().split(": read parts").next().unwrap().to_string();
    assert_eq!(std::fs::read_to_string(path).unwrap(), "z".repeat(100_000));
    assert_eq!(results[1], "error: it did not work");
}

#[test]
fn ho_6_dead_server_restarts_on_demand() {
    let stage = Stage::new(json!([
        calls(&[("mcp__s__look", json!({}))]), calls(&[("mcp__s__die", json!({}))]), calls(&[("mcp__s__look", json!({}))]),
        {"text": "done"},
    ]));
    stage.run(json!({"s": stage.server("die")}), &["--allowedTools", "mcp__s"]);
    let results = stage.results();
    assert_eq!((results[0].as_str(), results[2].as_str()), ("look done {}", "look done {}"), "{results:?}");
    let died = "error: The MCP server s failed: it ended with exit code 3; its last output: Traceback: no more.";
    assert_eq!(results[1], died);
    assert_eq!(stage.logged().matches("pid ").count(), 2);
    stage.assert_gone();
}

#[test]
fn ho_6_server_that_keeps_dying_is_given_up() {
    let die = || calls(&[("mcp__s__die", json!({}))]);
    let stage = Stage::new(json!([die(), die(), die(), die(), die(), die(), {"text": "done"}]));
    stage.run(json!({"s": stage.server("die")}), &["--allowedTools", "mcp__s"]);
    assert_eq!(stage.logged().matches("pid ").count(), 4);
    assert!(stage.results()[5].contains("it was started 4 times and will not be restarted"), "{:?}", stage.results());
}

#[test]
fn ho_6_server_floods_do_not_stop_the_turn() {
    for (tool, words) in [("drown", "a message of more than 16 MB"), ("stream", "more than 64 MB or 50000 messages")] {
        let stage = Stage::new(json!([calls(&[(&format!("mcp__s__{tool}"), json!({}))]), {"text": "done"}]));
        let output = stage.run(json!({"s": stage.server("flood")}), &["--allowedTools", "mcp__s"]);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"done\n".as_slice()));
        assert!(stage.results()[0].contains(words), "{:?}", stage.results());
        stage.assert_gone();
    }
}

#[test]
fn ho_6_a_lying_server_is_contained() {
    let stage = Stage::new(json!([calls(&[("mcp__s__look", json!({}))]), {"text": "done"}]));
    stage.run(json!({"s": stage.server("liar")}), &["--allowedTools", "mcp__s", "--settings", WAIT]);
    assert_eq!(stage.results(), ["look done {}"]);
    assert_eq!(stage.offered(0), ["mcp__s____31mred__tool", "mcp__s__look"]);
    let tools = stage.requests()[0]["tools"].to_string();
    assert!(!tools.contains("\\u001b") && !tools.contains('\u{202e}'), "{tools}");
    assert!(stage.words().contains("its text, not the user's"), "{}", stage.words());
    let logged = stage.logged();
    let answer = |id: &str| {
        let line =
            logged.lines().find(|line| line.contains(&format!("\"{id}\""))).unwrap_or_else(|| panic!("{id}: {logged}"));
        serde_json::from_str::<Value>(line.strip_prefix("answer ").unwrap()).unwrap()
    };
    assert!(answer("ask-0")["error"]["message"].as_str().unwrap().contains("does not support sampling"));
    assert_eq!(answer("ask-1")["result"]["action"], "decline");
    assert_eq!(answer("ask-2")["result"]["roots"][0]["uri"], format!("file://{}", stage.ws().display()));
    assert_eq!(answer("ask-3")["result"], json!({}));
    assert_eq!(answer("ask-4")["error"]["code"], -32601);
}

/// Plays a host that answers every ask, and returns the questions that it was asked.
fn answer_as_host(stage: &Stage, answers: &dyn Fn(&Value) -> Value) -> Vec<Value> {
    let config = json!({"mcpServers": {"s": stage.server("asks")}}).to_string();
    let mut args = vec!["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    args.extend(["--permission-prompt-tool", "stdio", "--allowedTools", "mcp__s", "--mcp-config", &config]);
    let mut child = stage.start(&args);
    let mut stdin = child.stdin.take().unwrap();
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "go"}});
    writeln!(stdin, "{prompt}").unwrap();
    let mut asked = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap) {
        let frame: Value = serde_json::from_str(&line).unwrap();
        if frame["type"] == "control_request" {
            let said = answers(&frame["request"]["input"]);
            let response = json!({"subtype": "success", "request_id": frame["request_id"], "response": said});
            writeln!(stdin, "{}", json!({"type": "control_response", "response": response})).unwrap();
            asked.push(frame["request"].clone());
        }
        if frame["type"] == "result" {
            break;
        }
    }
    drop(stdin);
    child.wait().unwrap();
    asked
}

#[test]
fn du_10_hosts_answer_questions_of_servers() {
    let stage = Stage::new(json!([calls(&[("mcp__s__book", json!({}))]), {"text": "done"}]));
    let asked = answer_as_host(&stage, &|input| {
        let mut input = input.clone();
        let questions = input["questions"].as_array().unwrap().clone();
        let answers = questions.iter().zip(["South", "No"]);
        let answers = answers.map(|(question, answer)| (question["question"].as_str().unwrap().into(), answer.into()));
        input["answers"] = Value::Object(answers.collect());
        json!({"behavior": "allow", "updatedInput": input})
    });
    assert_eq!((asked.len(), &asked[0]["tool_name"]), (1, &json!("AskUserQuestion")), "{asked:?}");
    let expected = r#"[{"action": "accept", "content": {"room": "s", "late": false}}]"#;
    assert_eq!(stage.results(), [expected]);
}

#[test]
fn du_10_endless_questions_end_with_the_tenth() {
    let stage = Stage::new(json!([calls(&[("mcp__s__nag", json!({}))]), {"text": "done"}]));
    let asked = answer_as_host(&stage, &|_| json!({"behavior": "deny", "message": "no"}));
    assert_eq!(asked.len(), 10);
    assert_eq!(stage.results()[0].matches(r#""action": "decline""#).count(), 12, "{:?}", stage.results());
}

#[test]
fn ag_4_interrupt_cancels_a_hanging_call() {
    let stage = Stage::new(json!([calls(&[("mcp__s__wait", json!({}))]), {"text": "unreached"}]));
    let config = json!({"mcpServers": {"s": stage.server("hang")}}).to_string();
    let mut child = stage.start(&["-p", "go", "--mcp-config", &config, "--allowedTools", "mcp__s"]);
    drop(child.stdin.take());
    stage.until("call wait");
    // SAFETY: sends a signal to a child that was not waited for.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stage.logged().contains("cancelled"), "{}", stage.logged());
    stage.assert_gone();
}

#[test]
fn ho_6_hanging_call_times_out() {
    let stage =
        Stage::new(json!([calls(&[("mcp__s__wait", json!({})), ("mcp__s__look", json!({}))]), {"text": "done"}]));
    let mut server = stage.server("hang");
    server["timeout"] = json!(200);
    stage.run(json!({"s": server}), &["--allowedTools", "mcp__s"]);
    let expected = "error: The MCP server s failed: no answer within 0.2 seconds; the call was cancelled.";
    assert_eq!(stage.results(), [expected, "look done {}"]);
}

#[test]
fn ho_6_changed_tool_list_applies_next_turn() {
    let grow = calls(&[("mcp__s__grow", json!({}))]);
    let stage = Stage::new(json!([grow, {"text": "again", "repeat": 3000}]));
    let config = json!({"mcpServers": {"s": stage.server("grow")}}).to_string();
    let args = [
        "-p",
        "--output-format",
        "stream-json",
        "--input-format",
        "stream-json",
        "--verbose",
        "--mcp-config",
        &config,
        "--allowedTools",
        "mcp__s",
    ];
    let offered = stage.turns_until(&args, |stage, at| stage.offered(at).len() == 2);
    assert_eq!(stage.offered(0), stage.offered(1), "in the middle of a turn nothing changes");
    assert_eq!(stage.offered(offered), ["mcp__s__grow", "mcp__s__grown"]);
}
