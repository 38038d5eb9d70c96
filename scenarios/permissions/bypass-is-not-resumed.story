bypassPermissions needs its flag at every start (PR-4): a resumed session without the flag is not in it.

--- model
{"turns": [{"text": "one"}, {"text": "two"}]}
--- stdin
{"type":"control_request","request_id":"r","request":{"subtype":"set_permission_mode","mode":"bypassPermissions"}}
{"type":"user","message":{"role":"user","content":"hi"}}
--- run cutonce -p --input-format stream-json --output-format stream-json --allow-dangerously-skip-permissions
--- exit 0
--- frames
{"type":"control_response","response":{"subtype":"success","request_id":"r","response":{"mode":"bypassPermissions"}},"message":null,"event":{"message":null}}
{"type":"system","subtype":"status","status":null,"permissionMode":"bypassPermissions","message":null,"event":{"message":null}}
{"type":"system","subtype":"mode.changed","from":"default","to":"bypassPermissions","by":"host","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"init","mcp_servers":[],"model":"claude-sonnet-5-5","permissionMode":"bypassPermissions","slash_commands":["plan","clear","compact","usage"],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.325","output_style":"default","agents":["Explore","Plan","general-purpose"],"skills":[],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1"],"message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"one"}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"result","subtype":"success","is_error":false,"result":"one","num_turns":1,"stop_reason":"end_turn","permission_denials":[],"terminal_reason":"completed","message":null,"event":{"message":null}}

--- run cutonce -p "go on" --continue --output-format stream-json
--- exit 0
--- frames
{"type":"system","subtype":"informational","content":"Back in default mode instead of bypassPermissions: bypassPermissions is not available in this run: start with --allow-dangerously-skip-permissions.","level":"warning","message":null,"event":{"message":null}}
{"type":"system","subtype":"init","mcp_servers":[],"model":"claude-sonnet-5-5","permissionMode":"default","slash_commands":[],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.325","output_style":"default","agents":["Explore","Plan","general-purpose"],"skills":[],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1"],"message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"two"}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"result","subtype":"success","is_error":false,"result":"two","num_turns":1,"stop_reason":"end_turn","permission_denials":[],"terminal_reason":"completed","message":null,"event":{"message":null}}

