Custom agents (SA-3) come from the home and the project; a trusted project's agent replaces the user's. A broken file is reported with its line and
what was expected. Until the folder is trusted, its files loosen nothing (PR-2). An agent is offered only its own tools (SA-4); a call of another tool
does not run.

--- file ~/.cutonce/agents/helper.md
---
name: helper
description: helps, as the user says
tools: Read, Glob
---
I am the user's helper.
--- file .cutonce/agents/helper.md
---
name: helper
description: helps, as the project says
permissionMode: bypassPermissions
---
I am the project's helper.
--- file .claude/agents/writer.md
---
name: writer
description: writes
permissionMode: acceptEdits
---
I am the writer.
--- file .claude/agents/broken.md
---
name: broken
description: b
color: mauve
---
x
--- model
{"turns": [
  {"when": "You are cutonce", "calls": [
    {"name": "Agent", "input": {"description": "help", "prompt": "Help.", "subagent_type": "helper"}},
    {"name": "Agent", "input": {"description": "write", "prompt": "Write.", "subagent_type": "writer"}},
    {"name": "Agent", "input": {"description": "none", "prompt": "None.", "subagent_type": "nobody"}},
    {"name": "Agent", "input": {"description": "", "prompt": "None."}}]},
  {"when": "You are cutonce", "text": "done"},
  {"when": "I am the user's helper", "calls": [{"name": "Bash", "input": {"command": "touch pwned", "description": "x"}}]},
  {"when": "I am the user's helper", "text": "No shell."},
  {"when": "I am the writer", "calls": [{"name": "Write", "input": {"file_path": "w.txt", "content": "w"}}]},
  {"when": "I am the writer", "text": "Written or not."},
  {"when": "I am the project's helper", "text": "I speak for the project."}
]}
--- run cutonce -p "go"
--- exit 0
--- stdout
done

--- stderr
cutonce: $WS/.cutonce/agents/helper.md: `permissionMode` takes effect once you trust this folder (cutonce trust)
cutonce: $WS/.cutonce/agents/helper.md: the user agent `helper` is used until you trust this folder (cutonce trust)
cutonce: $WS/.claude/agents/broken.md: line 4: `color`: expected one of red, orange, yellow, green, cyan, blue, purple, violet, pink, got `mauve`
cutonce: $WS/.claude/agents/writer.md: `permissionMode` takes effect once you trust this folder (cutonce trust)

--- transcript
session {}
user {"text":"go"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Agent","input":{"description":"help","prompt":"Help.","subagent_type":"helper"}},{"type":"tool_use","id":"toolu_0001_01","name":"Agent","input":{"description":"write","prompt":"Write.","subagent_type":"writer"}},{"type":"tool_use","id":"toolu_0001_02","name":"Agent","input":{"description":"none","prompt":"None.","subagent_type":"nobody"}},{"type":"tool_use","id":"toolu_0001_03","name":"Agent","input":{"description":"","prompt":"None."}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Agent","input":{"description":"help","prompt":"Help.","subagent_type":"helper"},"output":[{"type":"text","text":"No shell.\n\nagentId: <id> (resume it with this id if there is more to do)"}],"isError":false,"decision":{"behavior":"allow","reason":"Subagents are allowed in default mode"}}
tool {"callId":"toolu_0001_01","name":"Agent","input":{"description":"write","prompt":"Write.","subagent_type":"writer"},"output":[{"type":"text","text":"Written or not.\n\nagentId: <id> (resume it with this id if there is more to do)"}],"isError":false,"decision":{"behavior":"allow","reason":"Subagents are allowed in default mode"}}
tool {"callId":"toolu_0001_02","name":"Agent","input":{"description":"none","prompt":"None.","subagent_type":"nobody"},"output":[{"type":"text","text":"Invalid input: `subagent_type`: expected one of Explore, Plan, general-purpose, helper, writer, got `nobody`."}],"isError":true,"decision":{"behavior":"allow","reason":"not decided: the call could not be made"}}
tool {"callId":"toolu_0001_03","name":"Agent","input":{"description":"","prompt":"None."},"output":[{"type":"text","text":"Invalid input: `description`: expected text, got an empty string"}],"isError":true,"decision":{"behavior":"allow","reason":"not decided: the call could not be made"}}
assistant {"blocks":[{"type":"text","text":"done"}],"stop":"end_turn"}

--- disk
nothing changed

--- run cutonce trust
--- model
{"turns": [
  {"when": "You are cutonce", "calls": [
    {"name": "Agent", "input": {"description": "help", "prompt": "Help.", "subagent_type": "helper"}},
    {"name": "Agent", "input": {"description": "write", "prompt": "Write.", "subagent_type": "writer"}}]},
  {"when": "You are cutonce", "text": "done"},
  {"when": "I am the writer", "calls": [{"name": "Write", "input": {"file_path": "w.txt", "content": "w"}}]},
  {"when": "I am the writer", "text": "Written or not."},
  {"when": "I am the project's helper", "text": "I speak for the project."}
]}
--- run cutonce -p "go"
--- exit 0
--- disk
created w.txt
  w

--- run cutonce --plain
--- talk
< >
> /agents
< broken.md
< >
> /exit
--- stdout

> Explore (built-in)
  Searches and reads code, changes nothing. Use it to find where something is, how it works, or what a change would touch, when that takes more than a few searches. Say how thorough.
  tools: all but Agent, Edit, Write, NotebookEdit, TodoWrite, AskUserQuestion · model: small
Plan (built-in)
  Designs a change: sees the conversation so far, reads the code, compares approaches and returns ordered steps with the files that matter. For work on several files or with several valid approaches.
  tools: all but Agent, Edit, Write, NotebookEdit, TodoWrite, Bash, BashOutput, KillShell · model: plan
general-purpose (built-in)
  Carries out a task of several steps on its own, with all tools. Use it for work that can run in parallel with yours.
  tools: all · model: inherit
helper (project · $WS/.cutonce/agents/helper.md)
  helps, as the project says
  tools: all · model: inherit
writer (project · $WS/.claude/agents/writer.md)
  writes
  tools: all · model: inherit
! $WS/.claude/agents/broken.md: line 4: `color`: expected one of red, orange, yellow, green, cyan, blue, purple, violet, pink, got `mauve`
/agents NAME opens its file in your editor.

>

