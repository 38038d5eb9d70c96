The commands that list things (UI-9): /todos, /memory, /config, /permissions and /doctor show what there is, say so where there is nothing, and the way back is on the screen.

--- file AGENTS.md
Be brief.
--- file .cutonce/settings.json
{"permissions": {"deny": ["Bash(curl:*)"]}}
--- model
{"turns": [
  {"calls": [{"name": "TodoWrite", "input": {"todos": [{"content": "Count", "activeForm": "Counting", "status": "completed"}, {"content": "Tell", "activeForm": "Telling", "status": "pending"}]}}]},
  {"text": "Listed."}
]}
--- pty 80x24 cutonce
--- keys
< ›
< /help
> /todos
press enter
< odo
> begin
press enter
< Listed.
gone interrupt
> /todos
press enter
< Count
--- shows
  No todos.

> begin

● Listed.

  ☒ Count
  ☐ Tell

  ☐ todos · 1 of 2 done · ctrl+t shows all

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
> /memory
press enter
< AGENTS.md
< esc back
press esc
gone esc back
> /config
press enter
< settings.json
< esc back
press esc
gone esc back
> /permissions
press enter
< Bash(curl:*)
< esc back
press esc
gone esc back
> /doctor
press enter
< sandbox
press ctrl+c ctrl+c
--- exit 0
