In the terminal's review, `r` rehearses the plan on a layer: the rule above the choices tells what it does while the user reads on, and `r` again opens its page (RH-1). The page shows the result by step with checks and what was denied (RH-2). A file is taken out, exactly the rest is applied (RH-3), and /rewind undoes it (RH-4).

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo one > a.txt; echo old > c.txt; git add . && git commit -qm first
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Change two files\n\n## Steps\n\n1. Change a\n   - files: a.txt (change)\n   - check: grep two a.txt\n2. Add b\n   - files: b.txt (new)\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Bash", "input": {"command": "until [ -e ~/go ]; do sleep 0.05; done; sed -i s/one/two/ a.txt"}},
             {"name": "Write", "input": {"file_path": "b.txt", "content": "b\n"}},
             {"name": "Write", "input": {"file_path": "d.txt", "content": "d\n"}}]},
  {"text": "rehearsed"},
  {"text": "All done."}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> change a
press enter
< approve → accept edits
gone keys choose in a moment
press r
< r watches rehearsal r1: Write d.txt
press down down
--- shows
 Plan rev 1: Change two files
 <plan>  0 files changed since entry, checked
 1 file changes, 1 created, 0 deleted · 1 check · 2 steps approved
── Steps ────────────────────────────────────────────────────────── 3/9 · <n>% ──
     1   Change two files
     2
›    3   Steps
     4
     5   1. Change a
     6      • files: a.txt (change)
     7      • check: grep two a.txt
     8   2. Add b
     9      • files: b.txt (new)






── r watches rehearsal r1: Write d.txt ─────────────────────────── context <n>% ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  s steps  m model  f effort  b budget  o outline  / find  y copy  ?

--- keys
press r
< What it does
--- shows
 Rehearsal r1 of rev 1 running                     anthropic/claude-sonnet-5-5
 3 calls · your files do not change
── What it does ───────────────────────────────────────────────────────── 3/3 ──
  ● Bash until [ -e ~/go ]; do sleep 0.05; done; sed -i s/one/two/ a.txt
  ● Write b.txt
› ● Write d.txt
















────────────────────────────────────────────────────────────────────────────────
 x cancel  r another one  ? all keys  esc back to the plan

--- keys
press esc
gone What it does
! touch ~/go
< rehearsal r1 passed · r shows it
press r
< No drift
--- shows
 Rehearsal r1 of rev 1 passed                      anthropic/claude-sonnet-5-5
 checks 1/1 · 2 files +2 -1 · 1 denied  no drift · $<n> ·
── Result ─────────────────────────────────────────────────────────────── 1/8 ──
› 1. Change a                                                          checked
   [x] a.txt                                                             +1 -1
   ✓   grep two a.txt                                                   exit 0
  2. Add b                                                             changed
   [x] b.txt                                                            new +1
  No drift: the result follows the plan.
  Denied: this would have asked you
    Write d.txt











────────────────────────────────────────────────────────────────────────────────
 a apply exactly this  space out  enter open  s keep  d discard  ? keys  esc

--- keys
press down enter
< esc list
--- shows
 Rehearsal r1 of rev 1 passed                      anthropic/claude-sonnet-5-5
 checks 1/1 · 2 files +2 -1 · 1 denied  no drift · $<n> ·
── a.txt ──────────────────────────────────────────────────────────────── 2/2 ──
   1 - one
   1 + two

















────────────────────────────────────────────────────────────────────────────────
 ↑↓ scroll  [ ] previous, next  space takes it out  a apply  ? keys  esc list

--- keys
press esc
gone esc list
press down down down x
< taken out: the checks
press a
< enter confirm
--- shows
 Rehearsal r1 of rev 1 passed                      anthropic/claude-sonnet-5-5
 checks not run · 2 files +2 -1 · 1 denied  no drift · $<n> ·
── Result ─────────────────────────────────────────────────────────────── 5/8 ──
  1. Change a                                                          checked
   [x] a.txt                                                             +1 -1
   –   grep two a.txt                                   not run on this result
  2. Add b                                                             changed
›  [ ] b.txt                                                         taken out
  No drift: the result follows the plan.
  Denied: this would have asked you
    Write d.txt








──  Apply exactly r1 (diff f64f5a) → default  ──────────────────────────────────
 Approves rev 1 and writes 1 of 2 files as shown, all or none. The checks have
 not run on this result. /rewind undoes it.

 enter confirm                                                         esc back

--- keys
press enter
< All done.
gone interrupt
! test "$(cat a.txt)" = two; test ! -e b.txt
> /rewind
press enter
< Rewind to
< 1 file would be restored
--- shows
 Rewind to …
› <time>  ⏸ plan approved: <slug> rev 1  1 file
  <time>  change a  2 files

1 file would be restored:
  $WS/a.txt  +1 -1
  1 - two
  1 + one















 ↑↓ · enter choose · esc back

--- keys
press enter
< 3 files only
press 3
< 1 file put back
! test "$(cat a.txt)" = one
press ctrl+d
--- exit 0
--- disk
nothing changed

--- seen
request 1
  user: change a
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
request 3
  assistant: call Bash {"command":"until [ -e ~/go ]; do sleep 0.05; done; sed -i s/one/two/ a.txt"}
  assistant: call Write {"file_path":"b.txt","content":"b\n"}
  assistant: call Write {"file_path":"d.txt","content":"d\n"}
  user: result: (no output)
  user: result: Created b.txt (1 line).
  user: error: Write of d.txt is outside the approved plan, so it was not run. Follow the plan, or amend it in plan mode: add the file to a step, and submit the plan again.
request 4

