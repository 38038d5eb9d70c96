//! Answers of hosts and their effects.

use super::*;
use cutonce_core::permission::Why;
use cutonce_core::plan::approval::ChoiceKey;
use cutonce_core::plan::progress::StepAnswer;
use cutonce_core::protocol::event::QuestionOption as Option_;
use cutonce_core::settings::plan::ScopeMode;

fn ask(tool: &str, input: Value, kind: AskKind) -> AskView {
    AskView { agent: None, ask_id: "ask".into(), call_id: "call".into(), tool: tool.into(), input, kind }
}

fn permission(suggestions: Vec<RuleSuggestion>) -> AskKind {
    let why = Why::from_reason("default mode asks");
    AskKind::Permission { by: AskCause::Mode, why, suggestions, preview: None, from: None }
}

#[test]
fn ho_1_request_names_call_and_suggestions() {
    let rules = vec!["Edit(./a.txt)".to_string()];
    let kind = permission(vec![RuleSuggestion { rules, behavior: RuleBehavior::Allow }]);
    let request = build_request(&ask("Write", json!({"file_path": "/w/a.txt"}), kind), true);
    assert_eq!(request["tool_use_id"], "call");
    assert_eq!(request["description"], "a.txt");
    let mode = json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]);
    assert_eq!(request["permission_suggestions"], mode);
}

#[test]
fn ho_1_suggestion_is_the_narrowest_choice() {
    let choices = |rules: &[&[&str]]| {
        let one = |rules: &&[&str]| {
            let rules = rules.iter().map(|rule| rule.to_string()).collect();
            RuleSuggestion { rules, behavior: RuleBehavior::Allow }
        };
        permission(rules.iter().map(one).collect())
    };
    let suggested = |tool: &str, kind: AskKind, lasting| {
        build_request(&ask(tool, json!({}), kind), lasting)["permission_suggestions"].clone()
    };
    let rule = |tool: &str, content: Option<&str>, destination: &str| {
        let mut rule = json!({"toolName": tool});
        content.into_iter().for_each(|content| rule["ruleContent"] = content.into());
        json!([{"type": "addRules", "rules": [rule], "behavior": "allow", "destination": destination}])
    };
    let push = || choices(&[&["Bash(git push)"], &["Bash(git push:*)"]]);
    assert_eq!(suggested("Bash", push(), true), rule("Bash", Some("git push"), "localSettings"));
    // The local settings are not read, so the rule would not apply the next time.
    assert_eq!(suggested("Bash", push(), false), rule("Bash", Some("git push"), "session"));
    let server = choices(&[&["mcp__s__t"], &["mcp__s"]]);
    assert_eq!(suggested("mcp__s__t", server, true), rule("mcp__s__t", None, "localSettings"));
    // Outside the workspace acceptEdits mode would not help.
    let outside = choices(&[&["Edit(~/a.txt)"], &["Edit(~/**)"]]);
    assert_eq!(suggested("Write", outside, true), rule("Edit", Some("~/a.txt"), "localSettings"));
    assert_eq!(suggested("Bash", choices(&[]), true), json!([]));
}

#[test]
fn ho_1_rules_and_mode_apply_before_the_call() {
    let updates = json!([{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": null}], "behavior": "deny",
        "destination": "session"}, {"type": "setMode", "mode": "acceptEdits"}, {"type": "addDirectories"}, {"type": "addDirectories",
        "directories": ["/x"], "destination": "session"}]);
    let said = json!({"behavior": "allow", "updatedInput": {"a": 1}, "updatedPermissions": updates});
    let meant = interpret_answer(&ask("Write", json!({}), permission(vec![])), Ok(said));
    let [
        Submission::ChangeRules(change),
        Submission::SetModeByAnswer { mode },
        Submission::Answer { answer, .. },
        Submission::ChangeFolders(folders),
    ] = meant.submissions.as_slice()
    else {
        panic!("{:?}", meant.submissions)
    };
    assert_eq!((change.rules.as_slice(), change.behavior), (&["Bash".to_string()][..], RuleBehavior::Deny));
    assert_eq!(*mode, Mode::AcceptEdits);
    assert_eq!(*answer, AskAnswer::Host(HostAnswer::Allow { input: Some(json!({"a": 1})) }));
    assert_eq!(meant.notes.len(), 1, "a list that is none");
    assert_eq!(*folders, FolderChange { add: true, folders: vec!["/x".into()] });
    // Applying fewer restrictions would grant more than the host meant.
    let odd = json!({"behavior": "allow", "updatedPermissions": [{"type": "removeDirectories", "directories": [7]}]});
    let meant = interpret_answer(&ask("Write", json!({}), permission(vec![])), Ok(odd));
    assert!(matches!(
        meant.submissions.as_slice(),
        [Submission::Answer { answer: AskAnswer::Host(HostAnswer::Deny { .. }), .. }]
    ));
}

#[test]
fn ho_3_unclear_answer_is_a_denial() {
    for result in
        [Err(RequestError::Refused("raised".into())), Ok(json!({})), Ok(json!({"behavior": "ALLOW"})), Ok(json!([]))]
    {
        let meant = interpret_answer(&ask("Write", json!({}), permission(vec![])), result);
        assert!(
            matches!(
                meant.submissions.as_slice(),
                [Submission::Answer { answer: AskAnswer::Host(HostAnswer::Deny { .. }), .. }]
            ),
            "{:?}",
            meant.submissions
        );
    }
}

#[test]
fn ho_2_yes_with_unusable_restriction_is_denied() {
    let lost = [
        json!([{"type": "setMode", "mode": "weird"}]),
        json!([{"type": "setMode"}]),
        json!([{"type": "addRules", "rules": [{"toolName": "Bash"}], "behavior": "deny", "destination": "nowhere"}]),
        json!([{"type": "addRules", "rules": "Bash", "behavior": "ask"}]),
    ];
    for updates in lost {
        let said = json!({"behavior": "allow", "updatedPermissions": updates});
        let meant = interpret_answer(&ask("Write", json!({}), permission(vec![])), Ok(said.clone()));
        let [Submission::Answer { answer: AskAnswer::Host(HostAnswer::Deny { .. }), .. }] =
            meant.submissions.as_slice()
        else {
            panic!("{:?}", meant.submissions)
        };
        let meant = interpret_answer(&ask("ExitPlanMode", json!({}), plan()), Ok(said));
        assert!(is_unusable(&meant), "{meant:?}");
    }
}

/// `dontAsk` is the most restrictive mode: default mode without questions (HO-1).
#[test]
fn ho_2_yes_into_dont_ask_approves_default_mode() {
    let said = json!({"behavior": "allow", "updatedPermissions": [{"type": "setMode", "mode": "dontAsk"}]});
    let meant = interpret_answer(&ask("Write", json!({}), permission(vec![])), Ok(said.clone()));
    assert!(
        matches!(meant.submissions.first(), Some(Submission::SetModeByAnswer { mode: Mode::Default }))
            && meant.dont_ask == Some(true),
        "{meant:?}"
    );
    let meant = interpret_answer(&ask("ExitPlanMode", json!({}), plan()), Ok(said));
    let [Submission::Answer { answer: AskAnswer::Plan(yes), .. }] = meant.submissions.as_slice() else {
        panic!("{meant:?}")
    };
    assert_eq!((yes.choice, meant.dont_ask), (ChoiceKey::Default, Some(true)));
}

#[test]
fn pm_84_empty_edited_plan_approves_nothing() {
    for (edited, usable) in [(json!(""), false), (json!(" \n"), false), (json!(5), false), (json!("# New\n"), true)] {
        let said = json!({"behavior": "allow", "updatedInput": {"plan": edited}});
        let meant = interpret_answer(&ask("ExitPlanMode", json!({}), plan()), Ok(said));
        assert_eq!(is_unusable(&meant), !usable, "{edited}: {meant:?}");
    }
}

/// An approval of the plan with this input.
fn answer(input: Value) -> AnswerEffects {
    let said = json!({"behavior": "allow", "updatedInput": input});
    interpret_answer(&ask("ExitPlanMode", json!({}), plan()), Ok(said))
}

#[test]
fn pm_143_host_reaches_every_choice_it_is_shown() {
    for (name, key) in [
        ("acceptEdits", ChoiceKey::AcceptEdits),
        ("default", ChoiceKey::Default),
        ("clear", ChoiceKey::Clear),
        ("keepPlanning", ChoiceKey::KeepPlanning),
        ("leave", ChoiceKey::Leave),
    ] {
        let comments = json!([{"line": 1, "text": "why?"}]);
        let meant = answer(json!({"choice": name, "feedback": "f", "comments": comments, "notes": "n"}));
        let [Submission::Answer { answer: AskAnswer::Plan(given), .. }] = meant.submissions.as_slice() else {
            panic!("{meant:?}")
        };
        assert_eq!((given.choice, given.feedback.as_deref(), given.notes.as_deref()), (key, Some("f"), Some("n")));
        assert_eq!((given.comments.len(), given.comments[0].line), (1, 1));
    }
    let meant = answer(json!({"choice": "clear", "mode": "acceptEdits", "model": "opus"}));
    let [Submission::Answer { answer: AskAnswer::Plan(given), .. }] = meant.submissions.as_slice() else {
        panic!("{meant:?}")
    };
    assert_eq!((given.mode, given.model.as_deref()), (Some(Mode::AcceptEdits), Some("opus")));
}

#[test]
fn pc_38_hosts_answer_with_steps_and_terms() {
    let terms = json!({"choice": "acceptEdits", "steps": {"3": "park", "4": "drop"}, "scope": "enforce",
        "effort": "high", "budgetUsd": 1.5});
    let meant = answer(terms);
    let [Submission::Answer { answer: AskAnswer::Plan(given), .. }] = meant.submissions.as_slice() else {
        panic!("{meant:?}")
    };
    let steps: Vec<(&str, StepAnswer)> = given.steps.iter().map(|(id, answer)| (id.as_str(), *answer)).collect();
    assert_eq!(steps, [("3", StepAnswer::Park), ("4", StepAnswer::Drop)]);
    assert_eq!((given.scope, given.budget_usd), (Some(ScopeMode::Enforce), Some(1.5)));
    for bad in [json!({"steps": {"1": "later"}}), json!({"scope": "wide"}), json!({"budgetUsd": "much"})] {
        let meant = answer(bad);
        assert!(matches!(
            meant.submissions.as_slice(),
            [Submission::Answer { answer: AskAnswer::Unusable { .. }, .. }]
        ));
    }
}

#[test]
fn pm_143_unknown_choice_approves_nothing() {
    for input in [
        json!({"choice": "yes"}),
        json!({"choice": 1}),
        json!({"choice": "clear", "mode": "weird"}),
        json!({"choice": "default", "comments": "none"}),
        json!({"choice": "default", "comments": [{"line": -1, "text": "x"}]}),
        json!({"choice": "default", "notes": ["x"]}),
    ] {
        let said = json!({"behavior": "allow", "updatedInput": input});
        let meant = interpret_answer(&ask("ExitPlanMode", json!({}), plan()), Ok(said));
        assert!(is_unusable(&meant), "{meant:?}");
    }
}

#[test]
fn pm_80_answer_sets_another_mode_only_after_approval() {
    let said = json!({"behavior": "allow", "updatedPermissions": [{"type": "setMode", "mode": "bypassPermissions"}]});
    let meant = interpret_answer(&ask("ExitPlanMode", json!({}), plan()), Ok(said));
    let [Submission::Answer { answer: AskAnswer::Plan(yes), .. }, Submission::SetModeByAnswer { mode }] =
        meant.submissions.as_slice()
    else {
        panic!("{meant:?}")
    };
    assert_eq!((yes.choice, *mode), (ChoiceKey::Default, Mode::BypassPermissions));
}

/// A plan request whose plan mode was entered from default mode.
fn plan() -> AskKind {
    let choices =
        [("acceptEdits", "acceptEdits"), ("default", "default"), ("keepPlanning", "plan"), ("leave", "default")];
    let choices: Vec<Value> =
        choices.iter().map(|(key, mode)| json!({"key": key, "label": key, "mode": mode})).collect();
    let request = json!({"askId": "ask", "plan": "# Old\n", "planFilePath": "/p.md", "sha256": null, "revision": 1,
        "choices": choices, "layer": "sandbox", "changedFiles": [], "shells": [], "stay": 1});
    AskKind::Plan { request: serde_json::from_value(request).unwrap(), previous: None, draft: None }
}

fn is_unusable(meant: &AnswerEffects) -> bool {
    matches!(meant.submissions.as_slice(), [Submission::Answer { answer: AskAnswer::Unusable { .. }, .. }])
}

#[test]
fn ho_2_answers_keep_question_order() {
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
    let meant = interpret_answer(&ask("AskUserQuestion", json!({}), AskKind::Questions(questions.clone())), Ok(said));
    let [Submission::Answer { answer: AskAnswer::Questions(QuestionsAnswer::Answered { answers }), .. }] =
        meant.submissions.as_slice()
    else {
        panic!("{:?}", meant.submissions)
    };
    assert_eq!(*answers, [vec!["A"], vec!["A", "other"], vec!["B, or C"]]);
    let none = interpret_answer(
        &ask("AskUserQuestion", json!({}), AskKind::Questions(questions)),
        Ok(json!({"behavior": "allow"})),
    );
    assert!(matches!(none.submissions.as_slice(), [Submission::Answer { answer: AskAnswer::Host(_), .. }]));
}
