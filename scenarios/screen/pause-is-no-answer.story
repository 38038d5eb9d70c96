A sentence that paused when the question came goes on in the draft (UI-5, UI-3): its letters mean nothing to the dialog, its digit does not choose, its Enter does not answer. Esc is no, and all that was written is there.

--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "touch made"}}]},
  {"text": "Not done."}
]}
--- pty 80x24 cutonce
--- keys
< /help
> go
press enter
< enter or a digit chooses
> please indent by 2 spaces
press enter
< enter or a digit chooses
press esc
< Interrupted. Tell the agent
< please indent by 2 spaces
press ctrl+c ctrl+c
--- exit 0
--- disk
nothing changed
