A host whose user is not at an approval UI says so with `--channels`: EnterPlanMode is not offered to the model (PM-32), and a call of it changes no mode.
Without the flag the same call enters plan mode.

--- model
{"turns": [
  {"when": "EnterPlanMode", "calls": [{"name": "EnterPlanMode", "input": {}}]}, {"text": "planning now"},
  {"unless": "EnterPlanMode", "calls": [{"name": "EnterPlanMode", "input": {}}]}, {"text": "no plan mode here"}
]}
--- run cutonce --plain "one"
--- talk
< planning now
< >
> /exit
--- exit 0
--- stderr
mode: plan

--- run cutonce --plain --channels "two"
--- talk
< no plan mode here
< >
> /exit
--- exit 0
--- stderr
✗ Enter plan mode: There is no tool `EnterPlanMode`. Tools: Agent, AskUserQuestion, Bash, BashOutput, Edit, ExitPlanMode, Glob, Grep, KillShell, LS, NotebookEdit, Read, SendMessage, TeamCreate, TeamDelete, TodoWrite, WebFetch, Write.

--- seen
request 1
  user: one
request 2
  assistant: call EnterPlanMode {}
  user: result: Plan mode is on. Explore the code and design the approach; edit nothing yet. Finish with ExitPlanMode, which asks the user to approve the plan. Detailed instructions follow.
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
request 3
  user: two
request 4
  assistant: call EnterPlanMode {}
  user: error: There is no tool `EnterPlanMode`. Tools: Agent, AskUserQuestion, Bash, BashOutput, Edit, ExitPlanMode, Glob, Grep, KillShell, LS, NotebookEdit, Read, SendMessage, TeamCreate, TeamDelete, TodoWrite, WebFetch, Write.

