"""What frames tell a host (HO-1, HO-2): plans in calls, totals over a resume, kinds of errors, what subagents say, pieces of answers.
Each `ho_…` is one test: `python frames.py NAME`."""

import base64
import json

from claude_agent_sdk import ClaudeSDKClient, PermissionResultAllow, query
from stage import GARDENER, Stage, bare, blocks, call, frames_until, prompt, refused, results, run, text_of, turn, write

USED = {"input_tokens": 100_000, "output_tokens": 1_000}


def ended(frame):
    return frame["type"] == "result"


def user(content):
    return {"type": "user", "message": {"role": "user", "content": content}}


async def ho_2_the_call_that_submits_a_plan_shows_it():
    # As it was when the model submitted it; what a call before it may still write is not shown as the plan.
    plan = "# The plan\n\n1. Sow.\n"
    writes, submits = call("Write", file_path="{plan}", content=plan), call("ExitPlanMode")
    both = {"calls": writes["calls"] + submits["calls"]}
    for answers, known in (([writes, submits], {"plan": plan}), ([both], {})):
        stage, asked = Stage(*answers, {"text": "done"}), []

        async def yes(tool, given, context):
            asked.append(given)
            return PermissionResultAllow()

        got = await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=yes, permission_mode="plan")))
        submitted = next(block for block in blocks(got, "ToolUseBlock") if block.name == "ExitPlanMode")
        assert submitted.input == {"planFilePath": str(stage.plan()), **known}, submitted.input
        assert [given["plan"] for given in asked] == [plan], "the host sees all of it"
        last = json.dumps(stage.seen()[-1]["messages"])
        assert '"name": "ExitPlanMode"' in last and '"input": {}' in last, "the model is sent back what it sent"


async def ho_1_images_are_checked_before_they_join():
    # One that no provider takes would be refused at every later request, too (AG-4).
    stage = Stage({"text": "seen"})

    def image(data, kind="image/png"):
        source = {"type": "base64", "media_type": kind, "data": base64.b64encode(data).decode()}
        return user([{"type": "text", "text": "look"}, {"type": "image", "source": source}])

    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    size = lambda width: header + width.to_bytes(4, "big") + (7).to_bytes(4, "big") + b"\x08\x06\0\0\0"  # noqa: E731
    process = bare(stage)
    write(process, image(b"no image at all"), image(size(9_000)), image(header), image(b"\xff\xd8\xff" + b"x" * (5 << 20)))
    write(process, image(size(9), "image/jpeg"))
    process.stdin.close()
    ends = [frame for frame in map(json.loads, process.stdout) if ended(frame)]
    assert process.wait(20) == 0 and [end["is_error"] for end in ends] == [True] * 4 + [False], ends
    assert "9000 x 7 pixels" in ends[1]["errors"][0] and "MB" in ends[3]["errors"][0], ends
    seen = stage.seen()
    assert len(seen) == 1 and "image/png" in text_of(seen[0]), "it is called what it is"


async def ho_1_denied_tools_are_listed_nowhere():
    stage = Stage({"text": "hi"})
    options = stage.options(disallowed_tools=["Bash", "Edit(secret.txt)"], permission_mode="plan")
    got = await run(query(prompt="go", options=options))
    begun = next(message.data for message in got if getattr(message, "subtype", "") == "init")
    for names in (begun["tools"], [tool["name"] for tool in stage.seen()[0]["tools"]]):
        assert "Bash" not in names and "Edit" in names, names
    changes = [message for message in got if getattr(message, "subtype", "") == "status"]
    assert begun["permissionMode"] == "plan" and not changes, "the start announces no mode change"


async def ho_1_a_failure_names_its_kind():
    kinds = {400: "invalid_request", 401: "authentication_failed", 402: "billing_error", 404: "model_not_found"}
    for status, kind in kinds.items():
        stage = Stage({"fault": {"status": status, "message": "no"}})
        got = await run(query(prompt="hi", options=stage.options()))
        told = [message.error for message in got if type(message).__name__ == "AssistantMessage"]
        assert told == [kind], (status, told)


async def ho_1_model_is_checked_before_the_switch():
    stage = Stage({"text": "one"}, {"text": "two"}, {"text": "three"})
    async with ClaudeSDKClient(stage.options()) as client:
        first = await turn(client, "hi")
        why = await refused(client.set_model("openai/gpt-9"))
        assert "openai/gpt-9" in why and "OPENAI_API_KEY" in why, why
        same = await turn(client, "who are you?")
        assert same[0].data["model"] == first[0].data["model"]
        await client.set_model("claude-haiku-4-5")
        now = await turn(client, "and now?")
        assert "haiku" in now[0].data["model"], "each turn's init has the current model"
    models = [request["model"] for request in stage.seen()]
    assert models[0] == models[1] and "haiku" in models[2], models


async def ho_1_a_message_behind_a_choice_waits_for_it():
    stage = Stage({"text": "one"})
    process = bare(stage)
    choose = {"type": "control_request", "request_id": "m", "request": {"subtype": "set_model", "model": "claude-haiku-4-5"}}
    write(process, choose, user("hi"))
    process.stdin.close()
    frames = [json.loads(line) for line in process.stdout]
    assert process.wait(20) == 0 and any(ended(frame) for frame in frames)
    assert "haiku" in stage.seen()[0]["model"]


async def ho_1_context_window_comes_from_the_settings():
    stage = Stage({"text": "one", "usage": USED})
    settings = json.dumps({"models": {"claude-sonnet-5-5": {"context": 400_000}}})
    async with ClaudeSDKClient(stage.options(settings=settings, model="claude-sonnet-5-5")) as client:
        end = results(await turn(client, "hi"))[0]
        usage = await client.get_context_usage()
    assert usage["maxTokens"] == 400_000 and usage["percentage"] > 25, usage
    used = end.model_usage["claude-sonnet-5-5"]
    assert used["contextWindow"] == 400_000 and used["maxOutputTokens"] > 0, used


async def ho_1_totals_survive_a_resume():
    begin = call("Agent", subagent_type="gardener", description="look", prompt="Find the roses.")
    stage = Stage({**begin, "usage": USED}, {"text": "wall", "usage": USED}, {"text": "one", "usage": USED}, {"text": "two", "usage": USED})
    options = dict(agents={"gardener": GARDENER}, allowed_tools=["Agent"])
    first = results(await run(query(prompt=prompt("hi"), options=stage.options(**options))))[0]
    again = results(await run(query(prompt=prompt("more"), options=stage.options(resume=first.session_id, **options))))[0]
    assert first.total_cost_usd > 0
    assert abs(again.total_cost_usd - first.total_cost_usd * 4 / 3) < 1e-6, (first.total_cost_usd, again.total_cost_usd)
    [(model, before)], [(same, after)] = first.model_usage.items(), again.model_usage.items()
    assert model == same and (before["inputTokens"], after["inputTokens"]) == (300_000, 400_000)
    assert abs(after["costUSD"] - again.total_cost_usd) < 1e-6
    assert again.usage["input_tokens"] == 100_000, "the turn's own"


async def ho_1_what_subagents_say_is_for_those_who_ask():
    begin = call("Agent", subagent_type="gardener", description="look", prompt="Find the roses.")
    plants = {"text": "I look", **call("Write", file_path="roses.txt", content="R")}
    for forward in (False, True):
        stage = Stage(begin, plants, {"text": "by the wall"}, {"text": "done"})
        options = stage.options(agents={"gardener": GARDENER}, allowed_tools=["Agent"], forward_subagent_text=forward)
        got = await run(query(prompt=prompt("go"), options=options))
        inner = [message for message in got if getattr(message, "parent_tool_use_id", None)]
        said = [block.text for block in blocks(inner, "TextBlock")]
        assert said == (["Find the roses.", "I look", "by the wall"] if forward else []), said
        assert [block.name for block in blocks(inner, "ToolUseBlock")] == ["Write"]
        assert len(blocks(inner, "ToolResultBlock")) == 1
        done = next(message for message in got if getattr(message, "subtype", "") == "task_notification")
        assert done.usage["tool_uses"] == 1, "a refused call is a call"


async def ho_1_pieces_of_an_answer_name_the_answer():
    stage = Stage({"thinking": "Hm.", "text": "Yes."}, {"text": "Two"})
    async with ClaudeSDKClient(stage.options(include_partial_messages=True)) as client:
        for text in ("hi", "again"):
            got = await turn(client, text)
            events = [message.event for message in got if type(message).__name__ == "StreamEvent"]
            started = [event["message"]["id"] for event in events if event["type"] == "message_start"]
            ids = {message.message_id for message in got if type(message).__name__ == "AssistantMessage"}
            assert started[0] and ids == set(started), (started, ids)
            if text == "hi":
                deltas = [event["delta"]["type"] for event in events if event["type"] == "content_block_delta"]
                assert deltas[0] == "thinking_delta" and "signature_delta" in deltas[:-1], deltas
                sealed = next(event for event in events if event.get("delta", {}).get("type") == "signature_delta")
                assert sealed["index"] == 0 and sealed["delta"]["signature"] == blocks(got, "ThinkingBlock")[0].signature
