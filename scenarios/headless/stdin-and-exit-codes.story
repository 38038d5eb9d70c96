Standard input is appended to the prompt (CL-1); exit codes are 0, 1 and 2 (CL-3); errors say what, why and what to do.

--- model
{"turns": [{"text": "Two lines."}, {"calls": [{"name": "LS", "input": {"path": "."}}]}, {"fault": {"status": 401, "body": "invalid x-api-key"}}]}
--- stdin
line one
line two
--- run cutonce -p "count the lines"
--- exit 0
--- stdout
--- seen
--- run cutonce -p "go" --max-turns 1
--- exit 1
--- stderr
--- run cutonce -p "go"
--- exit 1
--- stderr
--- run cutonce -p
--- exit 2
--- stderr
--- run cutonce --permission-mode sometimes -p x
--- exit 2
