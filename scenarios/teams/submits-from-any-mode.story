A teammate that must plan submits from any mode (PM-72): approved and at work in acceptEdits, it submits a second plan, and its lead's user is asked again.
One that need not plan, and is in no plan mode, changes nothing by ExitPlanMode and hears so.

--- model
{"turns": [
  {"when": "You are `bob`", "calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"when": "You are `bob`", "calls": [{"name": "SendMessage", "input": {"to": "team-lead", "text": "BOB-TRIED"}}]},
  {"when": "You are `bob`", "text": "Nothing changed.", "repeat": 5},
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n1. Write hello.txt\n"}},
     {"name": "ExitPlanMode", "input": {}}]},
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "$WS/hello.txt", "content": "Hello!\n"}},
     {"name": "Write", "input": {"file_path": "{plan}", "content": "# Farewell\n1. Write bye.txt\n"}},
     {"name": "ExitPlanMode", "input": {}},
     {"name": "Write", "input": {"file_path": "$WS/behind.txt", "content": "too early\n"}}]},
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "$WS/bye.txt", "content": "Bye!\n"}},
     {"name": "SendMessage", "input": {"to": "team-lead", "text": "ALL-DONE"}}]},
  {"when": "You are `ann`", "text": "Finished.", "repeat": 5},
  {"when": "ALL-DONE", "text": "All done.", "repeat": 3},
  {"when": "BOB-TRIED", "text": "Bob tried.", "repeat": 9},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [
     {"name": "ann", "task": "Write hello.txt.", "planModeRequired": true}, {"name": "bob", "task": "Leave plan mode."}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 9}
]}
--- run cutonce --plain --permission-mode acceptEdits "Lead this."
--- talk
< ann asks: Exit plan mode?
< 2  1. Write hello.txt
> 1
< Press Enter to confirm
< answer:
> y
< 2  1. Write bye.txt
! test -e hello.txt && test ! -e behind.txt && test ! -e bye.txt
> 1
< Press Enter to confirm
< answer:
> y
< All done.
--- exit 0
--- sh
grep -q 'ExitPlanMode: not in plan mode' $(grep -l 'Leave plan mode.' ~/.cutonce/projects/*/*.jsonl)
--- disk
created bye.txt
  Bye!
created hello.txt
  Hello!

