The tools and model that a custom command grants for its turn (UI-9, PR-2) apply to agents that the turn waits for. They do not apply to a background
agent, which outlives the turn (SA-1).

--- file ~/.cutonce/commands/make.md
---
description: Make files.
allowed-tools: Write
---
Make the files.
--- stdin
{"type":"user","message":{"role":"user","content":"/make"}}
--- model
{"turns": [
  {"when": "You carry out a task", "calls": [{"name": "Write", "input": {"file_path": "here.txt", "content": "x\n"}}]},
  {"when": "You carry out a task", "text": "Here is over."},
  {"when": "You carry out a task", "calls": [{"name": "Write", "input": {"file_path": "beside.txt", "content": "x\n"}}]},
  {"when": "You carry out a task", "text": "Beside is over."},
  {"when": "You are cutonce", "calls": [
    {"name": "Agent", "input": {"description": "here", "prompt": "write here", "subagent_type": "general-purpose"}}]},
  {"when": "You are cutonce", "calls": [
    {"name": "Agent", "input": {"description": "beside", "prompt": "write beside", "subagent_type": "general-purpose", "run_in_background": true}}]},
  {"when": "You are cutonce", "text": "done", "repeat": 3}
]}
--- run cutonce -p --input-format stream-json --output-format stream-json --verbose
--- exit 0
--- disk
created here.txt
  x

