The lead's model may answer a teammate's plan, too (PM-134): it rejects it with feedback, then approves it; the dialog before the user
closes by itself. The model can't give more than the lead has: it asks for bypassPermissions and gets acceptEdits (PM-132),
under which a command still asks the user.

--- model
{"turns": [
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n1. Write hello.txt\n"}},
     {"name": "ExitPlanMode", "input": {}}]},
  {"when": "The lead says:\nFEEDBACK-TWO", "calls": [
     {"name": "Write", "input": {"file_path": "$WS/hello.txt", "content": "Hello!\n"}},
     {"name": "Bash", "input": {"command": "python3 -c 'open(\"asks.txt\", \"w\")'", "description": "Would ask in acceptEdits mode"}},
     {"name": "SendMessage", "input": {"to": "team-lead", "text": "HELLO-DONE"}}]},
  {"when": "The lead says:\nFEEDBACK-ONE", "calls": [
     {"name": "Write", "input": {"file_path": "$WS/early.txt", "content": "too early\n"}},
     {"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n1. Write hello.txt in two steps\n"}},
     {"name": "ExitPlanMode", "input": {}}]},
  {"when": "You are `ann`", "text": "Finished.", "repeat": 3},
  {"when": "HELLO-DONE", "text": "All done."},
  {"when": "in two steps", "calls": [{"name": "SendMessage", "input": {"to": "ann", "planApproval": {"requestId": "{request}", "approved": true, "feedback": "FEEDBACK-TWO", "mode": "bypassPermissions"}}}]},
  {"when": "request id: ", "calls": [{"name": "SendMessage", "input": {"to": "ann", "planApproval": {"requestId": "{request}", "approved": false, "feedback": "FEEDBACK-ONE"}}}]},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [
     {"name": "ann", "task": "Write hello.txt.", "planModeRequired": true}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 9}
]}
--- run cutonce --plain --permission-mode acceptEdits "Lead this."
--- talk
< Bash (of the teammate ann) wants to run: Commands that may change things need your OK in acceptEdits mode
> 3
< All done.
--- exit 0
--- disk
created hello.txt
  Hello!
