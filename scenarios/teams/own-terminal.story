A teammate that the user starts in another terminal (TM-1), never at the same time as the lead: messages wait. It must plan first; the
user in front of it can't lead it out of plan mode either, only the lead's answer can (PM-131, PM-132), and no dialog opens (PM-130).

--- model
{"turns": [
  {"when": "The team lead approved your plan", "calls": [{"name": "Write", "input": {"file_path": "$WS/hello.txt", "content": "Hello!\n"}}]},
  {"when": "The team lead approved your plan", "text": "Finished now.", "repeat": 3},
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n1. Write hello.txt\n"}},
     {"name": "ExitPlanMode", "input": {}},
     {"name": "Write", "input": {"file_path": "$WS/behind.txt", "content": "too early\n"}}]},
  {"when": "Try it.", "calls": [{"name": "Write", "input": {"file_path": "$WS/early.txt", "content": "too early\n"}}]},
  {"when": "Try it.", "text": "It is denied.", "repeat": 3},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [
     {"name": "ann", "task": "Write hello.txt.", "planModeRequired": true, "startedByUser": true}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 9}
]}
--- run cutonce -p --permission-mode acceptEdits --session-id 019a0000-0000-7000-8000-00000000bbbb "Lead this."
--- exit 0
--- stdout
Noted.

--- run cutonce --plain --team red --name ann --permission-mode bypassPermissions
--- talk
< >
< >
> /plan off
< The mode is still plan: the team lead must approve the plan first.
> /mode acceptEdits
< The mode is still plan: the team lead must approve the plan first.
> Try it.
< It is denied.
< >
> /exit
--- exit 0
--- disk
nothing changed

--- run cutonce --plain --resume 019a0000-0000-7000-8000-00000000bbbb
--- talk
< ann asks: Exit plan mode?
< Noted.
> 1
< Press Enter to confirm
< answer:
> y
> /exit
--- exit 0
--- disk
nothing changed

--- run cutonce --plain --team red --name ann
--- talk
< Finished now.
> /exit
--- exit 0
--- disk
created hello.txt
  Hello!

