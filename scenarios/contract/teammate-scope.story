A teammate has the scope of its lead's plan (PC-23), for file tools and for commands: what lies outside is denied, what lies inside is the lead's evidence for the step.

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo one > a.txt; echo one > c.txt; git add . && git commit -qm first
--- file .cutonce/settings.json
{"plan": {"scope": "enforce", "lint": "off", "verify": "off"}}
--- file plan.md
# Plan

## Steps

1. Change a, add d
   - files: a.txt, d.txt (new)
   - check: grep -q two a.txt
--- model
{"turns": [
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "$WS/new.txt", "content": "outside\n"}},
     {"name": "Bash", "input": {"command": "sed -i s/one/two/ a.txt c.txt"}},
     {"name": "Write", "input": {"file_path": "$WS/d.txt", "content": "two\n"}},
     {"name": "Bash", "input": {"command": "grep -q two a.txt"}}]},
  {"when": "You are `ann`", "calls": [{"name": "SendMessage", "input": {"to": "team-lead", "text": "ANN-DONE"}}]},
  {"when": "You are `ann`", "text": "Said.", "repeat": 3},
  {"when": "ANN-DONE", "text": "Finished.", "repeat": 3},
  {"when": "Implement this plan", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [
     {"name": "ann", "task": "Do step 1.", "ownProcess": true}]}}]},
  {"when": "Implement this plan", "text": "Waiting.", "repeat": 9}
]}
--- run cutonce implement plan.md --permission-mode acceptEdits --allowedTools Bash
--- exit 0
--- disk
changed a.txt
  two
created d.txt
  two

