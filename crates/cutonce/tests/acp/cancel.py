"""AG-4, HO-5: cancel ends a stream, a tool, an open permission; the session stays usable."""
from world import *


async def cancelled(world, connection, session, ready):
    prompt = asyncio.create_task(say(connection, session, "go"))
    await world.editor.until(ready)
    await connection.cancel(session_id=session)
    answer = await asyncio.wait_for(prompt, WAIT)
    assert answer.stop_reason == "cancelled", answer


async def test_a_stream(world):
    turns = [{"text": "never ending", "delta": 1, "fault": {"idle": 4}}, {"text": "still here"}]
    async with world.session(turns) as (connection, session):
        await cancelled(world, connection, session, lambda: world.editor.said())
        assert (await say(connection, session, "again")).stop_reason == "end_turn"
        assert world.editor.said().endswith("still here")


async def test_a_tool(world):
    turns = [{"calls": [bash("echo st''arted; sleep 600; touch late.txt")]}, {"text": "still here"}]
    async with world.session(turns, None, "--dangerously-skip-permissions") as (connection, session):
        started = lambda: "started" in json.dumps(world.editor.of("tool_call_update"))  # noqa: E731
        await cancelled(world, connection, session, started)
        assert world.editor.call("arted; sleep")["statuses"][-1] == "failed" and world.tree() == {}
        await say(connection, session, "again")
        assert world.editor.said().endswith("still here")


async def test_an_open_permission_and_prompts_that_wait(world):
    turns = [{"calls": [write("a.txt", "a\n")]}, {"text": "still here"}]
    async with world.session(turns) as (connection, session):
        release = asyncio.Event()

        async def late(_):
            await release.wait()
            return "allow"

        world.editor.answers = [late]
        first = asyncio.create_task(say(connection, session, "go"))
        await world.editor.until(lambda: world.editor.asked)
        second = asyncio.create_task(say(connection, session, "and this"))
        await connection.set_session_mode(session_id=session, mode_id="default")
        await connection.cancel(session_id=session)
        answers = await asyncio.wait_for(asyncio.gather(first, second), WAIT)
        assert [answer.stop_reason for answer in answers] == ["cancelled", "cancelled"]
        # A yes that comes after the cancel is none.
        release.set()
        await say(connection, session, "again")
        assert world.tree() == {} and world.editor.said().endswith("still here")


async def test_a_permission_answered_with_cancelled(world):
    turns = [{"calls": [write("a.txt", "a\n")]}, {"text": "never"}]
    async with world.session(turns) as (connection, session):
        world.editor.answers = [None]
        assert (await say(connection, session, "go")).stop_reason == "cancelled"
        assert world.tree() == {} and world.editor.call("a.txt")["statuses"][-1] == "failed"


async def test_a_compaction(world):
    # The cancel may come before the request for a summary has left.
    summary = {"text": "never ending", "delta": 1, "fault": {"idle": 4}, "when": "replaced by your summary"}
    turns = [{"text": "hello", "when": "hi"}, summary, {"text": "still here", "when": "again"}]
    async with world.session(turns) as (connection, session):
        await say(connection, session, "hi")
        prompt = asyncio.create_task(say(connection, session, "/compact"))
        # Answered only after the session came to it.
        await connection.set_session_mode(session_id=session, mode_id="acceptEdits")
        await connection.cancel(session_id=session)
        assert (await asyncio.wait_for(prompt, WAIT)).stop_reason == "cancelled"
        await say(connection, session, "again")
        assert world.editor.said().endswith("still here")


async def test_closing_a_session_in_the_middle_of_a_turn(world):
    turns = [{"calls": [write("a.txt", "no\n")]}]
    async with world.session(turns) as (connection, session):

        async def never(_):
            await asyncio.Event().wait()

        world.editor.answers = [never]
        prompts = [asyncio.create_task(say(connection, session, "go")) for _ in range(2)]
        await world.editor.until(lambda: world.editor.asked)
        await connection.close_session(session_id=session)
        answers = await asyncio.wait_for(asyncio.gather(*prompts), WAIT)
        assert [answer.stop_reason for answer in answers] == ["cancelled", "cancelled"]
        assert world.tree() == {}


async def test_prompts_of_one_session_wait_for_each_other(world):
    turns = [{"text": "one", "when": "first"}, {"text": "two", "when": "second"}]
    async with world.session(turns) as (connection, session):
        await asyncio.gather(say(connection, session, "first"), say(connection, session, "second"))
        assert world.editor.said() == "onetwo"
    assert len(world.requests) == 2


if __name__ == "__main__":
    main(globals())
