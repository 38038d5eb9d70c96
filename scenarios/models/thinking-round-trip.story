Thinking goes back to the provider that made it, unchanged (MO-2).

--- file a.txt
one
--- model
{"turns": [
  {"thinking": "Let me look first.", "calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"text": "one"}
]}
--- run cutonce -p "go" --model anthropic/claude-sonnet-4-5
--- stdout
--- seen
