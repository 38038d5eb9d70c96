"""The Python SDK drives cutonce, unchanged. Each `ho_…` is one test: `python python.py NAME`."""

import asyncio
import json
import os
import signal
import uuid

from claude_agent_sdk import (
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    create_sdk_mcp_server,
    query,
    tool,
)
from claude_agent_sdk.types import PermissionRuleValue, PermissionUpdate
from mcp.types import ToolAnnotations
from stage import Stage, bare, blocks, call, frames_until, kinds, prompt, results, run, text_of, write


class Asked:
    """A permission callback that records its calls and gives prepared answers."""

    def __init__(self, *answers):
        self.answers, self.calls = list(answers), []

    async def __call__(self, tool, given, context):
        self.calls.append((tool, given, context))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return await answer() if callable(answer) else answer


YES, NO = PermissionResultAllow(), PermissionResultDeny(message="not today")


# --- Turns


async def ho_1_one_shot():
    stage = Stage({"text": "Hello."})
    got = await run(query(prompt="hi", options=stage.options()))
    assert kinds(got) == ["SystemMessage", "AssistantMessage", "ResultMessage"], got
    assert got[-1].result == "Hello." and got[-1].num_turns == 1 and not got[-1].is_error
    assert got[0].data["cwd"] == str(stage.ws) and got[0].data["session_id"] == got[-1].session_id
    assert "hi" in text_of(stage.seen()[0])


async def ho_1_several_turns_are_one_session():
    stage = Stage({"text": "one"}, {"text": "two"})
    async with ClaudeSDKClient(stage.options()) as client:
        await client.query("first")
        first = [message async for message in client.receive_response()]
        await client.query("second")
        second = [message async for message in client.receive_response()]
    assert (first[-1].result, second[-1].result) == ("one", "two")
    assert first[-1].session_id == second[-1].session_id
    assert kinds(second)[0] == "SystemMessage", "every turn begins with init"
    last = text_of(stage.seen()[-1])
    assert "first" in last and "one" in last and "second" in last


async def ho_1_streamed_input_is_answered_message_by_message():
    stage = Stage({"text": "one"}, {"text": "two"}, {"text": "three"})
    got = await run(query(prompt=prompt("a", "b", "c"), options=stage.options()))
    assert [result.result for result in results(got)] == ["one", "two", "three"]


async def ho_1_partial_messages_arrive_before_the_whole():
    stage = Stage({"text": "Hello there.", "delta": 3})
    got = await run(query(prompt="hi", options=stage.options(include_partial_messages=True)))
    events = [message.event for message in got if type(message).__name__ == "StreamEvent"]
    assert events[0]["type"] == "message_start" and events[-1]["type"] == "message_stop"
    pieces = [event["delta"]["text"] for event in events if event["type"] == "content_block_delta"]
    assert len(pieces) > 1 and "".join(pieces) == "Hello there."
    assert kinds(got).index("AssistantMessage") > kinds(got).index("StreamEvent")


async def ho_1_thinking_reaches_the_host():
    stage = Stage({"thinking": "Hm.", "text": "Yes."})
    got = await run(query(prompt="hi", options=stage.options()))
    assert [block.thinking for block in blocks(got, "ThinkingBlock")] == ["Hm."]
    assert blocks(got, "ThinkingBlock")[0].signature


# --- Permissions


async def ho_1_can_use_tool_allows():
    stage = Stage(call("Write", file_path="a.txt", content="A\n"), {"text": "done"})
    asked = Asked(YES)
    got = await run(query(prompt=prompt("write"), options=stage.options(can_use_tool=asked)))
    assert stage.files() == {"a.txt": "A\n"} and got[-1].permission_denials == []
    tool, given, context = asked.calls[0]
    assert tool == "Write" and given == {"file_path": "a.txt", "content": "A\n"} and context.tool_use_id
    assert [one.type for one in context.suggestions][0] == "setMode"


async def ho_1_can_use_tool_denies_with_a_message():
    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "well then"})
    got = await run(query(prompt=prompt("write"), options=stage.options(can_use_tool=Asked(NO))))
    refused = blocks(got, "ToolResultBlock")[0]
    assert refused.is_error and refused.content == "not today"
    assert stage.files() == {} and got[-1].permission_denials[0]["tool_name"] == "Write"
    assert got[-1].result == "well then", "the turn continues"
    assert "not today" in text_of(stage.seen()[1])


async def ho_1_a_denial_may_end_the_turn():
    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "never"})
    stop = PermissionResultDeny(message="stop", interrupt=True)
    async with ClaudeSDKClient(stage.options(can_use_tool=Asked(stop))) as client:
        await client.query("write")
        got = [message async for message in client.receive_response()]
    assert got[-1].subtype == "error_during_execution" and got[-1].is_error
    assert len(stage.seen()) == 1


async def ho_1_can_use_tool_changes_the_input():
    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "done"})
    changed = PermissionResultAllow(updated_input={"file_path": "b.txt", "content": "B\n"})
    await run(query(prompt=prompt("write"), options=stage.options(can_use_tool=Asked(changed))))
    assert stage.files() == {"b.txt": "B\n"}


async def ho_1_changed_input_is_decided_again():
    # A deny rule does not call a callback that would allow.
    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "done"})
    changed = PermissionResultAllow(updated_input={"file_path": "secret.txt", "content": "B"})
    options = stage.options(can_use_tool=Asked(changed), disallowed_tools=["Edit(secret.txt)"])
    got = await run(query(prompt=prompt("write"), options=options))
    assert stage.files() == {} and blocks(got, "ToolResultBlock")[0].is_error


async def ho_1_changed_rules_apply_at_once():
    stage = Stage(
        call("Bash", command="mkdir one"), call("Bash", command="mkdir two"), call("Bash", command="rmdir one"), {"text": "done"}
    )
    rule = PermissionRuleValue(tool_name="Bash", rule_content="mkdir *")
    add = PermissionUpdate(type="addRules", rules=[rule], behavior="allow", destination="session")
    asked = Asked(PermissionResultAllow(updated_permissions=[add]), NO)
    await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=asked)))
    assert [given["command"] for _, given, _ in asked.calls] == ["mkdir one", "rmdir one"]
    assert (stage.ws / "two").is_dir() and (stage.ws / "one").is_dir()


async def ho_1_a_suggestion_can_be_taken_as_it_is():
    stage = Stage(call("Bash", command="mkdir one"), call("Bash", command="mkdir one -p"), {"text": "done"})

    async def callback(tool, given, context):
        calls.append(given["command"])
        return PermissionResultAllow(updated_permissions=context.suggestions[:1])

    calls = []
    await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=callback)))
    assert calls == ["mkdir one", "mkdir one -p"], "the narrowest rule covers exactly the call"
    stored = json.loads((stage.ws / ".cutonce/settings.local.json").read_text())
    assert stored["permissions"]["allow"][0] == "Bash(mkdir one)", stored


async def ho_1_the_answer_may_change_the_mode():
    stage = Stage(call("Write", file_path="a.txt", content="A"), call("Write", file_path="b.txt", content="B"), {"text": "done"})
    mode = PermissionUpdate(type="setMode", mode="acceptEdits", destination="session")
    asked = Asked(PermissionResultAllow(updated_permissions=[mode]))
    got = await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=asked)))
    assert len(asked.calls) == 1 and set(stage.files()) == {"a.txt", "b.txt"}
    assert any(getattr(message, "subtype", "") == "status" and message.data["permissionMode"] == "acceptEdits" for message in got)


async def ho_1_a_callback_that_raises_is_a_no():
    async def raises(tool, given, context):
        raise RuntimeError("broken callback")

    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "done"})
    got = await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=raises)))
    assert stage.files() == {} and "broken callback" in str(blocks(got, "ToolResultBlock")[0].content)
    assert not got[-1].is_error


async def ho_1_allowed_and_disallowed_tools_are_rules():
    stage = Stage(call("Bash", command="mkdir yes"), call("Bash", command="mkdir no"), {"text": "done"})
    options = stage.options(allowed_tools=["Bash(mkdir:*)"], disallowed_tools=["Bash(mkdir no)"])
    got = await run(query(prompt="go", options=options))
    assert (stage.ws / "yes").is_dir() and not (stage.ws / "no").exists()
    assert any(getattr(message, "subtype", "") == "permission_denied" for message in got)


async def ho_1_without_a_callback_asks_are_denied():
    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "done"})
    got = await run(query(prompt="go", options=stage.options()))
    assert stage.files() == {} and got[-1].permission_denials and not got[-1].is_error


async def ho_1_dont_ask_denies_what_would_ask():
    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "done"})
    asked = Asked(YES)
    options = stage.options(can_use_tool=asked, permission_mode="dontAsk")
    await run(query(prompt=prompt("go"), options=options))
    assert stage.files() == {} and asked.calls == []


# --- Control requests


async def ho_1_a_mode_is_set_when_the_answer_comes():
    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "done"})
    async with ClaudeSDKClient(stage.options(can_use_tool=Asked(YES))) as client:
        await client.set_permission_mode("plan")
        await client.query("write")
        got = [message async for message in client.receive_response()]
    assert got[-1].permission_denials, "plan mode holds from the answer on"
    assert stage.files() == {}


async def ho_1_unavailable_mode_is_an_error():
    stage = Stage({"text": "hi"})
    async with ClaudeSDKClient(stage.options()) as client:
        for mode in ["bypassPermissions", "nonsense"]:
            try:
                await client.set_permission_mode(mode)
            except Exception as error:
                assert "mode" in str(error), error
            else:
                raise AssertionError(f"{mode} was taken")
        await client.query("hi")
        got = [message async for message in client.receive_response()]
    assert got[-1].result == "hi"


async def ho_1_the_model_changes_between_turns():
    stage = Stage({"text": "one"}, {"text": "two"}, {"text": "three"})
    async with ClaudeSDKClient(stage.options(model="claude-sonnet-5-5")) as client:
        for model in [None, "claude-opus-4-6", None]:
            await client.set_model(model)
            await client.query("go")
            async for _ in client.receive_response():
                pass
    models = [request["model"] for request in stage.seen()]
    assert models == ["claude-sonnet-5-5", "claude-opus-4-6", "claude-sonnet-5-5"], models


async def ho_3_unknown_control_requests_get_an_error():
    stage = Stage({"text": "hi"})
    async with ClaudeSDKClient(stage.options()) as client:
        try:
            await client._query._send_control_request({"subtype": "dance"})
        except Exception as error:
            assert "Unsupported control request subtype: dance" in str(error)
        else:
            raise AssertionError("it was answered")


async def ho_1_status_requests_are_answered():
    stage = Stage({"text": "hi", "usage": {"input_tokens": 900, "output_tokens": 100}})
    async with ClaudeSDKClient(stage.options()) as client:
        await client.query("hi")
        async for _ in client.receive_response():
            pass
        usage = await client.get_context_usage()
        assert usage["totalTokens"] == 1000 and usage["maxTokens"] > 1000
        info = await client.get_server_info()
        assert {"commands", "output_style", "models"} <= set(info)


# --- Interrupts


async def interrupted(stage, when, **options):
    """Interrupts when a message fits; gives the messages of that turn, and the next turn's result."""
    async with ClaudeSDKClient(stage.options(**options)) as client:
        await client.query("go")
        got, done = [], False
        async for message in client.receive_response():
            got.append(message)
            if not done and when(message):
                done = True
                await client.interrupt()
        assert done, got
        await client.query("again")
        after = [message async for message in client.receive_response()]
    return got, after[-1]


async def ho_1_a_stream_is_interrupted():
    stage = Stage({"text": "word " * 2000, "delta": 5, "delay_ms": 20}, {"text": "still here"})

    def streams(message):
        return type(message).__name__ == "StreamEvent" and message.event["type"] == "content_block_delta"

    got, after = await interrupted(stage, streams, include_partial_messages=True)
    assert got[-1].subtype == "error_during_execution" and got[-1].is_error
    assert after.result == "still here", after


async def ho_1_a_tool_is_interrupted():
    stage = Stage(call("Bash", command="echo $$ > pid; exec sleep 300"), {"text": "still here"})

    def running(message):
        return bool(blocks([message], "ToolUseBlock"))

    got, after = await interrupted(stage, running, allowed_tools=["Bash"])
    assert got[-1].is_error and blocks(got, "ToolResultBlock")[0].is_error
    assert after.result == "still here", after
    pid = stage.ws / "pid"
    if pid.exists() and pid.read_text().strip():
        assert not os.path.exists(f"/proc/{pid.read_text().strip()}"), "the command is gone"


async def ho_1_an_open_permission_is_interrupted():
    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "still here"})
    opened, cancelled = asyncio.Event(), asyncio.Event()

    async def waits(tool, given, context):
        opened.set()
        try:
            await asyncio.sleep(300)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async with ClaudeSDKClient(stage.options(can_use_tool=waits)) as client:
        await client.query("go")
        got = []

        async def reads():
            async for message in client.receive_response():
                got.append(message)

        reader = asyncio.create_task(reads())
        await opened.wait()
        await client.interrupt()
        await reader
        await asyncio.wait_for(cancelled.wait(), 20)
        await client.query("again")
        after = [message async for message in client.receive_response()]
    assert got[-1].is_error and stage.files() == {} and after[-1].result == "still here"


async def ho_1_an_interrupt_between_turns_is_nothing():
    stage = Stage({"text": "hi"})
    async with ClaudeSDKClient(stage.options()) as client:
        await client.interrupt()
        await client.query("hi")
        got = [message async for message in client.receive_response()]
    assert got[-1].result == "hi" and not got[-1].is_error


# --- Hooks inside the host


class Hooked:
    """A hook that records its inputs and gives prepared answers."""

    def __init__(self, answer):
        self.answer, self.told = answer, []

    async def __call__(self, given, tool_use_id, context):
        self.told.append(given)
        return self.answer


def before(**more):
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **more}}


async def ho_1_hooks_run_in_order():
    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "done"})
    events = []

    async def hook(given, tool_use_id, context):
        events.append(given["hook_event_name"])
        assert given["session_id"] and given["cwd"] == str(stage.ws) and given["permission_mode"] == "acceptEdits"
        return {}

    names = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"]
    hooks = {name: [HookMatcher(hooks=[hook])] for name in names}
    await run(query(prompt=prompt("go"), options=stage.options(hooks=hooks, permission_mode="acceptEdits")))
    assert events == names and stage.files() == {"a.txt": "A"}


async def ho_1_hook_denies_changes_and_adds_text():
    stage = Stage(
        call("Bash", command="mkdir one"), call("Write", file_path="a.txt", content="A"), call("Write", file_path="b.txt", content="B"), {"text": "done"}
    )
    deny = Hooked(before(permissionDecision="deny", permissionDecisionReason="no shell today"))

    async def change(given, tool_use_id, context):
        told.append(given["tool_input"]["file_path"])
        return before(updatedInput={**given["tool_input"], "content": "CHANGED"}, additionalContext="The moon is full.")

    told = []
    hooks = {"PreToolUse": [HookMatcher(matcher="Bash", hooks=[deny]), HookMatcher(matcher="Write|Edit", hooks=[change])]}
    got = await run(query(prompt=prompt("go"), options=stage.options(hooks=hooks, permission_mode="acceptEdits", allowed_tools=["Bash"])))
    assert len(deny.told) == 1 and told == ["a.txt", "b.txt"]
    assert stage.files() == {"a.txt": "CHANGED", "b.txt": "CHANGED"} and not (stage.ws / "one").exists()
    assert "no shell today" in str(blocks(got, "ToolResultBlock")[0].content)
    assert "The moon is full." in text_of(stage.seen()[2])


async def ho_7_host_hook_can_ask():
    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "done"})
    asked = Asked(NO)
    hooks = {"PreToolUse": [HookMatcher(hooks=[Hooked(before(permissionDecision="ask", permissionDecisionReason="look"))])]}
    options = stage.options(hooks=hooks, can_use_tool=asked, permission_mode="acceptEdits")
    await run(query(prompt=prompt("go"), options=options))
    assert len(asked.calls) == 1 and stage.files() == {}


async def ho_7_host_hook_lifts_no_denial_or_plan():
    stage = planning(call("Write", file_path="early.txt", content="EARLY"), {"text": "planned"})
    allow = Hooked(before(permissionDecision="allow"))
    asked = Asked(PermissionResultDeny(message="not yet"))
    options = stage.options(hooks={"PreToolUse": [HookMatcher(hooks=[allow])]}, can_use_tool=asked, permission_mode="plan")
    got = await run(query(prompt=prompt("plan"), options=options))
    assert [tool for tool, _, _ in asked.calls] == ["ExitPlanMode"], "a person decides about the plan"
    assert len(allow.told) == 3 and stage.files() == {}
    assert [denial["tool_name"] for denial in got[-1].permission_denials] == ["ExitPlanMode", "Write"]


async def ho_7_failing_host_hook_allows_nothing_unseen():
    async def raises(given, tool_use_id, context):
        raise RuntimeError("broken hook")

    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "done"})
    hooks = {"PreToolUse": [HookMatcher(hooks=[raises])]}
    await run(query(prompt=prompt("go"), options=stage.options(hooks=hooks, permission_mode="acceptEdits")))
    assert stage.files() == {}


async def ho_1_a_stop_hook_keeps_the_turn_going():
    stage = Stage({"text": "one"}, {"text": "two"})
    stops = []

    async def stop(given, tool_use_id, context):
        stops.append(given["stop_hook_active"])
        return {"decision": "block", "reason": "Check once more."} if len(stops) == 1 else {}

    got = await run(query(prompt=prompt("go"), options=stage.options(hooks={"Stop": [HookMatcher(hooks=[stop])]})))
    assert stops == [False, True] and got[-1].result == "two"
    assert "Check once more." in text_of(stage.seen()[1])


# --- Tools inside the host


def calculator(calls):
    @tool("add", "Adds two numbers", {"a": int, "b": int})
    async def add(given):
        calls.append(given)
        return {"content": [{"type": "text", "text": str(given["a"] + given["b"])}]}

    @tool("fail", "Fails", {})
    async def fail(given):
        return {"content": [{"type": "text", "text": "out of order"}], "is_error": True}

    @tool("look", "Only looks", {}, annotations=ToolAnnotations(readOnlyHint=True))
    async def look(given):
        return {"content": [{"type": "text", "text": "seen"}]}

    return {"calc": create_sdk_mcp_server("calc", tools=[add, fail, look])}


async def ho_1_tools_inside_the_host_are_called():
    stage, calls = Stage(call("mcp__calc__add", a=2, b=3), call("mcp__calc__fail"), {"text": "5"}), []
    options = stage.options(mcp_servers=calculator(calls), allowed_tools=["mcp__calc"])
    got = await run(query(prompt=prompt("add"), options=options))
    added, failed = blocks(got, "ToolResultBlock")
    assert calls == [{"a": 2, "b": 3}] and "5" in str(added.content) and not added.is_error
    assert failed.is_error and "out of order" in str(failed.content)
    assert {"name": "calc", "status": "connected", "source": "sdk"} in got[0].data["mcp_servers"]
    assert "mcp__calc__add" in got[0].data["tools"]
    offered = {one["name"] for one in stage.seen()[0]["tools"]}
    assert {"mcp__calc__add", "mcp__calc__fail", "mcp__calc__look"} <= offered, "from the first request on"


async def ho_1_tools_inside_the_host_ask_like_others():
    stage, calls = Stage(call("mcp__calc__add", a=2, b=3), {"text": "done"}), []
    asked = Asked(PermissionResultAllow(updated_input={"a": 20, "b": 30}))
    got = await run(query(prompt=prompt("add"), options=stage.options(mcp_servers=calculator(calls), can_use_tool=asked)))
    assert asked.calls[0][0] == "mcp__calc__add" and calls == [{"a": 20, "b": 30}]
    assert "50" in str(blocks(got, "ToolResultBlock")[0].content)


async def ho_1_plan_mode_applies_to_host_tools():
    stage, calls = Stage(call("mcp__calc__add", a=2, b=3), call("mcp__calc__look"), {"text": "done"}), []
    options = stage.options(mcp_servers=calculator(calls), allowed_tools=["mcp__calc"], permission_mode="plan", can_use_tool=Asked(YES))
    got = await run(query(prompt=prompt("add"), options=options))
    added, looked = blocks(got, "ToolResultBlock")
    assert calls == [] and added.is_error and not looked.is_error


async def ho_1_servers_inside_the_host_are_in_the_status():
    stage = Stage({"text": "hi"})
    async with ClaudeSDKClient(stage.options(mcp_servers=calculator([]))) as client:
        await client.query("hi")
        async for _ in client.receive_response():
            pass
        status = (await client.get_mcp_status())["mcpServers"]
    assert [(one["name"], one["status"]) for one in status] == [("calc", "connected")], status


# --- Limits and failures


async def ho_1_max_turns_ends_with_an_error_result():
    stage = Stage({**call("Bash", command="ls"), "repeat": 9})
    got = await run(query(prompt="go", options=stage.options(max_turns=2)))
    result = results(got)[0]
    assert result.subtype == "error_max_turns" and result.is_error and len(stage.seen()) == 2
    assert "maximum number of turns (2)" in str(got[-1])


async def ho_1_max_budget_ends_with_an_error_result():
    stage = Stage({**call("Bash", command="ls"), "usage": {"input_tokens": 9000, "output_tokens": 9000}, "repeat": 9})
    got = await run(query(prompt="go", options=stage.options(max_budget_usd=0.01)))
    result = results(got)[0]
    assert result.subtype == "error_max_budget_usd" and result.total_cost_usd > 0.01 and len(stage.seen()) == 1


async def ho_1_a_failed_request_is_an_error_result():
    stage = Stage({"fault": {"status": 400, "message": "too odd"}})
    got = await run(query(prompt="go", options=stage.options()))
    result = results(got)[0]
    assert result.is_error and result.subtype == "success" and "too odd" in result.result
    assert "too odd" in str(got[-1]) and type(got[-1]).__name__ == "ResultError", got[-1]


# --- Sessions


async def ho_1_resume_fork_and_continue():
    stage = Stage({"text": "one"}, {"text": "two"}, {"text": "three"}, {"text": "four"})
    first = (await run(query(prompt="first", options=stage.options())))[-1]
    second = (await run(query(prompt="second", options=stage.options(resume=first.session_id))))[-1]
    forked = (await run(query(prompt="third", options=stage.options(resume=first.session_id, fork_session=True))))[-1]
    last = (await run(query(prompt="fourth", options=stage.options(continue_conversation=True))))[-1]
    assert second.session_id == first.session_id
    assert forked.session_id != first.session_id and last.session_id == forked.session_id
    seen = [text_of(request) for request in stage.seen()]
    assert "first" in seen[1] and "second" in seen[2] and "third" in seen[3]


async def ho_1_the_session_id_is_the_hosts():
    stage, mine = Stage({"text": "one"}, {"text": "two"}), str(uuid.uuid4())
    got = await run(query(prompt="first", options=stage.options(session_id=mine)))
    assert got[-1].session_id == mine
    again = await run(query(prompt="second", options=stage.options(session_id=mine)))
    assert isinstance(again[-1], Exception), "an id that is taken is refused"


async def ho_1_missing_session_is_an_error():
    stage, missing = Stage({"text": "never"}), str(uuid.uuid4())
    got = await run(query(prompt="go", options=stage.options(resume=missing)))
    assert f"No conversation found with session ID: {missing}" in str(got[-1]), got
    assert stage.seen() == []


async def ho_1_plan_mode_survives_a_resume():
    stage = Stage({"text": "one"}, call("Write", file_path="a.txt", content="A"), {"text": "two"})
    first = (await run(query(prompt="plan", options=stage.options(permission_mode="plan"))))[-1]
    asked = Asked(YES)
    await run(query(prompt=prompt("go"), options=stage.options(resume=first.session_id, can_use_tool=asked)))
    assert stage.files() == {} and asked.calls == []


# --- Options


async def ho_1_system_prompt_tools_and_folders():
    stage = Stage({"text": "one"}, {"text": "two"}, {"text": "three"})
    extra = stage.root / "extra"
    extra.mkdir()
    own = stage.options(system_prompt="You are a gardener.", tools=["Read", "Bash"], add_dirs=[extra])
    got = await run(query(prompt="go", options=own))
    assert sorted(got[0].data["tools"]) == ["Bash", "Read"]
    await run(query(prompt="go", options=stage.options(tools=[])))
    appended = {"type": "preset", "preset": "claude_code", "append": "Speak like a sailor."}
    await run(query(prompt="go", options=stage.options(system_prompt=appended)))
    one, two, three = stage.seen()
    assert "You are a gardener." in json.dumps(one["system"]) and str(extra) in json.dumps(one["system"])
    assert not two.get("tools")
    assert "Speak like a sailor." in json.dumps(three["system"]) and len(three["tools"]) > 5


async def ho_1_settings_come_from_where_the_host_says():
    stage = Stage({**call("Bash", command="mkdir x"), "repeat": 1}, {"text": "one"}, call("Bash", command="mkdir y"), {"text": "two"})
    (stage.ws / "AGENTS.md").write_text("Always say please.")
    (stage.home / "settings.json").write_text(json.dumps({"permissions": {"allow": ["Bash(mkdir:*)"]}}))
    await run(query(prompt="go", options=stage.options()))
    await run(query(prompt="go", options=stage.options(setting_sources=[])))
    assert (stage.ws / "x").is_dir() and not (stage.ws / "y").exists()
    seen = stage.seen()
    assert "Always say please." in json.dumps(seen[0]) and "Always say please." not in json.dumps(seen[2])


async def ho_1_settings_as_text_and_as_a_file():
    stage = Stage(call("Bash", command="mkdir x"), {"text": "one"}, call("Bash", command="mkdir y"), {"text": "two"})
    settings = json.dumps({"permissions": {"allow": ["Bash(mkdir:*)"]}, "someKeyOfAnotherProgram": 1})
    await run(query(prompt="go", options=stage.options(settings=settings)))
    path = stage.root / "given.json"
    path.write_text(settings)
    await run(query(prompt="go", options=stage.options(settings=str(path))))
    assert (stage.ws / "x").is_dir() and (stage.ws / "y").is_dir()


async def ho_1_flags_that_mean_nothing_break_nothing():
    stage = Stage({"text": "hi"})
    options = stage.options(
        fallback_model="claude-haiku-4-5",
        betas=["context-1m-2025-08-07"],
        max_thinking_tokens=0,
        plugins=[{"type": "local", "path": "/nowhere"}],
        include_hook_events=True,
        extra_args={"some-new-flag": "value", "another": None},
        strict_mcp_config=True,
    )
    got = await run(query(prompt="hi", options=options))
    assert got[-1].result == "hi"
    assert any("some-new-flag" in line for line in stage.stderr), stage.stderr


async def ho_1_everything_is_below_the_config_folder():
    stage = Stage({"text": "hi"}, home="CLAUDE_CONFIG_DIR")
    before = {path for path in stage.root.iterdir()}
    await run(query(prompt="hi", options=stage.options(permission_mode="plan")))
    assert len(stage.transcripts()) == 1
    stage.seen()
    assert {path for path in stage.root.iterdir()} - before <= {stage.record}, "nothing beside it, in $HOME neither"


# --- Plan mode over the host


def planning(*more):
    plan = call("Write", file_path="{plan}", content="# The plan\n\n1. write late.txt\n")
    return Stage(plan, call("ExitPlanMode"), *more)


async def ho_2_the_request_carries_plan_and_path():
    stage = planning(call("Write", file_path="late.txt", content="LATE"), {"text": "implemented"})
    asked = Asked(YES)
    got = await run(query(prompt=prompt("plan it"), options=stage.options(can_use_tool=asked, permission_mode="plan")))
    tool, given, _ = asked.calls[0]
    contract = given.pop("contract")
    assert tool == "ExitPlanMode" and given == {"plan": "# The plan\n\n1. write late.txt\n", "planFilePath": str(stage.plan())}
    assert [(step["id"], step["title"]) for step in contract["steps"]] == [("1", "write late.txt")], "PC-38"
    assert stage.files() == {"late.txt": "LATE"} and got[-1].result == "implemented"
    approved = blocks(got, "ToolResultBlock")[1]
    assert not approved.is_error and "1. write late.txt" in str(approved.content)
    modes = [message.data["permissionMode"] for message in got if getattr(message, "subtype", "") == "status"]
    assert modes[-1] == "default", "back in the mode before"
    assert [tool for tool, _, _ in asked.calls] == ["ExitPlanMode", "Write"], "default mode asks again"


STEPS = "# The plan\n\n## Steps\n\n1. Write it\n   - files: late.txt (new)\n2. Write more\n   - files: more.txt (new)\n"


async def ho_2_pc_38_the_answer_sets_steps_scope_and_terms():
    plan = call("Write", file_path="{plan}", content=STEPS)
    stage = Stage(plan, call("ExitPlanMode"), call("Write", file_path="more.txt", content="MORE"),
                  call("Write", file_path="late.txt", content="LATE"), {"text": "implemented"})
    terms = {"choice": "acceptEdits", "steps": {"2": "drop"}, "scope": "enforce", "effort": "low", "budgetUsd": 5}
    asked = []

    async def answers(tool, given, context):
        asked.append(tool)
        return PermissionResultAllow(updated_input={**given, **terms})

    got = await run(query(prompt=prompt("plan it"), options=stage.options(can_use_tool=answers, permission_mode="plan")))
    assert asked == ["ExitPlanMode"] and stage.files() == {"late.txt": "LATE"}, (asked, stage.files())
    results = [str(block.content) for block in blocks(got, "ToolResultBlock")]
    assert "outside the approved plan" in results[2] and got[-1].result == "implemented", results
    again = Stage(plan, call("ExitPlanMode"), {"text": "never"})
    terms = {"choice": "acceptEdits", "steps": {"9": "drop"}}
    await run(query(prompt=prompt("plan it"), options=again.options(can_use_tool=answers, permission_mode="plan")))
    assert again.files() == {}, "an unknown step approves nothing"


async def at_the_budget(choice, *turns):
    """A plan whose second request uses its budget up; the host answers the question with `choice`."""
    used = {"input_tokens": 100_000, "output_tokens": 1_000}
    stage = Stage(call("Write", file_path="{plan}", content=STEPS), {**call("ExitPlanMode"), "usage": used},
                  {**call("Write", file_path="late.txt", content="NEVER"), "usage": used}, *turns)
    asked = []

    async def answers(tool, given, context):
        asked.append(tool)
        if tool == "ExitPlanMode":
            return PermissionResultAllow(updated_input={**given, "choice": "acceptEdits", "budgetUsd": 0.1})
        if choice is None:
            return PermissionResultDeny(message="no")
        answer = {given["questions"][0]["question"]: choice}
        return PermissionResultAllow(updated_input={**given, "answers": answer})

    async with ClaudeSDKClient(stage.options(can_use_tool=answers, permission_mode="plan")) as client:
        await client.query("plan it")
        messages = [message async for message in client.receive_response()]
    assert asked == ["ExitPlanMode", "AskUserQuestion"], "the host is asked before the result"
    assert len([message for message in messages if hasattr(message, "total_cost_usd")]) == 1
    return stage.files(), messages[-1]


async def ho_2_pc_12_the_host_grants_the_budget_again():
    files, result = await at_the_budget("Continue", call("Write", file_path="late.txt", content="LATE"),
                                        call("Write", file_path="more.txt", content="MORE"), {"text": "implemented"})
    assert result.subtype == "success" and result.result == "implemented", result
    assert files == {"late.txt": "LATE", "more.txt": "MORE"}


async def ho_2_pc_12_the_host_stops_at_the_budget():
    for choice in ["Stop here", "something else", None]:
        files, result = await at_the_budget(choice)
        assert result.subtype == "error_max_budget_usd" and files == {}, (choice, result, files)


async def ho_2_the_answer_may_edit_the_plan():
    stage = planning({"text": "implemented"})

    async def edits(tool, given, context):
        return PermissionResultAllow(updated_input={**given, "plan": given["plan"] + "2. and test it\n"})

    got = await run(query(prompt=prompt("plan it"), options=stage.options(can_use_tool=edits, permission_mode="plan")))
    assert stage.plan().read_text().endswith("2. and test it\n")
    assert "2. and test it" in str(blocks(got, "ToolResultBlock")[1].content)


async def ho_2_the_answer_may_choose_the_mode():
    stage = planning(call("Write", file_path="late.txt", content="LATE"), {"text": "implemented"})
    mode = PermissionUpdate(type="setMode", mode="acceptEdits", destination="session")
    asked = Asked(PermissionResultAllow(updated_permissions=[mode]))
    await run(query(prompt=prompt("plan it"), options=stage.options(can_use_tool=asked, permission_mode="plan")))
    assert len(asked.calls) == 1 and stage.files() == {"late.txt": "LATE"}


async def ho_2_rejection_is_an_error_with_feedback():
    stage = planning(call("Write", file_path="early.txt", content="EARLY"), {"text": "revised"})
    no = PermissionResultDeny(message="Cover the tests as well.")
    asked = Asked(no)
    got = await run(query(prompt=prompt("plan it"), options=stage.options(can_use_tool=asked, permission_mode="plan")))
    rejected = blocks(got, "ToolResultBlock")[1]
    assert rejected.is_error and "Cover the tests as well." in str(rejected.content)
    assert stage.files() == {} and got[-1].result is not None
    assert [denial["tool_name"] for denial in got[-1].permission_denials] == ["ExitPlanMode", "Write"]
    assert "Cover the tests as well." in text_of(stage.seen()[2])


async def ho_2_unusable_answer_approves_nothing():
    async def raises(tool, given, context):
        raise RuntimeError("broken callback")

    stage = planning({"text": "never"})
    async with ClaudeSDKClient(stage.options(can_use_tool=raises, permission_mode="plan")) as client:
        await client.query("plan it")
        got = [message async for message in client.receive_response()]
    assert got[-1].is_error and stage.files() == {} and len(stage.seen()) == 2


async def ho_2_an_allow_does_not_make_plan_mode_writable():
    stage = Stage(
        call("Write", file_path="a.txt", content="A"),
        call("Bash", command="touch b.txt"),
        call("Bash", command="ls"),
        {"text": "planned"},
    )
    changed = PermissionResultAllow(updated_input={"command": "touch c.txt"})
    asked = Asked(changed)
    options = stage.options(can_use_tool=asked, permission_mode="plan", settings=json.dumps({"permissions": {"ask": ["Bash(ls:*)"]}}))
    got = await run(query(prompt=prompt("go"), options=options))
    assert stage.files() == {}, stage.files()
    assert [given for _, given, _ in asked.calls] == [{"command": "ls"}], "plan mode never asks about writing"
    assert all(block.is_error for block in blocks(got, "ToolResultBlock"))


async def ho_2_plan_mode_denies_a_waiting_call():
    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "done"})
    client = None

    async def callback(tool, given, context):
        await client.set_permission_mode("plan")
        return YES

    async with ClaudeSDKClient(stage.options(can_use_tool=callback)) as client:
        await client.query("go")
        got = [message async for message in client.receive_response()]
    assert stage.files() == {} and blocks(got, "ToolResultBlock")[0].is_error


async def ho_2_questions_are_answered_by_the_host():
    questions = [
        {"question": "Which?", "header": "Which", "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}]},
        {"question": "What else?", "header": "Else", "multiSelect": True, "options": [{"label": "C", "description": "c"}, {"label": "D", "description": "d"}]},
    ]
    stage = Stage(call("AskUserQuestion", questions=questions), {"text": "thanks"})

    async def answers(tool, given, context):
        assert tool == "AskUserQuestion" and len(given["questions"]) == 2
        return PermissionResultAllow(updated_input={**given, "answers": {"Which?": "B", "What else?": "C, D"}})

    got = await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=answers)))
    told = str(blocks(got, "ToolResultBlock")[0].content)
    assert "B" in told and "C" in told and "D" in told and not blocks(got, "ToolResultBlock")[0].is_error


async def ho_2_host_sees_the_model_enter_plan_mode():
    stage = Stage(call("EnterPlanMode"), call("Write", file_path="a.txt", content="A"), {"text": "planning"})
    got = await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=Asked(YES))))
    modes = [message.data["permissionMode"] for message in got if getattr(message, "subtype", "") == "status"]
    assert modes == ["plan"] and stage.files() == {}


# --- Hosts that die


SAY = {"type": "user", "message": {"role": "user", "content": "go"}}


async def ho_3_open_permission_is_denied_when_input_ends():
    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "went on"})
    process = bare(stage, "--permission-prompt-tool", "stdio")
    write(process, SAY)
    frames_until(process, lambda frame: frame["type"] == "control_request")
    process.stdin.close()
    rest = [json.loads(line) for line in process.stdout]
    assert process.wait(20) == 1, "the exit code says that the host was missing"
    refused = next(frame for frame in rest if frame["type"] == "user")["message"]["content"][0]
    assert refused["is_error"] and rest[-1]["result"] == "went on" and stage.files() == {}
    assert '"isError":true' in stage.transcripts()[0].read_text()


async def ho_3_a_host_that_stops_reading_ends_the_run():
    stage = Stage({**call("Bash", command="sleep 0.1"), "repeat": 200}, {"text": "never"})
    process = bare(stage, "--allowedTools", "Bash")
    write(process, SAY)
    frames_until(process, lambda frame: frame["type"] == "user")
    process.stdout.close()
    process.stdin.close()
    assert process.wait(20) == 1
    assert '"type":"tool"' in stage.transcripts()[0].read_text(), "what was done is on disk"
    assert len(stage.seen()) < 190


async def ho_3_garbage_is_reported_and_ends_the_run():
    stage = Stage({"text": "hi"})
    process = bare(stage)
    write(process, SAY)
    frames_until(process, lambda frame: frame["type"] == "result")
    process.stdin.write("{nope\n")
    process.stdin.close()
    assert process.wait(20) == 1 and "invalid stream-json" in process.stderr.read()


async def ho_3_unknown_messages_get_an_error_only():
    stage = Stage({"text": "hi"})
    process = bare(stage)
    write(process, {"type": "dance"}, SAY)
    got = frames_until(process, lambda frame: frame["type"] == "result")
    process.stdin.close()
    assert got[0]["subtype"] == "informational" and got[0]["level"] == "error" and "dance" in got[0]["content"]
    assert process.wait(20) == 0


async def ho_3_terminated_with_a_question_open():
    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "never"})
    process = bare(stage, "--permission-prompt-tool", "stdio")
    write(process, SAY)
    frames_until(process, lambda frame: frame["type"] == "control_request")
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 143 and stage.files() == {}
    assert len(stage.seen()) == 1
