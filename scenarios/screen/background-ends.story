A background command that ends by itself disappears from the count without a query (UI-8, UI-14).

--- file ~/.cutonce/settings.json
{"permissions": {"allow": ["Bash"]}}
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "until [ -e go ]; do sleep 0.1; done", "run_in_background": true}}]},
  {"text": "It runs."}
]}
--- pty 80x24 cutonce
--- keys
< ›
> begin
press enter
< It runs.
gone interrupt
< 1 task
! touch go
gone 1 task
--- shows
> begin

● Bash until [ -e go ]; do sleep 0.1; done  in the background as bash_1
  Started in the background as bash_1; it ends with the session at the latest.…

● It runs.

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+d
--- exit 0
