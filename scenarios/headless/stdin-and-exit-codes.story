Standard input is appended to the prompt (CL-1); exit codes are 0, 1 and 2 (CL-3); errors say what, why and what to do.

--- model
{"turns": [{"text": "Two lines."}, {"calls": [{"name": "LS", "input": {"path": "."}}]}, {"fault": {"status": 401, "body": "invalid x-api-key"}}]}
--- stdin
line one
line two
--- run cutonce -p "count the lines"
--- exit 0
--- stdout
Two lines.

--- seen
request 1
  user: count the lines
        
        line one
        line two

--- run cutonce -p "go" --max-turns 1
--- exit 1
--- stderr
cutonce: stopped after 1 request (--max-turns); continue with --continue or raise the limit

--- run cutonce -p "go"
--- exit 1
--- stderr
cutonce: anthropic refused the key (401): invalid x-api-key
Set ANTHROPIC_API_KEY to a valid key, or store one: cutonce key ANTHROPIC_API_KEY.

--- run cutonce -p
--- exit 2
--- stderr
cutonce: no prompt: pass it as an argument or on standard input

--- run cutonce --permission-mode sometimes -p x
--- exit 2
