While an answer streams, the progress line shows what the provider counted of the request; an interrupted request costs what was counted (DU-3).

--- file ~/.cutonce/settings.json
{"model": {"main": "anthropic/claude-sonnet-4-5"}}
--- model
{"turns": [{"text": "An answer whose stream goes silent.", "usage": {"input_tokens": 4000, "output_tokens": 100}, "fault": {"idle": 4}}]}
--- pty 80x24 cutonce
--- keys
> go
press enter
< ↑ 4.0k ↓
press esc
< Interrupted
> /cost
press enter
< 4,000 tokens sent
press ctrl+d
--- exit 0
