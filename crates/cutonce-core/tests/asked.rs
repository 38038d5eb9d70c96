//! HO-7, PM-61, PM-120: asks that hooks and the classifier may answer, for every mode, call and rule.

mod world;

use cutonce_core::mode::Mode;
use cutonce_core::permission::rules::RuleSet;
use cutonce_core::permission::{
    Access, AllowedCall, AskCause, CallFacts, Decision, ShellConfinement, ShellFacts, decide,
};
use world::*;

fn calls() -> Vec<CallFacts> {
    let mut held = ShellFacts::new("make", false, target);
    held.confinement = ShellConfinement::PlanSandbox;
    vec![
        read("a"),
        read("/etc/hosts"),
        read("~/.ssh/id_rsa"),
        write("a"),
        write("/tmp/a"),
        write(".git/config"),
        write("~/.bashrc"),
        bash("ls"),
        bash("npm test"),
        bash("rm a"),
        bash("cat ~/.ssh/id_rsa"),
        bash("echo x > $somewhere"),
        bash("echo x > .git/hooks/x"),
        bash("if ("),
        CallFacts { tool: "Bash".into(), access: Access::Shell(held) },
        fetch("example.org"),
        agent("Explore"),
        mcp("mcp__a__b", true),
        mcp("mcp__a__b", false),
        question(),
        inner("TodoWrite"),
        inner("ExitPlanMode"),
    ]
}

fn rule_sets() -> Vec<RuleSet> {
    vec![
        rules(&[]),
        rules(&["deny Bash", "deny Edit", "deny Read(//etc/**)", "deny WebFetch", "deny mcp__a"]),
        rules(&["ask Bash", "ask Edit", "ask Read", "ask WebFetch", "ask mcp__a"]),
        rules(&["allow Bash", "allow Edit", "allow Read", "allow WebFetch", "allow mcp__a"]),
    ]
}

fn each(check: impl Fn(Mode, &RuleSet, &CallFacts, Decision, Decision)) {
    for mode in MODES {
        for rules in rule_sets() {
            for facts in calls() {
                let (one, other) = (decide(mode, &rules, facts.clone()), decide(mode, &rules, facts.clone()));
                check(mode, &rules, &facts, one, other);
            }
        }
    }
}

#[test]
fn pm_61_hook_allow_answers_only_open_asks() {
    each(|mode, _, facts, plain, hooked| {
        let open = matches!(&plain, Decision::Ask(ask) if ask.cause == AskCause::Mode);
        let expected = match (word(&plain), mode) {
            ("ask", mode) if open && mode != Mode::Plan => "run",
            (same, _) => same,
        };
        assert_eq!(word(&hooked.apply_hook_allow(mode, "yes")), expected, "{mode} {facts:?}");
    });
}

#[test]
fn ho_7_hook_ask_only_removes_rights() {
    each(|mode, _, facts, plain, hooked| {
        let expected = if word(&plain) == "run" { "ask" } else { word(&plain) };
        let asked = hooked.require_user(facts.clone(), "look");
        assert_eq!(word(&asked), expected, "{mode} {facts:?}");
        if let Decision::Ask(ask) = asked {
            assert!(!ask.may_answer_automatically(), "the user is asked: neither a hook nor the classifier may answer");
        }
    });
}

#[test]
fn pm_120_classifier_answers_only_asks_by_mode() {
    each(|mode, rules, facts, plain, judged| {
        let Decision::Ask(ask) = judged else { return };
        let by_mode = matches!(&plain, Decision::Ask(ask) if ask.cause == AskCause::Mode);
        let allowed = AllowedCall::from_classifier(*ask, "fine").is_ok();
        assert_eq!(allowed, by_mode, "{mode} {facts:?}");
        // A call that default mode denies is never allowed (PM-120).
        assert!(!allowed || word(&decide(Mode::Default, rules, facts.clone())) != "deny", "{mode} {facts:?}");
        let never =
            [write(".git/config"), write("~/.bashrc"), read("~/.ssh/id_rsa"), bash("cat ~/.ssh/id_rsa"), bash("if (")];
        assert!(!allowed || !never.contains(facts), "{mode} {facts:?}");
    });
}
