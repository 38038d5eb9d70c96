A resumed session shows its planning phase next to "plan mode on" (PM-140), and its todos (UI-14): write after the plan was written, review after it
was sent back.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "TodoWrite", "input": {"todos": [{"content": "Count", "activeForm": "Counting them", "status": "in_progress"}, {"content": "Tell", "activeForm": "Telling", "status": "pending"}]}}]},
  {"text": "Noted."},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count\n\n1. Count\n"}}]},
  {"text": "Written."}
]}
--- pty 80x24 cutonce
--- keys
< ›
> note it
press enter
< Noted.
gone interrupt
> /plan
press enter
< understand
> write it
press enter
< Written.
gone interrupt
< write
press ctrl+d
--- exit 0
--- pty 80x24 cutonce --continue
--- keys
< Written.
< plan mode on (shift+tab to cycle) · write
< Counting them · 0 of 2 done
> /todos
press enter
< Tell
press ctrl+d
--- exit 0
--- model
{"turns": [
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "I think again."}
]}
--- pty 80x24 cutonce --continue
--- keys
< write
> submit
press enter
< approve → accept edits
gone keys choose in a moment
press 5
< enter send and keep planning
> think
press enter
< I think again.
gone interrupt
< review
press ctrl+d
--- exit 0
--- pty 80x24 cutonce --continue
--- keys
< I think again.
< plan mode on (shift+tab to cycle) · review
press ctrl+d
--- exit 0
