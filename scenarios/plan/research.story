Research in plan mode just gets its answer (PM-76): without a plan, `-p --permission-mode plan` prints the answer and exits with 0; `cutonce plan` was asked for a plan, so it exits with 1.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [{"text": "It is in src."}, {"text": "It is in lib."}]}
--- run cutonce -p --permission-mode plan "where is it?"
--- exit 0
--- stdout
It is in src.

--- stderr
--- run cutonce plan "where is it?"
--- exit 1
--- stdout
It is in lib.

--- stderr
cutonce: No plan was written ($HOME/.cutonce/plans/<slug 2>.md).

