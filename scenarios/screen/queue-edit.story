A message that waits can be edited and withdrawn (DU-4): Up brings the last one back, Esc removes it, and Ctrl+C interrupts without sending what waits.

--- sh
mkfifo one two
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo begun; cat one"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "echo again; cat two"}}]},
  {"text": "Never sent."}
]}
--- pty 80x24 cutonce --allowedTools "Bash(echo:*)" "Bash(cat:*)"
--- keys
< claude-
> go
press enter
< begun
> first words
press enter
< queued: first words
> second words
press enter
< queued: second words
< up edits the last one, esc removes it
press esc
gone queued: second words
press up
gone queued: first words
< › first words
> , edited
press enter
< queued: first words, edited
! echo > one
< again
> not to be sent
press enter
< queued: not to be sent
press ctrl+c
< Interrupted.
< › not to be sent
press ctrl+u
press ctrl+d
--- exit 0
--- seen
request 1
  user: go
request 2
  assistant: call Bash {"command":"echo begun; cat one"}
  user: result: begun
  user: first words, edited

