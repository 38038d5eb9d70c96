A teammate in its own process must plan first (PM-131). Its ExitPlanMode opens no dialog of its own (PM-130): the lead's user gets the complete plan
with the teammate's name (PM-134). Calls after ExitPlanMode in the batch do not run, as the disk shows while the plan waits. Then the user approves,
the answer starts the teammate's next turn (PM-132), and its report reaches the lead (TM-1).

--- model
{"turns": [
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "$WS/before.txt", "content": "too early\n"}},
     {"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n1. Write hello.txt\n"}},
     {"name": "ExitPlanMode", "input": {}},
     {"name": "Write", "input": {"file_path": "$WS/behind.txt", "content": "too early\n"}},
     {"name": "Bash", "input": {"command": "touch behind2.txt", "description": "too early"}}]},
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "$WS/hello.txt", "content": "Hello!\n"}},
     {"name": "SendMessage", "input": {"to": "team-lead", "text": "HELLO-DONE: hello.txt is there."}}]},
  {"when": "You are `ann`", "text": "Finished."},
  {"when": "HELLO-DONE", "text": "All done."},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [
     {"name": "ann", "task": "Write hello.txt.", "planModeRequired": true, "ownProcess": true}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 9}
]}
--- run cutonce --plain --permission-mode acceptEdits "Lead this."
--- talk
< ann asks: Exit plan mode?
< 2  1. Write hello.txt
< 1 Approve, accept edits automatically → acceptEdits
! test ! -e before.txt && test ! -e behind.txt && test ! -e behind2.txt && test ! -e hello.txt
> 1 go ahead
< Press Enter to confirm
< answer:
> y
< All done.
--- exit 0
--- disk
created hello.txt
  Hello!
