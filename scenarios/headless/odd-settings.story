Settings that no program could be started with, and folders that are none, are named and stop nothing (CL-4).

--- model
{"turns": [{"calls": [{"name": "Bash", "input": {"command": "echo $FINE"}}]}, {"text": "done"}]}
--- run cutonce -p "go" --settings '{"env": {"FINE": "yes", "A=B": "x", "": "y", "NUL": "\u0000"}}' --add-dir missing
--- exit 0
--- stderr
cutonce: `env`: "" can't be a variable of commands; ignored
cutonce: `env`: "A=B" can't be a variable of commands; ignored
cutonce: `env`: "NUL" can't be a variable of commands; ignored
cutonce: $WS/missing is no folder; it belongs to the workspace as soon as it is one

--- seen
request 1
  user: go
request 2
  assistant: call Bash {"command":"echo $FINE"}
  user: result: yes

