"""HO-3, PM-2, PM-61: an editor that allows everything, talks garbage, or dies."""
from world import *


class Raw:
    """Lines on real pipes, without a client library between."""

    def __init__(self, process):
        self.process = process

    async def send(self, line):
        self.process.stdin.write((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")
        await self.process.stdin.drain()

    async def answer(self, id):
        while True:
            line = await asyncio.wait_for(self.process.stdout.readline(), WAIT)
            assert line, "the agent went away"
            message = json.loads(line)
            if message.get("id", "none") == id and "method" not in message:
                return message

    async def asked(self, method):
        while True:
            message = json.loads(await asyncio.wait_for(self.process.stdout.readline(), WAIT))
            if message.get("method") == method and "id" in message:
                return message


@contextlib.asynccontextmanager
async def raw(world, *args):
    env = world.env(ANTHROPIC_BASE_URL=f"http://{world.server}", ANTHROPIC_API_KEY="sk-ant-acp-test-0001")
    process = await asyncio.create_subprocess_exec(
        BINARY, "acp", *args, env=env, cwd=world.ws, limit=64 << 20,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield Raw(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def opened(world, agent, mode=None, fs=False):
    """A session over raw lines; ids of ours are strings here."""
    files = {"fs": {"readTextFile": True, "writeTextFile": True}} if fs else {}
    init = {"protocolVersion": 1, "clientCapabilities": files}
    await agent.send({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": init})
    assert (await agent.answer("init"))["result"]["protocolVersion"] == 1
    new = {"cwd": str(world.ws), "mcpServers": []}
    await agent.send({"jsonrpc": "2.0", "id": 0, "method": "session/new", "params": new})
    session = (await agent.answer(0))["result"]["sessionId"]
    if mode:
        params = {"sessionId": session, "modeId": mode}
        await agent.send({"jsonrpc": "2.0", "id": 1, "method": "session/set_mode", "params": params})
        assert "result" in await agent.answer(1)
    return session


def prompt(session, id=2):
    params = {"sessionId": session, "prompt": [{"type": "text", "text": "go"}]}
    return {"jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": params}


async def test_pm_61_allow_never_lifts_plan_mode(world):
    (world.ws / "a.txt").write_text("old\n")
    (world.ws / ".cutonce").mkdir()
    rules = {"permissions": {"allow": ["Edit", "Write", "Bash"]}}
    world.settings(**rules)
    calls = [
        write("b.txt", "no\n"),
        bash("echo no > c.txt; rm a.txt"),
        bash("python3 -c 'open(\"d.txt\", \"w\").write(\"no\")'"),
        {"name": "TodoWrite", "input": {"todos": []}},
        {"name": "NotebookEdit", "input": {"notebook_path": "n.ipynb", "new_source": "x", "edit_mode": "insert"}},
    ]
    turns = [{"calls": calls}, {"text": "tried"}]
    async with world.session(turns, "plan", "--allowedTools", "Write,Edit,Bash") as (connection, session):
        world.editor.answers = ["allow", "allow_always"] * 10
        await say(connection, session, "go")
        assert world.editor.said().endswith("tried") and world.editor.modes() == ["plan"]
        for kind in ["b.txt", "echo no", "NotebookEdit", "todo list"]:
            assert world.editor.call(kind)["statuses"][-1] == "failed", kind
    assert world.tree() == {"a.txt": "old\n"}
    assert "is not allowed in plan mode" in world.told_model()


async def test_ho_3_garbage_gets_errors_and_stops_nothing(world):
    async with world.model([{"text": "hello"}]), raw(world) as agent:
        await agent.send(b"this is no json")
        assert (await agent.answer(None))["error"]["code"] == -32700
        await agent.send(b"\xff\xfe\x00")
        assert (await agent.answer(None))["error"]["code"] == -32700
        await agent.send(b"[1,2,3]")
        assert (await agent.answer(None))["error"]["code"] == -32600
        session = await opened(world, agent)
        await agent.send({"jsonrpc": "2.0", "id": 7, "method": "session/dance", "params": {}})
        assert (await agent.answer(7))["error"]["code"] == -32601
        await agent.send({"jsonrpc": "2.0", "id": 8, "method": "session/prompt", "params": {"sessionId": 5}})
        assert (await agent.answer(8))["error"]["code"] == -32602
        await agent.send({"jsonrpc": "2.0", "method": "news/of_today", "params": {"a": 1}})
        await agent.send({"jsonrpc": "2.0", "id": 999, "result": {"outcome": {"outcome": "selected", "optionId": "allow"}}})
        await agent.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "unknown"}})
        await agent.send(prompt(session))
        assert (await agent.answer(2))["result"]["stopReason"] == "end_turn"
        agent.process.stdin.close()
        assert await asyncio.wait_for(agent.process.wait(), WAIT) == 0


async def test_pm_80_answers_that_are_none(world):
    answers = [
        {"result": {}},
        {"result": {"outcome": "selected"}},
        {"result": {"outcome": {"outcome": "selected"}}},
        {"result": {"outcome": {"outcome": "selected", "optionId": ["default"]}}},
        {"result": {"outcome": {"outcome": "approved", "optionId": "default"}}},
        {"result": None},
        {"error": {"code": 1, "message": "default"}},
    ]
    for answer in answers:
        plan = [{"calls": [write("{plan}", "# P\n"), EXIT, write("late.txt", "no\n")]}, {"text": "never"}]
        async with world.model(plan), raw(world) as agent:
            session = await opened(world, agent, "plan")
            await agent.send(prompt(session))
            asked = await agent.asked("session/request_permission")
            await agent.send({"jsonrpc": "2.0", "id": asked["id"], **answer})
            done = await agent.answer(2)
            assert done["result"]["stopReason"] == "cancelled", (answer, done)
            assert world.tree() == {}, answer


READ = {"name": "Read", "input": {"file_path": "a.txt"}}


async def test_ag_4_cancel_ends_a_hanging_file_read(world):
    (world.ws / "a.txt").write_text("on disk\n")
    async with world.model([{"calls": [READ]}, {"text": "still here"}]), raw(world) as agent:
        session = await opened(world, agent, fs=True)
        await agent.send(prompt(session))
        await agent.asked("fs/read_text_file")
        await agent.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
        assert (await agent.answer(2))["result"]["stopReason"] == "cancelled"
        await agent.send(prompt(session, 3))
        assert (await agent.answer(3))["result"]["stopReason"] == "end_turn"


async def test_ho_5_nonsense_from_the_editors_files_leaves_the_disk(world):
    (world.ws / "a.txt").write_text("on disk\n")
    edit = {"name": "Edit", "input": {"file_path": "a.txt", "old_string": "on disk", "new_string": "changed"}}
    turns = [{"calls": [READ]}, {"calls": [edit]}, {"text": "done"}]
    async with world.model(turns), raw(world) as agent:
        session = await opened(world, agent, "acceptEdits", fs=True)
        await agent.send(prompt(session))
        for method, answer in [
            ("fs/read_text_file", {"result": {"content": 5}}),
            ("fs/read_text_file", {"result": None}),
            ("fs/write_text_file", {"error": {"code": -32603, "message": "no"}}),
        ]:
            asked = await agent.asked(method)
            await agent.send({"jsonrpc": "2.0", "id": asked["id"], **answer})
        assert (await agent.answer(2))["result"]["stopReason"] == "end_turn"
    assert world.tree() == {"a.txt": "changed\n"}


async def test_se_1_a_session_has_one_writer(world):
    async with world.model([{"text": "hello"}]), raw(world) as agent:
        session = await opened(world, agent)
        await agent.send(prompt(session))
        await agent.answer(2)
        async with world.agent() as connection:
            error = await refused(connection.load_session(cwd=str(world.ws), session_id=session, mcp_servers=[]))
            assert "in use by another process" in str(error), str(error)


async def test_ho_3_an_editor_that_dies_while_asked(world):
    turns = [{"calls": [write("a.txt", "no\n")]}, {"text": "never"}]
    async with world.model(turns), raw(world) as agent:
        session = await opened(world, agent)
        await agent.send(prompt(session))
        await agent.asked("session/request_permission")
        agent.process.stdin.close()
        assert await asyncio.wait_for(agent.process.wait(), WAIT) == 1
        told = (await agent.process.stderr.read()).decode()
        assert "during a turn" in told, told
    assert world.tree() == {}
    # Everything is on disk: the session opens again.
    async with world.model([{"text": "back"}]), world.agent() as connection:
        await connection.load_session(cwd=str(world.ws), session_id=session, mcp_servers=[])
        assert world.editor.call("a.txt")["statuses"][-1] == "failed"
        await say(connection, session, "again")
        assert world.editor.said().endswith("back")


async def test_ho_3_an_editor_that_dies_while_a_command_runs(world):
    # What it prints is not in the command itself, which is shown before it runs.
    turns = [{"calls": [bash("echo $$ > pid; echo st''arted; sleep 600")]}]
    async with world.model(turns), raw(world, "--dangerously-skip-permissions") as agent:
        session = await opened(world, agent)
        await agent.send(prompt(session))
        while b"started" not in await asyncio.wait_for(agent.process.stdout.readline(), WAIT):
            pass
        agent.process.stdin.close()
        assert await asyncio.wait_for(agent.process.wait(), WAIT) == 1
    pid = int((world.ws / "pid").read_text())
    assert not pathlib.Path(f"/proc/{pid}").exists(), "the command outlived the agent"


async def test_ho_3_a_signal_ends_it_in_order(world):
    turns = [{"text": "never ending", "delta": 1, "fault": {"idle": 4}}]
    async with world.model(turns), raw(world) as agent:
        session = await opened(world, agent)
        await agent.send(prompt(session))
        while b"agent_message_chunk" not in await asyncio.wait_for(agent.process.stdout.readline(), WAIT):
            pass
        agent.process.terminate()
        assert await asyncio.wait_for(agent.process.wait(), WAIT) == 143


if __name__ == "__main__":
    main(globals())
