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
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"echo one && echo two","description":"say"}},{"type":"tool_use","id":"toolu_0001_01","name":"Bash","input":{"command":"echo one && echo secret thing","description":"say"}},{"type":"tool_use","id":"toolu_0001_02","name":"Bash","input":{"command":"echo one > file.txt","description":"redirect"}},{"type":"tool_use","id":"toolu_0001_03","name":"Bash","input":{"command":"cat .env","description":"peek"}},{"type":"tool_use","id":"toolu_0001_04","name":"Read","input":{"file_path":".env"}},{"type":"tool_use","id":"toolu_0001_05","name":"Write","input":{"file_path":"src/new.txt","content":"x\n"}},{"type":"tool_use","id":"toolu_0001_06","name":"Write","input":{"file_path":"other.txt","content":"x\n"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"echo one && echo two","description":"say"},"output":[{"type":"text","text":"one\ntwo"}],"isError":false,"decision":{"behavior":"allow","reason":"Read-only commands are allowed in default mode"}}
tool {"callId":"toolu_0001_01","name":"Bash","input":{"command":"echo one && echo secret thing","description":"say"},"output":[{"type":"text","text":"The command `echo one && echo secret thing` is denied by the rule `Bash(echo secret:*)` from ~/.cutonce/settings.json. Do not try to work around this. Continue …"}],"isError":true,"decision":{"behavior":"deny","reason":"denied by the rule `Bash(echo secret:*)` from ~/.cutonce/settings.json","rule":"Bash(echo secret:*)","source":"user"}}
tool {"callId":"toolu_0001_02","name":"Bash","input":{"command":"echo one > file.txt","description":"redirect"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Edits need your OK in default mode (writes file.txt); this session can't ask"}}
tool {"callId":"toolu_0001_03","name":"Bash","input":{"command":"cat .env","description":"peek"},"output":[{"type":"text","text":"The command `cat .env` is denied by the rule `Read(.env)` from ~/.cutonce/settings.json. Do not try to work around this. Continue without it, or tell the user w…"}],"isError":true,"decision":{"behavior":"deny","reason":"denied by the rule `Read(.env)` from ~/.cutonce/settings.json","rule":"Read(.env)","source":"user"}}
tool {"callId":"toolu_0001_04","name":"Read","input":{"file_path":".env"},"output":[{"type":"text","text":"Read of .env is denied by the rule `Read(.env)` from ~/.cutonce/settings.json. Do not try to work around this. Continue without it, or tell the user why you nee…"}],"isError":true,"decision":{"behavior":"deny","reason":"denied by the rule `Read(.env)` from ~/.cutonce/settings.json","rule":"Read(.env)","source":"user"}}
file_snapshot {"key":"before","path":"$WS/src/new.txt"}
tool {"callId":"toolu_0001_05","name":"Write","input":{"file_path":"src/new.txt","content":"x\n"},"output":[{"type":"text","text":"Created src/new.txt (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"allowed by the rule `Edit(src/**)` from ~/.cutonce/settings.json","rule":"Edit(src/**)","source":"user"}}
tool {"callId":"toolu_0001_06","name":"Write","input":{"file_path":"other.txt","content":"x\n"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Edits need your OK in default mode; this session can't ask"}}
assistant {"blocks":[{"type":"text","text":"done"}],"stop":"end_turn"}

--- disk
created src/new.txt
  x

