The lead is killed while a teammate's call waits (TM-2). After a resume it shows the waiting call; the restarted teammate withdraws that request and
asks again, and the answer to the new request is used.

--- model
{"turns": [
  {"when": "You are `ann`", "calls": [{"name": "Write", "input": {"file_path": "$WS/hello.txt", "content": "Hello!\n"}}]},
  {"when": "The program was restarted", "calls": [{"name": "Write", "input": {"file_path": "$WS/hello.txt", "content": "Hello again!\n"}}]},
  {"when": "You are `ann`", "calls": [{"name": "SendMessage", "input": {"to": "team-lead", "text": "ANN-DONE"}}]},
  {"when": "You are `ann`", "text": "Said.", "repeat": 3},
  {"when": "ANN-DONE", "text": "Finished.", "repeat": 3},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [
     {"name": "ann", "task": "Write hello.txt.", "ownProcess": true}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 9}
]}
--- run cutonce --plain --session-id 019a0000-0000-7000-8000-00000000cccc "Lead this."
--- talk
< Write (of the teammate ann) wants to
! kill -9 $PID
--- run cutonce --plain --resume 019a0000-0000-7000-8000-00000000cccc
--- talk
< Write (of the teammate ann) wants to
< +Hello!
< Write (of the teammate ann) wants to
< +Hello again!
! test ! -e hello.txt
> 1
< Finished.
--- exit 0
--- disk
created hello.txt
  Hello again!
