In plan mode with `plan.shell: readonly`, keys can't be read, whether a command names them by a glob, a variable, a substitution or a search: the
kernel also confines commands that parse as read-only (PM-60, SB-2, SB-3). A script stands in for ripgrep. Commands that name their files, or print only names, run.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- sh
mkdir -p ~/.ssh src && echo TOPSECRET > ~/.ssh/id_rsa && echo TOPSECRET > .env && echo hello > src/a.txt
git init -q -b main . && git add src && git -c user.name=a -c user.email=a@b commit -qm one
ln -s .env "$(printf 'k\nx')"
mkdir ~/bin && printf '#!/bin/sh\nexec grep -r "$2" .\n' > ~/bin/rg && chmod +x ~/bin/rg
--- env PATH=$HOME/bin:$PATH
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "cat ~/.ss?/id_rsa", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "x=~/.ssh/id_rsa; cat \"$x\"", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cat $(echo .env)", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cat .en?", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "grep -r TOP ~/.ssh", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "grep -r TOP .", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "rg --hidden TOP", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cat $'k\\nx'", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cat /proc/$PPID/environ", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cat src/*.txt && grep -rn hello src && ls -a $HOME && git grep -n hello && find . -name '*.txt' | wc -l", "description": "probe"}}]},
  {"text": "Done."}
]}
--- run cutonce -p --permission-mode plan "look around"
--- exit 0
--- disk
nothing changed

--- transcript
session {"branch":"main","slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"look around"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"cat ~/.ss?/id_rsa","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"cat ~/.ss?/id_rsa","description":"probe"},"output":[{"type":"text","text":"cat: $HOME/.ssh/id_rsa: Permission denied\n\nExit code 1\nPlan mode: the sandbox refused a write outside $TMPDIR, or reading a secret."}],"isError":true,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Bash","input":{"command":"x=~/.ssh/id_rsa; cat \"$x\"","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0002_00","name":"Bash","input":{"command":"x=~/.ssh/id_rsa; cat \"$x\"","description":"probe"},"output":[{"type":"text","text":"cat: $HOME/.ssh/id_rsa: Permission denied\n\nExit code 1\nPlan mode: the sandbox refused a write outside $TMPDIR, or reading a secret."}],"isError":true,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0003_00","name":"Bash","input":{"command":"cat $(echo .env)","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0003_00","name":"Bash","input":{"command":"cat $(echo .env)","description":"probe"},"output":[{"type":"text","text":"cat: .env: Permission denied\n\nExit code 1\nPlan mode: the sandbox refused a write outside $TMPDIR, or reading a secret."}],"isError":true,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0004_00","name":"Bash","input":{"command":"cat .en?","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0004_00","name":"Bash","input":{"command":"cat .en?","description":"probe"},"output":[{"type":"text","text":"cat: .env: Permission denied\n\nExit code 1\nPlan mode: the sandbox refused a write outside $TMPDIR, or reading a secret."}],"isError":true,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0005_00","name":"Bash","input":{"command":"grep -r TOP ~/.ssh","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0005_00","name":"Bash","input":{"command":"grep -r TOP ~/.ssh","description":"probe"},"output":[{"type":"text","text":"Bash is not allowed in plan mode. Plan mode is read-only. Files with keys or credentials can't be read in plan mode."}],"isError":true,"decision":{"behavior":"deny","reason":"plan mode is read-only"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0006_00","name":"Bash","input":{"command":"grep -r TOP .","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0006_00","name":"Bash","input":{"command":"grep -r TOP .","description":"probe"},"output":[{"type":"text","text":"grep: ./.env: Permission denied\n\nExit code 2\nPlan mode: the sandbox refused a write outside $TMPDIR, or reading a secret."}],"isError":true,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0007_00","name":"Bash","input":{"command":"rg --hidden TOP","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0007_00","name":"Bash","input":{"command":"rg --hidden TOP","description":"probe"},"output":[{"type":"text","text":"grep: ./.env: Permission denied\n\nExit code 2\nPlan mode: the sandbox refused a write outside $TMPDIR, or reading a secret."}],"isError":true,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0008_00","name":"Bash","input":{"command":"cat $'k\\nx'","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0008_00","name":"Bash","input":{"command":"cat $'k\\nx'","description":"probe"},"output":[{"type":"text","text":"cat: 'k'$'\\n''x': Permission denied\n\nExit code 1\nPlan mode: the sandbox refused a write outside $TMPDIR, or reading a secret."}],"isError":true,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0009_00","name":"Bash","input":{"command":"cat /proc/$PPID/environ","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0009_00","name":"Bash","input":{"command":"cat /proc/$PPID/environ","description":"probe"},"output":[{"type":"text","text":"cat: /proc/1/environ: Permission denied\n\nExit code 1\nPlan mode: the sandbox refused a write outside $TMPDIR, or reading a secret."}],"isError":true,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0010_00","name":"Bash","input":{"command":"cat src/*.txt && grep -rn hello src && ls -a $HOME && git grep -n hello && find . -name '*.txt' | wc -l","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0010_00","name":"Bash","input":{"command":"cat src/*.txt && grep -rn hello src && ls -a $HOME && git grep -n hello && find . -name '*.txt' | wc -l","description":"probe"},"output":[{"type":"text","text":"hello\nsrc/a.txt:1:hello\n.\n..\n.cutonce\n.ssh\nbin\nsrc/a.txt:1:hello\n1"}],"isError":false,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"text","text":"Done."}],"stop":"end_turn"}

