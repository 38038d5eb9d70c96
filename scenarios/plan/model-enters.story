The model enters plan mode by itself with EnterPlanMode: by default unasked, because it only gives rights away (PM-4, PM-27, PM-33). The calls after it in the same batch are decided under plan mode (PM-16, PM-18), the reminder goes with the next request (PM-91), entering twice changes nothing (PM-13), and a field in its input is an error that names it (PM-30).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "permissions": {"defaultMode": "acceptEdits"}}
--- model
{"turns": [
  {"calls": [{"name": "EnterPlanMode", "input": {"why": "big"}},
             {"name": "Write", "input": {"file_path": "before.txt", "content": "before\n"}},
             {"name": "EnterPlanMode", "input": {}},
             {"name": "Write", "input": {"file_path": "after.txt", "content": "after\n"}},
             {"name": "EnterPlanMode", "input": {}}]},
  {"text": "planning"}
]}
--- run cutonce --plain "a big task"
--- talk
< planning
< >
> /plan off
< the mode is now acceptEdits
> /exit
--- exit 0
--- stdout
planning

> 
>

--- stderr
✗ Enter plan mode: unknown field `why`; expected no fields: call it with {}
● Write before.txt
mode: plan
✗ Write Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
mode: acceptEdits
Left plan mode; the mode is now acceptEdits.

--- seen
request 1
  user: a big task
request 2
  assistant: call EnterPlanMode {"why":"big"}
  assistant: call Write {"file_path":"before.txt","content":"before\n"}
  assistant: call EnterPlanMode {}
  assistant: call Write {"file_path":"after.txt","content":"after\n"}
  assistant: call EnterPlanMode {}
  user: error: EnterPlanMode: unknown field `why`; expected no fields: call it with {}
  user: result: Created before.txt (1 line).
  user: result: Plan mode is on. Explore the code and design the approach; edit nothing yet. Finish with ExitPlanMode, which asks the user to approve the plan. Detailed instructions follow.
  user: error: Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
  user: result: Plan mode is already on; this call had no effect. Continue planning, and finish with ExitPlanMode.
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        There is no plan yet. Create it at $HOME/.cutonce/plans/<slug>.md with the Write tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow
        1. Understand. Learn what is wanted and how the code does it today. Use only Explore agents here, as few as serve, at most 3 in parallel: one where the task is small or its place is known, more only for separate areas, each with a question of its own. Look for code that can be reused.
        2. Design. Have one Plan agent work out the approach. Tell it all you found: files, code paths, requirements, limits. Skip this for trivial work.
        3. Review. Read the key files yourself. Check the design against the request. Ask the user with AskUserQuestion about what is still open.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines

--- disk
created before.txt
  before

--- transcript
session {}
mode {"from":"default","to":"acceptEdits","by":"start"}
user {"text":"a big task"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"EnterPlanMode","input":{"why":"big"}},{"type":"tool_use","id":"toolu_0001_01","name":"Write","input":{"file_path":"before.txt","content":"before\n"}},{"type":"tool_use","id":"toolu_0001_02","name":"EnterPlanMode","input":{}},{"type":"tool_use","id":"toolu_0001_03","name":"Write","input":{"file_path":"after.txt","content":"after\n"}},{"type":"tool_use","id":"toolu_0001_04","name":"EnterPlanMode","input":{}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"EnterPlanMode","input":{"why":"big"},"output":[{"type":"text","text":"EnterPlanMode: unknown field `why`; expected no fields: call it with {}"}],"isError":true,"decision":{"behavior":"allow","reason":"not decided: the call could not be made"}}
file_snapshot {"key":"before","path":"$WS/before.txt"}
tool {"callId":"toolu_0001_01","name":"Write","input":{"file_path":"before.txt","content":"before\n"},"output":[{"type":"text","text":"Created before.txt (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"Edits are allowed in acceptEdits mode"}}
session {"slug":"<slug>"}
mode {"from":"acceptEdits","to":"plan","by":"model"}
tool {"callId":"toolu_0001_02","name":"EnterPlanMode","input":{},"output":[{"type":"text","text":"Plan mode is on. Explore the code and design the approach; edit nothing yet. Finish with ExitPlanMode, which asks the user to approve the plan. Detailed instruc…"}],"isError":false,"decision":{"behavior":"allow","reason":"Session tools are allowed in acceptEdits mode"}}
tool {"callId":"toolu_0001_03","name":"Write","input":{"file_path":"after.txt","content":"after\n"},"output":[{"type":"text","text":"Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead."}],"isError":true,"decision":{"behavior":"deny","reason":"plan mode is read-only"}}
tool {"callId":"toolu_0001_04","name":"EnterPlanMode","input":{},"output":[{"type":"text","text":"Plan mode is already on; this call had no effect. Continue planning, and finish with ExitPlanMode."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"text","text":"planning"}],"stop":"end_turn"}
mode {"from":"plan","to":"acceptEdits","by":"user"}

