One plan from request to report, as docs/guide/contract.md shows it: the review with its contract, the steps, a write outside the plan, the report (PC-10, PC-11, PC-20, PC-35). The screens of that page are checked against this story.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- file page.txt
A page.
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Greet every visitor\n\nThe page says nothing to its visitors yet.\n\n## Steps\n\n1. Write the greeting\n   - files: greeting.txt (new)\n   - check: `grep -q hello greeting.txt`\n2. Show it on the page\n   - files: page.txt (change)\n   - check: `grep -q greeting page.txt`\n   - after: 1\n3. Translate it\n   - files: gruss.txt (new)\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "greeting.txt", "content": "hello\n"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "style.css", "content": "p {}\n"}}]},
  {"calls": [{"name": "Read", "input": {"file_path": "page.txt"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "page.txt", "content": "A page.\nIt shows greeting.txt.\n"}}]},
  {"text": "The page greets its visitors."}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> greet every visitor
press enter
< approve → accept edits
gone keys choose in a moment
--- shows
 Plan rev 1: Greet every visitor
 <plan>  0 files changed since entry, checked
 1 file changes, 2 created, 0 deleted · 2 checks · 3 steps approved
── Greet every visitor ──────────────────────────────────────────── 1/15 · <n>% ──
›    1   Greet every visitor
     2
     3   The page says nothing to its visitors yet.
     4
     5   Steps
     6
     7   1. Write the greeting
     8      • files: greeting.txt (new)
     9      • check: grep -q hello greeting.txt
    10   2. Show it on the page
    11      • files: page.txt (change)
    12      • check: grep -q greeting page.txt
    13      • after: 1
    14   3. Translate it
    15      • files: gruss.txt (new)
────────────────────────────────────────────────────────────────── context <n>% ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  s steps  m model  f effort  b budget  o outline  / find  y copy  ?

--- keys
press s down down p
< parked
< a approve
--- shows
 Plan rev 1: Greet every visitor
 <plan>  0 files changed since entry, checked
 1 file changes, 1 created, 0 deleted · 2 checks · 2 of 3 steps approved
── Greet every visitor ──────────────────────────────────────────── 1/15 · <n>% ──
  [x] 1. Write the greeting
      files: greeting.txt (new)
      check: grep -q hello greeting.txt
  [x] 2. Show it on the page
      files: page.txt (change)
      check: grep -q greeting page.txt
      after: 1
› [p] 3. Translate it  parked
      files: gruss.txt (new)









────────────────────────────────────────────────────────────────────────────────
 a approve  p park  x drop  enter shows it in the plan  1 to 6 choose  esc back

--- keys
press 1
< enter confirm
press enter
< style.css
< digit chooses
--- shows
  1. Write the greeting
     • files: greeting.txt (new)
     • check: grep -q hello greeting.txt
  2. Show it on the page
     • files: page.txt (change)
     • check: grep -q greeting page.txt
     • after: 1
  3. Translate it
     • files: gruss.txt (new)

● Write greeting.txt  new file, 1 line
    1   hello

  ☐ 2. Show it on the page · 0 of 2 checked, 1 changed

? Write wants to create style.css
    1 + p {}
  why: outside the approved plan
› 1 yes
  2 yes, and add style.css to the plan
  3 no, and say what to do instead
  enter or a digit chooses · esc no, and stop · ctrl+o shows all of it

⏵⏵ accept edits on (shift+tab to cycle)  claude-sonnet-5-5 · <n>% · <n> tokens

--- keys
press 3
< denies with this message
press enter
< The page greets its visitors.
< opens the report
gone interrupt
press ctrl+p
< Report
--- shows
 Plan <slug> (revision 1): 2 checked, 1 parked · no drift
● Report
  Plan <slug> (revision 1)

  checked  1. Write the greeting
           files: 1 planned, changed greeting.txt
           check: grep -q hello greeting.txt (exit 0, <time>)
  checked  2. Show it on the page
           files: 1 planned, changed page.txt
           check: grep -q greeting page.txt (exit 0, <time>)
  parked   3. Translate it
           files: 1 planned, none changed

  Denied writes outside the plan:
    style.css
  No drift: the implementation follows the plan.







 ↑↓ PgUp PgDn g G  { } entry  / find n N  y copy  q back

--- keys
press q
gone Report
press ctrl+d
--- exit 0
--- disk
created greeting.txt
  hello
changed page.txt
  A page.
  It shows greeting.txt.

