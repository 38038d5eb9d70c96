`--plain` in a pipe reports until the end of the turn, and its exit code states the result (CL-1, CL-3, MO-3). No user can answer: a call that asks is
interrupted (AG-4).

--- model
{"turns": [{"text": "It is a test."}]}
--- stdin
what is it?
--- run cutonce --plain
--- exit 0
--- stdout

> It is a test.

--- model
{"turns": [{"text": "It is still one."}]}
--- run cutonce --plain "what is it?"
--- exit 0
--- stdout
It is still one.

--- model
{"turns": [{"calls": [{"name": "Bash", "input": {"command": "touch a"}}]}, {"text": "never"}]}
--- run cutonce --plain "touch it"
--- exit 1
--- disk
nothing changed

--- model
{"turns": [{"fault": {"status": 401}}]}
--- run cutonce --plain "what is it?"
--- exit 1
--- stdout
error: anthropic refused the key (401): the scenario says so
Set ANTHROPIC_API_KEY to a valid key, or store one: cutonce key ANTHROPIC_API_KEY.

