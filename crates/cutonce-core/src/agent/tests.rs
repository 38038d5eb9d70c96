use super::*;
use crate::mode::Mode;
use serde_json::json;
use std::path::PathBuf;

const TOOLS: [&str; 16] = [
    "Read",
    "Write",
    "Edit",
    "NotebookEdit",
    "Glob",
    "LS",
    "Grep",
    "Bash",
    "BashOutput",
    "KillShell",
    "WebFetch",
    "TodoWrite",
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "Agent",
];

fn offered(definition: &Definition) -> Vec<&'static str> {
    TOOLS.into_iter().filter(|tool| definition.offers(tool)).collect()
}

fn file(name: &str, source: Source, text: &str) -> Found {
    Found { source, path: PathBuf::from(name), text: Ok(text.into()) }
}

fn agent(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: does it\n{more}---\nDo it.\n")
}

#[test]
fn sa_2_the_built_in_agents_have_exactly_their_tools() {
    let catalog = Catalog::new(vec![], vec![], false);
    assert_eq!(catalog.names(), "Explore, Plan, general-purpose");
    let explore = catalog.get("Explore").unwrap();
    assert_eq!(offered(explore), ["Read", "Glob", "LS", "Grep", "Bash", "BashOutput", "KillShell", "WebFetch"]);
    assert!(explore.model == ModelWish::Small && !explore.project_instructions && !explore.fork_context);
    let plan = catalog.get("Plan").unwrap();
    assert_eq!(offered(plan), ["Read", "Glob", "LS", "Grep", "WebFetch", "AskUserQuestion"]);
    assert!(plan.model == ModelWish::Plan && !plan.project_instructions && plan.fork_context);
    assert_eq!(plan.color, Some(Color::Violet));
    assert!(plan.prompt.contains("Critical Files for Implementation"));
    let general = catalog.get(GENERAL).unwrap();
    assert_eq!(offered(general), TOOLS.into_iter().filter(|tool| !tool.ends_with("PlanMode")).collect::<Vec<_>>());
    assert!(general.model == ModelWish::Inherit && general.project_instructions);
}

#[test]
fn sa_3_every_field_of_a_users_agent_counts() {
    let text = agent(
        "own",
        "tools: [Read, Task, mcp__git__*]\ndisallowedTools: Read\nmodel: opus\npermissionMode: acceptEdits\ncolor: Pink\nforkContext: true\n",
    );
    let (own, unknown) = parse(&text, Source::User, None).unwrap().unwrap();
    assert!(own.offers("Agent") && own.offers("mcp__git__log") && !own.offers("Read") && !own.offers("mcp__gitx__log"));
    assert_eq!(
        (own.model.name(), own.permission_mode, own.color),
        ("opus", Some(Mode::AcceptEdits), Some(Color::Pink))
    );
    assert!(own.fork_context && unknown.is_empty() && own.prompt == "Do it.");
    let (_, unknown) = parse(&agent("x", "memory: user\n"), Source::User, None).unwrap().unwrap();
    assert_eq!(unknown, ["line 4: `memory` is not known and is ignored"]);
    let (all, _) = parse(&agent("x", "tools:\n"), Source::User, None).unwrap().unwrap();
    assert_eq!(all.tools, None);
    let (none, _) = parse(&agent("x", "tools: []\n"), Source::User, None).unwrap().unwrap();
    assert_eq!(offered(&none), [""; 0], "who writes an empty list means no tools");
}

#[test]
fn sa_3_a_broken_file_says_line_and_what_was_expected() {
    for (text, expected) in [
        ("---\ndescription: d\n---\nx", "line 1: expected `name: …` in the front matter, got none"),
        ("---\nname: a\n---\nx", "line 1: expected `description: …`"),
        ("---\nname: a\ndescription: d\n---\n", "line 1: expected instructions for the agent below"),
        (
            &agent("a", "permissionMode: yolo\n"),
            "line 4: `permissionMode`: expected one of default, acceptEdits, plan, auto, bypassPermissions, dontAsk, got `yolo`",
        ),
        (&agent("a", "color: mauve\n"), "line 4: `color`: expected one of red"),
        (&agent("a", "forkContext: maybe\n"), "line 4: `forkContext`: expected true or false, got `maybe`"),
        // Whoever reads it sees all of it (PM-87).
        (&agent("a", "forkContext: m\x1b[31m\n"), "line 4: `forkContext`: expected true or false, got `m\\u{1b}[31m`"),
        (&agent("a", "tools: Bash(git log:*)\n"), "line 4: `tools`: expected names of tools"),
        (&agent("../a", ""), "line 2: `name`: expected letters"),
    ] {
        let error = parse(text, Source::User, None).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn sa_3_project_over_user_over_built_in_and_a_broken_file_takes_nothing_away() {
    let files = || {
        vec![
            file("u/a.md", Source::User, &agent("a", "model: user\n")),
            file("u/e.md", Source::User, &agent("Explore", "model: mine\n")),
            file("p/a.md", Source::Project, &agent("a", "model: project\npermissionMode: bypassPermissions\n")),
            file("p/a2.md", Source::Project, &agent("a", "model: twice\n")),
            file("p/bad.md", Source::Project, "---\nname: b\n"),
            file("p/README.md", Source::Project, "# Agents\n"),
        ]
    };
    let trusted = Catalog::new(files(), vec![], true);
    let model = |catalog: &Catalog, name: &str| catalog.get(name).unwrap().model.name().to_string();
    assert_eq!((model(&trusted, "a"), model(&trusted, "Explore")), ("project".into(), "mine".into()));
    assert_eq!(trusted.get("a").unwrap().permission_mode, Some(Mode::BypassPermissions));
    let told: Vec<String> = trusted.troubles().iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "p/a2.md: there is an agent `a` already, in p/a.md",
            "p/bad.md: line 1: expected a line `---` that closes the front matter, got none"
        ]
    );
    // PR-2: until then the project speaks for itself only, and loosens nothing.
    let untrusted = Catalog::new(files(), vec![], false);
    assert_eq!(model(&untrusted, "a"), "user");
    let mine = Catalog::new(
        vec![file("p/n.md", Source::Project, &agent("n", "permissionMode: acceptEdits\n"))],
        vec![],
        false,
    );
    assert_eq!(mine.get("n").unwrap().permission_mode, None);
    assert!(mine.troubles()[0].to_string().contains("waits until you trust"));
}

#[test]
fn sa_3_a_hosts_agents_come_as_json_and_are_the_strongest() {
    let given = json!({"a": {"description": "d", "prompt": "p", "tools": ["Read"], "model": "haiku", "maxTurns": 3}});
    let catalog =
        Catalog::new(vec![file("p/a.md", Source::Project, &agent("a", ""))], parse_given(&given).unwrap(), true);
    let a = catalog.get("a").unwrap();
    assert_eq!((a.source, a.model.name(), offered(a)), (Source::Host, "haiku", vec!["Read"]));
    for (given, expected) in [
        (json!([]), "agents: expected an object of agents by name, got []"),
        (json!({"a": {"prompt": "p"}}), "agents.a: `description`: expected a text, got none"),
        (json!({"a": {"description": "d", "prompt": "p", "tools": [1]}}), "agents.a: `tools`: expected names, got 1"),
        (json!({"a b": {"description": "d", "prompt": "p"}}), "agents.a b: the name: expected letters"),
    ] {
        let error = parse_given(&given).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn tm_1_agents_that_were_handed_in_can_be_handed_on() {
    let given = json!({
        "plain": {"description": "d", "prompt": "p"},
        "whole": {"description": "d", "prompt": "p", "tools": ["Read", "Grep"], "disallowedTools": ["Grep"], "model": "small",
            "permissionMode": "acceptEdits", "color": "pink", "forkContext": true, "projectInstructions": false, "maxTurns": 3,
            "background": true, "skills": ["a"], "mcpServers": ["s", {"own": {"command": "c"}}], "initialPrompt": "i", "effort": "high"},
        "quiet": {"description": "d", "prompt": "p", "permissionMode": "dontAsk"},
    });
    let agents = parse_given(&given).unwrap();
    assert_eq!(parse_given(&handed_on(&agents)).unwrap(), agents);
    assert_eq!(agents.len(), 3);
}

#[test]
fn ho_1_fields_that_mean_nothing_are_named_with_their_agent() {
    let given = json!({"a": {"description": "d", "prompt": "p", "memory": "user", "effort": 5, "observer": null, "maxTurns": 2}});
    let catalog = Catalog::new(vec![], parse_given(&given).unwrap(), true);
    let told: Vec<String> = catalog.troubles().iter().map(ToString::to_string).collect();
    let expected = ["effort", "memory"].map(|field| format!("agents.a: `{field}` means nothing here and is ignored"));
    assert_eq!(told, expected);
    for (field, value) in
        [("maxTurns", json!(0)), ("effort", json!("huge")), ("mcpServers", json!({})), ("permissionMode", json!("x"))]
    {
        let error = parse_given(&json!({"a": {"description": "d", "prompt": "p", field: value}})).unwrap_err();
        assert!(error.starts_with(&format!("agents.a: `{field}`: ")), "{error}");
    }
}

#[test]
fn ho_1_files_say_the_same_as_hosts() {
    let text = "permissionMode: dontAsk\nmaxTurns: 4\nbackground: true\nskills: a, b\neffort: max\nmcpServers: [docs]\ntools: Read\n";
    let (agent, unknown) = parse(&agent("a", text), Source::User, None).unwrap().unwrap();
    assert_eq!(
        (agent.permission_mode, agent.more.dont_ask, agent.more.max_turns),
        (Some(Mode::Default), true, Some(4))
    );
    assert_eq!((agent.more.background, agent.more.skills.join(" ")), (true, "a b".to_string()));
    assert!(agent.offers("mcp__docs__find") && agent.offers("Read") && !agent.offers("Write") && unknown.is_empty());
    assert!(!agent.offers("ExitPlanMode") && !agent.offers_main("ExitPlanMode"));
}

#[test]
fn ag_7_the_tools_description_names_every_agent() {
    let own = file("a.md", Source::User, &agent("own", "tools: Read, Grep\n"));
    let text = description(&Catalog::new(vec![own], vec![], false));
    assert!(
        text.contains("- Explore: Searches")
            && text.contains("- own: does it (tools: Read, Grep)")
            && !text.contains('{')
    );
}
