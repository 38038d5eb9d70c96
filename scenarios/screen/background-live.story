A command in the background (UI-14): folded it is counted; Ctrl+T shows its id, what runs, for how long and what it printed last, as it prints; Ctrl+X and x end it with all it started. Plain lines have `/tasks` for both.

--- file ~/.cutonce/settings.json
{"permissions": {"allow": ["Bash"]}}
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo tick 1; until [ -e go ]; do sleep 0.1; done; echo tick 2; sleep 1000; touch LATE", "run_in_background": true}}]},
  {"text": "It runs."}
]}
--- pty 80x24 cutonce
--- keys
< ›
> begin
press enter
< It runs.
gone interrupt
press ctrl+t
< bash_1  echo tick 1; until
<     tick 1
! touch go
<     tick 2
gone     tick 1
< ctrl+x stops a command
press ctrl+x
< Background commands
< x stop it
press x
< Stopped bash_1 and everything it started.
gone 1 task
gone ctrl+x stops a command
press ctrl+x
< No background command is running.
press ctrl+d
--- exit 0
--- disk
created go

--- sh
rm go
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "until [ -e go ]; do sleep 0.1; done; touch LATE", "run_in_background": true}}]},
  {"text": "It runs."}
]}
--- run cutonce --plain "begin"
--- talk
< It runs.
< >
> /tasks
< bash_1 (
< >
> /tasks end bash_7
< There is no task
< >
> /tasks end bash_1
< Stopped bash_1 and its child processes.
< >
> /exit
--- exit 0
--- disk
nothing changed

