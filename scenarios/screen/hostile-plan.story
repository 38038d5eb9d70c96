Hostile text in a plan, a file's name and a tool's output (TL-10, UI-2, UI-6): escape sequences, direction marks, invisible characters, a line of 1 MB and invalid UTF-8 do no harm to review, permission dialog and conversation, and are shown.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count\u001b]0;owned\u0007 the users\n\n1. \u001b[2J\u001b[1;1HGuess \u202ednuora\u202c and \u200bhide\n2. \u009b31mRed\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "na\u001b[31mme\u202etxt.exe", "content": "a\u001b[2Jb\u200b\n"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "printf '\\033[2J\\377\\376\\n'; head -c 1000000 /dev/zero | tr '\\0' y; printf '\\n\\033]52;c;ZXZpbA==\\007end\\n'"}}]},
  {"text": "Done."}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> count the users
press enter
< approve → accept edits
gone keys choose in a moment
--- shows
 Plan rev 1: Count\u{1b}]0;owned\u{7} the users
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 2 steps approved
── Count\u{1b}]0;owned\u{7} the users ───────────────────────────── 1/4 · <n>% ──
›    1   Count\u{1b}]0;owned\u{7} the users
     2
     3   1. \u{1b}[2J\u{1b}[1;1HGuess \u{202e}dnuora\u{202c} and \u{200b}hide
     4   2. \u{9b}31mRed











────────────────────────────────────────────────────────────────── context <n>% ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  s steps  m model  f effort  b budget  o outline  / find  y copy  ?

--- keys
press 2
< enter confirm
press enter
< wants to
< enter or a digit chooses
--- shows
> count the users

● Write plan (<slug>.md)  new file, 4 lines
    1   # Count\u{1b}]0;owned\u{7} the users
    2
    3   1. \u{1b}[2J\u{1b}[1;1HGuess \u{202e}dnuora\u{202c} and \u{200b}hide
    4   2. \u{9b}31mRed

● Plan approved → default
  Count\u{1b}]0;owned\u{7} the users

  1. \u{1b}[2J\u{1b}[1;1HGuess \u{202e}dnuora\u{202c} and \u{200b}hide
  2. \u{9b}31mRed

? Write wants to create na\u{1b}[31mme\u{202e}txt.exe
    1 + a\u{1b}[2Jb\u{200b}
  why: Edits need your OK in default mode
› 1 yes
  2 yes, and don't ask again here for Edit(./na\u{1b}\[31mme\u{202e}txt.exe)
  3 no, and say what to do instead
  enter or a digit chooses · ←→ scope of 2 · esc stops · ctrl+o all of it

/help  claude-sonnet-5-5 · <n>% · <n> tokens

--- keys
press 1
< Done.
gone interrupt
press ctrl+o
< Conversation
--- shows
 Conversation
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  end

● agent
  Done.

 9 of 10 · <n>%  ↑↓ PgUp PgDn g G  { } entry  / find n N  y copy  q back

--- keys
press esc
< ›
press ctrl+d
--- exit 0
