A line after `!` runs in the user's own shell, on their terminal, with their rights (UI-3). The model gets its output with the next message (DU-8); a
failure is reported; the terminal is restored afterwards.

--- model
{"turns": [{"text": "Hello."}]}
--- env SHELL=/bin/bash
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> !echo from $((40+2)) > made; cat made; read -p "$(echo na)me? " name; echo "you are $name"
press enter
< name?
> Ann
press enter
< you are Ann
< ›
> !exit 3
press enter
< it ended with code 3
> hi
press enter
< Hello.
gone interrupt
--- shows
> !echo from $((40+2)) > made; cat made; read -p "$(echo na)me? " name; echo
  "you are $name"
from 42
name? Ann
you are Ann

> !exit 3

! it ended with code 3

> hi

● Hello.

›

⏸ plan mode on (shift+tab to cycle) · understand  claude-sonnet-5-5 · <n>%

--- keys
press ctrl+d
--- exit 0
--- disk
created made
  from 42

--- seen
request 1
  user: <system-reminder>
        The user ran this in their own shell: echo from $((40+2)) > made; cat made; read -p "$(echo na)me? " name; echo "you are $name"
        It printed:
        
        from 42
        name? Ann
        you are Ann
        </system-reminder>
  user: <system-reminder>
        The user ran this in their own shell: exit 3
        It printed:
        
        (no output)
        </system-reminder>
  user: hi
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

