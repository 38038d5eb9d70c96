//! PR-3 to PR-7, PM-60 and PM-61: the decision, mode by mode, and what holds whatever the rules say.

mod world;

use cutonce_core::mode::Mode;
use cutonce_core::permission::{Access, Decision, Facts, Place, Rights, ShellFacts, Target, decide};
use cutonce_core::rule::{Behavior, Rules, Source};
use proptest::prelude::*;
use world::*;

/// default, acceptEdits, plan, bypassPermissions; auto is as default for now.
fn check(facts: impl Fn() -> Facts, expected: [&str; 4]) {
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
    check(|| mcp("mcp__a__b", true), ["ask", "ask", "run", "run"]);
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

/// PR-5: in bypassPermissions a command that could not be taken apart asks where a rule might have had a word in it.
#[test]
fn pr_5_unparsed_and_rules() {
    assert_eq!(outcome(Mode::BypassPermissions, &rules(&["deny Bash(rm:*)"]), bash("ls 'x")), "ask");
    assert_eq!(outcome(Mode::BypassPermissions, &rules(&["deny WebFetch"]), bash("ls 'x")), "run");
    assert_eq!(outcome(Mode::Default, &rules(&["allow Bash"]), bash("ls 'x")), "ask");
    // A computed name may be the one that a rule denies.
    assert_eq!(outcome(Mode::BypassPermissions, &rules(&["deny Bash(rm:*)"]), bash("$(echo rm) x")), "ask");
    assert_eq!(outcome(Mode::BypassPermissions, &rules(&[]), bash("$(echo rm) x")), "run");
}

/// PR-4, PR-1: commands that are known to change files are held to the protected places and the rules about what they name.
#[test]
fn pr_4_paths_that_changing_commands_spell_out() {
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

/// PR-1, PR-5: a glob is judged by what it finds on the disk: links lead where they lead, and what may be an option asks.
#[test]
fn pr_5_globs_are_judged_by_the_disk() {
    struct Linked(Option<&'static str>);
    impl cutonce_core::permission::Disk for Linked {
        fn resolve(&self, path: &str) -> Target {
            target(if path == "link" { "/etc/secret" } else { path })
        }
        fn links(&self, _: &str) -> Option<Vec<String>> {
            self.0.map(|link| link.split_whitespace().map(str::to_string).collect())
        }
        fn repository(&self) -> Target {
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
        let facts = Facts { tool: "Bash".into(), access: Access::Shell(shell) };
        assert_eq!(outcome(Mode::Default, &rules(&written), facts), expected, "{links:?} {written:?}");
    }
    // What is no plain file leads elsewhere when it was moved: for all that is read or written there, before or after.
    for (command, written, expected) in [
        ("mv a e && cat e/x", vec![], "run"),
        ("mv up e", vec![], "ask"),
        ("mv up e", vec!["allow Bash(mv:*)"], "run"),
        ("mv up e && cat e/x", vec!["allow Bash(mv:*)"], "ask"),
        ("cat e/x & mv up e", vec!["allow Bash(mv:*)"], "ask"),
        ("for i in 1 2; do echo > e/x; mv up e; done", vec!["allow Bash(mv:*)", "allow Edit(e/**)"], "ask"),
        ("ln -s g e; touch e/x", vec!["allow Bash(ln:*)"], "ask"),
        ("ln -s g e; touch f", vec!["allow Bash(ln:*)"], "run"),
        // The top of the repository is outside.
        ("git diff", vec![], "ask"),
        ("git log --oneline", vec![], "run"),
    ] {
        let shell = ShellFacts::new(command, false, Linked(Some("")));
        let facts = Facts { tool: "Bash".into(), access: Access::Shell(shell) };
        assert_eq!(outcome(Mode::AcceptEdits, &rules(&written), facts), expected, "{command} {written:?}");
    }
}

/// PR-3: the decision carries its rule and source; messages say what, by what, and what to do instead.
#[test]
fn pr_3_reasons() {
    let Decision::Deny(denied) = decide(Mode::Default, &rules(&["deny Bash(rm:*)"]), bash("ls && rm x")) else {
        panic!("not denied");
    };
    assert_eq!(
        denied.message,
        "The command `ls && rm x` is denied by the rule `Bash(rm:*)` from ~/.cutonce/settings.json. \
         Do not try to get there another way: go on without it, or tell the user what you need it for."
    );
    let Decision::Allow(allowed) = decide(Mode::Default, &rules(&["allow Edit(src/**)"]), write("src/a")) else {
        panic!("not allowed");
    };
    assert_eq!((allowed.why.rule.as_deref(), allowed.why.source), (Some("Edit(src/**)"), Some(Source::User)));
    let Decision::Ask(ask) = decide(Mode::Default, &rules(&[]), bash("ls && git push")) else { panic!("not asked") };
    assert_eq!(
        ask.why.reason,
        "default mode asks before this: any other shell command (`git push`, which git push changes the repository)"
    );
}

/// PM-61: the fixed words, and what to do instead.
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

/// PR-6: the grant names the resolved path, and only an allowed or approved write has one.
#[test]
fn pr_6_grants() {
    let granted = |rights: Rights| match rights {
        Rights::Write(grant) => grant.path().display().to_string(),
        Rights::Shell(grant) => grant.command().to_string(),
        Rights::Plain => "plain".to_string(),
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

fn suggested(facts: Facts) -> Vec<String> {
    match decide(Mode::Default, &rules(&[]), facts) {
        Decision::Ask(ask) => ask.suggestions.iter().map(|s| s.rules.join(" + ")).collect(),
        Decision::Allow(_) | Decision::Deny(_) => panic!("not asked"),
    }
}

/// PR-7: narrowest first, nothing where no rule helps.
#[test]
fn pr_7_suggestions() {
    let check = |facts: Facts, expected: &[&str]| assert_eq!(suggested(facts), expected);
    check(write("src/a.rs"), &["Edit(./src/a.rs)", "Edit(./src/**)"]);
    check(write("a.rs"), &["Edit(./a.rs)"]);
    check(write("/tmp/d/x"), &["Edit(//tmp/d/x)", "Edit(//tmp/d/**)"]);
    check(write("src/[a].rs"), &["Edit(./src/\\[a\\].rs)", "Edit(./src/**)"]);
    check(write(".git/config"), &[]);
    check(read("~/notes/x"), &["Read(~/notes/x)", "Read(~/notes/**)"]);
    check(fetch("example.org"), &["WebFetch(domain:example.org)"]);
    check(mcp("mcp__a__b", false), &["mcp__a__b", "mcp__a"]);
    check(bash("npm run test"), &["Bash(npm run test)", "Bash(npm run:*)"]);
    check(bash("ls && git commit -m 'a b'"), &["Bash(git commit -m 'a b')", "Bash(git commit:*)"]);
    check(bash("make a && make b"), &["Bash(make a) + Bash(make b)", "Bash(make:*)"]);
    check(bash("make > out/log"), &["Bash(make) + Edit(./out/log)", "Bash(make:*) + Edit(./out/**)"]);
    check(bash("python x.py"), &["Bash(python x.py)"]);
    check(bash("rm -rf x"), &["Bash(rm -rf x)"]);
    check(bash("make *"), &["Bash(make \\*)", "Bash(make:*)"]);
    check(bash("FOO=1 make"), &["Bash(FOO=1 make)"]);
    check(bash("timeout 5 make"), &["Bash(make)", "Bash(make:*)"]);
    check(bash("find . -exec make {} \\;"), &["Bash(find . -exec make {} ';')", "Bash(make:*)"]);
    check(bash("echo x > $f"), &[]);
    check(bash("make 'x"), &[]);
    check(bash("$x y"), &[]);
    check(bash("make > .git/x"), &[]);
    // What its input decides is not covered by its words.
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

fn any_rules() -> impl Strategy<Value = Vec<(Behavior, &'static str, Source)>> {
    let behavior = prop_oneof![Just(Behavior::Allow), Just(Behavior::Ask), Just(Behavior::Deny)];
    let source = prop_oneof![
        Just(Source::Managed),
        Just(Source::CommandLine),
        Just(Source::Session),
        Just(Source::Local),
        Just(Source::Project),
        Just(Source::User)
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

fn facts(text: &str) -> Facts {
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

fn build(rules: &[(Behavior, &str, Source)]) -> Rules {
    rules_from(rules.iter().map(|(behavior, text, source)| written(*behavior, text, *source)).collect())
}

fn changes(text: &str) -> bool {
    let only_reads = ["bash ls", "bash cat /etc/passwd", "bash cat $x"];
    text.starts_with("write") || (text.starts_with("bash") && !only_reads.contains(&text)) || text == "inner TodoWrite"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// PR-1: a deny rule for the whole tool wins over whatever else is written, in every mode.
    #[test]
    fn pr_1_deny_always_wins(mut rules in any_rules(), call in any_facts(), at in 0_usize..6) {
        let tool = facts(&call).tool;
        let tool: &'static str = Box::leak(tool.into_boxed_str());
        rules.insert(at.min(rules.len()), (Behavior::Deny, tool, Source::User));
        let rules = build(&rules);
        for mode in MODES {
            prop_assert_eq!(outcome(mode, &rules, facts(&call)), "deny");
        }
    }

    /// PM-61: in plan mode nothing that changes anything runs or asks, whatever the rules.
    #[test]
    fn pm_61_plan_never_allows_a_change(rules in any_rules(), call in any_facts()) {
        let decided = outcome(Mode::Plan, &build(&rules), facts(&call));
        if changes(&call) {
            prop_assert_eq!(decided, "deny", "{}", call);
        }
    }

    /// PR-4: a protected place is never written without a question, whatever allow rules say.
    #[test]
    fn pr_4_protected_places_never_run(rules in any_rules()) {
        let rules = build(&rules);
        for mode in MODES {
            for call in ["write .git/config", "write ~/.bashrc", "bash echo x > .git/y", "bash echo x >> ~/.bashrc"] {
                prop_assert_ne!(outcome(mode, &rules, facts(call)), "run");
            }
        }
    }

    /// PR-7: storing the narrowest suggestion lets the same call run, and no other command.
    #[test]
    fn pr_7_the_narrowest_suggestion_covers_this_and_no_other(call in any_facts(), other in prop::sample::select(COMMANDS), accept in any::<bool>()) {
        let mode = if accept { Mode::AcceptEdits } else { Mode::Default };
        let mut stored = rules(&[]);
        let Decision::Ask(ask) = decide(mode, &stored, facts(&call)) else { return Ok(()) };
        let Some(first) = ask.suggestions.first() else { return Ok(()) };
        for rule in &first.rules {
            prop_assert!(stored.add_for_session(first.behavior, rule).is_ok(), "{}", rule);
        }
        prop_assert_eq!(outcome(mode, &stored, facts(&call)), "run", "{:?} for {}", first.rules, call);
        let before = outcome(mode, &rules(&[]), bash(other));
        // Rules for the same file, or for the same part of another line, rightly count there as well.
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
    let decided = |plan: PlanMcp, read_only| {
        let access = Access::Mcp { read_only, plan };
        let allow = rules(&["allow mcp__s__t"]);
        match decide(Mode::Plan, &allow, Facts { tool: "mcp__s__t".into(), access }) {
            Decision::Allow(_) => "runs",
            Decision::Ask(_) => "asks",
            Decision::Deny(_) => "denied",
        }
    };
    // An allow rule for the tool is there in every row, and lifts nothing.
    let table = [
        (ReadOnlyHint, true, "runs"),
        (ReadOnlyHint, false, "denied"),
        (Ask, true, "asks"),
        (Ask, false, "asks"),
        (Deny, true, "denied"),
        (Deny, false, "denied"),
    ];
    for (policy, read_only, expected) in table {
        assert_eq!(decided(policy, read_only), expected, "{policy:?} {read_only}");
    }
}

#[test]
fn pm_60_only_the_session_s_plan_file_may_be_written_and_only_with_write_or_edit() {
    let everything = rules(&["allow Write", "allow Edit", "allow Bash"]);
    let at = |place| Target { given: "p.md".into(), path: "/w/plans/p.md".into(), place };
    let write = |place| Facts { tool: "Write".into(), access: Access::Write(at(place)) };
    assert!(matches!(decide(Mode::Plan, &everything, write(Place::PlanFile)), Decision::Allow(_)));
    for place in [Place::Workspace, Place::Protected, Place::Outside, Place::Own] {
        assert!(matches!(decide(Mode::Plan, &everything, write(place)), Decision::Deny(_)), "{place:?}");
    }
    let shell = ShellFacts::new("echo x > plans/p.md", false, |_: &str| at(Place::PlanFile));
    let shell = Facts { tool: "Bash".into(), access: Access::Shell(shell) };
    assert!(matches!(decide(Mode::Plan, &everything, shell), Decision::Deny(_)));
}

#[test]
fn pr_5_what_runs_unasked_is_held_to_the_word_of_the_mode() {
    use cutonce_core::permission::Held::{self, Files, Parsed, Reads, Workspace};
    let held = |mode: Mode, known: &[&str], command: &str, held: Held| {
        let mut shell = ShellFacts::new(command, false, target);
        shell.held = held;
        let facts = Facts { tool: "Bash".into(), access: Access::Shell(shell) };
        let rights = match decide(mode, &rules(known), facts) {
            Decision::Allow(allowed) => allowed.rights,
            Decision::Ask(ask) => ask.approve("the user agreed").rights,
            Decision::Deny(denied) => panic!("{}", denied.message),
        };
        let Rights::Shell(grant) = rights else { panic!("no right to a command") };
        grant.held()
    };
    let (default, accept) = (Mode::Default, Mode::AcceptEdits);
    for (mode, known, command, expected) in [
        (default, &[][..], "ls src && git status", Reads),
        (accept, &[], "cat a.txt", Reads),
        (accept, &[], "touch a.txt && ls", Files),
        // Others have said yes: a person, a rule, or whoever chose bypassPermissions.
        (default, &[], "make", Parsed),
        (default, &["allow Bash(make:*)"], "make", Parsed),
        (default, &["allow Bash"], "ls src", Parsed),
        (Mode::BypassPermissions, &[], "ls src", Parsed),
        // A sandbox shows no other processes.
        (default, &[], "ps aux", Parsed),
        (default, &[], "ps aux | grep -i '[n]ode' | head -5", Parsed),
        (default, &[], "ps aux; ls", Reads),
        (default, &[], "ps aux <<E\nE", Reads),
    ] {
        assert_eq!(held(mode, known, command, Parsed), expected, "{command}");
    }
    assert_eq!(held(default, &[], "ls", Workspace), Reads);
    assert_eq!(held(accept, &[], "touch a.txt", Workspace), Workspace);
}

#[test]
fn pm_62_what_holds_the_shell_decides_what_runs() {
    use cutonce_core::permission::Held::{self, Off, Parsed, Sandbox};
    let decided = |command: &str, held: Held| {
        let mut shell = ShellFacts::new(command, false, target);
        shell.held = held;
        let allow = rules(&["allow Bash"]);
        match decide(Mode::Plan, &allow, Facts { tool: "Bash".into(), access: Access::Shell(shell) }) {
            Decision::Allow(allowed) => match allowed.rights {
                Rights::Shell(grant) if grant.held() == Sandbox => "held",
                _ => "runs",
            },
            Decision::Ask(_) => "asks",
            Decision::Deny(_) => "denied",
        }
    };
    let table = [
        ("ls src", ["held", "runs", "denied"]),
        ("cargo test", ["held", "denied", "denied"]),
        ("python3 -c 'print(1)'", ["held", "denied", "denied"]),
        ("rm a", ["denied", "denied", "denied"]),
        ("echo x > a", ["denied", "denied", "denied"]),
        ("git commit -m x", ["denied", "denied", "denied"]),
        // Where it leads nobody knows: into $TMPDIR, if the kernel lets it.
        ("t=$(mktemp) && echo x > $t && cat $t && rm $t", ["held", "denied", "denied"]),
        ("d=$(mktemp -d) && cp -r src $d && rm -r $d", ["held", "denied", "denied"]),
        ("rm \"$TMPDIR\" a", ["denied", "denied", "denied"]),
    ];
    for (command, expected) in table {
        let found = [Sandbox, Parsed, Off].map(|held| decided(command, held));
        assert_eq!(found, expected, "{command}");
    }
}

/// The first two layers, each by itself: the decision refuses, and a grant names one path and comes from a write only. The
/// third, the kernel, is held by the probes, which hide every command from the parser.
#[test]
fn pm_3_only_a_write_that_was_let_through_has_a_grant_and_it_names_one_path() {
    let everything = rules(&["allow Write", "allow Edit", "allow Read", "allow Bash", "allow TodoWrite"]);
    let plan = Target { given: "p.md".into(), path: "/w/plans/p.md".into(), place: Place::PlanFile };
    let other = Target { given: "a".into(), path: "/w/a".into(), place: Place::Workspace };
    let calls = [
        ("Write", Access::Write(plan.clone())),
        ("Write", Access::Write(other.clone())),
        ("Read", Access::Read(vec![plan, other])),
        ("TodoWrite", Access::Internal),
        ("ExitPlanMode", Access::Internal),
        ("Bash", Access::Shell(ShellFacts::new("ls", false, target))),
    ];
    let granted =
        calls.map(|(tool, access)| match decide(Mode::Plan, &everything, Facts { tool: tool.into(), access }) {
            Decision::Allow(allowed) => match allowed.rights {
                Rights::Write(grant) => Some(grant.path().to_path_buf()),
                Rights::Plain | Rights::Shell(_) => None,
            },
            Decision::Deny(_) | Decision::Ask(_) => None,
        });
    assert_eq!(granted, [Some("/w/plans/p.md".into()), None, None, None, None, None]);
}
