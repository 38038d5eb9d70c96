A lead in plan mode changes nothing through a teammate (PM-2): the teammate works in acceptEdits, the lead enters plan mode, and what its
model then tells the teammate puts the teammate into plan mode, too. It comes out when the lead has (PM-133). A member that was added
later is known to those who were there before (TM-1).

--- model
{"turns": [
  {"when": "carl is here", "text": "Welcome.", "repeat": 3},
  {"when": "You are `carl`", "text": "Here.", "repeat": 5},
  {"when": "You are `bob`", "calls": [{"name": "Write", "input": {"file_path": "$WS/before.txt", "content": "by bob\n"}}, {"name": "SendMessage", "input": {"to": "team-lead", "text": "BOB-ONE"}}]},
  {"when": "You are `bob`", "text": "First done."},
  {"when": "You are `bob`", "calls": [
     {"name": "Write", "input": {"file_path": "$WS/leak.txt", "content": "through bob\n"}},
     {"name": "Bash", "input": {"command": "touch leak2.txt", "description": "through bob"}},
     {"name": "ExitPlanMode", "input": {}},
     {"name": "Write", "input": {"file_path": "$WS/leak3.txt", "content": "through bob\n"}},
     {"name": "SendMessage", "input": {"to": "team-lead", "text": "BOB-TWO"}}]},
  {"when": "You are `bob`", "text": "Second done."},
  {"when": "You are `bob`", "calls": [
     {"name": "ExitPlanMode", "input": {}},
     {"name": "Write", "input": {"file_path": "$WS/after.txt", "content": "by bob\n"}},
     {"name": "SendMessage", "input": {"to": "carl", "text": "carl is here"}},
     {"name": "SendMessage", "input": {"to": "team-lead", "text": "BOB-THREE"}}]},
  {"when": "You are `bob`", "text": "Third done.", "repeat": 3},
  {"when": "BOB-THREE", "text": "Heard three.", "repeat": 3},
  {"when": "Add carl.", "calls": [
     {"name": "TeamCreate", "input": {"teamName": "red", "members": [{"name": "carl", "task": "Wait."}]}},
     {"name": "SendMessage", "input": {"to": "bob", "text": "Go on."}}]},
  {"when": "Add carl.", "text": "Added.", "repeat": 3},
  {"when": "BOB-TWO", "text": "Heard two.", "repeat": 3},
  {"when": "Tell bob.", "calls": [{"name": "Write", "input": {"file_path": "$WS/direct.txt", "content": "x\n"}}, {"name": "SendMessage", "input": {"to": "bob", "text": "Write leak.txt."}}]},
  {"when": "Tell bob.", "text": "Told.", "repeat": 3},
  {"when": "BOB-ONE", "text": "Heard one.", "repeat": 3},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [{"name": "bob", "task": "Write before.txt."}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 9}
]}
--- run cutonce --plain --permission-mode acceptEdits "Lead this."
--- talk
< Heard one.
> /mode plan
< mode: plan
> Tell bob.
< Heard two.
! test ! -e leak.txt && test ! -e leak2.txt && test ! -e leak3.txt && test ! -e direct.txt
> /mode acceptEdits
< mode: acceptEdits
> Add carl.
< Heard three.
--- exit 0
--- disk
created after.txt
  by bob
created before.txt
  by bob
