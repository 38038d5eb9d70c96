//! Drafts of several processes and sessions (UI-3): each has its own, and none is lost to another.

use super::{Stage, TALK};
use std::process::Command;

fn kill(stage: &Stage) {
    assert!(Command::new("kill").args(["-9", &stage.pid()]).status().unwrap().success());
}

#[test]
fn ui_3_new_sessions_keep_separate_drafts() {
    let stage = Stage::new(TALK);
    let mut first = stage.shell();
    first.see("/help").unwrap();
    first.send(b"words of A").unwrap();
    first.see("› words of A").unwrap();
    let mut second = stage.shell();
    second.see("/help").unwrap();
    assert!(!second.contents().contains("words of A"), "a living session's draft was taken");
    second.send(b"words of B").unwrap();
    second.see("› words of B").unwrap();
    let pid = stage.pid();
    // The first sends its draft; the second keeps its own.
    first.press("enter").unwrap();
    first.see("Hello.").unwrap();
    first.until("be idle", |screen| !screen.contains("interrupt")).unwrap();
    first.press("ctrl+d").unwrap();
    first.see("ended 0").unwrap();
    assert_eq!(pid, stage.pid());
    kill(&stage);
    second.see("ended 137").unwrap();
    let mut again = stage.shell();
    again.see("› words of B").unwrap();
    again.press("ctrl+c ctrl+c").unwrap();
    again.see("ended 0").unwrap();
}

#[test]
fn ui_3_resumed_session_has_its_own_draft() {
    let stage = Stage::new(TALK);
    let mut spoken = stage.shell();
    spoken.see("/help").unwrap();
    spoken.send(b"hi\r").unwrap();
    spoken.see("Hello.").unwrap();
    spoken.until("be idle", |screen| !screen.contains("interrupt")).unwrap();
    spoken.send(b"draft of S").unwrap();
    spoken.see("› draft of S").unwrap();
    kill(&stage);
    spoken.see("ended 137").unwrap();
    let mut new = stage.shell();
    new.see("/help").unwrap();
    new.send(b"words of N").unwrap();
    new.see("› words of N").unwrap();
    kill(&stage);
    new.see("ended 137").unwrap();
    // Twice: one more key does not change the owner.
    for (shows, more) in [("› draft of S", "!"), ("› draft of S!", "")] {
        let mut back = stage.shell_with("--continue", &[]);
        back.see("Hello.").unwrap();
        back.see(shows).unwrap();
        back.send(more.as_bytes()).unwrap();
        back.see(&format!("{shows}{more}")).unwrap();
        kill(&stage);
        back.see("ended 137").unwrap();
    }
    let mut again = stage.shell();
    again.see("› words of N").unwrap();
    again.press("ctrl+c ctrl+c").unwrap();
    again.see("ended 0").unwrap();
}

#[test]
fn ui_3_ag_5_queued_messages_survive_a_kill() {
    let call = serde_json::json!({"name": "Bash", "input": {"command": "sleep 1000"}});
    let stage = Stage::new(&serde_json::json!({"turns": [{"calls": [call]}]}).to_string());
    let mut term = stage.shell_with("--permission-mode bypassPermissions", &[]);
    term.see("bypass").unwrap();
    term.send(b"hi\r").unwrap();
    term.see("Running Bash").unwrap();
    term.send(b"words that wait\r").unwrap();
    term.see("queued: words that wait").unwrap();
    term.send(b"half a thought").unwrap();
    term.see("› half a thought").unwrap();
    kill(&stage);
    term.see("ended 137").unwrap();
    let mut again = stage.shell_with("--continue", &[]);
    again.see("› words that wait").unwrap();
    again.see("  half a thought").unwrap();
    again.press("ctrl+c ctrl+c").unwrap();
    again.see("ended 0").unwrap();
}
