On a kernel without Landlock and user namespaces there is no sandbox. An explicit `plan.shell: "sandbox"` then refuses every command and says why; it
never falls back to the parser (PM-62, SB-3). Without the setting, commands that the parser proves read-only run, git starts no program
that the repository's configuration names, and everything else is refused (SB-1, SB-3).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "sandbox"}}
--- sh
git init -q -b main . && echo hello > a.txt && git add a.txt && git -c user.name=a -c user.email=a@b commit -qm one
git config core.fsmonitor 'touch pwned; false'
--- machine without landlock namespaces
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "cat a.txt", "description": "reads"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cat a.txt", "description": "reads", "run_in_background": true}}]},
  {"calls": [{"name": "Bash", "input": {"command": "git status", "description": "reads"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "python3 -c 'print(1)'", "description": "may write"}}]},
  {"text": "Done."}
]}
--- run cutonce -p --permission-mode plan "look around"
--- exit 0
--- stderr
cutonce: Plan mode: commands are refused until the sandbox can confine them: the kernel has no Landlock, or it is disabled (Function not implemented); making a user namespace: Operation not permitted. `cutonce doctor` says more.

--- disk
nothing changed

--- transcript
session {"branch":"main","slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"look around"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"cat a.txt","description":"reads"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"cat a.txt","description":"reads"},"output":[{"type":"text","text":"The command was not started, because the sandbox can't confine it: the kernel has no Landlock, or it is disabled (Function not implemented); making a user names…"}],"isError":true,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Bash","input":{"command":"cat a.txt","description":"reads","run_in_background":true}}],"stop":"tool_use"}
tool {"callId":"toolu_0002_00","name":"Bash","input":{"command":"cat a.txt","description":"reads","run_in_background":true},"output":[{"type":"text","text":"The command was not started, because the sandbox can't confine it: the kernel has no Landlock, or it is disabled (Function not implemented); making a user names…"}],"isError":true,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0003_00","name":"Bash","input":{"command":"git status","description":"reads"}}],"stop":"tool_use"}
tool {"callId":"toolu_0003_00","name":"Bash","input":{"command":"git status","description":"reads"},"output":[{"type":"text","text":"The command was not started, because the sandbox can't confine it: the kernel has no Landlock, or it is disabled (Function not implemented); making a user names…"}],"isError":true,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0004_00","name":"Bash","input":{"command":"python3 -c 'print(1)'","description":"may write"}}],"stop":"tool_use"}
tool {"callId":"toolu_0004_00","name":"Bash","input":{"command":"python3 -c 'print(1)'","description":"may write"},"output":[{"type":"text","text":"The command was not started, because the sandbox can't confine it: the kernel has no Landlock, or it is disabled (Function not implemented); making a user names…"}],"isError":true,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"text","text":"Done."}],"stop":"end_turn"}

--- file ~/.cutonce/settings.json
{}
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "cat a.txt", "description": "reads"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "git status", "description": "reads"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "python3 -c 'print(1)'", "description": "may write"}}]},
  {"text": "Done."}
]}
--- run cutonce -p --permission-mode plan "look around"
--- exit 0
--- stderr
cutonce: Plan mode: no kernel sandbox: only commands proven read-only by parsing run (the kernel has no Landlock, or it is disabled (Function not implemented); making a user namespace: Operation not permitted).

--- disk
nothing changed

--- transcript
session {"branch":"main","slug":"<slug 2>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"look around"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug 2>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"cat a.txt","description":"reads"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"cat a.txt","description":"reads"},"output":[{"type":"text","text":"hello"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Bash","input":{"command":"git status","description":"reads"}}],"stop":"tool_use"}
tool {"callId":"toolu_0002_00","name":"Bash","input":{"command":"git status","description":"reads"},"output":[{"type":"text","text":"Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files."}],"isError":true,"decision":{"behavior":"deny","reason":"plan mode is read-only"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0003_00","name":"Bash","input":{"command":"python3 -c 'print(1)'","description":"may write"}}],"stop":"tool_use"}
tool {"callId":"toolu_0003_00","name":"Bash","input":{"command":"python3 -c 'print(1)'","description":"may write"},"output":[{"type":"text","text":"Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files."}],"isError":true,"decision":{"behavior":"deny","reason":"plan mode is read-only"}}
assistant {"blocks":[{"type":"text","text":"Done."}],"stop":"end_turn"}

--- machine without landlock
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "git status --short; python3 -c 'open(\"made\", \"w\"); print(1)'; python3 -c 'open(\"/tmp/cutonce-story-escape\", \"w\")' 2>&1 | tail -n 1", "description": "mounts hold it"}}]},
  {"text": "Done."}
]}
--- run cutonce -p --permission-mode plan "look around"
--- exit 0
--- disk
nothing changed

--- transcript
session {"branch":"main","slug":"<slug 3>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"look around"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug 3>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"git status --short; python3 -c 'open(\"made\", \"w\"); print(1)'; python3 -c 'open(\"/tmp/cutonce-story-escape\", \"w\")' 2>&1 | tail -n 1","description":"mounts hold it"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"git status --short; python3 -c 'open(\"made\", \"w\"); print(1)'; python3 -c 'open(\"/tmp/cutonce-story-escape\", \"w\")' 2>&1 | tail -n 1","description":"mounts hold it"},"output":[{"type":"text","text":"?? pwned\n1\nOSError: [Errno 30] Read-only file system: '/tmp/cutonce-story-escape'\n\n(Plan mode: ran on a scratch copy of the project; what it changed there is go…"}],"isError":false,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"text","text":"Done."}],"stop":"end_turn"}

