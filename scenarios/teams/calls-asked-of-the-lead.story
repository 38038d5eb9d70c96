A teammate in a process of its own has nobody before it (TM-1, PR-3): what its mode asks for comes to the lead's user, with its name and
exactly what will run. A yes runs it, a no reaches the teammate's model with the user's words, and nothing runs before.

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
