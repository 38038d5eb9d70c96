`--output-format json` is one object (CL-2): type, subtype, is_error, result, session_id, num_turns, duration_ms, usage, total_cost_usd, permission_denials.

--- model
{"turns": [{"text": "Hello.", "usage": {"input": 1000, "output": 100}}]}
--- run cutonce -p "hi" --output-format json --model claude-sonnet-4-5
--- exit 0
--- frames
