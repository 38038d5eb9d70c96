"""The Python SDK drives cutonce, unchanged, when things go wrong: interrupts at odd moments, calls too large to show, hosts that do not
read, greetings that come late, agents that outlive the input. Each `ho_…` is one test: `python trouble.py NAME`."""

import asyncio
import fcntl
import json
import signal
import struct
import sys
import termios
from pathlib import Path

from claude_agent_sdk import ClaudeSDKClient, HookMatcher, PermissionResultAllow, PermissionResultDeny, query
from claude_agent_sdk.types import PermissionRuleValue, PermissionUpdate
from stage import Stage, bare, blocks, call, frames_until, prompt, results, run, text_of, write

SERVER = Path(__file__).parent.parent / "mcp" / "server.py"
SAY = {"type": "user", "message": {"role": "user", "content": "go"}}


def control(number, **request):
    return {"type": "control_request", "request_id": f"r{number}", "request": request}


async def ho_1_interrupt_ends_a_prompt_hook():
    stage, asked, cancelled = Stage({"text": "still here"}), asyncio.Event(), asyncio.Event()

    async def waits(given, tool_use_id, context):
        if given["prompt"] != "first":
            return {}
        asked.set()
        try:
            await asyncio.sleep(300)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async with ClaudeSDKClient(stage.options(hooks={"UserPromptSubmit": [HookMatcher(hooks=[waits])]})) as client:
        await client.query("first")
        await asked.wait()
        await client.interrupt()
        first = [message async for message in client.receive_response()]
        await client.query("second")
        second = [message async for message in client.receive_response()]
    assert first[-1].is_error and first[-1].subtype == "error_during_execution", first
    assert second[-1].result == "still here" and len(stage.seen()) == 1
    assert "first" not in text_of(stage.seen()[0]), "it was not sent"


async def ho_1_messages_blocked_by_hooks_are_not_replayed():
    stage = Stage({"text": "one"})

    async def holds(given, tool_use_id, context):
        return {"decision": "block", "reason": "no"} if given["prompt"] == "first" else {}

    options = stage.options(hooks={"UserPromptSubmit": [HookMatcher(hooks=[holds])]}, extra_args={"replay-user-messages": None})
    async with ClaudeSDKClient(options) as client:
        for number, text in enumerate(["first", "second"]):
            async def said(number=number, text=text):
                yield {"type": "user", "message": {"role": "user", "content": text}, "uuid": f"0000000{number}-0000-4000-8000-000000000000"}

            await client.query(said())
            got = [message async for message in client.receive_response()]
    replayed = [(message.content, message.uuid[:8]) for message in got if type(message).__name__ == "UserMessage"]
    assert replayed == [("second", "00000001")], replayed


async def ho_1_calls_too_long_to_show_do_not_run():
    # A host that sees a part of it would let something else run than it was asked about.
    stage = Stage(call("Write", file_path="big.txt", content="x" * 1_200_000), {"text": "went on"})
    asked = []

    async def allows(tool, given, context):
        asked.append(tool)
        return PermissionResultAllow()

    got = await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=allows)))
    assert asked == [] and stage.files() == {} and results(got)[0].result == "went on"
    assert "too large to show" in str(blocks(got, "ToolResultBlock")[0].content)


async def ho_7_hook_with_a_truncated_call_allows_nothing():
    stage = Stage(call("Write", file_path="big.txt", content="x" * 1_200_000), {"text": "went on"})

    async def allows(given, tool_use_id, context):
        return {}

    options = stage.options(hooks={"PreToolUse": [HookMatcher(hooks=[allows])]}, permission_mode="acceptEdits")
    await run(query(prompt=prompt("go"), options=options))
    assert stage.files() == {}


async def ho_3_host_that_does_not_read_delays_no_exit():
    stage = Stage({"text": "word " * 40_000, "delta": 5})
    process = bare(stage, "--include-partial-messages")
    write(process, SAY)
    waiting = 0
    while waiting < 60_000:
        waiting = struct.unpack("i", fcntl.ioctl(process.stdout.fileno(), termios.FIONREAD, struct.pack("i", 0)))[0]
        await asyncio.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 143


async def ho_1_initialize_may_follow_a_sign_of_life():
    stage = Stage(call("Bash", command="mkdir one"), {"text": "done"})
    process = bare(stage, "--allowedTools", "Bash")
    hooks = {"PreToolUse": [{"matcher": None, "hookCallbackIds": ["guard"]}]}
    write(process, {"type": "keep_alive"}, control(1, subtype="initialize", hooks=hooks, systemPrompt=["You are a gardener."]), SAY)
    asked = frames_until(process, lambda frame: frame["type"] == "control_request")[-1]
    assert asked["request"]["callback_id"] == "guard"
    deny = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}}
    write(process, {"type": "control_response", "response": {"subtype": "success", "request_id": asked["request_id"], "response": deny}})
    frames_until(process, lambda frame: frame["type"] == "result")
    process.stdin.close()
    process.wait(20)
    assert not (stage.ws / "one").exists() and "You are a gardener." in json.dumps(stage.seen()[0]["system"])


async def ho_1_initialize_that_comes_too_late_is_an_error():
    stage = Stage({"text": "hi"})
    process = bare(stage)
    hooks = {"PreToolUse": [{"matcher": None, "hookCallbackIds": ["guard"]}]}
    write(process, SAY)
    frames_until(process, lambda frame: frame["type"] == "result")
    write(process, control(1, subtype="initialize", hooks=hooks), control(2, subtype="initialize"))
    one = frames_until(process, lambda frame: frame["type"] == "control_response")[-1]["response"]
    two = frames_until(process, lambda frame: frame["type"] == "control_response")[-1]["response"]
    process.stdin.close()
    process.wait(20)
    assert one["subtype"] == "error" and "can't be used" in one["error"], one
    assert two["subtype"] == "success", "there is nothing in it that could be lost"


async def ho_1_background_agent_answers_after_the_input_ended():
    begin = call("Agent", subagent_type="Explore", description="look", prompt="Find the roses.", run_in_background=True)
    looks = {**call("Bash", command="sleep 0.3"), "when": "Find the roses."}
    found = {"text": "by the wall", "when": "Find the roses."}
    started = {"text": "started", "when": "Started in the background"}
    stage = Stage(begin, started, looks, found, {"text": "done", "when": "by the wall"})
    got = await run(query(prompt="go", options=stage.options(allowed_tools=["Agent", "Bash"])))
    assert [result.result for result in results(got)] == ["started", "done"], results(got)
    assert [message.status for message in got if type(message).__name__ == "TaskNotificationMessage"] == ["completed"]


async def ho_1_rules_of_the_host_reach_agents_that_run():
    begin = call("Agent", subagent_type="general-purpose", description="work", prompt="Work.")
    works = [call("Bash", command="mkdir one"), call("Bash", command="mkdir two"), call("Write", file_path="secret/x.txt", content="X")]
    stage = Stage(begin, *works, {"text": "worked"}, {"text": "done"})
    rule = lambda tool, content: PermissionRuleValue(tool_name=tool, rule_content=content)  # noqa: E731
    updates = [
        PermissionUpdate(type="addRules", rules=[rule("Bash", "mkdir:*")], behavior="allow", destination="session"),
        PermissionUpdate(type="addRules", rules=[rule("Write", "secret/**")], behavior="deny", destination="session"),
    ]
    asked = []

    async def allows(tool, given, context):
        asked.append(given.get("command") or tool)
        return PermissionResultAllow(updated_permissions=updates)

    options = stage.options(can_use_tool=allows, allowed_tools=["Agent"])
    got = await run(query(prompt=prompt("go"), options=options))
    assert asked == ["mkdir one"], asked
    assert (stage.ws / "two").is_dir() and not (stage.ws / "secret").exists(), "what it denies is denied to all"
    assert results(got)[-1].result == "done"


async def ho_2_approval_grants_only_the_named_mode():
    # Auto is not available here; the mode before was bypassPermissions, and the answer did not name that.
    batch = {"calls": [{"name": "ExitPlanMode", "input": {}}, {"name": "Bash", "input": {"command": "mkdir early"}}]}
    stage = Stage(call("Write", file_path="{plan}", content="# The plan\n"), batch, {"text": "done"})
    asked = []

    async def answers(tool, given, context):
        asked.append(tool)
        auto = PermissionUpdate(type="setMode", mode="auto", destination="session")
        return PermissionResultAllow(updated_permissions=[auto]) if tool == "ExitPlanMode" else PermissionResultDeny(message="no")

    async with ClaudeSDKClient(stage.options(can_use_tool=answers, permission_mode="bypassPermissions")) as client:
        await client.set_permission_mode("plan")
        await client.query("plan")
        async for _ in client.receive_response():
            pass
    assert asked == ["ExitPlanMode", "Bash"] and not (stage.ws / "early").exists(), asked


async def ho_6_restarted_server_answers_calls():
    # It dies at each call until it is given up; after a restart it answers again.
    dies = {**call("mcp__tools__die"), "repeat": 5}
    stage = Stage(dies, {"text": "one"}, call("mcp__tools__look"), {"text": "two"})
    server = {"type": "stdio", "command": sys.executable, "args": [str(SERVER), "die", str(stage.root / "log")]}
    async with ClaudeSDKClient(stage.options(mcp_servers={"tools": server}, allowed_tools=["mcp__tools"])) as client:
        await client.query("go")
        got = [message async for message in client.receive_response()]
        assert "will not be restarted" in str(blocks(got, "ToolResultBlock")[-1].content), got
        await client.reconnect_mcp_server("tools")
        await client.query("again")
        got = [message async for message in client.receive_response()]
    assert not blocks(got, "ToolResultBlock")[0].is_error, blocks(got, "ToolResultBlock")[0]
