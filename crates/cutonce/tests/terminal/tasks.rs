//! A silent background command costs nothing (UI-12), unless its time is shown (UI-14).

use super::{Stage, assert_idle};

#[test]
fn ui_12_silent_background_command_causes_no_wakeups() {
    let call = serde_json::json!({"name": "Bash", "input": {"command": "sleep 1000", "run_in_background": true}});
    let turns = serde_json::json!([{"calls": [call]}, {"text": "It runs."}]);
    let stage = Stage::new(&serde_json::json!({ "turns": turns }).to_string());
    let mut term = stage.shell_with("--permission-mode bypassPermissions", &[]);
    term.see("bypass").unwrap();
    term.send(b"hi\r").unwrap();
    term.see("It runs.").unwrap();
    term.until("be idle", |screen| !screen.contains("interrupt") && screen.contains("1 task")).unwrap();
    assert_idle(&stage, &mut term);
    // Its time advances where it is shown.
    term.press("ctrl+t").unwrap();
    term.see("bash_1  sleep 1000").unwrap();
    let first = term.contents();
    term.until("count on", |screen| *screen != *first).unwrap();
    term.press("ctrl+d").unwrap();
    term.see("ended 0").unwrap();
}
