A message of the program to a running turn is not shown as a queued message of the user (UI-8, AG-5): a background subagent ends while a command runs.
A question of an agent names the agent (UI-7).

--- file ~/.cutonce/settings.json
{"permissions": {"allow": ["Bash"]}}
--- model
{"turns": [
  {"when": "You are cutonce", "calls": [
    {"name": "Agent", "input": {"description": "look around", "prompt": "Look around.", "subagent_type": "general-purpose", "run_in_background": true}}]},
  {"when": "You are cutonce", "calls": [{"name": "Bash", "input": {"command": "until [ -e go ]; do sleep 0.05; done"}}]},
  {"when": "You are cutonce", "text": "Nothing waits.", "repeat": 3},
  {"when": "Look around.", "calls": [{"name": "AskUserQuestion", "input": {"questions": [
    {"question": "Which colour?", "header": "Colour", "multiSelect": false, "options": [
      {"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]}]}}]},
  {"when": "Look around.", "text": "All seen."}
]}
--- pty 80x24 cutonce
--- keys
< claude-
> begin
press enter
< ? Colour (the general-purpose agent: look around)
< enter or a digit
! sleep 0.5 # keys count after 400 ms of quiet
press 1
< Your answers
press enter
< 1 call ·
! touch go
< Nothing waits.
gone esc to interrupt
--- shows
> begin

● Agent general-purpose: look around
● Agent general-purpose: look around  1 call · <n> tokens
● Bash until [ -e go ]; do sleep 0.05; done
  (no output)

● Nothing waits.

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+d
--- exit 0
