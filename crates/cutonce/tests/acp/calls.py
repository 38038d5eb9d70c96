"""HO-5: tool calls with kinds, locations and diffs, permissions, todos, thoughts, output, stop reasons."""
from world import *

TEXT = "".join(f"line {n}\n" for n in range(1, 31))


def edit(path, old, new):
    return {"name": "Edit", "input": {"file_path": path, "old_string": old, "new_string": new}}


def read(path):
    return {"name": "Read", "input": {"file_path": path}}


async def test_edits_show_their_diff_and_place(world):
    (world.ws / "a.txt").write_text(TEXT)
    turns = [{"calls": [read("a.txt")]}, {"calls": [edit("a.txt", "line 20\n", "twenty\n")]}, {"text": "done"}]
    async with world.session(turns) as (connection, session):
        world.editor.answers = ["allow"]
        await say(connection, session, "edit")
        path = str(world.ws / "a.txt")
        seen = world.editor.call("Read a.txt")
        assert seen["kind"] == "read" and seen["locations"] == [{"path": path}]
        assert seen["statuses"] == ["pending", "in_progress", "completed"]
        done = world.editor.call("Edit a.txt")
        assert done["kind"] == "edit" and done["locations"] == [{"path": path, "line": 17}]
        [diff] = done["content"]
        assert diff["type"] == "diff" and diff["path"] == path
        assert "line 19\nline 20\nline 21\n" in diff["oldText"] and "line 19\ntwenty\nline 21\n" in diff["newText"]
        # What was asked showed the same change.
        assert world.editor.asked[0]["call"]["content"][0] == diff
        assert (world.ws / "a.txt").read_text() == TEXT.replace("line 20", "twenty")


async def test_long_results_are_cut_for_the_eye_and_long_files_are_not(world):
    long = "".join(f"line {n}\n" for n in range(9_000))
    (world.ws / "long.txt").write_text(long)
    turns = [{"calls": [read("long.txt"), write("new.txt", long)]}, {"text": "done"}]
    async with world.session(turns, "acceptEdits") as (connection, session):
        await say(connection, session, "go")
        seen = world.editor.call("Read long.txt")
        assert len(json.dumps(seen)) < 64_000 and "more bytes]" in seen["rawOutput"]
        made = world.editor.call("Write new.txt")
        assert made["content"][0]["newText"] == long and len(made["rawInput"]["content"]) < 20_000


async def test_permission_once_always_and_no(world):
    touch = [{"calls": [write("a.txt", f"{n}\n")]} for n in range(3)]
    turns = []
    for one in touch:
        turns += [{"calls": [read("a.txt")]}, one, {"text": "said"}]
    async with world.session(turns) as (connection, session):
        world.editor.answers = [("reject", {"cutonce": {"feedback": "another name"}}), "allow_always"]
        await say(connection, session, "no")
        assert world.tree() == {} and world.editor.call("Write a.txt")["statuses"][-1] == "failed"
        await say(connection, session, "always")
        options = [(o.option_id, o.kind, o.name) for o in world.editor.asked[1]["options"]]
        assert options[1] == ("allow_always", "allow_always", "Always allow Edit(./a.txt)"), options
        assert world.tree()["a.txt"] == "1\n"
        await say(connection, session, "no question any more")
        assert len(world.editor.asked) == 2 and world.tree()["a.txt"] == "2\n"
        assert "Edit(./a.txt)" in (world.ws / ".cutonce/settings.local.json").read_text()
    assert any("another name" in json.dumps(request) for request in world.requests)


async def test_pr_2_always_allow_applies_in_untrusted_folders(world):
    turns = [{"calls": [bash("mkdir -p one")]}, {"text": "a"}, {"calls": [bash("mkdir -p one")]}, {"text": "b"}]
    async with world.model(turns):
        async with world.agent() as connection:
            session = await world.new(connection)
            world.editor.answers = ["allow_always"]
            await say(connection, session, "run")
            assert len(world.editor.asked) == 1
        async with world.agent() as connection:
            session = await world.new(connection)
            await say(connection, session, "again")
            assert world.editor.asked == [], "it was allowed for good"
    assert len(world.requests) == 4


async def test_a_command_shows_all_of_itself_and_its_output(world):
    command = "echo one && touch made.txt && echo two"
    async with world.session([{"calls": [bash(command)]}, {"text": "done"}]) as (connection, session):
        world.editor.answers = ["allow"]
        await say(connection, session, "run")
        asked = world.editor.asked[0]["call"]
        assert asked["kind"] == "execute" and command in asked["content"][0]["content"]["text"]
        done = world.editor.call("echo one")
        assert done["statuses"][-1] == "completed" and "one\ntwo" in done["content"][0]["content"]["text"]
        assert "one\ntwo" in done["rawOutput"] and (world.ws / "made.txt").exists()


async def test_ui_5_command_is_shown_completely(world):
    command = "touch a.txt # \x1b[2K\u202e gpj.txt"
    async with world.session([{"calls": [bash(command)]}, {"text": "done"}]) as (connection, session):
        world.editor.answers = ["reject"]
        await say(connection, session, "run")
        shown = world.editor.asked[0]["call"]["content"][0]["content"]["text"]
        assert "\\u{1b}[2K\\u{202e}" in shown and "\x1b" not in shown and "\u202e" not in shown, repr(shown)


async def test_todos_are_plan_entries(world):
    todos = [
        {"content": "first", "status": "completed", "activeForm": "doing first"},
        {"content": "second", "status": "in_progress", "activeForm": "doing second"},
        {"content": "third", "status": "pending", "activeForm": "doing third"},
    ]
    calls = [{"name": "TodoWrite", "input": {"todos": todos}}]
    async with world.session([{"calls": calls}, {"text": "ok"}]) as (connection, session):
        await say(connection, session, "go")
        [plan] = world.editor.of("plan")
        assert [(e["content"], e["status"], e["priority"]) for e in plan["entries"]] == [
            ("first", "completed", "medium"),
            ("second", "in_progress", "medium"),
            ("third", "pending", "medium"),
        ]


async def test_questions_are_asked_with_their_options(world):
    option = lambda label: {"label": label, "description": f"about {label}"}  # noqa: E731
    questions = [
        {"question": "Which store?", "header": "Store", "options": [option("files"), option("sqlite")]},
        {"question": "Which tests?", "header": "Tests", "options": [option("unit"), option("e2e")], "multiSelect": True},
    ]
    ask = {"calls": [{"name": "AskUserQuestion", "input": {"questions": questions}}]}
    async with world.session([ask, {"text": "thanks"}, ask, {"text": "skipped"}], "plan") as (connection, session):
        world.editor.answers = ["option-1", "option-0", "option-1"]
        await say(connection, session, "ask")
        assert [o.name for o in world.editor.asked[0]["options"]] == ["files", "sqlite", "Skip the questions"]
        assert "about sqlite" in json.dumps(world.editor.asked[0]["call"])
        world.editor.answers = ["skip"]
        await say(connection, session, "again")
    told = json.dumps(world.requests[1])
    assert "sqlite" in told and "unit" in told and "e2e" in told


async def test_thoughts_words_and_stop_reasons(world):
    turns = [
        {"thinking": "hm", "text": "hello there", "delta": 3},
        {"text": "cut", "stop": "max_tokens"},
        {"text": "I won't", "stop": "refusal"},
        {"calls": [{"name": "LS", "input": {"path": "."}}]},
        {"fault": {"status": 400, "message": "model says no"}},
    ]
    async with world.session(turns, None, "--max-turns", "1") as (connection, session):
        reasons = [(await say(connection, session, "x")).stop_reason for _ in range(4)]
        assert reasons == ["end_turn", "max_tokens", "refusal", "max_turn_requests"], reasons
        assert world.editor.said().startswith("hello there") and world.editor.said("agent_thought_chunk") == "hm"
        chunks = world.editor.of("agent_message_chunk")
        assert len(chunks) > 3 and chunks[0]["messageId"] == chunks[1]["messageId"]
        error = await refused(say(connection, session, "x"))
        assert "model says no" in str(error), str(error)


async def test_prompts_of_all_kinds_reach_the_model(world):
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    from acp import embedded_text_resource, resource_link_block

    async with world.session([{"text": "seen"}]) as (connection, session):
        attached = resource_block(embedded_text_resource("file:///w/notes.md", "remember the milk"))
        link = resource_link_block("main.rs", "file:///w/main.rs")
        blocks = [text_block("look"), image_block(pixel, "image/png"), link, attached]
        await connection.prompt(session_id=session, prompt=blocks)
        from acp import audio_block

        await refused(connection.prompt(session_id=session, prompt=[audio_block("AAAA", "audio/wav")]), -32602)
        await refused(connection.prompt(session_id=session, prompt=[image_block(pixel, "image/tiff")]), -32602)
        await refused(connection.prompt(session_id=session, prompt=[]), -32602)
    told = world.told_model()
    for words in ["look", pixel, "/w/main.rs", "remember the milk", "/w/notes.md"]:
        assert words in told, words


async def test_ui_9_commands(world):
    turns = [{"calls": [write("{plan}", "# P\n"), EXIT]}, {"text": "revising"}, {"text": "summary"}]
    async with world.session(turns) as (connection, session):
        await world.editor.until(lambda: world.editor.of("available_commands_update"))
        [listed] = world.editor.of("available_commands_update")
        assert {"plan", "mode", "compact"} <= {c["name"] for c in listed["availableCommands"]}
        assert (await say(connection, session, "/plan")).stop_reason == "end_turn"
        assert "Enabled plan mode" in world.editor.said() and world.editor.modes() == ["plan"]
        await say(connection, session, "/plan")
        assert "Already in plan mode. No plan written yet." in world.editor.said()
        await say(connection, session, "/plan off")
        world.editor.answers = ["keepPlanning"]
        await say(connection, session, "/plan add a delete button")
        assert world.editor.modes() == ["plan", "default", "plan"] and world.editor.said().endswith("revising")
        await say(connection, session, "/plan")
        assert "Current Plan" in world.editor.said() and "# P" in world.editor.said()
        await say(connection, session, "/plan open")
        assert any(c["content"]["type"] == "resource_link" for c in world.editor.of("agent_message_chunk"))
        await say(connection, session, "/mode acceptEdits")
        assert world.editor.modes()[-1] == "acceptEdits"
        await say(connection, session, "/moed")
        assert "Did you mean /mode?" in world.editor.said()
        await say(connection, session, "/compact")
        assert "compacted" in world.editor.said()
        await say(connection, session, "/clear")
    assert "add a delete button" in json.dumps(world.requests[0]) and len(world.requests) == 3


if __name__ == "__main__":
    main(globals())
