In plan mode, a context that is too large for the plan model goes to its large-context variant, or without one to the main model (PM-111). If the variant is too small as well, the conversation is compacted first; no model gets more than its window.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "model": {"main": "claude-sonnet-4-5", "plan": "claude-opus-4-1", "large": "claude-opus-4-6"}, "models": {"claude-sonnet-4-5": {"context": 1000000}, "claude-opus-4-1": {"context": 200000}, "claude-opus-4-6": {"context": 1000000}}}
--- model
{"turns": [
  {"text": "fits", "usage": {"input_tokens": 1000, "output_tokens": 10}},
  {"text": "planned", "usage": {"input_tokens": 250000, "output_tokens": 10}},
  {"text": "planned large"}
]}
--- run cutonce --plain
--- talk
< >
> begin
< fits
< >
> /plan think
< planned
< >
> think more
< planned large
< >
> /exit
--- exit 0
--- transcript models
claude-sonnet-4-5 [{"type":"text","text":"fits"}]
claude-opus-4-1 [{"type":"text","text":"planned"}]
claude-opus-4-6 [{"type":"text","text":"planned large"}]

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "model": {"main": "claude-sonnet-4-5", "plan": "claude-opus-4-1"}, "models": {"claude-sonnet-4-5": {"context": 1000000}, "claude-opus-4-1": {"context": 200000}}}
--- model
{"turns": [
  {"text": "full", "usage": {"input_tokens": 250000, "output_tokens": 10}},
  {"text": "by main"}
]}
--- run cutonce --plain
--- talk
< >
> begin
< full
< >
> /plan think
< by main
< >
> /exit
--- exit 0
--- transcript models
claude-sonnet-4-5 [{"type":"text","text":"full"}]
claude-sonnet-4-5 [{"type":"text","text":"by main"}]

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "model": {"main": "claude-sonnet-4-5", "plan": "claude-opus-4-1", "large": "claude-haiku-4-5"}, "models": {"claude-sonnet-4-5": {"context": 1000000}, "claude-opus-4-1": {"context": 200000}, "claude-haiku-4-5": {"context": 200000}}}
--- model
{"turns": [
  {"text": "full", "usage": {"input_tokens": 250000, "output_tokens": 10}},
  {"text": "The summary of it all."},
  {"text": "after the summary"}
]}
--- run cutonce --plain
--- talk
< >
> begin
< full
< >
> /plan think
< after the summary
< >
> /exit
--- exit 0
--- transcript models
claude-sonnet-4-5 [{"type":"text","text":"full"}]
claude-opus-4-1 [{"type":"text","text":"after the summary"}]

--- transcript
session {}
user {"text":"begin"}
assistant {"blocks":[{"type":"text","text":"full"}],"stop":"end_turn"}
session {"slug":"<slug 3>"}
mode {"from":"default","to":"plan","by":"user"}
user {"text":"think"}
compaction {"summary":"The summary of it all.","kept":"# The user's messages so far, oldest first\n<message>\nbegin\n</message>\n<message>\nthink\n</message>\n"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug 3>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"text","text":"after the summary"}],"stop":"end_turn"}

