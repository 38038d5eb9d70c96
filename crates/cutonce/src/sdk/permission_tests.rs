//! What hosts answer, and what becomes of it.

use super::*;
use cutonce_core::event::Choice as Option_;
use cutonce_core::permission::Why;

fn ask(tool: &str, input: Value, kind: AskKind) -> AskView {
    AskView { agent: None, ask_id: "ask".into(), call_id: "call".into(), tool: tool.into(), input, kind }
}

fn permission(suggestions: Vec<Suggestion>) -> AskKind {
    let why = Why { reason: "default mode asks".into(), rule: None, source: None };
    AskKind::Permission { by: AskedBy::Mode, why, suggestions, preview: None, from: None }
}

#[test]
fn ho_1_a_request_names_the_call_and_what_would_make_it_needless() {
    let rules = vec!["Edit(./a.txt)".to_string()];
    let kind = permission(vec![Suggestion { rules, behavior: Behavior::Allow }]);
    let request = request(&ask("Write", json!({"file_path": "/w/a.txt"}), kind), true);
    assert_eq!(request["tool_use_id"], "call");
    assert_eq!(request["description"], "a.txt");
    let mode = json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]);
    assert_eq!(request["permission_suggestions"], mode);
}

#[test]
fn ho_1_what_is_suggested_is_one_choice_the_narrowest() {
    let choices = |rules: &[&[&str]]| {
        let one = |rules: &&[&str]| {
            let rules = rules.iter().map(|rule| rule.to_string()).collect();
            Suggestion { rules, behavior: Behavior::Allow }
        };
        permission(rules.iter().map(one).collect())
    };
    let suggested = |tool: &str, kind: AskKind, lasting| {
        request(&ask(tool, json!({}), kind), lasting)["permission_suggestions"].clone()
    };
    let rule = |tool: &str, content: Option<&str>, destination: &str| {
        let mut rule = json!({"toolName": tool});
        content.into_iter().for_each(|content| rule["ruleContent"] = content.into());
        json!([{"type": "addRules", "rules": [rule], "behavior": "allow", "destination": destination}])
    };
    let push = || choices(&[&["Bash(git push)"], &["Bash(git push:*)"]]);
    assert_eq!(suggested("Bash", push(), true), rule("Bash", Some("git push"), "localSettings"));
    // The folder's own settings are not read: the rule would not count the next time.
    assert_eq!(suggested("Bash", push(), false), rule("Bash", Some("git push"), "session"));
    let server = choices(&[&["mcp__s__t"], &["mcp__s"]]);
    assert_eq!(suggested("mcp__s__t", server, true), rule("mcp__s__t", None, "localSettings"));
    // Outside of the working folder the mode for edits would not help.
    let outside = choices(&[&["Edit(~/a.txt)"], &["Edit(~/**)"]]);
    assert_eq!(suggested("Write", outside, true), rule("Edit", Some("~/a.txt"), "localSettings"));
    assert_eq!(suggested("Bash", choices(&[]), true), json!([]));
}

#[test]
fn ho_1_rules_and_mode_hold_before_the_call_runs() {
    let updates = json!([{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": null}], "behavior": "deny",
        "destination": "session"}, {"type": "setMode", "mode": "acceptEdits"}, {"type": "addDirectories"}, {"type": "addDirectories",
        "directories": ["/x"], "destination": "session"}]);
    let said = json!({"behavior": "allow", "updatedInput": {"a": 1}, "updatedPermissions": updates});
    let meant = meaning(&ask("Write", json!({}), permission(vec![])), Ok(said));
    let [
        Submission::ChangeRules(change),
        Submission::SetMode { mode, .. },
        Submission::Answer { answer, .. },
        Submission::ChangeFolders(folders),
    ] = meant.submissions.as_slice()
    else {
        panic!("{:?}", meant.submissions)
    };
    assert_eq!((change.rules.as_slice(), change.behavior), (&["Bash".to_string()][..], Behavior::Deny));
    assert_eq!(*mode, Mode::AcceptEdits);
    assert_eq!(*answer, Answer::Host(HostAnswer::Allow { input: Some(json!({"a": 1})) }));
    assert_eq!(meant.notes.len(), 1, "a list that is none");
    assert_eq!(*folders, FolderChange { add: true, folders: vec!["/x".into()] });
    // Less than was said would be more rights than were given.
    let odd = json!({"behavior": "allow", "updatedPermissions": [{"type": "removeDirectories", "directories": [7]}]});
    let meant = meaning(&ask("Write", json!({}), permission(vec![])), Ok(odd));
    assert!(matches!(
        meant.submissions.as_slice(),
        [Submission::Answer { answer: Answer::Host(HostAnswer::Deny { .. }), .. }]
    ));
}

#[test]
fn ho_3_what_is_not_clearly_a_yes_is_none() {
    for result in [Err("raised".to_string()), Ok(json!({})), Ok(json!({"behavior": "ALLOW"})), Ok(json!([]))] {
        let meant = meaning(&ask("Write", json!({}), permission(vec![])), result);
        assert!(
            matches!(
                meant.submissions.as_slice(),
                [Submission::Answer { answer: Answer::Host(HostAnswer::Deny { .. }), .. }]
            ),
            "{:?}",
            meant.submissions
        );
    }
}

#[test]
fn ho_2_a_yes_with_less_than_can_be_carried_out_is_none() {
    let lost = [
        json!([{"type": "setMode", "mode": "weird"}]),
        json!([{"type": "setMode"}]),
        json!([{"type": "addRules", "rules": [{"toolName": "Bash"}], "behavior": "deny", "destination": "nowhere"}]),
        json!([{"type": "addRules", "rules": "Bash", "behavior": "ask"}]),
    ];
    for updates in lost {
        let said = json!({"behavior": "allow", "updatedPermissions": updates});
        let meant = meaning(&ask("Write", json!({}), permission(vec![])), Ok(said.clone()));
        let [Submission::Answer { answer: Answer::Host(HostAnswer::Deny { .. }), .. }] = meant.submissions.as_slice()
        else {
            panic!("{:?}", meant.submissions)
        };
        let meant = meaning(&ask("ExitPlanMode", json!({}), plan()), Ok(said));
        assert!(is_unusable(&meant), "{meant:?}");
    }
}

/// The least of modes is no more than it says: default, and nobody is asked (HO-1).
#[test]
fn ho_2_a_yes_into_dont_ask_is_one_into_the_least() {
    let said = json!({"behavior": "allow", "updatedPermissions": [{"type": "setMode", "mode": "dontAsk"}]});
    let meant = meaning(&ask("Write", json!({}), permission(vec![])), Ok(said.clone()));
    assert!(
        matches!(meant.submissions.first(), Some(Submission::SetMode { mode: Mode::Default, .. }))
            && meant.dont_ask == Some(true),
        "{meant:?}"
    );
    let meant = meaning(&ask("ExitPlanMode", json!({}), plan()), Ok(said));
    let [Submission::Answer { answer: Answer::Plan(yes), .. }] = meant.submissions.as_slice() else {
        panic!("{meant:?}")
    };
    assert_eq!((yes.choice, meant.dont_ask), (ChoiceKey::Default, Some(true)));
}

#[test]
fn pm_84_an_edited_plan_that_says_nothing_approves_nothing() {
    for (edited, usable) in [(json!(""), false), (json!(" \n"), false), (json!(5), false), (json!("# New\n"), true)] {
        let said = json!({"behavior": "allow", "updatedInput": {"plan": edited}});
        let meant = meaning(&ask("ExitPlanMode", json!({}), plan()), Ok(said));
        assert_eq!(is_unusable(&meant), !usable, "{edited}: {meant:?}");
    }
}

/// The request of a stay that default mode was left for.
fn plan() -> AskKind {
    let choices =
        [("acceptEdits", "acceptEdits"), ("default", "default"), ("keepPlanning", "plan"), ("leave", "default")];
    let choices: Vec<Value> =
        choices.iter().map(|(key, mode)| json!({"key": key, "label": key, "mode": mode})).collect();
    let request = json!({"askId": "ask", "plan": "# Old\n", "planFilePath": "/p.md", "sha256": null, "revision": 1,
        "choices": choices, "layer": "sandbox", "changedFiles": [], "shells": [], "stay": 1});
    AskKind::Plan { request: serde_json::from_value(request).unwrap(), previous: None, draft: None }
}

fn is_unusable(meant: &Meant) -> bool {
    matches!(meant.submissions.as_slice(), [Submission::Answer { answer: Answer::Unusable { .. }, .. }])
}

#[test]
fn ho_2_answers_come_in_the_order_of_the_questions() {
    let option = |label: &str| Option_ { label: label.into(), description: String::new(), preview: None };
    let question = |text: &str, multi_select| Question {
        question: text.into(),
        header: "h".into(),
        options: vec![option("A"), option("B, or C")],
        multi_select,
    };
    let questions = vec![question("One?", false), question("Two?", true), question("Three?", true)];
    let given = json!({"Two?": "A, other", "One?": "A", "Three?": "B, or C"});
    let said = json!({"behavior": "allow", "updatedInput": {"answers": given}});
    let meant = meaning(&ask("AskUserQuestion", json!({}), AskKind::Questions(questions.clone())), Ok(said));
    let [Submission::Answer { answer: Answer::Questions(QuestionsAnswer::Answered { answers }), .. }] =
        meant.submissions.as_slice()
    else {
        panic!("{:?}", meant.submissions)
    };
    assert_eq!(*answers, [vec!["A"], vec!["A", "other"], vec!["B, or C"]]);
    let none =
        meaning(&ask("AskUserQuestion", json!({}), AskKind::Questions(questions)), Ok(json!({"behavior": "allow"})));
    assert!(matches!(none.submissions.as_slice(), [Submission::Answer { answer: Answer::Host(_), .. }]));
}
