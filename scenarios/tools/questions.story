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
< >
> /exit
--- stdout

? Which colour?
  1 Red: warm
  2 Blue: cold
  0 skip
answer (a number, or your own words): 
? Which sizes?
  1 S: small
  2 L: large
  0 skip
answer (numbers, a number, or your own words): 
? Sure?
  1 Yes: go
  2 No: stop
  0 skip
answer (a number, or your own words): thanks a lot

>

--- seen
request 1
  user: ask me
request 2
  assistant: call AskUserQuestion {"questions":[{"question":"Which colour?","header":"Colour","options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]},{"question":"Which sizes?","header":"Sizes","multiSelect":true,"options":[{"label":"S","description":"small"},{"label":"L","description":"large"}]}]}
  user: result: The user answered:
        
        Which colour?
        → Blue
        
        Which sizes?
        → S, L
request 3
  assistant: call AskUserQuestion {"questions":[{"question":"Sure?","header":"Sure","options":[{"label":"Yes","description":"go"},{"label":"No","description":"stop"}]}]}
  user: result: The user saw the questions and chose not to answer. Do not ask them again: go on with what you think best, and say what you assumed.

