"""HO-5, HO-6, PM-65: MCP servers that the editor names."""
from world import *

from acp.schema import EnvVariable, McpServerStdio

SERVER = str(pathlib.Path(__file__).parent.parent / "mcp" / "server.py")


def server(world, name):
    env = [EnvVariable(name="GIVEN", value="by the editor")]
    return McpServerStdio(name=name, command=sys.executable, args=[SERVER, "plain", str(world.dir / "log")], env=env)


async def test_tools_of_the_editors_servers_run_and_plan_mode_holds(world):
    target = str(world.ws / "made.txt")
    call = lambda tool, **given: {"name": f"mcp__files__{tool}", "input": given}  # noqa: E731
    turns = [
        {"calls": [call("look"), call("write", path=target)]},
        {"text": "planned"},
        {"calls": [call("write", path=target)]},
        {"text": "done"},
    ]
    async with world.model(turns), world.agent() as connection:
        given = [server(world, "files")]
        session = (await connection.new_session(cwd=str(world.ws), mcp_servers=given)).session_id
        await connection.set_session_mode(session_id=session, mode_id="plan")
        world.editor.answers = ["allow"] * 3
        await say(connection, session, "plan")
        assert world.editor.call("mcp__files__look")["statuses"][-1] == "completed"
        assert world.editor.call("mcp__files__write")["statuses"][-1] == "failed"
        assert world.tree() == {} and len(world.editor.asked) == 1  # as in default mode (PM-65)
        await connection.set_session_mode(session_id=session, mode_id="default")
        await say(connection, session, "do it")
        assert len(world.editor.asked) == 2 and world.tree() == {"made.txt": "written by a server\n"}
    assert "mcp__files__look" in json.dumps(world.requests[0]["tools"])


if __name__ == "__main__":
    main(globals())
