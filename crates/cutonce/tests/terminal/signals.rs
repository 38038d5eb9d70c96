//! Signals and Ctrl+D end the terminal program in every state (DU-1).

use super::{PLANS, Stage, TALK};
use serde_json::json;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What the agent waits for: the model's script, the settings, and what is on the screen then. If that is nothing, the
/// file `runs` says that the state is reached.
fn states() -> Vec<(&'static str, serde_json::Value, Option<&'static str>)> {
    let endless = "touch ../runs; exec sleep 1000";
    let hook = json!([{"hooks": [{"type": "command", "command": endless}]}]);
    let server = json!({"command": "bash", "args": ["-c", endless]});
    vec![
        (r#"{"turns": [{"text": "never", "fault": "idle"}]}"#, json!({}), Some("interrupt")),
        (r#"{"turns": [{"text": "Words that end early.", "fault": {"idle": 6}}]}"#, json!({}), Some("Words")),
        (
            r#"{"turns": [{"fault": {"status": 529, "message": "busy", "retry_after": "30"}}]}"#,
            json!({}),
            Some("Trying again"),
        ),
        (TALK, json!({"hooks": {"UserPromptSubmit": hook}}), None),
        (TALK, json!({"mcp": {"firstWaitMs": 60_000}, "mcpServers": {"slow": server}}), None),
    ]
}

#[test]
fn du_1_signals_and_ctrl_d_end_every_wait() {
    for (script, settings, cue) in states() {
        for (how, code) in [("TERM", 143), ("INT", 130), ("ctrl+d", 0)] {
            let stage = Stage::new(script);
            stage.program.write_settings(&settings);
            let mut term = stage.shell();
            term.see("/help").unwrap();
            term.send(b"hi\r").unwrap();
            match cue {
                Some(cue) => term.see(cue).unwrap(),
                None => {
                    let (runs, tick) = (stage.program.path("runs"), Duration::from_millis(20));
                    let reached = (0..1_500).any(|_| {
                        runs.exists() || {
                            term.watch(tick);
                            false
                        }
                    });
                    assert!(reached, "{}", term.contents());
                }
            }
            match how {
                "ctrl+d" => term.press("ctrl+d").unwrap(),
                signal => assert!(Command::new("kill").args(["-s", signal, &stage.pid()]).status().unwrap().success()),
            }
            term.see(&format!("ended {code}")).unwrap_or_else(|why| panic!("{script} {settings} {how}: {why}"));
            term.end().unwrap();
            stage.assert_given_back(&term);
        }
    }
}

/// An editor that SIGTERM alone does not end. It writes its own id.
const STUBBORN: &str = "#!/bin/bash\ntrap '' TERM\necho $$ > \"$0.pid\"\nmkfifo \"$0.fifo\"\nexec 3<> \"$0.fifo\"\n\
    echo the editor is open\nread <&3\n";

#[test]
fn du_1_sigterm_ends_the_terminal_under_an_editor() {
    for (script, command) in [(TALK, "/config"), (PLANS, "/plan open")] {
        let stage = Stage::new(script);
        let editor = stage.program.path("editor");
        std::fs::write(&editor, STUBBORN).unwrap();
        std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let mut term = stage.shell_with("--permission-mode plan", &[("EDITOR", &editor.display().to_string())]);
        term.see("plan mode on").unwrap();
        if script == PLANS {
            term.send(b"plan it\r").unwrap();
            term.see("request changes").unwrap();
            term.press("esc").unwrap();
            term.until("close the review", |screen| !screen.contains("request changes")).unwrap();
        }
        term.send(format!("{command}\r").as_bytes()).unwrap();
        if command == "/config" {
            term.see("enter edit in $EDITOR").unwrap();
            term.press("enter").unwrap();
        }
        term.see("the editor is open").unwrap();
        assert!(Command::new("kill").args(["-TERM", &stage.pid()]).status().unwrap().success());
        term.see("ended 143").unwrap_or_else(|why| panic!("{command}: {why}"));
        // The guard against blocked threads would end the program too, but not the editor on the user's terminal.
        let id = std::fs::read_to_string(stage.program.path("editor.pid")).unwrap();
        let alive = Command::new("kill").args(["-s", "KILL", id.trim()]).stderr(Stdio::null()).status().unwrap();
        assert!(!alive.success(), "{command}: the editor was left running");
        term.end().unwrap();
        stage.assert_given_back(&term);
    }
}
