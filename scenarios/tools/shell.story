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
