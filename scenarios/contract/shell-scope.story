Commands under an enforced scope (PC-21): `sed -i` over files inside and outside changes only those inside; a formatter that rewrites everything too; a file does not leave the plan by a rename; a commit, a stash and a checkout are denied as one unit, with everything else that the command did; ignored folders are written directly.

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
mkdir src out; echo '/out' > .gitignore; echo one > src/a.txt; echo one > src/b.txt; echo one > c.txt; git add . && git commit -qm first && git branch other
printf 'for f in src/*.txt c.txt; do sed -i "s/$/ ./" $f; done\n' > fmt.sh; git add . && git commit -qm fmt
--- file .cutonce/settings.json
{"plan": {"scope": "enforce", "lint": "off", "verify": "off"}}
--- file plan.md
# Plan

## Steps

1. Change a
   - files: src/a.txt
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "sed -i s/one/two/ src/a.txt src/b.txt c.txt; cat src/a.txt"}},
             {"name": "Bash", "input": {"command": "bash fmt.sh; echo built > out/log"}},
             {"name": "Bash", "input": {"command": "mv src/a.txt moved.txt"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "git commit -qam mine && echo more >> src/a.txt"}},
             {"name": "Bash", "input": {"command": "git stash -q"}},
             {"name": "Bash", "input": {"command": "git checkout -q -f other"}},
             {"name": "Bash", "input": {"command": "git status --short; git log --oneline | wc -l"}}]},
  {"text": "done"}
]}
--- run cutonce implement plan.md --permission-mode acceptEdits --allowedTools Bash
--- exit 0
--- stdout
done

--- disk
created out/log
  built
changed src/a.txt
  two .

--- seen
request 1
  user: Implement this plan. The user approved it, and it is saved at $WS/plan.md. If you must deviate from it, say so.
        
        # Plan
        
        ## Steps
        
        1. Change a
           - files: src/a.txt
request 2
  assistant: call Bash {"command":"sed -i s/one/two/ src/a.txt src/b.txt c.txt; cat src/a.txt"}
  assistant: call Bash {"command":"bash fmt.sh; echo built > out/log"}
  assistant: call Bash {"command":"mv src/a.txt moved.txt"}
  user: result: two
        
        Outside the approved plan, so not applied: c.txt, src/b.txt. Follow the plan, or amend it in plan mode: add the files to a step, and submit the plan again.
  user: result: (no output)
        
        Outside the approved plan, so not applied: c.txt, src/b.txt. Follow the plan, or amend it in plan mode: add the files to a step, and submit the plan again.
  user: result: (no output)
        
        Outside the approved plan, so not applied: moved.txt, src/a.txt. Follow the plan, or amend it in plan mode: add the files to a step, and submit the plan again.
request 3
  assistant: call Bash {"command":"git commit -qam mine && echo more >> src/a.txt"}
  assistant: call Bash {"command":"git stash -q"}
  assistant: call Bash {"command":"git checkout -q -f other"}
  assistant: call Bash {"command":"git status --short; git log --oneline | wc -l"}
  user: result: (no output)
        
        Outside the approved plan, so not applied: git commit (.git). Nothing that this command changed was kept. Follow the plan, or amend it in plan mode: add the files to a step, and submit the plan again.
  user: result: (no output)
        
        Outside the approved plan, so not applied: git stash (.git). Nothing that this command changed was kept. Follow the plan, or amend it in plan mode: add the files to a step, and submit the plan again.
  user: result: (no output)
        
        Outside the approved plan, so not applied: git checkout (.git), fmt.sh. Nothing that this command changed was kept. Follow the plan, or amend it in plan mode: add the files to a step, and submit the plan again.
  user: result:  M src/a.txt
        ?? .cutonce/
        ?? plan.md
        2

