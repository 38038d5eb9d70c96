The request states the sandbox of the shell and which workspace files changed since plan mode was entered, by any program, including ignored and
untracked files, except the plan file (PM-87). A running shell is named on entering (PM-16) and in the request, and only shells of this visit can be
killed (PM-60).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "permissions": {"allow": ["Bash(sleep:*)"]}, "plansDirectory": "plans"}
--- file a.txt
one
--- file gone.txt
one
--- file .gitignore
ignored.txt
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "sleep 1000", "description": "wait", "run_in_background": true}}]},
  {"text": "a shell runs"},
  {"calls": [{"name": "KillShell", "input": {"shell_id": "bash_1"}}, {"name": "BashOutput", "input": {"bash_id": "bash_1"}},
             {"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}]},
  {"text": "the plan is written"},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "end"}
]}
--- run cutonce --plain
--- talk
< >
> start it
< a shell runs
< >
> /plan plan it
< the plan is written
< >
! echo two > a.txt; rm gone.txt; echo x > ignored.txt; mkdir -p sub; echo y > sub/new.txt
> submit
< answer
> 6
< Press Enter to confirm
< answer:
> y
< >
> /exit
--- exit 0
--- stdout

> a shell runs

> 
> 
> the plan is written

> 
? Exit plan mode?
  plan rev 1 in $WS/plans/<slug>.md

    1  # Plan

  shell: only commands that parse as read-only ran, in the read-only sandbox
  changed since plan mode was entered: a.txt, gone.txt (deleted), ignored.txt (new), sub/new.txt (new)
  still running: bash_1: sleep 1000
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, r rehearse
answer (a number, optionally with text): Will exit plan mode and keep the plan; starts nothing; the mode becomes default.
Press Enter to confirm, or enter another choice.
answer: 
>

--- stderr
● Bash sleep 1000
mode: plan
warning: Started before plan mode and still running: bash_1 (sleep 1000).
Enabled plan mode
✗ Stop KillShell is not allowed in plan mode. Plan mode is read-only.
● Output of bash_1
● Write $WS/plans/<slug>.md
mode: default

--- seen
request 1
  user: start it
request 2
  assistant: call Bash {"command":"sleep 1000","description":"wait","run_in_background":true}
  user: result: Started in the background as bash_1; it ends with the session at the latest. Its output goes to $HOME/.cutonce/projects/<project>/<id>/bash_1.txt.
request 3
  assistant: a shell runs
  user: plan it
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        There is no plan yet. Create it at $WS/plans/<slug>.md with the Write tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow
        1. Understand. Learn what is wanted and how the code does it today. Use only Explore agents here, as few as serve, at most 3 in parallel: one where the task is small or its place is known, more only for separate areas, each with a question of its own. Look for code that can be reused.
        2. Design. Have one Plan agent work out the approach. Tell it all you found: files, code paths, requirements, limits. Skip this for trivial work.
        3. Review. Read the key files yourself. Check the design against the request. Ask the user with AskUserQuestion about what is still open.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines
request 4
  assistant: call KillShell {"shell_id":"bash_1"}
  assistant: call BashOutput {"bash_id":"bash_1"}
  assistant: call Write {"file_path":"$WS/plans/<slug>.md","content":"# Plan\n"}
  user: error: KillShell is not allowed in plan mode. Plan mode is read-only.
  user: result: bash_1: running
        
        (nothing new)
  user: result: Created plans/<slug>.md (1 line).
request 5
  assistant: the plan is written
  user: submit

--- disk
deleted gone.txt
changed a.txt
  two
created ignored.txt
  x
created plans/<slug>.md
  # Plan
created sub/new.txt
  y

