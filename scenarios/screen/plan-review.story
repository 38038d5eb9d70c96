The plan flow at 80x24 (UI-6, PM-74, PM-77, PM-87, PM-140, PM-142): the review takes the whole screen when the hands are still and says when keys choose; then a digit arms a choice, a line says exactly what will happen, Enter confirms it; the approved plan stays in the conversation, rendered, and the agent starts.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count the users\n\n1. Guess\n"}}]},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "42\n"}}]},
  {"text": "Counted."}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on (shift+tab to cycle)
> count the users
press enter
< approve → accept edits
< Guess
gone keys choose in a moment
--- shows
 Plan rev 1: Count the users
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 1 step approved
── Count the users ──────────────────────────────────────────────── 1/3 · <n>% ──
›    1   Count the users
     2
     3   1. Guess












────────────────────────────────────────────────────────────────── context <n>% ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  s steps  m model  f effort  b budget  o outline  / find  y copy  ?

--- keys
press 1
< enter confirm
--- shows
 Plan rev 1: Count the users
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 1 step approved
── Count the users ──────────────────────────────────────────────── 1/3 · <n>% ──
›    1   Count the users
     2
     3   1. Guess












──  Approve rev 1 (sha 282ea8) → accept edits  ─────────────────────────────────
 Nothing is sent along. Context is kept. The agent starts at once.


 enter confirm                                                         esc back

--- keys
press enter
< Counted.
gone interrupt
--- shows
> count the users

● Write plan (<slug>.md)  new file, 3 lines
    1   # Count the users
    2
    3   1. Guess

● Plan approved → acceptEdits
  Count the users

  1. Guess

● Write a.txt  new file, 1 line
    1   42

● Counted.

›

⏵⏵ accept edits on (shift+tab to cycle)  claude-sonnet-5-5 · <n>% · <n> tokens

--- keys
press ctrl+d
--- exit 0
--- disk
created a.txt
  42

