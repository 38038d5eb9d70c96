A host that names its sources gets nothing of the others (HO-1): with none, neither the user's nor the project's agents, skills, commands, servers and instructions; with `user` only the user's.

--- file ~/.cutonce/agents/mine.md
---
name: mine
description: The user's agent.
---
Do it.
--- file ~/.cutonce/skills/knit/SKILL.md
---
name: knit
description: The user's skill.
---
Knit.
--- file ~/.cutonce/commands/hello.md
Say hello.
--- file .cutonce/agents/theirs.md
---
name: theirs
description: The project's agent.
---
Do it.
--- file .cutonce/skills/weave/SKILL.md
---
name: weave
description: The project's skill.
---
Weave.
--- file .cutonce/commands/bye.md
Say bye.
--- file .mcp.json
{"mcpServers": {"theirs": {"command": "true"}}}
--- file AGENTS.md
Be the project.
--- run cutonce trust
--- model
{"turns": [{"text": "one"}]}
--- run cutonce -p --setting-sources= --output-format stream-json --verbose "hi"
--- exit 0
--- stderr
--- frames
{"type":"system","subtype":"init","mcp_servers":[],"model":"claude-sonnet-5-5","permissionMode":"default","slash_commands":[],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.325","output_style":"default","agents":["Explore","Plan","general-purpose"],"skills":[],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1"],"message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"one"}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"result","subtype":"success","is_error":false,"result":"one","num_turns":1,"stop_reason":"end_turn","permission_denials":[],"terminal_reason":"completed","message":null,"event":{"message":null}}

--- model
{"turns": [{"text": "two"}]}
--- run cutonce -p --setting-sources=user --output-format stream-json --verbose "hi"
--- stderr
--- frames
{"type":"system","subtype":"init","mcp_servers":[],"model":"claude-sonnet-5-5","permissionMode":"default","slash_commands":["hello"],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.325","output_style":"default","agents":["Explore","Plan","general-purpose","mine"],"skills":["knit"],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1"],"message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"two"}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"result","subtype":"success","is_error":false,"result":"two","num_turns":1,"stop_reason":"end_turn","permission_denials":[],"terminal_reason":"completed","message":null,"event":{"message":null}}

--- model
{"turns": [{"text": "three"}]}
--- run cutonce -p --output-format stream-json --verbose "hi"
--- stderr
cutonce: This project defines MCP servers that need your approval to start: theirs (true). To approve one, run: cutonce mcp approve NAME

--- frames
{"type":"system","subtype":"init","mcp_servers":[{"name":"theirs","status":"disabled","source":"stdio"}],"model":"claude-sonnet-5-5","permissionMode":"default","slash_commands":["bye","hello"],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.325","output_style":"default","agents":["Explore","Plan","general-purpose","mine","theirs"],"skills":["knit","weave"],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1"],"message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"three"}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"result","subtype":"success","is_error":false,"result":"three","num_turns":1,"stop_reason":"end_turn","permission_denials":[],"terminal_reason":"completed","message":null,"event":{"message":null}}

