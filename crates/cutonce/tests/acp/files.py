"""HO-5: files through the editor, where it offers them."""
from world import *


def read(path):
    return {"name": "Read", "input": {"file_path": path}}


def edit(path, old, new):
    return {"name": "Edit", "input": {"file_path": path, "old_string": old, "new_string": new}}


async def test_unsaved_text_is_seen_and_writes_land_through_the_client(world):
    path = str(world.ws / "a.txt")
    (world.ws / "a.txt").write_text("on disk\n")
    turns = [{"calls": [read("a.txt")]}, {"calls": [edit("a.txt", "in the buffer", "changed")]}, {"text": "done"}]
    async with world.model(turns), world.agent(fs=True) as connection:
        world.editor.buffers[path] = "in the buffer\nunsaved\n"
        session = await world.new(connection)
        world.editor.answers = ["allow"]
        await say(connection, session, "edit")
        assert world.editor.writes == [path]
        assert (world.ws / "a.txt").read_text() == "changed\nunsaved\n"
        diff = world.editor.call("Edit a.txt")["content"][0]
        assert diff["oldText"] == "in the buffer\nunsaved\n" and diff["newText"] == "changed\nunsaved\n"
        # What was asked showed the same, although the disk held something else.
        assert world.editor.asked[0]["call"]["content"][0] == diff
    assert "in the buffer" in json.dumps(world.requests[1])
    # The text that was replaced is kept for rewind, unsaved as it was (SE-5).
    kept = [p.read_bytes() for p in world.home.rglob("*") if p.is_file()]
    assert any(b"in the buffer\nunsaved\n" in text for text in kept)


async def test_a_buffer_that_changed_is_stale(world):
    path = str(world.ws / "a.txt")
    (world.ws / "a.txt").write_text("on disk\n")
    turns = [{"calls": [read("a.txt")]}, {"calls": [edit("a.txt", "one", "two")]}, {"text": "done"}]
    async with world.model(turns), world.agent(fs=True) as connection:
        world.editor.buffers[path] = "one\n"
        session = await world.new(connection)

        def typed_meanwhile(_):
            world.editor.buffers[path] = "one and more\n"
            return "allow"

        world.editor.answers = [typed_meanwhile]
        await say(connection, session, "edit")
        assert world.editor.writes == [] and world.editor.buffers[path] == "one and more\n"
        assert world.editor.call("Edit a.txt")["statuses"][-1] == "failed"
    assert "changed in the user's editor" in world.told_model()


async def test_an_editor_that_fails_leaves_the_disk(world):
    (world.ws / "a.txt").write_text("on disk\n")
    turns = [{"calls": [read("a.txt")]}, {"calls": [edit("a.txt", "on disk", "changed")]}, {"text": "done"}]
    async with world.model(turns), world.agent(fs=True) as connection:
        world.editor.fs_fails = True
        session = await world.new(connection, "acceptEdits")
        await say(connection, session, "edit")
        assert world.editor.reads and world.editor.writes
        assert world.tree() == {"a.txt": "changed\n"}


async def test_pm_60_plan_mode_writes_nothing_through_the_editor(world):
    (world.ws / "a.txt").write_text("on disk\n")
    turns = [
        {"calls": [read("a.txt")]},
        {"calls": [edit("a.txt", "on disk", "no"), write("b.txt", "no\n"), write("{plan}", "# P\n")]},
        {"text": "done"},
    ]
    async with world.session(turns, "plan", fs=True) as (connection, session):
        world.editor.answers = ["allow"] * 5
        await say(connection, session, "edit")
        assert world.editor.writes == [] and world.editor.asked == [] and world.tree() == {"a.txt": "on disk\n"}
        plans = list((world.home / "plans").glob("*.md"))
        assert [plan.read_text() for plan in plans] == ["# P\n"]


async def test_pm_44_plan_file_bypasses_the_editor(world):
    world.settings(plansDirectory="plans")
    plans = lambda: list((world.ws / "plans").glob("*.md"))  # noqa: E731
    turns = [
        {"calls": [write("{plan}", "# P\n\n1. one\n")]},
        {"calls": [read("{plan}"), read("a.txt")]},
        {"calls": [edit("{plan}", "one", "two")]},
        {"calls": [EXIT]},
        {"text": "done"},
    ]
    (world.ws / "a.txt").write_text("on disk\n")
    async with world.session(turns, "plan", fs=True) as (connection, session):
        # The user has the plan open, with words that are not saved.
        world.editor.buffers[str(world.ws / "a.txt")] = "UNSAVED\n"
        held = world.editor.read_text_file

        async def unsaved(path, **more):
            if "plans" in path:
                world.editor.buffers[path] = "# P\n\n1. one\n2. UNSAVED\n"
            return await held(path=path, **more)

        world.editor.read_text_file = unsaved
        world.editor.answers = ["default"]
        await say(connection, session, "plan it")
        assert world.editor.reads == [str(world.ws / "a.txt")] and world.editor.writes == []
        assert [plan.read_text() for plan in plans()] == ["# P\n\n1. two\n"]
        assert "1. two" in json.dumps(world.editor.asked[0]["call"]) and world.editor.modes()[-1] == "default"
    assert "UNSAVED" in json.dumps(world.requests[2]) and "2. UNSAVED" not in world.told_model()


async def test_only_what_was_allowed_is_asked_of_the_editor(world):
    outside = world.dir / "outside.txt"
    outside.write_text("secret\n")
    turns = [{"calls": [read(str(outside)), write("new.txt", "new\n"), write("deep/er.txt", "deep\n")]}, {"text": "done"}]
    async with world.session(turns, "acceptEdits", fs=True) as (connection, session):
        world.editor.answers = ["reject"]
        await say(connection, session, "go")
        assert world.editor.reads == [] and world.editor.writes == [str(world.ws / "new.txt")]
        assert world.tree() == {"new.txt": "new\n", "deep/er.txt": "deep\n"}


async def test_never_asked_where_it_does_not_offer_it(world):
    (world.ws / "a.txt").write_text("on disk\n")
    turns = [{"calls": [read("a.txt")]}, {"calls": [write("a.txt", "changed\n")]}, {"text": "done"}]
    async with world.session(turns, "acceptEdits", fs=False) as (connection, session):
        await say(connection, session, "edit")
        assert world.editor.reads == [] and world.editor.writes == [] and world.tree() == {"a.txt": "changed\n"}


if __name__ == "__main__":
    main(globals())
