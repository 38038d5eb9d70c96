"""HO-5, TM-1, PM-134: a lead in an editor. Calls and plans of teammates come as permission requests that say whose they are, their messages
and states as messages."""
from world import *


def team(**more):
    member = {"name": "ann", "task": "Write hello.txt.", "ownProcess": True, **more}
    return {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [member]}}]}


NOTED = {"when": "Lead this.", "text": "Noted.", "repeat": 9}
DONE = {"calls": [{"name": "SendMessage", "input": {"to": "team-lead", "text": "ANN-DONE"}}]}
LAST = {"when": "ANN-DONE", "text": "Finished.", "repeat": 3}


async def test_tm_1_calls_messages_and_states_of_a_teammate(world):
    hello, no = str(world.ws / "hello.txt"), bash("touch no.txt")
    works = {"when": "You are `ann`", "calls": [write(hello, "Hello!\n"), no]}
    turns = [{"when": "rather not", **DONE}, LAST, works, team(), NOTED]
    async with world.session(turns) as (connection, session):
        world.editor.answers = ["allow", ("reject", {"cutonce": {"feedback": "rather not"}})]
        await say(connection, session, "Lead this.")
        await world.editor.until(lambda: "Finished." in world.editor.said())
        first, second = world.editor.asked
        for asked in (first, second):
            assert "Requested by the teammate ann." in json.dumps(asked["call"]["content"]), asked
        assert "touch no.txt" in json.dumps(second["call"]["content"])
        said = world.editor.said()
        assert "ann → team-lead: ANN-DONE" in said and "Team red: ann (" in said, said
        assert world.tree() == {"hello.txt": "Hello!\n"}, world.tree()


async def test_pm_134_editor_approves_a_teammates_plan(world):
    hello = str(world.ws / "hello.txt")
    plans = {"when": "You are `ann`", "calls": [write("{plan}", "# Greeting\n1. Write hello.txt\n"), EXIT]}
    works = {"when": "You are `ann`", "calls": [write(hello, "Hello!\n"), *DONE["calls"]]}
    turns = [plans, works, {"when": "You are `ann`", "text": "Said.", "repeat": 3}, LAST, team(planModeRequired=True), NOTED]
    async with world.session(turns, None, "--permission-mode", "acceptEdits") as (connection, session):
        world.editor.answers = ["acceptEdits"]
        await say(connection, session, "Lead this.")
        await world.editor.until(lambda: "Finished." in world.editor.said())
        [asked] = world.editor.asked
        shown = json.dumps(asked["call"])
        assert "# Greeting" in shown and "ann" in shown, shown
        assert world.tree() == {"hello.txt": "Hello!\n"}, world.tree()
        assert set(world.editor.modes()) <= {"acceptEdits"}, "the lead's own mode is its own"


if __name__ == "__main__":
    main(globals())
