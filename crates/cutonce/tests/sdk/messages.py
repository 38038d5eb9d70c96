"""What messages of a host mean (HO-1, HO-2): said as they are, called as commands, joining without a turn; and what is suggested to it.
Each `ho_…` is one test: `python messages.py NAME`."""

import json
import logging
import shutil
import sys
import tempfile
from pathlib import Path

from claude_agent_sdk import ClaudeSDKClient, HookMatcher, InMemorySessionStore, PermissionResultAllow, PermissionUpdate, query
from stage import Stage, bare, blocks, call, frames_until, prompt, results, run, text_of, write

SERVER = Path(__file__).parent.parent / "mcp" / "server.py"


def user(text, **more):
    return {"type": "user", "message": {"role": "user", "content": text}, **more}


def ended(frame):
    return frame["type"] == "result"


async def turn(client, text):
    """One message and all that comes of it."""
    await client.query(text)
    return [message async for message in client.receive_response()]


def kinds(messages):
    """System frames by their subtype."""
    return [message.subtype for message in messages if type(message).__name__ == "SystemMessage"]


# --- Said as it is


async def ho_1_what_a_program_composed_is_never_expanded():
    # Neither prompts nor resources of MCP servers are fetched, no command is called; and the SDK knows that we honour it.
    warned = []
    handler = logging.Handler()
    handler.emit = lambda record: warned.append(record.getMessage())
    logging.getLogger("claude_agent_sdk").addHandler(handler)
    says = ["/mcp__srv__review x", "see @srv:notes://today ok", "/greet you", "/compact", "/clear", "/plan"]
    for verbatim in (True, False):
        stage = Stage(*[{"text": "ok"} for _ in says])
        (stage.home / "commands").mkdir()
        (stage.home / "commands" / "greet.md").write_text("Say hello to $ARGUMENTS.")
        log = stage.root / "log"
        servers = {"srv": {"type": "stdio", "command": sys.executable, "args": [str(SERVER), "library", str(log)]}}
        options = stage.options(mcp_servers=servers, verbatim_prompts=verbatim)
        async with ClaudeSDKClient(options) as client:
            for text in says:
                await turn(client, text)
        fetched = [line for line in log.read_text().splitlines() if "prompts/get" in line or "resources/read" in line]
        if verbatim:
            assert fetched == [], fetched
            seen = stage.seen()
            assert len(seen) == len(says)
            last = [json.dumps(request["messages"][-1]["content"]) for request in seen]
            assert all(text in said for text, said in zip(says, last)), last
        else:
            assert len(fetched) == 2, "the server would have been asked"
    assert not any("verbatim_prompts" in text for text in warned), warned


async def ho_6_a_long_resource_is_kept_without_secrets():
    key = "sk-ant-0123456789-secret"
    stage = Stage({"text": "ok"})
    (stage.root / "long.txt").write_text("first words " + "x" * 40_000 + f" {key} last words")
    args = [str(SERVER), "library", str(stage.root / "log")]
    options = stage.options(mcp_servers={"srv": {"type": "stdio", "command": sys.executable, "args": args}})
    options.env["ANTHROPIC_API_KEY"] = key
    got = await run(query(prompt=prompt("see @srv:notes://long"), options=options))
    assert got[-1].result == "ok" and "first words" in text_of(stage.seen()[0])
    kept = [path for path in stage.home.rglob("*") if path.is_file() and "last words" in path.read_text(errors="replace")]
    assert kept, "what is long is in a file"
    assert not any(key in path.read_text(errors="replace") for path in stage.home.rglob("*") if path.is_file())


async def ho_1_a_message_may_join_without_a_turn():
    stage = Stage({"text": "one"}, {"text": "two"})
    process = bare(stage, "--replay-user-messages")
    silent = user("NOTE", shouldQuery=False, uuid="note-1")
    write(process, silent, user("hello"))
    first = frames_until(process, ended)
    assert [frame["uuid"] for frame in first if frame.get("isReplay")][0] == "note-1"
    # While a turn is on it waits, and keeps none going.
    write(process, user("again"), user("LATER", shouldQuery=False))
    frames_until(process, ended)
    process.stdin.close()
    rest = [json.loads(line) for line in process.stdout]
    assert process.wait(20) == 0 and not any(ended(frame) for frame in rest), rest
    seen = stage.seen()
    assert len(seen) == 2 and "NOTE" in text_of(seen[0]) and "LATER" not in text_of(seen[1])
    transcript = stage.transcripts()[0].read_text()
    assert "LATER" in transcript, "it is kept for the next turn"


# --- Commands


async def ho_1_compact_and_clear_are_commands():
    stage = Stage({"text": "one"}, {"text": "SUMMARY of it"}, {"text": "two"}, {"text": "three"})
    heard = []

    async def before(given, _id, _context):
        heard.append((given["trigger"], given["custom_instructions"]))
        return {}

    hooks = {"PreCompact": [HookMatcher(hooks=[before])]}
    async with ClaudeSDKClient(stage.options(hooks=hooks)) as client:
        commands = [one["name"] for one in (await client.get_server_info())["commands"]]
        assert commands == ["plan", "clear", "compact", "usage"], commands
        first = await turn(client, "hello FIRSTWORDS")
        assert first[0].data["slash_commands"] == commands
        compacted = await turn(client, "/compact the tests")
        assert "compact_boundary" in kinds(compacted), kinds(compacted)
        boundary = next(one for one in compacted if getattr(one, "subtype", "") == "compact_boundary")
        assert boundary.data["compact_metadata"]["trigger"] == "manual"
        end = results(compacted)
        assert len(end) == 1 and not end[0].is_error and end[0].subtype == "success", end
        after = await turn(client, "and now")
        assert results(after)[0].result == "two"
        cleared = await turn(client, "/clear")
        assert len(results(cleared)) == 1 and not results(cleared)[0].is_error, cleared
        empty = await turn(client, "/compact")
        assert results(empty)[0].is_error and "nothing to compact" in results(empty)[0].errors[0], empty
        await turn(client, "fresh")
    assert heard == [("manual", "the tests")], heard
    seen = stage.seen()
    assert "the tests" in text_of(seen[1]) and "/compact" not in text_of(seen[1])
    assert "SUMMARY of it" in text_of(seen[2])
    assert "SUMMARY" not in text_of(seen[3]) and "FIRSTWORDS" not in text_of(seen[3]) and len(seen) == 4


async def ho_1_failed_compaction_is_an_error_only():
    stage = Stage({"text": "one"}, {"fault": {"status": 400, "message": "no"}}, {"text": "two"})
    async with ClaudeSDKClient(stage.options()) as client:
        await turn(client, "hello")
        failed = await turn(client, "/compact")
        assert results(failed)[0].is_error and "could not be compacted" in results(failed)[0].errors[0], failed
        assert results(await turn(client, "go on"))[0].result == "two"


async def ho_1_words_give_no_rights():
    # `/plan` takes rights away; what would give them, or choose another model, is for control requests.
    stage = Stage({"text": "planning"})
    async with ClaudeSDKClient(stage.options()) as client:
        for text in ("/mode bypassPermissions", "/mode acceptEdits", "/model other", "/plan off", "/plan open"):
            end = results(await turn(client, text))
            assert len(end) == 1 and end[0].is_error, (text, end)
        entered = await turn(client, "/plan")
        assert not results(entered)[0].is_error and "status" in kinds(entered), entered
        planned = await turn(client, "/plan the garden")
        assert results(planned)[0].result == "planning" and planned[0].data["permissionMode"] == "plan"
    seen = stage.seen()
    assert len(seen) == 1 and "the garden" in text_of(seen[0]) and "/plan the garden" not in text_of(seen[0])


# --- What is suggested


async def always(tool, given, context):
    """What a host does for «always allow»: the whole set of suggestions, as the SDKs say."""
    return PermissionResultAllow(updated_permissions=context.suggestions)


async def ho_1_always_allow_stores_the_narrowest_rule():
    # The folder was never trusted: the rule is the person's own word all the same (PR-2).
    make = call("Bash", command="mkdir -p one")
    stage = Stage(make, {"text": "a"}, make, call("Bash", command="mkdir -p two"), {"text": "b"})
    await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=always)))
    stored = json.loads((stage.ws / ".cutonce/settings.local.json").read_text())
    assert stored["permissions"]["allow"] == ["Bash(mkdir -p one)"], stored
    asked = []

    async def note(tool, given, context):
        asked.append(given["command"])
        return PermissionResultAllow()

    await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=note)))
    assert asked == ["mkdir -p two"], asked


async def ho_1_always_allow_of_an_edit_sets_accept_edits():
    stage = Stage(call("Write", file_path="src/a.txt", content="A"), {"text": "done"})
    got = await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=always)))
    assert stage.files() == {"src/a.txt": "A"}, "no rule is stored"
    assert [m.data["permissionMode"] for m in got if getattr(m, "subtype", "") == "status"] == ["acceptEdits"]


async def ho_1_rule_without_project_settings_is_session_only():
    stage = Stage(call("Bash", command="mkdir one"), call("Bash", command="mkdir one"), {"text": "done"})
    asked = []

    async def callback(tool, given, context):
        asked.append([one.destination for one in context.suggestions])
        return await always(tool, given, context)

    await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=callback, setting_sources=[])))
    assert asked == [["session"]] and not (stage.ws / ".cutonce").exists(), asked


async def ho_1_folders_join_and_leave_while_a_session_runs():
    other = Path(tempfile.mkdtemp(prefix="sdk-")).resolve()
    (other / "a.txt").write_text("ALPHA")
    look = call("Read", file_path=str(other / "a.txt"))
    stage = Stage(look, look, call("Bash", command="mkdir -p x"), look, {"text": "done"})
    change = lambda kind: PermissionUpdate(type=kind, directories=[str(other)], destination="session")  # noqa: E731
    asked = []

    async def callback(tool, given, context):
        asked.append(tool)
        kind = {0: "addDirectories", 1: "removeDirectories"}.get(len(asked) - 1)
        return PermissionResultAllow(updated_permissions=[change(kind)] if kind else None)

    got = await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=callback)))
    assert asked == ["Read", "Bash", "Read"], asked
    results_of = [block for block in blocks(got, "ToolResultBlock") if "ALPHA" in str(block.content)]
    assert len(results_of) == 3 and got[-1].result == "done"
    shutil.rmtree(other)


async def ho_1_ignored_parts_are_reported_to_the_host():
    stage = Stage({"text": "one"})
    got = await run(query(prompt=prompt("hi"), options=stage.options(session_store=InMemorySessionStore(), include_hook_events=True)))
    told = [message.data["content"] for message in got if getattr(message, "subtype", "") == "informational"]
    assert any("Session mirroring" in text for text in told) and any("Hook events" in text for text in told), told


# --- Answers to questions


QUESTION = {
    "question": "Which?",
    "header": "Which",
    "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}],
    "multiSelect": False,
}


async def ho_2_notes_of_an_answer_reach_the_model():
    ask = call("AskUserQuestion", questions=[QUESTION])
    stage = Stage(ask, ask, {"text": "done"})
    replies = [
        {"answers": {"Which?": "B"}, "annotations": {"Which?": {"notes": "NOTE1"}}},
        {"answers": {"Another?": "B"}},
    ]

    async def callback(tool, given, context):
        return PermissionResultAllow(updated_input={**given, **replies.pop(0)})

    got = await run(query(prompt=prompt("go"), options=stage.options(can_use_tool=callback)))
    first, second = [str(block.content) for block in blocks(got, "ToolResultBlock")]
    assert "→ B" in first and "NOTE1" in first, first
    assert "chose not to answer" in second, "an answer to no question is none"
