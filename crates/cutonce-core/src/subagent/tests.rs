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

fn offered(definition: &AgentDefinition) -> Vec<&'static str> {
    TOOLS.into_iter().filter(|tool| definition.offers(tool)).collect()
}

fn file(name: &str, source: AgentSource, text: &str) -> AgentFile {
    AgentFile { source, path: PathBuf::from(name), text: Ok(text.into()) }
}

fn agent(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: does it\n{more}---\nDo it.\n")
}

#[test]
fn sa_2_built_in_agents_have_exactly_their_tools() {
    let catalog = AgentCatalog::new(vec![], vec![], false);
    assert_eq!(catalog.name_list(), "Explore, Plan, general-purpose");
    let explore = catalog.get("Explore").unwrap();
    assert_eq!(offered(explore), ["Read", "Glob", "LS", "Grep", "Bash", "BashOutput", "KillShell", "WebFetch"]);
    assert!(explore.model == AgentModel::Small && !explore.project_instructions && !explore.fork_context);
    let plan = catalog.get("Plan").unwrap();
    assert_eq!(offered(plan), ["Read", "Glob", "LS", "Grep", "WebFetch", "AskUserQuestion"]);
    assert!(plan.model == AgentModel::Plan && !plan.project_instructions && plan.fork_context);
    assert_eq!(plan.color, Some(AgentColor::Violet));
    assert!(plan.prompt.contains("Critical Files for Implementation"));
    let general = catalog.get(GENERAL_PURPOSE).unwrap();
    assert_eq!(offered(general), TOOLS.into_iter().filter(|tool| !tool.ends_with("PlanMode")).collect::<Vec<_>>());
    assert!(general.model == AgentModel::Inherit && general.project_instructions);
}

#[test]
fn sa_3_every_field_of_a_user_agent_applies() {
    let text = agent(
        "own",
        "tools: [Read, Task, mcp__git__*]\ndisallowedTools: Read\nmodel: opus\npermissionMode: acceptEdits\ncolor: Pink\nforkContext: true\n",
    );
    let (own, unknown) = parse_agent_file(&text, AgentSource::User, None).unwrap().unwrap();
    assert!(own.offers("Agent") && own.offers("mcp__git__log") && !own.offers("Read") && !own.offers("mcp__gitx__log"));
    assert_eq!(
        (own.model.name(), own.permission_mode, own.color),
        ("opus", Some(Mode::AcceptEdits), Some(AgentColor::Pink))
    );
    assert!(own.fork_context && unknown.is_empty() && own.prompt == "Do it.");
    let (_, unknown) = parse_agent_file(&agent("x", "memory: user\n"), AgentSource::User, None).unwrap().unwrap();
    assert_eq!(unknown, ["line 4: unknown key `memory`, ignored"]);
    let (all, _) = parse_agent_file(&agent("x", "tools:\n"), AgentSource::User, None).unwrap().unwrap();
    assert_eq!(all.tools, None);
    let (none, _) = parse_agent_file(&agent("x", "tools: []\n"), AgentSource::User, None).unwrap().unwrap();
    assert_eq!(offered(&none), [""; 0], "an empty list means no tools");
}

#[test]
fn sa_3_broken_file_error_names_line_and_expectation() {
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
        // Control characters are shown, not executed (PM-87).
        (&agent("a", "forkContext: m\x1b[31m\n"), "line 4: `forkContext`: expected true or false, got `m\\u{1b}[31m`"),
        (&agent("a", "tools: Bash(git log:*)\n"), "line 4: `tools`: expected tool names"),
        (&agent("../a", ""), "line 2: `name`: expected letters"),
    ] {
        let error = parse_agent_file(text, AgentSource::User, None).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn sa_3_project_overrides_user_overrides_built_in() {
    let files = || {
        vec![
            file("u/a.md", AgentSource::User, &agent("a", "model: user\n")),
            file("u/e.md", AgentSource::User, &agent("Explore", "model: mine\n")),
            file("p/a.md", AgentSource::Project, &agent("a", "model: project\npermissionMode: bypassPermissions\n")),
            file("p/a2.md", AgentSource::Project, &agent("a", "model: twice\n")),
            file("p/bad.md", AgentSource::Project, "---\nname: b\n"),
            file("p/README.md", AgentSource::Project, "# Agents\n"),
        ]
    };
    let trusted = AgentCatalog::new(files(), vec![], true);
    let model = |catalog: &AgentCatalog, name: &str| catalog.get(name).unwrap().model.name().to_string();
    assert_eq!((model(&trusted, "a"), model(&trusted, "Explore")), ("project".into(), "mine".into()));
    assert_eq!(trusted.get("a").unwrap().permission_mode, Some(Mode::BypassPermissions));
    let told: Vec<String> = trusted.problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "p/a2.md: agent `a` is already defined in p/a.md",
            "p/bad.md: line 1: expected a line `---` that closes the front matter, got none"
        ]
    );
    // PR-2: an untrusted project replaces no agent and grants nothing.
    let untrusted = AgentCatalog::new(files(), vec![], false);
    assert_eq!(model(&untrusted, "a"), "user");
    let mine = AgentCatalog::new(
        vec![file("p/n.md", AgentSource::Project, &agent("n", "permissionMode: acceptEdits\n"))],
        vec![],
        false,
    );
    assert_eq!(mine.get("n").unwrap().permission_mode, None);
    assert!(mine.problems()[0].to_string().contains("takes effect once you trust"));
}

#[test]
fn sa_3_host_agents_are_json_and_override_all() {
    let given = json!({"a": {"description": "d", "prompt": "p", "tools": ["Read"], "model": "haiku", "maxTurns": 3}});
    let catalog = AgentCatalog::new(
        vec![file("p/a.md", AgentSource::Project, &agent("a", ""))],
        parse_host_agents(&given).unwrap(),
        true,
    );
    let a = catalog.get("a").unwrap();
    assert_eq!((a.source, a.model.name(), offered(a)), (AgentSource::Host, "haiku", vec!["Read"]));
    for (given, expected) in [
        (json!([]), "agents: expected an object of agents by name, got []"),
        (json!({"a": {"prompt": "p"}}), "agents.a: `description`: expected a text, got none"),
        (json!({"a": {"description": "d", "prompt": "p", "tools": [1]}}), "agents.a: `tools`: expected names, got 1"),
        (json!({"a b": {"description": "d", "prompt": "p"}}), "agents.a b: the name: expected letters"),
    ] {
        let error = parse_host_agents(&given).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn tm_1_host_agents_survive_a_json_round_trip() {
    let given = json!({
        "plain": {"description": "d", "prompt": "p"},
        "whole": {"description": "d", "prompt": "p", "tools": ["Read", "Grep"], "disallowedTools": ["Grep"], "model": "small",
            "permissionMode": "acceptEdits", "color": "pink", "forkContext": true, "projectInstructions": false, "maxTurns": 3,
            "background": true, "skills": ["a"], "mcpServers": ["s", {"own": {"command": "c"}}], "initialPrompt": "i", "effort": "high"},
        "quiet": {"description": "d", "prompt": "p", "permissionMode": "dontAsk"},
    });
    let agents = parse_host_agents(&given).unwrap();
    assert_eq!(parse_host_agents(&to_host_json(&agents)).unwrap(), agents);
    assert_eq!(agents.len(), 3);
}

#[test]
fn ho_1_ignored_fields_are_reported_with_their_agent() {
    let given = json!({"a": {"description": "d", "prompt": "p", "memory": "user", "effort": 5, "observer": null, "maxTurns": 2}});
    let catalog = AgentCatalog::new(vec![], parse_host_agents(&given).unwrap(), true);
    let told: Vec<String> = catalog.problems().iter().map(ToString::to_string).collect();
    let expected = ["effort", "memory"].map(|field| format!("agents.a: `{field}` has no effect and is ignored"));
    assert_eq!(told, expected);
    for (field, value) in
        [("maxTurns", json!(0)), ("effort", json!("huge")), ("mcpServers", json!({})), ("permissionMode", json!("x"))]
    {
        let error = parse_host_agents(&json!({"a": {"description": "d", "prompt": "p", field: value}}))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(&format!("agents.a: `{field}`: ")), "{error}");
    }
}

#[test]
fn ho_1_files_accept_the_same_fields_as_hosts() {
    let text = "permissionMode: dontAsk\nmaxTurns: 4\nbackground: true\nskills: a, b\neffort: max\nmcpServers: [docs]\ntools: Read\n";
    let (agent, unknown) = parse_agent_file(&agent("a", text), AgentSource::User, None).unwrap().unwrap();
    assert_eq!(
        (agent.permission_mode, agent.options.dont_ask, agent.options.max_turns),
        (Some(Mode::Default), true, Some(4))
    );
    assert_eq!((agent.options.background, agent.options.skills.join(" ")), (true, "a b".to_string()));
    assert!(agent.offers("mcp__docs__find") && agent.offers("Read") && !agent.offers("Write") && unknown.is_empty());
    assert!(!agent.offers("ExitPlanMode") && !agent.offers_in_main_thread("ExitPlanMode"));
}

#[test]
fn ag_7_tool_description_names_every_agent() {
    let own = file("a.md", AgentSource::User, &agent("own", "tools: Read, Grep\n"));
    let text = agent_tool_description(&AgentCatalog::new(vec![own], vec![], false));
    assert!(
        text.contains("- Explore: Searches")
            && text.contains("- own: does it (tools: Read, Grep)")
            && !text.contains('{')
    );
}
