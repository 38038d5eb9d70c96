bypassPermissions runs everything except what deny rules forbid and writes to protected paths (PR-4): .git, shell rc files, cutonce's own settings.
For unknown commands, the paths in their arguments are checked.

--- sh
git init -q .
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo x > made.txt", "description": "write"}},
             {"name": "Write", "input": {"file_path": ".git/hooks/pre-commit", "content": "evil"}},
             {"name": "Write", "input": {"file_path": "~/.bashrc", "content": "evil"}},
             {"name": "Write", "input": {"file_path": ".cutonce/settings.json", "content": "{}"}},
             {"name": "Bash", "input": {"command": "rm made.txt", "description": "denied by rule"}},
             {"name": "Bash", "input": {"command": "python3 --version >/dev/null; sort -o .git/hooks/y made.txt", "description": "unknown option"}},
             {"name": "Bash", "input": {"command": "ln -s .git/hooks/x link; tee-like --out=link", "description": "through a link that is not there yet"}},
             {"name": "Bash", "input": {"command": "curl -s -o .git/hooks/y file:///etc/hostname", "description": "unknown command"}},
             {"name": "Bash", "input": {"command": "perl -e 'open F, q(>), shift' locked/x.txt", "description": "a rule names it"}}]},
  {"text": "done"}
]}
--- run cutonce -p "go" --dangerously-skip-permissions --disallowedTools "Bash(rm:*)" "Edit(./locked/**)"
--- exit 0
--- disk
created made.txt
  x

--- transcript
session {"branch":"master"}
mode {"from":"default","to":"bypassPermissions","by":"start"}
user {"text":"go"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"echo x > made.txt","description":"write"}},{"type":"tool_use","id":"toolu_0001_01","name":"Write","input":{"file_path":".git/hooks/pre-commit","content":"evil"}},{"type":"tool_use","id":"toolu_0001_02","name":"Write","input":{"file_path":"~/.bashrc","content":"evil"}},{"type":"tool_use","id":"toolu_0001_03","name":"Write","input":{"file_path":".cutonce/settings.json","content":"{}"}},{"type":"tool_use","id":"toolu_0001_04","name":"Bash","input":{"command":"rm made.txt","description":"denied by rule"}},{"type":"tool_use","id":"toolu_0001_05","name":"Bash","input":{"command":"python3 --version >/dev/null; sort -o .git/hooks/y made.txt","description":"unknown option"}},{"type":"tool_use","id":"toolu_0001_06","name":"Bash","input":{"command":"ln -s .git/hooks/x link; tee-like --out=link","description":"through a link that is not there yet"}},{"type":"tool_use","id":"toolu_0001_07","name":"Bash","input":{"command":"curl -s -o .git/hooks/y file:///etc/hostname","description":"unknown command"}},{"type":"tool_use","id":"toolu_0001_08","name":"Bash","input":{"command":"perl -e 'open F, q(>), shift' locked/x.txt","description":"a rule names it"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"echo x > made.txt","description":"write"},"output":[{"type":"text","text":"(no output)"}],"isError":false,"decision":{"behavior":"allow","reason":"Edits are allowed in bypassPermissions mode"}}
tool {"callId":"toolu_0001_01","name":"Write","input":{"file_path":".git/hooks/pre-commit","content":"evil"},"output":[{"type":"text","text":"Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would hav…"}],"isError":true,"decision":{"behavior":"deny","reason":"Edits of protected files need your OK in bypassPermissions mode; this session can't ask"}}
tool {"callId":"toolu_0001_02","name":"Write","input":{"file_path":"~/.bashrc","content":"evil"},"output":[{"type":"text","text":"Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would hav…"}],"isError":true,"decision":{"behavior":"deny","reason":"Edits of protected files need your OK in bypassPermissions mode; this session can't ask"}}
tool {"callId":"toolu_0001_03","name":"Write","input":{"file_path":".cutonce/settings.json","content":"{}"},"output":[{"type":"text","text":"Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would hav…"}],"isError":true,"decision":{"behavior":"deny","reason":"Edits of protected files need your OK in bypassPermissions mode; this session can't ask"}}
tool {"callId":"toolu_0001_04","name":"Bash","input":{"command":"rm made.txt","description":"denied by rule"},"output":[{"type":"text","text":"The command `rm made.txt` is denied by the rule `Bash(rm:*)` from the command line. Do not try to work around this. Continue without it, or tell the user why yo…"}],"isError":true,"decision":{"behavior":"deny","reason":"denied by the rule `Bash(rm:*)` from the command line","rule":"Bash(rm:*)","source":"commandLine"}}
tool {"callId":"toolu_0001_05","name":"Bash","input":{"command":"python3 --version >/dev/null; sort -o .git/hooks/y made.txt","description":"unknown option"},"output":[{"type":"text","text":"Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would hav…"}],"isError":true,"decision":{"behavior":"deny","reason":"Edits of protected files need your OK in bypassPermissions mode (`sort -o .git/hooks/y made.txt`); this session can't ask"}}
tool {"callId":"toolu_0001_06","name":"Bash","input":{"command":"ln -s .git/hooks/x link; tee-like --out=link","description":"through a link that is not there yet"},"output":[{"type":"text","text":"Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would hav…"}],"isError":true,"decision":{"behavior":"deny","reason":"Edits of protected files need your OK in bypassPermissions mode (`ln -s .git/hooks/x link`); this session can't ask"}}
tool {"callId":"toolu_0001_07","name":"Bash","input":{"command":"curl -s -o .git/hooks/y file:///etc/hostname","description":"unknown command"},"output":[{"type":"text","text":"Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would hav…"}],"isError":true,"decision":{"behavior":"deny","reason":"Edits of protected files need your OK in bypassPermissions mode (`curl -s -o .git/hooks/y file:///etc/hostname`); this session can't ask"}}
tool {"callId":"toolu_0001_08","name":"Bash","input":{"command":"perl -e 'open F, q(>), shift' locked/x.txt","description":"a rule names it"},"output":[{"type":"text","text":"The command `perl -e 'open F, q(>), shift' locked/x.txt` is denied by the rule `Edit(./locked/**)` from the command line. Do not try to work around this. Contin…"}],"isError":true,"decision":{"behavior":"deny","reason":"denied by the rule `Edit(./locked/**)` from the command line","rule":"Edit(./locked/**)","source":"commandLine"}}
assistant {"blocks":[{"type":"text","text":"done"}],"stop":"end_turn"}

