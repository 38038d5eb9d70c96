Without a plan only leaving is asked for, and the user sees that there is none (PM-73, PM-78). Outside plan mode ExitPlanMode is an input error and changes nothing (PM-72); a field in its input is named (PM-70).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "ExitPlanMode", "input": {"plan": "# Mine"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "out of plan mode"}
]}
--- run cutonce --plain --permission-mode plan "task"
--- talk
< answer
> 1
< Press Enter to confirm
< answer:
> y
< out of plan mode
< >
> /mode
< The mode is default
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  There is no plan in $HOME/.cutonce/plans/<slug>.md.

  shell: only commands that parse as read-only ran, in the read-only sandbox
  0 files changed since plan mode was entered
  1 Leave plan mode without a plan → default
  2 Keep planning → plan
answer (a number, optionally with text): Will exit plan mode without a plan; the mode becomes default.
Press Enter to confirm, or enter another choice.
answer: out of plan mode

> 
>

--- stderr
✗ Submit the plan: it takes no `plan`; the user sees the plan file. Write the plan to $HOME/.cutonce/plans/<slug>.md first, then call ExitPlanMode with {}.
mode: default
✗ Submit the plan: not in plan mode. It is only for leaving plan mode once a plan is written. If your plan was already approved, continue with the implementation.
The mode is default. Others: acceptEdits, plan.

--- seen
request 1
  user: task
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
request 2
  assistant: call ExitPlanMode {"plan":"# Mine"}
  assistant: call ExitPlanMode {}
  user: error: ExitPlanMode: it takes no `plan`; the user sees the plan file. Write the plan to $HOME/.cutonce/plans/<slug>.md first, then call ExitPlanMode with {}.
  user: result: The user agreed to leave plan mode. It is off; the mode is now default.
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows.
        </system-reminder>
request 3
  assistant: call ExitPlanMode {}
  user: error: ExitPlanMode: not in plan mode. It is only for leaving plan mode once a plan is written. If your plan was already approved, continue with the implementation.

--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"task"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"ExitPlanMode","input":{"plan":"# Mine"}},{"type":"tool_use","id":"toolu_0001_01","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"ExitPlanMode","input":{"plan":"# Mine"},"output":[{"type":"text","text":"ExitPlanMode: it takes no `plan`; the user sees the plan file. Write the plan to $HOME/.cutonce/plans/<slug>.md first, then call ExitPlanMode with {}."}],"isError":true,"decision":{"behavior":"allow","reason":"not decided: the call could not be made"}}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"restore"}}
mode {"from":"plan","to":"default","by":"user"}
tool {"callId":"toolu_0001_01","name":"ExitPlanMode","input":{},"output":[{"type":"text","text":"The user agreed to leave plan mode. It is off; the mode is now default."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows."}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
tool {"callId":"toolu_0002_00","name":"ExitPlanMode","input":{},"output":[{"type":"text","text":"ExitPlanMode: not in plan mode. It is only for leaving plan mode once a plan is written. If your plan was already approved, continue with the implementation."}],"isError":true,"decision":{"behavior":"allow","reason":"Session tools are allowed in default mode"}}
assistant {"blocks":[{"type":"text","text":"out of plan mode"}],"stop":"end_turn"}

