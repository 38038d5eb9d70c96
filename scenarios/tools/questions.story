AskUserQuestion shows its options; a choice, the person's own words and skipping are different results (TL-9).

--- model
{"turns": [
  {"calls": [{"name": "AskUserQuestion", "input": {"questions": [
    {"question": "Which colour?", "header": "Colour", "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]},
    {"question": "Which sizes?", "header": "Sizes", "multiSelect": true, "options": [{"label": "S", "description": "small"}, {"label": "L", "description": "large"}]}]}}]},
  {"calls": [{"name": "AskUserQuestion", "input": {"questions": [{"question": "Sure?", "header": "Sure", "options": [{"label": "Yes", "description": "go"}, {"label": "No", "description": "stop"}]}]}}]},
  {"text": "thanks a lot"}
]}
--- run cutonce --plain "ask me"
--- talk
< answer
> 2
< Which sizes
< answer
> 1 2
< Sure?
< answer
> 0
< thanks a lot
> /exit
--- stdout
--- seen
