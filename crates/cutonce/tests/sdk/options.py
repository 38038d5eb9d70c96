"""The Python SDK drives cutonce, unchanged: options that hold a session or its agents to less, and what is left of it afterwards. Each
`ho_…` is one test: `python options.py NAME`."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from claude_agent_sdk import AgentDefinition, ClaudeSDKClient, HookMatcher, PermissionResultAllow, query
from claude_agent_sdk.types import PermissionUpdate
from stage import BIN, Stage, bare, blocks, call, frames_until, prompt, results, run, text_of, write

SERVER = Path(__file__).parent.parent / "mcp" / "server.py"
WRITE = call("Write", file_path="a.txt", content="A")
START = call("Agent", subagent_type="x", description="look", prompt="SUBPROMPT")


def agent(**fields):
    return AgentDefinition(**{"description": "d", "prompt": "I am x.", **fields})


def offered(request):
    return [tool["name"] for tool in request["tools"]]


def told(messages):
    """What informational frames say."""
    frames = [getattr(message, "data", {}) for message in messages]
    return " ".join(frame.get("content", "") for frame in frames if frame.get("subtype") == "informational")


def of_agent(requests):
    """Those of the subagent."""
    return [request for request in requests if "SUBPROMPT" in json.dumps(request["messages"][0])]


def refused(stage, *flags):
    """A start that is refused, without the SDK: it may lose the words of a program that is gone before it has written. Code, frames, standard error."""
    initialize = {"type": "control_request", "request_id": "1", "request": {"subtype": "initialize"}}
    said = {"type": "user", "message": {"role": "user", "content": "go"}}
    process = bare(stage, *flags)
    out, err = process.communicate("".join(json.dumps(line) + "\n" for line in [initialize, said]))
    return process.returncode, out, err


async def asked(stage, **options):
    """One prompt with a callback that says yes to all; what it was asked."""
    calls = []

    async def yes(tool, given, context):
        calls.append(tool)
        return PermissionResultAllow()

    got = await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=yes, **options)))
    return got, calls


# --- The main thread as an agent


async def ho_1_named_agent_is_the_main_thread():
    stage = Stage(WRITE, {"text": "no such tool"})
    reader = agent(prompt="I only read.", tools=["Read", "Task"], model="claude-haiku-4-5", maxTurns=2, initialPrompt="Begin with the map.")
    options = stage.options(agents={"ro": reader}, extra_args={"agent": "ro"}, permission_mode="acceptEdits")
    got = await run(query(prompt="go", options=options))
    request = stage.seen()[0]
    assert "I only read." in json.dumps(request["system"]) and "You are cutonce" not in json.dumps(request["system"])
    assert sorted(offered(request)) == ["Agent", "Read"] and request["model"] == "claude-haiku-4-5", request["model"]
    assert "Begin with the map." in text_of(request) and "go" in text_of(request)
    assert stage.files() == {} and results(got)[0].subtype == "success", got[-1]


async def ho_1_main_agent_only_removes_rights():
    wide = agent(permissionMode="bypassPermissions", disallowedTools=["Bash"])
    stage = Stage(WRITE, {"text": "done"})
    got, calls = await asked(stage, agents={"w": wide}, extra_args={"agent": "w"})
    assert calls == ["Write"] and "Bash" not in offered(stage.seen()[0]), "default mode asks, whatever the agent says"
    assert "stays in default mode" in told(got), told(got)
    planner = agent(permissionMode="plan")
    stage = Stage(WRITE, {"text": "done"})
    got, calls = await asked(stage, agents={"p": planner}, extra_args={"agent": "p"}, permission_mode="acceptEdits")
    assert stage.files() == {} and calls == [], "plan mode holds"


async def ho_1_missing_main_agent_stops_the_start():
    stage = Stage(WRITE)
    code, out, _ = refused(stage, "--agent", "unknown", "--permission-mode", "acceptEdits")
    last = json.loads(out.splitlines()[-1])
    assert code == 1 and last["is_error"] and 'no agent named "unknown"' in last["errors"][0], out
    assert stage.seen() == [] and stage.files() == {}


# --- Policies


async def ho_1_host_policy_applies_or_stops_the_start():
    stage = Stage(WRITE, {"text": "done"})
    policy = {"managed-settings": json.dumps({"permissions": {"deny": ["Write"], "disableBypassPermissionsMode": "disable"}})}
    got = await run(query(prompt="go", options=stage.options(extra_args=policy, permission_mode="bypassPermissions", allowed_tools=["Write"])))
    assert stage.files() == {} and got[-1].permission_denials, got[-1]
    begun = next(message.data for message in got if getattr(message, "subtype", "") == "init")
    assert begun["permissionMode"] == "default", "bypassPermissions is closed"
    for broken, names in [("{", "not JSON"), ('{"allowManagedHooksOnly": true}', "allowManagedHooksOnly")]:
        stage = Stage(WRITE)
        code, _, err = refused(stage, "--managed-settings", broken, "--permission-mode", "acceptEdits")
        assert code == 2 and names in err and stage.seen() == [] and stage.files() == {}, err


async def ho_1_unknown_restricting_flags_stop_the_start():
    for flag in ["bare", "disable-slash-commands", "safe-mode", "worktree"]:
        stage = Stage(WRITE)
        code, _, err = refused(stage, f"--{flag}", "--permission-mode", "acceptEdits")
        assert code == 2 and f"--{flag} would restrict this run" in err and stage.seen() == [], (flag, err)


async def ho_1_the_old_name_of_agent_means_agent():
    stage = Stage(START, {"text": "one"})
    got = await run(query(prompt="go", options=stage.options(agents={"x": agent()}, disallowed_tools=["Task"], permission_mode="acceptEdits")))
    denied = blocks(got, "ToolResultBlock")[0]
    assert denied.is_error and "`Task`" in str(denied.content) and len(stage.seen()) == 2, denied
    stage = Stage(START, {"text": "sub"}, {"text": "done"})
    heard = []

    async def hear(given, tool_use_id, context):
        heard.append(given["tool_name"])
        return {}

    hooks = {"PreToolUse": [HookMatcher(matcher="Task", hooks=[hear])]}
    options = stage.options(agents={"x": agent()}, tools=["Task", "Read"], allowed_tools=["Task"], hooks=hooks)
    await run(query(prompt=prompt("go"), options=options))
    assert sorted(offered(stage.seen()[0])) == ["Agent", "Read"] and heard == ["Agent"], heard


async def ho_1_dont_ask_is_entered_and_left():
    stage = Stage(WRITE, {"text": "one"}, WRITE, {"text": "two"}, WRITE, {"text": "three"}, WRITE, {"text": "four"})
    calls, modes = [], []

    async def answer(tool, given, context):
        calls.append(tool)
        return PermissionResultAllow(updated_permissions=[PermissionUpdate(type="setMode", mode="dontAsk", destination="session")])

    async def turn(client):
        await client.query("go")
        got = [message async for message in client.receive_response()]
        modes.extend(m.data["permissionMode"] for m in got if getattr(m, "subtype", "") == "init")
        return got[-1]

    async with ClaudeSDKClient(stage.options(can_use_tool=answer, permission_mode="dontAsk")) as client:
        first = await turn(client)
        assert first.permission_denials and calls == [] and stage.files() == {}
        await client.set_permission_mode("default")
        await turn(client)
        assert calls == ["Write"] and stage.files() == {"a.txt": "A"}, "left: the host is asked, and its answer enters it again"
        (stage.ws / "a.txt").unlink()
        await turn(client)
        assert calls == ["Write"] and stage.files() == {}
        await client.set_permission_mode("acceptEdits")
        await turn(client)
        assert calls == ["Write"] and stage.files() == {"a.txt": "A"}
        await client.set_permission_mode("dontAsk")
    assert modes == ["dontAsk", "default", "dontAsk", "acceptEdits"], modes


# --- What is left


def left(stage):
    return sorted(str(path.relative_to(stage.home)) for path in stage.home.rglob("*") if path.is_file())


def swear(stage):
    return [path for path in stage.root.rglob("*") if path.is_file() and b"SECRETWORD" in path.read_bytes() and "seen" not in path.parts and path.name != "script.json"]


async def ho_1_ephemeral_session_leaves_no_files():
    plan = {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# SECRETWORD\n"}}]}
    stage = Stage(plan, call("Agent", subagent_type="Explore", description="look", prompt="SECRETWORD"), {"text": "sub SECRETWORD"}, {"text": "done"})
    options = stage.options(extra_args={"no-session-persistence": None}, permission_mode="plan", allowed_tools=["Agent"])
    got = await run(query(prompt="SECRETWORD", options=options))
    assert got[-1].result and not got[-1].is_error, got[-1]
    assert [name for name in left(stage) if name.endswith((".jsonl", ".md", ".lock"))] == [] and swear(stage) == [], left(stage)
    listed = subprocess.run([BIN, "sessions", "--all", "--json"], cwd=stage.ws, env={**os.environ, **stage.env()}, capture_output=True, text=True)
    assert listed.stdout.strip() == "", listed.stdout
    code, out, _ = refused(stage, f"--resume={got[-1].session_id}")
    assert code == 1 and "No conversation found" in out, out


async def ho_1_ephemeral_session_continues_a_stored_one():
    stage = Stage({"text": "one"}, {"text": "two"})
    first = await run(query(prompt="KEPT", options=stage.options()))
    before = stage.transcripts()[0].read_bytes()
    await run(query(prompt="SECRETWORD", options=stage.options(resume=first[-1].session_id, extra_args={"no-session-persistence": None})))
    assert stage.transcripts()[0].read_bytes() == before and len(stage.transcripts()) == 1 and swear(stage) == []
    assert "KEPT" in text_of(stage.seen()[1])


async def ho_1_leftovers_of_a_killed_session_are_removed():
    stage = Stage(call("Bash", command="sleep 60"), {"text": "next"})
    process = bare(stage, "--no-session-persistence", "--allowedTools", "Bash")
    write(process, {"type": "user", "message": {"role": "user", "content": "SECRETWORD"}})
    frames_until(process, lambda frame: frame["type"] == "assistant")
    process.send_signal(signal.SIGKILL)
    process.wait(20)
    assert swear(stage), "it is on disk while it lives"
    await run(query(prompt="hi", options=stage.options()))
    assert swear(stage) == []


# --- Skills


def skills(stage, *names):
    for name in names:
        folder = stage.home / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: does {name}\n---\nBODY-{name}\n")


async def ho_8_only_listed_skills_are_offered():
    stage = Stage(call("Skill", skill="beta"), call("Skill", skill="alpha"), {"text": "done"})
    skills(stage, "alpha", "beta")
    got, calls = await asked(stage, skills=["alpha"])
    words = next(tool["description"] for tool in stage.seen()[0]["tools"] if tool["name"] == "Skill")
    assert "does alpha" in words and "beta" not in words
    refused, given = blocks(got, "ToolResultBlock")
    assert refused.is_error and "BODY-alpha" in str(given.content) and calls == []
    assert got[0].data["skills"] == ["alpha"] and "not understood" not in " ".join(stage.stderr), stage.stderr
    stage = Stage(call("Skill", skill="alpha"), {"text": "done"})
    skills(stage, "alpha")
    got, calls = await asked(stage, skills=[])
    assert "Skill" not in offered(stage.seen()[0]) and blocks(got, "ToolResultBlock")[0].is_error


async def ho_8_rules_deny_and_ask_for_skills():
    stage = Stage(call("Skill", skill="alpha"), call("Skill", skill="beta"), call("Skill", skill="gamma"), {"text": "done"})
    skills(stage, "alpha", "beta", "gamma")
    settings = json.dumps({"permissions": {"ask": ["Skill(beta:*)"]}})
    got, calls = await asked(stage, disallowed_tools=["Skill(alpha)"], settings=settings)
    denied, allowed, free = blocks(got, "ToolResultBlock")
    assert denied.is_error and "Skill(alpha)" in str(denied.content) and calls == ["Skill"]
    assert "BODY-beta" in str(allowed.content) and "BODY-gamma" in str(free.content)


# --- Fields of the host's agents


async def ho_1_agent_ends_after_its_turns_without_asking():
    stage = Stage(START, {"when": "SUBPROMPT", **WRITE}, {"when": "SUBPROMPT", "text": "never"}, {"text": "done"})
    got, calls = await asked(stage, agents={"x": agent(maxTurns=1, permissionMode="dontAsk")}, allowed_tools=["Agent"])
    assert calls == [] and stage.files() == {} and len(of_agent(stage.seen())) == 1
    assert "its limit of 1 requests" in str(blocks(got, "ToolResultBlock")[-1].content), blocks(got, "ToolResultBlock")


async def ho_1_agent_has_its_skills_and_effort():
    stage = Stage(START, {"when": "SUBPROMPT", "text": "sub"}, {"text": "done"})
    skills(stage, "alpha", "beta")
    given = agent(skills=["alpha", "nothere"], effort="max", model="claude-opus-4-6", memory="user")
    got, _ = await asked(stage, agents={"x": given}, allowed_tools=["Agent"])
    request = of_agent(stage.seen())[0]
    assert "BODY-alpha" in json.dumps(request["system"]) and "BODY-beta" not in json.dumps(request)
    assert request["output_config"]["effort"] == "max", request.get("output_config")
    assert "agents.x: `memory` has no effect" in told(got) and '"nothere"' in told(got), told(got)


async def ho_1_an_agent_has_servers_of_its_own():
    use = {"when": "SUBPROMPT", **call("mcp__own__look")}
    stage = Stage(START, use, {"when": "SUBPROMPT", "text": "sub"}, call("mcp__own__look"), {"text": "done"})
    log = stage.root / "log"
    own = {"own": {"command": sys.executable, "args": [str(SERVER), "plain", str(log)]}}
    options = dict(agents={"x": agent(tools=["Read"], mcpServers=[own])}, allowed_tools=["Agent", "mcp__own__look"])
    got, _ = await asked(stage, **options)
    requests = stage.seen()
    assert "mcp__own__look" in offered(of_agent(requests)[0]) and "Write" not in offered(of_agent(requests)[0])
    assert not any("mcp__own" in name for request in requests if request not in of_agent(requests) for name in offered(request))
    last = blocks(got, "ToolResultBlock")[-1]
    assert last.is_error, "the main thread has none of them"


async def ho_1_background_agent_runs_during_the_turn():
    stage = Stage(START, {"when": "SUBPROMPT", "text": "sub answer"}, {"text": "one"}, {"text": "two"})
    got, _ = await asked(stage, agents={"x": agent(background=True)}, allowed_tools=["Agent"])
    begun = next(block for block in blocks(got, "ToolResultBlock") if "background" in str(block.content))
    assert not begun.is_error, got


# --- Small ones


async def ho_1_fallback_models_are_tried_in_their_order():
    gone = {"fault": {"status": 404, "message": "no such model"}}
    stage = Stage(gone, gone, {"text": "third"})
    options = stage.options(model="claude-opus-4-6", fallback_model="claude-sonnet-5-5, claude-haiku-4-5")
    got = await run(query(prompt="go", options=options))
    models = [request["model"] for request in stage.seen()]
    assert models == ["claude-opus-4-6", "claude-sonnet-5-5", "claude-haiku-4-5"] and got[-1].result == "third", models


async def ho_1_a_guard_that_is_empty_is_an_error():
    stage = Stage({"text": "one"}, {"text": "never"})
    first = await run(query(prompt="one", options=stage.options()))
    kept = next(message.uuid for message in first if type(message).__name__ == "AssistantMessage")
    for guard in [[f"--resume-session-at={kept}", "--resume-drops-turn="], [f"--resume-drops-turn={kept}"]]:
        code, _, err = refused(stage, f"--resume={first[-1].session_id}", *guard)
        assert code == 2 and "--resume-drops-turn" in err, err
    assert len(stage.seen()) == 1


async def ho_1_settings_name_model_and_agent():
    stage = Stage({"text": "one"})
    agents = {"x": agent(tools=["Read"])}
    await run(query(prompt="go", options=stage.options(settings=json.dumps({"model": "claude-haiku-4-5", "agent": "x"}), agents=agents)))
    request = stage.seen()[0]
    assert request["model"] == "claude-haiku-4-5" and offered(request) == ["Read"], stage.stderr
