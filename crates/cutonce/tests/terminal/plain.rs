//! Plain lines on a real terminal: a message of several lines, a paste, and Ctrl+C during compaction.

use super::Stage;
use std::time::Duration;

fn bodies(stage: &Stage) -> Vec<String> {
    stage.program.model.requests().iter().map(|request| String::from_utf8_lossy(&request.body).into_owned()).collect()
}

const TWO: &str = r#"{"turns": [{"text": "First answer."}, {"text": "Second answer."}]}"#;

#[test]
fn ui_3_plain_paste_is_one_message() {
    let pasted = "line one\r!touch PL\r/exit\rline two";
    let marked = format!("\x1b[200~{pasted}\x1b[201~\r");
    // With bracketed paste, and without it by speed.
    for (term, typed) in [("xterm", marked.as_str()), ("dumb", &format!("{pasted}\r"))] {
        let stage = Stage::new(TWO);
        let mut plain = stage.shell_with("--plain", &[("TERM", term)]);
        plain.see(">").unwrap();
        plain.send(typed.as_bytes()).unwrap();
        plain.see("First answer.").unwrap();
        assert!(!stage.program.path("ws/PL").exists(), "a pasted line was run ({term})");
        // Text outside the paste is still a line.
        plain.send(b"/exit\r").unwrap();
        plain.see("ended 0").unwrap();
        let bodies = bodies(&stage);
        assert_eq!(bodies.len(), 1, "{term}");
        assert!(bodies[0].contains(r"line one\n!touch PL\n/exit\nline two"), "{term}: {}", bodies[0]);
        let raw = String::from_utf8_lossy(&plain.raw).into_owned();
        let marks = [raw.matches("\x1b[?2004h").count(), raw.matches("\x1b[?2004l").count()];
        assert_eq!(marks, if term == "dumb" { [0, 0] } else { [1, 1] }, "{raw:?}");
    }
}

#[test]
fn ui_13_plain_exit_disables_bracketed_paste() {
    let stage = Stage::new(TWO);
    let mut plain = stage.shell_with("--plain", &[]);
    plain.see(">").unwrap();
    assert!(std::process::Command::new("kill").args(["-TERM", &stage.pid()]).status().unwrap().success());
    plain.see("ended 143").unwrap();
    stage.assert_given_back(&plain);
}

#[test]
fn ag_4_plain_ctrl_c_cancels_compact_then_quits() {
    let stage = Stage::new(r#"{"turns": [{"text": "First answer."}, {"fault": "idle"}, {"text": "Second answer."}]}"#);
    let mut plain = stage.shell_with("--plain", &[]);
    plain.see(">").unwrap();
    plain.send(b"hi\r").unwrap();
    plain.see("First answer.").unwrap();
    plain.send(b"/compact\r").unwrap();
    plain.see("compacting; Ctrl+C cancels").unwrap();
    while bodies(&stage).len() < 2 {
        plain.watch(Duration::from_millis(20));
    }
    plain.press("ctrl+c").unwrap();
    plain.see("was not compacted: it was interrupted").unwrap();
    plain.send(b"still there?\r").unwrap();
    plain.see("Second answer.").unwrap();
    // In the middle of a message it discards the message; at the prompt it quits.
    plain.send(b"half a \\\r").unwrap();
    plain.see("…").unwrap();
    plain.press("ctrl+c").unwrap();
    plain.see("(not sent)").unwrap();
    plain.press("ctrl+c").unwrap();
    plain.see("ended 130").unwrap();
}
