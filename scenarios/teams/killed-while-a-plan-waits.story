Lead and teammate are killed while the plan waits (TM-2). The restarted lead restarts its teammate, and the plan waits for the user as before (PM-131,
PM-134). Nothing was changed meanwhile, and the answer is used once.

--- model
{"turns": [
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n1. Write hello.txt\n"}},
     {"name": "ExitPlanMode", "input": {}}]},
  {"when": "You are `ann`", "calls": [
     {"name": "Bash", "input": {"command": "echo Hello >> hello.txt", "description": "Once"}},
     {"name": "Write", "input": {"file_path": "$WS/done.txt", "content": "done\n"}},
     {"name": "SendMessage", "input": {"to": "team-lead", "text": "HELLO-DONE"}}]},
  {"when": "You are `ann`", "text": "Finished.", "repeat": 3},
  {"when": "HELLO-DONE", "text": "All done.", "repeat": 3},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [
     {"name": "ann", "task": "Write hello.txt.", "planModeRequired": true, "ownProcess": true}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 20}
]}
--- run cutonce --plain --permission-mode acceptEdits --allowedTools "Bash(echo:*)" --session-id 019a0000-0000-7000-8000-00000000aaaa "Lead this."
--- talk
< ann asks: Exit plan mode?
! kill -9 $PID
--- exit signal
--- disk
nothing changed

--- run cutonce --plain --allowedTools "Bash(echo:*)" --resume 019a0000-0000-7000-8000-00000000aaaa
--- talk
< ann asks: Exit plan mode?
! test ! -e hello.txt && test ! -e done.txt
> 1
< Press Enter to confirm
< answer:
> y
< All done.
--- exit 0
--- disk
created done.txt
  done
created hello.txt
  Hello

