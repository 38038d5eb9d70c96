A project's hooks do not run until the folder is trusted, also in headless runs (HO-7, PR-2). A hook that fails is reported to the user and lets
nothing through: what would have run asks; with `onFailure: "block"` it is blocked. `disableAllHooks` disables all hooks.

--- file .cutonce/settings.json
{"hooks": {"PreToolUse": [{"matcher": "Read", "hooks": [{"type": "command", "command": "touch $CUTONCE_PROJECT_DIR/ran; echo '{broken'"}]},
                          {"matcher": "Glob", "hooks": [{"type": "command", "command": "exit 7", "onFailure": "block"}]}]}}
--- file notes.txt
hello
--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": "notes.txt"}}]},
  {"text": "first"},
  {"calls": [{"name": "Read", "input": {"file_path": "notes.txt"}}, {"name": "Glob", "input": {"pattern": "*.txt"}}]},
  {"text": "second"},
  {"calls": [{"name": "Read", "input": {"file_path": "notes.txt"}}]},
  {"text": "third"}
]}
--- run cutonce -p "look"
--- stderr
cutonce: Ignored until you trust this folder: hooks. Trust it with /trust or `cutonce trust`.

--- disk
nothing changed

--- run cutonce trust
--- run cutonce -p "look"
--- stdout
second

--- stderr
cutonce: A PreToolUse hook failed: the answer is not JSON: key must be a string at line 1 column 2

--- disk
created ran

--- seen
request 1
  user: look
request 2
  assistant: call Read {"file_path":"notes.txt"}
  user: result: 1	hello
request 3
  user: look
request 4
  assistant: call Read {"file_path":"notes.txt"}
  assistant: call Glob {"pattern":"*.txt"}
  user: error: Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it.
  user: error: The user's hook blocked this call: A PreToolUse hook failed: exit code 7: (nothing on stderr)

--- run cutonce -p "look" --settings '{"disableAllHooks": true}'
--- stdout
third

--- stderr


--- seen
request 5
  user: look
request 6
  assistant: call Read {"file_path":"notes.txt"}
  user: result: 1	hello

