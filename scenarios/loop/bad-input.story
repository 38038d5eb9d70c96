Bad tool input never ends a turn (AG-6): a missing field, an unknown one, a wrong type, text that is no JSON, a tool that does not exist. Each gets an
error that names the field, what was expected and what came.

--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {}}, {"name": "Read", "input": {"file_path": "a", "colour": "red"}},
             {"name": "Grep", "input": {"pattern": 7}}, {"name": "Read", "raw": "{\"file_path\": \"a"}, {"name": "Dance", "input": {}}]},
  {"text": "I see."}
]}
--- run cutonce -p "go"
--- exit 0
--- stdout
--- seen
