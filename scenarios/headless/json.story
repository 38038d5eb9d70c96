`--output-format json` is one object (CL-2): type, subtype, is_error, result, session_id, num_turns, duration_ms, usage, total_cost_usd, permission_denials.

--- model
{"turns": [{"text": "Hello.", "usage": {"input_tokens": 1000, "output_tokens": 100}}]}
--- run cutonce -p "hi" --output-format json --model claude-sonnet-4-5
--- exit 0
--- frames
{"type":"result","subtype":"success","is_error":false,"result":"Hello.","num_turns":1,"stop_reason":"end_turn","total_cost_usd":0.0045,"usage":{"input_tokens":1000,"output_tokens":100,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"},"permission_denials":[],"terminal_reason":"completed","message":null,"event":{"message":null}}

