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

--- keys
press 2
< enter confirm
press enter
< wants to
< enter or a digit chooses
--- shows

--- keys
press 1
< Done.
gone interrupt
--- shows

--- keys
press ctrl+o
< Conversation
--- shows

--- keys
press esc
< ›
press ctrl+d
--- exit 0
