What a session used survives a resume, in every front end: `/cost` and `/status` of plain lines and of the terminal, results, and the budget continue from there, and a rewind gives nothing back (DU-3). A session that has used up its budget asks the model nothing more.

--- file ~/.cutonce/settings.json
{"model": {"main": "anthropic/claude-sonnet-4-5"}}
--- model
{"turns": [
  {"text": "one", "usage": {"input_tokens": 1000, "output_tokens": 100}},
  {"text": "two", "usage": {"input_tokens": 2000, "output_tokens": 200}},
  {"text": "three", "usage": {"input_tokens": 4000, "output_tokens": 400}},
  {"text": "four", "usage": {"input_tokens": 8000, "output_tokens": 800}}
]}
--- run cutonce -p first --output-format json
--- exit 0
--- frames
{"type":"result","subtype":"success","is_error":false,"result":"one","num_turns":1,"stop_reason":"end_turn","total_cost_usd":0.0045,"usage":{"input_tokens":1000,"output_tokens":100,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"},"permission_denials":[],"terminal_reason":"completed","message":null,"event":{"message":null}}

--- run cutonce --plain --continue
--- talk
< >
> /status
< used: 1,000 tokens sent, 100 received, $0.0045
< >
> second
< two
< >
> /cost
< claude-sonnet-4-5: 3,000 tokens sent
< >
> /exit
--- exit 0
--- pty 80x24 cutonce --continue
--- keys
< 3.3k tokens
> /cost
press enter
< claude-sonnet-4-5: 3,000 tokens sent
> third
press enter
< three
gone interrupt
> /cost
press enter
< 7,000 tokens sent
press ctrl+d
--- exit 0
--- run cutonce -p fourth --continue --max-budget-usd 0.01
--- exit 1
--- stdout
--- stderr
cutonce: stopped: the budget (--max-budget-usd) is used up; continue with --continue

--- run cutonce -p fifth --continue --max-budget-usd 1 --output-format json
--- exit 0
--- frames
{"type":"result","subtype":"success","is_error":false,"result":"four","num_turns":1,"stop_reason":"end_turn","total_cost_usd":0.0675,"usage":{"input_tokens":8000,"output_tokens":800,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"},"permission_denials":[],"terminal_reason":"completed","message":null,"event":{"message":null}}

