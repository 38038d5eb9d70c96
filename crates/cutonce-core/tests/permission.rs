//! PR-3 to PR-7, PM-60 and PM-61: decisions in each mode, and properties that are true for any rules.

mod world;

use cutonce_core::mode::Mode;
use cutonce_core::permission::rules::{ConfigSource, RuleBehavior, RuleSet};
use cutonce_core::permission::{Access, CallFacts, CallRights, Decision, PathLocation, PathTarget, ShellFacts, decide};
use proptest::prelude::*;
use world::*;

/// Checks default, acceptEdits, plan and bypassPermissions; auto behaves like default.
fn check(facts: impl Fn() -> CallFacts, expected: [&str; 4]) {
    let rules = rules(&[]);
    let modes = [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::BypassPermissions];
    let got = modes.map(|mode| outcome(mode, &rules, facts()));
    assert_eq!(got, expected, "{:?}", facts());
    assert_eq!(outcome(Mode::Auto, &rules, facts()), expected[0], "auto: {:?}", facts());
}

#[test]
fn pr_4_modes() {
    check(|| read("a"), ["run", "run", "run", "run"]);
    check(|| read("/own/out"), ["run", "run", "run", "run"]);
    check(|| read(".git/HEAD"), ["run", "run", "run", "run"]);
    check(|| read("/etc/passwd"), ["ask", "ask", "run", "run"]);
    check(|| read("~/.bashrc"), ["ask", "ask", "run", "run"]);
    check(|| read("~/.ssh/id_rsa"), ["ask", "ask", "deny", "run"]);
    check(|| write("a"), ["ask", "run", "deny", "run"]);
    check(|| write("/tmp/a"), ["ask", "ask", "deny", "run"]);
    check(|| write("/own/a"), ["ask", "ask", "deny", "run"]);
    check(|| write(".git/config"), ["ask", "ask", "deny", "ask"]);
    check(|| write("~/.bashrc"), ["ask", "ask", "deny", "ask"]);
    check(|| write(".cutonce/settings.json"), ["ask", "ask", "deny", "ask"]);
    check(|| fetch("example.org"), ["ask", "ask", "ask", "run"]);
    check(|| agent("Explore"), ["run", "run", "run", "run"]);
    check(|| mcp("mcp__a__b", true), ["ask", "ask", "ask", "run"]);
    check(|| mcp("mcp__a__b", false), ["ask", "ask", "deny", "run"]);
    check(question, ["run", "run", "run", "run"]);
    check(|| inner("TodoWrite"), ["run", "run", "deny", "run"]);
    check(|| inner("BashOutput"), ["run", "run", "run", "run"]);
    check(|| inner("KillShell"), ["run", "run", "deny", "run"]);
}

#[test]
fn pr_4_modes_and_the_shell() {
    check(|| bash("ls -la && git status | head"), ["run", "run", "run", "run"]);
    check(|| bash("cat a .git/HEAD /own/x"), ["run", "run", "run", "run"]);
    check(|| bash("cat /usr/include/stdio.h /proc/cpuinfo"), ["run", "run", "run", "run"]);
    check(|| bash("cat /etc/passwd"), ["ask", "ask", "run", "run"]);
    check(|| bash("cat ~/notes"), ["ask", "ask", "run", "run"]);
    check(|| bash("cat ~/.ssh/id_rsa"), ["ask", "ask", "deny", "run"]);
    check(|| bash("cat $x"), ["ask", "ask", "run", "run"]);
    check(|| bash("cat ../x"), ["ask", "ask", "run", "run"]);
    check(|| bash("cd .. && cat x"), ["ask", "ask", "run", "run"]);
    check(|| bash("touch a && mkdir -p b/c"), ["ask", "run", "deny", "run"]);
    check(|| bash("sed -i 's/a/b/' x"), ["ask", "run", "deny", "run"]);
    check(|| bash("rm a"), ["ask", "run", "deny", "run"]);
    check(|| bash("rm -rf a"), ["ask", "ask", "deny", "run"]);
    check(|| bash("rm -rf ."), ["ask", "ask", "deny", "ask"]);
    check(|| bash("rm -rf ~"), ["ask", "ask", "deny", "ask"]);
    check(|| bash("rm -rf /"), ["ask", "ask", "deny", "ask"]);
    check(|| bash("rm -rf .git"), ["ask", "ask", "deny", "ask"]);
    check(|| bash("touch /tmp/x"), ["ask", "ask", "deny", "run"]);
    check(|| bash("cd /tmp && touch x"), ["ask", "ask", "deny", "run"]);
    check(|| bash("cd sub && touch x"), ["ask", "run", "deny", "run"]);
    check(|| bash("cp a .git/hooks/x"), ["ask", "ask", "deny", "ask"]);
    check(|| bash("cp x/.git ."), ["ask", "ask", "deny", "ask"]);
    check(|| bash("cp ~/secret a"), ["ask", "ask", "deny", "run"]);
    check(|| bash("mv a b && touch b/c"), ["ask", "run", "deny", "run"]);
    check(|| bash("mv a b && touch c"), ["ask", "run", "deny", "run"]);
    check(|| bash("mv a b; ls > b"), ["ask", "run", "deny", "run"]);
    check(|| bash("echo x > a"), ["ask", "run", "deny", "run"]);
    check(|| bash("echo x > /tmp/a"), ["ask", "ask", "deny", "run"]);
    check(|| bash("echo x > $a"), ["ask", "ask", "deny", "run"]);
    check(|| bash("echo x > .git/config"), ["ask", "ask", "deny", "ask"]);
    check(|| bash("echo x >> ~/.bashrc"), ["ask", "ask", "deny", "ask"]);
    check(|| bash("echo x > /dev/null 2>&1"), ["run", "run", "run", "run"]);
    check(|| bash("make"), ["ask", "ask", "deny", "run"]);
    check(|| bash("ls; make"), ["ask", "ask", "deny", "run"]);
    check(|| bash("git commit -m x"), ["ask", "ask", "deny", "run"]);
    check(|| bash("ls 'x"), ["ask", "ask", "deny", "run"]);
}

/// PR-5: in bypassPermissions an unparsable command asks if a rule might apply to it.
#[test]
fn pr_5_unparsed_and_rules() {
    assert_eq!(outcome(Mode::BypassPermissions, &rules(&["deny Bash(rm:*)"]), bash("ls 'x")), "ask");
    assert_eq!(outcome(Mode::BypassPermissions, &rules(&["deny WebFetch"]), bash("ls 'x")), "run");
    assert_eq!(outcome(Mode::Default, &rules(&["allow Bash"]), bash("ls 'x")), "ask");
    // A computed name may be a denied one.
    assert_eq!(outcome(Mode::BypassPermissions, &rules(&["deny Bash(rm:*)"]), bash("$(echo rm) x")), "ask");
    assert_eq!(outcome(Mode::BypassPermissions, &rules(&[]), bash("$(echo rm) x")), "run");
}

/// PR-4, PR-1: paths named by known writers are checked against protected paths and rules.
#[test]
fn pr_4_paths_named_by_known_writers() {
    for command in [
        "install -m755 a .git/hooks/pre-commit",
        "ln -sf ../../a .git/hooks/post-commit",
        "dd if=a of=.git/hooks/x",
        "truncate -s0 .git/description",
        "unlink .git/description",
        "chmod 755 .git/hooks/pre-commit",
        "gzip -k .git/config",
    ] {
        assert_eq!(outcome(Mode::BypassPermissions, &rules(&[]), bash(command)), "ask", "{command}");
    }
    for command in
        ["truncate -s0 locked/x", "ln -sf a locked/x", "unlink locked/x", "dd of=locked/x", "install a locked/x"]
    {
        assert_eq!(
            outcome(Mode::BypassPermissions, &rules(&["deny Edit(./locked/**)"]), bash(command)),
            "deny",
            "{command}"
        );
    }
    for command in [
        "git --no-pager push",
        "git -C . push",
        "git -c a.b=c push origin",
        "/usr/bin/git -P push",
        "env git -C x push",
    ] {
        assert_eq!(
            outcome(Mode::BypassPermissions, &rules(&["deny Bash(git push:*)"]), bash(command)),
            "deny",
            "{command}"
        );
    }
    assert_eq!(outcome(Mode::BypassPermissions, &rules(&["deny Bash(git push:*)"]), bash("git -C push log")), "run");
}

/// PR-1, PR-5: a glob is judged by its matches: links are followed, and a match that may be an option asks.
#[test]
fn pr_5_globs_are_resolved_on_disk() {
    struct Linked(Option<&'static str>);
    impl cutonce_core::permission::PathResolver for Linked {
        fn resolve(&self, path: &str) -> PathTarget {
            target(if path == "link" { "/etc/secret" } else { path })
        }
        fn glob_links(&self, _: &str) -> Option<Vec<String>> {
            self.0.map(|link| link.split_whitespace().map(str::to_string).collect())
        }
        fn repository_root(&self) -> PathTarget {
            target("..")
        }
        fn is_plain_file(&self, path: &str) -> bool {
            path != "up"
        }
    }
    for (links, written, expected) in [
        (Some(""), vec![], "run"),
        (Some("inner"), vec![], "run"),
        (Some("inner link"), vec![], "ask"),
        (Some("link"), vec!["deny Read(//etc/**)"], "deny"),
        (None, vec![], "ask"),
    ] {
        let shell = ShellFacts::new("cat l*", false, Linked(links));
        let facts = CallFacts { tool: "Bash".into(), access: Access::Shell(shell) };
        assert_eq!(outcome(Mode::Default, &rules(&written), facts), expected, "{links:?} {written:?}");
    }
    // A moved link or folder leads elsewhere, for all reads and writes through it, before or after.
    for (command, written, expected) in [
        ("mv a e && cat e/x", vec![], "run"),
        ("mv up e", vec![], "ask"),
        ("mv up e", vec!["allow Bash(mv:*)"], "run"),
        ("mv up e && cat e/x", vec!["allow Bash(mv:*)"], "ask"),
        ("cat e/x & mv up e", vec!["allow Bash(mv:*)"], "ask"),
        ("for i in 1 2; do echo > e/x; mv up e; done", vec!["allow Bash(mv:*)", "allow Edit(e/**)"], "ask"),
        ("ln -s g e; touch e/x", vec!["allow Bash(ln:*)"], "ask"),
        ("ln -s g e; touch f", vec!["allow Bash(ln:*)"], "run"),
        // The top of the repository is outside the workspace.
        ("git diff", vec![], "ask"),
        ("git log --oneline", vec![], "run"),
    ] {
        let shell = ShellFacts::new(command, false, Linked(Some("")));
        let facts = CallFacts { tool: "Bash".into(), access: Access::Shell(shell) };
        assert_eq!(outcome(Mode::AcceptEdits, &rules(&written), facts), expected, "{command} {written:?}");
    }
}

/// PR-3: a decision has its rule and source; messages say what is denied, why, and what to do.
#[test]
fn pr_3_reasons() {
    let Decision::Deny(denied) = decide(Mode::Default, &rules(&["deny Bash(rm:*)"]), bash("ls && rm x")) else {
        panic!("not denied");
    };
    assert_eq!(
        denied.message,
        "The command `ls && rm x` is denied by the rule `Bash(rm:*)` from ~/.cutonce/settings.json. \
         Do not try to work around this. Continue without it, or tell the user why you need it."
    );
    let Decision::Allow(allowed) = decide(Mode::Default, &rules(&["allow Edit(src/**)"]), write("src/a")) else {
        panic!("not allowed");
    };
    assert_eq!((allowed.why.rule.as_deref(), allowed.why.source), (Some("Edit(src/**)"), Some(ConfigSource::User)));
    let Decision::Ask(ask) = decide(Mode::Default, &rules(&[]), bash("ls && git push")) else { panic!("not asked") };
    assert_eq!(
        ask.why.reason,
        "Commands that may change things need your OK in default mode (`git push` changes the repository)"
    );
}

/// PM-61: the fixed text, then a hint.
#[test]
fn pm_61_plan_denials_name_the_tool() {
    for (facts, tool) in [(write("a"), "Write"), (bash("make"), "Bash"), (inner("TodoWrite"), "TodoWrite")] {
        let Decision::Deny(denied) = decide(Mode::Plan, &rules(&["allow Bash", "allow Edit"]), facts) else {
            panic!("{tool}")
        };
        let start = format!("{tool} is not allowed in plan mode. Plan mode is read-only.");
        assert!(denied.message.starts_with(&start), "{}", denied.message);
    }
    let rules = rules(&["allow WebFetch(domain:example.org)", "ask Read(a)"]);
    assert_eq!(outcome(Mode::Plan, &rules, fetch("example.org")), "run");
    assert_eq!(outcome(Mode::Plan, &rules, read("a")), "ask");
    assert_eq!(outcome(Mode::Plan, &rules, bash("cat a")), "ask");
}

/// PR-6: a grant has the resolved path, and only an allowed or approved write gets one.
#[test]
fn pr_6_grants() {
    let granted = |rights: CallRights| match rights {
        CallRights::Write(grant) => grant.path().display().to_string(),
        CallRights::Shell(grant) => grant.command().to_string(),
        CallRights::Plain => "plain".to_string(),
    };
    let decided = |mode, facts| match decide(mode, &rules(&[]), facts) {
        Decision::Allow(allowed) => granted(allowed.rights),
        Decision::Ask(ask) => format!("approved: {}", granted(ask.approve("by the test").rights)),
        Decision::Deny(_) => "denied".to_string(),
    };
    assert_eq!(decided(Mode::AcceptEdits, write("src/../a")), "/w/a");
    assert_eq!(decided(Mode::Default, write("src/../a")), "approved: /w/a");
    assert_eq!(decided(Mode::Plan, write("a")), "denied");
    assert_eq!(decided(Mode::Default, read("a")), "plain");
    assert_eq!(decided(Mode::Default, bash("ls")), "ls");
    let Decision::Ask(ask) = decide(Mode::Default, &rules(&[]), bash("make")) else { panic!("not asked") };
    assert_eq!(ask.deny("no", " use ninja ").message, "The user refused this Bash call and said: use ninja");
}

fn suggested(facts: CallFacts) -> Vec<String> {
    match decide(Mode::Default, &rules(&[]), facts) {
        Decision::Ask(ask) => ask.suggestions.iter().map(|s| s.rules.join(" + ")).collect(),
        Decision::Allow(_) | Decision::Deny(_) => panic!("not asked"),
    }
}

/// PR-7: narrowest first; empty if no rule helps.
#[test]
fn pr_7_suggestions() {
    let check = |facts: CallFacts, expected: &[&str]| assert_eq!(suggested(facts), expected);
    check(write("src/a.rs"), &["Edit(./src/a.rs)", "Edit(./src/**)", "Edit(./**)"]);
    check(write("a.rs"), &["Edit(./a.rs)", "Edit(./**)"]);
    check(write("/tmp/d/x"), &["Edit(//tmp/d/x)", "Edit(//tmp/d/**)"]);
    check(write("src/[a].rs"), &["Edit(./src/\\[a\\].rs)", "Edit(./src/**)", "Edit(./**)"]);
    check(write(".git/config"), &[]);
    check(read("~/notes/x"), &["Read(~/notes/x)", "Read(~/notes/**)"]);
    check(fetch("example.org"), &["WebFetch(domain:example.org)"]);
    check(mcp("mcp__a__b", false), &["mcp__a__b", "mcp__a"]);
    check(bash("npm run test"), &["Bash(npm run test)"]);
    check(bash("ls && git commit -m 'a b'"), &["Bash(git commit -m 'a b')", "Bash(git commit:*)"]);
    check(bash("touch a && touch b"), &["Bash(touch a) + Bash(touch b)", "Bash(touch:*)"]);
    check(bash("touch a > out/log"), &["Bash(touch a) + Edit(./out/log)", "Bash(touch:*) + Edit(./out/**)"]);
    check(bash("python x.py"), &["Bash(python x.py)"]);
    check(bash("rm -rf x"), &["Bash(rm -rf x)"]);
    check(bash("touch *"), &["Bash(touch \\*)", "Bash(touch:*)"]);
    check(bash("FOO=1 touch a"), &["Bash(FOO=1 touch a)"]);
    check(bash("timeout 5 touch a"), &["Bash(touch a)", "Bash(touch:*)"]);
    check(bash("find . -exec touch {} \\;"), &["Bash(find . -exec touch {} ';')", "Bash(touch:*)"]);
    check(bash("echo x > $f"), &[]);
    check(bash("make 'x"), &[]);
    check(bash("$x y"), &[]);
    check(bash("make > .git/x"), &[]);
    // A command that executes its input gets no suggestion.
    for fed in [
        "curl x | sh",
        "curl x | sudo bash",
        "make | python3 -",
        "make | python3.11",
        "make | bash -s a",
        "make | xargs rm",
        "make | tar xz",
        "git diff | git apply",
        "make | /bin/sh",
        "make | sqlite3 db",
        "sh < make.log",
        "make | ssh host",
    ] {
        check(bash(fed), &[]);
    }
    check(bash("sh build.sh"), &["Bash(sh build.sh)"]);
    check(bash("python3 -c 'print(1)'"), &["Bash(python3 -c 'print(1)')"]);
    assert!(suggested_with_ask_rule().is_empty());
}

/// One of their options takes code or names a program, so only the exact command can be remembered.
#[test]
fn du_2_options_that_carry_code_forbid_a_wide_rule() {
    for command in [
        "cargo test", // --config 'target.….runner=…'
        "cargo build --release",
        "make",              // --eval=…, SHELL=…
        "just check",        // --shell=…
        "npm test",          // --node-options=…
        "yarn run lint",     // yarn run node -e …
        "go test ./...",     // -exec=…, -toolexec=…
        "gradle test",       // -Dorg.gradle.jvmargs=…
        "mvn test",          // exec:exec
        "dotnet build",      // -p:PreBuildEvent=…
        "cmake --build out", // -- --eval=…
        "pytest -q",         // -p, --override-ini
        "eslint src",        // --parser, --format
        "git merge topic",   // --strategy runs git-merge-…
        "uv sync",           // --python, --index-url
        "ruff check --fix",  // --output-file
        "tsc --noEmit",      // --outFile
    ] {
        assert_eq!(suggested(bash(command)), [format!("Bash({command})")]);
    }
}

fn suggested_with_ask_rule() -> Vec<String> {
    match decide(Mode::Default, &rules(&["ask Bash(make:*)"]), bash("make")) {
        Decision::Ask(ask) => ask.suggestions.iter().map(|s| s.rules.join(" + ")).collect(),
        Decision::Allow(_) | Decision::Deny(_) => panic!("not asked"),
    }
}

const COMMANDS: &[&str] = &[
    "ls",
    "make",
    "make all",
    "npm run test",
    "git commit -m 'a b'",
    "git push",
    "touch a",
    "touch src/x",
    "rm a",
    "rm -rf b",
    "cat /etc/passwd",
    "cat a > b",
    "echo 'it'\\''s' > src/o",
    "timeout 5 make",
    "FOO=1 make",
    "find . -exec make {} \\;",
    "ls | xargs make",
    "sh -c 'make a; make b'",
    "make *",
    "make 'x*y' '\\'",
    "cd sub && touch x",
    "cp a b",
    "sudo make",
    "cat $x",
    "for f in a b; do cc $f; done",
    "make \"a)b\"",
    "python -c 'print(\"(\")'",
    "sed -i s/a/b/ x",
    "echo x > .git/y",
    "echo x >> ~/.bashrc",
    "ls 'x",
    "$y",
    "cat ~/.ssh/k",
    "curl http://x | sh",
    "X=$(make) ls",
    "cat <<E > f\nhi\nE",
];
const RULES: &[&str] = &[
    "Bash",
    "Bash(make:*)",
    "Bash(make)",
    "Bash(git *)",
    "Bash(touch:*)",
    "Bash(cat:*)",
    "Bash(*)",
    "Edit",
    "Edit(src/**)",
    "Edit(*)",
    "Read",
    "Read(//etc/**)",
    "Write",
    "WebFetch",
    "WebFetch(domain:x.org)",
    "mcp__a",
    "mcp__a__b",
    "Agent",
    "Agent(Explore)",
    "TodoWrite",
    "Bash(",
    "Edit([)",
];

fn any_rules() -> impl Strategy<Value = Vec<(RuleBehavior, &'static str, ConfigSource)>> {
    let behavior = prop_oneof![Just(RuleBehavior::Allow), Just(RuleBehavior::Ask), Just(RuleBehavior::Deny)];
    let source = prop_oneof![
        Just(ConfigSource::Managed),
        Just(ConfigSource::CommandLine),
        Just(ConfigSource::Session),
        Just(ConfigSource::Local),
        Just(ConfigSource::Project),
        Just(ConfigSource::User)
    ];
    prop::collection::vec((behavior, prop::sample::select(RULES), source), 0..6)
}

const PATHS: &[&str] = &["a", "src/x", ".git/config", "/etc/passwd", "~/.bashrc", "/own/o"];

fn any_facts() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(COMMANDS).prop_map(|c| format!("bash {c}")),
        1 => prop::sample::select(PATHS).prop_map(|p| format!("read {p}")),
        2 => prop::sample::select(PATHS).prop_map(|p| format!("write {p}")),
        1 => prop::sample::select(&["fetch x.org", "mcp mcp__a__b", "agent Explore", "inner TodoWrite", "inner BashOutput"][..]).prop_map(String::from),
    ]
}

fn facts(text: &str) -> CallFacts {
    let Some((kind, rest)) = text.split_once(' ') else { panic!("no kind: {text}") };
    match kind {
        "bash" => bash(rest),
        "read" => read(rest),
        "write" => write(rest),
        "fetch" => fetch(rest),
        "mcp" => mcp(rest, false),
        "agent" => agent(rest),
        _ => inner(rest),
    }
}

fn build(rules: &[(RuleBehavior, &str, ConfigSource)]) -> RuleSet {
    rules_from(rules.iter().map(|(behavior, text, source)| written(*behavior, text, *source)).collect())
}

fn changes(text: &str) -> bool {
    let only_reads = ["bash ls", "bash cat /etc/passwd", "bash cat $x"];
    text.starts_with("write") || (text.starts_with("bash") && !only_reads.contains(&text)) || text == "inner TodoWrite"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// PR-1: a deny rule for the whole tool wins over all other rules, in every mode.
    #[test]
    fn pr_1_deny_always_wins(mut rules in any_rules(), call in any_facts(), at in 0_usize..6) {
        let tool = facts(&call).tool;
        let tool: &'static str = Box::leak(tool.into_boxed_str());
        rules.insert(at.min(rules.len()), (RuleBehavior::Deny, tool, ConfigSource::User));
        let rules = build(&rules);
        for mode in MODES {
            prop_assert_eq!(outcome(mode, &rules, facts(&call)), "deny");
        }
    }

    /// PM-61: in plan mode no call that changes something runs or asks, with any rules.
    #[test]
    fn pm_61_plan_never_allows_a_change(rules in any_rules(), call in any_facts()) {
        let decided = outcome(Mode::Plan, &build(&rules), facts(&call));
        if changes(&call) {
            prop_assert_eq!(decided, "deny", "{}", call);
        }
    }

    /// PR-4: a write to a protected path always asks, with any allow rules.
    #[test]
    fn pr_4_protected_writes_never_run_unasked(rules in any_rules()) {
        let rules = build(&rules);
        for mode in MODES {
            for call in ["write .git/config", "write ~/.bashrc", "bash echo x > .git/y", "bash echo x >> ~/.bashrc"] {
                prop_assert_ne!(outcome(mode, &rules, facts(call)), "run");
            }
        }
    }

    /// PR-7: storing the narrowest suggestion allows the same call and no other command.
    #[test]
    fn pr_7_narrowest_suggestion_covers_only_this_call(call in any_facts(), other in prop::sample::select(COMMANDS), accept in any::<bool>()) {
        let mode = if accept { Mode::AcceptEdits } else { Mode::Default };
        let mut stored = rules(&[]);
        let Decision::Ask(ask) = decide(mode, &stored, facts(&call)) else { return Ok(()) };
        let Some(first) = ask.suggestions.first() else { return Ok(()) };
        for rule in &first.rules {
            prop_assert!(stored.add_for_session(first.behavior, rule).is_ok(), "{}", rule);
        }
        prop_assert_eq!(outcome(mode, &stored, facts(&call)), "run", "{:?} for {}", first.rules, call);
        let before = outcome(mode, &rules(&[]), bash(other));
        // Rules for the same file, or for the same part of another line, correctly apply there too.
        let shared = first.rules.iter().any(|rule| rule.starts_with("Edit"))
            || ["make", "touch", "cat"].iter().any(|word| call.contains(word) && other.contains(word));
        if call.starts_with("bash") && before == "ask" && format!("bash {other}") != call && !shared {
            prop_assert_eq!(outcome(mode, &stored, bash(other)), "ask", "{:?} allows {}", first.rules, other);
        }
    }
}

#[test]
fn pm_65_mcp_tools_in_plan_mode() {
    use cutonce_core::settings::plan::PlanMcp::{self, Ask, Deny, ReadOnlyHint};
    let decided = |given: &[&str], plan: PlanMcp, read_only| {
        let access = Access::Mcp { read_only, plan };
        match decide(Mode::Plan, &rules(given), CallFacts { tool: "mcp__s__t".into(), access }) {
            Decision::Allow(_) => "runs",
            Decision::Ask(_) => "asks",
            Decision::Deny(_) => "denied",
        }
    };
    // The outcome with an allow rule for the tool, and without one.
    let table = [
        (ReadOnlyHint, true, "runs", "asks"),
        (ReadOnlyHint, false, "denied", "denied"),
        (Ask, true, "asks", "asks"),
        (Ask, false, "asks", "asks"),
        (Deny, true, "denied", "denied"),
        (Deny, false, "denied", "denied"),
    ];
    for (policy, read_only, allowed, otherwise) in table {
        assert_eq!(decided(&["allow mcp__s__t"], policy, read_only), allowed, "{policy:?} {read_only}");
        assert_eq!(decided(&[], policy, read_only), otherwise, "{policy:?} {read_only}");
        assert_eq!(decided(&["allow mcp__s", "deny mcp__s__t"], policy, read_only), "denied", "{policy:?} {read_only}");
    }
}

#[test]
fn pm_60_only_write_and_edit_change_the_plan_file() {
    let everything = rules(&["allow Write", "allow Edit", "allow Bash"]);
    let at = |place| PathTarget { given: "p.md".into(), path: "/w/plans/p.md".into(), place };
    let write = |place| CallFacts { tool: "Write".into(), access: Access::Write(at(place)) };
    assert!(matches!(decide(Mode::Plan, &everything, write(PathLocation::PlanFile)), Decision::Allow(_)));
    for place in [PathLocation::Workspace, PathLocation::Protected, PathLocation::Outside, PathLocation::Own] {
        assert!(matches!(decide(Mode::Plan, &everything, write(place)), Decision::Deny(_)), "{place:?}");
    }
    let shell = ShellFacts::new("echo x > plans/p.md", false, |_: &str| at(PathLocation::PlanFile));
    let shell = CallFacts { tool: "Bash".into(), access: Access::Shell(shell) };
    assert!(matches!(decide(Mode::Plan, &everything, shell), Decision::Deny(_)));
}

#[test]
fn pr_5_unasked_commands_are_confined() {
    use cutonce_core::permission::ShellConfinement::{
        self, AutoReadOnly, AutoWorkspace, ParsedReadOnly, WorkspaceSandbox,
    };
    let held = |mode: Mode, known: &[&str], command: &str, held: ShellConfinement| {
        let mut shell = ShellFacts::new(command, false, target);
        shell.confinement = held;
        let facts = CallFacts { tool: "Bash".into(), access: Access::Shell(shell) };
        let rights = match decide(mode, &rules(known), facts) {
            Decision::Allow(allowed) => allowed.rights,
            Decision::Ask(ask) => ask.approve("the user agreed").rights,
            Decision::Deny(denied) => panic!("{}", denied.message),
        };
        let CallRights::Shell(grant) = rights else { panic!("no right to a command") };
        grant.confinement()
    };
    let (default, accept) = (Mode::Default, Mode::AcceptEdits);
    for (mode, known, command, expected) in [
        (default, &[][..], "ls src && git status", AutoReadOnly),
        (accept, &[], "cat a.txt", AutoReadOnly),
        (accept, &[], "touch a.txt && ls", AutoWorkspace),
        // Approved otherwise: by the user, by a rule, or by choosing bypassPermissions.
        (default, &[], "make", ParsedReadOnly),
        (default, &["allow Bash(make:*)"], "make", ParsedReadOnly),
        (default, &["allow Bash"], "ls src", ParsedReadOnly),
        (Mode::BypassPermissions, &[], "ls src", ParsedReadOnly),
        // The sandbox hides other processes.
        (default, &[], "ps aux", ParsedReadOnly),
        (default, &[], "ps aux | grep -i '[n]ode' | head -5", ParsedReadOnly),
        (default, &[], "ps aux; ls", AutoReadOnly),
        // One `ps` must not lift the sandbox from what git's configuration names.
        (default, &[], "ps aux | git status", AutoReadOnly),
        (accept, &[], "ps aux | git status", AutoReadOnly),
        (default, &[], "pgrep node | cat a.txt", AutoReadOnly),
        (default, &[], "ps aux <<E\nE", AutoReadOnly),
    ] {
        assert_eq!(held(mode, known, command, ParsedReadOnly), expected, "{command}");
    }
    assert_eq!(held(default, &[], "ls", WorkspaceSandbox), AutoReadOnly);
    assert_eq!(held(accept, &[], "touch a.txt", WorkspaceSandbox), WorkspaceSandbox);
}

/// Only the user lets a call change what other programs run: no mode does, and no classifier.
#[test]
fn pr_4_files_that_run_code_ask() {
    let at = |path: &str| PathTarget { place: PathLocation::Trigger, ..target(path) };
    let write = || CallFacts { tool: "Write".into(), access: Access::Write(at(".envrc")) };
    let shell = |command| CallFacts { tool: "Bash".into(), access: Access::Shell(ShellFacts::new(command, false, at)) };
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Auto] {
        for facts in [write(), shell("cp a .envrc"), shell("echo x > .envrc")] {
            let Decision::Ask(ask) = decide(mode, &rules(&[]), facts) else { panic!("{mode} must ask") };
            assert!(!ask.may_answer_automatically(), "{mode}");
        }
        let allowed = decide(mode, &rules(&["allow Edit(./.envrc)"]), write());
        assert!(matches!(allowed, Decision::Allow(_)), "{mode}");
    }
    assert!(matches!(decide(Mode::BypassPermissions, &rules(&[]), write()), Decision::Allow(_)));
    assert!(matches!(decide(Mode::Plan, &rules(&[]), write()), Decision::Deny(_)));
}

#[test]
fn pm_62_confinement_decides_which_commands_run() {
    use cutonce_core::permission::ShellConfinement::{self, Disabled, ParsedReadOnly, PlanReadOnly, PlanSandbox};
    let decided = |command: &str, held: ShellConfinement| {
        let mut shell = ShellFacts::new(command, false, target);
        shell.confinement = held;
        let allow = rules(&["allow Bash"]);
        match decide(Mode::Plan, &allow, CallFacts { tool: "Bash".into(), access: Access::Shell(shell) }) {
            Decision::Allow(allowed) => match allowed.rights {
                CallRights::Shell(grant) if matches!(grant.confinement(), PlanSandbox | PlanReadOnly) => "held",
                _ => "runs",
            },
            Decision::Ask(_) => "asks",
            Decision::Deny(_) => "denied",
        }
    };
    let table = [
        ("ls src", ["held", "held", "runs", "denied"]),
        ("cargo test", ["held", "denied", "denied", "denied"]),
        ("python3 -c 'print(1)'", ["held", "denied", "denied", "denied"]),
        ("rm a", ["denied", "denied", "denied", "denied"]),
        ("echo x > a", ["denied", "denied", "denied", "denied"]),
        ("git commit -m x", ["denied", "denied", "denied", "denied"]),
        // The target is unknown: into $TMPDIR, if the kernel allows it.
        ("t=$(mktemp) && echo x > $t && cat $t && rm $t", ["held", "denied", "denied", "denied"]),
        ("d=$(mktemp -d) && cp -r src $d && rm -r $d", ["held", "denied", "denied", "denied"]),
        ("rm \"$TMPDIR\" a", ["denied", "denied", "denied", "denied"]),
    ];
    for (command, expected) in table {
        let found = [PlanSandbox, PlanReadOnly, ParsedReadOnly, Disabled].map(|held| decided(command, held));
        assert_eq!(found, expected, "{command}");
    }
}

#[test]
fn pm_62_denial_names_part_or_installer() {
    use cutonce_core::permission::ShellConfinement::{self, ParsedReadOnly, PlanSandbox};
    let message = |command: &str, held: ShellConfinement| {
        let mut shell = ShellFacts::new(command, false, target);
        shell.confinement = held;
        match decide(Mode::Plan, &rules(&[]), CallFacts { tool: "Bash".into(), access: Access::Shell(shell) }) {
            Decision::Deny(denied) => denied.message,
            Decision::Allow(_) | Decision::Ask(_) => panic!("{command} is not denied"),
        }
    };
    for held in [PlanSandbox, ParsedReadOnly] {
        let told = message("ls src && chmod +x run.sh && cat a", held);
        assert!(told.contains("`chmod +x run.sh` changes permissions or owners."), "{told}");
        let told = message("cd web && timeout 60 npm install && npm test", held);
        assert!(told.contains("`npm install` needs the network") && told.contains("into the plan"), "{told}");
    }
    assert!(!message("rm a", PlanSandbox).contains('`'), "one part needs no name");
    let long = format!("ls; rm {}", "x".repeat(500));
    assert!(message(&long, PlanSandbox).len() < 400);
}

/// The first two layers, separately: the decision denies, and a grant has one path and comes from a write only.
/// The probes test the third layer, the kernel; they hide every command from the parser.
#[test]
fn pm_3_only_allowed_writes_get_a_grant() {
    let everything = rules(&["allow Write", "allow Edit", "allow Read", "allow Bash", "allow TodoWrite"]);
    let plan = PathTarget { given: "p.md".into(), path: "/w/plans/p.md".into(), place: PathLocation::PlanFile };
    let other = PathTarget { given: "a".into(), path: "/w/a".into(), place: PathLocation::Workspace };
    let calls = [
        ("Write", Access::Write(plan.clone())),
        ("Write", Access::Write(other.clone())),
        ("Read", Access::Read(vec![plan, other])),
        ("TodoWrite", Access::Internal),
        ("ExitPlanMode", Access::Internal),
        ("Bash", Access::Shell(ShellFacts::new("ls", false, target))),
    ];
    let granted =
        calls.map(|(tool, access)| match decide(Mode::Plan, &everything, CallFacts { tool: tool.into(), access }) {
            Decision::Allow(allowed) => match allowed.rights {
                CallRights::Write(grant) => Some(grant.path().to_path_buf()),
                CallRights::Plain | CallRights::Shell(_) => None,
            },
            Decision::Deny(_) | Decision::Ask(_) => None,
        });
    assert_eq!(granted, [Some("/w/plans/p.md".into()), None, None, None, None, None]);
}

#[test]
fn pc_20_scopes_only_take_away() {
    use cutonce_core::permission::{AskCause, OUTSIDE_PLAN};
    use cutonce_core::plan::scope::ScopeVerdict;
    use cutonce_core::settings::plan::ScopeMode;
    let decided = |mode, known: &[&str], scope, verdict| {
        decide(mode, &rules(known), write("src/a")).within_scope(mode, &write("src/a"), scope, verdict)
    };
    let working = [Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions];
    for mode in working {
        // Inside the scope, and without one, nothing changes.
        let plain = word(&decide(mode, &rules(&[]), write("src/a")));
        for verdict in [ScopeVerdict::Inside, ScopeVerdict::AlwaysAllowed] {
            assert_eq!(word(&decided(mode, &[], ScopeMode::Enforce, verdict)), plain);
        }
        assert_eq!(word(&decided(mode, &[], ScopeMode::Off, ScopeVerdict::Outside)), plain);
        for known in [&["allow Edit"][..], &["allow Edit(src/**)"], &["ask Edit"], &[]] {
            let Decision::Deny(denied) = decided(mode, known, ScopeMode::Enforce, ScopeVerdict::Outside) else {
                panic!("{mode} {known:?}");
            };
            assert!(denied.why.reason == OUTSIDE_PLAN && denied.message.contains("amend"), "{}", denied.message);
        }
        assert_eq!(word(&decided(mode, &["deny Edit"], ScopeMode::Ask, ScopeVerdict::Outside)), "deny");
    }
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Auto] {
        for known in [&["allow Edit"][..], &["ask Edit"], &[]] {
            let Decision::Ask(ask) = decided(mode, known, ScopeMode::Ask, ScopeVerdict::Outside) else {
                panic!("{mode} {known:?}");
            };
            assert!(ask.why.reason.starts_with(OUTSIDE_PLAN) && ask.suggestions.is_empty());
            // Neither a hook nor the classifier can answer.
            assert!(ask.cause == AskCause::OutOfScope && !ask.may_answer_automatically());
        }
    }
    let Decision::Allow(allowed) = decided(Mode::BypassPermissions, &[], ScopeMode::Ask, ScopeVerdict::Outside) else {
        panic!("not allowed");
    };
    assert!(allowed.why.reason.ends_with(OUTSIDE_PLAN));
    let shell = decide(Mode::AcceptEdits, &rules(&[]), bash("ls"));
    assert_eq!(
        word(&shell.within_scope(Mode::AcceptEdits, &bash("ls"), ScopeMode::Enforce, ScopeVerdict::Outside)),
        "run"
    );
}
