Questions of the model (UI-7): options with descriptions and previews, multiple choice, free text; the answers are shown before they are sent.

--- model
{"turns": [
  {"calls": [{"name": "AskUserQuestion", "input": {"questions": [
    {"question": "Which store?", "header": "Store", "options": [{"label": "SQLite", "description": "one file", "preview": "open(\"a.db\")"}, {"label": "Postgres", "description": "a server"}]},
    {"question": "Which checks?", "header": "Checks", "multiSelect": true, "options": [{"label": "Lint", "description": "fast"}, {"label": "Tests", "description": "slow"}]}]}}]},
  {"text": "Thank you."}
]}
--- pty 80x24 cutonce
--- keys
< ›
> ask me
press enter
< Which store?
< enter or a digit chooses
--- shows
> ask me

? Store 1 of 2
  Which store?
› 1 SQLite
      one file
  2 Postgres
      a server
  3 in your own words
    │ open("a.db")
  enter or a digit chooses · ← back · ctrl+o all · esc skips

/help  claude-sonnet-5-5 · <n>% · <n> tokens

--- keys
press 2
< Which checks?
press 1 3
< own words
> both fast
press enter
< Your answers
--- shows
> ask me

? Your answers
  Which store?
  → Postgres
  Which checks?
  → Lint, both fast
  enter sends these answers · ← back · esc skips all questions

/help  claude-sonnet-5-5 · <n>% · <n> tokens

--- keys
press enter
< Thank you.
press ctrl+d
--- exit 0
--- seen
request 1
  user: ask me
request 2
  assistant: call AskUserQuestion {"questions":[{"question":"Which store?","header":"Store","options":[{"label":"SQLite","description":"one file","preview":"open(\"a.db\")"},{"label":"Postgres","description":"a server"}]},{"question":"Which checks?","header":"Checks","multiSelect":true,"options":[{"label":"Lint","description":"fast"},{"label":"Tests","description":"slow"}]}]}
  user: result: The user answered:
        
        Which store?
        → Postgres
        
        Which checks?
        → Lint, both fast

