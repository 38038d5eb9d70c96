AskUserQuestion shows its options with headers and previews; a choice, a free-text answer and skipping are different results (TL-9). The user can go
back, and all answers are shown before they are sent (UI-7).

--- model
{"turns": [
  {"calls": [{"name": "AskUserQuestion", "input": {"questions": [
    {"question": "Which colour?", "header": "Colour", "options": [{"label": "Red", "description": "warm", "preview": "a red\n  0 skip line"}, {"label": "Blue", "description": "cold"}]},
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
> back
< answered: Blue
> 1
< Which sizes
< answer
> 1 2
< Your answers
> 1
< Which colour
> =17
< 1 Colour: 17
> y
< Sure?
< answer
> 0
< thanks a lot
< >
> /exit
--- stdout

? Colour (1 of 2): Which colour?
  1 Red: warm
  | a red
  |   0 skip line
  2 Blue: cold
  0 skip all of them
answer (a number, or your own text, =17 for the text 17): 
? Sizes (2 of 2): Which sizes?
  1 S: small
  2 L: large
  0 skip all of them
answer (numbers, or your own text, =17 for the text 17; `back` for the previous): 
? Colour (1 of 2): Which colour?
  1 Red: warm
  | a red
  |   0 skip line
  2 Blue: cold
  answered: Blue
  0 skip all of them
answer (a number, or your own text, =17 for the text 17): 
? Sizes (2 of 2): Which sizes?
  1 S: small
  2 L: large
  0 skip all of them
answer (numbers, or your own text, =17 for the text 17; `back` for the previous): 
? Your answers:
  1 Colour: Red
  2 Sizes: S, L
  0 skip all of them
answer (enter sends, a number changes that answer): 
? Colour (1 of 2): Which colour?
  1 Red: warm
  | a red
  |   0 skip line
  2 Blue: cold
  answered: Red
  0 skip all of them
answer (a number, or your own text, =17 for the text 17; `back` for the previous): 
? Your answers:
  1 Colour: 17
  2 Sizes: S, L
  0 skip all of them
answer (enter sends, a number changes that answer): 
? Sure: Sure?
  1 Yes: go
  2 No: stop
  0 skip all of them
answer (a number, or your own text, =17 for the text 17): thanks a lot

>

--- seen
request 1
  user: ask me
request 2
  assistant: call AskUserQuestion {"questions":[{"question":"Which colour?","header":"Colour","options":[{"label":"Red","description":"warm","preview":"a red\n  0 skip line"},{"label":"Blue","description":"cold"}]},{"question":"Which sizes?","header":"Sizes","multiSelect":true,"options":[{"label":"S","description":"small"},{"label":"L","description":"large"}]}]}
  user: result: The user answered:
        
        Which colour?
        → 17
        
        Which sizes?
        → S, L
request 3
  assistant: call AskUserQuestion {"questions":[{"question":"Sure?","header":"Sure","options":[{"label":"Yes","description":"go"},{"label":"No","description":"stop"}]}]}
  user: result: The user saw the questions and chose not to answer. Do not ask them again: continue with what you think best, and say what you assumed.

