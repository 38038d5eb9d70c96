Faults are retried and told, bounded, and no tool runs twice (MO-3), over the chat wire: 429 with retry-after, 529, 500, a cut stream, half an event, a malformed event.

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
{"retryBaseMs": 1}
--- run cutonce -p "go" --verbose --model openai-chat/some-model --dangerously-skip-permissions
--- exit 0
--- stdout
--- stderr
--- disk
