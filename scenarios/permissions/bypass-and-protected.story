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
nothing changed

--- transcript
session {"branch":"master"}
user {"text":"go"}
assistant {"stop":"tool_use","blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"echo x > made.txt","description":"write"}},{"type":"tool_use","id":"toolu_0001_01","name":"Write","input":{"file_path":".git/hooks/pre-commit","content":"evil"}},{"type":"tool_use","id":"toolu_0001_02","name":"Write","input":{"file_path":"~/.bashrc","content":"evil"}},{"type":"tool_use","id":"toolu_0001_03","name":"Write","input":{"file_path":".cutonce/settings.json","content":"{}"}},{"type":"tool_use","id":"toolu_0001_04","name":"Bash","input":{"command":"rm made.txt","description":"denied by rule"}}]}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"command":"echo x > made.txt","description":"write"},"callId":"toolu_0001_00","name":"Bash"}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"file_path":".git/hooks/pre-commit","content":"evil"},"callId":"toolu_0001_01","name":"Write"}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"file_path":"~/.bashrc","content":"evil"},"callId":"toolu_0001_02","name":"Write"}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"file_path":".cutonce/settings.json","content":"{}"},"callId":"toolu_0001_03","name":"Write"}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"command":"rm made.txt","description":"denied by rule"},"callId":"toolu_0001_04","name":"Bash"}
assistant {"stop":"end_turn","blocks":[{"type":"text","text":"done"}]}

