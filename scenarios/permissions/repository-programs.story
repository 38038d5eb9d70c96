A repository's configuration can name programs that git runs. Where a command runs without asking, the kernel keeps them from changing anything:
in default mode, also next to `ps`, and in plan mode with `plan.shell: "readonly"` (SB-3, PR-5).

--- sh
git init -q . && git config core.fsmonitor ./monitor
--- file monitor
#!/bin/sh
echo ran > "$PWD/pwned"
--- sh
chmod +x monitor
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "ps aux | git status --short", "description": "status"}}]},
  {"text": "done"}
]}
--- run cutonce -p "go"
--- exit 0
--- disk
nothing changed

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "git status --short", "description": "status"}},
             {"name": "Bash", "input": {"command": "python3 -c 'print(1)'", "description": "not proven to only read"}}]},
  {"text": "done"}
]}
--- run cutonce -p "go" --permission-mode plan
--- disk
nothing changed

--- transcript
session {"branch":"master","slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"go"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"git status --short","description":"status"}},{"type":"tool_use","id":"toolu_0001_01","name":"Bash","input":{"command":"python3 -c 'print(1)'","description":"not proven to only read"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"git status --short","description":"status"},"output":[{"type":"text","text":"./monitor: 2: cannot create $WS/pwned: Read-only file system\n./monitor: 2: cannot create $WS/pwned: Read-only file system\n?? monitor"}],"isError":false,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
tool {"callId":"toolu_0001_01","name":"Bash","input":{"command":"python3 -c 'print(1)'","description":"not proven to only read"},"output":[{"type":"text","text":"Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files."}],"isError":true,"decision":{"behavior":"deny","reason":"plan mode is read-only"}}
assistant {"blocks":[{"type":"text","text":"done"}],"stop":"end_turn"}

