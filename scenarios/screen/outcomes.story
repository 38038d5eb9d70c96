Answers are shown in the conversation, at once and after a resume alike (UI-4, UI-7, PM-74): answers to questions, skipped questions, a plan that was
left with "6". Ctrl+O has one mark per call.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "AskUserQuestion", "input": {"questions": [
    {"question": "Which store?", "header": "Store", "options": [{"label": "SQLite", "description": "one file"}, {"label": "Postgres", "description": "a server"}]},
    {"question": "Which checks?", "header": "Checks", "multiSelect": true, "options": [{"label": "Lint", "description": "fast"}, {"label": "Tests", "description": "slow"}]}]}}]},
  {"calls": [{"name": "AskUserQuestion", "input": {"questions": [{"question": "Sure?", "header": "Sure", "options": [{"label": "Yes", "description": "go"}, {"label": "No", "description": "stop"}]}]}}]},
  {"calls": [{"name": "Read", "input": {"file_path": "missing.txt"}}]},
  {"text": "Thank you."},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count\n\n1. Count\n"}}, {"name": "ExitPlanMode", "input": {}}]}
]}
--- pty 80x30 cutonce
--- keys
< /help
> ask me
press enter
< Which store?
< enter or a digit chooses
press 2
< Which checks?
press 1
< [x] Lint
press 2
< [x] Tests
press enter
< Your answers
press enter
< Sure?
< enter or a digit chooses
press esc
< Thank you.
gone interrupt
press ctrl+o
< q back
press g
< AskUserQuestion Store
press /
> missing
press enter
< n N
--- shows
 Conversation
✗ Read missing.txt
  {
    "file_path": "missing.txt"
  }
  Allow: Reads are allowed in default mode

  missing.txt does not exist.

● agent
  Thank you.


















 6 of 8 · <n>%  ↑↓ PgUp PgDn g G  { } entry  / find n N  y copy  q back

--- keys
press q
< /help
> /plan count
press enter
< approve → accept edits
gone keys choose in a moment
press 6
< enter confirm
press enter
< Plan kept
gone interrupt
--- shows
> ask me

● AskUserQuestion Store, Checks
  Store → Postgres
  Checks → Lint, Tests
● AskUserQuestion Sure
  skipped
✗ Read missing.txt  does not exist

● Thank you.

  Enabled plan mode

> count

● Write plan (<slug>.md)  new file, 3 lines
    1   # Count
    2
    3   1. Count

● Plan kept, plan mode exited
  Count

  1. Count

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+d
--- exit 0
--- pty 80x30 cutonce -c
--- keys
< Plan kept
< /help
--- shows
> ask me

● AskUserQuestion Store, Checks
  Store → Postgres
  Checks → Lint, Tests
● AskUserQuestion Sure
  skipped
✗ Read missing.txt  does not exist

● Thank you.

> count

● Write plan (<slug>.md)  +3 -0
    1 + # Count
    2 +
    3 + 1. Count

● Plan kept, plan mode exited
  Count

  1. Count

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+d
--- exit 0
