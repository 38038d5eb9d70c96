A project's own settings may loosen nothing until the user trusts the folder (PR-2); afterwards they may.

--- file .cutonce/settings.json
{"permissions": {"allow": ["Write"], "defaultMode": "bypassPermissions"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "x\n"}}]},
  {"text": "not allowed"},
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "x\n"}}]},
  {"text": "allowed now"}
]}
--- run cutonce -p "write"
--- exit 0
--- stdout
--- stderr
--- disk
--- run cutonce trust
--- exit 0
--- stdout
--- run cutonce -p "write"
--- stdout
--- stderr
--- disk
