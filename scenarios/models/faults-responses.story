Faults are retried and told, bounded, and no tool runs twice (MO-3), over the responses wire: 429 with retry-after, 529, 500, a cut stream, half an event, a malformed event.

--- sh
echo 0 > count.txt
--- model
{"turns": [
  {"fault": {"status": 429, "retry_after": "0"}},
  {"fault": {"status": 529}},
  {"calls": [{"name": "Bash", "input": {"command": "echo ran >> count.txt", "description": "count"}}], "fault": "cut"},
  {"calls": [{"name": "Bash", "input": {"command": "echo ran >> count.txt", "description": "count"}}]},
  {"fault": {"status": 500}},
  {"text": "half", "fault": "half_event"},
  {"text": "bad", "fault": "malformed_event"},
  {"text": "It ran once."}
]}
--- file ~/.cutonce/settings.json
{"retryDelayMs": 0}
--- run cutonce -p "go" --verbose --model openai/gpt-5 --dangerously-skip-permissions
--- exit 0
--- stdout
It ran once.

--- stderr
↻ openai answered 429: the scenario says so; retrying in <n> s (1 of 10)
↻ openai answered 529: the scenario says so; retrying in <n> s (2 of 10)
↻ openai cut the stream in the middle of the answer; retrying in <n> s (3 of 10)
● Bash echo ran >> count.txt
↻ openai answered 500: the scenario says so; retrying in <n> s (1 of 10)
↻ openai cut the stream in the middle of an event; retrying in <n> s (2 of 10)
↻ openai sent a malformed event (EOF while parsing a value at line 1 column 37); retrying in <n> s (3 of 10)

--- disk
changed count.txt
  0
  ran

