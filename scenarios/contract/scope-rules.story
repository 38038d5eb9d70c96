A plan that may change `.gitignore` can't widen its scope by it (PC-20, PC-21): the rules from the approval count, for file tools, commands and a resumed session alike. What was ignored then stays allowed.

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo '/out' > .gitignore; echo one > b.txt; git add . && git commit -qm first
--- file ~/.cutonce/settings.json
{"plan": {"scope": "enforce", "lint": "off", "verify": "off"}}
--- file plan.md
# Plan

## Steps

1. Ignore more
   - files: .gitignore
2. Change a
   - files: a.txt
--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": ".gitignore"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": ".gitignore", "content": "/out\nsecret*\n"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "secret.txt", "content": "by a tool\n"}},
             {"name": "Write", "input": {"file_path": "out/log.txt", "content": "by a tool\n"}},
             {"name": "Bash", "input": {"command": "echo '*' > .gitignore"}},
             {"name": "Bash", "input": {"command": "echo x > secret.txt; echo x > new.txt; echo x > out/more.txt"}}]}
]}
--- run cutonce implement plan.md --permission-mode bypassPermissions --max-turns 3
--- exit 5
--- stderr
cutonce: stopped after 3 requests (--max-turns); continue with --continue or raise the limit
Plan plan.md

changed  1. Ignore more
         files: 1 planned, changed .gitignore
open     2. Change a
         files: 1 planned, none changed

Planned but not changed:
  a.txt
Open steps:
  2. Change a
Denied writes outside the plan:
  secret.txt
  new.txt

--- disk
changed .gitignore
  *
created out/log.txt
  by a tool
created out/more.txt
  x

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "secret.txt", "content": "resumed\n"}},
             {"name": "Bash", "input": {"command": "mkdir secrets; echo x > secrets/x; echo a > a.txt"}}]},
  {"text": "done"}
]}
--- run cutonce -p "go on" --continue --permission-mode bypassPermissions
--- exit 0
--- stderr
Plan plan.md

changed  1. Ignore more
         files: 1 planned, changed .gitignore
changed  2. Change a
         files: 1 planned, changed a.txt

Denied writes outside the plan:
  secret.txt
  new.txt
  secrets
  secrets/x
No drift: the implementation follows the plan.

--- disk
created a.txt
  a

