What a flag names and can't be read is not left out, because rules would be missing: a usage error, on every face, before anything starts (CL-2, CL-3).

--- file broken.json
{"permissions": {"deny": ["Bash"]
--- file list.json
["Bash"]
--- file fine.json
{"permissions": {"deny": ["LS"]}}
--- model
{"turns": [{"calls": [{"name": "LS", "input": {"path": "."}}]}, {"text": "denied"}]}
--- run cutonce -p x --settings no-such-file
--- exit 2
--- stderr
cutonce: --settings $WS/no-such-file: it can't be read: there is no such file; give a file that holds JSON, or the JSON itself: --settings '{…}'

--- run cutonce -p x --settings '{"permissions": {"deny": ['
--- exit 2
--- stderr
cutonce: --settings: line 1, column 26: not JSON: EOF while parsing a list; give a file that holds JSON, or the JSON itself: --settings '{…}'

--- run cutonce -p x --settings broken.json
--- exit 2
--- stderr
cutonce: --settings $WS/broken.json: line 2, column 0: not JSON: EOF while parsing an object; give a file that holds JSON, or the JSON itself: --settings '{…}'

--- run cutonce -p x --settings list.json
--- exit 2
--- stderr
cutonce: --settings $WS/list.json: it holds no JSON object; give a file that holds JSON, or the JSON itself: --settings '{…}'

--- run cutonce -p x --settings ""
--- exit 2
--- stderr
cutonce: --settings $WS/: it can't be read: not a file; give a file that holds JSON, or the JSON itself: --settings '{…}'

--- run cutonce --input-format stream-json --output-format stream-json --settings no-such-file
--- exit 2
--- run cutonce --plain --settings no-such-file
--- exit 2
--- run cutonce acp --settings no-such-file
--- exit 2
--- run cutonce plan x --settings no-such-file
--- exit 2
--- run cutonce -p x --session-id ../x
--- exit 2
--- stderr
cutonce: --session-id: "../x" can't be a session id: letters, digits, `-` and `_` only, at most 100

--- run cutonce -p x --settings fine.json
--- exit 0
--- transcript
session {}
user {"text":"x"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"LS","input":{"path":"."}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"LS","input":{"path":"."},"output":[{"type":"text","text":"LS of . is denied by the rule `LS` from the command line. Do not try to get there another way: go on without it, or tell the user what you need it for."}],"isError":true,"decision":{"behavior":"deny","reason":"denied by the rule `LS` from the command line","rule":"LS","source":"commandLine"}}
assistant {"blocks":[{"type":"text","text":"denied"}],"stop":"end_turn"}

--- pty 80x24 cutonce --settings no-such-file
--- shows
cutonce: --settings $WS/no-such-file: it can't be read: there is no such file; give a file that holds JSON, or the JSON itself: --settings '{…}'

--- exit 2
