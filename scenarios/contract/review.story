The review states the contract in one line and lists the steps (PC-4, PC-10). Keys park a step and choose model and budget with the price (PC-11,
PC-12); findings are shown at their lines (PC-6). The model gets only the approved steps, and the parked step becomes a plan of its own.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly", "lint": "show"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n\n## Steps\n\n1. Write the greeting\n   - files: hello.txt (new)\n   - check: `test -f hello.txt`\n2. Change the notes\n   - files: notes.txt (change)\n3. Mention it elsewhere\n   - files: other.txt (new)\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "hello.txt", "content": "hello\n"}}]},
  {"text": "The greeting is there."}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> greet
press enter
< approve → accept edits
gone keys choose in a moment
--- shows
 Plan rev 1: Greeting
 <plan>  0 files changed since entry, checked
 1 file changes, 2 created, 0 deleted · 1 check · 3 steps approved   1 finding
── Greeting ─────────────────────────────────────────────────────── 1/11 · <n>% ──
›    1   Greeting
     2
     3   Steps
     4
     5   1. Write the greeting
     6      • files: hello.txt (new)
     7      • check: test -f hello.txt
     8   2. Change the notes
     9 !    • files: notes.txt (change)
       ! `notes.txt` does not exist, so the step can't change it. Correct the
         path, or mark it (new).
    10   3. Mention it elsewhere
    11      • files: other.txt (new)


────────────────────────────────────────────────────────────────── context <n>% ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  s steps  m model  f effort  b budget  o outline  / find  y copy  ?

--- keys
press s down p down x
< dropped
< a approve
--- shows
 Plan rev 1: Greeting
 <plan>  0 files changed since entry, checked
 0 changed, 1 created, 0 deleted · 1 check · 1/3 steps               1 finding
── Greeting ─────────────────────────────────────────────────────── 1/11 · <n>% ──
  [x] 1. Write the greeting
      files: hello.txt (new)
      check: test -f hello.txt
  [p] 2. Change the notes  parked
      files: notes.txt (change)
      ! `notes.txt` does not exist, so the step can't change it. Correct the
        path, or mark it (new).
› [ ] 3. Mention it elsewhere  dropped
      files: other.txt (new)









────────────────────────────────────────────────────────────────────────────────
 a approve  p park  x drop  enter shows it in the plan  1 to 6 choose  esc back

--- keys
press esc
gone a approve
press m
< a digit chooses
press esc
gone a digit chooses
press b
< a digit chooses
press 3
gone a digit chooses
press 1
< enter confirm
--- shows
 Plan rev 1: Greeting
 <plan>  0 files changed since entry, checked
 0 changed, 1 created, 0 deleted · 1 check · 1/3 steps  1 finding $<n>
── Greeting ─────────────────────────────────────────────────────── 1/11 · <n>% ──
›    1   Greeting
     2
     3   Steps
     4
     5   1. Write the greeting
     6      • files: hello.txt (new)
     7      • check: test -f hello.txt
     8   2. Change the notes
     9 !    • files: notes.txt (change)
       ! `notes.txt` does not exist, so the step can't change it. Correct the
         path, or mark it (new).
    10   3. Mention it elsewhere
    11      • files: other.txt (new)


──  Approve rev 1 (sha 52815e) → accept edits  ─────────────────────────────────
 Nothing is sent along. Step 2 parked. Step 3 dropped. Budget $<n> Context is
 kept. The agent starts at once.

 enter confirm                                                         esc back

--- keys
press enter
< The greeting is there.
gone interrupt
--- history
> greet

● Write plan (<slug>.md)  new file, 11 lines
    1   # Greeting
    2
    3   ## Steps
    4
    5   1. Write the greeting
    6      - files: hello.txt (new)
    7      - check: `test -f hello.txt`
    8   2. Change the notes
    9      - files: notes.txt (change)
   10   3. Mention it elsewhere
   11      - files: other.txt (new)
  The parked steps are a plan of their own: <slug 2>.

● Plan approved → acceptEdits
  Greeting

  Steps

  1. Write the greeting
     • files: hello.txt (new)
     • check: test -f hello.txt
  2. Change the notes
     • files: notes.txt (change)
  3. Mention it elsewhere
     • files: other.txt (new)

● Write hello.txt  new file, 1 line
    1   hello

● The greeting is there.

  Checking the plan: test -f hello.txt
  Plan <slug> (revision 1)
  1 checked, 1 parked, 1 dropped · no drift
  ctrl+p opens the report.

›

⏵⏵ accept edits on (shift+tab to cycle)  claude-sonnet-5-5 · <n>% · <n> tokens

--- keys
press ctrl+d
--- exit 0
--- disk
created hello.txt
  hello

--- seen
request 1
  user: greet
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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Greeting\n\n## Steps\n\n1. Write the greeting\n   - files: hello.txt (new)\n   - check: `test -f hello.txt`\n2. Change the notes\n   - files: notes.txt (change)\n3. Me…"}
  assistant: call ExitPlanMode {}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (11 lines).
  user: result: The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.
        The plan is saved at $HOME/.cutonce/plans/<slug>.md; look there whenever you need it. If you must deviate from it, say so.
        Parts that do not depend on each other can run in parallel with the Agent tool.
        
        ## Approved Plan:
        # Greeting
        
        ## Steps
        
        1. Write the greeting
           - files: hello.txt (new)
           - check: `test -f hello.txt`
        
        Not approved; do not implement these steps:
        … 1 more lines
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>
request 3
  assistant: call Write {"file_path":"hello.txt","content":"hello\n"}
  user: result: Created hello.txt (1 line).
