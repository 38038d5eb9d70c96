In plan mode auto judges only what plan mode asks for, and can allow nothing that plan mode denies (PM-120, PM-121). A host sets the mode over stream-json (HO-1).

--- file ~/.cutonce/settings.json
{"auto": {"enabled": true}, "plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"when": "Call to judge: WebFetch", "text": "{\"verdict\": \"deny\", \"reason\": \"It leaves the machine.\"}"},
  {"when": "Call to judge: Write", "text": "{\"verdict\": \"allow\", \"reason\": \"The user asked for it.\"}"},
  {"calls": [
    {"name": "WebFetch", "input": {"url": "http://127.0.0.1:9/", "prompt": "x"}},
    {"name": "Write", "input": {"file_path": "a.txt", "content": "a\n"}},
    {"name": "Bash", "input": {"command": "touch b.txt"}}]},
  {"text": "planned"},
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "a\n"}}]},
  {"text": "written"}
]}
--- stdin
{"type": "control_request", "request_id": "r1", "request": {"subtype": "set_permission_mode", "mode": "plan"}}
{"type": "user", "message": {"role": "user", "content": "plan it"}}
--- run cutonce -p --input-format stream-json --output-format stream-json
--- frames
{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"mode":"plan"}},"message":null,"event":{"message":null}}
{"type":"system","subtype":"status","status":null,"permissionMode":"plan","message":null,"event":{"message":null}}
{"type":"system","subtype":"mode.changed","from":"default","to":"plan","by":"host","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.enter","planFilePath":"$HOME/.cutonce/plans/<slug>.md","planExists":false,"time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.phase","phase":"understand","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"init","mcp_servers":[],"model":"claude-sonnet-5-5","permissionMode":"plan","slash_commands":["plan","clear","compact","usage"],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.325","output_style":"default","agents":["Explore","Plan","general-purpose"],"skills":[],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1"],"message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"tool_use","id":"toolu_0001_00","name":"WebFetch","input":{"url":"http://127.0.0.1:9/","prompt":"x"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"tool_use","id":"toolu_0001_01","name":"Write","input":{"file_path":"a.txt","content":"a\n"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"tool_use","id":"toolu_0001_02","name":"Bash","input":{"command":"touch b.txt"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"system","subtype":"permission_denied","tool_name":"WebFetch","tool_use_id":"toolu_0001_00","message":"auto mode: denied: It leaves the machine","event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0001_00","content":"Auto mode denied this WebFetch call: It leaves the machine. Do not try to get there another way: continue without it, or tell the user what you need it for.","is_error":true}]},"parent_tool_use_id":null,"tool_use_result":{},"event":{"message":null}}
{"type":"system","subtype":"permission_denied","tool_name":"Write","tool_use_id":"toolu_0001_01","message":"plan mode is read-only","event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0001_01","content":"Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.","is_error":true}]},"parent_tool_use_id":null,"tool_use_result":{},"event":{"message":null}}
{"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"toolu_0001_02","message":"plan mode is read-only","event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0001_02","content":"Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files.","is_error":true}]},"parent_tool_use_id":null,"tool_use_result":{},"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"planned"}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"result","subtype":"success","is_error":false,"result":"planned","num_turns":4,"stop_reason":"end_turn","permission_denials":[{"tool_name":"WebFetch","tool_use_id":"toolu_0001_00","tool_input":{"url":"http://127.0.0.1:9/","prompt":"x"}},{"tool_name":"Write","tool_use_id":"toolu_0001_01","tool_input":{"file_path":"a.txt","content":"a\n"}},{"tool_name":"Bash","tool_use_id":"toolu_0001_02","tool_input":{"command":"touch b.txt"}}],"terminal_reason":"completed","plan":null,"path":"$HOME/.cutonce/plans/<slug>.md","slug":"<slug>","sha256":null,"message":null,"event":{"message":null}}

--- disk
nothing changed

--- stdin
{"type": "control_request", "request_id": "r2", "request": {"subtype": "set_permission_mode", "mode": "auto"}}
{"type": "user", "message": {"role": "user", "content": "write a.txt"}}
--- run cutonce -p --continue --input-format stream-json --output-format stream-json
--- frames
{"type":"control_response","response":{"subtype":"success","request_id":"r2","response":{"mode":"auto"}},"message":null,"event":{"message":null}}
{"type":"system","subtype":"status","status":null,"permissionMode":"auto","message":null,"event":{"message":null}}
{"type":"system","subtype":"mode.changed","from":"plan","to":"auto","by":"host","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"init","mcp_servers":[],"model":"claude-sonnet-5-5","permissionMode":"auto","slash_commands":["plan","clear","compact","usage"],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.325","output_style":"default","agents":["Explore","Plan","general-purpose"],"skills":[],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1"],"message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"tool_use","id":"toolu_0004_00","name":"Write","input":{"file_path":"a.txt","content":"a\n"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0004_00","content":"Created a.txt (1 line).","is_error":false}]},"parent_tool_use_id":null,"tool_use_result":{"type":"create","filePath":"$WS/a.txt","diff":"--- /dev/null\n+++ a.txt\n@@ -0,0 +1 @@\n+a\n","added":1,"removed":0},"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"written"}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"result","subtype":"success","is_error":false,"result":"written","num_turns":2,"stop_reason":"end_turn","permission_denials":[],"terminal_reason":"completed","message":null,"event":{"message":null}}

--- disk
created a.txt
  a

