//! PR-1 and PR-2: the meaning of rules, and when they apply.

mod world;

use cutonce_core::mode::Mode;
use cutonce_core::permission::rules::{ConfigSource, RuleBehavior};
use cutonce_core::permission::{Access, CallFacts, Decision, decide};
use world::*;

/// A rule with another program's name for a tool applies to that tool.
#[test]
fn pr_1_former_tool_names_work_in_rules() {
    let agent = |kind: &str| CallFacts { tool: "Agent".into(), access: Access::Agent { kind: kind.into() } };
    for (rule, kind, expected) in [
        ("deny Task", "Explore", "deny"),
        ("ask Task(Explore)", "Explore", "ask"),
        ("deny Task(Plan)", "Explore", "run"),
    ] {
        assert_eq!(outcome(Mode::Default, &rules(&[rule]), agent(kind)), expected, "{rule}");
    }
}

/// HO-8: a rule matches a skill's name, with any arguments.
#[test]
fn ho_8_rules_name_skills() {
    let skill = |name: &str| CallFacts { tool: "Skill".into(), access: Access::Skill { name: name.into() } };
    for (given, name, expected) in [
        ("deny Skill(deploy)", "deploy", "deny"),
        ("deny Skill(deploy)", "deployed", "run"),
        ("deny Skill", "deploy", "deny"),
        ("ask Skill(deploy:*)", "deploy", "ask"),
        ("ask Skill(team:deploy *)", "team:deploy", "ask"),
        ("allow Skill(deploy)", "deploy", "run"),
    ] {
        for mode in [Mode::Default, Mode::Plan, Mode::BypassPermissions] {
            assert_eq!(outcome(mode, &rules(&[given]), skill(name)), expected, "{given} in {mode}");
        }
    }
    assert!(rules(&["allow Skill(deploy)"]).errors().is_empty() && rules(&["deny Skill(a)"]).denies_skill("a"));
    assert!(!rules(&["deny Skill(a)"]).denies_skill("b") && !rules(&["deny Agent(a)"]).denies_skill("a"));
}

/// Rows: allow rule, command, whether the rule covers it in default mode.
#[test]
fn pr_1_allow_rules_cover_commands() {
    let commands: &[(&str, &str, bool)] = &[
        ("Bash(npm run test)", "npm run test", true),
        ("Bash(npm run test)", "npm   run  'test'", true),
        ("Bash(npm run test)", "npm run test --watch", false),
        ("Bash(npm run test)", "npm 'run test'", false),
        ("Bash(npm run test:*)", "npm run test --watch", true),
        ("Bash(npm run test:*)", "npm run test", true),
        ("Bash(npm run test:*)", "npm run test-all", false),
        ("Bash(npm run test:*)", "npm run test && make", false),
        ("Bash(npm run test:*)", "npm run test; ls", true),
        ("Bash(npm run test:*)", "npm run test $(make)", false),
        ("Bash(npm run test:*)", "npm run test > f", false),
        ("Bash(npm run test:*)", "npm run test 2>&1 | tail", true),
        ("Bash(npm run test:*)", "timeout 5 npm run test", true),
        ("Bash(npm run test:*)", "LANG=C npm run test", true),
        ("Bash(npm run test:*)", "NODE_OPTIONS=x npm run test", false),
        ("Bash(NODE_OPTIONS=x npm run test)", "NODE_OPTIONS=x npm run test", true),
        ("Bash(npm run test:*)", "npm run test 'x", false),
        ("Bash(git *)", "git push origin main", true),
        ("Bash(git * main)", "git push origin main", true),
        ("Bash(git * main)", "git push origin dev", false),
        ("Bash(git *)", "git", false),
        ("Bash(*)", "make", true),
        ("Bash", "make > f", true),
        ("Bash(echo:*)", "echo x > f", false),
        ("Bash(find:*)", "find . -exec make \\;", false),
        ("Bash(find . -exec make ';')", "find . -exec make \\;", true),
        ("Bash(timeout 5 make)", "timeout 5 make", true),
        ("Bash(timeout:*)", "timeout 5 make", false),
        ("Bash(make && make install)", "make && make install", true),
        ("Bash(make \\*)", "make *", true),
        ("Bash(make \\*)", "make all", false),
        ("Bash(git commit -m \"a b\")", "git commit -m 'a b'", true),
        ("Bash(sudo:*)", "sudo make", false),
        ("Edit(src/**)", "touch src/x", true),
        ("Edit(src/**)", "touch src/x y", false),
        ("Edit(f)", "ls > f", true),
        ("Edit(f)", "ls > g", false),
        ("Read(//etc/**)", "cat /etc/passwd", true),
        ("Read(//etc/**)", "cat /var/x", false),
    ];
    for (rule, command, covered) in commands {
        let rules = rules(&[&format!("allow {rule}")]);
        let expected = if *covered { "run" } else { "ask" };
        assert_eq!(outcome(Mode::Default, &rules, bash(command)), expected, "{rule} for {command}");
    }
}

#[test]
fn pr_1_allow_rules_cover_paths() {
    let paths: &[(&str, &str, bool)] = &[
        ("Edit(src/**)", "src/a/b.rs", true),
        ("Edit(src/**)", "tests/a.rs", false),
        ("Edit(src)", "src/a/b.rs", true),
        ("Edit(*.rs)", "src/deep/a.rs", true),
        ("Edit(src/*.rs)", "src/a.rs", true),
        ("Edit(src/*.rs)", "src/deep/a.rs", false),
        ("Edit(./a.rs)", "a.rs", true),
        ("Edit(./a.rs)", "src/a.rs", false),
        ("Edit(/a.rs)", "a.rs", true),
        ("Edit(//tmp/**)", "/tmp/x", true),
        ("Edit(//tmp/**)", "/tmpx/x", false),
        ("Edit(~/notes/**)", "~/notes/x", true),
        ("Edit(src/\\[a\\].rs)", "src/[a].rs", true),
        ("Edit(src/\\[a\\].rs)", "src/a.rs", false),
        ("Write", "a.rs", true),
        ("Edit", "/anywhere/x", true),
        ("Edit(src/**)", "src/../../etc/x", false),
        ("NotebookEdit", "a.rs", false),
    ];
    for (rule, path, covered) in paths {
        let rules = rules(&[&format!("allow {rule}")]);
        let expected = if *covered { "run" } else { "ask" };
        assert_eq!(outcome(Mode::Default, &rules, write(path)), expected, "{rule} for {path}");
    }
}

#[test]
fn pr_1_allow_rules_cover_the_rest() {
    let others = [
        ("WebFetch(domain:example.org)", fetch("example.org"), "run"),
        ("WebFetch(domain:example.org)", fetch("docs.example.org"), "run"),
        ("WebFetch(domain:example.org)", fetch("badexample.org"), "ask"),
        ("WebFetch(domain:example.org)", fetch("example.org.evil.net"), "ask"),
        ("WebFetch(domain:*.example.org)", fetch("EXAMPLE.org."), "run"),
        ("mcp__git", mcp("mcp__git__log", false), "run"),
        ("mcp__git", mcp("mcp__github__log", false), "ask"),
        ("mcp__git__*", mcp("mcp__git__log", false), "run"),
        ("mcp__git__log", mcp("mcp__git__log", false), "run"),
        ("mcp__git__log", mcp("mcp__git__push", false), "ask"),
        ("Read(~/notes/**)", read("~/notes/x"), "run"),
        ("Read(~/notes/**)", read("~/.ssh/x"), "ask"),
    ];
    for (rule, facts, expected) in others {
        let shown = format!("{rule} for {facts:?}");
        assert_eq!(outcome(Mode::Default, &rules(&[&format!("allow {rule}")]), facts), expected, "{shown}");
    }
}

/// Rows: deny rule, command that it must stop in every mode.
#[test]
fn pr_1_deny_rules_reach_the_shell() {
    for (rule, command) in [
        ("Bash(rm:*)", "rm x"),
        ("Bash(rm:*)", "ls && rm x"),
        ("Bash(rm:*)", "env rm x"),
        ("Bash(rm:*)", "/bin/rm x"),
        ("Bash(rm:*)", "\\rm x"),
        ("Bash(rm:*)", "echo $(rm x)"),
        ("Bash(rm:*)", "FOO=1 rm x"),
        ("Bash(rm:*)", "sudo rm x"),
        ("Bash(rm:*)", "find . -exec rm {} +"),
        ("Bash(rm:*)", "sh -c 'rm x'"),
        ("Bash(rm:*)", "rm 'x"),
        ("Bash(sudo:*)", "sudo ls"),
        ("Bash(timeout:*)", "timeout 5 ls"),
        ("Bash(bash:*)", "bash -c ls"),
        ("Bash(git push:*)", "git push origin"),
        ("Bash(git commit -m \"wip*)", "git commit -m 'wip: x'"),
        ("Bash(curl *)", "curl 'http://x'"),
        ("Bash", "ls"),
        ("Read(.env)", "cat .env"),
        ("Read(.env)", "cat sub/.env"),
        ("Read(.env)", "cat < .env"),
        ("Read(.env)", "grep x .env"),
        ("Read(.env)", "git show HEAD:.env"),
        ("Read(~/.ssh/**)", "cat ~/.ssh/id_rsa"),
        ("Read(~/.ssh/**)", "cat $HOME/.ssh/id_rsa"),
        ("Read(~/.ssh/**)", "cat \"$HOME/.ssh/id_rsa\""),
        ("Read(~/.ssh/**)", "cd ~/.ssh && cat id_rsa"),
        ("Read(~/.ssh/**)", "grep -r x ~/.ssh"),
        ("Read(~/.ssh/**)", "cat ~/.ssh/*"),
        ("Edit(src/**)", "touch src/x"),
        ("Edit(src/**)", "ls > src/x"),
        ("Edit(src/**)", "cd src && ls > x"),
        ("Edit(src/**)", "rm -rf src"),
        ("Edit(src/**)", "sed -i s/a/b/ src/x"),
        ("Edit(src/**)", "cp a src"),
        ("Edit", "touch x"),
    ] {
        let rules = rules(&[&format!("deny {rule}"), "allow Bash", "allow Edit", "allow Read"]);
        for mode in MODES {
            assert_eq!(outcome(mode, &rules, bash(command)), "deny", "{rule} for {command} in {mode}");
        }
    }
    // A search that may find a denied file asks.
    let rules = rules(&["deny Read(.env)"]);
    assert_eq!(outcome(Mode::Default, &rules, bash("rg KEY")), "ask");
    assert_eq!(outcome(Mode::Default, &rules, bash("cat *")), "ask");
    assert_eq!(outcome(Mode::Default, &rules, bash("rg KEY /usr/include")), "run");
    assert!(rules.denies_read("/w/sub/.env".as_ref()) && !rules.denies_read("/w/a".as_ref()));
}

#[test]
fn pr_1_deny_beats_ask_beats_allow() {
    let sources = [
        ConfigSource::Managed,
        ConfigSource::CommandLine,
        ConfigSource::Session,
        ConfigSource::Local,
        ConfigSource::Project,
        ConfigSource::User,
    ];
    for strong in sources {
        for weak in sources {
            let deny = written(RuleBehavior::Deny, "Bash(make:*)", weak);
            let ask = written(RuleBehavior::Ask, "Bash(make:*)", weak);
            let allow = written(RuleBehavior::Allow, "Bash(make:*)", strong);
            let decided = decide(Mode::Default, &rules_from(vec![allow.clone(), deny, ask.clone()]), bash("make"));
            let Decision::Deny(denied) = decided else { panic!("{decided:?}") };
            assert_eq!((denied.why.rule.as_deref(), denied.why.source), (Some("Bash(make:*)"), Some(weak)));
            assert_eq!(outcome(Mode::Default, &rules_from(vec![allow.clone(), ask]), bash("make")), "ask");
            assert_eq!(outcome(Mode::Default, &rules_from(vec![allow]), bash("make")), "run");
        }
    }
}

#[test]
fn pr_1_a_link_does_not_hide_a_denied_path() {
    let rules = rules(&["deny Read(secrets/**)"]);
    let mut facts = read("secrets/key");
    if let cutonce_core::permission::Access::Read(targets) = &mut facts.access {
        targets[0].path = "/opt/elsewhere/key".into();
    }
    assert_eq!(outcome(Mode::BypassPermissions, &rules, facts), "deny");
}

#[test]
fn pr_1_invalid_rules_are_reported_and_fail_closed() {
    for (text, why) in [
        ("", "empty"),
        ("Bash(", "parenthesis"),
        ("Bash()", "empty"),
        ("Bash(:*)", "Nothing before"),
        ("Bash(a * b:*)", "can't be combined"),
        ("Bash rm", "Tool(specifier)"),
        ("bash(rm:*)", "Did you mean `Bash`?"),
        ("Foo", "no tool `Foo`"),
        ("TodoWrite(x)", "takes no specifier"),
        ("WebFetch(example.org)", "Expected a domain"),
        ("WebFetch(domain:)", "not a host name"),
        ("Edit([)", "unclosed"),
        ("Edit(../x)", "leads out"),
        ("Agent()", "empty"),
        ("mcp__", "mcp__server"),
        ("mcp__a__b(x)", "takes no specifier"),
        ("(rm)", "no tool"),
    ] {
        for behavior in [RuleBehavior::Allow, RuleBehavior::Ask, RuleBehavior::Deny] {
            let rules = rules_from(vec![written(behavior, text, ConfigSource::User)]);
            let [error] = rules.errors() else { panic!("{text}: {:?}", rules.errors()) };
            assert!(error.to_string().contains(why), "{text}: {error}");
        }
    }
    let broken = |behavior, text| rules_from(vec![written(behavior, text, ConfigSource::User)]);
    for text in ["Bash(", "Bash(:*)", "bash(rm:*)", "Bash rm", ""] {
        assert_eq!(outcome(Mode::BypassPermissions, &broken(RuleBehavior::Deny, text), bash("ls")), "deny", "{text}");
        assert_eq!(outcome(Mode::BypassPermissions, &broken(RuleBehavior::Ask, text), bash("ls")), "ask", "{text}");
        assert_eq!(outcome(Mode::Default, &broken(RuleBehavior::Allow, text), bash("make")), "ask", "{text}");
    }
    assert_eq!(outcome(Mode::Default, &broken(RuleBehavior::Deny, "Edit([)"), read("a")), "run");
    assert_eq!(outcome(Mode::Default, &broken(RuleBehavior::Deny, "Edit([)"), write("a")), "deny");
    assert_eq!(outcome(Mode::Default, &broken(RuleBehavior::Deny, "mcp__a__b(x)"), mcp("mcp__a__b", true)), "deny");
}

#[test]
fn pr_7_session_rules_can_be_removed() {
    let mut rules = rules(&[]);
    rules.add_for_session(RuleBehavior::Allow, "Bash(make)").expect("a rule");
    assert_eq!(outcome(Mode::Default, &rules, bash("make")), "run");
    assert!(rules.remove_for_session(RuleBehavior::Allow, "Bash(make)"));
    assert!(!rules.remove_for_session(RuleBehavior::Allow, "Bash(make)"));
    assert_eq!(outcome(Mode::Default, &rules, bash("make")), "ask");
    assert!(rules.add_for_session(RuleBehavior::Allow, "Bash(").is_err());
}
