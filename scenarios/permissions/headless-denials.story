In a headless run, a call that would ask is denied and the turn continues (PR-4, CL-1); the result lists the denials.

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "new.txt", "content": "x"}}, {"name": "Bash", "input": {"command": "touch other.txt", "description": "make it"}}], "usage": {"input_tokens": 100, "output_tokens": 10}},
  {"text": "I was not allowed to.", "usage": {"input_tokens": 200, "output_tokens": 10}}
]}
--- run cutonce -p "make files" --output-format json
--- exit 0
--- frames
{"type":"result","subtype":"success","is_error":false,"result":"I was not allowed to.","num_turns":3,"stop_reason":"end_turn","total_cost_usd":0.0007999999999999999,"usage":{"input_tokens":300,"output_tokens":20,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"},"permission_denials":[{"tool_name":"Write","tool_use_id":"toolu_0001_00","tool_input":{"file_path":"new.txt","content":"x"}},{"tool_name":"Bash","tool_use_id":"toolu_0001_01","tool_input":{"command":"touch other.txt","description":"make it"}}],"terminal_reason":"completed","message":null,"event":{"message":null}}

--- disk
nothing changed

