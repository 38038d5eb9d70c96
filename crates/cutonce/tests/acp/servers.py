"""HO-5, HO-6, PM-65: MCP servers that the editor names."""
from world import *

from acp.schema import EnvVariable, McpServerStdio

SERVER = str(pathlib.Path(__file__).parent.parent / "mcp" / "server.py")


def server(world, name, kind="plain"):
    env = [EnvVariable(name="GIVEN", value="by the editor")]
    return McpServerStdio(name=name, command=sys.executable, args=[SERVER, kind, str(world.dir / "log")], env=env)


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


async def test_a_servers_question_is_asked_with_its_choices(world):
    book = {"calls": [{"name": "mcp__hotel__book", "input": {}}]}
    async with world.model([book, {"text": "booked"}, book, {"text": "not booked"}]), world.agent() as connection:
        given = [server(world, "hotel", "asks")]
        session = (await connection.new_session(cwd=str(world.ws), mcp_servers=given)).session_id
        world.editor.answers = ["allow", "option-1", "option-0"]
        await say(connection, session, "book")
        assert "Which room?" in json.dumps(world.editor.asked[1]["call"])
        assert [o.name for o in world.editor.asked[1]["options"]] == ["North", "South", "Skip the questions"]
        world.editor.answers = ["allow", "skip"]
        await say(connection, session, "again")
    told = json.dumps(world.requests)
    assert r'\\"room\\": \\"s\\", \\"late\\": true' in told or "accept" in told, told
    assert "decline" in told


async def test_an_editor_with_forms_shows_the_servers_form(world):
    book = {"calls": [{"name": "mcp__hotel__book", "input": {}}]}
    async with world.model([book, {"text": "booked"}, book, {"text": "not booked"}]), world.agent(forms=True) as connection:
        given = [server(world, "hotel", "asks")]
        session = (await connection.new_session(cwd=str(world.ws), mcp_servers=given)).session_id
        world.editor.answers = ["allow", {"answer1": "South", "answer2": "No"}]
        await say(connection, session, "book")
        form = world.editor.asked[1]
        assert "The MCP server hotel asks: Which room?" in form["message"], form
        titles = [one["title"] for one in form["schema"]["properties"]["answer1"]["oneOf"]]
        assert titles == ["North", "South"], form
        world.editor.answers = ["allow", None]
        await say(connection, session, "again")
    told = json.dumps(world.requests)
    assert "accept" in told and "decline" in told, told


if __name__ == "__main__":
    main(globals())
