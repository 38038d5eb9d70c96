"""HO-2, PM-74, PM-80: the plan exit as a permission request with our choices."""
from world import *

PLAN = "# The plan\n\n1. write late.txt\n"
# Without steps nothing can drift.
STEPLESS = "# The plan\n\nWrite late.txt.\n"
# Submits a plan; then the agent of its rehearsal writes the file.
REHEARSED = [
    {"calls": [write("{plan}", STEPLESS), EXIT]},
    {"calls": [write("late.txt", "late\n")]},
    {"text": "rehearsed"},
]


def flow(*after):
    """Submits the plan and writes a file in one batch (PM-18)."""
    return [{"calls": [write("{plan}", PLAN), EXIT, write("late.txt", "late\n")]}, *after]


def plan_request(world):
    request = world.editor.asked[0]
    assert request["call"]["kind"] == "switch_mode" and request["call"]["title"] == "Exit plan mode?"
    assert request["call"]["rawInput"]["plan"] == PLAN
    assert request["call"]["content"][0]["content"]["text"] == PLAN
    return request


async def test_pm_74_the_choices_and_what_the_request_shows(world):
    async with world.session(flow({"text": "done"}), "bypassPermissions", "--allow-dangerously-skip-permissions") as (connection, session):
        await connection.set_session_mode(session_id=session, mode_id="plan")
        world.editor.answers = ["restore"]
        await say(connection, session, "plan it")
        options = plan_request(world)["options"]
        shown = [(o.option_id, o.kind, o.name.split("→")[1].strip()) for o in options]
        assert shown == [
            ("acceptEdits", "allow_always", "acceptEdits"),
            ("default", "allow_once", "default"),
            ("restore", "allow_once", "bypassPermissions"),
            ("clear", "allow_once", "default"),
            ("keepPlanning", "reject_once", "plan"),
            ("leave", "reject_once", "bypassPermissions"),
            ("rehearse", "reject_once", "plan, your files do not change"),
        ], shown
        state = plan_request(world)["call"]["content"][-1]["content"]["text"]
        assert "0 files changed" in state and "revision 1" in state, state
        assert world.editor.modes() == ["bypassPermissions", "plan", "bypassPermissions"]
        assert world.tree() == {"late.txt": "late\n"}


async def test_pm_74_accept_edits(world):
    async with world.session(flow({"text": "done"}), "plan") as (connection, session):
        world.editor.answers = ["acceptEdits"]
        answer = await say(connection, session, "plan it")
        assert answer.stop_reason == "end_turn" and world.editor.said().endswith("done")
        plan_request(world)
        assert len(world.editor.asked) == 1 and world.editor.modes() == ["plan", "acceptEdits"]
        assert world.editor.call("Exit plan mode?")["statuses"][-1] == "completed"
        assert world.tree() == {"late.txt": "late\n"}
    assert "## Approved Plan:" in world.told_model()


async def test_rh_4_rehearsal_is_offered_shown_and_applied(world):
    turns = [
        {"calls": [write("{plan}", STEPLESS), EXIT]},
        {"calls": [write("late.txt", "late\n"), bash("echo x > /outside.txt; cat late.txt")]},
        {"text": "rehearsed"},
        {"text": "done"},
    ]
    async with world.session(turns, "plan") as (connection, session):
        world.editor.answers = ["rehearse", "apply"]
        answer = await say(connection, session, "plan it")
        assert answer.stop_reason == "end_turn" and world.editor.said().endswith("done")
        first, second = world.editor.asked
        assert "apply" not in [o.option_id for o in first["options"]]
        apply = [o for o in second["options"] if o.option_id == "apply"][0]
        assert apply.name == "Apply exactly r1, 1 file → default" and apply.kind == "allow_once", apply
        shown = [part["content"]["text"] for part in second["call"]["content"]]
        assert shown[0].startswith("Rehearsal r1: passed") and "+late" in shown[1], shown
        assert STEPLESS in shown, shown
        rehearsal = world.editor.call("Rehearsal r1")
        assert rehearsal["statuses"] == ["in_progress", "completed"], rehearsal
        assert world.editor.modes() == ["plan", "default"] and world.tree() == {"late.txt": "late\n"}
    assert "was carried out already" in world.told_model()


async def test_rh_1_unreadable_fields_rehearse_and_apply_nothing(world):
    async with world.session(REHEARSED, "plan") as (connection, session):
        fields = [{"budgetUsd": "0.5"}, {"steps": ["1"]}, {"steps": {"1": "skip"}}, {"budget": 0.5}, "budgetUsd=0.5"]
        starts = [("rehearse", {"cutonce": one}) for one in fields]
        world.editor.answers = [*starts, "rehearse", ("apply", {"cutonce": {"without": "late.txt"}}), "leave"]
        await say(connection, session, "plan it")
        notes = [ask["call"]["content"][0]["content"]["text"] for ask in world.editor.asked]
        refused = "The answer could not be used: `_meta.cutonce`: "
        wanted = ["budgetUsd: invalid type", "steps: invalid type", "steps.1: unknown variant", "unknown field `budget`", "invalid type"]
        for note, why in zip(notes[1:6], wanted):
            assert note.startswith(refused) and why in note, note
        assert notes[6].startswith("Rehearsal r1: passed"), notes[6]
        assert notes[7].startswith(refused + "without: invalid type"), notes[7]
        assert world.editor.call("Rehearsal r1")["statuses"] == ["in_progress", "completed"]
        assert world.tree() == {}


async def test_rh_5_reached_limit_is_named(world):
    used = {"input_tokens": 100_000, "output_tokens": 1_000}
    turns = [REHEARSED[0], {**REHEARSED[1], "usage": used}, REHEARSED[2]]
    async with world.session(turns, "plan") as (connection, session):
        world.editor.answers = [("rehearse", {"cutonce": {"budgetUsd": 0.01}}), "leave"]
        await say(connection, session, "plan it")
        shown = [part["content"]["text"] for part in world.editor.asked[1]["call"]["content"]]
        assert "Failed: stopped: it used up its budget of $0.01 (the budget chosen in the review)" in shown, shown
        assert world.tree() == {}


async def test_rh_5_result_is_kept_by_name(world):
    async with world.session(REHEARSED, "plan") as (connection, session):
        world.editor.answers = ["rehearse", ("keep", {"cutonce": {"name": "../up"}}), ("keep", {"cutonce": {"name": "spring"}}), "leave"]
        await say(connection, session, "plan it")
        _, result, refused, kept = world.editor.asked
        keep = [o for o in result["options"] if o.option_id == "keep"][0]
        assert keep.name.startswith("Keep r1 by name") and keep.kind == "reject_once", keep
        note = refused["call"]["content"][0]["content"]["text"]
        assert note.startswith("r1 was not kept:"), note
        note = kept["call"]["content"][0]["content"]["text"]
        assert note == "r1 is kept as spring; `cutonce rehearsals apply spring` applies it later.", note
        assert "keep" not in [o.option_id for o in kept["options"]]
        assert world.tree() == {}
    assert "spring" in world.run("rehearsals").stdout
    assert world.run("rehearsals", "apply", "spring").returncode == 0
    assert world.tree() == {"late.txt": "late\n"}


async def test_rh_3_changed_file_asks_again(world):
    async with world.session(REHEARSED, "plan") as (connection, session):

        def meddle(_):
            (world.ws / "late.txt").write_text("mine\n")
            return "apply"

        world.editor.answers = ["rehearse", meddle, "leave"]
        await say(connection, session, "plan it")
        note = world.editor.asked[2]["call"]["content"][0]["content"]["text"]
        assert note == "Nothing was applied: these files changed in the workspace meanwhile: late.txt.", note
        assert world.tree() == {"late.txt": "mine\n"}


async def test_pm_74_default_asks_for_each_edit(world):
    async with world.session(flow({"text": "done"}), "plan") as (connection, session):
        world.editor.answers = ["default", "reject"]
        await say(connection, session, "plan it")
        assert world.editor.modes() == ["plan", "default"] and len(world.editor.asked) == 2
        assert world.editor.call("late.txt")["statuses"][-1] == "failed"
        # The mode update came before the next permission request.
        order = world.editor.kinds()
        last_mode = len(order) - 1 - order[::-1].index("current_mode_update")
        asked = [n for n, (_, u) in enumerate(world.editor.updates) if "need your OK in default mode" in json.dumps(u)]
        assert last_mode < asked[0]
        assert world.tree() == {}


async def test_pm_81_clear_continues_in_the_same_prompt(world):
    turns = [
        {"calls": [write("{plan}", PLAN), EXIT]},
        {"calls": [write("late.txt", "late\n")]},
        {"text": "implemented"},
    ]
    async with world.session(turns, "plan") as (connection, session):
        world.editor.answers = ["clear", "allow"]
        answer = await say(connection, session, "plan it")
        assert answer.stop_reason == "end_turn" and world.editor.said().endswith("implemented")
        assert world.editor.modes() == ["plan", "default"] and world.tree() == {"late.txt": "late\n"}
    assert "plan it" not in json.dumps(world.requests[1]) and "write late.txt" in json.dumps(world.requests[1])


async def test_pm_79_keep_planning_with_feedback(world):
    turns = flow({"calls": [write("late.txt", "no\n")]}, {"text": "revised"})
    async with world.session(turns, "plan") as (connection, session):
        comments = [{"line": 3, "text": "why?"}]
        world.editor.answers = [("keepPlanning", {"cutonce": {"feedback": "name the tests", "comments": comments}})]
        answer = await say(connection, session, "plan it")
        assert answer.stop_reason == "end_turn" and world.editor.modes() == ["plan"]
        assert world.editor.call("Exit plan mode?")["statuses"][-1] == "failed"
        assert world.tree() == {}
    told = json.dumps(world.requests[1])
    assert "name the tests" in told and "why?" in told and "1. write late.txt" in told


async def test_pm_77_an_edited_plan_is_what_runs(world):
    async with world.session(flow({"text": "done"}), "plan") as (connection, session):
        world.editor.answers = [("acceptEdits", {"cutonce": {"plan": "# Mine\n", "notes": "mind the gap"}})]
        await say(connection, session, "plan it")
        path = plan_request(world)["call"]["rawInput"]["planFilePath"]
        assert pathlib.Path(path).read_text() == "# Mine\n"
    told = world.told_model()
    assert "edited by user" in told and "# Mine" in told and "mind the gap" in told


async def test_pm_80_edit_without_text_approves_nothing(world):
    async with world.session(flow({"text": "never"}), "plan") as (connection, session):
        world.editor.answers = [("default", {"cutonce": {"plan": 7}})]
        await say(connection, session, "plan it")
        assert world.tree() == {} and world.editor.modes()[-1] == "plan"
        told = json.dumps(world.editor.updates)
        assert "the answer could not be used: plan: invalid type" in told and "Unreadable(" not in told, told[-3000:]


async def test_pm_74_leave_runs_nothing(world):
    async with world.session(flow({"text": "never"}), "plan") as (connection, session):
        world.editor.answers = ["leave"]
        await say(connection, session, "plan it")
        assert world.editor.modes() == ["plan", "default"] and world.tree() == {}
        assert "never" not in world.editor.said()
    assert len(world.requests) == 1


async def test_pm_80_what_is_no_approval(world):
    def long(_):
        return ("acceptEdits", {"cutonce": {"mode": "bypassPermissions"}})

    for answer in [None, "yes", "allow", "restore", "bypassPermissions", RequestError.internal_error(), long]:
        async with world.session(flow({"text": "never"}), "plan") as (connection, session):
            world.editor.answers = [answer]
            done = await say(connection, session, "plan it")
            assert done.stop_reason == "cancelled", (answer, done)
            assert world.editor.modes() == ["plan"], answer
            assert world.editor.call("Exit plan mode?")["statuses"][-1] == "failed"
            assert world.editor.call("late.txt")["statuses"][-1] == "failed"
            assert world.tree() == {} and "never" not in world.editor.said(), answer


async def test_pm_80_a_mode_set_meanwhile_withdraws_the_request(world):
    async with world.session(flow({"text": "went on"}), "plan") as (connection, session):

        async def late(_):
            await connection.set_session_mode(session_id=session, mode_id="default")
            return "acceptEdits"

        world.editor.answers = [late, "reject"]
        await say(connection, session, "plan it")
        assert world.editor.modes() == ["plan", "default"], "the late answer changes nothing"
        assert world.tree() == {}


async def test_pm_84_a_plan_that_changed_meanwhile_is_shown_again(world):
    async with world.session(flow({"text": "done"}), "plan") as (connection, session):

        def changes(request):
            pathlib.Path(request["call"]["rawInput"]["planFilePath"]).write_text("# Another plan\n")
            return "acceptEdits"

        def second(request):
            assert world.editor.modes() == ["plan"], "nothing was approved yet"
            return "acceptEdits"

        world.editor.answers = [changes, second]
        await say(connection, session, "plan it")
        assert [asked["call"]["rawInput"]["plan"] for asked in world.editor.asked] == [PLAN, "# Another plan\n"]
        shown = json.dumps(world.editor.asked[1]["call"]["content"])
        assert "+# Another plan" in shown and "-# The plan" in shown
        assert world.editor.modes() == ["plan", "acceptEdits"]
    assert "# Another plan" in world.told_model()


async def test_pm_73_without_a_plan_only_leaving_is_asked(world):
    async with world.session([{"calls": [EXIT]}, {"text": "ok"}], "plan") as (connection, session):
        world.editor.answers = ["restore"]
        await say(connection, session, "go")
        request = world.editor.asked[0]
        assert [o.option_id for o in request["options"]] == ["restore", "keepPlanning"]
        assert "There is no plan" in request["call"]["content"][0]["content"]["text"]
        assert world.editor.modes() == ["plan", "default"]


async def test_pm_4_entering_asks_where_the_settings_say_so(world):
    world.settings(plan={"entry": "ask"})
    turns = [{"calls": [{"name": "EnterPlanMode", "input": {}}]}, {"text": "a"}] * 2
    async with world.session(turns) as (connection, session):
        world.editor.answers = ["reject", "allow"]
        await say(connection, session, "one")
        assert world.editor.modes() == []
        await say(connection, session, "two")
        assert world.editor.modes() == ["plan"]


async def test_pm_85_a_plan_that_waits_survives_the_editors_death(world):
    async with world.model(flow({"text": "never"})):
        async with world.agent() as connection:
            session = await world.new(connection, "plan")
            asked = asyncio.Event()

            async def dies(_):
                asked.set()
                await asyncio.Event().wait()

            world.editor.answers = [dies]
            prompt = asyncio.create_task(say(connection, session, "plan it"))
            await asyncio.wait_for(asked.wait(), WAIT)
            world.process.kill()
            await asyncio.gather(prompt, return_exceptions=True)
    assert world.tree() == {}
    async with world.model([{"text": "implementing"}]), world.agent() as connection:
        world.editor.answers = ["default"]
        loaded = await connection.load_session(cwd=str(world.ws), session_id=session, mcp_servers=[])
        assert loaded.modes.current_mode_id == "plan"
        await world.editor.until(lambda: "implementing" in world.editor.said())
        plan_request(world)
        assert world.editor.modes() == ["default"]



STEPS = "# The plan\n\n## Steps\n\n1. Write it\n   - files: late.txt (new)\n   - check: `test -f late.txt`\n2. Write more\n   - files: more.txt (new)\n"


async def test_pc_32_pc_38_steps_are_plan_entries_and_the_report_is_metadata(world):
    turns = [
        {"calls": [write("{plan}", STEPS), EXIT]},
        {"calls": [write("late.txt", "late\n")]},
        {"calls": [bash("test -f late.txt")]},
        {"calls": [write("more.txt", "more\n")]},
        {"text": "done"},
    ]
    async with world.session(turns, "plan") as (connection, session):
        world.editor.answers = ["acceptEdits", "allow"]
        answer = await say(connection, session, "plan it")
        contract = plan_call(world)["rawInput"]["contract"]
        assert [step["files"] for step in contract["steps"]] == [
            [{"path": "late.txt", "kind": "new"}], [{"path": "more.txt", "kind": "new"}]]
        shown = [[(e["content"], e["status"]) for e in u["entries"]] for u in world.editor.of("plan")]
        assert shown[0] == [("1. Write it (open)", "pending"), ("2. Write more (open)", "pending")], shown
        assert [("1. Write it (checked)", "completed"), ("2. Write more (open)", "pending")] in shown, shown
        assert shown[-1][1][0] == "2. Write more (changed)", shown
        report = answer.field_meta["cutonce"]["report"]
        assert [step["state"] for step in report["steps"]] == ["checked", "changed"] and report["drift"] is False


def terms(**fields):
    return ("acceptEdits", {"cutonce": fields})


async def test_pc_38_the_answer_sets_steps_and_scope(world):
    turns = [
        {"calls": [write("{plan}", STEPS), EXIT]},
        {"calls": [write("late.txt", "late\n"), write("more.txt", "more\n")]},
        {"text": "done"},
    ]
    async with world.model(turns), world.agent() as connection:
        session = await world.new(connection, "plan")
        world.editor.answers = [terms(steps={"2": "park"}, scope="enforce")]
        answer = await say(connection, session, "plan it")
        report = answer.field_meta["cutonce"]["report"]
        assert [step["state"] for step in report["steps"]] == ["checked", "parked"] and not report["drift"], report
        assert world.tree() == {"late.txt": "late\n"}


async def test_pc_38_bad_answers_approve_nothing(world):
    bad = [{"steps": {"7": "park"}}, {"steps": {"1": "later"}}, {"steps": ["1"]}, {"steps": {"1": "drop", "2": "drop"}},
           {"budgetUsd": "much"}, {"budgetUsd": 0}, {"scope": "wide"}, {"effort": 7}, {"model": 7}]
    turns = [{"calls": [write("{plan}", STEPS), EXIT, write("late.txt", "late\n")]}] * len(bad)
    async with world.model(turns), world.agent() as connection:
        for fields in bad:
            session = await world.new(connection, "plan")
            world.editor.answers = [terms(**fields)]
            await say(connection, session, "plan it")
            assert world.tree() == {}, fields


async def test_pc_12_the_budget_is_asked_about_before_the_answer(world):
    used = {"input_tokens": 100_000, "output_tokens": 1_000}
    turns = [
        {"calls": [write("{plan}", STEPS), EXIT]},
        {"calls": [write("late.txt", "never\n")], "usage": used},
        {"calls": [write("late.txt", "late\n"), write("more.txt", "more\n")]},
        {"text": "done"},
    ]
    async with world.model(turns), world.agent() as connection:
        session = await world.new(connection, "plan")
        choose = lambda request: next(o.option_id for o in request["options"] if o.name == "Continue")
        world.editor.answers = [terms(budgetUsd=0.1), choose]
        answer = await say(connection, session, "plan it")
        assert answer.stop_reason == "end_turn" and len(world.editor.asked) == 2, world.editor.asked
        assert world.tree() == {"late.txt": "late\n", "more.txt": "more\n"}


def plan_call(world):
    return world.editor.asked[0]["call"]


if __name__ == "__main__":
    main(globals())
