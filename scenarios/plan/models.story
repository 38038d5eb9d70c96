Two models in the settings: `model.plan` answers in plan mode, `model.main` before and after (PM-110); the conversation stays valid over the switch (PM-112). A haiku-class main model is raised to the sonnet class while planning. `--model opusplan` is the alias of such a pair.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "model": {"main": "claude-sonnet-4-5", "plan": "claude-opus-4-1"}}
--- model
{"turns": [
  {"text": "main"},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "main again"},
  {"text": "and again"}
]}
--- run cutonce --plain
--- talk
< >
> before
< main
< >
> /plan plan it
< answer
> 1
< Press Enter to confirm
< answer:
> y
< main again
< >
> after
< and again
< >
> /exit
--- exit 0
--- transcript models
claude-sonnet-4-5 [{"type":"text","text":"main"}]
claude-opus-4-1 [{"type":"tool_use","id":"toolu_0002_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n"}},{"type":"tool_use","id":"toolu_0002_01","name":"ExitPlanMode","input":{}}]
claude-sonnet-4-5 [{"type":"text","text":"main again"}]
claude-sonnet-4-5 [{"type":"text","text":"and again"}]

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [{"text": "one"}, {"text": "two"}, {"text": "three"}]}
--- run cutonce --plain --model claude-haiku-4-5
--- talk
< >
> before
< one
< >
> /plan plan it
< two
< >
> /plan off
< Left plan mode
> after
< three
< >
> /exit
--- exit 0
--- transcript models
claude-haiku-4-5 [{"type":"text","text":"one"}]
claude-sonnet-5-5 [{"type":"text","text":"two"}]
claude-haiku-4-5 [{"type":"text","text":"three"}]

--- model
{"turns": [{"text": "one"}, {"text": "two"}]}
--- run cutonce --plain --model opusplan
--- talk
< >
> before
< one
< >
> /plan plan it
< two
< >
> /exit
--- exit 0
--- transcript models
claude-sonnet-5-5 [{"type":"text","text":"one"}]
claude-opus-5-5 [{"type":"text","text":"two"}]

