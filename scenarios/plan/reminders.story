The reminders of a whole session (PM-91 to PM-94): the full text once on entering, however long the tool loop is; a sparse one with user turns 6 and
11 of the visit; one exit reminder after leaving; on re-entry with a plan, the re-entry text once, then the full one. All texts stay under the limits
that a core test checks (PM-95, PM-96). The user never sees them (PM-90).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- file a.txt
one
--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}], "repeat": 7},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}]},
  {"text": "turn {n} ends.", "repeat": 16}
]}
--- run cutonce --plain --permission-mode plan
--- talk
< >
> words 1
< turn 1 ends.
< >
> words 2
< turn 2 ends.
< >
> words 3
< turn 3 ends.
< >
> words 4
< turn 4 ends.
< >
> words 5
< turn 5 ends.
< >
> words 6
< turn 6 ends.
< >
> words 7
< turn 7 ends.
< >
> words 8
< turn 8 ends.
< >
> words 9
< turn 9 ends.
< >
> words 10
< turn 10 ends.
< >
> words 11
< turn 11 ends.
< >
> words 12
< turn 12 ends.
< >
> /plan off
< Left plan mode
> words outside
< turn 13 ends.
< >
> more words outside
< turn 14 ends.
< >
> /plan words on coming back
< turn 15 ends.
< >
> words again
< turn 16 ends.
< >
> /exit
--- exit 0
--- stdout

> turn 1 ends.

> turn 2 ends.

> turn 3 ends.

> turn 4 ends.

> turn 5 ends.

> turn 6 ends.

> turn 7 ends.

> turn 8 ends.

> turn 9 ends.

> turn 10 ends.

> turn 11 ends.

> turn 12 ends.

> 
> turn 13 ends.

> turn 14 ends.

> 
> turn 15 ends.

> turn 16 ends.

>

--- seen
request 1
  user: words 1
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
  assistant: call Read {"file_path":"a.txt"}
  user: result: 1	one
request 3
  assistant: call Read {"file_path":"a.txt"}
  user: result: 1	one
request 4
  assistant: call Read {"file_path":"a.txt"}
  user: result: 1	one
request 5
  assistant: call Read {"file_path":"a.txt"}
  user: result: 1	one
request 6
  assistant: call Read {"file_path":"a.txt"}
  user: result: 1	one
request 7
  assistant: call Read {"file_path":"a.txt"}
  user: result: 1	one
request 8
  assistant: call Read {"file_path":"a.txt"}
  user: result: 1	one
request 9
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n"}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (1 line).
request 10
  assistant: turn 1 ends.
  user: words 2
request 11
  assistant: turn 2 ends.
  user: words 3
request 12
  assistant: turn 3 ends.
  user: words 4
request 13
  assistant: turn 4 ends.
  user: words 5
request 14
  assistant: turn 5 ends.
  user: words 6
  user: <system-reminder>
        Plan mode is still on: change nothing but the plan file $HOME/.cutonce/plans/<slug>.md. Follow the five phases: understand, design, review, write the plan, exit. End your turn only with AskUserQuestion or ExitPlanMode, and never ask for approval in any other way.
        </system-reminder>
request 15
  assistant: turn 6 ends.
  user: words 7
request 16
  assistant: turn 7 ends.
  user: words 8
request 17
  assistant: turn 8 ends.
  user: words 9
request 18
  assistant: turn 9 ends.
  user: words 10
request 19
  assistant: turn 10 ends.
  user: words 11
  user: <system-reminder>
        Plan mode is still on: change nothing but the plan file $HOME/.cutonce/plans/<slug>.md. Follow the five phases: understand, design, review, write the plan, exit. End your turn only with AskUserQuestion or ExitPlanMode, and never ask for approval in any other way.
        </system-reminder>
request 20
  assistant: turn 11 ends.
  user: words 12
request 21
  assistant: turn 12 ends.
  user: words outside
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>
request 22
  assistant: turn 13 ends.
  user: more words outside
request 23
  assistant: turn 14 ends.
  user: words on coming back
  user: <system-reminder>
        You are back in plan mode, and there is a plan from before at $HOME/.cutonce/plans/<slug>.md. First read it and compare it with what the user asks for now. Another task: start over and replace it. The same task, or a continuation: revise it and remove what no longer applies. In any case edit the plan file before you call ExitPlanMode; the old plan alone is not an answer to the new request.
        </system-reminder>
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        A plan exists at $HOME/.cutonce/plans/<slug>.md. Read it and change it with the Edit tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow
        1. Understand. Learn what is wanted and how the code does it today. Use only Explore agents here, as few as serve, at most 3 in parallel: one where the task is small or its place is known, more only for separate areas, each with a question of its own. Look for code that can be reused.
        2. Design. Have one Plan agent work out the approach. Tell it all you found: files, code paths, requirements, limits. Skip this for trivial work.
        3. Review. Read the key files yourself. Check the design against the request. Ask the user with AskUserQuestion about what is still open.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines
request 24
  assistant: turn 15 ends.
  user: words again

