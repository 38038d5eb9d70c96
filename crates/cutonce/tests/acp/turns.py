"""HO-5: session/prompt is answered at the end of its own turn: also if hooks delay it (HO-7), if another turn is running,
and if it is cancelled before it starts (AG-4)."""
from world import *


class Door:
    """A hook that reports its call, and waits until it may continue."""

    def __init__(self, world, event, first="true"):
        names = {name: str(world.dir / name) for name in ("asked", "go")}
        for name in names.values():
            os.mkfifo(name)
        self.asked, self.go = (os.open(name, os.O_RDWR) for name in names.values())
        command = f"{first}; echo x > '{names['asked']}'; read -r _ < '{names['go']}'"
        world.settings(hooks={event: [{"hooks": [{"type": "command", "command": command}]}]})

    async def is_asked(self):
        asked = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().add_reader(self.asked, lambda: asked.done() or asked.set_result(None))
        try:
            await asyncio.wait_for(asked, WAIT)
        finally:
            asyncio.get_running_loop().remove_reader(self.asked)
        os.read(self.asked, 2)

    def opens(self):
        os.write(self.go, b"x\n")


async def test_a_description_waits_for_the_hooks_of_prompts(world):
    door = Door(world, "UserPromptSubmit")
    async with world.session([{"text": "one"}, {"text": "two"}]) as (connection, session):
        for words, said in [("/plan do it", "one"), ("and more", "onetwo")]:
            prompt = asyncio.create_task(say(connection, session, words))
            await door.is_asked()
            # The session has taken all before this, and the mode does not wait for the hook.
            await connection.set_session_mode(session_id=session, mode_id="plan")
            assert not prompt.done()
            door.opens()
            assert (await asyncio.wait_for(prompt, WAIT)).stop_reason == "end_turn"
            assert world.editor.said().endswith(said), world.editor.said()
    assert len(world.requests) == 2


async def test_what_is_said_while_the_session_starts(world):
    door = Door(world, "SessionStart")
    async with world.session([{"text": "one"}]) as (connection, session):
        await door.is_asked()
        # What begins no turn waits for nothing.
        assert (await asyncio.wait_for(say(connection, session, "/mode acceptEdits"), WAIT)).stop_reason == "end_turn"
        prompt = asyncio.create_task(say(connection, session, "/plan do it"))
        await world.editor.until(lambda: "plan" in world.editor.modes())
        await connection.set_session_mode(session_id=session, mode_id="plan")
        assert not prompt.done()
        door.opens()
        assert (await asyncio.wait_for(prompt, WAIT)).stop_reason == "end_turn"
        assert world.editor.said().endswith("one")


async def test_cancelled_at_the_door(world):
    door = Door(world, "UserPromptSubmit")
    async with world.session([{"text": "still here"}]) as (connection, session):
        for words in ["do it", "/plan do it"]:
            prompt = asyncio.create_task(say(connection, session, words))
            await door.is_asked()
            await connection.cancel(session_id=session)
            assert (await asyncio.wait_for(prompt, WAIT)).stop_reason == "cancelled"
        prompt = asyncio.create_task(say(connection, session, "again"))
        await door.is_asked()
        door.opens()
        assert (await asyncio.wait_for(prompt, WAIT)).stop_reason == "end_turn"
        assert world.editor.said().endswith("still here")
    assert len(world.requests) == 1


async def test_held_back_by_a_hook(world):
    command = "echo not on mondays >&2; exit 2"
    world.settings(hooks={"UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]}]})
    async with world.session([]) as (connection, session):
        for words in ["do it", "/plan do it"]:
            assert (await asyncio.wait_for(say(connection, session, words), WAIT)).stop_reason == "end_turn"
        assert world.editor.said().count("not on mondays") == 2, world.editor.said()
    assert world.requests == []


BEGIN = {"name": "Agent", "input": {"subagent_type": "general-purpose", "description": "d", "prompt": "Find the roses.", "run_in_background": True}}


def beside(*more):
    """A subagent ends after its turn, and its result starts a turn without a prompt, which asks."""
    return [
        {"calls": [BEGIN], "when": "begin it"},
        {"text": "started", "when": "Started in the background"},
        {"calls": [write("b.txt", "b\n")], "when": "Find the roses."},
        {"text": "by the wall", "when": "b.txt"},
        {"calls": [write("a.txt", "a\n")], "when": "by the wall"},
        *more,
    ]


async def begin(world, connection, session, answer):
    """Runs until the turn without a prompt asks; `answer` is the answer to that."""
    first = asyncio.Event()

    async def after_the_prompt(_):
        await first.wait()
        return "reject"

    world.editor.answers = [after_the_prompt, answer]
    await say(connection, session, "begin it")
    first.set()
    await world.editor.until(lambda: len(world.editor.asked) == 2)


async def test_a_prompt_at_the_door_does_not_end_with_the_turn_of_another(world):
    # The first prompt passes.
    door = Door(world, "UserPromptSubmit", first=f"mkdir '{world.dir}/first' 2>/dev/null && exit 0")
    turns = beside({"text": "the other's end. ", "when": "a.txt"}, {"text": "its own", "when": "mind the door"})
    async with world.session(turns, None, "--allowedTools", "Agent") as (connection, session):
        release = asyncio.Event()

        async def late(_):
            await release.wait()
            return "allow"

        await begin(world, connection, session, late)
        prompt = asyncio.create_task(say(connection, session, "mind the door"))
        await door.is_asked()
        release.set()
        await world.editor.until(lambda: "the other's end" in world.editor.said())
        door.opens()
        assert (await asyncio.wait_for(prompt, WAIT)).stop_reason == "end_turn"
        assert world.editor.said().endswith("its own"), world.editor.said()


async def test_ag_4_cancelled_behind_the_turn_of_another(world):
    endless = {"text": "never ending", "delta": 1, "fault": {"idle": 4}, "when": "wait for me"}
    # The interrupt may come before the request reaches the server, so the later turn must not depend on that.
    turns = beside({"text": "still here", "when": "encore"}, endless)
    async with world.session(turns, None, "--allowedTools", "Agent") as (connection, session):

        async def never(_):
            await asyncio.Event().wait()

        await begin(world, connection, session, never)
        prompt = asyncio.create_task(say(connection, session, "wait for me"))
        await asyncio.sleep(0)
        await connection.set_session_mode(session_id=session, mode_id="default")
        await connection.cancel(session_id=session)
        assert (await asyncio.wait_for(prompt, WAIT)).stop_reason == "cancelled"
        assert (await asyncio.wait_for(say(connection, session, "encore"), WAIT)).stop_reason == "end_turn"
        assert world.editor.said().endswith("still here") and world.tree() == {}


if __name__ == "__main__":
    main(globals())
