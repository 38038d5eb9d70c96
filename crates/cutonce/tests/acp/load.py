"""HO-5: an earlier session is replayed as updates, in its mode, and continues."""
from world import *


async def test_load_replays_and_goes_on(world):
    todos = [{"content": "left", "status": "pending", "activeForm": "doing"}]
    turns = [
        {"thinking": "hm", "text": "Writing.", "calls": [write("a.txt", "a\n"), bash("exit 3")]},
        {"calls": [{"name": "TodoWrite", "input": {"todos": todos}}]},
        {"text": "Done."},
    ]
    async with world.session(turns, None, "--dangerously-skip-permissions") as (connection, session):
        await say(connection, session, "make a file")
        await connection.set_session_mode(session_id=session, mode_id="plan")
    async with world.model([{"text": "I remember."}]), world.agent() as connection:
        listed = (await connection.list_sessions(cwd=str(world.ws))).sessions
        assert [(one.session_id, one.title) for one in listed] == [(session, "make a file")]
        loaded = await connection.load_session(cwd=str(world.ws), session_id=session, mcp_servers=[])
        assert loaded.modes.current_mode_id == "plan"
        kinds = world.editor.kinds(session)
        assert kinds[0] == "user_message_chunk" and world.editor.said("user_message_chunk") == "make a file"
        assert world.editor.said() == "Writing.Done." and world.editor.said("agent_thought_chunk") == "hm"
        made = world.editor.call("Write a.txt")
        assert made["statuses"][-1] == "completed" and made["content"][0]["newText"] == "a\n"
        assert world.editor.call("exit 3")["statuses"][-1] == "failed"
        assert world.editor.of("plan")[-1]["entries"][0]["content"] == "left"
        await say(connection, session, "what was it?")
        assert world.editor.said().endswith("I remember.")
    assert "make a file" in world.told_model()


async def test_pm_142_a_cleared_conversation_begins_with_its_plan(world):
    turns = [{"calls": [write("{plan}", "# P\n\n1. sew\n")]}, {"calls": [EXIT]}, {"text": "sewn"}]
    async with world.model(turns):
        async with world.agent() as connection:
            session = await world.new(connection, "plan")
            world.editor.answers = ["clear"]
            assert (await say(connection, session, "plan it")).stop_reason == "end_turn"
            assert world.editor.said().endswith("sewn")
        async with world.agent() as connection:
            await connection.load_session(cwd=str(world.ws), session_id=session, mcp_servers=[])
            said = world.editor.said()
            assert said.count("1. sew") == 1 and said.index("1. sew") < said.index("sewn"), said


async def test_changes_come_back_as_they_were_shown(world):
    (world.ws / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 21)))
    edit = {"name": "Edit", "input": {"file_path": "a.txt", "old_string": "line 12\n", "new_string": "twelve\n"}}
    turns = [
        {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
        {"calls": [edit]},
        {"calls": [write("a.txt", "all new\n"), write("b.txt", "b\n")]},
        {"text": "done"},
    ]
    shown = lambda: [  # noqa: E731
        {key: call.get(key) for key in ("content", "locations", "status")}
        for call in (world.editor.call(title) for title in ("Edit a.txt", "Write a.txt", "Write b.txt"))
    ]
    async with world.model(turns):
        async with world.agent() as connection:
            session = await world.new(connection, "acceptEdits")
            await say(connection, session, "change them")
            live = shown()
        async with world.agent() as connection:
            await connection.load_session(cwd=str(world.ws), session_id=session, mcp_servers=[])
            assert shown() == live, (shown(), live)
    assert live[0]["content"][0]["oldText"].startswith("line 9\n") and live[0]["locations"][0]["line"] == 9, live[0]
    assert live[1]["content"][0]["oldText"].startswith("line 1\n") and "oldText" not in live[2]["content"][0], live


async def test_resume_replays_nothing(world):
    async with world.model([{"text": "one"}, {"text": "two"}]):
        async with world.agent() as connection:
            session = await world.new(connection)
            await say(connection, session, "first words")
        async with world.agent() as connection:
            await connection.resume_session(cwd=str(world.ws), session_id=session, mcp_servers=[])
            assert world.editor.said() == "" and not world.editor.of("user_message_chunk")
            await say(connection, session, "go on")
    assert "first words" in world.told_model()


async def test_only_by_its_id(world):
    async with world.session([{"text": "one"}]) as (connection, session):
        await say(connection, session, "unusualword")
        for wrong in ["unusualword", session[:-1], "../../etc/passwd", ""]:
            await refused(connection.load_session(cwd=str(world.ws), session_id=wrong, mcp_servers=[]), -32002)
        # One that is open here is taken up again.
        await connection.load_session(cwd=str(world.ws), session_id=session, mcp_servers=[])
        assert world.editor.said("user_message_chunk") == "unusualword"


if __name__ == "__main__":
    main(globals())
