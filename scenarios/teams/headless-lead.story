A lead with -p does not end before its teammates are idle (TM-1): their report still reaches the lead, whose last message is printed.

--- model
{"turns": [
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "$WS/hello.txt", "content": "Hello!\n"}},
     {"name": "SendMessage", "input": {"to": "team-lead", "text": "HELLO-DONE"}}]},
  {"when": "You are `ann`", "text": "Finished.", "repeat": 3},
  {"when": "HELLO-DONE", "text": "All done.", "repeat": 3},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [{"name": "ann", "task": "Write hello.txt.", "ownProcess": true}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 5}
]}
--- run cutonce -p --permission-mode acceptEdits "Lead this."
--- exit 0
--- disk
created hello.txt
  Hello!

