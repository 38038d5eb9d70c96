A teammate that plans by its own choice leaves plan mode by itself (PM-133), without a dialog (PM-130), but into no more than what the
lead has at that moment: acceptEdits, then default, where the lead's user is asked and says no, then plan, where it stays in plan mode.

--- model
{"turns": [
  {"when": "You are `bob`", "calls": [
     {"name": "EnterPlanMode", "input": {}},
     {"name": "Write", "input": {"file_path": "$WS/a.txt", "content": "in plan mode\n"}},
     {"name": "ExitPlanMode", "input": {}},
     {"name": "Write", "input": {"file_path": "$WS/b.txt", "content": "as the lead\n"}},
     {"name": "SendMessage", "input": {"to": "team-lead", "text": "VOL-ONE"}}]},
  {"when": "You are `bob`", "text": "First done."},
  {"when": "You are `bob`", "calls": [
     {"name": "EnterPlanMode", "input": {}},
     {"name": "ExitPlanMode", "input": {}},
     {"name": "Write", "input": {"file_path": "$WS/c.txt", "content": "more than the lead\n"}},
     {"name": "SendMessage", "input": {"to": "team-lead", "text": "VOL-TWO"}}]},
  {"when": "You are `bob`", "text": "Second done."},
  {"when": "You are `bob`", "calls": [
     {"name": "EnterPlanMode", "input": {}},
     {"name": "ExitPlanMode", "input": {}},
     {"name": "Write", "input": {"file_path": "$WS/d.txt", "content": "while the lead plans\n"}},
     {"name": "Bash", "input": {"command": "touch e.txt", "description": "while the lead plans"}},
     {"name": "SendMessage", "input": {"to": "team-lead", "text": "VOL-THREE"}}]},
  {"when": "You are `bob`", "text": "Third done.", "repeat": 3},
  {"when": "VOL-THREE", "text": "Heard three.", "repeat": 3},
  {"when": "Tell bob once more.", "calls": [{"name": "SendMessage", "input": {"to": "bob", "text": "And again."}}]},
  {"when": "Tell bob once more.", "text": "Told.", "repeat": 3},
  {"when": "VOL-TWO", "text": "Heard two.", "repeat": 3},
  {"when": "Tell bob.", "calls": [{"name": "SendMessage", "input": {"to": "bob", "text": "Again."}}]},
  {"when": "Tell bob.", "text": "Told.", "repeat": 3},
  {"when": "VOL-ONE", "text": "Heard one.", "repeat": 3},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [{"name": "bob", "task": "Plan by yourself."}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 9}
]}
--- run cutonce --plain --permission-mode acceptEdits "Lead this."
--- talk
< Heard one.
> /mode default
< mode: default
> Tell bob.
< Write (of the teammate bob) wants to
! test ! -e c.txt
> 3
< Heard two.
> /mode plan
< mode: plan
> Tell bob once more.
< Heard three.
--- exit 0
--- disk
created b.txt
  as the lead
