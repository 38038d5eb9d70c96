Thinking is sent back unchanged to the provider that produced it (MO-2).

--- file ~/.cutonce/settings.json
{"thinking": {"budget": 2000}}
--- file a.txt
one
--- model
{"turns": [
  {"thinking": "Let me look first.", "calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"text": "one"}
]}
--- run cutonce -p "go" --model anthropic/claude-sonnet-4-5
--- stdout
one

--- seen
request 1
  user: go
request 2
  assistant: (thinking) Let me look first.
  assistant: call Read {"file_path":"a.txt"}
  user: result: 1	one

