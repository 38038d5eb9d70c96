"""The moments of hooks that came after the first ones, with the Python SDK, unchanged. Each `ho_…` is one test: `python hooks.py NAME`."""

from claude_agent_sdk import HookMatcher, PermissionResultAllow, query
from stage import Stage, bare, blocks, call, frames_until, prompt, run, text_of, write


class Told:
    """A hook that records its inputs and gives prepared answers."""

    def __init__(self, answer=lambda given: {}):
        self.answer, self.given = answer, []

    async def __call__(self, given, tool_use_id, context):
        self.given.append(given)
        return self.answer(given)


def hooks(**named):
    return {name: [HookMatcher(hooks=[hook])] for name, hook in named.items()}


def specific(event, **more):
    return {"hookSpecificOutput": {"hookEventName": event, **more}}


async def ho_7_failure_is_reported_and_output_replaced():
    stage = Stage(call("Read", file_path="missing.txt"), call("Read", file_path="notes.txt"), {"text": "done"})
    (stage.ws / "notes.txt").write_text("hunter2")
    failed = Told(lambda given: specific("PostToolUseFailure", additionalContext="Look in docs."))
    done = Told(lambda given: specific("PostToolUse", updatedToolOutput="[kept back]"))
    options = stage.options(hooks=hooks(PostToolUseFailure=failed, PostToolUse=done))
    got = await run(query(prompt=prompt("go"), options=options))
    assert [given["tool_input"]["file_path"] for given in failed.given] == ["missing.txt"], failed.given
    assert "missing.txt" in failed.given[0]["error"] and failed.given[0]["tool_use_id"]
    assert "[kept back]" in str(blocks(got, "ToolResultBlock")[1].content)
    seen = stage.seen()
    assert "Look in docs." in text_of(seen[1]) and "[kept back]" in text_of(seen[2]) and "hunter2" not in text_of(seen[2])


async def ho_7_a_permission_request_is_heard_before_the_person():
    names = ["yes.txt", "no.txt", "ask.txt"]
    stage = Stage(*[call("Write", file_path=name, content="x") for name in names], {"text": "done"})
    asked = []

    async def can_use_tool(tool, given, context):
        asked.append(given["file_path"])
        return PermissionResultAllow()

    def decide(given):
        name = given["tool_input"]["file_path"]
        answers = {"yes.txt": {"behavior": "allow"}, "no.txt": {"behavior": "deny", "message": "not this one"}}
        return specific("PermissionRequest", decision=answers[name]) if name in answers else {}

    told = Told(decide)
    got = await run(query(prompt=prompt("go"), options=stage.options(hooks=hooks(PermissionRequest=told), can_use_tool=can_use_tool)))
    assert [given["tool_input"]["file_path"] for given in told.given] == names
    assert asked == ["ask.txt"] and set(stage.files()) == {"yes.txt", "ask.txt"}
    assert "not this one" in str(blocks(got, "ToolResultBlock")[1].content)


async def ho_7_pm_61_a_permission_request_lifts_nothing_in_plan_mode():
    stage = Stage(
        call("Write", file_path="early.txt", content="x"), call("Write", file_path="{plan}", content="# P\n"), call("ExitPlanMode"), {"text": "planned"}
    )
    told = Told(lambda given: specific("PermissionRequest", decision={"behavior": "allow"}))
    options = stage.options(hooks=hooks(PermissionRequest=told), permission_mode="plan")
    got = await run(query(prompt=prompt("plan"), options=options))
    assert told.given == [] and stage.files() == {}, "neither a denial nor a plan is asked of a hook"
    assert [denial["tool_name"] for denial in got[-1].permission_denials] == ["Write", "ExitPlanMode"]


async def ho_7_subagent_starts_with_text_of_a_hook():
    stage = Stage(
        {"when": "You are cutonce", "calls": [{"name": "Agent", "input": {"description": "d", "prompt": "Look.", "subagent_type": "Explore"}}]},
        {"when": "Look.", "text": "Seen."},
        {"text": "done"},
    )
    begins = Told(lambda given: specific("SubagentStart", additionalContext="Be brief."))
    prompts = Told()
    await run(query(prompt=prompt("go"), options=stage.options(hooks=hooks(SubagentStart=begins, UserPromptSubmit=prompts))))
    assert [given["agent_type"] for given in begins.given] == ["Explore"] and begins.given[0]["agent_id"]
    assert [given["prompt"] for given in prompts.given] == ["go"], "an agent's task is not the user's prompt"
    seen = [text_of(request) for request in stage.seen()]
    assert "Be brief." in next(text for text in seen if "Look." in text and "go" not in text.split("Look.")[0])


async def ho_1_a_hooks_ask_is_named_as_one():
    stage = Stage(call("Write", file_path="a.txt", content="A"), {"text": "done"})
    process = bare(stage, "--permission-prompt-tool", "stdio", "--permission-mode", "acceptEdits")
    given = {"PreToolUse": [{"hookCallbackIds": ["h0"]}]}
    write(process, {"type": "control_request", "request_id": "i", "request": {"subtype": "initialize", "hooks": given}})
    write(process, {"type": "user", "message": {"role": "user", "content": "go"}})
    asked = frames_until(process, lambda frame: frame.get("request", {}).get("subtype") == "hook_callback")[-1]
    answer = specific("PreToolUse", permissionDecision="ask", permissionDecisionReason="look")
    write(process, {"type": "control_response", "response": {"subtype": "success", "request_id": asked["request_id"], "response": answer}})
    request = frames_until(process, lambda frame: frame.get("request", {}).get("subtype") == "can_use_tool")[-1]["request"]
    assert request["decision_reason_type"] == "hook" and "look" in request["decision_reason"], request
    process.stdin.close()
    process.wait(20)


async def ho_1_session_is_idle_after_a_teammates_plan():
    member = {"name": "ann", "task": "Plan.", "planModeRequired": True}
    stage = Stage(
        {"when": "not good", "text": "Waiting.", "repeat": 9},
        {"when": "You are `ann`", "calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# P\n"}}, {"name": "ExitPlanMode", "input": {}}]},
        {"when": "You are `ann`", "text": "Submitted.", "repeat": 9},
        {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [member]}}]},
        {"when": "Lead this.", "text": "Noted.", "repeat": 9},
    )
    stage.env = lambda env=stage.env: {**env(), "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1"}
    process = bare(stage, "--permission-prompt-tool", "stdio", "--allowedTools", "TeamCreate")
    write(process, {"type": "user", "message": {"role": "user", "content": "Lead this."}})
    got = frames_until(process, lambda frame: frame.get("request", {}).get("subtype") == "can_use_tool")
    if not any(frame.get("type") == "result" for frame in got):
        got += frames_until(process, lambda frame: frame.get("state") == "idle")
    answer = {"behavior": "deny", "message": "not good"}
    write(process, {"type": "control_response", "response": {"subtype": "success", "request_id": next(frame for frame in got if "request_id" in frame)["request_id"], "response": answer}})
    # At once, or after a turn that a message of the teammate began; never not at all.
    frames_until(process, lambda frame: frame.get("state") == "idle")
    process.stdin.close()
    process.wait(20)
