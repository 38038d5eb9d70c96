A yes of the lead's user never lifts plan mode (PM-61, PM-64): a subagent of a teammate asks, the teammate then enters plan mode, and the late yes is
decided again. The subagent's call is denied, as the disk shows.

--- file wait.sh
until test -e "$1"; do sleep 0.05; done
--- model
{"turns": [
  {"when": "Write is not allowed in plan mode", "text": "The call was denied."},
  {"when": "The call was denied.", "calls": [{"name": "SendMessage", "input": {"to": "team-lead", "text": "ANN-DONE"}}]},
  {"when": "ANN-DONE", "text": "Finished.", "repeat": 3},
  {"when": "You carry out a task", "calls": [{"name": "Write", "input": {"file_path": "$WS/evil.txt", "content": "evil\n"}}]},
  {"when": "You are `ann`", "calls": [
     {"name": "Agent", "input": {"description": "write", "prompt": "Write evil.txt.", "subagent_type": "general-purpose", "run_in_background": true}},
     {"name": "Bash", "input": {"command": "bash wait.sh asked", "description": "wait"}},
     {"name": "EnterPlanMode", "input": {}},
     {"name": "SendMessage", "input": {"to": "team-lead", "text": "ANN-PLANS"}}]},
  {"when": "You are `ann`", "text": "Planning.", "repeat": 3},
  {"when": "ANN-PLANS", "text": "It plans now."},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [{"name": "ann", "task": "Work."}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 9}
]}
--- run cutonce --plain "Lead this." --allowedTools "Bash(bash wait.sh asked)"
--- talk
< Write (of the general-purpose agent of the teammate ann) wants to
! touch asked
< It plans now.
> 1
< Finished.
--- exit 0
--- disk
created asked
