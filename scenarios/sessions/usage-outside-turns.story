Requests outside the turn count too, whether they were answered, failed on the way or brought nothing (DU-3): a side question that needed a second attempt, and a summary without text.

--- file ~/.cutonce/settings.json
{"model": {"main": "anthropic/claude-sonnet-4-5"}, "retryDelayMs": 1}
--- model
{"turns": [
  {"text": "One.", "usage": {"input_tokens": 1000, "output_tokens": 100}},
  {"when": "side question", "text": "Cut off.", "fault": {"cut": 3}, "usage": {"input_tokens": 20000, "output_tokens": 5}},
  {"when": "side question", "text": "Answered.", "usage": {"input_tokens": 300000, "output_tokens": 5}},
  {"text": "", "usage": {"input_tokens": 4000000, "output_tokens": 5}}
]}
--- run cutonce --plain
--- talk
< >
> first
< One.
< >
> /btw what is it
< Answered.
> /compact
< no summary
< >
> /cost
< tokens sent
> /exit
--- exit 0
--- stdout

> One.

> 
/btw what is it
Answered.


> compacting; Ctrl+C cancels

> claude-sonnet-4-5: 4,321,000 tokens sent, 111 received, $12.9647

>

