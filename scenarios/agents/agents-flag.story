Agents of `--agents` (SA-2, CL-2) work like agents of files, with their own prompt and tools (SA-4). An invalid definition is a usage error that names
the field.

--- model
{"turns": [
  {"when": "You are cutonce", "calls": [{"name": "Agent", "input": {"description": "look", "prompt": "Look.", "subagent_type": "looker"}}]},
  {"when": "You are cutonce", "text": "done"},
  {"when": "I am the looker", "calls": [{"name": "Bash", "input": {"command": "touch pwned", "description": "x"}}]},
  {"when": "I am the looker", "text": "No shell here."}
]}
--- run cutonce -p "go" --agents '{"looker": {"description": "looks", "prompt": "I am the looker.", "tools": ["Read"]}}'
--- exit 0
--- stdout
done
--- disk
nothing changed

--- run cutonce -p "go" --agents '{"looker": {"description": 1}}'
--- exit 2
--- stderr
cutonce: --agents: agents.looker: `description`: expected a text, got 1

