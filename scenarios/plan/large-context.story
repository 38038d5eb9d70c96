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
--- transcript
