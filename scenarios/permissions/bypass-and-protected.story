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
--- transcript
