`/usage` shows tokens and cost by day, project and model, of all sessions and their subagents, in every front end (DU-3). The file is private and survives a session that
is killed in the middle of its turn.

--- model
{"turns": [
  {"when": "You carry out a task", "text": "Looked.", "usage": {"input_tokens": 1000, "output_tokens": 10}},
  {"when": "ALPHA", "text": "One.", "repeat": 2, "usage": {"input_tokens": 100, "output_tokens": 5}},
  {"when": "BETA", "calls": [{"name": "Agent", "input": {"description": "look", "prompt": "Look.", "subagent_type": "general-purpose"}}], "usage": {"input_tokens": 200, "output_tokens": 2}},
  {"when": "BETA", "text": "Two.", "usage": {"input_tokens": 300, "output_tokens": 3}}
]}
--- run cutonce --plain
--- talk
< >
> /usage
< Nothing was used yet.
> /exit
--- exit 0
--- run cutonce -p ALPHA
--- exit 0
--- run cutonce -p "BETA"
--- exit 0
--- run cutonce -p ALPHA --no-session-persistence
--- exit 0
--- run cutonce --plain
--- talk
< >
> /usage
< By model
> /exit
--- stdout

> By day
  today: 1,600 tokens sent, 20 received, $0.0034

By project, today
  $WS: 1,600 tokens sent, 20 received, $0.0034

By model, today
  claude-sonnet-5-5: 1,600 tokens sent, 20 received, $0.0034

>

--- stdin
{"type":"user","message":{"role":"user","content":"/usage"}}
--- run cutonce -p --input-format stream-json --output-format stream-json --verbose
--- frames
{"type":"system","subtype":"init","mcp_servers":[],"model":"","permissionMode":"default","slash_commands":["plan","clear","compact","usage"],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.325","output_style":"default","agents":["Explore","Plan","general-purpose"],"skills":[],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1"],"message":null,"event":{"message":null}}
{"type":"result","subtype":"success","is_error":false,"result":"By day\n  today: 1,600 tokens sent, 20 received, $0.0034\n\nBy project, today\n  $WS: 1,600 tokens sent, 20 received, $0.0034\n\nBy model, today\n  claude-sonnet-5-5: …","num_turns":1,"stop_reason":null,"permission_denials":[],"terminal_reason":"completed","message":null,"event":{"message":null}}

--- pty 80x24 cutonce
--- keys
< ›
> /usage
press enter
< By model
--- shows
  By day
    today: <n> tokens sent, 20 received, $<n>

  By project, today
    $WS: <n> tokens sent, 20 received, $<n>

  By model, today
    claude-sonnet-5-5: <n> tokens sent, 20 received, $<n>

›

/help                                                         claude-sonnet-5-5

