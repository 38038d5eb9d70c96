"""HO-5, UI-9, HO-8, HO-6, SA-1: what is the user's own in an editor: commands, skills, prompts of servers, agents; plans longer than a line."""
from world import *

from acp.schema import McpServerStdio

SERVER = str(pathlib.Path(__file__).parent / "prompts.py")


def own(world):
    for name, text in {
        "commands/greet.md": "---\ndescription: Greets\n---\nSay hello to $ARGUMENTS.",
        "commands/plan.md": "Never: the name is taken.",
        "skills/sewing/SKILL.md": "---\nname: sewing\ndescription: Sews.\n---\nThread first.",
    }.items():
        path = world.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


async def test_own_commands_and_skills_are_listed_and_called(world):
    own(world)
    async with world.session([{"text": "one"}, {"text": "two"}]) as (connection, session):
        await world.editor.until(lambda: world.editor.of("available_commands_update"))
        listed = world.editor.of("available_commands_update")[0]["availableCommands"]
        assert [c["description"] for c in listed if c["name"] == "greet"] == ["Greets"], listed
        assert [c["name"] for c in listed].count("plan") == 1 and any(c["name"] == "sewing" for c in listed)
        await say(connection, session, "/greet the moon")
        await say(connection, session, "/sewing a coat")
    assert "Say hello to the moon." in json.dumps(world.requests[0]["messages"])
    assert "Use the skill `sewing`. a coat" in json.dumps(world.requests[1]["messages"])


async def test_prompts_of_servers_join_the_commands(world):
    given = [McpServerStdio(name="letters", command=sys.executable, args=[SERVER], env=[])]
    async with world.model([{"text": "dear"}]), world.agent() as connection:
        session = (await connection.new_session(cwd=str(world.ws), mcp_servers=given)).session_id
        names = lambda: [c["name"] for u in world.editor.of("available_commands_update") for c in u["availableCommands"]]  # noqa: E731
        await world.editor.until(lambda: "mcp__letters__write" in names())
        assert "plan" in names()
        await say(connection, session, "/mcp__letters__write Ann")
    assert "Write a letter to Ann" in json.dumps(world.requests[0]["messages"])


async def test_an_agent_in_the_background_is_told_when_it_ends(world):
    begin = {"name": "Agent", "input": {"subagent_type": "Explore", "description": "find roses", "prompt": "Find the roses.", "run_in_background": True}}
    turns = [
        {"calls": [begin]},
        {"text": "started", "when": "Started in the background"},
        {"text": "by the wall", "when": "Find the roses."},
        {"text": "done", "when": "by the wall"},
    ]
    async with world.session(turns, None, "--allowedTools", "Agent") as (connection, session):
        await say(connection, session, "go")
        await world.editor.until(lambda: "The agent Explore (find roses) has ended" in world.editor.said())
        await world.editor.until(lambda: world.editor.said().endswith("done"))


async def test_pm_74_thousand_lines_with_a_stock_client(world):
    # The client as it is takes no longer line than 64 KB.
    plan = "# The plan\n\n" + "".join(f"{n}. change the file number {n} as it was said in the talk\n" for n in range(1000))
    assert len(plan) > 60_000 - 8_000
    turns = [{"calls": [write("{plan}", plan), EXIT]}, {"text": "done"}]
    async with world.session(turns, "plan", limit=None) as (connection, session):
        world.editor.answers = ["default"]
        assert (await say(connection, session, "plan it")).stop_reason == "end_turn"
        [asked] = world.editor.asked
        shown = asked["call"]["content"][0]["content"]["text"]
        assert shown.startswith("# The plan") and "more bytes of the plan are in /" in shown and "plan" not in asked["call"]["rawInput"]
        assert world.editor.modes()[-1] == "default"


async def test_ag_4_cancel_ends_a_prompt_hook(world):
    started = world.dir / "started"
    world.settings(hooks={"UserPromptSubmit": [{"hooks": [{"type": "command", "command": f"touch {started}; exec sleep 300"}]}]})
    async with world.session([{"text": "never"}]) as (connection, session):
        prompt = asyncio.create_task(say(connection, session, "go"))
        while not started.exists():
            await asyncio.sleep(0.01)
        await connection.cancel(session_id=session)
        assert (await asyncio.wait_for(prompt, WAIT)).stop_reason == "cancelled"
    assert world.requests == []


if __name__ == "__main__":
    main(globals())
