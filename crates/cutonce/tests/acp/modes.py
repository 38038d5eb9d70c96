"""HO-5: initialize, modes and sessions."""
from world import *


async def test_nothing_before_initialize(world):
    async with world.model([]), world.agent(init=False) as connection:
        await refused(connection.new_session(cwd=str(world.ws), mcp_servers=[]), -32600)


async def test_initialize_says_what_works(world):
    async with world.model([]), world.agent(init=False) as connection:
        answer = await connection.initialize(protocol_version=7)
        assert answer.protocol_version == 1
        can = answer.agent_capabilities
        assert can.load_session and can.prompt_capabilities.image and can.prompt_capabilities.embedded_context
        assert not can.prompt_capabilities.audio
        assert answer.agent_info.name == "cutonce"


async def test_modes_and_who_may_change_them(world):
    turns = [{"calls": [{"name": "EnterPlanMode", "input": {}}]}, {"text": "planning"}]
    async with world.model(turns), world.agent() as connection:
        session = await connection.new_session(cwd=str(world.ws), mcp_servers=[])
        modes = session.modes
        assert modes.current_mode_id == "default"
        assert [mode.id for mode in modes.available_modes] == ["default", "acceptEdits", "plan"]
        for mode in ["acceptEdits", "plan", "default"]:
            await connection.set_session_mode(session_id=session.session_id, mode_id=mode)
            assert world.editor.modes()[-1] == mode
        for mode in ["bypassPermissions", "auto", "yolo", ""]:
            await refused(connection.set_session_mode(session_id=session.session_id, mode_id=mode), -32602)
        # Changed by the session: the client gets the update before the answer.
        await say(connection, session.session_id, "plan it")
        assert world.editor.modes()[-1] == "plan"
        assert world.editor.call("Enter plan mode")["kind"] == "switch_mode"


async def test_bypass_only_where_it_was_made_available(world):
    async with world.model([]), world.agent("--allow-dangerously-skip-permissions") as connection:
        session = await connection.new_session(cwd=str(world.ws), mcp_servers=[])
        assert "bypassPermissions" in [mode.id for mode in session.modes.available_modes]
        assert session.modes.current_mode_id == "default"
        await connection.set_session_mode(session_id=session.session_id, mode_id="bypassPermissions")
        assert world.editor.modes() == ["bypassPermissions"]


async def test_auto_where_the_user_opted_in(world):
    world.settings(auto={"enabled": True})
    async with world.model([]), world.agent() as connection:
        session = await connection.new_session(cwd=str(world.ws), mcp_servers=[])
        assert [mode.id for mode in session.modes.available_modes] == ["default", "acceptEdits", "plan", "auto"]
        await connection.set_session_mode(session_id=session.session_id, mode_id="auto")
        assert world.editor.modes() == ["auto"]


async def test_a_user_at_a_chat_gets_no_entry_to_plan_mode(world):
    # PM-32: the client declares it in `initialize`.
    for declared, offered in [({}, True), ({"cutonce": {"channels": True}}, False)]:
        async with world.model([{"text": "hello"}]), world.agent(init=False) as connection:
            await connection.initialize(protocol_version=1, **declared)
            await say(connection, await world.new(connection), "hi")
        names = [tool["name"] for tool in world.requests[0]["tools"]]
        assert ("EnterPlanMode" in names) == offered, (declared, names)


async def test_sessions_are_independent(world):
    turns = [{"text": "one", "when": "first"}, {"text": "two", "when": "second"}]
    async with world.model(turns), world.agent() as connection:
        first, second = await world.new(connection), await world.new(connection, "plan")
        assert first != second
        answers = await asyncio.gather(say(connection, first, "first"), say(connection, second, "second"))
        assert [answer.stop_reason for answer in answers] == ["end_turn", "end_turn"]
        assert world.editor.said(session=first) == "one" and world.editor.said(session=second) == "two"
        assert not world.editor.of("current_mode_update", first)
        await refused(say(connection, "no-such-session", "hi"), -32002)
        await connection.close_session(session_id=first)
        await refused(say(connection, first, "hi"), -32002)


async def test_a_missing_key_is_named(world):
    async with world.model([]), world.agent(env={}) as connection:
        error = await refused(connection.new_session(cwd=str(world.ws), mcp_servers=[]), -32000)
        assert "ANTHROPIC_API_KEY" in str(error), str(error)
        await refused(connection.authenticate(method_id="api-key"), -32000)
        await refused(connection.authenticate(method_id="magic"), -32602)
    async with world.model([]), world.agent() as connection:
        await connection.authenticate(method_id="api-key")


async def test_odd_folders_are_refused(world):
    async with world.model([]), world.agent() as connection:
        for cwd in ["relative", str(world.ws / "nowhere")]:
            await refused(connection.new_session(cwd=cwd, mcp_servers=[]), -32602)


async def test_mistyped_models_are_refused(world):
    async with world.session([{"text": "one"}, {"text": "two"}]) as (connection, session):
        for name in ["olama/qwen3", "sonettwo three"]:
            assert (await asyncio.wait_for(say(connection, session, f"/model {name}"), WAIT)).stop_reason == "end_turn"
            assert "The model is unchanged." in world.editor.said(), world.editor.said()
        await say(connection, session, "hello")
        await say(connection, session, "/model opus")
        assert "Model: claude-opus" in world.editor.said(), world.editor.said()
        await say(connection, session, "hello")
    assert [request["model"].startswith("claude-opus") for request in world.requests] == [False, True], world.requests


if __name__ == "__main__":
    main(globals())
