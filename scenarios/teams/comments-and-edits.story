The lead's user comments on lines of a teammate's plan, and edits it (PM-134). Both reach the teammate: the comment with the line it is
on, the edit as its plan file, before it may act (PM-132).

--- file editor.sh
#!/bin/sh
echo '# Greeting, as the user wants it' > "$1"
--- sh
chmod +x editor.sh
--- env EDITOR=$WS/editor.sh
--- model
{"turns": [
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n1. Write hello.txt\n"}},
     {"name": "ExitPlanMode", "input": {}}]},
  {"when": "line 2: `1. Write hello.txt`\n  which language?", "calls": [
     {"name": "Write", "input": {"file_path": "$WS/early.txt", "content": "too early\n"}},
     {"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n1. Write hello.txt in English\n"}},
     {"name": "ExitPlanMode", "input": {}}]},
  {"when": "The plan as it was edited and approved:\n# Greeting, as the user wants it", "calls": [
     {"name": "Bash", "input": {"command": "cat {plan}", "description": "The plan as it is"}},
     {"name": "Read", "input": {"file_path": "{plan}"}},
     {"name": "Write", "input": {"file_path": "$WS/hello.txt", "content": "Hello!\n"}},
     {"name": "SendMessage", "input": {"to": "team-lead", "text": "HELLO-DONE"}}]},
  {"when": "You are `ann`", "text": "Finished.", "repeat": 3},
  {"when": "HELLO-DONE", "text": "All done.", "repeat": 3},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [
     {"name": "ann", "task": "Write hello.txt.", "planModeRequired": true}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 20}
]}
--- run cutonce --plain --permission-mode acceptEdits "Lead this."
--- talk
< ann asks: Exit plan mode?
> c 2 which language?
< 1 comment is sent
> 5 think again
< Press Enter to confirm
< answer:
> y
< ann asks: Exit plan mode?
< 2  1. Write hello.txt in English
! test ! -e early.txt
> e
< This is the plan as you edited it.
> 1
< Press Enter to confirm
< answer:
> y
< Bash (of the teammate ann) wants to run
< cat 
> 1
< All done.
! grep -rqx '# Greeting, as the user wants it' $HOME/.cutonce/plans
--- exit 0
--- disk
created hello.txt
  Hello!

