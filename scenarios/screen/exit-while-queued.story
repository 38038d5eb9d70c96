Exiting starts nothing (AG-4, AG-5, UI-3): a command runs and a message is queued; after /exit there is no further request and no further call, and
the queued text is the draft at the next start.

--- file ~/.cutonce/settings.json
{"permissions": {"allow": ["Bash"]}}
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo begun; sleep 60"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "echo acted > after.txt"}}]},
  {"text": "done"}
]}
--- pty 80x24 cutonce
--- keys
< claude-
> begin
press enter
< begun
> words that wait
press enter
< queued: words that wait
> /exit
press enter
--- exit 0
--- disk
nothing changed
--- seen
request 1
  user: begin

--- pty 80x24 cutonce -c
--- keys
< › words that wait
press ctrl+c ctrl+c
--- exit 0
