An agent that was started in plan mode and had to wait for a free place is under plan mode, also if the session left it meanwhile (PM-64).

--- file ~/.cutonce/settings.json
{"agents": {"parallel": 1}}
--- model
{"turns": [
  {"when": "You are cutonce", "calls": [
    {"name": "Agent", "input": {"description": "wait", "prompt": "First task.", "subagent_type": "general-purpose", "run_in_background": true}},
    {"name": "Agent", "input": {"description": "write", "prompt": "Second task.", "subagent_type": "general-purpose", "run_in_background": true}}]},
  {"when": "You are cutonce", "text": "Both are started."},
  {"when": "You are cutonce", "text": "Noted."},
  {"when": "You are cutonce", "text": "Noted too."},
  {"when": "First task.", "calls": [{"name": "Bash", "input": {"command": "until [ -e go ]; do sleep 0.05; done"}}]},
  {"when": "First task.", "text": "The first is over."},
  {"when": "Second task.", "calls": [{"name": "Write", "input": {"file_path": "leak.txt", "content": "leak\n"}}]},
  {"when": "Second task.", "text": "The second is over."}
]}
--- run cutonce --plain --permission-mode plan "go"
--- talk
< Both are started.
< >
> /mode acceptEdits
< mode: acceptEdits
! touch go
< Noted.
< Noted too.
> /exit
--- exit 0
--- disk
created go

