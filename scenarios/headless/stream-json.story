`--output-format stream-json`: init, a frame per block, a frame per result, the result (CL-2). With --include-partial-messages the pieces come too.

--- file a.txt
one
--- model
{"turns": [
  {"thinking": "I should read it.", "text": "Reading.", "calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"text": "It says one."}
]}
--- run cutonce -p "what does it say?" --output-format stream-json --verbose --include-partial-messages
--- exit 0
--- frames
{"type":"system","subtype":"init","mcp_servers":[],"model":"claude-sonnet-4-6","permissionMode":"default","slash_commands":[],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.0","output_style":"default","agents":[],"skills":[],"plugins":[]}
{"type":"stream_event","event":{"type":"message_start","message":{"id":"","type":"message","role":"assistant","model":"claude-sonnet-4-6","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"}}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"I should read it."}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_stop","index":0},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Reading."}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"","name":"Read","input":{}}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"file_path\":\"a.txt\"}"}},"parent_tool_use_id":null}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-4-6","content":[{"type":"thinking","thinking":"I should read it.","signature":"seal_0001_00"}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3935,"output_tokens":17,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"}},"parent_tool_use_id":null}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-4-6","content":[{"type":"text","text":"Reading."}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3935,"output_tokens":17,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"}},"parent_tool_use_id":null}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-4-6","content":[{"type":"tool_use","id":"toolu_0001_02","name":"Read","input":{"file_path":"a.txt"}}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3935,"output_tokens":17,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_stop","index":2},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"message_stop"},"parent_tool_use_id":null}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0001_02","content":"1\tone","is_error":false}]},"parent_tool_use_id":null,"tool_use_result":{}}
{"type":"stream_event","event":{"type":"message_start","message":{"id":"","type":"message","role":"assistant","model":"claude-sonnet-4-6","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"}}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"It says one."}},"parent_tool_use_id":null}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-4-6","content":[{"type":"text","text":"It says one."}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":4066,"output_tokens":4,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_stop","index":0},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"message_stop"},"parent_tool_use_id":null}
{"type":"result","subtype":"success","is_error":false,"result":"It says one.","num_turns":2,"stop_reason":"end_turn","total_cost_usd":0.024318,"usage":{"input_tokens":8001,"output_tokens":21,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"},"permission_denials":[],"terminal_reason":"completed"}

