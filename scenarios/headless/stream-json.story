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
{"type":"system","subtype":"init","mcp_servers":[],"model":"claude-sonnet-5-5","permissionMode":"default","slash_commands":[],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.325","output_style":"default","agents":["Explore","Plan","general-purpose"],"skills":[],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1"],"message":null,"event":{"message":null}}
{"type":"stream_event","event":{"type":"message_start","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[],"stop_reason":null,"stop_sequence":null}},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""},"message":null},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"I should read it."},"message":null},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"seal_0001_00"},"message":null},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"content_block_stop","index":0,"message":null},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""},"message":null},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Reading."},"message":null},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"content_block_stop","index":1,"message":null},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_0001_02","name":"Read","input":{}},"message":null},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"file_path\":\"a.txt\"}"},"message":null},"parent_tool_use_id":null,"message":null}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"thinking","thinking":"I should read it.","signature":"seal_0001_00"}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"Reading."}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"tool_use","id":"toolu_0001_02","name":"Read","input":{"file_path":"a.txt"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"stream_event","event":{"type":"content_block_stop","index":2,"message":null},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":17},"message":null},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"message_stop","message":null},"parent_tool_use_id":null,"message":null}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0001_02","content":"1\tone","is_error":false}]},"parent_tool_use_id":null,"tool_use_result":{},"event":{"message":null}}
{"type":"stream_event","event":{"type":"message_start","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[],"stop_reason":null,"stop_sequence":null}},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""},"message":null},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"It says one."},"message":null},"parent_tool_use_id":null,"message":null}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"It says one."}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"stream_event","event":{"type":"content_block_stop","index":0,"message":null},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":4},"message":null},"parent_tool_use_id":null,"message":null}
{"type":"stream_event","event":{"type":"message_stop","message":null},"parent_tool_use_id":null,"message":null}
{"type":"result","subtype":"success","is_error":false,"result":"It says one.","num_turns":2,"stop_reason":"end_turn","permission_denials":[],"terminal_reason":"completed","message":null,"event":{"message":null}}

