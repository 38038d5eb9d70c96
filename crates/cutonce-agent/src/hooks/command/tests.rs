//! Real commands through a real sh: what they are given, what becomes of their answers, and that nothing of them is left.

use super::*;
use cutonce_core::hook::Permission;
use cutonce_core::mode::Mode;
use serde_json::json;

fn hook(event: HookEvent, command: &str, cwd: &Path) -> CommandHook {
    let env = vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default()), ("SEEN".into(), "yes".into())];
    let around = Arc::new(Surroundings { cwd: cwd.to_path_buf(), env });
    let setting: HookCommand = serde_json::from_value(json!({"type": "command", "command": command})).unwrap();
    CommandHook::new(event, Matcher::Any, &setting, around)
}

fn input(moment: Moment) -> HookInput {
    HookInput {
        session_id: "s-1".into(),
        transcript_path: "/t.jsonl".into(),
        cwd: "/p".into(),
        permission_mode: Mode::Plan,
        moment,
    }
}

fn call(tool: &str) -> HookInput {
    input(Moment::PreToolUse { tool_name: tool.into(), tool_input: json!({"a": 1}), tool_use_id: "t".into() })
}

#[tokio::test]
async fn ho_7_a_command_reads_json_and_answers_with_json() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"cat > told; printf '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"%s in %s"}}' "$SEEN" "$(pwd)""#;
    let reply = hook(HookEvent::PreToolUse, script, folder.path()).run(&call("Edit")).await;
    assert_eq!(reply.permission, Some(Permission::Deny));
    assert_eq!(reply.reason, format!("yes in {}", folder.path().canonicalize().unwrap().display()));
    let told: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.path().join("told")).unwrap()).unwrap();
    assert_eq!(told, call("Edit").to_json());
    assert_eq!(told["permission_mode"], "plan");
}

#[tokio::test]
async fn ho_7_a_command_that_reads_nothing_or_fails_is_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let big = input(Moment::UserPromptSubmit { prompt: "x".repeat(1 << 20) });
    let reply = hook(HookEvent::UserPromptSubmit, "echo context", folder.path()).run(&big).await;
    assert_eq!(reply.context, ["context"]);
    let check = async |command: &str, permission: Option<Permission>, words: &str| {
        let reply = hook(HookEvent::PreToolUse, command, folder.path()).run(&call("Edit")).await;
        assert_eq!(reply.permission, permission, "{command}");
        let all = format!("{} {}", reply.reason, reply.told.join(" "));
        assert!(all.contains(words), "{command}: {all}");
    };
    check("echo no >&2; exit 2", Some(Permission::Deny), "no").await;
    // Its exit code counts, however much it has to say.
    check("echo no >&2; head -c 1000000 /dev/zero | tr '\\0' x >&2 || exit 1; exit 2", Some(Permission::Deny), "no")
        .await;
    check("exit 3", None, "exit code 3").await;
    check("kill -9 $$", Some(Permission::Ask), "signal 9").await;
    check("head -c 1000000 /dev/zero | tr '\\0' x; true", Some(Permission::Ask), "printed more than").await;
    check("echo '{oops'", Some(Permission::Ask), "no JSON").await;
}

#[tokio::test]
async fn ho_7_a_command_is_ended_with_all_it_started_when_its_time_is_over_or_it_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    // The pipe's other end is held by what the hook leaves behind: only its death ends the reading.
    let left = hook(HookEvent::PreToolUse, "sleep 600 & echo $! > pid; exit 0", folder.path());
    assert_eq!(left.run(&call("Edit")).await, Reply::default());
    let pid = std::fs::read_to_string(folder.path().join("pid")).unwrap();
    assert!(!Path::new(&format!("/proc/{}", pid.trim())).exists(), "{pid}");
    let mut slow = hook(HookEvent::PreToolUse, "echo $$ > pid2; sleep 600", folder.path());
    slow.timeout = Duration::from_millis(300);
    let reply = slow.run(&call("Edit")).await;
    assert_eq!(reply.permission, Some(Permission::Ask));
    assert!(reply.reason.contains("did not end within"), "{}", reply.reason);
}

#[test]
fn ho_7_settings_become_hooks_and_a_broken_matcher_guards_everything() {
    let settings: Settings = serde_json::from_value(json!({"hooks": {"PreToolUse": [
        {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "a"}, {"command": "b"}]},
        {"matcher": "(", "hooks": [{"command": "c"}]}]}}))
    .unwrap();
    let mut notices = Vec::new();
    let hooks = of_settings(&settings, Path::new("/p"), Vec::new(), &mut notices);
    let wants = |tool: &str| hooks.iter().filter(|hook| hook.wants(&call(tool).moment)).count();
    assert_eq!((hooks.len(), wants("Edit"), wants("Bash")), (3, 3, 1));
    assert!(notices[0].contains("hooks.PreToolUse") && notices.len() == 1, "{notices:?}");
    let off = Settings { disable_all_hooks: true, ..settings };
    assert!(of_settings(&off, Path::new("/p"), Vec::new(), &mut notices).is_empty());
}
