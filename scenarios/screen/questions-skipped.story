Questions (UI-7): several at once, one with several answers, free text, going back to change one. Skipping is a result of its own, and the model gets
it.

--- model
{"turns": [
  {"calls": [{"name": "AskUserQuestion", "input": {"questions": [
    {"question": "Which store?", "header": "Store", "options": [{"label": "SQLite", "description": "one file"}, {"label": "Postgres", "description": "a server"}]},
    {"question": "Which checks?", "header": "Checks", "multiSelect": true, "options": [{"label": "Lint", "description": "fast"}, {"label": "Tests", "description": "slow"}, {"label": "Docs", "description": "dull"}]},
    {"question": "Which name?", "header": "Name", "options": [{"label": "Ann", "description": "short"}, {"label": "Bob", "description": "shorter"}]}]}}]},
  {"calls": [{"name": "AskUserQuestion", "input": {"questions": [{"question": "Sure?", "header": "Sure", "options": [{"label": "Yes", "description": "go"}, {"label": "No", "description": "stop"}]}]}}]},
  {"text": "Thank you."}
]}
--- pty 80x24 cutonce
--- keys
< ›
> ask me
press enter
< Which store?
< enter or a digit chooses
press 1
< Which checks?
press 1
< [x] Lint
press 3
< [x] Docs
--- shows
> ask me

? Checks 2 of 3
  Which checks?
  1 [x] Lint
      fast
  2 [ ] Tests
      slow
› 3 [x] Docs
      dull
  4 in your own words
  space or a digit marks · enter continues · ← back · ctrl+o all · esc skips

/help  claude-sonnet-5-5 · <n>% · <n> tokens

--- keys
press enter
< Which name?
press 3
< own words
paste Zoë 日本
< 日本
press enter
< Your answers
press left left left
< Which store?
press 2
< Which checks?
press enter
< Which name?
press right
< Your answers
--- shows
> ask me

? Your answers
  Which store?
  → Postgres
  Which checks?
  → Lint, Docs
  Which name?
  → Zoë 日本
  enter sends these answers · ← back · esc skips all questions

/help  claude-sonnet-5-5 · <n>% · <n> tokens

--- keys
press enter
< Sure?
< enter or a digit chooses
press esc
< Thank you.
gone interrupt
press ctrl+d
--- exit 0
--- seen
request 1
  user: ask me
request 2
  assistant: call AskUserQuestion {"questions":[{"question":"Which store?","header":"Store","options":[{"label":"SQLite","description":"one file"},{"label":"Postgres","description":"a server"}]},{"question":"Which checks?","header":"Checks","multiSelect":true,"options":[{"label":"Lint","description":"fast"},{"label":"Tests","description":"slow"},{"label":"Docs","description":"dull"}]},{"question":"Which name?","header":"Name","options":[{"label":"Ann","description":"short"},{"label":"Bob","description":"shorter"}]}]}
  user: result: The user answered:
        
        Which store?
        → Postgres
        
        Which checks?
        → Lint, Docs
        
        Which name?
        → Zoë 日本
request 3
  assistant: call AskUserQuestion {"questions":[{"question":"Sure?","header":"Sure","options":[{"label":"Yes","description":"go"},{"label":"No","description":"stop"}]}]}
  user: result: The user saw the questions and chose not to answer. Do not ask them again: continue with what you think best, and say what you assumed.

