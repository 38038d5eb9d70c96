With `sandbox.shell` commands in default and acceptEdits mode run inside the workspace-write sandbox (SB-4): they change the workspace and their
temp folder and nothing else, read no keys, have no network. A rule that allows Bash does not lift it; bypassPermissions has no sandbox.

--- file ~/.cutonce/settings.json
{"sandbox": {"shell": true}}
--- file ~/.ssh/id
key
--- file ~/.profile-of-mine
as it was
--- file reach.py
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 9))
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo in > made.txt && cat made.txt && echo t > $TMPDIR/t && cat $TMPDIR/t", "description": "in the workspace"}},
             {"name": "Bash", "input": {"command": "echo out > ~/.profile-of-mine", "description": "outside"}},
             {"name": "Bash", "input": {"command": "cat ~/.ssh/id", "description": "a key"}},
             {"name": "Bash", "input": {"command": "python3 reach.py 2>&1 | tail -1", "description": "network"}}]},
  {"text": "done"}
]}
--- run cutonce -p "go" --permission-mode acceptEdits --allowedTools Bash
--- exit 0
--- disk
created made.txt
  in

--- transcript
session {}
mode {"from":"default","to":"acceptEdits","by":"start"}
user {"text":"go"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"echo in > made.txt && cat made.txt && echo t > $TMPDIR/t && cat $TMPDIR/t","description":"in the workspace"}},{"type":"tool_use","id":"toolu_0001_01","name":"Bash","input":{"command":"echo out > ~/.profile-of-mine","description":"outside"}},{"type":"tool_use","id":"toolu_0001_02","name":"Bash","input":{"command":"cat ~/.ssh/id","description":"a key"}},{"type":"tool_use","id":"toolu_0001_03","name":"Bash","input":{"command":"python3 reach.py 2>&1 | tail -1","description":"network"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"echo in > made.txt && cat made.txt && echo t > $TMPDIR/t && cat $TMPDIR/t","description":"in the workspace"},"output":[{"type":"text","text":"in\nt"}],"isError":false,"decision":{"behavior":"allow","reason":"allowed by the rule `Bash` from the command line","rule":"Bash","source":"commandLine"}}
tool {"callId":"toolu_0001_01","name":"Bash","input":{"command":"echo out > ~/.profile-of-mine","description":"outside"},"output":[{"type":"text","text":"bash: line 1: $HOME/.profile-of-mine: Read-only file system\n\nExit code 1\nThe sandbox (`sandbox.shell`) lets commands write to the workspace and $TMPDIR only."}],"isError":true,"decision":{"behavior":"allow","reason":"allowed by the rule `Bash` from the command line","rule":"Bash","source":"commandLine"}}
tool {"callId":"toolu_0001_02","name":"Bash","input":{"command":"cat ~/.ssh/id","description":"a key"},"output":[{"type":"text","text":"cat: $HOME/.ssh/id: Permission denied\n\nExit code 1\nThe sandbox (`sandbox.shell`) refused a write outside the workspace and $TMPDIR, or reading a secret."}],"isError":true,"decision":{"behavior":"allow","reason":"allowed by the rule `Bash` from the command line","rule":"Bash","source":"commandLine"}}
tool {"callId":"toolu_0001_03","name":"Bash","input":{"command":"python3 reach.py 2>&1 | tail -1","description":"network"},"output":[{"type":"text","text":"OSError: [Errno 101] Network is unreachable"}],"isError":false,"decision":{"behavior":"allow","reason":"allowed by the rule `Bash` from the command line","rule":"Bash","source":"commandLine"}}
assistant {"blocks":[{"type":"text","text":"done"}],"stop":"end_turn"}

--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo out > ~/.profile-of-mine && cat ~/.profile-of-mine ~/.ssh/id", "description": "outside"}}]},
  {"text": "done"}
]}
--- run cutonce -p "go" --dangerously-skip-permissions
--- exit 0
--- transcript
session {}
mode {"from":"default","to":"bypassPermissions","by":"start"}
user {"text":"go"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"echo out > ~/.profile-of-mine && cat ~/.profile-of-mine ~/.ssh/id","description":"outside"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"echo out > ~/.profile-of-mine && cat ~/.profile-of-mine ~/.ssh/id","description":"outside"},"output":[{"type":"text","text":"out\nkey"}],"isError":false,"decision":{"behavior":"allow","reason":"Commands that may read outside the workspace are allowed in bypassPermissions mode"}}
assistant {"blocks":[{"type":"text","text":"done"}],"stop":"end_turn"}

