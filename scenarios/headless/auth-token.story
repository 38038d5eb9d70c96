Where ANTHROPIC_AUTH_TOKEN is the key, the init frame names it as the source (HO-1); with both, ANTHROPIC_API_KEY is the key.

--- env ANTHROPIC_AUTH_TOKEN=tok-story-0003
--- model
{"turns": [{"text": "with both"}, {"text": "with the token"}]}
--- run cutonce -p "hi" --output-format stream-json --verbose
--- exit 0
--- frames
{"type":"system","subtype":"init","mcp_servers":[],"model":"claude-sonnet-5-5","permissionMode":"default","slash_commands":[],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.325","output_style":"default","agents":["Explore","Plan","general-purpose"],"skills":[],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1"],"message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"with both"}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"result","subtype":"success","is_error":false,"result":"with both","num_turns":1,"stop_reason":"end_turn","permission_denials":[],"terminal_reason":"completed","message":null,"event":{"message":null}}

--- env ANTHROPIC_API_KEY=
--- run cutonce -p "hi" --output-format stream-json --verbose
--- exit 0
--- frames
{"type":"system","subtype":"init","mcp_servers":[],"model":"claude-sonnet-5-5","permissionMode":"default","slash_commands":[],"apiKeySource":"ANTHROPIC_AUTH_TOKEN","claude_code_version":"2.1.325","output_style":"default","agents":["Explore","Plan","general-purpose"],"skills":[],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1"],"message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"with the token"}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"result","subtype":"success","is_error":false,"result":"with the token","num_turns":1,"stop_reason":"end_turn","permission_denials":[],"terminal_reason":"completed","message":null,"event":{"message":null}}

