Background work under an enforced scope (PC-21): a development server answers the commands that follow, and its log goes to an ignored folder. A watcher that writes while the next command runs is compared on request: what it wrote inside the plan is applied, the file outside stays as it was.

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
mkdir -p src out; echo /out > .gitignore; echo one > src/lib.txt; echo other > src/other.txt
cat > serve.py <<'PY'
import http.server
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
open("out/port.new", "w").write(str(server.server_port))
import os; os.rename("out/port.new", "out/port")
server.serve_forever()
PY
git add . && git commit -qm first
--- file .cutonce/settings.json
{"plan": {"scope": "enforce", "lint": "off", "verify": "off"}}
--- file plan.md
# Plan

## Steps

1. Change the library
   - files: src/lib.txt, src/watched.txt (new)
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "exec python3 serve.py 2> out/log", "run_in_background": true}},
             {"name": "Bash", "input": {"command": "until [ -e out/go ]; do sleep 0.05; done; echo seen > src/watched.txt; echo watched >> src/other.txt; touch out/wrote; sleep 600", "run_in_background": true}},
             {"name": "Bash", "input": {"command": "until [ -e out/port ]; do sleep 0.05; done; curl -s http://127.0.0.1:$(cat out/port)/src/lib.txt"}},
             {"name": "Bash", "input": {"command": "touch out/go; echo two > src/lib.txt; until [ -e out/wrote ]; do sleep 0.05; done"}},
             {"name": "BashOutput", "input": {"bash_id": "bash_2"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cat src/watched.txt src/other.txt"}},
             {"name": "KillShell", "input": {"shell_id": "bash_1"}},
             {"name": "KillShell", "input": {"shell_id": "bash_2"}},
             {"name": "Bash", "input": {"command": "rm -f out/*"}}]},
  {"text": "done"}
]}
--- run cutonce implement plan.md --permission-mode acceptEdits --allowedTools Bash
--- exit 0
--- disk
changed src/lib.txt
  two
created src/watched.txt
  seen

--- seen
request 1
  user: Implement this plan. The user approved it, and it is saved at $WS/plan.md. If you must deviate from it, say so.
        
        # Plan
        
        ## Steps
        
        1. Change the library
           - files: src/lib.txt, src/watched.txt (new)
request 2
  assistant: call Bash {"command":"exec python3 serve.py 2> out/log","run_in_background":true}
  assistant: call Bash {"command":"until [ -e out/go ]; do sleep 0.05; done; echo seen > src/watched.txt; echo watched >> src/other.txt; touch out/wrote; sleep 600","run_in_background":true}
  assistant: call Bash {"command":"until [ -e out/port ]; do sleep 0.05; done; curl -s http://127.0.0.1:$(cat out/port)/src/lib.txt"}
  assistant: call Bash {"command":"touch out/go; echo two > src/lib.txt; until [ -e out/wrote ]; do sleep 0.05; done"}
  assistant: call BashOutput {"bash_id":"bash_2"}
  user: result: Started in the background as bash_1; it ends with the session at the latest. Its output goes to $HOME/.cutonce/projects/<project>/<id>/bash_1.txt.
  user: result: Started in the background as bash_2; it ends with the session at the latest. Its output goes to $HOME/.cutonce/projects/<project>/<id>/bash_2.txt.
  user: result: one
  user: result: (no output)
  user: result: bash_2: running
        
        
        (Outside the approved plan, so not applied: src/other.txt. Follow the plan, or amend it in plan mode: add the files to a step, and submit the plan again.)
request 3
  assistant: call Bash {"command":"cat src/watched.txt src/other.txt"}
  assistant: call KillShell {"shell_id":"bash_1"}
  assistant: call KillShell {"shell_id":"bash_2"}
  assistant: call Bash {"command":"rm -f out/*"}
  user: result: seen
        other
  user: result: bash_1: killed.
  user: result: bash_2: killed.
  user: result: (no output)

