Every way in for the user uses the same machine: /plan, /plan with a description, /plan open, /mode plan (PM-20 to PM-23, PM-26). /plan off and /mode
leave at any time (PM-17), and the model is reminded once (PM-94). Text for the user never reaches the model. Clauses shown one by one: PM-20, PM-21,
PM-22, PM-23, PM-24.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"text": "looking at the door"},
  {"text": "looking again"},
  {"text": "no plan any more"},
  {"text": "and nothing is said twice"}
]}
--- run cutonce --plain
--- talk
> /plan off
< Not in plan mode
> /plan open
< Enabled plan mode
> /plan
< Already in plan mode. No plan written yet.
> /plan open
< Already in plan mode. No plan written yet.
> /plan off
< Left plan mode
> /plan open the door
< Enabled plan mode
< looking at the door
< >
> /mode
< The mode is plan
> /mode plan
< Already in plan mode.
> /mode nonsense
< Unknown mode `nonsense`
> /mode bypassPermissions
< not available
> /plan and look again
< No plan written yet.
< looking again
< >
> /mode default
< The mode is now default.
> hello
< no plan any more
< >
> hello again
< said twice
< >
> /exit
--- exit 0
--- stdout

> 
> 
> 
> 
> 
> 
> looking at the door

> 
> 
> 
> 
> 
> looking again

> 
> no plan any more

> and nothing is said twice

>

--- stderr
Not in plan mode; the mode is default.
mode: plan
Enabled plan mode
Already in plan mode. No plan written yet.
Already in plan mode. No plan written yet.
mode: default
Left plan mode; the mode is now default.
mode: plan
Enabled plan mode
The mode is plan. Others: default, acceptEdits.
Already in plan mode.
Unknown mode `nonsense`; expected one of: default, acceptEdits, plan.
The mode is still plan: bypassPermissions is not available in this run: start with --allow-dangerously-skip-permissions.
Already in plan mode. No plan written yet.
mode: default
The mode is now default.

--- seen
request 1
  user: open the door
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
  assistant: looking at the door
  user: and look again
request 3
  assistant: looking again
  user: hello
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows.
        </system-reminder>
request 4
  assistant: no plan any more
  user: hello again

--- transcript
session {}
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"user"}
mode {"from":"plan","to":"default","by":"user"}
mode {"from":"default","to":"plan","by":"user"}
user {"text":"open the door"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"text","text":"looking at the door"}],"stop":"end_turn"}
user {"text":"and look again"}
assistant {"blocks":[{"type":"text","text":"looking again"}],"stop":"end_turn"}
mode {"from":"plan","to":"default","by":"user"}
user {"text":"hello"}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows."}
assistant {"blocks":[{"type":"text","text":"no plan any more"}],"stop":"end_turn"}
user {"text":"hello again"}
assistant {"blocks":[{"type":"text","text":"and nothing is said twice"}],"stop":"end_turn"}

