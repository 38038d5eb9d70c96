Without anybody to ask, what would ask is denied and the turn goes on (PR-4, CL-1); the result lists the denials.

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "new.txt", "content": "x"}}, {"name": "Bash", "input": {"command": "touch other.txt", "description": "make it"}}]},
  {"text": "I was not allowed to."}
]}
--- run cutonce -p "make files" --output-format json
--- exit 0
--- frames
{"type":"result","subtype":"success","is_error":false,"result":"I was not allowed to.","num_turns":3,"stop_reason":"end_turn","total_cost_usd":0.025017,"usage":{"input_tokens":8139,"output_tokens":40,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"},"permission_denials":[{"tool_name":"Write","tool_use_id":"toolu_0001_00","tool_input":{"file_path":"new.txt","content":"x"}},{"tool_name":"Bash","tool_use_id":"toolu_0001_01","tool_input":{"command":"touch other.txt","description":"make it"}}],"terminal_reason":"completed"}

--- disk
nothing changed

