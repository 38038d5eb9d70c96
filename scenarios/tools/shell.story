Bash keeps its folder between calls, tells the exit code, and a background task can be read and killed (TL-8).

--- sh
mkdir sub
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "cd sub && pwd", "description": "go"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "pwd; echo oops >&2; exit 3", "description": "fail"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "echo started; exec sleep 1000", "description": "wait", "run_in_background": true}}]},
  {"calls": [{"name": "KillShell", "input": {"shell_id": "bash_1"}}]},
  {"text": "done"}
]}
--- run cutonce -p "go" --allowedTools Bash
--- exit 0
--- seen
request 1
  user: go
request 2
  assistant: call Bash {"command":"cd sub && pwd","description":"go"}
  user: result: $WS/sub
        
        The working folder is now $WS/sub.
request 3
  assistant: call Bash {"command":"pwd; echo oops >&2; exit 3","description":"fail"}
  user: error: $WS/sub
        oops
        
        Exit code 3
request 4
  assistant: call Bash {"command":"echo started; exec sleep 1000","description":"wait","run_in_background":true}
  user: result: Started in the background as bash_1; it ends with the session at the latest. Its output goes to $HOME/.cutonce/projects/<project>/<id>/bash_1.txt.
request 5
  assistant: call KillShell {"shell_id":"bash_1"}
  user: result: bash_1: killed.

