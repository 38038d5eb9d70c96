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
not allowed

--- stderr
cutonce: Ignored until you trust this folder: allow rules, default mode. Trust it with /trust or `cutonce trust`.

--- disk
nothing changed

--- run cutonce trust
--- exit 0
--- stdout
$WS is now trusted. Its settings apply from the next start.

--- run cutonce -p "write"
--- stdout
allowed now

--- stderr
--- disk
created a.txt
  x

