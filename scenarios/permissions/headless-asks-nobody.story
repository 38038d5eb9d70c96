Without anybody to ask, what would ask is denied and the turn goes on (PR-4, CL-1); the result lists the denials.

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "new.txt", "content": "x"}}, {"name": "Bash", "input": {"command": "touch other.txt", "description": "make it"}}]},
  {"text": "I was not allowed to."}
]}
--- run cutonce -p "make files" --output-format json
--- exit 0
--- frames
--- disk
