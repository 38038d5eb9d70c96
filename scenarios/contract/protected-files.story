A plan names protected files as its own. The approved scope widens nothing (PC-20): file tools still ask before they write them (PR-4), which is a refusal without a user, and a sandboxed command still can't write them (SB-4), by its words or by a script.

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
--- file plan.md
# Plan

## Steps

1. Set things up
   - files: a.txt (new), .git/hooks/pre-commit (new), .git/config, .cutonce/settings.json (new), .envrc (new), sub/.mcp.json (new)
--- file write.py
import os, sys
names = {"git": [".git/hooks/pre-commit", ".git/config"], "rest": [".cutonce/settings.json", ".envrc", "sub/.mcp.json", "a.txt"]}
for name in names[sys.argv[1]]:
    try:
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        open(name, "w").write("script\n")
        print("wrote", name)
    except OSError:
        print("refused", name)
--- file ~/.cutonce/settings.json
{"plan": {"lint": "off"}, "sandbox": {"shell": true}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": ".git/hooks/pre-commit", "content": "x\n"}},
             {"name": "Write", "input": {"file_path": ".cutonce/settings.json", "content": "{}\n"}},
             {"name": "Write", "input": {"file_path": ".envrc", "content": "x\n"}},
             {"name": "Write", "input": {"file_path": "sub/.mcp.json", "content": "{}\n"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "echo x > .git/hooks/pre-commit"}},
             {"name": "Bash", "input": {"command": "git config core.hooksPath /tmp"}},
             {"name": "Bash", "input": {"command": "python3 write.py git"}},
             {"name": "Bash", "input": {"command": "python3 write.py rest"}}]},
  {"text": "done", "repeat": 3}
]}
--- run cutonce implement plan.md --permission-mode acceptEdits --allowedTools Bash
--- exit 5
--- disk
created a.txt
  script
created sub/.mcp.json.set-aside
  script

--- seen
request 1
  user: Implement this plan. The user approved it, and it is saved at $WS/plan.md. If you must deviate from it, say so.
        
        # Plan
        
        ## Steps
        
        1. Set things up
           - files: a.txt (new), .git/hooks/pre-commit (new), .git/config, .cutonce/settings.json (new), .envrc (new), sub/.mcp.json (new)
request 2
  assistant: call Write {"file_path":".git/hooks/pre-commit","content":"x\n"}
  assistant: call Write {"file_path":".cutonce/settings.json","content":"{}\n"}
  assistant: call Write {"file_path":".envrc","content":"x\n"}
  assistant: call Write {"file_path":"sub/.mcp.json","content":"{}\n"}
  user: error: Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would have changed.
  user: error: Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would have changed.
  user: error: Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would have changed.
  user: error: Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would have changed.
request 3
  assistant: call Bash {"command":"echo x > .git/hooks/pre-commit"}
  assistant: call Bash {"command":"git config core.hooksPath /tmp"}
  assistant: call Bash {"command":"python3 write.py git"}
  assistant: call Bash {"command":"python3 write.py rest"}
  user: error: Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would have changed.
  user: error: error: could not lock config file .git/config: Read-only file system
        
        Exit code 255
        The sandbox (`sandbox.shell`) lets commands write to the workspace and $TMPDIR only.
  user: result: refused .git/hooks/pre-commit
        refused .git/config
  user: result: refused .cutonce/settings.json
        refused .envrc
        wrote sub/.mcp.json
        wrote a.txt
        
        The sandbox lets no command create `sub/.mcp.json`, because other programs run or trust what has that name. It was renamed to `.mcp.json.set-aside`. Tell the user, who can rename it.

--- sh
test -z "$(ls .git/hooks | grep -v sample)" && ! grep -q "hooksPath\|script" .git/config
