//! HO-7: hook input and answers, case by case.

use super::*;
use serde_json::json;

fn exit(event: HookEvent, code: i32, stdout: &str, stderr: &str) -> HookAnswer {
    HookAnswer::from_exit(event, code, stdout, stderr, OnFailure::Report)
}

fn pre(answer: Value) -> HookAnswer {
    exit(HookEvent::PreToolUse, 0, &answer.to_string(), "")
}

#[test]
fn ho_7_event_names_match_the_contract() {
    let names: Vec<_> = HookEvent::ALL.into_iter().map(HookEvent::name).collect();
    // The events of the contract, and four more that hosts know.
    let all = "PreToolUse PostToolUse PostToolUseFailure PermissionRequest UserPromptSubmit SessionStart SessionEnd Stop \
               SubagentStart SubagentStop PreCompact Notification PlanSubmitted PlanDecided";
    assert_eq!(names.join(" "), all);
    assert!(HookEvent::ALL.into_iter().all(|event| HookEvent::parse(event.name()) == Some(event)));
    assert_eq!(HookEvent::parse("preToolUse"), None);
}

#[test]
fn ho_7_hook_input_is_one_flat_object() {
    let moment = HookPayload::PreToolUse {
        tool_name: "Edit".into(),
        tool_input: json!({"file_path": "a"}),
        tool_use_id: "t1".into(),
    };
    let input = HookInput {
        session_id: "s".into(),
        transcript_path: "/t.jsonl".into(),
        cwd: "/p".into(),
        permission_mode: Mode::AcceptEdits,
        payload: moment,
    };
    let expected = json!({"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/p", "permission_mode": "acceptEdits",
        "hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"file_path": "a"}, "tool_use_id": "t1"});
    assert_eq!(input.to_json(), expected);
    let moment = HookPayload::PlanDecided {
        decision: "rejected",
        mode: Mode::Plan,
        feedback: Some("no".into()),
        plan_file_path: "/p.md".into(),
        sha256: None,
    };
    let told = HookInput { payload: moment, ..input }.to_json();
    assert_eq!(
        (&told["hook_event_name"], &told["decision"], &told["feedback"]),
        (&json!("PlanDecided"), &json!("rejected"), &json!("no"))
    );
}

#[test]
fn ho_7_matchers_are_names_or_patterns() {
    let fits = |matcher: Option<&str>, name: &str| HookMatcher::parse(matcher).unwrap().matches(Some(name));
    for all in [None, Some(""), Some("*")] {
        assert!(fits(all, "Bash"));
    }
    assert!(fits(Some("Edit|Write"), "Edit") && fits(Some("Edit|Write"), "Write"));
    for written in ["Edit | Write", "Edit, Write", " Write "] {
        assert!(fits(Some(written), "Write") && !fits(Some(written), "Read"), "{written}");
    }
    assert!(!fits(Some("Edit|Write"), "NotebookEdit") && !fits(Some("edit"), "Edit"));
    assert!(fits(Some("mcp__.*__read"), "mcp__files__read_file") && fits(Some("^(Read|Grep)$"), "Grep"));
    assert!(!fits(Some("^(Read|Grep)$"), "Greps"));
    assert!(HookMatcher::parse(Some("Write")).unwrap().matches(None), "nothing to choose from");
    assert!(HookMatcher::parse(Some("(")).unwrap_err().to_string().contains("not a valid matcher"));
    assert!(HookMatcher::parse(Some("(x{900}){900}")).is_err(), "bounded");
}

#[test]
fn ho_7_exit_codes_answer_block_or_fail() {
    assert_eq!(exit(HookEvent::PreToolUse, 0, "fine\n", "noise"), HookAnswer::default());
    let blocked = exit(HookEvent::PreToolUse, 2, "", "not on Fridays\n");
    assert_eq!((blocked.permission, blocked.reason.as_str()), (Some(HookPermission::Deny), "not on Fridays"));
    assert_eq!(exit(HookEvent::Stop, 2, "", "tests fail").block.as_deref(), Some("tests fail"));
    assert_eq!(exit(HookEvent::Stop, 2, "", " ").block.as_deref(), Some("the hook gave no reason"));
    let failed = exit(HookEvent::PreToolUse, 1, r#"{"decision":"approve"}"#, "\n  oops\nmore");
    assert_eq!(
        (failed.permission, failed.user_messages.as_slice()),
        (None, ["A PreToolUse hook failed: exit code 1: oops".to_string()].as_slice())
    );
    let strict = HookAnswer::from_exit(HookEvent::PreToolUse, 1, "", "oops", OnFailure::Block);
    assert_eq!(strict.permission, Some(HookPermission::Deny));
}

#[test]
fn ho_7_plain_text_is_context_for_two_events() {
    for event in HookEvent::ALL {
        let words = exit(event, 0, "the build is red\n", "").context;
        let takes = matches!(event, HookEvent::UserPromptSubmit | HookEvent::SessionStart);
        assert_eq!(words, if takes { vec!["the build is red"] } else { vec![] }, "{}", event.name());
    }
}

#[test]
fn ho_7_json_answers() {
    let specific = |fields: Value| {
        let mut specific = json!({"hookEventName": "PreToolUse"});
        specific.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        pre(json!({"hookSpecificOutput": specific}))
    };
    assert_eq!(specific(json!({"permissionDecision": "allow"})).permission, Some(HookPermission::Allow));
    assert_eq!(specific(json!({"permissionDecision": "defer"})).permission, None);
    let asked =
        specific(json!({"permissionDecision": "ask", "permissionDecisionReason": "look", "additionalContext": "note"}));
    assert_eq!((asked.permission, asked.reason.as_str()), (Some(HookPermission::Ask), "look"));
    assert_eq!(asked.context, ["note"]);
    assert_eq!(specific(json!({"updatedInput": {"a": 1}})).updated_input, Some(json!({"a": 1})));
    assert_eq!(pre(json!({"decision": "block", "reason": "no"})).permission, Some(HookPermission::Deny));
    assert_eq!(pre(json!({"decision": "approve"})).permission, Some(HookPermission::Allow));
    let stopped = pre(json!({"continue": false, "stopReason": "enough", "systemMessage": "bye\u{1b}[2J"}));
    assert_eq!(
        (stopped.stop.as_deref(), stopped.user_messages.as_slice()),
        (Some("enough"), ["bye".to_string()].as_slice())
    );
    let post = exit(HookEvent::PostToolUse, 0, r#"{"decision":"block","reason":"lint"}"#, "");
    assert_eq!((post.block.as_deref(), post.permission), (Some("lint"), None));
}

#[test]
fn ho_7_hooks_approve_only_calls() {
    let of_calls = [HookEvent::PreToolUse, HookEvent::PermissionRequest];
    for event in HookEvent::ALL.into_iter().filter(|event| !of_calls.contains(event)) {
        let answer =
            json!({"decision": "approve", "hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {}}});
        let reply = exit(event, 0, &answer.to_string(), "");
        assert_eq!((reply.permission, reply.updated_input, reply.block), (None, None, None), "{}", event.name());
    }
}

#[test]
fn ho_7_permission_request_answers() {
    let answer = |decision: Value| {
        let answer = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}});
        exit(HookEvent::PermissionRequest, 0, &answer.to_string(), "")
    };
    let denied = answer(json!({"behavior": "deny", "message": "not now", "interrupt": true}));
    assert_eq!((denied.permission, denied.reason.as_str()), (Some(HookPermission::Deny), "not now"));
    assert_eq!(denied.stop.as_deref(), Some("not now"));
    let allowed = answer(json!({"behavior": "allow", "updatedInput": {"a": 1}, "interrupt": true}));
    assert_eq!((allowed.permission, allowed.stop), (Some(HookPermission::Allow), None));
    assert_eq!(allowed.updated_input, Some(json!({"a": 1})));
    // An invalid answer leaves the decision to the user.
    for bad in [json!({"behavior": "sure"}), json!("allow"), json!({"behavior": "allow", "updatedInput": "rm"})] {
        assert_eq!(answer(bad.clone()).permission, Some(HookPermission::Ask), "{bad}");
    }
    assert_eq!(exit(HookEvent::PermissionRequest, 2, "", "no").permission, Some(HookPermission::Deny));
    // The same answer has no effect for another event.
    let other = json!({"hookSpecificOutput": {"decision": {"behavior": "allow"}}});
    assert_eq!(exit(HookEvent::PlanSubmitted, 0, &other.to_string(), ""), HookAnswer::default());
}

#[test]
fn ho_7_replaced_output_is_limited_to_post_tool_use() {
    let put = |event: HookEvent, output: Value| {
        exit(event, 0, &json!({"hookSpecificOutput": {"updatedToolOutput": output}}).to_string(), "").updated_output
    };
    assert_eq!(put(HookEvent::PostToolUse, json!("less\u{1b}[2J")).as_deref(), Some("less"));
    assert_eq!(put(HookEvent::PostToolUse, json!({"content": [{"type": "text", "text": "a"}]})).as_deref(), Some("a"));
    assert_eq!(put(HookEvent::PostToolUse, json!({"stdout": ""})).as_deref(), Some(r#"{"stdout":""}"#));
    assert!(put(HookEvent::PostToolUse, json!("x".repeat(200_000))).unwrap().len() < 100_100);
    assert_eq!(put(HookEvent::PreToolUse, json!("less")), None);
}

#[test]
fn ho_7_invalid_answers_ask_and_never_allow() {
    let bad = [
        "{not json",
        r#"{"decision": "yes"}"#,
        r#"{"decision": 7}"#,
        r#"{"hookSpecificOutput": {"permissionDecision": "ALLOW"}}"#,
        r#"{"hookSpecificOutput": {"hookEventName": "Stop", "permissionDecision": "allow"}}"#,
        r#"{"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": "rm"}}"#,
        r#"{"hookSpecificOutput": "allow"}"#,
    ];
    for answer in bad {
        let reply = exit(HookEvent::PreToolUse, 0, answer, "");
        assert_eq!(reply.permission, Some(HookPermission::Ask), "{answer}");
        assert!(reply.user_messages[0].contains("hook failed"), "{answer}");
        assert_eq!(
            HookAnswer::from_exit(HookEvent::PreToolUse, 0, answer, "", OnFailure::Block).permission,
            Some(HookPermission::Deny)
        );
    }
    assert!(HookAnswer::from_json(HookEvent::Stop, &json!([])).is_err());
}

#[test]
fn ho_7_hook_texts_are_limited_and_sanitized() {
    let long = "x".repeat(50_000);
    let answer = json!({"systemMessage": long, "reason": long, "decision": "block", "hookSpecificOutput": {"additionalContext": format!("\u{1b}]52;c;eA==\u{7}{long}")}});
    let reply = pre(answer);
    assert!(reply.context[0].chars().count() < 10_100 && reply.context[0].starts_with('x'));
    assert!(reply.user_messages[0].chars().count() < 600 && reply.reason.chars().count() < 2_100);
}

#[test]
fn ho_7_strictest_answer_wins() {
    let allow = pre(json!({"decision": "approve", "reason": "fine"}));
    let ask = pre(
        json!({"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "hm", "additionalContext": "a"}}),
    );
    let deny = pre(json!({"decision": "block", "reason": "no", "systemMessage": "told"}));
    let all = allow.clone().merge(ask.clone()).merge(deny.clone());
    assert_eq!((all.permission, all.reason.as_str()), (Some(HookPermission::Deny), "no"));
    assert_eq!((all.context, all.user_messages), (vec!["a".to_string()], vec!["told".to_string()]));
    assert_eq!(deny.merge(allow.clone()).reason, "no");
    assert_eq!(ask.merge(allow).permission, Some(HookPermission::Ask));
}
