A plan of 5 MB is written, submitted, kept and approved like any other; plain lines show it in parts; one that is longer than the limit is an error that names path and cause (PM-43, PM-45, PM-73).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"text": "ready"},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "five"},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "too long"}
]}
--- run cutonce --plain --permission-mode plan
--- talk
< >
> wait
< ready
< >
! yes 'a line of the plan, quite long' | head -c 5000000 > $PLAN
> submit
< 159291 more lines: p shows the next ones
< p show the next lines of the plan
< answer
> p
<  4000  a line of the plan
< more lines
> p 161000
< 161290  a line of the plan
> p 999999
< The plan ends at line 161291.
> 5 shorter please
< Press Enter to confirm
< answer:
> y
< five
< >
! yes 'a line of the plan, quite long' | head -c 20000000 > $PLAN
> submit
< too long
< >
> /exit
--- exit 0
--- stderr
✗ Submit the plan: the plan file $HOME/.cutonce/plans/<slug>.md can't be read: it is longer than 16 MB. No approval was requested. Rewrite the plan file, then call ExitPlanMode again.

--- seen
request 1
  user: wait
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
  assistant: ready
  user: submit
request 3
  assistant: call ExitPlanMode {}
  user: error: The user did not approve the plan and wants you to keep planning. Plan mode is still on: change nothing but the plan file.
        
        Feedback from the user:
        shorter please
        
        Revise the plan at $HOME/.cutonce/plans/<slug>.md accordingly, then submit it again with ExitPlanMode.
request 4
  assistant: five
  user: submit
request 5
  assistant: call ExitPlanMode {}
  user: error: ExitPlanMode: the plan file $HOME/.cutonce/plans/<slug>.md can't be read: it is longer than 16 MB. No approval was requested. Rewrite the plan file, then call ExitPlanMode again.

