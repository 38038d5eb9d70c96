Requests outside the turn count too, whether they were answered, failed on the way or brought nothing (DU-3): a side question that needed a second attempt, a summary without text, and a classifier that gave no verdict.

--- file ~/.cutonce/settings.json
{"model": {"main": "anthropic/claude-sonnet-4-5"}, "retryDelayMs": 1, "auto": {"enabled": true}}
--- model
{"turns": [
  {"text": "One.", "usage": {"input_tokens": 1000, "output_tokens": 100}},
  {"when": "side question", "text": "Cut off.", "fault": {"cut": 3}, "usage": {"input_tokens": 20000, "output_tokens": 5}},
  {"when": "side question", "text": "Answered.", "usage": {"input_tokens": 300000, "output_tokens": 5}},
  {"text": "", "usage": {"input_tokens": 4000000, "output_tokens": 5}},
  {"when": "\"command\":\"touch t.txt\"", "text": "Well.", "usage": {"input_tokens": 4000000, "output_tokens": 5}},
  {"calls": [{"name": "Bash", "input": {"command": "touch t.txt"}}], "usage": {"input_tokens": 100, "output_tokens": 1}},
  {"text": "Denied.", "usage": {"input_tokens": 100, "output_tokens": 1}}
]}
--- run cutonce --plain
--- talk
< >
> first
< One.
< >
> /btw what is it
< Answered.
> /compact
< no summary
< >
> /cost
< tokens sent
> /exit
--- exit 0
--- stdout

> One.

> 
/btw what is it
Answered.


> compacting; Ctrl+C cancels

> claude-sonnet-4-5: 4,321,000 tokens sent, 111 received, $12.9647

>
--- run cutonce -p go --permission-mode auto --output-format json
--- exit 0
--- frames
{"type":"result","subtype":"success","is_error":false,"result":"Denied.","num_turns":2,"stop_reason":"end_turn","total_cost_usd":2.0006425,"usage":{"input_tokens":200,"output_tokens":2,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"},"permission_denials":[{"tool_name":"Bash","tool_use_id":"toolu_0005_00","tool_input":{"command":"touch t.txt"}}],"terminal_reason":"completed","message":null,"event":{"message":null}}

