A question with four options, descriptions and previews at 40x15 (UI-7, UI-11): header, question and the focused option are always visible, the arrows
reach the others, Ctrl+O shows everything; a free-text answer is edited like any text.

--- model
{"turns": [
  {"text": "I have to know.", "calls": [{"name": "AskUserQuestion", "input": {"questions": [
    {"question": "Which store shall the sessions be kept in from now on?", "header": "Store", "options": [
      {"label": "SQLite", "description": "one file beside the program, no server to run, but only one writer at a time", "preview": "open(\"a.db\")\nwith(wal)\nclose()"},
      {"label": "Postgres", "description": "a server that has to be there", "preview": "connect()"},
      {"label": "Redis", "description": "in memory, quick, gone after a power cut unless it is told otherwise"},
      {"label": "Files", "description": "one for each session"}]}]}}]},
  {"text": "Thank you."}
]}
--- pty 40x15 cutonce
--- keys
< ›
> ask me
press enter
< Which store
< enter or a digit chooses
--- shows
? Store
  Which store shall the sessions be
  kept in from now on?
› 1 SQLite
      one file beside the program, no
      server to run, but only one
      writer at a time
  2 Postgres
  3 Redis
    … more below ↓
    │ open("a.db")
    │ … 2 more lines (ctrl+o)
  enter or a digit chooses · ← back ·
  ctrl+o all · esc skips
/help  claude-sonnet-5-5 · <n>%

--- keys
press down down
< › 3 Redis
--- shows

? Store
  Which store shall the sessions be
  kept in from now on?
  1 SQLite
  2 Postgres
› 3 Redis
      in memory, quick, gone after a
      power cut unless it is told
      otherwise
  4 Files
  5 in your own words
  enter or a digit chooses · ← back ·
  ctrl+o all · esc skips
/help  claude-sonnet-5-5 · <n>%

--- keys
press ctrl+o
< Request details
press G
< one for each
--- shows
 Request details
      │ close()

  2 Postgres
      a server that has to be there
      │ connect()

  3 Redis
      in memory, quick, gone after a
  power cut unless it is told otherwise

  4 Files
      one for each session

 ↑↓ / find y copy q back

--- keys
press q
< › 3 Redis
press 5
< own words:
> one two three
press home
> zero 
press end ctrl+w ctrl+w
> and more
--- shows
> ask me

● I have to know.

? Store
  Which store shall the sessions be
  kept in from now on?
  1 SQLite
  2 Postgres
  3 Redis
  4 Files
    own words: zero one and more
  enter confirms this answer · esc back

/help  claude-sonnet-5-5 · <n>%

--- keys
press enter
< Your answers
--- shows
> ask me

● I have to know.

? Your answers
  Which store shall the sessions be ke…
  → zero one and more
  enter sends these answers · ← back ·
  esc skips all questions

/help  claude-sonnet-5-5 · <n>%

--- keys
press enter
< Thank you.
press ctrl+d
--- exit 0
