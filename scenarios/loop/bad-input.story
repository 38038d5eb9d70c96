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
I see.

--- seen
request 1
  user: go
request 2
  assistant: call Read {}
  assistant: call Read {"file_path":"a","colour":"red"}
  assistant: call Grep {"pattern":7}
  assistant: call Read {"invalid_json":"{\"file_path\": \"a"}
  assistant: call Dance {}
  user: error: Invalid input: the input: missing field `file_path`
  user: error: Invalid input: `colour`: unknown field `colour`, expected one of `file_path`, `offset`, `limit`
  user: error: Invalid input: `pattern`: invalid type: integer `7`, expected a string
  user: error: Invalid input: expected one JSON object, got text that is not JSON (EOF while parsing a string at line 1 column 16).
  user: error: There is no tool `Dance`. Tools: Agent, AskUserQuestion, Bash, BashOutput, Edit, ExitPlanMode, Glob, Grep, KillShell, LS, NotebookEdit, Read, SendMessage, TeamCreate, TeamDelete, TodoWrite, WebFetch, Write.

