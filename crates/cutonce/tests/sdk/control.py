"""The Python SDK drives cutonce, unchanged: agents of the host, its control requests, the form of answers, sessions that go on from an
earlier message, MCP servers that are slow. Each `ho_…` is one test: `python control.py NAME`."""

import asyncio
import json
import sys
import uuid
from pathlib import Path

from claude_agent_sdk import AgentDefinition, ClaudeSDKClient, create_sdk_mcp_server, query, tool
from stage import GARDENER, Stage, bare, blocks, call, frames_until, prompt, refused, results, run, text_of, turn, write

SERVER = Path(__file__).parent.parent / "mcp" / "server.py"


# --- Agents of the host


async def ho_1_host_agents_are_started():
    begin = call("Agent", subagent_type="gardener", description="look", prompt="Find the roses.")
    stage = Stage(begin, {"text": "by the wall"}, {"text": "done"})
    got = await run(query(prompt=prompt("go"), options=stage.options(agents={"gardener": GARDENER}, allowed_tools=["Agent"], forward_subagent_text=True)))
    assert got[-1].result == "done", got[-1]
    own = [message for message in got if getattr(message, "parent_tool_use_id", None) is None]
    assert "by the wall" in str(blocks(own, "ToolResultBlock")[0].content)
    inner = [message for message in got if getattr(message, "parent_tool_use_id", None)]
    assert "by the wall" in str([block.text for block in blocks(inner, "TextBlock")]), "what it says names the call"
    assert "gardener" in got[0].data["agents"] and "general-purpose" in got[0].data["agents"], got[0].data["agents"]
    ended = next(message for message in got if type(message).__name__ == "TaskNotificationMessage")
    assert ended.status == "completed" and Path(ended.output_file).is_file(), ended
    asked = stage.seen()[1]
    assert "You are the gardener." in json.dumps(asked["system"]) and "Find the roses." in text_of(asked)
    assert {one["name"] for one in asked["tools"]} == {"Read", "Write"}


async def ho_1_host_agents_are_listed_at_the_start():
    stage = Stage({"text": "hi"})
    async with ClaudeSDKClient(stage.options(agents={"gardener": GARDENER})) as client:
        told = {agent["name"]: agent["description"] for agent in (await client.get_server_info())["agents"]}
    assert told["gardener"] == "Knows plants." and "Explore" in told, told


async def ho_1_plan_mode_applies_to_host_agents():
    # Neither its tools, nor an allow rule, nor the mode that it names make plan mode writable (PM-64).
    begin = call("Agent", subagent_type="gardener", description="plant", prompt="Plant roses.")
    plants = call("Write", file_path="roses.txt", content="ROSES")
    stage = Stage(begin, plants, {"text": "could not"}, {"text": "planned"})
    gardener = AgentDefinition(description="Knows plants.", prompt="Plant.", tools=["Write"], permissionMode="bypassPermissions")
    options = stage.options(agents={"gardener": gardener}, permission_mode="plan", allowed_tools=["Agent", "Write", "Edit"])
    got = await run(query(prompt=prompt("go"), options=options))
    assert stage.files() == {}, stage.files()
    inner = [message for message in got if getattr(message, "parent_tool_use_id", None)]
    assert blocks(inner, "ToolResultBlock")[0].is_error and "plan mode" in str(blocks(inner, "ToolResultBlock")[0].content)
    assert [denial["tool_name"] for denial in results(got)[0].permission_denials] == ["Write"]


async def ho_1_invalid_agents_are_refused():
    stage = Stage({"text": "never"})
    odd = AgentDefinition(description="x", prompt="x", permissionMode="dance")
    got = await run(query(prompt=prompt("go"), options=stage.options(agents={"odd": odd})))
    assert "permissionMode" in str(got[-1]) and "dance" in str(got[-1]), got[-1]
    assert stage.seen() == []


# --- Control requests


async def ho_1_thinking_is_set_from_the_next_turn_on():
    stage = Stage({"text": "one"}, {"text": "two"}, {"text": "three"})
    async with ClaudeSDKClient(stage.options(model="claude-sonnet-4-5")) as client:
        for tokens in [4096, 0, None]:
            await client._query._send_control_request({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": tokens})
            await turn(client, "go")
        wrong = client._query._send_control_request({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": "much"})
        assert "must be a number or null" in await refused(wrong)
    told = [request.get("thinking") for request in stage.seen()]
    assert told[0] == {"type": "enabled", "budget_tokens": 4096} and told[1] is None and told[2] is None, told


async def ho_1_files_are_put_back_to_before_a_message():
    changes = [call("Read", file_path="a.txt"), call("Write", file_path="a.txt", content="NEW")]
    stage = Stage(*changes, {"text": "one"}, call("Write", file_path="b.txt", content="B"), {"text": "two"})
    (stage.ws / "a.txt").write_text("OLD")
    options = stage.options(permission_mode="bypassPermissions", enable_file_checkpointing=True, extra_args={"replay-user-messages": None})
    async with ClaudeSDKClient(options) as client:
        first, second = await turn(client, "first"), await turn(client, "second")
        said = [next(message.uuid for message in got if type(message).__name__ == "UserMessage") for got in (first, second)]
        assert stage.files() == {"a.txt": "NEW", "b.txt": "B"}
        preview = {"subtype": "rewind_files", "user_message_id": said[0], "dry_run": True}
        told = await client._query._send_control_request(preview)
        assert told["canRewind"] and [Path(path).name for path in told["filesChanged"]] == ["a.txt", "b.txt"], told
        assert stage.files() == {"a.txt": "NEW", "b.txt": "B"}, "a preview changes nothing"
        await client.rewind_files(said[1])
        assert stage.files() == {"a.txt": "NEW"}
        await client.rewind_files(said[0])
        assert stage.files() == {"a.txt": "OLD"}
        assert "no message with this id" in await refused(client.rewind_files(str(uuid.uuid4())))


async def ho_1_messages_keep_the_hosts_id():
    stage, mine = Stage(call("Write", file_path="a.txt", content="A"), {"text": "one"}), str(uuid.uuid4())

    async def said():
        yield {"type": "user", "message": {"role": "user", "content": "go"}, "uuid": mine}

    async with ClaudeSDKClient(stage.options(permission_mode="acceptEdits")) as client:
        await client.query(said())
        async for _ in client.receive_response():
            pass
        assert stage.files() == {"a.txt": "A"}
        await client.rewind_files(mine)
    assert stage.files() == {}


async def ho_1_no_rewind_during_a_turn():
    stage = Stage(call("Write", file_path="a.txt", content="A"), call("Bash", command="sleep 300"), {"text": "never"})
    options = stage.options(permission_mode="acceptEdits", allowed_tools=["Bash"], extra_args={"replay-user-messages": None})
    async with ClaudeSDKClient(options) as client:
        await client.query("go")
        said, why = None, None
        async for message in client.receive_response():
            said = said or (type(message).__name__ == "UserMessage" and message.uuid)
            if any(block.name == "Bash" for block in blocks([message], "ToolUseBlock")):
                why = await refused(client.rewind_files(said))
                await client.interrupt()
    assert "while a turn is running" in why and stage.files() == {"a.txt": "A"}


async def ho_1_a_command_in_the_background_is_stopped():
    stage = Stage(call("Bash", command="echo $$ > pid; exec sleep 300", run_in_background=True), {"text": "started"})
    async with ClaudeSDKClient(stage.options(allowed_tools=["Bash"])) as client:
        await turn(client, "go")
        pid = stage.ws / "pid"
        while not (pid.exists() and pid.read_text().strip()):
            await asyncio.sleep(0.01)
        await client.stop_task("bash_1")
        while Path(f"/proc/{pid.read_text().strip()}").exists():
            await asyncio.sleep(0.01)
        assert "no task" in await refused(client.stop_task("bash_7"))


async def ho_1_turn_continues_after_an_agent_is_stopped():
    begin = call("Agent", subagent_type="gardener", description="look", prompt="Find the roses.")
    stage = Stage(begin, call("Bash", command="sleep 300"), {"text": "went on"})
    gardener = AgentDefinition(description="Knows plants.", prompt="Look.", tools=["Bash"])
    options = stage.options(agents={"gardener": gardener}, allowed_tools=["Agent", "Bash"])
    async with ClaudeSDKClient(options) as client:
        await client.query("go")
        task, ended = None, []
        async for message in client.receive_messages():
            kind = type(message).__name__
            task = message.task_id if kind == "TaskStartedMessage" else task
            if any(block.name == "Bash" for block in blocks([message], "ToolUseBlock")):
                await client.stop_task(task)
            ended += [message.status] if kind == "TaskNotificationMessage" else []
            if kind == "ResultMessage":
                break
    assert ended == ["stopped"] and message.result == "went on", (ended, message)


async def ho_1_queued_message_is_cancelled():
    stage, mine = Stage(call("Bash", command="sleep 300"), {"text": "never"}), str(uuid.uuid4())
    process = bare(stage, "--allowedTools", "Bash")
    said = {"type": "user", "message": {"role": "user", "content": "go"}}
    take_back = {"type": "control_request", "request_id": "r", "request": {"subtype": "cancel_async_message", "message_uuid": mine}}
    write(process, said)
    frames_until(process, lambda frame: frame["type"] == "assistant")
    write(process, {**said, "uuid": mine}, take_back, take_back)
    answers = frames_until(process, lambda frame: frame["type"] == "control_response")[-1:]
    answers += frames_until(process, lambda frame: frame["type"] == "control_response")[-1:]
    assert [answer["response"]["response"]["cancelled"] for answer in answers] == [True, False]
    write(process, {"type": "control_request", "request_id": "i", "request": {"subtype": "interrupt"}})
    process.stdin.close()
    assert len([line for line in process.stdout if '"type":"result"' in line]) == 1
    process.wait(20)


# --- MCP servers while it runs


def stdio():
    return {"type": "stdio", "command": sys.executable, "args": [str(SERVER), "plain", "/dev/null"]}


async def states(client):
    return {one["name"]: one["status"] for one in (await client.get_mcp_status())["mcpServers"]}


async def ho_1_servers_are_toggled_and_restarted():
    stage = Stage({"text": "one"}, {"text": "two"}, {"text": "three"})
    async with ClaudeSDKClient(stage.options(mcp_servers={"tools": stdio()})) as client:
        await client.reconnect_mcp_server("tools")
        assert await states(client) == {"tools": "connected"}, "the answer comes when it runs"
        await turn(client, "with")
        await client.toggle_mcp_server("tools", False)
        assert await states(client) == {"tools": "disabled"}
        await turn(client, "without")
        await client.toggle_mcp_server("tools", True)
        assert await states(client) == {"tools": "connected"}
        await turn(client, "with")
        assert "no MCP server" in await refused(client.toggle_mcp_server("unknown", True))
        assert "no MCP server" in await refused(client.reconnect_mcp_server("unknown"))
    offered = [any(one["name"].startswith("mcp__tools__") for one in request["tools"]) for request in stage.seen()]
    assert offered == [True, False, True], offered


async def ho_1_server_that_fails_to_start_is_an_error():
    stage = Stage({"text": "one"})
    async with ClaudeSDKClient(stage.options(mcp_servers={"none": {"command": "no-such-program-anywhere"}})) as client:
        assert "no-such-program-anywhere" in await refused(client.reconnect_mcp_server("none"))
        assert (await turn(client, "go"))[-1].result == "one"


async def ho_1_servers_are_set_while_it_runs():
    @tool("add", "Adds two numbers", {"a": int, "b": int})
    async def add(given):
        return {"content": [{"type": "text", "text": str(given["a"] + given["b"])}]}

    inside = {"calc": create_sdk_mcp_server("calc", tools=[add])}
    stage = Stage(call("mcp__calc__add", a=2, b=3), {"text": "one"}, {"text": "two"})
    async with ClaudeSDKClient(stage.options(mcp_servers=inside, allowed_tools=["mcp__calc"])) as client:
        async def set_servers(servers):
            return await client._query._send_control_request({"subtype": "mcp_set_servers", "servers": servers})

        dead = {"command": "no-such-program-anywhere"}
        told = await set_servers({"calc": {"type": "sdk", "name": "calc"}, "tools": stdio(), "dead": dead})
        assert told["added"] == ["tools"] and told["removed"] == [] and list(told["errors"]) == ["dead"], told
        got = await turn(client, "go")
        assert "5" in str(blocks(got, "ToolResultBlock")[0].content)
        told = await set_servers({})
        assert sorted(told["removed"]) == ["calc", "dead", "tools"] and told["added"] == [], told
        assert await states(client) == {}
        await turn(client, "go")
    offered = [{one["name"].split("__")[1] for one in request["tools"] if "__" in one["name"]} for request in stage.seen()]
    assert offered == [{"calc", "tools"}, {"calc", "tools"}, set()], offered


async def ho_6_hanging_server_delays_nothing_slow_one_works():
    # The model answers before the hanging server would: no wait could be hidden here.
    hangs = {"command": "sleep", "args": ["1000"]}
    stage = Stage({"text": "at once"}, call("mcp__tools__look"), {"text": "done"}, call("WaitForMcpServers"), {"text": "waited"})
    got = await run(query(prompt="go", options=stage.options(mcp_servers={"hangs": hangs})))
    assert got[-1].result == "at once" and {"name": "hangs", "status": "pending", "source": "stdio"} in got[0].data["mcp_servers"]
    got = await run(query(prompt="go", options=stage.options(mcp_servers={"tools": stdio()}, allowed_tools=["mcp__tools"])))
    assert not blocks(got, "ToolResultBlock")[0].is_error, "a call waits for its server"
    got = await run(query(prompt="go", options=stage.options(mcp_servers={"tools": stdio()})))
    assert "tools: connected" in str(blocks(got, "ToolResultBlock")[0].content)
    seen = stage.seen()
    assert any(one["name"].startswith("mcp__tools__") for one in seen[4]["tools"]), "its tools join the turn that waited"


# --- The form of answers, another model, an earlier message

CITY = {"type": "object", "properties": {"city": {"type": "string"}, "people": {"type": "integer"}}, "required": ["city", "people"], "additionalProperties": False}


def form(schema=CITY):
    return {"output_format": {"type": "json_schema", "schema": schema}}


async def ho_1_answer_fits_the_output_schema():
    # First only words, then the wrong form, then the right one: the turn ends with it.
    stage = Stage({"text": "Bern."}, call("StructuredOutput", city="Bern"), call("StructuredOutput", city="Bern", people=134000), {"text": "never"})
    got = await run(query(prompt="go", options=stage.options(**form())))
    assert got[-1].structured_output == {"city": "Bern", "people": 134000} and got[-1].subtype == "success", got[-1]
    seen = stage.seen()
    assert len(seen) == 3 and "`people` is missing" in text_of(seen[2])
    offered = next(one for one in seen[0]["tools"] if one["name"] == "StructuredOutput")
    assert offered["input_schema"] == CITY


async def ho_1_corrections_of_the_form_are_bounded():
    stage = Stage({"text": "Bern.", "repeat": 50})
    got = await run(query(prompt="go", options=stage.options(**form())))
    assert results(got)[0].subtype == "error_max_structured_output_retries" and results(got)[0].is_error
    assert results(got)[0].structured_output is None and len(stage.seen()) == 6
    stage = Stage({**call("StructuredOutput", city=7), "repeat": 50})
    got = await run(query(prompt="go", options=stage.options(**form())))
    assert results(got)[0].subtype == "error_max_structured_output_retries" and len(stage.seen()) == 6


async def ho_1_output_schema_applies_to_every_turn():
    stage = Stage(call("StructuredOutput", city="Bern", people=1), call("StructuredOutput", city="Rom", people=2))
    async with ClaudeSDKClient(stage.options(permission_mode="plan", tools=["Read"], **form())) as client:
        assert (await turn(client, "one"))[-1].structured_output["city"] == "Bern"
        assert (await turn(client, "two"))[-1].structured_output["city"] == "Rom"


async def ho_1_invalid_output_schema_is_refused():
    stage = Stage({"text": "never"})
    got = await run(query(prompt="go", options=stage.options(**form({"properties": {"a": {"pattern": "("}}}))))
    assert "schema" in str(got[-1]) and stage.seen() == []


async def ho_1_fallback_model_continues():
    overloaded = {"fault": {"status": 529, "message": "overloaded"}}
    settings = json.dumps({"maxRetries": 1, "retryDelayMs": 1})
    stage = Stage(overloaded, overloaded, call("Bash", command="ls"), {"text": "one"}, {"text": "two"})
    options = stage.options(model="claude-opus-4-6", fallback_model="claude-haiku-4-5", settings=settings)
    async with ClaudeSDKClient(options) as client:
        got = await turn(client, "go")
        assert got[-1].result == "one" and not got[-1].is_error
        await turn(client, "again")
    models = [request["model"] for request in stage.seen()]
    main, other = "claude-opus-4-6", "claude-haiku-4-5"
    assert models == [main, main, other, other, main], "for the rest of the turn; the next one begins with the own again"
    assert any("claude-haiku-4-5 answers" in str(getattr(message, "data", "")) for message in got)


async def ho_1_refused_request_uses_no_fallback_model():
    stage = Stage({"fault": {"status": 400, "message": "too odd"}}, {"text": "never"})
    got = await run(query(prompt="go", options=stage.options(fallback_model="claude-haiku-4-5")))
    assert results(got)[0].is_error and len(stage.seen()) == 1


async def ho_1_session_resumes_at_an_earlier_message():
    stage = Stage({"text": "one"}, {"text": "two"}, {"text": "three"}, {"text": "four"})
    async with ClaudeSDKClient(stage.options()) as client:
        first, second = await turn(client, "first"), await turn(client, "second")
    session = first[-1].session_id
    kept = next(message.uuid for message in first if type(message).__name__ == "AssistantMessage")
    forked = await run(query(prompt="third", options=stage.options(resume=session, fork_session=True, resume_session_at=kept)))
    assert forked[-1].result == "three" and forked[-1].session_id != session, forked[-1]
    await run(query(prompt="fourth", options=stage.options(resume=session)))
    seen = [text_of(request) for request in stage.seen()]
    assert "first" in seen[2] and "one" in seen[2] and "second" not in seen[2] and "two" not in seen[2]
    assert "second" in seen[3] and "third" not in seen[3], "the original is as it was"
    assert second[-1].result == "two"


async def ho_1_resuming_earlier_keeps_plan_mode():
    stage = Stage({"text": "one"}, {"text": "two"}, call("Write", file_path="a.txt", content="A"), {"text": "three"})
    async with ClaudeSDKClient(stage.options()) as client:
        first = await turn(client, "first")
        await client.set_permission_mode("plan")
        await turn(client, "second")
    kept = next(message.uuid for message in first if type(message).__name__ == "AssistantMessage")
    options = stage.options(resume=first[-1].session_id, resume_session_at=kept, allowed_tools=["Write", "Edit"])
    got = await run(query(prompt="third", options=options))
    assert stage.files() == {} and got[-1].permission_denials, got[-1]
    assert got[0].data["permissionMode"] == "plan"


async def ho_1_missing_message_is_an_error():
    stage, missing = Stage({"text": "one"}, {"text": "never"}), str(uuid.uuid4())
    first = (await run(query(prompt="first", options=stage.options())))[-1]
    got = await run(query(prompt="go", options=stage.options(resume=first.session_id, resume_session_at=missing)))
    assert f"No message found with message.uuid of: {missing}" in str(got[-1]), got[-1]
    assert len(stage.seen()) == 1


async def ho_1_only_the_turn_that_was_named_is_dropped():
    stage = Stage({"text": "one"}, {"text": "two"}, {"text": "three"}, {"text": "four"})
    options = stage.options(extra_args={"replay-user-messages": None})
    async with ClaudeSDKClient(options) as client:
        turns = [await turn(client, text) for text in ["first", "second", "third"]]
    said = [next(message.uuid for message in got if type(message).__name__ == "UserMessage") for got in turns]
    kept = [next(message.uuid for message in got if type(message).__name__ == "AssistantMessage") for got in turns]
    more = dict(resume=turns[0][-1].session_id, fork_session=True, resume_drops_turn=said[2])
    got = await run(query(prompt="go", options=stage.options(resume_session_at=kept[0], **more)))
    assert "Resume rejected by --resume-drops-turn:" in str(got[-1]), got[-1]
    got = await run(query(prompt="go", options=stage.options(resume_session_at=kept[1], **more)))
    assert got[-1].result == "four", got[-1]


# --- What there is, told truly


async def ho_1_init_tells_what_there_is():
    stage = Stage({"text": "one"}, {"text": "two"})
    (stage.home / "commands").mkdir()
    (stage.home / "commands" / "greet.md").write_text("---\ndescription: Greets\n---\nSay hello to $ARGUMENTS.")
    (stage.home / "skills" / "sewing").mkdir(parents=True)
    (stage.home / "skills" / "sewing" / "SKILL.md").write_text("---\nname: sewing\ndescription: Sews.\n---\nThread first.")
    (stage.home / "agents").mkdir()
    (stage.home / "agents" / "tailor.md").write_text("---\nname: tailor\ndescription: Makes clothes.\n---\nYou are a tailor.")
    async with ClaudeSDKClient(stage.options()) as client:
        commands = (await client.get_server_info())["commands"]
        assert commands[4:] == [{"name": "greet", "description": "Greets", "argumentHint": "[arguments]"}], commands
        got = await turn(client, "/greet the moon")
        await turn(client, "/nothing of ours")
    init = got[0].data
    assert init["slash_commands"] == ["plan", "clear", "compact", "usage", "greet"] and init["skills"] == ["sewing"] and "tailor" in init["agents"], init
    seen = stage.seen()
    assert "Say hello to the moon." in text_of(seen[0]), "a command of the user's own is its prompt"
    assert "/nothing of ours" in text_of(seen[1]), "what is no command is said as it is"


async def ho_3_an_image_without_data_is_an_error():
    # Each of them is a message with a result of its own, in its place; nothing goes to the model without its image.
    stage = Stage({"text": "hi"})
    png = {"type": "base64", "media_type": "image/png"}
    sources = [{"type": "url", "url": "https://example.invalid/a.png"}, png, {**png, "data": ""}, {**png, "data": "no base64!"}, None]
    process = bare(stage)
    for source in sources:
        content = [{"type": "text", "text": "look"}, {"type": "image", "source": source}]
        write(process, {"type": "user", "message": {"role": "user", "content": content}})
    write(process, {"type": "user", "message": {"role": "user", "content": [{"type": "dance"}]}})
    write(process, {"type": "user", "message": {"role": "user", "content": "hi"}})
    process.stdin.close()
    ends = [frame for frame in map(json.loads, process.stdout) if frame["type"] == "result"]
    assert process.wait(20) == 0, "the last one went well"
    assert [end["is_error"] for end in ends] == [True] * 6 + [False], ends
    assert all("image" in end["errors"][0] for end in ends[:5]) and "dance" in ends[5]["errors"][0], ends
    assert len(stage.seen()) == 1
