Every command of UI-9 does what /help says of it; those that have stories of their own (plan, rewind, resume, own commands) are only touched here. An unknown one names the nearest and sends nothing.

--- file AGENTS.md
Be brief.
--- file editor.sh
#!/bin/sh
echo "$1" >> $HOME/edited
--- sh
chmod +x editor.sh
--- env VISUAL=./editor.sh
--- model
{"turns": [
  {"text": "Hello.", "calls": [{"name": "TodoWrite", "input": {"todos": [{"content": "Count", "activeForm": "Counting", "status": "in_progress"}, {"content": "Tell", "activeForm": "Telling", "status": "pending"}]}}]},
  {"text": "Listed."},
  {"text": "A summary of it all."},
  {"text": "From the other one."},
  {"text": "Written."}
]}
--- pty 100x50 cutonce
--- keys
< ›
< /help
> /help
press enter
< At the start of a message
--- shows

--- keys
press ctrl+l
> /status
press enter
< transcript
> /model
press enter
< The model is claude-sonnet-4-6
> /mode
press enter
< The mode is default
> /permissions
press enter
< No rules
> /memory
press enter
< Instruction files
> /config
press enter
< Settings, the last one wins
> /plans
press enter
< No plans of this folder yet.
> /todos
press enter
< No todos.
> /theme
press enter
< The theme is ansi
> /cost
press enter
< 0 tokens sent
> /export
press enter
< Nothing was said yet.
> /rewind
press enter
< nothing to go back to
--- shows

--- keys
> hi
press enter
< Listed.
gone interrupt
> /todos
press enter
< ▸ Counting
> /export talk.md
press enter
< Written to
> /memory 1
press enter
< Opened
> /config 3
press enter
< .local.json
> /theme light
press enter
< The theme is light
> /model claude-haiku-4-5
press enter
< The next request goes to claude-haiku-4-5
> /compact the numbers
press enter
< Compacted
gone interrupt
> and now?
press enter
< From the other one.
gone interrupt
> /hepl
press enter
< The nearest is /help.
press ctrl+u
> /clear
press enter
< The conversation starts over.
> /init
press enter
< Written.
gone interrupt
> /doctor
press enter
< cutonce
> /exit
press enter
--- exit 0
--- disk

--- sh
test "$(wc -l < $HOME/edited)" = 2
--- seen

