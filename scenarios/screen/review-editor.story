The review and $EDITOR (UI-6, PM-74, PM-77): `e` edits a copy and returns with the change shown; a crashing editor changes nothing and the terminal is
restored (UI-13); `u` undoes an edit. The edit is sent with the choice, the file is rewritten and the model is informed.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- file editor.sh
#!/bin/sh
if [ ! -e $HOME/crashed ]; then touch $HOME/crashed; printf half > "$1"; stty -echo raw; kill -SEGV $$; fi
sed -i 's/Guess/Measure/' "$1"
--- sh
chmod +x editor.sh
--- env VISUAL=./editor.sh
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count the users\n\n1. Guess\n2. Tell\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "Counted."}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> count the users
press enter
< approve → accept edits
gone keys choose in a moment
press e
< plan not changed
--- shows
 Plan rev 1: Count the users
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 2 steps approved
── Count the users ──────────────────────────────────────────────── 1/4 · <n>% ──
›    1   Count the users
     2
     3   1. Guess
     4   2. Tell











── plan not changed: ./editor.sh was killed by signal 11 ───────── context <n>% ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  s steps  m model  f effort  b budget  o outline  / find  y copy  ?

--- keys
press e
< your edit goes with
--- shows
 Plan rev 1, edited by you: Count the users    +1 -1 ~0 since the submission
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 2 steps approved
── Count the users ──────────────────────────────────────────────── 1/4 · <n>% ──
›    1   Count the users
     2
 -       1 line removed                                            d shows them
 +   3   1. Measure
     4   2. Tell










── your edit goes with whatever you choose · u undoes ──────────── context <n>% ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  s steps  m model  f effort  b budget  o outline  / find  y copy  ?

--- keys
press u
< Guess
gone your edit
press e
< Measure
press 2
< enter confirm
--- shows
 Plan rev 1, edited by you: Count the users    +1 -1 ~0 since the submission
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 2 steps approved
── Count the users ──────────────────────────────────────────────── 1/4 · <n>% ──
›    1   Count the users
     2
 -       1 line removed                                            d shows them
 +   3   1. Measure
     4   2. Tell










──  Approve rev 1 with your edit (sha fcf35c) → ask at each edit  ──────────────
 Sent along: your edit. Context is kept. The agent starts at once.


 enter confirm                                                         esc back

--- keys
press enter
< Counted.
gone interrupt
--- shows
> count the users

● Write plan (<slug>.md)  new file, 4 lines
    1   # Count the users
    2
    3   1. Guess
    4   2. Tell

● Plan approved, as you edited it → default
  Count the users

  1. Measure
  2. Tell

● Counted.

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+d
--- exit 0
--- sh
grep -q "1. Measure" $PLAN
--- seen
request 1
  user: count the users
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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count the users\n\n1. Guess\n2. Tell\n"}
  assistant: call ExitPlanMode {}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (4 lines).
  user: result: The user approved your plan and plan mode is off; the mode is now default. Start implementing. Begin with the todo list.
        The plan is saved at $HOME/.cutonce/plans/<slug>.md; look there whenever you need it. If you must deviate from it, say so.
        Parts that do not depend on each other can run in parallel with the Agent tool.
        
        ## Approved Plan (edited by user):
        # Count the users
        
        1. Measure
        2. Tell
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>

