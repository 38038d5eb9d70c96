Thinking goes back to the provider that made it, unchanged (MO-2).

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
  assistant: call Read {"file_path":"a.txt"}
  user: error: Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it.

