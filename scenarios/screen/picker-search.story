The session picker (UI-15, SE-3): text narrows the list by first message and plan title; the selected session is previewed with its end, folder and
mode. --resume without an id opens the picker, Esc closes it; /resume switches.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"text": "Apples it is."},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count the users\n\n1. Count\n"}}]},
  {"text": "Planned."}
]}
--- run cutonce -p "about apples"
--- run cutonce -p "about pears" --permission-mode plan
--- pty 80x24 cutonce --resume
--- keys
< about apples
< ⏸ Count the users
> users
gone about apples
--- shows
 Resume a session · this folder · 1 of 2   users▏
›    now  -          plan        ⏸ Count the users  about pears

<id>
folder: $WS
mode: plan
plan: Count the users

● you
  about pears

● agent
  Planned.










 type to search · ↑↓ · enter resume · ctrl+f fork · tab all folders · esc back

--- keys
press ctrl+u
> apples
gone about pears
press enter
< Apples it is.
> /resume
press enter
< about pears
> pears
gone about apples
press enter
< Planned.
< ⏸ plan mode on
press ctrl+d
--- exit 0
--- pty 80x24 cutonce --resume
--- keys
< about apples
press esc
--- exit 0
