//! HO-7, PM-61, PM-120: what may answer an ask besides a person, in every mode, over every kind of call and rule.

mod world;

use cutonce_core::mode::Mode;
use cutonce_core::permission::{Access, Allowed, AskedBy, Decision, Facts, Held, ShellFacts, decide};
use cutonce_core::rule::Rules;
use world::*;

fn calls() -> Vec<Facts> {
    let mut held = ShellFacts::new("make", false, target);
    held.held = Held::Sandbox;
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
        Facts { tool: "Bash".into(), access: Access::Shell(held) },
        fetch("example.org"),
        agent("Explore"),
        mcp("mcp__a__b", true),
        mcp("mcp__a__b", false),
        question(),
        inner("TodoWrite"),
        inner("ExitPlanMode"),
    ]
}

fn rule_sets() -> Vec<Rules> {
    vec![
        rules(&[]),
        rules(&["deny Bash", "deny Edit", "deny Read(//etc/**)", "deny WebFetch", "deny mcp__a"]),
        rules(&["ask Bash", "ask Edit", "ask Read", "ask WebFetch", "ask mcp__a"]),
        rules(&["allow Bash", "allow Edit", "allow Read", "allow WebFetch", "allow mcp__a"]),
    ]
}

fn each(check: impl Fn(Mode, &Rules, &Facts, Decision, Decision)) {
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
fn ho_7_pm_61_a_hooks_allow_lifts_no_denial_and_nothing_in_plan_mode() {
    each(|mode, _, facts, plain, hooked| {
        let open = matches!(&plain, Decision::Ask(ask) if ask.by == AskedBy::Mode);
        let expected = match (word(&plain), mode) {
            ("ask", mode) if open && mode != Mode::Plan => "run",
            (same, _) => same,
        };
        assert_eq!(word(&hooked.allowed_by_hook(mode, "yes")), expected, "{mode} {facts:?}");
    });
}

#[test]
fn ho_7_a_hooks_ask_only_takes_rights_away() {
    each(|mode, _, facts, plain, hooked| {
        let expected = if word(&plain) == "run" { "ask" } else { word(&plain) };
        let asked = hooked.asking(facts.clone(), "look");
        assert_eq!(word(&asked), expected, "{mode} {facts:?}");
        if let Decision::Ask(ask) = asked {
            assert!(!ask.is_open(), "a person is asked: neither a hook nor the classifier answers it");
        }
    });
}

#[test]
fn pm_120_the_classifier_answers_only_what_nothing_but_the_mode_asks_for() {
    each(|mode, rules, facts, plain, judged| {
        let Decision::Ask(ask) = judged else { return };
        let by_mode = matches!(&plain, Decision::Ask(ask) if ask.by == AskedBy::Mode);
        let allowed = Allowed::by_classifier(*ask, "fine").is_ok();
        assert_eq!(allowed, by_mode, "{mode} {facts:?}");
        // What default mode would not even ask for is never given (PM-120).
        assert!(!allowed || word(&decide(Mode::Default, rules, facts.clone())) != "deny", "{mode} {facts:?}");
        let never =
            [write(".git/config"), write("~/.bashrc"), read("~/.ssh/id_rsa"), bash("cat ~/.ssh/id_rsa"), bash("if (")];
        assert!(!allowed || !never.contains(facts), "{mode} {facts:?}");
    });
}
