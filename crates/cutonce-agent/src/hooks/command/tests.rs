//! Real commands through a real sh: their input, their replies, and that no process is left behind.

use super::*;
use cutonce_core::hooks::HookPermission;
use cutonce_core::mode::Mode;
use serde_json::json;

fn hook(event: HookEvent, command: &str, cwd: &Path) -> CommandHook {
    let env = vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default()), ("SEEN".into(), "yes".into())];
    let around = Arc::new(HookEnvironment { cwd: cwd.to_path_buf(), env });
    let setting: HookCommand = serde_json::from_value(json!({"type": "command", "command": command})).unwrap();
    CommandHook::new(event, HookMatcher::Any, &setting, around)
}

fn input(moment: HookPayload) -> HookInput {
    HookInput {
        session_id: "s-1".into(),
        transcript_path: "/t.jsonl".into(),
        cwd: "/p".into(),
        permission_mode: Mode::Plan,
        payload: moment,
    }
}

fn call(tool: &str) -> HookInput {
    input(HookPayload::PreToolUse { tool_name: tool.into(), tool_input: json!({"a": 1}), tool_use_id: "t".into() })
}

#[tokio::test]
async fn ho_7_command_hook_reads_and_writes_json() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"cat > told; printf '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"%s in %s"}}' "$SEEN" "$(pwd)""#;
    let reply = hook(HookEvent::PreToolUse, script, folder.path()).run(&call("Edit")).await;
    assert_eq!(reply.permission, Some(HookPermission::Deny));
    assert_eq!(reply.reason, format!("yes in {}", folder.path().canonicalize().unwrap().display()));
    let told: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.path().join("told")).unwrap()).unwrap();
    assert_eq!(told, call("Edit").to_json());
    assert_eq!(told["permission_mode"], "plan");
}

#[tokio::test]
async fn ho_7_failing_command_hooks_are_handled() {
    let folder = tempfile::tempdir().unwrap();
    let big = input(HookPayload::UserPromptSubmit { prompt: "x".repeat(1 << 20) });
    let reply = hook(HookEvent::UserPromptSubmit, "echo context", folder.path()).run(&big).await;
    assert_eq!(reply.context, ["context"]);
    let check = async |command: &str, permission: Option<HookPermission>, words: &str| {
        let reply = hook(HookEvent::PreToolUse, command, folder.path()).run(&call("Edit")).await;
        assert_eq!(reply.permission, permission, "{command}");
        let all = format!("{} {}", reply.reason, reply.user_messages.join(" "));
        assert!(all.contains(words), "{command}: {all}");
    };
    check("echo no >&2; exit 2", Some(HookPermission::Deny), "no").await;
    // The exit code is used, however much the hook prints.
    check(
        "echo no >&2; head -c 1000000 /dev/zero | tr '\\0' x >&2 || exit 1; exit 2",
        Some(HookPermission::Deny),
        "no",
    )
    .await;
    check("exit 3", None, "exit code 3").await;
    check("kill -9 $$", Some(HookPermission::Ask), "signal 9").await;
    check("head -c 1000000 /dev/zero | tr '\\0' x; true", Some(HookPermission::Ask), "printed more than").await;
    check("echo '{oops'", Some(HookPermission::Ask), "not JSON").await;
}

#[tokio::test]
async fn ho_7_hook_process_group_is_killed_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    // A process left behind keeps the pipe open: reading ends only once it is killed.
    let left = hook(HookEvent::PreToolUse, "sleep 600 & echo $! > pid; exit 0", folder.path());
    assert_eq!(left.run(&call("Edit")).await, HookAnswer::default());
    let pid = std::fs::read_to_string(folder.path().join("pid")).unwrap();
    assert!(!Path::new(&format!("/proc/{}", pid.trim())).exists(), "{pid}");
    let mut slow = hook(HookEvent::PreToolUse, "echo $$ > pid2; sleep 600", folder.path());
    slow.timeout = Duration::from_millis(300);
    let reply = slow.run(&call("Edit")).await;
    assert_eq!(reply.permission, Some(HookPermission::Ask));
    assert!(reply.reason.contains("did not end within"), "{}", reply.reason);
}

#[test]
fn ho_7_hook_with_broken_matcher_runs_for_everything() {
    let settings: Settings = serde_json::from_value(json!({"hooks": {"PreToolUse": [
        {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "a"}, {"command": "b"}]},
        {"matcher": "(", "hooks": [{"command": "c"}]}]}}))
    .unwrap();
    let mut notices = Vec::new();
    let hooks = hooks_from_settings(&settings, Path::new("/p"), Vec::new(), &mut notices);
    let wants = |tool: &str| hooks.iter().filter(|hook| hook.wants(&call(tool).payload)).count();
    assert_eq!((hooks.len(), wants("Edit"), wants("Bash")), (3, 3, 1));
    assert!(notices[0].contains("hooks.PreToolUse") && notices.len() == 1, "{notices:?}");
    let off = Settings { disable_all_hooks: true, ..settings };
    assert!(hooks_from_settings(&off, Path::new("/p"), Vec::new(), &mut notices).is_empty());
}
