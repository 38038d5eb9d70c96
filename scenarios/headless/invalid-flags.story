A flag whose value can't be read is a usage error in every front end, before anything starts (CL-2, CL-3): ignoring it would drop rules.

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
cutonce: --settings $WS/no-such-file: can't be read: no such file; pass a JSON file or JSON text: --settings '{…}'

--- run cutonce -p x --settings '{"permissions": {"deny": ['
--- exit 2
--- stderr
cutonce: --settings: line 1, column 26: not JSON: EOF while parsing a list; pass a JSON file or JSON text: --settings '{…}'

--- run cutonce -p x --settings broken.json
--- exit 2
--- stderr
cutonce: --settings $WS/broken.json: line 2, column 0: not JSON: EOF while parsing an object; pass a JSON file or JSON text: --settings '{…}'

--- run cutonce -p x --settings list.json
--- exit 2
--- stderr
cutonce: --settings $WS/list.json: expected an object with settings, got a list; pass a JSON file or JSON text: --settings '{…}'

--- run cutonce -p x --settings ""
--- exit 2
--- stderr
cutonce: --settings $WS/: can't be read: not a file; pass a JSON file or JSON text: --settings '{…}'

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
cutonce: --session-id: invalid session id "../x": use at most 100 letters, digits, `-` and `_`

--- run cutonce -p x --settings fine.json
--- exit 0
--- transcript
session {}
user {"text":"x"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"LS","input":{"path":"."}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"LS","input":{"path":"."},"output":[{"type":"text","text":"LS of . is denied by the rule `LS` from the command line. Do not try to work around this. Continue without it, or tell the user why you need it."}],"isError":true,"decision":{"behavior":"deny","reason":"denied by the rule `LS` from the command line","rule":"LS","source":"commandLine"}}
assistant {"blocks":[{"type":"text","text":"denied"}],"stop":"end_turn"}

--- pty 80x24 cutonce --settings no-such-file
--- shows
cutonce: --settings $WS/no-such-file: can't be read: no such file; pass a JSON file or JSON text: --settings '{…}'

--- exit 2
