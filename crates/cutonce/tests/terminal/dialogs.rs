//! Ctrl+Z, Ctrl+T and Ctrl+L work over a dialog as elsewhere (UI-13, UI-14).

use super::{Stage, as_a_job};

#[test]
fn ui_13_ctrl_z_works_with_a_dialog() {
    let call = serde_json::json!({"name": "Bash", "input": {"command": "touch made"}});
    let todos = serde_json::json!([{"content": "Make it", "activeForm": "Making it", "status": "in_progress"}]);
    let todos = serde_json::json!({"name": "TodoWrite", "input": {"todos": todos}});
    let turns = serde_json::json!([{"calls": [todos, call]}, {"text": "Not done."}]);
    let stage = Stage::new(&serde_json::json!({ "turns": turns }).to_string());
    let mut term = as_a_job(&stage);
    term.send(b"go\r").unwrap();
    term.see("digit chooses").unwrap();
    term.press("ctrl+t").unwrap();
    term.see("▸ Make it").unwrap();
    term.press("ctrl+t").unwrap();
    term.see("☐ Making it").unwrap();
    term.press("ctrl+z").unwrap();
    term.see("Stopped").unwrap();
    term.send(b"echo looked; fg\r").unwrap();
    term.until("be there again", |screen| screen.rfind("wants to run") > screen.rfind("looked")).unwrap();
    assert!(!stage.program.path("ws/made").exists());
    term.press("esc").unwrap();
    term.see("Interrupted. Tell the agent").unwrap();
    term.press("ctrl+c ctrl+c").unwrap();
    term.until("end", |screen| screen.trim_end().ends_with("shell$")).unwrap();
}
