A headless lead has no user to ask (TM-1): a teammate's call is denied at once with the reason, and nothing hangs.

--- model
{"turns": [
  {"when": "session can't ask its user", "calls": [{"name": "SendMessage", "input": {"to": "team-lead", "text": "ANN-DENIED"}}]},
  {"when": "ANN-DENIED", "calls": [{"name": "Bash", "input": {"command": "touch heard", "description": "it was denied"}}]},
  {"when": "ANN-DENIED", "text": "It was denied.", "repeat": 3},
  {"when": "You are `ann`", "calls": [{"name": "Write", "input": {"file_path": "$WS/hello.txt", "content": "Hello!\n"}}]},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [{"name": "ann", "task": "Write hello.txt."}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 5}
]}
--- run cutonce -p "Lead this." --allowedTools "Bash(touch heard)"
--- exit 0
--- disk
created heard
