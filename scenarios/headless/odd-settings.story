Settings that no program could be started with, and folders that are none, are named and stop nothing (CL-4).

--- model
{"turns": [{"calls": [{"name": "Bash", "input": {"command": "echo $FINE"}}]}, {"text": "done"}]}
--- run cutonce -p "go" --settings '{"env": {"FINE": "yes", "A=B": "x", "": "y", "NUL": "\u0000"}}' --add-dir missing
--- exit 0
--- stderr
cutonce: `env`: "" can't be used as an environment variable; ignored
cutonce: `env`: "A=B" can't be used as an environment variable; ignored
cutonce: `env`: "NUL" can't be used as an environment variable; ignored
cutonce: $WS/missing is not a folder; it joins the workspace once it exists

--- seen
request 1
  user: go
request 2
  assistant: call Bash {"command":"echo $FINE"}
  user: result: yes

