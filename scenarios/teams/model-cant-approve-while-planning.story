The lead's model can't approve a teammate's plan while the lead itself is in plan mode; its user can (PM-132). What the teammate gets is
never more than what the lead has outside of plan mode.

--- model
{"turns": [
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n1. Write hello.txt\n"}},
     {"name": "ExitPlanMode", "input": {}}]},
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "$WS/hello.txt", "content": "Hello!\n"}},
     {"name": "SendMessage", "input": {"to": "team-lead", "text": "HELLO-DONE"}}]},
  {"when": "You are `ann`", "text": "Finished."},
  {"when": "HELLO-DONE", "text": "All done."},
  {"when": "so you can't approve a plan", "text": "I can not.", "repeat": 9},
  {"when": "request id: ", "calls": [{"name": "SendMessage", "input": {"to": "ann", "planApproval": {"requestId": "{request}", "approved": true, "mode": "acceptEdits"}}}]},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [
     {"name": "ann", "task": "Write hello.txt.", "planModeRequired": true}]}}, {"name": "EnterPlanMode", "input": {}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 9}
]}
--- run cutonce --plain --permission-mode acceptEdits "Lead this."
--- talk
< ann asks: Exit plan mode?
< I can not.
! test ! -e hello.txt
> 1
< Press Enter to confirm
< answer:
> y
< All done.
--- exit 0
--- disk
created hello.txt
  Hello!
