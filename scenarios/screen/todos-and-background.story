Todos and background tasks show while they are there (UI-14, UI-8): the todo list folded to what is being done, all of it by Ctrl+T; a command in the background is counted in the status line until it is ended.

--- file ~/.cutonce/settings.json
{"permissions": {"allow": ["Bash(sleep:*)"]}}
--- model
{"turns": [
  {"calls": [{"name": "TodoWrite", "input": {"todos": [{"content": "Count", "activeForm": "Counting", "status": "completed"}, {"content": "Tell", "activeForm": "Telling them", "status": "in_progress"}, {"content": "Rest", "activeForm": "Resting", "status": "pending"}]}},
             {"name": "Bash", "input": {"command": "sleep 1000", "run_in_background": true}}]},
  {"text": "It runs."},
  {"calls": [{"name": "KillShell", "input": {"shell_id": "bash_1"}}, {"name": "TodoWrite", "input": {"todos": []}}]},
  {"text": "It is over."}
]}
--- pty 80x24 cutonce
--- keys
< ›
> begin
press enter
< It runs.
gone interrupt
--- shows
> begin

● Bash sleep 1000  in the background as bash_1
  Started in the background as bash_1; it ends with the session at the latest.…

● It runs.

  ☐ Telling them · 1 of 3 done · ctrl+t shows all

›

/help  claude-sonnet-5-5 · <n>% · 1 task · $<n> · <n> tokens

--- keys
press ctrl+t
< ctrl+t folds
--- shows
> begin

● Bash sleep 1000  in the background as bash_1
  Started in the background as bash_1; it ends with the session at the latest.…

● It runs.

  bash_1  sleep 1000
  ctrl+x stops a command
  ☒ Count
  ▸ Tell
  ☐ Rest
  1 of 3 done · ctrl+t folds

›

/help  claude-sonnet-5-5 · <n>% · 1 task · $<n> · <n> tokens

--- keys
press ctrl+t
> end it
press enter
< It is over.
gone interrupt
--- shows
> begin

● Bash sleep 1000  in the background as bash_1
  Started in the background as bash_1; it ends with the session at the latest.…

● It runs.

> end it

● KillShell bash_1

● It is over.

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+d
--- exit 0
