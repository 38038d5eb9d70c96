A kernel without user namespaces has no layers (PC-22): under an enforced scope the workspace is compared after each command, and what lies outside the plan is restored. The same commands as in shell-scope.

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
mkdir src out; echo '/out' > .gitignore; echo one > src/a.txt; echo one > src/b.txt; echo one > c.txt; git add . && git commit -qm first && git branch other
echo more >> c.txt; git commit -qam second
--- file .cutonce/settings.json
{"plan": {"scope": "enforce", "lint": "off", "verify": "off"}}
--- file plan.md
# Plan

## Steps

1. Change a
   - files: src/a.txt
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "sed -i s/one/two/ src/a.txt src/b.txt c.txt; cat src/a.txt; echo built > out/log"}},
             {"name": "Bash", "input": {"command": "mv src/a.txt moved.txt"}},
             {"name": "Bash", "input": {"command": "git commit -qam mine && echo more >> src/a.txt"}},
             {"name": "Bash", "input": {"command": "git checkout -q -f other"}},
             {"name": "Bash", "input": {"command": "git status --short; git log --oneline | wc -l"}}]},
  {"text": "done"}
]}
--- machine without namespaces
--- run cutonce implement plan.md --permission-mode acceptEdits --allowedTools Bash
--- exit 0
--- disk
created out/log
  built
changed src/a.txt
  two

--- seen
request 1
  user: Implement this plan. The user approved it, and it is saved at $WS/plan.md. If you must deviate from it, say so.
        
        # Plan
        
        ## Steps
        
        1. Change a
           - files: src/a.txt
request 2
  assistant: call Bash {"command":"sed -i s/one/two/ src/a.txt src/b.txt c.txt; cat src/a.txt; echo built > out/log"}
  assistant: call Bash {"command":"mv src/a.txt moved.txt"}
  assistant: call Bash {"command":"git commit -qam mine && echo more >> src/a.txt"}
  assistant: call Bash {"command":"git checkout -q -f other"}
  assistant: call Bash {"command":"git status --short; git log --oneline | wc -l"}
  user: result: two
        
        Outside the approved plan, so restored: c.txt, src/b.txt. Follow the plan, or amend it in plan mode: add the files to a step, and submit the plan again.
        What was taken back is in $HOME/.cutonce/projects/<project>/<id>/taken-back-1.
  user: result: (no output)
        
        Outside the approved plan, so restored: moved.txt, src/a.txt. Follow the plan, or amend it in plan mode: add the files to a step, and submit the plan again.
        What was taken back is in $HOME/.cutonce/projects/<project>/<id>/taken-back-2.
  user: result: (no output)
        
        Outside the approved plan, so restored: git commit (.git). Nothing that changed while this command ran was kept. Follow the plan, or amend it in plan mode: add the files to a step, and submit the plan again.
        What was taken back is in $HOME/.cutonce/projects/<project>/<id>/taken-back-3.
  user: result: (no output)
        
        Outside the approved plan, so restored: git checkout (.git), c.txt. Nothing that changed while this command ran was kept. Follow the plan, or amend it in plan mode: add the files to a step, and submit the plan again.
        What was taken back is in $HOME/.cutonce/projects/<project>/<id>/taken-back-4.
  user: result:  M src/a.txt
        ?? .cutonce/
        ?? plan.md
        2

