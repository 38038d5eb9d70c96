The workspace-write sandbox keeps protected places read-only (SB-4), those that exist and those that do not, also for a command that a rule allows.
acceptEdits asks before it writes a file that makes other programs run code (PR-4); without a user that is a refusal.

--- file ~/.cutonce/settings.json
{"sandbox": {"shell": true}}
--- sh
git init -q .
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "make -s || true; python3 write.py", "description": "writes"}}]},
  {"text": "done"}
]}
--- file write.py
import os
for name in [".git/hooks/pre-commit", ".git/config", ".mcp.json", ".cutonce/settings.local.json", ".envrc", "plain.txt"]:
    try:
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        open(name, "w").write("x")
        print("wrote", name)
    except OSError as error:
        print("refused", name)
--- run cutonce -p "go" --permission-mode acceptEdits --allowedTools Bash
--- exit 0
--- disk
created plain.txt
  x

--- sh
test -z "$(ls .git/hooks | grep -v sample)" && ! grep -q x .git/config
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": ".envrc", "content": "x"}},
             {"name": "Write", "input": {"file_path": ".github/workflows/ci.yml", "content": "x"}},
             {"name": "Write", "input": {"file_path": "notes.md", "content": "x"}}]},
  {"text": "done"}
]}
--- run cutonce -p "go" --permission-mode acceptEdits
--- exit 0
--- disk
created notes.md
  x

