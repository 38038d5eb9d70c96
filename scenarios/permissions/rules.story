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
--- disk
