Ctrl+B moves a running command to the background (DU-7): the call ends, the command continues, the model learns its id.

--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo be''gun; until [ -e go ]; do :; done; echo ended > out"}}]},
  {"text": "It runs on."}
]}
--- pty 80x24 cutonce --permission-mode bypassPermissions --dangerously-skip-permissions
--- keys
< claude-sonnet-5-5
> start it
press enter
< begun
press ctrl+b
< It runs on.
gone esc to interrupt
! touch go; until [ -e out ]; do :; done
press ctrl+d
--- exit 0
--- disk
created go
created out
  ended

--- seen
request 1
  user: start it
request 2
  assistant: call Bash {"command":"echo be''gun; until [ -e go ]; do :; done; echo ended > out"}
  user: result: begun
        
        The user put this command into the background as bash_1; it still runs. Its later output goes to $HOME/.cutonce/projects/<project>/<id>/bash_1.txt.

