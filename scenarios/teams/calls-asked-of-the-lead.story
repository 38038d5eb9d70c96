A teammate in its own process has no user of its own (TM-1, PR-3): its asks go to the lead's user, with its name and exactly what will run. A yes runs
the call, a no reaches the teammate's model with the user's text, and nothing runs before.

--- model
{"turns": [
  {"when": "rather not", "calls": [{"name": "SendMessage", "input": {"to": "team-lead", "text": "ANN-DONE"}}]},
  {"when": "ANN-DONE", "text": "Finished.", "repeat": 3},
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "$WS/hello.txt", "content": "Hello!\n"}},
     {"name": "Bash", "input": {"command": "touch no.txt", "description": "make it"}}]},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [
     {"name": "ann", "task": "Write hello.txt.", "ownProcess": true}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 9}
]}
--- run cutonce --plain "Lead this."
--- talk
< Write (of the teammate ann) wants to
< +Hello!
! test ! -e hello.txt
> 1
< Bash (of the teammate ann) wants to
< touch no.txt
! test -e hello.txt && test ! -e no.txt
> 3 rather not
< Finished.
--- exit 0
--- disk
created hello.txt
  Hello!
