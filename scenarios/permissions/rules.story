Rules decide, deny beats ask beats allow whatever the source (PR-1, PR-2, PR-3), and a compound command is judged part by part (PR-5).

--- file ~/.cutonce/settings.json
{"permissions": {"allow": ["Bash(echo:*)", "Edit(src/**)"], "deny": ["Bash(echo secret:*)", "Read(.env)"]}}
--- file .env
TOKEN=abc
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo one && echo two", "description": "say"}},
             {"name": "Bash", "input": {"command": "echo one && echo secret thing", "description": "say"}},
             {"name": "Bash", "input": {"command": "echo one > file.txt", "description": "redirect"}},
             {"name": "Bash", "input": {"command": "cat .env", "description": "peek"}},
             {"name": "Read", "input": {"file_path": ".env"}},
             {"name": "Write", "input": {"file_path": "src/new.txt", "content": "x\n"}},
             {"name": "Write", "input": {"file_path": "other.txt", "content": "x\n"}}]},
  {"text": "done"}
]}
--- run cutonce -p "go" --allowedTools "Bash(echo secret:*)"
--- exit 0
--- transcript
session {}
user {"text":"go"}
assistant {"stop":"tool_use","blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"echo one && echo two","description":"say"}},{"type":"tool_use","id":"toolu_0001_01","name":"Bash","input":{"command":"echo one && echo secret thing","description":"say"}},{"type":"tool_use","id":"toolu_0001_02","name":"Bash","input":{"command":"echo one > file.txt","description":"redirect"}},{"type":"tool_use","id":"toolu_0001_03","name":"Bash","input":{"command":"cat .env","description":"peek"}},{"type":"tool_use","id":"toolu_0001_04","name":"Read","input":{"file_path":".env"}},{"type":"tool_use","id":"toolu_0001_05","name":"Write","input":{"file_path":"src/new.txt","content":"x\n"}},{"type":"tool_use","id":"toolu_0001_06","name":"Write","input":{"file_path":"other.txt","content":"x\n"}}]}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"command":"echo one && echo two","description":"say"},"callId":"toolu_0001_00","name":"Bash"}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"command":"echo one && echo secret thing","description":"say"},"callId":"toolu_0001_01","name":"Bash"}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"command":"echo one > file.txt","description":"redirect"},"callId":"toolu_0001_02","name":"Bash"}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"command":"cat .env","description":"peek"},"callId":"toolu_0001_03","name":"Bash"}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"file_path":".env"},"callId":"toolu_0001_04","name":"Read"}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"file_path":"src/new.txt","content":"x\n"},"callId":"toolu_0001_05","name":"Write"}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"file_path":"other.txt","content":"x\n"},"callId":"toolu_0001_06","name":"Write"}
assistant {"stop":"end_turn","blocks":[{"type":"text","text":"done"}]}

--- disk
nothing changed

