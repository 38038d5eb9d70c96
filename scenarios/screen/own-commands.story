Users' own commands (UI-9) from `~/.cutonce/commands` and, in a trusted folder, `.cutonce/commands`: arguments, tools that need no asking for their turn only, a model for their turn only. They are in the list behind `/` and in /help.

--- file ~/.cutonce/commands/note.md
---
description: Write a note
allowed-tools: Bash(touch note-*)
model: claude-haiku-4-5
---
Note $1 about $ARGUMENTS.
--- file .cutonce/commands/ship.md
# Ship it
Ship now.
--- run cutonce trust
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "touch note-1"}}]},
  {"text": "Noted."},
  {"calls": [{"name": "Bash", "input": {"command": "touch note-2"}}]},
  {"text": "Not noted."},
  {"text": "Shipped."}
]}
--- pty 80x24 cutonce
--- keys
< ›
< /help
> /no
< Write a note
press tab
> a b
press enter
< Noted.
gone interrupt
> and now without it
press enter
< enter or a digit chooses
press esc
< Not noted.
gone interrupt
> /ship tonight
press enter
< Shipped.
gone interrupt
--- shows

--- keys
press ctrl+d
--- exit 0
--- disk

--- seen

--- transcript models

