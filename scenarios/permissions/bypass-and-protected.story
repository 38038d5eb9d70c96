bypassPermissions runs everything but what deny rules forbid and writes to protected paths (PR-4): .git, shell rc files, cutonce's own settings.

--- sh
git init -q .
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo x > made.txt", "description": "write"}},
             {"name": "Write", "input": {"file_path": ".git/hooks/pre-commit", "content": "evil"}},
             {"name": "Write", "input": {"file_path": "~/.bashrc", "content": "evil"}},
             {"name": "Write", "input": {"file_path": ".cutonce/settings.json", "content": "{}"}},
             {"name": "Bash", "input": {"command": "rm made.txt", "description": "denied by rule"}}]},
  {"text": "done"}
]}
--- run cutonce -p "go" --dangerously-skip-permissions --disallowedTools "Bash(rm:*)"
--- exit 0
--- disk
created made.txt
  x

--- transcript
session {"branch":"master"}
mode {"from":"default","to":"bypassPermissions","by":"start"}
user {"text":"go"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"echo x > made.txt","description":"write"}},{"type":"tool_use","id":"toolu_0001_01","name":"Write","input":{"file_path":".git/hooks/pre-commit","content":"evil"}},{"type":"tool_use","id":"toolu_0001_02","name":"Write","input":{"file_path":"~/.bashrc","content":"evil"}},{"type":"tool_use","id":"toolu_0001_03","name":"Write","input":{"file_path":".cutonce/settings.json","content":"{}"}},{"type":"tool_use","id":"toolu_0001_04","name":"Bash","input":{"command":"rm made.txt","description":"denied by rule"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"echo x > made.txt","description":"write"},"output":[{"type":"text","text":"(no output)"}],"isError":false,"decision":{"behavior":"allow","reason":"bypassPermissions mode runs this: write in the workspace"}}
tool {"callId":"toolu_0001_01","name":"Write","input":{"file_path":".git/hooks/pre-commit","content":"evil"},"output":[{"type":"text","text":"Not allowed: it writes to a protected place, which only a person can allow, and nobody is here. Go on without it, or tell the user what you would have changed."}],"isError":true,"decision":{"behavior":"deny","reason":"bypassPermissions mode asks before this: write to a protected place; nobody can answer here"}}
tool {"callId":"toolu_0001_02","name":"Write","input":{"file_path":"~/.bashrc","content":"evil"},"output":[{"type":"text","text":"Not allowed: it writes to a protected place, which only a person can allow, and nobody is here. Go on without it, or tell the user what you would have changed."}],"isError":true,"decision":{"behavior":"deny","reason":"bypassPermissions mode asks before this: write to a protected place; nobody can answer here"}}
tool {"callId":"toolu_0001_03","name":"Write","input":{"file_path":".cutonce/settings.json","content":"{}"},"output":[{"type":"text","text":"Not allowed: it writes to a protected place, which only a person can allow, and nobody is here. Go on without it, or tell the user what you would have changed."}],"isError":true,"decision":{"behavior":"deny","reason":"bypassPermissions mode asks before this: write to a protected place; nobody can answer here"}}
tool {"callId":"toolu_0001_04","name":"Bash","input":{"command":"rm made.txt","description":"denied by rule"},"output":[{"type":"text","text":"The command `rm made.txt` is denied by the rule `Bash(rm:*)` from the command line. Do not try to get there another way: go on without it, or tell the user what…"}],"isError":true,"decision":{"behavior":"deny","reason":"denied by the rule `Bash(rm:*)` from the command line","rule":"Bash(rm:*)","source":"commandLine"}}
assistant {"blocks":[{"type":"text","text":"done"}],"stop":"end_turn"}

