Esc on a teammate's plan leaves that one for later and touches no other (PM-80, PM-134): the lead's own plan came meanwhile; it is not thrown away but shown next. Shift+Tab over a teammate's plan changes no mode.

--- model
{"turns": [
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n\n1. Write hello.txt\n"}},
     {"name": "ExitPlanMode", "input": {}}]},
  {"when": "You are `ann`", "text": "Finished."},
  {"when": "Plan it yourself.", "calls": [
     {"name": "Bash", "input": {"command": "until [ -e $HOME/go ]; do sleep 0.05; done"}},
     {"name": "Write", "input": {"file_path": "{plan}", "content": "# My own\n\n1. Lead well\n"}},
     {"name": "ExitPlanMode", "input": {}}]},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [
     {"name": "ann", "task": "Write hello.txt.", "planModeRequired": true}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 9}
]}
--- pty 80x24 cutonce
--- keys
< claude-
> Lead this.
press enter
< Plan of ann: Greeting
press esc
< ann's plan is ready: ctrl+p opens it
gone esc to interrupt
press shift+tab shift+tab
< plan mode on
> Plan it yourself.
press enter
< Bash until
press ctrl+p
< Plan of ann: Greeting
press shift+tab
! touch $HOME/go
! for i in $(seq 400); do grep -h -A99 'Plan it yourself' $HOME/.cutonce/projects/*/*.jsonl | grep -q '"type":"ask"' && exit 0; sleep 0.05; done; exit 1
press esc
< Lead well
< 5 request changes
press esc
< plan mode on
press ctrl+c ctrl+c
--- exit 0
