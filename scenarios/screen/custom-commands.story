Custom commands (UI-9) from `~/.cutonce/commands` and, in a trusted folder, `.cutonce/commands`: arguments, tools that need no asking and a model,
both for their turn only. The `/` menu and /help list them.

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
press 3 enter
< Not noted.
gone interrupt
> /ship tonight
press enter
< Shipped.
gone interrupt
--- shows
> Note a about a b.

● Bash touch note-1
  (no output)

● Noted.

> and now without it

✗ Bash touch note-2  The user refused this Bash call

● Not noted.

> # Ship it
  Ship now.

  tonight

● Shipped.

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+d
--- exit 0
--- disk
created note-1

--- seen
request 1
  user: Note a about a b.
request 2
  assistant: call Bash {"command":"touch note-1"}
  user: result: (no output)
request 3
  assistant: Noted.
  user: and now without it
request 4
  assistant: call Bash {"command":"touch note-2"}
  user: error: The user refused this Bash call. Do not try it again; ask what to do instead.
request 5
  assistant: Not noted.
  user: # Ship it
        Ship now.
        
        tonight

--- transcript models
claude-haiku-4-5 [{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"touch note-1"}}]
claude-haiku-4-5 [{"type":"text","text":"Noted."}]
claude-sonnet-5-5 [{"type":"tool_use","id":"toolu_0003_00","name":"Bash","input":{"command":"touch note-2"}}]
claude-sonnet-5-5 [{"type":"text","text":"Not noted."}]
claude-sonnet-5-5 [{"type":"text","text":"Shipped."}]

